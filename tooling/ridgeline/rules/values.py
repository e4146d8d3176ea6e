"""Rules about recorded values: that they can be read, and that a second route agrees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import Formula, Stated
from ridgeline.numbers.units import describe, hard, parse_unit
from ridgeline.records.accelerator import Accelerator, peak_name
from ridgeline.records.interconnect import Interconnect
from ridgeline.rules.rule import Context, Rule

_ROUTE_TOLERANCE = Fraction(1, 100)
#: Last part of a field → the unit that its hard dimension must have.
_DIMENSIONS = {
    "capacity": "byte",
    "bandwidth": "byte/s",
    "bus_width": "bit",
    "pin_rate": "bit/s",
    "size": "byte",
    "clock": "Hz",
    "rate": "flop/s",
    "per_clock": "flop/cycle",
    "per_direction": "byte/s",
    "aggregate": "byte/s",
    "limit": "W",
    "lane_rate": "bit/s",
    "element_bits": "bit",
    "latency": "s",
}
#: Fields that every source prints in one of bits and bytes: the other is a slip, though the two can be converted.
_NEVER = {
    "capacity": "bit",
    "size": "bit",
    "bandwidth": "bit",
    "bus_width": "byte",
    "pin_rate": "byte",
    "lane_rate": "byte",
    "element_bits": "byte",
}
_COUNTS = frozenset({"count", "lanes", "total", "efficiency"})


def _path(field: str) -> tuple[str | int, ...]:
    return tuple(int(step) if step.isdigit() else step for step in field.split("."))


class ValueUnreadable(Rule):
    """A value or a formula of a record cannot be read.

    A value is a number and a unit (`3.35 TB/s`); a formula is in the formula language. What cannot be read cannot be
    recomputed. The message says what was expected at which place.
    """

    id = "value-unreadable"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every value text and every `from:` of every record."""
        for entry in context.knowledge.entries.values():
            if entry.record is None or entry.kind in ("source", "class"):
                continue
            for field, message in context.resolver.namespace(entry.reference).problems:
                path = _path(field)
                if not field.endswith(".from"):
                    path = (*path, "value")
                mend = "write a number and a unit: 3.35 TB/s" if path[-1] == "value" else "correct the formula"
                yield self.finding(entry, path, message, mend=mend)


class WrongDimension(Rule):
    """A value has a unit that its field cannot have.

    Bits for bytes, a rate for an amount: the unit is part of the value, so a wrong one is a wrong value. Mend the unit,
    or move the value to the field that it belongs to.
    """

    id = "wrong-dimension"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every stated quantity whose field has a known dimension."""
        for entry in context.knowledge.entries.values():
            if entry.record is None or entry.kind in ("source", "class", "model"):
                continue
            for meaning in context.resolver.namespace(entry.reference).names.values():
                stated = (
                    meaning if isinstance(meaning, Stated) else meaning.stated if isinstance(meaning, Formula) else None
                )
                if stated is None:
                    continue
                parts = [p for p in stated.given.field.split(".") if p != "claims" and not p.isdigit()]
                last = parts[-1]
                found = hard(stated.quantity.dimension)
                if last in _DIMENSIONS:
                    wanted = hard(parse_unit(_DIMENSIONS[last]).dimension)
                    unit = _DIMENSIONS[last]
                elif last in _COUNTS:
                    wanted, unit = (), "a count"
                else:
                    continue
                slip = stated.unit is not None and _NEVER.get(last) in dict(stated.unit.factors)
                if found != wanted or slip:
                    yield self.finding(
                        entry,
                        (*_path(stated.given.field), "value"),
                        f"{stated.given.text} is in {stated.unit.text if slip and stated.unit else describe(found)}",
                        found=stated.given.text,
                        expected=unit,
                        because=f"{last} is {unit}" if last in _COUNTS else f"{last} is in {unit}",
                        mend="correct the unit",
                    )


class DerivedDisagrees(Rule):
    """A derived value has a typed number beside its formula, and the two do not agree.

    Either an input changed and the typed number is stale, or the formula is not the one the number follows from. Mend it
    by deleting the typed number (it is computed anyway) or by correcting the formula.
    """

    id = "derived-disagrees"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every quantity with `basis: derived`."""
        from ridgeline.figures.compare import compare
        from ridgeline.numbers import read

        for entry in context.knowledge.entries.values():
            if entry.record is None or entry.kind in ("source", "class"):
                continue
            for name, meaning in context.resolver.namespace(entry.reference).names.items():
                if not isinstance(meaning, Formula) or not meaning.field:
                    continue
                try:
                    derived = context.resolver.name(Name(tuple(name.split("."))), context.resolver.scope_of(entry))
                except FormulaError as error:
                    hint = f"did you mean {error.candidates[0]}?" if error.candidates else "correct the formula"
                    yield self.finding(entry, (*_path(meaning.field), "from"), error.message, mend=hint)
                    continue
                if meaning.stated is None:
                    continue
                text = meaning.stated.given.text
                numerals = [n for n in read(text) if n.quantity]
                verdict = compare(numerals[0], derived.quantity) if len(numerals) == 1 else None
                if verdict is not None and not verdict.holds:
                    yield self.finding(
                        entry,
                        (*_path(meaning.field), "value"),
                        f"{text} does not follow from its formula",
                        found=text,
                        expected=show(derived.quantity, meaning.stated.unit),
                        because=verdict.because,
                        mend="delete the typed value, or correct the formula",
                    )


class SecondRoute(Rule):
    """Two routes to the same number differ by more than one part in a hundred.

    A datasheet's peak must come out as units times operations per clock times clock, its bandwidth as bus width times pin
    rate, both directions of a link as twice the one. Where they differ, one of the inputs is wrong (a sibling's column, a
    sparse figure, one direction for two), or the vendor means something that must be said in `differs:` or `note:`.
    """

    id = "second-route"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every quantity for which the record holds a second route."""
        for entry in context.knowledge.of_kind("accelerator"):
            record = entry.record
            assert isinstance(record, Accelerator)
            yield from self.pair(context, entry, "memory.bandwidth", "memory.route", ("memory", "bandwidth"))
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

    def pair(
        self, context: Context, entry: Entry, first: str, second: str, path: tuple[str | int, ...]
    ) -> Iterator[Finding]:
        """One finding where two names of a record are both known and differ."""
        scope = context.resolver.scope_of(entry)
        try:
            a = context.resolver.name(Name(tuple(first.split("."))), scope)
            b = context.resolver.name(Name(tuple(second.split("."))), scope)
        except FormulaError:
            # A missing part leaves no second route; one that cannot be read or has a wrong unit is reported there.
            return
        if a.given is not None:
            # Among claims, the preferred one is meant.
            path = (*_path(a.given.field), "value")
        yield from self.compare(entry, path, first, a.quantity, second, b.quantity)

    def directions(self, context: Context, entry: Entry, index: int) -> Iterator[Finding]:
        """Both directions of a link together against twice the one."""
        from ridgeline.knowledge.names import slug

        record = entry.record
        assert isinstance(record, Accelerator)
        name = f"links.{slug(record.links[index].kind)}"
        scope = context.resolver.scope_of(entry)
        try:
            one = context.resolver.evaluate(f"2 * {name}.per_direction", scope).quantity
            both = context.resolver.evaluate(f"{name}.aggregate", scope).quantity
        except FormulaError:
            return
        yield from self.compare(
            entry, ("links", index, "aggregate"), f"{name}.aggregate", both, "twice one direction", one
        )

    def compare(
        self, entry: Entry, path: tuple[str | int, ...], first: str, a: Quantity, second: str, b: Quantity
    ) -> Iterator[Finding]:
        """The finding for two values that differ by more than the tolerance."""
        if hard(a.dimension) == hard(b.dimension) and b.middle and abs(a.middle / b.middle - 1) > _ROUTE_TOLERANCE:
            ratio = a.middle / b.middle
            yield self.finding(
                entry,
                path,
                f"{first} = {show(a)}, but {second} = {show(b)}",
                found=show(a),
                expected=show(b),
                because=f"the ratio is {float(ratio):.4g}",
                level=Level.ERROR,
                mend="find the input that is wrong, or say in the record why the routes differ",
            )


class LedgerDoesNotAdd(Rule):
    """A model's published total is not its counted total plus the ledger.

    Parameters are counted to the unit, so any difference has a name: buffers stored with the weights, a tied head stored
    twice, a tower for images. Mend the geometry, or add the missing entry to `checkpoint.ledger`.
    """

    id = "ledger"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every model."""
        from ridgeline.records.model import Model

        for entry in context.knowledge.of_kind("model"):
            record = entry.record
            assert isinstance(record, Model)
            scope = context.resolver.scope_of(entry)
            try:
                difference = context.resolver.evaluate("parameters.ledger_difference", scope).quantity.middle
            except FormulaError as error:
                mend = "mend the part that cannot be computed"
                yield self.finding(entry, ("checkpoint", "total"), error.message, mend=mend)
                continue
            explained = Fraction(0)
            readable = True
            for index, extra in enumerate(record.extras):
                try:
                    parameters = context.resolver.evaluate(extra.parameters, scope).quantity.middle
                except FormulaError as error:
                    readable = False
                    hint = f"did you mean {error.candidates[0]}?" if error.candidates else "correct the formula"
                    yield self.finding(entry, ("extras", index, "parameters"), error.message, mend=hint)
                    continue
                explained += parameters if extra.in_checkpoint else 0
            for index, row in enumerate(record.checkpoint.ledger):
                try:
                    explained += context.resolver.evaluate(row.parameters, scope).quantity.middle
                except FormulaError as error:
                    readable = False
                    yield self.finding(
                        entry,
                        ("checkpoint", "ledger", index, "parameters"),
                        error.message,
                        mend=f"did you mean {error.candidates[0]}?" if error.candidates else "correct the formula",
                    )
            if readable and explained != difference:
                explainers = "ledger and extras explain" if record.extras else "the ledger explains"
                total = context.resolver.evaluate("parameters.total", scope).quantity.middle
                yield self.finding(
                    entry,
                    ("checkpoint", "total"),
                    f"the published total differs from the counted {int(total):,} by {int(difference):,}, "
                    f"of which {explainers} {int(explained):,}",
                    found=f"{int(total + difference):,}",
                    expected=f"{int(total + explained):,}",
                    level=Level.WARNING if record.status == "contested" else None,
                    mend="correct the geometry, or name the missing parameters in checkpoint.ledger",
                )
