"""The database in PostgreSQL, executed: loaded by the command, recomputed there, asked, and loaded again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from ridgeline.store.tables import Base
from ridgeline.store.views import VIEWS
from tests.acceptance.conftest import build
from tests.conftest import Cli


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("postgres") / "root")


@pytest.fixture
def connection(postgres: str) -> Iterator[Connection]:
    with create_engine(postgres, poolclass=NullPool).connect() as connection:
        yield connection


def test_the_command_loads_it_and_every_formula_agrees(
    root: Path, postgres: str, connection: Connection, cli: Cli
) -> None:
    for _ in range(2):  # a second load replaces the first
        ran = cli("load", "--root", root, "--database", postgres)
        assert (ran.code, ran.err) == (0, "")
        line = next(line for line in ran.out.splitlines() if line.startswith("recomputed in SQL:"))
        agreed, checked = line.split(":")[1].split(" values agree")[0].split(" of ")
        assert agreed.strip() == checked.strip() and int(checked.replace(",", "")) > 20
    disagreeing = connection.execute(text("SELECT COUNT(*) FROM crosschecks WHERE agrees = 0")).scalar()
    assert disagreeing == 0


def test_it_holds_what_the_file_of_sqlite_holds(root: Path, postgres: str, connection: Connection, cli: Cli) -> None:
    cli("load", "--root", root, "--database", postgres)
    cli("load", "--root", root, "--database", root / "same.sqlite")
    with sqlite3.connect(root / "same.sqlite") as file:
        for name, table in Base.metadata.tables.items():
            # The SQL of formulas is each database's own, and what it computes may differ in the last digit.
            own = {"sql", "sql_reason"} | ({"value_float", "difference"} if name == "crosschecks" else set())
            columns = [f'"{c.name}"' for c in table.columns if c.name not in own]
            query = f'SELECT {", ".join(columns)} FROM "{name}"'
            here = sorted(map(repr, map(tuple, connection.execute(text(query)))))
            assert here == sorted(map(repr, file.execute(query))), name


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_each_view_answers_as_in_sqlite(
    view: object, root: Path, postgres: str, connection: Connection, cli: Cli
) -> None:
    relation = getattr(view, "relation", "")
    if not (root / "same.sqlite").exists():
        cli("load", "--root", root, "--database", postgres)
        cli("load", "--root", root, "--database", root / "same.sqlite")
    with sqlite3.connect(root / "same.sqlite") as file:
        theirs = [tuple(row) for row in connection.execute(text(f"SELECT * FROM {relation}"))]
        ours = list(file.execute(f"SELECT * FROM {relation}"))
    assert sorted(map(_rounded, theirs), key=repr) == sorted(map(_rounded, ours), key=repr)


def _rounded(row: tuple[object, ...]) -> tuple[object, ...]:
    """A sum of doubles may differ in its last digit."""
    return tuple(float(f"{v:.12g}") if isinstance(v, int | float) else v for v in row)


def test_tables_of_somebody_else_are_left_alone(root: Path, postgres: str, connection: Connection, cli: Cli) -> None:
    with create_engine(postgres, poolclass=NullPool, isolation_level="AUTOCOMMIT").connect() as admin:
        admin.execute(text("CREATE DATABASE theirs"))
    theirs = postgres.replace("/postgres?", "/theirs?")
    with create_engine(theirs, poolclass=NullPool).begin() as other:
        other.execute(text("CREATE TABLE records (id INTEGER)"))
        other.execute(text("INSERT INTO records VALUES (7)"))
    ran = cli("load", "--root", root, "--database", theirs)
    assert ran.code == 2
    assert "somebody else's called records" in ran.err
    with create_engine(theirs, poolclass=NullPool).connect() as other:
        assert other.execute(text("SELECT id FROM records")).scalar() == 7


def test_a_server_that_is_not_there_is_named(root: Path, cli: Cli, tmp_path: Path) -> None:
    ran = cli("load", "--root", root, "--database", f"postgresql+psycopg://nobody@/nothing?host={tmp_path}")
    assert ran.code == 2
    assert "postgresql+psycopg://nobody@" in ran.err and "Traceback" not in ran.err
