"""Where an equation holds: in closed form, by exact algebra, or by exact bisection.

Names that stand for formulas must be opened first (:func:`ridgeline.formulas.tree.substitute`): these functions see
the symbol only where it stands in the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ridgeline.formulas.errors import Budget, FormulaError
from ridgeline.formulas.evaluate import CallBack, Lookup, evaluate
from ridgeline.formulas.polynomial import NotRational, Rational
from ridgeline.formulas.quantity import PURE, Quantity, Value, between, ends
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, UnitLiteral, constant, names
from ridgeline.numbers.units import Dimension

_RELATIVE_WIDTH = Fraction(1, 2**80)
_MAX_BISECTIONS = 400
_SCAN = 64


def holds(node: Node, symbol: str) -> int:
    """How often a dotted symbol occurs in a tree."""
    parts = tuple(symbol.split("."))
    return sum(1 for name in names(node) if name.parts == parts)


def isolate(left: Node, right: Node, symbol: str) -> Node | None:
    """The tree that the symbol equals, where it occurs exactly once and every step down to it can be undone.

    Undone are ``+ - * /``, constant powers of magnitude 1, 2, 4 … 64 (the root that is not negative: symbols count
    things), square roots, ``num`` and ``as``. ``None`` where that is not enough.
    """
    if holds(left, symbol) + holds(right, symbol) != 1:
        return None
    subject, value = (left, right) if holds(left, symbol) else (right, left)
    while not isinstance(subject, Name):
        step = _undone(subject, value, symbol)
        if step is None:
            return None
        subject, value = step
    return value


def _undone(subject: Node, value: Node, symbol: str) -> tuple[Node, Node] | None:
    """One step: the part of ``subject`` that holds the symbol, and what that part equals."""
    if isinstance(subject, Negate):
        return subject.operand, Negate(value)
    if isinstance(subject, Call):
        return _undone_call(subject, value, symbol)
    if not isinstance(subject, Binary):
        return None
    a, b, first = subject.left, subject.right, bool(holds(subject.left, symbol))
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


def _undone_call(subject: Call, value: Node, symbol: str) -> tuple[Node, Node] | None:
    if subject.keywords or not subject.positional or not holds(subject.positional[0], symbol):
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
    algebra = _Algebra(symbol, lookup, budget or Budget(), call)
    try:
        difference = algebra.read(left).minus(algebra.read(right))
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

    def __init__(self, symbol: str, lookup: Lookup, budget: Budget, call: CallBack | None):
        self.symbol = symbol
        self.lookup = lookup
        self.budget = budget
        self.call = call
        self.divisors: list[Rational] = []

    def read(self, node: Node) -> Rational:
        if not holds(node, self.symbol):
            return self.constant(node)
        if isinstance(node, Name):
            return Rational.symbol()
        try:
            self.budget.spend()
            if isinstance(node, Negate):
                return Rational.constant(Fraction(-1)).times(self.read(node.operand))
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
            return left.plus(right)
        if node.operator == "-":
            return left.minus(right)
        if node.operator == "*":
            return left.times(right)
        return left.times(self.inverse(right))

    def inverse(self, divisor: Rational) -> Rational:
        self.divisors.append(divisor)
        return divisor.inverse()

    def power(self, node: Binary, base: Rational) -> Rational:
        exponent = None if holds(node.right, self.symbol) else self.constant(node.right).at(Fraction(0))
        if exponent is None or exponent.denominator != 1:
            raise NotRational
        if exponent < 0:
            base = self.inverse(base)
        return base.power(abs(exponent.numerator))

    def called(self, node: Call) -> Rational:
        if node.keywords or len(node.name) != 1 or node.name[0] not in ("num", "as", "sum"):
            raise NotRational
        if node.name[0] == "sum":
            total = Rational.constant(Fraction(0))
            for part in node.positional:
                total = total.plus(self.read(part))
            return total
        unit = node.positional[1]
        if not isinstance(unit, UnitLiteral):
            raise NotRational
        factor = unit.unit.factor if node.name[0] == "as" else 1 / unit.unit.factor
        return self.read(node.positional[0]).times(Rational.constant(factor))


def bisect(
    function: Callable[[Fraction], Quantity],
    low: Fraction,
    high: Fraction,
    *,
    dimension: Dimension = PURE,
    name: str = "the symbol",
) -> Quantity:
    """The one zero of ``function`` between two points, as an interval of relative width 2**-80 or exactly.

    Raises :class:`FormulaError` where no change of sign is seen at 65 places and more, where more than one is, and
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


def _places(low: Fraction, high: Fraction) -> list[Fraction]:
    """Where to look for changes of sign: evenly spaced, and by doubling where the range spans orders of magnitude."""
    places = {low + (high - low) * step / _SCAN for step in range(_SCAN + 1)}
    if low > 0 and high / low > 4:
        point = low
        for _ in range(4 * _SCAN):
            point *= 2
            if point >= high:
                break
            places.add(point)
    return sorted(places)


def _narrowed(function: Callable[[Fraction], Quantity], low: Fraction, high: Fraction, name: str) -> Value:
    first, last = function(low), function(high)
    rising = (_sign(last.value) or 0) > 0
    start = _size(first.value) + _size(last.value)
    for _ in range(_MAX_BISECTIONS):
        if high - low <= _RELATIVE_WIDTH * min(abs(low), abs(high)):
            break
        middle = (low + high) / 2
        value = function(middle)
        sign = _sign(value.value)
        if sign == 0:
            return middle
        if sign is None:
            # The function's own interval holds zero: no closer answer can be proved.
            break
        if (sign > 0) == rising:
            high, last = middle, value
        else:
            low, first = middle, value
    if _size(first.value) + _size(last.value) > start / 2**20 and high - low <= _RELATIVE_WIDTH * abs(high):
        raise FormulaError(f"the two sides jump past each other near {name} = {float(low):.6g} without being equal")
    return between(low, high)


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
