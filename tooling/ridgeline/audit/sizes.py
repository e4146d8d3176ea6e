"""How much memory the weights of a model take: *Llama-3.1-70B in BF16 takes 141 GB*.

Parameters times bytes of an element in the format that is named. Without a format any usual one may be meant, and nothing is
called wrong; nor is it where scales, shards, adapters or anything else is counted in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.lengths import BYTE, clause_of, count, is_size
from ridgeline.audit.reading import Reading, Sentence
from ridgeline.audit.register import Register
from ridgeline.audit.shapes import element_sizes
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import holds
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

_BY = "size"
_WEIGHTS = re.compile(r"(?i)\b(?:weights?|parameters|params|checkpoint|model size|download)\b")
_OTHER = re.compile(
    r"(?i)\b(?:kv|caches?|activations?|optimi[sz]er|gradients?|states?|context|sequence|prompt|batch|users?|requests?|tokens?|bandwidth|"
    r"embedding|layer|expert|active|draft)\b"
)
_MORE = re.compile(
    r"(?i)\b(?:scales?|group(?:s|ed)?|awq|gptq|gguf|q[0-9]_\w+|mixed|shard\w*|per gpu|each|every|across|split|tensor parallel|lora|adapter|"
    r"overhead|plus|including|with|total of|about half|reach\w*|measur\w*|if|would|compress\w*|pruned?|distill\w*|merged|remaining|free|left)\b"
)
_SIZED = re.compile(r"\b[0-9][0-9.]*B\b")
_USUAL = (Fraction(2), Fraction(1), Fraction(4), Fraction(1, 2))
_PLAIN = frozenset({Comparator.EQ, Comparator.APPROX})
_BINARY = Fraction(1024, 1000)


def judge(reading: Reading) -> None:
    """Every sentence that names one model and its weights."""
    if reading.resolver is None:
        return
    register = Register(reading.resolver)
    for sentence in reading.prose():
        text = reading.text(sentence)
        if not _WEIGHTS.search(text) and not _SIZED.search(text):
            continue
        models = {m.entry.reference: m.entry for m in register.mentions(text) if m.entry.kind == "model"}
        if len(models) != 1:
            if not models:
                _printed(reading, sentence, text)
            continue
        names = register.values(next(iter(models.values()))).names
        totals = [q.middle for n in ("parameters.total", "checkpoint.total") for q in names.get(n, [])[:1]]
        for index, word in _words(reading, sentence, text, list(dict.fromkeys(totals))):
            reading.ledger.put(sentence.block, index, word)


def _printed(reading: Reading, sentence: Sentence, text: str) -> None:
    """The same for a number of parameters that the sentence prints: *70B parameters in FP16 need 140 GB*."""
    numerals = [(i, reading.numeral(sentence.block, i)) for i in sentence.numerals]
    counts = [n for _, n in numerals if n.unit is not None and n.unit.dimension == (("param", 1),) and n.value]
    sizes = [(i, n) for i, n in numerals if is_size(n) and n.unit is not None and n.unit.factors == (("byte", 1),)]
    named = set(element_sizes(text))
    if len(counts) != 1 or not sizes or counts[0].value is None or _OTHER.search(text):
        return
    total, step = counts[0].value, counts[0].step or Fraction(0)
    # A model "of 7B" may have a tenth more or less; a number of parameters is rounded to its last digit.
    half = total / 10 if counts[0].kind is Kind.NOMINAL else step / 2
    for index, numeral in sizes:
        words = [
            _rounded(numeral, total, half, size, f"{counts[0].text} × {count(size)} bytes")
            for size in (sorted(named) or _USUAL)
        ]
        certain = len(named) == 1 and len(sizes) == 1 and not _MORE.search(text) and numeral.comparator in _PLAIN
        word = best(words, certain=certain)
        if word is not None:
            reading.ledger.put(sentence.block, index, word)


def _rounded(numeral: Numeral, total: Fraction, half: Fraction, size: Fraction, because: str) -> Judgment:
    """A size held against a rounded number of parameters: right at its middle, wrong only beyond its ends."""
    middle = weigh(numeral, Quantity(total * size, BYTE), because, by=_BY)
    if middle.status is not Status.WRONG:
        return middle
    ends = Interval((total - half) * size, (total + half) * size)
    if numeral.interval is not None and numeral.interval.scaled(numeral.base_factor).overlaps(ends):
        return replace(middle, status=Status.RIGHT, because=f"{because}, rounded")
    return middle


def _words(reading: Reading, sentence: Sentence, text: str, totals: list[Fraction]) -> Iterator[tuple[int, Judgment]]:
    named = set(element_sizes(text))
    for index in sentence.numerals:
        numeral = reading.numeral(sentence.block, index)
        soft = () if numeral.unit is None else numeral.unit.dimension
        if not is_size(numeral) or ("token", -1) in soft:
            continue
        clause = clause_of(reading.passages[sentence.block].text, sentence, numeral.at)
        if _OTHER.search(clause):
            continue
        candidates = [
            (Quantity(total * size, BYTE), f"{count(total)} parameters × {count(size)} bytes")
            for total in totals
            for size in (sorted(named) or _USUAL)
        ]
        words = [weigh(numeral, quantity, because, by=_BY) for quantity, because in candidates]
        certain = len(named) == 1 and _WEIGHTS.search(clause) is not None and not _MORE.search(clause)
        certain = certain and numeral.comparator in _PLAIN and _far(numeral, candidates)
        word = best(words, certain=certain)
        if word is not None:
            yield index, word


def _far(numeral: Numeral, candidates: list[tuple[Quantity, str]]) -> bool:
    """Whether no reasonable count of the same weights gives the number: a tenth away, or a binary prefix for a decimal one."""
    assert numeral.value is not None and numeral.unit is not None
    factor = numeral.unit.base_factor
    for quantity, _ in candidates:
        ratio = numeral.value * factor / quantity.middle
        if any(holds(numeral, quantity.middle / factor / _BINARY**n) for n in (1, 2, 3)):
            return True
        if Fraction(9, 10) <= ratio <= Fraction(11, 10) or not Fraction(1, 20) <= ratio <= 20:
            return False
    return True


__all__ = ["judge"]
