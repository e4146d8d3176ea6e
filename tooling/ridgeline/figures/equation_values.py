"""What the leaves of an inline equation are worth: as printed, as bare numbers, and from the records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from ridgeline.figures.compare import Quantity, as_interval, compare, customary_unit, midpoint, with_unit
from ridgeline.figures.equation_tree import (
    Amount,
    Call,
    Const,
    DimensionClash,
    Leaf,
    Name,
    Node,
    Op,
    Ref,
    Unevaluable,
    evaluate,
    leaves,
    names,
    references,
)
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import Unit, hard

_BILLION = Unit(Fraction(10**9))


class Values:
    """The numerals, bound quantities and names of one equation.

    ``alternatives`` are the numerals that are read the second way: ``128K`` as 131,072, ``70B`` as seventy billion.
    """

    def __init__(
        self,
        numerals: Sequence[Numeral],
        bound: Mapping[int, Quantity],
        known: Mapping[str, Quantity],
        delimited: frozenset[int] = frozenset(),
    ):
        self.numerals = (
            [replace(n, unit=None, unit_text="", symbol="") if i in delimited else n for i, n in enumerate(numerals)]
            if delimited
            else numerals
        )
        self.bound = bound
        self.known = known
        self.alternatives: frozenset[int] = frozenset()
        self._numerals: dict[tuple[int, bool], Numeral] = {}
        self._amounts: dict[tuple[int, bool], Amount] = {}

    def has_alternative(self, index: int) -> bool:
        """Whether a numeral can be read in two ways."""
        numeral = self.numerals[index]
        return numeral.alternative is not None or (numeral.unit_text == "B" and index not in self.bound)

    def numeral(self, index: int) -> Numeral:
        """A numeral with its unit: the printed one, else the one in which its bound quantity prints so."""
        key = (index, index in self.alternatives)
        found = self._numerals.get(key)
        if found is None:
            found = self._numerals[key] = self._numeral(index)
        return found

    def _numeral(self, index: int) -> Numeral:
        numeral = self.numerals[index]
        if numeral.value is None and numeral.kind is Kind.DIMENSION:
            value = _shape(numeral.text)
            numeral = replace(numeral, value=value, interval=Interval.point(value), step=Fraction(1))
        if index in self.alternatives and numeral.alternative is None and numeral.unit_text == "B":
            return replace(with_unit(replace(numeral, unit_text=""), _BILLION), unit=None)
        if numeral.unit is None and index in self.bound:
            unit = customary_unit(numeral, self.bound[index], nearest=True)
            return numeral if unit is None else with_unit(numeral, unit)
        return numeral

    def printed(self, at: Ref | Name) -> Amount:
        """A leaf as printed, in canonical base units."""
        if isinstance(at, Name):
            quantity = self.known[at.text]
            return Amount(midpoint(as_interval(quantity.value), Fraction(0)), quantity.dimension)
        key = (at.index, at.index in self.alternatives)
        found = self._amounts.get(key)
        if found is None:
            numeral = self.numeral(at.index)
            value = self._value(numeral, at.index)
            unit = numeral.unit
            found = Amount(value) if unit is None else Amount(value * unit.base_factor, unit.dimension)
            self._amounts[key] = found
        return found

    def true(self, at: Ref | Name) -> Amount:
        """A leaf from the records where it is bound, else as printed."""
        if isinstance(at, Ref) and at.index in self.bound:
            quantity = self.bound[at.index]
            return Amount(midpoint(as_interval(quantity.value), Fraction(0)), quantity.dimension)
        return self.printed(at)

    def number(self, at: Ref | Name) -> Amount:
        """A leaf as the bare number that is printed, unit and percent sign left out."""
        if isinstance(at, Name):
            return self.printed(at)
        numeral = self.numeral(at.index)
        value = self._value(numeral, at.index)
        if numeral.kind in (Kind.PERCENT, Kind.CHANGE):
            return Amount(value * 100)
        return Amount(value if numeral.unit is None else value / numeral.unit.scale)

    def pins(self, at: Ref | Name) -> Amount:
        """A leaf as printed, but for a width in bits (``5,120-bit bus``), which counts pins."""
        amount = self.printed(at)
        return Amount(amount.value * 8) if self.is_width(at) else amount

    def true_pins(self, at: Ref | Name) -> Amount:
        """The same from the records."""
        amount = self.true(at)
        return Amount(amount.value * (8 if amount.dimension else 1)) if self.is_width(at) else amount

    def is_width(self, at: Node) -> bool:
        """Whether a leaf is a whole number of bits."""
        unit = self.numeral(at.index).unit if isinstance(at, Ref) else None
        return unit is not None and unit.factors == (("bit", 1),) and unit.scale == 1

    def _value(self, numeral: Numeral, index: int) -> Fraction:
        second = index in self.alternatives and numeral.alternative is not None
        value = numeral.alternative if second else numeral.value
        if value is None:
            raise Unevaluable(f"{numeral.text} has no value")
        return value

    def ranges(self, node: Node, leaf: Leaf) -> dict[int, Interval]:
        """The interval of each printed input in the terms of ``leaf``; integers are exact."""
        result = {}
        for index in references(node):
            numeral = self.numeral(index)
            second = index in self.alternatives and numeral.alternative is not None
            interval = _input_interval(numeral, second)
            value = self._value(numeral, index)
            if interval is not None and value:
                result[index] = interval.scaled(leaf(Ref(index)).value / value)
        return result

    def record_ranges(self, bound: Sequence[int], true_leaf: Leaf) -> dict[int, Interval]:
        """The interval of each bound input in the terms of ``true_leaf``; a point where the record is exact."""
        result = {}
        for index in bound:
            quantity = as_interval(self.bound[index].value)
            middle = midpoint(quantity, Fraction(0))
            factor = true_leaf(Ref(index)).value / middle if middle else Fraction(1)
            result[index] = quantity.scaled(factor) if factor > 0 else Interval.point(middle * factor)
        return result

    def agrees(self, index: int) -> bool:
        """Whether a bound numeral still prints its quantity; a stale one supports nothing."""
        return compare(self.numeral(index), self.bound[index]).holds

    def prints_unit(self, index: int) -> bool:
        """Whether a numeral itself prints a unit of a hard dimension."""
        unit = self.numerals[index].unit
        return unit is not None and bool(hard(unit.dimension))

    def has_units(self, node: Node) -> bool:
        """Whether any leaf carries a hard dimension."""
        return any(bool(hard(evaluate(x, self.printed).dimension)) for x in leaves(node))

    def true_number(self, at: Ref | Name) -> Amount:
        """A bound leaf from the records, as the bare number in the unit it is printed in."""
        if not isinstance(at, Ref) or at.index not in self.bound:
            return self.number(at)
        printed, number, true = self.printed(at).value, self.number(at).value, self.true(at).value
        return Amount(true * number / printed if printed else number)

    def common_unit(self, node: Node) -> Unit | None:
        """The one unit of a side whose other operands are bare (``80 - 16 GB``, ``4 × 80 GB``), or ``None``."""
        units = {self.numeral(i).unit for i in references(node)} - {None}
        units = {unit for unit in units if unit is not None and hard(unit.dimension)}
        if len(units) != 1 or names(node) or any(isinstance(x, Const) and x.unit for x in leaves(node)):
            return None
        (unit,) = units
        try:
            dimension = evaluate(node, self.printed).dimension
        except DimensionClash:
            return unit if only_sums(node) else None
        return unit if unit is not None and hard(dimension) == hard(unit.dimension) else None


def only_sums(node: Node) -> bool:
    """Whether a tree only adds and subtracts."""
    if not isinstance(node, Op):
        return not isinstance(node, Call)
    return node.sign in "+-" and only_sums(node.left) and only_sums(node.right)


def _shape(text: str) -> Fraction:
    """The product of a shape: ``61x128x128``."""
    total = Fraction(1)
    for digits in re.findall(r"[0-9][0-9,]{0,40}", text)[:16]:
        total *= int(digits.replace(",", ""))
    return total


def _input_interval(numeral: Numeral, alternative: bool) -> Interval | None:
    """What a printed input may stand for: its rounding interval where it prints a point, exactly itself otherwise."""
    value = numeral.alternative if alternative else numeral.value
    if value is None:
        return None
    if numeral.comparator is Comparator.APPROX:
        return numeral.alternative_interval if alternative else numeral.interval
    if numeral.kind is Kind.WORD or "." not in numeral.text or not numeral.step:
        return Interval.point(value)
    return Interval(value - numeral.step / 2, value + numeral.step / 2)


def as_output(numeral: Numeral, sign: str) -> Numeral:
    """A numeral as the result of a computation: an integer is ± half its last place, ``≈`` widens, ± is a tolerance."""
    value = numeral.value
    if value is None or numeral.interval is None:
        return numeral
    step = numeral.step
    if not step:
        step = Fraction(1) if numeral.unit is None else numeral.unit.scale
        numeral = replace(numeral, step=step)
    half = step / 2
    if numeral.uncertainty is not None:
        half = max(half, numeral.uncertainty)
    comparator = numeral.comparator
    if sign == "≈" and comparator is Comparator.EQ:
        comparator = Comparator.APPROX
        half = max(half, min(_significant(numeral, step), abs(value) / 20))
    elif comparator is not Comparator.EQ or numeral.kind is Kind.WORD:
        return numeral
    interval = Interval(value - half, value + half)
    return replace(numeral, comparator=comparator, interval=interval)


def _significant(numeral: Numeral, step: Fraction) -> Fraction:
    """The place of the last significant digit: that of the last non-zero one where no point is printed."""
    if "." in numeral.text or not numeral.value:
        return step
    count: Fraction = abs(numeral.value / step)
    if count.denominator != 1:
        return step
    digits = str(count.numerator)
    return step * Fraction(10) ** (len(digits) - len(digits.rstrip("0")))


def significant_digits(numeral: Numeral) -> int:
    """How many digits a numeral gives, zeros at the end of a whole number left out: 2 for ``1,700``, 3 for ``212``."""
    digits = re.sub(r"[^0-9.].*$", "", re.sub(r"[,_\s]", "", numeral.text.lstrip("+-−")))
    digits = digits.replace(".", "") if "." in digits else digits.rstrip("0")
    return len(digits.lstrip("0"))
