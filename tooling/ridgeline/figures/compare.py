"""A printed numeral held against a true value: whether it holds, how far, and how loudly to say so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Literal, Protocol

from ridgeline.figures.equation_scale import find_factor, superscript, thousand
from ridgeline.numbers.interval import Interval, exact_text
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import Dimension, Unit, describe, hard

_ONE = Fraction(1)
LevelName = Literal["ok", "info", "warning", "error"]

#: Characters of an end of an interval in a message.
_LONGEST = 60
#: A computed interval wider than this part of its middle says too little to confirm a printed value.
WIDE = Fraction(1, 10)

_RATIOS = frozenset({Kind.RATIO, Kind.RATIO_PAIR, Kind.WORD})
_ONE_SIDED = frozenset({Comparator.GT, Comparator.GE, Comparator.LT, Comparator.LE})
_ABOVE = frozenset({Comparator.GT, Comparator.GE, Comparator.JUST_OVER})
_ROUNDED = frozenset({Comparator.EQ, Comparator.RANGE_LO, Comparator.RANGE_HI})


class Quantity(Protocol):
    """What a numeral is held against: :class:`ridgeline.formulas.quantity.Quantity`, or anything of its shape.

    ``value`` is in canonical base units of ``dimension``.
    """

    @property
    def value(self) -> Fraction | Interval: ...

    @property
    def dimension(self) -> Dimension: ...


class Grade(StrEnum):
    """How a printed value stands to the true one, loudest last."""

    EXACT = "exact"
    UNINFORMATIVE = "uninformative"
    OVERLAP = "overlap"
    DOUBLE_ROUNDING = "double-rounding"
    ROUNDING = "rounding"
    SCALE = "scale"
    WRONG = "wrong"
    DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison found.

    ``holds``: the printed value may stand. ``factor``: printed over true, where it has a name (``1.024^-3``, ``10^3``).
    ``tie``: the truth lies exactly half-way between two printable values. ``nearest``: the true value in base units of
    the numeral's unit, ready to be printed in its place. ``grade`` is ``None`` only where nothing could be computed;
    ``unknown`` then holds the names that stood in the way, and nothing is claimed either way. ``words_stand``: what the
    sentence says of the number is true, only its digits are not; ``digits_stand``: the other way round.
    """

    grade: Grade | None
    holds: bool
    level: LevelName
    because: str
    factor: str = ""
    tie: bool = False
    nearest: Fraction | None = None
    unknown: tuple[str, ...] = ()
    words_stand: bool = False
    digits_stand: bool = False


@dataclass(frozen=True, slots=True)
class _Printed:
    """One reading of a numeral: ``value``, the ``step`` of its last digit, and the ``interval`` in which it holds."""

    value: Fraction
    step: Fraction
    interval: Interval

    @property
    def plain(self) -> Interval:
        return Interval(self.value - self.step / 2, self.value + self.step / 2)


def compare(
    numeral: Numeral,
    truth: Quantity,
    *,
    printed_truth: Quantity | None = None,
    in_unit: Unit | None = None,
) -> Verdict:
    """Hold ``numeral`` against ``truth`` (in canonical base units).

    ``printed_truth`` is the same value computed from inputs as they are printed, rounded; where only that fits, the
    grade is ``double-rounding``. ``in_unit`` is the unit of a numeral that prints none but whose unit is known
    otherwise (an operand of a bound equation, a table's header); see :func:`customary_unit`.
    """
    if numeral.value is None or numeral.interval is None:
        why = numeral.error or ("vague: bind it or mark it" if numeral.vague else "no value can be read from it")
        return Verdict(Grade.UNINFORMATIVE, False, "info", f"“{numeral.text}”: {why}")
    if numeral.unit is None and in_unit is not None:
        numeral = with_unit(numeral, in_unit)
    unit = numeral.unit
    if unit is not None and hard(unit.dimension) != hard(truth.dimension):
        return _dimension_error(unit.dimension, truth.dimension)
    in_base = 1 / numeral.base_factor
    true = as_interval(truth.value).scaled(in_base)
    from_printed = None if printed_truth is None else as_interval(printed_truth.value).scaled(in_base)
    verdicts = [_grade(numeral, reading, true, from_printed, truth.dimension) for reading in _readings(numeral)]
    best = min(verdicts, key=_loudness)
    note = _soft_note(unit, truth.dimension)
    if note:
        best = replace(best, because=f"{best.because}; {note}", level="info" if best.level == "ok" else best.level)
    return best


def as_interval(value: Fraction | Interval) -> Interval:
    """``value`` as an interval; an exact value is a point."""
    return value if isinstance(value, Interval) else Interval.point(value)


def with_unit(numeral: Numeral, unit: Unit) -> Numeral:
    """A bare numeral as if ``unit`` stood beside it: value, step and intervals scaled into the unit's base."""

    def value(x: Fraction | None) -> Fraction | None:
        return None if x is None else x * unit.scale

    def interval(x: Interval | None) -> Interval | None:
        return None if x is None else x.scaled(unit.scale)

    return replace(
        numeral,
        unit=unit,
        value=value(numeral.value),
        step=value(numeral.step),
        interval=interval(numeral.interval),
        alternative=value(numeral.alternative),
        alternative_interval=interval(numeral.alternative_interval),
        tight=interval(numeral.tight),
    )


def customary_unit(numeral: Numeral, truth: Quantity, *, nearest: bool = False) -> Unit | None:
    """The unit in which ``truth`` prints as the bare ``numeral``: base, else a prefixed one; ``None`` where none does.

    ``3350`` for 3.35e12 byte/s gives GB/s. A byte is also tried as KiB to TiB, a pure number as a percentage. With
    ``nearest``, a truth that prints otherwise (a stale numeral) takes the power of 10³ that comes closest.
    """
    if numeral.interval is None or numeral.value is None:
        return None
    true = as_interval(truth.value)
    for scale, inverse in _customary_scales(truth.dimension):
        if true.scaled(inverse).within(numeral.interval):
            return Unit(scale, truth.dimension)
    middle = midpoint(true, Fraction(0))
    if not nearest or not numeral.value or not middle or not truth.dimension:
        return None
    ratio = abs(middle / numeral.value)
    for n in range(-5, 8):
        scale = Fraction(1000) ** n
        if scale * scale <= ratio * ratio * 1000 and ratio * ratio < scale * scale * 1000:
            return Unit(scale, truth.dimension)
    return None


@lru_cache(maxsize=512)
def _customary_scales(dimension: Dimension) -> list[tuple[Fraction, Fraction]]:
    """Scales that a quantity is customarily printed in, each with its inverse; base units first."""
    scales = [Fraction(1)]
    if not dimension:
        scales += [Fraction(1, 100)]
    elif hard(dimension):
        scales += [Fraction(1000) ** n for n in (3, 4, 2, 1, 5, 6, -1, -2, -3, -4)]
    else:
        scales += [Fraction(1000) ** n for n in (1, 2, 3, 4)]
    if any(symbol == "byte" for symbol, _ in dimension):
        scales += [Fraction(1024) ** n for n in (3, 2, 1, 4)]
    if any(symbol == "s" for symbol, _ in dimension):
        scales += [Fraction(3600), Fraction(1, 3600)]
    return [(scale, 1 / scale) for scale in scales]


def _readings(numeral: Numeral) -> list[_Printed]:
    assert numeral.value is not None and numeral.interval is not None
    step = numeral.step if numeral.step is not None else Fraction(0)
    readings = [_Printed(numeral.value, step, numeral.interval)]
    if numeral.alternative is not None and numeral.alternative_interval is not None:
        scale = numeral.alternative / numeral.value if numeral.value else Fraction(1)
        readings.append(_Printed(numeral.alternative, step * scale, numeral.alternative_interval))
    return readings


def _loudness(verdict: Verdict) -> tuple[bool, int]:
    return (not verdict.holds, list(Grade).index(verdict.grade) if verdict.grade else 0)


def _grade(
    numeral: Numeral, printed: _Printed, true: Interval, from_printed: Interval | None, dimension: Dimension
) -> Verdict:
    middle = midpoint(true, printed.value)
    if true.within(printed.interval):
        return _holding(numeral, printed, true, middle)
    if true.overlaps(printed.interval):
        grade = Grade.UNINFORMATIVE if is_wide(true) else Grade.OVERLAP
        how = "too far apart to tell" if grade is Grade.UNINFORMATIVE else "only partly in what is printed"
        because = f"the true value lies {_between(true, printed, numeral)}, {how}"
        return Verdict(grade, grade is Grade.OVERLAP, "info", because, nearest=middle)
    flipped = _flip(numeral, printed, middle)
    if not flipped and from_printed is not None and _fits(from_printed, printed):
        because = f"{told(middle, numeral)} from the records; right only from the printed, rounded inputs"
        return Verdict(Grade.DOUBLE_ROUNDING, True, "info", because, nearest=middle)
    if not flipped and numeral.comparator in _ROUNDED and _truncated(printed, middle):
        because = f"{told(middle, numeral)} was truncated, not rounded to the nearest"
        return Verdict(Grade.ROUNDING, False, "warning", because, nearest=middle)
    return _failing(numeral, printed, middle, dimension, flipped)


def _holding(numeral: Numeral, printed: _Printed, true: Interval, middle: Fraction) -> Verdict:
    plain = printed.plain
    if numeral.comparator in _ROUNDED and printed.step and true.exact and middle in (plain.low, plain.high):
        because = f"{told(middle, numeral)} is an exact tie between two printable values"
        return Verdict(Grade.EXACT, True, "info", because, tie=True, nearest=middle)
    if numeral.comparator in _ONE_SIDED and _loose(numeral, true):
        because = f"holds, but is not tight: the true value is {told(middle, numeral)}"
        return Verdict(Grade.EXACT, True, "info", because, nearest=middle)
    return Verdict(Grade.EXACT, True, "ok", f"{told(middle, numeral)} agrees with what is printed", nearest=middle)


def _loose(numeral: Numeral, true: Interval) -> bool:
    """Whether the truth lies beyond the last printed digit of a lower bound: over 1.8x, and it is 2.4x."""
    if numeral.comparator not in _ABOVE or numeral.tight is None:
        return False
    limit = numeral.tight.high
    return limit is not None and true.low is not None and true.low > limit


def _fits(from_printed: Interval, printed: _Printed) -> bool:
    return from_printed.within(printed.interval) or (
        from_printed.overlaps(printed.interval) and not is_wide(from_printed)
    )


def _truncated(printed: _Printed, true: Fraction) -> bool:
    if not printed.step:
        return False
    if printed.value < 0 or (printed.value == 0 and true < 0):
        return printed.value - printed.step < true <= printed.value
    return printed.value <= true < printed.value + printed.step


def _flip(numeral: Numeral, printed: _Printed, true: Fraction) -> str:
    """Why the claim itself turns round, or ``""``."""
    value = printed.value
    if true and value and (true > 0) != (value > 0):
        return f"the sign is the other way: {told(true, numeral)}"
    if numeral.comparator in _ONE_SIDED:
        return f"the bound is violated: the true value is {told(true, numeral)}"
    if numeral.comparator is Comparator.NEARLY and true >= value:
        return f"the true value, {told(true, numeral)}, is not below what is printed"
    if numeral.comparator is Comparator.JUST_OVER and true <= value:
        return f"the true value, {told(true, numeral)}, is not above what is printed"
    if numeral.kind in _RATIOS and ((value > 1 and true <= 1) or (value < 1 and true >= 1)):
        inverse = " (the inverse ratio is printed)" if true and printed.plain.contains(1 / true) else ""
        return f"the ratio is on the other side of 1: {told(true, numeral)}{inverse}"
    return ""


def _failing(numeral: Numeral, printed: _Printed, true: Fraction, dimension: Dimension, flipped: str) -> Verdict:
    narrow = printed.interval if numeral.comparator is Comparator.APPROX else printed.plain
    factor = None
    if numeral.unit is None and dimension:
        n = thousand(true, narrow)
        if n is not None:
            text = f"off by exactly 10{superscript(3 * abs(n))}: units?"
            because = f"{text} no unit is printed, and the true value is {short(true)} {describe(dimension)}"
            grade = Grade.DECISION if flipped else Grade.SCALE
            return Verdict(grade, False, "error", because, f"10^{3 * n}", nearest=true)
    if printed.step:
        factor = find_factor(true, narrow, dimension, numeral.unit)
    if flipped:
        because = flipped + (f"; printed is {factor.text} times the truth: {factor.cause}" if factor else "")
        return Verdict(Grade.DECISION, False, "error", because, factor.text if factor else "", nearest=true)
    if factor:
        because = f"the true value is {told(true, numeral)}; printed is {factor.text} times that: {factor.cause}"
        return Verdict(Grade.SCALE, False, "error", because, factor.text, nearest=true)
    because = f"the true value is {told(true, numeral)}"
    if printed.step and printed.value - printed.step < true <= printed.value:
        because += ", rounded up here; if the first integer that crosses is meant, write ceil(…)"
    return Verdict(Grade.WRONG, False, "error", because, nearest=true)


def _dimension_error(printed: Dimension, true: Dimension) -> Verdict:
    because = f"the dimensions differ: {describe(printed)} is printed, the value is in {describe(true)}"
    return Verdict(Grade.WRONG, False, "error", because)


def _soft_note(unit: Unit | None, true: Dimension) -> str:
    if unit is None:
        return ""
    printed_soft, true_soft = (tuple(p for p in d if p not in hard(d)) for d in (unit.dimension, true))
    if not printed_soft or not true_soft or printed_soft == true_soft:
        return ""
    return f"counted in {describe(printed_soft)} here, in {describe(true_soft)} in the records"


def is_wide(interval: Interval) -> bool:
    """Whether an interval is wider than a tenth of its middle, or has no middle."""
    if interval.low is None or interval.high is None:
        return True
    return interval.high - interval.low > WIDE * abs(interval.low + interval.high) / 2


def midpoint(interval: Interval, otherwise: Fraction) -> Fraction:
    """The middle of an interval; its only end where the other is infinite."""
    if interval.low is None:
        return otherwise if interval.high is None else interval.high
    return interval.low if interval.high is None else (interval.low + interval.high) / 2


def _between(true: Interval, printed: _Printed, numeral: Numeral) -> str:
    """Both ends of an interval, in the numeral's own unit, with one digit more than is printed, rounded outward."""
    scale = numeral.unit.scale if numeral.unit is not None and printed.step else Fraction(1)
    fine = printed.step / scale / 10

    def end(value: Fraction | None, up: bool) -> str:
        if value is None:
            return "infinity"
        if not fine:
            return told(value, numeral)
        steps = value / scale / fine
        text = exact_text((-(-steps // 1) if up else steps // 1) * fine)
        return text if len(text) <= _LONGEST and "/" not in text else told(value, numeral)

    return f"between {end(true.low, False)} and {end(true.high, True)} {numeral.unit_text}".rstrip()


def short(value: Fraction) -> str:
    """A value for a message: exact where that is short, else six significant digits."""
    text = exact_text(value)
    if len(text) <= 12 and "/" not in text:
        return text
    if abs(value) >= 10**15 or (value and abs(value) < Fraction(1, 10**6)):
        exponent = len(str(abs(value.numerator))) - len(str(value.denominator))
        mantissa = value / Fraction(10) ** exponent
        if abs(mantissa) < 1:
            exponent, mantissa = exponent - 1, mantissa * 10
        return f"{exact_text(_rounded(mantissa, 5))}e{exponent}"
    integral = len(str(abs(int(value)))) if abs(value) >= 1 else 0
    return exact_text(_rounded(value, max(0, 6 - integral) + (6 if not integral else 0)))


def told(value: Fraction | None, numeral: Numeral) -> str:
    """A value in base units as the numeral's own unit would print it: ``596.046 GiB``, ``39.9 %``."""
    if value is None:
        return "nothing"
    if numeral.kind in (Kind.PERCENT, Kind.CHANGE):
        return f"{short(value * 100)} %"
    if numeral.unit is None:
        return short(value)
    if not numeral.unit_text:
        return f"{short(value)} {numeral.unit.text}" if numeral.unit.factors else short(value)
    return f"{short(value / numeral.unit.scale)} {numeral.unit_text.lstrip('-')}"


def _rounded(value: Fraction, places: int) -> Fraction:
    scale = 10**places
    return Fraction(round(value * scale), scale)
