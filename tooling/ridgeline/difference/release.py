"""A release: the number of the edition that is due, written wherever it stands, and the changelog that says why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ridgeline.difference.change import Change
from ridgeline.difference.difference import Difference
from ridgeline.difference.edition import EditionError, fallen, order
from ridgeline.difference.records import RecordChange
from ridgeline.difference.wording import around
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.text.beside import EDITION

CHANGELOG = "CHANGELOG.md"
CITATION = "CITATION.cff"
_HEAD = "# Changelog\n\nWhat each edition of the records changed, newest first. Numbers rise by what readers of the data lose (the first),\ngain (the second), or find to be another value (the third).\n"
_SECTION = re.compile(r"^## ", re.M)
#: Kinds of change that leave what a record says as it is.
_QUIET = frozenset({"printed", "figures"})
#: Lines of one record; the rest is counted.
_MOST = 60


@dataclass(frozen=True, slots=True)
class Written:
    """A release: its number, and the files that say it now."""

    number: str
    files: tuple[str, ...]


def write(found: Difference, root: Path, day: date) -> Written:
    """Raise the number in its file, in the citation and in the changelog, below the root of the records.

    The number is what the difference makes due; a higher one that the file already says stays. Raises
    :class:`EditionError` where the base has no number to count from.
    """
    was, now = found.numbers
    if not was:
        raise EditionError(
            f"{found.base.name} has no {EDITION} with a number: write {EDITION} by hand for the first release"
        )
    due = found.edition.after(was)
    number = now if now and order(now) > order(due) else due
    files = []
    if number != now:
        (root / EDITION).write_text(number + "\n", encoding="ascii")
        files.append(EDITION)
    citation = root / CITATION
    if citation.is_file():
        citation.write_text(cited(citation.read_text(encoding="utf-8"), number, day), encoding="utf-8", newline="\n")
        files.append(CITATION)
    changelog = root / CHANGELOG
    text = changelog.read_text(encoding="utf-8") if changelog.is_file() else ""
    changelog.write_text(with_section(text, number, section(found, number, day)), encoding="utf-8", newline="\n")
    return Written(number, (*files, CHANGELOG))


def cited(text: str, number: str, day: date) -> str:
    """A citation file with another version, and the day of it."""
    text = re.sub(r"^version: .*$", f"version: {number}", text, count=1, flags=re.M)
    if re.search(r"^date-released: ", text, re.M):
        return re.sub(r"^date-released: .*$", f'date-released: "{day.isoformat()}"', text, count=1, flags=re.M)
    return re.sub(r"^(version: .*)$", rf'\1\ndate-released: "{day.isoformat()}"', text, count=1, flags=re.M)


def with_section(text: str, number: str, section: str) -> str:
    """A changelog with the section of a number on top; one that is there for that number is replaced."""
    head, *old = _SECTION.split(text or _HEAD)
    kept = [part for part in old if part.partition("\n")[0].split(" ")[0] != number]
    return "\n\n".join([head.rstrip(), section.rstrip(), *(f"## {part.rstrip()}" for part in kept)]) + "\n"


def notes(text: str, number: str) -> str | None:
    """The section of a number in a changelog, without its heading; ``None`` where there is none."""
    for part in _SECTION.split(text)[1:]:
        title, _, rest = part.partition("\n")
        if title.split(" ")[0] == number:
            return rest.strip() + "\n"
    return None


def unready(found: Difference, changelog: str) -> list[Finding]:
    """Why the later side cannot be released: its number is too low, or the changelog does not tell of it."""
    was, now = found.numbers
    told = fallen(was, now, found.edition, asked=True)
    if now and notes(changelog, now) is None:
        mend = "let `ridgeline diff --release` write it"
        told.append(
            Finding(
                "edition-not-raised", Level.ERROR, Place(CHANGELOG), f"the changelog has no section {now}", mend=mend
            )
        )
    return told


# The changelog


def section(found: Difference, number: str, day: date) -> str:
    """The section of a release: an entry for everything that a record says otherwise, with why."""
    lines = [f"## {number} ({day.isoformat()})", ""]
    if found.edition.bump == "none":
        lines.append("No record says anything else than before.")
    for title, how in (("Removed", "removed"), ("Renamed", "renamed"), ("Merged", "merged"), ("Added", "added")):
        records = [record for record in found.changed if record.how == how]
        if records:
            lines += [f"### {title}", "", *map(_headline, records), ""]
    changed = [(record, list(_entries(record))) for record in found.changed]
    if any(entries for _, entries in changed):
        lines += ["### Changed", ""]
    for record, entries in changed:
        if entries:
            more = len(entries) - _MOST
            lines += [f"#### {_text(record.reference)}", "", *entries[:_MOST]]
            lines += [f"- and {more:,} more", ""] if more > 0 else [""]
    return "\n".join(lines).rstrip() + "\n"


def _headline(record: RecordChange) -> str:
    name = f": {_text(record.name)}" if record.name else ""
    if record.how in ("renamed", "merged"):
        return f"- `{record.was}` is `{record.reference}` now{name}"
    return f"- `{record.was or record.reference}`{name}"


def _entries(record: RecordChange) -> Iterator[str]:
    """A line for each change of a record that is on both sides."""
    if record.before is None or record.after is None:
        return
    for change in record.changes:
        if change.what in _QUIET or change.field in ("history", "revision"):
            continue
        yield _entry(record, change)


def _entry(record: RecordChange, change: Change) -> str:
    old, new = change.old or "nothing", change.new or "nothing"
    if change.old is not None and change.new is not None:
        old, new = around(change.old, change.new)
    said = "" if change.what in ("value", "text", "field", "head") else f" ({change.what})"
    why = why_of(record, change)
    return f"- `{change.name or change.field}`{said}: {_text(old)} → {_text(new)}{f'. {_text(why)}' if why else ''}"


def why_of(record: RecordChange, change: Change) -> str:
    """Why a value changed, in the words of the entry that the record's history gained for it; empty where none did."""
    if record.before is None or record.after is None:
        return ""
    fresh = [entry for entry in record.after.record.history if entry not in record.before.record.history]
    names = {change.name, change.field}
    exact = [e for e in fresh if e.change in names or e.change.removesuffix(".value") in names]
    around_it = [e for e in fresh if any(name.startswith(e.change + ".") for name in names)]
    return next((e.why for e in (*exact, *around_it)), "")


def _text(said: str) -> str:
    """A record's words on one line of Markdown, where they mark nothing up and lead nowhere."""
    line = " ".join(said.split())[:400]
    return re.sub(r"([\\`*_\[\]<>#|~&!@])", r"\\\1", line)


__all__ = ["CHANGELOG", "Written", "cited", "notes", "section", "unready", "why_of", "with_section", "write"]
