"""What the faces of a difference share: how values, percentages, places and long texts are put."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ridgeline.difference.change import Change
from ridgeline.difference.difference import Difference
from ridgeline.difference.effects import Effect, Rewritten
from ridgeline.difference.records import RecordChange
from ridgeline.figures.printing import show, show_beside
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.knowledge.derivation import Derivation

NOTHING = "nothing"
#: Characters of an unchanged text that are shown on each side of what differs in it.
_CONTEXT = 40

#: Kind of change → how it is called beside the field.
WORDS = {
    "value": "",
    "printed": "the same value, printed otherwise",
    "origin": "source",
    "claims": "claims",
    "preferred": "preferred claim",
    "formula": "formula",
    "text": "",
    "figures": "",
    "head": "",
    "field": "",
}


def number(value: Fraction, digits: int = 4) -> str:
    """A signed number of few digits; the order of magnitude of what no float holds."""
    try:
        return f"{float(value):+.{digits}g}"
    except OverflowError:
        return "+inf" if value > 0 else "-inf"


def as_percent(value: Fraction | None) -> str:
    """``+25 %``; nothing where there is no such change."""
    return "" if value is None else f"{number(value)} %"


def finite(value: Fraction | None) -> float | None:
    """The nearest float, ``None`` where there is none."""
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def shown(derivation: Derivation | None) -> str:
    """A derived value as people print it."""
    return "no value" if derivation is None else show(derivation.quantity, derivation.unit)


def around(old: str, new: str) -> tuple[str, str]:
    """Two long texts, each cut to what differs with a few words on either side."""
    if max(len(old), len(new)) <= 2 * _CONTEXT:
        return old, new
    shortest = min(len(old), len(new))
    head = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    tail = next((i for i in range(shortest - head) if old[-1 - i] != new[-1 - i]), shortest - head)
    start = max(0, head - _CONTEXT)
    start = old.rfind(" ", 0, start) + 1 if start else 0
    cut = []
    for text in (old, new):
        end = min(len(text), len(text) - tail + _CONTEXT)
        space = text.find(" ", end)
        end = space if 0 <= space < end + _CONTEXT else end
        cut.append(("…" if start else "") + text[start:end] + ("…" if end < len(text) else ""))
    return cut[0], cut[1]


def sides(change: Change) -> tuple[str, str]:
    """Old and new of a change, as they are shown."""
    if change.old is None or change.new is None:
        return change.old or NOTHING, change.new or NOTHING
    return around(change.old, change.new) if change.what in ("text", "formula", "figures") else (change.old, change.new)


def called(change: Change) -> str:
    """What a change is of: the field, and what formulas call it."""
    words = WORDS[change.what]
    name = f"{change.field} ({change.name})" if change.name and change.name != change.field else change.field
    return f"{name}, {words}" if words else name


def headline(record: RecordChange) -> str:
    """What became of a record, in a few words."""
    parts = {
        "added": "added",
        "removed": "removed",
        "renamed": f"renamed, was {record.was}",
        "merged": f"now leads from {record.was} to {record.reference}",
        "changed": "changed",
        "layout": "comments or layout only",
    }
    revisions = record.revisions
    told = [parts[record.how]]
    if revisions is not None and revisions[0] != revisions[1]:
        told.append(f"revision {revisions[0]} → {revisions[1]}")
    if record.how == "added" and record.after is not None and record.after.quantities:
        told.append(counted(len(record.after.quantities), "quantity", "quantities"))
    if record.note:
        told.append(record.note)
    return ", ".join(told)


def counted(count: int, one: str, many: str = "") -> str:
    """``1 record``, ``2 records``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def rest_on(effect: Effect) -> str:
    """The changed values that an effect follows from."""
    if effect.sensitivity is not None:
        return f"sensitivity {number(effect.sensitivity, 3)}"
    if len(effect.inputs) > 1:
        return f"from {len(effect.inputs)} changed values"
    return ""


def place_of(found: Difference, rewritten: Rewritten) -> Place:
    """Where a rewritten numeral stands now."""
    figure = rewritten.after
    document = found.after.knowledge.entries[figure.record].document
    return document.place(figure.path, at=figure.numeral.at, length=len(figure.numeral.text))


def values_of(rewritten: Rewritten) -> tuple[str, str] | None:
    """What the numeral's value was and is, where both were computed."""
    a, b = rewritten.before, rewritten.after
    if a.derivation is None or b.derivation is None:
        return None
    return show_beside(a.derivation.quantity, a.numeral), show_beside(b.derivation.quantity, b.numeral)


def as_printed(rewritten: Rewritten) -> tuple[str, str]:
    """The numeral with its unit, before and after."""
    a, b = (f"{f.numeral.text} {f.numeral.unit_text}".rstrip() for f in (rewritten.before, rewritten.after))
    return a, b


def levels(findings: list[Finding]) -> dict[str, int]:
    """How many findings of each level; what is waived is in no level."""
    return {level.value: sum(1 for f in findings if f.level is level and f.waived is None) for level in Level}


def level_of(finding: Finding) -> str:
    """The level, or that it is waived."""
    return finding.level.value if finding.waived is None else "waived"


def rules(found: Difference) -> str:
    """What the rules are about that only a comparison can break."""
    return (
        "revision, history and ceilings"
        if any(f.rule == "ceiling-raised" for f in found.rules)
        else "revision and history"
    )


def waivers(found: Difference) -> str:
    """How many waivers came and went."""
    how = [sum(1 for w in found.waivers if w.how == h) for h in ("added", "removed")]
    return ", ".join(f"{n:,} {h}" for n, h in zip(how, ("added", "removed"), strict=True) if n) or "none"


def summary(found: Difference, number: str | None = None) -> list[tuple[str, str]]:
    """The difference in a few rows: what, and how much of it."""
    how = {h: sum(1 for r in found.records if r.how == h) for h in ("changed", "added", "removed", "renamed", "merged")}
    records = ", ".join(f"{count:,} {h}" for h, count in how.items() if count) or "none"
    if found.layout:
        records += f", {len(found.layout):,} with comments or layout only"
    values = sum(1 for r in found.records for c in r.changes if c.what == "value")
    errors = sum(1 for f in found.rules if f.level is Level.ERROR)
    warnings = len(found.rules) - errors
    rows = [
        ("records", records),
        ("recorded values changed", f"{values:,}"),
        ("derived values moved", f"{len(found.derived):,}"),
        ("conclusions that flip", f"{len(found.flips):,}{_of_some(found)}"),
        ("sentences that became false", f"{len(found.false):,}"),
        ("numerals rewritten", f"{len(found.rewritten):,}"),
        ("other new findings", _by_level(found.other)),
        ("findings that went away", _by_level(found.gone)),
        (
            rules(found),
            f"{counted(errors, 'error')}, {counted(warnings, 'warning')}" if found.rules else "in order",
        ),
        *([("waivers", waivers(found))] if found.waivers else []),
        ("pages affected", f"{len(found.pages):,}"),
        ("data edition", edition(found, number)),
    ]
    return rows


def _of_some(found: Difference) -> str:
    drawn, moved = found.drawn
    return f", with {drawn:,} of the {moved:,} records that moved looked at" if drawn < moved else ""


def _by_level(findings: list[Finding]) -> str:
    told = [counted(n, level) for level, n in levels(findings).items() if n]
    waived = sum(1 for f in findings if f.waived is not None)
    return ", ".join([*told, *([f"{waived:,} waived"] if waived else [])]) or "none"


def edition(found: Difference, number: str | None, reasons: int = 3) -> str:
    """The part of the number that rises, the number where the last one is known, and why."""
    number = number or found.numbers[0] or None
    bump, said = found.edition.bump, found.edition.reasons
    if bump == "none":
        return f"{number} stays" if number else "stays"
    why = "; ".join(said[:reasons]) + (f"; and {len(said) - reasons:,} more" if len(said) > reasons else "")
    return (f"{number} → {found.edition.after(number)}, " if number else "") + f"{bump}: {why}"


def nothing(found: Difference) -> str:
    """The sentence that says that nothing follows."""
    if found.layout:
        return f"No effect: comments or layout only, in {counted(len(found.layout), 'record')}."
    return "No effect: no record differs."


def side_name(side: Any) -> str:
    """A side as the command line names it, with the commit."""
    return (
        f"{side.name} ({side.commit[:12]})" if side.commit and not side.commit.startswith(side.name) else str(side.name)
    )
