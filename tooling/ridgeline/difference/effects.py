"""What follows from the changes: values that move, numerals that move with them, conclusions, findings, pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ridgeline.check import Report
from ridgeline.difference.alignment import Alignment
from ridgeline.difference.change import State, percent
from ridgeline.difference.reading import Both
from ridgeline.difference.records import RecordChange
from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.figure import FigureResult, Status
from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import Stated
from ridgeline.knowledge.resolve import Resolver
from ridgeline.records.kinds import FOLDERS
from ridgeline.records.walk import Path, dotted


@dataclass(frozen=True, slots=True)
class Effect:
    """A named value that is another one now, or that can, or can no longer, be computed.

    ``record`` is the later reference. ``recorded``: it is one of the changed values itself. ``inputs`` are the changed
    values that it follows from; ``sensitivity`` is its relative change over that of its input, where that is one.
    """

    record: str
    name: str
    before: Derivation | None
    after: Derivation | None
    recorded: bool
    inputs: tuple[tuple[str, str], ...] = ()
    sensitivity: Fraction | None = None

    @property
    def percent(self) -> Fraction | None:
        """The change in percent."""
        return percent(self.before.quantity if self.before else None, self.after.quantity if self.after else None)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A numeral of a sentence that stays, printed otherwise now."""

    before: FigureResult
    after: FigureResult

    @property
    def with_value(self) -> bool:
        """Whether the value that it is bound to changed as well."""
        a, b = self.before.derivation, self.after.derivation
        return a is not None and b is not None and a.quantity.value != b.quantity.value


# Values


def effects(both: Both, before: Report, after: Report, records: list[RecordChange]) -> list[Effect]:
    """Every named quantity of every record that stands on both sides whose value differs."""
    inputs = _Inputs.of(records)
    found: list[Effect] = []
    changed = {c.reference: c for c in records if c.before is not None and c.after is not None}
    for reference, entry in both.after.entries.items():
        change = changed.get(reference)
        if entry.record is None or entry.kind in ("class", "source"):
            continue
        if change is None and (reference not in both.unchanged or not _reads_others(entry)):
            continue
        was = change.was if change is not None else reference
        found += _moved(before.resolver, was, after.resolver, reference, inputs)
    return found


def _reads_others(entry: Entry) -> bool:
    """Whether the values of a record can follow from those of another."""
    assert entry.record is not None
    return bool(entry.record.subjects) or any(item.what == "formula" for item in entry.items)


_Place = tuple[str, str]


@dataclass(frozen=True)
class _Inputs:
    """The changed numbers: their place on either side → their later place, and that → their relative change."""

    places: dict[_Place, _Place]
    shares: dict[_Place, Fraction | None]

    @classmethod
    def of(cls, records: list[RecordChange]) -> _Inputs:
        found = cls({}, {})
        for record in records:
            for change in record.changes:
                if change.what != "value" or change.before is None or change.after is None:
                    continue
                target = (record.reference, change.field)
                share = change.percent
                found.shares[target] = None if share is None else share / 100
                for reference, path in ((record.was, change.old_path), (record.reference, change.new_path)):
                    if path is not None:
                        found.places[reference, dotted(path)] = target
        return found

    def under(self, derivation: Derivation | None) -> list[_Place]:
        """The changed numbers among the leaves of a derivation."""
        if derivation is None or not self.places:
            return []
        leaves = [(d.given.record, d.given.field.partition(".claims.")[0]) for d in derivation.inputs() if d.given]
        return [self.places[place] for place in leaves if place in self.places]


def _moved(before: Resolver, was: str, after: Resolver, reference: str, inputs: _Inputs) -> Iterator[Effect]:
    """The values of one record that differ."""
    old, new = before.namespace(was), after.namespace(reference)
    names = [n for space in (new, old) for group in (space.names, *space.layers) for n in group]
    for name in dict.fromkeys(names):
        a, b = _value(before, was, name), _value(after, reference, name)
        if a is None and b is None:
            continue
        if a is not None and b is not None and a.quantity == b.quantity:
            continue
        rests = tuple(dict.fromkeys(inputs.under(a) + inputs.under(b)))
        meaning = next((g[name] for g in (new.names, *new.layers, old.names, *old.layers) if name in g), None)
        share = None
        moved = percent(a.quantity if a else None, b.quantity if b else None)
        if len(rests) == 1 and moved is not None:
            relative = inputs.shares[rests[0]]
            share = moved / 100 / relative if relative else None
        yield Effect(reference, name, a, b, isinstance(meaning, Stated), rests, share)


def _value(resolver: Resolver, reference: str, name: str) -> Derivation | None:
    try:
        return resolver.quantity(reference, tuple(name.split(".")))
    except FormulaError:
        return None


# Prose


class Prose:
    """The figures and conclusions of the later report, each with the place where it stood before."""

    def __init__(self, before: Report, after: Report, records: list[RecordChange]):
        self._was = {c.reference: c for c in records if c.before is not None and c.after is not None}
        self._added = {c.reference for c in records} - self._was.keys()
        self._holes = [_holes(report) for report in (before, after)]
        self._maps: dict[tuple[str, Path], tuple[Path, Alignment | None] | None] = {}
        self.figures = {id(f): place for f in after.figures if (place := self._figure(f)) is not None}
        self.after = after

    def back(self, reference: str, path: Path, at: int) -> tuple[str, Path, int] | None:
        """Where the words at a place stood before."""
        if reference in self._added:
            return None
        change = self._was.get(reference)
        if change is None:
            return reference, path, at
        if (reference, path) not in self._maps:
            self._maps[reference, path] = self._map(change, path)
        found = self._maps[reference, path]
        if found is None:
            return None
        old_path, alignment = found
        there = at if alignment is None else alignment.back(at)
        return None if there is None else (change.was, old_path, there)

    def _map(self, change: RecordChange, path: Path) -> tuple[Path, Alignment | None] | None:
        assert change.before is not None and change.after is not None
        key = change.after.shape.keys.get(path)
        leaf = change.before.shape.leaves.get(key) if key is not None else None
        if key is None or leaf is None:
            return None
        old, new = leaf[1], change.after.shape.leaves[key][1]
        if old == new:
            return leaf[0], None
        spans = [self._holes[0].get((change.was, leaf[0]), []), self._holes[1].get((change.reference, path), [])]
        return leaf[0], Alignment(str(old), spans[0], str(new), spans[1])

    def _figure(self, figure: FigureResult) -> tuple[str, Path, int] | None:
        return self.back(figure.record, figure.path, figure.numeral.at)

    def aligned(self) -> Report:
        """The later report with every figure and conclusion at its earlier place; what was not there is left out."""
        figures = [
            replace(f, record=place[0], path=place[1], numeral=replace(f.numeral, at=place[2]))
            for f in self.after.figures
            if (place := self.figures.get(id(f))) is not None
        ]
        return Report(self.after.knowledge, self.after.resolver, [], figures, list(self._conclusions()))

    def _conclusions(self) -> Iterator[Conclusion]:
        for one in self.after.conclusions:
            place = self.back(one.record, one.path, one.at)
            if place is not None:
                yield replace(one, record=place[0], path=place[1], at=place[2])


def _holes(report: Report) -> dict[tuple[str, Path], list[tuple[int, int]]]:
    """The numerals of each prose field that state something, as spans."""
    found: dict[tuple[str, Path], list[tuple[int, int]]] = {}
    for figure in report.figures:
        if figure.status is not Status.SET_ASIDE:
            numeral = figure.numeral
            found.setdefault((figure.record, figure.path), []).append((numeral.at, numeral.at + len(numeral.text)))
    return found


def pairs(prose: Prose, before: Report) -> list[tuple[FigureResult, FigureResult]]:
    """Each numeral that stands on both sides, before and after."""
    old = {(f.record, f.path, f.numeral.at): f for f in before.figures}
    found = []
    for figure in prose.after.figures:
        place = prose.figures.get(id(figure))
        was = old.get(place) if place is not None else None
        if was is not None:
            found.append((was, figure))
    return found


def rewritten(matched: list[tuple[FigureResult, FigureResult]]) -> list[Rewritten]:
    """The numerals that are printed otherwise."""
    return [
        Rewritten(a, b)
        for a, b in matched
        if (a.numeral.text, a.numeral.unit_text) != (b.numeral.text, b.numeral.unit_text)
        and Status.SET_ASIDE not in (a.status, b.status)
    ]


def moved_figures(matched: list[tuple[FigureResult, FigureResult]]) -> list[tuple[FigureResult, FigureResult]]:
    """The numerals whose computed value differs."""
    return [(a, b) for a, b in matched if Rewritten(a, b).with_value]


# Findings


def new_and_gone(before: Report, after: Report, records: list[RecordChange]) -> tuple[list[Finding], list[Finding]]:
    """The findings that only the later check has, and those that only the earlier one has.

    A finding is the same one as long as rule, record, field and what was found are; its line may have moved.
    """
    states = [{}, {}]  # type: list[dict[str, State]]
    paths: dict[str, str] = {}
    for change in records:
        for number, state in enumerate((change.before, change.after)):
            if state is not None:
                states[number][state.entry.reference] = state
        if change.old is not None and change.new is not None:
            paths[change.old.document.path] = change.new.document.path
    old = [
        (_finding_key(f, states[0].get(f.record), paths.get(f.place.path, f.place.path)), f) for f in before.findings
    ]
    new = [(_finding_key(f, states[1].get(f.record), f.place.path), f) for f in after.findings]
    return _without(new, old), _without(old, new)


_FindingKey = tuple[str, str, tuple[str, ...], str, bool]


def _finding_key(finding: Finding, state: State | None, path: str) -> _FindingKey:
    field: tuple[str, ...] = (finding.field,)
    if state is not None and finding.field:
        steps: Path = tuple(int(step) if step.isdigit() else step for step in finding.field.split("."))
        field = state.shape.key(steps)
    # Where only the waiver came or went, it counts otherwise than before.
    return path, finding.rule, field, finding.found, finding.waived is not None


def _without(these: list[tuple[_FindingKey, Finding]], those: list[tuple[_FindingKey, Finding]]) -> list[Finding]:
    left = Counter(key for key, _ in those)
    found = []
    for key, finding in these:
        if left[key]:
            left[key] -= 1
        else:
            found.append(finding)
    return found


# Pages


def citing(both: Both, records: list[RecordChange]) -> Iterator[str]:
    """Records that show something of a changed one: its name, its status, what a source is."""
    shown = {
        c.reference
        for c in records
        if c.how != "layout" and (c.reference.startswith("sources/") or any(p.what == "head" for p in c.changes))
    }
    if not shown:
        return
    for entry in both.after.entries.values():
        for item in entry.items:
            if item.what == "reference":
                folder = FOLDERS.get(item.kind)
                if (f"{folder}/{item.value}" if folder else item.value) in shown:
                    yield entry.reference
                    break


__all__ = ["Effect", "Prose", "Rewritten", "citing", "effects", "moved_figures", "new_and_gone", "pairs", "rewritten"]
