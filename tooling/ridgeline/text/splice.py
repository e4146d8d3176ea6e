"""Surgical edits of source text: replace ranges, keep everything else, write the file whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters from ``start`` to ``end`` (offsets in code points) by ``text``."""

    start: int
    end: int
    text: str


def splice(source: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made. Raises ``ValueError`` where two of them overlap."""
    parts, at = [], 0
    for edit in sorted(edits):
        if edit.start < at:
            raise ValueError(f"two edits overlap at offset {edit.start}")
        parts += [source[at : edit.start], edit.text]
        at = edit.end
    parts.append(source[at:])
    return "".join(parts)


def write(path: Path, text: str) -> None:
    """Write a file beside and rename it, so that no reader ever sees half of it."""
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
