"""The records of one moment, each read when it is first asked for, with a note of who asked for what.

What a verdict on a record follows from is what was read while it was made. The notes are texts:

* ``classes/x``: the record, whatever was looked at in it, or that it is not there;
* ``?classes/x``: only whether it is there;
* ``*``: which records there are, and all of them;
* anything with a colon, ``die:nvidia/gh100``: something that is known of many records at once (:mod:`ridgeline.rules.survey`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import RECORDS, Entry, Knowledge, add, cannot_be_read
from ridgeline.records.kinds import KIND_OF_FOLDER

EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class File:
    """A record's file: its path below the root, and its bytes or why there are none."""

    path: str
    content: bytes | OSError


def files(root: Path) -> dict[str, File]:
    """The files of all records by reference, in the order of their paths."""
    found: dict[str, File] = {}
    for folder in sorted(KIND_OF_FOLDER):
        above = os.path.join(root, RECORDS, folder)
        try:
            names = sorted(name for name in os.listdir(above) if name.endswith(".yaml"))
        except OSError:
            continue
        for name in names:
            path = os.path.join(above, name)
            found[f"{folder}/{name[:-5] or name}"] = File(f"{RECORDS}/{folder}/{name}", _content(path))
    return found


def _content(path: str) -> bytes | OSError:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        return error


class Traced(dict[str, Any]):
    """The entries of some files. ``noted`` takes a note of every access, where there is somebody who wants them."""

    def __init__(self, knowledge: Knowledge, found: Mapping[str, File]):
        readable = {r: file for r, file in found.items() if isinstance(file.content, bytes)}
        super().__init__(dict.fromkeys(readable))
        self._knowledge = knowledge
        self._unread = readable
        self.noted: set[str] | None = None
        #: What is wrong with the files that were read, by reference.
        self.reading: dict[str, list[Finding]] = {
            r: [cannot_be_read(file.path, file.content)]
            for r, file in found.items()
            if isinstance(file.content, OSError)
        }

    def note(self, what: str) -> None:
        """Say that something was looked at."""
        if self.noted is not None:
            self.noted.add(what)

    def __getitem__(self, reference: str) -> Entry:
        if self.noted is not None:
            self.noted.add(reference)
        file = self._unread.pop(reference, None)
        if file is not None:
            return self._read(reference, file)
        entry: Entry = super().__getitem__(reference)
        return entry

    def _read(self, reference: str, file: File) -> Entry:
        assert isinstance(file.content, bytes)
        before = len(self._knowledge.findings)
        add(self._knowledge, file.path, file.content)
        self.reading[reference] = self._knowledge.findings[before:]
        entry: Entry = super().__getitem__(reference)
        return entry

    def get(self, reference: str, default: Any = None) -> Any:
        try:
            return self[reference]
        except KeyError:
            return default

    def __contains__(self, reference: object) -> bool:
        self.note(f"?{reference}")
        return super().__contains__(reference)

    def __iter__(self) -> Iterator[str]:
        self.note(EVERYTHING)
        return super().__iter__()

    def keys(self) -> Any:
        return list(self)

    def values(self) -> Any:
        return [self[reference] for reference in self]

    def items(self) -> Any:
        return [(reference, self[reference]) for reference in self]


def traced(root: Path, found: Mapping[str, File]) -> Knowledge:
    """A knowledge base over the files of one moment, none of them parsed yet."""
    knowledge = Knowledge(root)
    knowledge.entries = Traced(knowledge, found)
    return knowledge


def note(knowledge: Knowledge, what: str) -> None:
    """Say that something was looked at, where somebody takes notes."""
    if isinstance(knowledge.entries, Traced):
        knowledge.entries.note(what)


@contextmanager
def noting(knowledge: Knowledge, notes: set[str]) -> Iterator[None]:
    """Take note of what is looked at; who was taking notes before does not see it."""
    entries = knowledge.entries
    if not isinstance(entries, Traced):
        yield
        return
    before, entries.noted = entries.noted, notes
    try:
        yield
    finally:
        entries.noted = before


__all__ = ["EVERYTHING", "File", "Traced", "files", "note", "noting", "traced"]
