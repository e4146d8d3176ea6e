"""``interconnect/1`` → ``interconnect/2``: what the rates count is said, where a missing field stood for it.

In version 1, a record with lanes and their rate but without ``efficiency`` had two meanings: its rates are those of the
bare lanes, or nobody knows the encoding. Version 2 says it in ``rates``. What version 1 took it to mean is kept.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ridgeline.records.common import Line, Quantity, Record
from ridgeline.records.migrations.steps import Add, Step

KIND = "interconnect"
TO = 2


class Interconnect1(Record):
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
    """Share of the raw rate that is left after encoding; left out where the printed rates are those of the bare lanes."""
    per_direction: Quantity | None = None
    """Rate of one link in one direction."""
    aggregate: Quantity | None = None
    """Rate of one link in both directions together."""
    latency: Quantity | None = None
    """One-way latency."""


def steps(data: dict[str, Any]) -> list[Step]:
    """What a valid record of version 1 lacks for version 2."""
    if data.get("efficiency") is not None:
        return [Add((), "rates", "net")]
    if data.get("lane_rate") is not None and data.get("lanes") is not None:
        return [Add((), "rates", "bare")]
    return []
