"""A foreign document as blocks of text, each with an exact map back to the source.

A block is a paragraph, list item, heading, table cell, program output or code. Its text may lack what the source has
(tags, emphasis marks) and may hold what the source spells otherwise (entities); :meth:`Block.offset` gives the offset in
the source, in code points, of every character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

MAX_CELLS = 60


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    HEADING = "heading"
    CELL = "cell"
    OUTPUT = "output"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text. ``marks`` maps it to the source: (offset here, offset there, 1 where both advance together)."""

    kind: BlockKind
    text: str
    marks: tuple[tuple[int, int, int], ...]
    section: int = 0
    table: int = -1
    row: int = -1
    column: int = -1

    def offset(self, at: int) -> int:
        """The offset in the source of the character at ``at``."""
        index = bisect_right(self.marks, at, key=lambda mark: mark[0]) - 1
        here, there, step = self.marks[max(0, index)]
        return there + max(0, at - here) * step


@dataclass
class Table:
    """A table: indices of the document's blocks by row and column, ``-1`` where a row is short."""

    rows: list[list[int]] = field(default_factory=list)
    headed: bool = True

    @property
    def width(self) -> int:
        return max((len(row) for row in self.rows), default=0)


@dataclass
class Document:
    """The blocks of a document in order, and its tables. ``path`` is what findings call it."""

    path: str
    source: str
    form: str = "plain"
    blocks: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.source))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1, in code points."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1


class Pieces:
    """Collects the text of one block with its map."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.marks: list[tuple[int, int, int]] = []
        self.length = 0

    def add(self, text: str, at: int, *, exact: bool = True) -> None:
        """Text that stands at ``at`` in the source; ``exact=False`` where the source spells it otherwise."""
        if text:
            self.marks.append((self.length, at, 1 if exact else 0))
            self.parts.append(text)
            self.length += len(text)

    @property
    def last(self) -> str:
        return self.parts[-1][-1:] if self.parts else ""

    def block(self, kind: BlockKind, **place: int) -> Block | None:
        """The block, ``None`` where it holds nothing but space; the collector is empty afterwards."""
        text, marks = "".join(self.parts), tuple(self.marks)
        self.parts, self.marks, self.length = [], [], 0
        return Block(kind, text, marks, **place) if text.strip() else None


class Builder:
    """Puts blocks and tables together."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.section = 0

    def block(self, kind: BlockKind, pieces: Pieces) -> None:
        """Close a block of prose."""
        if kind is BlockKind.HEADING:
            self.section += 1
        block = pieces.block(kind, section=self.section)
        if block is not None:
            self.document.blocks.append(block)

    def table(self, rows: list[list[Pieces]], *, headed: bool) -> None:
        """A finished table, cell by cell."""
        table, number = Table(headed=headed), len(self.document.tables)
        for r, row in enumerate(rows):
            indices = []
            for c, cell in enumerate(row[:MAX_CELLS]):
                block = cell.block(BlockKind.CELL, section=self.section, table=number, row=r, column=c)
                if block is not None:
                    self.document.blocks.append(block)
                indices.append(-1 if block is None else len(self.document.blocks) - 1)
            table.rows.append(indices)
        self.document.tables.append(table)


class Unreadable(Exception):
    """A document that cannot be read; the message says why."""
