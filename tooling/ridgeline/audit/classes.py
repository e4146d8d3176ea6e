"""Numbers of a workload class for a model that we hold: crossovers, and the share of attention in prefill.

The formulas are those of the knowledge base: any class that defines ``L_star`` (prompt length at which attention takes as
many operations as the weight matrices) and ``attention_share``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ridgeline.audit.blocks import BlockKind
from ridgeline.audit.claim import Judgment
from ridgeline.audit.lengths import token_counts
from ridgeline.audit.reading import Reading, Sentence, dimension
from ridgeline.audit.register import Mention, Register
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.records.workload import Workload

_BY = "class"
_CROSSOVER = re.compile(r"(?i)\bcrossover\b|\bcross(?:es)? over\b|\bL\*|\bL_star\b|\bovertakes?\b")
_OTHER = re.compile(
    r"(?i)\bridge\b|\bwindow|bidirectional|\bfull mask|encoder|without (?:a )?mask|decode|\bkv cache\b|hybrid"
)
_SHARE = re.compile(
    r"(?i)\battention\b[^;]{0,80}\b(?:prefill|flops|operations|work|compute)\b|\b(?:share|part|fraction)\b[^;]{0,40}\battention\b|\battention(?:'s)? share\b"
)


def judge(reading: Reading) -> None:
    """Sentences that name one model and speak of the crossover or the share of attention."""
    if reading.resolver is None:
        return
    register = Register(reading.resolver)
    classes = [e.reference for e in reading.resolver.knowledge.of_kind("class") if _defines(e.record)]
    if not classes:
        return
    for sentence in reading.prose():
        text = reading.text(sentence)
        if reading.blocks[sentence.block].kind is BlockKind.CODE or not (
            _CROSSOVER.search(text) or _SHARE.search(text)
        ):
            continue
        models = {m.entry.reference: m for m in register.mentions(text) if m.entry.kind == "model"}
        if len(models) == 1 and not _OTHER.search(text):
            # What is right by one of them is right: the ledger keeps that word before any other.
            for workload in classes:
                for index, word in _words(reading, sentence, text, next(iter(models.values())), workload):
                    reading.ledger.put(sentence.block, index, word)


def _defines(record: object) -> bool:
    return isinstance(record, Workload) and {"L_star", "attention_share"} <= set(record.formulas)


def _words(
    reading: Reading, sentence: Sentence, text: str, mention: Mention, workload: str
) -> Iterator[tuple[int, Judgment]]:
    assert reading.resolver is not None
    tokens = list(token_counts(reading, sentence))
    counted = {t.index for t in tokens}
    shares = [i for i in sentence.numerals if reading.numeral(sentence.block, i).kind is Kind.PERCENT]
    for index in sentence.numerals:
        numeral = reading.numeral(sentence.block, index)
        if index in counted and _CROSSOVER.search(text) and not shares and dimension(numeral) == ():
            value = _value(reading.resolver, workload, mention, "L_star(m)")
            if value is not None and len(counted) == 1 and numeral.alternative is None:
                word = weigh(numeral, Quantity(value), f"L_star of {mention.entry.reference}", by=_BY)
                yield index, word
        elif index in shares and _SHARE.search(text):
            near = _pair(reading, sentence, numeral, [t.index for t in tokens], shares)
            chosen = next((t for t in tokens if t.index == near), None)
            values = [] if chosen is None else list(chosen.values)
            found = [
                (n, v)
                for n in values
                if (v := _value(reading.resolver, workload, mention, f"attention_share(m, L={n})")) is not None
            ]
            word_or_none = best(
                [weigh(numeral, Quantity(v), f"attention_share of {mention.entry.reference} at {n} tokens", by=_BY) for n, v in found],
                certain=len(tokens) == len(shares), first=True,
            )  # fmt: skip
            if word_or_none is not None:
                yield index, word_or_none


def _pair(reading: Reading, sentence: Sentence, numeral: Numeral, tokens: list[int], shares: list[int]) -> int | None:
    """The token count beside a share: the next one after it, or the only one."""
    if len(tokens) == 1:
        return tokens[0]
    after = [i for i in tokens if reading.numeral(sentence.block, i).at > numeral.at]
    later = [i for i in shares if reading.numeral(sentence.block, i).at > numeral.at]
    if after and (
        not later or reading.numeral(sentence.block, after[0]).at < reading.numeral(sentence.block, later[0]).at
    ):
        return after[0]
    return None


def _value(resolver: Resolver, workload: str, mention: Mention, expression: str) -> Fraction | None:
    scope = Scope(records=(("class", workload),), aliases=(("m", mention.entry.reference),))
    try:
        return resolver.evaluate(expression, scope).quantity.middle
    except FormulaError:
        return None
