"""Closed forms, exact algebra, exact bisection."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.evaluate import evaluate
from ridgeline.formulas.parser import parse, parse_equation, unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.solve import bisect, isolate, linear
from ridgeline.formulas.tree import Name
from ridgeline.numbers.units import parse_unit

KNOWN = {
    "a": Quantity(Fraction(3)),
    "b": Quantity(Fraction(7, 2)),
    "ridge": Quantity.of(Fraction("989.5") / Fraction("3.35"), parse_unit("flop/byte")),
    "root": Quantity(evaluate(parse("sqrt(2)"), lambda name: Quantity(Fraction(0))).value),
}


def lookup(name: Name) -> Quantity:
    if name.text not in KNOWN:
        raise FormulaError(f"unknown name {name.text}")
    return KNOWN[name.text]


def at(value: Fraction) -> Callable[[Name], Quantity]:
    return lambda name: Quantity(value) if name.text == "L" else lookup(name)


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("L = a", "a"),
        ("a = L", "a"),
        ("a*L/b = ridge", "ridge * b / a"),
        ("a/L = b", "a / b"),
        ("b = a - L", "a - b"),
        ("L + a = b", "b - a"),
        ("a + L = b", "b - a"),
        ("L - a = b", "b + a"),
        ("-L = b", "-b"),
        ("a*L^2 = b", "sqrt(b / a)"),
        ("L^-1 = b", "1 / b"),
        ("L^4 = b", "sqrt(sqrt(b))"),
        ("2*sqrt(L) = b", "(b / 2)^2"),
        ("as(L, token) = b", "num(b, token)"),
        ("num(L, GB) = b", "as(b, GB)"),
        ("L^3 = b", None),
        ("2^L = b", None),
        ("L^a = b", None),
        ("L + L = b", None),
        ("L = L", None),
        ("a = b", None),
        ("ceil(L) = b", None),
        ("f(k=L) = b", None),
        ("L.x = b", None),
    ],
)
def test_isolate(equation: str, expected: str | None) -> None:
    node = isolate(*parse_equation(equation), "L")
    assert (None if node is None else unparse(node)) == expected


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("2*L + 1 = a", 1),
        ("2*a*L^2/(4*L*b) = 10", Fraction(70, 3)),
        ("L^2/L + L = b", Fraction(7, 4)),
        ("(L^3 - 1)/(L - 1) - L^2 = 5", 4),
        ("L/(L + a) = 1/4", 1),
        ("a/L + b/L = 2", Fraction(13, 4)),
        ("(1/L + 1/(2*L))^-1 = 4", 6),
        ("sum(L, L, a) = 9", 3),
        ("num(L, kB) = 3", 3000),
        ("as(L, kbyte) = 3", Fraction(3, 1000)),
        ("L*min(a, b) = 9", 3),
        ("L^2 = b", None),
        ("L^2 = L", None),
        ("max(L, a) = b", None),
        ("sqrt(L) = b", None),
        ("L * root = b", None),
        ("L^9/L^8 = 2", None),
        ("2^L = 8", None),
        ("f(L) = 8", None),
    ],
)
def test_linear(equation: str, expected: Fraction | int | None) -> None:
    assert linear(*parse_equation(equation), "L", lookup) == expected


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        ("L = L + 1", "holds for no L"),
        ("2*L = L + L", "every L"),
        ("L^2/L = 0", "divides by zero"),
        ("(L^2 - 1)/(L - 1) = 2", "divides by zero"),
        ("L = 1/0", "division by zero"),
        ("L/(L - L) = 1", "division by zero"),
        ("L = unknown", "unknown name"),
        ("L = as(1, s) + as(1, byte)", "cannot be added"),
    ],
)
def test_linear_refuses(equation: str, words: str) -> None:
    with pytest.raises(FormulaError, match=words) as caught:
        linear(*parse_equation(equation), "L", lookup)
    assert caught.value.placed


@pytest.mark.parametrize("equation", ["2*L + 1 = a*L - b", "a*L^2/(4*L*b) = 10", "L/(L + a) = 1/4"])
def test_linear_solutions_hold_exactly(equation: str) -> None:
    left, right = parse_equation(equation)
    root = linear(left, right, "L", lookup)
    assert root is not None
    assert evaluate(left, at(root)) == evaluate(right, at(root))


def difference(equation: str) -> Callable[[Fraction], Quantity]:
    left, right = parse_equation(equation)

    def function(point: Fraction) -> Quantity:
        one, other = evaluate(left, at(point)), evaluate(right, at(point))
        return Quantity(
            one.low - other.low
            if one.exact and other.exact
            else evaluate(parse("x-y"), lambda name: {"x": one, "y": other}[name.text]).value
        )

    return function


def test_bisection_encloses_and_is_narrow() -> None:
    found = bisect(difference("L^3 = b"), Fraction(0), Fraction(10**12), dimension=parse_unit("token").dimension)
    assert found.low**3 < Fraction(7, 2) < found.high**3
    assert found.high - found.low <= found.low / 2**80
    assert found.dimension == (("token", 1),)


@pytest.mark.parametrize(("equation", "root"), [("L^2 = 9", 3), ("1/L = 1/4", 4), ("L = a", 3), ("L*(L+1) = 110", 10)])
def test_bisection_finds_rational_roots(equation: str, root: int) -> None:
    found = bisect(difference(equation), Fraction(1, 10), Fraction(1000))
    assert found.low <= root <= found.high
    assert found.high - found.low <= Fraction(root, 2**79)


def test_bisection_with_logarithms() -> None:
    function = difference("L*log2(L) = 100")
    found = bisect(function, Fraction(1), Fraction(10**6))
    assert function(found.low).high < 0 < function(found.high).low
    assert found.high - found.low <= found.low / 2**60


@pytest.mark.parametrize(
    ("equation", "low", "high", "words"),
    [
        ("L^2 + 1 = 0", -5, 5, "no L in the range"),
        ("L^2 = 9", 4, 50, "no L in the range"),
        ("L^2 = 9", -50, 50, "more than one L"),
        ("1/(L - 3) = 0", 0, 10, "jump"),
        ("ceil(L) = b", 1, 10, "jump"),
        ("L = a", 5, 5, "empty"),
    ],
)
def test_bisection_is_honest(equation: str, low: int, high: int, words: str) -> None:
    # The ends are moved a little, so that no root stands on a place that is looked at.
    shift = Fraction(1, 999)
    with pytest.raises(FormulaError, match=words):
        bisect(difference(equation), low + shift, high + shift, name="L")
