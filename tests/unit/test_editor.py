"""What editors are given: examples and word lists in the schemas, and the files for Visual Studio Code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ridgeline.records import editor, hints
from ridgeline.records.beside import files
from ridgeline.records.kinds import FOLDERS, kinds, versions
from ridgeline.records.scaffold import text as scaffold
from ridgeline.records.validate import validate
from ridgeline.text.document import read
from tests.conftest import REPOSITORY, Cli

VERSIONS = versions()
CODE = REPOSITORY / ".vscode"


def body(stated: str) -> Any:
    return json.loads((REPOSITORY / "schema" / VERSIONS[stated].schema_name).read_text(encoding="utf-8"))


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for key, child in node.items():
            if key not in ("examples", "default"):
                yield from nodes(child)
    elif isinstance(node, list):
        for child in node:
            yield from nodes(child)


def properties(schema: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for owner, node in [("", schema), *schema["definitions"].items()]:
        for key, inner in node["properties"].items():
            yield owner, key, inner


@pytest.mark.parametrize("stated", VERSIONS)
def test_every_property_has_a_description_and_examples_that_hold(stated: str) -> None:
    schema = body(stated)
    count = 0
    for owner, key, inner in properties(schema):
        assert inner.get("description", "").strip(), (owner, key)
        assert inner["examples"], (owner, key)
        for example in inner["examples"]:
            validator = jsonschema.Draft7Validator({**inner, "definitions": schema["definitions"]})
            assert [e.message for e in validator.iter_errors(example)] == [], (owner, key, example)
            # An example that says nothing is none, except of a truth value.
            assert example not in (None, "", [], {}), (owner, key)
        count += 1
    assert count > 30


@pytest.mark.parametrize("stated", VERSIONS)
def test_every_closed_list_says_what_its_words_mean(stated: str) -> None:
    lists = [n for n in nodes(body(stated)) if isinstance(n.get("enum"), list)]
    assert lists
    for node in lists:
        assert len(node["enum"]) == len(node["enumDescriptions"])
        assert node["enumDescriptions"] == node["markdownEnumDescriptions"]
        for word, text in zip(node["enum"], node["enumDescriptions"], strict=True):
            assert len(text) > 5 and text != word
        assert len(set(node["enumDescriptions"])) == len(node["enum"])


def test_the_hints_name_only_what_there_is() -> None:
    data = read("hints.yaml", (REPOSITORY / "tooling/ridgeline/records/hints.yaml").read_bytes()).data
    known: dict[str, set[str]] = {}
    for kind in (*VERSIONS.values(), *files().values()):
        for model in hints.models(kind.type).values():
            for type_ in model.__mro__:
                fields = getattr(type_, "model_fields", {})
                known.setdefault(type_.__name__, set()).update(str(f.alias or n) for n, f in fields.items())
    for type_name, examples in data["examples"].items():
        assert set(examples) <= known[type_name], type_name
    words = {
        frozenset(map(str, n["enum"])) for s in VERSIONS for n in nodes(body(s)) if isinstance(n.get("enum"), list)
    }
    assert [texts for texts in data["words"] if frozenset(texts) not in words] == []


def test_a_field_without_an_example_is_named() -> None:
    class Lone(hints.Fact):
        colour: str

    with pytest.raises(hints.HintError, match=r"no example of Lone\.colour"):
        hints.example(Lone, "colour")
    with pytest.raises(hints.HintError, match="nothing of the words red, green"):
        hints.meanings(["red", "green"])


def test_the_files_for_the_editor_are_in_step() -> None:
    assert editor.stale(CODE) == []
    assert {p.name for p in CODE.iterdir()} == set(editor.files())


def test_the_settings_lead_every_folder_to_its_newest_schema() -> None:
    settings = json.loads((CODE / "settings.json").read_text(encoding="utf-8"))
    found = {}
    for schema, pattern in settings["yaml.schemas"].items():
        assert (CODE.parent / schema).is_file()
        found[pattern] = Path(schema).name
    beside = {name: kind.schema_name for name, kind in files().items()}
    assert found == {f"records/{k.folder}/*.yaml": k.schema_name for k in kinds().values()} | beside
    recommended = json.loads((CODE / "extensions.json").read_text(encoding="utf-8"))["recommendations"]
    assert recommended == ["redhat.vscode-yaml"]


def expanded(body: list[str], name: str) -> str:
    """A snippet as an editor inserts it: places with their text, variables with their value."""
    text = "\n".join(body)
    text = text.replace("${TM_FILENAME_BASE}", name)
    stops = re.findall(r"\$\{(\d+):", text)
    assert stops == [str(n) for n in range(1, len(stops) + 1)]
    text = re.sub(r"(?<!\\)\$\{\d+:([^}]*)\}", r"\1", text)
    assert not re.search(r"(?<!\\)\$", text)
    return text.replace("\\$", "$").replace("\\\\", "\\") + "\n"


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_snippet_is_the_scaffold(kind: str) -> None:
    snippets = json.loads((CODE / "ridgeline.code-snippets").read_text(encoding="utf-8"))
    (snippet,) = [s for s in snippets.values() if s["prefix"] == f"ridgeline-{kind}"]
    assert snippet["scope"] == "yaml"
    text = expanded(snippet["body"], "acme-one")
    assert read("a", text).data == read("b", scaffold(kind, "acme-one")).data
    _, findings = validate(read(f"records/{FOLDERS[kind]}/acme-one.yaml", text))
    assert {f.rule for f in findings} == {"fill-in"}


def test_schema_writes_the_files_for_the_editor_when_asked(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "records").mkdir()
    assert cli("schema", cwd=tmp_path).code == 0
    assert not (tmp_path / ".vscode").exists()
    missing = cli("schema", "--editor", "--check", cwd=tmp_path)
    assert missing.code == 1
    assert missing.out.count("Next: ridgeline schema --editor") == len(editor.files())
    assert cli("schema", "--editor", cwd=tmp_path).out.count("wrote ") == len(editor.files())
    assert cli("schema", "--editor", "--check", cwd=tmp_path).code == 0
    for name in editor.files():
        assert (tmp_path / ".vscode" / name).read_bytes() == (CODE / name).read_bytes()
