"""Exact values with dimensions, and the arithmetic on them.

A value is in canonical base units (``numbers.units``): bytes, seconds, joules. It is a :class:`~fractions.Fraction`
where it is exact and a closed, finite :class:`~ridgeline.numbers.interval.Interval` around the true value where a root
or a logarithm is irrational. Sizes are checked before each step, so no operation can be made to run long, and where a budget
is given, a step is paid for by its size.

Functions raise an unplaced :class:`FormulaError` where they refuse, and append to ``notes`` what is doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ridgeline.formulas.errors import INTERVAL, MAX_BITS, MAX_EXPONENT, POWER, Budget, FormulaError, effort
from ridgeline.numbers.interval import Interval, exact_text
from ridgeline.numbers.units import HARD, Dimension, Unit, describe, hard, multiply, power

Value = Fraction | Interval
PURE: Dimension = ()

#: Ends of intervals are rounded outward to this many bits, so that they cannot grow with each step.
_INTERVAL_BITS = 256

_multiply = lru_cache(maxsize=4096)(multiply)
_power = lru_cache(maxsize=4096)(power)
_hard = lru_cache(maxsize=4096)(hard)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in canonical base units and its dimension."""

    value: Value
    dimension: Dimension = PURE

    @classmethod
    def of(cls, value: Fraction | int, unit: Unit | None = None) -> Quantity:
        """So many of a unit: ``Quantity.of(3, parse_unit("GB"))`` is 3,000,000,000 byte."""
        return cls(Fraction(value)) if unit is None else cls(value * unit.factor, unit.dimension)

    @property
    def exact(self) -> bool:
        return isinstance(self.value, Fraction)

    @property
    def low(self) -> Fraction:
        return ends(self.value)[0]

    @property
    def high(self) -> Fraction:
        return ends(self.value)[1]

    @property
    def interval(self) -> Interval:
        return self.value if isinstance(self.value, Interval) else Interval.point(self.value)

    @property
    def middle(self) -> Fraction:
        """The value, or the middle of its interval."""
        return self.value if isinstance(self.value, Fraction) else (self.low + self.high) / 2

    def number(self, unit: Unit) -> Value:
        """The value counted in a unit of the same hard dimension; :class:`FormulaError` for another one."""
        common(self.dimension, unit.dimension, None, "read in")
        return scaled(self.value, 1 / unit.factor)

    def __float__(self) -> float:
        """The nearest float, infinite where there is none: for display and cross-checks only."""
        try:
            return float(self.middle)
        except OverflowError:
            return float("inf") if self.middle > 0 else float("-inf")

    def __str__(self) -> str:
        text = exact_text(self.value) if isinstance(self.value, Fraction) else str(self.value)
        return text if not self.dimension else f"{text} {describe(self.dimension)}"


def ends(value: Value) -> tuple[Fraction, Fraction]:
    """The least and greatest value; an interval of this module always has both."""
    if isinstance(value, Fraction):
        return value, value
    if value.low is None or value.high is None:
        raise FormulaError("the value has no finite bounds")
    return value.low, value.high


def between(low: Fraction, high: Fraction) -> Value:
    """The closed interval, its ends rounded outward where they are long; one exact value where they are equal."""
    if low == high:
        return low
    return Interval(shortened(low, up=False), shortened(high, up=True))


def shortened(value: Fraction, *, up: bool, length: int = _INTERVAL_BITS) -> Fraction:
    """A value of ``length`` significant bits just above (``up``) or just below, itself where it is short already."""
    if bits(value) <= 2 * length:
        return value
    shift = length - value.numerator.bit_length() + value.denominator.bit_length()
    top, bottom = value.numerator << max(shift, 0), value.denominator << max(-shift, 0)
    rounded = -(-top // bottom) if up else top // bottom
    return Fraction(rounded, 1 << shift) if shift >= 0 else Fraction(rounded << -shift)


def size(value: Value) -> int:
    """The length of a value, both ends of an interval counted."""
    if isinstance(value, Fraction):
        return bits(value)
    low, high = ends(value)
    return bits(low) + bits(high)


def bits(value: Fraction) -> int:
    """The length of numerator and denominator together, which bounds the work of one step."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def too_big() -> FormulaError:
    """The refusal of a step whose result would be too long."""
    return FormulaError(f"the result would need more than {MAX_BITS:,} bits")


def common(a: Dimension, b: Dimension, notes: list[str] | None, verb: str) -> Dimension:
    """The dimension of a sum of two.

    Hard parts are equal or it is an error; a pure number takes the other's count; counts that differ are noted.
    """
    if a == b:
        return a
    if _hard(a) != _hard(b):
        raise FormulaError(f"{describe(a)} cannot be {verb} {describe(b)}")
    if not a or not b:
        return a or b
    if notes is not None:
        notes.append(f"{describe(a)} {verb} {describe(b)}: the counts differ")
    return a


# Arithmetic. The first branch of each is the exact case.


def add(a: Quantity, b: Quantity, notes: list[str] | None = None, budget: Budget | None = None) -> Quantity:
    """``a + b``, of one dimension (see :func:`common`)."""
    dimension = a.dimension
    if dimension != b.dimension:
        dimension = common(dimension, b.dimension, notes, "added to")
    x, y = a.value, b.value
    if type(x) is Fraction and type(y) is Fraction:
        return Quantity(_sum(x, y, budget), dimension)
    (low, high), (low2, high2) = ends(x), ends(y)
    _spend(budget, INTERVAL)
    return Quantity(between(_sum(low, low2, budget), _sum(high, high2, budget)), dimension)


def subtract(a: Quantity, b: Quantity, notes: list[str] | None = None, budget: Budget | None = None) -> Quantity:
    """``a - b``, of one dimension (see :func:`common`)."""
    if a.dimension != b.dimension:
        common(a.dimension, b.dimension, notes, "reduced by")
    return add(a, Quantity(negated(b.value), b.dimension if not a.dimension else a.dimension), None, budget)


def times(a: Quantity, b: Quantity, notes: list[str] | None = None, budget: Budget | None = None) -> Quantity:
    """``a * b``."""
    x, y = a.value, b.value
    dimension = _product_dimension(a.dimension, b.dimension)
    if type(x) is Fraction and type(y) is Fraction:
        return Quantity(_product(x, y, budget), dimension)
    _spend(budget, INTERVAL)
    products = [_product(p, q, budget) for p in ends(x) for q in ends(y)]
    return Quantity(between(min(products), max(products)), dimension)


def divide(a: Quantity, b: Quantity, notes: list[str] | None = None, budget: Budget | None = None) -> Quantity:
    """``a / b``; refused where ``b`` is or may be zero."""
    x, y = a.value, b.value
    dimension = _multiply(a.dimension, b.dimension, -1) if b.dimension else a.dimension
    if type(y) is Fraction:
        if not y:
            raise FormulaError("division by zero")
        if type(x) is Fraction:
            _afford(bits(x) + bits(y), budget)
            return Quantity(x / y, dimension)
    low, high = ends(y)
    if low <= 0 <= high:
        raise FormulaError("division by a value that may be zero")
    _spend(budget, INTERVAL)
    quotients = [_product(p, 1 / q, budget) for p in ends(x) for q in (low, high)]
    return Quantity(between(min(quotients), max(quotients)), dimension)


def raised(a: Quantity, b: Quantity, notes: list[str] | None = None, budget: Budget | None = None) -> Quantity:
    """``a ^ b``: the exponent is a pure integer of magnitude at most 64."""
    exponent = b.value
    if b.dimension:
        if _hard(b.dimension):
            raise FormulaError(f"an exponent has no unit, this one is in {describe(b.dimension)}")
        if notes is not None:
            notes.append(f"an exponent counted in {describe(b.dimension)}")
    if type(exponent) is not Fraction or exponent.denominator != 1:
        raise FormulaError("an exponent is an integer; write sqrt(x) for a square root")
    if abs(exponent.numerator) > MAX_EXPONENT:
        raise FormulaError(f"an exponent has a magnitude of at most {MAX_EXPONENT}")
    return Quantity(power_of(a.value, exponent.numerator, budget), _power(a.dimension, exponent.numerator))


def power_of(value: Value, exponent: int, budget: Budget | None = None) -> Value:
    """An integer power within the limits; zero to a negative power is a division by zero."""
    if type(value) is Fraction:
        if exponent < 0 and not value:
            raise FormulaError("division by zero: zero to a negative power")
        _afford(bits(value) * abs(exponent), budget)
        # Fraction ** int answers a float only for fractional exponents.
        return Fraction(value**exponent)
    low, high = ends(value)
    if exponent < 0 and low <= 0 <= high:
        raise FormulaError("division by a value that may be zero")
    _spend(budget, POWER)
    at_ends = [power_by_steps(end, exponent) for end in (low, high)]
    least = min(low for low, _ in at_ends)
    if low < 0 < high and exponent > 0 and exponent % 2 == 0:
        least = Fraction(0)
    return between(least, max(high for _, high in at_ends))


def power_by_steps(base: Fraction, exponent: int) -> tuple[Fraction, Fraction]:
    """Bounds on an integer power by repeated squaring, rounded outward at each step so that they stay short."""
    negative = base < 0 and exponent % 2 == 1
    if exponent < 0:
        base, exponent = 1 / base, -exponent
    low = high = abs(base)
    result_low = result_high = Fraction(1)
    while exponent:
        if exponent & 1:
            result_low = shortened(_product(result_low, low), up=False)
            result_high = shortened(_product(result_high, high), up=True)
        exponent >>= 1
        if exponent:
            low, high = shortened(_product(low, low), up=False), shortened(_product(high, high), up=True)
    return (-result_high, -result_low) if negative else (result_low, result_high)


def negated(value: Value) -> Value:
    """A value with the other sign."""
    if isinstance(value, Fraction):
        return -value
    low, high = ends(value)
    return Interval(-high, -low)


def scaled(value: Value, factor: Fraction, budget: Budget | None = None) -> Value:
    """A value times a positive factor."""
    if isinstance(value, Fraction):
        return _product(value, factor, budget)
    low, high = ends(value)
    _spend(budget, INTERVAL)
    return between(_product(low, factor, budget), _product(high, factor, budget))


def compare(a: Quantity, b: Quantity) -> int | None:
    """-1, 0 or 1 as ``a`` is less, equal or greater; ``None`` where intervals overlap and it cannot be told.

    Raises :class:`FormulaError` for different hard dimensions.
    """
    common(a.dimension, b.dimension, None, "compared with")
    if a.exact and b.exact:
        return (a.low > b.low) - (a.low < b.low)
    if a.high < b.low:
        return -1
    return 1 if a.low > b.high else None


def square_root_dimension(dimension: Dimension, notes: list[str]) -> Dimension:
    """Half of each exponent; an odd exponent is an error in a hard dimension, dropped with a note in a count."""
    odd = tuple(part for part in dimension if part[1] % 2)
    if _hard(odd):
        raise FormulaError(f"the square root of a value in {describe(dimension)} has no unit")
    if odd:
        notes.append(f"the square root of a value in {describe(dimension)}")
    return tuple((symbol, exponent // 2) for symbol, exponent in dimension if exponent % 2 == 0)


def agrees(dimension: Dimension, unit: Unit) -> bool:
    """Whether a result may be stated in a unit: hard parts equal, flop allowed for a count that carries none."""
    stated = _hard(unit.dimension)
    found = _hard(dimension)
    return found == stated or multiply(found, (("flop", 1),)) == stated


def soft_part(dimension: Dimension) -> Dimension:
    """The counts of a dimension, which are checked as warnings."""
    return tuple((symbol, exponent) for symbol, exponent in dimension if symbol not in HARD)


def _afford(size: int, budget: Budget | None) -> None:
    """Refuse an operation on numbers that are too long together, or that the budget has no steps for."""
    if size > MAX_BITS:
        raise too_big()
    if budget is not None:
        budget.spend(effort(size))


def _spend(budget: Budget | None, steps: int) -> None:
    if budget is not None:
        budget.spend(steps)


def _sum(a: Fraction, b: Fraction, budget: Budget | None = None) -> Fraction:
    _afford(bits(a) + bits(b), budget)
    return a + b


def _product(a: Fraction, b: Fraction, budget: Budget | None = None) -> Fraction:
    _afford(bits(a) + bits(b), budget)
    return a * b


def _product_dimension(a: Dimension, b: Dimension) -> Dimension:
    if not a:
        return b
    return _multiply(a, b) if b else a
