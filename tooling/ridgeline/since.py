"""What a revision of git lets one leave out of a report: records that neither changed since nor rest on one that did."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from hashlib import new
from pathlib import Path

from ridgeline.difference.revisions import Revision, revision
from ridgeline.findings.finding import Finding
from ridgeline.incremental import Run
from ridgeline.kept import Kept
from ridgeline.knowledge.tracing import File, files


@dataclass(frozen=True)
class Since:
    """The records to report on, as paths below the root, and how many records there are."""

    paths: frozenset[str]
    examined: int
    records: int


def since(name: str, root: Path, kept: Kept) -> Since:
    """What changed since a revision, uncommitted changes included, with all verdicts that could be others for it.

    ``kept`` is what a check of the records as they are now has just kept. Raises
    :class:`ridgeline.difference.revisions.RevisionError`.
    """
    then = revision(name, root)
    now = files(root)
    before = Run(root, _before(then, now), kept)
    moved = before.stale() | before.changed
    # A file that cannot be read now was not looked at.
    found = {r for r, file in now.items() if r in moved or isinstance(file.content, OSError)}
    paths = {now[reference].path for reference in found}
    return Since(frozenset(paths), len(found), len(now))


def _before(then: Revision, now: dict[str, File]) -> dict[str, File]:
    """The files of a revision; those that are still the same are not read again."""
    there = {path.removeprefix("records/").removesuffix(".yaml"): path for path in then.paths}
    same = {
        r for r, path in there.items() if r in now and _key(now[r], then.algorithm) == then.key(path, then.algorithm)
    }
    read = then.read([path for reference, path in there.items() if reference not in same])
    return {
        reference: now[reference] if reference in same else File(path, _content(read[path]))
        for reference, path in sorted(there.items())
    }


def _key(file: File, algorithm: str) -> str:
    """What git would call the bytes of a file."""
    if isinstance(file.content, OSError):
        return ""
    digest = new(algorithm, b"blob %d\0" % len(file.content), usedforsecurity=False)
    digest.update(file.content)
    return digest.hexdigest()


def _content(read: bytes | Finding) -> bytes | OSError:
    return OSError(errno.EIO, read.message) if isinstance(read, Finding) else read


__all__ = ["Since", "since"]
