"""Products told in words, and totals told as parts.

*2 (a key and a value) times 36 layers times 6 heads times 128 numbers times 2 bytes. That is 110,592 bytes*;
*36 models in groups of 9 + 12 + 15 + 7*; *18 rows, broken down as 6, 10, 1 and 2*.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise, product

from ridgeline.audit.claim import Judgment
from ridgeline.audit.reading import Reading, Sentence, amounts, counted, dimension
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import Dimension, hard

_NOTE = r"(?:\s?\([^()]{0,60}\))?"
_TIMES = re.compile(
    _NOTE
    + r"[ -]?(?:[A-Za-z/_-]{1,16}[ ]){0,4}?(?:[A-Za-z/_-]{1,16}\s?)?"
    + _NOTE
    + r"\s?(?:,\s?)?(?:times|multiplied by|×|\*|·|x)\s?(?:the |its |a )?$"
)
_GIVES = re.compile(
    _NOTE + r"[ -]?(?:[A-Za-z/_-]{1,16}[ ,]{1,2}){0,4}?(?:[A-Za-z/_-]{1,16})?" + _NOTE
    + r"[\s,]{0,2}(?:=|≈|→|->|\.\s(?:That|This|It)(?: is|'s| makes| gives| comes to| adds up to)|,? ?(?:which |that )?(?:is|gives|makes|equals|comes to|yields|or|for a total of))"
    r"\s?(?:about |roughly |around |exactly |just |only |~)?$"
)  # fmt: skip
_OR = re.compile(r"[\s,]{1,3}(?:or|=|i\.e\.,?|that is,?)\s(?:about |roughly |exactly |~)?$")
_PARTS = re.compile(
    r"(?:in groups of|in batches of|broken down as|split (?:as|into)|made up of|listed as|divided into|grouped as|"
    r"composed of|namely|consisting of|in parts of|as follows:|: )\s?$"
)
_PLUS = re.compile(r"\s?(?:[A-Za-z-]{1,16}\s){0,3}?(?:[A-Za-z-]{1,16}\s?)?(?P<sign>\+|,(?: and)?|and|plus)\s?$")
_BY = "product"
_MAX_FACTORS = 12


def judge(reading: Reading) -> None:
    """Every sentence outside tables."""
    for block, sentences in enumerate(reading.sentences):
        if reading.blocks[block].table >= 0:
            continue
        order = [i for sentence in sentences for i in sentence.numerals]
        _products(reading, block, order)
        for sentence in sentences:
            _totals(reading, sentence)


def _products(reading: Reading, block: int, order: list[int]) -> None:
    passage = reading.passages[block]
    numerals = passage.numerals
    position = 0
    while position < len(order) - 1:
        chain = [order[position]]
        while position + len(chain) < len(order) and len(chain) < _MAX_FACTORS:
            following = order[position + len(chain)]
            between = passage.text[numerals[chain[-1]].end : numerals[following].at]
            if len(between) > 80 or not _TIMES.match(between):
                break
            chain.append(following)
        words = [passage.text[numerals[a].end : numerals[b].at] for a, b in pairwise(chain)]
        before = passage.text[max(0, numerals[chain[0]].at - 3) : numerals[chain[0]].at]
        told = any(re.search(r"\b(?:times|multiplied)\b", w) for w in words)
        if len(chain) >= 3 and told and not re.search(r"[-+*/×·^(]\s?$", before):
            _result(reading, block, chain, order[position + len(chain) : position + len(chain) + 3])
        position += max(1, len(chain) - (len(chain) > 1))


def _result(reading: Reading, block: int, chain: list[int], following: list[int]) -> None:
    """The number after a product, and the restatements that follow it (*or 108 KiB per token*)."""
    passage = reading.passages[block]
    if not following:
        _next_block(reading, block, chain)
    before, pattern = chain[-1], _GIVES
    for index in following[:3]:
        numeral = passage.numerals[index]
        between = passage.text[passage.numerals[before].end : numeral.at]
        if before != chain[-1]:
            between = between.removeprefix(f" {passage.numerals[before].unit_text}")
        if len(between) > 80 or not pattern.match(between):
            return
        word = _weigh(passage.text, [passage.numerals[i] for i in chain], numeral)
        if word is not None:
            reading.ledger.put(block, index, word)
        before, pattern = index, _OR


def _next_block(reading: Reading, block: int, chain: list[int]) -> None:
    """A product that ends its paragraph, and the *That is …* with which the next one begins."""
    if (
        block + 1 >= len(reading.blocks)
        or len(reading.passages[block].text) - reading.numeral(block, chain[-1]).end > 30
    ):
        return
    passage = reading.passages[block + 1]
    order = [i for i in passage.quantities if passage.numerals[i].quantity]
    if not order or not re.match(
        r"\s*(?:That|This|It)(?: is|'s| makes| gives| comes to| adds up to)\s(?:about |exactly )?$",
        passage.text[: passage.numerals[order[0]].at],
    ):
        return
    word = _weigh(passage.text, [reading.numeral(block, i) for i in chain], passage.numerals[order[0]])
    if word is not None:
        reading.ledger.put(block + 1, order[0], word)


def _weigh(text: str, factors: list[Numeral], result: Numeral) -> Judgment | None:
    if any(f.kind in (Kind.PERCENT, Kind.RATIO) or not amounts(f) for f in factors) or result.value is None:
        return None
    told = " × ".join(f.text for f in factors)
    words = []
    for chosen in product(*(amounts(f, exact=True) for f in factors)):
        value = Fraction(1)
        dim: Dimension = ()
        for quantity in chosen:
            value *= quantity.middle
            dim = _times(dim, hard(quantity.dimension))
        unit: Dimension = () if result.unit is None else result.unit.dimension
        if dim and hard(unit) != dim:
            if unit:
                return None
            unit = dim
        elif not dim and hard(unit) not in ((), (("byte", 1),), (("flop", 1),)):
            return None
        words.append(weigh(result, Quantity(value, unit), f"{told} = {_number(value)}", by=_BY))
    return best(words, certain=True)


def _times(a: Dimension, b: Dimension) -> Dimension:
    total = dict(a)
    for symbol, exponent in b:
        total[symbol] = total.get(symbol, 0) + exponent
    return tuple(sorted((s, e) for s, e in total.items() if e))


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):.10g}"


def _totals(reading: Reading, sentence: Sentence) -> None:
    """A count, and the counts of its parts after words that say so."""
    passage = reading.passages[sentence.block]
    numerals = passage.numerals
    order = list(sentence.numerals)
    for position in range(len(order) - 2):
        total = numerals[order[position]]
        if not counted(total) or total.value is None or total.kind not in (Kind.MEASURE, Kind.CONSTANT, Kind.WORD):
            continue
        between = passage.text[total.end : numerals[order[position + 1]].at]
        if len(between) > 60 or not _PARTS.search(between):
            continue
        parts, signs = [order[position + 1]], []
        for following in order[position + 2 :]:
            gap = passage.text[numerals[parts[-1]].end : numerals[following].at]
            match = _PLUS.fullmatch(gap) if len(gap) < 40 else None
            if match is None or not counted(numerals[following]):
                break
            parts.append(following)
            signs.append(match["sign"])
        _sum(reading, sentence.block, order[position], parts, signs, between)


def _sum(reading: Reading, block: int, total: int, parts: list[int], signs: list[str], between: str) -> None:
    numerals = reading.passages[block].numerals
    values = [numerals[i].value for i in parts]
    if len(values) < 2 or any(v is None or dimension(numerals[i]) for v, i in zip(values, parts, strict=True)):
        return
    added = sum((v for v in values if v is not None), Fraction(0))
    plus = all(sign in ("+", "plus") for sign in signs)
    # A list after a bare colon may be examples; a sum written with plus signs is the whole.
    listed = _PARTS.search(between)
    certain = plus or (listed is not None and listed.group().strip() != ":" and signs[-1].endswith("and"))
    because = f"{' + '.join(numerals[i].text for i in parts)} = {_number(added)}"
    word = best([weigh(numerals[total], Quantity(added), because, by=_BY)], certain=certain)
    if word is not None:
        reading.ledger.put(block, total, word)
