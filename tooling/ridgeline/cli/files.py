"""Files that a command line names: documents to read, and records below the root."""

from __future__ import annotations

import sys
from pathlib import Path

from ridgeline.cli import UsageError


def document(name: str) -> bytes:
    """The bytes of a file; ``-`` is standard input."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None


def below(path: Path, root: Path) -> str:
    """A path as it stands below the root; one that this folder does not have is looked for there."""
    absolute = path if path.is_absolute() else Path.cwd() / path
    if not absolute.exists() or not absolute.resolve().is_relative_to(root.resolve()):
        absolute = root / path
    try:
        return absolute.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise UsageError(f"{path} is not below {root}") from None
