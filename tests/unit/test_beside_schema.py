"""The schemas of the files beside the records say what their types say, and are as good for an editor as the others."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from ridgeline.records.beside import files, read_ceilings, read_waivers
from ridgeline.records.kinds import Kind
from ridgeline.records.schema import schema as schema_of
from tests.conftest import REPOSITORY
from tests.unit.test_schema_constraints import Constraint, cases, listed, reasons

READERS = {"waivers.yaml": read_waivers, "ceilings.yaml": read_ceilings}


def ours(name: str, data: Any) -> bool:
    """Whether the reader of the file takes it; JSON is YAML."""
    _, model, findings = READERS[name](json.dumps(data).encode())
    assert (model is None) is bool(findings)
    return model is not None


def body(kind: Kind) -> Any:
    return json.loads((REPOSITORY / "schema" / kind.schema_name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", files())
def test_every_constraint_has_a_passing_and_an_isolated_failing_example(name: str) -> None:
    kind = files()[name]
    validator = jsonschema.Draft7Validator(body(kind))
    covered: set[Constraint] = set()
    for constraint, good, bad in cases(kind):
        assert [e.message for e in validator.iter_errors(good)] == [], (constraint, good)
        assert ours(name, good), (constraint, good)
        errors = list(validator.iter_errors(bad))
        found = {r.validator for e in errors for r in reasons(e)}
        wanted = constraint[1].split(" ")[0].replace("patternProperties", "additionalProperties")
        assert wanted in found, (constraint, found)
        assert found <= {wanted, *(("enum", "const") if wanted == "type" else ())}, (constraint, found)
        assert not ours(name, bad), (constraint, bad)
        covered.add(constraint)
    assert covered == listed(schema_of(kind))
    assert len(covered) > 10


@pytest.mark.parametrize("name", files())
def test_every_property_has_a_description_and_an_example_that_holds(name: str) -> None:
    schema = body(files()[name])
    jsonschema.Draft7Validator.check_schema(schema)
    for node in (schema, *schema["definitions"].values()):
        for key, inner in node["properties"].items():
            assert inner["description"].strip(), key
            for example in inner["examples"]:
                validator = jsonschema.Draft7Validator({**inner, "definitions": schema["definitions"]})
                assert [e.message for e in validator.iter_errors(example)] == [], (key, example)
                assert example not in (None, "", [], {}), key


@pytest.mark.parametrize("name", [name for name in files() if (REPOSITORY / name).exists()])
def test_the_file_of_the_repository_holds_and_leads_to_its_schema(name: str) -> None:
    path = REPOSITORY / name
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    assert first == f"# yaml-language-server: $schema=schema/{files()[name].schema_name}"
    document, model, findings = READERS[name](path.read_bytes())
    assert (findings, model is None) == ([], False)
    assert [e.message for e in jsonschema.Draft7Validator(body(files()[name])).iter_errors(document.data)] == []
