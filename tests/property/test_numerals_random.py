"""Whatever the text: the reader never raises, covers every digit, keeps its offsets, and stays linear."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeline.numbers import holds, read, restyle, tie, to_json
from ridgeline.numbers.numeral import Comparator, Kind, Numeral

PIECES = [
    "1", "2.5", "10", "1,024", "1,10,592", "1,5", "3.35", "2024", "128K", "7B", "68.98B", "x", "×", "%", " ", " ", " ",
    "-", "–", "−", "+", "±", "/", "*", "^", "=", "(", ")", "[", "]", "{", "}", ",", ".", ";", ":", "~", "<", ">", "≈", "≤",
    "e", "E-3", "10¹²", "²", "½", "４８", "٤", "₂", "①", "\n", "\u00a0", "\u2009", "_", "`", "``", "https://a.b/1", "@", "#", "§",
    "$", "₹", "TB/s", "GB", "GiB", "tokens", "ms", "per", "per 1M tokens", "H100", "Llama-2-7B", "Table", "CUDA", "in", "over",
    "about", "just under", "between", "and", "to", "from", "rose", "fell by", "two thirds", "halves", "a third", "twelve",
    "lakh", "million", "parameters", "model", "percentage points", "\\frac{", "}{", "st", "2023-09-12", "12 Sept", "arXiv:",
    "{,}", "\\,", "\\%", "`²`", "L<", "1/8", "up to ", "within ", "not over", "64 by 64", "the 4090", "12:30", "\t", "  ", "\n|---|\n",
    "| GB/s |", "(%)", "n^2", "L²", "orders of magnitude", "GPU hours", "70B × 2",
    "<b>", "&#12;", "RTX", "a/b1.py", "3:1", "3x3", "8xH100", "(12)", "'s", "…", "..", "|",
]  # fmt: skip
texts = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


def _check(text: str, found: list[Numeral]) -> None:
    position = 0
    covered: set[int] = set()
    for numeral in found:
        assert numeral.at >= position, "in order, never overlapping"
        assert numeral.text and text[numeral.at : numeral.end] == numeral.text
        position = numeral.end
        covered.update(range(numeral.at, numeral.end))
        to_json(numeral)
        if numeral.interval is not None:
            assert numeral.value is not None and numeral.step is not None
            if numeral.comparator is Comparator.EQ:
                assert numeral.interval.contains(numeral.value) and holds(numeral, numeral.value)
                assert not tie(numeral, numeral.value) or numeral.step == 0
        if numeral.kind is Kind.ERROR:
            assert numeral.error and numeral.value is None
    missed = [at for at, char in enumerate(text) if char.isdigit() and at not in covered]
    assert not missed, [text[at] for at in missed]


@given(texts)
@settings(max_examples=1500, deadline=None)
def test_any_text(text: str) -> None:
    _check(text, read(text, ["H100 SXM", "Llama-2-7B", "L4", "4090"], symbols=["L", "g"]))


@given(st.integers(-(10**7), 10**7), st.integers(0, 4), st.sampled_from(["", " GB", "%", "x", " tokens", " ms"]))
@settings(max_examples=500, deadline=None)
def test_printed_number_is_read_exactly(digits: int, decimals: int, unit: str) -> None:
    """A number written out with a unit has the value, place and interval that it was written with."""
    scale = {"": 1, " GB": 10**9, "%": Fraction(1, 100), "x": 1, " tokens": 1, " ms": Fraction(1, 1000)}[unit]
    body = str(abs(digits)).rjust(decimals + 1, "0")
    printed = ("-" if digits < 0 else "") + (f"{body[:-decimals]}.{body[-decimals:]}" if decimals else body)
    numeral = read(f"The value is {printed}{unit} here.")[0]
    assert numeral.text == printed
    assert numeral.value == Fraction(digits, 10**decimals) * scale
    assert numeral.step == Fraction(1, 10**decimals) * scale
    assert numeral.interval is not None and numeral.interval.high is not None
    assert numeral.interval.high - numeral.value == numeral.step / 2
    assert tie(numeral, numeral.interval.high)


@given(
    st.sampled_from(
        [
            "The load is 1,10,592 bytes.",
            "It is 68.98B parameters.",
            "About 48 MB is used.",
            "A share of 14.2% goes.",
            "Loss went to −2.31 there.",
            "It is 3.35 × 10^12 byte/s.",
            "Paid 1.5 lakh rupees.",
            "It is 110,592 bytes.",
            "It runs 2.4x longer.",
            "A 128K-token prompt.",
            "It holds 12\u2009345 tokens.",
        ]
    ),
    st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=10**6),
)
@settings(max_examples=800, deadline=None)
def test_a_restyled_numeral_reads_back(text: str, factor: Fraction) -> None:
    """What restyle writes is read in the same place, with the same kind and unit, and holds for the new value."""
    numeral = read(text)[0]
    assert numeral.value is not None
    value = numeral.value * factor
    token = restyle(numeral, value)
    if token is None:
        return
    again = read(text[: numeral.at] + token + text[numeral.end :])[0]
    assert again.text == token
    assert (again.kind, again.unit, again.comparator) == (numeral.kind, numeral.unit, numeral.comparator)
    assert again.decimals == numeral.decimals
    assert holds(again, value)


UNITS = [
    "1", "1,", "`1", "a-", "a1-", "a", "<a1", "http://1", "1^", "2x", "3x3", "1/", "a@1", "a/1", "[1,", "1e", "1(", "1\u2009",
    "1\u00a0", "1²", "４", "1_", "1 GB per 1 ", "two thirds of ", "1 ", "3.35 TB/s and ", "1:", "1.", "half ", "_", "a=", "1\n",
    "1..", "www.", "@", "[", "<", "&1", "a.", "/", "a/", "-", "http://1)", "H100 ", "` ``1 ", "(1 ", "1 (a", "=1", " and 1",
    "}{1", "a@a.", "$1", "[1] ", "1 GB/", "1 s·s", "1–2", "sixty-", "1 second ", "fell by x ", "fell by 5% ", " ", "1 million ",
    "1{,}", "1/8 ", "up to 1, ", "1 by 1", "not ", "not over 1 ", "the 4090 ", "a|1|\n", "a\t1\n", "a  1\n", "a (GB)\t", "|-", "L<1 ", "n^", "n^2 ",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(unit: str) -> None:
    """Four times the text takes about four times as long; a quadratic reading would take sixteen times."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit)) + "1"
        start = time.perf_counter()
        read(text, ["H100 SXM", "a1"])
        return time.perf_counter() - start

    seconds(1000)
    for _attempt in range(3):
        small, large = min(seconds(5000), seconds(5000)), seconds(20000)
        if large < 9 * small + 0.02:
            return
    raise AssertionError(f"{small:.4f} s, then {large:.4f} s for four times the text")


def test_long_texts_are_refused() -> None:
    (numeral,) = read("7" * 101, cap=100)
    assert (numeral.kind, numeral.error, numeral.at, len(numeral.text)) == (Kind.ERROR, "text_too_long", 0, 101)


def test_a_flood_of_numerals_ends_in_one_error() -> None:
    text = "1 " * 110_000
    found = read(text)
    assert len(found) < 110_000
    assert found[-1].error == "too_many_numerals"
    assert found[-1].end == len(text)
