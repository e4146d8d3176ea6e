"""Digits that are part of a name: joined to letters (``H100``, ``GQA-4``), or after a product family (``RTX 4090``)."""

from __future__ import annotations

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.left import FAMILIES, PRODUCTS
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.quantities import printed_unit

_PRODUCT = lazy(r"(?<![\w-])([A-Z][A-Za-z]{1,11})[ \u00a0]$")
_PRODUCT_TAIL = lazy(
    r"[0-9]+(?:\.[0-9]+)?[A-Za-z]{0,4}(?: (?:Ti|SUPER|Super|XTX|XT|[0-9]{1,4}(?:\.[0-9])?[BM]))?(?![\w%+])"
)
_LINK_WORDS = frozenset({"sub", "mid", "early", "late", "pre", "post", "or", "to", "and", "than", "a", "the"})
_VERSION = lazy(r"v[0-9]+(?:\.[0-9]+)*$")
_VARIABLE = lazy(r"[(\s*/^][A-Za-z]{1,2}-$")


def product(text: str, hit: int, floor: int) -> Draft | None:
    """``RTX 4090``, ``Llama 2 70B``, ``Gaudi 3``: a product family and its number."""
    if text[hit - 1 : hit] not in (" ", "\u00a0"):
        return None
    window = text[max(floor, hit - 14) : hit]
    match = _PRODUCT.search(window)
    if match is None or not (match.group(1).lower() in PRODUCTS or match.group(1).lower() in FAMILIES):
        return None
    tail = _PRODUCT_TAIL.match(text, hit)
    if tail is None or printed_unit(text, tail.end() + 1) is not None:
        return None
    return Draft(hit - len(window) + match.start(1), tail.end(), kind=Kind.IDENTIFIER, rule="product")


def hyphenated(text: str, hit: int, floor: int) -> bool:
    """Whether a hyphen joins the number to a word before it (``GQA-4``), which makes it part of a name."""
    if text[hit - 1 : hit] not in ("-", "\u2010", "\u2011") or hit - 2 < floor:
        return False
    start = hit - 2
    low = max(floor, hit - 40)
    while start >= low and (text[start].isalpha() or text[start] == "_"):
        start -= 1
    word = text[start + 1 : hit - 1]
    if not word:
        return False
    if len(word) <= 2 and _VARIABLE.search(text[max(floor, hit - 4) : hit]) and _closes(text, hit):
        return False
    return word.lower() not in _LINK_WORDS


def _closes(text: str, hit: int) -> bool:
    """``(n-1)``: the number ends a bracket, or stands in front of an operator."""
    end = hit
    while end < len(text) and end < hit + 8 and text[end].isdigit():
        end += 1
    return text[end : end + 1] in (")", "*", "/", "^")


def identifier(text: str, hit: int, floor: int) -> Draft:
    """The whole name around a digit; ``v1.2`` is a version."""
    start, end = hit, hit + 1
    while start > floor and (text[start - 1].isalnum() or text[start - 1] in "_-\u2010\u2011"):
        if text[start - 1] in "-\u2010\u2011" and not (start - 2 >= floor and text[start - 2].isalnum()):
            break
        start -= 1
    size = len(text)
    while end < size:
        char = text[end]
        if char.isalnum() or char == "_":
            end += 1
        elif char == "." and text[end - 1].isdigit() and text[end + 1 : end + 2].isdigit():
            end += 1
        elif char in "-\u2010\u2011" and _more_digits(text, end + 1):
            end += 1
        else:
            break
    version = _VERSION.match(text, start, end)
    kind = Kind.VERSION if version and version.end() == end else Kind.IDENTIFIER
    return Draft(start, end, kind=kind, rule="joined-to-letters")


def _more_digits(text: str, at: int) -> bool:
    """Whether the word at an offset holds a digit, so that a hyphen before it goes on with the name."""
    for char in text[at : at + 24]:
        if char.isdigit():
            return True
        if not char.isalpha():
            return False
    return False
