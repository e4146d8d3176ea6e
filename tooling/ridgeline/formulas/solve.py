"""Where an equation holds: in closed form, by exact algebra, or by exact bisection.

Names that stand for formulas must be opened first (:func:`ridgeline.formulas.tree.substitute`): these functions see
the symbol only where it stands in the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from math import ceil

from ridgeline.formulas.errors import Budget, FormulaError
from ridgeline.formulas.evaluate import CallBack, Lookup, evaluate
from ridgeline.formulas.polynomial import NotRational, Rational
from ridgeline.formulas.quantity import PURE, Quantity, Value, between, ends, shortened
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, UnitLiteral, carriers, constant, names
from ridgeline.numbers.units import Dimension

_RELATIVE_WIDTH = Fraction(1, 2**80)
_MAX_BISECTIONS = 400
_SCAN = 64
#: How often a chord may fail to halve the range before it is halved instead.
_PATIENCE = 4


def holds(node: Node, symbol: str) -> int:
    """How often a dotted symbol occurs in a tree."""
    parts = tuple(symbol.split("."))
    return sum(1 for name in names(node) if name.parts == parts)


def isolate(left: Node, right: Node, symbol: str) -> Node | None:
    """The tree that the symbol equals, where it occurs exactly once and every step down to it can be undone.

    Undone are ``+ - * /``, constant powers of magnitude 1, 2, 4 … 64 (the root that is not negative: symbols count
    things), square roots, ``num`` and ``as``. ``None`` where that is not enough.
    """
    on_left = holds(left, symbol)
    if on_left + holds(right, symbol) != 1:
        return None
    subject, value = (left, right) if on_left else (right, left)
    path = carriers(subject, tuple(symbol.split(".")))
    while not isinstance(subject, Name):
        step = _undone(subject, value, path)
        if step is None:
            return None
        subject, value = step
    return value


def _undone(subject: Node, value: Node, path: frozenset[int]) -> tuple[Node, Node] | None:
    """One step: the part of ``subject`` on the path to the symbol, and what that part equals."""
    if isinstance(subject, Negate):
        return subject.operand, Negate(value)
    if isinstance(subject, Call):
        return _undone_call(subject, value, path)
    if not isinstance(subject, Binary):
        return None
    a, b, first = subject.left, subject.right, id(subject.left) in path
    if subject.operator == "+":
        return (a, Binary("-", value, b)) if first else (b, Binary("-", value, a))
    if subject.operator == "-":
        return (a, Binary("+", value, b)) if first else (b, Binary("-", a, value))
    if subject.operator == "*":
        return (a, Binary("/", value, b)) if first else (b, Binary("/", value, a))
    if subject.operator == "/":
        return (a, Binary("*", value, b)) if first else (b, Binary("/", a, value))
    exponent = _whole(b) if first else None
    if exponent is None or exponent == 0 or abs(exponent) & (abs(exponent) - 1):
        return None
    if exponent < 0:
        value, exponent = Binary("/", constant(Fraction(1)), value), -exponent
    while exponent > 1:
        value, exponent = Call(("sqrt",), (value,)), exponent // 2
    return a, value


def _undone_call(subject: Call, value: Node, path: frozenset[int]) -> tuple[Node, Node] | None:
    if subject.keywords or not subject.positional or id(subject.positional[0]) not in path:
        return None
    inner = subject.positional[0]
    if subject.name == ("sqrt",) and len(subject.positional) == 1:
        return inner, Binary("^", value, constant(Fraction(2)))
    if subject.name in (("num",), ("as",)) and isinstance(subject.positional[-1], UnitLiteral):
        inverse = "as" if subject.name == ("num",) else "num"
        return inner, Call((inverse,), (value, subject.positional[-1]))
    return None


def _whole(node: Node) -> int | None:
    """The value of a constant integer tree."""
    if names(node):
        return None
    value = evaluate(node, _refused).value
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else None


def _refused(name: Name) -> Quantity:
    raise FormulaError(f"{name.text} is not a constant")


def linear(
    left: Node,
    right: Node,
    symbol: str,
    lookup: Lookup,
    *,
    budget: Budget | None = None,
    call: CallBack | None = None,
) -> Fraction | None:
    """The one solution, in canonical base units, where ``left - right`` reduces to degree one in the symbol.

    Common factors cancel (``L^2 / L``). ``None`` where the equation is not rational in the symbol, is of a higher
    degree, or an interval is among its constants. Raises :class:`FormulaError` where there is no solution, where every
    value is one, and where the only candidate makes a divisor zero.
    """
    budget = budget or Budget()
    carrying = carriers(left, tuple(symbol.split("."))) | carriers(right, tuple(symbol.split(".")))
    algebra = _Algebra(carrying, lookup, budget, call)
    try:
        difference = algebra.read(left).minus(algebra.read(right), budget)
    except NotRational:
        return None
    except RecursionError:
        raise FormulaError("the formula is nested too deep", left.start, left.end) from None
    top = difference.top
    span = (left.start, right.end)
    if not top:
        raise FormulaError(f"the equation holds for every {symbol}", *span)
    if len(top) == 1:
        raise FormulaError(f"the equation holds for no {symbol}: it does not depend on it", *span)
    if len(top) > 2:
        return None
    root = -top[0] / top[1]
    if any(divisor.at(root) == 0 for divisor in algebra.divisors):
        raise FormulaError(f"the equation holds for no {symbol}: its only candidate divides by zero", *span)
    return root


class _Algebra:
    """Reads a tree as a rational function of one symbol, everything else evaluated."""

    def __init__(self, carrying: frozenset[int], lookup: Lookup, budget: Budget, call: CallBack | None):
        self.carrying = carrying
        self.lookup = lookup
        self.budget = budget
        self.call = call
        self.divisors: list[Rational] = []

    def read(self, node: Node) -> Rational:
        if id(node) not in self.carrying:
            return self.constant(node)
        if isinstance(node, Name):
            return Rational.symbol()
        try:
            self.budget.spend()
            if isinstance(node, Negate):
                return self.read(node.operand).negated()
            if isinstance(node, Binary):
                return self.combined(node)
            if isinstance(node, Call):
                return self.called(node)
        except FormulaError as error:
            raise error if error.placed else error.at(node.start, node.end) from None
        raise NotRational

    def constant(self, node: Node) -> Rational:
        value = evaluate(node, self.lookup, budget=self.budget, call=self.call).value
        if not isinstance(value, Fraction):
            raise NotRational
        return Rational.constant(value)

    def combined(self, node: Binary) -> Rational:
        left = self.read(node.left)
        if node.operator == "^":
            return self.power(node, left)
        right = self.read(node.right)
        if node.operator == "+":
            return left.plus(right, self.budget)
        if node.operator == "-":
            return left.minus(right, self.budget)
        return left.times(right if node.operator == "*" else self.inverse(right), self.budget)

    def inverse(self, divisor: Rational) -> Rational:
        self.divisors.append(divisor)
        return divisor.inverse(self.budget)

    def power(self, node: Binary, base: Rational) -> Rational:
        exponent = None if id(node.right) in self.carrying else self.constant(node.right).at(Fraction(0))
        if exponent is None or exponent.denominator != 1:
            raise NotRational
        if exponent < 0:
            base = self.inverse(base)
        return base.power(abs(exponent.numerator), self.budget)

    def called(self, node: Call) -> Rational:
        if node.keywords or len(node.name) != 1 or node.name[0] not in ("num", "as", "sum"):
            raise NotRational
        if node.name[0] == "sum":
            total = Rational.constant(Fraction(0))
            for part in node.positional:
                total = total.plus(self.read(part), self.budget)
            return total
        unit = node.positional[1]
        if not isinstance(unit, UnitLiteral):
            raise NotRational
        factor = unit.unit.factor if node.name[0] == "as" else 1 / unit.unit.factor
        return self.read(node.positional[0]).times(Rational.constant(factor), self.budget)


def bisect(
    function: Callable[[Fraction], Quantity],
    low: Fraction,
    high: Fraction,
    *,
    dimension: Dimension = PURE,
    name: str = "the symbol",
) -> Quantity:
    """The one zero of ``function`` between two points, as an interval of relative width 2**-80 or exactly.

    Raises :class:`FormulaError` where no change of sign is seen at 65 places (in a range of many orders of magnitude at 9,
    and at each power of four), where more than one is, and
    where the function jumps over zero. An even number of zeros closer together than those places goes unseen.
    """
    if low >= high:
        raise FormulaError(f"the range of {name} is empty")
    points = _places(low, high)
    signs = [_sign(function(point).value) for point in points]
    zeros = [index for index, sign in enumerate(signs) if sign == 0]
    brackets = [index for index in range(len(points) - 1) if (signs[index] or 0) * (signs[index + 1] or 0) < 0]
    found = len(zeros) + len(brackets)
    if found == 0:
        if any(sign is None for sign in signs):
            raise FormulaError(f"whether the equation holds for a value of {name} in the range cannot be told")
        raise FormulaError(f"the equation holds for no {name} in the range: neither side crosses the other")
    if found > 1:
        places = ", ".join(f"{float(points[index]):.6g}" for index in sorted(zeros + brackets)[:4])
        raise FormulaError(f"the equation holds for more than one {name}: near {places}")
    if zeros:
        return Quantity(points[zeros[0]], dimension)
    index = brackets[0]
    return Quantity(_narrowed(function, points[index], points[index + 1], name), dimension)


@lru_cache(maxsize=8)
def _places(low: Fraction, high: Fraction) -> tuple[Fraction, ...]:
    """Where to look for changes of sign: evenly spaced, or at four times the last where the range spans orders of magnitude."""
    ratio = 4 if low > 0 and high / low > 2**16 else 2
    count = _SCAN if ratio == 2 else _SCAN // 8
    places = {low + (high - low) * step / count for step in range(count + 1)}
    if low > 0 and high / low > 4:
        point = low
        for _ in range(4 * _SCAN):
            point *= ratio
            if point >= high:
                break
            places.add(point)
    return tuple(sorted(places))


def _narrowed(function: Callable[[Fraction], Quantity], low: Fraction, high: Fraction, name: str) -> Value:
    bracket = _Bracket(function, low, high)
    start = bracket.left
    patience, whole = _PATIENCE, True
    for _ in range(_MAX_BISECTIONS):
        width = bracket.width
        if width <= _RELATIVE_WIDTH * min(abs(bracket.low), abs(bracket.high)):
            break
        if whole and width < 1 and bracket.low < ceil(bracket.low) < bracket.high:
            # Most of what is counted is whole: so an answer that is, comes out exactly.
            whole = False
            with suppress(FormulaError):  # where it has no value there it is no zero
                if bracket.probe(Fraction(ceil(bracket.low))):
                    return bracket.low
            continue
        if patience and bracket.chord():
            return bracket.low
        if bracket.width > width / 2:
            patience -= patience > 0
            if bracket.probe((bracket.low + bracket.high) / 2):
                return bracket.low
        if bracket.stuck:
            # The function's own interval holds zero: no closer answer can be proved.
            break
    low, high = bracket.low, bracket.high
    if bracket.left > start / 2**20 and high - low <= _RELATIVE_WIDTH * abs(high):
        raise FormulaError(f"the two sides jump past each other near {name} = {float(low):.6g} without being equal")
    return between(low, high)


class _Bracket:
    """Two points at which a function has different signs, and between them its zero."""

    def __init__(self, function: Callable[[Fraction], Quantity], low: Fraction, high: Fraction):
        self.function = function
        self.low, self.high = low, high
        self.first, self.last = function(low).value, function(high).value
        self.rising = (_sign(self.last) or 0) > 0
        self.stuck = False

    @property
    def width(self) -> Fraction:
        return self.high - self.low

    @property
    def left(self) -> Fraction:
        """How far the function is from zero at the two points together."""
        return _size(self.first) + _size(self.last)

    def probe(self, point: Fraction) -> bool:
        """Look at a point and move an end there; whether it is a zero, and both ends are then there."""
        value = self.function(point).value
        sign = _sign(value)
        if sign == 0:
            self.low = self.high = point
            return True
        if sign is None:
            self.around(point)
        elif (sign > 0) == self.rising:
            self.high, self.last = point, value
        else:
            self.low, self.first = point, value
        return False

    def around(self, point: Fraction) -> None:
        """At a point where the sign cannot be told: the nearest ones on both sides where it can."""
        self.stuck = True
        for side in (-1, 1):
            for exponent in range(88, 20, -6):
                beside = point + side * abs(point) / 2**exponent
                if not self.low < beside < self.high:
                    break
                value = self.function(beside).value
                if _sign(value) is not None:
                    if side < 0:
                        self.low, self.first = beside, value
                    else:
                        self.high, self.last = beside, value
                    break

    def chord(self) -> bool:
        """Look where the line through both ends is zero, then as far again beyond: of a smooth curve, both ends move."""
        point = self.crossing()
        if self.probe(point):
            return True
        if self.stuck:
            return False
        beyond = 2 * (self.crossing() - point) + point
        return self.low < beyond < self.high and self.probe(_rounded(beyond))

    def crossing(self) -> Fraction:
        ahead, behind = (shortened(_size(v), up=True, length=64) for v in (self.first, self.last))
        point = _rounded(self.low + self.width * ahead / (ahead + behind))
        return point if self.low < point < self.high else (self.low + self.high) / 2


def _rounded(point: Fraction) -> Fraction:
    """A point near another, short enough to be computed with."""
    return shortened(point, up=True, length=128)


def _sign(value: Value) -> int | None:
    low, high = ends(value)
    if low > 0:
        return 1
    if high < 0:
        return -1
    return 0 if low == high else None


def _size(value: Value) -> Fraction:
    low, high = ends(value)
    return max(abs(low), abs(high))
