"""Numbers that only fall: how much of what is not verified, or waived, the records may hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from ridgeline.figures.figure import FigureResult, Status
from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.records.accelerator import Accelerator
from ridgeline.records.beside import Ceilings, Levels, read_ceilings
from ridgeline.records.common import Fact, Quantity, quantity_value
from ridgeline.records.model import Model
from ridgeline.records.source import Source
from ridgeline.rules.settle import Found
from ridgeline.text.beside import CEILINGS, contents
from ridgeline.text.document import Document
from ridgeline.text.splice import Edit, splice, write

#: Records that a finding names one by one.
_NAMED = 5
_LOWER = "`ridgeline check --lower-ceilings`"
Counts = dict[str, Counter[str]]
#: Whether a source, by its id, is somebody's copy of somebody else's numbers; no source is none.
Secondary = Callable[[str | None], bool]


def counts(found: Found) -> Counts:
    """How much there is of each that can have a ceiling, by record."""
    names = list(Levels.model_fields)
    held: Counts = {name: Counter() for name in names}
    knowledge = found.knowledge
    secondary = partial(_secondary, knowledge)
    for figure in found.figures:
        for name in of_figure(figure, secondary):
            held[name][figure.record] += 1
    for reference in list(knowledge.entries):
        kept = found.unexamined.get(reference)
        if kept is None:
            counted: Iterable[tuple[str, int]] = of_record(knowledge.entries[reference], secondary)
        else:
            counted = kept.levels.items()
        for name, count in counted:
            held[name][reference] += count
    for finding in found.findings:
        if finding.waived is not None:
            held["waived_findings"][finding.record or finding.place.path] += 1
        elif finding.level is Level.WARNING:
            held["warnings"][finding.record or finding.place.path] += 1
    return held


def of_figure(figure: FigureResult, secondary: Secondary) -> Iterator[str]:
    """The ceilings that a numeral counts against."""
    if figure.status is Status.UNVERIFIED:
        yield "unverified_numerals"
    elif figure.status is Status.CITED and secondary(figure.source):
        yield "second_hand_numerals"


def of_record(entry: Entry, secondary: Secondary) -> Iterator[tuple[str, int]]:
    """What of a record, its numerals apart, counts against which ceiling."""
    record = entry.record
    if record is None:
        return
    if record.status in ("contested", "draft"):
        yield f"{record.status}_records", 1
    if isinstance(record, Accelerator | Model) and record.released is None:
        yield "records_without_release_date", 1
    for item in entry.items:
        if isinstance(item.value, Quantity):
            value, origin = quantity_value(item.value)
            if item.value.basis == "unverified" and item.value.claims is None:
                yield "values_without_source", 1
            elif value is not None and secondary(origin.source):
                yield "second_hand_values", 1
        elif isinstance(item.value, Fact):
            if item.value.source is None:
                yield "values_without_source", 1
            elif secondary(item.value.source):
                yield "second_hand_values", 1


def _secondary(knowledge: Knowledge, source: str | None) -> bool:
    entry = knowledge.get(f"sources/{source}") if source else None
    return entry is not None and isinstance(entry.record, Source) and entry.record.kind == "secondary"


def findings(found: Found, content: bytes | Finding) -> list[Finding]:
    """What is above its ceiling, with the records that make it up; and which ceilings could be lower."""
    document, read, own = read_ceilings(content)
    if read is None:
        return own
    there = counts(found)
    for name, ceiling in stated(read).items():
        count = there[name].total()
        if count > ceiling:
            own.append(
                Finding(
                    "ceiling-exceeded",
                    Level.ERROR,
                    document.place(("ceilings", name)),
                    f"{name} is {count:,}, above its ceiling of {ceiling:,}",
                    field=f"ceilings.{name}",
                    found=f"{count:,}",
                    expected=f"at most {ceiling:,}",
                    because=_made_of(there[name]),
                    mend="mend as many as were added; a ceiling only falls",
                )
            )
        elif count < ceiling:
            own.append(
                Finding(
                    "ceiling-loose",
                    Level.INFO,
                    document.place(("ceilings", name)),
                    f"{name} is {count:,}, below its ceiling of {ceiling:,}",
                    field=f"ceilings.{name}",
                    found=f"{ceiling:,}",
                    expected=f"{count:,}",
                    because="what has been won could be lost again without anybody noticing",
                    mend=f"lower it to {count}: {_LOWER}",
                )
            )
    return own


def _made_of(records: Counter[str]) -> str:
    """``classes/a has 3, classes/b 1 and 5 more records have the rest``; those with most first."""
    ordered = sorted(records.items(), key=lambda r: (-r[1], r[0]))
    first = ", ".join(f"{r} {'has ' if not i else ''}{n:,}" for i, (r, n) in enumerate(ordered[:_NAMED]))
    rest = len(ordered) - _NAMED
    return first + (f", and {rest:,} more {'record has' if rest == 1 else 'records have'} the rest" if rest > 0 else "")


def stated(ceilings: Ceilings) -> dict[str, int]:
    """The ceilings that the file states, by name."""
    return {name: value for name, value in ceilings.ceilings.model_dump().items() if value is not None}


# Lowering


class NotLowered(Exception):
    """The ceilings cannot be lowered; the message says why and what to do."""


def lower(found: Found, root: Path) -> list[tuple[str, int, int]]:
    """Lower every ceiling to what there is, in place, comments kept; gives name, old and new. Never raises one.

    Raises :class:`NotLowered` where there is no file, where it is refused, or where records are, which would not be counted.
    """
    content = contents(root).get(CEILINGS)
    if content is None:
        raise NotLowered(f"there is no {CEILINGS} below {root}")
    document, read, own = read_ceilings(content)
    if read is None or own:
        raise NotLowered(f"{CEILINGS} is refused: {own[0].message}. Next: {own[0].mend}")
    unread = next((e.document.path for e in found.knowledge.entries.values() if e.record is None), None)
    if unread is not None:
        raise NotLowered(f"{unread} is refused and would not be counted: mend it first (`ridgeline check`)")
    there = counts(found)
    lowered = [(n, old, new) for n, old in stated(read).items() if (new := there[n].total()) < old]
    if lowered:
        write(root / CEILINGS, splice(document.source, [_edit(document, name, new) for name, _, new in lowered]))
    return lowered


def _edit(document: Document, name: str, number: int) -> Edit:
    span = document.spans["ceilings", name][1]
    return Edit(span.start, span.end, str(number))


__all__ = ["Counts", "NotLowered", "counts", "findings", "lower", "stated"]
