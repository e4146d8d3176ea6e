"""The check: everything that is wrong with the records below a root, in one run."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.examine import examine
from ridgeline.figures.figure import FigureResult, Status
from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import RECORDS, Entry, Knowledge, load
from ridgeline.knowledge.resolve import Resolver

if TYPE_CHECKING:
    from ridgeline.rules.rule import Context

_ALLOCATIONS = 100_000


@dataclass(frozen=True, slots=True)
class Unexamined:
    """What is known of a record that was not examined again: its numerals by status, how much of it has a ceiling.

    ``printed`` are its figures and its conclusions as plain data, where they were asked for.
    """

    statuses: Mapping[str, int]
    levels: Mapping[str, int]
    printed: tuple[list[Any], list[Any]] | None = None


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

    #: Records whose verdicts were kept, by reference: ``figures`` and ``conclusions`` hold nothing of them.
    unexamined: dict[str, Unexamined] = field(default_factory=dict)

    @property
    def by_status(self) -> dict[str, int]:
        counts = {status.value: 0 for status in Status}
        for figure in self.figures:
            counts[figure.status.value] += 1
        for kept in self.unexamined.values():
            for status, count in kept.statuses.items():
                counts[status] += count
        return counts

    @property
    def numerals(self) -> int:
        return len(self.figures) + sum(sum(kept.statuses.values()) for kept in self.unexamined.values())

    def keep(self, wanted: Callable[[str], bool]) -> None:
        """Leave out what is said of files that are not wanted, by their paths."""

        def stands(reference: str) -> bool:
            return wanted(f"{RECORDS}/{reference}.yaml")

        self.findings = [f for f in self.findings if wanted(f.place.path)]
        self.figures = [f for f in self.figures if stands(f.record)]
        self.conclusions = [c for c in self.conclusions if stands(c.record)]
        self.unexamined = {r: kept for r, kept in self.unexamined.items() if stands(r)}

    @property
    def by_level(self) -> dict[str, int]:
        counts = {level.value: 0 for level in Level}
        for finding in self.findings:
            counts[finding.level.value] += finding.waived is None
        return counts

    @property
    def clean(self) -> bool:
        return not any(f.fails for f in self.findings)


def check(root: Path) -> Report:
    """Read, validate, resolve and recompute all records below ``root``. Never stops at the first finding."""
    with seldom_collecting():
        return check_knowledge(load(root))


@contextmanager
def seldom_collecting() -> Iterator[None]:
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

    resolver = Resolver(knowledge)
    report = Report(knowledge, resolver, list(knowledge.findings))
    context = Context(knowledge, resolver)
    for entry in knowledge.entries.values():
        examined(report, context, entry)
    return finished(report)


def examined(report: Report, context: Context, entry: Entry) -> None:
    """Add what is found in one record: the same whichever records were examined before."""
    from ridgeline.rules.run import run_for

    if entry.record is None:
        return
    report.findings += run_for(context, entry.reference)
    with context.resolver.apart():
        examination = examine(entry, context.resolver)
    report.figures += examination.figures
    report.findings += examination.findings
    report.conclusions += examination.conclusions
    report.tried |= context.memory.get("tried", set())


def finished(report: Report) -> Report:
    """The report with what can only be said at the end, in order."""
    from ridgeline.rules.settle import settle

    settle(report)
    report.findings.sort(key=lambda f: (f.place.path, f.place.line, f.place.column, f.rule))
    return report
