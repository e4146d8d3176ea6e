"""What the verbs that rewrite record files have in common: which files, and what is said of those left alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError
from ridgeline.cli.check_ import wanted_paths, within
from ridgeline.findings.finding import Finding, Level, Place

if TYPE_CHECKING:
    # Help needs no YAML.
    from ridgeline.text.document import Document


@dataclass
class Rewriting:
    """One run over record files.

    ``left`` are the findings of files that could not be read, ``refused`` says why others could not be rewritten.
    """

    root: Path
    left: list[Finding] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    _sources: dict[str, list[str]] = field(default_factory=dict)

    def documents(self, paths: list[Path]) -> Iterator[Document]:
        """The record files that the given files and folders name, or all, each read."""
        from ridgeline.text.document import read

        for name in self._files(paths):
            try:
                source = (self.root / name).read_bytes()
            except OSError as error:
                message = f"cannot be read: {error.strerror}"
                mend = "give it back its permissions, or move it away"
                self.left.append(Finding("unreadable", Level.ERROR, Place(name), message, mend=mend))
            else:
                yield read(name, source)

    def _files(self, paths: list[Path]) -> list[str]:
        from ridgeline.knowledge.base import paths as all_paths

        names = [p.relative_to(self.root).as_posix() for p in all_paths(self.root)]
        wanted = wanted_paths(paths, self.root)
        if wanted is None:
            return names
        for path in wanted:
            if not any(within(name, path) for name in names):
                raise UsageError(f"{path} holds no record below {self.root}")
        return [name for name in names if any(within(name, path) for path in wanted)]

    def leave(self, document: Document, findings: list[Finding]) -> None:
        """Leave a file as it is, for these reasons."""
        self.left += findings
        self._sources[document.path] = document.source.split("\n")

    def refuse(self, document: Document, why: Exception) -> None:
        """Leave a file as it is, because its new text would not say the same."""
        self.refused.append(f"{document.path}: {why}\n")

    @property
    def complete(self) -> bool:
        """Whether no file was left."""
        return not self.left and not self.refused

    def text(self) -> str:
        """What to say of the files that were left."""
        from ridgeline.findings.faces import text

        return "" if self.complete else "left as they are:\n" + "".join(self.refused) + text(self.left, self._line)

    def _line(self, path: str, line: int) -> str:
        lines = self._sources.get(path, [])
        return lines[line - 1] if 0 < line <= len(lines) else ""
