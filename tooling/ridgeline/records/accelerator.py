"""Accelerators: chips, cards and packages with their memories, peaks and links."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ridgeline.records.common import (
    ID_PATTERN,
    Claim,
    Fact,
    FormatId,
    Line,
    ProseLine,
    Quantity,
    Record,
    ReferenceMarker,
    Strict,
)

MemoryName = Literal[
    "register_file", "scalar_register_file", "shared_memory", "l0", "l1", "l2", "last_level", "tensor_memory", "sram"
]


InterconnectId = Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=80), ReferenceMarker("interconnect")]
#: What numbers can count, from the smallest. `chip` is what a vendor calls one device, whatever it is made of.
Scope = Literal["die", "package", "chip", "board", "pair", "node"]


class ScopedClaim(Claim):
    """What one source says, perhaps of something larger or smaller than the record is about."""

    scope: Scope | None = None
    """What the source's figure counts, where that is not the record's scope: `pair`, `node`. Never of the preferred one."""


class ScopedQuantity(Quantity):
    """A value whose sources may count something else than the record does."""

    scope: Scope | None = None
    """What the figure counts. Say it where the source prints several; it has to be the record's scope."""
    claims: list[ScopedClaim] | None = None  # type: ignore[assignment]
    """Values of sources that disagree; exactly one is preferred."""


class Memory(Strict):
    """The device memory."""

    kind: Line
    """Technology: `HBM3`, `GDDR6X`; `SRAM` where an on-chip memory is all there is."""
    on_chip: MemoryName | None = None
    """The level of `on_chip` that serves as main memory, where the device has no other: it is then the second route."""
    capacity: ScopedQuantity | None = None
    """Capacity, in the unit the source prints (GB or GiB)."""
    bandwidth: ScopedQuantity | None = None
    """Peak bandwidth of the whole record's scope."""
    bus_width: Quantity | None = None
    """Width of the interface in bit."""
    pin_rate: Quantity | None = None
    """Data rate of one pin, in Gbit/s."""
    stacks: Quantity | None = None
    """How many stacks (HBM) or packages (GDDR, LPDDR) are in use."""
    stack_capacity: Quantity | None = None
    """Capacity of one of them: with their number, the second route to the capacity."""
    differs: ProseLine | None = None
    """Why the bandwidth, or the capacity, is not what the second route gives, when it is not within a hundredth."""


class Blocks(Strict):
    """What one instance of a memory is divided into: banks, partitions, slices."""

    kind: Line
    """What one is called: `bank`, `slice`."""
    count: Quantity
    """How many one instance has."""
    size: Quantity
    """Size of one."""


class OnChip(Strict):
    """One level of memory on the chip."""

    per: Line
    """What one instance belongs to: `SM`, `CU`, `die`, `package`."""
    size: Quantity | None = None
    """Size of one instance."""
    count: Quantity | None = None
    """How many instances the record's scope has."""
    size_total: Quantity | None = None
    """Size of all together, where a source prints it: the second route to size and number."""
    bandwidth: Quantity | None = None
    """Peak bandwidth of one instance."""
    bandwidth_total: Quantity | None = None
    """Peak bandwidth of all together, where a source prints it."""
    blocks: Blocks | None = None
    """What one instance is divided into."""
    differs: ProseLine | None = None
    """Why a printed total is not size, or bandwidth, times number, when it is not within a hundredth."""
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
    rate: ScopedQuantity
    """The peak rate of the record's scope."""
    route: Route | None = None
    """The second way to the same number."""
    default: bool = True
    """Whether this row is meant when the accumulate type is not said."""


class Link(Strict):
    """Links to other devices or to the host."""

    kind: Line
    """What it is: `NVLink 4`, `PCIe 5.0 x16`."""
    interconnect: InterconnectId | None = None
    """Id of the record that holds the rate of one such link: the rates here must be so many times that one."""
    count: Quantity | None = None
    """How many links of this kind."""
    per_direction: ScopedQuantity | None = None
    """Rate of all these links in one direction."""
    aggregate: ScopedQuantity | None = None
    """Rate of all these links in both directions together."""
    differs: ProseLine | None = None
    """Why the rates are not so many times what the interconnect's record gives for one link."""


class Power(Strict):
    """Power limits."""

    limit: ScopedQuantity | None = None
    """The highest sustained board or package power (TDP, TBP)."""


class Accepted(Strict):
    """A finding of a rule across records that somebody looked into: the value is right, for a reason."""

    rule: Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=80)]
    """Id of the rule: `siblings`."""
    field: Line
    """The quantity that the finding names: `peak.fp4`."""
    found: Line | None = None
    """What the finding found. When the value changes, the finding comes back; left out, it never does."""
    why: ProseLine
    """Why the value is right all the same."""


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
    scope: Scope
    """What the record's numbers count."""
    die: Fact | None = None
    """The silicon: `GH100`. Records that name the same are siblings, and are held against each other."""
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
    accepted: list[Accepted] = []
    """Findings of rules across records that do not apply here, each with the reason. One that nothing needs is a finding."""

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
