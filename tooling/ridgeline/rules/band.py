"""What is usual among the values of others: fences around the middle half of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import Literal

#: What is compared: ridge points of a format and path, rates of a pin, sweeps of a memory.
Kind = Literal["ridge", "pin", "sweep"]
#: Kind, group, reference of the record, value.
Value = tuple[Kind, str, str, Fraction]

#: With hardly any others, only a slip of the unit shows.
_FEW_PEERS = Fraction(30)
_LEAST_PEERS = 5


@dataclass(frozen=True, slots=True)
class Band:
    """The range in which a value is nothing unusual, from the values of others."""

    low: Fraction
    high: Fraction

    def holds(self, value: Fraction) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Fences:
    """How far a band reaches: as far beyond the quartiles, as a ratio, as the ratio of the quartiles to the ``power``.

    It is never nearer than ``least``: where all agree, the spread says nothing. Fewer than ``count`` others say nothing
    about what is usual.
    """

    count: int
    least: Fraction
    power: int


def fences(kind: Kind, members: int) -> Fences:
    """Those for a group of so many members."""
    if kind == "ridge":
        return Fences(_LEAST_PEERS, Fraction(3), 2)
    if kind == "pin":
        return Fences(3, Fraction(3, 2), 1)
    return Fences(1, Fraction(4) if members > _LEAST_PEERS else _FEW_PEERS, 1)


def outside(values: Iterable[Value]) -> Iterator[tuple[tuple[Kind, str, str], Band]]:
    """Every value that the others of its group make unusual, with their band. A record's own values are no others."""
    groups: dict[tuple[Kind, str], list[tuple[str, Fraction]]] = {}
    for kind, group, reference, value in values:
        groups.setdefault((kind, group), []).append((reference, value))
    for (kind, group), members in groups.items():
        ordered = _sorted(members)
        limits = fences(kind, len(ordered))
        bands: dict[tuple[int, ...], Band] = {}
        repeated = len({reference for reference, _ in ordered}) < len(ordered)
        for at, (reference, value) in enumerate(ordered):
            if repeated:
                rest = [v for r, v in ordered if r != reference]
                found = band(rest, least=limits.least, power=limits.power) if len(rest) >= limits.count else None
            elif len(ordered) - 1 < limits.count:
                found = None
            else:
                found = _without(ordered, at, limits, bands)
            if found is not None and not found.holds(value):
                yield (kind, group, reference), found


def _sorted(members: list[tuple[str, Fraction]]) -> list[tuple[str, Fraction]]:
    """By value. Rounded values are compared first, which is much faster; exact ones where those are equal."""
    rounded = sorted(((_float(value), reference, value) for reference, value in members), key=lambda m: m[0])
    exact = cmp_to_key(lambda a, b: -1 if a[2] < b[2] else int(a[2] > b[2]))  # type: ignore[index]
    return [(r, v) for _, same in groupby(rounded, lambda m: m[0]) for _, r, v in sorted(same, key=exact)]


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _without(
    ordered: list[tuple[str, Fraction]], skipped: int, limits: Fences, bands: dict[tuple[int, ...], Band]
) -> Band:
    """The band of all but one: leaving one out gives few different bands, which are kept."""
    count = len(ordered) - 1
    places = tuple(at + (at >= skipped) for share in (1, 3) for at in _places(Fraction(share, 4) * (count - 1), count))
    if places not in bands:
        quartiles = []
        for share, (below, above) in ((1, places[:2]), (3, places[2:])):
            part = Fraction(share, 4) * (count - 1) % 1
            low, high = ordered[below][1], ordered[above][1]
            quartiles.append(low + part * (high - low))
        bands[places] = _band(quartiles, limits.least, limits.power)
    return bands[places]


def _places(at: Fraction, count: int) -> tuple[int, int]:
    below = at.numerator // at.denominator
    return below, min(below + 1, count - 1)


def band(values: Sequence[Fraction], *, least: Fraction, power: int) -> Band:
    """The band of some positive values."""
    ordered = sorted(values)
    quartiles = []
    for share in (1, 3):
        at = Fraction(share, 4) * (len(ordered) - 1)
        below, above = _places(at, len(ordered))
        quartiles.append(ordered[below] + at % 1 * (ordered[above] - ordered[below]))
    return _band(quartiles, least, power)


def _band(quartiles: Sequence[Fraction], least: Fraction, power: int) -> Band:
    low, high = quartiles
    reach = max((high / low) ** power, least)
    return Band(low / reach, high * reach)


__all__ = ["Band", "Fences", "Kind", "band", "fences", "outside"]
