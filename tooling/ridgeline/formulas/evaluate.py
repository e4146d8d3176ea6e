"""Exact evaluation of a syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from ridgeline.formulas.errors import LOGARITHM, MAX_BITS, MAX_NESTING, ROOT, Budget, FormulaError, effort, nearest
from ridgeline.formulas.quantity import (
    Quantity,
    add,
    between,
    common,
    divide,
    ends,
    negated,
    raised,
    scaled,
    size,
    square_root_dimension,
    subtract,
    times,
)
from ridgeline.formulas.roots import logarithm, square_root
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral
from ridgeline.numbers.units import Dimension, describe, hard

Lookup = Callable[[Name], Quantity]
EvaluateArgument = Callable[[Node], Quantity]
CallBack = Callable[[Call, EvaluateArgument], Quantity]
Function = Callable[[list[Quantity], list[str], Budget], Quantity]

_OPERATORS = {"+": add, "-": subtract, "*": times, "/": divide, "^": raised}


def evaluate(node: Node, lookup: Lookup, *, budget: Budget | None = None, call: CallBack | None = None) -> Quantity:
    """The value of a tree.

    ``lookup`` gives the quantity of a name; ``call`` the value of a call that is no built-in, with a function that
    evaluates one argument. Both may call :func:`evaluate` again with the same ``budget``, which bounds steps and
    nesting over all of it and collects the warnings. Every refusal is a :class:`FormulaError` with the place in
    ``node``'s text; one that a callback raises without a place gets the place of its name or call.
    """
    if budget is None:
        budget = Budget()
    if budget.nesting <= 0:
        raise FormulaError(f"formulas call each other more than {MAX_NESTING} deep", node.start, node.end)
    budget.nesting -= 1
    try:
        return _Evaluation(lookup, budget, call).value(node)
    except RecursionError:
        raise FormulaError("the formula is nested too deep", node.start, node.end) from None
    finally:
        budget.nesting += 1


class _Evaluation:
    __slots__ = ("budget", "call", "lookup", "notes")

    def __init__(self, lookup: Lookup, budget: Budget, call: CallBack | None):
        self.lookup = lookup
        self.budget = budget
        self.call = call
        self.notes: list[str] = []

    def value(self, node: Node) -> Quantity:
        kind = type(node)
        if kind is Number:
            return Quantity(node.value)  # type: ignore[union-attr]
        if kind is Binary:
            return self.binary(node)  # type: ignore[arg-type]
        try:
            self.budget.spend()
            if isinstance(node, Name):
                return self.lookup(node)
            if isinstance(node, Negate):
                inner = self.value(node.operand)
                return Quantity(negated(inner.value), inner.dimension)
            if isinstance(node, Call):
                return self.called(node)
        except FormulaError as error:
            raise error if error.placed else error.at(node.start, node.end) from None
        raise FormulaError("a unit may stand only in num(x, unit) and as(x, unit)", node.start, node.end)

    def binary(self, node: Binary) -> Quantity:
        """A chain such as ``a + b + c`` leans left: follow it in a loop, so that only real nesting takes stack."""
        chain = [node]
        left = node.left
        while type(left) is Binary:
            chain.append(left)
            left = left.left
        result = self.value(left)
        budget, notes = self.budget, self.notes
        for part in reversed(chain):
            right = self.value(part.right)
            try:
                result = _OPERATORS[part.operator](result, right, notes, budget)
            except FormulaError as error:
                raise error.at(part.start, part.end) from None
            if notes:
                self.report(part)
        return result

    def report(self, node: Node) -> None:
        for note in self.notes:
            self.budget.warn(note, node.start, node.end)
        self.notes.clear()

    def called(self, node: Call) -> Quantity:
        function = BUILTINS.get(node.name[0]) if len(node.name) == 1 else None
        if function is None:
            if self.call is None:
                raise FormulaError(
                    f"unknown function {node.text}", node.start, node.end, nearest(node.text, [*BUILTINS, "total"])
                )
            return self.call(node, self.value)
        if node.keywords:
            raise FormulaError(f"{node.text} takes no keyword arguments", node.start, node.end)
        if node.name[0] in ("num", "as"):
            result = self.with_unit(node)
        else:
            arguments = [self.value(part) for part in node.positional]
            result = function(arguments, self.notes, self.budget)
        if self.notes:
            self.report(node)
        return result

    def with_unit(self, node: Call) -> Quantity:
        if len(node.positional) != 2 or not isinstance(node.positional[1], UnitLiteral):
            raise FormulaError(f"{node.text} takes a value and a unit", node.start, node.end)
        subject, unit = self.value(node.positional[0]), node.positional[1].unit
        if node.name[0] == "num":
            common(subject.dimension, unit.dimension, self.notes, "read in")
            return Quantity(scaled(subject.value, 1 / unit.factor, self.budget))
        if hard(subject.dimension):
            raise FormulaError(
                f"as() attaches a unit to a number or a count, this is in {describe(subject.dimension)} already; "
                "num(x, unit) takes a unit away"
            )
        return Quantity(scaled(subject.value, unit.factor, self.budget), unit.dimension)


# The built-in functions. Each takes its arguments, appends to the notes what is doubtful, and pays before it computes.


def _joined(arguments: list[Quantity], notes: list[str], budget: Budget, name: str) -> Dimension:
    if not arguments:
        raise FormulaError(f"{name} takes at least one argument")
    dimension, longest = arguments[0].dimension, size(arguments[0].value)
    for other in arguments[1:]:
        longest = max(longest, size(other.value))
        # Each end is compared with the one that is best so far: a product of what is longest.
        budget.spend(2 * effort(min(2 * longest, MAX_BITS)))
        if other.dimension != dimension:
            dimension = common(dimension, other.dimension, notes, "compared with")
    return dimension


def _min(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    dimension = _joined(arguments, notes, budget, "min")
    return Quantity(between(min(a.low for a in arguments), min(a.high for a in arguments)), dimension)


def _max(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    dimension = _joined(arguments, notes, budget, "max")
    return Quantity(between(max(a.low for a in arguments), max(a.high for a in arguments)), dimension)


def _sum(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    if not arguments:
        raise FormulaError("sum takes at least one argument")
    total = arguments[0]
    for other in arguments[1:]:
        total = add(total, other, notes, budget)
    return total


def _count(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    return Quantity(Fraction(len(arguments)))


def _only(arguments: list[Quantity], budget: Budget, name: str, steps: int = 0) -> Quantity:
    if len(arguments) != 1:
        raise FormulaError(f"{name} takes one argument, not {len(arguments)}")
    budget.spend(steps + effort(size(arguments[0].value)))
    return arguments[0]


def nearest_integer(value: Fraction) -> int:
    """The nearest integer, a half away from zero: as a reader rounds, and SQL does."""
    return -floor(Fraction(1, 2) - value) if value < 0 else floor(value + Fraction(1, 2))


def _rounding(name: str, to_integer: Callable[[Fraction], int]) -> Function:
    def function(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
        subject = _only(arguments, budget, name)
        units = hard(subject.dimension)
        if units and units not in ((("byte", 1),), (("flop", 1),)):
            notes.append(f"{name} of a value in {describe(subject.dimension)}: say in which unit, {name}(num(x, unit))")
        low, high = ends(subject.value)
        return Quantity(between(Fraction(to_integer(low)), Fraction(to_integer(high))), subject.dimension)

    return function


def _abs(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    subject = _only(arguments, budget, "abs")
    low, high = ends(subject.value)
    least = Fraction(0) if low < 0 < high else min(abs(low), abs(high))
    return Quantity(between(least, max(abs(low), abs(high))), subject.dimension)


def _log2(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    subject = _only(arguments, budget, "log2", LOGARITHM)
    if hard(subject.dimension):
        raise FormulaError(f"log2 takes a pure number, this is in {describe(subject.dimension)}")
    return Quantity(logarithm(subject.value))


def _sqrt(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    subject = _only(arguments, budget, "sqrt", ROOT)
    return Quantity(square_root(subject.value), square_root_dimension(subject.dimension, notes))


def _unit_function(arguments: list[Quantity], notes: list[str], budget: Budget) -> Quantity:
    raise FormulaError("num and as take a value and a unit")


BUILTINS: dict[str, Function] = {
    "min": _min,
    "max": _max,
    "sum": _sum,
    "count": _count,
    "ceil": _rounding("ceil", ceil),
    "floor": _rounding("floor", floor),
    "round": _rounding("round", nearest_integer),
    "abs": _abs,
    "log2": _log2,
    "sqrt": _sqrt,
    "num": _unit_function,
    "as": _unit_function,
}
