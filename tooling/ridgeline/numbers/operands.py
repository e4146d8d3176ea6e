"""Which numbers are operands of an expression in the prose: an integer among them is exact, a result is not."""

from __future__ import annotations

import re

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Kind

_OPERATOR_LEFT = lazy(
    r"(?:(?<=[\w)\]}])[*/×·⋅^]|(?<=[\w)\]}]) [*/×·⋅+x] |\\times ?|\\cdot ?|\\frac\{|\}\{|(?<=[\w)]) [-−–] |(?<=[\w)])x)\(?$"
)
_OPERATOR_RIGHT = lazy(
    r"(?:\([^()]{1,30}\)| \([^()]{1,30}\))?(?:[*/×·⋅](?=[\w(\\])| [*/×·⋅+x] (?=[\w(\\])|\^(?=[\w({])| ?\\times| ?\\cdot|\((?=[A-Za-z]\w* ?[-+*/)])"
    r"|\}\{|\} ?[=}]| [-−–] (?=[\w(])|x(?=[0-9]))"
)
_RESULT = lazy(r"[=≈]")
_BREAK = lazy(r"[.;!?]\s|\n\s*\n")


def mark_operands(text: str, drafts: list[Draft]) -> None:
    """Mark the operands of expressions: an integer among them is exact. A result, after ``=``, is not."""
    for draft in drafts:
        if draft.kind is not Kind.MEASURE or draft.error:
            continue
        right = _OPERATOR_RIGHT.match(text, draft.right)
        if right and _really(text, draft, right.group(), right.end()):
            draft.constant = True
        else:
            before = text[max(0, draft.left - 8) : draft.left]
            left = _OPERATOR_LEFT.search(before) if before[-1:] in "*/×·⋅^ x{(" and before else None
            if left and _really_left(text, draft, left.group()):
                draft.constant = True
        if draft.constant:
            draft.symbol = ""


def _has_result(text: str, at: int) -> bool:
    """Whether an equals sign follows in the same sentence, not far off."""
    window = text[at : at + 120]
    result = _RESULT.search(window)
    return result is not None and _BREAK.search(window, 0, result.start()) is None


def _really(text: str, draft: Draft, operator: str, end: int) -> bool:
    sign = operator.strip()[-1:]
    if sign in "-−–":
        return _has_result(text, end) or text[max(0, draft.left - 1) : draft.left] == "("
    if sign == "x" or (sign == "×" and operator.startswith(" ")):
        return _has_result(text, end) or text[max(0, draft.left - 3) : draft.left].rstrip().endswith("=")
    if sign == "/":
        rest = re.match(r"[A-Za-z_]{1,12}=", text[end : end + 14])
        return rest is None
    return True


def _really_left(text: str, draft: Draft, operator: str) -> bool:
    sign = operator.strip(" (")[-1:]
    if sign in ("-", "−", "–"):
        return operator.endswith("(") is False and (
            _has_result(text, draft.right) or text[draft.right : draft.right + 1] == ")"
        )
    if sign == "x":
        return _has_result(text, draft.right)
    return True
