"""A document with its numerals read and its sentences found: what every judge works on."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ridgeline.audit.blocks import Block, BlockKind, Document, Table
from ridgeline.audit.claim import Ledger
from ridgeline.figures.passage import Passage
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import Dimension, hard

_END = re.compile(
    r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bapprox)(?<!\bca)(?<!\bFig)(?<!\bEq)(?<!\bal)[.!?](?=\s|$)"
    r"|;(?=\s)|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•] |[0-9]{1,2}[.)] |[A-Z][^\n]{0,40}:))"
)
_MOST = 48
_MEASURED = frozenset({Kind.MEASURE, Kind.CONSTANT, Kind.PERCENT, Kind.RATIO, Kind.CHANGE, Kind.WORD})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block: offsets in its text, and the numerals that state something, by index in order."""

    block: int
    start: int
    end: int
    numerals: tuple[int, ...]


@dataclass
class Reading:
    """The document under audit. ``ledger`` collects what the judges say; ``bound`` what a claims file says numerals are."""

    document: Document
    resolver: Resolver | None
    passages: list[Passage] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    bound: dict[tuple[int, int], Quantity] = field(default_factory=dict)

    @property
    def blocks(self) -> list[Block]:
        return self.document.blocks

    @cached_property
    def names(self) -> frozenset[str]:
        return self.resolver.knowledge.names if self.resolver is not None else frozenset()

    @cached_property
    def sentences(self) -> list[list[Sentence]]:
        """The sentences of each block; code has none."""
        return [list(self._split(i)) for i in range(len(self.blocks))]

    def _split(self, block: int) -> Iterator[Sentence]:
        if self.blocks[block].kind is BlockKind.CODE:
            return
        passage = self.passages[block]
        ends = [m.end() for m in _END.finditer(passage.text)]
        if not ends or ends[-1] < len(passage.text):
            ends.append(len(passage.text))
        order = sorted((i for i, n in enumerate(passage.numerals) if n.quantity), key=lambda i: passage.numerals[i].at)
        places = [passage.numerals[i].at for i in order]
        start = 0
        for end in ends:
            inside = order[bisect_left(places, start) : bisect_left(places, end)]
            # A list without an end is read in stretches, so that no judge works long on one sentence.
            for first in range(_MOST, len(inside), _MOST):
                cut = passage.numerals[inside[first]].at
                yield Sentence(block, start, cut, tuple(inside[first - _MOST : first]))
                start = cut
            if passage.text[start:end].strip():
                yield Sentence(
                    block, start, end, tuple(inside[len(inside) // _MOST * _MOST if len(inside) % _MOST else -_MOST :])
                )
            start = end

    def text(self, sentence: Sentence) -> str:
        return self.passages[sentence.block].text[sentence.start : sentence.end]

    def numeral(self, block: int, index: int) -> Numeral:
        return self.passages[block].numerals[index]

    def prose(self) -> Iterator[Sentence]:
        """The sentences outside tables."""
        for block, sentences in enumerate(self.sentences):
            if self.blocks[block].table < 0:
                yield from sentences

    def headings(self, table: Table) -> list[str]:
        """The text above each column; empty where the table has no header."""
        if not table.headed or not table.rows:
            return [""] * table.width
        first = table.rows[0]
        return [self.cell(first[c]) if c < len(first) else "" for c in range(table.width)]

    def cell(self, block: int) -> str:
        return self.blocks[block].text.strip() if block >= 0 else ""


def read_blocks(document: Document, resolver: Resolver | None) -> Reading:
    """Read the numerals and equations of every block."""
    reading = Reading(document, resolver)
    reading.passages = [Passage.of(("blocks", i), block.text, reading.names) for i, block in enumerate(document.blocks)]
    return reading


def dimension(numeral: Numeral) -> Dimension:
    """The hard part of a numeral's dimension; that of a bare number is pure."""
    return () if numeral.unit is None else hard(numeral.unit.dimension)


def amounts(numeral: Numeral, *, exact: bool = False) -> list[Quantity]:
    """The values that a numeral can stand for as an input, in canonical units: one, or two for ``128K``.

    With its rounding as an interval, unless it is an integer that prints no point or is wanted ``exact``.
    """
    if numeral.value is None or (numeral.kind not in _MEASURED and numeral.kind is not Kind.NOMINAL):
        return []
    factor, dim = (1, ()) if numeral.unit is None else (numeral.base_factor, numeral.unit.dimension)
    found = []
    for value in (numeral.value, numeral.alternative):
        if value is None:
            continue
        half = (numeral.step or 0) / 2
        if exact or not half or counted(numeral) or _width(numeral):
            found.append(Quantity(value * factor, dim))
        else:
            found.append(Quantity(Interval(value - half, value + half).scaled(factor * 1), dim))  # type: ignore[arg-type]
    return found


def _width(numeral: Numeral) -> bool:
    """Whether a numeral is the width of an element, ``4 bits`` or ``2 bytes``: a whole number of them is no rounded one."""
    dim = dimension(numeral)
    return dim == (("byte", 1),) and "." not in numeral.text and numeral.unit is not None and numeral.value is not None and (
        numeral.value * numeral.base_factor <= 16 and numeral.unit.scale == 1
    )  # fmt: skip


def counted(numeral: Numeral) -> bool:
    """Whether a numeral is a plain integer count, exact as printed."""
    return "." not in numeral.text and dimension(numeral) == () and numeral.unit_text not in ("%", "percent")
