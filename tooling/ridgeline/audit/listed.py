"""A count of things that the same sentence then lists: *only two rows have one: 434, 28,178 and 344* lists three.

Only numbers are counted as things listed, and only where the list goes from the colon to the end of the sentence. That a
count is wrong is said where the words leave no other thing to count: *only*, *just* or *exactly* before it, or the list
right behind what is counted.
"""

from __future__ import annotations

import re

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, Sentence
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

_BY = "listed"
_MOST = 12
_BEFORE = re.compile(
    r"(?i)^\W*(?:(?:there|these|here) (?:are|were) |(?:it|they|we) (?:has|have|had) )?(?P<sure>only |just |exactly )?(?:the )?$"
)
_COUNTED = re.compile(r"^ (?P<what>[a-z-]+(?: [a-z-]+)?s)\b(?P<rest>[^:\n]*):\s*$")
_PLURAL = re.compile(r"(?<![sui])s$")
_BETWEEN = re.compile(r"^(?:,? (?:and|or|&) |, ?)$")
_AND = re.compile(r" (?:and|or|&) ")
_END = re.compile(r"^\s*[.!]?\s*$")


def judge(reading: Reading) -> None:
    """Every sentence outside tables."""
    for sentence in reading.prose():
        word = _count(reading, sentence)
        if word is not None:
            reading.ledger.put(sentence.block, sentence.numerals[0], word)


def _count(reading: Reading, sentence: Sentence) -> Judgment | None:
    if len(sentence.numerals) < 3:
        return None
    text = reading.passages[sentence.block].text
    counted, *listed = (reading.numeral(sentence.block, index) for index in sentence.numerals)
    number = counted.value
    if number is None or counted.unit_text or number.denominator != 1 or not 2 <= number <= _MOST:
        return None
    before = _BEFORE.match(text[sentence.start : counted.at])
    said = _COUNTED.match(text[counted.end : listed[0].at])
    if before is None or said is None or not _enumerated(text, sentence, listed):
        return None
    things = ", ".join(n.text for n in listed)
    if number == len(listed):
        return Judgment(Status.RIGHT, f"the sentence lists {len(listed)}: {things}", "exact", by=_BY, stated=True)
    rest = said["rest"].strip()
    if rest and (not before["sure"] or _PLURAL.search(rest)):
        return None  # the list may be one of something else
    because = f"the sentence lists {len(listed)}: {things}"
    return Judgment(Status.WRONG, because, "wrong", str(len(listed)), str(len(listed)), _BY, stated=True)


def _enumerated(text: str, sentence: Sentence, listed: list[Numeral]) -> bool:
    """Whether numbers are a list to the end of the sentence: commas between them, and one *and* before the last."""
    if any(n.kind in (Kind.WORD, Kind.NOMINAL) or n.comparator is not Comparator.EQ for n in listed):
        return False
    ends = []
    for numeral in listed:
        end = numeral.end
        unit = re.match(r"[ \u00a0\u202f-]?" + re.escape(numeral.unit_text), text[end:]) if numeral.unit_text else None
        ends.append(end + unit.end() if unit else end)
    gaps = [text[end : following.at] for end, following in zip(ends, listed[1:], strict=False)]
    return (
        all(_BETWEEN.match(gap) for gap in gaps)
        and _AND.search(gaps[-1]) is not None
        and not any(_AND.search(gap) for gap in gaps[:-1])
        and _END.match(text[ends[-1] : sentence.end]) is not None
    )
