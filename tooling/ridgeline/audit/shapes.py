"""The model shapes that a document states: layers, heads, widths, bytes of an element; and which of them counts where.

A made-up shape is often told once and used for pages; a survey tells many. A value from the sentence itself counts first,
then one that its block states alone, then one on which all full statements of the document agree. Where they differ,
nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ridgeline.audit.blocks import BlockKind
from ridgeline.audit.reading import Reading, Sentence
from ridgeline.numbers.numeral import Kind, Numeral

#: Symbol → what stands right after the number, and what stands right before it.
_AFTER: dict[str, re.Pattern[str]] = {
    "n_kv": re.compile(
        r"[ -](?:shared )?(?:key[- ](?:and[- ])?value|kv|k/v|key/value|k and v|kv cache|key|value)[ -]heads?\b", re.I
    ),
    "n_q": re.compile(r"[ -](?:query|attention|q|parallel|full)[ -](?:heads?)\b", re.I),
    "n_layers": re.compile(
        r"[ -](?:(?:transformer|decoder|identical|attention|hidden|model|equal|encoder)[ -])?(?:layers|blocks)\b(?! (?:of|per|in (?:every|each)))",
        re.I,
    ),
    "d_head": re.compile(r"[ -](?:wide |dim(?:ension(?:al)?)? |element )?(?:head (?:size|dim(?:ension)?|width)|numbers (?:long|each|per head))\b", re.I),
    "d_model": re.compile(r"[ -](?:hidden|model) (?:size|width|dim)", re.I),
}  # fmt: skip
_EQUALS = r"\s*(?:[=:]|of|is|are|,|at)?\s*(?:about\s*)?$"
_BEFORE: dict[str, re.Pattern[str]] = {
    "n_kv": re.compile(r"(?:num_key_value_heads|n_kv(?:_heads)?|n_\{kv\}|kv[_ ]heads|H_kv|key[- ]value heads)" + _EQUALS, re.I),
    "n_q": re.compile(r"(?:num_attention_heads|n_heads?|n_q|query heads|attention heads)" + _EQUALS, re.I),
    "n_layers": re.compile(r"(?:num_hidden_layers|n_layers?|num_layers|number of layers|\blayers)\s*(?:[=:]|is)?\s*$", re.I),
    "d_head": re.compile(r"(?:head[_ -]dim(?:ension)?|head[_ -]size|head[_ -]width|d_h(?:ead)?|d_k|width of (?:one|a|each) head|heads? (?:of|are)(?: size| width| dimension)?)" + _EQUALS, re.I),
    "d_model": re.compile(r"(?:hidden[_ -]size|hidden[_ -]dim(?:ension)?|d_model|model width|model dimension|hidden width|embedding (?:size|width))" + _EQUALS, re.I),
    "d_ff": re.compile(r"(?:intermediate[_ -]size|d_ff|ffn[_ -](?:width|dim|size)|feed-forward width|intermediate)" + _EQUALS, re.I),
    "batch": re.compile(r"(?:batch(?:[_ -]size)?)" + _EQUALS, re.I),
}  # fmt: skip
_BATCH = re.compile(
    r"[ -](?:concurrent |simultaneous |parallel )?(?:users|sequences|requests|chats|conversations|prompts|streams)\b",
    re.I,
)
_LETTERS = {
    "H": "n_q",
    "G": "n_kv",
    "d_h": "d_head",
    "d_model": "d_model",
    "n_kv": "n_kv",
    "n_q": "n_q",
    "d_head": "d_head",
}
_FORMATS = re.compile(
    r"(?P<half>\b(?:fp16|float16|bf16|bfloat16|half[- ]precision|16[- ]bits?)\b)|(?P<four>\b(?:fp32|float32|32[- ]bits?|single[- ]precision)\b)"
    r"|(?P<one>\b(?:fp8|float8|int8|8[- ]bits?|e4m3|e5m2)\b)|(?P<nibble>\b(?:int4|fp4|4[- ]bits?)\b)"
    r"|(?P<said>\b(?:two|four|one|1|2|4) bytes?(?: per| each| an| for each|/)\s?(?:element|value|number|entry|parameter|score|weight)?)",
    re.I,
)
_SAID = {"one": 1, "two": 2, "four": 4, "1": 1, "2": 2, "4": 4}
_SIZES = {"half": Fraction(2), "four": Fraction(4), "one": Fraction(1), "nibble": Fraction(1, 2)}
SHAPE = ("n_layers", "n_q", "n_kv", "d_head", "d_model")
_MODEL = re.compile(
    r"(?i)\b(?:llama|qwen|mistral|mixtral|deepseek|gpt|gemma|phi|falcon|olmo|opt|bloom|yi|glm|kimi|nemotron|smollm|bert|"
    r"palm|claude|gemini|grok|dbrx|gte|mamba|jamba)[-\w.]*(?:[- ]?v?[0-9][\w.]*(?:[- ][0-9]+b)?)?"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a symbol, and where it is stated."""

    symbol: str
    value: Fraction
    block: int
    sentence: int
    index: int


@dataclass
class Shapes:
    """All facts of a document."""

    facts: list[Fact] = field(default_factory=list)
    formats: dict[tuple[int, int], set[Fraction]] = field(default_factory=dict)
    models: dict[tuple[int, int], set[str]] = field(default_factory=dict)
    stated: set[int] = field(default_factory=set)
    records: dict[tuple[int, int], dict[str, Fraction]] = field(default_factory=dict)

    def value(self, symbol: str, block: int, sentence: int) -> Fraction | None:
        """What a symbol is in a sentence, ``None`` where that is not certain."""
        for key in ((symbol, block, sentence), (symbol, block, -1), (symbol, -1, -1)):
            group = self._index.get(key)
            if group:
                return next(iter(group)) if len(group) == 1 else None
        return None

    @cached_property
    def _index(self) -> dict[tuple[str, int, int], set[Fraction]]:
        """Values by symbol in a sentence, in a block (sentence −1), and in all statements (block −1)."""
        found: dict[tuple[str, int, int], set[Fraction]] = {}
        for f in self.facts:
            found.setdefault((f.symbol, f.block, f.sentence), set()).add(f.value)
            found.setdefault((f.symbol, f.block, -1), set()).add(f.value)
            if f.block in self.stated:
                found.setdefault((f.symbol, -1, -1), set()).add(f.value)
        return found

    def shape(self, block: int, sentence: int) -> dict[str, Fraction]:
        """All that is known in a sentence; nothing where it names another model than the statements do."""
        recorded = self.records.get((block, sentence))
        if recorded is not None:
            return recorded
        here = self.models.get((block, sentence), set())
        if here and block not in self.stated and not here <= self._models_stated:
            return {}
        found = {s: v for s in SHAPE if (v := self.value(s, block, sentence)) is not None}
        if "d_head" not in found and {"d_model", "n_q"} <= set(found):
            found["d_head"] = found["d_model"] / found["n_q"]
        if "d_model" not in found and {"d_head", "n_q"} <= set(found):
            found["d_model"] = found["d_head"] * found["n_q"]
        return found

    @cached_property
    def _models_stated(self) -> set[str]:
        return {m for (block, _), names in self.models.items() if block in self.stated for m in names}

    def element(self, block: int, sentence: int, *, near: bool = False) -> set[Fraction]:
        """Bytes of an element: from the sentence, its block, then the statements of shapes; empty where unknown.

        ``near`` stops at the block.
        """
        for key in ((block, sentence), (block, -1), (-1, -1)):
            found = self._sizes.get(key)
            if found and not (near and key == (-1, -1)):
                return found
        return set()

    @cached_property
    def _sizes(self) -> dict[tuple[int, int], set[Fraction]]:
        found: dict[tuple[int, int], set[Fraction]] = {}
        for (block, sentence), values in self.formats.items():
            for key in ((block, sentence), (block, -1), *([(-1, -1)] if block in self.stated else [])):
                found.setdefault(key, set()).update(values)
        return found

    def batches(self, block: int, sentence: int, but: int) -> list[Fraction]:
        """Numbers of sequences that a sentence names, other than one numeral."""
        return [v for index, v in self._batches.get((block, sentence), []) if index != but]

    @cached_property
    def _batches(self) -> dict[tuple[int, int], list[tuple[int, Fraction]]]:
        found: dict[tuple[int, int], list[tuple[int, Fraction]]] = {}
        for f in self.facts:
            if f.symbol == "batch":
                found.setdefault((f.block, f.sentence), []).append((f.index, f.value))
        return found


def gather(reading: Reading) -> Shapes:
    """All shape facts in prose and lists."""
    shapes = Shapes()
    for block, sentences in enumerate(reading.sentences):
        if reading.blocks[block].kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.CELL):
            continue
        symbols = set()
        for number, sentence in enumerate(sentences):
            text = reading.text(sentence)
            formats = set(element_sizes(text))
            if formats:
                shapes.formats[block, number] = formats
            names = {m.group().lower().rstrip(".-") for m in _MODEL.finditer(text)}
            if names:
                shapes.models[block, number] = names
            for symbol, index, numeral in facts(reading, sentence):
                assert numeral.value is not None
                shapes.facts.append(Fact(symbol, numeral.value, block, number, index))
                symbols.add(symbol)
        if len(symbols & set(SHAPE)) >= 3:
            shapes.stated.add(block)
    if reading.resolver is not None:
        _recorded(reading, shapes)
    return shapes


def _recorded(reading: Reading, shapes: Shapes) -> None:
    """The shapes of models that we hold, where a sentence names one and states none itself."""
    from ridgeline.audit.register import Register

    assert reading.resolver is not None
    register = Register(reading.resolver)
    stating = {(f.block, f.sentence) for f in shapes.facts}
    for block, number in shapes.models:
        text = reading.text(reading.sentences[block][number])
        named = {m.entry.reference: m.entry for m in register.mentions(text) if m.entry.kind == "model"}
        if len(named) != 1 or (block, number) in stating:
            continue
        names = register.values(next(iter(named.values()))).names
        found = {s: names[s][0].middle for s in SHAPE if names.get(s)}
        if {"n_layers", "n_q", "n_kv", "d_head"} <= set(found):
            shapes.records[block, number] = found


def element_sizes(text: str) -> Iterator[Fraction]:
    """Bytes of an element for each number format that a text names."""
    for match in _FORMATS.finditer(text):
        if match["said"]:
            yield Fraction(_SAID[match["said"].split()[0].lower()])
        elif match.lastgroup:
            yield _SIZES[match.lastgroup]


def facts(reading: Reading, sentence: Sentence) -> Iterator[tuple[str, int, Numeral]]:
    """The symbols that a sentence gives values to."""
    passage = reading.passages[sentence.block]
    for index in sentence.numerals:
        numeral = passage.numerals[index]
        if numeral.value is None or numeral.value.denominator != 1 or numeral.value < 1 or "." in numeral.text:
            continue
        if numeral.kind not in (Kind.MEASURE, Kind.CONSTANT, Kind.WORD, Kind.MULTIPLICITY):
            continue
        before = passage.text[max(sentence.start, numeral.at - 40) : numeral.at]
        after = passage.text[numeral.end : min(sentence.end, numeral.end + 40)]
        symbol = symbol_of(before, after, numeral)
        if symbol:
            yield symbol, index, numeral


def symbol_of(before: str, after: str, numeral: Numeral) -> str:
    """Which symbol a number is a value of, by the words around it; ``""`` for none."""
    for symbol, pattern in _AFTER.items():
        if pattern.match(after):
            return symbol
    if numeral.symbol and re.search(rf"(?:^|[\s(,;$]){re.escape(numeral.symbol)}\s*[=:]\s*$", before):
        named = _LETTERS.get(numeral.symbol)
        if named and not re.search(rf"[-+*/×·^]\s*{re.escape(numeral.symbol)}\s*[=:]\s*$", before):
            return named
    for symbol, pattern in _BEFORE.items():
        match = pattern.search(before)
        if match and before[: match.start()].rstrip()[-1:] not in tuple("-+*/×·^"):
            return symbol
    if _BATCH.match(after):
        return "batch"
    heads = re.match(r" heads (?:of|with|that are) [0-9]", after)
    return "n_q" if heads else ""
