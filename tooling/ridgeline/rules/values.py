"""Rules about recorded values: that they can be read, have the right unit, and follow where they say so."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.figures.messages import inputs_of
from ridgeline.figures.printing import show
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import Formula, Stated
from ridgeline.numbers.units import describe, hard, parse_unit
from ridgeline.rules.rule import Context, Rule, hinted

#: Last part of a field → the unit that its hard dimension must have.
_DIMENSIONS = {
    "capacity": "byte",
    "bandwidth": "byte/s",
    "bus_width": "bit",
    "pin_rate": "bit/s",
    "size": "byte",
    "size_total": "byte",
    "bandwidth_total": "byte/s",
    "stack_capacity": "byte",
    "clock": "Hz",
    "rate": "flop/s",
    "per_clock": "flop/cycle",
    "per_direction": "byte/s",
    "aggregate": "byte/s",
    "limit": "W",
    "lane_rate": "bit/s",
    "element_bits": "bit",
    "stated_bits": "bit",
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
    "size_total": "bit",
    "bandwidth_total": "bit",
    "stack_capacity": "bit",
}
_COUNTS = frozenset({"count", "lanes", "stacks", "total", "efficiency"})


def place_of(field: str) -> tuple[str | int, ...]:
    """The path in the file of a field that is written with dots."""
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
                path = place_of(field)
                if not field.endswith(".from"):
                    path = (*path, "value")
                mend = "write a number and a unit: 3.35 TB/s" if path[-1] == "value" else "correct the formula"
                message, mend = hinted(message, mend)
                yield self.finding(entry, path, message, mend=mend)


class WrongDimension(Rule):
    """A value has a unit that its field cannot have.

    Bits for bytes, a rate for an amount: the unit is part of the value, so a wrong one is a wrong value. Mend the unit,
    or move the value to the field that it belongs to.
    """

    id = "wrong-dimension"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every quantity, stated or derived, whose field has a known dimension."""
        for entry in context.knowledge.entries.values():
            if entry.record is None or entry.kind in ("source", "class", "model"):
                continue
            for name, meaning in context.resolver.namespace(entry.reference).names.items():
                stated = (
                    meaning if isinstance(meaning, Stated) else meaning.stated if isinstance(meaning, Formula) else None
                )
                if stated is not None:
                    slip = stated.unit is not None and _NEVER.get(_part(stated.given.field)) in dict(
                        stated.unit.factors
                    )
                    if slip or not _fits(stated.given.field, stated.quantity):
                        yield self.wrong(
                            entry,
                            (*place_of(stated.given.field), "value"),
                            stated.given.text,
                            stated.unit.text if slip and stated.unit else describe(hard(stated.quantity.dimension)),
                        )
                if isinstance(meaning, Formula) and meaning.field:
                    try:
                        derived = context.resolver.name(Name(tuple(name.split("."))), context.resolver.scope_of(entry))
                    except FormulaError:
                        # One that cannot be evaluated is found by ``derived-disagrees``.
                        continue
                    if not _fits(meaning.field, derived.quantity):
                        yield self.wrong(
                            entry,
                            (*place_of(meaning.field), "from"),
                            show(derived.quantity),
                            describe(hard(derived.quantity.dimension)),
                        )

    def wrong(self, entry: Entry, path: tuple[str | int, ...], text: str, unit: str) -> Finding:
        """The finding for a value that is in a unit which its field cannot have."""
        last = _part(".".join(map(str, path[:-1])))
        wanted = _DIMENSIONS.get(last, "a count")
        return self.finding(
            entry,
            path,
            f"{text} is in {unit}",
            found=text,
            expected=wanted,
            because=f"{last} is {'in ' if last in _DIMENSIONS else ''}{wanted}",
            mend="correct the unit" if path[-1] == "value" else "correct the formula",
        )


def _part(field: str) -> str:
    """The last part of a field that says what the quantity is: ``capacity`` of ``memory.capacity.claims.0``."""
    return [step for step in field.split(".") if step != "claims" and not step.isdigit()][-1]


def _fits(field: str, quantity: Quantity) -> bool:
    """Whether a quantity has the dimension that its field has, where that is known."""
    last = _part(field)
    if last in _DIMENSIONS:
        return hard(quantity.dimension) == hard(parse_unit(_DIMENSIONS[last]).dimension)
    return last not in _COUNTS or hard(quantity.dimension) == ()


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
                    yield self.finding(entry, (*place_of(meaning.field), "from"), error.message, mend=hint)
                    continue
                if meaning.stated is None:
                    continue
                text = meaning.stated.given.text
                numerals = [n for n in read(text) if n.quantity]
                verdict = compare(numerals[0], derived.quantity) if len(numerals) == 1 else None
                if verdict is not None and not verdict.holds:
                    yield self.finding(
                        entry,
                        (*place_of(meaning.field), "value"),
                        f"{text} does not follow from its formula",
                        found=text,
                        expected=show(derived.quantity, meaning.stated.unit),
                        because=f"{verdict.because}; {inputs_of(derived)}",
                        mend="delete the typed value, or correct the formula",
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
