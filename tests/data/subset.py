"""Some of the repository's records with everything that they name: a real base that is checked in a second."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

_WORD = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")


def named(records: Path, references: tuple[str, ...]) -> set[str]:
    """The references and all that their files name, directly or through others, as paths below ``records``."""
    by_id: dict[str, list[str]] = {}
    for path in sorted(records.glob("*/*.yaml")):
        by_id.setdefault(path.stem, []).append(path.relative_to(records).as_posix())
    found: set[str] = set()
    todo = [f"{reference}.yaml" for reference in references]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        for word in set(_WORD.findall((records / path).read_text(encoding="utf-8"))):
            todo += by_id.get(word, [])
    return found


def copied(records: Path, root: Path, references: tuple[str, ...]) -> Path:
    """A root with a copy of these records and of all that they name."""
    for path in named(records, references):
        target = root / "records" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(records / path, target)
    return root
