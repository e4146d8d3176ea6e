"""The last report of a check, kept under a hash of everything that it follows from.

A report follows from the bytes of every record, from the names of the other files below ``records/``, from the tool's own
source, from the interpreter and from the packages that are installed. All of them are read and hashed each time, no time
stamp is trusted, so a kept report is served only where the check would print the same bytes again. The file is written
beside and renamed; one that is damaged, or that cannot be written, is as good as none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from ridgeline.text import beside

FOLDER = os.path.join("build", "check-cache")
_HEAD = b"ridgeline-check-cache/1"
_TRIED = b"ridgeline-tried/1"
_MAX_BYTES = 64 * 2**20
#: ``records/`` and its folders may be links; below them, links to folders are not followed.
_LINKED_DEPTH = 2


class Cache:
    """The kept report of one form below one root. ``option`` names the form: ``json-figures``."""

    def __init__(self, root: Path, option: str):
        self.path = os.path.join(root, FOLDER, option)
        self._root = os.path.abspath(root)
        self._option = option
        self._key = self._hash()

    def get(self) -> tuple[str, int] | None:
        """The report and the exit status, where nothing has changed since they were kept."""
        try:
            with open(self.path, "rb") as file:
                head, key, status, digest, body = file.read(_MAX_BYTES).split(b"\n", 4)
            whole = head == _HEAD and key == self._key and digest == _digest(key, status, body) and status in b"01"
            return (body.decode("utf-8"), int(status)) if whole else None
        except (OSError, ValueError):
            return None

    def put(self, report: str, status: int) -> None:
        """Keep a report, unless a file has changed while it was made."""
        try:
            body, code = report.encode("utf-8"), b"%d" % status
            content = b"\n".join((_HEAD, self._key, code, _digest(self._key, code, body), body))
            if len(content) >= _MAX_BYTES or self._hash() != self._key:
                return
            _write_beside(self.path, content)
        except (OSError, ValueError):
            return

    def _hash(self) -> bytes:
        total = sha256()
        for part in (self._option, self._root):
            _feed(total, os.fsencode(part))
        _feed(total, tool())
        _feed_folder(total, os.path.join(self._root, "records"), (".yaml",))
        _feed(total, beside.state(self._root))
        return total.hexdigest().encode()


class Tried:
    """Which claims of classes were tried before and held, kept under a hash of the tool itself.

    A trial follows from a class's own text, so a changed accelerator need not have all classes tried again. The file holds
    the digests of the last check and no others.
    """

    def __init__(self, root: Path):
        self.path = os.path.join(root, FOLDER, "tried")
        self._tool = tool()

    def load(self, clean: set[str]) -> None:
        """Add what was tried by the same tool."""
        try:
            clean.update(read_whole(self.path, _TRIED, self._tool).decode("ascii").split())
        except (OSError, ValueError):
            return

    def save(self, used: set[str]) -> None:
        """Keep what this check has used."""
        write_whole(self.path, _TRIED, self._tool, "\n".join(sorted(used)).encode("ascii"))


def tool() -> bytes:
    """A hash of the tool: its own source, the interpreter, the names and versions of the packages beside it."""
    total = sha256()
    for part in (sys.version, *_installed()):
        _feed(total, os.fsencode(part))
    _feed_folder(total, os.path.dirname(os.path.abspath(__file__)), (".py", ".yaml"))
    return total.hexdigest().encode()


def _feed_folder(total: object, folder: str, wanted: tuple[str, ...]) -> None:
    for name, path in _files(folder, 0):
        _feed(total, os.fsencode(name))
        _feed(total, _content(path) if name.endswith(wanted) else b"")
    _feed(total, b"end")


def read_whole(path: str, kind: bytes, made_by: bytes) -> bytes:
    """The content of a kept file. Raises ``OSError`` or ``ValueError`` for one that is not there, damaged, or not ours."""
    with open(path, "rb") as file:
        head, digest, body = file.read(_MAX_BYTES).split(b"\n", 2)
    if head != b"%s %s" % (kind, made_by) or digest != _digest(head, b"", body):
        raise ValueError(f"{path} is not whole")
    return body


def write_whole(path: str, kind: bytes, made_by: bytes, body: bytes) -> None:
    """Keep a content, where it is small enough and the file can be written."""
    head = b"%s %s" % (kind, made_by)
    content = b"\n".join((head, _digest(head, b"", body), body))
    if len(content) < _MAX_BYTES:
        _write_beside(path, content)


def _write_beside(path: str, content: bytes) -> None:
    """Write a file whole, or not at all."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        beside = f"{path}.{os.getpid()}"
        try:
            with open(beside, "wb") as file:
                file.write(content)
            os.replace(beside, path)
        finally:
            if os.path.exists(beside):
                os.unlink(beside)
    except OSError:
        return


def _digest(key: bytes, status: bytes, body: bytes) -> bytes:
    return sha256(b"\n".join((key, status, body))).hexdigest().encode()


def _feed(total: object, part: bytes) -> None:
    total.update(b"%d:" % len(part))  # type: ignore[attr-defined]
    total.update(part)  # type: ignore[attr-defined]


def _content(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        return b"unreadable %d" % (error.errno or 0)


def _files(folder: str, depth: int, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Everything below a folder that is no folder: its name there, and its path; sorted."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        yield f"{prefix}: unreadable {error.errno}", ""
        return
    for entry in entries:
        if entry.name == "__pycache__":
            continue
        if entry.is_dir(follow_symlinks=depth < _LINKED_DEPTH):
            yield from _files(entry.path, depth + 1, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.path


def _installed() -> Iterator[str]:
    """Names and versions of the packages that can be imported, as their folders are called."""
    for folder in sys.path:
        try:
            yield from sorted(name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info")))
        except OSError:
            continue


__all__ = ["Cache", "Tried"]
