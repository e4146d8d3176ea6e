"""The lower bounds: work that no checker, loader or site generator on the same libraries can leave out."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path


def drain(paths: Iterable[Path]) -> int:
    """E: read each file and take all events of libyaml's C parser into Python; returns how many there were."""
    from yaml.cyaml import CParser

    events = 0
    for path in paths:
        parser = CParser(path.read_bytes())
        while parser.get_event() is not None:
            events += 1
    return events


def interpreter() -> float:
    """P: seconds of ``python -c pass``, in the environment that the command runs in."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - start


Rows = dict[str, tuple[str, Sequence[tuple[object, ...]]]]

_INTERNAL = re.compile(r"^sqlite_|_(?:data|idx|content|docsize|config)$")


def rows_of(database: Path) -> Rows:
    """Each plain table of a database: the statement that makes it, and all its rows."""
    found: Rows = {}
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        schema = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
        for name, statement in schema.fetchall():
            if statement and not _INTERNAL.search(name) and not statement.upper().startswith("CREATE VIRTUAL"):
                found[name] = (statement, connection.execute(f'SELECT * FROM "{name}"').fetchall())
    return found


def named(database: Path, rows: Rows) -> dict[str, list[dict[str, object]]]:
    """The same rows with the names of their columns."""
    found: dict[str, list[dict[str, object]]] = {}
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        for name, (_, values) in rows.items():
            columns = [column for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))]
            found[name] = [dict(zip(columns, row, strict=True)) for row in values]
    return found


def insert(rows: Rows, database: Path) -> None:
    """``executemany`` of the rows into the same tables of a fresh file: no indexes, no text search, no foreign keys."""
    database.unlink(missing_ok=True)
    with closing(sqlite3.connect(database)) as connection:
        for name, (statement, values) in rows.items():
            connection.execute(statement)
            if values:
                marks = ", ".join("?" * len(values[0]))
                connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', values)
        connection.commit()


def convert(texts: Iterable[str], extensions: Sequence[str], options: dict[str, dict[str, object]]) -> int:
    """Markdown to HTML with the site's extensions and nothing else; returns the number of characters written."""
    from markdown import Markdown

    written = 0
    for text in texts:
        written += len(Markdown(extensions=list(extensions), extension_configs=options).convert(text))
    return written


_DIGITS = re.compile(r"\d[\d.,]*")


def digits(texts: Iterable[str]) -> int:
    """Find runs of digits with one regular expression: what reading numerals costs before any of it is understood."""
    return sum(len(_DIGITS.findall(text)) for text in texts)
