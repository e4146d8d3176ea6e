"""Equations in prose: found where they stand, each relation graded."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.figures.compare import Grade, Verdict
from ridgeline.figures.equations import Equation, check, find
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import read
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import parse_unit

CASES = yaml.safe_load((Path(__file__).parent.parent / "data" / "equations.yaml").read_text(encoding="utf-8"))["cases"]


def _found(text: str) -> tuple[list[Numeral], list[Equation]]:
    numerals = read(text)
    return numerals, find(text, numerals)


def _verdicts(text: str, bound: dict[str, Quantity] | None = None, **names: Quantity) -> list[Verdict]:
    """All verdicts of a text; ``bound`` by the printed digits."""
    numerals, equations = _found(text)
    by_index = {i: bound[n.text] for i, n in enumerate(numerals) if bound and n.text in bound}
    return [verdict for equation in equations for verdict in check(equation, numerals, by_index, names)]


def _of(value: str, unit: str) -> Quantity:
    return Quantity.of(Fraction(value), parse_unit(unit))


PEAK, BANDWIDTH = _of("989.5", "TFLOP/s"), _of("3.35", "TB/s")
RIDGE = Quantity(Fraction("989.5") / Fraction("3.35"), parse_unit("flop/byte").dimension)


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:60] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    numerals, equations = _found(case["text"])
    verdicts = [verdict for equation in equations for verdict in check(equation, numerals)]
    assert ["unknown" if v.grade is None else v.grade.value for v in verdicts] == case["expect"]
    if "factor" in case:
        assert [v.factor for v in verdicts if v.factor] == [case["factor"]]
    if "spans" in case:
        assert [case["text"][e.start : e.end] for e in equations] == case["spans"]


def test_no_false_case_is_silent_and_no_true_one_loud() -> None:
    loud = {"wrong", "scale", "decision"}
    for case in CASES:
        for verdict in _verdicts(case["text"]):
            grade = verdict.grade
            assert (verdict.level == "error") == (grade is not None and grade.value in loud), case["text"]
            assert not (verdict.holds and verdict.level == "error")


def test_sides_cover_their_own_text() -> None:
    text = "so L* = 202,375,168/4096 = 49,408 tokens, as said"
    numerals, [equation] = _found(text)
    assert [text[side.start : side.end] for side in equation.sides] == ["L*", "202,375,168/4096", "49,408 tokens"]
    assert equation.relations == ("=", "=")
    assert [numerals[i].text for i in equation.operands] == ["202,375,168", "4096", "49,408"]
    assert equation.names == ("L*",)


def test_units_of_bound_operands_make_bare_numbers_true() -> None:
    text = "H100 SXM 989.5/3350 = 295.4"
    [bare] = _verdicts(text)
    assert (bare.grade, bare.factor) == (Grade.SCALE, "10^3")
    assert "off by exactly 10³: units?" in bare.because
    [bound] = _verdicts(text, {"989.5": PEAK, "3350": BANDWIDTH, "295.4": RIDGE})
    assert (bound.grade, bound.holds, bound.level) == (Grade.EXACT, True, "ok")


def test_a_stale_operand_supports_nothing() -> None:
    text = "H100 SXM 989.5/3350 = 295.4"
    [verdict] = _verdicts(text, {"989.5": PEAK, "3350": _of("3.9", "TB/s"), "295.4": RIDGE})
    assert (verdict.grade, verdict.level) == (Grade.WRONG, "error")


def test_right_only_from_the_rounded_inputs() -> None:
    # 989.46/3.354 = 295.009…, which would print as 295.0; the printed inputs give 295.4.
    bound = {"989.5": _of("989.46", "TFLOP/s"), "3.35": _of("3.354", "TB/s")}
    [verdict] = _verdicts("That is 989.5 TFLOP/s over 3.35 TB/s = 295.4 flop/byte.", bound)
    assert (verdict.grade, verdict.holds, verdict.level) == (Grade.DOUBLE_ROUNDING, True, "info")


def test_right_only_from_the_records() -> None:
    bound = {"2.3": Quantity(Fraction("2.32")), "3.1": Quantity(Fraction("3.12"))}
    [verdict] = _verdicts("A speed of 2.3 × 3.1 = 7.2 follows.", bound)
    assert verdict.grade is Grade.EXACT


def test_a_chain_goes_on_from_what_is_printed() -> None:
    assert [v.grade for v in _verdicts("807.2/2 = 403.6 = 404")] == [Grade.EXACT, Grade.EXACT]
    assert [v.grade for v in _verdicts("807.2/2 = 403.6 = 403")] == [Grade.EXACT, Grade.ROUNDING]
    [_, tie] = _verdicts("807/2 = 403.5 = 403")
    assert (tie.grade, tie.tie, tie.level) == (Grade.EXACT, True, "info")


def test_names_come_from_the_caller() -> None:
    text = "L_ridge = 2*295.4/g"
    [unknown] = _verdicts(text)
    assert (unknown.grade, unknown.unknown, unknown.level) == (None, ("L_ridge", "g"), "info")
    [known] = _verdicts(text, g=Quantity(Fraction(4)), L_ridge=Quantity(Fraction("147.7")))
    assert known.grade is Grade.EXACT
    [false] = _verdicts(text, g=Quantity(Fraction(4)), L_ridge=Quantity(Fraction("148.7")))
    assert false.grade is Grade.WRONG


def test_a_measured_input_keeps_its_interval() -> None:
    measured = Quantity(Interval(Fraction("2.0"), Fraction("2.02")))
    [verdict] = _verdicts("It runs 2.01 × 100 = 201 steps.", {"2.01": measured})
    assert verdict.holds
    [verdict] = _verdicts("It runs 2.01 × 100 = 205 steps.", {"2.01": measured})
    assert (verdict.grade, verdict.level) == (Grade.WRONG, "error")


def test_more_than_eight_rounded_inputs_fall_back_to_intervals() -> None:
    terms = [f"{n}.5" for n in range(1, 13)]
    total = sum(map(Fraction, terms))
    [verdict] = _verdicts(f"In all {' + '.join(terms)} = {float(total)}.")
    assert verdict.grade is Grade.EXACT
    [verdict] = _verdicts(f"In all {' + '.join(terms)} = {float(total) + 20}.")
    assert verdict.grade is Grade.WRONG


def test_a_divisor_that_may_be_zero_tells_nothing() -> None:
    [verdict] = _verdicts("The slope is 1 / (1.1 - 1.0) = 10.")
    assert (verdict.grade, verdict.holds) == (Grade.UNINFORMATIVE, False)


def test_the_first_of_two_may_be_the_rounded_one_and_a_tie_is_reported() -> None:
    [verdict] = _verdicts("A link of 212GBps (1700Gbps) joins them.")
    assert (verdict.grade, verdict.holds, verdict.level, verdict.tie) == (Grade.OVERLAP, True, "info", True)
    [verdict] = _verdicts("A link of 211GBps (1700Gbps) joins them.")
    assert (verdict.grade, verdict.level) == (Grade.WRONG, "error")


def test_a_wrong_product_of_a_bus_tells_the_true_value() -> None:
    for text in ("It gives 5.0 Gb/s × 6144 bit = 4,800 GB/s.", "It gives 6144 bits × 5.0 Gbps / 8 = 4,800 GB/s."):
        [verdict] = _verdicts(text)
        assert (verdict.grade, verdict.nearest) == (Grade.WRONG, 3840 * 10**9)


def test_units_that_only_the_records_give_need_not_be_those_of_the_result() -> None:
    length, width, group = _of("8192", "token"), _of("2", "byte"), Quantity(Fraction(4))
    bound = {"4": group, "8192": length, "2": width, "16,384": _of("16384", "flop/byte")}
    [verdict] = _verdicts("At 8k it is 4 × 8192/2 = 16,384 flop/byte here.", bound)
    assert (verdict.grade, verdict.holds) == (Grade.EXACT, True)
    [verdict] = _verdicts("At 8k it is 4 × 8192/2 = 16,484 flop/byte here.", bound)
    assert (verdict.grade, verdict.nearest) == (Grade.WRONG, 16384)
    [verdict] = _verdicts("That is 2 × 295.3 = 591 tokens.", {"295.3": RIDGE})
    assert verdict.holds
    [verdict] = _verdicts("That is 2 × 295.4 = 501 tokens.", {"295.4": RIDGE})
    assert (verdict.grade, verdict.level) == (Grade.WRONG, "error")


def test_a_function_of_a_rounded_input_keeps_its_interval() -> None:
    assert [v.grade for v in _verdicts("It is ceil(590.7) = 591 and ceil(1.02 × 100) = 102.")] == [
        Grade.EXACT,
        Grade.EXACT,
    ]
    [verdict] = _verdicts("It is log2(1 - 1) × 2.5 = 5.")
    assert verdict.grade is None and "not above zero" in verdict.because


def test_a_truth_far_from_print_is_told_in_the_printed_unit() -> None:
    [verdict] = _verdicts("The pair holds 8 x 80 GB = 640 GiB.")
    assert "596.046 GiB" in verdict.because
    assert verdict.nearest == 640 * 10**9
