"""Square roots and binary logarithms as exact values where they are rational, else as intervals of over 90 bits.

Both work in integers with every rounding outward. A logarithm of a rational is rational only for powers of two;
otherwise it comes from ``ln m = 2 artanh((m - 1) / (m + 1))`` with ``m`` brought into [2/3, 4/3], where the series
gains more than 4 bits a term.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Value, between, ends

_BITS = 96


def square_root(value: Value) -> Value:
    """The root of a value; :class:`FormulaError` below zero."""
    low, high = ends(value)
    if low < 0:
        raise FormulaError("the square root of a negative value")
    return between(_root(low)[0], _root(high)[1])


def _root(value: Fraction) -> tuple[Fraction, Fraction]:
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    if top * top == value.numerator and bottom * bottom == value.denominator:
        exact = Fraction(top, bottom)
        return exact, exact
    # Scale by 4**shift so that the root keeps _BITS significant bits even of a very small value.
    shift = max(_BITS + (value.denominator.bit_length() - value.numerator.bit_length()) // 2 + 1, 0)
    root = isqrt((value.numerator << 2 * shift) // value.denominator)
    return Fraction(root, 1 << shift), Fraction(root + 1, 1 << shift)


def logarithm(value: Value) -> Value:
    """The logarithm to base two; :class:`FormulaError` at and below zero."""
    low, high = ends(value)
    if low <= 0:
        raise FormulaError("the logarithm of a value that is not above zero")
    return between(_log2(low)[0], _log2(high)[1])


def _log2(value: Fraction) -> tuple[Fraction, Fraction]:
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    mantissa = value / (1 << exponent) if exponent >= 0 else value * (1 << -exponent)
    if mantissa == 1:
        return Fraction(exponent), Fraction(exponent)
    # mantissa is in (1/2, 2); the series is fastest around 1.
    if mantissa < Fraction(2, 3):
        mantissa, exponent = mantissa * 2, exponent - 1
    elif mantissa > Fraction(4, 3):
        mantissa, exponent = mantissa / 2, exponent + 1
    if mantissa == 1:
        return Fraction(exponent), Fraction(exponent)
    argument = (mantissa - 1) / (mantissa + 1)
    # Near 1 the logarithm itself is small: add its leading zeros, so that the relative width stays the same.
    zeros = max(argument.denominator.bit_length() - argument.numerator.bit_length(), 0)
    places = _BITS + zeros + 8
    low, high = _artanh(abs(argument.numerator), argument.denominator, places)
    two_low, two_high = _natural_log_of_two(places)
    # ln m / ln 2, each rounded outward at the same number of places; the factor 2 of both artanh cancels.
    ratio_low, ratio_high = (low << places) // two_high, -(-(high << places) // two_low)
    if argument < 0:
        ratio_low, ratio_high = -ratio_high, -ratio_low
    scale = 1 << places
    return exponent + Fraction(ratio_low, scale), exponent + Fraction(ratio_high, scale)


@lru_cache(maxsize=64)
def _natural_log_of_two(places: int) -> tuple[int, int]:
    """Bounds on half the natural logarithm of two, ``artanh(1/3)``, times 2**places."""
    return _artanh(1, 3, places)


def _artanh(top: int, bottom: int, places: int) -> tuple[int, int]:
    """Bounds on ``artanh(top/bottom)`` times 2**places, for 0 < top/bottom <= 1/3."""
    low_power = (top << places) // bottom
    high_power = low_power + 1
    low_square, high_square = (low_power * low_power) >> places, ((high_power * high_power) >> places) + 1
    low = high = 0
    odd = 1
    while low_power:
        low += low_power // odd
        high += high_power // odd + 1
        low_power = (low_power * low_square) >> places
        high_power = ((high_power * high_square) >> places) + 1
        odd += 2
    # What is left out is below the next term times 1 / (1 - 1/9).
    return low, high + 2 * high_power
