"""Numbers of tokens in a sentence, and which of them a quantity belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.audit.reading import Reading, Sentence, dimension
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import Dimension

BYTE: Dimension = (("byte", 1),)
_TOKENS_AFTER = re.compile(
    r"(?i)[- ]?(?:tokens?|contexts?|prompts?|chats?|sequences?|windows?|conversations?|documents?|requests?|inputs?|rows?|"
    r"context length|sequence length|tok)\b"
)
_TOKENS_BEFORE = re.compile(
    r"(?i)(?:\bat|context(?: length)?(?: of)?|sequence length(?: of)?|length(?: of)?|prompt of|N ?=|S ?=|L ?=|\bT ?=)\s*$"
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """A number of tokens in a sentence: the numeral's index and the values that it can stand for."""

    index: int
    values: tuple[Fraction, ...]


def token_counts(reading: Reading, sentence: Sentence) -> Iterator[Tokens]:
    """The token counts of a sentence."""
    passage = reading.passages[sentence.block]
    for index in sentence.numerals:
        numeral = passage.numerals[index]
        if numeral.value is None or numeral.kind in (Kind.PERCENT, Kind.RATIO):
            continue
        after = passage.text[numeral.end : numeral.end + 20]
        before = passage.text[max(sentence.start, numeral.at - 30) : numeral.at]
        unit = numeral.unit.dimension if numeral.unit is not None else ()
        counts = unit == (("token", 1),) or (not unit and _TOKENS_AFTER.match(after) is not None)
        counts = counts or (not unit and numeral.alternative is not None) or (
            not unit and numeral.value >= 128 and _TOKENS_BEFORE.search(before) is not None
        )  # fmt: skip
        if counts:
            yield Tokens(index, tuple(v for v in (numeral.alternative, numeral.value) if v is not None))


def nearest(reading: Reading, sentence: Sentence, index: int, tokens: list[Tokens]) -> Tokens | None:
    """The token count that a quantity belongs to: the last before it in its clause, else one right after it."""
    passage = reading.passages[sentence.block]
    at = passage.numerals[index].at
    others = [passage.numerals[i].at for i in sentence.numerals if i != index and dimension(passage.numerals[i])]
    before = [t for t in tokens if passage.numerals[t.index].at < at]
    after = [t for t in tokens if passage.numerals[t.index].at > at]
    if before:
        place = passage.numerals[before[-1].index].at
        if not any(place < other < at for other in others):
            return before[-1]
    if after:
        place = passage.numerals[after[0].index].at
        between = passage.text[at:place]
        if (
            place - at < 60
            and not any(at < other < place for other in others)
            and re.search(r"\b(?:for|at|with|per)\b", between)
        ):
            return after[0]
    if len(tokens) == 1:
        return tokens[0]
    return None


def is_size(numeral: Numeral) -> bool:
    """Whether a numeral is an amount of memory, not the 16 of ``16-bit`` or the 2 of ``2 bytes an element``."""
    if dimension(numeral) != BYTE or numeral.unit_text.startswith("-") or numeral.value is None or numeral.unit is None:
        return False
    return numeral.value * numeral.unit.base_factor >= 64 and ("bit", 1) not in numeral.unit.factors


def clause_of(text: str, sentence: Sentence, at: int) -> str:
    """The words around a place, up to the commas, dashes and conjunctions that bound its clause."""
    start, end = sentence.start, sentence.end
    for match in re.finditer(r"[,:;()–—]\s| and | but | while ", text[start:end]):
        place = start + match.start()
        if place < at:
            left = place
            start_of = left + len(match.group())
            start = max(start, start_of)
        elif place > at:
            end = min(end, place)
            break
    return text[start:end]


def count(value: Fraction) -> str:
    """A number for a message, its digits grouped."""
    return f"{value.numerator:,}" if value.denominator == 1 else str(float(value))
