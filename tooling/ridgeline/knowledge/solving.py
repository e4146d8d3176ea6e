"""The value of a formula that a class states as an equation: its sides written out, solved, and derived."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ridgeline.formulas.errors import SOLUTION, Budget, FormulaError
from ridgeline.formulas.parser import parse_equation, unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name, Node
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.opening import hides, opened, shorter_first, unrolled
from ridgeline.knowledge.scope import Missing, Scope
from ridgeline.knowledge.solution import Trials, solve
from ridgeline.numbers.units import ONE, Dimension, Unit, describe, hard
from ridgeline.records.workload import Workload

if TYPE_CHECKING:
    from ridgeline.knowledge.resolve import Resolver


def solved(
    resolver: Resolver, name: str, workload: Workload, scope: Scope, budget: Budget, unit: Unit | None
) -> Derivation:
    """The derivation of a formula whose value is the solution of an equation."""
    formula = workload.formulas[name]
    assert formula.solve is not None
    budget.spend(SOLUTION)
    left, right = parse_equation(formula.solve.where)
    symbol = formula.solve.for_
    declared = resolver.symbol_unit(symbol, scope) or ONE
    if unit is not None and hard(unit.dimension) != hard(declared.dimension):
        raise FormulaError(f"{name} is in {unit.text}, and the symbol {symbol} that it solves for in {declared.text}")
    pairs = [(a, b) for a in shorter_first(left, workload) for b in shorter_first(right, workload)]
    # All are written out before one is solved: the short form does not hide an error of the long one.
    written = [tuple(opened(side, workload, budget) for side in pair) for pair in pairs]
    for index, (pair, (one, other)) in enumerate(zip(pairs, written, strict=True)):
        try:
            rolled_out = [_unrolled(resolver, side, workload, scope, budget) for side in pair]
            found = solve(
                None if hides(workload, one, other) else (one, other),
                (rolled_out[0], rolled_out[1]),
                _trials(resolver, symbol, workload, scope, budget),
                declared,
                hidden=hides(workload, *rolled_out),
            )
        except Missing:
            if index == len(pairs) - 1:
                raise
            continue
        if isinstance(found, Quantity):
            means = formula.because or f"where {formula.solve.where}"
            return _found(resolver, name, found, (one, other), symbol, scope, budget, unit or declared, means)
        return _derive_solution(resolver, found, scope, budget, name, unit or declared, formula.because or "")
    raise FormulaError(f"{name} cannot be solved for {symbol}")


def _unrolled(resolver: Resolver, side: Node, workload: Workload, scope: Scope, budget: Budget) -> Node:
    """One side of an equation with the class's formulas and the totals over layers written out."""
    reference = scope.record("model")
    counts = resolver.namespace(reference).counts if reference is not None else ()
    inside = [replace(scope, group=index) for index in range(len(counts))]
    groups = [
        (count, partial(resolver.unbounded, scope=inner, budget=budget))
        for count, inner in zip(counts, inside, strict=True)
    ]
    tree = unrolled(side, workload, groups, lambda index: resolver.applies(workload, inside[index]), budget)
    return resolver.unbounded(tree, scope, budget)


def _trials(resolver: Resolver, symbol: str, workload: Workload, scope: Scope, budget: Budget) -> Trials:
    """Evaluations in a scope with a symbol at one value after another."""

    def inner(group: int | None, value: Quantity | None) -> Scope:
        grouped = scope if group is None else replace(scope, group=group)
        if value is None:
            return grouped
        return grouped.with_symbols({symbol: Derivation(symbol, value, means="trial value")})

    return Trials(
        symbol,
        budget,
        lambda name, group, value: resolver.name(name, inner(group, value), budget),
        lambda node, value: resolver.call(node, inner(None, value), budget),
        workload.formulas,
    )


def _found(
    resolver: Resolver,
    name: str,
    value: Quantity,
    sides: tuple[Node, Node],
    symbol: str,
    scope: Scope,
    budget: Budget,
    unit: Unit,
    means: str,
) -> Derivation:
    """A solution without a formula of its own: what it follows from is what the two sides are made of."""
    inner = scope.with_symbols({symbol: Derivation(symbol, value, unit)})
    steps: dict[Node, Derivation] = {}
    derived = [resolver.derive(side, inner, budget, unparse(side), None) for side in sides]
    for side in derived:
        steps |= dict(side.steps)
    one, other = (side.quantity.dimension for side in derived)
    if _without_flop(one) != _without_flop(other):
        raise FormulaError(f"{name}: one side of its equation is in {describe(one)}, the other in {describe(other)}")
    _not_negative(value, unit, symbol)
    kept = tuple((node, step) for node, step in steps.items() if node != Name((symbol,)))
    quantity = Quantity(value.value, unit.dimension)
    return Derivation(name, quantity, unit, None, kept, means=means, record=scope.record("class") or "")


def _derive_solution(
    resolver: Resolver, tree: Node, scope: Scope, budget: Budget, name: str, unit: Unit, means: str
) -> Derivation:
    derived = resolver.derive(tree, scope, budget, name, None, means)
    # Solving cancels counts that the two sides stated differently (flop against a bare count), so only the
    # other hard dimensions can still disagree here.
    if _without_flop(derived.quantity.dimension) != _without_flop(unit.dimension):
        raise FormulaError(f"{name} comes out in {describe(derived.quantity.dimension)}, stated is {unit.text}")
    _not_negative(derived.quantity, unit, name)
    return replace(derived, quantity=Quantity(derived.quantity.value, unit.dimension), unit=unit)


def _without_flop(dimension: Dimension) -> Dimension:
    return tuple((symbol, exponent) for symbol, exponent in hard(dimension) if symbol != "flop")


def _not_negative(value: Quantity, unit: Unit, name: str) -> None:
    """Refuse a solution below zero for what is counted or measured: no such length, time or size exists."""
    if unit.factors and value.high < 0:
        raise FormulaError(f"the equation holds only for a negative {name}, {float(value) / float(unit.factor):.6g}")
