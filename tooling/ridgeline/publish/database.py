"""The database, read once. Nothing here writes."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ridgeline.publish.content import Claim, Database, Derivation, Figure, Passage, Quantity, Record, Row, Step
from ridgeline.publish.merge import representatives

SCHEMA_VERSION = 1


class DatabaseError(Exception):
    """The database cannot be read, or is of another version than this program."""


#: Tables that belong to one record each, in the order of their rows.
_PARTS = {
    "accelerators": "record", "peaks": "ordinal", "on_chip": "ordinal", "links": "ordinal", "accepted": "ordinal",
    "architectures": "record", "ladder": "ordinal", "announced": "record", "lessons": "record", "statements": "ordinal", "models": "record",
    "layers": "ordinal", "ledger": "ordinal", "model_points": "ordinal", "formats": "record", "format_layouts": "rowid", "interconnects": "record",
    "classes": "record", "symbols": "ordinal", "properties": "ordinal", "scales_with": "ordinal",
    "workarounds": "ordinal", "measurements": "ordinal", "hardware_parameters": "ordinal", "hardware_values": "ordinal, position",
    "record_changes": "ordinal", "record_names": "id", "facts": "field",
}  # fmt: skip


def read(path: Path) -> Database:
    """Read the whole database. Raises :class:`DatabaseError` where that cannot be done."""
    if not path.is_file():
        raise DatabaseError(f"there is no database {path}: make one with `ridgeline load`")
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            connection.row_factory = sqlite3.Row
            return _read(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} cannot be read: {error}") from error


def _read(connection: sqlite3.Connection) -> Database:
    metadata = {str(r["key"]): str(r["value"]) for r in connection.execute("SELECT key, value FROM metadata")}
    if metadata.get("schema_version") != str(SCHEMA_VERSION):
        raise DatabaseError(
            f"the database has schema version {metadata.get('schema_version')}, this program reads {SCHEMA_VERSION}:"
            " make it again with `ridgeline load`"
        )
    database = Database(
        metadata=metadata,
        records=_records(connection),
        quantities=_quantities(connection),
        derivations=_derivations(connection),
        passages=_passages(connection),
        sources=_sources(connection),
        tables={table: _by_record(connection, table, order) for table, order in _PARTS.items()},
        crosschecks={r["derivation"]: dict(r) for r in connection.execute("SELECT * FROM crosschecks")},
    )
    formulas = connection.execute("SELECT * FROM formulas WHERE record IS NOT NULL ORDER BY ordinal, id")
    database.tables["formulas"] = _grouped(dict(r) for r in formulas)
    _merge(database)
    _index(database)
    return database


def _merge(database: Database) -> None:
    named = frozenset(q.derivation for q in database.quantities.values() if q.derivation)
    stands = representatives(database.derivations, named)
    database.derivations = {
        identity: replace(d, steps=tuple(Step(s.name, stands[s.child]) for s in d.steps))
        for identity, d in database.derivations.items()
        if stands[identity] == identity
    }
    database.quantities = {
        number: replace(q, derivation=stands.get(q.derivation or "")) for number, q in database.quantities.items()
    }
    database.passages = {
        key: replace(p, figures=tuple(replace(f, derivation=stands.get(f.derivation or "")) for f in p.figures))
        for key, p in database.passages.items()
    }
    checks: dict[str, Row] = {}
    for identity, row in database.crosschecks.items():
        checks.setdefault(stands[identity], row)
    database.crosschecks = checks
    for row in (
        r
        for table in ("ledger", "model_points", "measurements")
        for rows in database.tables[table].values()
        for r in rows
    ):
        cast(dict[str, Any], row)["derivation"] = stands.get(row["derivation"] or "")


def _grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["record"]].append(row)
    return dict(found)


def _by_record(connection: sqlite3.Connection, table: str, order: str) -> dict[str, list[Row]]:
    return _grouped(dict(r) for r in connection.execute(f"SELECT * FROM {table} ORDER BY record, {order}"))


def _records(connection: sqlite3.Connection) -> dict[str, Record]:
    query = "SELECT reference, kind, id, name, revision, status, path FROM records ORDER BY reference"
    return {r["reference"]: Record(*r) for r in connection.execute(query)}


def _quantities(connection: sqlite3.Connection) -> dict[int, Quantity]:
    claims: dict[int, list[Claim]] = defaultdict(list)
    for r in connection.execute("SELECT * FROM claims ORDER BY quantity, rank"):
        preferred = bool(r["preferred"])
        claim = Claim(preferred, r["field"], r["text"], r["source"], r["locator"], r["checked"], r["why"])
        claims[r["quantity"]].append(claim)
    return {
        r["id"]: Quantity(
            number=r["id"], record=r["record"], name=r["name"], group=r["layer_group"], basis=r["basis"],
            field=r["field"], value_field=r["value_field"], text=r["text"], exact=r["value_exact"], value=r["value_float"],
            dimension=r["dimension"], display=r["display"], means=r["means"], formula=r["formula"],
            source=r["source"], locator=r["locator"], checked=r["checked"], reason=r["reason"], note=r["note"],
            derivation=r["derivation"], claims=tuple(claims[r["id"]]),
        )
        for r in connection.execute("SELECT * FROM quantities ORDER BY id")
    }  # fmt: skip


def _derivations(connection: sqlite3.Connection) -> dict[str, Derivation]:
    steps: dict[str, list[Step]] = defaultdict(list)
    for r in connection.execute("SELECT parent, name, child FROM derivation_steps ORDER BY parent, ordinal"):
        steps[r["parent"]].append(Step(r["name"], r["child"]))
    return {
        r["id"]: Derivation(
            id=r["id"], label=r["label"], exact=r["value_exact"], low=r["low_exact"], high=r["high_exact"],
            value=r["value_float"], dimension=r["dimension"], display=r["display"], means=r["means"],
            record=r["record"], formula=r["formula"], mathml=r["mathml"], mathml_values=r["mathml_values"],
            given_record=r["given_record"], given_field=r["given_field"], steps=tuple(steps[r["id"]]),
        )
        for r in connection.execute("SELECT * FROM derivations ORDER BY id")
    }  # fmt: skip


def _passages(connection: sqlite3.Connection) -> dict[tuple[str, str], Passage]:
    figures: dict[int, list[Row]] = defaultdict(list)
    for r in connection.execute("SELECT * FROM figures ORDER BY passage, at, ordinal"):
        figures[r["passage"]].append(dict(r))
    found = {}
    for p in connection.execute("SELECT id, record, field, text FROM passages ORDER BY record, ordinal"):
        found[p["record"], p["field"]] = Passage(
            p["record"], p["field"], p["text"], tuple(_figure(f, p["field"]) for f in figures[p["id"]])
        )
    return found


def _figure(r: Row, where: str) -> Figure:
    return Figure(
        record=r["record"], field=where, ordinal=r["ordinal"], at=r["at"], length=r["length"], text=r["text"],
        status=r["status"], grade=r["grade"], holds=None if r["holds"] is None else bool(r["holds"]),
        expression=r["expression"], equation=r["equation"], derivation=r["derivation"],
        computed=r["computed_display"], because=r["because"], rule=r["rule"], reason=r["reason"],
        source=r["source"], locator=r["locator"], checked=r["checked"], waived=r["waived"],
    )  # fmt: skip


def _sources(connection: sqlite3.Connection) -> dict[str, Row]:
    authors: dict[str, list[str]] = defaultdict(list)
    for r in connection.execute("SELECT source, name FROM source_authors ORDER BY source, ordinal"):
        authors[r["source"]].append(r["name"])
    query = "SELECT * FROM sources ORDER BY id"
    return {r["id"]: {**dict(r), "authors": authors[r["id"]]} for r in connection.execute(query)}


def _index(database: Database) -> None:
    for q in database.quantities.values():
        database.of_record.setdefault(q.record, []).append(q)
        database.by_name[q.record, q.name, q.group] = q
        fields = [f for f in (q.value_field, q.field, *(c.field for c in q.claims)) if f]
        for where in dict.fromkeys(fields):
            database.by_field.setdefault((q.record, where), []).append(q)
        for source in dict.fromkeys(s for s in (q.source, *(c.source for c in q.claims)) if s):
            database.by_source.setdefault(source, []).append(q)
        if q.derivation:
            database.named.setdefault(q.derivation, []).append(q)
    for d in database.derivations.values():
        for step in d.steps:
            parents = database.parents.setdefault(step.child, [])
            if d.id not in parents:
                parents.append(d.id)
    for passage in database.passages.values():
        database.passages_of.setdefault(passage.record, []).append(passage)
    for figure in database.figures():
        if figure.source and figure.status == "cited":
            database.cited.setdefault(figure.source, []).append(figure)
        if figure.derivation:
            database.figures_of.setdefault(figure.derivation, []).append(figure)
