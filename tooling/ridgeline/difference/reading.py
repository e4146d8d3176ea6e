"""Both sides read: two knowledge bases that share every record whose bytes are equal."""

from __future__ import annotations

from dataclasses import dataclass

from ridgeline.difference.revisions import Side
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Entry, Knowledge, add, stray_finding
from ridgeline.records.kinds import KIND_OF_FOLDER
from ridgeline.text.document import Document


@dataclass(frozen=True)
class Both:
    """The records before and after; ``unchanged`` are the references of those that both share."""

    before: Knowledge
    after: Knowledge
    unchanged: frozenset[str]


def read_both(base: Side, head: Side) -> Both:
    """Read the head, and of the base what differs from it."""
    before, after = Knowledge(base.root, beside=base.beside()), Knowledge(head.root, beside=head.beside())
    said: dict[str, list[Finding]] = {}
    later = head.read(head.paths)
    for path in head.paths:
        said[path] = _add(after, path, later[path])
    algorithm = base.algorithm or head.algorithm
    here = set(head.paths)
    same = {p for p in base.paths if p in here and (k := base.key(p, algorithm)) and k == head.key(p, algorithm)}
    contents = base.read([path for path in base.paths if path not in same])
    shared = set()
    for path in base.paths:
        reference = _reference(path)
        # Two files that cannot be had, for one reason, are equal as far as anybody can tell.
        equal = path in same or (isinstance(contents[path], Finding) and contents[path] == later.get(path))
        entry: Entry | None = after.entries.get(reference) if equal else None
        if entry is None:
            _add(before, path, contents[path])
        else:
            before.entries[reference] = entry
            before.findings += said[path]
            shared.add(reference)
    for side, knowledge in ((base, before), (head, after)):
        knowledge.findings += [stray_finding(path) for path in side.strays]
    return Both(before, after, frozenset(shared))


def _reference(path: str) -> str:
    return path.removeprefix("records/").removesuffix(".yaml")


def _add(knowledge: Knowledge, path: str, content: bytes | Finding) -> list[Finding]:
    """Add one file; what its reading found."""
    told = len(knowledge.findings)
    if isinstance(content, Finding):
        knowledge.findings.append(content)
        folder, reference = path.split("/")[1], _reference(path)
        document = Document(path, "", findings=[content])
        knowledge.entries[reference] = Entry(KIND_OF_FOLDER[folder], reference, document)
    else:
        add(knowledge, path, content)
    return knowledge.findings[told:]


__all__ = ["Both", "read_both"]
