"""The course: its chapters stand in one order, and their numerals are recomputed like all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeline.check import Report, check
from ridgeline.records.lesson import Lesson


@pytest.fixture(scope="module")
def report(repository: Path) -> Report:
    return check(repository)


def lessons(report: Report) -> list[Lesson]:
    return [e.record for e in report.knowledge.of_kind("lesson") if isinstance(e.record, Lesson)]


def test_chapters_are_numbered_without_gaps(report: Report) -> None:
    chapters = sorted(lesson.chapter for lesson in lessons(report))
    assert chapters and chapters == list(range(1, len(chapters) + 1))


def test_every_chapter_computes_and_concludes(report: Report) -> None:
    for lesson in lessons(report):
        reference = f"lessons/{lesson.id}"
        computed = [f for f in report.figures if f.record == reference and f.status.value in ("recomputed", "recorded")]
        assert len(computed) >= 8, reference
    assert any(c.record.startswith("lessons/") and c.holds for c in report.conclusions)
