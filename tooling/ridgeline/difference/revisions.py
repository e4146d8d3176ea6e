"""The two sides of a difference: a folder of records, or a revision of a git repository read without its work tree."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.knowledge import base as knowledge
from ridgeline.records.kinds import KIND_OF_FOLDER
from ridgeline.text.beside import NAMES, contents
from ridgeline.text.decode import MAX_BYTES

#: A git command that takes longer than this is given up.
_SECONDS = 300
#: All files of one side together; more would not fit into the memory of a small machine.
_MAX_TOTAL = 2**31
_LINK, _SUBMODULE = "120000", "160000"
#: The size of an object that is not in the repository.
_UNKNOWN = -1


class RevisionError(ValueError):
    """A side of the difference cannot be read; the message says why and what to write instead."""


class Side(Protocol):
    """One side: the record files of a tree, and what their bytes are known by."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Literal["git", "folder"]: ...
    @property
    def commit(self) -> str | None: ...
    @property
    def root(self) -> Path: ...
    @property
    def algorithm(self) -> str:
        """The hash that keys are made with; empty where any will do."""

    @property
    def paths(self) -> list[str]:
        """The record files, as paths below the root, in the order in which a check reads them."""

    @property
    def strays(self) -> list[str]:
        """Other files below ``records/``, which no kind reads."""

    def key(self, path: str, algorithm: str) -> str:
        """What the bytes of a file are known by; equal keys are equal bytes."""

    def read(self, paths: Iterable[str]) -> dict[str, bytes | Finding]:
        """The bytes of files, or why they cannot be had."""

    def beside(self) -> dict[str, bytes | Finding]:
        """The files beside the records, by name."""


def is_record(path: str) -> bool:
    """Whether a path below the root is one that a kind of record is read from."""
    parts = path.split("/")
    return len(parts) == 3 and parts[0] == knowledge.RECORDS and parts[1] in KIND_OF_FOLDER and path.endswith(".yaml")


def _in_order(paths: Iterable[str]) -> list[str]:
    return sorted(paths, key=lambda path: path.split("/"))


# Folders


@dataclass
class Folder:
    """The records below a folder as they are now."""

    root: Path
    name: str
    kind: Literal["folder"] = "folder"
    commit: str | None = None
    algorithm: str = ""
    paths: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    _bytes: dict[str, bytes | Finding] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for path in knowledge.paths(self.root):
            relative = path.relative_to(self.root).as_posix()
            self.paths.append(relative)
            try:
                self._bytes[relative] = path.read_bytes()
            except OSError as error:
                self._bytes[relative] = _unreadable(relative, error.strerror or "no reason given")
        probe = knowledge.Knowledge(self.root)
        knowledge.stray(probe)
        self.strays = [f.place.path for f in probe.findings]

    def key(self, path: str, algorithm: str) -> str:
        """The id that git would give the bytes."""
        content = self._bytes[path]
        if isinstance(content, Finding):
            return ""
        digest = hashlib.new(algorithm or "sha256", b"blob %d\0" % len(content), usedforsecurity=False)
        digest.update(content)
        return digest.hexdigest()

    def read(self, paths: Iterable[str]) -> dict[str, bytes | Finding]:
        return {path: self._bytes[path] for path in paths}

    def beside(self) -> dict[str, bytes | Finding]:
        return contents(self.root)


def _unreadable(path: str, reason: str) -> Finding:
    mend = "give it back its permissions, or move it away"
    return Finding("unreadable", Level.ERROR, Place(path), f"cannot be read: {reason}", mend=mend)


# Git


@dataclass(frozen=True, slots=True)
class _Blob:
    mode: str
    id: str
    size: int


@dataclass
class Revision:
    """The records of one revision, read from git's objects: ``prefix`` is the way from the repository to the root."""

    root: Path
    name: str
    tree: str
    commit: str | None
    prefix: str
    kind: Literal["git"] = "git"
    paths: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    _blobs: dict[str, _Blob] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        where = f"{self.tree}:{self.prefix}{knowledge.RECORDS}"
        if not _answer(self.root, "rev-parse", "--verify", "--quiet", where):
            # The records did not exist yet.
            return
        for path, blob in _listed(_git(self.root, "ls-tree", "--full-tree", "-r", "-z", "-l", where)):
            self._blobs[path] = blob
        self.paths = _in_order(path for path in self._blobs if is_record(path))
        self.strays = _in_order(path for path in self._blobs if knowledge.is_stray(path))
        if sum(max(0, self._blobs[path].size) for path in self.paths) > _MAX_TOTAL:
            raise RevisionError(f"the records of {self.name} have over {_MAX_TOTAL:,} bytes: name a smaller tree")

    @property
    def algorithm(self) -> str:
        return "sha1" if len(self.tree) == 40 else "sha256"

    def key(self, path: str, algorithm: str) -> str:
        """The id of the file's object; none for a link, whose object is not what is read through it."""
        blob = self._blobs[path]
        return "" if blob.mode in (_LINK, _SUBMODULE) else blob.id

    def read(self, paths: Iterable[str]) -> dict[str, bytes | Finding]:
        """All files with one call of git; links inside the repository are followed."""
        found: dict[str, bytes | Finding] = {}
        plain, links = [], []
        for path in paths:
            blob = self._blobs[path]
            if blob.mode == _SUBMODULE:
                found[path] = _unreadable(path, "it is another repository")
            elif blob.mode == _LINK:
                links.append(path)
            elif blob.size > MAX_BYTES:
                found[path] = _too_large(path, blob.size)
            else:
                plain.append(path)
        found |= self._contents(plain, [self._blobs[path].id for path in plain])
        followed = [path for path in links if "\n" not in path]
        found |= {path: _unreadable(path, "its name holds a line break") for path in links if "\n" in path}
        names = [f"{self.tree}:{self.prefix}{path}" for path in followed]
        return found | self._contents(followed, names, "--follow-symlinks")

    def beside(self) -> dict[str, bytes | Finding]:
        """Read from git's objects, as the records are."""
        found: dict[str, bytes | Finding] = {}
        for name in NAMES:
            where = f"{self.tree}:{self.prefix}{name}"
            identity = _answer(self.root, "rev-parse", "--verify", "--quiet", where)
            if not identity:
                continue
            size = _answer(self.root, "cat-file", "-s", identity)
            if size.isdigit() and int(size) > MAX_BYTES:
                found[name] = _too_large(name, int(size))
            else:
                found |= self._contents([name], [where], "--follow-symlinks")
        return found

    def _contents(self, paths: Sequence[str], names: Sequence[str], *options: str) -> dict[str, bytes | Finding]:
        if not paths:
            return {}
        answer = _git(self.root, "cat-file", "--batch", *options, given="\n".join(names).encode() + b"\n")
        found: dict[str, bytes | Finding] = {}
        at = 0
        for path in paths:
            end = answer.find(b"\n", at)
            words = answer[at:end].split()
            if end < 0 or not words or words[-1] in (b"missing", b"ambiguous"):
                raise RevisionError(
                    f"{path} of {self.name} is not in this repository: fetch it whole (git fetch --unshallow --refetch)"
                )
            size = int(words[-1])
            content = answer[end + 1 : end + 1 + size]
            at = end + 2 + size
            if words[1:2] != [b"blob"]:
                found[path] = _unreadable(path, f"it is a link to {content.decode('utf-8', 'replace')[:100]!r}")
            else:
                found[path] = content
        return found


def _too_large(path: str, size: int) -> Finding:
    message = f"the file has {size:,} bytes; at most {MAX_BYTES:,} are read"
    return Finding("file-too-large", Level.ERROR, Place(path), message, mend="split the record, or shorten its prose")


def _listed(answer: bytes) -> Iterator[tuple[str, _Blob]]:
    """The lines of ``git ls-tree -z -l``: path below the root, and the object."""
    for line in answer.split(b"\0"):
        head, tab, name = line.partition(b"\t")
        if tab:
            mode, _, identity, size = head.decode("ascii").split()
            path = f"{knowledge.RECORDS}/{os.fsdecode(name)}"
            yield path, _Blob(mode, identity, int(size) if size.isdigit() else _UNKNOWN)


def _run(root: Path, arguments: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    # Objects that a partial clone lacks are not fetched behind anybody's back.
    environment["GIT_NO_LAZY_FETCH"] = "1"
    command = ["git", "--no-replace-objects", "-C", str(root), *arguments]
    try:
        return subprocess.run(command, input=given, capture_output=True, env=environment, timeout=_SECONDS, check=False)
    except FileNotFoundError:
        raise RevisionError("git is not installed here: name a folder that holds the records to compare with") from None
    except subprocess.TimeoutExpired:
        raise RevisionError(f"git {arguments[0]} took over {_SECONDS} seconds and was given up") from None


def _git(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What a git command prints. Raises :class:`RevisionError` with git's own words."""
    result = _run(root, arguments, given)
    if result.returncode:
        said = result.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise RevisionError(f"git {arguments[0]} failed: {said or f'exit status {result.returncode}'}")
    return result.stdout


def _answer(root: Path, *arguments: str) -> str:
    """The one line that a git command prints, empty where it fails."""
    result = _run(root, arguments, b"")
    return "" if result.returncode else os.fsdecode(result.stdout).removesuffix("\n")


def revision(name: str, root: Path) -> Revision:
    """A revision by its name in the repository that holds the root. Raises :class:`RevisionError`."""
    inside = _run(root, ("rev-parse", "--show-prefix"), b"")
    if inside.returncode:
        said = inside.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        if "not a git repository" in said:
            said = f"{root} is in no git repository"
        raise RevisionError(f"{name} is no folder that holds records/, and no revision can be read: {said}")
    prefix = os.fsdecode(inside.stdout).removesuffix("\n")
    plain = bool(name) and not name.startswith("-") and name.isprintable()
    tree = _answer(root, "rev-parse", "--verify", "--quiet", f"{name}^{{tree}}") if plain else ""
    if not tree:
        if _answer(root, "rev-parse", "--is-shallow-repository") == "true":
            raise RevisionError(
                f"this clone is shallow and may lack {name}: fetch its history (git fetch --unshallow, or "
                "fetch-depth: 0 in a workflow)"
            )
        raise RevisionError(
            f"{name!r} is neither a folder that holds records/ nor a revision of this repository (see git branch -a, git tag)"
        )
    commit = _answer(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") or None
    return Revision(root, name, tree, commit, prefix)


def side(name: str | None, root: Callable[[], Path]) -> Folder | Revision:
    """A side by its name on the command line: a folder that holds ``records/``, else a revision; none, the work tree.

    ``root`` says which folder holds the records; two folders can be compared without one.
    """
    if name is None:
        return Folder(root(), "the working tree")
    folder = Path(name)
    try:
        if name and (folder / knowledge.RECORDS).is_dir():
            return Folder(folder, name)
    except (OSError, ValueError):
        pass
    return revision(name, root())


__all__ = ["Folder", "Revision", "RevisionError", "Side", "is_record", "revision", "side"]
