"""Most faults of the kinds that published tables hold are caught, wherever they are planted."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from benchmarks.planted import FACTORS, plant, times
from ridgeline.check import check
from tests.conftest import REPOSITORY

#: Shares below which something is broken; `make mutants` prints what they really are.
FLOORS = {"times 2": 0.6, "half": 0.6, "times 1.024": 0.55, "times 1000": 0.75}


@pytest.mark.parametrize(
    ("text", "factor", "expected"),
    [
        ("1,979 TFLOP/s", Fraction(1, 2), "989.5 TFLOP/s"),
        ("3.35 TB/s", Fraction(1024, 1000), "3.4304 TB/s"),
        ("0.5 PFLOP/s", Fraction(1, 2), "0.25 PFLOP/s"),
        ("450 GB/s", Fraction(1000), "450000 GB/s"),
        ("8.20e11 byte/s", Fraction(2), None),
    ],
)
def test_a_value_times_a_factor_keeps_all_its_digits(text: str, factor: Fraction, expected: str | None) -> None:
    assert times(text, factor) == expected


def test_most_planted_faults_are_caught() -> None:
    result = plant(check(REPOSITORY), sample=2, chance=random.Random(20261130), parts=14)
    assert set(result.counts) == set(FACTORS)
    for kind, counts in result.counts.items():
        assert counts.total() >= 14
        assert counts["caught"] / counts.total() >= FLOORS[kind], result.passed
    assert result.share >= Fraction(2, 3)
