"""Two integers that make one statement: a fraction in digits (``1/8 of it``), a shape in words (``64 by 64``)."""

from __future__ import annotations

import re
from fractions import Fraction

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.left import hedge
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.quantities import ONE, printed_unit

_FRACTION = lazy(r"([0-9]{1,4})/([0-9]{1,7})(?![\w/*^%×·]|[.,:][0-9]|-[0-9A-Za-z]|[ \u00a0]?[x×*·+=≈/^])")
_SHARE = lazy(r"[-\s](?:of|the|as|as much|that|its)\b")
_BOUNDARY = lazy(r"(?:^|[\s(\u00a0~≈\"“'‘])$")
_RESULT = lazy(r"[^.;!?\n]{0,60}[=≈]")
_OPERATOR = lazy(r"[=≈*/×·^+]\s?\(?$")
_LIST = lazy(
    r"\b(?:batch|size|sizes|TP|PP|DP|EP|step|run|case|part|page|row|layer|rank|tier|grade|level)s?\s$", re.IGNORECASE
)
_BY = lazy(r"([0-9]{1,6})[ \u00a0]by[ \u00a0]([0-9]{1,6})(?:[ \u00a0]by[ \u00a0][0-9]{1,6})?(?![\w%]|[.,][0-9])")
_CHANGING = lazy(
    r"\b(?:cut|cuts|grew|grow|grows|rose|fell|drops?|dropped|shr[aiu]nk|multiplied|divided|from|to|reduced)\s$",
    re.IGNORECASE,
)


def proportion(text: str, at: int, floor: int) -> Draft | None:
    """The fraction or the shape in words that starts at a digit."""
    ahead = text[at + 1 : at + 11]
    if "/" in ahead:
        return _fraction(text, at, floor)
    if " by " in ahead or "\u00a0by" in ahead:
        return _shape(text, at, floor)
    return None


def _fraction(text: str, at: int, floor: int) -> Draft | None:
    """``1/8`` outside an equation is one exact number; ``10/20`` only where *of* or the like follows."""
    match = _FRACTION.match(text, at)
    before = text[max(floor, at - 16) : at]
    if match is None or not _BOUNDARY.search(before) or _OPERATOR.search(before) or _LIST.search(before):
        return None
    above, below = int(match.group(1)), int(match.group(2))
    share = _SHARE.match(text, match.end()) is not None
    if not 0 < above < below or not (above == 1 or share) or _RESULT.match(text, match.end()):
        return None
    gap = match.end() + 1 if text[match.end() : match.end() + 1] in (" ", "\u00a0") else match.end()
    if printed_unit(text, gap) is not None and not share:
        return None
    draft = Draft(at, match.end(), kind=Kind.WORD, exact=Fraction(above, below), unit=ONE, rule="fraction")
    found, place = hedge(text[max(floor, at - 40) : at])
    if found is not None:
        draft.comparator, draft.hedge_at = found, max(floor, at - 40) + place
    return draft


def _shape(text: str, at: int, floor: int) -> Draft | None:
    match = _BY.match(text, at)
    if match is None or _CHANGING.search(text[max(floor, at - 16) : at]):
        return None
    gap = match.end() + 1 if text[match.end() : match.end() + 1] in (" ", "\u00a0") else match.end()
    if printed_unit(text, gap) is not None:
        return None
    return Draft(at, match.end(), kind=Kind.DIMENSION, rule="shape")
