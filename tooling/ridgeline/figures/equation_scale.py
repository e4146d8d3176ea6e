"""The factors by which numbers in this field go wrong, each with its likely cause.

A factor is *printed over true*: 1000 means that the text prints a thousand times too much. Naming a factor never
forgives it; it only tells the reader what to look for first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ridgeline.numbers.interval import Interval
from ridgeline.numbers.units import Dimension, Unit

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_PREFIXES = {1: ("kB", "KiB"), 2: ("MB", "MiB"), 3: ("GB", "GiB"), 4: ("TB", "TiB")}
_THOUSANDS = tuple(range(1, 8))

#: Below this relative width of the printed interval a factor made of two parts, or one near 1, is worth naming.
_PRECISE = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Factor:
    """``value`` is printed over true; ``text`` names it (``1.024^3``, ``1/8``); ``cause`` says what to suspect."""

    value: Fraction
    text: str
    cause: str


def superscript(exponent: int) -> str:
    """An exponent in superscript digits."""
    return str(exponent).translate(_SUPERSCRIPTS)


def find_factor(true: Fraction, plain: Interval, dimension: Dimension, unit: Unit | None) -> Factor | None:
    """The first, and so the simplest, factor that brings ``true`` into the ``plain`` interval of the printed value.

    ``dimension`` is the canonical dimension of the truth, ``unit`` the unit printed (``None`` where none is). ``true``
    and ``plain`` are in the same unit.
    """
    if true == 0 or plain.low is None or plain.high is None:
        return None
    middle = (plain.low + plain.high) / 2
    if middle == 0 or (middle > 0) != (true > 0):
        return None
    precise = (plain.high - plain.low) <= abs(middle) * _PRECISE
    printed = unit.scale if unit is not None else None
    for factor in _candidates(dimension, printed, precise):
        if plain.contains(true * factor.value):
            return factor
    return None


def thousand(true: Fraction, plain: Interval) -> int | None:
    """The one non-zero n in −7…7 for which ``true`` × 10³ⁿ lies in ``plain``; ``None`` for none or several."""
    hits = [n for n in range(-7, 8) if n and plain.contains(true * Fraction(1000) ** n)]
    return hits[0] if len(hits) == 1 else None


@lru_cache(maxsize=1024)
def _candidates(dimension: Dimension, printed: Fraction | None, precise: bool) -> tuple[Factor, ...]:
    return tuple(_generate(dict(dimension), printed, precise))


def _generate(dimension: dict[str, int], printed: Fraction | None, precise: bool) -> Iterator[Factor]:
    pure = not dimension
    binary = "byte" in dimension
    own = _own_prefix(printed)
    if binary:
        yield from _binary(own, printed)
    if pure:
        yield from _both(Fraction(100), "100", "a percentage and a ratio confused")
    if binary:
        yield from _both(Fraction(8), "8", "bits and bytes confused")
    yield from _both(Fraction(2), "2", _two(dimension))
    for n in _THOUSANDS:
        yield from _thousands(n)
    yield from _both(Fraction(3600), "3600", "hours and seconds confused")
    yield from _both(Fraction(60), "60", "minutes confused with seconds or hours")
    if not precise:
        return
    if binary or pure:
        for n in (1, 2, 3, 4):
            yield from _both(Fraction(128, 125) ** n, f"1.024^{n}", "decimal and binary prefixes confused")
    yield from _both(Fraction(4), "4", "two factors of two: " + _two(dimension))
    yield from _compound(binary)


def _binary(own: int, printed: Fraction | None) -> Iterator[Factor]:
    if not own:
        return
    decimal, binary = _PREFIXES[own]
    value = Fraction(128, 125) ** own
    name = f"1.024^{own}"
    if printed is not None and printed.numerator % 5:
        decimal, binary = binary, decimal
        yield Factor(value, name, f"a value in {binary} printed as {decimal}")
        yield Factor(1 / value, f"1.024^-{own}", "converted between decimal and binary the wrong way round")
        return
    yield Factor(1 / value, f"1.024^-{own}", f"{decimal} printed for {binary}")
    yield Factor(value, name, "converted between decimal and binary the wrong way round")


def _own_prefix(printed: Fraction | None) -> int:
    """Which step of 10³ or 2¹⁰ the printed unit stands on; 0 for none of kilo to tera."""
    if printed is None:
        return 0
    for n in _PREFIXES:
        if printed in (Fraction(1000) ** n, Fraction(1024) ** n):
            return n
    return 0


def _two(dimension: dict[str, int]) -> str:
    if "flop" in dimension and "byte" not in dimension:
        return "a multiply-add counted as one or as two, or dense and 2:4 sparse confused"
    if dimension.get("byte") == 1 and dimension.get("s") == -1:
        return "one-way and two-way bandwidth confused"
    if dimension.get("byte") == 1:
        return "K and V, or two bytes an element, counted twice or once"
    return "a factor of two lost or counted twice (multiply-add, dense or sparse, one-way or two-way)"


def _both(value: Fraction, text: str, cause: str) -> Iterator[Factor]:
    yield Factor(value, text, cause)
    yield Factor(1 / value, f"1/{text}" if "^" not in text else text.replace("^", "^-"), cause)


def _thousands(n: int) -> Iterator[Factor]:
    cause = f"off by exactly 10{superscript(3 * n)}: units?"
    for sign in (1, -1):
        yield Factor(Fraction(1000) ** (sign * n), f"10^{3 * n * sign}", cause)


def _compound(binary: bool) -> Iterator[Factor]:
    parts: list[tuple[Fraction, str, str]] = [
        (Fraction(2), "2", "a factor of two"),
        (Fraction(3600), "3600", "hours and seconds"),
        (Fraction(60), "60", "minutes"),
    ]
    if binary:
        parts[:0] = [(Fraction(8), "8", "bits and bytes")]
        parts += [(Fraction(128, 125) ** n, f"1.024^{n}", "decimal and binary prefixes") for n in (1, 2, 3, 4)]
    for n in (1, 2, 3):
        for value, text, cause in parts:
            for a in (1, -1):
                for b in (1, -1):
                    name = f"{text if b > 0 else _inverse(text)} × 10^{3 * n * a}"
                    yield Factor(value**b * Fraction(1000) ** (n * a), name, f"{cause}, and a prefix")
    if binary:
        for n in (1, 2, 3, 4):
            for base, label, cause in ((Fraction(8), "8", "bits and bytes"), (Fraction(2), "2", "a factor of two")):
                for a in (1, -1):
                    for b in (1, -1):
                        name = f"{label if a > 0 else _inverse(label)} × 1.024^{n * b}"
                        yield Factor(base**a * Fraction(128, 125) ** (n * b), name, f"{cause}, and a binary prefix")


def _inverse(text: str) -> str:
    return text.replace("^", "^-") if "^" in text else f"1/{text}"
