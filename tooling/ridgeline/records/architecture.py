"""Architectures: what the rates of all parts of one generation have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ridgeline.records.common import Day, FormulaText, Line, ProseLine, Record, SourceId, Strict

#: The part of a peak's name after ``peak.``: ``fp4``, ``fp16_accumulate_fp16``, ``fp32_vector``.
PeakName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=60)]


class Rung(Strict):
    """One step of the ladder of formats: a peak as a multiple of another, dense both."""

    peak: PeakName
    """The peak that follows: `fp4`, as formulas name it after `peak.`."""
    is_: Annotated[FormulaText, Field(alias="is")]
    """What it is: `2 * peak.fp8`."""
    unless: PeakName | None = None
    """A peak whose presence says that the part follows another ladder: the step is then left out."""
    source: SourceId | None = None
    """Id of the source record that says so."""
    at: Line | None = None
    """Where in the source: page, table, column."""
    checked: Day | None = None
    """The day somebody last read it there."""
    reason: ProseLine | None = None
    """Why no source stands here, when none does."""

    @model_validator(mode="after")
    def _origin(self) -> Rung:
        if self.source is None and not self.reason:
            raise ValueError("name the source, or say in reason: why none stands here")
        if self.source is not None and self.checked is None:
            raise ValueError("a step with a source needs checked: the day you read it there")
        return self


class Architecture(Record):
    """A generation of compute units. Accelerators name it in `architecture:`, by its name or another that it is called."""

    schema_: Annotated[Literal["architecture/1"], Field(alias="schema")]
    """Kind and version of the record."""
    vendor: Line
    """Who designs it."""
    ladder: list[Rung] = []
    """How the peaks of number formats follow from each other on every part; a part that lacks one is not asked."""
