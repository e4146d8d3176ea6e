"""Where an equation of a class holds: in closed form where the tree allows, exactly otherwise, by bisection at last."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from fractions import Fraction

from ridgeline.formulas.errors import TRIAL, Budget, FormulaError
from ridgeline.formulas.evaluate import evaluate
from ridgeline.formulas.quantity import Quantity, scaled, subtract
from ridgeline.formulas.solve import bisect, isolate, linear
from ridgeline.formulas.tree import Call, Name, Node, walk
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.opening import unmarked
from ridgeline.numbers.units import Unit

#: Symbols of classes count tokens, sequences and devices: from one to far beyond any machine.
_LOW, _HIGH = Fraction(1), Fraction(2**44)
#: Relative distance of the neighbours that tell a point from a range (a rounded side is flat between its steps).
_BESIDE = Fraction(1, 2**20)

Sides = tuple[Node, Node]


@dataclass
class Trials:
    """Evaluates the sides of an equation with its symbol at one value after another.

    ``name`` derives a name in a group of layers, ``call`` a call, both with the symbol at a value where one is given.
    What does not rest on the symbol is derived once; ``varying`` names the formulas that are derived each time.
    """

    symbol: str
    budget: Budget
    name: Callable[[Name, int | None, Quantity | None], Derivation]
    call: Callable[[Call, Quantity | None], Derivation]
    varying: Collection[str]
    fixed: dict[Name, Quantity] = field(default_factory=dict)
    moving: set[Name] = field(default_factory=set)

    def at(self, tree: Node, value: Quantity) -> Quantity:
        """A side with the symbol at a value."""
        return evaluate(
            tree, lambda n: self.lookup(n, value), budget=self.budget, call=lambda c, _: self.call(c, value).quantity
        )

    def lookup(self, marked: Name, value: Quantity | None = None) -> Quantity:
        """The value of a name, in the group of layers that it is marked with."""
        found = self.fixed.get(marked)
        if found is not None:
            return found
        group, name = unmarked(marked)
        if name.text == self.symbol and value is not None:
            return value
        derived = self.name(name, group, value)
        if value is not None and marked not in self.moving:
            if name.text in self.varying or self.rests(derived):
                self.moving.add(marked)
            else:
                self.fixed[marked] = derived.quantity
        return derived.quantity

    def rests(self, derived: Derivation) -> bool:
        """Whether a value may rest on the symbol: it is read somewhere, or something was set that could be it."""
        return any(
            (step.leaf and step.given is None and step.label == self.symbol)
            or (step.tree is not None and any(isinstance(part, Call) and part.keywords for part in walk(step.tree)))
            for step in derived.walk()
        )


def solve(sides: Sides | None, unrolled: Sides, trials: Trials, unit: Unit, *, hidden: bool) -> Node | Quantity:
    """The solution of an equation for a symbol: a tree in closed form, else a value in canonical base units.

    Names that stand for formulas of the symbol must be opened before, and in ``unrolled`` also the totals over layers.
    ``sides`` is nothing where such a name may be left; where one may be left even in ``unrolled`` (``hidden``), only trial
    values can tell. Raises :class:`FormulaError` where there is no solution or more than one.
    """
    tree = None if sides is None else isolate(*sides, trials.symbol)
    if tree is not None:
        return tree
    if not hidden:
        root = linear(
            *unrolled,
            trials.symbol,
            trials.lookup,
            budget=trials.budget,
            call=lambda node, _: trials.call(node, None).quantity,
        )
        if root is not None:
            return Quantity(root, unit.dimension)
    return _bisected(unrolled, trials, unit)


def _bisected(sides: Sides, trials: Trials, unit: Unit) -> Quantity:
    def difference(value: Fraction) -> Quantity:
        trials.budget.spend(TRIAL)
        trial = Quantity(value * unit.factor, unit.dimension)
        # The units of the two sides are compared where the solution is derived.
        left, right = (Quantity(trials.at(side, trial).value) for side in sides)
        return subtract(left, right, None, trials.budget)

    found = bisect(difference, _LOW, _HIGH, name=trials.symbol)
    if isinstance(found.value, Fraction) and any(
        difference(found.value * (1 + step)).value == 0 for step in (_BESIDE, -_BESIDE)
    ):
        raise FormulaError(
            f"the equation holds for more than one {trials.symbol}: for a whole range near {float(found):.6g}"
        )
    return Quantity(scaled(found.value, unit.factor), unit.dimension)
