"""Quantities that units leave no choice about: *at 700 W and 221.2 tok/s, 3.16 J per token*.

Where a sentence gives two or three quantities *at*, *from* or *with* which another one comes about, and their units can be
multiplied and divided into its unit in one way only, the value follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from ridgeline.audit.claim import Judgment
from ridgeline.audit.reading import Reading, Sentence, amounts
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity, divide, times
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import Dimension, hard

_BY = "units"
#: Relations between the units of this field that come about by dividing and multiplying, and by nothing else.
_LINK = re.compile(
    r"(?i)\b(?:costs?|takes?|needs?|uses?|is|are|gives?|gave|makes?|comes? to|works out (?:at|to)|yields?|means|or|ridge(?: point)? (?:is|of|at)|"
    r"price of|energy of|intensity of|time of|for)\b|[=≈:→(–—,]"
)
_GIVEN = re.compile(r"(?i)\b(?:at|from|with|given|over|on|and|for|by|of|times|÷|/)\b|[/×*@,]")
#: A number of like things that a quantity comes about for: it multiplies.
_BATCH_BEFORE = re.compile(r"(?i)\bbatch(?: size)?(?: of)? $")
_BATCH_AFTER = re.compile(
    r"(?i)^ (?:concurrent |parallel )?(?:sequences|requests|users|streams|layers|samples|prompts)\b"
)
_LOOSE = re.compile(
    r"(?i)\b(?:up to|measured|in practice|efficien\w*|utili\w*|mfu|overhead|instead of|not|but|while|whereas|against|versus|vs|previously|"
    r"earlier|compared|slower|faster|than|from .* to|rises?|falls?|grows?|more|less|only half|idle|average)\b"
)
_MAX = 4


def judge(reading: Reading) -> None:
    """Every sentence outside tables with three to five quantities."""
    for sentence in reading.prose():
        passage = reading.passages[sentence.block]
        for index, word in _words(passage.text, passage.numerals, sentence):
            reading.ledger.put(sentence.block, index, word)


def _words(text: str, numerals: list[Numeral], sentence: Sentence) -> Iterator[tuple[int, Judgment]]:
    quantities = [i for i in sentence.numerals if _usable(numerals[i])]
    with_units = [i for i in quantities if numerals[i].unit is not None and _dimension(numerals[i])]
    if not len(with_units) >= 3 or len(quantities) > _MAX + 1:
        return
    whole = text[sentence.start : sentence.end]
    target = with_units[-1]
    inputs = [i for i in quantities if i != target]
    if not _hard_target(numerals[target]):
        return
    each = re.search(r"(?i)\beach\b", whole) is not None
    batches = [i for i in inputs if _batch(text, numerals[i])]
    found = list(_ways(numerals, inputs, target, each, batches))
    # A way whose counts come out as printed is meant before one that leaves some of them over.
    found = [w for w in found if w[2]] or found
    if not found:
        return
    strict = len({way for way, _, _ in found}) == 1 and not _LOOSE.search(whole)
    strict = (
        strict
        and _linked(text, numerals, [i for i in inputs if i not in batches], target)
        and all(numerals[i].comparator in (Comparator.EQ, Comparator.APPROX) for i in inputs)
    )
    words = [weigh(numerals[target], quantity, way, by=_BY) for way, quantity, _ in found]
    word = best(words, certain=strict)
    if word is not None:
        yield target, word


def _usable(numeral: Numeral) -> bool:
    return (
        numeral.value is not None
        and numeral.value > 0
        and numeral.kind in (Kind.MEASURE, Kind.CONSTANT)
        and not numeral.unit_text.startswith("-")
    )


def _dimension(numeral: Numeral) -> Dimension:
    return () if numeral.unit is None else numeral.unit.dimension


def _hard_target(numeral: Numeral) -> bool:
    """A compound or derived result: money, energy, time, intensity, a rate, bytes."""
    return bool(hard(_dimension(numeral)))


def _batch(text: str, numeral: Numeral) -> bool:
    """Whether a bare number counts sequences that are worked on together."""
    if _dimension(numeral):
        return False
    before, after = text[max(0, numeral.at - 16) : numeral.at], text[numeral.end : numeral.end + 24]
    return _BATCH_BEFORE.search(before) is not None or _BATCH_AFTER.match(after) is not None


def _ways(
    numerals: list[Numeral], inputs: list[int], target: int, each: bool, batches: list[int]
) -> Iterator[tuple[str, Quantity, bool]]:
    """The products of powers ±1 of all inputs with units that have the target's unit; a batch multiplies them.

    Each with its words, its value, and whether the counts of its unit are those of the target.

    ``each``: the sentence says *20 ms each*, so counts may be left over.
    """
    wanted = _dimension(numerals[target])
    units = [i for i in inputs if _dimension(numerals[i])]
    if not 2 <= len(units) <= 3:
        return
    for powers in product((1, -1), repeat=len(units)):
        total: Dimension = ()
        for i, power in zip(units, powers, strict=True):
            total = _add(total, _dimension(numerals[i]), power)
        if hard(total) != hard(wanted) or not (_soft_agree(total, wanted) or (each and min(powers) > 0)):
            continue
        if each and min(powers) < 0 and len(units) == 2:
            continue
        above = [numerals[i] for i, p in zip(units, powers, strict=True) if p > 0]
        below = [numerals[i] for i, p in zip(units, powers, strict=True) if p < 0]
        if not above:
            continue
        above += [numerals[i] for i in batches]
        way = " × ".join(_shown(n) for n in above) + "".join(f" / {_shown(n)}" for n in below)
        for chosen in product(*(amounts(numerals[i]) for i in units)):
            value = Quantity(Fraction(1))
            for quantity, power in zip(chosen, powers, strict=True):
                value = times(value, Quantity(quantity.value)) if power > 0 else divide(value, Quantity(quantity.value))
            for i in batches:
                value = times(value, Quantity(numerals[i].value or Fraction(1)))
            yield way, Quantity(value.value, wanted), total == wanted


def _soft_agree(found: Dimension, wanted: Dimension) -> bool:
    """Counts agree where the result has any: tokens and devices may be left unsaid on one side only."""
    a = {s: e for s, e in found if (s, e) not in hard(found)}
    b = {s: e for s, e in wanted if (s, e) not in hard(wanted)}
    return all(a.get(s, 0) in (e, 0) for s, e in b.items()) and all(b.get(s, 0) in (e, 0) for s, e in a.items())


def _add(a: Dimension, b: Dimension, sign: int) -> Dimension:
    total = dict(a)
    for symbol, exponent in b:
        total[symbol] = total.get(symbol, 0) + sign * exponent
    return tuple(sorted((s, e) for s, e in total.items() if e))


def _shown(numeral: Numeral) -> str:
    return f"{numeral.text} {numeral.unit_text}".strip()


def _linked(text: str, numerals: list[Numeral], inputs: list[int], target: int) -> bool:
    """Whether the words lead from the inputs to the result, with nothing long between."""
    order = sorted(inputs)
    last = numerals[order[-1]]
    between = text[last.end : numerals[target].at]
    if len(between) > 70 or not _LINK.search(between):
        return False
    gaps = [text[numerals[a].end : numerals[b].at] for a, b in pairwise(order)]
    bare = [i for i in inputs if not _dimension(numerals[i])]
    return not bare and all(len(gap) < 50 and _GIVEN.search(gap) for gap in gaps)
