"""The ways in which an expression can be read against the numeral that states its result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.figures.equation_tree import (
    Call,
    Const,
    DimensionClash,
    Leaf,
    Node,
    Op,
    Ref,
    evaluate,
    leaves,
    names,
    references,
)
from ridgeline.figures.equation_values import Values, only_sums
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import Dimension, hard, multiply, parse_unit, power, symbol

#: Constants that convert between units when they stand in an equation: bits, percent, time, prefixes.
_CONVERSIONS = frozenset(
    {Fraction(n) for n in (8, 60, 100, 3600, 86400)}
    | {Fraction(1000) ** n for n in range(-4, 8) if n}
    | {Fraction(1024) ** n for n in (1, 2, 3, 4)}
)
_MAX_CONVERSIONS = 3
_MAX_PART = 64
_EACH = re.compile(r"\b(?:an?|each|every|per) ([a-z]{1,12})$")


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
        yield View(node, values.printed, values.true, unit.base_factor, unit.dimension, last=True)
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
        for tree in (*_without_conversions(values, node, divisors=True), node, *_without_conversions(values, node)):
            yield View(tree, values.pins, values.true_pins)
    if units:
        yield from _unlike(values, node, numeral)
        yield View(node, values.printed, values.true, last=True)


def _unlike(values: Values, node: Node, numeral: Numeral) -> Iterator[View]:
    """Two ways to read an expression whose dimension is not that of the result.

    The result may say *a day* of what is not a rate (``$2.50 × 8 = $20 a day``), and where no operand prints a unit
    the bare numbers may be meant: units that only the records give need not be those of a count in flop.
    """
    try:
        dimension = evaluate(node, values.printed).dimension
    except DimensionClash:
        return
    printed = () if numeral.unit is None else numeral.unit.dimension
    if hard(dimension) == hard(printed):
        return
    each = _EACH.search(numeral.unit_text)
    period = parse_unit(each.group(1)) if each and symbol(each.group(1)) is not None else None
    if period is not None and hard(multiply(dimension, period.dimension, -1)) == hard(printed):
        yield View(node, values.printed, values.true, 1 / period.factor, printed)
    if _vulgar(values, node) and hard(power(dimension, -1)) == hard(printed) and numeral.unit is not None:
        unit = values.numeral(references(node)[1]).unit
        assert unit is not None
        yield View(node, values.number, values.true_number, unit.factor, printed)
    if not any(values.prints_unit(i) for i in references(node)) and not names(node):
        factor = Fraction(1) if numeral.unit is None else numeral.unit.factor
        yield View(node, values.number, values.true_number, factor, printed)


def _vulgar(values: Values, node: Node) -> bool:
    """Whether a tree is a vulgar fraction: in ``1 Gbps = 1/8 GBps`` the unit belongs to the eighth."""
    if not (isinstance(node, Op) and node.sign == "/" and isinstance(node.left, Ref) and isinstance(node.right, Ref)):
        return False
    over, under = (values.numeral(ref.index) for ref in (node.left, node.right))
    return over.unit is None and over.text.isdigit() and under.text.isdigit() and int(under.text[:4]) <= _MAX_PART


def _arithmetic_holds(values: Values, node: Node, numeral: Numeral) -> bool:
    """Whether the bare numbers give the bare result: only then can a factor among them convert between the units."""
    if numeral.interval is None:
        return False
    # A count such as 70B brings its own power of ten, so the result may be bare in its unit or in the base unit.
    scale = Fraction(1) if numeral.unit is None else numeral.unit.scale
    amount = evaluate(node, values.number).value
    given = amount if isinstance(amount, Interval) else Interval.point(amount)
    return numeral.interval.scaled(1 / scale).overlaps(given) or numeral.interval.overlaps(given)


def _without_conversions(values: Values, node: Node, *, divisors: bool = False) -> Iterator[Node]:
    """The tree with each factor that can be a unit conversion (÷ 8, × 1000, ÷ 2^30) taken as 1.

    ``divisors`` leaves the multipliers, which may be counts.
    """
    found = list(_conversions(values, node, divisors=divisors))[:_MAX_CONVERSIONS]
    for chosen in found:
        yield _replaced(node, {id(chosen)})
    if len(found) > 1:
        yield _replaced(node, {id(c) for c in found})


def _conversions(values: Values, node: Node, *, divisors: bool) -> Iterator[Node]:
    stack = [node]
    while stack:
        top = stack.pop()
        if not isinstance(top, Op):
            continue
        multipliers = () if divisors else (top.left, top.right) if top.sign == "*" else (top.left,)
        for child in (*multipliers, *((top.right,) if top.sign == "/" else ())) if top.sign in "*/" else ():
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
    if isinstance(node, Call):
        return Call(node.name, tuple(_replaced(argument, gone) for argument in node.arguments))
    return node
