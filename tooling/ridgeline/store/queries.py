"""Questions to an SQLite file: named views and read-only SQL, bounded in time, memory and size.

Imports no SQLAlchemy: a question must be answered faster than that is imported.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import quote

from ridgeline.store.views import BY_NAME, VIEWS

Value = None | int | float | str | bytes
Parameters = Sequence[Value] | Mapping[str, Value]

MAX_ROWS = 10_000
MAX_BYTES = 64_000_000  # of all values of an answer
MAX_SECONDS = 10.0
MAX_STEPS = 50_000_000  # instructions of SQLite's machine
_STEPS_A_CALL = 10_000
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 8_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_PRAGMAS = frozenset({"data_version", "table_info", "table_xinfo", "table_list", "index_list", "index_info",
                      "index_xinfo", "foreign_key_list"})  # fmt: skip
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


class QueryError(Exception):
    """A question that cannot be answered. ``candidates`` holds near matches of a name that does not exist."""

    def __init__(self, message: str, candidates: Sequence[str] = ()):
        self.message = message
        self.candidates = tuple(candidates)
        hint = f"; did you mean {' or '.join(self.candidates)}?" if self.candidates else ""
        super().__init__(message + hint)


@dataclass(frozen=True)
class Answer:
    """Columns and rows. ``truncated``: there were more rows than the limit."""

    columns: list[str]
    rows: list[dict[str, Value]]
    truncated: bool = False

    def as_json(self) -> dict[str, object]:
        """The stable shape ``{columns, rows}``, with ``truncated`` only where rows are missing."""
        shape: dict[str, object] = {"columns": self.columns, "rows": self.rows}
        return {**shape, "truncated": True} if self.truncated else shape


def query(
    path: str | Path, question: str, parameters: Parameters = (), *, max_rows: int = MAX_ROWS,
    max_seconds: float = MAX_SECONDS, max_steps: int = MAX_STEPS,
) -> Answer:  # fmt: skip
    """Answer a named view (``two-routes``), the rows of a table (``codes``), or one ``SELECT`` with its parameters.

    The file is opened for reading only, and only reading is allowed. Raises :class:`QueryError`.
    """
    with closing(_open(Path(path))) as connection:
        statement = _statement(connection, question.strip())
        guard = _Guard(max_steps, max_seconds)
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(guard, _STEPS_A_CALL)
        try:
            cursor = connection.execute(statement, parameters)
            if cursor.description is None:
                raise QueryError("this is no question: begin with SELECT, or give the name of a view")
            return _answer(cursor, max_rows)
        except sqlite3.Error as error:
            if guard.because:
                raise QueryError(guard.because) from None
            connection.set_progress_handler(None, 0)
            connection.set_authorizer(None)
            raise _explained(connection, str(error)) from None
        except (OverflowError, sqlite3.Warning) as error:
            raise QueryError(str(error)) from None


def views() -> list[dict[str, str]]:
    """The named views: name, relation in the database, and what they answer."""
    return [{"name": v.name, "relation": v.relation, "means": v.means} for v in VIEWS]


class _Guard:
    """Stops a question that runs for too many steps or too long."""

    def __init__(self, steps: int, seconds: float):
        self.left = steps
        self.steps = steps
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.because = ""

    def __call__(self) -> int:
        self.left -= _STEPS_A_CALL
        if self.left < 0:
            self.because = f"stopped after {self.steps:,} steps: ask for less, or add a WHERE"
        elif time.monotonic() > self.end:
            self.because = f"stopped after {self.seconds:g} seconds: ask for less, or add a WHERE"
        return int(bool(self.because))


def _open(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise QueryError(f"there is no database {path}: write it with `ridgeline load`")
    connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise QueryError(f"{path} is no SQLite database: {error}") from None
    for limit, value in _LIMITS.items():
        connection.setlimit(limit, value)
    return connection


def _authorize(action: int, first: str | None, second: str | None, database: str | None, inner: str | None) -> int:
    """Reading, and functions that only compute. ``PRAGMA`` only where it describes the schema."""
    if action in _ALLOWED:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and second != "load_extension":
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS:
        return sqlite3.SQLITE_OK
    # A virtual table declares its columns so when it is first read; the file itself is open for reading only.
    if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _statement(connection: sqlite3.Connection, question: str) -> str:
    """The SQL of a question; a single word is a view or a table."""
    if not question:
        raise QueryError(f"ask something: a view ({', '.join(BY_NAME)}) or a SELECT")
    if not _WORD.match(question):
        return question
    view = BY_NAME.get(question.lower().replace("_", "-"))
    relations = _relations(connection)
    if view is not None and view.relation in relations:
        return f"SELECT * FROM {view.relation}"
    if question in relations:
        return f'SELECT * FROM "{question}"'
    raise QueryError(f"there is no view or table {question}", _near(question, [*BY_NAME, *relations]))


def _answer(cursor: sqlite3.Cursor, max_rows: int) -> Answer:
    columns = _distinct([d[0] for d in cursor.description])
    rows: list[dict[str, Value]] = []
    size = 0
    for values in cursor:
        if len(rows) == max_rows:
            return Answer(columns, rows, truncated=True)
        size += sum(len(v) if isinstance(v, str | bytes) else 8 for v in values)
        if size > MAX_BYTES:
            raise QueryError(f"the answer is longer than {MAX_BYTES:,} bytes: ask for fewer columns or rows")
        rows.append({c: v.hex() if isinstance(v, bytes) else v for c, v in zip(columns, values, strict=True)})
    return Answer(columns, rows)


def _distinct(names: list[str]) -> list[str]:
    """Column names, each different from the others: a second ``value`` is ``value:2``."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}:{seen[name]}")
    return found


# Errors


def _explained(connection: sqlite3.Connection, message: str) -> QueryError:
    """What SQLite says, with near matches where a name does not exist."""
    if "not authorized" in message or "prohibited" in message or "readonly" in message:
        return QueryError(f"only reading is allowed here ({message})")
    if missing := re.search(r"no such table: (\S+)", message):
        name = missing.group(1)
        return QueryError(f"there is no table {name}", _near(name, _relations(connection)))
    if missing := re.search(r"no such column: (\S+)", message):
        name = missing.group(1).rpartition(".")[2]
        return QueryError(f"there is no column {missing.group(1)}", _near(name, _columns(connection)))
    return QueryError(message)


def _relations(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
    return [name for (name,) in rows]


def _columns(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT DISTINCT c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type IN ('table', 'view')"
    )
    return sorted(name for (name,) in rows)


def _near(word: str, known: Sequence[str]) -> list[str]:
    return get_close_matches(word, sorted(set(known)), 3, 0.6)
