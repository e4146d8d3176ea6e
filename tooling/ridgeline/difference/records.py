"""Which records differ: added, removed, renamed, merged, changed, or only laid out otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ridgeline.difference.change import Change, State, changes
from ridgeline.difference.reading import Both
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.resolve import Resolver

How = Literal["added", "removed", "renamed", "merged", "changed", "layout"]


@dataclass
class RecordChange:
    """One record that differs.

    ``reference`` is the later one, or the only one; ``was`` the earlier one. ``merged``: the record that ``was`` names is
    now a former id of one that stood beside it. ``note`` says what could not be read.
    """

    how: How
    reference: str
    was: str
    before: State | None = None
    after: State | None = None
    old: Entry | None = None
    new: Entry | None = None
    changes: list[Change] = field(default_factory=list)
    note: str = ""

    @property
    def name(self) -> str:
        state = self.after or self.before
        return state.record.name if state is not None else ""

    @property
    def revisions(self) -> tuple[int, int] | None:
        """The revision before and after, where both can be read."""
        if self.before is None or self.after is None:
            return None
        return self.before.record.revision, self.after.record.revision


def record_changes(both: Both, before: Resolver, after: Resolver) -> list[RecordChange]:
    """Every record that is not the same bytes on both sides, sorted by reference."""
    old = {r: e for r, e in both.before.entries.items() if r not in both.unchanged}
    new = {r: e for r, e in both.after.entries.items() if r not in both.unchanged}
    renamed, heirs = renames(both), tombstones(both.after)
    found = []
    for reference, entry in new.items():
        was = reference if reference in old else next((o for o, n in renamed.items() if n == reference), "")
        if was:
            found.append(_pair(reference, was, old[was], entry, before, after))
        else:
            found.append(RecordChange("added", reference, "", None, state(entry, after), None, entry))
    for reference, entry in old.items():
        if reference in new or reference in renamed:
            continue
        owner = heirs.get(reference)
        how: How = "merged" if owner is not None else "removed"
        found.append(RecordChange(how, owner or reference, reference, state(entry, before), None, entry, None))
    return sorted(found, key=lambda change: (change.reference, change.was))


def _pair(reference: str, was: str, old: Entry, new: Entry, before: Resolver, after: Resolver) -> RecordChange:
    """A record with its earlier self."""
    a, b = state(old, before), state(new, after)
    change = RecordChange("renamed" if reference != was else "changed", reference, was, a, b, old, new)
    if a is None or b is None:
        when = "before or after" if a is b else "before" if a is None else "any more"
        change.note = f"cannot be read {when}"
        return change
    change.changes = [c for c in changes(a, b) if reference == was or c.field not in ("id", "formerly")]
    quiet = a.record.history == b.record.history and a.record.revision == b.record.revision
    if not change.changes and not quiet:
        change.changes = list(_told_of(a, b))
    elif reference == was and not change.changes:
        change.how = "layout"
    return change


def _told_of(before: State, after: State) -> Iterator[Change]:
    """What a record says of its own changes, where nothing else in it has changed."""
    for name in ("revision", "history"):
        old, new = before.data[name], after.data[name]
        if old != new:
            texts = (str(old), str(new)) if name == "revision" else (f"{len(old)} entries", f"{len(new)} entries")
            yield Change("head", name, "", *texts)


def state(entry: Entry, resolver: Resolver) -> State | None:
    """A record's state; ``None`` where it cannot be read."""
    return None if entry.record is None else State(entry, entry.record, resolver)


def tombstones(knowledge: Knowledge) -> dict[str, str]:
    """Former reference → the record that had it, of the same kind."""
    return {
        f"{entry.reference.partition('/')[0]}/{old}": entry.reference
        for entry in knowledge.entries.values()
        if entry.record is not None
        for old in entry.record.formerly
    }


def renames(both: Both) -> dict[str, str]:
    """Reference before → reference after, of records that have gone under one id and come under another."""
    gone = both.before.entries.keys() - both.after.entries.keys()
    found: dict[str, str] = {}
    for old, new in sorted(tombstones(both.after).items()):
        if old in gone and new not in both.before.entries and new not in found.values():
            found[old] = new
    return found


__all__ = ["How", "RecordChange", "record_changes", "renames", "tombstones"]
