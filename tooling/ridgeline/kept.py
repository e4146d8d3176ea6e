"""What checks found of single records, kept below ``build/`` with all that it followed from.

The file is plain JSON under a digest of its own and a hash of the tool. It is written beside and renamed, so that each
reader has a whole one; one that is damaged, of another tool, or too large is as good as none. It has no say in what a
verdict follows from: :mod:`ridgeline.incremental` compares.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ridgeline import cache

_ROWS, _FIGURES = b"ridgeline-verdicts/1", b"ridgeline-figures/1"
#: Facts that many records share word for word; each stands in the file once.
_SHARED = ("units", "shape")


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of one record.

    ``facts`` rest on the record and on ``beneath``, the verdict on the record and on ``reads``, both notes as
    :mod:`ridgeline.knowledge.tracing` takes them. ``statuses`` and ``levels`` count its numerals and what has a ceiling.
    ``stamp`` names its figures in the file beside, where a run has kept them.
    """

    digest: str
    facts: dict[str, Any]
    beneath: frozenset[str]
    reads: frozenset[str]
    statuses: dict[str, int]
    levels: dict[str, int]
    findings: tuple[dict[str, Any], ...] = ()
    tried: tuple[str, ...] = ()
    stamp: str = ""


@dataclass
class Kept:
    """The rows of the last check by reference, and a digest of the answer to each question that they note."""

    rows: dict[str, Row] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


class Verdicts:
    """The kept verdicts below one root."""

    def __init__(self, root: Path):
        self._rows = os.path.join(root, cache.FOLDER, "verdicts")
        self._figures = os.path.join(root, cache.FOLDER, "figures")
        self._tool = cache.tool()

    def load(self) -> Kept:
        """What the same tool has kept; nothing where there is nothing, or no good."""
        try:
            return _unpacked(json.loads(cache.read_whole(self._rows, _ROWS, self._tool)))
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return Kept()

    def save(self, kept: Kept) -> None:
        """Keep the verdicts of this check and no others."""
        cache.write_whole(self._rows, _ROWS, self._tool, _packed(kept))

    def figures(self) -> dict[str, Any]:
        """The figures and conclusions of records by their stamps, as a report prints them."""
        try:
            found = json.loads(cache.read_whole(self._figures, _FIGURES, self._tool))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def save_figures(self, figures: Mapping[str, Any]) -> None:
        """Keep the figures of this check and no others."""
        cache.write_whole(self._figures, _FIGURES, self._tool, _json(figures))


class NoVerdicts(Verdicts):
    """No verdicts: none are kept, and none were."""

    def load(self) -> Kept:
        return Kept()

    def save(self, kept: Kept) -> None:
        pass

    def figures(self) -> dict[str, Any]:
        return {}

    def save_figures(self, figures: Mapping[str, Any]) -> None:
        pass


def stamp(figures: Any) -> str:
    """A name for figures that only their own content has."""
    return sha256(_json(figures)).hexdigest()[:40]


def _json(data: Any) -> bytes:
    # Not as UTF-8: a name from a file system may hold what UTF-8 cannot.
    return json.dumps(data, separators=(",", ":")).encode("ascii")


class _Table:
    """Values that stand for many, each once. Those that are one object are not written out to be compared."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[str, int] = {}
        self._objects: dict[int, int] = {}

    def place(self, value: Any) -> int:
        at = self._objects.get(id(value))
        if at is None:
            at = self._places.setdefault(json.dumps(value), len(self.values))
            if at == len(self.values):
                self.values.append(value)
            self._objects[id(value)] = at
        return at


def _packed(kept: Kept) -> bytes:
    shared = _Table()
    notes: dict[str, int] = {}

    def numbers(texts: Iterable[str]) -> list[int]:
        return [notes.setdefault(text, len(notes)) for text in sorted(texts)]

    rows = []
    for reference, row in kept.rows.items():
        facts = dict(row.facts)
        for name in _SHARED:
            if name in facts:
                facts[name] = shared.place(facts[name])
        rows.append(
            [
                *(reference, row.digest, facts, numbers(row.beneath), numbers(row.reads), row.statuses, row.levels),
                *(row.findings, row.tried, row.stamp),
            ]
        )
    return _json({"notes": list(notes), "shared": shared.values, "answers": kept.answers, "rows": rows})


def _unpacked(data: Any) -> Kept:
    kept, notes, shared = Kept(answers=data["answers"]), data["notes"], data["shared"]
    sets: dict[tuple[int, ...], frozenset[str]] = {}

    def texts(numbers: list[int]) -> frozenset[str]:
        key = tuple(numbers)
        if key not in sets:
            sets[key] = frozenset([notes[number] for number in numbers])
        return sets[key]

    for reference, digest, facts, beneath, reads, statuses, levels, findings, tried, named in data["rows"]:
        for name in _SHARED:
            if name in facts:
                facts[name] = shared[facts[name]]
        kept.rows[reference] = Row(
            digest, facts, texts(beneath), texts(reads), statuses, levels, tuple(findings), tuple(tried), named
        )
    return kept


__all__ = ["Kept", "NoVerdicts", "Row", "Verdicts", "stamp"]
