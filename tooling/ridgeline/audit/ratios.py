"""Ratios, shares and changes between two printed numbers of one sentence.

*844.4 against 281.5 TFLOP, 6x as many*; *falls from 81 to 0.36 microseconds, a factor of 225*; *12 of 48 (25 %)*;
*242 GB/s is 1.9x faster than 450 GB/s* (it is slower).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, Sentence, amounts, dimension
from ridgeline.audit.weigh import best, weigh
from ridgeline.figures.compare import short
from ridgeline.formulas.quantity import Quantity, divide
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

_BY = "ratio"
_AGAINST = re.compile(
    r"(?i)\b(?:against|versus|vs\.?|compared (?:with|to)|as opposed to|rather than|where|to only)\b|\band\b|\bthan\b"
)
_FROM_TO = re.compile(r"(?i)^\s*[^.;]{0,30}?\bto\b[^.;]{0,24}$")
_TIMES = re.compile(r"(?i)^\s?(?:x|×|times|-?fold)\b")
_FACTOR = re.compile(
    r"(?i)\b(?:factor of|ratio of|ratio is|by)\s?(?:about |roughly |around |approximately |~|≈|only |nearly |almost |over |more than )?$"
)
_LARGER = re.compile(r"(?i)\b(?:faster|higher|larger|more|greater|bigger|above)\b")
_SMALLER = re.compile(r"(?i)\b(?:slower|lower|smaller|fewer|cheaper|less|below)\b")
_OF = re.compile(r"(?i)^\s?(?:of|out of)(?: the| all| its)? $")
_SHARE = re.compile(
    r"(?i)^[^.;:]{0,40}?(?:\(|,\s?(?:or|i\.e\.,?|that is)?\s?|, that is | = | is |—\s?|– )(?:about |roughly |around |~|≈|only )?$"
)
_TURN = re.compile(r"(?i)\b(?:while|whereas|but|if|would|each|per|previous\w*|earlier|another|respectively)\b")


def judge(reading: Reading) -> None:
    """Every sentence outside tables."""
    for sentence in reading.prose():
        for index, word in _words(reading, sentence):
            reading.ledger.put(sentence.block, index, word)


def _words(reading: Reading, sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    passage = reading.passages[sentence.block]
    indices = list(sentence.numerals)
    numerals = passage.numerals
    for position, index in enumerate(indices):
        numeral = numerals[index]
        if _is_ratio(passage.text, numeral) and len(indices) >= 3:
            word = _ratio(passage.text, sentence, numerals, indices, position)
            if word is not None:
                yield index, word
        elif numeral.kind is Kind.PERCENT and position >= 2:
            word = _share(passage.text, numerals, indices[position - 2], indices[position - 1], index)
            if word is not None:
                yield index, word


def _is_ratio(text: str, numeral: Numeral) -> bool:
    if numeral.value is None or numeral.value <= 0:
        return False
    if numeral.kind is Kind.RATIO:
        return True
    bare = numeral.kind in (Kind.MEASURE, Kind.WORD, Kind.CONSTANT) and (
        numeral.unit is None or not numeral.unit.factors
    )
    before = text[max(0, numeral.at - 34) : numeral.at]
    after = text[numeral.end : numeral.end + 12]
    return bare and (
        (_FACTOR.search(before) is not None and not re.match(r"\s?[A-Za-z%]", after)) or _TIMES.match(after) is not None
    )


def _ratio(
    text: str, sentence: Sentence, numerals: list[Numeral], indices: list[int], position: int
) -> Judgment | None:
    """Two numbers of one kind in the sentence, and the ratio that the sentence gives them."""
    ratio = numerals[indices[position]]
    alike = [i for k, i in enumerate(indices) if k != position and _comparable(numerals[i])]
    ratios = [i for i in indices if _is_ratio(text, numerals[i])]
    whole = text[sentence.start : sentence.end]
    if len(alike) != 2 and position >= 2:
        # Among many numbers, the two right before the ratio.
        alike = [i for i in indices[position - 2 : position] if _comparable(numerals[i])]
    if len(alike) != 2 or len(ratios) != 1:
        return None
    first, second = numerals[alike[0]], numerals[alike[1]]
    if not _same(first, second):
        return None
    between = text[first.end : second.at]
    told = _told(text, first, second, between)
    if not told or len(between) > 60:
        return None
    pairs = [(a, b) for a in amounts(first, exact=False) for b in _lent(first, second)]
    words: list[Judgment] = []
    inverse: list[Judgment] = []
    for a, b in pairs:
        if not a.middle or not b.middle:
            return None
        for top, bottom, names, into in ((a, b, (first, second), words), (b, a, (second, first), inverse)):
            quotient = Quantity(divide(Quantity(top.value), Quantity(bottom.value)).value)
            because = f"{names[0].text} / {names[1].text} = {short(quotient.middle)}"
            into.append(weigh(ratio, quotient, because, by=_BY, stated=told == "from"))
    certain = told in ("from", "against") and not _TURN.search(whole)
    flipped = _direction(whole, first, second, text, sentence)
    if flipped and not any(w.status is Status.RIGHT for w in words):
        return Judgment(
            Status.WRONG,
            f"{words[0].because}: it is the other way round",
            "decision",
            words[0].computed,
            words[0].shown,
            _BY,
            True,
        )
    # The larger over the smaller is meant where more than one is printed.
    larger = bool(pairs) and pairs[0][0].middle >= pairs[0][1].middle
    ordered = [*words, *inverse] if larger == (ratio.value is not None and ratio.value >= 1) else [*inverse, *words]
    return best(ordered, certain=certain)


def _lent(first: Numeral, second: Numeral) -> list[Quantity]:
    """The second number's values; a bare number beside one with a unit takes its unit."""
    values = amounts(second, exact=False)
    if dimension(first) and second.unit is None and first.unit is not None:
        scale = first.unit.factor
        return [Quantity(v.interval.scaled(scale), first.unit.dimension) for v in values]
    return values


def _comparable(numeral: Numeral) -> bool:
    return numeral.kind in (Kind.MEASURE, Kind.CONSTANT, Kind.PERCENT) and numeral.value is not None and numeral.value > 0 and (
        numeral.comparator in (Comparator.EQ, Comparator.APPROX)
    )  # fmt: skip


def _same(first: Numeral, second: Numeral) -> bool:
    a, b = dimension(first), dimension(second)
    soft_a = first.unit.dimension if first.unit else ()
    soft_b = second.unit.dimension if second.unit else ()
    return (
        a == b
        and (soft_a == soft_b or not soft_a or not soft_b)
        and (first.kind is Kind.PERCENT) == (second.kind is Kind.PERCENT)
    )


def _told(text: str, first: Numeral, second: Numeral, between: str) -> str:
    """How a sentence sets two numbers beside each other: ``from`` … to, ``against``, ``than``, or not at all."""
    before = text[max(0, first.at - 12) : first.at]
    if re.search(r"(?i)\bfrom (?:about |roughly |around |~|≈)?[$€₹]?$", before) and _FROM_TO.match(between):
        return "from"
    if re.search(r"(?i)\b(?:against|versus|vs\.?|compared (?:with|to))\s", between):
        return "against"
    if re.search(r"(?i)\bthan\b", between):
        return "than"
    return ""


def _direction(whole: str, first: Numeral, second: Numeral, text: str, sentence: Sentence) -> bool:
    """Whether *A is faster than B* is told of numbers in the other order; for amounts of which more is more."""
    between = text[first.end : second.at]
    if not re.search(r"(?i)\b(?:is|are|was|runs|was)\b[^,;]{0,40}\bthan\b", between):
        return False
    dim = dict(dimension(first) or dimension(second))
    if dim == {"s": 1} or first.value is None or second.value is None:
        return False
    a, b = amounts(first, exact=True), _lent(first, second)
    if _LARGER.search(between) and not _SMALLER.search(between):
        return (
            all(x.middle < y.low for x in a for y in b)
            and re.search(r"(?i)\bfaster\b", between) is not None
            and dim.get("s", 0) < 1
        )
    return False


def _share(text: str, numerals: list[Numeral], part: int, whole: int, share: int) -> Judgment | None:
    """*A of B (P %)*."""
    a, b, p = numerals[part], numerals[whole], numerals[share]
    if not _OF.match(_after_unit(text, a, b.at)) or not _SHARE.match(_after_unit(text, b, p.at)):
        return None
    if (
        a.value is None
        or not b.value
        or a.kind is Kind.PERCENT
        or b.kind is Kind.PERCENT
        or (not _same(a, b) and dimension(a))
    ):
        return None
    words = [
        weigh(p, Quantity(divide(Quantity(x.value), Quantity(y.value)).value), f"{a.text} / {b.text}", by=_BY)
        for x in amounts(a)
        for y in amounts(b)
        if y.low > 0
    ]
    gap = text[b.end : p.at]
    return best(
        words,
        certain=len(gap) < 30
        and not re.search(r"(?i)more|up|down|faster|less|than|growth", gap + text[p.end : p.end + 16]),
    )


def _after_unit(text: str, numeral: Numeral, end: int) -> str:
    gap = text[numeral.end : end]
    unit = numeral.unit_text
    stripped = gap.lstrip()
    return stripped.removeprefix(unit) if unit and stripped.startswith(unit) else gap.replace("\n", " ")


__all__ = ["Fraction", "judge"]
