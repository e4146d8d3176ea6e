"""The check: everything that is wrong with the records below a root, in one run."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.examine import examine
from ridgeline.figures.figure import FigureResult, Status
from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Knowledge, load
from ridgeline.knowledge.resolve import Resolver

_ALLOCATIONS = 100_000


@dataclass
class Report:
    """What a check found. ``resolver`` evaluates further expressions over the same records."""

    knowledge: Knowledge
    resolver: Resolver
    findings: list[Finding] = field(default_factory=list)
    figures: list[FigureResult] = field(default_factory=list)
    conclusions: list[Conclusion] = field(default_factory=list)
    #: Digests of the trials of classes that held; see :mod:`ridgeline.rules.trial`.
    tried: set[str] = field(default_factory=set)

    @property
    def by_status(self) -> dict[str, int]:
        counts = {status.value: 0 for status in Status}
        for figure in self.figures:
            counts[figure.status.value] += 1
        return counts

    @property
    def by_level(self) -> dict[str, int]:
        counts = {level.value: 0 for level in Level}
        for finding in self.findings:
            counts[finding.level.value] += 1
        return counts

    @property
    def clean(self) -> bool:
        return not any(f.level is Level.ERROR for f in self.findings)


def check(root: Path) -> Report:
    """Read, validate, resolve and recompute all records below ``root``. Never stops at the first finding."""
    with _collecting_seldom():
        return check_knowledge(load(root))


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Let the garbage collector look less often: nearly everything that a check makes, it keeps to its end."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], _ALLOCATIONS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def check_knowledge(knowledge: Knowledge) -> Report:
    """The check of records that are already read."""
    from ridgeline.rules.rule import Context
    from ridgeline.rules.run import run_in

    resolver = Resolver(knowledge)
    report = Report(knowledge, resolver, list(knowledge.findings))
    context = Context(knowledge, resolver)
    report.findings += run_in(context)
    report.tried = context.memory.get("tried", set())
    for entry in knowledge.entries.values():
        if entry.record is None:
            continue
        examination = examine(entry, resolver)
        report.figures += examination.figures
        report.findings += examination.findings
        report.conclusions += examination.conclusions
    report.findings.sort(key=lambda f: (f.place.path, f.place.line, f.place.column, f.rule))
    return report
