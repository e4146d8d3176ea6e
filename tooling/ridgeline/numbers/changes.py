"""Percentages that are changes of a base: the verb or noun before them gives the sign."""

from __future__ import annotations

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Comparator, Kind

_FALL = lazy(
    r"\b(?:f[ae]ll(?:s|ing|en)?|drop(?:s|ped|ping)?|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|cuts?|cutting|"
    r"reduc(?:e|es|ed|ing)|shr(?:ink|inks|ank|inking|unk)|lower(?:s|ed|ing)?|los(?:e|es|t|ing)|down|slid|slides?|slipped|"
    r"reduction|decrease|decline|regress(?:es|ed|ion)?|shav(?:e|es|ed|ing)|trim(?:s|med)?|slow(?:s|ed)?)\b"
)
_RISE = lazy(
    r"\b(?:ros(?:e|en)|ris(?:e|es|ing)|gr(?:ew|ow|ows|owing|own)|increas(?:e|es|ed|ing)|improv(?:e|es|ed|ing)|climb(?:s|ed|ing)?|"
    r"jump(?:s|ed|ing)?|rais(?:e|es|ed|ing)|up|gain(?:s|ed|ing)?|growth|improvement|boost(?:s|ed|ing)?)\b"
)
_LINKS = lazy(
    r"(?P<verb>[A-Za-z]+)(?:\s[\w'’/-]+)?(?:\s[\w'’/-]+)?(?:\s[\w'’/-]+)?(?:\s[\w'’/-]+)?\sby\s?(?:(?:about|roughly|around|"
    r"approximately|over|more than|less than|nearly|almost|at least|up to|under|just over|just under|some|only|as much as|an?|a further|"
    r"another|at most)\s)?[~≈<>≤≥]?$"
    r"|(?P<noun>[A-Za-z]+)\sof\s(?:(?:about|roughly|around|approximately|over|nearly|almost|up to|at least)\s)?[~≈]?$"
    r"|(?P<near>[A-Za-z]+)\s(?:(?:about|roughly|around|approximately|nearly|almost|another|a further|some|only|just)\s)?[~≈]?$"
)
_CHANGE_NOUNS = frozenset(
    {"increase", "rise", "growth", "improvement", "reduction", "decrease", "drop", "decline", "fall", "cut", "change"}
)
_NEAR = frozenset(
    {"up", "down", "rose", "fell", "dropped", "grew", "increased", "decreased", "improved", "declined", "climbed", "jumped",
     "drops", "falls", "rises", "grows", "shrank", "gained", "lost", "gains", "loses"}
)  # fmt: skip


def read_change(text: str, drafts: list[Draft], index: int) -> None:
    """A percentage after a verb or noun of change is a change; the verb gives its sign."""
    draft = drafts[index]
    floor = drafts[index - 1].right if index else 0
    if draft.comparator is Comparator.RANGE_HI and index:
        first = drafts[index - 1]
        draft.kind, draft.falls = first.kind, first.falls
        return
    if draft.rule == "signed":
        draft.kind = Kind.CHANGE
        return
    window = text[max(floor, draft.left - 64) : draft.left]
    if draft.hedge_at >= 0:
        window = text[max(floor, draft.hedge_at - 64) : draft.hedge_at]
    link = _LINKS.search(window)
    if link is None:
        return
    noun, near = link.group("noun"), link.group("near")
    if noun is not None and noun not in _CHANGE_NOUNS:
        return
    if near is not None and near not in _NEAR:
        return
    scope = noun or near or window[link.start() :]
    if _FALL.search(scope):
        draft.kind, draft.falls = Kind.CHANGE, True
    elif _RISE.search(scope) or noun == "change":
        draft.kind = Kind.CHANGE
