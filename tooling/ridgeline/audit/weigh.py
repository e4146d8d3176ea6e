"""A printed numeral of a stranger's text held against a computed value: right, wrong, or not certain.

Stricter than :mod:`ridgeline.figures.compare` in one way only: what a reasonable author may have meant is never called
wrong. ``KB`` may be 1000 or 1024 bytes, a hedged figure may be rounded to its last significant digit, a truncated one is
left undecided.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from ridgeline.audit.claim import Judgment, Status
from ridgeline.figures.compare import Grade, Verdict, compare, midpoint, short, with_unit
from ridgeline.figures.printing import show, show_beside
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import holds
from ridgeline.numbers.interval import Interval, exact_text
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import Unit

_TIMES = frozenset({Comparator.APPROX, Comparator.NEARLY, Comparator.JUST_OVER})
_BINARY = Fraction(1024, 1000)


def weigh(
    numeral: Numeral, truth: Quantity, because: str, *, by: str = "", unit: Unit | None = None, stated: bool = False
) -> Judgment:
    """One candidate value. ``unit`` is the unit of a numeral that prints none (a table's header)."""
    verdict = compare(numeral, truth, in_unit=unit)
    if not verdict.holds and numeral.unit_text.startswith(("KB", "K bytes")):
        other = compare(in_kibibytes(numeral), truth, in_unit=unit)
        verdict = other if other.holds else verdict
    return judgment(numeral, truth, verdict, because, by=by, unit=unit, stated=stated)


def judgment(
    numeral: Numeral,
    truth: Quantity,
    verdict: Verdict,
    because: str,
    *,
    by: str = "",
    unit: Unit | None = None,
    stated: bool = False,
) -> Judgment:
    """The word on a numeral whose verdict is known."""
    seen = numeral if numeral.unit is not None or unit is None else with_unit(numeral, unit)
    computed, shown = told(seen, truth)
    grade = verdict.grade.value if verdict.grade else ""
    if verdict.grade is None or verdict.grade is Grade.UNINFORMATIVE or "dimensions differ" in verdict.because:
        return Judgment(Status.UNDECIDED, f"{because}; {verdict.because}", grade, computed, shown, by, stated)
    if verdict.grade is Grade.OVERLAP and not _meets(seen, truth):
        why = f"{because}: only within the rounding of the inputs, which give {shown}"
        return Judgment(Status.UNDECIDED, why, grade, computed, shown, by, stated)
    if verdict.holds:
        plain = verdict.grade in (Grade.EXACT, Grade.OVERLAP) and not verdict.tie
        why = because if plain else f"{because}; {verdict.because}"
        return Judgment(Status.RIGHT, why, grade, computed, shown, by, stated)
    if verdict.grade is Grade.ROUNDING or loosely(seen, truth):
        note = "truncated" if verdict.grade is Grade.ROUNDING else "only to its leading digit"
        return Judgment(Status.UNDECIDED, f"{because}: holds {note}", grade, computed, shown, by, stated)
    why = f"{because}: {verdict.because}" if verdict.because not in because else because
    return Judgment(Status.WRONG, why, grade, computed, shown, by, stated)


def settle(numeral: Numeral, candidates: Iterable[tuple[Quantity, str]], *, certain: bool, by: str) -> Judgment | None:
    """The same for exact candidates with their reasons, the likeliest first; the costly words only for the one that counts."""
    found = list(candidates)
    if not found:
        return None
    factor = numeral.base_factor
    for quantity, because in found:
        if holds(numeral, quantity.middle / factor):
            word = weigh(numeral, quantity, because, by=by)
            if word.status is Status.RIGHT:
                return word
    for quantity, because in found:
        if numeral.unit_text.startswith("KB") or loosely(numeral, quantity):
            word = weigh(numeral, quantity, because, by=by)
            if word.status is not Status.WRONG:
                return word
    return best([weigh(numeral, found[0][0], found[0][1], by=by)], certain=certain)


def _meets(numeral: Numeral, truth: Quantity) -> bool:
    """Whether the inputs as printed, taken as exact, give what is printed."""
    factor = numeral.base_factor
    middle = truth.middle / factor
    return any(i is not None and i.contains(middle) for i in (numeral.interval, numeral.alternative_interval))


def best(judgments: Iterable[Judgment], *, certain: bool, first: bool = False) -> Judgment | None:
    """The word of several candidate values: right if any is; wrong only if all are and ``certain`` says so."""
    found = list(judgments)
    if not found:
        return None
    for status in (Status.RIGHT, Status.UNDECIDED):
        for one in found:
            if one.status is status:
                return one
    # The first candidate is the likeliest meaning; one whose error has a named factor explains more.
    named = found[0] if first else next((j for j in found if j.grade == Grade.SCALE.value), found[0])
    if certain:
        return named
    return replace(named, status=Status.UNDECIDED, because=f"{named.because} (but another quantity may be meant)")


def scaled(numeral: Numeral, factor: Fraction) -> Numeral:
    """The numeral as if its unit were ``factor`` times as large."""

    def value(x: Fraction | None) -> Fraction | None:
        return None if x is None else x * factor

    def interval(x: Interval | None) -> Interval | None:
        return None if x is None else x.scaled(factor)

    return replace(
        numeral,
        value=value(numeral.value),
        step=value(numeral.step),
        interval=interval(numeral.interval),
        alternative=value(numeral.alternative),
        alternative_interval=interval(numeral.alternative_interval),
        tight=interval(numeral.tight),
    )


def in_kibibytes(numeral: Numeral) -> Numeral:
    """A numeral in ``KB`` as if KiB were printed."""
    return scaled(numeral, _BINARY)


def significant(numeral: Numeral) -> Fraction:
    """The place of the last digit that is not a trailing zero, in base units; the last place where a point is printed."""
    step = numeral.step or Fraction(0)
    digits = "".join(c for c in numeral.text if c.isdigit())
    if "." in numeral.text or not digits.strip("0"):
        return step
    return step * Fraction(10 ** (len(digits) - len(digits.rstrip("0"))))


def loosely(numeral: Numeral, truth: Quantity) -> bool:
    """Whether a hedged figure, or a small round ratio, holds when rounded to its last significant digit."""
    if numeral.value is None or not (numeral.comparator in _TIMES or numeral.kind is Kind.WORD):
        return False
    factor = numeral.base_factor
    middle = midpoint(truth.interval, Fraction(0)) / factor
    slack = max(significant(numeral) / 2, abs(numeral.value) / 10)
    return abs(middle - numeral.value) <= slack


def told(numeral: Numeral, truth: Quantity) -> tuple[str, str]:
    """A computed value in base units of the numeral, and for people."""
    factor = numeral.base_factor
    value = truth.middle / factor
    text = exact_text(value) if truth.exact else short(value)
    shown = show_beside(truth, numeral) if numeral.unit is not None else show(truth)
    if numeral.kind is Kind.RATIO and numeral.unit_text in ("x", "×"):
        shown = f"{short(value)}x"
    return (text if len(text) <= 40 else short(value)), shown
