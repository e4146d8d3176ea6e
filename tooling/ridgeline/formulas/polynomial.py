"""Quotients of polynomials in one symbol, exact and of bounded degree: just enough algebra to solve crossovers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ridgeline.formulas.errors import MAX_BITS, Budget, FormulaError, effort
from ridgeline.formulas.quantity import bits, too_big

MAX_DEGREE = 8

#: Coefficients from the constant upward; the last is not zero; ``()`` is the zero polynomial.
Polynomial = tuple[Fraction, ...]


class NotRational(Exception):
    """The tree is no rational function of the symbol, or one of too high a degree."""


@dataclass(frozen=True, slots=True)
class Rational:
    """``top / bottom`` in lowest terms; ``bottom`` has the leading coefficient 1."""

    top: Polynomial
    bottom: Polynomial

    @classmethod
    def constant(cls, value: Fraction) -> Rational:
        return cls((value,) if value else (), (Fraction(1),))

    @classmethod
    def symbol(cls) -> Rational:
        return cls((Fraction(0), Fraction(1)), (Fraction(1),))

    def plus(self, other: Rational, budget: Budget) -> Rational:
        if self.bottom == other.bottom:
            return _reduced(_add(self.top, other.top, budget), self.bottom, budget)
        top = _add(_multiply(self.top, other.bottom, budget), _multiply(other.top, self.bottom, budget), budget)
        return _reduced(top, _multiply(self.bottom, other.bottom, budget), budget)

    def negated(self) -> Rational:
        return Rational(tuple(-c for c in self.top), self.bottom)

    def minus(self, other: Rational, budget: Budget) -> Rational:
        return self.plus(other.negated(), budget)

    def times(self, other: Rational, budget: Budget) -> Rational:
        return _reduced(_multiply(self.top, other.top, budget), _multiply(self.bottom, other.bottom, budget), budget)

    def inverse(self, budget: Budget) -> Rational:
        if not self.top:
            raise FormulaError("division by zero")
        return _reduced(self.bottom, self.top, budget)

    def power(self, exponent: int, budget: Budget) -> Rational:
        """A power that is not negative."""
        if exponent and max(len(self.top), len(self.bottom)) > 1 and exponent > MAX_DEGREE:
            raise NotRational
        result = Rational.constant(Fraction(1))
        for _ in range(exponent):
            result = result.times(self, budget)
        return result

    def at(self, value: Fraction) -> Fraction | None:
        """The value at a point, ``None`` where the bottom is zero."""
        bottom = _evaluated(self.bottom, value)
        return _evaluated(self.top, value) / bottom if bottom else None


def _evaluated(polynomial: Polynomial, value: Fraction) -> Fraction:
    result = Fraction(0)
    for coefficient in reversed(polynomial):
        if bits(result) + bits(value) > MAX_BITS:
            raise too_big()
        result = result * value + coefficient
    return result


def _trimmed(coefficients: list[Fraction]) -> Polynomial:
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return tuple(coefficients)


def _length(polynomial: Polynomial) -> int:
    """Bits of the longest coefficient."""
    return max(map(bits, polynomial), default=0)


def _spend(budget: Budget, count: int, length: int) -> None:
    """Pay for so many operations on coefficients that are so long together, or refuse them."""
    if length > MAX_BITS:
        raise too_big()
    budget.spend(count * effort(length))


def _add(a: Polynomial, b: Polynomial, budget: Budget) -> Polynomial:
    _spend(budget, min(len(a), len(b)), _length(a) + _length(b))
    length = max(len(a), len(b))
    padded_a, padded_b = [*a, *[Fraction(0)] * (length - len(a))], [*b, *[Fraction(0)] * (length - len(b))]
    return _trimmed([x + y for x, y in zip(padded_a, padded_b, strict=True)])


def _multiply(a: Polynomial, b: Polynomial, budget: Budget) -> Polynomial:
    if not a or not b:
        return ()
    # A product, and its sum with the others of the same degree.
    _spend(budget, 2 * len(a) * len(b), _length(a) + _length(b))
    result = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return _trimmed(result)


def _divided(a: Polynomial, b: Polynomial, budget: Budget) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder."""
    _spend(budget, 2 * len(b) * max(len(a) - len(b) + 1, 0), min(_length(a) + _length(b), MAX_BITS))
    remainder = list(a)
    quotient = [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    for shift in range(len(a) - len(b), -1, -1):
        factor = remainder[shift + len(b) - 1] / b[-1]
        quotient[shift] = factor
        for index, coefficient in enumerate(b):
            remainder[shift + index] -= factor * coefficient
    return _trimmed(quotient), _trimmed(remainder)


def _common_factor(a: Polynomial, b: Polynomial, budget: Budget) -> Polynomial:
    while b:
        monic = _monic(b, budget)
        a, b = monic, _divided(a, monic, budget)[1]
    return a


def _monic(polynomial: Polynomial, budget: Budget) -> Polynomial:
    """The polynomial over its leading coefficient."""
    if polynomial[-1] == 1:
        return polynomial
    length = _length(polynomial)
    _spend(budget, len(polynomial), length if length > MAX_BITS else min(2 * length, MAX_BITS))
    return tuple(coefficient / polynomial[-1] for coefficient in polynomial)


def _reduced(top: Polynomial, bottom: Polynomial, budget: Budget) -> Rational:
    if not top:
        return Rational((), (Fraction(1),))
    if len(top) > 1 and len(bottom) > 1:
        factor = _common_factor(top, bottom, budget)
        if len(factor) > 1:
            top, bottom = _divided(top, factor, budget)[0], _divided(bottom, factor, budget)[0]
    if max(len(top), len(bottom)) - 1 > MAX_DEGREE:
        raise NotRational
    lead = bottom[-1]
    if lead == 1:
        return Rational(top, bottom)
    _spend(budget, len(top) + len(bottom), min(_length(top) + _length(bottom), MAX_BITS))
    return Rational(tuple(c / lead for c in top), tuple(c / lead for c in bottom))
