"""The check that looks again only at what changed, and at what follows from it. It says the same as a whole one.

Each verdict is kept with a note of everything that was looked at while it was made. It holds as long as none of that has
changed: the bytes of the records it read, whether the records it asked for are there, the answers of the survey to its
questions, and the names that its prose could contain. What does not hold any more is made anew, in the way in which a
whole check makes it: each verdict as if no other had been made before.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from ridgeline.check import Report, Unexamined, examined, finished, seldom_collecting
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.kept import Kept, Row, Verdicts, stamp
from ridgeline.knowledge.base import Knowledge, stray
from ridgeline.knowledge.resolve import Resolver
from ridgeline.knowledge.tracing import EVERYTHING, File, Traced, files, noting, traced
from ridgeline.report import conclusion_as_dict, figure_as_dict
from ridgeline.rules.ceilings import of_figure, of_record
from ridgeline.rules.facts import Facts, facts_of
from ridgeline.rules.rule import Context
from ridgeline.rules.survey import Survey
from ridgeline.text.beside import WAIVERS

_WORD = re.compile(r"[A-Za-z0-9]*[0-9][A-Za-z0-9]*")
_DIGITS = re.compile(r"[0-9]{1,30}")
#: Readers of names look no further than this around their first digit.
_WIDE = 60


def check(root: Path, verdicts: Verdicts, *, figures: bool = False) -> tuple[Report, Kept]:
    """The report on all records below a root, and what is kept of it from now on.

    With ``figures``, the report knows the figures of records that were not examined again, too.
    """
    with seldom_collecting():
        run = Run(root, files(root), verdicts.load())
        return run.report(verdicts, figures)


class Run:
    """One check over the files of one moment."""

    def __init__(self, root: Path, found: Mapping[str, File], kept: Kept):
        self.root, self.files, self.kept = root, found, kept
        self.digests = {r: digest_of(file) for r, file in found.items() if isinstance(file.content, bytes)}
        self.changed = {
            r for r in self.digests.keys() | kept.rows.keys() if self.digests.get(r) != _kept_digest(kept, r)
        }
        self.knowledge = traced(root, found)
        self.resolver = Resolver(self.knowledge)
        self.context = Context(self.knowledge, self.resolver)
        self.facts: dict[str, Facts] = {}
        self.beneath: dict[str, frozenset[str]] = {}
        for reference in self.digests:
            self._take(reference)
        self.survey = Survey(self.knowledge, self.facts)
        self.context.memory["survey"] = self.survey
        self.resolver.told(self.survey.known)
        # Knowing the names of all records needs none of them.
        self.knowledge.__dict__["names"] = self.survey.names()

    @property
    def entries(self) -> Traced:
        """The entries, read when they are asked for."""
        assert isinstance(self.knowledge.entries, Traced)
        return self.knowledge.entries

    def _take(self, reference: str) -> None:
        """The facts of a record: those that are kept, where they still hold."""
        row = self.kept.rows.get(reference)
        if row is not None and reference not in self.changed and row.beneath.isdisjoint(self.changed):
            self.facts[reference], self.beneath[reference] = row.facts, row.beneath
            return
        notes: set[str] = set()
        with noting(self.knowledge, notes):
            self.facts[reference] = facts_of(self.context, self.entries[reference])
        self.beneath[reference] = frozenset(notes - {reference})

    # What holds

    def stale(self) -> set[str]:
        """The records whose verdict has to be made anew."""
        rows = self.kept.rows
        noted = {note for row in rows.values() for note in row.reads}
        present = rows.keys() ^ self.digests.keys()
        moved = {note for note in noted if self._moved(note, present)}
        stale = {r for r in self.digests if r in self.changed or not rows[r].reads.isdisjoint(moved)}
        words = _words(_names(row.facts for row in rows.values()) ^ _names(self.facts.values()))
        if words:
            stale |= {r for r in self.digests.keys() - stale if self._may_hold(r, words)}
        return stale

    def _moved(self, note: str, present: Collection[str]) -> bool:
        if note == EVERYTHING:
            return bool(self.changed)
        if note.startswith("?"):
            return note[1:] in present
        if ":" in note:
            return _digest(self.survey.answer(note)) != self.kept.answers.get(note, "")
        return note in self.changed

    def _may_hold(self, reference: str, words: list[bytes]) -> bool:
        """Whether prose of a record may contain one of some words. An escape could spell any."""
        content = self.files[reference].content
        return isinstance(content, bytes) and (b"\\" in content or any(word in content for word in words))

    # Verdicts

    def report(self, verdicts: Verdicts, figures: bool) -> tuple[Report, Kept]:
        """The report, and what is kept from now on."""
        held = verdicts.figures() if figures else {}
        again = self._again(held if figures else None)
        report = Report(self.knowledge, self.resolver)
        fresh: dict[str, Row] = {}
        for reference in self.digests:
            if reference in again:
                fresh[reference] = self._examined(report, reference, held if figures else None)
                continue
            row = self.kept.rows[reference]
            report.findings += map(_finding, row.findings)
            report.tried.update(row.tried)
            report.unexamined[reference] = Unexamined(row.statuses, row.levels, held.get(row.stamp))
        for reference in self.files.keys() - self.digests.keys():
            report.findings += self.entries.reading[reference]
        strays = Knowledge(self.root)
        stray(strays)
        report.findings += strays.findings
        kept = self._kept(fresh)
        if fresh or len(kept.rows) != len(self.kept.rows):
            verdicts.save(kept)
            if figures:
                stamps = {row.stamp for row in kept.rows.values()}
                verdicts.save_figures({name: printed for name, printed in held.items() if name in stamps})
        return finished(report), kept

    def _again(self, held: Mapping[str, Any] | None) -> set[str]:
        """The records that have to be examined: whose verdicts do not hold, and what was not kept of whom."""
        again, rows = self.stale(), self.kept.rows
        if held is not None:
            again |= {r for r in self.digests.keys() - again if rows[r].stamp not in held}
        if (self.root / WAIVERS).exists():
            # What a waiver accepts is marked in findings and figures, so those have to be there.
            again |= {r for r in self.digests.keys() - again if rows[r].findings}
        return again

    def _examined(self, report: Report, reference: str, held: dict[str, Any] | None) -> Row:
        """Examine one record, into the report, and its figures into what is held of all."""
        notes: set[str] = set()
        memory = self.context.memory
        memory["tried"] = set()
        findings, figures, conclusions = len(report.findings), len(report.figures), len(report.conclusions)
        with noting(self.knowledge, notes):
            entry = self.entries[reference]
            report.findings += self.entries.reading[reference]
            examined(report, self.context, entry)
            levels = Counter(name for f in report.figures[figures:] for name in of_figure(f, self.survey.secondary))
            for name, count in of_record(entry, self.survey.secondary):
                levels[name] += count
        named = ""
        if held is not None:
            printed = [
                [figure_as_dict(report, f) for f in report.figures[figures:]],
                [conclusion_as_dict(report, c) for c in report.conclusions[conclusions:]],
            ]
            named = stamp(printed)
            held[named] = printed
        return Row(
            self.digests[reference],
            self.facts[reference],
            self.beneath[reference],
            frozenset(notes - {reference}),
            Counter(figure.status.value for figure in report.figures[figures:]),
            levels,
            tuple(map(_plain, report.findings[findings:])),
            tuple(sorted(memory["tried"])),
            named,
        )

    def _kept(self, fresh: Mapping[str, Row]) -> Kept:
        rows = {r: fresh.get(r) or self.kept.rows[r] for r in self.digests}
        questions = {note for row in rows.values() for note in row.reads if ":" in note}
        answers = {q: digest for q in sorted(questions) if (digest := _digest(self.survey.answer(q)))}
        return Kept(rows, answers)


def digest_of(file: File) -> str:
    """The digest of a file's bytes."""
    assert isinstance(file.content, bytes)
    return sha256(file.content).hexdigest()[:40]


def _kept_digest(kept: Kept, reference: str) -> str | None:
    row = kept.rows.get(reference)
    return None if row is None else row.digest


def _digest(answer: Any) -> str:
    """The digest of an answer; empty for the answer that nothing is known."""
    return sha256(json.dumps(answer).encode("ascii")).hexdigest()[:40] if answer else ""


def _names(facts: Iterable[Facts]) -> set[str]:
    return {name for of in facts for name in of.get("names", ())}


def _words(names: Iterable[str]) -> list[bytes]:
    """For each name with a digit, a part of its first word with one: a text without that part is read without the name."""
    found = set()
    for name in names:
        word = _WORD.search(name)
        if word is not None:
            part = word[0] if len(word[0]) <= _WIDE else _DIGITS.search(word[0])[0]  # type: ignore[index]
            found.add(part.encode("ascii"))
    return sorted(found)


def _plain(finding: Finding) -> dict[str, Any]:
    return dataclasses.asdict(finding)


def _finding(plain: Mapping[str, Any]) -> Finding:
    return Finding(**{**plain, "level": Level(plain["level"]), "place": Place(**plain["place"])})


__all__ = ["Run", "check", "digest_of"]
