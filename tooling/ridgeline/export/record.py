"""One record with all that is known of its numbers, as the value that its JSON file is written from.

The shape is ``schema/output/record.v1.schema.json``. A key whose value would be NULL is left out, but for those that the
schema requires: ``value`` is null where nobody knows the value, never zero.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ridgeline.export.snapshot import Row, Snapshot, Table, finite

SCHEMA = "record/1"
#: Tables that have their own place in the shape; all others with a column ``record`` stand under ``tables``.
_PLACED = frozenset({
    "records", "record_names", "record_changes", "record_links", "facts", "sources", "quantities", "derivations",
    "passages", "figures", "conclusions", "findings",
})  # fmt: skip
_SOURCE = (
    "id",
    "title",
    "publisher",
    "kind",
    "url",
    "published",
    "retrieved",
    "version",
    "licence",
    "superseded_by",
    "note",
)


class Records:
    """Writes the values of records. Everything is read once, when the object is made."""

    def __init__(self, snapshot: Snapshot):
        self.snapshot = snapshot
        self._names = snapshot.by_record("record_names")
        self._changes = snapshot.by_record("record_changes")
        self._links = snapshot.by_record("record_links")
        self._facts = snapshot.by_record("facts")
        self._passages = snapshot.by_record("passages", ("record", "ordinal"))
        self._conclusions = snapshot.by_record("conclusions")
        self.quantities = snapshot.by_record("quantities")
        self._figures = _grouped(snapshot.rows("figures"), "passage")
        self._claims = _grouped(snapshot.rows("claims"), "quantity")
        self._derivations = {row["id"]: row for row in snapshot.rows("derivations")}
        self._steps = _grouped(snapshot.rows("derivation_steps"), "parent")
        self._sources = {row["id"]: row for row in snapshot.rows("sources")}
        self._authors = _grouped(snapshot.rows("source_authors"), "source")
        self._name_of = {q["id"]: quantity_name(q) for rows in self.quantities.values() for q in rows}
        self._given = self._origins()
        self._supports = self._supported()
        parts = [t for t in snapshot.tables.values() if "record" in t.names and t.name not in _PLACED]
        self._parts = [(table, snapshot.by_record(table.name)) for table in parts]

    def _origins(self) -> dict[tuple[str, str], Row]:
        """Where a leaf of a derivation is from: the quantity or claim whose value stands at a record's field."""
        found: dict[tuple[str, str], Row] = {}
        for record, rows in self.quantities.items():
            for q in rows:
                for row, where in ((q, q["value_field"]), *((c, c["field"]) for c in self._claims.get(q["id"], ()))):
                    if where:
                        found.setdefault((record, where), {**row, "name": q["name"]})
        return found

    def _supported(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = defaultdict(list)
        for record, rows in sorted(self.quantities.items()):
            for q in rows:
                claimed = [c["source"] for c in self._claims.get(q["id"], ())]
                for source in dict.fromkeys(s for s in (q["source"], *claimed) if s):
                    found[source].append({"record": record, "quantity": quantity_name(q)})
        return found

    def head(self, reference: str) -> Row:
        """What lists say of a record too."""
        row = self.snapshot.records[reference]
        named = self._names.get(reference, [])
        return {
            "reference": reference, "kind": row["kind"], "id": row["id"], "name": row["name"],
            "also_called": [n["name"] for n in named if n["role"] == "also-called"],
            "formerly": [n["name"] for n in named if n["role"] == "formerly"],
            "status": row["status"], "revision": row["revision"],
        }  # fmt: skip

    def record(self, reference: str) -> Row:
        """Everything about one record, in the order in which its file has it."""
        row = self.snapshot.records[reference]
        passages = self._passages.get(reference, [])
        figures = [f for p in passages for f in self._figures.get(p["id"], [])]
        quantities = self.quantities.get(reference, [])
        conclusions = self._conclusions.get(reference, [])
        tables = {table.name: self._part(table, rows[reference]) for table, rows in self._parts if reference in rows}
        roots = [r["derivation"] for rows in (quantities, figures, *tables.values()) for r in rows if "derivation" in r]
        roots += [c[side] for c in conclusions for side in ("left_side", "right_side")]
        derivations = [self._derivation(d) for d in self._closure(roots)]
        found: Row = {
            "schema": SCHEMA, **self.head(reference), "record_schema": row["schema"], "path": row["path"],
            "history": [_without(c, "record", "ordinal") for c in self._changes.get(reference, [])],
            "facts": [_fact(f) for f in self._facts.get(reference, [])],
            "quantities": [self._quantity(q) for q in quantities],
            "derivations": derivations,
            "prose": [self._passage(p) for p in passages],
            "conclusions": [_conclusion(c, passages) for c in conclusions],
            "tables": tables,
            "links": [_without(r, "id", "record") for r in self._links.get(reference, [])],
        }  # fmt: skip
        used = sorted(_source_ids(found))
        found["sources"] = [self._source(s) for s in used if s in self._sources]
        if row["kind"] == "source":
            found["document"] = self._source(row["id"])
            found["supports"] = self._supports.get(row["id"], [])
        found["authored"] = json.loads(row["body"])
        return found

    def _quantity(self, q: Row) -> Row:
        found = {
            "name": q["name"], "layer_group": q["layer_group"], "basis": q["basis"], **_value(q, q["dimension"]),
            "display": q["display"],
        }  # fmt: skip
        printed = None if q["text"] is None else _present({"text": q["text"], "unit": q["unit"]})
        rest = {
            "printed": printed, "means": q["means"], "formula": q["formula"], "source": _origin(q),
            "reason": q["reason"], "note": q["note"], "field": q["field"], "value_field": q["value_field"],
            "line": q["line"], "derivation": q["derivation"],
            "claims": [_claim(c) for c in self._claims.get(q["id"], [])] or None,
        }  # fmt: skip
        return {**found, **_present(rest)}

    def _closure(self, roots: Iterable[str | None]) -> list[str]:
        """All derivations that some rest on, and these, sorted by id."""
        seen: set[str] = set()
        stack = [r for r in roots if r]
        while stack:
            current = stack.pop()
            if current not in seen:
                seen.add(current)
                stack.extend(step["child"] for step in self._steps.get(current, ()))
        return sorted(seen)

    def _derivation(self, identity: str) -> Row:
        d = self._derivations[identity]
        found = {"id": identity, "label": d["label"], **_value(d, d["dimension"]), "display": d["display"]}
        given = None
        if d["given_record"] is not None:
            origin = self._given.get((d["given_record"], d["given_field"] or ""), {})
            given = _present({
                "record": d["given_record"], "field": d["given_field"], "quantity": origin.get("name"),
                "text": origin.get("text"), "source": _origin(origin) if origin else None,
            })  # fmt: skip
        steps = [{"name": s["name"], "derivation": s["child"]} for s in self._steps.get(identity, ())]
        rest = {
            "means": d["means"], "record": d["record"], "formula": d["formula"], "inputs": steps or None, "given": given,
        }  # fmt: skip
        return {**found, **_present(rest)}

    def _passage(self, p: Row) -> Row:
        figures = [_figure(f) for f in self._figures.get(p["id"], [])]
        return {"field": p["field"], "text": p["text"], "line": p["line"], "column": p["col"], "figures": figures}

    def _part(self, table: Table, rows: list[Row]) -> list[Row]:
        """Rows of a table of one kind of record: a quantity is named, for its number means nothing outside the database."""
        named = {c.name for c in table.columns if c.target == "quantities"}
        keys = [c for c in table.names if c != "record" and not (c == "id" and table.key == ("id",))]
        return [
            {c: self._name_of.get(row[c]) if c in named else _plain(row[c]) for c in keys} for row in rows
        ]  # fmt: skip

    def _source(self, identity: str) -> Row:
        row = self._sources[identity]
        authors = [a["name"] for a in self._authors.get(identity, [])]
        return _present({**{c: row[c] for c in _SOURCE}, "authors": authors or None})


def quantity_name(q: Row) -> str:
    """A quantity's name within its record, with the number of its layer group where it has one: its anchor on the page."""
    return str(q["name"]) if q["layer_group"] is None else f"{q['name']}.{q['layer_group']}"


def _value(row: Row, unit: str | None) -> Row:
    """The exact value as text, the nearest double and the base unit; ends of an interval where no exact value is known."""
    found: Row = {"value": row["value_exact"], "decimal": finite(row["value_float"]), "unit": unit}
    if row.get("low_exact") is not None or row.get("high_exact") is not None:
        found |= {"low": row["low_exact"], "high": row["high_exact"]}
    return found


def _origin(row: Row) -> Row | None:
    if row["source"] is None:
        return None
    return {"id": row["source"], "locator": row["locator"], "checked": row["checked"]}


def _claim(c: Row) -> Row:
    found = {"preferred": bool(c["preferred"]), "text": c["text"], **_value(c, c["dimension"]), "display": c["display"]}
    return {**found, **_present({"source": _origin(c), "why": c["why"], "field": c["field"], "line": c["line"]})}


def _fact(f: Row) -> Row:
    found = {"field": f["field"], "text": f["text"], "line": f["line"]}
    return {**found, **_present({"source": _origin(f), "reason": f["reason"]})}


def _figure(f: Row) -> Row:
    found: Row = {
        "text": f["text"], "at": f["at"], "length": f["length"], "line": f["line"], "column": f["col"],
        "status": f["status"],
    }  # fmt: skip
    interval = None
    if f["low_exact"] is not None or f["high_exact"] is not None:
        interval = {
            "low": f["low_exact"], "high": f["high_exact"], "low_closed": bool(f["low_closed"]),
            "high_closed": bool(f["high_closed"]),
        }  # fmt: skip
    computed = {
        "value": f["computed_exact"], "decimal": finite(f["computed_float"]), "display": f["computed_display"],
    }  # fmt: skip
    printed = {"value": f["value_exact"], "decimal": finite(f["value_float"]), "unit": f["base_unit"]}
    rest = {
        "grade": f["grade"], "holds": None if f["holds"] is None else bool(f["holds"]), "level": f["level"],
        "kind": f["kind"], "comparator": f["comparator"], "unit": f["unit"], "printed": _present(printed) or None,
        "interval": interval, "expression": f["expression"], "equation": f["equation"],
        "computed": _present(computed) or None, "derivation": f["derivation"], "because": f["because"],
        "rule": f["rule"], "reason": f["reason"], "source": _origin(f), "waived": f["waived"],
    }  # fmt: skip
    return {**found, **_present(rest)}


def _conclusion(c: Row, passages: list[Row]) -> Row:
    field = next((p["field"] for p in passages if p["id"] == c["passage"]), "")
    left, right = (
        _present({"display": c[f"{side}_display"], "derivation": c[f"{side}_side"]}) for side in ("left", "right")
    )
    waived = {} if c["waived"] is None else {"waived": c["waived"]}
    return {
        "field": field, "text": c["text"], "at": c["at"], "length": c["length"], "line": c["line"], "column": c["col"],
        "claim": c["claim"], "relation": c["relation"], "left": left, "right": right, "holds": bool(c["holds"]), **waived,
    }  # fmt: skip


def _source_ids(value: Any) -> set[str]:
    """The ids of all sources that a record's value names: ``source: {id}``, or a column ``source`` of a table."""
    found: set[str] = set()
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(current)
        elif isinstance(current, dict):
            source = current.get("source")
            if isinstance(source, str):
                found.add(source)
            elif isinstance(source, dict):
                found.add(source["id"])
            stack.extend(v for v in current.values() if isinstance(v, dict | list))
    return found


def _grouped(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    found: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[column]].append(row)
    return found


def _present(values: Row) -> Row:
    return {key: value for key, value in values.items() if value is not None}


def _without(row: Row, *columns: str) -> Row:
    return {key: value for key, value in row.items() if key not in columns}


def _plain(value: Any) -> Any:
    return finite(value) if isinstance(value, float) else value
