"""What the verbs that write the database share: where it is, what it says of itself, and how faults are shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError

if TYPE_CHECKING:
    from ridgeline.check import Report
    from ridgeline.store.load import LoadResult

DATABASE = "build/ridgeline.sqlite"
LICENCE = "CC-BY-4.0"


def load_database(report: Report, target: str, root: Path) -> LoadResult:
    """Load a report, and print what SQL computes otherwise."""
    from ridgeline.findings import faces
    from ridgeline.store.load import LoadError, load

    about = {"licence": LICENCE}
    commit = commit_of(root)
    if commit:
        about["commit"] = commit
    try:
        result = load(report, target, about)
    except LoadError as error:
        raise UsageError(str(error)) from None
    if not result.agrees:
        sys.stdout.write(faces.text(result.cross_check.findings, lambda path, line: ""))
    return result


def commit_of(root: Path) -> str:
    """The commit that the records stand at, with ``+`` where they differ from it; empty outside a repository."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--", "records"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
    return head + ("+" if changed else "")
