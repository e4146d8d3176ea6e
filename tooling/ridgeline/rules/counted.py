"""The rule that holds formulas of a class against a count of what a reference implementation does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Literal

from ridgeline.counting.account import constant_ratio, monomial, subset
from ridgeline.counting.kernels import KERNELS, Kernel, run
from ridgeline.counting.machine import CountingError, Counts
from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import names
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Scope
from ridgeline.numbers.units import ONE, Unit, UnitError, describe, hard, parse_unit
from ridgeline.records.walk import Path
from ridgeline.records.workload import Property, Workload
from ridgeline.rules.formula import unreliable
from ridgeline.rules.rule import Context, Rule, near
from ridgeline.rules.trial import Trial, known_names, once

_POINTS = 6
_BYTE = parse_unit("byte")
_FAR = 2**40

Measure = Literal["flop", "byte"]
Point = Mapping[str, Fraction]


class _Fault(Exception):
    """A claim that cannot be tried: where in it, and what to do."""

    def __init__(self, key: str | tuple[str, ...], message: str, found: str, mend: str):
        super().__init__(message)
        self.keys = (key,) if isinstance(key, str) else key
        self.found = found
        self.mend = mend


@dataclass(frozen=True)
class _Tried:
    """A formula and a count at one point. ``formula`` includes the part that the claim says it leaves out."""

    point: Point
    formula: Quantity
    left_out: Quantity | None
    count: Fraction
    counts: Counts

    @property
    def agrees(self) -> bool:
        return self.formula.low <= self.count <= self.formula.high

    @property
    def short(self) -> Fraction:
        """By how much the formula is below the count."""
        return self.count - self.formula.middle


class Counted(Rule):
    """A formula is not what a reference implementation is counted to do.

    A property `counted: flops` with `by: attention-causal-naive` says that the formula gives exactly the operations, or the
    bytes, of that kernel. The kernel is run at small sizes on a machine that notes every multiply-add and every element
    that moves between memory and chip, and the two are compared without tolerance. A part of lower order that the formula
    drops is named: `leaves_out: 2 * n_q * d_head * L`, with `because` and `vanishes_with: L`. Of bytes, `of: [K, V]` says
    which tensors count, and `traffic: compulsory` that an element is read once. Mend the formula, or the claim.
    """

    id = "counted"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every `counted` property of every class."""
        for entry in context.knowledge.of_kind("class"):
            yield from once(context, entry, self.id, partial(self.of, context, entry))

    def of(self, context: Context, entry: Entry) -> Iterator[Finding]:
        """Those of one class."""
        assert isinstance(entry.record, Workload)
        for index, claim in enumerate(entry.record.properties):
            if claim.counted is None:
                continue
            path: Path = ("properties", index)
            if claim.counted not in entry.record.formulas:
                mend = near(claim.counted, list(entry.record.formulas)) or "name one of the class's formulas"
                message = f"the class has no formula {claim.counted}"
                yield self.finding(entry, (*path, "counted"), message, found=claim.counted, mend=mend)
                continue
            if claim.counted in unreliable(context, entry):
                continue
            try:
                yield from _Trial(self, context, entry, path, claim).findings()
            except _Fault as fault:
                yield self.finding(entry, (*path, *fault.keys), str(fault), found=fault.found, mend=fault.mend)


class _Trial:
    """One claim, tried."""

    def __init__(self, rule: Rule, context: Context, entry: Entry, path: Path, claim: Property):
        assert isinstance(entry.record, Workload) and claim.counted is not None and claim.by is not None
        self.rule, self.context, self.entry, self.path, self.claim = rule, context, entry, path, claim
        self.workload = entry.record
        self.name: str = claim.counted
        self.kernel: Kernel = KERNELS[claim.by]
        self.where = {name: str(text) for name, text in (claim.where or {}).items()}
        self.everything = Trial(context, entry).point()

    def findings(self) -> Iterator[Finding]:
        """What does not hold. Raises :class:`_Fault` for a claim that cannot be tried."""
        self.measure = self._measure()
        self._words()
        reads = self._reads()
        optional = {n for n, size in self.kernel.sizes.items() if size.optional}
        mentioned = reads | {n.text for text in self.where.values() for n in names(parse(text))}
        points = self.kernel.draw(
            _POINTS, self.rule.id, with_=frozenset(optional & mentioned), multiples=self.claim.multiples
        )
        tried = [self._try(point) for point in points]
        wrong = next((t for t in tried if not t.agrees), None)
        if wrong is not None:
            yield self._wrong(wrong, tried)
        elif self.claim.leaves_out is not None:
            yield from self._vanishes(points[0], reads)

    # What the claim says

    def _measure(self) -> Measure:
        """Whether the formula is in flop or in byte."""
        formula = self.workload.formulas[self.name]
        dimension = parse_unit(formula.unit).dimension if formula.unit else self._value(self.name).quantity.dimension
        for measure in ("flop", "byte"):
            if hard(dimension) == ((measure, 1),):
                return measure
        raise _Fault(
            "counted",
            f"{self.name} is in {describe(dimension)}; what is counted is in flop or in byte",
            self.name,
            f"state unit: flop or unit: byte in the formula {self.name}, or name another one",
        )

    def _words(self) -> None:
        """Hold the words of the claim against the kernel and the class."""
        claim, kernel = self.claim, self.kernel
        for key, given, measure in (
            ("of", claim.of, "byte"), ("traffic", claim.traffic, "byte"), ("operations", claim.operations, "flop"),
        ):  # fmt: skip
            if given is not None and self.measure != measure:
                message = f"{key} is of formulas in {measure}, and {self.name} is in {self.measure}"
                raise _Fault(key, message, str(given), f"delete {key}, or count another formula")
        for tensor in claim.of or ():
            if tensor not in kernel.tensors:
                self._unknown("of", f"{kernel.name} moves no tensor", tensor, list(kernel.tensors))
        chained = sorted(set(claim.multiples or {}) & set((claim.multiples or {}).values()))
        if chained:
            message = f"{chained[0]} cannot be both a multiple and what another size is a multiple of"
            raise _Fault("multiples", message, chained[0], "name sizes that are drawn by themselves as bases")
        for size in [n for pair in (claim.multiples or {}).items() for n in pair]:
            if size not in kernel.sizes or kernel.sizes[size].unit == "byte":
                counts = [n for n, s in kernel.sizes.items() if s.unit != "byte"]
                self._unknown("multiples", f"{kernel.name} has no count", size, counts)
        known = {*self.workload.symbols, *self.everything, *known_names(self.context)}
        for name, text in self.where.items():
            if name not in known:
                self._unknown(("where", name), "no formula of the class reads", name, sorted(known))
            try:
                unknown = sorted({n.text for n in names(parse(text))} - set(kernel.sizes))
            except FormulaError as error:
                raise _Fault(("where", name), error.message, text, "correct the expression") from None
            if unknown:
                self._unknown(("where", name), f"{kernel.name} has no size", unknown[0], list(kernel.sizes))

    def _unknown(self, key: str | tuple[str, ...], what: str, word: str, known: list[str]) -> None:
        mend = near(word, known) or (f"write one of {', '.join(known)}" if len(known) < 20 else "name one that is read")
        raise _Fault(key, f"{what} {word}", word, mend)

    def _value(self, text: str, unit: Unit | None = None) -> Derivation:
        """An expression at a point where every name is set."""
        scope = Scope(records=(("class", self.entry.reference),)).with_symbols(self.everything)
        return self.context.resolver.evaluate(text, scope, text, unit)

    def _reads(self) -> set[str]:
        """The names that the formula and what it leaves out come down to. Each must be known at the kernel's points."""
        given = {*self.kernel.sizes, *self.where}
        if {"n_q", "n_kv"} <= given:
            given.add("g")
        found: set[str] = set()
        unit = parse_unit(self.measure)
        for key, text in (("counted", self.name), ("leaves_out", self.claim.leaves_out)):
            if text is None:
                continue
            try:
                value = self._value(text, unit if key == "leaves_out" else None)
                reads = {step.label for step in value.walk() if step.leaf}
            except FormulaError as error:
                hint = f"did you mean {error.candidates[0]}?" if error.candidates else "correct the expression"
                raise _Fault(key, f"{text}: {error.message}", text, hint) from None
            for name in sorted(reads - given):
                raise _Fault(
                    key,
                    f"{text} reads {name}, and {self.kernel.name} has no such size",
                    name,
                    f"say what it is in {', '.join(self.kernel.sizes)}: where: {{{name}: …}}",
                )
            found |= reads
        return found

    # Trying it

    def _try(self, point: Point) -> _Tried:
        try:
            counts = self._run(point)
            formula, left_out = self._formula(point)
        except CountingError as error:
            message = f"{self.kernel.name} at {_at(point)}: {error}"
            raise _Fault("multiples", message, self.kernel.name, "name another multiple, or none") from None
        except FormulaError as error:
            message = f"{self.name} at {_at(point)}: {error.message}"
            raise _Fault("counted", message, self.name, "correct the formula, or the claim") from None
        if self.measure == "flop":
            count = Fraction(counts.flops(self.claim.operations or ("multiply-add",)))
        else:
            count = counts.bytes(self.claim.of, self.claim.traffic or "total")
        return _Tried(point, formula, left_out, count, counts)

    def _run(self, point: Point) -> Counts:
        """The counts of the kernel, run once for all claims of all classes."""
        held: dict[object, Counts] = self.context.memory.setdefault("counted", {})
        key = (self.kernel.name, tuple(point.items()))
        if key not in held:
            held[key] = run(self.kernel.name, point)[0]
        return held[key]

    def _formula(self, point: Point) -> tuple[Quantity, Quantity | None]:
        """The formula with what it leaves out, and that part, at a point of the kernel."""
        scope = Scope(records=(("class", self.entry.reference),)).with_symbols(self._symbols(point))
        return self._sum(scope)

    def _sum(self, scope: Scope) -> tuple[Quantity, Quantity | None]:
        value = self.context.resolver.evaluate(self.name, scope).quantity
        if self.claim.leaves_out is None:
            return value, None
        unit = parse_unit(self.measure)
        part = self.context.resolver.evaluate(self.claim.leaves_out, scope, "leaves_out", unit).quantity
        return Quantity(value.middle + part.middle, value.dimension), part

    def _symbols(self, point: Point) -> dict[str, Derivation]:
        """The names of the class at a point: the kernel's sizes, the group size, and what ``where`` says."""
        numbers = dict(point)
        if "n_q" in point and "n_kv" in point:
            numbers["g"] = point["n_q"] / point["n_kv"]
        sizes = Scope().with_symbols({n: self._symbol(n, value) for n, value in point.items()})
        for name, text in self.where.items():
            numbers[name] = self.context.resolver.evaluate(text, sizes).quantity.middle
        # A size of the kernel that has the name of a formula of the class is another thing.
        return {n: self._symbol(n, number) for n, number in numbers.items() if n not in self.workload.formulas}

    def _symbol(self, name: str, number: Fraction) -> Derivation:
        unit: Unit | None = None
        if name in self.workload.symbols:
            try:
                unit = parse_unit(self.workload.symbols[name].unit)
            except UnitError:
                unit = None
        elif name in self.kernel.sizes:
            unit = _BYTE if self.kernel.sizes[name].unit == "byte" else ONE
        else:
            unit = known_names(self.context).get(name)
        unit = unit or ONE
        return Derivation(name, Quantity(number, unit.dimension), Unit(Fraction(1), unit.factors))

    # What is said

    def _wrong(self, wrong: _Tried, tried: list[_Tried]) -> Finding:
        unit = self.measure
        whole = f"{self.name} and what it leaves out give" if wrong.left_out is not None else f"{self.name} gives"
        account, hint = self._account(tried)
        because = (
            f"at {_at(wrong.point)} {whole} {_number(wrong.formula.middle)} {unit}, and the kernel counts "
            f"{_number(wrong.count)} {unit}: {_number(abs(wrong.short))} {'more' if wrong.short > 0 else 'less'}"
        )
        return self.rule.finding(
            self.entry,
            (*self.path, "counted"),
            f"{self.name} is not what {self.kernel.name} is counted to do{account}",
            found=f"{_number(wrong.formula.middle)} {unit}",
            expected=f"{_number(wrong.count)} {unit}",
            because=because,
            mend=hint or "correct the formula, or the claim",
        )

    def _account(self, tried: list[_Tried]) -> tuple[str, str]:
        """What accounts for the difference at every point, and what to do about it."""
        ratio = constant_ratio([t.count for t in tried], [t.formula.middle for t in tried])
        if ratio is not None:
            return f": it does {_number(ratio)} times as much at every point", ""
        short = [t.short for t in tried]
        if self.measure == "byte":
            traffic = self.claim.traffic or "total"
            for sign, of, verb in ((1, self.claim.of, "lacks"), (-1, self.kernel.tensors, "has in excess")):
                # What the formula lacks is among the tensors that count; what it has too much of may be any.
                parts = [{n: t.counts.moved[n].bytes(traffic) for n in of or self.kernel.tensors} for t in tried]
                names_of = subset([sign * s for s in short], parts)
                if names_of:
                    counted = ", ".join(n for n in self.kernel.tensors if n not in names_of)
                    hint = f"correct the formula, or say what it counts: of: [{counted}]" if not self.claim.of else ""
                    return (
                        f": it {verb} what {_list(names_of)} move{'s' if len(names_of) == 1 else ''}",
                        hint if sign > 0 else "",
                    )
        missing, excess = (
            monomial(short, [t.point for t in tried]),
            monomial([-s for s in short], [t.point for t in tried]),
        )
        if missing is not None and not missing.startswith("-") and missing != "0":
            return (
                f": it lacks {missing} at every point",
                f"correct the formula, or name that part: leaves_out: {missing}",
            )
        if excess is not None and not excess.startswith("-") and excess != "0":
            return f": it has {excess} too much at every point", ""
        return "", ""

    def _vanishes(self, point: Point, reads: set[str]) -> Iterator[Finding]:
        """Whether what the formula leaves out becomes nothing beside it as the symbol grows."""
        symbol = self.claim.vanishes_with or ""
        symbols = self._symbols(point)
        if symbol not in reads or symbol not in symbols:
            self._unknown("vanishes_with", f"neither {self.name} nor what it leaves out reads", symbol, sorted(reads))
        shares = []
        for factor in (1, _FAR):
            far = {**symbols, symbol: self._symbol(symbol, symbols[symbol].quantity.middle * factor)}
            both, part = self._sum(Scope(records=(("class", self.entry.reference),)).with_symbols(far))
            assert part is not None
            rest = both.middle - part.middle
            shares.append(abs(part.middle / rest) if rest else None)
        near_by, far_off = shares
        if near_by and (far_off is None or far_off * 1000 > near_by):
            yield self.rule.finding(
                self.entry,
                (*self.path, "vanishes_with"),
                f"what {self.name} leaves out does not become nothing beside it as {symbol} grows",
                found=symbol,
                because=f"it is {_share(near_by)} of it at {_at(point)}, and {_share(far_off)} at {_FAR} times that {symbol}",
                mend="count that part in the formula, or name the symbol that it vanishes with",
            )


def _at(point: Point) -> str:
    return ", ".join(f"{name} = {_number(value)}" for name, value in point.items())


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{value.numerator:,}/{value.denominator:,}"


def _share(value: Fraction | None) -> str:
    return "all" if value is None else f"{float(value * 100):.3g}%"


def _list(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
