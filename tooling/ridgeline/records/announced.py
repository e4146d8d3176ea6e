"""Announced devices: what somebody said of a part that nobody can buy yet. Nothing is derived from it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ridgeline.records.common import Day, Fact, Line, Record, SourceId, Strict


class Statement(Strict):
    """What one source says, in its own words and units. It is a text: no formula reads it."""

    what: Line
    """What it is about: `memory bandwidth`, `fp4 peak`."""
    says: Annotated[str, StringConstraints(min_length=1, max_length=300)]
    """The figure or phrase as the source prints it, with all that it says of scope, format and sparsity."""
    source: SourceId
    """Id of the source record."""
    at: Line
    """Where in the source: page, table, column."""
    checked: Day
    """The day somebody last read it there."""


class Announced(Record):
    """A device that is announced and not yet for sale. Once it is, it becomes an accelerator, and this is withdrawn."""

    schema_: Annotated[Literal["announced/1"], Field(alias="schema")]
    """Kind and version of the record."""
    vendor: Line
    """Who announced it."""
    announced: Fact
    """When it was announced, as far as the source says."""
    expected: Fact | None = None
    """When it is expected, in the source's own words."""
    statements: Annotated[list[Statement], Field(min_length=1, max_length=60)]
    """What has been said of it, one figure each. Sources that disagree stand side by side."""
