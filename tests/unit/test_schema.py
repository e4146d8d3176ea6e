"""The schema files, the types and the records of the repository say the same."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from ridgeline.knowledge.base import paths
from ridgeline.records import schema
from ridgeline.records.beside import files
from ridgeline.records.kinds import FOLDERS, Kind, versions
from ridgeline.text.document import read
from tests.conftest import REPOSITORY

RECORDS = [p.relative_to(REPOSITORY).as_posix() for p in paths(REPOSITORY)]
GOOD = REPOSITORY / "tests/acceptance/records/good/records"


def validator(kind: Kind) -> jsonschema.Draft7Validator:
    """The validator of a schema file, as an outsider would make it."""
    path = REPOSITORY / "schema" / kind.schema_name
    body = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(body)
    return jsonschema.Draft7Validator(body)


VERSIONS = versions()
VALIDATORS = {stated: validator(kind) for stated, kind in VERSIONS.items()}


def load(path: Path) -> dict[str, Any]:
    document = read(path.name, path.read_bytes())
    assert document.findings == []
    return dict(document.data)


def kind_of(path: Path) -> str:
    return next(kind for kind, folder in FOLDERS.items() if folder == path.parent.name)


def test_the_files_are_in_step_with_the_types() -> None:
    assert schema.stale(REPOSITORY / "schema") == []


def test_a_file_out_of_step_is_named_and_written_anew(tmp_path: Path) -> None:
    assert len(schema.write(tmp_path)) == len(VERSIONS) + len(files())
    assert schema.write(tmp_path) == []
    changed = tmp_path / "model.v1.schema.json"
    changed.write_text(changed.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    (tmp_path / "class.v1.schema.json").unlink()
    assert schema.stale(tmp_path) == ["model.v1.schema.json", "class.v1.schema.json"]
    assert {p.name for p in schema.write(tmp_path)} == {"model.v1.schema.json", "class.v1.schema.json"}
    assert schema.stale(tmp_path) == []


@pytest.mark.parametrize("path", RECORDS)
def test_every_record_validates_against_the_file(path: str) -> None:
    file = REPOSITORY / path
    data = load(file)
    assert data["schema"].split("/")[0] == kind_of(file)
    assert [e.message for e in VALIDATORS[data["schema"]].iter_errors(data)] == []
    VERSIONS[data["schema"]].type.model_validate(data)  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", RECORDS)
def test_the_modeline_of_every_record_leads_to_its_schema(path: str) -> None:
    file = REPOSITORY / path
    first = file.read_text(encoding="utf-8").split("\n", 1)[0]
    match = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert match, f"{path} has no modeline"
    wanted = REPOSITORY / "schema" / VERSIONS[load(file)["schema"]].schema_name
    assert (file.parent / match[1]).resolve() == wanted
    assert wanted.is_file()


def properties(node: Any, owner: str) -> Iterator[tuple[str, str, Any]]:
    if isinstance(node, dict):
        named = node.get("properties")
        if isinstance(named, dict) and node.get("type") == "object":
            yield from ((owner, name, body) for name, body in named.items())
        for key, child in node.items():
            if key == "definitions":
                for name, body in child.items():
                    yield from properties(body, name)
            elif key != "properties" or node.get("type") == "object":
                yield from properties(child, owner)
    elif isinstance(node, list):
        for child in node:
            yield from properties(child, owner)


@pytest.mark.parametrize("kind", VERSIONS)
def test_every_property_is_described(kind: str) -> None:
    found = list(properties(schema.schema(VERSIONS[kind]), kind))
    assert len(found) > 10
    assert [(owner, name) for owner, name, body in found if not body.get("description")] == []


@pytest.mark.parametrize("kind", VERSIONS)
def test_every_object_is_closed(kind: str) -> None:
    def objects(node: Any) -> Iterator[Any]:
        if isinstance(node, dict):
            if node.get("type") == "object":
                yield node
            for child in node.values():
                yield from objects(child)
        elif isinstance(node, list):
            for child in node:
                yield from objects(child)

    for node in objects(schema.schema(VERSIONS[kind])):
        assert node.get("additionalProperties") is False or "properties" not in node


# The two definitions of valid, on broken records.

DROP = object()
#: Case → the good record, the path in it, and what stands there instead (DROP: nothing).
BROKEN: dict[str, tuple[str, tuple[str | int, ...], Any]] = {
    "no id": ("sources/acme-sheet", ("id",), DROP),
    "no name": ("models/tiny", ("name",), DROP),
    "no revision": ("classes/scores", ("revision",), DROP),
    "no status": ("formats/bf16", ("status",), DROP),
    "no schema": ("formats/bf16", ("schema",), DROP),
    "another schema": ("formats/bf16", ("schema",), "format/2"),
    "a schema of another kind": ("formats/bf16", ("schema",), "model/1"),
    "no memory": ("accelerators/acme-one", ("memory",), DROP),
    "no peak rate": ("accelerators/acme-one", ("peaks", 0, "rate"), DROP),
    "no kind of memory": ("accelerators/acme-one", ("memory", "kind"), DROP),
    "no heads": ("models/tiny", ("layers", 0, "attention", "kv_heads"), DROP),
    "no checkpoint": ("models/tiny", ("checkpoint",), DROP),
    "no unit of a symbol": ("classes/scores", ("symbols", "L", "unit"), DROP),
    "no source of a workaround": ("classes/scores", ("workarounds", 0, "source"), DROP),
    "an unknown key": ("sources/acme-sheet", ("pages",), 3),
    "an unknown key in a quantity": ("accelerators/acme-one", ("memory", "capacity", "unit"), "GB"),
    "an unknown key in a figure": ("classes/scores", ("figures", 0, "value"), "204.8"),
    "an unknown key in a layer": ("models/tiny", ("layers", 0, "heads"), 4),
    "an unknown memory": ("accelerators/acme-one", ("on_chip", "l4"), {"per": "die"}),
    "text for a count": ("models/tiny", ("width",), "8"),
    "a decimal for a count": ("models/tiny", ("width",), 8.5),
    "a boolean for a count": ("models/tiny", ("width",), True),
    "null for a count": ("models/tiny", ("width",), None),
    "a number for a name": ("models/tiny", ("name",), 7),
    "null for a name": ("models/tiny", ("name",), None),
    "a list for a name": ("models/tiny", ("name",), ["Tiny"]),
    "text for a boolean": ("models/tiny", ("tied_embeddings",), "false"),
    "a number for a boolean": ("models/tiny", ("tied_embeddings",), 0),
    "text for a list": ("classes/scores", ("workarounds",), "none"),
    "a mapping for a list": ("classes/scores", ("figures",), {}),
    "a list for a mapping": ("classes/scores", ("text",), ["words"]),
    "text for a quantity": ("accelerators/acme-one", ("memory", "capacity"), "16 GB"),
    "a number for a value": ("accelerators/acme-one", ("memory", "capacity", "value"), 16),
    "a word that is none": ("sources/acme-sheet", ("kind",), "blog"),
    "a status that is none": ("sources/acme-sheet", ("status",), "final"),
    "a path that is none": ("accelerators/acme-one", ("peaks", 0, "path"), "matrix"),
    "a sparsity that is none": ("accelerators/acme-one", ("peaks", 0, "sparsity"), "4:8"),
    "a basis that is none": ("accelerators/acme-one", ("memory", "capacity", "basis"), "guessed"),
    "a k that is none": ("classes/scores", ("k",), 1023),
    "an id in capitals": ("sources/acme-sheet", ("id",), "Acme-sheet"),
    "an id too long": ("sources/acme-sheet", ("id",), "a" * 81),
    "a source in capitals": ("accelerators/acme-one", ("memory", "capacity", "source"), "Sheet"),
    "a day in words": ("sources/acme-sheet", ("retrieved",), "30 November 2026"),
    "a month too many": ("sources/acme-sheet", ("published",), "2026-13"),
    "an address that is none": ("sources/acme-sheet", ("url",), "javascript:alert(1)"),
    "an address with markup": ("sources/acme-sheet", ("url",), "https://example.org/<script>"),
    "an alias that is no name": ("classes/scores", ("subjects",), {"a-b": "models/tiny"}),
    "a subject without folder": ("classes/scores", ("subjects",), {"tiny": "tiny"}),
    "a symbol that is no name": ("classes/scores", ("symbols", "2L"), {"unit": "token", "means": "x"}),
    "a symbol too long": ("classes/scores", ("symbols", "L" * 41), {"unit": "token", "means": "x"}),
    "an empty name": ("models/tiny", ("name",), ""),
    "a name too long": ("models/tiny", ("name",), "x" * 301),
    "prose too long": ("classes/scores", ("text", "notes"), "x" * 20_001),
    "a formula too long": ("classes/scores", ("formulas", "share", "is"), "1+" * 250 + "1"),
    "an empty formula": ("classes/scores", ("formulas", "share", "is"), ""),
    "a count of none": ("models/tiny", ("layers", 0, "count"), 0),
    "a negative count": ("models/tiny", ("final_norm_parameters",), -1),
    "a count beyond all": ("models/tiny", ("vocabulary",), 10**16),
    "no layers": ("models/tiny", ("layers",), []),
    "a range of one": ("classes/scores", ("properties", 2, "range"), [0]),
    "a range of three": ("classes/scores", ("properties", 2, "range"), [0, 1, 2]),
    "a pattern of one": ("classes/scores", ("figures", 2, "each"), ["share"]),
    "a pattern of nine": ("classes/scores", ("figures", 2, "each"), ["share", "L", *"_______"]),
    "an order too high": ("classes/scores", ("scales_with", 0, "order"), 9),
    "words of one letter": ("classes/scores", ("figures", 0, "say"), "x"),
}

#: What the types refuse and JSON Schema cannot say: it compares fields with each other, or knows the calendar.
BEYOND: dict[str, tuple[str, tuple[str | int, ...], Any, str]] = {
    "a day that is none": ("sources/acme-sheet", ("retrieved",), "2026-02-30", "the calendar"),
    "an id with a line break": (
        "sources/acme-sheet",
        ("id",),
        "acme-sheet\n",
        "this validator of schemas alone: Python's $ also stands before a last line break, that of ECMA-262 does not",
    ),
    "recorded without source": (
        "accelerators/acme-one",
        ("memory", "capacity"),
        {"value": "16 GB"},
        "basis and source",
    ),
    "a source never checked": (
        "accelerators/acme-one",
        ("memory", "capacity"),
        {"value": "16 GB", "source": "acme-sheet"},
        "source and checked",
    ),
    "derived without formula": (
        "accelerators/acme-one",
        ("memory", "capacity"),
        {"value": "16 GB", "basis": "derived"},
        "basis and from",
    ),
    "unverified without reason": (
        "accelerators/acme-one",
        ("memory", "capacity"),
        {"value": "16 GB", "basis": "unverified"},
        "basis and reason",
    ),
    "a quantity without value": (
        "accelerators/acme-one",
        ("memory", "capacity"),
        {"source": "acme-sheet", "checked": "2026-11-30"},
        "value and claims",
    ),
    "a formula beside a recorded value": (
        "accelerators/acme-one",
        ("memory", "capacity", "from"),
        "memory.bandwidth",
        "basis and from",
    ),
    "a single claim": (
        "accelerators/acme-one",
        ("memory", "capacity"),
        {
            "claims": [
                {"value": "16 GB", "source": "acme-sheet", "checked": "2026-11-30", "preferred": True, "why": "x"}
            ]
        },
        "the claims among each other",
    ),
    "a fact from nowhere": ("models/tiny", ("released",), {"value": "2026-01-02"}, "source and reason"),
    "heads that do not divide": ("models/tiny", ("layers", 0, "attention", "kv_heads"), 3, "one count by another"),
    "a formula and a solution": ("classes/scores", ("formulas", "L_ridge", "is"), "L", "is and solve"),
    "neither formula nor solution": ("classes/scores", ("formulas", "share"), {"unit": "1"}, "is and solve"),
    "a property of two kinds": ("classes/scores", ("properties", 0, "falls"), "flops", "rises, falls and within"),
    "a property without its symbol": ("classes/scores", ("properties", 0), {"rises": "flops"}, "rises and with"),
    "a bound without range": ("classes/scores", ("properties", 2), {"within": "share"}, "within and range"),
    "a figure of two kinds": ("classes/scores", ("figures", 0, "unverified"), "x", "the meanings of a figure"),
    "a figure that says nothing": (
        "classes/scores",
        ("figures", 0),
        {"say": "204.8 flop/byte"},
        "the meanings of a figure",
    ),
    "a figure cited and never checked": (
        "classes/scores",
        ("figures", 3),
        {"say": "a speed-up of 1.7x", "source": "acme-sheet"},
        "source and checked",
    ),
    "a symbol that is a formula": (
        "classes/scores",
        ("symbols", "share"),
        {"unit": "1", "means": "x"},
        "the names of symbols and formulas",
    ),
    "two peaks of one name": (
        "accelerators/acme-one",
        ("peaks", 1),
        {
            "format": "bf16",
            "path": "tensor",
            "rate": {"value": "1 TFLOP/s", "source": "acme-sheet", "checked": "2026-11-30"},
        },
        "the names of peaks",
    ),
}


def broken(record: str, path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(load(GOOD / f"{record}.yaml"))
    holder: Any = data
    for step in path[:-1]:
        holder = holder[step]
    if value is DROP:
        del holder[path[-1]]
    elif isinstance(holder, list) and path[-1] == len(holder):
        holder.append(value)
    else:
        holder[path[-1]] = value
    return data


def accepted(record: str, data: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the schema file, and whether the types, take a record."""
    stated = load(GOOD / f"{record}.yaml")["schema"]
    try:
        VERSIONS[stated].type.model_validate(data)  # type: ignore[attr-defined]
        typed = True
    except ValidationError:
        typed = False
    return VALIDATORS[stated].is_valid(data), typed


@pytest.mark.parametrize("path", sorted(p.relative_to(GOOD).as_posix() for p in GOOD.rglob("*.yaml")))
def test_both_take_the_good_records(path: str) -> None:
    record = path.removesuffix(".yaml")
    assert accepted(record, load(GOOD / path)) == (True, True)


@pytest.mark.parametrize("case", BROKEN)
def test_the_file_and_the_types_refuse_the_same_records(case: str) -> None:
    record, path, value = BROKEN[case]
    assert accepted(record, broken(record, path, value)) == (False, False)


@pytest.mark.parametrize("case", BEYOND)
def test_the_types_alone_compare_fields_with_each_other(case: str) -> None:
    record, path, value, why = BEYOND[case]
    assert why
    assert accepted(record, broken(record, path, value)) == (True, False)
