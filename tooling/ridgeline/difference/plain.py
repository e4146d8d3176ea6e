"""A difference as text for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.difference import wording
from ridgeline.difference.difference import Difference
from ridgeline.difference.records import RecordChange
from ridgeline.findings import faces
from ridgeline.findings.finding import Finding

#: Longer texts are cut in a line.
_WIDE = 200


def text(found: Difference, number: str | None = None) -> str:
    """The whole difference; what comes from records takes no control of the terminal."""
    lines = [f"{_safe(wording.side_name(found.base))} → {_safe(wording.side_name(found.head))}", ""]
    if found.no_effect:
        lines.append(wording.nothing(found))
        lines += [f"  {_safe(r.reference)}" for r in found.layout]
        return "\n".join(lines) + "\n"
    lines += [f"{what}: {_safe(much, 400)}" for what, much in wording.summary(found, number)]
    for part in (_records(found), _effects(found), _sentences(found), _findings(found), _waivers(found)):
        lines += part
    if found.pages:
        lines += ["", f"pages ({len(found.pages):,}):", *(f"  {_safe(page)}" for page in found.pages)]
    return "\n".join(lines) + "\n"


def _safe(value: str, wide: int = _WIDE) -> str:
    """A text of a stranger on one line: no control characters, and not too long."""
    line = "".join(c if c.isprintable() else " " for c in value).strip()
    return line if len(line) <= wide else line[: wide - 1] + "…"


def _records(found: Difference) -> Iterator[str]:
    for record in found.changed:
        name = f"  {_safe(record.name, 80)}" if record.name else ""
        yield ""
        yield f"{_safe(record.reference)}{name}: {_safe(wording.headline(record))}"
        yield from _changes(record)
    if found.layout:
        yield ""
        yield "comments or layout only: " + _safe(", ".join(r.reference for r in found.layout), 2_000)


def _changes(record: RecordChange) -> Iterator[str]:
    for change in record.changes:
        old, new = wording.sides(change)
        share = wording.as_percent(change.percent)
        yield f"  {_safe(wording.called(change))}: {_safe(old)} → {_safe(new)}" + (f" ({share})" if share else "")


def _effects(found: Difference) -> Iterator[str]:
    if found.derived:
        yield ""
        yield f"derived values that move ({len(found.derived):,}):"
    for effect in found.derived:
        share = wording.as_percent(effect.percent)
        told = ", ".join(p for p in (share, wording.rest_on(effect)) if p)
        yield (
            f"  {_safe(effect.record)} {_safe(effect.name)}: {wording.shown(effect.before)} → "
            f"{wording.shown(effect.after)}" + (f" ({told})" if told else "")
        )
    if found.flips:
        yield ""
        yield f"conclusions that flip ({len(found.flips):,}):"
    for flip in found.flips:
        yield f"  {_safe(flip.what)}: {_safe(flip.before)} → {_safe(flip.after)}"


def _sentences(found: Difference) -> Iterator[str]:
    if found.false or found.moved:
        yield ""
        yield f"sentences that became false ({len(found.false):,}):"
        yield from _told(found, found.false)
    if found.still:
        yield f"  ({wording.counted(found.still, 'more numeral depends', 'more numerals depend')} on it and still hold)"
    if found.rewritten:
        yield ""
        yield f"numerals rewritten ({len(found.rewritten):,}):"
    for one in found.rewritten:
        place, printed, values = wording.place_of(found, one), wording.as_printed(one), wording.values_of(one)
        because = (
            "" if values is None else f" (value {values[0]} → {values[1]})" if one.with_value else " (the value stays)"
        )
        yield f"  {_safe(place.path)}:{place.line}:{place.column}: {_safe(printed[0])} → {_safe(printed[1])}{because}"


def _findings(found: Difference) -> Iterator[str]:
    for what, findings in (
        ("other new findings", found.other),
        ("findings that went away", found.gone),
        (wording.rules(found), found.rules),
    ):
        if findings:
            yield ""
            yield f"{what} ({len(findings):,}):"
            yield from _told(found, findings, gone=findings is found.gone)


def _waivers(found: Difference) -> Iterator[str]:
    if found.waivers:
        yield ""
        yield f"waivers ({len(found.waivers):,}):"
    for change in found.waivers:
        waiver = change.waiver
        where = f"{waiver.rule} in {change.place}, {waiver.since} to {waiver.expires} by {waiver.owner}"
        yield f"  {change.how}: {_safe(where)}: {_safe(waiver.reason)}"


def _told(found: Difference, findings: list[Finding], *, gone: bool = False) -> Iterator[str]:
    """Findings with their excerpts, those of the earlier check from the earlier files."""
    report = found.before if gone else found.after
    documents = {e.document.path: e.document for e in found.before.knowledge.entries.values()}
    documents |= {e.document.path: e.document for e in report.knowledge.entries.values()}

    def source_line(path: str, line: int) -> str:
        document = documents.get(path)
        lines = document.source.split("\n") if document is not None else []
        return lines[line - 1] if 0 < line <= len(lines) else ""

    for line in faces.text(findings, source_line).splitlines():
        yield f"  {''.join(c if c.isprintable() else ' ' for c in line)}".rstrip()


__all__ = ["text"]
