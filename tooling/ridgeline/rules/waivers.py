"""Findings that somebody has waived: accepted until a day, with a reason and an owner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from ridgeline.figures.figure import Status
from ridgeline.findings.finding import Finding, Level, Place, Waived
from ridgeline.formulas.errors import nearest
from ridgeline.records.beside import Waiver, read_waivers
from ridgeline.records.walk import Path
from ridgeline.rules.rule import finding_at, near
from ridgeline.rules.settle import Found
from ridgeline.text.beside import today
from ridgeline.text.document import Document

#: A waiver that ends within so many days is announced.
SOON = timedelta(days=30)

_UNREAD = "a file that cannot be read is not checked at all, so nobody knows what would be waived with it"
_UNTYPED = "a record that is refused is left out of everything, and what rests on it cannot be checked or loaded"
_DANGLING = "what it names is not there, so what rests on it can be neither computed nor loaded"
_MISUSE = "the entry says nothing that could be waived: correct it, or delete it"
_BETWEEN = "it is found by `ridgeline diff`, which compares two revisions; a check never finds it"
_ITSELF = "waivers and ceilings are what keeps the rest in check"
#: Rules that may never be waived → why.
NEVER: dict[str, str] = {
    **dict.fromkeys(
        (
            *("unreadable", "stray-file", "file-too-large", "line-too-long", "not-utf-8", "carriage-return"),
            *("control-character", "yaml-syntax", "yaml-duplicate-key", "yaml-alias", "yaml-tag", "yaml-documents"),
            *("yaml-folded", "yaml-misread", "yaml-key", "yaml-too-deep", "yaml-too-many-nodes", "not-a-record"),
        ),
        _UNREAD,
    ),
    **dict.fromkeys(
        (
            *("schema-line", "id-is-file-name", "missing-field", "unknown-field", "unknown-word", "wrong-type"),
            *("bad-value", "inconsistent", "fill-in"),
        ),
        _UNTYPED,
    ),
    **dict.fromkeys(("unknown-reference", "formula", "value-unreadable", "wrong-dimension"), _DANGLING),
    **dict.fromkeys(("figure-todo", "exception-unneeded"), _MISUSE),
    **dict.fromkeys(
        (
            *("revision-not-raised", "revision-unneeded", "history-missing", "history-was", "history-revision"),
            *("history-rewritten", "id-removed", "id-reused", "ceiling-raised", "edition-not-raised"),
        ),
        _BETWEEN,
    ),
    **dict.fromkeys(
        (
            *("waiver-refused", "waiver-unused", "waiver-expired", "waiver-expiring"),
            *("ceiling-exceeded", "ceiling-loose"),
        ),
        _ITSELF,
    ),
    "claims-file": "a claims file belongs to a foreign document, not to a record",
    "sql-disagrees": "it is a fault of the tool, not of a record: report it",
}


def why_never(rule: str, level: Level) -> str:
    """Why findings of a rule may not be waived; empty where they may."""
    return NEVER.get(rule) or ("an info fails nothing, so there is nothing to waive" if level is Level.INFO else "")


def apply(found: Found, content: bytes | Finding) -> None:
    """Mark what is waived, in findings, figures and conclusions; add what is wrong with the waivers."""
    document, read, own = read_waivers(content)
    if read is None:
        found.findings += own
        return
    day = today()
    valid: list[tuple[int, Waiver]] = []
    for index, waiver in enumerate(read.waivers):
        refused = _refused(document, index, waiver, read.waivers) or _expired(document, index, waiver, day)
        if refused is None:
            valid.append((index, waiver))
        else:
            own.append(refused)
    used = _mark(found, [waiver for _, waiver in valid])
    for (index, waiver), needed in zip(valid, used, strict=True):
        if not needed:
            own.append(_unused(found, document, index, waiver))
        elif (ends := date.fromisoformat(waiver.expires)) - day <= SOON:
            own.append(_expiring(document, index, waiver, (ends - day).days))
    found.findings += own


# What is wrong with a waiver


def _refused(document: Document, index: int, waiver: Waiver, waivers: list[Waiver]) -> Finding | None:
    """A rule that there is none of, or that may not be waived; a waiver that stands twice."""
    from ridgeline.rules.catalogue import catalogue

    known = catalogue()
    path: Path = ("waivers", index, "rule")
    page = known.get(waiver.rule)
    if page is None:
        mend = near(waiver.rule, list(known)) or "see `ridgeline rules` for their ids"
        return finding_at(
            document, "", "waiver-refused", path, f"there is no rule {waiver.rule}", found=waiver.rule, mend=mend
        )
    why = why_never(waiver.rule, page.level)
    if why:
        message = f"findings of {waiver.rule} are never waived"
        mend = "delete the waiver and mend what the rule finds"
        return finding_at(document, "", "waiver-refused", path, message, found=waiver.rule, because=why, mend=mend)
    same = next((i for i, w in enumerate(waivers[:index]) if _key(w) == _key(waiver)), None)
    if same is not None:
        first = document.place(("waivers", same))
        message = f"the same finding is waived in line {first.line} already"
        return finding_at(
            document, "", "waiver-refused", ("waivers", index), message, found=waiver.rule, mend="keep one of the two"
        )
    return None


def _key(waiver: Waiver) -> tuple[str, str, str | None, str | None]:
    return waiver.rule, waiver.place.record, waiver.place.field, waiver.found


def _expired(document: Document, index: int, waiver: Waiver, day: date) -> Finding | None:
    if date.fromisoformat(waiver.expires) >= day:
        return None
    return finding_at(
        document,
        "",
        "waiver-expired",
        ("waivers", index, "expires"),
        f"the waiver of {waiver.rule} in {waiver.place.record} ran out on {waiver.expires}",
        found=waiver.expires,
        expected=f"{day} or later",
        because=f"{waiver.owner} was to mend it: {waiver.reason}",
        mend="mend the finding and delete the waiver, or say anew why it may stand, with a later day",
    )


def _expiring(document: Document, index: int, waiver: Waiver, days: int) -> Finding:
    left = "today is its last day" if days == 0 else f"{days} {'day is' if days == 1 else 'days are'} left"
    return finding_at(
        document,
        "",
        "waiver-expiring",
        ("waivers", index, "expires"),
        f"the waiver of {waiver.rule} in {waiver.place.record} ends on {waiver.expires}: {left}",
        level=Level.INFO,
        found=waiver.expires,
        because=f"{waiver.owner} is to mend it: {waiver.reason}",
        mend="mend the finding and delete the waiver",
    )


def _unused(found: Found, document: Document, index: int, waiver: Waiver) -> Finding:
    """Nothing to waive: with what comes nearest, where something does."""
    record, field = waiver.place.record, waiver.place.field
    where = f"{field} of {record}" if field else record
    path: Path = ("waivers", index)
    mend = "delete the waiver"
    if record not in found.knowledge.entries:
        path = ("waivers", index, "place", "record")
        like = nearest(record, found.knowledge.entries)
        mend = f"did you mean {like[0]}?" if like else "delete the waiver, or correct the record"
        message = f"there is no record {record}, so {waiver.rule} finds nothing there"
    else:
        told = f" with {waiver.found} found" if waiver.found else ""
        message = f"{waiver.rule} finds nothing in {where}{told}"
        here = [f for f in found.findings if f.record == record and f.rule == waiver.rule and f.waived is None]
        if here:
            named = ", ".join(dict.fromkeys(f"{f.field} ({f.found})" if f.found else f.field for f in here[:3]))
            mend = f"delete the waiver, or correct its place: the rule's findings there are in {named}"
    because = "a waiver that nothing needs would hide the next fault"
    return finding_at(document, "", "waiver-unused", path, message, found=waiver.rule, because=because, mend=mend)


# What is waived


def _mark(found: Found, waivers: list[Waiver]) -> list[bool]:
    """Mark the findings that waivers accept, and the numerals and conclusions that those are about."""
    used = [False] * len(waivers)
    by_place: dict[tuple[str, str], list[int]] = {}
    for number, waiver in enumerate(waivers):
        by_place.setdefault((waiver.rule, waiver.place.record), []).append(number)
    marked: dict[Place, Waived] = {}
    for at, finding in enumerate(found.findings):
        for number in by_place.get((finding.rule, finding.record), ()):
            waiver = waivers[number]
            if waiver.place.field in (None, finding.field) and waiver.found in (None, finding.found):
                used[number] = True
                if finding.waived is None and finding.level is not Level.INFO:
                    waived = Waived(waiver.reason, waiver.owner, waiver.since, waiver.expires)
                    finding = found.findings[at] = replace(finding, waived=waived)
                    marked[finding.place] = waived
    if marked:
        _mark_prose(found, marked)
    return used


def _mark_prose(found: Found, marked: dict[Place, Waived]) -> None:
    records = {place.path for place in marked}

    def waived(record: str, path: Path, at: int, length: int) -> Waived | None:
        document = found.knowledge.entries[record].document
        return next(_within(document, path, at, length, marked), None) if document.path in records else None

    for index, figure in enumerate(found.figures):
        failing = figure.status is Status.UNCOVERED if figure.verdict is None else not figure.verdict.holds
        length = len(figure.numeral.text)
        if failing and (held := waived(figure.record, figure.path, figure.numeral.at, length)) is not None:
            found.figures[index] = replace(figure, waived=held)
    for index, conclusion in enumerate(found.conclusions):
        if conclusion.holds:
            continue
        held = waived(conclusion.record, conclusion.path, conclusion.at, conclusion.length)
        if held is not None:
            found.conclusions[index] = replace(conclusion, waived=held)


def _within(document: Document, path: Path, at: int, length: int, marked: dict[Place, Waived]) -> Iterator[Waived]:
    """The waivers of findings that stand at a piece of prose, or around it (an equation with its numerals)."""
    place = document.place(path, at=at, length=length)
    for other, held in marked.items():
        same_line = other.path == place.path and other.line == place.line
        if same_line and other.column <= place.column < other.column + other.length:
            yield held


__all__ = ["NEVER", "SOON", "apply", "why_never"]
