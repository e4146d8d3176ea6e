"""Accounts for every numeral of a record's prose: bound, recomputed and graded, or reported as uncovered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ridgeline.figures.binding import Binder, Bound
from ridgeline.figures.compare import Grade, Verdict, compare, customary_unit
from ridgeline.figures.conclusion import Conclusion, against, of_threshold, orders
from ridgeline.figures.equations import Equation
from ridgeline.figures.equations import check as check_equation
from ridgeline.figures.figure import FigureResult, Status
from ridgeline.figures.messages import LEVELS, false_conclusion, mismatch
from ridgeline.figures.passage import Passage
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.records.walk import dotted

#: Numerals shorter than this are too common to count as a repeat of a bound one.
_REPEAT_DIGITS = 3
#: Stands in ``rule`` for an uncovered numeral whose own entry is at fault.
_REFUSED = "entry-refused"
#: An equation borrows ``g = 4`` from this far away, in characters.
_NEAR = 160


@dataclass
class Examination:
    """The figures of one record and what is wrong with them."""

    figures: list[FigureResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    conclusions: list[Conclusion] = field(default_factory=list)


def passages(entry: Entry, names: frozenset[str]) -> list[Passage]:
    """Every prose field of a record, read."""
    assert entry.record is not None
    return [Passage.of(item.path, item.value, names) for item in entry.items if item.what == "prose"]


def examine(entry: Entry, resolver: Resolver, found: list[Passage] | None = None) -> Examination:
    """Account for every numeral of a record's prose; ``found`` are its passages where they are read already."""
    if found is None:
        found = passages(entry, resolver.knowledge.names)
    binder = Binder(entry, found, resolver)
    bound = binder.bind()
    examination = Examination(findings=list(binder.findings), conclusions=list(binder.conclusions))
    judge = _Judge(entry, examination, binder.refused)
    for passage in found:
        judge.passage(passage, bound.get(passage.path, {}))
    judge.repeats()
    judge.report()
    examination.findings += [false_conclusion(entry, c) for c in binder.conclusions if not c.holds]
    return examination


class _Judge:
    def __init__(self, entry: Entry, examination: Examination, refused: set[tuple[tuple[str | int, ...], int]]):
        self.entry = entry
        self.out = examination
        self.refused = refused
        self.passages: dict[tuple[str | int, ...], Passage] = {}

    # Statuses

    def passage(self, passage: Passage, bound: dict[int, Bound]) -> None:
        self.passages[passage.path] = passage
        results: dict[int, FigureResult] = {}
        operands = {index for equation in passage.equations for index in equation.operands}
        for index, binding in bound.items():
            results[index] = result = self.bound(passage, passage.numerals[index], binding, index in operands)
            if binding.threshold is not None and (drawn := of_threshold(result, binding.threshold)) is not None:
                self.out.conclusions.append(drawn)
        for index, verdict in list(orders(passage.text, passage.numerals, results)):
            results[index] = replace(results[index], verdict=verdict)
        for equation in passage.equations:
            self.equation(passage, equation, bound, results)
        for index, numeral in enumerate(passage.numerals):
            self.out.figures.append(results.get(index) or self.alone(passage, index, numeral))

    def bound(self, passage: Passage, numeral: Numeral, binding: Bound, operand: bool) -> FigureResult:
        result = FigureResult(
            self.entry.reference,
            passage.path,
            numeral,
            binding.status,
            derivation=binding.derivation,
            expression=binding.expression,
            reason=binding.reason,
            source=binding.source,
            at=binding.at,
            checked=binding.checked,
            entry=binding.entry,
        )
        if binding.status is Status.SET_ASIDE:
            return replace(result, rule="stated")
        if binding.derivation is None or binding.status not in (Status.RECOMPUTED, Status.RECORDED):
            return result
        numeral = rounded_operand(numeral)
        verdict = compare_bound(numeral, binding.derivation.quantity, operand)
        if binding.threshold is not None:
            verdict = against(verdict, numeral, binding.derivation, binding.threshold)
        return replace(result, numeral=numeral, verdict=verdict)

    def alone(self, passage: Passage, index: int, numeral: Numeral) -> FigureResult:
        status = Status.UNCOVERED
        rule = ""
        if not numeral.quantity and not numeral.error:
            status, rule = Status.SET_ASIDE, numeral.rule or numeral.kind.value
        elif _counting_word(numeral):
            status, rule = Status.SET_ASIDE, "counting-word"
        elif (passage.path, index) in self.refused:
            rule = _REFUSED
        return FigureResult(self.entry.reference, passage.path, numeral, status, rule=rule)

    def equation(
        self, passage: Passage, equation: Equation, bound: dict[int, Bound], results: dict[int, FigureResult]
    ) -> None:
        quantities = {
            i: b.derivation.quantity
            for i in equation.operands
            if (b := bound.get(i)) is not None and b.derivation is not None
        }
        names = _names_nearby(passage, equation)
        numerals = list(passage.numerals)
        for i in quantities:
            numerals[i] = rounded_operand(numerals[i])
        verdicts = check_equation(equation, numerals, quantities, names)
        known = [v for v in verdicts if v.grade is not None]
        inputs_hold = all(
            held.verdict is None or held.verdict.holds
            for index in equation.operands
            if (held := results.get(index)) is not None
        )
        if quantities and inputs_hold and not all(v.holds for v in known):
            # `2 × 295.3 = 591 tokens`: the 2 is bytes and nobody prints them. Each bound number is right by itself, so
            # it is enough that the arithmetic holds as printed. Rounding excuses nothing here: what the bound numbers
            # stand for is known.
            printed = [v for v in check_equation(equation, passage.numerals, {}, names) if v.grade is not None]
            if printed and all(v.holds and v.grade is not Grade.OVERLAP for v in printed):
                known = printed
        if not known:
            return
        worst = max(known, key=lambda v: (not v.holds, LOUDNESS.index(v.level)))
        text = passage.text[equation.start : equation.end]
        givens_hold = all(
            held.verdict is None or held.verdict.holds
            for index in equation.operands[:-1]
            if (held := results.get(index)) is not None
        )
        for index in equation.operands:
            numeral = passage.numerals[index]
            held = results.get(index)
            if held is None:
                results[index] = FigureResult(
                    self.entry.reference, passage.path, numeral, Status.EQUATION, verdict=worst, equation=text
                )
                continue
            verdict = held.verdict
            if verdict is not None and not verdict.holds and index == equation.operands[-1] and givens_hold:
                # Right from the numbers printed beside it, though not from the records: rounded twice.
                rounded = next((v for v in known if v.holds and v.grade is Grade.DOUBLE_ROUNDING), None)
                verdict = rounded or verdict
            results[index] = replace(held, equation=text, verdict=verdict)
        if not worst.holds or worst.level in ("warning", "error"):
            self.equation_finding(passage, equation, worst, results)

    def equation_finding(
        self, passage: Passage, equation: Equation, verdict: Verdict, results: dict[int, FigureResult]
    ) -> None:
        # Where the operands are bound and one of them is already wrong, that is the finding; this would repeat it.
        if any(
            (r := results.get(i)) is not None
            and r.derivation is not None
            and r.verdict is not None
            and not r.verdict.holds
            for i in equation.operands
        ):
            return
        text = passage.text[equation.start : equation.end]
        place = self.entry.document.place(passage.path, at=equation.start, length=equation.end - equation.start)
        self.out.findings.append(
            Finding(
                f"equation-{verdict.grade}" if verdict.grade else "equation",
                LEVELS.get(verdict.level, Level.ERROR),
                place,
                _equation_message(text, verdict),
                record=self.entry.reference,
                field=dotted(passage.path),
                found=text,
                because=verdict.because,
                mend=_EQUATION_HELP.get(
                    verdict.grade or "",
                    "correct the number that is wrong, or bind the operands so that their units are known",
                ),
            )
        )

    # Repeats

    def repeats(self) -> None:
        """A repeat of a bound numeral, same digits and unit, counts as bound where it has three digits or more."""
        known: dict[tuple[str, str, Fraction], FigureResult] = {}
        for result in self.out.figures:
            if result.status not in (Status.UNCOVERED, Status.SET_ASIDE, Status.UNVERIFIED):
                known.setdefault(_digits_and_unit(result.numeral), result)
        for index, result in enumerate(self.out.figures):
            if result.status is not Status.UNCOVERED or significant_digits(result.numeral) < _REPEAT_DIGITS:
                continue
            first = known.get(_digits_and_unit(result.numeral))
            if first is not None:
                verdict = first.verdict
                if first.derivation is not None:
                    verdict = compare(result.numeral, first.derivation.quantity)
                self.out.figures[index] = replace(
                    first, path=result.path, numeral=result.numeral, verdict=verdict, rule="repeat"
                )

    # Findings

    def report(self) -> None:
        for result in self.out.figures:
            self.out.findings += self.findings_of(result)

    def findings_of(self, result: FigureResult) -> Iterator[Finding]:
        numeral = result.numeral
        if numeral.error:
            yield self.finding(
                result,
                "numeral-unreadable",
                Level.ERROR,
                f"{numeral.text} cannot be read as one number",
                because=numeral.error.replace("_", " "),
                mend=_ERROR_HELP.get(numeral.error, "write it plainly"),
            )
            return
        if result.status is Status.UNCOVERED and result.rule != _REFUSED:
            yield self.finding(
                result,
                "uncovered",
                Level.ERROR,
                f"nothing says what {numeral.text} {numeral.unit_text}".rstrip() + " is",
                mend="add an entry to figures: that says it (is:, each:, source: or unverified:), or write it as an "
                "equation that holds",
            )
        elif result.verdict is not None and result.derivation is not None and result.verdict.level != "ok":
            yield mismatch(self.entry, result)
        if numeral.lint:
            yield self.finding(
                result,
                f"lint-{numeral.lint.replace('_', '-')}",
                Level.WARNING,
                *_lint(numeral),
            )

    def finding(
        self, result: FigureResult, rule: str, level: Level, message: str, mend: str = "", because: str = ""
    ) -> Finding:
        numeral = result.numeral
        return Finding(
            rule,
            level,
            self.entry.document.place(result.path, at=numeral.at, length=len(numeral.text)),
            message,
            record=self.entry.reference,
            field=dotted(result.path),
            found=numeral.text,
            because=because,
            mend=mend,
        )


LOUDNESS = ["ok", "info", "warning", "error"]

_EQUATION_HELP: dict[str, str] = {
    Grade.UNINFORMATIVE: "print more digits, or bind the operands",
    Grade.OVERLAP: "print the result of what is printed, or more digits of the inputs",
    Grade.ROUNDING: "round the result to the nearest",
}
_ERROR_HELP = {
    "bad_grouping": "put a space after a comma that separates numbers; group digits in threes (1,024) or the Indian way",
    "non_ascii_digits": "write the digits 0 to 9",
    "too_many_digits": "no quantity has that many digits: write fewer",
    "exponent_too_large": "no quantity has such an exponent",
}
#: What can be read in two ways, and how to write it.
_LINTS: dict[str, tuple[str, str]] = {
    "times_higher": (
        "a factor with “higher” or “faster” can mean the ratio or the increase",
        "write “times as high as”, or state the increase",
    ),
    "times_smaller": ("“x smaller” can be read two ways", "write the fraction: a third of it"),
    "kb_or_kib": ("KB can be 1000 or 1024 bytes", "write kB or KiB"),
    "unequal_decimals": (
        "a value and its uncertainty are printed with different decimals",
        "print both to the same place",
    ),
    "ambiguous_over": ("“over” can divide here or mean more than", "write it out: divided by, or more than"),
    "percent_faster": ("a percentage with “faster” can be read two ways", "write the ratio: 1.5 times as fast"),
}


def _lint(numeral: Numeral) -> tuple[str, str]:
    return _LINTS.get(numeral.lint, (f"{numeral.text}: {numeral.lint}", "write it plainly"))


def rounded_operand(numeral: Numeral) -> Numeral:
    """An integer operand that is bound: what it stands for is known, so it is a value as printed, no constant."""
    if numeral.kind is not Kind.CONSTANT or numeral.value is None or not numeral.step:
        return numeral
    half = numeral.step / 2
    return replace(numeral, kind=Kind.MEASURE, interval=Interval(numeral.value - half, numeral.value + half))


def compare_bound(numeral: Numeral, truth: Quantity, operand: bool) -> Verdict:
    """Compare a bound numeral; a bare operand of an equation is read in the customary unit nearest to what it prints."""
    unit = customary_unit(numeral, truth, nearest=True) if operand and numeral.unit is None else None
    verdict = compare(numeral, truth, in_unit=unit)
    if unit is not None and verdict.nearest is not None:
        # What would be printed in its place is bare as well.
        verdict = replace(verdict, nearest=verdict.nearest / unit.scale)
    return verdict


def significant_digits(numeral: Numeral) -> int:
    """Digits of a numeral from its first non-zero one."""
    digits = "".join(c for c in numeral.text if c.isdigit()).lstrip("0")
    return len(digits)


def _digits_and_unit(numeral: Numeral) -> tuple[str, str, Fraction]:
    unit = numeral.unit
    return numeral.text.lstrip("+"), unit.text if unit else "", unit.scale if unit else Fraction(1)


_CARDINALS = frozenset(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"])


def _counting_word(numeral: Numeral) -> bool:
    """A small number word that counts things of the sentence itself (two matrices); fractions and verbs are not."""
    return numeral.kind is Kind.WORD and numeral.text.lower() in _CARDINALS


def _equation_message(text: str, verdict: Verdict) -> str:
    if verdict.holds:
        return f"{text} holds only within the rounding of its inputs"
    return f"{text} cannot be checked" if verdict.grade is Grade.UNINFORMATIVE else f"{text} does not hold"


def _names_nearby(passage: Passage, equation: Equation) -> dict[str, Quantity]:
    """Values of symbols that the text states near an equation: ``2*295.4/g`` with ``g = 4`` in the same sentence."""
    nearby: dict[str, Quantity] = {}
    for numeral in passage.symbolic:
        assert numeral.value is not None
        if equation.start - _NEAR < numeral.at < equation.end + _NEAR:
            between = passage.text[min(numeral.at, equation.start) : max(numeral.at, equation.end)]
            if ". " not in between and numeral.symbol not in nearby:
                dimension = numeral.unit.dimension if numeral.unit else ()
                nearby[numeral.symbol] = Quantity(numeral.value * numeral.base_factor, dimension)
    return nearby
