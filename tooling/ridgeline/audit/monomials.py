"""Columns that are products and quotients of others, with a constant that people use or one that is beyond doubt."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from ridgeline.audit.cells import Cell, Column, constant
from ridgeline.audit.relation import ENOUGH, ENOUGH_FREE, Relation, told_as


def _constants() -> list[Fraction]:
    small = [Fraction(n) for n in (1, 2, 3, 4, 6, 8, 12, 16, 60, 3600)]
    small += [1 / n for n in small]
    found = {n * Fraction(1000) ** j for n in small for j in range(-4, 5)}
    found |= {n * Fraction(1024) ** j for n in small[:8] for j in range(-4, 5)}
    found |= {n * Fraction(10) ** j for n in (1, 2) for j in (-5, -4, -2, -1, 1, 2, 4, 5)}
    return sorted(found)


_NICE = _constants()
_LOGS = [math.log(k) for k in _NICE]


def monomials(columns: list[Column], names: list[str], target: int, chosen: tuple[int, ...]) -> Iterator[Relation]:
    """The target as a constant times powers of one, two or three chosen columns."""
    exponents = [(1,), (2,), (-1,), (-2,)] if len(chosen) == 1 else product((1, -1), repeat=len(chosen))
    if any(constant(columns[c]) for c in (*chosen, target)):
        return
    if len(chosen) > 1 and any(_proportional(columns[a], columns[b]) for a, b in combinations((*chosen, target), 2)):
        return
    for powers in exponents:
        if len(chosen) == 3 and powers.count(-1) > 1:
            continue
        bases = [_power(columns, chosen, powers, row) for row in range(len(columns[target]))]
        ratios = [_ratio(columns[target][row], base) for row, base in enumerate(bases)]
        known = [r for r in ratios if r is not None]
        if len(known) < 3:
            continue
        factor = _common(known)
        if factor is None and len(chosen) == 1 and powers == (1,):
            yield from _proportion(columns, names, target, chosen[0], ratios, _adds_up(names, target, chosen[0]))
        if factor is None:
            continue
        digits = [_digits(r) for r in known if r[0] <= factor <= r[1]]
        if len(chosen) == 1 and any(d < 4 for d in digits):
            continue
        if sum(digits) < (ENOUGH - 1 if _plain(factor) else ENOUGH):
            continue
        expected = tuple(None if b is None else (b[0] * factor, b[1] * factor) for b in bases)
        # Of two relations that hold, the one without a strange constant is meant.
        worth = sum(digits) + (4 if _plain(factor) else 0)
        yield Relation(target, chosen, told_as(names, target, chosen, powers, factor), expected, worth)


def _plain(factor: Fraction) -> bool:
    """Whether a constant is 1 or a change of prefix or to percent."""
    return factor in {Fraction(1), Fraction(100)} | {Fraction(1000) ** n for n in range(-4, 5)}


def _proportional(a: Column, b: Column) -> bool:
    """Whether one column is a multiple of another, so that either could stand for it in a relation."""
    ratios = {x.value / y.value for x, y in zip(a, b, strict=True) if x is not None and y is not None}
    return len(ratios) == 1


def _power(
    columns: list[Column], chosen: tuple[int, ...], powers: tuple[int, ...], row: int
) -> tuple[Fraction, Fraction] | None:
    low = high = Fraction(1)
    for c, power in zip(chosen, powers, strict=True):
        cell = columns[c][row]
        if cell is None or cell.low <= 0:
            return None
        a, b = (cell.low, cell.high) if power > 0 else (1 / cell.high, 1 / cell.low)
        low, high = low * a ** abs(power), high * b ** abs(power)
    return low, high


def _ratio(cell: Cell | None, base: tuple[Fraction, Fraction] | None) -> tuple[Fraction, Fraction] | None:
    if cell is None or base is None or cell.low <= 0:
        return None
    return cell.low / base[1], cell.high / base[0]


def _common(ratios: list[tuple[Fraction, Fraction]]) -> Fraction | None:
    """The constant in use that most ratios contain, where two thirds of them, and three, do."""
    votes: Counter[int] = Counter()
    for low, high in ratios:
        a, b = bisect_left(_LOGS, math.log(low) - 1e-12), bisect_right(_LOGS, math.log(high) + 1e-12)
        if b - a <= 6:
            votes.update(i for i in range(a, b) if low <= _NICE[i] <= high)
    if not votes:
        return None
    index, count = votes.most_common(1)[0]
    return _NICE[index] if count >= 3 and 3 * count >= 2 * len(ratios) else None


def _digits(ratio: tuple[Fraction, Fraction]) -> float:
    low, high = ratio
    return min(8.0, max(0.0, -math.log10(float((high - low) / (high + low)) + 1e-9)))


#: What is counted one by one, and what each of them brings as much of: bytes and operations add up, rates do not.
_COUNTS = re.compile(
    r"(?i)\b(?:batch(?: size)?|tokens?|context(?: length)?|seq(?:uence)?(?: length)?s?|length|prompts?|users?|requests?|layers?|"
    r"gpus?|devices?|accelerators?|ranks?|heads?|chats?)\b"
)
_ADDS = re.compile(
    r"(?i)\b(?:kv|cache|memory|bytes?|[kmgt]i?b|footprint|[mgtpe]?flops?|operations|ops|parameters|params)\b"
)
_RATE = re.compile(
    r"(?i)/\s?s\b|per second|\btime\b|\bms\b|latency|speed|throughput|bandwidth|\butil|%|per token|/token|mfu|peak|used|total"
)
#: Digits of agreement that are enough where the headings say that a column adds up in proportion to another.
_ENOUGH_SAID = 4.0


def _adds_up(names: list[str], target: int, other: int) -> bool:
    """Whether the headings say that each of the things counted in one column adds as much to the other."""
    counted = _COUNTS.search(names[other]) is not None
    return counted and _ADDS.search(names[target]) is not None and _RATE.search(names[target]) is None


def _proportion(
    columns: list[Column],
    names: list[str],
    target: int,
    other: int,
    ratios: list[tuple[Fraction, Fraction] | None],
    said: bool,
) -> Iterator[Relation]:
    """Any constant, where whole numbers of many digits leave no doubt, or where the headings leave none (``said``)."""
    known = [r for r in ratios if r is not None]
    best: list[tuple[Fraction, Fraction]] = []
    for low, high in known[:12]:
        inside = [r for r in known if r[0] <= high and low <= r[1]]
        if len(inside) > len(best):
            best = inside
    if len(best) < 3 or 3 * len(best) < 2 * len(known):
        return
    low, high = max(r[0] for r in best), min(r[1] for r in best)
    digits = sorted(_digits(r) for r in best)
    enough = (2, _ENOUGH_SAID) if said else (4, ENOUGH_FREE)
    if low > high or digits[0] < enough[0] or sum(digits[1:]) < enough[1]:
        return
    factor = _simplest(low, high)
    bases = [_power(columns, (other,), (1,), row) for row in range(len(ratios))]
    expected = tuple(None if b is None else (b[0] * factor, b[1] * factor) for b in bases)
    yield Relation(target, (other,), told_as(names, target, (other,), (1,), factor), expected, sum(digits))


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    whole = Fraction(math.ceil(low))
    return whole if whole <= high else (low + high) / 2
