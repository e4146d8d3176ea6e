"""Whether a true value satisfies a printed numeral, ties, and the JSON shape."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ridgeline.numbers import holds, read, restyle, tie, to_json
from ridgeline.numbers.interval import Interval, exact_text


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("1.9x it", "1.85", True), ("1.9x it", "1.95", True), ("1.9x it", "1.951", False),
        ("over 1.8x it", "1.79", False), ("over 1.8x it", "1.8", False), ("over 1.8x it", "2.5", True),
        ("at least 1.8x it", "1.8", True), ("up to 2.4x it", "2.4", True), ("under 0.5 s", "0.5", False),
        ("about 1,200 bytes", "1140", True), ("about 1,200 bytes", "1139", False),
        ("nearly 40 W", "36", True), ("nearly 40 W", "40", False), ("just over 7 W", "7.7", True),
        ("the 70B model", "68976648192", True), ("the 70B model", "62000000000", False),
        ("at 2k tokens", "2048", True), ("at 2k tokens", "1500", True), ("at 2k tokens", "1499", False),
        ("roughly 10^12 FLOP", "3000000000000", True), ("roughly 10^12 FLOP", "3200000000000", False),
        ("roughly 10^12 FLOP", "-1000000000000", False), ("2^20 tokens", "1048577", False),
        ("fell by more than 12%", "-0.13", True), ("fell by more than 12%", "-0.12", False), ("fell by 12%", "-0.125", True),
    ],
)  # fmt: skip
def test_holds(text: str, value: str, expected: bool) -> None:
    assert holds(read(text)[0], Fraction(value)) is expected


def test_a_tie_is_told_from_a_plain_match() -> None:
    numeral = read("It is 1.9x.")[0]
    assert tie(numeral, Fraction("1.85")) and tie(numeral, Fraction("1.95"))
    assert not tie(numeral, Fraction("1.9")) and not tie(numeral, Fraction("1.86"))
    assert not tie(read("over 1.9x")[0], Fraction("1.95"))
    assert not tie(read("2^20 tokens")[0], Fraction(2**20))


@pytest.mark.parametrize(
    ("text", "value", "token"),
    [
        ("It is 3.35 TB/s.", "4800000000000", "4.80"), ("It is 3.35 × 10¹² byte/s.", "4800000000000", "4.80 × 10¹²"),
        ("It is 3.35 × 10¹² byte/s.", "48000000000000", None), ("About 1,200 bytes.", "1345", "1,300"),
        ("A 128K-token prompt.", "65536", "64K"), ("A 128K-token prompt.", "200000", "200K"), ("It is 5 W.", "0.2", None),
        ("Over 1.8x.", "2.57", "2.5"), ("Over 1.8x.", "1.9", "1.8"), ("Up to 2.4x.", "1.93", "2.0"), ("Up to 2.4x.", "2.5", None),
        ("The 70B model.", "80000000000", None), ("It halves.", "0.3", None), ("A 3:1 ratio.", "4", None),
        ("It fell by 12%.", "-0.2", "20"), ("It fell by 12%.", "0.2", None), ("Paid 1.5 lakh rupees.", "230000", "2.3 lakh"),
        ("It has 12\u2009345 bytes.", "1234567", "1\u2009234\u2009567"), ("Runs 1_000 steps.", "20000", "20_000"),
        ("So 4*8192 = 5.", "6", "6"), ("In 2024 it ran.", "2025", None), ("A share of .50 now.", "0.25", ".25"),
    ],
)  # fmt: skip
def test_restyle(text: str, value: str, token: str | None) -> None:
    assert restyle(read(text)[0], Fraction(value)) == token


def test_restyle_of_an_exact_operand_must_be_exact() -> None:
    three = read("So 4*8192 = 32,768.")[1]
    assert restyle(three, Fraction(4096)) == "4096"
    assert restyle(three, Fraction(9, 2)) is None


def test_json_shape() -> None:
    assert to_json(read("A 1.5 lakh fee.")[0]) == {
        "text": "1.5 lakh", "at": 2, "kind": "measure", "comparator": "eq", "value": "150000", "unit": None,
        "interval": "[145000, 155000]",
    }  # fmt: skip
    assert to_json(read("On 2023-09-12.")[0]) == {
        "text": "2023-09-12", "at": 3, "kind": "date", "comparator": None, "value": None, "unit": None, "interval": None,
        "rule": "date",
    }  # fmt: skip


def test_names_are_set_aside_only_as_whole_words() -> None:
    kinds = {n.text: n.rule for n in read("H100 SXM, H100 SXM5 and H100.", frozenset({"H100 SXM"}))}
    assert kinds == {"H100 SXM": "name", "H100": "joined-to-letters", "SXM5": "joined-to-letters"}


def test_symbols_may_stand_without_an_equals_sign() -> None:
    assert read("at an L of 512", symbols=["L"])[0].symbol == "L"
    assert read("at an L of 512")[0].symbol == ""


def test_interval_text() -> None:
    assert str(Interval(None, Fraction(5), False, True)) == "(-inf, 5]"
    assert str(Interval(Fraction(19, 30), Fraction(7, 10))) == "[19/30, 7/10]"
    assert exact_text(Fraction(-1, 8)) == "-0.125" and exact_text(Fraction(1, 3)) == "1/3"
