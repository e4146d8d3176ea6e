"""What a machine can mend: numerals of prose that are stale, rewritten in place and in their own style."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ridgeline.check import Report, check_knowledge
from ridgeline.figures.figure import FigureResult
from ridgeline.figures.messages import mended
from ridgeline.knowledge.base import Entry, Knowledge, add, load, paths
from ridgeline.records.walk import dotted
from ridgeline.text.splice import Edit, splice, write

#: Mending one numeral can make another stale only through an equation; three rounds are more than enough.
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Mend:
    """One numeral that was rewritten."""

    path: str
    line: int
    column: int
    field: str
    old: str
    new: str


@dataclass
class Mending:
    """What was mended, and the report of the records as they are now."""

    report: Report
    mends: list[Mend] = field(default_factory=list)


def mend(root: Path, *, dry_run: bool = False, only: list[str] | None = None) -> Mending:
    """Rewrite every stale numeral below ``root`` that can be rewritten without changing what its sentence claims.

    ``only`` limits the edits to files of these relative paths. With ``dry_run`` nothing is written, and the report is the
    one that writing would lead to.
    """
    knowledge = load(root)
    mending = Mending(check_knowledge(knowledge))
    changed: dict[str, str] = {}
    for _ in range(_ROUNDS):
        sources = _round(mending, only)
        if not sources:
            break
        changed |= sources
        knowledge = _with_sources(root, mending.report.knowledge, sources)
        mending.report = check_knowledge(knowledge)
    if not dry_run:
        for path, source in sorted(changed.items()):
            write(root / path, source)
    return mending


def _round(mending: Mending, only: list[str] | None) -> dict[str, str]:
    """New source texts of the files in which something can be mended; the mends are noted."""
    edits: dict[str, list[Edit]] = {}
    for figure in mending.report.figures:
        entry = mending.report.knowledge.entries[figure.record]
        path = entry.document.path
        if only is not None and path not in only:
            continue
        edit = _edit(entry, figure)
        if edit is None:
            continue
        place = entry.document.place(figure.path, at=figure.numeral.at)
        edits.setdefault(path, []).append(edit)
        mending.mends.append(Mend(path, place.line, place.column, dotted(figure.path), figure.numeral.text, edit.text))
    documents = {e.document.path: e.document for e in mending.report.knowledge.entries.values()}
    return {path: splice(documents[path].source, found) for path, found in edits.items()}


def _edit(entry: Entry, figure: FigureResult) -> Edit | None:
    """The edit that mends a figure, or ``None`` where a person must edit the sentence."""
    # What is waived waits for its owner: mended in passing, the waiver would be left over and fail the check.
    new = None if figure.waived is not None else mended(figure)
    if new is None or new == figure.numeral.text:
        return None
    start = entry.document.offset(figure.path, figure.numeral.at)
    end = start + len(figure.numeral.text)
    # Where the source spells the numeral otherwise than the text it stands for (an escape), leave it to a person.
    if entry.document.source[start:end] != figure.numeral.text:
        return None
    return Edit(start, end, new)


def _with_sources(root: Path, base: Knowledge, sources: dict[str, str]) -> Knowledge:
    """The same records with some files replaced."""
    knowledge = Knowledge(root)
    for path in paths(root):
        relative = path.relative_to(root).as_posix()
        entry = next((e for e in base.entries.values() if e.document.path == relative), None)
        source = sources.get(relative) or (entry.document.source if entry is not None else None)
        add(knowledge, relative, source if source is not None else path.read_bytes())
    return knowledge
