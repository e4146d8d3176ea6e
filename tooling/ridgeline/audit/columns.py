"""Columns of a table that follow from the others by one formula, and the cells that break it.

A relation is sought exactly: products and quotients of two or three columns with a constant that people use (2, 1000,
1024, 3600 …), sums and differences, and for whole numbers of many digits proportions and straight lines with any
constants. It is accepted only where at least three rows, and two thirds of them, obey it to more digits than chance could
give for the number of relations tried. What holds between *one* other column and this may be a law of nature that ends
somewhere (a speed-up that saturates), so such relations need five digits in every row.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

from ridgeline.audit.blocks import Table
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading
from ridgeline.audit.weigh import told
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

MAX_ROWS, MAX_COLUMNS = 200, 8
#: Digits of agreement, over all rows together, beyond which a relation is no chance.
_ENOUGH, _ENOUGH_FREE = 8.0, 9.0
_PRECISE = 1e-4
_BY = "column"
_VALUES = frozenset({Kind.MEASURE, Kind.PERCENT, Kind.RATIO, Kind.CONSTANT, Kind.CHANGE})
_COMPARATORS = frozenset({Comparator.EQ, Comparator.APPROX, Comparator.NOMINAL})


def _constants() -> list[Fraction]:
    small = [Fraction(n) for n in (1, 2, 3, 4, 6, 8, 12, 16, 60, 3600)]
    small += [1 / n for n in small]
    found = {n * Fraction(1000) ** j for n in small for j in range(-4, 5)}
    found |= {n * Fraction(1024) ** j for n in small[:8] for j in range(-4, 5)}
    found |= {n * Fraction(10) ** j for n in (1, 2) for j in (-5, -4, -2, -1, 1, 2, 4, 5)}
    return sorted(found)


_NICE = _constants()
_LOGS = [math.log(k) for k in _NICE]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A number of the table: its block and numeral, the printed value, and half a last place, in canonical units."""

    block: int
    index: int
    value: Fraction
    half: Fraction

    @property
    def low(self) -> Fraction:
        return self.value - self.half

    @property
    def high(self) -> Fraction:
        return self.value + self.half


@dataclass(frozen=True, slots=True)
class _Relation:
    """``target`` follows from ``columns``; ``expected`` gives its interval in each row, ``None`` where a cell is missing."""

    target: int
    columns: tuple[int, ...]
    text: str
    expected: tuple[tuple[Fraction, Fraction] | None, ...]
    digits: float

    @property
    def members(self) -> frozenset[int]:
        return frozenset((*self.columns, self.target))


Column = list[_Cell | None]


def judge(reading: Reading) -> None:
    """Every table with enough numbers."""
    for table in reading.document.tables:
        _table(reading, table)


def _table(reading: Reading, table: Table) -> None:
    rows = table.rows[1:] if table.headed else table.rows
    if not 3 <= len(rows) <= MAX_ROWS:
        return
    headings = reading.headings(table)
    for binary in (True, False):
        columns = _columns(reading, rows, table.width, binary)
        numeric = [c for c in range(table.width) if sum(x is not None for x in columns[c]) >= 3]
        if not 2 <= len(numeric) <= MAX_COLUMNS:
            return
        relations = _accepted([columns[c] for c in numeric], [headings[c] or f"column {c + 1}" for c in numeric])
        _report(reading, [columns[c] for c in numeric], relations)


def _columns(reading: Reading, rows: list[list[int]], width: int, binary: bool) -> list[Column]:
    columns = [[_cell(reading, row[c], binary) if c < len(row) else None for row in rows] for c in range(width)]
    if columns and all(cell is None or cell.value.denominator == 1 for cell in columns[0]):
        # What a table is set up by is counted, not rounded.
        columns[0] = [None if cell is None else replace(cell, half=Fraction(0)) for cell in columns[0]]
    return columns


def _cell(reading: Reading, block: int, binary: bool) -> _Cell | None:
    """The number of a cell; ``None`` for a cell of words, of several numbers, or of a bound."""
    if block < 0:
        return None
    numerals = [(i, n) for i, n in enumerate(reading.passages[block].numerals) if n.quantity and n.kind in _VALUES]
    if len(numerals) != 1:
        return None
    index, numeral = numerals[0]
    if numeral.value is None or numeral.comparator not in _COMPARATORS or not numeral.value:
        return None
    rest = len(reading.blocks[block].text.strip()) - len(numeral.text) - len(numeral.unit_text)
    if rest > 14:
        return None
    value, step = numeral.value, numeral.step or Fraction(0)
    if binary and numeral.alternative is not None:
        value, step = numeral.alternative, Fraction(0)
    half = step / 2
    if numeral.comparator is not Comparator.EQ:
        half = max(half, abs(value) / 20)
    factor = Fraction(1) if numeral.unit is None else numeral.unit.factor / numeral.unit.scale
    return _Cell(block, index, value * factor, half * factor)


# Relations


def _accepted(columns: list[Column], names: list[str]) -> list[_Relation]:
    """The relations that hold too well for chance, the best for each set of columns."""
    found: dict[frozenset[int], _Relation] = {}
    for relation in _relations(columns, names):
        held = found.get(relation.members)
        if held is None or relation.digits > held.digits:
            found[relation.members] = relation
    # What follows from fewer columns explains a relation among more of them.
    kept: list[_Relation] = []
    for relation in sorted(found.values(), key=lambda r: (len(r.members), -r.digits)):
        if not any(r.members < relation.members and r.target == relation.target for r in kept):
            kept.append(relation)
    return kept


def _relations(columns: list[Column], names: list[str]) -> Iterator[_Relation]:
    for target in range(1, len(columns)):
        others = range(target)
        for size in (1, 2, 3):
            for chosen in combinations(others, size):
                yield from _monomials(columns, names, target, chosen)
        for size in range(2, len(others) + 1):
            for chosen in combinations(others, size) if size < 4 else [tuple(others)[-size:]]:
                yield from _sums(columns, names, target, chosen)
        for other in others:
            yield from _line(columns, names, target, other)


def _monomials(columns: list[Column], names: list[str], target: int, chosen: tuple[int, ...]) -> Iterator[_Relation]:
    exponents = [(1,), (2,), (-1,), (-2,)] if len(chosen) == 1 else product((1, -1), repeat=len(chosen))
    if any(_constant(columns[c]) for c in (*chosen, target)):
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
            yield from _proportion(columns, names, target, chosen[0], ratios)
        if factor is None:
            continue
        digits = [_digits(r) for r in known if r[0] <= factor <= r[1]]
        if len(chosen) == 1 and any(d < 4 for d in digits):
            continue
        if sum(digits) < (_ENOUGH - 1 if _plain(factor) else _ENOUGH):
            continue
        expected = tuple(None if b is None else (b[0] * factor, b[1] * factor) for b in bases)
        # Of two relations that hold, the one without a strange constant is meant.
        worth = sum(digits) + (4 if _plain(factor) else 0)
        yield _Relation(target, chosen, _told(names, target, chosen, powers, factor), expected, worth)


def _plain(factor: Fraction) -> bool:
    """Whether a constant is 1 or a change of prefix or to percent."""
    return factor in {Fraction(1), Fraction(100)} | {Fraction(1000) ** n for n in range(-4, 5)}


def _proportional(a: Column, b: Column) -> bool:
    """Whether one column is a multiple of another, so that either could stand for it in a relation."""
    ratios = {x.value / y.value for x, y in zip(a, b, strict=True) if x is not None and y is not None}
    return len(ratios) == 1


def _constant(column: Column) -> bool:
    return len({cell.value for cell in column if cell is not None}) < 3


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


def _ratio(cell: _Cell | None, base: tuple[Fraction, Fraction] | None) -> tuple[Fraction, Fraction] | None:
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


def _proportion(
    columns: list[Column], names: list[str], target: int, other: int, ratios: list[tuple[Fraction, Fraction] | None]
) -> Iterator[_Relation]:
    """Any constant, where whole numbers of many digits leave no doubt."""
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
    if low > high or digits[0] < 4 or sum(digits[1:]) < _ENOUGH_FREE:
        return
    factor = _simplest(low, high)
    bases = [_power(columns, (other,), (1,), row) for row in range(len(ratios))]
    expected = tuple(None if b is None else (b[0] * factor, b[1] * factor) for b in bases)
    yield _Relation(target, (other,), _told(names, target, (other,), (1,), factor), expected, sum(digits))


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    whole = Fraction(math.ceil(low))
    return whole if whole <= high else (low + high) / 2


def _sums(columns: list[Column], names: list[str], target: int, chosen: tuple[int, ...]) -> Iterator[_Relation]:
    signs = [(1,) * len(chosen)] + ([(1, -1), (-1, 1)] if len(chosen) == 2 else [])
    if any(_constant(columns[c]) for c in (*chosen, target)):
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
        if hits >= 3 and 3 * hits >= 2 * rows and digits >= _ENOUGH - 2:
            joined = " + ".join(names[c] for c in chosen) if min(sign) > 0 else " − ".join(
                names[c] for c, _ in sorted(zip(chosen, sign, strict=True), key=lambda x: -x[1])
            )  # fmt: skip
            yield _Relation(target, chosen, f"{names[target]} = {joined}", tuple(expected), digits)


def _line(columns: list[Column], names: list[str], target: int, other: int) -> Iterator[_Relation]:
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
    text = f"{names[target]} = {f'{_number(offset)} + ' if offset else ''}{_number(slope)} × {names[other]}"
    yield _Relation(target, (other,), text, expected, 4.0 * hits)


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):.6g}"


def _told(names: list[str], target: int, chosen: tuple[int, ...], powers: tuple[int, ...], factor: Fraction) -> str:
    above = [names[c] + ("²" if p == 2 else "") for c, p in zip(chosen, powers, strict=True) if p > 0]
    below = [names[c] + ("²" if p == -2 else "") for c, p in zip(chosen, powers, strict=True) if p < 0]
    if factor != 1:
        above, below = (([_number(factor), *above]), below) if factor > 1 else (above, [*below, _number(1 / factor)])
    return f"{names[target]} = {' × '.join(above) or '1'}" + "".join(f" / {name}" for name in below)


# What follows


def _report(reading: Reading, columns: list[Column], relations: list[_Relation]) -> None:
    for row in range(len(columns[0]) if columns else 0):
        held: Counter[int] = Counter()
        broken: Counter[int] = Counter()
        for relation in relations:
            fits = _fits(columns, relation, row)
            if fits is not None:
                (held if fits else broken).update(relation.members)
        for relation in relations:
            fits = _fits(columns, relation, row)
            cell = columns[relation.target][row]
            if fits and cell is not None:
                _put(reading, cell, relation, row, Status.RIGHT)
        blamed = [c for c in broken if not held[c]] or list(broken)
        if not broken:
            continue
        guilty = max(blamed, key=lambda c: (broken[c] - held[c], c))
        ours = [r for r in relations if guilty in r.members and _fits(columns, r, row) is False]
        cell = columns[guilty][row]
        if cell is not None and ours:
            best = next((r for r in ours if r.target == guilty), ours[0])
            _put(reading, cell, best, row, Status.WRONG if best.target == guilty else Status.UNDECIDED)


def _fits(columns: list[Column], relation: _Relation, row: int) -> bool | None:
    cell, expected = columns[relation.target][row], relation.expected[row]
    if cell is None or expected is None:
        return None
    return cell.low <= expected[1] and expected[0] <= cell.high


def _put(reading: Reading, cell: _Cell, relation: _Relation, row: int, status: Status) -> None:
    numeral: Numeral = reading.numeral(cell.block, cell.index)
    expected = relation.expected[row]
    computed = shown = ""
    if expected is not None and columns_target(relation, cell, status):
        dim = () if numeral.unit is None else numeral.unit.dimension
        truth = Quantity(expected[0] if expected[0] == expected[1] else Interval(*expected), dim)
        computed, shown = told(numeral, truth)
    because = f"{relation.text}, as in the other rows of the table"
    if status is Status.RIGHT:
        because = relation.text
    grade = {Status.RIGHT: "exact", Status.WRONG: "wrong"}.get(status, "")
    reading.ledger.put(cell.block, cell.index, Judgment(status, because, grade, computed, shown, _BY))


def columns_target(relation: _Relation, cell: _Cell, status: Status) -> bool:
    """Whether the relation's expected value is one for this cell."""
    return status is not Status.UNDECIDED
