"""The rules of revision and history: a value does not change in silence, and an id is never lost or given twice."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.difference.change import Change
from ridgeline.difference.reading import Both
from ridgeline.difference.records import RecordChange, renames, tombstones
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.knowledge.base import Entry
from ridgeline.records.common import Change as HistoryEntry
from ridgeline.records.common import Record
from ridgeline.records.walk import Path, dotted
from ridgeline.rules.rule import finding_at

#: Kinds of change that leave a record's values as they are.
_WORDS = frozenset({"text", "figures", "printed"})
_OWN = frozenset({"revision", "history"})


def broken(both: Both, records: list[RecordChange]) -> list[Finding]:
    """What breaks the rules, sorted by place."""
    found = [*_ids(both)]
    for change in records:
        if change.before is not None and change.after is not None:
            found += _revision(change)
            found += _history(change)
    return sorted(found, key=lambda f: (f.place.path, f.place.line, f.place.column, f.rule, f.message))


# Ids


def _ids(both: Both) -> Iterator[Finding]:
    """Ids that are lost, taken again, or no longer led to the record that had them."""
    before, after, renamed = both.before.entries, both.after.entries, renames(both)
    had, has = tombstones(both.before), tombstones(both.after)
    any_kind = {reference.partition("/")[2] for reference in has}
    for reference, entry in before.items():
        # What could not be read was never published.
        if reference not in after and entry.record is not None and entry.id not in any_kind:
            yield finding_at(
                entry.document,
                entry.reference, "id-removed", ("id",), f"{reference} is gone, and nothing says where to", found=entry.id,
                because="an id that somebody may have quoted is never lost",
                mend=f"keep the file with status: withdrawn, or write formerly: [{entry.id}] in the record that replaces it",
            )  # fmt: skip
    for old, owner in had.items():
        if old in after and old not in before and renamed.get(owner) != old:
            yield finding_at(
                after[old].document,
                after[old].reference, "id-reused", ("id",), f"{old} was an id of {owner} before", found=after[old].id,
                because="whoever quotes the old id would be led to another record", mend="choose an id that was never used",
            )  # fmt: skip
        elif old not in after and old not in has:
            heir = after.get(owner) or after.get(renamed.get(owner, "")) or before[owner]
            yield finding_at(
                heir.document,
                heir.reference, "id-removed", ("formerly",), f"{heir.reference} does not say that it was {old}",
                because="an id that somebody may have quoted is never lost",
                mend=f"keep {old.partition('/')[2]} in formerly:",
            )  # fmt: skip
    for old, owner in has.items():
        if old in after and had.get(old) != owner:
            path: Path = ("formerly", _number(after[owner].record, old.partition("/")[2]))
            yield finding_at(
                after[owner].document,
                after[owner].reference, "id-reused", path, f"{old} is a record of its own", found=old.partition("/")[2],
                because="an id leads to one record", mend="take it off the list, or remove the record",
            )  # fmt: skip
    for reference in before.keys() & after.keys() - both.unchanged:
        a, b = before[reference].record, after[reference].record
        if a is not None and b is not None and a.status == "withdrawn" != b.status and a.name != b.name:
            yield finding_at(
                after[reference].document,
                after[reference].reference, "id-reused", ("name",), f"{reference} is withdrawn: it was {a.name}", found=b.name,
                expected=a.name, because="whoever quotes the old id would be led to another record",
                mend="choose an id that was never used",
            )  # fmt: skip


def _number(record: Record | None, old: str) -> int:
    return record.formerly.index(old) if record is not None else 0


# Revision


def _revision(change: RecordChange) -> Iterator[Finding]:
    """Whether the revision rose when it had to, and only then."""
    assert change.new is not None and change.before is not None and change.after is not None
    was, now = change.before.record.revision, change.after.record.revision
    values = [c for c in change.changes if c.recorded]
    if now < was:
        yield finding_at(
            change.new.document,
            change.new.reference, "revision-not-raised", ("revision",), f"the revision fell from {was} to {now}", found=str(now),
            expected=str(was + 1 if values else was), because="a revision only rises", mend="write the one that comes next",
        )  # fmt: skip
    elif values and now == was:
        named = [c.name or c.field for c in values]
        told = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
        yield finding_at(
            change.new.document,
            change.new.reference, "revision-not-raised", ("revision",), f"{told} changed, the revision did not", found=str(now),
            expected=str(was + 1), because="who holds revision "
            f"{was} has another value", mend=f"write revision: {was + 1}",
        )  # fmt: skip
    elif now > was and all(c.what in _WORDS or c.field in _OWN for c in change.changes):
        yield finding_at(
            change.new.document,
            change.new.reference, "revision-unneeded", ("revision",), f"the revision rose from {was} to {now}, and no value changed",
            found=str(now), expected=str(was), mend=f"leave revision: {was}", level=Level.WARNING,
        )  # fmt: skip


# History


def _history(change: RecordChange) -> Iterator[Finding]:
    """Whether the history keeps what it said, and says what changed."""
    assert change.new is not None and change.before is not None and change.after is not None
    old, new = change.before.record.history, change.after.record.history
    yield from _kept(change.new, old, new)
    fresh = [(number, entry) for number, entry in enumerate(new) if entry not in old]
    was, now = change.before.record.revision, change.after.record.revision
    for number, entry in fresh:
        edited = number < len(old) and old[number] not in new
        if now > was and not was < entry.revision <= now and not edited:
            between = str(now) if now == was + 1 else f"{was + 1} to {now}"
            yield finding_at(
                change.new.document,
                change.new.reference, "history-revision", ("history", number, "revision"),
                f"a new entry says revision {entry.revision}", found=str(entry.revision), expected=between,
                because=f"the record was at revision {was} and is at {now}", mend=f"write revision: {between}",
            )  # fmt: skip
    for value in change.changes:
        if value.recorded:
            yield from _told(change, value, fresh)


def _kept(entry: Entry, old: list[HistoryEntry], new: list[HistoryEntry]) -> Iterator[Finding]:
    """Entries that were edited or dropped."""
    for number, one in enumerate(old):
        if one in new:
            continue
        here = new[number] if number < len(new) else None
        edited = here is not None and here not in old and (here.change == one.change or here.was == one.was)
        said = f"revision {one.revision}, {one.change}" + (f", was {one.was}" if one.was else "")
        yield finding_at(
            entry.document,
            entry.reference, "history-rewritten", ("history", number) if edited else ("history",),
            f"the history entry ({said}) was {'edited' if edited else 'dropped'}", found=_differs(one, here) if edited else "",
            because="history is what readers of an older revision were told", mend="put it back, and add a new entry",
        )  # fmt: skip


def _differs(old: HistoryEntry, new: HistoryEntry | None) -> str:
    parts = [n for n in type(old).model_fields if new is not None and getattr(old, n) != getattr(new, n)]
    return ", ".join(parts)


def _told(change: RecordChange, value: Change, fresh: list[tuple[int, HistoryEntry]]) -> Iterator[Finding]:
    """Whether a new entry tells of one changed value, with what it was."""
    assert change.new is not None and change.after is not None and change.before is not None
    names = {n for n in (value.name, *(dotted(p) for p in (value.old_path, value.new_path) if p)) if n}
    exact = [(n, e) for n, e in fresh if e.change in names or e.change.removesuffix(".value") in names]
    # An entry about a larger part tells of what stands in it, in its own words.
    around = [e for _, e in fresh if e.was and any(name.startswith(e.change + ".") for name in names)]
    if around or any(_same(e.was, value.old) for _, e in exact):
        return
    field, was = value.name or value.field, value.old or ""
    revision = max(change.before.record.revision + 1, change.after.record.revision)
    line = f"{{revision: {revision}, date: YYYY-MM-DD, change: {field}, was: {_quoted(was)}, why: …}}"
    if exact:
        number, entry = exact[0]
        path: Path = ("history", number, "was")
        yield finding_at(
            change.new.document,
            change.new.reference, "history-was", path, f"the history says that {field} was {entry.was or 'nothing'}",
            found=entry.was or "", expected=was, because=f"it was {was}", mend=f"write was: {_quoted(was)}",
        )  # fmt: skip
        return
    here = value.new_path
    yield finding_at(
        change.new.document,
        change.new.reference, "history-missing", here if here is not None else ("history",),
        f"{field} was {was}, and no history entry says so", found=value.new or "", expected=was,
        because="a value that changed says what it was, when and why", mend=f"add to history: {line}",
    )  # fmt: skip


def _same(said: str | None, was: str | None) -> bool:
    """Whether an entry names the old value, in whatever unit."""
    if said is None or was is None:
        return said is was
    if " ".join(said.split()) == " ".join(was.split()):
        return True
    try:
        (a, u, _), (b, v, _) = parse_quantity(said), parse_quantity(was)
    except FormulaError:
        return False
    return a * (u.factor if u else 1) == b * (v.factor if v else 1) and (u.dimension if u else ()) == (
        v.dimension if v else ()
    )


def _quoted(text: str) -> str:
    """A text as it can stand in a flow mapping."""
    plain = text and text[0].isalnum() and not any(c in text for c in ",:{}[]#&*!|>'\"%@`\n")
    return (
        text
        if plain and not text.replace(".", "").isdigit()
        else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    )


__all__ = ["broken"]
