"""The description of the static API after OpenAPI 3.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]
_TEXT: Json = {"type": "string"}


def description(record: Mapping[str, Any], folders: Sequence[str]) -> Json:
    """The document. ``record`` is the JSON Schema of a record's file, ``folders`` are the kinds that there are.

    The server's address is relative: the description holds wherever the site stands.
    """
    schemas = {
        **{name: _moved(part) for name, part in record["definitions"].items()},
        "record": _moved({k: v for k, v in record.items() if k not in ("$schema", "$id", "definitions")}),
        **_lists(),
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ridgeline",
            "version": "1",
            "summary": "Accelerators, language models and workload classes whose every number is recomputed",
            "description": "Static JSON files. Values are exact texts in base units, with the nearest double beside them."
            " A key that does not apply is left out; null is not known, never zero. An id that a record had before goes"
            " on answering with that record.",
            "license": {"name": "CC BY 4.0", "identifier": "CC-BY-4.0"},
        },
        "servers": [{"url": "."}],
        "tags": [{"name": "records"}, {"name": "whole"}],
        "paths": _paths(folders),
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def _paths(folders: Sequence[str]) -> Json:
    kind = _parameter("folder", "The kind, as the folder of its records is called.", {**_TEXT, "enum": list(folders)})
    one = _parameter(
        "id", "The record's id, or one that it had before.", {**_TEXT, "pattern": "^[a-z0-9][a-z0-9._-]*$"}
    )
    missing = {"404": {"description": "There is no such record."}}
    return {
        "/index.json": _get("index", "All records, the lists of each kind, and ids that changed", "whole", "index"),
        "/all.json": _get("all", "Every record in one file", "whole", "dump"),
        "/changes.json": _get(
            "changes",
            "What changed, newest first: whoever looks for what is new since a day reads until an earlier one",
            "whole",
            "changes",
        ),
        "/codes.json": _get("codes", "What each status, grade, basis and unit means", "whole", "codes"),
        "/{folder}.json": _get("list", "The records of a kind with their values", "records", "list", [kind], missing),
        "/{folder}/{id}.json": _get(
            "record",
            "A record with its values, derivations, prose and sources",
            "records",
            "record",
            [kind, one],
            missing,
        ),
    }


def _get(
    name: str, summary: str, tag: str, schema: str, parameters: Sequence[Json] = (), more: Mapping[str, Json] | None = None
) -> Json:  # fmt: skip
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    operation: Json = {"operationId": name, "summary": summary, "tags": [tag]}
    if parameters:
        operation["parameters"] = list(parameters)
    operation["responses"] = {"200": {"description": summary, "content": content}, **(more or {})}
    return {"get": operation}


def _parameter(name: str, means: str, schema: Json) -> Json:
    return {"name": name, "in": "path", "required": True, "description": means, "schema": schema}


def _moved(part: Any) -> Any:
    """A piece of a JSON Schema with its references to definitions led to the components. Its depth is that of our file."""
    if isinstance(part, list):
        return [_moved(p) for p in part]
    if not isinstance(part, dict):
        return part
    return {
        key: value.replace("#/definitions/", "#/components/schemas/") if key == "$ref" else _moved(value)
        for key, value in part.items()
    }


def _object(properties: Json, optional: Sequence[str] = ()) -> Json:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _array(items: Json) -> Json:
    return {"type": "array", "items": items}


def _lists() -> Json:
    """The schemas of the files that are no record."""
    about: Json = {
        "type": "object", "additionalProperties": _TEXT,
        "description": "Which data this is: edition, data_version, commit, licence, tool_version.",
    }  # fmt: skip
    texts = {"type": "object", "additionalProperties": _TEXT}
    kind = _object({"kind": _TEXT, "folder": _TEXT, "records": {"type": "integer"}, "list": _TEXT})
    brief = _object({"reference": _TEXT, "name": _TEXT, "file": _TEXT})
    renamed = _object({"was": _TEXT, "is": _TEXT, "file": _TEXT})
    index = {
        "about": about, "files": texts, "kinds": _array(kind), "records": _array(brief), "renamed": _array(renamed)
    }  # fmt: skip
    maybe = {"type": ["string", "null"]}
    value = _object({"value": maybe, "unit": maybe, "display": maybe, "basis": _TEXT})
    entry = _object({
        "reference": _TEXT, "kind": _TEXT, "id": _TEXT, "name": _TEXT, "also_called": _array(_TEXT),
        "formerly": _array(_TEXT), "status": _TEXT, "revision": {"type": "integer"}, "file": _TEXT,
        "quantities": {"type": "object", "additionalProperties": value},
    })  # fmt: skip
    records = {"about": about, "kind": _TEXT, "folder": _TEXT, "records": _array(entry)}
    every = {"about": about, "records": _array({"$ref": "#/components/schemas/record"})}
    codes = {"about": about, "codes": {"type": "object", "additionalProperties": texts}}
    change = _object({
        "id": _TEXT, "date": {**_TEXT, "format": "date"}, "record": _TEXT, "name": _TEXT, "revision": {"type": "integer"},
        "kind": {"enum": ["added", "changed"]}, "field": maybe, "was": maybe, "now": maybe, "why": maybe,
    })  # fmt: skip
    changes = {"about": about, "changes": _array(change)}
    shapes = {"changes": changes, "index": index, "list": records, "dump": every, "codes": codes}
    return {name: _object({"schema": {"const": f"{name}/1"}, **shape}) for name, shape in shapes.items()}
