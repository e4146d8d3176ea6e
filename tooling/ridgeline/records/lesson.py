"""Lessons: chapters of the short course that joins the workload classes. They hold prose and figures, no quantities."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ridgeline.records.common import ProseLine, Record


class Lesson(Record):
    """A chapter. Its numerals are recomputed like all others: `figures` calls the formulas of classes by their aliases."""

    schema_: Annotated[Literal["lesson/1"], Field(alias="schema")]
    """Kind and version of the record."""
    chapter: Annotated[int, Field(ge=1, le=99)]
    """Its place in the course, from 1."""
    about: ProseLine
    """What it explains, in a sentence."""
    k: Literal[1000, 1024] | None = None
    """What `k` means in lengths of this chapter's prose."""
