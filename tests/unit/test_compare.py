"""A numeral held against a truth: comparators, grades, named factors."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ridgeline.figures.compare import Grade, Verdict, compare, customary_unit
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import read
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import parse_unit


def _numeral(text: str, which: int = 0) -> Numeral:
    """The numeral with a value that stands at place ``which`` in ``text``."""
    return [numeral for numeral in read(text) if numeral.value is not None and numeral.quantity][which]


def _truth(value: str, unit: str = "1") -> Quantity:
    return Quantity.of(Fraction(value), parse_unit(unit))


def _compare(text: str, value: str, unit: str = "1") -> Verdict:
    return compare(_numeral(text), _truth(value, unit))


@pytest.mark.parametrize(
    ("text", "value", "unit", "grade"),
    [
        # plain, ± u/2, closed
        ("It runs at 295.4 flop/byte.", "295.373", "flop/byte", Grade.EXACT),
        ("It runs at 295.4 flop/byte.", "295.35", "flop/byte", Grade.EXACT),
        ("It runs at 295.4 flop/byte.", "295.45", "flop/byte", Grade.EXACT),
        ("It runs at 295.4 flop/byte.", "295.451", "flop/byte", Grade.ROUNDING),
        ("It runs at 295.4 flop/byte.", "295.349", "flop/byte", Grade.WRONG),
        ("It takes 1.0% of them.", "1.04", "%", Grade.EXACT),
        ("It takes 1.0% of them.", "1.06", "%", Grade.ROUNDING),
        ("It takes 1% of them.", "1.4", "%", Grade.EXACT),
        ("Loss is -2.31 now.", "-2.312", "1", Grade.EXACT),
        ("Loss is -2.31 now.", "-2.318", "1", Grade.ROUNDING),
        ("Loss is -2.31 now.", "-2.304", "1", Grade.WRONG),
        # hedges
        ("It has about 48 MB of memory.", "48.9", "MB", Grade.EXACT),
        ("It has about 48 MB of memory.", "49.1", "MB", Grade.WRONG),
        ("It has about 3,000 tokens.", "3100", "token", Grade.EXACT),
        ("It has about 3,000 tokens.", "3160", "token", Grade.WRONG),
        ("It has nearly 50 GB free.", "48", "GB", Grade.EXACT),
        ("It has nearly 50 GB free.", "50", "GB", Grade.DECISION),
        ("It has nearly 50 GB free.", "38", "GB", Grade.WRONG),
        # one-sided, without slack
        ("It is over 1.8x faster.", "1.79", "1", Grade.DECISION),
        ("It is over 1.8x faster.", "1.8", "1", Grade.DECISION),
        ("It is over 1.8x faster.", "1.85", "1", Grade.EXACT),
        ("It is at least 1.8x faster.", "1.8", "1", Grade.EXACT),
        ("It stays under 48 GB of memory.", "48", "GB", Grade.DECISION),
        ("It stays under 48 GB of memory.", "47.99", "GB", Grade.EXACT),
        ("Use was <1% then.", "1.01", "%", Grade.DECISION),
        # sign and the side of 1
        ("Loss is -2.31 now.", "2.31", "1", Grade.DECISION),
        ("It is 1.2x faster.", "0.98", "1", Grade.DECISION),
        ("It is 0.8x as fast.", "1.25", "1", Grade.DECISION),
        ("It is 1.2x faster.", "1.3", "1", Grade.WRONG),
        # k is two thousands
        ("A context of 128K tokens.", "131072", "token", Grade.EXACT),
        ("A context of 128K tokens.", "128000", "token", Grade.EXACT),
        ("A context of 128K tokens.", "130000", "token", Grade.WRONG),
        # units
        ("It has 80 GB free.", "80", "s", Grade.WRONG),
        ("It costs 16,384 flop/byte.", "16384", "flop", Grade.WRONG),
        ("It runs at 989.5 TFLOP/s.", "989.5", "TOP/s", Grade.EXACT),
        ("A link of 7.2 Tb/s.", "900", "GB/s", Grade.EXACT),
        ("A bare 49,408 stands here.", "49408", "token", Grade.EXACT),
        ("It gains 3 percentage points.", "3", "%", Grade.EXACT),
    ],
)
def test_grades(text: str, value: str, unit: str, grade: Grade) -> None:
    verdict = _compare(text, value, unit)
    assert verdict.grade is grade
    assert verdict.holds == (grade is Grade.EXACT)
    assert (verdict.level == "error") == (grade in (Grade.WRONG, Grade.DECISION, Grade.SCALE))
    assert (verdict.level == "warning") == (grade is Grade.ROUNDING)


@pytest.mark.parametrize(
    ("text", "value", "unit", "factor", "cause"),
    [
        ("It has 80 GB free.", "80", "GiB", "1.024^-3", "GB printed for GiB"),
        ("It has 80 GiB free.", "80", "GB", "1.024^3", "a value in GB printed as GiB"),
        ("It has 48 MB free.", "48", "MiB", "1.024^-2", "MB printed for MiB"),
        ("It moves 64 GB/s.", "64", "Gb/s", "8", "bits and bytes"),
        ("It moves 64 Gb/s.", "64", "GB/s", "1/8", "bits and bytes"),
        ("It moves 900 GB/s.", "450", "GB/s", "2", "one-way and two-way"),
        ("It runs at 1979 TFLOP/s.", "989.5", "TFLOP/s", "2", "2:4 sparse"),
        ("It takes 0.14% of them.", "14", "%", "1/100", "percentage"),
        ("It runs at 989.5 GFLOP/s.", "989.5", "TFLOP/s", "10^-3", "off by exactly 10³: units?"),
        ("It takes 42.1 s.", "42.1", "ms", "10^3", "off by exactly 10³: units?"),
        ("It uses 3.64 kJ.", "3.64", "kWh", "1/3600", "hours and seconds"),
        ("The ratio 295.4 is bare.", "0.29537", "flop/byte", "10^3", "off by exactly 10³: units?"),
        ("A bandwidth of 3350 is bare.", "3.35", "TB/s", "10^-9", "off by exactly 10⁹: units?"),
    ],
)
def test_scale_is_named_and_never_forgiven(text: str, value: str, unit: str, factor: str, cause: str) -> None:
    verdict = _compare(text, value, unit)
    assert (verdict.grade, verdict.level, verdict.holds) == (Grade.SCALE, "error", False)
    assert verdict.factor == factor
    assert cause in verdict.because


def test_tie_holds_and_is_reported() -> None:
    for value in ("295.35", "295.45"):
        verdict = _compare("It runs at 295.4 flop/byte.", value, "flop/byte")
        assert (verdict.holds, verdict.tie, verdict.level) == (True, True, "info")
    assert not _compare("It runs at 295.4 flop/byte.", "295.4", "flop/byte").tie


def test_a_bound_that_is_not_tight_is_noted() -> None:
    verdict = _compare("It is over 1.8x faster.", "2.4")
    assert (verdict.grade, verdict.level) == (Grade.EXACT, "info")
    assert "not tight" in verdict.because
    assert _compare("It is over 1.8x faster.", "1.9").level == "ok"


def test_truncation_names_its_mode_and_rounding_up_its_remedy() -> None:
    assert "truncated" in _compare("It runs at 295.4 flop/byte.", "295.48", "flop/byte").because
    assert "ceil(" in _compare("It crosses at 74 tokens.", "73.3", "token").because


def test_dimension_error_names_both() -> None:
    because = _compare("It costs 16,384 flop/byte.", "16384", "flop").because
    assert "flop/byte" in because and "in flop" in because


def test_soft_dimensions_are_mentioned_only() -> None:
    verdict = _compare("It crosses at 591 tokens.", "591", "head")
    assert (verdict.grade, verdict.holds, verdict.level) == (Grade.EXACT, True, "info")
    assert "token" in verdict.because and "head" in verdict.because


def test_double_rounding() -> None:
    numeral = _numeral("It runs at 295.4 flop/byte.")
    verdict = compare(numeral, _truth("295.01", "flop/byte"), printed_truth=_truth("295.37", "flop/byte"))
    assert (verdict.grade, verdict.holds, verdict.level) == (Grade.DOUBLE_ROUNDING, True, "info")
    assert verdict.nearest == Fraction("295.01")
    neither = compare(numeral, _truth("295.01", "flop/byte"), printed_truth=_truth("296.37", "flop/byte"))
    assert neither.grade is Grade.WRONG


def test_double_rounding_excuses_no_violated_bound() -> None:
    verdict = compare(_numeral("It is over 1.8x faster."), _truth("1.79"), printed_truth=_truth("1.81"))
    assert verdict.grade is Grade.DECISION


def test_an_interval_of_truth_holds_inside_and_overlaps_at_the_edge() -> None:
    numeral = _numeral("A step takes 4.2 ms.")

    def truth(low: str, high: str) -> Quantity:
        return Quantity(Interval(Fraction(low) / 1000, Fraction(high) / 1000), parse_unit("s").dimension)

    assert compare(numeral, truth("4.16", "4.24")).grade is Grade.EXACT
    overlap = compare(numeral, truth("4.2", "4.4"))
    assert (overlap.grade, overlap.holds, overlap.level) == (Grade.OVERLAP, True, "info")
    wide = compare(numeral, truth("4.2", "5"))
    assert (wide.grade, wide.holds, wide.level) == (Grade.UNINFORMATIVE, False, "info")
    assert compare(numeral, truth("4.4", "5")).grade is Grade.WRONG


def test_ratio_upside_down_is_said() -> None:
    verdict = _compare("It is 1.25x faster.", "0.8")
    assert verdict.grade is Grade.DECISION
    assert "inverse" in verdict.because


def test_a_bare_numeral_takes_a_unit_known_otherwise() -> None:
    numeral, truth = _numeral("A bandwidth of 3350 is bare."), _truth("3.35", "TB/s")
    unit = customary_unit(numeral, truth)
    assert unit is not None and unit.factor == 10**9
    assert compare(numeral, truth, in_unit=unit).grade is Grade.EXACT
    assert customary_unit(numeral, _truth("3.9", "TB/s")) is None
    stale = customary_unit(numeral, _truth("3.9", "TB/s"), nearest=True)
    assert stale is not None and stale.factor == 10**9
    assert compare(numeral, _truth("3.9", "TB/s"), in_unit=stale).grade is Grade.WRONG


def test_nearest_is_ready_to_be_printed() -> None:
    assert _compare("A link of 7.1 Tb/s.", "900", "GB/s").nearest == Fraction(72, 10) * 10**12
    assert _compare("It takes 12.0% of them.", "14.2", "%").nearest == Fraction("0.142")


def test_what_cannot_be_read_is_not_judged() -> None:
    error = next(n for n in read("The ratio is 1,5 in the draft.") if n.text == "1,5")
    verdict = compare(error, _truth("1.5"))
    assert (verdict.grade, verdict.holds, verdict.level) == (Grade.UNINFORMATIVE, False, "info")
