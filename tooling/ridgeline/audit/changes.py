"""Percentages of two printed numbers of one sentence.

*rose from 120 to 180 tok/s, a 50 % improvement*; *dropped by 40 %, from 50 GB to 30 GB*; *of 512 GPUs, 384 (75 %)*;
*decode takes 90 ms, 75 % of the 120 ms*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, Sentence, amounts, dimension
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity, divide
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

_BY = "change"
_PERCENT = frozenset({Kind.PERCENT, Kind.CHANGE})
_FROM = re.compile(r"(?i)\bfrom (?:about |roughly |around |only |~|≈)?[$€₹]?$")
_TO = re.compile(r"(?i)^[^.;,]{0,24}?\b(?:to|down to|up to)\s(?:about |roughly |around |only |just |~|≈)?[$€₹]?$")
#: Words that say which of the two numbers is the whole; others leave it open.
_GROWS = re.compile(
    r"(?i)\b(?:rise|rises|rose|increas\w*|grow\w*|grew|gain\w*|went up|goes up|jump\w*|climb\w*|more|up|improvement|improv\w*|higher|growth)\b"
)
_SHRINKS = re.compile(
    r"(?i)\b(?:fall|falls|fell|drop\w*|decreas\w*|reduc\w*|cut\w*|shr\w*nk\w*|went down|goes down|less|down|saving|saves?|saved|lower\w*|fewer|declin\w*)\b"
)
_SPEED = re.compile(r"(?i)\b(?:faster|speed-?up|quicker|slower)\b")
_STOPS = re.compile(
    r"(?i)\b(?:while|whereas|if|would|each|per cent of|percentage points?|points?|respectively|target|instead|another|of (?:peak|the peak))\b"
)
_OF_WHOLE = re.compile(r"(?i)\b(?:of|out of)(?: the| all| its| these| those)? $")
_LISTED = re.compile(r"^[^.;:()]{0,40}, $")
_PART = re.compile(r"(?i)^[^.;:()0-9]{0,24}?\((?:about |roughly |around |~|≈|only )?$")
_SAID = re.compile(
    r"(?i)^[^.;:()]{0,40}?(?:, or|, that is|, i\.e\.,?|, which is|, so|:)\s(?:about |roughly |around |~|≈|only )?$"
)
_OF_THE = re.compile(r"(?i)^\s?%?\s?of (?:the|its|their|an?|that|this)(?: [\w'’ -]{0,32})?\s$")
#: What stands between a number and the percentage that it is said to be: *740 TFLOP/s, 75 % of the peak*.
_IS = re.compile(
    r"(?i)^(?:,? (?:or|that is|which is|is|i\.e\.,?|just|only|about)|,|:| \(| –| —)* ?(?:about |roughly |around |only |just |~|≈)?$"
)


def judge(reading: Reading) -> None:
    """Every sentence outside tables."""
    for sentence in reading.prose():
        for index, word in (*_changes(reading, sentence), *_shares(reading, sentence), *_parts(reading, sentence)):
            reading.ledger.put(sentence.block, index, word)


def _changes(reading: Reading, sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    """The change from one number to another, where the sentence has one such pair and one percentage."""
    passage = reading.passages[sentence.block]
    text, numerals = passage.text, passage.numerals
    percents = [i for i in sentence.numerals if numerals[i].kind in _PERCENT]
    plain = [i for i in sentence.numerals if _measured(numerals[i])]
    pairs = [
        (a, b)
        for a, b in pairwise(plain)
        if _FROM.search(text[max(sentence.start, numerals[a].at - 16) : numerals[a].at])
        and _TO.match(_behind(text, numerals[a], numerals[b].at))
    ]
    if len(percents) != 1 or len(pairs) != 1:
        return
    first, second, change = numerals[pairs[0][0]], numerals[pairs[0][1]], numerals[percents[0]]
    whole = text[sentence.start : sentence.end]
    if not _alike(first, second) or change.value is None:
        return
    near = text[max(sentence.start, change.at - 40) : min(sentence.end, change.end + 40)]
    words = []
    other = []
    for a in amounts(first):
        for b in _lent(first, second):
            if a.low <= 0 or b.low <= 0:
                return
            told = f"{first.text} to {second.text}"
            words.append(_share_of(change, a, b, a, f"the change from {told}, of {first.text}"))
            other.append(_share_of(change, a, b, b, f"the change from {told}, of {second.text}"))
    grows = bool(words) and _amount(second) > _amount(first)
    direction = (_GROWS if grows else _SHRINKS).search(near) or (_GROWS if grows else _SHRINKS).search(whole)
    certain = direction is not None and _STOPS.search(whole) is None and _SPEED.search(whole) is None
    if certain and _loose(change):
        certain = False
    word = best(words, certain=certain)
    if word is None:
        return
    if word.status is not Status.RIGHT:
        based = next((w for w in other if w.status is Status.RIGHT), None)
        if based is not None and not certain:
            word = based
        elif based is not None and word.status is Status.WRONG:
            word = Judgment(
                word.status, f"{word.because}; it is {change.text}% of {second.text}, the wrong whole",
                word.grade, word.computed, word.shown, _BY, word.stated,
            )  # fmt: skip
    yield percents[0], word


def _share_of(numeral: Numeral, a: Quantity, b: Quantity, base: Quantity, because: str) -> Judgment:
    """The change between two values as a part of one of them; a percentage without a sign is its size."""
    exact = abs(b.middle - a.middle) / base.middle
    if numeral.value is not None and numeral.value < 0:
        exact = -exact
    return weigh(numeral, Quantity(exact), because, by=_BY)


def _shares(reading: Reading, sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    """*Of 512 GPUs, 384 (75 %)* and *384 of the 512 GPUs were busy, or 75 %*."""
    passage = reading.passages[sentence.block]
    text, numerals = passage.text, passage.numerals
    order = list(sentence.numerals)
    for a, b, p in zip(order, order[1:], order[2:], strict=False):
        first, second, share = numerals[a], numerals[b], numerals[p]
        if share.kind is not Kind.PERCENT or not (_measured(first) and _measured(second)) or not _alike(first, second):
            continue
        between, behind = _behind(text, first, second.at), _behind(text, second, share.at)
        led = _OF_WHOLE.search(text[max(sentence.start, first.at - 16) : first.at]) is not None
        if led and _LISTED.match(between) and _PART.match(behind):
            part, whole = second, first
        elif re.search(r"(?i)^[^.;:,]{0,24}?\b(?:of|out of) (?:the |all |its )?$", between) and _SAID.match(behind):
            part, whole = first, second
        else:
            continue
        words = [
            weigh(share, Quantity(divide(Quantity(x.value), Quantity(y.value)).value), f"{part.text} / {whole.text}", by=_BY)
            for x in amounts(part) for y in amounts(whole) if y.low > 0
        ]  # fmt: skip
        word = best(words, certain=_STOPS.search(text[sentence.start : sentence.end]) is None)
        if word is not None:
            yield p, word


def _parts(reading: Reading, sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    """*740 TFLOP/s, 75 % of the 989*: the number before is the part; elsewhere in the sentence it may be, and is only right.

    And *60 % of its 989 TFLOP/s, 593*: what the percentage makes of the whole.
    """
    passage = reading.passages[sentence.block]
    text, numerals = passage.text, passage.numerals
    order = list(sentence.numerals)
    for position, index in enumerate(order[:-1]):
        share, whole = numerals[index], numerals[order[position + 1]]
        if share.kind is not Kind.PERCENT or not _measured(whole) or not _OF_THE.match(text[share.end : whole.at]):
            continue
        others = [i for i in order if i not in (index, order[position + 1])]
        for i in others:
            part = numerals[i]
            if not _measured(part) or not _alike(part, whole) or dimension(part) != dimension(whole):
                continue
            said = position > 0 and i == order[position - 1] and _IS.match(_behind(text, part, share.at)) is not None
            yield from (
                (index, w)
                for w in _part(share, part, whole, certain=said and not _STOPS.search(text[part.at : whole.at]))
            )
            yield from ((i, w) for w in _made(share, part, whole))


def _part(share: Numeral, part: Numeral, whole: Numeral, *, certain: bool) -> Iterator[Judgment]:
    words = [
        weigh(share, Quantity(divide(Quantity(x.value), Quantity(y.value)).value), f"{part.text} / {whole.text}", by=_BY)
        for x in amounts(part) for y in amounts(whole) if y.low > 0
    ]  # fmt: skip
    word = best(words, certain=certain and share.comparator in (Comparator.EQ, Comparator.APPROX))
    if word is not None and (certain or word.status is Status.RIGHT):
        yield word


def _made(share: Numeral, part: Numeral, whole: Numeral) -> Iterator[Judgment]:
    assert share.value is not None
    for y in amounts(whole):
        made = Quantity(y.interval.scaled(share.value), y.dimension)
        word = weigh(part, made, f"{share.text}% of {whole.text}", by=_BY)
        if word.status is Status.RIGHT:
            yield word


def _measured(numeral: Numeral) -> bool:
    return (
        numeral.kind in (Kind.MEASURE, Kind.CONSTANT)
        and numeral.value is not None
        and numeral.value > 0
        and numeral.comparator in (Comparator.EQ, Comparator.APPROX)
    )


def _alike(first: Numeral, second: Numeral) -> bool:
    a, b = dimension(first), dimension(second)
    return a == b or (bool(a) != bool(b) and (first.unit is None or second.unit is None))


def _lent(first: Numeral, second: Numeral) -> Sequence[Quantity]:
    """The second number's values; of two numbers where one prints a unit, the other has it too."""
    values = amounts(second)
    if dimension(first) and second.unit is None and first.unit is not None:
        return [Quantity(v.interval.scaled(first.unit.factor), first.unit.dimension) for v in values]
    if dimension(second) and first.unit is None and second.unit is not None:
        return [Quantity(v.interval.scaled(1 / second.unit.factor)) for v in values]
    return values


def _amount(numeral: Numeral) -> Fraction:
    assert numeral.value is not None
    return numeral.value


def _loose(numeral: Numeral) -> bool:
    """Whether a percentage is hedged or a bound."""
    return numeral.comparator not in (Comparator.EQ, Comparator.APPROX)


def _behind(text: str, numeral: Numeral, end: int) -> str:
    """The words from behind a numeral and its unit up to a place."""
    gap = text[numeral.end : end].replace("\n", " ")
    unit = numeral.unit_text
    stripped = gap.lstrip()
    return stripped.removeprefix(unit) if unit and stripped.startswith(unit) else gap


__all__ = ["judge"]
