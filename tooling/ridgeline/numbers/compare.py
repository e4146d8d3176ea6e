"""What a printed value claims about the true one: the interval of each comparator, ties, and whether a value holds."""

from __future__ import annotations

from fractions import Fraction

from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

_EXACT = frozenset({Kind.CONSTANT, Kind.DEFINITION, Kind.MULTIPLICITY, Kind.RATIO_PAIR})


def bounds(kind: Kind, comparator: Comparator, value: Fraction, step: Fraction, significant: Fraction) -> Interval:
    """Where the true value must lie. ``step`` is u and ``significant`` t, all three in the same base units."""
    size = abs(value)
    half = step / 2
    if comparator is Comparator.APPROX:
        slack = size / 20 if kind is Kind.WORD else max(half, min(significant, size / 20))
        return Interval(value - slack, value + slack)
    if comparator is Comparator.NOMINAL:
        return Interval(value - size / 10, value + size / 10)
    if comparator in (Comparator.NEARLY, Comparator.JUST_OVER):
        # A word or an exact power has no last digit: the cap of a tenth stands alone.
        slack = min(significant, size / 10) if step else size / 10
        if comparator is Comparator.NEARLY:
            return Interval(value - slack, value, True, False)
        return Interval(value, value + slack, False, True)
    if comparator is Comparator.GT:
        return Interval(value, None, False, False)
    if comparator is Comparator.GE:
        return Interval(value, None, True, False)
    if comparator is Comparator.LT:
        return Interval(None, value, False, False)
    if comparator is Comparator.LE:
        return Interval(None, value, False, True)
    if kind in _EXACT or not step:
        return Interval.point(value)
    return Interval(value - half, value + half)


def tightness(comparator: Comparator, value: Fraction, significant: Fraction) -> Interval | None:
    """Where a true value makes a lower bound a close one: (v, v + t]. ``None`` for the other comparators."""
    if comparator in (Comparator.GT, Comparator.GE) and significant:
        return Interval(value, value + significant, False, True)
    return None


def mirrored(interval: Interval | None) -> Interval | None:
    """The interval of the negated values, for changes whose verb gives the sign."""
    if interval is None:
        return None
    low = None if interval.high is None else -interval.high
    high = None if interval.low is None else -interval.low
    return Interval(low, high, interval.high_closed, interval.low_closed)


def holds(numeral: Numeral, value: Fraction) -> bool:
    """Whether a true value, in base units of the numeral, satisfies what is printed.

    Either reading of a set-valued ``8k`` will do. A vague power of ten is met within half an order of magnitude.
    """
    if numeral.vague and numeral.value:
        ratio = value / numeral.value
        return ratio > 0 and Fraction(1, 10) <= ratio * ratio <= 10
    if numeral.interval is not None and numeral.interval.contains(value):
        return True
    return numeral.alternative_interval is not None and numeral.alternative_interval.contains(value)


def tie(numeral: Numeral, value: Fraction) -> bool:
    """Whether a true value lies exactly half a last place from what is printed, so that the rounding mode decides."""
    if numeral.comparator is not Comparator.EQ or not numeral.step or numeral.value is None:
        return False
    if numeral.interval is None or numeral.interval.exact:
        return False
    return abs(value - numeral.value) * 2 == numeral.step
