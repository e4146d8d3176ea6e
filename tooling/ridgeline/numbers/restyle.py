"""The token that replaces a printed numeral: same sign glyph, decimals, grouping, suffix and unit, new value."""

from __future__ import annotations

import re
from fractions import Fraction

from ridgeline.numbers.compare import holds
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.quantities import SUFFIXES, WORDS

_TOKEN = lazy(
    r"(?P<sign>[-−+–]?)(?P<number>[0-9.](?:[0-9,._\u2009\u202f\u00a0]|\{,\}|\\,)*)"
    r"(?P<power>[eE][+\-−]?[0-9]+|\s?(?:[x×·⋅*]|\\times|\\cdot)\s?10[\^*{}+\-−0-9⁺⁻⁰¹²³⁴-⁹]+)?(?P<suffix>\s?[A-Za-z]+)?$"
)
_POWER = lazy(r"([+\-−]?[0-9]+)\}?$")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_KEPT = frozenset(
    {Kind.MEASURE, Kind.PERCENT, Kind.PERCENT_POINT, Kind.CHANGE, Kind.RATIO, Kind.UNCERTAINTY, Kind.CONSTANT}
)
_BOUNDS = frozenset(
    {Comparator.GT, Comparator.GE, Comparator.LT, Comparator.LE, Comparator.NEARLY, Comparator.JUST_OVER}
)


def restyle(numeral: Numeral, value: Fraction) -> str | None:
    """The text for a new value (in base units), or ``None`` where a person must edit the sentence.

    ``None``: the sign or the magnitude suffix would flip, the value rounds to nothing, a comparator or a nominal size
    no longer fits, the numeral is a word, a name or an error, or an exact operand cannot be printed exactly.
    """
    if numeral.kind not in _KEPT or numeral.vague or numeral.value is None or numeral.comparator is Comparator.NOMINAL:
        return None
    token = _TOKEN.match(numeral.text)
    if token is None or not numeral.step or (numeral.value == 0 and value < 0):
        return None
    if numeral.comparator in _BOUNDS and not holds(numeral, value):
        return None
    if value and numeral.value and (value < 0) != (numeral.value < 0):
        return None
    return _written(numeral, token, abs(value))


def _written(numeral: Numeral, token: re.Match[str], size: Fraction) -> str | None:
    assert numeral.step is not None and numeral.value is not None
    place = Fraction(1, 10**numeral.decimals)
    scale = numeral.step / place  # base units in one printed unit, suffix and exponent included
    if numeral.alternative is not None and _binary(size, scale):
        scale = scale * 1024 / 1000
    printed = size / scale
    step = _significant(numeral, place)
    rounded = _rounded(printed, step, numeral.comparator)
    if (rounded == 0 and size) or (numeral.kind is Kind.CONSTANT and rounded != printed):
        return None
    old = abs(numeral.value) / (numeral.step / place)
    if not _same_magnitude(token, old, rounded):
        return None
    if numeral.comparator in (Comparator.GT, Comparator.LT) and rounded == printed:
        rounded += -step if numeral.comparator is Comparator.GT else step
    if rounded <= 0 and size:
        return None
    digits = _digits(rounded, numeral.decimals)
    whole, dot, fraction = digits.partition(".")
    if token["number"].startswith(".") and whole == "0":
        whole = ""
    number = _grouped(whole, numeral, token["number"]) + dot + fraction
    return f"{token['sign']}{number}{token['power'] or ''}{token['suffix'] or ''}"


def _binary(size: Fraction, scale: Fraction) -> bool:
    """Whether a new value of a set-valued ``8k`` is a whole number of 1024s and not of 1000s."""
    return size % (scale * 1024 / 1000) == 0 and size % scale != 0


def _significant(numeral: Numeral, place: Fraction) -> Fraction:
    """The step to round at: under a hedge the last significant digit of what was printed, else the last digit."""
    assert numeral.value is not None and numeral.step is not None
    if numeral.comparator is not Comparator.APPROX or numeral.decimals:
        return place
    units = abs(numeral.value) / numeral.step
    step = place
    while units and units % 10 == 0:
        units /= 10
        step *= 10
    return step


def _rounded(value: Fraction, step: Fraction, comparator: Comparator) -> Fraction:
    """Half away from zero; a bound is rounded to the side on which it stays true."""
    steps = value / step
    if comparator in (Comparator.GT, Comparator.GE, Comparator.JUST_OVER):
        return (steps.numerator // steps.denominator) * step
    if comparator in (Comparator.LT, Comparator.LE, Comparator.NEARLY):
        return -(-steps.numerator // steps.denominator) * step
    return ((2 * steps.numerator + steps.denominator) // (2 * steps.denominator)) * step


def _same_magnitude(token: re.Match[str], old: Fraction, new: Fraction) -> bool:
    """A mantissa stays between 1 and 10, a number with a suffix between 1 and 1000, where they were so before."""
    if token["power"]:
        return not 1 <= old < 10 or 1 <= new < 10
    suffix = (token["suffix"] or "").strip()
    if suffix in SUFFIXES or suffix in WORDS:
        ceiling = 100 if suffix.startswith("lakh") else 1000
        return (old < 1 or new >= 1) and (old >= ceiling or new < ceiling)
    return True


def _digits(value: Fraction, decimals: int) -> str:
    scaled = str(int(value * 10**decimals))
    if not decimals:
        return scaled
    scaled = scaled.rjust(decimals + 1, "0")
    return f"{scaled[:-decimals]}.{scaled[-decimals:]}"


def _grouped(whole: str, numeral: Numeral, printed: str) -> str:
    if not numeral.grouping:
        return whole
    separator = next((char for char in printed if not char.isdigit() and char != "."), ",")
    separator = {"{": "{,}", "\\": "\\,"}.get(separator, separator)
    if len(whole) <= 3:
        return whole
    size = 2 if numeral.grouping == "indian" else 3
    head, groups = whole[:-3], [whole[-3:]]
    while head:
        groups.insert(0, head[-size:])
        head = head[:-size]
    return separator.join(groups)
