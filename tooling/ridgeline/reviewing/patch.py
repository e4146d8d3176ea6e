"""The lines of a pull request's diff on which a comment can stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -[0-9]{1,9}(?:,[0-9]{1,9})? \+([0-9]{1,9})(?:,[0-9]{1,9})? @@")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Consecutive lines of the new file; ``start`` is the number of the first."""

    start: int
    lines: tuple[str, ...]

    def holds(self, line: int, lines: Sequence[str]) -> bool:
        """Whether the new file has these lines there, all of them in this hunk."""
        at = line - self.start
        return at >= 0 and self.lines[at : at + len(lines)] == tuple(lines)


def hunks(patch: str) -> list[Hunk]:
    """The hunks of one file's patch, as GitHub gives it: without the two lines of a file's head."""
    found: list[Hunk] = []
    start, lines = 0, list[str]()
    for line in patch.split("\n"):
        head = _HUNK.match(line)
        if head is not None:
            if lines:
                found.append(Hunk(start, tuple(lines)))
            start, lines = int(head[1]), []
        elif line[:1] in (" ", "+") and start:
            lines.append(line[1:])
    if lines:
        found.append(Hunk(start, tuple(lines)))
    return found


__all__ = ["Hunk", "hunks"]
