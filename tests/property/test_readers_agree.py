"""Every formula of the records comes out the same in each reader: exact, NumPy, DuckDB, SQLite and JavaScript.

Random trees are compared in `test_formulas_random`; here stand the formulas that the site, the database and the
programs of others really use, closed down to recorded values.
"""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import subprocess
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy
import pytest

from ridgeline.check import check
from ridgeline.formulas.tree import Name, Node, names
from ridgeline.formulas.writers.common import NotExpressible
from ridgeline.formulas.writers.javascript import javascript
from ridgeline.formulas.writers.numpy_ import compiled
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.knowledge.derivation import RECORDED, closed
from ridgeline.store.values import quantities

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


def test_javascript(world: tuple[list[Formula], dict[str, float]]) -> None:
    node = shutil.which("node")
    assert node is not None, "Node is needed: it reads the formulas as the site's pages will"
    formulas, values = world
    script = (
        "const chunks = []; process.stdin.on('data', (c) => chunks.push(c)).on('end', () => {"
        "const [v, list] = JSON.parse(Buffer.concat(chunks).toString());"
        "process.stdout.write(JSON.stringify(list.map((e) => new Function('v', 'return ' + e)(v))));});"
    )
    sent = json.dumps([values, [javascript(tree, _key) for _, tree, _ in formulas]])
    ran = subprocess.run([node, "-e", script], input=sent, capture_output=True, text=True, check=True, timeout=60)
    assert _differ(formulas, json.loads(ran.stdout)) == []
