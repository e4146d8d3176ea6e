"""What accounts for the difference between a formula and a count, told from several points."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction

_MOST_NAMES = 8
_MOST_DEGREE = 5


def constant_ratio(numbers: Sequence[Fraction], others: Sequence[Fraction]) -> Fraction | None:
    """The factor by which all numbers differ from the others, if it is one."""
    if not others or any(o == 0 for o in others):
        return None
    ratio = numbers[0] / others[0]
    return ratio if all(n == ratio * o for n, o in zip(numbers, others, strict=True)) else None


def monomial(values: Sequence[Fraction], points: Sequence[Mapping[str, Fraction]]) -> str | None:
    """``2 * n_q * d_head * L`` where all values are that product of the sizes, else ``None``.

    A size that is the same at all points is left alone. Products of low degree come first.
    """
    names = [n for n in points[0] if len({p[n] for p in points}) > 1][:_MOST_NAMES]
    powers = sorted(
        (e for e in itertools.product((0, 1, 2), repeat=len(names)) if sum(e) <= _MOST_DEGREE),
        key=lambda e: (sum(e), e),
    )
    for exponents in powers:
        factor: Fraction | None = None
        for value, point in zip(values, points, strict=True):
            product = Fraction(1)
            for name, exponent in zip(names, exponents, strict=True):
                if exponent:
                    product *= point[name] ** exponent
            if not product or (factor is not None and value != factor * product):
                break
            factor = value / product
        else:
            assert factor is not None
            return _written(factor, dict(zip(names, exponents, strict=True)))
    return None


def _written(factor: Fraction, exponents: Mapping[str, int]) -> str:
    parts = [name if exponent == 1 else f"{name}^{exponent}" for name, exponent in exponents.items() if exponent]
    if factor.numerator != 1 or not parts:
        parts.insert(0, str(factor.numerator))
    return " * ".join(parts) + (f" / {factor.denominator}" if factor.denominator != 1 else "")


def subset(values: Sequence[Fraction], parts: Sequence[Mapping[str, Fraction]]) -> tuple[str, ...] | None:
    """The fewest parts that together make up all values: the tensors whose traffic is missing."""
    names = list(parts[0])[:_MOST_NAMES]
    for number in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, number):
            if all(v == sum(p[n] for n in chosen) for v, p in zip(values, parts, strict=True)):
                return chosen
    return None
