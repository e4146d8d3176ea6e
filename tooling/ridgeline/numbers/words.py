"""Numbers said in words: fractions, small cardinals, doubles, twice, threefold, an order of magnitude."""

from __future__ import annotations

import re
from fractions import Fraction

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.left import hedge
from ridgeline.numbers.numeral import Comparator, Kind
from ridgeline.numbers.quantities import ONE, PERCENT, POINT, printed_unit

CARDINALS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "sixteenth": 16, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_POWERS = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_VERBS = {
    "halve": Fraction(1, 2), "halves": Fraction(1, 2), "halved": Fraction(1, 2), "halving": Fraction(1, 2),
    "doubles": Fraction(2), "doubled": Fraction(2), "doubling": Fraction(2), "triples": Fraction(3),
    "tripled": Fraction(3), "tripling": Fraction(3), "trebles": Fraction(3), "trebled": Fraction(3),
    "quadruples": Fraction(4), "quadrupled": Fraction(4), "quadrupling": Fraction(4),
}  # fmt: skip
_PLAIN_MULTIPLES = {"double": Fraction(2), "triple": Fraction(3), "quadruple": Fraction(4)}

_CARDINAL = "|".join(CARDINALS)
_PART = "|".join(sorted(_PARTS, key=len, reverse=True))
_WORDS = lazy(
    rf"\b(?:(?P<count>one|an?|{_CARDINAL})[ -](?P<part>{_PART})s?"
    rf"|(?P<orders>{_CARDINAL}|an?|one) orders? of magnitude"
    rf"|(?P<fold>{_CARDINAL})-?fold"
    r"|(?P<verb>halv(?:e|es|ed|ing)|(?:doubl|tripl|trebl|quadrupl)(?:es|ed|ing))"
    r"|(?P<multiple>double|triple|quadruple)"
    r"|(?P<twice>twice|thrice)|(?P<dozen>(?:(?:a|two|three|half a) )?dozen)"
    rf"|(?P<half>half)|(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(?P<ones>two|three|four|five|six|seven|eight|nine|one)"
    rf"|(?P<power>one|{_CARDINAL}) (?P<scale>hundred|thousand|million|billion|trillion)"
    rf"|(?P<cardinal>{_CARDINAL}))\b",
    re.IGNORECASE,
)


def _hint() -> str:
    """The first four letters of every number word but *a*, *an* and *one*, which stand before another: a fast first look."""
    seconds: dict[str, set[str]] = {}
    starts = (*CARDINALS, *_PARTS, *_POWERS, *_VERBS, *_PLAIN_MULTIPLES, "twice", "thrice", "dozen", "order")
    for word in (*starts, *map(str.upper, starts)):
        seconds.setdefault(word[1], set()).add(word[2:4])
    branches = (f"{second}(?:{'|'.join(sorted(rest))})" for second, rest in sorted(seconds.items()))
    firsts = "".join(sorted({word[0] for word in starts}))
    return f"[{firsts}{firsts.upper()}](?:{'|'.join(branches)})"


_HINT = lazy(_hint())
_ARTICLE = lazy(r"\b(?:an?|one)[ -]$", re.IGNORECASE)
#: More number words than this in one text are refused.
MAX_WORDS = 5000
_FOLLOWING = lazy(r"\s([A-Za-z]+)(?:[\s-]([A-Za-z]+))?(?:[\s-]([A-Za-z]+))?")
_IRREGULAR = frozenset(
    {"people", "data", "dies", "matrices", "indices", "vertices", "men", "women", "children", "series"}
)
_words = """and or are is was were in on at to from by with for as but than that this which who while when where if then so
    because be been has have had can could may might will would should must do does did not no it its they them their
    we you he she of agree differ disagree match"""
_FUNCTION = frozenset(_words.split())
_AFTER_PART = lazy(
    r"\s(?:of|less|more|lower|higher|fewer|smaller|larger|faster|slower|cheaper|shorter|longer|as|the|that|its|their|to|"
    r"off)\b|[.,;:)%]|\s?$"
)
_HALF_AFTER = lazy(r"\s(?:of|the|its|their|as|a|an|that|this|these|those|what|is|are|to|to)\b|[.,;:)]|\s?$")
_HALF_BEFORE = lazy(r"(?:first|second|other|upper|lower|top|bottom|left|right|latter|former|better|and a)\s$", re.I)
_MODAL = lazy(r"\b(?:to|would|will|can|could|may|might|must|should|not|does|do|did)\s$", re.I)
#: What may stand before a plural verb: a name with digits ("fp8 double the peak"), or an article and a plural noun.
_SUBJECT = lazy(
    r"(?:\b[A-Za-z][A-Za-z-]*[0-9][\w-]*|\b(?:they|which|(?:the|these|those|both|all)(?:\s[\w-]{1,20})?\s[a-z-]{2,20}s))\s$",
    re.I,
)
_MULTIPLE_AFTER = lazy(r"\s(?:the|its|that|as|of|their|what|every|each)\b")
_PERCENT = lazy(r"[ -](?:percentage[ -]points?|per ?cent|percent)\b")
_TIMES = lazy(
    r"\stimes\b(?=\s(?:(?:as|the|its|their|that|more|less)\b|(?!after|over|under|other|either|never)[a-z]{3,12}er\b))"
)


def read_words(text: str, taken: list[tuple[int, int]]) -> list[Draft]:
    """The number words of a text outside the stretches that are taken already (in order)."""
    drafts: list[Draft] = []
    pointer = position = 0
    for found in _HINT.finditer(text):
        first = found.start()
        if first < position or _inner(text, first):
            continue
        if len(drafts) >= MAX_WORDS:
            drafts.append(Draft(first, len(text), kind=Kind.ERROR, error="too_many_numerals"))
            break
        article = _ARTICLE.search(text, max(position, first - 5), first)
        match = (_WORDS.match(text, article.start()) if article else None) or _WORDS.match(text, first)
        if match is None:
            continue
        start, end = match.span()
        position = end
        while pointer < len(taken) and taken[pointer][1] <= start:
            pointer += 1
        if pointer < len(taken) and taken[pointer][0] < end:
            continue
        if (text[start - 1 : start] in ("-", "_", "/") and start) or text[end : end + 1] == "_":
            continue
        draft = _read(text, match)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _inner(text: str, at: int) -> bool:
    """Whether a word has begun before an offset."""
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")


def _word(start: int, end: int, value: Fraction | int, *, verb: bool = False) -> Draft:
    draft = Draft(start, end, kind=Kind.WORD, exact=Fraction(value), unit=ONE)
    draft.comparator = Comparator.APPROX if verb else Comparator.EQ
    return draft


def _hedged(text: str, draft: Draft) -> Draft:
    found, place = hedge(text[max(0, draft.start - 40) : draft.start])
    if found is not None:
        draft.comparator = found
        draft.hedge_at = max(0, draft.start - 40) + place
    return draft


def _read(text: str, match: re.Match[str]) -> Draft | None:
    start, end = match.span()
    if match["part"]:
        return _fraction(text, match)
    if match["orders"]:
        count = CARDINALS.get(match["orders"].lower(), 1)
        draft = _word(start, end, 10**count, verb=True)
        draft.vague, draft.rule = True, "order-of-magnitude"
        return _hedged(text, draft)
    if match["fold"]:
        return _hedged(text, _word(start, end, CARDINALS[match["fold"].lower()]))
    if match["verb"]:
        return _word(start, end, _VERBS[match["verb"].lower()], verb=True)
    if match["multiple"]:
        before = text[max(0, start - 40) : start]
        verb = _MODAL.search(before) is not None or _SUBJECT.search(before) is not None
        if text[end : end + 1] == "-" or not (verb or _MULTIPLE_AFTER.match(text, end)):
            return None
        return _hedged(text, _word(start, end, _PLAIN_MULTIPLES[match["multiple"].lower()], verb=verb))
    if match["twice"]:
        return _hedged(text, _word(start, end, 2 if match["twice"].lower() == "twice" else 3))
    if match["half"]:
        if not _HALF_AFTER.match(text, end) or _HALF_BEFORE.search(text[max(0, start - 40) : start]):
            return None
        return _hedged(text, _word(start, end, Fraction(1, 2), verb=_by(text, start)))
    return _count(text, match)


def _fraction(text: str, match: re.Match[str]) -> Draft | None:
    start, end = match.span()
    count, part = match["count"].lower(), match["part"].lower()
    plural = text[end - 1] in "sS"
    if count in ("a", "an"):
        if plural or not _AFTER_PART.match(text, end):
            return None  # "a third option"
        if part == "half" and not _HALF_AFTER.match(text, end):
            return None
    elif count != "one" and not plural:
        return None  # "two third-party tools"
    if text[end : end + 1] == "-":
        return None
    numerator = 1 if count in ("a", "an", "one") else CARDINALS[count]
    return _hedged(text, _word(start, end, Fraction(numerator, _PARTS[part]), verb=_by(text, start)))


def _by(text: str, start: int) -> bool:
    """``cut by half`` and ``cuts it in half`` stand under a verb."""
    return text[max(0, start - 4) : start].lower().endswith((" by ", " in "))


def _count(text: str, match: re.Match[str]) -> Draft | None:
    """A cardinal that counts something; with *percent* a share, with *times* a ratio."""
    start, end = match.span()
    if match["dozen"]:
        many = {"two dozen": 24, "three dozen": 36, "half a dozen": 6}.get(match["dozen"].lower(), 12)
    elif match["tens"]:
        many = CARDINALS[match["tens"].lower()] + CARDINALS.get(match["ones"].lower(), 1)
    elif match["power"]:
        many = CARDINALS.get(match["power"].lower(), 1) * _POWERS[match["scale"].lower()]
    else:
        many = CARDINALS[match["cardinal"].lower()]
    draft = _word(start, end, many)
    percent = _PERCENT.match(text, end)
    if percent:
        points = "point" in percent.group()
        draft.unit, draft.unit_text, draft.right = (POINT if points else PERCENT), percent.group()[1:], percent.end()
        return _hedged(text, draft)
    times = _TIMES.match(text, end)
    if times:
        draft.unit_text, draft.right = "times", times.end()
        return _hedged(text, draft)
    draft.unit = None
    hyphen = text[end : end + 1] == "-"
    found = printed_unit(text, end + 1) if text[end : end + 1] in ("-", " ", "\n") else None
    if found and not text[found.end : found.end + 1].isalnum():
        draft.unit, draft.unit_text, draft.right = found.unit, text[end + hyphen * 0 : found.end].strip(), found.end
        return _hedged(text, draft)
    return _hedged(text, draft) if not hyphen and _counts(text, end) else None


def _counts(text: str, end: int) -> bool:
    """Whether a plural follows within three words ("two large models"); "the two trade places" counts nothing."""
    match = _FOLLOWING.match(text, end)
    for word in match.groups() if match else ():
        if word is None or word.lower() in _FUNCTION:
            return False
        if word in _IRREGULAR or (word.endswith("s") and not word.endswith(("ss", "us", "is"))):
            return True
    return False
