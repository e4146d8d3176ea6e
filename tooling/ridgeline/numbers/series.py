"""Numerals that belong together: ranges, ± pairs, lists that share a unit, operands of equations, divisions by *over*."""

from __future__ import annotations

import re

from ridgeline.numbers.changes import read_change
from ridgeline.numbers.draft import PLAIN, Draft, gap_between
from ridgeline.numbers.kinship import define_units, follow_references, pair_years
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Comparator, Kind
from ridgeline.numbers.operands import mark_operands

_PLUS_MINUS = lazy(r"\s?(?:±|\+/-|\+-|\\pm)\s?$")
_RANGE = lazy(r"\s?[-–—‐‑−]\s?$|\s{1,2}(?:to|through)\s{1,2}$|\.\.\.?$|\s?…\s?$")
_AND = lazy(r"\s{1,2}and\s{1,2}(?:about |roughly |~|approximately |around )?$")
_TO = lazy(r"\s{1,2}to\s{1,2}(?:about |roughly |~|approximately |around |just |only )?$")
_LIST = lazy(
    r"(?:\s?[,/]|\s?→)?\s{0,2}(?:(?:and|or|versus|vs\.?|then|&|→|but|against|to)\s{1,2})?(?:only |finally |then )?$"
)
_SERIES = lazy(r",\s(?:(?:and|or)\s)?$|\s(?:and|or)\s$")
_DASHES = "-–—‐‑"
_OVER = lazy(r"\s{1,2}over\s{1,2}$")
_RESULT = lazy(r"\s?[=≈]|\s(?:is|gives|equals|makes|yields)\b")
_RANGING = lazy(r"\b(?:rang(?:e|es|ed|ing)|var(?:y|ies|ied|ying)|span(?:s|ned|ning)?|anywhere|anything|lengths?)\b")
_CHANGING = lazy(
    r"\b(?:ros(?:e|en)|ris(?:e|es|ing)|gr(?:ew|ow|ows|owing|own)|increas(?:e|es|ed|ing)|went|go(?:es|ing)?|f[ae]ll(?:s|ing|en)?|"
    r"drop(?:s|ped|ping)?|decreas(?:e|es|ed|ing)|improv(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|cuts?|cutting|"
    r"reduc(?:e|es|ed|ing)|shr(?:ink|inks|ank|inking|unk)|climb(?:s|ed|ing)?|jump(?:s|ed|ing)?|halv(?:e|es|ed|ing)|"
    r"doubl(?:e|es|ed|ing)|chang(?:e|es|ed|ing)|lower(?:s|ed|ing)?|rais(?:e|es|ed|ing)|push(?:es|ed|ing)?|br(?:ing|ings|ought)|"
    r"tak(?:e|es|ing)|took|up|down|slid|slides?|slipped|tripl(?:e|es|ed|ing)|extend(?:s|ed|ing)?|upgrad(?:e|es|ed|ing))\b",
    re.IGNORECASE,
)
_SENTENCE = lazy(r"[.;!?]\s")
_LABEL = lazy(r"\b(?:batch(?: size)?|layer|rank|seed|epoch|expert|head|TP|PP|DP|EP)\s$")


def relate(text: str, drafts: list[Draft]) -> None:
    """Settle everything that two or more numerals decide together. Drafts are in order and do not overlap."""
    mark_operands(text, drafts)
    pair_years(text, drafts)
    _lend_units(text, drafts)
    for index in range(len(drafts) - 1):
        _pair(text, drafts, index)
    _spread_bounds(text, drafts)
    for index, draft in enumerate(drafts):
        if draft.kind is Kind.PERCENT:
            read_change(text, drafts, index)
            if text[draft.left - 1 : draft.left] == "±":
                draft.kind = Kind.UNCERTAINTY
        elif draft.kind is Kind.MEASURE and draft.constant and not draft.point:
            draft.kind, draft.comparator, draft.vague = Kind.CONSTANT, Comparator.EQ, False
        elif draft.kind is Kind.MEASURE and text[draft.left - 1 : draft.left] == "±":
            draft.kind = Kind.UNCERTAINTY
        elif draft.vague and draft.comparator is Comparator.EQ:
            draft.comparator = Comparator.APPROX
    follow_references(text, drafts)
    define_units(text, drafts)


def _spread_bounds(text: str, drafts: list[Draft]) -> None:
    """``up to 2.4x, 3.1x and 4.0x``: the bound before a series holds for each number of it."""
    for index, first in enumerate(drafts):
        if first.comparator is not Comparator.LE or first.hedge_at < 0 or not text[first.hedge_at].isalpha():
            continue
        series: list[Draft] = []
        last = first
        for draft in drafts[index + 1 : index + 9]:
            gap = gap_between(text, last, draft)
            same = draft.kind is first.kind and draft.unit == first.unit and draft.comparator is Comparator.EQ
            if not same or draft.symbol or not _SERIES.match(gap):
                break
            series.append(draft)
            last = draft
            if gap.strip(" ,"):
                if len(series) == 1 and gap[0] == ",":
                    break  # "up to 4 GB, and 8 GB in all"
                for item in series:
                    item.comparator = Comparator.LE
                break


def _lend_units(text: str, drafts: list[Draft]) -> None:
    """From right to left: a number without unit takes the unit of the next one in its list or range."""
    for index in range(len(drafts) - 2, -1, -1):
        item, following = drafts[index], drafts[index + 1]
        if _byte_sized(text, item, following) or not _borrows(text, drafts, index):
            continue
        following.lend(item)
        _lend_suffix(gap_between(text, item, following), item, following)
        if item.suffix in ("k", "K"):
            item.binary = item.unit is not None and item.unit.factors == (("token", 1),)


def _borrows(text: str, drafts: list[Draft], index: int) -> bool:
    """Whether a numeral takes the unit of the one after it."""
    item, following = drafts[index], drafts[index + 1]
    if item.kind is not Kind.MEASURE or item.unit is not None or item.symbol or item.error or item.constant:
        return False
    if following.unit is None or following.kind not in PLAIN or following.rule == "signed":
        return False
    if following.left < following.start and following.unit_text[:1] in ("$", "₹", "€"):
        return False
    gap = gap_between(text, item, following)
    if not gap.strip("\0 \t\n\u00a0") or "\t" in gap or "|" in gap:
        return False
    if not any(pattern.match(gap) for pattern in (_LIST, _RANGE, _PLUS_MINUS, _TO, _AND)):
        return False
    if following.kind is Kind.NOMINAL and item.suffix not in ("B", "M", "T"):
        return not item.suffix and _RANGE.match(gap) is not None
    if following.kind in (Kind.PERCENT, Kind.CHANGE) and (item.suffix or item.grouping or _large(item)):
        return False  # "instead of 104,448, 13.7% too far out"
    return not _labelled(text, item) and (gap.strip() in _DASHES or not _hyphen_chain(text, drafts, index))


def _byte_sized(text: str, item: Draft, following: Draft) -> bool:
    """``7B and 70B models``: the B of the first is the B of the second. Returns whether it was taken up."""
    if item.unit_text != "B" or item.right != item.end + 1 or following.suffix != "B" or item.kind is not Kind.MEASURE:
        return False
    if following.unit is None or following.unit.factors not in ((("param", 1),), (("token", 1),)):
        return False
    gap = gap_between(text, item, following)
    if gap == "\0" or not gap.strip() or not (_LIST.match(gap) or _RANGE.match(gap) or _AND.match(gap)):
        return False
    item.suffix, item.factor, item.end = "B", following.factor, item.right
    item.unit = None
    following.lend(item)
    return True


def _large(item: Draft) -> bool:
    return not item.point and item.digits >= 1000


def _labelled(text: str, item: Draft) -> bool:
    return _LABEL.search(text[max(0, item.left - 14) : item.left]) is not None


def _lend_suffix(gap: str, item: Draft, following: Draft) -> None:
    """``2–4k tokens`` is 2k to 4k; ``512 to 4k tokens`` is not 512k."""
    if following.suffix and not item.suffix and _RANGE.match(gap) and item.magnitude < following.magnitude:
        item.suffix, item.factor = following.suffix, following.factor
        item.binary = following.binary


def _pair(text: str, drafts: list[Draft], index: int) -> None:
    first, second = drafts[index], drafts[index + 1]
    if first.error or second.error or second.kind not in PLAIN or first.kind not in PLAIN:
        return
    gap = gap_between(text, first, second)
    if gap == "\0" or not gap:
        return
    if _PLUS_MINUS.match(gap):
        second.kind = Kind.UNCERTAINTY
        first.uncertainty = second
        if second.unit is None and first.unit is not None:
            second.unit, second.unit_text, second.factor = first.unit, first.unit_text, first.factor
        if first.decimals != second.decimals:
            first.lint = first.lint or "unequal_decimals"
        return
    if _OVER.match(text[first.right : second.left]):
        _divide(text, first, second)
        return
    if not _is_range(text, drafts, index, gap):
        return
    _lend_range(first, second)
    first.comparator, second.comparator = Comparator.RANGE_LO, Comparator.RANGE_HI


def _lend_range(first: Draft, second: Draft) -> None:
    """``25% to 40``: the unit of the first end reaches the second."""
    if second.unit is None and first.unit is not None and second.kind is Kind.MEASURE:
        second.unit, second.unit_text, second.kind = first.unit, first.unit_text, first.kind
    if first.unit == second.unit and first.left < first.start:
        _lend_suffix("-", first, second)  # $5–10 million


def _is_range(text: str, drafts: list[Draft], index: int, gap: str) -> bool:
    first, second = drafts[index], drafts[index + 1]
    between = _AND.match(gap) is not None and _word_before(text, first, "between")
    if not between and not _RANGE.match(gap):
        return False
    if first.constant or second.constant or first.kind is Kind.NOMINAL or second.symbol:
        return False
    if first.vague or second.vague or first.comparator is Comparator.RANGE_LO:
        return False
    if first.unit is not None and second.unit is not None and first.unit.factors != second.unit.factors:
        return False
    if _hyphen_chain(text, drafts, index):
        return False
    low = first.sign * first.magnitude * first.factor * (first.unit.scale if first.unit else 1)
    scale = second.unit.scale if second.unit else (first.unit.scale if first.unit else 1)
    high = second.sign * second.magnitude * second.factor * scale
    if low >= high:
        return False
    return not (" to" in gap and _word_before(text, first, "from") and _two_states(text, first))


def _hyphen_chain(text: str, drafts: list[Draft], index: int) -> bool:
    """``1-2-4-8``: more than two numbers joined by dashes are no range."""
    for left, right in ((index - 1, index), (index + 1, index + 2)):
        if left >= 0 and right < len(drafts):
            gap = gap_between(text, drafts[left], drafts[right])
            if gap != "\0" and gap.strip() and gap.strip() in _DASHES:
                return True
    return False


def _word_before(text: str, draft: Draft, word: str) -> bool:
    at = draft.hedge_at if draft.hedge_at >= 0 else draft.left
    window = text[max(0, at - 14) : at].lower().split()
    while window and window[-1] in ("a", "an", "the", "about", "roughly", "~", "approximately"):
        window.pop()
    return bool(window) and window[-1] == word


def _two_states(text: str, first: Draft) -> bool:
    """After a verb of change, *from … to …* names the state before and the state after."""
    clause = text[max(0, first.left - 120) : first.left]
    start = 0
    for match in _SENTENCE.finditer(clause):
        start = match.end()
    clause = clause[start:]
    return _CHANGING.search(clause) is not None and _RANGING.search(clause) is None


def _divide(text: str, first: Draft, second: Draft) -> None:
    """``A over B = C`` divides. Without a result it cannot be told, and the numeral says so."""
    if second.comparator is not Comparator.GT:
        return
    second.comparator = Comparator.EQ
    if _RESULT.match(text, second.right):
        first.constant = second.constant = True
    else:
        second.lint = "ambiguous_over"
