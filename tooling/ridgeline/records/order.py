"""The order in which a record's keys are written: that of its type, the head first and the prose last."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ridgeline.records.common import Claim, Quantity, Record
from ridgeline.records.complaint import model_at
from ridgeline.records.kinds import Kind
from ridgeline.records.workload import ClassFormula, Property, Workload

#: What is read last, whatever the kind adds to the head.
_TAIL = ("subjects", "text", "figures")
#: Type → keys that stand right before another one, where reading wants it so and the type says them later.
_BEFORE: dict[type[BaseModel], tuple[tuple[str, str], ...]] = {
    Quantity: (("from", "source"), ("scope", "source"), ("claims", "note")),
    Claim: (("scope", "source"),),
    ClassFormula: (("per", "is"), ("unit", "is"), ("same_as", "because")),
    Property: (("tends", "with"), ("toward", "to"), ("where", "leaves_out")),
    Workload: (("scales_with", "hardware_parameters"),),
}


@lru_cache(maxsize=256)
def of_type(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a type in the order in which they are written."""
    keys = [str(f.alias or n) for n, f in model.model_fields.items()]
    for type_, moves in _BEFORE.items():
        if not issubclass(model, type_):
            continue
        for key, neighbour in moves:
            if key in keys and neighbour in keys:
                keys.remove(key)
                keys.insert(keys.index(neighbour), key)
    if issubclass(model, Record):
        keys = [key for key in keys if key not in _TAIL] + [key for key in _TAIL if key in keys]
    return tuple(keys)


def ordered(kind: Kind | None, data: Any, path: tuple[str | int, ...], keys: list[str]) -> list[str]:
    """The keys of a mapping of a record in order. Names that authors choose stay as they stand; strays come last."""
    model = model_at(kind, path, data) if kind is not None else None
    if model is None:
        return keys
    known = of_type(model)
    place = {key: index for index, key in enumerate(known)}
    return sorted(keys, key=lambda key: place.get(key, len(known)))


__all__ = ["of_type", "ordered"]
