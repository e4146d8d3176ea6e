"""The loaded database as an export reads it: whole tables in a stable order, and the rows of each record."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ridgeline.export.errors import ExportError

#: The version of the tables that this program reads.
SCHEMA_VERSION = "1"
Row = dict[str, Any]
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_REFERENCE = re.compile(r"[a-z][a-z-]{0,63}/[a-z0-9][a-z0-9._-]{0,199}\Z")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in SQLite (``TEXT``, ``INTEGER``, ``REAL``), and the table whose key it holds."""

    name: str
    type: str
    target: str | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the database, and the columns of its key."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)


class Snapshot:
    """Everything in one database file. Rows come in the order of their keys, so two readings are equal."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        self.metadata: dict[str, str] = dict(connection.execute("SELECT key, value FROM metadata ORDER BY key"))
        found = self.metadata.get("schema_version")
        if found != SCHEMA_VERSION:
            raise ExportError(
                f"the database has schema version {found}, this program reads {SCHEMA_VERSION}:"
                " make it again with `ridgeline load`"
            )
        self.tables = {table.name: table for table in self._tables()}

    def _tables(self) -> Iterator[Table]:
        listed = self._connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
        )
        for (name,) in listed.fetchall():
            if name.startswith("sqlite_"):
                continue
            if not _NAME.match(name):
                raise ExportError(f"a table is called {name!r}: this is no database of `ridgeline load`")
            keys = self._connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
            target = {row[3]: row[2] for row in keys}
            info = self._connection.execute(f"PRAGMA table_info({name})").fetchall()
            key = tuple(row[1] for row in sorted((r for r in info if r[5]), key=lambda r: r[5]))
            yield Table(name, tuple(Column(row[1], row[2], target.get(row[1])) for row in info), key)

    def raw(self, table: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a table, sorted by its key."""
        meta = self.tables[table]
        columns = ", ".join(f'"{name}"' for name in meta.names)
        order = ", ".join(f'"{name}"' for name in meta.key) or "rowid"
        return iter(self._connection.execute(f'SELECT {columns} FROM "{table}" ORDER BY {order}'))

    def rows(self, table: str) -> list[Row]:
        """The rows of a table by column; a table that this database lacks has none."""
        if table not in self.tables:
            return []
        names = self.tables[table].names
        return [dict(zip(names, row, strict=True)) for row in self.raw(table)]

    @cached_property
    def records(self) -> dict[str, Row]:
        """The records by reference. A reference becomes a file's name, so one that could lead elsewhere is refused."""
        found = {row["reference"]: row for row in self.rows("records")}
        for reference in found:
            if not _REFERENCE.match(reference):
                raise ExportError(f"a record is called {reference!r}, which is no name for a file")
        return found

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Old reference → reference, for ids that a record had before. An id in use is never an old one."""
        found: dict[str, str] = {}
        for row in self.rows("record_names"):
            old = f"{row['record'].partition('/')[0]}/{row['name']}"
            if row["role"] == "formerly" and old not in self.records and _REFERENCE.match(old):
                found.setdefault(old, row["record"])
        return dict(sorted(found.items()))

    @cached_property
    def kinds(self) -> dict[str, list[Row]]:
        """The records of each folder (``accelerators``), sorted by id."""
        found: dict[str, list[Row]] = defaultdict(list)
        for reference, row in self.records.items():
            found[reference.partition("/")[0]].append(row)
        return dict(sorted(found.items()))

    def by_record(self, table: str, order: tuple[str, ...] = ()) -> dict[str, list[Row]]:
        """The rows of a table that belong to each record, in the order of their keys or of ``order``."""
        found: dict[str, list[Row]] = defaultdict(list)
        rows = self.rows(table)
        if order:
            rows.sort(key=lambda row: tuple(row[c] for c in order))
        for row in rows:
            if row["record"] is not None:
                found[row["record"]].append(row)
        return found


@contextmanager
def opened(path: Path) -> Iterator[Snapshot]:
    """Open a database for reading. Raises :class:`ExportError` where it is missing or is something else."""
    if not path.is_file():
        raise ExportError(f"there is no database {path}: write it with `ridgeline load`")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            # One transaction: whoever loads meanwhile does not change what is read.
            connection.execute("BEGIN")
            yield Snapshot(connection)
    except sqlite3.Error as error:
        raise ExportError(f"{path} cannot be read: {error}") from error


def finite(value: float | None) -> float | None:
    """A double that JSON can say."""
    return value if value is not None and math.isfinite(value) else None
