"""The rule about second routes: two ways to one number, inside a record."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.base import Entry
from ridgeline.numbers.units import Unit, hard, parse_unit
from ridgeline.records.accelerator import Accelerator, peak_name
from ridgeline.records.interconnect import Interconnect
from ridgeline.rules.rule import Context, Rule
from ridgeline.rules.values import place_of

#: Two routes agree when they differ by no more than this.
TOLERANCE = Fraction(1, 100)


class SecondRoute(Rule):
    """Two routes to the same number differ by more than one part in a hundred.

    A datasheet's peak must come out as units times operations per clock times clock, its bandwidth as bus width times pin
    rate, its capacity as stacks times the capacity of one, both directions of a link as twice the one. Where they differ, one of the inputs is wrong (a sibling's column, a
    sparse figure, one direction for two), or the vendor means something that must be said in `differs:` or `note:`.
    """

    id = "second-route"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every quantity for which the record holds a second route."""
        for entry in context.knowledge.of_kind("accelerator"):
            record = entry.record
            assert isinstance(record, Accelerator)
            yield from self.memories(context, entry, record)
            for index, peak in enumerate(record.peaks):
                name = peak_name(peak)
                if peak.route is not None and not peak.route.differs:
                    yield from self.pair(context, entry, f"peak.{name}", f"peak.{name}.route", ("peaks", index, "rate"))
            for index, link in enumerate(record.links):
                if link.per_direction is not None and link.aggregate is not None:
                    yield from self.directions(context, entry, index)
        for entry in context.knowledge.of_kind("interconnect"):
            assert isinstance(entry.record, Interconnect)
            yield from self.pair(context, entry, "per_direction", "route", ("per_direction",))
            if entry.record.per_direction is not None and entry.record.aggregate is not None:
                yield from self.both_ways(context, entry, "", ("aggregate",))
        for entry in context.knowledge.of_kind("format"):
            yield from self.pair(context, entry, "stated_bits", "bits", ("stated_bits",), parse_unit("bit"))

    def memories(self, context: Context, entry: Entry, record: Accelerator) -> Iterator[Finding]:
        """Device memory by its interface and its stacks, on-chip memories by size, or bandwidth, times number."""
        if not record.memory.differs:
            yield from self.pair(context, entry, "memory.bandwidth", "memory.route", ("memory", "bandwidth"))
            yield from self.pair(context, entry, "memory.capacity", "memory.capacity_route", ("memory", "capacity"))
        for name, level in record.on_chip.items():
            path = ("on_chip", name)
            if level.blocks is not None:
                yield from self.pair(context, entry, f"{name}.per_unit", f"{name}.per_unit_route", (*path, "size"))
            for total in ("total", "bandwidth"):
                field = "size_total" if total == "total" else "bandwidth_total"
                if getattr(level, field) is not None and not level.differs:
                    yield from self.pair(context, entry, f"{name}.{total}", f"{name}.{total}_route", (*path, field))

    def pair(
        self,
        context: Context,
        entry: Entry,
        first: str,
        second: str,
        path: tuple[str | int, ...],
        unit: Unit | None = None,
    ) -> Iterator[Finding]:
        """One finding, in ``unit``, where two names of a record are both known and differ."""
        scope = context.resolver.scope_of(entry)
        try:
            a = context.resolver.name(Name(tuple(first.split("."))), scope)
            b = context.resolver.name(Name(tuple(second.split("."))), scope)
        except FormulaError:
            # A missing part leaves no second route; one that cannot be read or has a wrong unit is reported there.
            return
        if a.given is not None:
            # Among claims, the preferred one is meant.
            path = (*place_of(a.given.field), "value")
        yield from self.compare(entry, path, first, a.quantity, second, b.quantity, unit)

    def directions(self, context: Context, entry: Entry, index: int) -> Iterator[Finding]:
        """Both directions of a link together against twice the one."""
        from ridgeline.knowledge.names import slug

        record = entry.record
        assert isinstance(record, Accelerator)
        name = f"links.{slug(record.links[index].kind)}."
        yield from self.both_ways(context, entry, name, ("links", index, "aggregate"))

    def both_ways(self, context: Context, entry: Entry, prefix: str, path: tuple[str | int, ...]) -> Iterator[Finding]:
        """Both directions against twice the one, of the link whose quantities begin with ``prefix``."""
        scope = context.resolver.scope_of(entry)
        try:
            one = context.resolver.evaluate(f"2 * {prefix}per_direction", scope).quantity
            both = context.resolver.evaluate(f"{prefix}aggregate", scope).quantity
        except FormulaError:
            return
        yield from self.compare(entry, path, f"{prefix}aggregate", both, "twice one direction", one)

    def compare(
        self,
        entry: Entry,
        path: tuple[str | int, ...],
        first: str,
        a: Quantity,
        second: str,
        b: Quantity,
        unit: Unit | None = None,
    ) -> Iterator[Finding]:
        """The finding for two values that differ by more than the tolerance."""
        if hard(a.dimension) == hard(b.dimension) and b.middle and abs(a.middle / b.middle - 1) > TOLERANCE:
            ratio = a.middle / b.middle
            yield self.finding(
                entry,
                path,
                f"{first} = {show(a, unit)}, but {second} = {show(b, unit)}",
                found=show(a, unit),
                expected=show(b, unit),
                because=f"the ratio is {float(ratio):.4g}",
                level=Level.ERROR,
                mend="find the input that is wrong, or say in the record why the routes differ",
            )
