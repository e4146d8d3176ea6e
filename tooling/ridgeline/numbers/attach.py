"""Gives a number the meaning of what is printed directly after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Comparator, Kind
from ridgeline.numbers.quantities import CURRENCY, ONE, PERCENT, POINT, SUFFIXES, WORDS, divided, printed_unit
from ridgeline.numbers.units import Unit, hard, parse_unit

_BYTE = Unit(Fraction(1), (("byte", 1),))
_PARAM = Unit(Fraction(1), (("param", 1),))
_GPU = Unit(Fraction(1), (("gpu", 1),))

GAP = r"(?:[^\S\n]{1,2}|[^\S\n]?\n[^\S\n]{0,12})"
_GAP = lazy(GAP + r"|~(?=[A-Za-z%])|\\,(?=[A-Za-z%\\])")
_LATEX_UNIT = lazy(r"(?:\\[,;: ]|[ ~\u00a0])?\\(?:text|mathrm|textrm|operatorname)\{ ?([^{} ][^{}]{0,23}?) ?\}")
_LETTERS = lazy(r"[A-Za-zµμ]+")
_ORDINAL = lazy(r"(?:st|nd|rd|th)(?![\w])")
_DIMENSION = lazy(r"[ \u00a0]?[x×][ \u00a0]?([0-9]+)(?![.,]?[0-9])")
_DEVICE = lazy(
    r"[ \u00a0]?(?:[A-Z]{1,6}[0-9]{1,4}[A-Za-z]{0,3}(?!\w)|(?:RTX|GTX|RX|TPU|GPUs?|NVIDIA|AMD|Intel|Google|Tesla|GeForce|"
    r"Radeon|Instinct|Gaudi|Trainium|Jetson)(?![A-Za-z]))"
)
_TIMES_DEVICE = lazy(r"[ \u00a0]?[x×](?=[ \u00a0]?[A-Z])")
_BILLIONS = lazy(
    GAP + r"?(?:[-\u2010\u2011(])?(?:(?:active|total|activated|trained|training|dense|trainable)\s)?"
    r"(param|parameter|token|weight|tok)s?(?![A-Za-z])"
)
#: ``37B active``, ``37B of them active``, ``109B total``: the parameters of a model, the word left out.
_ACTIVE = lazy(
    GAP
    + r"?(?:of (?:them|these|which) |are |is )?(?:active|activated|(?:in )?total(?! of\b)|non-embedding)(?![A-Za-z])|"
    r"[ \u00a0]of (?:them|these)\b"
)
_BEFORE_ACTIVE = lazy(r"[0-9]B (?:total |dense )?param(?:eter)?s?\b[^.;]{0,24}$")
_MODEL = lazy(
    r"(?:[- ]|\n)(?:(?!and\b|or\b|to\b|is\b|on\b|in\b|of\b|at\b|with\b|for\b|byte)[a-z-]+ )?(?:[A-Za-z-]+ )?"
    r"(?:models?|class|LLMs?|checkpoints?|variants?|networks?|transformers?|MoEs?|decoders?|siblings?)(?![A-Za-z])"
)
_WIDTH = lazy(
    r"[ \u00a0][x×*·][ \u00a0]?[0-9.]{1,4}[- ]?bytes?\b|\s(?:in|at|with)\s(?:(?:bf|fp|mxfp|nvfp|int)[0-9]{1,2}\b|[0-9]{1,2}[- ]bits?\b)",
    re.I,
)
_TIMES_BYTES = lazy(r"[ \u00a0]?[x×*·/]")
_CONTEXT = lazy(r"(?<![A-Za-z])(?:param|model|weights|LLM|Llama|checkpoint|Params|Model|Weights|Parameter)")
_PARAMETER_MODEL = lazy(r"[- ]param(?:eter)?[- ](?:\w+ )?(?:models?|class|LLMs?|checkpoints?|networks?)\b")
_BARE_END = lazy(
    r"\s*(?:$|[.,;:)!?]|(?:is|was|has|at|in|on|and|or|with|fits|needs|runs|does|than|to|from|by|crosses|reaches|gets)\b)"
)
_PERCENT = lazy(
    r"(?:percentage|per[ -]?cent|pct|%)[- ]?points?(?!\w)|pp(?!\w)|per[ ]?cent(?!\w)|pct(?!\w)|percent(?!\w)"
)
_POINTS = lazy(r"[ -]?points?(?!\w)")
_LENGTHS = lazy(
    r"[-\s]{1,2}(?:contexts|prompts|lengths|windows|sequences|inputs|outputs|positions|prefixes)(?![A-Za-z])"
)
_NO_COUNT = frozenset(
    {"is", "was", "has", "does", "as", "this", "its", "versus", "vs", "fits", "needs", "takes", "gives"}
)
_PEOPLE = frozenset({"people", "men", "women", "children", "staff", "students", "members"})
_MORE = frozenset({"higher", "more", "larger", "greater", "bigger", "longer", "wider", "deeper", "above"})
_LESS = frozenset({"lower", "less", "smaller", "fewer", "shorter", "cheaper", "slower", "lighter", "below", "narrower"})
_FAST = frozenset({"faster", "quicker", "better", "speedup"})
_GAIN = frozenset({"increase", "gain", "improvement", "rise", "growth", "speedup", "relative", "uplift", "increases"})
_LOSS = frozenset({"decrease", "drop", "reduction", "decline", "fall", "loss", "regression", "cut", "reductions"})
_NEXT = lazy(r"[-\s]{1,2}([A-Za-z]+)")
_COMPARED = lazy(
    r"[-\s]{1,2}(?:(?:as|the|its|their|that|more|speed)\b|(?!after|over|under|other|either|never|whether|rather)[a-z]{3,12}er\b)"
)


def attach(text: str, draft: Draft, named: Callable[[int], bool]) -> list[Draft]:
    """Read suffix, unit and kind from the text right of a number. Returns the digits inside the unit, set aside.

    ``named`` says whether a name of the knowledge base starts at an offset.
    """
    if draft.error or draft.kind is not Kind.MEASURE:
        return []
    following = text[draft.end : draft.end + 1]
    if not following:
        return _settle(text, draft)
    if _times(text, draft, named):
        return []
    if following.isalpha() and following != "×":
        return _letters(text, draft)
    return _spaced(text, draft)


def _times(text: str, draft: Draft, named: Callable[[int], bool]) -> bool:
    """``3x3`` is a shape, ``8xH100`` and ``2x A100`` count devices, ``2.4x`` is a ratio."""
    end = draft.end
    spaced = _TIMES_DEVICE.match(text, end)
    if (
        spaced
        and draft.decimals == 0
        and (_DEVICE.match(text, spaced.end()) or _names_after(text, spaced.end(), named))
    ):
        draft.kind, draft.unit, draft.unit_text = Kind.MULTIPLICITY, _GPU, text[end : spaced.end()].strip()
        draft.right = spaced.end()
        return True
    if text[end : end + 1] in "x×" or text[end : end + 2] in (" x", " ×", "\u00a0×"):
        if _shape(text, draft):
            return True
        if text[end] in "x×" and not text[end + 1 : end + 2].isalnum():
            _ratio(text, draft, end + 1)
            return True
    return False


def _names_after(text: str, at: int, named: Callable[[int], bool]) -> bool:
    return named(at + 1 if text[at : at + 1] in (" ", "\u00a0") else at)


def _shape(text: str, draft: Draft) -> bool:
    if draft.decimals or draft.exact is not None:
        return False
    end, sides = draft.end, 1
    while True:
        match = _DIMENSION.match(text, end)
        if match is None:
            break
        end, sides = match.end(), sides + 1
    if sides == 1:
        return False
    tail = text[end : end + 1]
    if tail.isalpha() and text[draft.end] in "x×" and tail not in "⁰¹²³⁴⁵⁶⁷⁸⁹":
        letters = _LETTERS.match(text, end)
        draft.end = draft.right = letters.end() if letters else end
        draft.kind, draft.rule = Kind.IDENTIFIER, "expert-model"  # 8x7B
        return True
    if tail.isalpha() or (tail and tail in "^²³¹⁰⁴⁵⁶⁷⁸⁹") or _in_equation(text, draft.start, end):
        return False
    if sides == 2 and _counts_amounts(text, draft, end):
        draft.constant = True
        return False
    draft.end = draft.right = end
    draft.kind, draft.rule = Kind.DIMENSION, "shape"
    return True


def _counts_amounts(text: str, draft: Draft, end: int) -> bool:
    """``2 x 900 GB/s``: a small count times an amount with a hard unit is a product, not a shape."""
    gap = _GAP.match(text, end)
    found = printed_unit(text, gap.end()) if gap and draft.end - draft.start <= 3 else None
    return found is not None and hard(found.unit.dimension) != () and text[draft.end] in " \u00a0"


_EQUALS = lazy(r"\s?(?:=|≈|\s[-+*/·×]\s|[*/·])|\s?[x×]\s?[0-9A-Za-z]")
_EQUALS_SOON = lazy(r"\s[A-Za-z/ ]{1,24}[=≈]")
_EQUALS_LEFT = lazy(r"(?:[=≈]|[\w)]\s?[*/·×]|[\w)] [-+])\s?$")


def _in_equation(text: str, start: int, end: int) -> bool:
    if _EQUALS.match(text, end) or _EQUALS_SOON.match(text, end):
        return True
    return _EQUALS_LEFT.search(text[max(0, start - 4) : start]) is not None


def _ratio(text: str, draft: Draft, end: int) -> None:
    draft.kind, draft.unit, draft.unit_text, draft.right = Kind.RATIO, ONE, text[draft.end : end].strip(), end
    _plus(text, draft)
    word = _next_word(text, draft.right)
    if word in _MORE:
        draft.lint = "times_higher"
    elif word in _LESS:
        draft.lint = "times_smaller"


def _next_word(text: str, at: int) -> str:
    match = _NEXT.match(text, at)
    return match.group(1).lower() if match else ""


def _letters(text: str, draft: Draft) -> list[Draft]:
    """Letters that touch the digits: an ordinal, a suffix, a unit, or else a name."""
    match = _LETTERS.match(text, draft.end)
    letters = match.group() if match else ""
    tail = text[match.end() : match.end() + 1] if match else "?"
    loose = not (tail.isalnum() or tail == "_") or tail in "²³"
    if _ORDINAL.match(text, draft.end) and not draft.point:
        draft.end = draft.right = draft.end + 2
        draft.kind = Kind.ORDINAL
        return []
    if letters == "s" and loose and is_year(text, draft) and draft.digits % 10 == 0:
        draft.end = draft.right = draft.end + 1
        draft.kind, draft.rule = Kind.YEAR, "decade"
        return []
    if letters in SUFFIXES and loose:
        return _suffixed(text, draft, letters, draft.end + len(letters))
    if letters in WORDS and loose:
        return _suffixed(text, draft, letters, draft.end + len(letters))
    if letters == "fold" and loose:
        _ratio(text, draft, draft.end + 4)
        return []
    found = printed_unit(text, draft.end)
    if found and not (text[found.end : found.end + 1].isalnum() or text[found.end : found.end + 1] == "_"):
        return _with_unit(text, draft, draft.end, found.unit, found.end, found.parts)
    draft.kind, draft.rule = Kind.IDENTIFIER, "joined-to-letters"
    return []


def _suffixed(text: str, draft: Draft, suffix: str, end: int) -> list[Draft]:
    """A magnitude suffix, unless it is a B that stands for byte."""
    if suffix in ("B", "b") and not _billion(text, draft, end):
        found = printed_unit(text, draft.end)
        if found is None:
            return _settle(text, draft)
        return _with_unit(text, draft, draft.end, found.unit, found.end, found.parts)
    draft.suffix, draft.factor = suffix, SUFFIXES.get(suffix) or WORDS[suffix]
    if suffix == "B" and draft.unit is None and _of_parameters(text, draft, end):
        draft.unit = _PARAM
        draft.end = draft.right = end
        return []
    draft.end = draft.right = end
    if suffix in ("B", "b", "M", "T") and draft.unit is None and _nominal(text, draft):
        draft.kind, draft.comparator, draft.unit = Kind.NOMINAL, Comparator.NOMINAL, _PARAM
        return []
    return _spaced(text, draft)


def _billion(text: str, draft: Draft, end: int) -> bool:
    if draft.unit is not None or draft.decimals:  # a currency before it, or a fraction, which bytes do not have
        return True
    if _BILLIONS.match(text, end) or _MODEL.match(text, end) or _WIDTH.match(text, end):
        return True
    if _TIMES_BYTES.match(text, end) and _CONTEXT.search(text, max(0, draft.start - 120), end + 60):
        return True
    return _of_parameters(text, draft, end) or _named_size(text, draft, end)


def _of_parameters(text: str, draft: Draft, end: int) -> bool:
    """Whether the words behind say which part of a model's parameters it is."""
    match = _ACTIVE.match(text, end)
    if match is None or end - draft.end > 1:
        return False
    # "37B of them" counts parameters only after a number of them; "16B of them" may be bytes.
    return "of the" not in match.group() or "activ" in match.group() or (
        _BEFORE_ACTIVE.search(text[max(0, draft.start - 60) : draft.start]) is not None
    )  # fmt: skip


def _named_size(text: str, draft: Draft, end: int) -> bool:
    """``the 70B`` and ``a 7B`` at the end of a phrase name a model by its size."""
    if end - draft.end > 1 or draft.digits > 2000:
        return False
    before = text[max(0, draft.start - 5) : draft.start].lower()
    return before.endswith(("the ", " a ", " an ")) and _BARE_END.match(text, end) is not None


def _nominal(text: str, draft: Draft) -> bool:
    end = draft.end
    if _PARAMETER_MODEL.match(text, end):
        return True
    if _BILLIONS.match(text, end):
        return False
    if _MODEL.match(text, end):
        return True
    return draft.suffix in ("B", "b") and _named_size(text, draft, end)


def _spaced(text: str, draft: Draft) -> list[Draft]:
    """What follows after a space or a hyphen, or a sign that touches: %, percentage points, a unit."""
    end = draft.end
    if text[end : end + 1] == "%" or text.startswith("\\%", end):
        return _percent(text, draft, end + (text[end] == "\\"))
    if text[end : end + 1] == "\\" or text[end + 1 : end + 2] == "\\":
        latex = _LATEX_UNIT.match(text, end)
        found = printed_unit(text, latex.start(1)) if latex else None
        if latex and found and found.end == latex.end(1):
            parts = _with_unit(text, draft, latex.start(1), found.unit, found.end, found.parts)
            draft.right = max(draft.right, latex.end())
            return parts
    _plus(text, draft)
    end = draft.right if draft.comparator is Comparator.GE else end
    hyphen = text[end : end + 1] in ("-", "\u2010", "\u2011")
    gap = _GAP.match(text, end)
    if not hyphen and gap is None:
        return _glued_currency(text, draft)
    at = end + 1 if hyphen else gap.end()  # type: ignore[union-attr]
    at += text.startswith("\\%", at)
    if text[at : at + 1] == "%" and not hyphen:
        return _percent(text, draft, at)
    if not hyphen and not draft.suffix:
        word = _LETTERS.match(text, at)
        if word and word.group() in WORDS:
            return _suffixed(text, draft, word.group(), word.end())
        if word and word.group() in ("M", "B", "T", "K", "k", "bn") and _BILLIONS.match(text, word.end()):
            return _suffixed(text, draft, word.group(), word.end())
    if _PERCENT.match(text, at):
        return _percent(text, draft, at)
    if text.startswith("fold", at) and not text[at + 4 : at + 5].isalpha():
        _ratio(text, draft, at + 4)
        return []
    if text.startswith("orders of magnitude", at) and draft.exponent == 0 and draft.digits <= 12 and not hyphen:
        draft.exact, draft.unit, draft.unit_text = Fraction(10**draft.digits), ONE, "orders of magnitude"
        draft.vague, draft.rule, draft.right = True, "order-of-magnitude", at + 19
        return []
    if text.startswith("times", at) and not hyphen:
        following = _next_word(text, at + 5)
        if following in _MORE | _LESS | _FAST or _COMPARED.match(text, at + 5):
            _ratio(text, draft, at + 5)
            return []
    found = printed_unit(text, at)
    if found is None or text[found.end : found.end + 1].isalnum():
        note = _noted_unit(text, at) if not hyphen and draft.unit is None else None
        if note is not None:
            _with_unit(text, draft, note[1], note[0], note[2], [])
            draft.right += 1  # the closing bracket
            return []
        return _glued_currency(text, draft)
    if hyphen and text[found.end : found.end + 1].isalnum():
        return _settle(text, draft)
    return _with_unit(text, draft, end if hyphen else at, found.unit, found.end, found.parts)


_NOTED = lazy(r"\(([A-Za-z0-9 /µ-]{1,30})\)(?=\s?(?:[*×·x=]|$))")


def _noted_unit(text: str, at: int) -> tuple[Unit, int, int] | None:
    """``8B (params) *``: a bracketed note inside a product may name the unit."""
    match = _NOTED.match(text, at)
    if match is None:
        return None
    try:
        return parse_unit(match.group(1).split()[-1] if match.group(1).split() else "?"), match.start(1), match.end(1)
    except ValueError:
        return None


def _glued_currency(text: str, draft: Draft) -> list[Draft]:
    """A currency sign before the number keeps what it is divided by after the number (``$3.49 per GPU-hour``)."""
    if draft.unit is not None:
        found = divided(text, draft.right, draft.unit)
        if found.end > draft.right:
            draft.unit_text += text[draft.right : found.end]
            draft.unit, draft.right = found.unit, found.end
            return _inner(found.parts)
    return _settle(text, draft)


def _with_unit(text: str, draft: Draft, start: int, unit: Unit, end: int, parts: list[tuple[int, int]]) -> list[Draft]:
    if draft.unit is not None and unit.factors[:1] != draft.unit.factors[:1]:
        return _glued_currency(text, draft)  # $5 million in tokens: the sign before the number wins
    draft.unit, draft.unit_text, draft.right = unit, text[start:end], end
    if draft.unit_text.startswith("KB"):
        draft.lint = "kb_or_kib"
    _settle(text, draft)
    return _inner(parts)


def _inner(parts: list[tuple[int, int]]) -> list[Draft]:
    return [Draft(start, end, kind=Kind.UNIT_PART, rule="unit-part") for start, end in parts]


def _settle(text: str, draft: Draft) -> list[Draft]:
    """Whether a k is the set {1000, 1024}: on tokens, contexts and lengths, and where nothing is named."""
    if draft.suffix in ("k", "K"):
        if draft.unit is not None:
            draft.binary = draft.unit.factors == (("token", 1),)
        else:
            noun = _NEXT.match(text, draft.end)
            counted = noun is not None and _plural(noun.group(1).lower())
            draft.binary = not counted or _LENGTHS.match(text, draft.end) is not None
    return []


def _plural(noun: str) -> bool:
    return noun in _PEOPLE or (noun.endswith("s") and noun not in _NO_COUNT)


def _plus(text: str, draft: Draft) -> None:
    """``100+`` is a lower bound."""
    at = draft.right
    if text[at : at + 1] == "+" and not (text[at + 1 : at + 2].isalnum() or text[at + 1 : at + 2] in ("+", "/", "-")):
        draft.comparator, draft.right = Comparator.GE, at + 1


def _percent(text: str, draft: Draft, at: int) -> list[Draft]:
    match = _PERCENT.match(text, at)
    end = match.end() if match else at + 1
    point = _POINTS.match(text, end) if match is None else None
    printed = match.group() if match else "%"
    draft.unit, draft.kind = PERCENT, Kind.PERCENT
    if point or "point" in printed or printed == "pp":
        draft.unit, draft.kind = POINT, Kind.PERCENT_POINT
        end = point.end() if point else end
    draft.unit_text, draft.right = text[at:end], end
    _plus(text, draft)
    if draft.kind is Kind.PERCENT:
        _compared(text, draft)
    return []


def _compared(text: str, draft: Draft) -> None:
    """``12% higher`` is a change of a base; ``150% faster`` a ratio whose base is unclear."""
    word = _next_word(text, draft.right)
    falls = word in _LESS or word in _LOSS
    if not (falls or word in _MORE or word in _FAST or word in _GAIN):
        return
    if word in _FAST and draft.digits * draft.factor >= 100 * 10**draft.decimals:
        draft.kind, draft.lint = Kind.RATIO, "percent_faster"
        return
    draft.kind, draft.falls = Kind.CHANGE, falls


def is_year(text: str, draft: Draft) -> bool:
    """Four digits from 1900 to 2099, without separator, point or unit."""
    return draft.end - draft.start == 4 and not draft.point and not draft.grouping and 1900 <= draft.digits <= 2099


__all__ = ["CURRENCY", "GAP", "attach", "is_year"]
