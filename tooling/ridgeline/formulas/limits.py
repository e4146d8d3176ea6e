"""Where a formula tends as one of its symbols grows without bound, or comes near a value: proved, not sampled.

A formula is enclosed, for every symbol far enough out, between two rational functions of ``t``. Far enough out a rational
function has one sign, and of two of them one is the greater, so ``min``, ``max``, ``abs``, ``ceil``, ``floor`` and
``round`` are decided exactly. Where both ends of the enclosure tend to one value, so does the formula. The symbol itself
is ``t``, or ``a + 1/t`` and ``a - 1/t`` where it comes near ``a``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ridgeline.formulas.errors import LOGARITHM, Budget, FormulaError
from ridgeline.formulas.evaluate import CallBack, Lookup, evaluate, nearest_integer
from ridgeline.formulas.polynomial import NotRational, Rational
from ridgeline.formulas.quantity import Value, ends
from ridgeline.formulas.roots import logarithm, square_root
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, UnitLiteral, carriers

#: How near the limit of its argument a root or a logarithm is enclosed; symbols far enough out are nearer.
_NEAR = Fraction(1, 2**90)


class Undecided(Exception):
    """No limit could be proved: the formula may have one, or none."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit between two values in canonical base units, or beyond every value: ``unbounded`` is then 1 or -1."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    unbounded: int = 0

    def agrees(self, value: Value) -> bool:
        """Whether the limit is this value; the intervals that roots and logarithms leave must overlap."""
        low, high = ends(value)
        return not self.unbounded and self.low <= high and low <= self.high


def limit(
    node: Node,
    symbol: str,
    lookup: Lookup,
    *,
    near: Fraction | None = None,
    below: bool = False,
    budget: Budget | None = None,
    call: CallBack | None = None,
) -> Limit:
    """Where a tree tends as a symbol grows without bound, or comes ``near`` a value from above or from ``below`` it.

    The symbol and ``near`` are in canonical base units, and every name that reads the symbol must be opened before.
    Raises :class:`Undecided` where no limit could be proved, and :class:`FormulaError` as an evaluation would.
    """
    t, budget = Rational.symbol(), budget or Budget()
    if near is not None:
        step = t.inverse(budget)
        t = Rational.constant(near).plus(step.negated() if below else step, budget)
    try:
        found = _Reader(carriers(node, tuple(symbol.split("."))), t, lookup, budget, call).read(node)
    except NotRational:
        raise Undecided from None
    except RecursionError:
        raise FormulaError("the formula is nested too deep", node.start, node.end) from None
    low, high = _limit(found.low), _limit(found.high)
    if low is None and _sign(found.low) > 0:
        return Limit(unbounded=1)
    if high is None and _sign(found.high) < 0:
        return Limit(unbounded=-1)
    # Roots and logarithms leave a little between the ends; more than that is no limit.
    if low is None or high is None or high - low > 2**20 * _NEAR * max(abs(low), abs(high)):
        raise Undecided
    return Limit(low, high)


@dataclass(frozen=True, slots=True)
class _Germ:
    """What is, for every ``t`` far enough out, between two rational functions of ``t``."""

    low: Rational
    high: Rational

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def plus(self, other: _Germ, budget: Budget) -> _Germ:
        low = self.low.plus(other.low, budget)
        return _point(low) if self.exact and other.exact else _Germ(low, self.high.plus(other.high, budget))

    def negated(self) -> _Germ:
        return _Germ(self.high.negated(), self.low.negated())

    def times(self, other: _Germ, budget: Budget) -> _Germ:
        if self.exact and other.exact:
            return _point(self.low.times(other.low, budget))
        products = [a.times(b, budget) for a in (self.low, self.high) for b in (other.low, other.high)]
        return _Germ(_least(products, budget), _greatest(products, budget))

    def inverse(self, budget: Budget) -> _Germ:
        signs = (_sign(self.low), _sign(self.high))
        if signs == (0, 0):
            raise FormulaError("division by zero")
        if signs[0] != signs[1]:
            raise Undecided
        return _Germ(self.high.inverse(budget), self.low.inverse(budget))


def _point(value: Rational) -> _Germ:
    return _Germ(value, value)


def _sign(value: Rational) -> int:
    """The sign far enough out. The bottom's leading coefficient is 1."""
    return 0 if not value.top else 1 if value.top[-1] > 0 else -1


def _least(values: list[Rational], budget: Budget) -> Rational:
    found = values[0]
    for value in values[1:]:
        if _sign(value.minus(found, budget)) < 0:
            found = value
    return found


def _greatest(values: list[Rational], budget: Budget) -> Rational:
    return _least([v.negated() for v in values], budget).negated()


def _limit(value: Rational) -> Fraction | None:
    """The value at infinity, ``None`` where there is no bound."""
    if len(value.top) > len(value.bottom):
        return None
    return value.top[-1] if value.top and len(value.top) == len(value.bottom) else Fraction(0)


class _Reader:
    """Reads a tree as a germ, everything without the symbol evaluated."""

    def __init__(
        self, carrying: frozenset[int], value: Rational, lookup: Lookup, budget: Budget, call: CallBack | None
    ):
        self.carrying = carrying
        self.value = _point(value)
        self.lookup = lookup
        self.budget = budget
        self.call = call

    def read(self, node: Node) -> _Germ:
        if id(node) not in self.carrying:
            low, high = ends(evaluate(node, self.lookup, budget=self.budget, call=self.call).value)
            return _Germ(Rational.constant(low), Rational.constant(high))
        if isinstance(node, Name):
            return self.value
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
        raise Undecided

    def combined(self, node: Binary) -> _Germ:
        left = self.read(node.left)
        if node.operator == "^":
            return self.power(node, left)
        right = self.read(node.right)
        if node.operator == "+":
            return left.plus(right, self.budget)
        if node.operator == "-":
            return left.plus(right.negated(), self.budget)
        return left.times(right if node.operator == "*" else right.inverse(self.budget), self.budget)

    def power(self, node: Binary, base: _Germ) -> _Germ:
        if id(node.right) in self.carrying:
            raise Undecided
        exponent = evaluate(node.right, self.lookup, budget=self.budget, call=self.call).value
        if not isinstance(exponent, Fraction) or exponent.denominator != 1:
            raise FormulaError("an exponent is an integer; write sqrt(x) for a square root")
        count = abs(exponent.numerator)
        if base.exact:
            powered = _point(base.low.power(count, self.budget))
        else:
            if count > 8:
                raise Undecided
            powered = _point(Rational.constant(Fraction(1)))
            for _ in range(count):
                powered = powered.times(base, self.budget)
        return powered.inverse(self.budget) if exponent < 0 else powered

    def called(self, node: Call) -> _Germ:
        name = node.name[0]
        if node.keywords or len(node.name) != 1 or not node.positional:
            raise Undecided
        if name in ("num", "as"):
            unit = node.positional[-1]
            if not isinstance(unit, UnitLiteral):
                raise Undecided
            factor = unit.unit.factor if name == "as" else 1 / unit.unit.factor
            return self.read(node.positional[0]).times(_point(Rational.constant(factor)), self.budget)
        parts = [self.read(part) for part in node.positional]
        if name in ("min", "max"):
            chosen = _least if name == "min" else _greatest
            return _Germ(chosen([p.low for p in parts], self.budget), chosen([p.high for p in parts], self.budget))
        if name == "sum":
            total = parts[0]
            for part in parts[1:]:
                total = total.plus(part, self.budget)
            return total
        function = _OF_ONE.get(name)
        if function is None or len(parts) != 1:
            raise Undecided
        return function(parts[0], self.budget)


def _absolute(germ: _Germ, budget: Budget) -> _Germ:
    if _sign(germ.low) >= 0:
        return germ
    if _sign(germ.high) <= 0:
        return germ.negated()
    return _Germ(Rational.constant(Fraction(0)), _greatest([germ.low.negated(), germ.high], budget))


@dataclass(frozen=True, slots=True)
class _Step:
    """A rounding: at a value, just above it, just below it, and how far below and above its argument it can be."""

    at: Callable[[Fraction], int]
    above: Callable[[Fraction], int]
    below: Callable[[Fraction], int]
    reach: tuple[Fraction, Fraction]

    def __call__(self, germ: _Germ, budget: Budget) -> _Germ:
        return _Germ(self.bound(germ.low, 0, budget), self.bound(germ.high, 1, budget))

    def bound(self, value: Rational, upper: int, budget: Budget) -> Rational:
        nearing = _limit(value)
        if nearing is None:
            return value.plus(Rational.constant(self.reach[upper]), budget)
        side = _sign(value.minus(Rational.constant(nearing), budget))
        whole = self.at if side == 0 else self.above if side > 0 else self.below
        return Rational.constant(Fraction(whole(nearing)))


_HALF = Fraction(1, 2)
_OfOne = Callable[[_Germ, Budget], _Germ]


def _rising(function: Callable[[Value], Value]) -> _OfOne:
    """A root or a logarithm of what tends to a value above zero; it is as near the value's own as one likes."""

    def of(germ: _Germ, budget: Budget) -> _Germ:
        budget.spend(2 * LOGARITHM)
        low, high = _limit(germ.low), _limit(germ.high)
        if low is None or high is None or low <= 0:
            raise Undecided
        return _Germ(
            Rational.constant(ends(function(low * (1 - _NEAR)))[0]),
            Rational.constant(ends(function(high * (1 + _NEAR)))[1]),
        )

    return of


_OF_ONE: dict[str, _OfOne] = {
    "abs": _absolute,
    "ceil": _Step(ceil, lambda v: floor(v) + 1, ceil, (Fraction(0), Fraction(1))),
    "floor": _Step(floor, floor, lambda v: ceil(v) - 1, (Fraction(-1), Fraction(0))),
    "round": _Step(nearest_integer, lambda v: floor(v + _HALF), lambda v: ceil(v - _HALF), (-_HALF, _HALF)),
    "sqrt": _rising(square_root),
    "log2": _rising(logarithm),
}
