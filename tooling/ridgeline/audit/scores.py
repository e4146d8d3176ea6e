"""The table of attention scores that a plain implementation stores: ``N² s`` for one head of one layer."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from ridgeline.audit.blocks import Table
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.lengths import BYTE, Tokens, clause_of, count, is_size
from ridgeline.audit.reading import Reading, Sentence, amounts, dimension
from ridgeline.audit.shapes import Shapes, element_sizes
from ridgeline.audit.weigh import settle, weigh
from ridgeline.formulas.quantity import Quantity, divide
from ridgeline.numbers.numeral import Kind, Numeral

_BY = "shape"
SCORE = re.compile(
    r"\b(?:scores? (?:matri(?:x|ces)|tables?|block)|attention (?:scores?|matri(?:x|ces)|maps?|weights? matri(?:x|ces))|S matrix|"
    r"score tensor|N ?(?:by|x|×|\*) ?N|n ?(?:by|x|×) ?n|S ?[x×] ?S|L ?[x×] ?L)\b"
)
_ONE_LAYER = re.compile(r"(?i)\b(?:per[- ]layer|(?:one|each|every|a|single)(?: attention)? layer)\b")
_ONE_HEAD = re.compile(r"(?i)\b(?:per[- ]head|(?:one|each|every|a|single) head)\b")
_ALL_HEADS = re.compile(r"(?i)\b(?:all|across)(?: of)?(?: the| its)?(?: [0-9]+)?(?: query| attention)? heads\b")
_SAVING = re.compile(r"(?i)\bsavings?\b|\breduction\b|\bratio\b|\bfactor\b|\btimes\b")


class Scores:
    """Judges the sizes of score tables in one document."""

    def __init__(self, reading: Reading, shapes: Shapes):
        self.reading = reading
        self.shapes = shapes

    def scored(self, sentence: Sentence, index: int, own: bool) -> bool:
        """Whether a byte count is the one that the words about the score table speak of."""
        passage = self.reading.passages[sentence.block]
        text = passage.text[sentence.start : sentence.end]
        at = passage.numerals[index].at - sentence.start
        sizes = [i for i in sentence.numerals if is_size(passage.numerals[i])]
        if not own:
            return len(sizes) == 1 and re.match(r"\s*(?:At|Even|For|With|A|An|And|By)\b", text) is not None
        distances = {
            i: min(abs(m.start() - (passage.numerals[i].at - sentence.start)) for m in SCORE.finditer(text))
            for i in sizes
        }
        clause = clause_of(passage.text, sentence, passage.numerals[index].at)
        if re.search(
            r"(?i)\b(?:hbm|gpu has|has|total|capacity|sram|flash|tiled|cache|weights|instead|reduces?)\b", clause
        ):
            return False
        return (
            bool(distances)
            and min(distances, key=lambda i: distances[i]) == index
            and at >= 0
            and distances[index] < 90
        )

    def score(
        self, block: int, number: int, text: str, numeral: Numeral, near: Tokens, certain: bool
    ) -> Judgment | None:
        sizes = self.shapes.element(block, number) or self.score_formats
        return self.score_word(numeral, near.values, sizes, text, self.shapes.shape(block, number), certain)

    @cached_property
    def score_formats(self) -> set[Fraction]:
        """The number formats that the document names where it speaks of score tables."""
        found: set[Fraction] = set()
        for sentences in self.reading.sentences:
            for sentence in sentences:
                text = self.reading.text(sentence)
                if SCORE.search(text):
                    found |= set(element_sizes(text))
        return found

    def score_word(
        self, numeral: Numeral, lengths: tuple[Fraction, ...], sizes: set[Fraction], text: str,
        shape: dict[str, Fraction], certain: bool,
    ) -> Judgment | None:  # fmt: skip
        heads = [Fraction(1), *(shape[s] for s in ("n_q",) if s in shape)]
        if _ALL_HEADS.search(text) and "n_q" in shape and not _ONE_HEAD.search(text):
            heads.reverse()
        layers = [Fraction(1), *(shape[s] for s in ("n_layers",) if s in shape and not _ONE_LAYER.search(text))]
        words: list[tuple[Quantity, str]] = []
        for size in sorted(sizes) or [Fraction(2), Fraction(4), Fraction(1)]:
            for n in layers:
                for q in heads:
                    for length in lengths:
                        told = (
                            [f"{count(length)}² scores"]
                            + [f"{count(q)} heads"] * (q != 1)
                            + [f"{count(n)} layers"] * (n != 1)
                        )
                        because = f"score table: {' × '.join(told)} × {count(size)} bytes"
                        words.append((Quantity(length**2 * size * q * n, BYTE), because))
        word = settle(numeral, words, certain=certain and len(sizes) == 1, by=_BY)
        if word is not None and word.status is Status.WRONG:
            size = next(iter(sizes))
            others = [(s, f"at {count(s)} bytes a score") for s in (Fraction(4), Fraction(2), Fraction(1)) if s != size]
            guesses = [(length**2 * s * q, told) for s, told in others for q in heads for length in lengths]
            return replace(word, because=word.because + likely(numeral, guesses))
        return word

    # Tables

    def table(self, table: Table) -> None:
        """Columns of score tables by their header, rows by their number of tokens."""
        headings = self.reading.headings(table)
        if not headings or not re.search(r"(?i)length|context|tokens|\bn\b|seq", headings[0]):
            return
        formats = self.score_formats
        for column in range(1, len(headings)):
            if not (SCORE.search(headings[column]) or re.search(r"(?i)\bnaive S\b|score", headings[column])):
                continue
            sizes = set(element_sizes(headings[column])) or formats
            for row in table.rows[1:]:
                if column < len(row) and row[0] >= 0 and row[column] >= 0:
                    self.cell(row[0], row[column], headings[column], sizes)
                    self.saving(row, column, headings)

    def cell(self, first: int, block: int, heading: str, sizes: set[Fraction]) -> None:
        lengths = [n for n in self.reading.passages[first].numerals if n.quantity and n.value is not None]
        numerals = [(i, n) for i, n in enumerate(self.reading.passages[block].numerals) if dimension(n) == BYTE]
        if len(lengths) != 1 or len(numerals) != 1 or not amounts(lengths[0]):
            return
        values = tuple(v for v in (lengths[0].alternative, lengths[0].value) if v is not None)
        if lengths[0].text.upper().endswith("M") and lengths[0].value is not None:
            values = (lengths[0].value * Fraction(1024**2, 10**6), *values)
        index, numeral = numerals[0]
        word = self.score_word(numeral, values, sizes, heading, {}, True)
        if word is not None:
            self.reading.ledger.put(block, index, word)

    def saving(self, row: list[int], column: int, headings: list[str]) -> None:
        """A saving that follows from a wrong size and another one: right as printed, and stale."""
        index, numeral = self.bytes_of(row[column]) or (-1, None)
        word = self.reading.ledger.held.get((row[column], index))
        if word is None or word.status is not Status.WRONG or numeral is None or numeral.value is None:
            return
        others = [c for c in range(1, len(row)) if c != column and row[c] >= 0 and self.bytes_of(row[c])]
        ratios = [c for c in range(1, len(row)) if row[c] >= 0 and _SAVING.search(headings[c])]
        if len(others) != 1 or len(ratios) != 1 or numeral.unit is None:
            return
        _, other = self.bytes_of(row[others[0]]) or (-1, numeral)
        shown = [(i, n) for i, n in enumerate(self.reading.passages[row[ratios[0]]].numerals) if n.kind is Kind.RATIO]
        if len(shown) != 1 or not amounts(other) or not amounts(numeral):
            return
        stale = divide(Quantity(amounts(numeral)[0].value), Quantity(amounts(other)[0].value))
        true = Fraction(word.computed) * numeral.unit.base_factor
        now = divide(Quantity(true), Quantity(amounts(other)[0].value))
        because = f"follows from {numeral.text} {numeral.unit_text}, which should be {word.shown}"
        if weigh(shown[0][1], stale, "").status is Status.WRONG:
            return
        judged = weigh(shown[0][1], now, because, by=_BY)
        if judged.status is Status.WRONG:
            self.reading.ledger.put(row[ratios[0]], shown[0][0], judged)

    def bytes_of(self, block: int) -> tuple[int, Numeral] | None:
        """The one number of bytes in a cell."""
        found = [(i, n) for i, n in enumerate(self.reading.passages[block].numerals) if dimension(n) == BYTE]
        return found[0] if len(found) == 1 else None


def likely(numeral: Numeral, guesses: list[tuple[Fraction, str]]) -> str:
    """What may have gone wrong: a guess that gives what is printed, in decimal units or in binary ones called decimal."""
    for value, told in guesses:
        for n in range(5):
            truth = Quantity(value * Fraction(1000, 1024) ** n, BYTE)
            if weigh(numeral, truth, "").status is Status.RIGHT:
                binary = f", and with binary units printed as {numeral.unit_text}" if n else ""
                return f"; {told}{binary} it would be what is printed"
    return ""
