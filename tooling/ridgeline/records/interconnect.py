"""Interconnects: links between devices, or between a device and its host."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ridgeline.records.common import Line, Quantity, Record


class Interconnect(Record):
    """A kind of link with its rates; one direction and both directions are two quantities."""

    schema_: Annotated[Literal["interconnect/1"], Field(alias="schema")]
    """Kind and version of the record."""
    vendor: Line
    """Who defines it."""
    lane_rate: Quantity | None = None
    """Rate of one lane in one direction before encoding."""
    lanes: Quantity | None = None
    """Lanes of one link."""
    efficiency: Quantity | None = None
    """Share of the raw rate that is left after encoding."""
    per_direction: Quantity | None = None
    """Rate of one link in one direction."""
    aggregate: Quantity | None = None
    """Rate of one link in both directions together."""
    latency: Quantity | None = None
    """One-way latency."""
