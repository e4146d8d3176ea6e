"""What a sentence concludes from its numbers: a side of a threshold, a comparison in words, an order of two numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from ridgeline.figures.compare import Grade, Verdict
from ridgeline.figures.figure import FigureResult, Path
from ridgeline.figures.printing import show
from ridgeline.findings.finding import Waived
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import Relation, parse_comparison
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import describe, hard

Side = Literal["above", "below"]

#: Words that put the numbers on their two sides into an order.
_ORDERS = re.compile(
    r"\b(?:than|exceed(?:s|ed|ing)?|beats?|overtak(?:es|en|ing)|outruns?|surpass(?:es|ed)?|above|below|ahead of|behind)\b"
)
_FROM = re.compile(r"\bfrom\s+$")
_TO = re.compile(r"^\s?\S{0,20}\s+to\s+$")
#: Two numbers that a sentence compares stand at most this far apart, in characters.
_FAR = 120


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a sentence puts a value above or below."""

    side: Side
    expression: str
    derivation: Derivation

    def holds(self, value: Quantity) -> bool:
        """Whether a value is certainly on the side that the sentence says."""
        limit = self.derivation.quantity
        return value.low > limit.high if self.side == "above" else value.high < limit.low


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A claim that has two sides and holds or does not.

    ``path``, ``at`` and ``length`` are the words in the record's prose that make it, ``claim`` the comparison.
    """

    record: str
    path: Path
    at: int
    length: int
    words: str
    claim: str
    left: Derivation
    relation: Relation
    right: Derivation
    waived: Waived | None = None

    @property
    def holds(self) -> bool:
        """Whether it is certainly so."""
        a, b = self.left.quantity, self.right.quantity
        match self.relation:
            case "<":
                return a.high < b.low
            case "<=":
                return a.high <= b.low
            case ">":
                return a.low > b.high
            case ">=":
                return a.low >= b.high

    @property
    def sides(self) -> str:
        """Both values, as a message prints them."""
        return f"{show(self.left.quantity, self.left.unit)} against {show(self.right.quantity, self.right.unit)}"


def compared(resolver: Resolver, text: str, scope: Scope) -> tuple[Derivation, Relation, Derivation]:
    """Both sides of a comparison in a scope. Raises :class:`FormulaError`, also where the dimensions differ."""
    left, relation, right = parse_comparison(text)
    a, b = resolver.evaluate(left, scope), resolver.evaluate(right, scope)
    same_dimension(a.quantity, b.quantity)
    return a, relation, b


def same_dimension(value: Quantity, limit: Quantity) -> None:
    """Raise :class:`FormulaError` for two quantities that no order joins."""
    if hard(value.dimension) != hard(limit.dimension):
        raise FormulaError(f"{describe(value.dimension)} cannot be compared with {describe(limit.dimension)}")


def of_threshold(result: FigureResult, threshold: Threshold) -> Conclusion | None:
    """The conclusion that a numeral with a threshold draws."""
    if result.derivation is None:
        return None
    numeral = result.numeral
    relation: Relation = ">" if threshold.side == "above" else "<"
    claim = f"{result.expression} {relation} {threshold.expression}"
    return Conclusion(
        result.record, result.path, numeral.at, len(numeral.text), numeral.text, claim,
        result.derivation, relation, threshold.derivation,
    )  # fmt: skip


def against(verdict: Verdict, numeral: Numeral, truth: Derivation, threshold: Threshold) -> Verdict:
    """A verdict with the threshold considered.

    A true value on the other side turns the claim round. A printed one on the other side misleads, but the words stand.
    """
    limit = f"{threshold.expression} = {show(threshold.derivation.quantity, threshold.derivation.unit)}"
    if not threshold.holds(truth.quantity):
        because = f"the sentence puts it {threshold.side} {limit}; the true value is {show(truth.quantity, truth.unit)}"
        return replace(
            verdict, grade=Grade.DECISION, holds=False, level="error", because=because, tie=False,
            digits_stand=verdict.holds,
        )  # fmt: skip
    printed = _printed(numeral, truth)
    if not verdict.holds and printed is not None and not threshold.holds(printed):
        because = f"{verdict.because}; printed is on the other side of {limit}"
        return replace(verdict, grade=Grade.DECISION, because=because, words_stand=True)
    return verdict


def _printed(numeral: Numeral, truth: Derivation) -> Quantity | None:
    """What a numeral prints as a quantity; ``None`` where its unit is not printed and must be guessed."""
    if numeral.value is None:
        return None
    if numeral.unit is None:
        return None if hard(truth.quantity.dimension) else Quantity(numeral.value)
    return Quantity(numeral.value * numeral.unit.base_factor, numeral.unit.dimension)


def orders(
    text: str, numerals: Sequence[Numeral], results: Mapping[int, FigureResult]
) -> Iterator[tuple[int, Verdict]]:
    """Numerals that a sentence compares in an order which their true values do not have, each with its new verdict."""
    computed = sorted(i for i, r in results.items() if r.derivation is not None and r.verdict is not None)
    for i, j in pairwise(computed):
        first, second = numerals[i], numerals[j]
        if not _ordered(text, first, second):
            continue
        a, b = results[i].derivation, results[j].derivation
        assert a is not None and b is not None
        printed = _order(first, second)
        if printed is None or hard(a.quantity.dimension) != hard(b.quantity.dimension):
            continue
        true_a, true_b = a.quantity, b.quantity
        reversed_ = true_a.low > true_b.high if printed < 0 else true_a.high < true_b.low
        if not reversed_:
            continue
        because = f"the order is the other way round: {show(true_a, a.unit)} and {show(true_b, b.unit)}"
        for index in (i, j):
            verdict = results[index].verdict
            if verdict is not None and not verdict.holds and verdict.grade is not Grade.DECISION:
                yield index, replace(verdict, grade=Grade.DECISION, level="error", because=because)


def _ordered(text: str, first: Numeral, second: Numeral) -> bool:
    """Whether the words between two numerals compare them."""
    between = text[first.end : second.at]
    if len(between) > _FAR or ". " in between or ";" in between:
        return False
    return bool(_ORDERS.search(between)) or bool(_FROM.search(text[: first.at][-12:]) and _TO.search(between))


def _order(first: Numeral, second: Numeral) -> int | None:
    """The order of two printed values; ``None`` where they are equal or not in one dimension."""
    if first.value is None or second.value is None or (first.unit is None) != (second.unit is None):
        return None
    a, b = first.value, second.value
    if first.unit is not None and second.unit is not None:
        if hard(first.unit.dimension) != hard(second.unit.dimension):
            return None
        a *= first.unit.base_factor
        b *= second.unit.base_factor
    return None if a == b else -1 if a < b else 1


__all__ = ["Conclusion", "Threshold", "against", "compared", "of_threshold", "orders", "same_dimension"]
