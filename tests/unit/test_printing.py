"""How a computed value is shown: in its own unit, a customary one, or that of the numeral beside it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ridgeline.figures.printing import customary, dimension_name, numeral_scale, show, show_beside, unit_name
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import read
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.units import parse_unit


def quantity(value: str, unit: str) -> Quantity:
    return Quantity.of(Fraction(value), parse_unit(unit))


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        ("3.35", "TB/s", "3.35 TB/s"),
        ("3350", "GB/s", "3350 GB/s"),
        ("3350000000000", "byte/s", "3.35 TB/s"),
        ("989.4", "TFLOP/s", "989.4 TFLOP/s"),
        ("1.9789e15", "flop/s", "1.9789 PFLOP/s"),
        ("50", "MiB", "50 MiB"),
        ("228", "KiB", "228 KiB"),
        ("4.25", "bit", "4.25 bit"),
        ("5120", "bit", "5120 bit"),
        ("0.5", "s", "500 ms"),
        ("555.6", "us", "555.6 µs"),
        ("700", "W", "700 W"),
        ("1830", "MHz", "1830 MHz"),
        ("12345678", "param", "12345678 param"),
        ("7", "token", "7 token"),
        ("242", "TOP/s", "242 TOP/s"),
        ("19788/67", "flop/byte", "295.343 flop/byte"),
        ("2", "byte/token", "2 byte/token"),
        ("3", "1", "3"),
    ],
)
def test_show(value: str, unit: str, shown: str) -> None:
    assert show(quantity(value, unit), parse_unit(unit)) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [("0.3", "byte", "0.3 byte"), ("999", "byte", "999 byte"), ("1000", "byte", "1 kB"), ("1", "MB", "1 MB"),
     ("2e-9", "s", "0.002 µs"), ("3e12", "byte/s", "3 TB/s"), ("0", "byte/s", "0 MB/s"), ("5000", "token", "5000 token"),
     ("-2", "TB", "-2 TB")],
)  # fmt: skip
def test_customary_units(value: str, unit: str, shown: str) -> None:
    assert show(quantity(value, unit)) == shown


def test_the_smallest_customary_unit_serves_what_is_smaller_still() -> None:
    assert customary(quantity("0.3", "byte")) == parse_unit("byte")
    assert customary(quantity("5", "token")).dimension == parse_unit("token").dimension


@pytest.mark.parametrize(
    ("printed", "value", "unit", "shown"),
    [
        ("3.36 TB/s", "3.35", "TB/s", "3.35 TB/s"),
        ("3360 GB/s", "3.35", "TB/s", "3350 GB/s"),
        ("3.36 TiB/s", "3.35", "TB/s", "3.04681 TiB/s"),
        ("12%", "0.125", "1", "12.5%"),
        ("7.2B parameters", "7241732096", "param", "7.241732096B parameters"),
        ("2.96e2 flop/byte", "19788/67", "flop/byte", "295.343 flop/byte"),
        ("8k tokens", "8192", "token", "8.192k tokens"),
        ("7 TB", "3.35", "TB/s", "3.35 TB/s"),
        ("148 tokens", "9894/67", "token", "147.672 tokens"),
        ("296", "19788/67", "flop/byte", "295.343 flop/byte"),
    ],
)
def test_beside_a_numeral(printed: str, value: str, unit: str, shown: str) -> None:
    assert show_beside(quantity(value, unit), read(printed)[0]) == shown


def test_an_interval_is_marked() -> None:
    assert show(Quantity(Interval(Fraction(1), Fraction("1.00000001")))).startswith("≈ 1")


@pytest.mark.parametrize(
    ("unit", "name"),
    [("TB/s", "TB/s"), ("GiB", "GiB"), ("%", "%"), ("1", ""), ("GHz", "GHz"), ("ms", "ms"), ("us", "µs"),
     ("flop/byte", "flop/byte"), ("Gbit/s/pin", "Gbit/s/pin"), ("KiB/token", "KiB/token"), ("TFLOP/s", "TFLOP/s")],
)  # fmt: skip
def test_unit_names(unit: str, name: str) -> None:
    assert unit_name(parse_unit(unit)) == name


def test_every_unit_name_reads_back() -> None:
    for text in ("TB/s", "GiB/s", "kB", "MiB", "TFLOP/s", "PFLOP/s", "GHz", "MHz", "ms", "kW", "Gbit/s", "TOP/s",
                 "KiB/token", "flop/byte", "byte/token", "flop/cycle/unit", "s", "token"):  # fmt: skip
        assert parse_unit(unit_name(parse_unit(text))).factor == parse_unit(text).factor, text


def test_the_scale_of_a_numerals_own_digits() -> None:
    assert numeral_scale(read("3.35 GB")[0]) == 10**9
    assert numeral_scale(read("12%")[0]) == Fraction(1, 100)
    assert numeral_scale(read("7.2B parameters")[0]) == 10**9


def test_dimension_names() -> None:
    assert dimension_name(parse_unit("TFLOP/s").dimension) == "flop/s"
    assert dimension_name(()) == "1"
