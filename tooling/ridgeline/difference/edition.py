"""What a difference does to the number of the data edition: MAJOR.MINOR.PATCH, by what readers of the data lose or gain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ridgeline.difference.change import Change
from ridgeline.difference.effects import Effect
from ridgeline.difference.reading import Both
from ridgeline.difference.records import RecordChange
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.numbers.units import describe, hard
from ridgeline.text import beside

Bump = Literal["major", "minor", "patch", "none"]
_ORDER: tuple[Bump, ...] = ("none", "patch", "minor", "major")
_NUMBER = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


class EditionError(ValueError):
    """The number of an edition is none."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The part of the number that rises, and why; the reasons are those of that part alone."""

    bump: Bump
    reasons: tuple[str, ...]

    def after(self, number: str) -> str:
        """The number that follows ``number``. Raises :class:`EditionError`."""
        match = _NUMBER.fullmatch(number)
        if match is None:
            raise EditionError(f"{number} is no edition: write MAJOR.MINOR.PATCH, as 1.4.0")
        major, minor, patch = map(int, match.groups())
        match self.bump:
            case "major":
                return f"{major + 1}.0.0"
            case "minor":
                return f"{major}.{minor + 1}.0"
            case "patch":
                return f"{major}.{minor}.{patch + 1}"
            case "none":
                return number


def numbers(both: Both) -> tuple[str, str]:
    """What the file of the edition says before and after; empty where it is not there, or says something else."""
    before, after = (beside.edition(k.beside or {}) for k in (both.before, both.after))
    return before, after


def below(both: Both, due: Edition, *, asked: bool) -> list[Finding]:
    """What is wrong with the number after a difference.

    Between releases it stays, so that no two pull requests quarrel about it: only one that fell, or rose by too little,
    is an error. ``asked``: the later side is to be released, and has to have the number that is due, or a higher one.
    """
    return fallen(*numbers(both), due, there=beside.EDITION in (both.after.beside or {}), asked=asked)


def fallen(was: str, now: str, due: Edition, *, there: bool = True, asked: bool = False) -> list[Finding]:
    """The same for two numbers; ``there``: the later side has a file of the edition."""
    if not was and (now or not there):
        return []
    needed = due.after(was) if was else "0.1.0"
    if now and order(now) >= order(needed if asked or now != was else was):
        return []
    said = (
        f"the edition is {now} and has to be {needed} or higher" if now else
        "the file of the edition says no number" if there else f"the file of the edition is gone; it said {was}"
    )  # fmt: skip
    why = f"{due.bump}: {'; '.join(due.reasons[:3])}" if due.bump != "none" else "a number never falls"
    return [
        Finding(
            "edition-not-raised", Level.ERROR, Place(beside.EDITION), said, field="edition", found=now, expected=needed,
            because=why, mend=f"write {needed}, or let `ridgeline diff --release` write it with the changelog",
        )
    ]  # fmt: skip


def order(number: str) -> tuple[int, ...]:
    """What numbers of editions are compared by."""
    return tuple(map(int, number.split(".")))


def edition(records: list[RecordChange], effects: list[Effect]) -> Edition:
    """The part of the number that rises: an id lost or a type narrowed, something added, a value changed."""
    told = [*_records(records), *_names(effects)]
    bump: Bump = max((b for b, _ in told), key=_ORDER.index, default="none")
    return Edition(bump, tuple(dict.fromkeys(reason for b, reason in told if b == bump)))


def _records(records: list[RecordChange]) -> Iterator[tuple[Bump, str]]:
    for record in records:
        match record.how:
            case "removed":
                yield "major", f"{record.was} is gone"
            case "merged":
                yield "minor", f"{record.was} leads to {record.reference}"
            case "renamed":
                yield "minor", f"{record.was} is called {record.reference}"
            case "added":
                yield "minor", f"{record.reference} is new"
            case "changed" if record.after is None and record.before is not None:
                yield "major", f"{record.reference} cannot be read any more"
            case "changed" if record.before is None and record.after is not None:
                yield "minor", f"{record.reference} can be read now"
            case _:
                pass
        for change in record.changes:
            yield _change(record, change)


def _change(record: RecordChange, change: Change) -> tuple[Bump, str]:
    what = f"{record.reference} {change.name or change.field}"
    if change.what == "value" or (change.what == "formula" and change.field.startswith(("formulas.", "symbols."))):
        if change.new is None:
            # One of several lines of a formula may go without it.
            gone = change.what == "value" or _whole(record, change)
            return ("major", f"{what} is gone") if gone else ("patch", f"{what} changed")
        if change.old is None:
            return "minor", f"{what} is new"
        if change.before is not None and change.after is not None:
            before, after = hard(change.before.dimension), hard(change.after.dimension)
            if before != after:
                return "major", f"{what} is in {describe(after)}, was in {describe(before)}"
        if change.what == "formula" and change.field.endswith(".unit"):
            return "major", f"{what} is {change.new}, was {change.old}"
    return "patch", f"{what} changed"


def _whole(record: RecordChange, change: Change) -> bool:
    """Whether the formula or symbol of a leaf has gone with it."""
    return record.after is None or tuple(change.field.split(".")[:2]) not in record.after.shape.keys


def _names(effects: list[Effect]) -> Iterator[tuple[Bump, str]]:
    """Names of formulas that have no value any more, or that have one now."""
    for effect in effects:
        if effect.recorded:
            # It is told as a change of its record.
            continue
        what = f"{effect.record} {effect.name}"
        if effect.after is None:
            yield "major", f"{what} has no value any more"
        elif effect.before is None:
            yield "minor", f"{what} has a value now"
        elif hard(effect.before.quantity.dimension) != hard(effect.after.quantity.dimension):
            yield "major", f"{what} has another dimension"
        else:
            yield "patch", f"{what} moved"


__all__ = ["Bump", "Edition", "EditionError", "below", "edition", "fallen", "numbers", "order"]
