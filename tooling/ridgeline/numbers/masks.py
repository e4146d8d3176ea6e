"""Stretches of a text whose digits are no quantities: code, URLs, addresses, paths, names, dates."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.lexer import DIGIT_OUTSIDE_ASCII
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.quantities import printed_unit

_DIGIT = lazy(r"[0-9]")
_ANY_DIGIT = lazy(r"[0-9]|" + DIGIT_OUTSIDE_ASCII)
_TICKS = lazy(r"`+")
_URL = lazy(r"(?:https?|ftp|file)://[^\s<>\"`|\\]+|(?<![\w.])www\.[^\s<>\"`|\\]+")
_EMAIL = lazy(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}")
_TAG = lazy(r"<[A-Za-z/!][^<>]{0,400}>|&#?[0-9A-Za-z]{2,8};")
_PATH = lazy(r"(?<![\w/.~+-])(?:\.{1,2}/|~/|/)?[A-Za-z_][\w.-]*/[\w./-]*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/])")
_FILE = lazy(r"\.(?:json|ya?ml|py|txt|md|csv|safetensors|gguf|toml|html?|pdf|sh|cu|c|cpp|h|rs|ts|js|bin|pt|log)\b")
_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = lazy(
    r"[0-9]{4}-[01][0-9]-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9])?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![\w-])"
    r"|(?:19|20)[0-9]{2}/[01][0-9]/[0-3][0-9](?![\w/])|(?:19|20)[0-9]{2}\.[01][0-9]\.[0-3][0-9](?![\w.]?[\w])"
    r"|(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])(?![\w-])"
    r"|[0-3]?[0-9]/[0-3]?[0-9]/(?:19|20)[0-9]{2}(?![\w/])|[0-3]?[0-9]\.[01]?[0-9]\.(?:19|20)[0-9]{2}(?![\w])"
    r"|[0-3]?[0-9]-[0-3]?[0-9]-(?:19|20)[0-9]{2}(?![\w-])"
    r"|[0-3]?[0-9](?:st|nd|rd|th)?[ -](?:of )?" + _MONTHS + r"(?:\.?,?[ -](?:19|20)[0-9]{2}(?![\w]))?(?![A-Za-z])"
    r"|(?:19|20)[0-9]{2} " + _MONTHS + r" [0-3]?[0-9](?![\w])"
)
_AFTER_MONTH = lazy(r"[0-3]?[0-9](?:st|nd|rd|th)?(?:,? (?:19|20)[0-9]{2})?(?![\w%]|[.,][0-9])")
_MONTH_BEFORE = lazy(r"(?<![A-Za-z])" + _MONTHS + r"\.? $")
_TIME = lazy(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?(?: ?[ap]\.?m\b| (?:UTC|GMT|CET|IST|PST|EST)\b)")
_CLOCK = lazy(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?![\w:])|[01]?[0-9] [ap]\.?m\b")
_ARXIV = lazy(r"[0-9]{4}\.[0-9]{4,5}(?:v[0-9]{1,2})?(?![\w])")
_DOI = lazy(r"10\.[0-9]{4,9}/[^\s\"<>()\[\]]{1,200}")
_BRACKET = lazy(r"\[[0-9]{1,3}(?:[,;–-] ?[0-9]{1,3}){0,20}\]")
_ARTICLE = lazy(r"(?<![\w])(?:the|an?|this|that|one|each|every|per|its|our|your)[ \u00a0]$", re.IGNORECASE)
_MORE_NUMBER = lazy(r"[.,:/%][0-9]|[ \u00a0]?(?:%|[-–][0-9]|[x×][ \u00a0]?[0-9])|\s(?:million|billion|thousand)")
#: Each of them holds a digit, and no more numerals than this are read of one text.
_MAX_CITATIONS = 10_000
_MAX_TICKS = 200_000
_STOP = ".,;:!?'\"”’*_"

#: Inside a code span or fence: each word with digits is one numeral.
_INSIDE = Kind.CODE


#: Start, end, kind and rule of a stretch that is set aside.
Region = tuple[int, int, Kind, str]


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Names with digits in them, found by their first word that holds a digit."""

    by_word: dict[str, tuple[tuple[str, int], ...]]

    def at(self, text: str, digit: int) -> tuple[int, int] | None:
        """The longest name that covers the digit at an offset, as start and end."""
        if not self.by_word:
            return None
        start, end = _word(text, digit, 0)
        best: tuple[int, int] | None = None
        for name, offset in self.by_word.get(text[start:end], ()):
            first, last = start - offset, start - offset + len(name)
            if first < 0 or not text.startswith(name, first):
                continue
            if _joined(text, first - 1) or _joined(text, last):
                continue
            if _bare_number(name) and not _named_by_article(text, first, last):
                continue
            if best is None or last - first > best[1] - best[0]:
                best = (first, last)
        return best


def _bare_number(name: str) -> bool:
    """A name without a letter (``4090``) must have three digits or more, and is honoured after an article only."""
    return len(name) >= 3 and name.isascii() and name.isdigit()


def _named_by_article(text: str, first: int, last: int) -> bool:
    """``the 4090`` names; ``the 4090 tokens``, ``4,090`` and ``4090.5`` count."""
    if _ARTICLE.search(text, max(0, first - 12), first) is None or _MORE_NUMBER.match(text, last):
        return False
    gap = last + 1 if text[last : last + 1] in (" ", "\u00a0", "-") else last
    return printed_unit(text, gap) is None


def _joined(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")


def _word(text: str, digit: int, floor: int) -> tuple[int, int]:
    """The letters and digits around a digit, at most 64 to each side."""
    start, end = digit, digit + 1
    low, high = max(floor, digit - 64), min(len(text), digit + 64)
    while start > low and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < high and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return start, end


def name_index(names: Collection[str]) -> NameIndex:
    """An index over names; kept for a ``frozenset`` that is passed again."""
    if not names:
        return NameIndex({})
    return _index(names if isinstance(names, frozenset) else frozenset(names))


@lru_cache(maxsize=16)
def _index(names: frozenset[str]) -> NameIndex:
    words: dict[str, list[tuple[str, int]]] = {}
    for name in sorted(names):
        digit = _DIGIT.search(name)
        if digit is None or not (any(map(str.isalpha, name)) or _bare_number(name)):
            continue
        start, end = _word(name, digit.start(), 0)
        words.setdefault(name[start:end], []).append((name, start))
    return NameIndex({word: tuple(found) for word, found in words.items()})


def regions(text: str) -> list[Region]:
    """Code, URLs, addresses, tags and paths: start, end, kind and rule; in order, never overlapping."""
    found: list[Region] = []
    if "`" in text:
        found += [(start, end, _INSIDE, "code") for start, end in _code(text)]
    if "://" in text or "www." in text:
        found += [(m.start(), _url_end(m.group(), m.start()), Kind.URL, "url") for m in _URL.finditer(text)]
    if "@" in text:
        found += [(m.start(), m.end(), Kind.IDENTIFIER, "email") for m in _EMAIL.finditer(text)]
    if "<" in text or "&" in text:
        found += [(m.start(), m.end(), Kind.CODE, "markup") for m in _TAG.finditer(text)]
    if "/" in text:
        found += [(m.start(), m.end(), Kind.IDENTIFIER, "path") for m in _PATH.finditer(text)]
    if "[" in text:
        found += [
            (m.start(), m.end(), Kind.REFERENCE, "citation")
            for m in islice(_BRACKET.finditer(text), _MAX_CITATIONS)
            if _cites(text, m)
        ]
    if len(found) < 2:
        return found
    found.sort(key=lambda region: region[0])
    kept: list[Region] = []
    for region in found:
        if not kept or region[0] >= kept[-1][1]:
            kept.append(region)
    return kept


def _cites(text: str, match: re.Match[str]) -> bool:
    """``[12]`` cites; ``[0, 1]`` is an interval, ``x[3]`` an index."""
    before = text[max(0, match.start() - 12) : match.start()]
    if before[-1:].isalnum() or before[-1:] in ("_", ")", "="):
        return before[-1:].isalpha() and before[-3:].isalpha()
    if before.rstrip().endswith(("shape", "=", "list")):
        return False
    if before.rstrip().endswith((" in", "range", "interval", "∈", "within")) and not match.group()[1:-1].isdigit():
        return False
    return not re.search(r"[\[ ,]0", match.group())


def _code(text: str) -> list[tuple[int, int]]:
    """Backtick spans and fences: a run closes at the next run of equal length. Linear in the number of runs."""
    runs = [(match.start(), match.end()) for match in islice(_TICKS.finditer(text), _MAX_TICKS)]
    following: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(runs):
        following.setdefault(end - start, []).append(index)
    pointers = dict.fromkeys(following, 0)
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        start, end = runs[index]
        same, pointer = following[end - start], pointers[end - start]
        while pointer < len(same) and same[pointer] <= index:
            pointer += 1
        pointers[end - start] = pointer
        if pointer == len(same):
            index += 1
            continue
        spans.append((start, runs[same[pointer]][1]))
        index = same[pointer] + 1
    return spans


def _url_end(url: str, start: int) -> int:
    """Without closing punctuation; a closing bracket belongs to the URL only where it opens inside it."""
    while url:
        last = url[-1]
        if last in _STOP or (last in ")]}" and url.count(last) > url.count({")": "(", "]": "[", "}": "{"}[last])):
            if last in ")]}" and len(url) > 2000:
                break
            url = url[:-1]
        else:
            break
    return start + len(url)


def inside(text: str, start: int, end: int, kind: Kind, rule: str) -> list[Draft]:
    """The numerals of a region: the whole of a URL, address or path; each word with digits of code and citations."""
    first = _ANY_DIGIT.search(text, start, end)
    if first is None:
        return []
    if rule in ("url", "email", "path"):
        return [Draft(start, end, kind=kind, rule=rule)]
    drafts: list[Draft] = []
    position = start
    while first is not None:
        low, high = _span(text, first.start(), max(position, start), end)
        drafts.append(Draft(low, high, kind=kind, rule=rule))
        position = high
        first = _ANY_DIGIT.search(text, position, end)
    return drafts


def _span(text: str, digit: int, floor: int, ceiling: int) -> tuple[int, int]:
    low, high = digit, digit + 1
    while low > floor and (text[low - 1].isalnum() or text[low - 1] == "_"):
        low -= 1
    while high < ceiling and (
        text[high].isalnum() or text[high] == "_" or (text[high] == "." and _digit(text, high + 1))
    ):
        high += 1
    return low, high


def _digit(text: str, at: int) -> bool:
    return text[at : at + 1].isdigit()


_DAYTIME = lazy(r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?![\w:%]|[.,][0-9]|\s(?:ratio|split|mix))")
_BEFORE_TIME = lazy(
    r"(?<![\w])(?:at|by|until|till|from|since|before|after|around|between|and|to)[ \u00a0]$", re.IGNORECASE
)


def _daytime(text: str, at: int, floor: int) -> re.Match[str] | None:
    """``at 12:30``: two digits of minutes after a word of time; ``a 12:30 split`` compares two numbers."""
    match = _DAYTIME.match(text, at)
    return match if match and _BEFORE_TIME.search(text, max(0, at - 10), at) else None


def set_aside(text: str, at: int, floor: int) -> Draft | None:
    """A date, time, arXiv number or DOI whose first digit is at an offset."""
    following = text[at + 1 : at + 5]
    if any(mark in following for mark in "-/. :") or following[:2].isalpha() or following[1:3].isalpha():
        date = _DATE.match(text, at)
        if date:
            return Draft(at, date.end(), kind=Kind.DATE, rule="date")
        if ":" in following or " " in following:
            time = _TIME.match(text, at) or _CLOCK.match(text, at) or _daytime(text, at, floor)
            if time:
                return Draft(at, time.end(), kind=Kind.DATE, rule="time")
    before = text[max(floor, at - 12) : at]
    if before.endswith(" "):
        month = _MONTH_BEFORE.search(before)
        day = _AFTER_MONTH.match(text, at) if month else None
        if month and day and not (re.match(r"May ", month.group()) and not re.search(r"[0-9]{4}|[a-z]$", day.group())):
            start = at - len(before) + month.start()
            return Draft(start, day.end(), kind=Kind.DATE, rule="date")
    if text[at + 4 : at + 5] == "." and re.search(r"(?i)(?:arxiv[:. ]{0,2}|abs/|pdf/)\[?$", before):
        paper = _ARXIV.match(text, at)
        if paper:
            return Draft(at, paper.end(), kind=Kind.REFERENCE, rule="arxiv")
    if text.startswith("10.", at):
        doi = _DOI.match(text, at)
        if doi and (
            "doi" in before.lower() or re.match(r"10\.[0-9]{4,9}/[^\s]*[A-Za-z]|10\.[0-9]{4,9}/[0-9]{5,}", doi.group())
        ):
            return Draft(at, at + len(doi.group().rstrip(_STOP)), kind=Kind.REFERENCE, rule="doi")
    return None
