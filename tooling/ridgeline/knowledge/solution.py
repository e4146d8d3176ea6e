"""Where an equation of a class holds: in closed form where the tree allows, exactly otherwise, by bisection at last."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity, scaled, subtract
from ridgeline.formulas.solve import bisect, isolate, linear
from ridgeline.formulas.tree import Name, Node
from ridgeline.numbers.units import Unit

#: Symbols of classes count tokens, sequences and devices: from one to far beyond any machine.
_LOW, _HIGH = Fraction(1), Fraction(2**44)
#: Relative distance of the neighbours that tell a point from a range (a rounded side is flat between its steps).
_BESIDE = Fraction(1, 2**20)

At = Callable[[Node, Quantity | None], Quantity]


def solve(
    left: Node, right: Node, symbol: str, at: At, unit: Unit, *, hidden: bool = False
) -> tuple[Node | None, Quantity | None]:
    """The solution of ``left = right`` for a symbol: a tree in closed form, else a value in canonical base units.

    ``at`` evaluates a tree, with the symbol at a trial value where one is given. Names that stand for formulas of the
    symbol must be opened before; where one may be left (``hidden``), only trial values can tell. Raises
    :class:`FormulaError` where there is no solution or more than one.
    """
    if hidden:
        return None, _bisected(left, right, symbol, at, unit)
    tree = isolate(left, right, symbol)
    if tree is not None:
        return tree, None

    def lookup(name: Name) -> Quantity:
        return at(name, None)

    def call(node: Node, _: object) -> Quantity:
        return at(node, None)

    root = linear(left, right, symbol, lookup, call=call)
    if root is not None:
        return None, Quantity(root, unit.dimension)

    return None, _bisected(left, right, symbol, at, unit)


def _bisected(left: Node, right: Node, symbol: str, at: At, unit: Unit) -> Quantity:
    def difference(value: Fraction) -> Quantity:
        trial = Quantity(value * unit.factor, unit.dimension)
        # The units of the two sides are compared where the solution is derived.
        return subtract(Quantity(at(left, trial).value), Quantity(at(right, trial).value))

    found = bisect(difference, _LOW, _HIGH, name=symbol)
    if isinstance(found.value, Fraction) and any(
        difference(found.value * (1 + step)).value == 0 for step in (_BESIDE, -_BESIDE)
    ):
        raise FormulaError(f"the equation holds for more than one {symbol}: for a whole range near {float(found):.6g}")
    return Quantity(scaled(found.value, unit.factor), unit.dimension)
