"""What would change if one recorded value were another: values, sentences, conclusions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.check import Report, check_knowledge
from ridgeline.figures.figure import FigureResult
from ridgeline.findings.finding import Finding
from ridgeline.flips import Flip, figure_pairs, flips
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.knowledge.base import Entry, Knowledge, add
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import Formula, Stated
from ridgeline.knowledge.resolve import Resolver
from ridgeline.text.splice import Edit, splice


class ImpactError(ValueError):
    """The change cannot be tried; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A value that changes. ``sensitivity`` is the relative change of the value over that of the input."""

    record: str
    name: str
    before: Derivation
    after: Derivation
    sensitivity: Fraction | None


@dataclass
class Impact:
    """Everything that one change moves."""

    record: str
    field: str
    old: str
    new: str
    values: list[Moved] = dataclasses.field(default_factory=list)
    figures: list[tuple[FigureResult, FigureResult]] = dataclasses.field(default_factory=list)
    findings: list[Finding] = dataclasses.field(default_factory=list)
    flips: list[Flip] = dataclasses.field(default_factory=list)
    pages: list[str] = dataclasses.field(default_factory=list)


def impact(report: Report, reference: str, name: str, value: str) -> Impact:
    """Try a change: ``name`` is a quantity's name in formulas or its path in the file, ``value`` its new text.

    Raises :class:`ImpactError` for an unknown quantity or a value that cannot stand there.
    """
    entry = report.knowledge.entries[reference]
    place = _stated(report.resolver, entry, name)
    try:
        after, unit, _ = parse_quantity(value)
    except FormulaError as error:
        raise ImpactError(f"{value}: {error.message}") from None
    before = place.quantity.middle
    changed = check_knowledge(changed_knowledge(report.knowledge, entry, place, value))
    if changed.knowledge.entries[reference].record is None:
        fault = next(f for f in changed.findings if f.place.path == entry.document.path)
        raise ImpactError(f"{value} cannot stand there: {fault.message}")
    result = Impact(reference, place.given.field, place.given.text, value)
    relative = (after * (unit.factor if unit else 1) - before) / before if before else None
    result.values = list(_values(report, changed, relative))
    result.figures = list(figure_pairs(report, changed))
    known = {(f.place.path, f.rule, f.field, f.found) for f in report.findings}
    result.findings = [f for f in changed.findings if (f.place.path, f.rule, f.field, f.found) not in known]
    result.flips = flips(report, changed, [(m.record, m.name) for m in result.values])
    moved = {m.record for m in result.values} | {f.record for f, _ in result.figures}
    moved |= {f.record for f in result.findings if f.record}
    result.pages = sorted(moved)
    return result


def _stated(resolver: Resolver, entry: Entry, name: str) -> Stated:
    """The recorded value of a name or of a path in the file."""
    if entry.kind in ("class", "source") or entry.record is None:
        raise ImpactError(f"{entry.reference} records no quantities")
    space = resolver.namespace(entry.reference)
    meanings = {n: m for group in (*space.layers, space.names) for n, m in group.items()}
    for known, meaning in meanings.items():
        stated = meaning if isinstance(meaning, Stated) else meaning.stated if isinstance(meaning, Formula) else None
        if stated is None:
            continue
        field_name = stated.given.field.partition(".claims.")[0]
        if name in (known, field_name, stated.given.field, f"{stated.given.field}.value"):
            return stated
    from difflib import get_close_matches

    known_names = [n for n, m in meanings.items() if isinstance(m, Stated)]
    near = get_close_matches(name, known_names, 2, 0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise ImpactError(f"{entry.reference} records no value {name}{hint}")


def changed_knowledge(knowledge: Knowledge, entry: Entry, place: Stated, value: str) -> Knowledge:
    """The same records with one value replaced in the source of its file; nothing is written."""
    path: tuple[str | int, ...] = tuple(int(s) if s.isdigit() else s for s in place.given.field.split("."))
    document = entry.document
    target = (*path, "value") if (*path, "value") in document.spans else path
    if target not in document.spans:
        raise ImpactError(f"{place.given.field} does not stand in {document.path} as a value")
    span = document.spans[target][1]
    quoted = value if span.style == "" and all(c not in value for c in ":#{}[],&*!|>'\"%@`") else f'"{value}"'
    source = splice(document.source, [Edit(span.start, span.end, quoted)])
    fresh = Knowledge(knowledge.root)
    for other in knowledge.entries.values():
        if other is entry:
            add(fresh, document.path, source)
        else:
            fresh.entries[other.reference] = other
    fresh.findings += [f for f in knowledge.findings if f.place.path != document.path]
    return fresh


def _values(before: Report, after: Report, relative: Fraction | None) -> Iterator[Moved]:
    """Every named quantity of every record whose value differs."""
    for entry in before.knowledge.entries.values():
        if entry.record is None or entry.kind in ("class", "source"):
            continue
        space = before.resolver.namespace(entry.reference)
        for name in [*space.names, *dict.fromkeys(n for group in space.layers for n in group)]:
            parts = tuple(name.split("."))
            try:
                a = before.resolver.quantity(entry.reference, parts)
                b = after.resolver.quantity(entry.reference, parts)
            except FormulaError:
                continue
            if a.quantity.value != b.quantity.value:
                change = (b.quantity.middle - a.quantity.middle) / a.quantity.middle if a.quantity.middle else None
                elasticity = change / relative if change is not None and relative else None
                yield Moved(entry.reference, name, a, b, elasticity)
