"""YAML read strictly: plain values, a position for every node, and no surprises.

The reader drains libyaml's event stream itself, because the stock loaders lose positions, accept duplicate keys and
read ``no`` as false. What it accepts is a small, unambiguous part of YAML 1.2: mappings with text keys, sequences,
text, integers, ``true``, ``false`` and ``null``. Anything that two readers could take for two different values is a
finding that says how to write it. Decimal numbers stay text, so that the digits a source printed survive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from ridgeline.findings.finding import Finding, Place
from ridgeline.text.builder import Builder, Path, Value
from ridgeline.text.decode import decode
from ridgeline.text.scalar import Span, offsets


@dataclass
class Document:
    """One YAML file: its plain ``data`` (``None`` when it could not be read to its end), ``findings``, and positions."""

    path: str
    source: str
    data: Value = None
    findings: list[Finding] = field(default_factory=list)
    _offsets: dict[Path, list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def spans(self) -> dict[Path, tuple[Span | None, Span]]:
        """Path of each node → (span of its key, span of its value). Read a second time, only for files that need it."""
        builder = Builder(self.path, self.source, positions=True)
        builder.run()
        return builder.spans

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.source))]

    def place(self, path: Path = (), *, key: bool = False, at: int | None = None, length: int | None = None) -> Place:
        """The place of a node, or of its key, or of ``length`` characters from ``at`` inside its text.

        A path that the file lacks gives the place of its nearest ancestor that it has.
        """
        spans = self.spans
        wanted, missing = path, False
        while wanted and wanted not in spans:
            wanted, missing = wanted[:-1], True
        if wanted not in spans:
            return Place(self.path)
        key_span, value_span = spans[wanted]
        if at is not None and not missing:
            return self._inside(wanted, at, length or 1)
        span = key_span if key_span is not None and (key or missing) else value_span
        if missing and key_span is None and wanted == ():
            return Place(self.path, span.line + 1, span.column + 1, 1)
        end = self.source.find("\n", span.start, span.end)
        return Place(self.path, span.line + 1, span.column + 1, max(1, (span.end if end < 0 else end) - span.start))

    def offset(self, path: Path, at: int) -> int:
        """The offset in the source of character ``at`` of the text at ``path``; its end for anything beyond."""
        span = self.spans[path][1]
        if path not in self._offsets:
            self._offsets[path] = offsets(self.source, span)
        found = self._offsets[path]
        return found[at] if 0 <= at < len(found) else max(span.start, span.end - 1)

    def _inside(self, path: Path, at: int, length: int) -> Place:
        from bisect import bisect_right

        start, end = self.offset(path, at), self.offset(path, at + length - 1) + 1
        line = bisect_right(self.line_starts, start)
        line_end = self.source.find("\n", start)
        # What runs over several lines is shown up to the end of its first.
        end = min(end, len(self.source) if line_end < 0 else line_end)
        return Place(self.path, line, start - self.line_starts[line - 1] + 1, max(1, end - start))


def read(path: str, source: bytes | str) -> Document:
    """Read one file. Never raises: what is wrong with it stands in ``findings``."""
    document = Document(path, "")
    text = decode(path, source)
    if isinstance(text, Finding):
        document.findings.append(text)
        return document
    document.source = text
    builder = Builder(path, text)
    builder.run()
    document.findings += builder.findings
    if not builder.broken:
        document.data = builder.root
    return document


__all__ = ["Document", "Path", "Value", "read"]
