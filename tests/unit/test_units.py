"""Units as printed: scale, base, dimension, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ridgeline.numbers.quantities import printed_unit
from ridgeline.numbers.units import ONE, UnitError, describe, hard, multiply, parse_unit, power


@pytest.mark.parametrize(
    ("text", "scale", "base"),
    [
        ("TB/s", 10**12, "byte/s"), ("GiB", 2**30, "byte"), ("kB", 1000, "byte"), ("Gbit/s", 10**9, "bit/s"),
        ("TFLOP/s", 10**12, "flop/s"), ("TFLOPS", 10**12, "flop/s"), ("GFLOPs", 10**9, "flop"), ("mJ/token", Fraction(1, 1000), "J/token"),
        ("flop/byte", 1, "flop/byte"), ("KiB per token", 1024, "byte/token"), ("ms", Fraction(1, 1000), "s"), ("%", Fraction(1, 100), "1"),
        ("USD/hour", Fraction(1, 3600), "USD/s"), ("kWh", 3_600_000, "J"), ("mm^2", Fraction(1, 10**6), "m^2"), ("GHz", 10**9, "Hz"),
        ("pp", 1, "pp"), ("rupees", 1, "INR"), ("GT/s", 10**9, "transfer/s"), ("µs", Fraction(1, 10**6), "s"), ("1", 1, "1"),
    ],
)  # fmt: skip
def test_unit_text(text: str, scale: Fraction | int, base: str) -> None:
    unit = parse_unit(text)
    assert (unit.scale, unit.text) == (scale, base)


def test_bit_and_watt_compare_with_byte_and_joule() -> None:
    assert parse_unit("Gbit").factor == 125_000_000
    assert parse_unit("W").dimension == parse_unit("J/s").dimension
    assert parse_unit("W").text == "W"
    assert parse_unit("pp").dimension == () and parse_unit("pp").factor == Fraction(1, 100)


@pytest.mark.parametrize("text", ["", "furlong", "GB//s", "GB/", "x" * 100, "TB per", "3"])
def test_refused(text: str) -> None:
    with pytest.raises(UnitError):
        parse_unit(text)


def test_near_matches_are_named() -> None:
    with pytest.raises(UnitError) as caught:
        parse_unit("tokns")
    assert "tokens" in caught.value.candidates


def test_dimension_arithmetic() -> None:
    rate = parse_unit("byte/s").dimension
    assert multiply(rate, parse_unit("s").dimension) == (("byte", 1),)
    assert multiply(rate, rate, -1) == ()
    assert power(rate, 2) == (("byte", 2), ("s", -2)) and power(rate, 0) == ()
    assert hard(parse_unit("byte/token").dimension) == (("byte", 1),)
    assert describe(rate) == "byte/s" and describe(()) == "1"
    assert (parse_unit("TB/s") / parse_unit("TB/s")).factors == () and ONE.text == "1"
    assert (parse_unit("GB") * parse_unit("token")).text == "byte*token" and (parse_unit("m") ** 2).text == "m^2"


@pytest.mark.parametrize(
    ("text", "printed", "base", "scale"),
    [
        ("GB/s per direction", "GB/s", "byte/s", 10**9),
        ("KiB per token is", "KiB per token", "byte/token", 1024),
        ("tokens per second per user", "tokens per second", "token/s", 1),
        ("USD per million tokens.", "USD per million tokens", "USD/token", Fraction(1, 10**6)),
        ("USD per 1,000 tokens", "USD per 1,000 tokens", "USD/token", Fraction(1, 1000)),
        ("USD per GPU-hour", "USD per GPU-hour", "USD/gpu/s", Fraction(1, 3600)),
        ("TFLOPS / 300 GB/s", "TFLOPS", "flop/s", 10**12),
        ("flop/g", "flop", "flop", 1),
    ],
)
def test_longest_printed_unit(text: str, printed: str, base: str, scale: Fraction | int) -> None:
    found = printed_unit(text, 0)
    assert found is not None
    assert (text[: found.end], found.unit.text, found.unit.scale) == (printed, base, scale)


@pytest.mark.parametrize("text", ["boards", "expert slots", "layers", "m", "T", "heads of", "prefill", "GB8", "x"])
def test_words_that_are_no_unit_beside_a_number(text: str) -> None:
    assert printed_unit(text, 0) is None
