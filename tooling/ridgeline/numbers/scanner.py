"""Walks the digits of a text from left to right and gives each one a draft."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ridgeline.numbers import masks
from ridgeline.numbers.attach import attach
from ridgeline.numbers.draft import Draft
from ridgeline.numbers.foreign import FOREIGN, foreign, foreign_run
from ridgeline.numbers.identifiers import hyphenated, identifier, product
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.left import read_left
from ridgeline.numbers.lexer import literal
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.proportions import proportion
from ridgeline.numbers.quantities import CURRENCY, ONE
from ridgeline.numbers.units import parse_unit

#: More numerals than this in one text are refused: the rest is one error, ``too_many_numerals``.
MAX_NUMERALS = 8_000

_DIGIT = lazy(r"[0-9]")
_CURRENCY = lazy(r"(?:US\$|[$₹€]|(?<![A-Za-z])(?:USD|INR|EUR|Rs\.?))[ \u00a0]?$")
_PAIR = lazy(r"([0-9]{1,6}):([0-9]{1,6})(?![0-9:]|\.[0-9])")
_SPARSE = lazy(r"[0-9]{1,3}:[0-9]{1,3}(?=[ -](?:structured|fine-grained|semi-structured|spars))")
_TRIPLE = lazy(r"[0-9]+:[0-9]+:[0-9:]*[0-9]")
_CONCISE = lazy(r"\(([0-9]{1,3})\)(?![A-Za-z0-9])")
_FACTOR = lazy(
    r"\b(?:factors?|speed-?ups?|slowdowns?) of (?:about |roughly |over |up to |nearly |almost |at least |more than )?[~≈]?$"
)
_SYMBOL_BASE = lazy(r"(?<![0-9.])[A-Za-z\u0370-\u03ff][A-Za-z_\u0370-\u03ff]{0,15}[0-9]?(?:\^\{?|\*\*)$")
_EXPONENT_END = lazy(r"[0-9]{1,3}(?![0-9.,]*[0-9])\}?")
_EVALUATED = lazy(r"\)?(?:\s?[-+*/·×]\s?[\w.,^()]{1,20}){0,6}\s?[=≈]")
_RESULT_BEFORE = lazy(r"[=≈]\s?(?:[\w.,^()]{1,20}\s?[-+*/·×]\s?){0,6}[\w^*{(]{1,24}$")
_SIGNS = "-−+–"
_BEFORE_SIGN = " \t\n\u00a0\u2009\u202f([{\"'“‘=,:;~≈<>|≤≥→$₹€*_"


def scan(text: str, index: masks.NameIndex, symbols: frozenset[str], regions: list[masks.Region]) -> list[Draft]:
    """Drafts for all digits of a text, in order, none overlapping."""
    drafts: list[Draft] = []
    ascii_only = text.isascii()
    pointer = position = floor = 0

    def named(at: int) -> bool:
        digit = _DIGIT.search(text, at, min(len(text), at + 40))
        found = index.at(text, digit.start()) if digit else None
        return found is not None and found[0] == at

    while True:
        hit = _next_digit(text, position, ascii_only)
        if hit < 0:
            return drafts
        while pointer < len(regions) and regions[pointer][1] <= hit:
            pointer += 1
        if pointer < len(regions) and regions[pointer][0] <= hit:
            region = regions[pointer]
            new = masks.inside(text, max(region[0], position), region[1], region[2], region[3])
            position = region[1]
        else:
            limit = regions[pointer][0] if pointer < len(regions) else len(text)
            # A note such as "(bf16 bytes)" lies inside a unit and has digits of its own.
            new = _one(text, hit, floor if position <= floor <= hit else position, index, symbols, named)
            position = max(draft.end for draft in new)
            if position > limit:
                # A reading that runs into code or a URL stops where that begins.
                new = [_clipped(text, hit, limit)]
                position = limit
        drafts += new
        if len(drafts) > MAX_NUMERALS:
            drafts.append(Draft(position, len(text), kind=Kind.ERROR, error="too_many_numerals"))
            return drafts if position < len(text) else drafts[:-1]
        floor = max(draft.right for draft in new)


def _clipped(text: str, hit: int, limit: int) -> Draft:
    end = hit
    while end < limit and (text[end].isalnum() or text[end] in "._,"):
        end += 1
    return Draft(hit, max(end, hit + 1), kind=Kind.ERROR, error="runs_into_markup")


def _next_digit(text: str, position: int, ascii_only: bool) -> int:
    match = _DIGIT.search(text, position)
    if ascii_only:
        return match.start() if match else -1
    foreign = FOREIGN.search(text, position, match.start() if match else len(text))
    if foreign:
        return foreign.start()
    return match.start() if match else -1


def _one(
    text: str, hit: int, floor: int, index: masks.NameIndex, symbols: frozenset[str], named: Callable[[int], bool]
) -> list[Draft]:
    if not "0" <= text[hit] <= "9":
        return [foreign(text, hit, floor)]
    name = index.at(text, hit)
    if name is not None and name[0] >= floor:
        return [Draft(name[0], name[1], kind=Kind.IDENTIFIER, rule="name")]
    before = text[hit - 1] if hit > floor else ""
    joined = before.isalnum() or before == "_"
    if not joined:
        aside = (
            masks.set_aside(text, hit, floor)
            or product(text, hit, floor)
            or _pair(text, hit)
            or proportion(text, hit, floor)
        )
        if aside is not None:
            return [aside]
        joined = hyphenated(text, hit, floor)
    if joined:
        return [identifier(text, hit, floor)]
    return _number(text, hit, floor, symbols, named)


def _pair(text: str, hit: int) -> Draft | None:
    """``3:1`` compares two numbers, exactly; ``2:4 sparse`` names a pattern; ``1:2:4`` is a shape."""
    if ":" not in text[hit + 1 : hit + 7]:
        return None
    sparse = _SPARSE.match(text, hit)
    if sparse:
        return Draft(hit, sparse.end(), kind=Kind.IDENTIFIER, rule="sparsity-pattern")
    triple = _TRIPLE.match(text, hit)
    if triple:
        return Draft(hit, triple.end(), kind=Kind.DIMENSION, rule="shape")
    pair = _PAIR.match(text, hit)
    if pair is None or not int(pair.group(2)):
        return None
    value = Fraction(int(pair.group(1)), int(pair.group(2)))
    return Draft(hit, pair.end(), kind=Kind.RATIO_PAIR, exact=value, unit=ONE)


def _number(text: str, hit: int, floor: int, symbols: frozenset[str], named: Callable[[int], bool]) -> list[Draft]:
    if text[hit - 1 : hit] in ("^", "{", "*") and _symbol_power(text, hit):
        end = hit
        while text[end : end + 1].isdecimal() and end - hit < 4:
            end += 1
        return [Draft(hit, end, kind=Kind.IDENTIFIER, rule="exponent")]
    draft = literal(text, hit)
    following = text[draft.end : draft.end + 1]
    if following.isdecimal() and not following.isascii():
        return [foreign_run(text, hit)]
    _leading_point(text, draft, floor)
    if draft.error:
        _sign(text, draft, floor)
        return [draft]
    _sign(text, draft, floor)
    _currency(text, draft, floor)
    second = _concise(text, draft)
    end = draft.end
    if second is not None:
        draft.end = draft.right = second.end + 1
    parts = attach(text, draft, named)
    if second is not None:
        draft.end = end
    if draft.kind is Kind.IDENTIFIER and draft.rule == "joined-to-letters":
        found = identifier(text, hit, max(floor, draft.start))
        found.start = found.left = draft.start
        return [found]
    read_left(text, draft, floor, symbols)
    _ratio_words(text, draft, floor)
    if draft.kind is Kind.VERSION and text[draft.end : draft.end + 1] == "+":
        draft.end = draft.right = _local_version(text, draft.end)
    if second is not None:
        _settle_concise(draft, second)
        return [draft, second, *parts]
    return [draft, *parts]


def _symbol_power(text: str, hit: int) -> bool:
    """Whether digits are the exponent of a symbol (``O(N^2)``) that no equation evaluates."""
    if not _SYMBOL_BASE.search(text, max(0, hit - 24), hit):
        return False
    match = _EXPONENT_END.match(text, hit)
    return (
        match is not None
        and not _EVALUATED.match(text, match.end())
        and not _RESULT_BEFORE.search(text, max(0, hit - 48), hit)
    )


def _local_version(text: str, end: int) -> int:
    stop = end + 1
    while stop < len(text) and (text[stop].isalnum() or (text[stop] in "._" and text[stop + 1 : stop + 2].isalnum())):
        stop += 1
    return stop if stop > end + 1 else end


def _leading_point(text: str, draft: Draft, floor: int) -> None:
    start = draft.start
    if start <= floor or text[start - 1] != "." or draft.error or draft.kind is not Kind.MEASURE or draft.grouping:
        return
    if start - 2 >= floor and (text[start - 2].isalnum() or text[start - 2] in "._)"):
        return
    size = len(str(draft.digits)) if draft.exact is None and not draft.point else 0
    printed = text[start : draft.end]
    if not size or not printed.isdigit():
        return
    draft.start = draft.left = start - 1
    draft.decimals, draft.exponent, draft.point = len(printed), -len(printed), True


def _sign(text: str, draft: Draft, floor: int) -> None:
    at = draft.start - 1
    if at < floor or text[at] not in _SIGNS or text[max(0, at - 2) : at + 1] in ("+/-",):
        return
    if at > 0 and text[at - 1] not in _BEFORE_SIGN:
        return
    if text[at] == "+" and text[at + 1 : at + 2] == "-":
        return
    draft.start = draft.left = at
    draft.sign = 1 if text[at] == "+" else -1
    draft.rule = "signed"


def _currency(text: str, draft: Draft, floor: int) -> None:
    low = max(floor, draft.start - 5)
    if text[draft.start - 1 : draft.start] not in ("$", "₹", "€", " ", "\u00a0", "D", "R", "s", "."):
        return
    match = _CURRENCY.search(text[low : draft.start])
    if match is None:
        return
    sign = match.group().strip().rstrip(".")
    draft.unit = parse_unit(CURRENCY[sign])
    draft.unit_text = sign
    draft.left = low + match.start()


def _concise(text: str, draft: Draft) -> Draft | None:
    """``685(12)``: an uncertainty in units of the last digit."""
    if draft.exact is not None or draft.rule == "scientific" or draft.kind is not Kind.MEASURE:
        return None
    match = _CONCISE.match(text, draft.end)
    if match is None or len(match.group(1)) > len(str(draft.digits)) or draft.digits < 10:
        return None
    second = Draft(match.start(1), match.end(1), kind=Kind.UNCERTAINTY)
    second.digits, second.exponent = int(match.group(1)), draft.exponent
    second.point, second.decimals = draft.point, draft.decimals
    return second


def _settle_concise(draft: Draft, second: Draft) -> None:
    if draft.kind not in (Kind.MEASURE, Kind.PERCENT, Kind.RATIO, Kind.CHANGE):
        second.kind, second.rule = Kind.REFERENCE, "bracketed"
        return
    second.unit, second.unit_text, second.factor = draft.unit, draft.unit_text, draft.factor
    second.right = max(second.end, draft.right)
    draft.uncertainty = second


def _ratio_words(text: str, draft: Draft, floor: int) -> None:
    """``a factor of 3`` and ``×2`` are ratios."""
    if draft.kind is not Kind.MEASURE or draft.unit is not None or draft.suffix:
        return
    window = text[max(floor, draft.left - 40) : draft.left]
    if window.endswith(
        ("of ", "about ", "roughly ", "over ", "to ", "nearly ", "almost ", "least ", "than ", "~", "≈")
    ):
        if _FACTOR.search(window):
            draft.kind, draft.unit = Kind.RATIO, ONE
    elif window.endswith("×") and (len(window) == 1 or window[-2] in " (~≈"):
        draft.kind, draft.unit, draft.unit_text, draft.left = Kind.RATIO, ONE, "×", draft.left - 1
