"""Mutants of recorded values: the quick way says of each what a check of all records says."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.mutants import Tally, recorded, value_mutations, values
from benchmarks.value_mutants import Base
from ridgeline.check import check
from tests.acceptance.conftest import build


def test_the_quick_way_agrees_with_a_whole_check(tmp_path: Path) -> None:
    report = check(build(tmp_path / "root"))
    base = Base(report)
    seen = {"caught": 0, "not caught": 0}
    for entry, stated in recorded(report):
        near = base.near(entry)
        for _, text in value_mutations(stated.given.text):
            quick, whole = near.verdict(stated, text).errors, near.whole(stated, text)
            assert bool(quick) == bool(whole), (entry.reference, stated.given.field, text, quick or whole)
            assert quick <= whole
            seen["caught" if quick else "not caught"] += 1
    assert min(seen.values()) > 5


def test_the_tally_counts_every_mutant(tmp_path: Path) -> None:
    report = check(build(tmp_path / "root"))
    tally = Tally()
    values(report, tally, 0, random.Random(7), verify=3)
    made = sum(1 for _, stated in recorded(report) for _ in value_mutations(stated.given.text))
    assert sum(sum(counts.values()) for counts in tally.counts.values()) == made
    assert sum(tally.caught_by.values()) == sum(counts["caught"] for counts in tally.counts.values())


def test_mutations_of_a_value() -> None:
    assert dict(value_mutations("3.35 TB/s")) == {
        "last digit": "3.36 TB/s", "times 10": "33.50 TB/s", "times 2": "6.70 TB/s", "plus 5 percent": "3.52 TB/s",
        "unit": "3.35 GB/s",
    }  # fmt: skip
    assert dict(value_mutations("4096")) == {
        "last digit": "4097", "times 10": "40960", "times 2": "8192", "plus 5 percent": "4301",
    }  # fmt: skip
    assert list(value_mutations("unknown")) == []
