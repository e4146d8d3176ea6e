"""Accelerators: chips, cards and packages with their memories, peaks and links."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ridgeline.records.common import Fact, FormatId, Line, ProseLine, Quantity, Record, Strict

MemoryName = Literal[
    "register_file", "scalar_register_file", "shared_memory", "l0", "l1", "l2", "last_level", "tensor_memory", "sram"
]


class Memory(Strict):
    """The device memory."""

    kind: Line
    """Technology: `HBM3`, `GDDR6X`."""
    capacity: Quantity | None = None
    """Capacity, in the unit the source prints (GB or GiB)."""
    bandwidth: Quantity | None = None
    """Peak bandwidth of the whole record's scope."""
    bus_width: Quantity | None = None
    """Width of the interface in bit."""
    pin_rate: Quantity | None = None
    """Data rate of one pin, in Gbit/s."""


class OnChip(Strict):
    """One level of memory on the chip."""

    per: Line
    """What one instance belongs to: `SM`, `CU`, `die`, `package`."""
    size: Quantity | None = None
    """Size of one instance."""
    count: Quantity | None = None
    """How many instances the record's scope has."""
    note: ProseLine | None = None
    """Anything a reader of this size must know."""


class Units(Strict):
    """The compute units that the second route counts."""

    kind: Line
    """What one unit is called: `SM`, `CU`, `TensorCore`."""
    count: Quantity
    """How many of them are enabled."""
    clock: Quantity | None = None
    """The clock that the vendor's peaks assume."""


class Route(Strict):
    """The second way to a peak: units × operations per clock × clock."""

    per_clock: Quantity
    """Operations of one unit in one clock, a multiply-add counted as two: `4096 flop/cycle/unit`."""
    clock: Quantity | None = None
    """The clock of this path, where it differs from `units.clock`."""
    differs: ProseLine | None = None
    """Why the two routes disagree by more than a hundredth, when they do."""


class Peak(Strict):
    """One peak rate: number format × accumulate type × path × sparsity."""

    format: FormatId
    """Number format of the operands."""
    accumulate: FormatId | None = None
    """Format of the accumulator, where the rate depends on it or the source says it."""
    path: Literal["tensor", "vector"]
    """`tensor` for matrix units (tensor cores, matrix cores, MXU), `vector` for the rest."""
    sparsity: Literal["dense", "2:4"] = "dense"
    """`2:4` is structured sparsity."""
    rate: Quantity
    """The peak rate of the record's scope."""
    route: Route | None = None
    """The second way to the same number."""
    default: bool = True
    """Whether this row is meant when the accumulate type is not said."""


class Link(Strict):
    """Links to other devices or to the host."""

    kind: Line
    """What it is: `NVLink 4`, `PCIe 5.0 x16`."""
    count: Quantity | None = None
    """How many links of this kind."""
    per_direction: Quantity | None = None
    """Rate of all these links in one direction."""
    aggregate: Quantity | None = None
    """Rate of all these links in both directions together."""


class Power(Strict):
    """Power limits."""

    limit: Quantity | None = None
    """The highest sustained board or package power (TDP, TBP)."""


class Accelerator(Record):
    """A device that computes: exact variant, with one scope."""

    schema_: Annotated[Literal["accelerator/1"], Field(alias="schema")]
    """Kind and version of the record."""
    vendor: Line
    """Who sells it."""
    architecture: Line
    """Architecture: `Hopper`, `CDNA 3`."""
    variant: Line | None = None
    """Form factor or bin: `SXM5`."""
    scope: Literal["die", "package", "board", "chip", "node"]
    """What the record's numbers count."""
    released: Fact | None = None
    """When it could first be had."""
    process: Fact | None = None
    """Manufacturing process."""
    memory: Memory
    """Memory of the device: technology, capacity, bandwidth, and what the second route needs."""
    units: Units | None = None
    """The compute units that the second route to the peaks counts."""
    on_chip: dict[MemoryName, OnChip] = {}
    """Memories on the chip, by level."""
    peaks: list[Peak] = []
    """Peak rates: one row a number format, accumulate type, path and sparsity."""
    links: list[Link] = []
    """Links to other devices and to the host."""
    power: Power | None = None
    """Power limits."""

    @model_validator(mode="after")
    def _distinct_peaks(self) -> Accelerator:
        names = [peak_name(p) for p in self.peaks]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(
                    f"two peaks would both be called peak.{name}: set default: false on the one that needs its accumulate type said"
                )
        return self


def peak_name(peak: Peak) -> str:
    """The name of a peak inside formulas: ``fp8``, ``fp8_sparse``, ``fp16_accumulate_fp16``, ``fp32_vector``."""
    name = peak.format.replace("-", "_").replace(".", "_")
    if not peak.default and peak.accumulate:
        name += f"_accumulate_{peak.accumulate}"
    if peak.path == "vector":
        name += "_vector"
    if peak.sparsity != "dense":
        name += "_sparse"
    return name
