"""A relation between columns of a table, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

#: Digits of agreement, over all rows together, beyond which a relation is no chance; and where its constant is free.
ENOUGH, ENOUGH_FREE = 8.0, 9.0


@dataclass(frozen=True, slots=True)
class Relation:
    """``target`` follows from ``columns``; ``expected`` gives its interval in each row, ``None`` where a cell is missing."""

    target: int
    columns: tuple[int, ...]
    text: str
    expected: tuple[tuple[Fraction, Fraction] | None, ...]
    digits: float

    @property
    def members(self) -> frozenset[int]:
        return frozenset((*self.columns, self.target))


def number(value: Fraction) -> str:
    """A constant for people."""
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):.6g}"


def told_as(names: list[str], target: int, chosen: tuple[int, ...], powers: tuple[int, ...], factor: Fraction) -> str:
    """A product of powers of columns and a constant, in the columns' names."""
    above = [names[c] + ("²" if p == 2 else "") for c, p in zip(chosen, powers, strict=True) if p > 0]
    below = [names[c] + ("²" if p == -2 else "") for c, p in zip(chosen, powers, strict=True) if p < 0]
    if factor != 1:
        above, below = (([number(factor), *above]), below) if factor > 1 else (above, [*below, number(1 / factor)])
    return f"{names[target]} = {' × '.join(above) or '1'}" + "".join(f" / {name}" for name in below)
