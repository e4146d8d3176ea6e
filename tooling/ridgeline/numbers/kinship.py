"""Set-aside kinds that pass on to a neighbour (``Tables 3 and 4``), years in pairs, and definitions of units."""

from __future__ import annotations

from ridgeline.numbers.draft import Draft, gap_between
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Comparator, Kind

_LINKED = lazy(r"\s?[-–—‐‑]\s?$|\s?,?\s?(?:(?:and|or|to|through|versus|vs\.?|&)\s{1,2})?$")

_QUARTER = lazy(r"(?:Q[1-4]|H[12]|FY[0-9]{2}) ")
_FOLLOW = lazy(r"[)a-z]?(?:,|,? and|,? or| to|[–-]|,? &)?\s?\(?$")


def follow_references(text: str, drafts: list[Draft]) -> None:
    """``Tables 3 and 4``, ``CUDA 11.8 or 12.4``: what follows in the list is of the same kind."""
    for index in range(1, len(drafts)):
        first, second = drafts[index - 1], drafts[index]
        if first.kind is Kind.IDENTIFIER and second.kind is Kind.CONSTANT and second.unit is None:
            if text[first.right : second.left] == "/" and text[second.right : second.right + 1] not in ("*", "/", "^"):
                second.kind, second.rule = Kind.IDENTIFIER, "joined-to-name"  # Llama-2/3
            continue
        if first.kind not in (Kind.REFERENCE, Kind.VERSION) or second.kind not in (Kind.MEASURE, Kind.VERSION):
            continue
        if (
            second.unit is not None
            or second.suffix
            or second.grouping
            or second.symbol
            or second.error
            or second.sign < 0
        ):
            continue
        gap = gap_between(text, first, second)
        if gap == "\0" or not gap.strip() or not _FOLLOW.match(gap):
            continue
        if first.rule not in ("reference-word", "reference-sign", "version-word"):
            continue
        if gap.strip() == "," and (first.kind is Kind.REFERENCE or not second.point):
            continue
        if first.kind is Kind.VERSION and "." in text[first.start : first.end] and not second.point:
            continue
        second.kind, second.rule, second.comparator = first.kind, first.rule, Comparator.EQ


def pair_years(text: str, drafts: list[Draft]) -> None:
    """``between 2020 and 2023``, ``2019–2024``: the second year follows the first; a lone *from* makes no year."""
    for index, draft in enumerate(drafts):
        if draft.kind is Kind.MEASURE and _yearlike(draft) and _year_by_neighbour(text, drafts, index):
            draft.kind, draft.rule = Kind.YEAR, "year-word"
        if draft.kind is not Kind.YEAR or draft.rule != "year-word":
            continue
        following = drafts[index + 1] if index + 1 < len(drafts) else None
        if following is not None and following.kind is Kind.MEASURE and _yearlike(following):
            gap = gap_between(text, draft, following)
            if gap.strip("\0 \n") and _LINKED.match(gap):
                following.kind, following.rule = Kind.YEAR, "year-word"
                continue
        opens = text[max(0, draft.left - 9) : draft.left].lower().endswith(("from ", "between "))
        if opens and (following is None or following.kind is not Kind.YEAR):
            draft.kind, draft.rule = Kind.MEASURE, ""


def _year_by_neighbour(text: str, drafts: list[Draft], index: int) -> bool:
    """``Q3 2024``, ``FY24 2024``; ``2019–2024`` without a unit."""
    draft = drafts[index]
    first = drafts[index - 1] if index else None
    if first is not None and _QUARTER.match(text, first.start, draft.start) and gap_between(text, first, draft) == " ":
        return True
    second = drafts[index + 1] if index + 1 < len(drafts) else None
    if second is None or second.kind is not Kind.MEASURE or not _yearlike(second) or second.digits <= draft.digits:
        return False
    return gap_between(text, draft, second) in ("-", "–", "—")


def _yearlike(draft: Draft) -> bool:
    plain = draft.unit is None and not draft.suffix and not draft.point and not draft.grouping
    return plain and draft.end - draft.start == 4 and 1900 <= draft.digits <= 2099


_DEFINED = lazy(
    r"(?:^|[\s(\"“])(?:1|one|an?|One|An?|each)\s?(?:[KMGTPE]iB|[kMGTPE]B|KB|bytes?|lakh|crore|hour|minute|day)"
    r"\s?(?:is|=|means|equals|has)\s$"
)


def define_units(text: str, drafts: list[Draft]) -> None:
    """``1 KiB = 1,024 bytes``, ``a MiB is 2^20 bytes``: both sides are exact."""
    for index, draft in enumerate(drafts):
        if draft.kind is not Kind.MEASURE or draft.point or draft.comparator is not Comparator.EQ:
            continue
        if draft.unit is None or not _DEFINED.search(text[max(0, draft.left - 24) : draft.left]):
            continue
        if draft.unit.scale != 1 and len(str(draft.digits)) < 3:
            continue  # "1 GiB is 1 GB" states a size, not a unit
        draft.kind, draft.vague = Kind.DEFINITION, False
        first = drafts[index - 1] if index else draft
        if first.kind is Kind.MEASURE and first.digits == 1 and first.right >= draft.left - 12:
            first.kind = Kind.DEFINITION
