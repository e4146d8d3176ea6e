"""The JSON files of an export: a file a record, a list a kind, an index, the codes and everything in one file.

The site's API is these files.
"""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.export.changes import Changes, document
from ridgeline.export.jsontext import text
from ridgeline.export.record import Records, quantity_name
from ridgeline.export.snapshot import Row, Snapshot

INDEX, LIST, DUMP, CODES, CHANGES = "index/1", "list/1", "dump/1", "codes/1", "changes/1"


def documents(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Path and text of each file, sorted by path within each sort of file."""
    records = Records(snapshot)
    about = _about(snapshot)
    whole: list[str] = []
    for folder, rows in snapshot.kinds.items():
        yield f"{folder}.json", text(_list(records, folder, rows, about))
        for row in rows:
            written = text(records.record(row["reference"]))
            whole.append(written.rstrip("\n"))
            yield f"{row['reference']}.json", written
    yield "index.json", text(_index(snapshot, about))
    changes = document(Changes(snapshot).all)
    yield "changes.json", text({"schema": CHANGES, **about, "changes": changes})
    yield "codes.json", text(_codes(snapshot, about))
    # The records are not encoded a second time: each stands in the dump as in its own file.
    head = text({"schema": DUMP, **about}).removesuffix("\n}\n")
    yield "all.json", head + ',\n"records":[\n' + ",\n".join(whole) + "\n]\n}\n"


def _about(snapshot: Snapshot) -> Row:
    """Which data this is. It stands in the lists and not in the records, whose files change only with what they say."""
    return {"about": {k: v for k, v in snapshot.metadata.items() if k != "schema_version"}}


def _index(snapshot: Snapshot, about: Row) -> Row:
    kinds = [
        {"kind": rows[0]["kind"], "folder": folder, "records": len(rows), "list": f"{folder}.json"}
        for folder, rows in snapshot.kinds.items()
    ]
    entries = [
        {"reference": r["reference"], "name": r["name"], "file": f"{r['reference']}.json"}
        for rows in snapshot.kinds.values() for r in rows
    ]  # fmt: skip
    renamed = [{"was": old, "is": new, "file": f"{new}.json"} for old, new in snapshot.renamed.items()]
    return {
        "schema": INDEX, **about, "files": {"everything": "all.json", "changes": "changes.json", "codes": "codes.json"}, "kinds": kinds,
        "records": entries, "renamed": renamed,
    }  # fmt: skip


def _list(records: Records, folder: str, rows: list[Row], about: Row) -> Row:
    """The records of a kind, each with its head and the values of its quantities."""
    entries = []
    for row in rows:
        quantities = {
            quantity_name(q): {
                "value": q["value_exact"],
                "unit": q["dimension"],
                "display": q["display"],
                "basis": q["basis"],
            }
            for q in records.quantities.get(row["reference"], [])
        }
        head = records.head(row["reference"])
        entries.append({**head, "file": f"{row['reference']}.json", "quantities": quantities})
    return {"schema": LIST, **about, "kind": rows[0]["kind"], "folder": folder, "records": entries}


def _codes(snapshot: Snapshot, about: Row) -> Row:
    """What each status, grade, basis and unit means, by the key that holds it."""
    found: Row = {}
    for row in snapshot.rows("codes"):
        found.setdefault(row["area"], {})[row["code"]] = row["means"]
    return {"schema": CODES, **about, "codes": found}
