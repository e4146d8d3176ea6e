"""What changed and when, as the records themselves tell it: their history, and the day from which each is there.

No clock has a say. A record has no field for the day on which it was added: that is the earliest day on which somebody
read a value of it, or wrote its history; a record that states no day has that of the earliest record that it rests on.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID, uuid5

from ridgeline.export.snapshot import Row, Snapshot

#: What the names of changes are counted from, so that a change has one name wherever the site stands.
_NAMES = UUID("5f0a7c52-6d2b-5b61-9a55-0d6c1e6f4b0e")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_DAYS = frozenset({"checked", "retrieved", "date"})


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a record says otherwise since a day, or that it is there.

    ``field`` is empty for a record that was added. ``was`` and ``now`` are as printed, ``None`` where the record does not
    tell. ``id`` never changes: neither with the record's id, nor with where the site stands.
    """

    id: str
    date: str
    record: str
    name: str
    revision: int
    field: str = ""
    was: str | None = None
    now: str | None = None
    why: str | None = None

    @property
    def title(self) -> str:
        """The change in a line."""
        if not self.field:
            return f"{self.name}: added"
        values = f" {self.was or 'not stated'} → {self.now}" if self.now is not None else ""
        values = values or (f", was {self.was}" if self.was else "")
        return f"{self.name}: {self.field}{values}"


class Changes:
    """All changes that a database tells of, newest first."""

    def __init__(self, snapshot: Snapshot):
        self._snapshot = snapshot
        self._bodies = {reference: json.loads(row["body"]) for reference, row in snapshot.records.items()}
        self._links: dict[str, set[str]] = defaultdict(set)
        for row in snapshot.rows("record_links"):
            self._links[row["record"]].add(row["target"])

    @cached_property
    def all(self) -> list[Change]:
        """Every change; those of one day by record, each in the order of the history."""
        found = [change for reference in sorted(self._bodies) for change in self._of(reference)]
        return sorted(found, key=lambda change: change.date, reverse=True)

    @cached_property
    def by_record(self) -> dict[str, list[Change]]:
        """The changes of each record, newest first; a record without any is there as well."""
        found: dict[str, list[Change]] = {reference: [] for reference in sorted(self._bodies)}
        for change in self.all:
            found[change.record].append(change)
        return found

    def feed(self, reference: str) -> str:
        """The name of the list of a record's changes; it never changes either."""
        return _name(f"feed\0{self._first(reference, self._bodies[reference])}")

    def _of(self, reference: str) -> Iterator[Change]:
        row, body = self._snapshot.records[reference], self._bodies[reference]
        first = self._first(reference, body)
        history = self._history.get(reference, [])
        for number, told in reversed(list(enumerate(history))):
            field = str(told["change"])
            key = f"{first}\0{told['revision']}\0{field}\0{told['was']}\0{self._twin(history, number)}"
            yield Change(
                _name(key), told["date"], reference, row["name"], told["revision"], field, told["was"],
                self._now(reference, history, number), told["why"],
            )  # fmt: skip
        day = self._added(reference)
        if day is not None:
            yield Change(_name(first), day, reference, row["name"], 1)

    @cached_property
    def _history(self) -> dict[str, list[Row]]:
        return self._snapshot.by_record("record_changes", ("record", "ordinal"))

    @staticmethod
    def _first(reference: str, body: Any) -> str:
        """The reference that the record had first."""
        formerly = body.get("formerly") or []
        return f"{reference.partition('/')[0]}/{formerly[0]}" if formerly else reference

    @staticmethod
    def _twin(history: list[Row], number: int) -> int:
        """How many entries before say the same of the same revision."""
        same = [(h["revision"], h["change"], h["was"]) for h in history[: number + 1]]
        return same.count(same[-1]) - 1

    def _now(self, reference: str, history: list[Row], number: int) -> str | None:
        """What a changed value became: what the next entry says that it was, else what the record prints today."""
        field = history[number]["change"]
        for later in history[number + 1 :]:
            if later["change"] == field:
                return None if later["was"] is None else str(later["was"])
        return self._printed.get((reference, field)) or self._printed.get((reference, field.removesuffix(".value")))

    @cached_property
    def _printed(self) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for row in self._snapshot.rows("quantities"):
            shown = row["text"] or row["display"]
            for name in (row["name"], (row["field"] or "").partition(".claims.")[0]):
                if shown and name:
                    found.setdefault((row["record"], name), shown)
        return found

    def _added(self, reference: str) -> str | None:
        own = _days(self._bodies[reference])
        if own:
            return min(own)
        others = [day for target in sorted(self._links[reference]) for day in _days(self._bodies.get(target))]
        return min(others, default=None)


def _days(body: Any) -> list[str]:
    """The days of which a record speaks. Its depth is that of a record that was read."""
    found: list[str] = []
    stack = [body]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            found += [v for k, v in part.items() if k in _DAYS and isinstance(v, str) and _DAY.match(v)]
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return found


def _name(key: str) -> str:
    return f"urn:uuid:{uuid5(_NAMES, key)}"


def document(changes: list[Change]) -> list[Row]:
    """The changes as the API gives them."""
    return [
        {
            "id": c.id, "date": c.date, "record": c.record, "name": c.name, "revision": c.revision,
            "kind": "changed" if c.field else "added", "field": c.field or None, "was": c.was, "now": c.now, "why": c.why,
        }
        for c in changes
    ]  # fmt: skip


__all__ = ["Change", "Changes", "document"]
