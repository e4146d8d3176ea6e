"""Number formats."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ridgeline.records.common import Count, Positive, Quantity, Record, Strict


class Layout(Strict):
    """The bits of one element."""

    sign: Count
    """Sign bits."""
    exponent: Count
    """Exponent bits."""
    mantissa: Count
    """Stored mantissa bits (for an integer: its magnitude bits)."""


class Scale(Strict):
    """A scale shared by a block of elements."""

    block: Positive
    """Elements that share one scale."""
    bits: Positive
    """Bits of one scale."""


class Format(Record):
    """A number format of weights, activations or cache entries."""

    schema_: Annotated[Literal["format/1"], Field(alias="schema")]
    """Kind and version of the record."""
    family: Literal["float", "integer", "block"]
    """What kind of format it is."""
    layouts: dict[str, Layout]
    """Bit layouts by name: one, or the variants that the format's name covers."""
    element_bits: Quantity
    """Bits of one element without shared scales."""
    storage_bits: Quantity | None = None
    """Bits that one element takes in memory, where that is more than the bits it is made of: 32 for tf32."""
    scale: Scale | None = None
    """The shared scale, where there is one."""
