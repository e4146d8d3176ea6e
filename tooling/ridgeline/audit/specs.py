"""Tables of parts and models: rows or columns that name records, and headings that name their quantities.

*| GPU | Memory | Bandwidth | BF16 dense |* above *| H100 SXM | 80 GB | 3.35 TB/s | 989 TFLOPS |*, or the same table turned.
A cell is judged by the heading across from its record. It is wrong only where heading and record leave no choice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from ridgeline.audit.blocks import Table
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading, dimension
from ridgeline.audit.register import Mention, Register, Values
from ridgeline.audit.shapes import element_sizes
from ridgeline.audit.weigh import best, weigh
from ridgeline.figures.compare import with_unit
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import holds
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import Unit, UnitError, hard, parse_unit

_BY = "table"
_KINDS = frozenset({Kind.MEASURE, Kind.CONSTANT, Kind.NOMINAL})
_PLAIN = frozenset({Comparator.EQ, Comparator.APPROX, Comparator.NOMINAL})
_PREFIXES = tuple(Fraction(1000) ** n for n in (-3, -2, -1, 1, 2, 3))
_FORMATS = {
    "bf16": r"bf16|bfloat16", "fp16": r"fp16|float16", "fp8": r"fp8|float8", "tf32": r"tf32", "fp32": r"fp32|float32",
    "fp64": r"fp64|float64", "int8": r"int8", "int4": r"int4", "fp4": r"(?:nv|mx)?fp4", "fp6": r"(?:mx)?fp6",
}  # fmt: skip
_MEASURED = re.compile(
    r"(?i)\b(?:measur\w*|achiev\w*|observ\w*|effective\w*|sustain\w*|used|free|left|needed|required|tok/s|tokens/s|mfu|mbu|util\w*|x\b|node|total for|"
    r"per node|system|dgx|hgx|each of|batch|context)\b"
)
#: What a heading names → the quantity of an accelerator, in the dimension it must have. The first that matches is meant.
_PARTS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"(?i)\b(?:nvlink|pcie|interconnect|link|network|scale-?up|scale-?out|fabric)\b"), "", "byte/s"),
    (re.compile(r"(?i)\bl2\b"), "l2.total", "byte"),
    (re.compile(r"(?i)\b(?:l1|shared|smem|sram|register|cache)\b"), "", "byte"),
    (re.compile(r"(?i)\b(?:bandwidth|bw|mem(?:ory)? speed)\b"), "memory.bandwidth", "byte/s"),
    (re.compile(r"(?i)\b(?:memory|vram|hbm\w*|capacity|gddr\w*|mem)\b"), "memory.capacity", "byte"),
    (re.compile(r"(?i)\b(?:tdp|tbp|power)\b"), "power.limit", "J/s"),
    (re.compile(r"(?i)\bridge\b|\bbalance\b"), "ridge", "flop/byte"),
    (re.compile(r"(?i)\b(?:peak|dense|sparse|tflops?|pflops?|compute|flops|tflop/s|tensor|matrix|bf16|fp16|fp8|fp4|int8|tf32|fp32|fp64|bfloat16)\b"), "peak", "flop/s"),
    (re.compile(r"(?i)^(?:sms?|cus?|compute units|streaming multiprocessors)$"), "units.count", "1"),
)  # fmt: skip
_MODELS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"(?i)\bkv\b.*(?:/|\bper )\s?tok(?:en)?\b"), "kv_bytes_per_token", "byte/token"),
    (re.compile(r"(?i)\b(?:kv|key[- ]value|k/v) heads?\b|\bn_?kv\b|num_key_value_heads"), "n_kv", "1"),
    (re.compile(r"(?i)\b(?:query|attention|q)[- ]heads?\b|^heads$|\bn_q\b|num_attention_heads"), "n_q", "1"),
    (re.compile(r"(?i)\bhead[- _](?:dim\w*|size|width)\b|\bd_?head\b"), "d_head", "1"),
    (re.compile(r"(?i)^(?:n(?:um)?_?(?:hidden_)?)?layers?$"), "n_layers", "1"),
    (re.compile(r"(?i)\b(?:hidden|model|embedding)[- _](?:size|dim\w*|width)\b|^d_?model$|^hidden$|^width$"), "d_model", "1"),
    (re.compile(r"(?i)\bvocab\w*\b"), "vocabulary", "1"),
    (re.compile(r"(?i)\b(?:ffn|feed-forward|intermediate|mlp)[- _]?(?:size|dim\w*|width)?\b|^d_?ff$"), "d_ff", "1"),
    (re.compile(r"(?i)\bactive\b"), "", "param"),
    (re.compile(r"(?i)^(?:total )?(?:params?|parameters)(?: \(?b\)?| \(?billions?\)?)?$"), "parameters.total", "param"),
)  # fmt: skip
_PARENTHESIS = re.compile(r"[(\[]([^()\[\]]{1,24})[)\]]|,\s*([A-Za-z/]{1,12})\s*$")


@dataclass(frozen=True, slots=True)
class _Field:
    """What a heading names: candidate quantities, whether nothing else can be meant, and the unit that it prints."""

    names: tuple[str, ...]
    sure: bool
    unit: Unit | None
    dimension: str
    sizes: frozenset[Fraction] = frozenset()


def judge(reading: Reading) -> None:
    """Every table whose rows or columns name records."""
    if reading.resolver is None:
        return
    register = Register(reading.resolver)
    for table in reading.document.tables:
        if table.headed and len(table.rows) > 1:
            _rows(reading, register, table)
            _columns(reading, register, table)


def _rows(reading: Reading, register: Register, table: Table) -> None:
    headings = reading.headings(table)
    for row in table.rows[1:]:
        mention = next((m for b in row[:2] if (m := _named(reading, register, b)) is not None), None)
        if mention is None:
            continue
        for column, block in enumerate(row):
            if 0 < column < len(headings) and block >= 0:
                _cell(reading, register, block, mention, headings[column])


def _columns(reading: Reading, register: Register, table: Table) -> None:
    mentions = [_named(reading, register, block) for block in table.rows[0]]
    if sum(m is not None for m in mentions) < 1 or mentions[0] is not None:
        return
    for row in table.rows[1:]:
        heading = reading.cell(row[0]) if row else ""
        for column, block in enumerate(row):
            mention = mentions[column] if column < len(mentions) else None
            if mention is not None and block >= 0:
                _cell(reading, register, block, mention, heading)


def _named(reading: Reading, register: Register, block: int) -> Mention | None:
    """The one record that a cell names."""
    if block < 0:
        return None
    text = reading.blocks[block].text
    mentions = register.mentions(text)
    if len({m.entry.reference for m in mentions}) != 1 or re.match(r"\s*[0-9]+\s?[x×]", text):
        return None
    return mentions[0]


def _cell(reading: Reading, register: Register, block: int, mention: Mention, heading: str) -> None:
    values = register.values(mention.entry)
    numerals = [(i, n) for i, n in enumerate(reading.passages[block].numerals) if n.quantity and n.kind in _KINDS]
    if len(numerals) != 1 or not heading:
        return
    index, numeral = numerals[0]
    if numeral.value is None or numeral.comparator not in _PLAIN:
        return
    field = _field(mention, values, heading, f"{heading} {reading.blocks[block].text}")
    if field is None:
        return
    if numeral.unit is None and field.unit is not None:
        numeral = with_unit(numeral, field.unit)
    if dimension(numeral) != hard(parse_unit(field.dimension).dimension):
        return
    word = _word(register, numeral, mention, field, heading)
    if word is not None:
        reading.ledger.put(block, index, word)


def _field(mention: Mention, values: Values, heading: str, whole: str) -> _Field | None:
    """What a heading means for a record."""
    table = _MODELS if mention.entry.kind == "model" else _PARTS if mention.entry.kind == "accelerator" else ()
    unit = _unit(heading)
    bare = _PARENTHESIS.sub("", heading).strip()
    for pattern, name, what in table:
        if not pattern.search(bare):
            continue
        if not name:
            return None
        if name in ("peak", "ridge"):
            names, sure = _of_formats(values, name, whole)
            return _Field(names, sure, unit, what) if names else None
        if name == "kv_bytes_per_token":
            sizes = frozenset(element_sizes(whole))
            return _Field((name,), len(sizes) == 1, unit or _unit_of_words(bare), what, sizes)
        names = (name, "checkpoint.total") if name == "parameters.total" else (name,)
        return _Field(names, True, unit or _unit_of_words(bare), what)
    return None


def _unit(heading: str) -> Unit | None:
    """The unit that a heading prints in brackets or at its end."""
    for match in _PARENTHESIS.finditer(heading):
        text = (match.group(1) or match.group(2)).strip()
        try:
            return parse_unit({"TFLOPS": "TFLOP/s", "PFLOPS": "PFLOP/s", "B": "B"}.get(text, text))
        except UnitError:
            continue
    return None


def _unit_of_words(heading: str) -> Unit | None:
    if re.search(r"(?i)\bbytes\b", heading):
        return parse_unit("byte/token" if re.search(r"(?i)tok", heading) else "byte")
    return None


def _of_formats(values: Values, kind: str, words: str) -> tuple[tuple[str, ...], bool]:
    """The peaks or ridge points of the one format that a heading names, dense unless it says sparse."""
    named = [name for name, pattern in _FORMATS.items() if re.search(rf"(?i)\b(?:{pattern})\b", words)]
    dense = re.search(r"(?i)\bdense\b", words) is not None
    sparse = re.search(r"(?i)\bspars\w*\b|2:4", words) is not None
    found = []
    for name in values.names:
        prefix, _, rest = name.partition(".")
        if prefix != kind or rest.endswith((".route", ".per_clock", ".clock")) or rest.split("_")[0] not in named:
            continue
        if dense != sparse and ("sparse" in rest) != sparse:
            continue
        found.append(name)
    return tuple(found), len(named) == 1 and dense != sparse


def _word(register: Register, numeral: Numeral, mention: Mention, field: _Field, heading: str) -> Judgment | None:
    words: list[Judgment] = []
    for entry in mention.family or (mention.entry,):
        held = register.values(entry)
        for name in field.names:
            for quantity in _sized(field, name, held):
                word = weigh(numeral, quantity, f"{entry.reference} {name}", by=_BY)
                if word.status is Status.RIGHT:
                    return word
                if entry is mention.entry:
                    words.append(word)
    record = mention.entry.record
    settled = record is not None and record.status != "draft" and not _MEASURED.search(heading) and field.sure
    values = register.values(mention.entry)
    cause = _cause(numeral, field, values)
    if words and words[0].status is Status.WRONG and cause:
        words[0] = replace(words[0], because=f"{words[0].because}; {cause}")
    certain = settled and (bool(cause) or (mention.exact and _meant(numeral, field, values)))
    return best(words, certain=certain, first=True)


def _sized(field: _Field, name: str, held: Values) -> list[Quantity]:
    """The values of a quantity; cache bytes in each format that the heading names, two bytes an element being held."""
    found = list(dict.fromkeys(held.names.get(name, [])))
    if name != "kv_bytes_per_token" or not field.sizes:
        return found
    return [Quantity(q.middle * size / 2, q.dimension) for q in found[:1] for size in sorted(field.sizes)]


def _cause(numeral: Numeral, field: _Field, values: Values) -> str:
    """The other quantity of the record that a number is, or the prefix that it lacks."""
    if numeral.unit is None or not dimension(numeral):
        return ""
    factor = numeral.unit.base_factor
    for name, quantities in values.names.items():
        if name not in field.names and any(
            hard(q.dimension) == dimension(numeral) and holds(numeral, q.middle / factor) for q in quantities
        ):
            return f"what is printed is its {name}"
    for name in field.names:
        for quantity in values.names.get(name, []):
            if any(holds(numeral, quantity.middle * n / factor) for n in _PREFIXES):
                return f"the digits are those of its {name}"
    return ""


def _meant(numeral: Numeral, field: _Field, values: Values) -> bool:
    """Whether a number is near enough to be meant for the quantity, and too far to be another edition of it."""
    factor = numeral.base_factor
    counts = not dimension(numeral)
    for name in field.names[:1]:
        for quantity in _sized(field, name, values):
            if not quantity.middle or numeral.value is None:
                return False
            ratio = abs(numeral.value * factor / quantity.middle)
            least = Fraction(1, 10**6) if counts else Fraction(4, 100)
            if abs(ratio - 1) < least or not Fraction(1, 16) <= ratio <= 16:
                return False
            if name == "memory.capacity" and abs(ratio * Fraction(1024, 1000) ** 3 - 1) < Fraction(1, 100):
                return False
    return True


__all__ = ["judge"]
