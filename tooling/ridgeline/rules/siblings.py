"""Rules across accelerators on one die: the work of a unit in a clock, and memories that differ in GB and GiB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Level
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import parse_unit
from ridgeline.records.accelerator import Peak
from ridgeline.rules.peers import TOLERANCE, Device, Doubt, PeerRule, dies, place, rounding, same, shown, within
from ridgeline.rules.rule import Context

_CLOCK = parse_unit("Hz")
#: A matrix path may run below the highest clock that a record states, but not at less than this share of it.
_LEAST_CLOCK = Fraction(1, 2)
#: Fewer peaks that two parts have in common do not show how the two differ as a whole.
_LEAST_COMMON = 5
#: How near two capacities must come to the ratio of a binary to a decimal unit.
_EXACT = Fraction(1, 1000)
#: GB for GiB, MB for MiB and so on.
_BINARY = tuple(Fraction(1024**n, 1000**n) for n in (1, 2, 3, 4))


@dataclass(frozen=True, slots=True)
class Row:
    """One peak of one of several siblings. ``work`` is operations per unit and clock, where the record gives the clock."""

    device: Device
    index: int
    rate: Derivation
    work: Fraction | None

    def doubt(self, name: str, message: str, expected: str, because: str, mend: str) -> Doubt:
        """What is doubtful about it."""
        path = place(self.rate, ("peaks", self.index, "rate"))
        found = shown(self.rate)
        return Doubt(self.device, f"peak.{name}", path, message, found, expected, because, mend)


class Siblings(PeerRule):
    """Accelerators on one die do not do the same work in a clock.

    Parts of one die differ in how many units are enabled and how fast they are clocked, not in what a unit does in a
    clock: peaks scale with units × clock. Where records do not give both, the peaks of two parts must stand in one ratio. A part that stands apart holds another part's figure, a sparse or a pair's one,
    or is cut down on purpose. Mend the figure, or say the purpose under `accepted:`.
    """

    id = "siblings"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every peak that several parts of one die have."""
        for group in dies(context):
            # All parts of a die are held against each other at once, whoever of them asks.
            yield from context.once(self.id, group[0].reference, partial(self.die, group))

    def die(self, group: Sequence[Device]) -> list[Doubt]:
        """The doubts about the parts of one die."""
        rows: dict[str, list[Row]] = {}
        for device in group:
            for name, index, peak, rate in device.rates():
                rows.setdefault(name, []).append(Row(device, index, rate, work(device, name, peak, rate)))
        return [doubt for name, found in rows.items() if len(found) > 1 for doubt in self.peak(name, found)]

    def peak(self, name: str, rows: Sequence[Row]) -> Iterator[Doubt]:
        """One peak of all siblings that have it."""
        known = [row for row in rows if row.work is not None]
        agreed = most(self.id, name, known)
        for row in known:
            if agreed and not any(_equal(row, other) for other in agreed):
                yield self.apart(name, row, agreed)
        for row in rows:
            if row.work is None:
                yield from self.without_clock(name, row, rows, agreed)

    def apart(self, name: str, row: Row, agreed: Sequence[Row]) -> Doubt:
        """A part whose units do something else in a clock than those of its siblings."""
        assert row.work is not None and agreed[0].work is not None
        others = ", ".join(other.device.entry.id for other in agreed if other is not row)
        mine, theirs = f"{float(row.work):.5g}", f"{float(agreed[0].work):.5g}"
        return row.doubt(
            name,
            f"peak.{name} = {shown(row.rate)} is {mine} flop/cycle/unit, where its siblings do {theirs}",
            f"{theirs} flop/cycle/unit",
            f"{others or 'another part'} on the same die",
            "look whether the peak, the number of units or the clock is another part's",
        )

    def without_clock(self, name: str, row: Row, rows: Sequence[Row], agreed: Sequence[Row]) -> Iterator[Doubt]:
        """A part whose record does not say at which clock: the clock that it would need, or the plain rates."""
        units, clock = row.device.number("units.count"), row.device.number("units.clock")
        if agreed and units and clock:
            assert agreed[0].work is not None
            needs = row.rate.quantity.middle / units / agreed[0].work
            slack = 1 + max(TOLERANCE, rounding([row.rate]))
            if needs > clock * slack or needs * slack < clock * _LEAST_CLOCK:
                limit = show(Quantity(clock, _CLOCK.dimension))
                yield row.doubt(
                    name,
                    f"peak.{name} = {shown(row.rate)} would need a clock of {show(Quantity(needs, _CLOCK.dimension))}",
                    f"at most {limit}" if needs > clock else f"at least half of {limit}",
                    f"its siblings do {float(agreed[0].work):.4g} flop/cycle/unit ({agreed[0].device.entry.id})",
                    "look whether the peak is another part's, a pair's or a sparse one",
                )
            return
        others = [other for other in rows if other is not row and not _accepts(self.id, name, other)]
        if others and not any(_alike(row, other) or _in_step(row, other) for other in others):
            other = others[0]
            yield row.doubt(
                name,
                f"peak.{name} = {shown(row.rate)}, but {other.device.entry.id} on the same die has {shown(other.rate)}",
                shown(other.rate),
                "the records give no number of units and clock that would explain it",
                "look whether one of the two is the other's, or record units and clock",
            )


def work(device: Device, name: str, peak: Peak, rate: Derivation) -> Fraction | None:
    """Operations of one unit in one clock: the peak over units and clock, or what the record states where they differ."""
    if peak.route is None:
        return None
    if peak.route.differs:
        return device.number(f"peak.{name}.per_clock")
    units = device.number("units.count")
    clock = device.number(f"peak.{name}.clock" if peak.route.clock is not None else "units.clock")
    return rate.quantity.middle / units / clock if units and clock else None


def _equal(a: Row, b: Row) -> bool:
    assert a.work is not None and b.work is not None
    return within(a.work / b.work, (a.rate, b.rate), TOLERANCE)


def _alike(a: Row, b: Row) -> bool:
    """Whether two parts have the same rate for as many units at the clock that their records state, where both do."""
    times = Fraction(1)
    for part in ("units.count", "units.clock"):
        mine, theirs = a.device.number(part), b.device.number(part)
        if mine is None or theirs is None:
            break
        times *= mine / theirs
    return same(a.rate, b.rate, times)


def _in_step(a: Row, b: Row) -> bool:
    """Whether two parts differ in this peak as they do in most: one faster clock, or fewer units, explains them all."""
    usual = _usual_ratio(a.device, b.device)
    return usual is not None and same(a.rate, b.rate, usual)


def _usual_ratio(a: Device, b: Device) -> Fraction | None:
    """The middle one of the ratios of all peaks that both have, where there are at least five."""

    def work() -> Fraction | None:
        rates = {name: rate.quantity.middle for name, _, _, rate in b.rates()}
        found = sorted(rate.quantity.middle / rates[name] for name, _, _, rate in a.rates() if name in rates)
        return found[len(found) // 2] if len(found) >= _LEAST_COMMON else None

    return a.context.once("ratios of peaks", (a.reference, b.reference), work)


def most(rule: str, name: str, rows: Sequence[Row]) -> list[Row]:
    """The largest group of rows that agree, those whose records accept the difference left out where others remain."""
    free = [row for row in rows if not _accepts(rule, name, row)] or list(rows)
    best: list[Row] = []
    for row in free:
        group = [other for other in free if _equal(row, other)]
        if len(group) > len(best):
            best = group
    return best


def _accepts(rule: str, name: str, row: Row) -> bool:
    return any(
        entry.rule == rule and entry.field == f"peak.{name}" and entry.found in (None, shown(row.rate))
        for entry in row.device.record.accepted
    )


class CapacityUnit(PeerRule):
    """Two parts of one die have memories that differ by GB against GiB alone.

    Memories are built in powers of two, and vendors print GB for GiB: the same memory then stands in two records with two
    sizes, up to a tenth apart. Write the unit that counts the bytes (a configuration or a device query says them), and the
    vendor's print as a claim beside it. Where no source counts the bytes, say under `accepted:` that the print stands.
    """

    id = "capacity-unit"
    level = Level.WARNING

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Device memories of the parts of one die that have the same technology."""
        for group in dies(context):
            sized = [(d, c) for d in group if (c := d.value("memory.capacity")) is not None]
            for device, capacity in sized:
                for other, its in sized:
                    share = its.quantity.middle / capacity.quantity.middle
                    if other is device or not any(abs(share / binary - 1) < _EXACT for binary in _BINARY):
                        continue
                    yield Doubt(
                        device,
                        "memory.capacity",
                        place(capacity, ("memory", "capacity")),
                        f"memory.capacity = {shown(capacity)}, where {other.entry.id} on the same die has {shown(its)}",
                        found=shown(capacity),
                        expected=shown(its),
                        because="the two differ by the binary unit alone",
                        mend="find a source that counts the bytes",
                    )
                    break
