"""Quantities of records that a document names: *an H100's 3.35 TB/s*, *Llama-2-70B has 8 KV heads*.

A number is bound by name, field word and unit. It is right where any claim that the record holds agrees; it is wrong only
where name and field leave no choice, nothing measured or supposed is told, and the value fits nothing else of the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from ridgeline.audit.blocks import BlockKind
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, Sentence, dimension
from ridgeline.audit.register import Mention, Register, Values
from ridgeline.audit.shapes import symbol_of
from ridgeline.audit.weigh import best, weigh
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import holds
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import describe, hard

_BY = "record"
_MEASURED = re.compile(
    r"(?i)\b(?:achiev\w*|reach\w*|measur\w*|effective\w*|sustain\w*|realis\w*|realiz\w*|utili\w*|observ\w*|in practice|average\w*|real-world|got|hit|hits|"
    r"attain\w*|throughput of|benchmark\w*|if|would|suppose|assum\w*|imagine|hypothetical\w*|instead|not|n't|half|twice|double|times|fraction|percent|"
    r"need\w*|requir\w*|uses?|used|consum\w*|left|free|remain\w*|per second per|earlier|previous\w*|next|future|mig|each of|two|four|eight|cluster|node|pair|kernel)\b"
)
_ELSEWHERE = re.compile(
    r"(?i)\b(?:nvlink|nvswitch|pcie|interconnect\w*|infinity fabric|infiniband|ethernet|network|links?|l1|l2|l3|cache|shared|sram|smem|registers?|"
    r"on-chip|pins?|host|cpu|ddr5|ici|per direction|nic|weights?|kv|model)\b"
)
_BANDWIDTH = re.compile(r"(?i)\bbandwidth\b|\bhbm[0-9e]*\b|\bmemory\b|\bdram\b|\bgddr\w*\b|\bvram\b")
_CAPACITY = re.compile(
    r"(?i)^\s?(?:of )?(?:hbm[0-9e]*|vram|gddr\w*|(?:gpu |device |on-board |video )?memory|ram|capacity)\b"
)
_CAPACITY_BEFORE = re.compile(
    r"(?i)(?:capacity(?: of)?|memory(?: size| capacity)?(?: of|:)|vram(?: of|:)?|hbm(?: of|:))\s?$"
)
_RIDGE_IS = re.compile(r"(?i)\bridge(?: point)?(?: of| is| at| =|:| sits at| near)*(?: about| roughly| around)? ?$")
_POWER = re.compile(r"(?i)\b(?:tdp|tbp|tgp|power limit|board power|thermal design)\b")
_PEAK = re.compile(
    r"(?i)\b(?:peak|dense|sparse|sparsity|theoretical|rated|offers?|has|have|delivers?|quotes?|spec\w*|datasheet|provides?|tensor)\b"
)
_FORMATS = {
    "bf16": r"bf16|bfloat16", "fp16": r"fp16|float16|half[- ]precision", "fp8": r"fp8|float8", "tf32": r"tf32", "fp32": r"fp32|float32|single[- ]precision",
    "fp64": r"fp64|float64|double[- ]precision", "int8": r"int8", "int4": r"int4", "fp4": r"fp4|nvfp4|mxfp4", "fp6": r"fp6",
}  # fmt: skip
#: How a sentence goes on about what the one before it named.
_PRONOUN = re.compile(
    r"(?i)^\s*(?:its?|the (?:part|card|chip|gpu|accelerator|device|board|model|processor)(?:'s|’s)?|this (?:part|card|chip|gpu|model)|"
    r"both its|with its|that)\b"
)
#: Between a name and what it has: nothing but the verb.
_HAS = re.compile(
    r"(?i)^(?:[\w-]{0,12} )?(?:has|have|had|carries|carry|offers?|ships with|comes with|packs|holds|provides|with|:|is an?|gives you)"
    r"(?: (?:exactly|only|about|roughly|up to|a total of))?\s*$"
)
_HAS_LAYERS = re.compile(
    r"(?i)\b(?:has|have|with|uses?|consists of|stacks?|comprises|contains?|features?|:)(?: (?:exactly|a total of))?\s*$|'s\s*$|’s\s*$"
)
_SOME_LAYERS = re.compile(
    r"(?i)\b(?:pruned?|first|last|half|top|bottom|distill\w*|shallow\w*|deeper|stage|remaining|other|each of|every|extra|more|fewer|"
    r"frozen|global|local|dense|moe|expert|sliding|skip\w*|drop\w*|remov\w*|keep\w*|kept|variant|version of|smaller|tiny)\b"
)
_COUNTED = frozenset({Kind.MEASURE, Kind.CONSTANT, Kind.NOMINAL})
#: Words of a sentence that reports, corrects or imagines a value rather than stating it.
_QUOTED = re.compile(
    r"(?i)\b(?:describ\w*|claim\w*|wrong\w*|error\w*|mistak\w*|typo\w*|say|says|said|prose|card|config|supersed\w*|correct\w*|marketing|rumou?r\w*|"
    r"announc\w*|preliminary|prelim|originally|formerly|versus|vs|what if|confus\w*|rather than|instead of|not the|fake|fictional|made[- ]up)\b"
)
_MODEL_FIELDS = {"n_layers", "n_q", "n_kv", "d_head", "d_model", "d_ff"}
_ACTIVE = (
    "parameters.active_with_embeddings", "parameters.active_without_embeddings", "parameters.active_without_input_embedding",
)  # fmt: skip
_EXACTLY = frozenset(
    {
        Comparator.EQ,
        Comparator.APPROX,
        Comparator.NOMINAL,
        Comparator.NEARLY,
        Comparator.JUST_OVER,
        Comparator.GT,
        Comparator.LT,
        Comparator.GE,
        Comparator.LE,
    }
)


#: Printed over true: prefixes, bits for bytes. Twice and half lie within the plain range.
_FACTORS = (*(Fraction(1000) ** n for n in (-3, -2, -1, 1, 2, 3)), Fraction(8), Fraction(1, 8))


def judge(reading: Reading) -> None:
    """Every sentence that names a record; tables are judged by :mod:`ridgeline.audit.specs`."""
    if reading.resolver is None:
        return
    register = Register(reading.resolver)
    for block, sentences in enumerate(reading.sentences):
        if reading.blocks[block].table >= 0:
            continue
        last: Mention | None = None
        for sentence in sentences:
            last = _sentence(reading, register, sentence, last)


def _sentence(reading: Reading, register: Register, sentence: Sentence, last: Mention | None) -> Mention | None:
    """Judge one sentence. ``last`` is what ``it`` means; gives what it means in the next one."""
    text = reading.text(sentence)
    mentions = register.mentions(text)
    if not mentions and last is not None and _PRONOUN.match(text):
        mentions = [replace(last, start=0, end=0)]
    several = len({m.entry.reference for m in mentions}) > 1
    about = None if several else mentions[0] if mentions else last
    if not mentions or reading.blocks[sentence.block].kind is BlockKind.CODE:
        return about
    for index in sentence.numerals:
        numeral = reading.numeral(sentence.block, index)
        at = numeral.at - sentence.start
        before = [m for m in mentions if m.end <= at]
        mention = before[-1] if before else mentions[0]
        if any(m.start <= at < m.end for m in mentions) or (not before and mentions[0].start - at > 60):
            continue
        word = _word(register, numeral, mention, text, at, certain=not several)
        if word is not None:
            reading.ledger.put(sentence.block, index, word)
    return about


def _word(
    register: Register, numeral: Numeral, mention: Mention, text: str, at: int, *, certain: bool
) -> Judgment | None:
    if numeral.value is None or numeral.comparator not in _EXACTLY or numeral.kind not in _COUNTED:
        return None
    values = register.values(mention.entry)
    chosen = list(_fields(mention, numeral, values, text, at))
    if not chosen:
        return None
    words = []
    for entry in mention.family or (mention.entry,):
        held = register.values(entry)
        for name, sure in chosen:
            for quantity in dict.fromkeys(held.names.get(name, [])):
                word = weigh(numeral, quantity, f"{entry.reference} {name}", by=_BY)
                if word.status is Status.RIGHT:
                    return word
                if entry is mention.entry:
                    words.append((word, sure))
    quoted = _MEASURED.search(_around(text, at)) or _QUOTED.search(text)
    sure = certain and all(s for _, s in words) and not quoted and _meant(mention, numeral, values, chosen)
    found = best([w for w, _ in words], certain=sure)
    told = found if found is None or not words else _cause(found, numeral, values, chosen)
    if found is not None and sure and mention.entry.kind == "accelerator" and told is found:
        # Without a cause that can be named, another variant of the part, or several of them, may be meant.
        unsaid = not mention.exact and _sibling(numeral, values, chosen)
        if unsaid or _several(numeral, values, chosen):
            return best([w for w, _ in words], certain=False)
    return told


def _fields(mention: Mention, numeral: Numeral, values: Values, text: str, at: int) -> Iterator[tuple[str, bool]]:
    """The quantities that a numeral may be, and whether the words leave no other."""
    kind = mention.entry.kind
    clause = _around(text, at)
    after = text[at + len(numeral.text) :].removeprefix(" ").removeprefix(numeral.unit_text)
    before = text[max(0, at - 40) : at]
    if kind == "model":
        yield from _model_fields(numeral, clause, text[:at], text[at + len(numeral.text) :], after)
        return
    if kind == "interconnect":
        return
    what = describe(dimension(numeral))
    if what == "byte/s" and not _ELSEWHERE.search(clause):
        if _BANDWIDTH.search(clause) or not _ELSEWHERE.search(text):
            yield "memory.bandwidth", re.search(r"(?i)bandwidth|hbm|memory", clause) is not None
    elif (
        what == "byte"
        and ("bit", 1) not in (numeral.unit.factors if numeral.unit else ())
        and not _ELSEWHERE.search(clause)
    ):
        if _CAPACITY.match(after) or _CAPACITY_BEFORE.search(before):
            yield "memory.capacity", True
        elif (mention.end <= at and _HAS.match(text[mention.end : at].lstrip(" ,"))) or re.search(
            r"(?i)^with $", before
        ):
            yield "memory.capacity", False
    elif what == "flop/s":
        yield from _peaks(values, "peak", text, clause, sure=_PEAK.search(clause) is not None)
    elif what == "flop/byte" or (
        not what.strip("1") and _RIDGE_IS.search(before) and not re.match(r"\s?[*×·/^+\w]", after)
    ):
        sure = re.search(r"(?i)\bridge\b", text) is not None
        yield from _peaks(values, "ridge", text, clause, sure=sure)
    elif what == "J/s" and _POWER.search(clause):
        yield "power.limit", True
    elif numeral.unit is not None and ("bit", 1) in numeral.unit.factors and len(numeral.unit.factors) == 1:
        if re.search(r"(?i)\bbus\b|\binterface\b|memory width", clause):
            yield "memory.bus_width", True
    elif re.match(r"\s?(?:SMs|streaming multiprocessors|CUs|compute units)\b", text[at + len(numeral.text) :]):
        yield "units.count", re.search(r"(?i)\bhas\b|\bwith\b|'s|’s|across", clause) is not None


def _peaks(values: Values, kind: str, text: str, clause: str, *, sure: bool) -> Iterator[tuple[str, bool]]:
    """The peaks, or ridge points, of the formats that a clause names; of all where it names none."""
    named = [name for name, pattern in _FORMATS.items() if re.search(rf"(?i)\b(?:{pattern})\b", clause)]
    named = named or [name for name, pattern in _FORMATS.items() if re.search(rf"(?i)\b(?:{pattern})\b", text)]
    dense = re.search(r"(?i)\bdense\b", clause) is not None
    sparse = re.search(r"(?i)\bspars\w+\b|2:4", clause) is not None
    found = False
    for name in values.names:
        prefix, _, rest = name.partition(".")
        if prefix != kind or rest.endswith((".route", ".per_clock", ".clock")):
            continue
        if named and rest.split("_")[0] not in named:
            continue
        if kind == "ridge" and "sparse" in rest and not sparse:
            continue
        if dense != sparse and ("sparse" in rest) != sparse:
            continue
        found = True
        yield name, sure and bool(named) and len(named) == 1
    if not found and dense != sparse and not named:
        return


def _model_fields(numeral: Numeral, clause: str, before: str, following: str, after: str) -> Iterator[tuple[str, bool]]:
    """The same for a model; ``following`` is what stands right after the digits, ``after`` what follows the unit."""
    whole, before = before, before[-40:]
    symbol = symbol_of(before, following, numeral)
    if symbol in _MODEL_FIELDS and not re.search(r"(?i)\bper layer\b", clause):
        some = symbol == "n_layers" and (not _HAS_LAYERS.search(whole) or _SOME_LAYERS.search(whole + following[:30]))
        yield symbol, not some
        return
    soft = () if numeral.unit is None else numeral.unit.dimension
    parameters = soft == (("param", 1),) or re.match(r"\s?(?:parameters|params|weights)\b", after) is not None
    if parameters and not re.search(r"(?i)per layer|active|embedding|layer|attention|mlp|ffn|head", clause):
        yield "parameters.total", True
        yield "checkpoint.total", True
    elif parameters and re.search(r"(?i)\bactiv\w*", clause) and not re.search(r"(?i)per layer|layers?\b|head", clause):
        # Three conventions are in use, and which is meant is seldom said.
        for name in _ACTIVE:
            yield name, False
    elif hard(soft) == (("byte", 1),) and ("token", -1) in soft:
        if not re.search(
            r"(?i)fp8|int8|int4|fp32|8-bit|4-bit|per layer|each layer|\bif\b|would|without|mha|instead", clause
        ):
            yield "kv_bytes_per_token", True
    elif re.search(r"(?i)vocab\w*(?: size)?(?: of|:|=|is)?\s?$", before) or re.match(
        r"(?i)[- ](?:token|word|entry)? ?vocab", after
    ):
        yield "vocabulary", True


def _around(text: str, at: int) -> str:
    """The clause around a place."""
    start = max(
        (m.end() for m in re.finditer(r"[,;:()–—]\s| and | but | while | against | versus | vs ", text[:at])), default=0
    )
    end = re.search(r"[,;:()–—](?:\s|$)| and | but | while | against | versus ", text[at:])
    return text[max(0, start - 0) : at + end.start() if end else len(text)]


def _meant(mention: Mention, numeral: Numeral, values: Values, chosen: list[tuple[str, bool]]) -> bool:
    """Whether the record's value is surely what a sentence states.

    A draft settles nothing. A number far from every value held is of something else (a larger
    model of the family, a part of the board), unless the factor between has a name; one within a hundredth may be
    another revision of the same page. A capacity in GB is what vendors print for the same number of GiB.
    """
    record = mention.entry.record
    if record is None or record.status == "draft" or numeral.value is None:
        return False
    factor = numeral.base_factor
    for name, _ in chosen[:1]:
        for quantity in values.names.get(name, []):
            if not quantity.middle:
                return False
            ratio = abs(numeral.value * factor / quantity.middle)
            named = any(_is(numeral, quantity, n) for n in _FACTORS)
            # A count of heads or layers is no measurement: none is nearly right, and sharing makes them differ by much.
            far = Fraction(16) if name in _MODEL_FIELDS else Fraction(5, 2)
            near = Fraction(1, 10**6) if name in _MODEL_FIELDS else Fraction(1, 100)
            if abs(ratio - 1) < near or not (named or 1 / far <= ratio <= far):
                return False
            if name == "memory.capacity" and abs(ratio * Fraction(1024, 1000) ** 3 - 1) < Fraction(1, 100):
                return False
    return True


def _sibling(numeral: Numeral, values: Values, chosen: list[tuple[str, bool]]) -> bool:
    """Whether another variant of a part that is named without its variant may have such a value."""
    factor = numeral.base_factor
    for name, _ in chosen:
        for quantity in values.names.get(name, []):
            if numeral.value is None or not quantity.middle:
                return True
            ratio = numeral.value * factor / quantity.middle
            if Fraction(2, 5) <= ratio <= Fraction(24, 25) or Fraction(26, 25) <= ratio <= Fraction(5, 2):
                return True
    return False


def _several(numeral: Numeral, values: Values, chosen: list[tuple[str, bool]]) -> bool:
    """Whether what is printed is the value of four devices or more: a board, a node, a rack."""
    for name, _ in chosen:
        for quantity in values.names.get(name, []):
            for count in (4, 8, 16, 32, 36, 64, 72):
                if _is(numeral, quantity, count):
                    return True
    return False


def _is(numeral: Numeral, quantity: Quantity, count: int | Fraction) -> bool:
    """Whether a numeral prints so many times a value."""
    factor = numeral.base_factor
    return holds(numeral, quantity.middle * count / factor)


def _cause(word: Judgment, numeral: Numeral, values: Values, chosen: list[tuple[str, bool]]) -> Judgment:
    """A wrong number explained: by the other quantity of the record that it is, or by a prefix. Itself where nothing does."""
    if word.status is not Status.WRONG or not dimension(numeral):
        return word
    meant = {name for name, _ in chosen}
    for name, quantities in values.names.items():
        alike = [q for q in quantities if hard(q.dimension) == dimension(numeral)]
        if name not in meant and any(_is(numeral, q, 1) for q in alike):
            return replace(word, because=f"{word.because}; what is printed is its {name}")
    for name in meant:
        for quantity in values.names.get(name, []):
            if any(_is(numeral, quantity, factor) for factor in _FACTORS):
                return replace(word, because=f"{word.because}; the digits are those of its {name}")
    return word
