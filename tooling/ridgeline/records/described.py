"""What fields mean, read from the texts under them in the source.

pydantic can do so while a class is made, and that is a quarter of the start of every check, which needs none of it. Here
the texts are read when somebody asks: for a schema, or to say what a missing field is.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from ridgeline.records.common import Record, Strict


def described(model: type[BaseModel]) -> type[BaseModel]:
    """A type with the descriptions of its fields, and of those of the types that it is made of."""
    _describe(_made())
    return model


def _made() -> int:
    """How many types there are; more may be made later, by a verb that imports them."""
    return sum(1 for _ in _below(Strict))


@lru_cache(maxsize=4)
def _describe(_: int) -> None:
    new = [made for made in _below(Strict) if _set(made)]
    # What was built for validation before knows no descriptions. Records are made of the others, so they come last.
    for made in sorted(new, key=lambda made: issubclass(made, Record)):
        made.model_rebuild(force=True)


def _below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """All types that are made from one, in the order in which they were made."""
    for child in model.__subclasses__():
        yield child
        yield from _below(child)


def _set(model: type[BaseModel]) -> bool:
    """Give the fields of a type their texts; whether it had one to give."""
    given = False
    for name, field in model.model_fields.items():
        owner = next(c for c in model.__mro__ if name in inspect.get_annotations(c))
        text = _texts(owner.__module__).get((owner.__qualname__, name))
        if field.description is None and text is not None:
            field.description = text
            given = True
    return given


@lru_cache(maxsize=64)
def _texts(module: str) -> dict[tuple[str, str], str]:
    """The text under each annotated name of each class of a module."""
    source = getattr(sys.modules[module], "__file__", None)
    if source is None:
        return {}
    found: dict[tuple[str, str], str] = {}
    for made in ast.parse(Path(source).read_text(encoding="utf-8")).body:
        if isinstance(made, ast.ClassDef):
            for field, text in zip(made.body, made.body[1:], strict=False):
                if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
                    continue
                if (
                    isinstance(text, ast.Expr)
                    and isinstance(text.value, ast.Constant)
                    and isinstance(text.value.value, str)
                ):
                    found[made.name, field.target.id] = inspect.cleandoc(text.value.value)
    return found


__all__ = ["described"]
