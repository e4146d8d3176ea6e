"""Quantities that follow from a stated shape: cache bytes, score tables, attention FLOPs.

Each formula, with what it counts (n layers, q query heads, k key and value heads, d their width, s bytes of an element,
N tokens, T tokens of an answer):

* cache of one token: ``2 n k d s`` (a key and a value, every layer);
* cache of N tokens: the same times N;
* score table: ``N² s`` for one head of one layer, times q for a layer, times n for all;
* entries of a score table: ``N²``;
* attention of a prompt: two products of 2 FLOPs a multiply-add, ``4 N² q d`` a layer without a mask, half under a causal
  mask that skips, times n;
* attention of an answer: each of T steps reads the cache so far, ``4 q d n`` FLOPs a cached token, so
  ``4 q d n (T N + T (T ± 1)/2)``.

``K`` is 1000 or 1024: either may match. A number is called wrong only where the words leave no other reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ridgeline.audit.blocks import BlockKind
from ridgeline.audit.claim import Judgment
from ridgeline.audit.lengths import BYTE, Tokens, clause_of, count, is_size, nearest, token_counts
from ridgeline.audit.reading import Reading, Sentence, dimension
from ridgeline.audit.scores import SCORE, Scores
from ridgeline.audit.shapes import Shapes, gather
from ridgeline.audit.weigh import settle
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import Dimension

_BY = "shape"
_FLOP: Dimension = (("flop", 1),)
_CACHE = re.compile(r"\b(?:kv|key[- ]value|key/value|k/v|keys and values)\b|\bcache\b", re.I)
_NOT_CACHE = re.compile(
    r"(?i)\b(?:weights?|prefix|window(?:ed)?|sliding|evict|compress\w*|latent|mla|quanti[sz]\w*|offload\w*|l1|l2|page|paged|"
    r"saves?|saved|saving|freed?|leaves?|left|remaining|budget|capacity|hbm has|sram|bandwidth|reduc\w+|shrinks?|smaller|"
    r"int8|fp8|int4|4-bit|8-bit)\b"
)
_ENTRIES = re.compile(r"^\s*(?:entries|scores|pairs|comparisons|elements|values|cells)\b")
_SQUARE = re.compile(r"(?i)n²|n\^2|quadratic|square|s ?[x×] ?s|n (?:by|x|×) n|score")
_ONE_LAYER = re.compile(r"(?i)\b(?:per[- ]layer|(?:one|each|every|a|single)(?: attention)? layer)\b")
_CAUSAL = re.compile(r"(?i)\b(?:causal|masked|skip\w*|lower triang\w*)\b")
_FULL = re.compile(r"(?i)\b(?:bidirectional|full mask|non-causal|without (?:a )?(?:causal )?mask|unmasked|encoder)\b")
_HYPOTHETICAL = re.compile(
    r"(?i)\bif all\b|\binstead of\b|\bhad (?:its|their) own\b|\btheir own keys\b|\bwithout (?:gqa|grouping|sharing)\b|\bmha\b|multi-head attention"
)
_EACH_TOKEN = re.compile(
    r"(?i)\b(?:each|every|one|a(?: single)?)(?: new| cached| extra)? token (?:adds|needs|takes|costs|occupies|stores|uses|requires)"
    r"(?: about| roughly| around| only| just)?\s$"
)
_SUPPOSED = re.compile(
    r"(?i)\b(?:if|would|were|naive\w*|without|all heads|every head|full|expanded|uncompressed|instead|not|wrong\w*|claim\w*)\b"
)


def judge(reading: Reading) -> None:
    """Every byte and FLOP count that a stated shape settles."""
    shapes = gather(reading)
    _Roles(reading, shapes).run()


class _Roles:
    def __init__(self, reading: Reading, shapes: Shapes):
        self.reading = reading
        self.shapes = shapes
        self.scores = Scores(reading, shapes)
        self.answer: tuple[int, Tokens] | None = None

    def run(self) -> None:
        for block, sentences in enumerate(self.reading.sentences):
            if self.reading.blocks[block].table >= 0 or self.reading.blocks[block].kind is BlockKind.CODE:
                continue
            whole = self.reading.passages[block].text
            about = {"score": SCORE.search(whole), "cache": _CACHE.search(whole)}
            topic = "" if all(about.values()) else next((t for t, found in about.items() if found), "")
            for number, sentence in enumerate(sentences):
                topic = self.sentence(block, number, sentence, topic)
        for table in self.reading.document.tables:
            self.scores.table(table)

    # Sentences

    def sentence(self, block: int, number: int, sentence: Sentence, topic: str) -> str:
        """Judge one sentence; gives the topic that the next one of the block inherits."""
        text = self.reading.text(sentence)
        numerals = [(i, self.reading.numeral(block, i)) for i in sentence.numerals]
        tokens = list(token_counts(self.reading, sentence))
        own = "score" if SCORE.search(text) else "cache" if _CACHE.search(text) else ""
        used = own or topic
        for index, numeral in numerals:
            if numeral.comparator not in (Comparator.EQ, Comparator.APPROX, Comparator.GT, Comparator.LT, Comparator.NEARLY,
                                          Comparator.JUST_OVER):  # fmt: skip
                continue
            word = self.word(block, number, sentence, text, index, numeral, tokens, used, bool(own))
            if word is not None:
                self.reading.ledger.put(block, index, word)
        return used

    def word(
        self, block: int, number: int, sentence: Sentence, text: str, index: int, numeral: Numeral,
        tokens: list[Tokens], topic: str, own: bool,
    ) -> Judgment | None:  # fmt: skip
        if numeral.kind not in (Kind.MEASURE, Kind.CONSTANT, Kind.WORD, Kind.NOMINAL) or numeral.unit_text.startswith(
            "-"
        ):
            return None
        dim = dimension(numeral)
        after = self.reading.passages[block].text[numeral.end : numeral.end + 40]
        soft = () if numeral.unit is None else numeral.unit.dimension
        told = _EACH_TOKEN.search(text[: numeral.at - sentence.start]) is not None
        if dim == BYTE and (("token", -1) in soft or (told and topic == "cache" and is_size(numeral))):
            return self.per_token(block, number, text, numeral) if topic == "cache" else None
        near = nearest(self.reading, sentence, index, tokens)
        if is_size(numeral) and near is not None:
            if topic == "score":
                return self.scores.score(block, number, text, numeral, near, self.scores.scored(sentence, index, own))
            if topic == "cache":
                return self.cache(block, number, sentence, text, index, numeral, near, own)
        if dim == _FLOP and near is not None and re.search(r"(?i)\battention\b|\bsame answer\b", text):
            return self.flops(block, number, text, numeral, near, tokens)
        block_text = self.reading.passages[block].text
        if dim == () and near is not None and _ENTRIES.match(after) and _SQUARE.search(block_text):
            truths = [(Quantity(n * n), f"{count(n)} squared") for n in near.values]
            return settle(numeral, truths, certain=True, by=_BY)
        return None

    # Cache

    def per_token_values(self, block: int, number: int, text: str) -> Iterator[tuple[Fraction, str, bool]]:
        """Cache bytes of one token with what they follow from; whether nothing else could be meant."""
        shape = self.shapes.shape(block, number)
        if not {"n_layers", "d_head"} <= set(shape) or not {"n_kv", "n_q"} & set(shape):
            return
        sizes = self.shapes.element(block, number)
        certain = len(sizes) == 1 and "n_kv" in shape
        heads = [shape[h] for h in ("n_kv", "n_q") if h in shape]
        if _HYPOTHETICAL.search(text):
            heads, certain = list(reversed(heads)), certain and len(heads) > 1
        for size in sorted(sizes) or [Fraction(2)]:
            for k in dict.fromkeys(heads):
                for n in [shape["n_layers"]] + ([Fraction(1)] if _ONE_LAYER.search(text) else []):
                    value = 2 * n * k * shape["d_head"] * size
                    told = f"2 × {count(n)} layers × {count(k)} heads × {count(shape['d_head'])} × {count(size)} bytes"
                    yield value, told, certain

    def grouped(self, block: int, number: int, text: str) -> bool:
        """Whether a sentence is about a model that we hold, as it is: its own number of KV heads is then the only one."""
        return (block, number) in self.shapes.records and not _HYPOTHETICAL.search(text) and not _SUPPOSED.search(text)

    def per_token(self, block: int, number: int, text: str, numeral: Numeral) -> Judgment | None:
        values = list(self.per_token_values(block, number, text))
        if not values:
            return None
        dim = numeral.unit.dimension if numeral.unit is not None else BYTE
        words = [(Quantity(v, dim), f"cache of one token: {told} = {count(v)}") for v, told, _ in values]
        if self.grouped(block, number, text):
            words = words[:1]
        return settle(numeral, words, certain=values[0][2] and not _NOT_CACHE.search(text), by=_BY)

    def cache(
        self,
        block: int,
        number: int,
        sentence: Sentence,
        text: str,
        index: int,
        numeral: Numeral,
        near: Tokens,
        own: bool,
    ) -> Judgment | None:
        values = list(self.per_token_values(block, number, text))
        if not values:
            return None
        if self.grouped(block, number, text):
            values = values[:1]
        batches = self.shapes.batches(block, number, index)
        words = []
        for value, told, _ in values:
            for n in near.values:
                for batch in [Fraction(1), *batches]:
                    times = f" × {count(batch)}" if batch != 1 else ""
                    because = f"cache of {count(n)} tokens: {told} = {count(value)} bytes a token, × {count(n)}{times}"
                    words.append((Quantity(value * n * batch, BYTE), because))
        passage = self.reading.passages[block]
        clause = clause_of(passage.text, sentence, numeral.at)
        certain = values[0][2] and not batches and not _NOT_CACHE.search(clause) and (own or _needs(clause))
        return settle(numeral, words, certain=certain, by=_BY)

    # FLOPs

    def flops(
        self, block: int, number: int, text: str, numeral: Numeral, near: Tokens, tokens: list[Tokens]
    ) -> Judgment | None:
        shape = self.shapes.shape(block, number)
        if not {"d_model", "n_layers"} <= set(shape):
            return None
        width, n = shape["d_model"], shape["n_layers"]
        if "n_q" in shape and "d_head" in shape:
            width = shape["n_q"] * shape["d_head"]
        answer = next(
            (t for t in tokens if re.match(r"[- ]tokens? (?:answer|reply|output|response)", self.after(block, t))), None
        )
        if answer is not None:
            self.answer = (block, answer)
        elif re.search(r"(?i)\bsame answer\b", text) and self.answer is not None and self.answer[0] == block:
            answer = self.answer[1]
        if answer is None and re.search(r"(?i)\banswer\b", text):
            return None
        layers = Fraction(1) if _ONE_LAYER.search(text) else n
        words = []
        if answer is not None:
            prompts = [v for t in tokens if t is not answer for v in t.values]
            for t in answer.values[:1]:
                for p in prompts:
                    for extra in (Fraction(t * (t - 1), 2), Fraction(t * (t + 1), 2), Fraction(0)):
                        value = 4 * width * layers * (t * p + extra)
                        because = f"attention of {count(t)} steps after {count(p)} tokens: 4 × {count(width)} × {count(layers)} FLOPs a cached token"
                        words.append((Quantity(value, _FLOP), because))
            told = re.search(r"(?i)\battention\b|\bsame answer\b", text) is not None
            return settle(numeral, words, certain=told and len(prompts) <= 2, by=_BY)
        factors = [2] if _CAUSAL.search(text) and not _FULL.search(text) else [4] if _FULL.search(text) else [4, 2]
        for factor in factors:
            for length in near.values:
                because = f"attention: {factor} × {count(length)}² × {count(width)} × {count(layers)} layers"
                words.append((Quantity(factor * length**2 * width * layers, _FLOP), because))
        mixed = re.search(r"(?i)\b(?:prefill with|whole|total|gemm|weights?|matmuls?|step|decode|linear)\b", text)
        alone = re.search(r"(?i)attention(?:'s)? (?:flops?|work|term|cost|alone|takes|needs)", text) is not None
        return settle(numeral, words, certain=mixed is None and alone, by=_BY)

    def after(self, block: int, tokens: Tokens) -> str:
        numeral = self.reading.numeral(block, tokens.index)
        return self.reading.passages[block].text[numeral.end : numeral.end + 30]


def _needs(clause: str) -> bool:
    return (
        re.search(r"(?i)\b(?:needs?|takes?|requires?|uses?|costs?|is|would be|occupies|chat|context)\b", clause)
        is not None
    )


__all__ = ["judge"]
