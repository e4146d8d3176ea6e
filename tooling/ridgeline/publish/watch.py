"""The site made anew whenever what it follows from changes. The last good one is served until the next is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

#: What a rebuild says of itself, and whether there is a new site.
Outcome = tuple[bool, str]
Rebuild = Callable[[], Outcome]

_SKIPPED = frozenset({"node_modules", "__pycache__"})


def content_of(paths: Iterable[Path]) -> str:
    """A digest of the bytes and names of all files at or below some paths. No time stamp is trusted."""
    total = sha256()
    for path in paths:
        for file in _files(path):
            try:
                content = file.read_bytes()
            except OSError:
                # It has gone meanwhile, or nobody may read it: another one does not stand for it.
                content = b"unreadable"
            name = os.fsencode(file)
            total.update(b"%d:%d:" % (len(name), len(content)) + name + content)
    return total.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        yield from (Path(folder) / name for name in sorted(names))


@dataclass
class Watch:
    """Rebuilds where the content of some paths differs from what the last rebuild began with.

    What changes while a site is made is seen at the next step. A content that failed is not tried a second time.
    """

    paths: tuple[Path, ...]
    rebuild: Rebuild
    say: Callable[[str], object]
    _seen: str = field(default="", init=False)

    def step(self) -> bool | None:
        """Look once: whether there is a new site; ``None`` where nothing has changed."""
        now = content_of(self.paths)
        if now == self._seen:
            return None
        self._seen = now
        made, told = self.rebuild()
        self.say(told)
        return made


__all__ = ["Outcome", "Rebuild", "Watch", "content_of"]
