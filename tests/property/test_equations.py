"""Equations in any text: never an exception, true arithmetic never loud, a changed digit never silent, linear time."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ridgeline.figures.compare import Grade
from ridgeline.figures.equations import check, find
from ridgeline.numbers import read
from ridgeline.numbers.interval import exact_text

PIECES = [
    "1", "2.5", "1,024", "128K", "80 GB", "74.5 GiB", "3.35 TB/s", "7.9%", "1.8x", "2^20", "10^12", "4096²", "=", "≈", "<",
    ">", "+", "-", "*", "/", "×", "·", "^", "(", ")", "{", "}", "\\frac", "\\times", "\\text{ms}", "over", "times",
    "divided by", "is", "gives", "or", ",", ".", "\n", "\n\n- ", "g", "L*", "n_q", "H100", "from", "to", "of", "x", "−",
    "–", "±", "$", "**", "`", "²", "twice", "half", "tokens", "relative", "log2", "√", "max", "ceil", "⌈", "⌋",
    "\\sqrt", "\\log_2", "\\lceil", "[layers]", "$$", "an hour", "avg=", "1e9999999", "9^9^9",
]  # fmt: skip


def _run(text: str) -> None:
    numerals = read(text)
    for equation in find(text, numerals):
        assert 0 <= equation.start < equation.end <= len(text)
        assert len(equation.sides) == len(equation.relations) + 1
        assert all(0 <= index < len(numerals) for index in equation.operands)
        verdicts = check(equation, numerals)
        assert len(verdicts) == len(equation.relations)


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    _run(text)


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from(["", " "]))
def test_any_pieces(pieces: list[str], between: str) -> None:
    _run(between.join(pieces))


def _printed(value: Fraction, decimals: int) -> str:
    scaled = round(value * 10**decimals)
    return exact_text(Fraction(scaled, 10**decimals)) if decimals else f"{scaled:,}"


@given(st.integers(2, 9999), st.integers(2, 999), st.sampled_from(["*", " × ", "·", " / ", "/"]), st.integers(2, 4))
def test_true_arithmetic_holds_and_a_changed_result_does_not(a: int, b: int, sign: str, decimals: int) -> None:
    value = Fraction(a, b) if "/" in sign else Fraction(a * b)
    printed = _printed(value, decimals if "/" in sign else 0)
    text = f"Here {a:,}{sign}{b} = {printed} in all."
    numerals = read(text)
    [equation] = find(text, numerals)
    [verdict] = check(equation, numerals)
    assert verdict.holds
    changed = printed[:-1] + str((int(printed[-1]) + 5) % 10)
    text = text.replace(f"= {printed} ", f"= {changed} ")
    numerals = read(text)
    for equation in find(text, numerals):
        assert all(v.level in ("error", "warning") for v in check(equation, numerals))


@given(st.integers(1, 999), st.sampled_from([("GB", "GiB", 3), ("MB", "MiB", 2), ("kB", "KiB", 1), ("TB", "TiB", 4)]))
def test_conversions(size: int, units: tuple[str, str, int]) -> None:
    decimal, binary, n = units
    converted = _printed(size * Fraction(1000, 1024) ** n, 3)
    for printed, grades in ((converted, {Grade.EXACT}), (f"{size}.000", {Grade.SCALE})):
        text = f"It has {size} {decimal} ({printed} {binary})."
        numerals = read(text)
        [equation] = find(text, numerals)
        assert {v.grade for v in check(equation, numerals)} == grades


@pytest.mark.parametrize(
    "unit",
    ["1+", "(", "(1+", "1 = ", "2 × 3 = 6 ", "1 (a) ", "80 GB is ", "x", "-", "\\frac{1}{", "a = 1, ", "from 1 to 2 ",
     "<", "= ", "√", "√(", "log2(", "max(1, ", "⌈1", "2², ", "avg=1s ", "^2", "_{", "1 x "],
)  # fmt: skip
def test_time_grows_with_length(unit: str) -> None:
    def seconds(count: int) -> float:
        text = unit * count
        numerals = read(text)
        best = float("inf")
        for _ in range(2):
            start = time.perf_counter()
            for equation in find(text, numerals):
                check(equation, numerals)
            best = min(best, time.perf_counter() - start)
        return best

    small, large = seconds(400), seconds(3_200)
    assert large < 30 * small + 0.25
