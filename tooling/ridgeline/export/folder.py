"""The folder of an export: made beside, then put in place whole; only an export of the same form is ever replaced."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ridgeline.export.errors import ExportError
from ridgeline.export.jsontext import text

MANIFEST = "manifest.json"
SCHEMA = "export/1"


@dataclass(frozen=True, slots=True)
class Written:
    """A file: its path below the folder, its size in bytes, and its SHA-256."""

    path: str
    size: int
    sha256: str


def described(path: Path, name: str) -> Written:
    """A file's size and checksum."""
    with path.open("rb") as stream:
        return Written(name, path.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest())


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Write a file of UTF-8, line ends as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(parts)


def replaced(output: Path, form: str, about: Mapping[str, str], fill: Callable[[Path], None]) -> list[Written]:
    """Let ``fill`` write into a new folder beside, add the manifest, and put it where ``output`` says.

    What stood there is replaced if it is nothing but an earlier export of the same form; else :class:`ExportError`.
    """
    output = output.resolve()
    _replaceable(output, form)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as work:
        made = Path(work) / "new"
        made.mkdir()
        fill(made)
        paths = sorted(p.relative_to(made).as_posix() for p in made.rglob("*") if p.is_file())
        files = [described(made / name, name) for name in paths]
        listed = [{"path": f.path, "bytes": f.size, "sha256": f.sha256} for f in files]
        write_text(made / MANIFEST, [text({"schema": SCHEMA, "format": form, "about": dict(about), "files": listed})])
        _exchange(made, output, Path(work) / "old")
    return files


def _replaceable(output: Path, form: str) -> None:
    if not output.exists():
        return
    if not output.is_dir():
        raise ExportError(f"{output} is a file: name a folder")
    found = {p.relative_to(output).as_posix() for p in output.rglob("*") if not p.is_dir()}
    if not found:
        return
    manifest = _manifest(output / MANIFEST)
    if manifest is None:
        raise ExportError(f"{output} holds files that are no export: name another folder")
    if manifest.get("format") != form:
        raise ExportError(f"{output} holds an export as {manifest.get('format')}: name another folder for {form}")
    strange = sorted(found - {MANIFEST} - {str(f.get("path")) for f in manifest["files"]})
    if strange:
        raise ExportError(f"{output} holds {strange[0]}, which is no part of the export there: name another folder")


def _manifest(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA or not isinstance(found.get("files"), list):
        return None
    return found if all(isinstance(f, dict) for f in found["files"]) else None


def _exchange(made: Path, output: Path, aside: Path) -> None:
    """Put a finished folder where another stands. A failure between the two renames puts the old one back."""
    os.chmod(made, 0o755)
    if output.exists():
        os.rename(output, aside)
    try:
        os.rename(made, output)
    except OSError:
        if aside.exists():
            os.rename(aside, output)
        raise
