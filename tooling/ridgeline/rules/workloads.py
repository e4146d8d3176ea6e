"""Rules about what a workload class claims of its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.records.workload import Property, Workload
from ridgeline.rules.formula import unreliable
from ridgeline.rules.limits import tends
from ridgeline.rules.rule import Context, Rule, near
from ridgeline.rules.trial import Trial, once

_POINTS = 12


class SameAs(Rule):
    """Two expressions that a class calls the same differ at some point.

    `same_as` lets a caller use the short form of a formula, so the two must agree everywhere. They are compared exactly
    at random points. Mend the one that is wrong.
    """

    id = "same-as"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every formula with `same_as`."""
        for entry in context.knowledge.of_kind("class"):
            yield from once(context, entry, self.id, partial(self.of, context, entry))

    def of(self, context: Context, entry: Entry) -> Iterator[Finding]:
        """Those of one class."""
        assert isinstance(entry.record, Workload)
        trial = Trial(context, entry)
        skip = unreliable(context, entry) if any(f.same_as for f in entry.record.formulas.values()) else set()
        for name, formula in entry.record.formulas.items():
            if formula.same_as is None or formula.is_ is None or name in skip:
                continue
            try:
                for index in range(_POINTS):
                    point = trial.nth(index)
                    a, b = trial.value(formula.is_, point), trial.value(formula.same_as, point)
                    if a.middle != b.middle:
                        at = ", ".join(f"{n} = {int(d.quantity.middle)}" for n, d in sorted(point.items()))
                        yield self.finding(
                            entry,
                            ("formulas", name, "same_as"),
                            f"{formula.same_as} is not {formula.is_}",
                            found=f"{float(b.middle):.6g}",
                            expected=f"{float(a.middle):.6g}",
                            because=f"at {at}",
                            mend="correct one of the two",
                        )
                        break
            except FormulaError:
                # Reported by the rule `formula`.
                continue


class PropertyFails(Rule):
    """A property that a class claims does not hold.

    What rises with what, and between which bounds a share stays, is checked at random points. What a formula tends to is
    proved where the formula is made of `+ - * / ^ min max abs ceil floor round`, with everything but the one symbol set at
    random; otherwise it is tried further and further out. Mend the formula, or the claim.
    """

    id = "property"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every property of every class."""
        for entry in context.knowledge.of_kind("class"):
            yield from once(context, entry, self.id, partial(self.of, context, entry))

    def of(self, context: Context, entry: Entry) -> Iterator[Finding]:
        """Those of one class."""
        assert isinstance(entry.record, Workload)
        trial = Trial(context, entry)
        skip = unreliable(context, entry) if entry.record.properties else set()
        for index, claim in enumerate(entry.record.properties):
            name, key = claim.formula, claim.kind
            if key == "counted":
                # The rule of that name tries it.
                continue
            path = ("properties", index, key)
            if name not in entry.record.formulas:
                mend = near(name, list(entry.record.formulas)) or "name one of the class's formulas"
                yield self.finding(entry, path, f"the class has no formula {name}", found=name, mend=mend)
                continue
            if name in skip:
                continue
            try:
                problem = self.problem(trial, claim)
            except FormulaError as error:
                problem = f"cannot be held against its claim: {error.message}"
            if problem:
                mend = "correct the formula, or the claim"
                yield self.finding(entry, path, f"{name} {problem}", found=name, mend=mend)

    def problem(self, trial: Trial, claim: Property) -> str:
        """What is wrong with one claim, nothing where it holds."""
        if claim.tends is not None:
            return tends(trial, claim)
        if claim.within is not None:
            return self.within(trial, claim.within, claim.range)
        return self.moves(trial, claim.formula, claim.with_ or "", claim.rises is not None)

    def moves(self, trial: Trial, name: str, symbol: str, rises: bool) -> str:
        """Whether a formula moves one way as a symbol grows; says where it does not."""
        for index in range(_POINTS):
            point = trial.nth(index)
            if symbol not in point:
                return f"does not depend on {symbol}"
            further = trial.further(index, symbol)
            a, b = trial.value(name, point).middle, trial.value(name, further).middle
            if (b <= a) if rises else (b >= a):
                low, high = (at[symbol].quantity.middle for at in (point, further))
                where = f"{float(a):.6g} → {float(b):.6g} as {symbol} goes {int(low)} → {int(high)}"
                return f"does not {'rise' if rises else 'fall'} with {symbol}: {where}"
        return ""

    def within(self, trial: Trial, name: str, bounds: list[str | int] | None) -> str:
        """Whether a formula stays between two values."""
        assert bounds is not None
        low, high = (parse_quantity(str(b)) for b in bounds)
        for index in range(_POINTS):
            value = trial.value(name, trial.nth(index)).middle
            if not low.value <= value <= high.value:
                return f"leaves the range {bounds[0]} to {bounds[1]}: {float(value):.6g}"
        return ""


class ScalingOrder(Rule):
    """A class says that a formula grows with some power of a symbol, and it does not.

    Doubling the symbol must multiply the formula by two to the stated order. Mend the order or the formula.
    """

    id = "scaling-order"
    level = Level.ERROR

    def check(self, context: Context) -> Iterator[Finding]:
        """Every row of `scales_with`."""
        for entry in context.knowledge.of_kind("class"):
            yield from once(context, entry, self.id, partial(self.of, context, entry))

    def of(self, context: Context, entry: Entry) -> Iterator[Finding]:
        """Those of one class."""
        assert isinstance(entry.record, Workload)
        trial = Trial(context, entry)
        for index, row in enumerate(entry.record.scales_with):
            path = ("scales_with", index)
            if row.of not in entry.record.formulas:
                mend = near(row.of, list(entry.record.formulas)) or "name one of the class's formulas"
                yield self.finding(entry, (*path, "of"), f"the class has no formula {row.of}", found=row.of, mend=mend)
                continue
            point = trial.point()
            if row.symbol not in point:
                yield self.finding(
                    entry,
                    (*path, "symbol"),
                    f"no formula of the class reads {row.symbol}",
                    found=row.symbol,
                    mend=near(row.symbol, sorted(point)) or "name a symbol of the class, or a quantity it reads",
                )
                continue
            try:
                yield from self.compare(entry, path, trial, row.of, row.symbol, row.order, point)
            except FormulaError:
                continue

    def compare(
        self,
        entry: Entry,
        path: tuple[str | int, ...],
        trial: Trial,
        of: str,
        symbol: str,
        order: int,
        point: dict[str, Derivation],
    ) -> Iterator[Finding]:
        """One row at one point: the formula before and after doubling the symbol."""
        doubled = trial.moved(point, symbol, point[symbol].quantity.middle * 2)
        before, after = trial.value(of, point).middle, trial.value(of, doubled).middle
        if before and after / before != Fraction(2) ** order:
            yield self.finding(
                entry,
                (*path, "order"),
                f"doubling {symbol} multiplies {of} by {float(after / before):.6g}, not by 2^{order}",
                found=str(order),
                expected=_order(after / before),
                mend="correct the order, or the formula",
            )


def _order(ratio: Fraction) -> str:
    for order in range(-8, 9):
        if ratio == Fraction(2) ** order:
            return str(order)
    return "no whole order"
