"""Older versions of the records' schemas: how each becomes the next, in memory and in the file.

A migration is a module of its own, named after its kind and the version that it leads to. It holds the type of the version
that it starts from, so that a record is refused for what it was in its own version, and ``steps``, a function of a record's
data. The steps are made to the data when a record is read, and to the file's text when somebody asks for it; both come to
the same data, or the file is left as it is.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from ridgeline.records.kinds import versions
from ridgeline.records.migrations.steps import Replace, Step, applied, edits
from ridgeline.text.document import Document, read
from ridgeline.text.splice import Edit, splice


class MigrationError(ValueError):
    """A file cannot be rewritten in the new version; the message says what to do."""


def migrations() -> dict[str, ModuleType]:
    """Version that a migration starts from (``interconnect/1``) → its module."""
    from ridgeline.records.migrations import interconnect_2

    return {f"{module.KIND}/{module.TO - 1}": module for module in (interconnect_2,)}


def _steps(data: dict[str, Any]) -> list[Step] | None:
    """The steps to the next version, the schema line among them; nothing where there is none."""
    module = migrations().get(str(data.get("schema")))
    return None if module is None else [Replace(("schema",), f"{module.KIND}/{module.TO}"), *module.steps(data)]


def lifted(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a valid record in the newest version of its kind. The data given is not changed."""
    while (steps := _steps(data)) is not None:
        data = applied(data, steps)
    return data


def rewritten(document: Document) -> str:
    """The text of a valid record's file in the newest version, edited where the versions differ and nowhere else.

    Raises ``MigrationError`` where the edited text would not read as the record in the new version.
    """
    while (steps := _steps(document.data)) is not None:
        following = _next(document, steps)
        if following is None:
            raise MigrationError("its text cannot be edited; lay it out with ridgeline format, or edit it by hand")
        document = following
    return document.source


def _next(document: Document, steps: list[Step]) -> Document | None:
    from ridgeline.records.order import ordered

    wanted = applied(document.data, steps)
    kind = versions()[wanted["schema"]]
    made = edits(document, steps, lambda path, keys: ordered(kind, wanted, path, keys))
    old = versions()[document.data["schema"]].schema_name
    modeline = re.match(rf"# yaml-language-server: \$schema=\S*?({re.escape(old)})$", document.source, re.M)
    if modeline is not None:
        made.append(Edit(*modeline.span(1), kind.schema_name))
    following = read(document.path, splice(document.source, made))
    return None if following.findings or following.data != wanted else following


__all__ = ["MigrationError", "lifted", "migrations", "rewritten"]
