"""The unprivileged half: what ``ridgeline fix`` would write, line by line."""

from __future__ import annotations

from pathlib import Path

from ridgeline.mend import mend
from ridgeline.reviewing.artifact import MAX_LINES, MAX_SUGGESTIONS, Review, Suggestion, acceptable


def review(root: Path, pull_request: int, head: str, comment: str) -> Review:
    """The review of the records below ``root``: the comment that ``ridgeline diff`` wrote, and what could be mended."""
    found = suggestions(root)
    listed = [one for one in found if acceptable(one)][:MAX_SUGGESTIONS]
    return Review(pull_request, head, comment, tuple(listed), more=len(found) - len(listed))


def suggestions(root: Path) -> list[Suggestion]:
    """All lines that ``ridgeline fix`` would change; neighbours are one suggestion."""
    mending = mend(root, dry_run=True)
    documents = {e.document.path: e.document for e in mending.report.knowledge.entries.values()}
    found: list[Suggestion] = []
    for path in sorted({m.path for m in mending.mends}):
        old = (root / path).read_text(encoding="utf-8").split("\n")
        found += _changed(path, old, documents[path].source.split("\n"))
    return found


def _changed(path: str, old: list[str], new: list[str]) -> list[Suggestion]:
    # A numeral never holds the end of a line, so no line comes or goes.
    if len(old) != len(new):
        raise ValueError(f"{path}: mending has changed the number of lines")
    found: list[Suggestion] = []
    at = 0
    while at < len(old):
        end = at
        while end < len(old) and old[end] != new[end] and end - at < MAX_LINES:
            end += 1
        if end > at:
            found.append(Suggestion(path, at + 1, tuple(old[at:end]), tuple(new[at:end])))
        at = max(end, at + 1)
    return found


__all__ = ["review", "suggestions"]
