"""Numbers in table cells take the unit of their header, of the row's first cell, or of a cell beside them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ridgeline.numbers import read
from ridgeline.numbers.numeral import Kind, Numeral

PIPES = """| GPU | Bandwidth (GB/s) | bytes moved | FLOPs/byte | MFU (%) | Speedup (x) | Layers |
|---|---:|---|:-:|---|---|---|
| H100 | 3,350 | 1.5e9 | 295.4 | 41 | 2.4 | 32 |
| A100 | ~2,039 | 2 GB | 153 | 38–41 | 1.5–2.0 | 80 |

Then 5 more."""

ALIGNED = """context (tokens)   KV cache (MB)   time, ms   min
----------------   -------------   --------   ---
512                64              1.25       3
8K                 1,024           20.5       4
"""


def _by_text(text: str) -> dict[str, Numeral]:
    return {numeral.text: numeral for numeral in read(text)}


@pytest.mark.parametrize(
    ("printed", "value", "unit", "kind", "unit_text", "rule"),
    [
        ("3,350", "3350000000000", "byte/s", Kind.MEASURE, "GB/s", "unit-from-header"),
        ("2,039", "2039000000000", "byte/s", Kind.MEASURE, "GB/s", "unit-from-header"),
        ("1.5e9", "1500000000", "byte", Kind.MEASURE, "bytes", "scientific"),
        ("2", "2000000000", "byte", Kind.MEASURE, "GB", ""),
        ("295.4", "295.4", "flop/byte", Kind.MEASURE, "FLOPs/byte", "unit-from-header"),
        ("38", "0.38", "1", Kind.PERCENT, "%", "unit-from-header"),
        ("2.0", "2", "1", Kind.RATIO, "x", "unit-from-header"),
    ],
)
def test_pipe_table(printed: str, value: str, unit: str, kind: Kind, unit_text: str, rule: str) -> None:
    numeral = _by_text(PIPES)[printed]
    assert numeral.unit is not None
    assert (numeral.value, numeral.unit.text, numeral.kind) == (Fraction(value), unit, kind)
    assert (numeral.unit_text, numeral.rule) == (unit_text, rule)


@pytest.mark.parametrize("printed", ["32", "80", "5"])
def test_a_column_without_unit_and_the_text_below_stay_bare(printed: str) -> None:
    assert _by_text(PIPES)[printed].unit is None


def test_space_aligned_output() -> None:
    found = _by_text(ALIGNED)
    assert {text: n.unit and n.unit.text for text, n in found.items()} == {
        "512": "token", "64": "byte", "1.25": "s", "3": None, "8K": "token", "1,024": "byte", "20.5": "s", "4": None,
    }  # fmt: skip
    assert found["8K"].alternative == 8192
    assert found["20.5"].interval is not None and found["20.5"].interval.high == Fraction("0.02055")


def test_the_unit_of_a_row_and_of_a_cell_beside() -> None:
    found = _by_text("metric\tunit\tH100\nBandwidth\tGB/s\t3350\nPower (W)\t-\t700\nShare (%)\t\t41.5\n")
    assert found["3350"].value == 3350 * 10**9 and found["3350"].rule == "unit-from-neighbour"
    assert found["700"].unit_text == "W" and found["700"].rule == "unit-from-row"
    assert found["41.5"].kind is Kind.PERCENT and found["41.5"].value == Fraction("0.415")


def test_the_header_comes_before_the_row() -> None:
    found = _by_text("| part (W) | time (ms) |\n|---|---|\n| core (GB) | 12 |\n")
    assert found["12"].unit_text == "ms"


def test_magnitudes_currencies_and_signs_in_headers() -> None:
    found = _by_text("Parameters (billions)\tCost ($)\tChange (%)\n6.74\t3.50\t+1.2\n")
    assert found["6.74"].value == Fraction("6740000000") and found["6.74"].step == 10**7
    assert found["3.50"].unit is not None and found["3.50"].unit.text == "USD"
    assert found["+1.2"].kind is Kind.CHANGE and found["+1.2"].value == Fraction("0.012")


def test_header_numbers_and_cells_with_words_are_left_alone() -> None:
    found = _by_text("| at 8 GB (ms) | note (ms) |\n|---|---|\n| 12 | after 3 tries |\n")
    assert found["12"].unit_text == "ms" and found["3"].unit is None and found["8"].unit_text == "GB"


@pytest.mark.parametrize(
    "text", ["Prose (GB)  with gaps\nand 5 more  words 7", "a | b\nc 5 | d 7", "time (ms)\t\n\n5\t6\n"]
)
def test_what_is_no_table_is_left_alone(text: str) -> None:
    assert all(numeral.unit is None for numeral in read(text))


def test_a_wide_number_that_leaves_one_space() -> None:
    text = "    B         FLOPs      bytes moved   FLOPs/byte\n    1   137,438,953   33,570,816   4.09\n 4096 137,438,953,472   71,303,168   1927.53\n"
    assert [n.unit and n.unit.text for n in read(text)] == [None, "flop", "byte", "flop/byte"] * 2
