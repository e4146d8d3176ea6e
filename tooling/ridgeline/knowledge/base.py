"""All records together, read and validated, found by reference and by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.records.common import Record
from ridgeline.records.kinds import FOLDERS, KIND_OF_FOLDER
from ridgeline.records.validate import validate
from ridgeline.records.walk import Item, walk
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

    @cached_property
    def items(self) -> list[Item]:
        """What stands where in the record; nothing where it cannot be read."""
        return [] if self.record is None else list(walk(self.record))


@dataclass
class Knowledge:
    """The records below a root folder. ``findings`` holds what is wrong with single files and with their ids."""

    root: Path
    entries: dict[str, Entry] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    #: The files beside the records, where they are not those of the root as it is now: by name.
    beside: Mapping[str, bytes | Finding] | None = None

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


class _OnDemand(dict[str, Any]):
    """The entries below a root, each read when it is first asked for. All references are known from the start."""

    def __init__(self, knowledge: Knowledge):
        super().__init__()
        self._knowledge = knowledge
        self._unread = {f"{p.parent.name}/{p.stem}": p for p in paths(knowledge.root)}
        # Every key has its place now, so that the order does not depend on who asks first.
        super().update(dict.fromkeys(self._unread))

    def __getitem__(self, reference: str) -> Entry:
        path = self._unread.pop(reference, None)
        if path is not None:
            read_file(self._knowledge, path)
        entry: Entry | None = super().__getitem__(reference)
        if entry is None:
            # Its file cannot be read.
            del self[reference]
            raise KeyError(reference)
        return entry

    def get(self, reference: str, default: Any = None) -> Any:
        try:
            return self[reference]
        except KeyError:
            return default

    def values(self) -> Any:
        return [entry for _, entry in self.items()]

    def items(self) -> Any:
        return [(reference, entry) for reference in list(self) if (entry := self.get(reference)) is not None]


def on_demand(root: Path) -> Knowledge:
    """The records below a root, none of them read yet. Only findings of records that were asked for are ever there."""
    knowledge = Knowledge(root)
    knowledge.entries = _OnDemand(knowledge)
    return knowledge


def paths(root: Path) -> list[Path]:
    """The record files below ``root/records``, sorted."""
    base = root / RECORDS
    return sorted(p for folder in FOLDERS.values() for p in (base / folder).glob("*.yaml"))


def load(root: Path, files: Iterable[Path] | None = None) -> Knowledge:
    """Read and validate all records. A file that cannot be read hides nothing else."""
    knowledge = Knowledge(root)
    for path in paths(root) if files is None else files:
        read_file(knowledge, path)
    stray(knowledge)
    return knowledge


def read_file(knowledge: Knowledge, path: Path) -> None:
    """Add the record in a file to the knowledge base, or the finding that it cannot be read."""
    relative = path.relative_to(knowledge.root).as_posix()
    try:
        source = path.read_bytes()
    except OSError as error:
        knowledge.findings.append(cannot_be_read(relative, error))
    else:
        add(knowledge, relative, source)


def cannot_be_read(relative: str, error: OSError) -> Finding:
    """What is wrong with a file that the system refuses to give."""
    return Finding(
        "unreadable",
        Level.ERROR,
        Place(relative),
        f"cannot be read: {error.strerror}",
        mend="give it back its permissions, or move it away",
    )


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
    found = []
    for folder, _, names in os.walk(knowledge.root / RECORDS):
        above = os.path.relpath(folder, knowledge.root).replace(os.sep, "/")
        found += [f"{above}/{name}" for name in names if is_stray(f"{above}/{name}")]
    for relative in sorted(found, key=lambda path: path.split("/")):
        if (knowledge.root / relative).is_file():
            knowledge.findings.append(stray_finding(relative))


def is_stray(relative: str) -> bool:
    """Whether no kind of record is read from a path below the root."""
    parts = relative.split("/")
    read_here = len(parts) == 3 and parts[1] in KIND_OF_FOLDER and Path(parts[2]).suffix == ".yaml"
    return not parts[-1].startswith(".") and not read_here


def stray_finding(relative: str) -> Finding:
    """What is wrong with a file that no kind reads."""
    return Finding(
        "stray-file",
        Level.ERROR,
        Place(relative),
        "no kind of record is read from here",
        mend=f"move it to one of {', '.join(sorted(FOLDERS.values()))} below {RECORDS}/ and call it ID.yaml",
    )
