"""Gives a number the meaning of what is printed directly before it: hedge, reference word, version word, year, symbol."""

from __future__ import annotations

import re

from ridgeline.numbers.attach import is_year
from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Comparator, Kind

_A, _N, _J = Comparator.APPROX, Comparator.NEARLY, Comparator.JUST_OVER
_GT, _GE, _LT, _LE = Comparator.GT, Comparator.GE, Comparator.LT, Comparator.LE

#: Hedges of up to three words, lower case.
HEDGES: dict[str, Comparator] = {
    "about": _A, "roughly": _A, "around": _A, "approximately": _A, "approx": _A, "approx.": _A, "circa": _A, "ca.": _A,
    "some": _A, "on the order of": _A, "close to": _A, "in the region of": _A, "near": _A,
    "nearly": _N, "almost": _N, "just under": _N, "just below": _N, "slightly under": _N, "slightly below": _N,
    "slightly less than": _N, "just shy of": _N, "a little under": _N,
    "just over": _J, "just above": _J, "slightly over": _J, "slightly above": _J, "slightly more than": _J,
    "a little over": _J, "just past": _J,
    "over": _GT, "more than": _GT, "above": _GT, "exceeding": _GT, "exceeds": _GT, "exceed": _GT, "exceeded": _GT,
    "beyond": _GT, "greater than": _GT, "higher than": _GT, "larger than": _GT, "longer than": _GT, "well over": _GT,
    "at least": _GE, "no less than": _GE, "no fewer than": _GE, "not less than": _GE, "minimum of": _GE,
    "upwards of": _GE,
    "under": _LT, "less than": _LT, "fewer than": _LT, "below": _LT, "lower than": _LT, "smaller than": _LT,
    "shorter than": _LT, "well under": _LT,
    # "within 5%" and "within 3 ms" bound a difference or a time from above.
    "within": _LE, "to within": _LE,
    "up to": _LE, "at most": _LE, "no more than": _LE, "not more than": _LE, "maximum of": _LE, "as much as": _LE,
    "as many as": _LE, "no greater than": _LE, "not exceeding": _LE,
}  # fmt: skip
_ADDING = frozenset(
    {"add", "adds", "added", "adding", "sum", "sums", "live", "lives", "scale", "scales", "speed", "speeds"}
)
_LAST = frozenset(hedge.split()[-1] for hedge in HEDGES)
_GLYPHS = {"~": _A, "≈": _A, "∼": _A, "≃": _A, "<": _LT, ">": _GT, "≤": _LE, "≥": _GE, "⩽": _LE, "⩾": _GE}
_AFTER = lazy(r"\s(?:or so|or more|or less|or fewer|or higher|or lower|or above|or below|at least|at most)\b")
_AFTERWARDS = {
    "or so": _A, "or more": _GE, "or higher": _GE, "or above": _GE, "at least": _GE, "or less": _LE, "or fewer": _LE,
    "or lower": _LE, "or below": _LE, "at most": _LE,
}  # fmt: skip

#: A participle before *over* that makes it mean "across".
_ACROSS = frozenset(
    {"spread", "sharded", "split", "distributed", "averaged", "partitioned", "amortised", "amortized", "summed",
     "measured", "run", "ran", "running", "average", "mean", "sum", "taken", "integrated", "parallelised", "parallelized",
     "scattered", "replicated", "trained", "training"}
)  # fmt: skip

_words = """table tables tab fig figs figure figures section sections sec secs subsection chapter chapters chap appendix
    appendices equation equations eq eqs eqn eqns theorem theorems lemma lemmas corollary proposition definition
    algorithm algorithms alg listing listings example examples exercise exercises footnote footnotes note notes row rows
    column columns col page pages pp line lines step steps part parts phase phases stage item items issue issues pr
    question questions case cases panel box chart volume vol no ref refs reference references citation lesson level
    rank article clause paragraph para day week slide scheme"""
REFERENCES = frozenset(_words.split())
_words = """cuda cudnn cublas nccl pytorch torch tensorflow jax python pcie nvlink nvswitch driver drivers rocm version
    versions release revision rev gen generation hip opencl opengl vulkan sycl triton vllm sglang tensorrt transformers
    llvm clang gcc linux kernel ubuntu debian rhel centos windows macos numpy scipy sqlite java node rust firmware bios
    usb ddr gddr hbm cxl infiniband ethernet capability flashattention cutlass megatron deepspeed onnx openmp mpi
    bluetooth android ios c++ infinity ualink openai"""
VERSIONED = frozenset(_words.split())
_words = """llama gemma qwen mistral mixtral phi deepseek gpt claude gemini falcon olmo yi glm kimi nemotron grok bert t5 opt
    mamba jamba palm chinchilla"""
FAMILIES = frozenset(_words.split())
_words = """rtx gtx rx geforce radeon quadro xeon epyc ryzen gaudi trainium inferentia tpu arc jetson ascend instinct tesla
    titan max ada"""
PRODUCTS = frozenset(_words.split())
_STANDARDS = frozenset({"ieee", "iso", "rfc", "sha", "utf", "pep", "ascii", "iec"})
_words = """in since by until till during after before from between through year years early late mid circa spring summer
    autumn winter of copyright q1 q2 q3 q4 january february march april may june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec"""
_YEAR_WORDS = frozenset(_words.split())
_WORKS = lazy(
    r"\s(?:paper|study|release|edition|report|survey|article|version|preprint|whitepaper|datasheet|conference|keynote|"
    r"data|figures|prices|price)\b"
)
_COUNTED = lazy(
    r"\s(?:[a-z]+\s)?(?:steps?|iterations?|samples?|prompts?|calls?|cases?|rows?|runs?|requests?|experts?|layers?|heads?|"
    r"boards?|sequences?|entries|items?|blocks?|tiles?|threads?|units?|words?|values?|positions?|pages?|records?|cores?)\b"
)
_SYMBOL = lazy(r"(?<![\w.*/+^)\]-])([A-Za-z\u0370-\u03ff_][\w.]{0,30}\*?)\s?(?:[=≈]|:=)\s?$")
_COMPARED = lazy(r"(?<![\w.*/+^)\]-])([A-Za-z\u0370-\u03ff_][\w.]{0,15}\*?)\s?(?:[<>]=?|[≤≥⩽⩾])\s?$")
_ASSIGNED = lazy(r"=\s?[0-9.,]+/([A-Za-z][A-Za-z_]{0,11})=\s?$")
_REPEATS = lazy(r"\s(?:[a-z]+\s)?(?:runs|trials|seeds|repeats|repetitions|iterations)\b")
_NEGATED = lazy(
    r"(?:\b(?:not|never|cannot|without)|n['’]t)(?:\s(?!only|just|merely|simply|because|but|and|or|until|when|if)\w+){0,2}\s$",
    re.I,
)
_BOUNDS = (_GT, _GE, _LT, _LE)
_TURNED = {Comparator.GT: Comparator.LE, Comparator.LT: Comparator.GE}
_TRAIL = lazy(r"([A-Za-z+]{1,16})[.]?[\s\u00a0~#(]{0,3}$")


def read_left(text: str, draft: Draft, floor: int, symbols: frozenset[str]) -> None:
    """Take up hedge, reference, version, year and symbol. ``floor`` is where the previous numeral ended."""
    window = text[max(floor, draft.left - 40) : draft.left]
    if draft.kind in (Kind.MEASURE, Kind.VERSION) and _set_aside(text, draft, window):
        return
    if draft.kind in (Kind.VERSION, Kind.IDENTIFIER, Kind.ORDINAL, Kind.YEAR, Kind.DIMENSION) or draft.error:
        return
    _symbol(window, draft, symbols)
    if not draft.symbol and window.endswith(("=", "= ")):
        assigned = _ASSIGNED.search(text, max(0, draft.left - 32), draft.left)
        draft.symbol = assigned.group(1) if assigned else ""
    _hedge(text, draft, window)


def _set_aside(text: str, draft: Draft, window: str) -> bool:
    if _mark(text, draft):
        return True
    match = _TRAIL.search(window)
    word = match.group(1).lower() if match else ""
    bare = draft.unit is None and not draft.suffix and not draft.grouping
    if not bare or draft.sign < 0:
        return False
    if word in REFERENCES and not draft.exponent > 0 and _refers(text, draft, word, match):
        draft.kind, draft.rule = Kind.REFERENCE, "reference-word"
    elif (word in VERSIONED or window.endswith("Flash Attention ")) and not _loose(window):
        draft.kind, draft.rule = Kind.VERSION, "version-word"
    elif word in _STANDARDS:
        draft.kind, draft.rule = Kind.IDENTIFIER, "standard"
    elif draft.kind is Kind.MEASURE and is_year(text, draft) and _dated(text, draft, window, word):
        draft.kind, draft.rule = Kind.YEAR, "year-word"
    elif draft.kind is Kind.VERSION:
        draft.rule = draft.rule or "dotted"
    else:
        return False
    return True


def _loose(window: str) -> bool:
    """``driver (5 …`` opens a bracket between the word and the number."""
    return window.rstrip().endswith("(")


def _refers(text: str, draft: Draft, word: str, match: re.Match[str] | None) -> bool:
    printed = match.group(1) if match else ""
    if word in ("no", "day", "week", "pr") and not printed[:1].isupper():
        return False
    return not (draft.point and word in ("row", "rows", "step", "steps", "line", "lines", "page", "pages", "item"))


def _mark(text: str, draft: Draft) -> bool:
    """§4.1, #12, [12] and the marker of a numbered list."""
    start, end = draft.start, draft.end
    before = text[max(0, start - 2) : start]
    if before.rstrip().endswith("§") or (before.endswith("#") and not draft.point):
        draft.kind, draft.rule = Kind.REFERENCE, "reference-sign"
        return True
    if draft.point or draft.unit is not None or draft.suffix:
        return False
    after = text[end : end + 2]
    if after[:1] in (".", ")") and (len(after) == 1 or after[1].isspace()) and end - start <= 3 and len(after) == 2:
        line = text.rfind("\n", max(0, start - 12), start)
        lead = text[line + 1 if line >= 0 else max(0, start - 12) : start]
        if not lead.strip(" >") and (line >= 0 or start <= 11):
            draft.kind, draft.rule = Kind.LIST, "list-marker"
            return True
    return False


def _dated(text: str, draft: Draft, window: str, word: str) -> bool:
    after = text[draft.end : draft.end + 2]
    if after in ("'s", "’s"):
        return True
    if _COUNTED.match(text, draft.end):
        return False
    tail = window.rstrip()
    if tail.endswith(","):
        return (
            tail.endswith("al.,")
            or after[:1] in (")", ";")
            or re.search(r"[A-Z][a-z]+\s[0-9]{1,2},$", tail) is not None
        )
    if tail.endswith("("):
        return after[:1] in (")", ",", ";")
    if word in _YEAR_WORDS or window.endswith(("mid-", "early-", "late-", "pre-", "post-", "©", "© ")):
        return True
    return _WORKS.match(text, draft.end) is not None


def _symbol(window: str, draft: Draft, symbols: frozenset[str]) -> None:
    tail = window.rstrip()
    if tail.endswith(("=", "≈")) and not tail.endswith(("==", "<=", ">=", "!=")):
        match = _SYMBOL.search(window)
        if match:
            draft.symbol = match.group(1)
        return
    if tail[-1:] in ("<", ">", "≤", "≥", "⩽", "⩾") or tail.endswith(("<=", ">=")):
        match = _COMPARED.search(window)
        if match and _symbolic(match.group(1), symbols):
            draft.symbol = match.group(1)
        return
    if symbols:
        parts = tail.split()
        if parts and parts[-1] == "of":
            parts.pop()
        if parts and parts[-1] in symbols:
            draft.symbol = parts[-1]


def _symbolic(word: str, symbols: frozenset[str]) -> bool:
    """Whether a word before ``<`` is a symbol and no word of the sentence: ``L``, ``s_kv``, ``TP``."""
    return (
        (len(word) == 1 and word not in "aAI") or "_" in word or word in symbols or (word.isupper() and len(word) <= 4)
    )


def hedge(window: str) -> tuple[Comparator | None, int]:
    """The hedge at the end of a text, and where in the text it starts."""
    tail = window.rstrip()
    if not tail:
        return None, -1
    glyph = _glyph(tail)
    if glyph is not None:
        return glyph
    if len(tail) == len(window) and tail[-1] not in "(-":
        return None, -1
    words = tail[-32:].split()
    definite = False
    while words and words[-1].lower() in ("a", "an", "the", "only"):
        definite = words.pop().lower() == "the" or definite
    if not words or words[-1].lower() not in _LAST:
        return None, -1
    if words[-1] == "to" and words[-3:-2] and words[-3].lower() in _ADDING:
        return None, -1
    for count in (3, 2, 1):
        phrase = " ".join(words[-count:]).lower().lstrip("([\"'“‘*_—–")
        if count <= len(words) and phrase in HEDGES:
            if definite and HEDGES[phrase] in _BOUNDS:
                return None, -1  # "more than the 900 GB/s of the other": that is another number, not a bound
            return HEDGES[phrase], tail.lower().rfind(words[-count].lower())
    return None, -1


def _glyph(tail: str) -> tuple[Comparator | None, int] | None:
    last, place = tail[-1], len(tail) - 1
    if last == "=" and tail[-2:] in ("<=", ">=", "~="):
        return {"<=": _LE, ">=": _GE, "~=": _A}[tail[-2:]], place - 1
    if last in _GLYPHS:
        if last == ">" and (tail[-2:-1] in ("-", "=", "–", "") or tail[-2:-1] == "\n"):
            return None, -1  # an arrow, or a quotation mark at the start of a line
        if (last == "<" and tail[-2:-1] == "<") or tail[-2:] == ">>":
            return None, -1
        return _GLYPHS[last], place
    return None


def _hedge(text: str, draft: Draft, window: str) -> None:
    found, place = hedge(window)
    if found is None and window.endswith("sub-"):
        found, place = _LT, len(window) - 4
    if found is not None and draft.kind not in (Kind.NOMINAL, Kind.MULTIPLICITY, Kind.RATIO_PAIR):
        before = window[:place].split()
        if window[place : place + 4].lower() == "over" and before and before[-1].lower() in _ACROSS:
            return
        if window[place : place + 5].lower() == "over " and _REPEATS.match(text, draft.right):
            return  # "measured over 5 runs"
        if found in _TURNED and window[place : place + 1].isalpha() and _NEGATED.search(window[:place]):
            found = _TURNED[found]
        draft.comparator, draft.hedge_at = found, draft.left - len(window) + place
        return
    after = _AFTER.match(text, draft.right)
    if after and draft.comparator is Comparator.EQ and draft.kind not in (Kind.NOMINAL, Kind.MULTIPLICITY):
        draft.comparator = _AFTERWARDS[after.group()[1:]]
