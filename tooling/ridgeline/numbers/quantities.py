"""What is printed to the right of a number: magnitude suffix, percent sign, times sign, unit."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.units import ONE, SOFT, Unit, symbol

SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12, "bn": 10**9, "mn": 10**6, "b": 10**9}
WORDS = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "lakh": 10**5,
    "lakhs": 10**5, "crore": 10**7, "crores": 10**7, "bn": 10**9, "mn": 10**6,
}  # fmt: skip
PERCENT = Unit(Fraction(1, 100))
POINT = Unit(Fraction(1), (("pp", 1),))
CURRENCY = {"$": "USD", "₹": "INR", "€": "EUR", "USD": "USD", "INR": "INR", "EUR": "EUR", "Rs": "INR", "US$": "USD"}

#: Counts that are no unit of their own beside a number ("32 layers"), though they are below a "per".
_COUNTS = frozenset(
    {"layer", "head", "element", "sequence", "pin", "unit", "lane", "transfer", "link", "expert", "request"}
)
_NEVER_ALONE = frozenset({"m", "T", "1", "op", "$", "%", "percent", "weight", "value", "clock", "clocks"})
_WORD = lazy(r"[A-Za-zµμ$₹€]+")
_PER = lazy(r"\s{1,2}per\s{1,2}|[ \u00a0]?/[ \u00a0]?|\s{1,2}an?\s(?=(?:hour|second|minute|day|token|GPU)\b)")
_TIMES = lazy(r"[·⋅]")
_POWER = lazy(r"\^-?([1-9])|([²³])")
_PART = lazy(r"([0-9][0-9,]*)([ \u00a0]?[kKMB])?(?=[ \u00a0A-Za-z])[ \u00a0]?")
_DEVICE_TIME = lazy(r"[- \u00a0](?=(?:hours?|hrs?|days?|seconds?|minutes?|years?)\b)")
_ROUND = lazy(r"[1-9]0{0,9}$")
_QUALIFIED = lazy(r"(?:input|output|prompt|completion|generated|cached|decoded|prefill|blended)\s(?=tok)")
_SCALE = lazy(
    r"(thousand|million|billion|trillion)[ \u00a0]|([KMB])[ \u00a0]?(?=(?:(?:input|output|prompt)[ \u00a0])?tok)"
)


@dataclass(frozen=True, slots=True)
class Printed:
    """A unit as printed: where its text ends, and the digits inside it (``per 1M tokens``, ``m^2``)."""

    unit: Unit
    end: int
    parts: list[tuple[int, int]] = field(default_factory=list)


@lru_cache(maxsize=8192)
def _known(word: str) -> Unit | None:
    unit = symbol(word)
    if unit is None and word.endswith("s") and len(word) > 4:
        unit = symbol(word[:-1])
    return unit


def printed_unit(text: str, at: int) -> Printed | None:
    """The unit whose text starts at ``at``: ``TB/s``, ``KiB per token``, ``USD per million tokens``; longest reading."""
    first = _factor(text, at)
    if first is None:
        return None
    unit, end, parts = first
    word = text[at:end]
    time = _DEVICE_TIME.match(text, end) if unit.factors == (("gpu", 1),) else None
    joined = _factor(text, time.end()) if time else None
    if joined is not None:
        unit, end = unit * joined[0], joined[1]
    found = _tail(text, end, unit, parts)
    if found.end == end and (word in _NEVER_ALONE or (len(unit.factors) == 1 and unit.factors[0][0] in _COUNTS)):
        return None
    return found


def divided(text: str, at: int, unit: Unit) -> Printed:
    """A unit that stands before the number (a currency sign), with what it is divided by after the number."""
    return _tail(text, at, unit, [])


def _tail(text: str, end: int, unit: Unit, parts: list[tuple[int, int]]) -> Printed:
    for _ in range(4):
        per = _PER.match(text, end)
        if per:
            below = _denominator(text, per.end(), "/" in per.group())
            if below is None or (below.parts and below.unit.factors == unit.factors):
                break  # "8,000 tokens / 1,000 tokens" divides
            unit, end = unit / below.unit, below.end
            parts = parts + below.parts
            continue
        times = _TIMES.match(text, end)
        more = _factor(text, times.end()) if times else None
        if more is None:
            break
        unit, end = unit * more[0], more[1]
        parts = parts + more[2]
    return Printed(unit, end, parts)


def _factor(text: str, at: int) -> tuple[Unit, int, list[tuple[int, int]]] | None:
    match = _WORD.match(text, at)
    if match is None:
        return None
    unit = _known(match.group())
    if unit is None:
        return None
    end = match.end()
    following = text[end : end + 1]
    if following == "_" or (following.isdigit() and following not in "²³"):
        return None
    if following and following in "^²³":
        power = _POWER.match(text, end)
        if power:
            exponent = int(power.group(1)) if power.group(1) else {"²": 2, "³": 3}[power.group(2)]
            digit = power.end() - 1
            return unit**exponent, power.end(), [(digit, digit + 1)]
    return unit, end, []


def _countable(text: str, unit: Unit, end: int, slash: bool) -> bool:
    """Whether a printed number before a unit counts it: a soft unit, or a time after *per*, that nothing divides again."""
    if len(unit.factors) != 1 or unit.factors[0][1] != 1 or _PER.match(text, end):
        return False
    base = unit.factors[0][0]
    return base in SOFT or (base == "s" and not slash)


def _denominator(text: str, at: int, slash: bool) -> Printed | None:
    parts: list[tuple[int, int]] = []
    scale = Fraction(1)
    part = _PART.match(text, at)
    if part:
        digits = part.group(1).replace(",", "")
        suffix = (part.group(2) or "").strip()
        if len(digits) > 12 or (slash and not suffix and len(digits) < 4) or not (suffix or _ROUND.match(digits)):
            return None  # 80 GB/2 s and 165 TFLOP/s / 1008 GB/s divide two quantities
        scale = Fraction(int(digits) * SUFFIXES.get(suffix, 1))
        parts.append((part.start(), part.end(2) if suffix else part.end(1)))
        at = part.end()
    word = _SCALE.match(text, at)
    if word:
        scale *= WORDS.get(word.group(1)) or SUFFIXES[word.group(2)]
        at = word.end()
    qualified = _QUALIFIED.match(text, at)
    first = _factor(text, qualified.end() if qualified else at)
    if first is None or not scale:
        return None
    unit, end, digits_inside = first
    if part and not _countable(text, unit, end, slash):
        return None
    if text[end : end + 1] == "-":
        joined = _factor(text, end + 1)  # GPU-hour
        if joined is not None:
            unit, end = unit * joined[0], joined[1]
    return Printed(Unit(scale) * unit, end, parts + digits_inside)


__all__ = ["CURRENCY", "ONE", "PERCENT", "POINT", "SUFFIXES", "WORDS", "Printed", "divided", "printed_unit"]
