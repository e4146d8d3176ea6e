"""Exact intervals with open or closed ends; ``None`` as an end is infinite."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Interval:
    """A set of rationals between two ends. ``low is None`` is minus infinity, ``high is None`` plus infinity."""

    low: Fraction | None
    high: Fraction | None
    low_closed: bool = True
    high_closed: bool = True

    @classmethod
    def point(cls, value: Fraction) -> Interval:
        return cls(value, value)

    @property
    def exact(self) -> bool:
        return self.low is not None and self.low == self.high

    def contains(self, value: Fraction) -> bool:
        if self.low is not None and (value < self.low or (value == self.low and not self.low_closed)):
            return False
        return not (self.high is not None and (value > self.high or (value == self.high and not self.high_closed)))

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals share at least one value."""
        for a, b in ((self, other), (other, self)):
            if a.high is None or b.low is None:
                continue
            if a.high < b.low or (a.high == b.low and not (a.high_closed and b.low_closed)):
                return False
        return True

    def within(self, other: Interval) -> bool:
        """Whether every value of this interval lies in the other."""
        if other.low is not None and (
            self.low is None
            or self.low < other.low
            or (self.low == other.low and self.low_closed and not other.low_closed)
        ):
            return False
        return not (
            other.high is not None
            and (
                self.high is None
                or self.high > other.high
                or (self.high == other.high and self.high_closed and not other.high_closed)
            )
        )

    def scaled(self, factor: Fraction) -> Interval:
        """Every value times a positive factor."""
        if factor == 1:
            return self
        if self.low is self.high and self.low is not None:
            end = self.low * factor
            return Interval(end, end, self.low_closed, self.high_closed)
        return Interval(
            None if self.low is None else self.low * factor,
            None if self.high is None else self.high * factor,
            self.low_closed,
            self.high_closed,
        )

    def __str__(self) -> str:
        """``[0.5, 1.5]``; both ends as fractions where one has no finite decimal: ``[19/30, 7/10]``."""
        ends = [exact_text(end) for end in (self.low, self.high) if end is not None]
        write = str if any("/" in end for end in ends) else exact_text
        low = "-inf" if self.low is None else write(self.low)
        high = "inf" if self.high is None else write(self.high)
        opening = "[" if self.low_closed and self.low is not None else "("
        closing = "]" if self.high_closed and self.high is not None else ")"
        return f"{opening}{low}, {high}{closing}"


#: More digits than anybody reads; and Python refuses to write integers of more than 4,300.
_MAX_PLACES = 1_000


def exact_text(value: Fraction) -> str:
    """A finite decimal where there is one of at most 1,000 places (``3.35``, ``-0.5``), else ``p/q``. Never rounded."""
    denominator = value.denominator
    if denominator == 1:
        return str(value.numerator)
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    places = max(twos, fives)
    if denominator != 1 or places > _MAX_PLACES:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]
