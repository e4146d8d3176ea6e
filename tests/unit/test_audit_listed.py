"""Counts of things that the same sentence lists: right, wrong, and left alone where the list may be of something else."""

from __future__ import annotations

import pytest

from ridgeline.audit import listed
from ridgeline.audit.document import read
from ridgeline.audit.reading import read_blocks


def words(text: str) -> list[tuple[str, str]]:
    reading = read_blocks(read("a.md", text.encode()), None)
    listed.judge(reading)
    return [(reading.numeral(*key).text, word.status.value) for key, word in reading.ledger.items()]


@pytest.mark.parametrize(
    ("text", "number", "verdict"),
    [
        (
            "Only two rows of the table still have a ridge batch at the long context: 434, 28,178 and 344.",
            "two",
            "wrong",
        ),
        ("Only three rows of the table still have a ridge batch: 434, 28,178 and 344.", "three", "right"),
        ("Two sizes: 7, 13 and 70.", "Two", "wrong"),
        ("There are two rates: 16 GB/s and 32 GB/s.", "two", "right"),
        ("Exactly 2 values remain: 1.5 GB, 3 GB and 4 GB.", "2", "wrong"),
        ("Just four lengths fit: 512, 1,024, 2,048 and 4,096", "four", "right"),
    ],
)
def test_what_is_listed_is_counted(text: str, number: str, verdict: str) -> None:
    assert words(text) == [(number, verdict)]


@pytest.mark.parametrize(
    "text",
    [
        "Two layouts for the widths: 64, 128 and 256.",
        "Only two layouts work at the widths: 64, 128 and 256.",
        "Two things matter: the 70B model has 80 layers and 64 heads.",
        "Two values matter: 1, 2.",
        "Two ranges: 1 and 2, 3 and 4.",
        "Two sizes: about 7, 13 and 70.",
        "Two sizes: 7, 13 and 70 are small.",
        "The two of them: 7, 13 and 70.",
        "It runs two tests at batch: 7, 13 and 70.",
        "Seven is prime.",
    ],
)
def test_what_may_be_something_else_is_left_alone(text: str) -> None:
    assert words(text) == []
