"""Interconnects: links between devices, or between a device and its host."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ridgeline.records.common import Line, Quantity, Record


class Interconnect(Record):
    """A kind of link with its rates; one direction and both directions are two quantities."""

    schema_: Annotated[Literal["interconnect/2"], Field(alias="schema")]
    """Kind and version of the record."""
    vendor: Line
    """Who defines it."""
    lane_rate: Quantity | None = None
    """Rate of one lane in one direction before encoding."""
    lanes: Quantity | None = None
    """Lanes of one link."""
    efficiency: Quantity | None = None
    """Share of the raw rate that is left after encoding."""
    rates: Literal["bare", "net"] | None = None
    """What the rates below count: `bare`, the lanes as they signal; `net`, what encoding leaves of that."""
    per_direction: Quantity | None = None
    """Rate of one link in one direction."""
    aggregate: Quantity | None = None
    """Rate of one link in both directions together."""
    latency: Quantity | None = None
    """One-way latency."""

    @model_validator(mode="after")
    def _counted(self) -> Interconnect:
        if self.efficiency is not None and self.rates != "net":
            raise ValueError("efficiency: says what encoding leaves of the rate: write rates: net")
        if self.lane_rate is not None and self.lanes is not None and self.rates is None:
            raise ValueError(
                "lanes and their rate give the rate by a second route: say in rates: what the printed one counts"
            )
        return self
