"""What stands where in a record: prose, formulas, references and quantities, found from the types' own annotations."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from ridgeline.records.common import Claim, Fact, Figure, FormulaMarker, ProseMarker, Quantity, ReferenceMarker

Path = tuple[str | int, ...]
What = Literal["prose", "formula", "reference", "quantity", "fact", "figure"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of interest: ``value`` is the text, or the ``Quantity``; ``kind`` the kind a reference must have."""

    what: What
    path: Path
    value: Any
    kind: str = ""


@dataclass(frozen=True)
class _Plan:
    """What to look for below a type: a marker on a text, the fields of a model, or the items of a list or mapping."""

    marker: ProseMarker | FormulaMarker | ReferenceMarker | None = None
    fields: tuple[tuple[str, str, _Plan], ...] = ()
    items: _Plan | None = None
    what: What | None = None


_NOTHING = _Plan()


def _interesting(plan: _Plan) -> bool:
    return plan.marker is not None or bool(plan.fields) or plan.items is not None or plan.what is not None


@lru_cache(maxsize=512)
def _plan(annotation: Any) -> _Plan:
    origin = get_origin(annotation)
    if origin is Annotated:
        for extra in get_args(annotation)[1:]:
            if isinstance(extra, ProseMarker | FormulaMarker | ReferenceMarker):
                return _Plan(marker=extra)
        return _plan(get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        plans = [p for a in get_args(annotation) if _interesting(p := _plan(a))]
        if not plans:
            return _NOTHING
        # A union of a text and a list of such texts: the text's own plan serves both.
        return plans[0] if plans[0].marker is None or len(plans) == 1 else _Plan(plans[0].marker, items=plans[0])
    if origin in (list, tuple, dict):
        inner = _plan(get_args(annotation)[-1])
        return _Plan(items=inner) if _interesting(inner) else _NOTHING
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        what: What | None = None
        if issubclass(annotation, Quantity):
            what = "quantity"
        elif issubclass(annotation, Fact):
            what = "fact"
        elif issubclass(annotation, Figure):
            what = "figure"
        return _Plan(fields=_fields(annotation), what=what)
    return _NOTHING


def _fields(model: type[BaseModel]) -> tuple[tuple[str, str, _Plan], ...]:
    found = []
    for name, info in model.model_fields.items():
        annotation: Any = info.annotation
        if info.metadata:
            annotation = Annotated[(annotation, *info.metadata)]
        plan = _plan(annotation)
        if _interesting(plan):
            found.append((name, str(info.alias or name), plan))
    return tuple(found)


def walk(record: BaseModel) -> Iterator[Item]:
    """Everything of interest in a record, in the order of its fields, with the path it has in the file."""
    yield from _walk(record, _plan(type(record)), ())


def _walk(value: Any, plan: _Plan, path: Path) -> Iterator[Item]:
    if value is None:
        return
    if plan.what is not None:
        yield Item(plan.what, path, value)
    if isinstance(value, str):
        marker = plan.marker
        if isinstance(marker, ProseMarker):
            yield Item("prose", path, value)
        elif isinstance(marker, FormulaMarker):
            yield Item("formula", path, value)
        elif isinstance(marker, ReferenceMarker):
            yield Item("reference", path, value, marker.kind)
    elif isinstance(value, BaseModel):
        for name, key, inner in plan.fields:
            child = getattr(value, name)
            if child is not None and child != [] and child != {}:
                yield from _walk(child, inner, (*path, key))
    elif plan.items is not None and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, plan.items, (*path, index))
    elif plan.items is not None and isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, plan.items, (*path, key))


def dotted(path: Path) -> str:
    """``peaks.0.rate`` for a path; the form in which findings name a field."""
    return ".".join(map(str, path))


__all__ = ["Claim", "Item", "Path", "dotted", "walk"]
