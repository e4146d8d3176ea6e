"""The rule about formulas that cannot be read or evaluated, and which formulas another rule can rely on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_equation, parse_quantity
from ridgeline.formulas.tree import Name, names
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import UnitError, parse_unit
from ridgeline.records.workload import ClassFormula, Workload
from ridgeline.rules.rule import Context, Rule, hinted, near
from ridgeline.rules.trial import RATES, Trial, known_names, once

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FormulaUnreadable(Rule):
    """A formula of a class cannot be read or evaluated.

    It has a syntax error, a name that means nothing, units that do not fit, or it is defined through itself. The message
    says which, and at which character.
    """

    id = "formula"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every formula and symbol of every class, evaluated at a random point."""
        for entry in context.knowledge.of_kind("class"):
            yield from once(context, entry, self.id, partial(self.of, context, entry))

    def of(self, context: Context, entry: Entry) -> Iterator[Finding]:
        """Those of one class."""
        assert isinstance(entry.record, Workload)
        formulas = entry.record.formulas
        symbols = [f for n, s in entry.record.symbols.items() for f in self.symbol(entry, n, s.unit, s.default)]
        yield from symbols
        trial = Trial(context, entry)
        point = trial.point()
        faults = {name: list(self.read(entry, name, formula)) for name, formula in formulas.items()}
        for name, own in faults.items():
            if not own:
                own += self.unknown(context, entry, name)
        broken = {name for name, own in faults.items() if own}
        # A symbol that cannot be set would make every formula that reads it fail too.
        failed = (
            {}
            if symbols
            else {name: self.evaluates(context, entry, name, trial, point) for name in formulas if name not in broken}
        )
        faults |= {name: [fault] for name, fault in failed.items() if fault is not None}
        uses = _uses(formulas)
        for name, own in faults.items():
            # What only fails because of another formula is reported there.
            if name in broken or not any(faults[n] and name not in uses[n] for n in uses[name]):
                yield from own

    def read(self, entry: Entry, name: str, formula: ClassFormula) -> Iterator[Finding]:
        """The unit and the texts of one formula."""
        path: tuple[str | int, ...] = ("formulas", name)
        if formula.unit is not None:
            try:
                parse_unit(formula.unit)
            except UnitError as error:
                message, mend = hinted(str(error), "correct the unit")
                yield self.finding(entry, (*path, "unit"), message, found=formula.unit, mend=mend)
        for key, text in (("is", formula.is_), ("same_as", formula.same_as)):
            if text is not None:
                try:
                    parse(text)
                except FormulaError as error:
                    yield self.at(entry, (*path, key), text, error)
        if formula.solve is not None:
            try:
                parse_equation(formula.solve.where)
            except FormulaError as error:
                yield self.at(entry, (*path, "solve", "where"), formula.solve.where, error)

    def symbol(self, entry: Entry, name: str, unit: str, default: str | None) -> Iterator[Finding]:
        """The unit and the default of a symbol."""
        try:
            parse_unit(unit)
        except UnitError as error:
            message, mend = hinted(str(error), "correct the unit")
            yield self.finding(entry, ("symbols", name, "unit"), message, found=unit, mend=mend)
        if default is not None:
            try:
                parse_quantity(default)
            except FormulaError as error:
                mend = "write a number and its unit: 2 byte"
                yield self.finding(entry, ("symbols", name, "default"), error.message, found=default, mend=mend)

    def unknown(self, context: Context, entry: Entry, name: str) -> Iterator[Finding]:
        """Names in a formula that are neither the class's nor of any record."""
        assert isinstance(entry.record, Workload)
        own = {*entry.record.symbols, *entry.record.formulas}
        known = known_names(context)
        formula = entry.record.formulas[name]
        where = formula.solve.where if formula.solve is not None else None
        texts = ((("is",), formula.is_), (("same_as",), formula.same_as), (("solve", "where"), where))
        for key, text in texts:
            sides = () if text is None else parse_equation(text) if text is where else (parse(text),)
            found = {n.text for side in sides for n in names(side)}
            for word in sorted(found - own - set(known) - set(RATES)):
                yield self.finding(
                    entry,
                    ("formulas", name, *key),
                    f"unknown name {word}",
                    found=word,
                    at=max((text or "").find(word), 0),
                    length=len(word),
                    mend=near(word, sorted({*known, *own})) or "define it as a symbol or a formula of the class",
                )

    def evaluates(
        self, context: Context, entry: Entry, name: str, trial: Trial, point: dict[str, Derivation]
    ) -> Finding | None:
        """Evaluate one formula with every name set."""
        formula = trial.workload.formulas[name]
        try:
            context.resolver.name(Name((name,)), trial.scope(point))
        except FormulaError as error:
            path: tuple[str | int, ...] = ("formulas", name, "is")
            text = formula.is_ or ""
            if formula.solve is not None:
                path, text = ("formulas", name, "solve", "where"), formula.solve.where
            return self.at(entry, path, text, FormulaError(error.message, candidates=error.candidates))
        return None

    def at(self, entry: Entry, path: tuple[str | int, ...], text: str, error: FormulaError) -> Finding:
        """A finding at the character of the formula where the fault is."""
        hint = f"did you mean {error.candidates[0]}?" if error.candidates else "correct the formula"
        if error.placed and path[-1] in ("is", "same_as", "where"):
            return self.finding(
                entry,
                path,
                error.message,
                found=text[error.start : error.end] or text[:40],
                mend=hint,
                at=error.start,
                length=max(1, error.end - error.start),
            )
        return self.finding(entry, path, error.message, found=text[:60], mend=hint)


def _uses(formulas: Mapping[str, ClassFormula]) -> dict[str, set[str]]:
    """For each formula of a class, the other formulas that it reads, directly or through others."""
    direct: dict[str, set[str]] = {}
    for name, formula in formulas.items():
        words: set[str] = set()
        for text in (formula.is_, formula.same_as, *(formula.solve.where.split("=") if formula.solve else ())):
            words |= set(_WORD.findall(text or ""))
        direct[name] = words & set(formulas) - {name}
    reached = direct
    for _ in formulas:
        wider = {n: {*uses, *(m for u in uses for m in reached[u])} - {n} for n, uses in reached.items()}
        if wider == reached:
            break
        reached = wider
    return reached


def unreliable(context: Context, entry: Entry) -> set[str]:
    """Formulas of a class that the rule `formula` reports, or that read one of those: nothing more is said of them."""
    assert isinstance(entry.record, Workload)
    return context.once("unreliable formulas", entry.reference, partial(_unreliable, context, entry))


def _unreliable(context: Context, entry: Entry) -> set[str]:
    assert isinstance(entry.record, Workload)
    trial = Trial(context, entry)
    point = trial.point()
    rule = FormulaUnreadable()
    formulas = entry.record.formulas
    faulty = {
        name
        for name, formula in formulas.items()
        if any(rule.read(entry, name, formula))
        or any(rule.unknown(context, entry, name))
        or rule.evaluates(context, entry, name, trial, point) is not None
    }
    return {name for name, uses in _uses(formulas).items() if name in faulty or uses & faulty}
