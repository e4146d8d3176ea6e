"""How far things grow: along a column of the table above, and between the pairs of numbers of the sentence before.

*The FLOPs column grows 4096x while the bytes column grows 3x*; *70.3 TFLOP for 4K tokens and 7,770.5 TFLOP for 128K. That
is 32 times the tokens for about 110 times the work.*
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, Sentence, amounts
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity, divide
from ridgeline.numbers.numeral import Kind, Numeral

_BY = "growth"
_COLUMN = re.compile(
    r"(?i)\b(?:the |its )?(?P<name>[\w/.%-]+(?: [\w/.%-]+)?) column (?:grows|rises|increases|climbs|falls|drops|shrinks|goes up|goes down)"
    r"(?: by)?(?: a factor of)?(?: about| roughly| around| only)? ?$"
)
_THAT = re.compile(r"(?i)^\s*(?:That|This|It)(?: is|'s| means)\b")
_TIMES = re.compile(r"(?i)^\s?(?:x|×|times|-?fold)\b")


def judge(reading: Reading) -> None:
    """Every sentence outside tables."""
    for block, sentences in enumerate(reading.sentences):
        if reading.blocks[block].table >= 0:
            continue
        for number, sentence in enumerate(sentences):
            for index, word in _column(reading, sentence):
                reading.ledger.put(block, index, word)
            if number and _THAT.match(reading.text(sentence)):
                for index, word in _pairs(reading, sentences[number - 1], sentence):
                    reading.ledger.put(block, index, word)


def _ratios(reading: Reading, sentence: Sentence) -> Iterator[tuple[int, Numeral]]:
    text = reading.passages[sentence.block].text
    for index in sentence.numerals:
        numeral = reading.numeral(sentence.block, index)
        bare = numeral.kind in (Kind.MEASURE, Kind.WORD, Kind.CONSTANT) and _TIMES.match(
            text[numeral.end : numeral.end + 8]
        )
        if numeral.value and (numeral.kind is Kind.RATIO or bare):
            yield index, numeral


def _column(reading: Reading, sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    text = reading.passages[sentence.block].text
    for index, numeral in _ratios(reading, sentence):
        match = _COLUMN.search(text[max(sentence.start, numeral.at - 90) : numeral.at])
        cells = _cells(reading, sentence.block, match["name"].lower()) if match else []
        if match is None or len(cells) < 2:
            continue
        words = []
        for top, bottom in ((cells[-1], cells[0]), (cells[0], cells[-1])):
            for a in amounts(top, exact=True):
                for b in amounts(bottom, exact=True):
                    because = f"{top.text} / {bottom.text}, the ends of the {match['name']} column"
                    words.append(weigh(numeral, divide(Quantity(a.value), Quantity(b.value)), because, by=_BY))
        word = best(words, certain=True, first=True)
        if word is not None:
            yield index, word


def _cells(reading: Reading, block: int, name: str) -> list[Numeral]:
    """The numbers of the column that a name means, in the last table before a block."""
    above = [b.table for b in reading.blocks[max(0, block - 400) : block] if b.table >= 0]
    if not above:
        return []
    table = reading.document.tables[above[-1]]
    headings = [h.lower() for h in reading.headings(table)]
    exact = [c for c, h in enumerate(headings) if h == name]
    columns = exact or [c for c, h in enumerate(headings) if h.startswith(name + " ")]
    columns = columns or [c for c, h in enumerate(headings) if h.startswith(name.rsplit(maxsplit=1)[-1] + " ")]
    if len(columns) != 1:
        return []
    found = []
    for row in table.rows[1:]:
        block_index = row[columns[0]] if columns[0] < len(row) else -1
        numerals = [n for n in reading.passages[block_index].numerals if n.quantity] if block_index >= 0 else []
        if len(numerals) != 1 or not numerals[0].value:
            return []
        found.append(numerals[0])
    return found


def _pairs(reading: Reading, before: Sentence, sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    """Two quantities told for two settings, and by how much each grew."""
    ratios = list(_ratios(reading, sentence))
    numerals = [reading.numeral(before.block, i) for i in before.numerals]
    if len(ratios) != 2 or len(numerals) != 4 or len(sentence.numerals) != 2:
        return
    first, second = _split(numerals)
    if len(first) != 2 or len(second) != 2:
        return
    found: list[tuple[int, Judgment]] = []
    for index, numeral in ratios:
        words = []
        for a, b in (first, second):
            for top, bottom in _readings(b, a):
                quotient = Quantity(top / bottom)
                words.append(weigh(numeral, quotient, f"{b.text} / {a.text}", by=_BY))
        word = best(words, certain=False)
        if word is not None:
            found.append((index, word))
    yield from found
    held = [word.status is Status.RIGHT for _, word in found]
    if held in ([True, False], [False, True]):
        # One of the two ratios is told right, so the other is of the other pair.
        index, word = found[held.index(False)]
        pair = second if found[held.index(True)][1].because == f"{first[1].text} / {first[0].text}" else first
        quotients = [Quantity(top / bottom) for top, bottom in _readings(pair[1], pair[0])]
        numeral = reading.numeral(sentence.block, index)
        because = f"{pair[1].text} / {pair[0].text}"
        judged = best([weigh(numeral, q, because, by=_BY) for q in quotients], certain=True, first=True)
        if judged is not None:
            yield index, judged


def _split(numerals: list[Numeral]) -> tuple[list[Numeral], list[Numeral]]:
    """Numbers with the unit of the first, and the others."""
    unit = numerals[0].unit.dimension if numerals[0].unit else ()
    alike = [n for n in numerals if (n.unit.dimension if n.unit else ()) == unit]
    return alike, [n for n in numerals if n not in alike]


def _readings(top: Numeral, bottom: Numeral) -> Iterator[tuple[Fraction, Fraction]]:
    for a, b in ((top.value, bottom.value), (top.alternative, bottom.alternative)):
        if a and b:
            yield a, b
