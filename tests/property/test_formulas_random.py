"""Random trees: written back and read again, and evaluated five ways that must agree."""

from __future__ import annotations

import json
import math
import random
import shutil
import sqlite3
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import duckdb
import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.evaluate import evaluate
from ridgeline.formulas.parser import parse, parse_equation, parse_quantity, unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.solve import isolate, linear
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral, children, constant, walk
from ridgeline.formulas.writers.common import NotExpressible
from ridgeline.formulas.writers.javascript import javascript
from ridgeline.formulas.writers.mathml import mathml
from ridgeline.formulas.writers.numpy_ import compiled
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.numbers.units import parse_unit

VALUES = {
    "n_layers": Fraction(80), "n_q": Fraction(64), "n_kv": Fraction(8), "L": Fraction(131072), "s_kv": Fraction(2),
    "h100.peak.bf16": Fraction("989.5e12"), "h100.memory.bandwidth": Fraction("3.35e12"), "share": Fraction(-37, 113),
    "tiny": Fraction(3, 10**9),
}  # fmt: skip
UNITS = ["1", "TB/s", "GiB", "token", "%", "kB", "byte/element"]


def lookup(name: Name) -> Quantity:
    return Quantity(VALUES[name.text])


# Trees as hypothesis makes them: any shape that the grammar allows.

_identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)
_dotted = st.lists(_identifiers, min_size=1, max_size=3).map(tuple)
_digits = st.from_regex(r"[0-9]{1,12}(\.[0-9]{1,6})?(e-?[0-9])?", fullmatch=True)
_numbers = _digits.map(lambda text: Number(text, Fraction(text)))
_units = st.sampled_from(UNITS).map(lambda text: UnitLiteral(text, parse_unit(text)))


def _unit_call(function: str, subject: Node, unit: UnitLiteral) -> Node:
    return Call((function,), (subject, unit))


def _call(name: tuple[str, ...], positional: list[Node], keywords: dict[str, Node]) -> Node:
    return Call(name, tuple(positional), tuple(keywords.items()))


def _extended(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    names = _dotted.filter(lambda parts: parts not in (("num",), ("as",)))
    return st.one_of(
        st.builds(Binary, st.sampled_from("+-*/^"), inner, inner),
        st.builds(Binary, st.sampled_from("+-*/^"), inner, inner),
        st.builds(Negate, inner),
        st.builds(_call, names, st.lists(inner, max_size=3), st.dictionaries(_identifiers, inner, max_size=2)),
        st.builds(_unit_call, st.sampled_from(["num", "as"]), inner, _units),
    )


trees: st.SearchStrategy[Node] = st.recursive(st.one_of(_numbers, st.builds(Name, _dotted)), _extended, max_leaves=12)


@given(trees)
def test_unparse_round_trips(node: Node) -> None:
    for spaced in (True, False):
        text = unparse(node, spaced=spaced)
        assume(len(text) <= 500)
        assert parse(text) == node


@given(trees)
def test_parentheses_are_minimal(node: Node) -> None:
    text = unparse(node)
    assume(len(text) <= 500)
    for opening, character in enumerate(text):
        # A parenthesis after a name is a call's own.
        if character == "(" and not (text[opening - 1 : opening].isalnum() or text[opening - 1 : opening] == "_"):
            closing = _closing(text, opening)
            without = f"{text[:opening]} {text[opening + 1 : closing]} {text[closing + 1 :]}"
            with suppress(FormulaError):
                assert parse(without) != node, f"{text}: the parentheses at {opening} are not needed"


def _closing(text: str, opening: int) -> int:
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index
    raise AssertionError(text)


@given(trees)
def test_mathml_is_well_formed(node: Node) -> None:
    from xml.etree import ElementTree

    element = ElementTree.fromstring(mathml(node))
    for part in element.iter():
        if part.tag in ("mfrac", "msup", "msub"):
            assert len(part) == 2


# Anything else.

PIECES = [
    "+",
    "-",
    "*",
    "/",
    "^",
    "(",
    ")",
    ",",
    "=",
    ".",
    "1",
    "9",
    "64",
    "1e9",
    "L",
    "n_q",
    "num(",
    "as(",
    "s)",
    "GB/s",
    "sqrt(",
    "log2(",
    "min(",
    " ",
    '"',
    "·",
    "−",
    "9^64",
    "e",
    "\0",
    "share",
]
_pieces = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.one_of(st.text(max_size=60), _pieces))
def test_no_text_raises_anything_but_a_formula_error(text: str) -> None:
    for read in (parse, parse_equation, parse_quantity):
        try:
            found = read(text)
        except FormulaError as error:
            assert 0 <= error.start <= error.end <= len(text)
            continue
        if read is parse:
            _use(found)  # type: ignore[arg-type]


def _use(node: Node) -> None:
    def known(name: Name) -> Quantity:
        if name.text not in VALUES:
            raise FormulaError(f"unknown name {name.text}")
        return lookup(name)

    for action in (
        lambda: evaluate(node, known),
        lambda: sql(node, lambda name: name.text),
        lambda: javascript(node),
        lambda: mathml(node),
        lambda: compiled(node),
        lambda: isolate(node, Name(("x",)), "L"),
        lambda: linear(node, Number("1", Fraction(1)), "L", known),
    ):
        try:
            action()
        except FormulaError as error:
            assert error.placed


# Five ways.


@dataclass(frozen=True)
class Case:
    text: str
    node: Node
    exact: float
    allowed: float


def _random_tree(source: random.Random, depth: int) -> Node:
    kind = source.random()
    if depth == 0 or kind < 0.15:
        if source.random() < 0.5:
            return Name(tuple(source.choice(sorted(VALUES)).split(".")))
        text = source.choice(["2", "7", "0.5", "1.25e3", "3", "989.5", "10", f"{source.randrange(1, 9999)}"])
        return Number(text, Fraction(text))
    if kind < 0.22:
        return Negate(_random_tree(source, depth - 1))
    if kind < 0.32:
        return Binary(
            "^", _random_tree(source, depth - 1), constant(Fraction(source.choice([-3, -2, -1, 0, 1, 2, 3, 5])))
        )
    if kind < 0.55:
        return _random_call(source, depth)
    return Binary(source.choice("++-**//"), _random_tree(source, depth - 1), _random_tree(source, depth - 1))


def _random_call(source: random.Random, depth: int) -> Node:
    name = source.choice(["min", "max", "sum", "count", "ceil", "floor", "round", "abs", "log2", "sqrt", "as"])
    if name == "as":
        unit = source.choice(["GiB", "TB/s", "%", "token"])
        return Call(("num",), (Call(("as",), (_random_tree(source, depth - 1), UnitLiteral(unit, parse_unit(unit)))),
                               UnitLiteral(unit, parse_unit(unit))))  # fmt: skip
    count = source.randrange(1, 4) if name in ("min", "max", "sum", "count") else 1
    return Call((name,), tuple(_random_tree(source, depth - 1) for _ in range(count)))


EPSILON = 2.0**-52


def _uncertainty(node: Node, value: Fraction) -> float | None:
    """A bound on the relative error of a floating-point evaluation; ``None`` where rounding decides the result."""
    if isinstance(node, Number | Name):
        return EPSILON
    parts = [part for part in children(node) if not isinstance(part, UnitLiteral)]
    values = [evaluate(part, lookup).middle for part in parts]
    errors = [_uncertainty(part, inner) for part, inner in zip(parts, values, strict=True)]
    if any(error is None for error in errors):
        return None
    absolute = [abs(float(inner)) * float(error or 0) for inner, error in zip(values, errors, strict=True)]
    operator = node.operator if isinstance(node, Binary) else "-" if isinstance(node, Negate) else node.name[0]
    if operator in ("*", "/", "num", "as"):
        return sum(float(error or 0) for error in errors) + 2 * EPSILON
    if operator == "^":
        return float(errors[0] or 0) * abs(float(values[1])) + 6 * EPSILON
    if operator == "count":
        return 0.0
    if operator in ("ceil", "floor", "round"):
        shift = Fraction(1, 2) if operator == "round" else Fraction(0)
        distance = abs(float(values[0] + shift - round(values[0] + shift)))
        return EPSILON if distance > 4 * absolute[0] or absolute[0] == 0 else None
    if operator == "log2":
        absolute = [float(errors[0] or 0) * 1.5]
    if operator == "sqrt":
        return float(errors[0] or 0) + EPSILON
    return sum(absolute) / abs(float(value)) + EPSILON * (1 + len(parts)) if value else None


def _cases(count: int) -> list[Case]:
    source = random.Random(20_261_130)
    cases: list[Case] = []
    while len(cases) < count:
        node = _random_tree(source, source.randrange(1, 6))
        try:
            value = evaluate(node, lookup).middle
            allowed = _uncertainty(node, value)
        except (FormulaError, OverflowError):
            continue
        extreme = max((abs(part) for part in _inner(node)), default=Fraction(1))
        least = min((abs(part) for part in _inner(node) if part), default=Fraction(1))
        if allowed is None or allowed > 5e-13 or extreme > 10**250 or least < Fraction(1, 10**250):
            continue
        cases.append(Case(unparse(node), node, float(value), 1e-12))
    return cases


def _inner(node: Node) -> list[Fraction]:
    return [evaluate(part, lookup).middle for part in walk(node) if not isinstance(part, UnitLiteral)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    made = _cases(3000)
    used = {
        part.name[0] if isinstance(part, Call) else getattr(part, "operator", "")
        for case in made
        for part in walk(case.node)
    }
    assert used >= {
        *"+-*/^",
        "min",
        "max",
        "sum",
        "count",
        "ceil",
        "floor",
        "round",
        "abs",
        "log2",
        "sqrt",
        "num",
        "as",
    }
    return made


def _wrong(cases: list[Case], found: list[float | None]) -> list[tuple[str, float, float | None]]:
    assert len(cases) == len(found)
    return [
        (case.text, case.exact, value)
        for case, value in zip(cases, found, strict=True)
        if value is None or not math.isclose(case.exact, value, rel_tol=case.allowed, abs_tol=0)
    ]


def test_numpy_agrees(cases: list[Case]) -> None:
    columns = {key: numpy.array([float(value)]) for key, value in VALUES.items()}
    assert _wrong(cases, [float(numpy.ravel(compiled(case.node)(columns))[0]) for case in cases]) == []


@pytest.fixture(scope="module")
def table() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{key}" ANY' for key in VALUES)
    connection.execute(f"CREATE TABLE t ({columns}) STRICT")
    values = [value.numerator if value.denominator == 1 else float(value) for value in VALUES.values()]
    connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(values))})", values)
    return connection


def test_sqlite_core_agrees(cases: list[Case], table: sqlite3.Connection) -> None:
    said: list[Case] = []
    found: list[float | None] = []
    for case in cases:
        try:
            expression = sql(case.node, lambda name: name.text)
        except NotExpressible:
            continue
        said.append(case)
        found.append(table.execute(f"SELECT {expression} FROM t").fetchone()[0])
    assert len(said) > len(cases) / 2
    assert _wrong(said, found) == []


def test_sqlite_with_math_functions_agrees(cases: list[Case], table: sqlite3.Connection) -> None:
    try:
        table.execute("SELECT log2(8.0), sqrt(4.0)")
    except sqlite3.OperationalError:
        pytest.skip("this SQLite was built without math functions")
    found: list[float | None] = []
    said: list[Case] = []
    for case in cases:
        try:
            expression = sql(case.node, lambda name: name.text, Dialect.SQLITE_MATH)
        except NotExpressible:
            continue
        said.append(case)
        found.append(table.execute(f"SELECT {expression} FROM t").fetchone()[0])
    assert len(said) > 0.95 * len(cases)
    assert _wrong(said, found) == []


def test_duckdb_agrees(cases: list[Case]) -> None:
    connection = duckdb.connect(":memory:")
    columns = ", ".join(f'"{key}" DOUBLE' for key in VALUES)
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.execute(
        f"INSERT INTO t VALUES ({', '.join('?' * len(VALUES))})", [float(value) for value in VALUES.values()]
    )
    said: list[Case] = []
    expressions: list[str] = []
    for case in cases:
        try:
            expressions.append(sql(case.node, lambda name: name.text, Dialect.DUCKDB))
        except NotExpressible:
            continue
        said.append(case)
    assert len(said) > 0.95 * len(cases)
    found: list[float | None] = []
    for start in range(0, len(expressions), 100):
        row = connection.execute(f"SELECT {', '.join(expressions[start : start + 100])} FROM t").fetchone()
        assert row is not None
        found += row
    assert _wrong(said, found) == []


def test_postgresql_agrees(cases: list[Case], postgres: str) -> None:
    columns = ", ".join(f'{float(value)!r}::double precision AS "{key}"' for key, value in VALUES.items())
    said: list[Case] = []
    expressions: list[str] = []
    for case in cases:
        try:
            expressions.append(sql(case.node, lambda name: name.text, Dialect.POSTGRESQL))
        except NotExpressible:
            continue
        said.append(case)
    assert len(said) > 0.95 * len(cases)
    found: list[float | None] = []
    with create_engine(postgres, poolclass=NullPool).connect() as connection:
        for start in range(0, len(expressions), 100):
            chunk = ", ".join(expressions[start : start + 100])
            found += connection.exec_driver_sql(f"SELECT {chunk} FROM (SELECT {columns}) AS t").one()
    assert _wrong(said, found) == []


def test_javascript_agrees(cases: list[Case]) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    script = "const v = JSON.parse(process.argv[1]); const chunks = [];" \
        "process.stdin.on('data', (c) => chunks.push(c)).on('end', () => process.stdout.write(JSON.stringify(" \
        "JSON.parse(Buffer.concat(chunks).toString()).map((e) => new Function('v', 'return ' + e)(v)))));"  # fmt: skip
    values = json.dumps({key: float(value) for key, value in VALUES.items()})
    expressions = json.dumps([javascript(case.node) for case in cases])
    ran = subprocess.run(
        [node, "-e", script, values], input=expressions, capture_output=True, text=True, check=True, timeout=60
    )
    assert _wrong(cases, json.loads(ran.stdout)) == []


def test_the_text_means_the_tree(cases: list[Case]) -> None:
    for case in cases[:1000]:
        assert evaluate(parse(case.text), lookup) == evaluate(case.node, lookup)


# Solutions hold.


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.fractions(-9, 9, max_denominator=50),
    st.fractions(-9, 9, max_denominator=50),
)
def test_linear_solves_what_it_is_given(a: int, b: int, c: Fraction, root: Fraction) -> None:
    assume(root)
    left = parse(f"({a}*x^3 + k*x^2) / ({b}*x^2)")
    right = Fraction(a) * root / b + c / b

    def known(name: Name) -> Quantity:
        return Quantity(c)

    assert linear(left, constant(right), "x", known) == root


@given(st.data())
def test_isolated_forms_solve_the_equation(data: st.DataObject) -> None:
    steps = data.draw(
        st.lists(st.sampled_from(["+{}", "-{}", "*{}", "/{}", "^2", "^-1", "{}-", "{}/"]), min_size=1, max_size=6)
    )
    text = "x"
    for step in steps:
        number = str(data.draw(st.integers(1, 9)))
        filled = step.format(number)
        text = f"({filled}({text}))" if step in ("{}-", "{}/") else f"(({text}){filled})"
    start = Quantity(Fraction(data.draw(st.integers(1, 50)), 7))
    node = parse(text)
    try:
        right = evaluate(node, lambda name: start)
    except FormulaError:
        assume(False)
    closed = isolate(node, Name(("y",)), "x")
    assert closed is not None
    try:
        found = evaluate(closed, lambda name: right)
    except FormulaError:
        assume(False)
    if "^2" not in steps:
        assert found == start
    # A square hides the sign below it, so another root may be found; it must solve the equation too.
    try:
        again = evaluate(node, lambda name: found)
    except FormulaError:
        assume(False)
    assert again.low <= right.low <= again.high
