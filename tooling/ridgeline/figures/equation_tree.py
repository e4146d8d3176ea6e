"""The small arithmetic trees of inline equations, and their exact evaluation over values or intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from ridgeline.figures.equation_functions import PURE, apply
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.units import Dimension, Unit, hard, multiply, power

#: Bounds on one evaluation; prose comes from strangers.
MAX_EXPONENT = 64
MAX_BITS = 8192

#: With more distinct rounded inputs than this, interval arithmetic replaces the corners.
MAX_CORNERS = 8


@dataclass(frozen=True, slots=True)
class Ref:
    """A numeral of the text, by its index."""

    index: int


@dataclass(frozen=True, slots=True)
class Const:
    """A number that no numeral stands for: a superscript, or the unit printed after a bracket."""

    value: Fraction
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol, or a stretch of text that is carried but not evaluated."""

    text: str


@dataclass(frozen=True, slots=True)
class Op:
    """``left sign right`` with a sign of ``+ - * / ^``."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function of :mod:`~ridgeline.figures.equation_functions` over its arguments."""

    name: str
    arguments: tuple[Node, ...]


Node = Ref | Const | Name | Op | Call


class Unevaluable(Exception):
    """A tree that has no value. ``names`` are the symbols that stood in the way; empty for bounds and zero divisors."""

    def __init__(self, why: str, names: tuple[str, ...] = ()):
        super().__init__(why)
        self.names = names


class DimensionClash(Exception):
    """A sum of two things that cannot be added, with both dimensions."""

    def __init__(self, left: Dimension, right: Dimension):
        super().__init__(left, right)
        self.left = left
        self.right = right


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in canonical base units with its dimension."""

    value: Fraction
    dimension: Dimension = ()


Leaf = Callable[[Ref | Name], Amount]


def leaves(node: Node) -> Iterator[Ref | Name | Const]:
    """The leaves of a tree from left to right."""
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Op):
            stack += [top.right, top.left]
        elif isinstance(top, Call):
            stack += reversed(top.arguments)
        else:
            yield top


def references(node: Node) -> tuple[int, ...]:
    """The numerals of a tree, in order of appearance, each once."""
    return tuple(dict.fromkeys(leaf.index for leaf in leaves(node) if isinstance(leaf, Ref)))


def names(node: Node) -> tuple[str, ...]:
    """The names of a tree, each once."""
    return tuple(dict.fromkeys(leaf.text for leaf in leaves(node) if isinstance(leaf, Name)))


def evaluate(node: Node, leaf: Leaf) -> Amount:
    """The value of a tree. Raises :class:`Unevaluable` or :class:`DimensionClash`.

    The depth of a tree is bounded by the parser, its length by the parser's bound on tokens.
    """
    if isinstance(node, Const):
        return Amount(node.value) if node.unit is None else Amount(node.value * node.unit.factor, node.unit.dimension)
    if isinstance(node, Call):
        return _call(node.name, [evaluate(argument, leaf) for argument in node.arguments])
    if not isinstance(node, Op):
        return leaf(node)
    left, right = evaluate(node.left, leaf), evaluate(node.right, leaf)
    if node.sign in "+-":
        return _sum(left, right, 1 if node.sign == "+" else -1)
    if node.sign == "*":
        return Amount(_bounded(left.value * right.value), multiply(left.dimension, right.dimension))
    if node.sign == "/":
        if right.value == 0:
            raise Unevaluable("division by zero")
        return Amount(_bounded(left.value / right.value), multiply(left.dimension, right.dimension, -1))
    return _power(left, right)


def _call(name: str, amounts: list[Amount]) -> Amount:
    first = amounts[0].dimension
    for amount in amounts[1:]:
        if hard(amount.dimension) != hard(first):
            raise DimensionClash(first, amount.dimension)
    if name in PURE and hard(first):
        raise Unevaluable(f"{name} of a value with a unit")
    if name == "sqrt":
        if any(exponent % 2 for _, exponent in hard(first)):
            raise Unevaluable("the root of a unit")
        first = tuple((symbol, exponent // 2) for symbol, exponent in hard(first))
    try:
        return Amount(_bounded(apply(name, [amount.value for amount in amounts])), first)
    except ValueError as refused:
        raise Unevaluable(str(refused)) from None


def _sum(left: Amount, right: Amount, sign: int) -> Amount:
    if hard(left.dimension) != hard(right.dimension):
        raise DimensionClash(left.dimension, right.dimension)
    return Amount(_bounded(left.value + sign * right.value), left.dimension or right.dimension)


def _power(base: Amount, exponent: Amount) -> Amount:
    n = exponent.value
    if n.denominator != 1 or abs(n) > MAX_EXPONENT or hard(exponent.dimension):
        raise Unevaluable("an exponent that is not a small integer")
    if base.value == 0 and n < 0:
        raise Unevaluable("division by zero")
    bits = max(base.value.numerator.bit_length(), base.value.denominator.bit_length())
    if bits * abs(n) > MAX_BITS:
        raise Unevaluable("a power that is too large")
    return Amount(Fraction(base.value ** int(n)), power(base.dimension, int(n)))


def _bounded(value: Fraction) -> Fraction:
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise Unevaluable("a value that is too large")
    return value


def spread(node: Node, leaf: Leaf, ranges: dict[int, Interval]) -> Interval:
    """All values of a tree while each numeral of ``ranges`` runs through its interval.

    ``ranges`` holds canonical values. At most :data:`MAX_CORNERS` distinct inputs take all corners, more take interval
    arithmetic. An interval without ends stands for a divisor that can be zero.
    """
    moving = {index: range_ for index, range_ in ranges.items() if not range_.exact}
    if any(r.low is None or r.high is None for r in moving.values()):
        return Interval(None, None)
    distinct = list(dict.fromkeys(moving.values()))
    try:
        if len(distinct) <= MAX_CORNERS:
            return _corners(node, leaf, moving, distinct)
        return _arithmetic(node, leaf, moving)
    except (Unevaluable, DimensionClash):
        return Interval(None, None)


def _corners(node: Node, leaf: Leaf, moving: dict[int, Interval], distinct: list[Interval]) -> Interval:
    low = high = None
    signs: set[tuple[int, int]] = set()
    for corner in product((False, True), repeat=len(distinct)):
        chosen = dict(zip(distinct, corner, strict=True))
        values = {i: _end(range_, chosen[range_]) for i, range_ in moving.items()}

        def moved(at: Ref | Name, values: dict[int, Fraction] = values) -> Amount:
            amount = leaf(at)
            return Amount(values[at.index], amount.dimension) if isinstance(at, Ref) and at.index in values else amount

        value = evaluate(node, moved).value
        signs.update(_divisor_signs(node, moved))
        low = value if low is None else min(low, value)
        high = value if high is None else max(high, value)
    if any((path, -sign) in signs for path, sign in signs):
        return Interval(None, None)
    return Interval(low, high)


def _end(range_: Interval, upper: bool) -> Fraction:
    end = range_.high if upper else range_.low
    assert end is not None
    return end


def _divisor_signs(node: Node, leaf: Leaf) -> Iterator[tuple[int, int]]:
    """The sign of each computed divisor: one that changes between corners passes through zero."""
    stack: list[Node] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Call):
            stack += top.arguments
        if not isinstance(top, Op):
            continue
        stack += [top.left, top.right]
        if top.sign == "/" and isinstance(top.right, Op):
            value = evaluate(top.right, leaf).value
            yield id(top.right), (value > 0) - (value < 0)


def _arithmetic(node: Node, leaf: Leaf, moving: dict[int, Interval]) -> Interval:
    low, high = _bounds(node, leaf, moving)
    return Interval(low, high)


def _bounds(node: Node, leaf: Leaf, moving: dict[int, Interval]) -> tuple[Fraction, Fraction]:
    if isinstance(node, Ref) and node.index in moving:
        return _end(moving[node.index], False), _end(moving[node.index], True)
    if isinstance(node, Call):
        return _call_bounds(node, leaf, moving)
    if not isinstance(node, Op):
        value = evaluate(node, leaf).value
        return value, value
    a, b = _bounds(node.left, leaf, moving), _bounds(node.right, leaf, moving)
    if node.sign == "+":
        return _bounded(a[0] + b[0]), _bounded(a[1] + b[1])
    if node.sign == "-":
        return _bounded(a[0] - b[1]), _bounded(a[1] - b[0])
    if node.sign == "/" and b[0] <= 0 <= b[1]:
        raise Unevaluable("a divisor that can be zero")
    if node.sign == "^":
        values = [_power(Amount(x), Amount(b[0])).value for x in a]
        return (min(*values, Fraction(0)) if a[0] < 0 < a[1] else min(values)), max(values)
    values = [_bounded(x * y if node.sign == "*" else x / y) for x in a for y in b]
    return min(values), max(values)


def _call_bounds(node: Call, leaf: Leaf, moving: dict[int, Interval]) -> tuple[Fraction, Fraction]:
    """Bounds of a function; all of them rise with their arguments but the absolute value."""
    pairs = [_bounds(argument, leaf, moving) for argument in node.arguments]
    low, high = (_call(node.name, [Amount(pair[end]) for pair in pairs]).value for end in (0, 1))
    if node.name == "abs" and pairs[0][0] < 0:
        return (Fraction(0) if pairs[0][1] > 0 else high), max(low, high)
    return low, high


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an equation: its tree, and where its text stands (code points, end exclusive)."""

    node: Node
    start: int
    end: int

    @property
    def operands(self) -> tuple[int, ...]:
        """The numerals of this side, by index."""
        return references(self.node)


@dataclass(frozen=True)
class Equation:
    """A chain of sides with a relation (``= ≈ < > <= >=``) between each two.

    ``start`` and ``end`` are offsets in code points. ``assigned`` holds the names whose value stands in the same
    sentence (``g=1``), with the index of its numeral. ``delimited`` are the numerals whose ``$`` opens a formula.
    """

    start: int
    end: int
    sides: tuple[Side, ...]
    relations: tuple[str, ...]
    assigned: tuple[tuple[str, int], ...] = ()
    delimited: frozenset[int] = frozenset()

    @cached_property
    def operands(self) -> tuple[int, ...]:
        """All numerals that this equation covers, by index, each once."""
        found = [index for side in self.sides for index in side.operands]
        return tuple(dict.fromkeys([*found, *(index for _, index in self.assigned)]))

    @property
    def names(self) -> tuple[str, ...]:
        """The names for which a value must come from elsewhere."""
        given = {name for name, _ in self.assigned}
        found = [name for side in self.sides for name in names(side.node) if name not in given]
        return tuple(dict.fromkeys(found))
