"""What may hold between the columns of a table, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from ridgeline.audit.cells import Column, constant
from ridgeline.audit.monomials import monomials
from ridgeline.audit.relation import ENOUGH, Relation, number


def accepted(columns: list[Column], names: list[str]) -> list[Relation]:
    """The relations that hold too well for chance, the best for each set of columns."""
    found: dict[frozenset[int], Relation] = {}
    for relation in _relations(columns, names):
        held = found.get(relation.members)
        if held is None or relation.digits > held.digits:
            found[relation.members] = relation
    # What follows from fewer columns explains a relation among more of them.
    kept: list[Relation] = []
    for relation in sorted(found.values(), key=lambda r: (len(r.members), -r.digits)):
        if not any(r.members < relation.members and r.target == relation.target for r in kept):
            kept.append(relation)
    return kept


def _relations(columns: list[Column], names: list[str]) -> Iterator[Relation]:
    for target in range(1, len(columns)):
        others = range(target)
        for size in (1, 2, 3):
            for chosen in combinations(others, size):
                yield from monomials(columns, names, target, chosen)
        for size in range(2, len(others) + 1):
            for chosen in combinations(others, size) if size < 4 else [tuple(others)[-size:]]:
                yield from _sums(columns, names, target, chosen)
        for other in others:
            yield from _line(columns, names, target, other)


def _sums(columns: list[Column], names: list[str], target: int, chosen: tuple[int, ...]) -> Iterator[Relation]:
    signs = [(1,) * len(chosen)] + ([(1, -1), (-1, 1)] if len(chosen) == 2 else [])
    if any(constant(columns[c]) for c in (*chosen, target)):
        return
    for sign in signs:
        expected: list[tuple[Fraction, Fraction] | None] = []
        digits = 0.0
        hits = rows = 0
        for row, cell in enumerate(columns[target]):
            parts = [columns[c][row] for c in chosen]
            if cell is None or any(p is None for p in parts):
                expected.append(None)
                continue
            ends = [(p.low, p.high) if s > 0 else (-p.high, -p.low) for p, s in zip(parts, sign, strict=True) if p]
            low, high = sum((e[0] for e in ends), Fraction(0)), sum((e[1] for e in ends), Fraction(0))
            expected.append((low, high))
            rows += 1
            if cell.low <= high and low <= cell.high:
                hits += 1
                # A sum whose other parts are lost in the rounding of the largest says nothing of them.
                least = min(abs(p.value) for p in parts if p)
                width = (high - low) / 2 + cell.half
                digits += min(8.0, max(0.0, -math.log10(float(width / least) + 1e-9))) if least else 0.0
        if hits >= 3 and 3 * hits >= 2 * rows and digits >= ENOUGH - 2:
            joined = " + ".join(names[c] for c in chosen) if min(sign) > 0 else " − ".join(
                names[c] for c, _ in sorted(zip(chosen, sign, strict=True), key=lambda x: -x[1])
            )  # fmt: skip
            yield Relation(target, chosen, f"{names[target]} = {joined}", tuple(expected), digits)


def _line(columns: list[Column], names: list[str], target: int, other: int) -> Iterator[Relation]:
    """A straight line through whole numbers of many digits, none of them rounded."""
    points = [
        (x.value, y.value)
        for x, y in zip(columns[other], columns[target], strict=True)
        if x is not None
        and y is not None
        and x.value.denominator == y.value.denominator == 1
        and max(x.half, y.half) <= Fraction(1, 2)
    ]
    if len(points) < 4 or len({x for x, _ in points}) < 4 or min(abs(y) for _, y in points) < 10_000:
        return
    best: tuple[int, Fraction, Fraction] = (0, Fraction(0), Fraction(0))
    for (x1, y1), (x2, y2) in combinations(points[:12], 2):
        if x1 == x2:
            continue
        slope = (y2 - y1) / (x2 - x1)
        offset = y1 - slope * x1
        hits = sum(y == offset + slope * x for x, y in points)
        if hits > best[0]:
            best = (hits, slope, offset)
    hits, slope, offset = best
    if hits < 4 or 3 * hits < 2 * len(points) or not slope:
        return
    expected = tuple(
        None if x is None or x.value.denominator != 1 else (offset + slope * x.value, offset + slope * x.value)
        for x in columns[other]
    )
    text = f"{names[target]} = {f'{number(offset)} + ' if offset else ''}{number(slope)} × {names[other]}"
    yield Relation(target, (other,), text, expected, 4.0 * hits)
