"""What editors show beside a field: an example, and what each word of a closed list means. Texts stand in ``hints.yaml``."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from ridgeline.records.common import Fact, Quantity

#: Fields that mean the same in every type.
_COMMON: dict[str, Any] = {
    "source": "acme-one-datasheet",
    "at": "page 3, table 1, the row of that name",
    "checked": "2026-11-30",
    "date": "2026-11-30",
    "retrieved": "2026-11-30",
    "format": "bf16",
    "accumulate": "fp32",
}


class HintError(ValueError):
    """A field without an example, or a closed list without an account of its words."""


@lru_cache(maxsize=1)
def _hints() -> Any:
    from ridgeline.text.document import read

    name = "hints.yaml"
    document = read(name, (files("ridgeline.records") / name).read_bytes())
    if document.findings:
        raise HintError(document.findings[0].message)
    return document.data


def models(annotation: Any) -> dict[str, type[BaseModel]]:
    """All models that a type is made of, by the name that they have in its schema."""
    found: dict[str, type[BaseModel]] = {}
    stack = [annotation]
    while stack:
        at = stack.pop()
        if isinstance(at, type) and issubclass(at, BaseModel):
            if at.__name__ not in found:
                found[at.__name__] = at
                stack.extend(f.annotation for f in at.model_fields.values())
        else:
            stack.extend(get_args(at))
    return found


def annotate(body: dict[str, Any], type_: type[BaseModel]) -> None:
    """Give every property of a JSON Schema, as pydantic writes it, an example, and every closed list its texts."""
    known = models(type_)
    for owner, node in [(type_.__name__, body), *body.get("$defs", {}).items()]:
        for key, inner in node.get("properties", {}).items():
            inner["examples"] = [example(known[owner], key)]
    for node in list(_nodes(body)):
        if isinstance(node.get("enum"), list):
            texts = meanings(node["enum"])
            # The first is read by editors for completion, the second when the pointer rests on a value.
            node["enumDescriptions"], node["markdownEnumDescriptions"] = texts, texts


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, dict):
            yield at
            # Examples are data.
            stack.extend(v for k, v in at.items() if k not in ("examples", "default"))
        elif isinstance(at, list):
            stack.extend(at)


def meanings(words: list[Any]) -> list[str]:
    """What each word of a closed list means."""
    wanted = [str(w) for w in words]
    for texts in _hints()["words"]:
        if set(texts) == set(wanted):
            return [texts[w] for w in wanted]
    from ridgeline.counting.kernels import KERNELS

    if set(KERNELS) == set(wanted):
        return [KERNELS[w].title for w in words]
    raise HintError(f"records/hints.yaml says nothing of the words {', '.join(wanted)}")


def example(model: type[BaseModel], key: str) -> Any:
    """An example of a field's value."""
    for type_ in model.__mro__:
        stated = _hints()["examples"].get(type_.__name__, {}).get(key)
        if stated is not None:
            return _full(_annotation(model, key), stated)
    if key in _COMMON:
        return _COMMON[key]
    made = _made(_annotation(model, key))
    if made is None:
        raise HintError(f"records/hints.yaml has no example of {model.__name__}.{key}: add one")
    return made


def _annotation(model: type[BaseModel], key: str) -> Any:
    return next(f.annotation for n, f in model.model_fields.items() if (f.alias or n) == key)


def _choices(annotation: Any) -> list[Any]:
    """The branches of a union, without those that say nothing; the one type that is none."""
    if get_origin(annotation) is typing.Annotated:
        return _choices(get_args(annotation)[0])
    if get_origin(annotation) in (typing.Union, types.UnionType):
        return [c for a in get_args(annotation) for c in _choices(a)]
    return [] if annotation is type(None) else [annotation]


def _full(annotation: Any, stated: Any) -> Any:
    """A stated example; of a quantity or fact whose value alone is stated, the whole."""
    first = _choices(annotation)[0]
    if isinstance(stated, str) and isinstance(first, type) and issubclass(first, Quantity | Fact):
        return {"value": stated, **{key: _COMMON[key] for key in ("source", "at", "checked")}}
    return stated


def _made(annotation: Any) -> Any:
    """An example that the type alone gives: a word of its list, a truth value, the fields that a mapping must have."""
    first = _choices(annotation)[0]
    origin = get_origin(first)
    if origin is typing.Literal:
        return get_args(first)[0]
    if first is bool:
        return True
    if origin is list:
        inner = _made(get_args(first)[0])
        return None if inner is None else [inner]
    if isinstance(first, type) and issubclass(first, BaseModel):
        return whole(first)
    return None


def whole(model: type[BaseModel]) -> dict[str, Any]:
    """An example of a mapping: the fields that it must have, and those without which it says nothing."""
    enough: dict[str, tuple[str, ...]] = {
        "Quantity": ("value", "source", "at", "checked"),
        "Fact": ("value", "source", "at", "checked"),
        "Figure": ("say", "is"),
        "Property": ("rises", "with"),
        "ClassFormula": ("unit", "is"),
        "AppliesTo": ("has",),
        "Memory": ("kind", "capacity", "bandwidth"),
        "Power": ("limit",),
        "Link": ("kind", "count", "per_direction"),
        "Rung": ("peak", "is", "source", "at", "checked"),
    }
    keys = next((enough[t.__name__] for t in model.__mro__ if t.__name__ in enough), None)
    if model.__name__ == "Claim" or model.__mro__[1].__name__ == "Claim":
        keys = ("value", "source", "at", "checked", "preferred", "why")
    fields = [str(f.alias or n) for n, f in model.model_fields.items() if f.is_required()] if keys is None else keys
    return {key: example(model, key) for key in fields}


__all__ = ["HintError", "annotate", "example", "meanings", "models", "whole"]
