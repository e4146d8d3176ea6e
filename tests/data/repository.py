"""A git repository with records in it, for tests that compare its revisions."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.data.small import ROOT as SMALL

GOOD = Path(__file__).parents[1] / "acceptance" / "records" / "good"
#: Nothing of the machine's own settings of git has a say.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_AUTHOR_DATE": "2026-11-30T00:00:00Z",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.org",
    "GIT_COMMITTER_DATE": "2026-11-30T00:00:00Z",
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints."""
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=True).stdout


@dataclass
class Repository:
    """A work tree whose records may be edited and committed; ``root`` holds ``records/``."""

    root: Path

    @classmethod
    def of(cls, folder: Path, *, records: Path = GOOD, below: str = "") -> Repository:
        """A repository in a folder with one commit, tagged ``start``, of a copy of some records."""
        root = folder / below
        root.mkdir(parents=True, exist_ok=True)
        shutil.copytree(records / "records", root / "records")
        git(folder, "init", "--quiet", "--initial-branch=main")
        made = cls(root)
        made.commit()
        git(folder, "tag", "start")
        return made

    def path(self, reference: str) -> Path:
        return self.root / "records" / f"{reference}.yaml"

    def edit(self, reference: str, *edits: tuple[str, str]) -> None:
        """Replace pieces of a record's text, each of which stands in it exactly once."""
        text = self.path(reference).read_text(encoding="utf-8")
        for old, new in edits:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {reference}"
            text = text.replace(old, new)
        self.path(reference).write_text(text, encoding="utf-8")

    def write(self, reference: str, text: str) -> None:
        self.path(reference).parent.mkdir(parents=True, exist_ok=True)
        self.path(reference).write_text(text, encoding="utf-8")

    def rename(self, old: str, new: str) -> None:
        """Give a record another id, in its file and in its name, and leave its old one in ``formerly``."""
        text = self.path(old).read_text(encoding="utf-8")
        was, now = old.partition("/")[2], new.partition("/")[2]
        self.path(old).unlink()
        self.write(new, text.replace(f"\nid: {was}\n", f"\nid: {now}\nformerly: [{was}]\n"))

    def commit(self) -> None:
        git(self.root, "add", "--all", ".")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "A state of the records")


__all__ = ["GOOD", "SMALL", "Repository", "git"]
