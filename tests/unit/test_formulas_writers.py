"""What the writers print, and that nothing gets through unescaped."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from xml.etree import ElementTree

import numpy
import pytest

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse
from ridgeline.formulas.tree import Call, Name, Negate, Node, Number
from ridgeline.formulas.writers.common import Fragment, NotExpressible
from ridgeline.formulas.writers.javascript import javascript
from ridgeline.formulas.writers.mathml import Leaf, mathml
from ridgeline.formulas.writers.numpy_ import compiled
from ridgeline.formulas.writers.sql import Dialect, sql

NASTY = ['"; DROP TABLE t; --', "a'b", "</script><script>alert(1)</script>", "x]]>", "a\\", "\u2028", "é", "-- x"]


def column(name: Name) -> str:
    return name.text


def hand_made(key: str) -> Name:
    """A name that the parser would refuse: trees may come from elsewhere."""
    return Name((key,))


# SQL


def test_sqlite_text() -> None:
    assert sql(parse("2*n_q/-x + 1.5e3"), column) == ('(((2.0 * CAST("n_q" AS REAL)) / (-CAST("x" AS REAL))) + 1500.0)')
    assert sql(parse("x^3"), column) == '(CAST("x" AS REAL) * CAST("x" AS REAL) * CAST("x" AS REAL))'
    assert sql(parse("x^-1 + x^0"), column) == '((1.0 / (CAST("x" AS REAL))) + 1.0)'
    assert sql(parse("min(x) + max(x, 1) + count(x, x)"), column) == (
        '((CAST("x" AS REAL) + max(CAST("x" AS REAL), 1.0)) + 2.0)'
    )
    assert sql(parse("num(x, TB/s)"), column) == '(CAST("x" AS REAL) / 1000000000000.0)'
    assert sql(parse("as(2, GiB)"), column) == "(2.0 * 1073741824.0)"


def test_other_dialects() -> None:
    real = 'CAST("x" AS DOUBLE PRECISION)'
    assert sql(parse("x^2"), column, "postgresql") == f"power({real}, CAST(2.0 AS DOUBLE PRECISION))"
    assert sql(parse("min(x, 1)"), column, "postgresql") == f"least({real}, CAST(1.0 AS DOUBLE PRECISION))"
    assert sql(parse("log2(x)"), column, "postgresql") == f"(ln({real}) / ln(CAST(2.0 AS DOUBLE PRECISION)))"
    assert sql(parse("ceil(log2(x))"), column, "duckdb") == 'ceil(log2(CAST("x" AS DOUBLE)))'
    assert sql(parse("sqrt(x)"), column, Dialect.SQLITE_MATH) == 'sqrt(CAST("x" AS REAL))'


def test_references() -> None:
    assert sql(parse("x"), lambda name: ("m", "d head")) == 'CAST("m"."d head" AS REAL)'
    assert sql(parse("x"), lambda name: Fragment("(SELECT 1)")) == "CAST((SELECT 1) AS REAL)"


UNSAID = [
    "sqrt(x)",
    "log2(x)",
    "2^x",
    "x^y",
    "total(x)",
    "f(x, k=2)",
    "((x^64)^64)^64",
    "2^(1/2)",
    "1^(1/0)",
    "a.min(x)",
    "ceil(" * 12 + "x" + ")" * 12,
]


@pytest.mark.parametrize("text", UNSAID)
def test_what_sqlite_cannot_say(text: str) -> None:
    with pytest.raises(NotExpressible) as caught:
        sql(parse(text), column)
    assert caught.value.placed
    assert caught.value.message


def test_constant_roots_are_folded() -> None:
    assert sql(parse("sqrt(2) * log2(8)"), column) == "(1.4142135623730951 * 3.0)"


def test_a_negative_number_opens_no_comment() -> None:
    assert sql(parse("-log2(1/8)"), column) == "(-(-3.0))"
    minus_two = Number("-2", Fraction(-2))
    for written in (sql(Negate(minus_two), column), javascript(Negate(minus_two))):
        assert written == "(-(-2.0))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7/2", 3.5), ("x/2", 2.5), ("ceil(x/2)", 3.0), ("floor(-x/2)", -3.0), ("round(x/2)", 3.0), ("round(-x/2)", -3.0),
     ("ceil(x)", 5.0), ("floor(x)", 5.0), ("ceil(-x/2)", -2.0), ("abs(-x)", 5.0), ("min(x, 2, 9)", 2.0), ("x^-2", 0.04),
     ("x/(2*x)", 0.5), ("big*big*big", 8.0 * 10**54), ("--x - -x", 10.0), ("max(x)", 5.0), ("sum(x, 1)", 6.0)],
)  # fmt: skip
def test_sqlite_runs_it_on_integer_columns(text: str, expected: float) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x INTEGER, big INTEGER) STRICT")
    connection.execute("INSERT INTO t VALUES (5, 2000000000000000000)")
    found = connection.execute(f"SELECT {sql(parse(text), column)} FROM t").fetchall()
    assert found == [(expected,)]
    assert isinstance(found[0][0], float)


@pytest.mark.parametrize("key", NASTY)
def test_sql_identifiers_stay_identifiers(key: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (" + '"' + key.replace('"', '""') + '" REAL)')
    connection.execute("INSERT INTO t VALUES (7)")
    written = sql(hand_made(key), lambda name: name.parts)
    assert connection.execute(f"SELECT {written} FROM t").fetchall() == [(7.0,)]


def test_sql_refuses_bad_identifiers() -> None:
    for bad in ("", "a\0b", ("a", "")):
        with pytest.raises(NotExpressible):
            sql(parse("x"), lambda name, bad=bad: bad)  # type: ignore[misc]


# JavaScript


def test_javascript_text() -> None:
    assert javascript(parse("2*a.b^2 - min(x, 1)")) == '((2.0 * Math.pow(v["a.b"], 2.0)) - Math.min(v["x"], 1.0))'
    assert javascript(parse("x"), lambda name: Fragment("y.z"), values="w") == "(y.z)"
    assert javascript(parse("as(2, kB)")) == "(2.0 * 1000.0)"


@pytest.mark.parametrize("key", NASTY)
def test_javascript_keys_are_safe(key: str) -> None:
    written = javascript(hand_made(key))
    assert written.isascii()
    for forbidden in ("<", ">", "&", "'"):
        assert forbidden not in written
    assert written.startswith("v[")
    assert written.endswith("]")
    assert json.loads(written[2:-1]) == key


def test_javascript_refuses() -> None:
    for text in ("total(x)", "f(k=1)", "round(1, 2)", "min()"):
        with pytest.raises(NotExpressible):
            javascript(parse(text))
    with pytest.raises(NotExpressible):
        javascript(parse("x"), values="v;alert(1)")


# MathML


def parsed(node: Node, name: Callable[[Name], Leaf] | None = None) -> ElementTree.Element:
    written = mathml(node, name) if name else mathml(node)
    return ElementTree.fromstring(written)


def shape(element: ElementTree.Element) -> str:
    """Tags and text, with single-child rows taken away."""
    inner = "".join(shape(child) for child in element)
    if element.tag in ("mrow", "math"):
        return inner
    return f"{element.text or ''}" if not len(element) else f"<{element.tag} {inner}>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a+b*c", "a+b·c"),
        ("(a+b)*c", "(a+b)·c"),
        ("a-(b-c)", "a−(b−c)"),
        ("a/b", "<mfrac ab>"),
        ("(a+b)/(c+d)", "<mfrac a+bc+d>"),
        ("a/b*c", "<mfrac ab>·c"),
        ("(a/b)^2", "<msup (<mfrac ab>)2>"),
        ("L^2", "<msup L2>"),
        ("n_q^2", "<msup <msub nq>2>"),
        ("(-a)^2", "<msup (−a)2>"),
        ("-a^2", "−<msup a2>"),
        ("a - -b", "a−(−b)"),
        ("a*-b", "a·(−b)"),
        ("sqrt(a+1)^2", "<msup (<msqrt a+1>)2>"),
        ("ceil(a/2)", "⌈<mfrac a2>⌉"),
        ("log2(a)", "<msub log2>(a)"),
        ("min(a, b)", "min(a,b)"),
        ("f(a, k=2)", "f(a,k=2)"),
        ("L_ridge(h100, g=4)", "<msub Lridge>(h100,g=4)"),
        ("as(a + b, 1)*num(c - d, 1)", "(a+b)·(c−d)"),
        ("h100.peak", "h100.peak"),
        ("n_layers", "<msub nlayers>"),
        ("1.50e-3", "1.50×<msup 10−3>"),
        ("num(a, TB/s)", "<mfrac aTB/s>"),
        ("as(a + b, TB/s)", "(a+b)TB/s"),
        ("2*as(a, s)^2", "2·<msup (as)2>"),
    ],
)
def test_mathml(text: str, expected: str) -> None:
    assert shape(parsed(parse(text))) == expected


def test_mathml_substituted() -> None:
    values = {"a": Leaf("mn", "989.5", unit="TFLOP/s"), "b": Leaf("mn", "-3"), "c": Leaf("mn", "2")}
    written = parsed(parse("a/b + b^2 + c^2 + a^2 + c*b"), lambda name: values[name.text])
    assert shape(written) == "<mfrac 989.5TFLOP/s-3>+<msup (-3)2>+<msup 22>+<msup (989.5TFLOP/s)2>+2·(-3)"


@pytest.mark.parametrize("key", [*NASTY, "<b>&amp;</b>"])
def test_mathml_escapes(key: str) -> None:
    node = Call((key,), (hand_made(key), Number(key, Fraction(1))), ((key, hand_made(key)),))
    for leaf in (None, lambda name: Leaf("mn", key, key, key, key, key)):
        element = parsed(node, leaf)
        assert {part.tag for part in element.iter()} <= {
            "math",
            "mrow",
            "mi",
            "mn",
            "mo",
            "mtext",
            "msub",
            "mspace",
            "msup",
        }


# NumPy


def test_numpy_broadcasts() -> None:
    function = compiled(parse("2*L^2/g + round(L/4) - min(g, 1) + count(g) + num(L, kB)*0"))
    found = function({"L": numpy.array([[2], [4]]), "g": [1, 2]})
    assert found.tolist() == [[9.0, 5.0], [33.0, 17.0]]
    assert found.dtype == numpy.float64
    assert compiled(parse("a.b^-1"))({"a.b": 4}) == 0.25
    assert compiled(parse("round(x)"))({"x": [0.5, -0.5, 1.5, 0.49999999999999994]}).tolist() == [1, -1, 2, 0]


def test_numpy_refuses() -> None:
    for text in ("total(x)", "f(k=1)", "sqrt(1, 2)"):
        with pytest.raises(NotExpressible):
            compiled(parse(text))
    with pytest.raises(FormulaError, match="no column y"):
        compiled(parse("x+y"))({"x": 1})


def test_deep_trees_are_refused_by_every_writer() -> None:
    node: Node = Name(("x",))
    for _ in range(5000):
        node = Negate(node)
    for writer in (lambda: sql(node, column), lambda: javascript(node), lambda: mathml(node), lambda: compiled(node)):
        with pytest.raises(NotExpressible):
            writer()
