"""Digits outside ASCII: other scripts are refused, raised digits are exponents or footnotes, ½ is a word."""

from __future__ import annotations

from fractions import Fraction

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.identifiers import identifier
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.lexer import DIGIT_OUTSIDE_ASCII, MAX_DIGITS, SUPERSCRIPTS
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.quantities import ONE

FOREIGN = lazy(DIGIT_OUTSIDE_ASCII)
_FOREIGN_RUN = lazy(r"\d[\d.,٫٬]*")
_RAISED = lazy(r"[²³¹⁰⁴-⁹]+")
_VULGAR = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞",
        ["1/2", "1/3", "2/3", "1/4", "3/4", "1/5", "2/5", "3/5", "4/5", "1/6", "5/6", "1/8", "3/8", "5/8", "7/8"],
        strict=True,
    )
)


def foreign(text: str, hit: int, floor: int) -> Draft:
    """The draft of a digit outside ASCII at an offset. ``floor`` is where the previous numeral ended."""
    char = text[hit]
    if char in _VULGAR:
        draft = Draft(hit, hit + 1, kind=Kind.WORD, exact=Fraction(_VULGAR[char]), unit=ONE)
        if hit and text[hit - 1].isdigit():
            draft.error = "mixed_fraction"
        return draft
    raised = _RAISED.match(text, hit)
    if raised:
        return _superscript(text, hit, raised.end())
    if "₀" <= char <= "₉":
        return identifier(text, hit, floor)
    return foreign_run(text, hit)


def _superscript(text: str, start: int, end: int) -> Draft:
    """A raised number: the exponent of a variable, or a footnote after a word."""
    if end - start > MAX_DIGITS:
        return Draft(start, end, kind=Kind.ERROR, error="too_many_digits")
    word = start
    while word > 0 and start - word < 8 and text[word - 1].isalpha():
        word -= 1
    if start - word > 3 or (start and text[start - 1] in '.,;:!?"”'):
        return Draft(start, end, kind=Kind.REFERENCE, rule="footnote")
    if start > word or text[start - 1 : start] in ("*", "_"):
        return Draft(start, end, kind=Kind.IDENTIFIER, rule="exponent")  # the square of a symbol, in O(n²) or 2·L²
    exponent = Fraction(int(text[start:end].translate(SUPERSCRIPTS)))
    return Draft(start, end, kind=Kind.CONSTANT, exact=exponent, rule="exponent", alone=True)


def foreign_run(text: str, hit: int) -> Draft:
    """A run with digits of another script, as an error that covers it whole."""
    run = _FOREIGN_RUN.match(text, hit)
    end = hit + len(run.group().rstrip(".,٫٬")) if run else hit + 1
    return Draft(hit, end, kind=Kind.ERROR, error="non_ascii_digits")
