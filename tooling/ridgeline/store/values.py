"""The quantities of all records: what a name is worth, where it stands, and who says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ridgeline.check import Report
from ridgeline.figures.printing import dimension_name, unit_name
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity, unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import Formula, Meaning, Stated, Unknown
from ridgeline.numbers.units import Unit
from ridgeline.records.common import Claim
from ridgeline.records.common import Quantity as Recorded
from ridgeline.records.walk import dotted, walk
from ridgeline.store.derivations import Given, Graph, Row, bounds, display, value_columns

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity by name. ``result`` is its derivation, or why it has no value; ``layer_group`` is set for one layer's."""

    record: str
    name: str
    layer_group: int | None
    meaning: Meaning
    result: Derivation | FormulaError


def quantities(report: Report) -> Iterator[Named]:
    """Every name of every record with its value; records and names in their own order, layer groups last."""
    for reference in sorted(report.knowledge.entries):
        entry = report.knowledge.get(reference)
        if entry is None or entry.kind in ("class", "source"):
            continue
        space = report.resolver.namespace(reference)
        groups = [(None, space.names), *enumerate(space.layers)]
        for group, names in groups:
            for name, meaning in names.items():
                yield Named(reference, name, group, meaning, _value(report, entry, name, group))


def _value(report: Report, entry: Entry, name: str, group: int | None) -> Derivation | FormulaError:
    scope = report.resolver.scope_of(entry)
    if group is not None:
        scope = replace(scope, group=group)
    try:
        return report.resolver.name(Name(tuple(name.split("."))), scope)
    except FormulaError as error:
        return error


class Quantities:
    """Builds the rows of ``quantities``, ``claims`` and ``dependencies``, and knows each quantity's number."""

    def __init__(self, report: Report, graph: Graph, sources: frozenset[str]):
        self.report = report
        self.graph = graph
        self.sources = sources
        self.rows: list[Row] = []
        self.claims: list[Row] = []
        self.ids: dict[tuple[str, str, int | None], int] = {}
        self.roots: dict[str, frozenset[Given]] = {}
        self._leaves: dict[Given, int] = {}
        self._recorded: dict[str, dict[str, Recorded]] = {}
        self._covered: set[tuple[str, str]] = set()

    def build(self) -> None:
        """All quantities: those that formulas can name, then those of each record that they cannot."""
        for entry in self.report.knowledge.entries.values():
            if entry.record is not None:
                self._recorded[entry.reference] = {
                    dotted(item.path): item.value for item in walk(entry.record) if item.what == "quantity"
                }
        for named in quantities(self.report):
            self.named(named)
        for reference in sorted(self._recorded):
            for field, recorded in self._recorded[reference].items():
                if (reference, field) not in self._covered:
                    self.unnamed(reference, field, recorded)

    def root(self, derivation: Derivation) -> str:
        """The id of a derivation whose dependencies are wanted."""
        kept = self.graph.add(derivation)
        self.roots[kept.id] = kept.rests_on
        return kept.id

    def dependencies(self) -> list[Row]:
        """What the derivations asked for so far rest on."""
        return [
            {"derivation": key, "quantity": number}
            for key in sorted(self.roots)
            for number in sorted({self._leaves[given] for given in self.roots[key] if given in self._leaves})
        ]

    def id(self, record: str, name: str, group: int | None = None) -> int | None:
        """The number of a quantity, ``None`` where the record has no such name."""
        return self.ids.get((record, name, group))

    # Rows

    def named(self, named: Named) -> None:
        """The row of a quantity that formulas can name."""
        row = self.empty(named.record, named.name, named.layer_group)
        meaning = named.meaning
        if isinstance(meaning, Stated):
            self.stated(row, meaning)
        elif isinstance(meaning, Formula):
            row |= {"basis": "derived", "formula": unparse(meaning.tree), "means": meaning.means or None}
            if meaning.field:
                self.origin(row, meaning.field)
            if meaning.stated is not None:
                row |= {"text": meaning.stated.given.text, "unit": _unit_text(meaning.stated.given.text)}
            elif meaning.unit is not None:
                row["unit"] = unit_name(meaning.unit) or "1"
        else:
            row |= {"field": meaning.field, "line": self.line(named.record, meaning.field)}
        if isinstance(named.result, Derivation):
            derivation = named.result
            row |= self.value(derivation.quantity, derivation.unit)
            row["derivation"] = self.root(derivation)
            row["means"] = row["means"] or derivation.means or None
        else:
            row |= {"basis": "unknown", "reason": _because(named)}
        self.keep(row)

    def unnamed(self, reference: str, field: str, recorded: Recorded) -> None:
        """The row of a quantity that no formula can name, or whose value cannot be read: called by its field."""
        row = self.empty(reference, field, None)
        row["basis"] = recorded.basis
        self.origin(row, field)
        preferred = _preferred(recorded)
        row |= {"text": preferred.value, "value_field": _value_field(field, recorded), "formula": recorded.from_}
        if preferred.value is not None:
            read = _read(preferred.value)
            if isinstance(read, FormulaError):
                row["reason"] = "; ".join(filter(None, (read.message, recorded.reason)))
            else:
                row |= {"unit": _unit_text(preferred.value), **self.value(*read)}
        self.keep(row)

    def empty(self, record: str, name: str, group: int | None) -> Row:
        return dict.fromkeys(_COLUMNS) | {
            "id": len(self.rows) + 1, "record": record, "name": name, "layer_group": group, "basis": "unknown", "claims": 0
        }  # fmt: skip

    def stated(self, row: Row, meaning: Stated) -> None:
        """What stands in the file for a recorded value."""
        given = meaning.given
        field = given.field.partition(".claims.")[0]
        self.origin(row, field)
        row |= {
            "basis": given.basis, "value_field": given.field, "text": given.text, "unit": _unit_text(given.text),
            "means": meaning.means or None, "source": self.source(given.source), "locator": given.at or None,
            "checked": given.checked or None, "reason": given.reason or None,
        }  # fmt: skip
        self._leaves.setdefault((row["record"], given.field), row["id"])
        if field not in self._recorded[row["record"]]:
            row["claims"] = 1
            self.claims.append(
                self.claim(row, 1, True, given.field, given.text, given.source, given.at, given.checked, None)
            )

    def origin(self, row: Row, field: str) -> None:
        """Where a quantity stands, and the claims that its record holds."""
        row |= {"field": field, "line": self.line(row["record"], field)}
        self._covered.add((row["record"], field))
        recorded = self._recorded[row["record"]].get(field)
        if recorded is None:
            return
        preferred = _preferred(recorded)
        row |= {
            "note": recorded.note, "reason": recorded.reason, "source": self.source(preferred.source),
            "locator": preferred.at, "checked": preferred.checked,
        }  # fmt: skip
        claims = self.claims_of(row, field, recorded)
        row["claims"] = len(claims)
        self.claims += claims

    def claims_of(self, row: Row, field: str, recorded: Recorded) -> list[Row]:
        """A quantity's claims, the preferred one first; a value with one source is one claim."""
        if recorded.claims is None:
            if recorded.value is None or recorded.source is None:
                return []
            return [
                self.claim(row, 1, True, field, recorded.value, recorded.source, recorded.at, recorded.checked, None)
            ]
        ranked = sorted(enumerate(recorded.claims), key=lambda c: (not c[1].preferred, c[0]))
        return [
            self.claim(
                row, rank, c.preferred, f"{field}.claims.{index}", c.value, c.source, c.at, c.checked, c.why
            )
            for rank, (index, c) in enumerate(ranked, 1)
        ]  # fmt: skip

    def claim(
        self, row: Row, rank: int, preferred: bool, field: str, text: str, source: str | None, locator: str | None,
        checked: str | None, why: str | None,
    ) -> Row:  # fmt: skip
        read = _read(text)
        value: Row = dict.fromkeys(("value_exact", "value_float", "dimension", "display"))
        if not isinstance(read, FormulaError):
            value = self.value(*read)
            value = {key: value[key] for key in ("value_exact", "value_float", "dimension", "display")}
        return {
            "quantity": row["id"], "rank": rank, "preferred": int(preferred), "field": field, "text": text, **value,
            "source": self.source(source), "locator": locator or None, "checked": checked or None, "why": why,
            "line": self.line(row["record"], field),
        }  # fmt: skip

    def value(self, quantity: Quantity, unit: Unit | None) -> Row:
        return {
            **value_columns(quantity), **bounds(quantity), "dimension": dimension_name(quantity.dimension),
            "display": display(quantity, unit),
        }  # fmt: skip

    def source(self, source: str | None) -> str | None:
        """The id of a source that has a record; a missing one is a finding of the check."""
        return source if source in self.sources else None

    def line(self, record: str, field: str) -> int:
        return self.report.knowledge.entries[record].document.place(path_of(field), key=True).line

    def keep(self, row: Row) -> None:
        self.rows.append(row)
        self.ids[row["record"], row["name"], row["layer_group"]] = row["id"]


_COLUMNS = (
    "id", "record", "name", "layer_group", "basis", "field", "value_field", "text", "unit", "value_exact", "low_exact",
    "high_exact", "value_float", "dimension", "display", "means", "formula", "source", "locator", "checked", "reason",
    "note", "claims", "line", "derivation",
)  # fmt: skip


def path_of(field: str) -> Path:
    """The path in a file of a dotted field."""
    return tuple(int(step) if step.isdigit() else step for step in field.split("."))


def _preferred(recorded: Recorded) -> Recorded | Claim:
    if recorded.claims is None:
        return recorded
    return next(c for c in recorded.claims if c.preferred)


def _value_field(field: str, recorded: Recorded) -> str | None:
    if recorded.claims is not None:
        return f"{field}.claims.{recorded.claims.index(next(c for c in recorded.claims if c.preferred))}"
    return field if recorded.value is not None else None


def _read(text: str) -> tuple[Quantity, Unit | None] | FormulaError:
    try:
        number, unit, _ = parse_quantity(text)
    except FormulaError as error:
        return error
    return Quantity.of(number, unit), unit


def _unit_text(text: str) -> str | None:
    """The unit as it is printed behind a number."""
    try:
        printed = parse_quantity(text)
    except FormulaError:
        return None
    return text.strip()[len(printed[2]) :].strip() or None


def _because(named: Named) -> str:
    if isinstance(named.meaning, Unknown):
        return named.meaning.why
    assert isinstance(named.result, FormulaError)
    return named.result.message
