"""Number formats."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

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
    offset_bits: Positive | None = None
    """Bits of the offset beside each scale, where there is one: a zero point, or a block's least value."""


class Format(Record):
    """A number format of weights, activations or cache entries."""

    schema_: Annotated[Literal["format/1"], Field(alias="schema")]
    """Kind and version of the record."""
    family: Literal["float", "integer", "block", "codebook"]
    """What kind of format it is; in a `codebook`, elements are indices into a table, so they have no layout."""
    layouts: dict[str, Layout]
    """Bit layouts by name: one, or the variants that the format's name covers."""
    element_bits: Quantity
    """Bits of one element without shared scales."""
    storage_bits: Quantity | None = None
    """Bits that one element takes in memory, where that is more than the bits it is made of: 32 for tf32."""
    scale: Scale | None = None
    """The shared scale, where there is one."""
    super_scale: Scale | None = None
    """The second level, where the scales of the blocks have a scale in turn: that of a super-block."""
    stated_bits: Quantity | None = None
    """The second way to the bits of one element with its scales: what a document prints, or the size of a whole block."""

    @model_validator(mode="after")
    def _levels(self) -> Format:
        if self.super_scale is not None:
            if self.scale is None:
                raise ValueError("super_scale: is a second level: say scale: too, that of the blocks inside")
            if self.super_scale.block % self.scale.block:
                raise ValueError(
                    "a super-block holds whole blocks: its elements must be a multiple of those of a block"
                )
        return self
