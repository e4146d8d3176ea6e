"""Sources: the documents that values are from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ridgeline.records.common import Address, Day, Id, Line, PartOfDate, ProseLine, Record


class Source(Record):
    """A document that somebody read."""

    schema_: Annotated[Literal["source/1"], Field(alias="schema")]
    """Kind and version of the record."""
    publisher: Line
    """Who published it."""
    authors: list[Line] = []
    """Authors, for papers."""
    kind: Literal["datasheet", "whitepaper", "paper", "config", "documentation", "dataset", "secondary"]
    """What kind of document it is; `secondary` is anybody's copy of somebody else's numbers."""
    url: Address | None = None
    """Where it is published."""
    published: PartOfDate | None = None
    """When it was published, as far as it says."""
    retrieved: Day
    """The day the copy that was read was retrieved."""
    version: Line | None = None
    """Version, revision or commit."""
    licence: Line | None = None
    """Licence, where it states one."""
    superseded_by: Id | None = None
    """Id of the source that replaces it."""
    note: ProseLine | None = None
    """What to know about it: how it was read, what it is wrong about."""
