"""The JSON Schemas of the records, written from the types: the same definition that the check uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from ridgeline.records.beside import files as beside
from ridgeline.records.described import described
from ridgeline.records.hints import annotate
from ridgeline.records.kinds import Kind, versions
from ridgeline.text.splice import write as write_file

#: Draft-07 is what editors read.
DIALECT = "http://json-schema.org/draft-07/schema#"


class _Draft07(GenerateJsonSchema):
    schema_dialect = DIALECT


def schema(kind: Kind) -> dict[str, Any]:
    """The JSON Schema of one kind of record, in the order of its fields."""
    body: dict[str, Any] = described(kind.type).model_json_schema(by_alias=True, schema_generator=_Draft07)
    _simplify(body)
    annotate(body, kind.type)
    definitions = body.pop("$defs", None)
    title = f"Ridgeline {kind.name} {'record' if kind.folder else 'file'}, version {kind.version}"
    ordered: dict[str, Any] = {
        "$schema": DIALECT,
        "$id": kind.schema_name,
        "title": title,
        **{k: v for k, v in body.items() if k not in ("$schema", "title")},
    }
    if definitions:
        ordered["definitions"] = definitions
    return _repoint(ordered)  # type: ignore[no-any-return]


def _simplify(node: Any) -> None:
    """Drop pydantic's generated titles, which crowd the editor's hover text, and close the mappings with named keys."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str) and (
            "type" in node or "anyOf" in node or "$ref" in node or "const" in node or "enum" in node
        ):
            del node["title"]
        if "patternProperties" in node:
            # A name that fits no pattern is refused, as the types refuse it.
            node.setdefault("additionalProperties", False)
        for value in node.values():
            _simplify(value)
    elif isinstance(node, list):
        for value in node:
            _simplify(value)


def _repoint(node: Any) -> Any:
    """Draft-07 keeps definitions under ``definitions``, and ignores what stands beside a ``$ref``."""
    if isinstance(node, dict):
        node = {k: _repoint(v) for k, v in node.items()}
        reference = node.get("$ref")
        if isinstance(reference, str):
            reference = reference.replace("#/$defs/", "#/definitions/")
            if len(node) == 1:
                return {"$ref": reference}
            return {**{k: v for k, v in node.items() if k != "$ref"}, "allOf": [{"$ref": reference}]}
        return node
    return [_repoint(v) for v in node] if isinstance(node, list) else node


def _all() -> list[Kind]:
    """Every kind of record in every version, and the files beside the records."""
    return [*versions().values(), *beside().values()]


def text(kind: Kind) -> str:
    """The schema file's whole text."""
    return json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> list[Path]:
    """Write all schema files below a folder, each beside and renamed; gives the paths that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for kind in _all():
        path, wanted = folder / kind.schema_name, text(kind)
        if path.exists() and path.read_text(encoding="utf-8") == wanted:
            continue
        write_file(path, wanted)
        changed.append(path)
    return changed


def stale(folder: Path) -> list[str]:
    """Names of schema files that are missing or differ from the types."""
    found = []
    for kind in _all():
        path = folder / kind.schema_name
        if not path.exists() or path.read_text(encoding="utf-8") != text(kind):
            found.append(kind.schema_name)
    return found
