"""The ways in which an expression can be read against the numeral that states its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.figures.equation_tree import Const, Leaf, Node, Op, Ref, evaluate, leaves, names
from ridgeline.figures.equation_values import Values, only_sums
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import Dimension, hard

#: Constants that convert between units when they stand in an equation: bits, percent, time, prefixes.
_CONVERSIONS = frozenset(
    {Fraction(n) for n in (8, 60, 100, 3600, 86400)}
    | {Fraction(1000) ** n for n in range(-4, 8) if n}
    | {Fraction(1024) ** n for n in (1, 2, 3, 4)}
)
_MAX_CONVERSIONS = 3


@dataclass(frozen=True, slots=True)
class Result:
    """A computed value in canonical base units; the shape of a Quantity."""

    value: Fraction | Interval
    dimension: Dimension = ()


@dataclass(frozen=True, slots=True)
class View:
    """One way to read an expression: its leaves, and what the outcome is multiplied by to be canonical."""

    node: Node
    leaf: Leaf
    true_leaf: Leaf
    factor: Fraction = Fraction(1)
    dimension: Dimension | None = None
    last: bool = False

    def result(self, leaf: Leaf) -> Result:
        amount = evaluate(self.node, leaf)
        return Result(amount.value * self.factor, hard(amount.dimension if self.dimension is None else self.dimension))


def views(values: Values, node: Node, numeral: Numeral) -> Iterator[View]:
    """The ways to read an expression against a result, most literal first."""
    units = values.has_units(node)
    unit = numeral.unit
    bare_result = unit is None or not hard(unit.dimension)
    if not units and unit is not None and not bare_result:
        yield View(node, values.number, values.true_number, unit.factor, unit.dimension)
        yield View(node, values.printed, values.true, unit.factor / unit.scale, unit.dimension, last=True)
    else:
        yield View(node, values.printed, values.true)
        common = values.common_unit(node)
        if common is not None and unit is None:
            yield View(node, values.number, values.true_number)
        elif common is not None:
            yield View(node, values.number, values.true_number, common.factor, common.dimension)
        if numeral.kind in (Kind.PERCENT, Kind.CHANGE) and only_sums(node):
            yield View(node, values.number, values.true_number, Fraction(1, 100))
    percent = numeral.kind in (Kind.PERCENT, Kind.CHANGE)
    if (units or percent) and _arithmetic_holds(values, node, numeral):
        for converted in _without_conversions(values, node):
            yield View(converted, values.printed, values.true)
    if any(values.is_width(leaf) for leaf in leaves(node)):
        for tree in (node, *_without_conversions(values, node)):
            yield View(tree, values.pins, values.true_pins)
    if units:
        yield View(node, values.printed, values.true, last=True)


def _arithmetic_holds(values: Values, node: Node, numeral: Numeral) -> bool:
    """Whether the bare numbers give the bare result: only then can a factor among them convert between the units."""
    if numeral.interval is None:
        return False
    # A count such as 70B brings its own power of ten, so the result may be bare in its unit or in the base unit.
    scale = Fraction(1) if numeral.unit is None else numeral.unit.scale
    amount = evaluate(node, values.number).value
    given = amount if isinstance(amount, Interval) else Interval.point(amount)
    return numeral.interval.scaled(1 / scale).overlaps(given) or numeral.interval.overlaps(given)


def _without_conversions(values: Values, node: Node) -> Iterator[Node]:
    """The tree with each factor that can be a unit conversion (÷ 8, × 1000, ÷ 2^30) taken as 1."""
    found = list(_conversions(values, node))[:_MAX_CONVERSIONS]
    for chosen in found:
        yield _replaced(node, {id(chosen)})
    if len(found) > 1:
        yield _replaced(node, {id(c) for c in found})


def _conversions(values: Values, node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        if not isinstance(top, Op):
            continue
        for child in (top.left, top.right) if top.sign in "*/" else ():
            if _constant(values, child) in _CONVERSIONS:
                yield child
        if top.sign in "*/":
            stack += [top.right, top.left]


def _constant(values: Values, node: Node) -> Fraction | None:
    if isinstance(node, Const):
        return node.value
    if isinstance(node, Ref):
        numeral = values.numerals[node.index]
        return numeral.value if numeral.unit is None and node.index not in values.bound else None
    if isinstance(node, Op) and node.sign == "^" and not names(node) and not values.has_units(node):
        return evaluate(node, values.printed).value
    return None


def _replaced(node: Node, gone: set[int]) -> Node:
    if id(node) in gone:
        return Const(Fraction(1))
    if isinstance(node, Op):
        return Op(node.sign, _replaced(node.left, gone), _replaced(node.right, gone))
    return node
