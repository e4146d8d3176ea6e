"""Quotients of polynomials in one symbol, exact and of bounded degree: just enough algebra to solve crossovers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ridgeline.formulas.errors import MAX_BITS, FormulaError
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

    def plus(self, other: Rational) -> Rational:
        if self.bottom == other.bottom:
            return _reduced(_add(self.top, other.top), self.bottom)
        top = _add(_multiply(self.top, other.bottom), _multiply(other.top, self.bottom))
        return _reduced(top, _multiply(self.bottom, other.bottom))

    def minus(self, other: Rational) -> Rational:
        return self.plus(Rational(tuple(-c for c in other.top), other.bottom))

    def times(self, other: Rational) -> Rational:
        return _reduced(_multiply(self.top, other.top), _multiply(self.bottom, other.bottom))

    def inverse(self) -> Rational:
        if not self.top:
            raise FormulaError("division by zero")
        return _reduced(self.bottom, self.top)

    def power(self, exponent: int) -> Rational:
        """A power that is not negative."""
        if exponent and max(len(self.top), len(self.bottom)) > 1 and exponent > MAX_DEGREE:
            raise NotRational
        result = Rational.constant(Fraction(1))
        for _ in range(exponent):
            result = result.times(self)
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


def _add(a: Polynomial, b: Polynomial) -> Polynomial:
    length = max(len(a), len(b))
    padded_a, padded_b = [*a, *[Fraction(0)] * (length - len(a))], [*b, *[Fraction(0)] * (length - len(b))]
    return _trimmed([x + y for x, y in zip(padded_a, padded_b, strict=True)])


def _multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    if not a or not b:
        return ()
    if max(map(bits, a)) + max(map(bits, b)) > MAX_BITS:
        raise too_big()
    result = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return _trimmed(result)


def _divided(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder."""
    remainder = list(a)
    quotient = [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    for shift in range(len(a) - len(b), -1, -1):
        factor = remainder[shift + len(b) - 1] / b[-1]
        quotient[shift] = factor
        for index, coefficient in enumerate(b):
            remainder[shift + index] -= factor * coefficient
    return _trimmed(quotient), _trimmed(remainder)


def _common_factor(a: Polynomial, b: Polynomial) -> Polynomial:
    while b:
        if max(map(bits, b)) > MAX_BITS:
            raise too_big()
        monic = tuple(coefficient / b[-1] for coefficient in b)
        a, b = monic, _divided(a, monic)[1]
    return a


def _reduced(top: Polynomial, bottom: Polynomial) -> Rational:
    if not top:
        return Rational((), (Fraction(1),))
    if len(top) > 1 and len(bottom) > 1:
        factor = _common_factor(top, bottom)
        if len(factor) > 1:
            top, bottom = _divided(top, factor)[0], _divided(bottom, factor)[0]
    if max(len(top), len(bottom)) - 1 > MAX_DEGREE:
        raise NotRational
    lead = bottom[-1]
    return Rational(tuple(c / lead for c in top), tuple(c / lead for c in bottom))
