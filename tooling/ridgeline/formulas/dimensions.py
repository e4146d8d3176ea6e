"""The dimension of a tree without its values: checks a formula whose symbols have units but no numbers yet."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from ridgeline.formulas.errors import Budget, FormulaError
from ridgeline.formulas.evaluate import BUILTINS, evaluate
from ridgeline.formulas.quantity import PURE, Quantity, common, raised, square_root_dimension
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral, names
from ridgeline.numbers.units import Dimension, describe, hard, multiply

LookupDimension = Callable[[Name], Dimension]
CallDimension = Callable[[Call, Callable[[Node], Dimension]], Dimension]


def dimension_of(
    node: Node, lookup: LookupDimension, *, budget: Budget | None = None, call: CallDimension | None = None
) -> Dimension:
    """The dimension that :func:`~ridgeline.formulas.evaluate.evaluate` would give, with the same errors and warnings.

    One more refusal: an exponent that is no constant, unless its base is a pure number.
    """
    try:
        return _Dimensions(lookup, budget or Budget(), call).of(node)
    except RecursionError:
        raise FormulaError("the formula is nested too deep", node.start, node.end) from None


class _Dimensions:
    def __init__(self, lookup: LookupDimension, budget: Budget, call: CallDimension | None):
        self.lookup = lookup
        self.budget = budget
        self.call = call

    def of(self, node: Node) -> Dimension:
        notes: list[str] = []
        try:
            result = self.found(node, notes)
        except FormulaError as error:
            raise error if error.placed else error.at(node.start, node.end) from None
        for note in notes:
            self.budget.warn(note, node.start, node.end)
        return result

    def found(self, node: Node, notes: list[str]) -> Dimension:
        if isinstance(node, Number):
            return PURE
        if isinstance(node, Name):
            return self.lookup(node)
        self.budget.spend()
        if isinstance(node, Negate):
            return self.of(node.operand)
        if isinstance(node, Binary):
            return self.binary(node, notes)
        if isinstance(node, Call):
            return self.called(node, notes)
        raise FormulaError("a unit may stand only in num(x, unit) and as(x, unit)")

    def binary(self, node: Binary, notes: list[str]) -> Dimension:
        left, right = self.of(node.left), self.of(node.right)
        if node.operator in "+-":
            return common(left, right, notes, "added to" if node.operator == "+" else "reduced by")
        if node.operator in "*/":
            return multiply(left, right, 1 if node.operator == "*" else -1)
        if hard(right):
            raise FormulaError(f"an exponent has no unit, this one is in {describe(right)}")
        if not left:
            return PURE
        if names(node.right):
            raise FormulaError("an exponent of a value with a unit must be a constant")
        exponent = evaluate(node.right, _no_name, budget=self.budget)
        return raised(Quantity(Fraction(1), left), exponent, notes).dimension

    def called(self, node: Call, notes: list[str]) -> Dimension:
        name = node.name[0]
        if len(node.name) != 1 or name not in BUILTINS:
            if self.call is None:
                raise FormulaError(f"unknown function {node.text}")
            return self.call(node, self.of)
        return self.builtin(node, name, notes)

    def builtin(self, node: Call, name: str, notes: list[str]) -> Dimension:
        if name in ("num", "as"):
            return self.with_unit(node, notes)
        arguments = [self.of(part) for part in node.positional]
        if name == "count":
            return PURE
        if not arguments or (len(arguments) > 1 and name not in ("min", "max", "sum")):
            raise FormulaError(f"{name} does not take {len(arguments)} arguments")
        if name == "log2":
            if hard(arguments[0]):
                raise FormulaError(f"log2 takes a pure number, this is in {describe(arguments[0])}")
            return PURE
        if name == "sqrt":
            return square_root_dimension(arguments[0], notes)
        verb = "added to" if name == "sum" else "compared with"
        return reduce(lambda a, b: common(a, b, notes, verb), arguments)

    def with_unit(self, node: Call, notes: list[str]) -> Dimension:
        subject = self.of(node.positional[0])
        unit = node.positional[1]
        assert isinstance(unit, UnitLiteral)
        if node.name[0] == "num":
            common(subject, unit.unit.dimension, notes, "read in")
            return PURE
        if hard(subject):
            raise FormulaError(f"as() attaches a unit to a number or a count, this is in {describe(subject)} already")
        return unit.unit.dimension


def _no_name(name: Name) -> Quantity:
    raise FormulaError(f"{name.text} is not a constant")
