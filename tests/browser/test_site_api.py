"""The built site's files for programs: they say what the shipped database says, and every old id answers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def test_every_value_of_the_shipped_database_stands_in_the_api(site: Path) -> None:
    with closing(sqlite3.connect(site / "data" / "ridgeline.sqlite")) as connection:
        query = "SELECT record, name, layer_group, text, value_exact, dimension, display FROM quantities ORDER BY id"
        expected: dict[str, list[Any]] = {}
        for record, *value in connection.execute(query):
            expected.setdefault(record, []).append(tuple(value))
        references = [r for (r,) in connection.execute("SELECT reference FROM records")]
    assert sum(map(len, expected.values())) > 5_000
    for reference in references:
        document = json.loads((site / "api/v1" / f"{reference}.json").read_bytes())
        found = [
            (q["name"], q["layer_group"], q.get("printed", {}).get("text"), q["value"], q["unit"], q["display"])
            for q in document["quantities"]
        ]
        assert found == expected.get(reference, []), reference


def test_every_old_id_answers_on_page_and_api(site: Path) -> None:
    with closing(sqlite3.connect(site / "data" / "ridgeline.sqlite")) as connection:
        renamed = connection.execute("SELECT record, name FROM record_names WHERE role = 'formerly'").fetchall()
    assert renamed
    for record, old in renamed:
        address = f"{record.partition('/')[0]}/{old}"
        document = json.loads((site / "api/v1" / f"{address}.json").read_bytes())
        assert document["reference"] == record and old in document["formerly"]
        page = (site / address / "index.html").read_text(encoding="utf-8")
        assert f'href="../{record.partition("/")[2]}/"' in page
