"""What strangers may send: floods, marks inside code, and what the import of the reader costs."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from ridgeline.numbers import read
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.reader import MAX_CHARACTERS

FLOODS = ["1 ", "two thirds of ", "a ", "1/8 ", "[1] ", "1 GB ", "`1` ", "1,", "3x3 ", "fell by 5% ", "|1|\n", "1\t2\n", "a-1 ",
          "1  2\n", "O(n^2) ", "the 409 ", "1 by ", "a|b\n", "not over 1 ", "up to 1, "]  # fmt: skip


@pytest.mark.parametrize("unit", FLOODS)
def test_a_flood_up_to_the_cap_is_answered_soon(unit: str) -> None:
    text = (unit * (MAX_CHARACTERS // len(unit) + 1))[:MAX_CHARACTERS]
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        read(text, frozenset({"409"}))
        best = min(best, time.process_time() - start)
        if best < 1:
            break
    # A second on a machine with nothing else to do.
    assert best < 2.5


def test_a_flood_of_number_words_ends_in_one_error() -> None:
    found = read("two thirds of " * 20_000)
    assert found[-1].error == "too_many_numerals" and len(found) < 20_000


@pytest.mark.parametrize("text", ["`²`", "`½`", "`x₂ 3`", "<a²>", "`٣`", "https://a.example/²", "[²]"])
def test_digits_outside_ascii_in_code_are_covered(text: str) -> None:
    assert all(numeral.text for numeral in read(text))
    assert {at for at, char in enumerate(text) if char.isdigit()} <= {
        at for numeral in read(text) for at in range(numeral.at, numeral.end)
    }


def test_an_exponent_in_code_is_code() -> None:
    assert [(n.text, n.kind) for n in read("`²`")] == [("²", Kind.CODE)]


def test_importing_the_reader_compiles_few_patterns() -> None:
    """Compiling every pattern took 90 ms of 110; they are compiled when first used."""
    code = (
        "import re, sys\n"
        "before = re._compiler.compile\n"
        "made = []\n"
        "def counted(*given, **named):\n"
        "    made.append(given[0])\n"
        "    return before(*given, **named)\n"
        "re._compiler.compile = counted\n"
        "import fractions, typing, dataclasses, enum\n"
        "start = len(made)\n"
        "import ridgeline.numbers\n"
        "print(len(made) - start)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert int(ran.stdout) <= 3
