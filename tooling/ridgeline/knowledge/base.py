"""All records together, read and validated, found by reference and by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.records.common import Record
from ridgeline.records.kinds import FOLDERS, KIND_OF_FOLDER
from ridgeline.records.validate import validate
from ridgeline.text.document import Document, read

RECORDS = "records"
MAX_RECORDS = 200_000


@dataclass
class Entry:
    """A record with its file. ``reference`` is ``folder/id``."""

    kind: str
    reference: str
    document: Document
    record: Record | None = None

    @property
    def id(self) -> str:
        return self.reference.partition("/")[2]


@dataclass
class Knowledge:
    """The records below a root folder. ``findings`` holds what is wrong with single files and with their ids."""

    root: Path
    entries: dict[str, Entry] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def of_kind(self, kind: str) -> Iterator[Entry]:
        """The readable entries of one kind, in the order of their ids."""
        return (e for e in self.entries.values() if e.kind == kind and e.record is not None)

    def get(self, reference: str) -> Entry | None:
        """The entry of a reference, with its record; ``None`` when there is none or it cannot be read."""
        entry = self.entries.get(reference)
        return entry if entry is not None and entry.record is not None else None

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of records as prose writes them. Numerals inside them are part of the name."""
        found: set[str] = set()
        for entry in self.entries.values():
            if entry.record is not None:
                found.add(entry.record.name)
                found.update(entry.record.also_called)
        return frozenset(found)


def paths(root: Path) -> list[Path]:
    """The record files below ``root/records``, sorted."""
    base = root / RECORDS
    return sorted(p for folder in FOLDERS.values() for p in (base / folder).glob("*.yaml"))


def load(root: Path, files: Iterable[Path] | None = None) -> Knowledge:
    """Read and validate all records. A file that cannot be read hides nothing else."""
    knowledge = Knowledge(root)
    for path in paths(root) if files is None else files:
        relative = path.relative_to(root).as_posix()
        try:
            source = path.read_bytes()
        except OSError as error:
            knowledge.findings.append(
                Finding("unreadable", Level.ERROR, Place(relative), f"cannot be read: {error.strerror}")
            )
            continue
        add(knowledge, relative, source)
    stray(knowledge)
    return knowledge


def add(knowledge: Knowledge, relative: str, source: bytes | str) -> None:
    """Add one file to the knowledge base; ``relative`` is its path below the root."""
    document = read(relative, source)
    knowledge.findings += document.findings
    record, findings = validate(document)
    knowledge.findings += findings
    folder, stem = Path(relative).parent.name, Path(relative).stem
    reference = f"{folder}/{stem}"
    knowledge.entries[reference] = Entry(KIND_OF_FOLDER.get(folder, ""), reference, document, record)


def stray(knowledge: Knowledge) -> None:
    """Files below ``records/`` that no kind would ever read: they would be lost in silence."""
    base = knowledge.root / RECORDS
    if not base.is_dir():
        return
    known = {base / folder for folder in FOLDERS.values()}
    for path in sorted(base.rglob("*")):
        if path.is_file() and not path.name.startswith(".") and (path.parent not in known or path.suffix != ".yaml"):
            relative = path.relative_to(knowledge.root).as_posix()
            knowledge.findings.append(
                Finding(
                    "stray-file",
                    Level.ERROR,
                    Place(relative),
                    "no kind of record is read from here",
                    mend=f"move it to one of {', '.join(sorted(FOLDERS.values()))} below {RECORDS}/ and call it ID.yaml",
                )
            )
