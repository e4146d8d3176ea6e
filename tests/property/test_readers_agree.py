"""Every formula of the records comes out the same in each reader: exact, NumPy, DuckDB, SQLite, PostgreSQL and JavaScript.

Random trees are compared in `test_formulas_random`; here stand the formulas that the site, the database and the
programs of others really use, closed down to recorded values.
"""

from __future__ import annotations

import math
import sqlite3
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy
import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from ridgeline.check import check
from ridgeline.formulas.parser import parse
from ridgeline.formulas.tree import Name, Node, names
from ridgeline.formulas.writers.common import NotExpressible
from ridgeline.formulas.writers.javascript import javascript
from ridgeline.formulas.writers.numpy_ import compiled
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.knowledge.derivation import RECORDED, closed
from ridgeline.store.values import quantities
from tests.javascript import evaluated

Formula = tuple[str, Node, float]
#: Formulas that share a table.
CHUNK = 100


def _key(name: Name) -> str:
    assert name.parts[0] == RECORDED
    return "|".join(name.parts[1:])


@pytest.fixture(scope="module")
def world(repository: Path) -> tuple[list[Formula], dict[str, float]]:
    """Label, closed formula and exact value of each derived quantity and figure; the recorded values they read."""
    report = check(repository)
    found: dict[str, Formula] = {}
    values: dict[str, Fraction] = {}
    derivations = [(f"{q.record} {q.name} {q.layer_group}", q.result) for q in quantities(report)]
    derivations += [(f"{f.record} {f.path} {f.numeral.at}", f.derivation) for f in report.figures]
    for label, derivation in derivations:
        if derivation is None or not hasattr(derivation, "walk"):
            continue
        tree = closed(derivation)
        if tree is None or isinstance(tree, Name) or not derivation.quantity.exact:
            continue
        for node in derivation.walk():
            if node.given is not None:
                values[f"{node.given.record}|{node.given.field}"] = node.quantity.middle
        found[label] = (label, tree, float(derivation.quantity.middle))
    used = {_key(n) for _, tree, _ in found.values() for n in names(tree)}
    return list(found.values()), {k: float(v) for k, v in values.items() if k in used}


def _differ(formulas: list[Formula], results: list[float | None]) -> list[tuple[str, float, float | None]]:
    assert len(formulas) == len(results)
    return [
        (label, exact, value)
        for (label, _, exact), value in zip(formulas, results, strict=True)
        if value is None or not math.isclose(exact, value, rel_tol=1e-12)
    ]


def test_there_are_formulas_to_compare(world: tuple[list[Formula], dict[str, float]]) -> None:
    formulas, values = world
    assert len(formulas) > 400
    assert len(values) > 100


def test_numpy(world: tuple[list[Formula], dict[str, float]]) -> None:
    formulas, values = world
    columns = {key: numpy.array([value, 2 * value]) for key, value in values.items()}
    assert _differ(formulas, [float(numpy.ravel(compiled(tree, _key)(columns))[0]) for _, tree, _ in formulas]) == []


@pytest.mark.parametrize("dialect", [Dialect.SQLITE_MATH, Dialect.SQLITE, Dialect.DUCKDB])
def test_sql(world: tuple[list[Formula], dict[str, float]], dialect: Dialect) -> None:
    formulas, values = world
    connection = duckdb.connect(":memory:") if dialect is Dialect.DUCKDB else sqlite3.connect(":memory:")
    said: list[Formula] = []
    results: list[float | None] = []
    # A table of a few hundred columns at a time: SQLite allows two thousand.
    for start in range(0, len(formulas), CHUNK):
        chunk = formulas[start : start + CHUNK]
        used = sorted({_key(name) for _, tree, _ in chunk for name in names(tree)})
        numbered = {key: f"c{index}" for index, key in enumerate(used)}
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute(f"CREATE TABLE t ({', '.join(f'{column} DOUBLE' for column in numbered.values())})")
        connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(used))})", [values[key] for key in used])
        for formula in chunk:
            try:
                expression = sql(formula[1], lambda name, columns=numbered: columns[_key(name)], dialect)  # type: ignore[misc]
            except NotExpressible:
                continue
            row = connection.execute(f"SELECT {expression} FROM t").fetchone()
            said.append(formula)
            results.append(None if row is None else row[0])
    assert len(said) > 0.97 * len(formulas)
    assert _differ(said, results) == []


def test_postgresql(world: tuple[list[Formula], dict[str, float]], postgres: str) -> None:
    formulas, values = world
    # A table of at most 1,600 columns; a statement of many results is one journey to the server.
    results: list[float | None] = []
    with create_engine(postgres, poolclass=NullPool).begin() as connection:
        for start in range(0, len(formulas), CHUNK):
            chunk = formulas[start : start + CHUNK]
            used = sorted({_key(name) for _, tree, _ in chunk for name in names(tree)})
            numbered = {key: f"c{index}" for index, key in enumerate(used)}
            columns = ", ".join(f"{values[key]!r}::double precision AS {column}" for key, column in numbered.items())
            said = [sql(tree, lambda name, c=numbered: c[_key(name)], Dialect.POSTGRESQL) for _, tree, _ in chunk]  # type: ignore[misc]
            row = connection.exec_driver_sql(f"SELECT {', '.join(said)} FROM (SELECT {columns}) AS t").one()
            results += row
    assert _differ(formulas, results) == []


#: Functions and operators of the language that formulas of the records may not use, with their exact values.
SAID = {
    "ceil(2.1) + floor(-2.1) + round(2.5) + round(-2.5) + round(0.4)": 0,
    "min(3, 1, 2) * max(3, 1, 2) + sum(1, 2, 3) + count(7, 7, 7) + abs(-4)": 16,
    "2^10 / 2^-3 + (-2)^3 - 0^0": 8183,
    "sqrt(16) + log2(1024) + sqrt(2)^2": 16,
    "7 / 2 - 1 / 4": 3.25,
    "num(as(3, GB), MB) + 10^20 / 10^18": 3100,
    "1e-30 * 1e30 + -(-5)": 6,
}


def test_every_function_in_postgresql(postgres: str) -> None:
    trees = [parse(text) for text in SAID]
    said = [sql(tree, lambda name: name.text, Dialect.POSTGRESQL) for tree in trees]
    with create_engine(postgres, poolclass=NullPool).connect() as connection:
        row = connection.exec_driver_sql(f"SELECT {', '.join(said)}").one()
        kinds = connection.exec_driver_sql(f"SELECT {', '.join(f'pg_typeof({s})::text' for s in said)}").one()
    for text, value in zip(SAID, row, strict=True):
        assert math.isclose(value, SAID[text], rel_tol=1e-12), text
    assert set(kinds) == {"double precision"}


def test_javascript(world: tuple[list[Formula], dict[str, float]]) -> None:
    formulas, values = world
    computed = evaluated(values, [javascript(tree, _key) for _, tree, _ in formulas])
    assert _differ(formulas, computed) == []
