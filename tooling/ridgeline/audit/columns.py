"""Columns of a table that follow from the others by one formula, and the cells that break it.

A relation is sought exactly: products and quotients of two or three columns with a constant that people use (2, 1000,
1024, 3600 …), sums and differences, and for whole numbers of many digits proportions and straight lines with any
constants. It is accepted only where at least three rows, and two thirds of them, obey it to more digits than chance could
give for the number of relations tried. What holds between *one* other column and this may be a law of nature that ends
somewhere (a speed-up that saturates), so such relations need five digits in every row.
"""

from __future__ import annotations

from collections import Counter

from ridgeline.audit.blocks import Table
from ridgeline.audit.cells import Cell, Column, columns_of
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading
from ridgeline.audit.relation import Relation
from ridgeline.audit.relations import accepted
from ridgeline.audit.weigh import told
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Numeral

MAX_ROWS, MAX_COLUMNS = 200, 8
_BY = "column"


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
        columns = columns_of(reading, rows, table.width, binary)
        numeric = [c for c in range(table.width) if sum(x is not None for x in columns[c]) >= 3]
        if not 2 <= len(numeric) <= MAX_COLUMNS:
            return
        relations = accepted([columns[c] for c in numeric], [headings[c] or f"column {c + 1}" for c in numeric])
        _report(reading, [columns[c] for c in numeric], relations)


# What follows


def _report(reading: Reading, columns: list[Column], relations: list[Relation]) -> None:
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


def _fits(columns: list[Column], relation: Relation, row: int) -> bool | None:
    cell, expected = columns[relation.target][row], relation.expected[row]
    if cell is None or expected is None:
        return None
    return cell.low <= expected[1] and expected[0] <= cell.high


def _put(reading: Reading, cell: Cell, relation: Relation, row: int, status: Status) -> None:
    numeral: Numeral = reading.numeral(cell.block, cell.index)
    expected = relation.expected[row]
    computed = shown = ""
    if expected is not None and status is not Status.UNDECIDED:
        dim = () if numeral.unit is None else numeral.unit.dimension
        truth = Quantity(expected[0] if expected[0] == expected[1] else Interval(*expected), dim)
        computed, shown = told(numeral, truth)
    because = f"{relation.text}, as in the other rows of the table"
    if status is Status.RIGHT:
        because = relation.text
    grade = {Status.RIGHT: "exact", Status.WRONG: "wrong"}.get(status, "")
    reading.ledger.put(cell.block, cell.index, Judgment(status, because, grade, computed, shown, _BY))
