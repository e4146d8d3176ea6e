"""The numbers of a table, column by column, each with what its rounding leaves open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ridgeline.audit.reading import Reading
from ridgeline.numbers.numeral import Comparator, Kind

_VALUES = frozenset({Kind.MEASURE, Kind.PERCENT, Kind.RATIO, Kind.CONSTANT, Kind.CHANGE})
_COMPARATORS = frozenset({Comparator.EQ, Comparator.APPROX, Comparator.NOMINAL})


@dataclass(frozen=True, slots=True)
class Cell:
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


Column = list[Cell | None]


def columns_of(reading: Reading, rows: list[list[int]], width: int, binary: bool) -> list[Column]:
    """The columns of a table; ``binary`` reads ``128K`` as 1,024 to a K."""
    columns = [[_cell(reading, row[c], binary) if c < len(row) else None for row in rows] for c in range(width)]
    if columns and all(cell is None or cell.value.denominator == 1 for cell in columns[0]):
        # What a table is set up by is counted, not rounded.
        columns[0] = [None if cell is None else replace(cell, half=Fraction(0)) for cell in columns[0]]
    return columns


def _cell(reading: Reading, block: int, binary: bool) -> Cell | None:
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
    factor = numeral.base_factor
    return Cell(block, index, value * factor, half * factor)


def constant(column: Column) -> bool:
    """Whether a column has fewer than three values."""
    return len({cell.value for cell in column if cell is not None}) < 3
