"""One part set beside another: *the H200 has 1.43x the memory bandwidth of the H100*, *76% more memory than an H100*.

The quantity is named between the number and the second name, or after it (*the H100's bandwidth*). A ratio is right where any
variant that a name can mean gives it; it is wrong only where both names say their variants and the quantity is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, Sentence
from ridgeline.audit.register import Mention, Register
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

_BY = "versus"
_FORMAT = r"(?P<format>bf16|bfloat16|fp16|float16|fp8|tf32|fp32|fp64|int8|fp4|nvfp4)"
_FIELDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)^(?:peak )?(?:memory |hbm[0-9e]* |dram )?bandwidth$"), "memory.bandwidth"),
    (re.compile(r"(?i)^(?:memory|vram|hbm[0-9e]*|(?:gpu |memory |hbm )?capacity|memory size|gpu memory)$"), "memory.capacity"),
    (re.compile(r"(?i)^(?:tdp|power|power limit|board power)$"), "power.limit"),
    (re.compile(rf"(?i)^(?:peak |dense )*{_FORMAT}(?: dense| tensor| matrix)* (?:peak|compute|flops|tflops|throughput|flop/s|peak flops)$"), "peak"),
    (re.compile(rf"(?i)^(?:peak |dense )*(?:compute|flops|tflops|throughput|peak) (?:in|at) {_FORMAT}$"), "peak"),
)  # fmt: skip
_WORDS = r"(?P<field>[\w/ -]{2,40}?)"
_OF = re.compile(
    rf"(?i)^\s?(?:x|×|times|-?fold)?\s?(?:the |as much |more |higher |larger |greater )+{_WORDS} (?:of|as|than|over)(?: (?:an?|the|one))?\s$"
)
_POSSESSIVE = re.compile(r"(?i)^\s?(?:x|×|times)?\s?(?:(?:the|that of|as much as) )?(?:an? |the )?$")
_OWNED = re.compile(rf"(?i)^(?:'s|’s) {_WORDS}(?=[.,;:)]|$| and | but | at | with )")
_PERCENT = re.compile(
    rf"(?i)^\s?(?P<how>more|higher|larger|greater|less|lower|smaller|fewer) {_WORDS} (?:than|over)(?: (?:an?|the))?\s$"
)
_PLAIN = frozenset({Comparator.EQ, Comparator.APPROX, Comparator.NEARLY, Comparator.GT, Comparator.JUST_OVER})
_LESS = frozenset({"less", "lower", "smaller", "fewer"})
_MEASURED = re.compile(
    r"(?i)\b(?:measur\w*|achiev\w*|reach\w*|observ\w*|effective\w*|in practice|real-world|benchmark\w*|if|would|suppose|up to|nearly as)\b"
)


def judge(reading: Reading) -> None:
    """Every sentence that names two parts."""
    if reading.resolver is None:
        return
    register = Register(reading.resolver)
    for sentence in reading.prose():
        text = reading.text(sentence)
        mentions = [m for m in register.mentions(text) if m.entry.kind == "accelerator"]
        if len(mentions) < 2 or len({m.entry.reference for m in mentions}) < 2:
            continue
        for index, word in _words(reading, register, sentence, text, mentions):
            reading.ledger.put(sentence.block, index, word)


def _words(
    reading: Reading, register: Register, sentence: Sentence, text: str, mentions: list[Mention]
) -> Iterator[tuple[int, Judgment]]:
    for index in sentence.numerals:
        numeral = reading.numeral(sentence.block, index)
        at = numeral.at - sentence.start
        before = [m for m in mentions if m.end <= at]
        after = [m for m in mentions if m.start >= at + len(numeral.text)]
        if not before or not after or numeral.value is None or numeral.value <= 0:
            continue
        first, second = before[-1], after[0]
        end = numeral.end - sentence.start
        between = text[end : second.start].removeprefix("%")
        for field, kind in _fields(numeral, between, text[second.end :]):
            certain = first.exact and second.exact and not _MEASURED.search(text)
            word = _weigh(register, numeral, kind, field, first, second, certain)
            if word is not None:
                yield index, word


def _fields(numeral: Numeral, between: str, following: str) -> Iterator[tuple[str, str]]:
    """The quantity that a number compares, and how: ``times``, ``more`` or ``less``."""
    if numeral.kind in (Kind.PERCENT, Kind.CHANGE):
        match = _PERCENT.match(between)
        if match is not None and (field := _named(match["field"])):
            yield field, "less" if match["how"].lower() in _LESS else "more"
        return
    if numeral.kind not in (Kind.RATIO, Kind.MEASURE, Kind.WORD, Kind.CONSTANT) or (
        numeral.unit and numeral.unit.factors
    ):
        return
    told = numeral.kind is Kind.RATIO or re.match(r"\s?(?:x|×|times)\b", between) is not None
    match = _OF.match(between)
    if told and match is not None and (field := _named(match["field"])):
        yield field, "times"
    owned = _OWNED.match(following)
    if told and _POSSESSIVE.match(between) and owned is not None and (field := _named(owned["field"])):
        yield field, "times"


def _named(words: str) -> str:
    """The name in formulas of the quantity that words mean; ``""`` for none."""
    words = words.strip()
    for pattern, name in _FIELDS:
        match = pattern.match(words)
        if match is None:
            continue
        if name != "peak":
            return name
        return "peak." + {"bfloat16": "bf16", "float16": "fp16", "nvfp4": "fp4"}.get(
            match["format"].lower(), match["format"].lower()
        )
    return ""


def _weigh(
    register: Register, numeral: Numeral, kind: str, field: str, first: Mention, second: Mention, certain: bool
) -> Judgment | None:
    words: list[Judgment] = []
    doubtful = False
    for a in first.family or (first.entry,):
        for b in second.family or (second.entry,):
            tops, bottoms = register.values(a).names.get(field, []), register.values(b).names.get(field, [])
            for number, (top, bottom) in enumerate((t, u) for t in tops for u in bottoms):
                if not bottom.middle:
                    continue
                word = _one(numeral, kind, top.middle / bottom.middle, f"{a.reference} / {b.reference}, {field}")
                if number == 0:
                    words.append(word)
                # By a claim that the record does not prefer, nothing is settled.
                doubtful = doubtful or word.status is not Status.WRONG
    plain = numeral.comparator in _PLAIN
    return best(words, certain=certain and plain and not doubtful)


def _one(numeral: Numeral, kind: str, ratio: Fraction, because: str) -> Judgment:
    value = ratio if kind == "times" else ratio - 1 if kind == "more" else 1 - ratio
    return weigh(numeral, Quantity(value), because, by=_BY)


__all__ = ["judge"]
