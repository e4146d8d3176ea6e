"""Trees of records for the acceptance tests: one good base, and folders that each break it in one way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ridgeline.text.beside import NAMES

HERE = Path(__file__).resolve().parent / "records"
CASES = sorted(p.name for p in (HERE / "bad").iterdir() if p.is_dir())

Tree = Callable[..., Path]


def build(root: Path, case: str | None = None) -> Path:
    """The good base below ``root``, with the edits and files of a case laid over it.

    A case holds ``edits.yaml`` (a list of ``{in: file, replace: text that stands there once, by: text}``), files below
    ``records/``, or both, or files that stand beside the records; and ``expected.txt``, what the check prints.
    """
    shutil.copytree(HERE / "good", root, dirs_exist_ok=True)
    if case is None:
        return root
    folder = HERE / "bad" / case
    edits = folder / "edits.yaml"
    for edit in yaml.safe_load(edits.read_text(encoding="utf-8")) if edits.exists() else ():
        path = root / edit["in"]
        text = path.read_text(encoding="utf-8")
        assert text.count(edit["replace"]) == 1, f"{edit['replace']!r} stands {text.count(edit['replace'])} times"
        path.write_text(text.replace(edit["replace"], edit["by"]), encoding="utf-8")
    if (folder / "records").exists():
        shutil.copytree(folder / "records", root / "records", dirs_exist_ok=True)
    for beside in NAMES:
        if (folder / beside).exists():
            shutil.copy(folder / beside, root / beside)
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Make a tree of records, good or as a named case breaks it."""
    return lambda case=None: build(tmp_path / (case or "good"), case)
