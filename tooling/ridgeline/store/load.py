"""From a report to a database: collect all rows, write them in one transaction, compute every formula again in SQL."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateIndex, CreateTable

import ridgeline
from ridgeline.check import Report
from ridgeline.findings.finding import Finding, Place
from ridgeline.formulas.writers.sql import Dialect
from ridgeline.store import kinds
from ridgeline.store.codes import CODES
from ridgeline.store.crosscheck import CrossCheck, crosscheck
from ridgeline.store.derivations import Graph, Row
from ridgeline.store.devices import devices
from ridgeline.store.heads import Tables, heads
from ridgeline.store.points import points
from ridgeline.store.prose import Prose, finding_rows
from ridgeline.store.tables import SCHEMA_VERSION, Base
from ridgeline.store.values import Quantities
from ridgeline.store.views import VIEWS
from ridgeline.store.workloads import workloads
from ridgeline.text.beside import contents, edition

#: ``RIDG``: tells the file from any other SQLite database.
APPLICATION_ID = 0x52494447
_PAGE_SIZE = 4096
#: External-content full-text indexes of the SQLite file: table → (content table, column).
SEARCH = {"passage_search": ("passages", "text"), "name_search": ("record_names", "name")}

assert kinds.Accelerator.__table__ is not None  # the tables of single kinds belong to the same mapping


class LoadError(Exception):
    """The database cannot be written; the message says why, and the old one is untouched."""


@dataclass(frozen=True)
class LoadResult:
    """Where the database is, how many rows each table has, and what the second computation in SQL found."""

    path: str
    counts: dict[str, int]
    cross_check: CrossCheck

    @property
    def agrees(self) -> bool:
        """Whether SQL came to the same value everywhere."""
        return not self.cross_check.findings

    def summary(self) -> str:
        """Two lines for people: where the database is, and what the second computation found."""
        check = self.cross_check
        rest = sum(check.not_expressible.values())
        return (
            f"database: {sum(self.counts.values()):,} rows in {self.path}\n"
            f"recomputed in SQL: {check.agreed:,} of {check.checked:,} values agree ({rest:,} have no SQL form)"
        )


@dataclass
class Collected:
    """All rows of a report, by table. ``places`` says where each derivation is used."""

    tables: Tables
    findings: list[Finding]
    places: dict[str, tuple[Place, str, str]]


@dataclass(frozen=True)
class Written:
    """How many rows each table got, and the outcome of the second computation."""

    counts: dict[str, int]
    cross_check: CrossCheck


def load(report: Report, target: str | Path, about: Mapping[str, str] | None = None) -> LoadResult:
    """Write everything that a report knows into a database.

    ``target`` is the path of an SQLite file, which is replaced as a whole when all is written, or an SQLAlchemy URL.
    ``about`` goes into ``metadata`` (``commit``, ``licence``). Same report, same bytes: the only date is that of
    ``SOURCE_DATE_EPOCH``. Raises :class:`LoadError`.
    """
    url = _url(target)
    if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
        assert url.database is not None
        return _load_file(report, Path(url.database), about or {})
    dialect = Dialect.POSTGRESQL if url.get_backend_name() == "postgresql" else Dialect.SQLITE_MATH
    collected = collect(report, about or {}, dialect)
    try:
        engine = create_engine(url, poolclass=NullPool)
        with engine.begin() as connection:
            _clear(connection)
            written = write(connection, collected)
    except (SQLAlchemyError, ImportError) as error:
        raise LoadError(f"{url.render_as_string()}: {str(error).splitlines()[0]}") from error
    return LoadResult(url.render_as_string(), written.counts, written.cross_check)


def _url(target: str | Path) -> URL:
    if isinstance(target, str) and "://" in target:
        try:
            return make_url(target)
        except SQLAlchemyError as error:
            raise LoadError(f"{target} is no database URL: {error}") from error
    return URL.create("sqlite", database=str(target))


def _load_file(report: Report, path: Path, about: Mapping[str, str]) -> LoadResult:
    """Write beside, then rename: whoever reads the old file keeps reading it, and a failure leaves it alone."""
    collected = collect(report, about, Dialect.SQLITE_MATH)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh_file(beside) as connection:
            written = write(connection, collected)
        _sync(beside)
        os.replace(beside, path)
        _sync(path.parent)
    except (SQLAlchemyError, OSError) as error:
        raise LoadError(f"{path} is not written: {str(error).splitlines()[0]}") from error
    finally:
        with suppress(OSError):
            beside.unlink()
    return LoadResult(str(path), written.counts, written.cross_check)


@contextmanager
def fresh_file(path: Path) -> Iterator[Connection]:
    """A transaction on a new SQLite file, which replaces what stood there at once; committed at the end."""
    path.unlink(missing_ok=True)
    engine = _file_engine(path)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def _file_engine(path: Path) -> Engine:
    """An engine on a new file. Nothing needs a journal: nobody sees the file before it is whole."""
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def connect(connection: object, _: object) -> None:
        # The driver's own transactions would end before each CREATE TABLE.
        connection.isolation_level = None  # type: ignore[attr-defined]
        for pragma in (
            f"page_size = {_PAGE_SIZE}", "encoding = 'UTF-8'", "journal_mode = OFF", "synchronous = OFF",
            "foreign_keys = ON", f"application_id = {APPLICATION_ID}", f"user_version = {SCHEMA_VERSION}",
            "cache_size = -64000",
        ):  # fmt: skip
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _clear(connection: Connection) -> None:
    """Drop an earlier load. Tables of the same names that are not from one are left alone, and nothing is loaded."""
    found = set(inspect(connection).get_table_names()) & set(Base.metadata.tables)
    if not found:
        return
    marked = "metadata" in found and connection.execute(
        text("SELECT COUNT(*) FROM metadata WHERE key = 'schema_version'")
    ).scalar()  # fmt: skip
    if not marked:
        raise LoadError(
            f"the database has tables of somebody else's called {', '.join(sorted(found))}: use another one"
        )
    for view in VIEWS:
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {view.relation}")
    Base.metadata.drop_all(connection)


# Rows


def collect(report: Report, about: Mapping[str, str], dialect: Dialect = Dialect.SQLITE_MATH) -> Collected:
    """All rows of a report, sorted; findings and cross-checks are added when the rest is loaded."""
    sources = frozenset(e.id for e in report.knowledge.of_kind("source"))
    graph = Graph(dialect)
    quantities = Quantities(report, graph, sources)
    quantities.build()
    prose = Prose(report, quantities)
    prose.build()
    tables: Tables = {
        "metadata": [{"key": k, "value": v} for k, v in sorted(metadata(report, about).items())],
        "codes": [
            {"area": area, "code": code, "means": means}
            for area, codes in sorted(CODES.items()) for code, means in sorted(codes.items())
        ],
        **heads(report),
        **devices(report, quantities),
        **points(report, quantities),
        **workloads(report, quantities, dialect),
        "quantities": quantities.rows,
        "claims": quantities.claims,
        "passages": prose.passages,
        "figures": prose.figures,
        "conclusions": prose.conclusions,
        "dependencies": quantities.dependencies(),
        "derivations": sorted(graph.rows.values(), key=lambda row: row["id"]),
        "derivation_steps": sorted(graph.steps, key=lambda row: (row["parent"], row["ordinal"])),
    }  # fmt: skip
    return Collected(tables, report.findings, _places(report, tables))


def metadata(report: Report, about: Mapping[str, str]) -> dict[str, str]:
    """What the database is. The data version is a hash of all record files, read or not."""
    digest = hashlib.sha256()
    for reference in sorted(report.knowledge.entries):
        document = report.knowledge.entries[reference].document
        digest.update(f"{document.path}\0{len(document.source)}\0{document.source}".encode("utf-8", "surrogatepass"))
    found = {
        "schema_version": str(SCHEMA_VERSION), "data_version": digest.hexdigest()[:16],
        "tool_version": ridgeline.__version__,
    }  # fmt: skip
    beside = report.knowledge.beside
    if number := edition(contents(report.knowledge.root) if beside is None else beside):
        found["edition"] = number
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch.isdecimal():
        found["source_date"] = datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    return {**found, **about}


def _places(report: Report, tables: Tables) -> dict[str, tuple[Place, str, str]]:
    """Where each derivation is used: at a quantity, in a figure, else somewhere in its record."""
    found: dict[str, tuple[Place, str, str]] = {}

    def path(record: str) -> str:
        return report.knowledge.entries[record].document.path

    for row in tables["derivations"]:
        if row["record"]:
            found[row["id"]] = (Place(path(row["record"])), row["record"], row["label"])
    for row in tables["figures"]:
        if row["derivation"]:
            place = Place(path(row["record"]), row["line"], row["col"], row["length"])
            found[row["derivation"]] = (place, row["record"], row["expression"] or "")
    for row in tables["quantities"]:
        if row["derivation"]:
            place = Place(path(row["record"]), row["line"] or 1)
            found[row["derivation"]] = (place, row["record"], row["field"] or row["name"])
    return found


# Writing


def write(connection: Connection, collected: Collected) -> Written:
    """Tables, rows, indexes, views, search and the second computation, in the caller's transaction."""
    tables = collected.tables
    insert_all(connection, tables)
    outcome = crosscheck(connection, tables["derivations"], collected.places)
    findings = sorted(
        [*collected.findings, *outcome.findings], key=lambda f: (f.place.path, f.place.line, f.place.column, f.rule)
    )
    late = {"crosschecks": outcome.rows, "findings": finding_rows(findings)}
    for name, rows in late.items():
        _insert(connection, name, rows)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("ANALYZE")
    counts = {name: len(rows) for name, rows in sorted({**tables, **late}.items())}
    return Written(counts, outcome)


def insert_all(connection: Connection, tables: Tables) -> None:
    """The schema, then all rows, then the indexes over them, the views and the full-text search."""
    ordered = Base.metadata.sorted_tables
    for table in ordered:
        connection.execute(CreateTable(table))
    for table in ordered:
        _insert(connection, table.name, tables.get(table.name, []))
    for table in ordered:
        for index in sorted(table.indexes, key=lambda i: str(i.name)):
            connection.execute(CreateIndex(index))
    for view in VIEWS:
        _plain(connection, f"CREATE VIEW {view.relation} AS {view.sql.strip()}")
    if connection.dialect.name == "sqlite":
        for name, (content, column) in SEARCH.items():
            connection.exec_driver_sql(
                f"CREATE VIRTUAL TABLE {name} USING fts5({column}, content='{content}', content_rowid='id')"
            )
            connection.exec_driver_sql(f"INSERT INTO {name}({name}) VALUES ('rebuild')")


def _plain(connection: Connection, statement: str) -> None:
    """A statement without parameters. Drivers that mark those with ``%`` read a lone one as the start of a mark."""
    if connection.dialect.paramstyle in ("format", "pyformat"):
        statement = statement.replace("%", "%%")
    connection.exec_driver_sql(statement)


def _insert(connection: Connection, name: str, rows: list[Row]) -> None:
    """All rows of a table, in one ``executemany``.

    The statement is compiled once and goes to the driver as it is: every value is a text, an integer, a float or NULL
    already, and looking at each of them once more takes as long as SQLite needs to store it.
    """
    if not rows:
        return
    compiled = Base.metadata.tables[name].insert().compile(dialect=connection.dialect, column_keys=list(rows[0]))
    if compiled.positional and compiled.positiontup and len(compiled.positiontup) > 1:
        connection.exec_driver_sql(str(compiled), list(map(itemgetter(*compiled.positiontup), rows)))
    else:
        connection.exec_driver_sql(str(compiled), rows)
