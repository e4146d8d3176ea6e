"""Skeletons of records: everything that must be filled in says so, and fails the check until it is."""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from ridgeline.records.kinds import FOLDERS
from ridgeline.text.document import read
from ridgeline.text.splice import write as write_file

MAX_ID = 80
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*\Z")


class ScaffoldError(ValueError):
    """The skeleton cannot be written; the message says what to do instead."""


def text(kind: str, identifier: str) -> str:
    """The skeleton of a record of a kind."""
    if kind not in FOLDERS:
        near = get_close_matches(kind, FOLDERS, 1)
        hint = f"did you mean {near[0]}?" if near else f"the kinds are {', '.join(FOLDERS)}"
        raise ScaffoldError(f"there is no kind {kind}: {hint}")
    if len(identifier) > MAX_ID:
        raise ScaffoldError(f"an id has at most {MAX_ID} characters, this one has {len(identifier)}")
    if not _ID.match(identifier):
        example = re.sub(r"[^a-z0-9]+", "-", identifier.lower()).strip("-") or "llama-2-7b"
        raise ScaffoldError(
            f"{identifier or 'an empty text'} is no id: lower-case letters and digits joined by hyphens, such as {example}"
        )
    template = (files("ridgeline.records") / "scaffolds" / f"{kind}.yaml").read_text(encoding="utf-8")
    return template.replace("{{", "{").replace("}}", "}").replace("{id}", _scalar(identifier))


def _scalar(identifier: str) -> str:
    """The id as YAML writes a text: quoted where it could be read as a number or a boolean."""
    document = read("", f"id: {identifier}\n")
    plain = not document.findings and isinstance(document.data["id"], str)
    return identifier if plain else f'"{identifier}"'


def write(root: Path, kind: str, identifier: str) -> Path:
    """Write a skeleton to its place below ``root/records``; refuses to overwrite."""
    body = text(kind, identifier)
    path = root / "records" / FOLDERS[kind] / f"{identifier}.yaml"
    if path.exists():
        raise ScaffoldError(f"{path} exists already: edit it, or choose another id")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, body)
    return path
