"""Calls: records and symbols put into scope, and the total of a formula over the layers of a model."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ridgeline.formulas.errors import CALL, GROUP, Budget, FormulaError, nearest
from ridgeline.formulas.evaluate import BUILTINS
from ridgeline.formulas.parser import unparse
from ridgeline.formulas.quantity import Quantity, add, scaled
from ridgeline.formulas.tree import Binary, Call, Name, Node, UnitLiteral
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import Stated
from ridgeline.knowledge.scope import Missing, Scope
from ridgeline.numbers.units import describe, hard

if TYPE_CHECKING:
    from ridgeline.knowledge.resolve import Resolver


def _formats_like(resolver: Resolver, word: str) -> tuple[str, ...]:
    """Formats are named in calls without an alias."""
    return nearest(word, (r.partition("/")[2] for r in resolver.knowledge.entries if r.startswith("formats/")))


def call(resolver: Resolver, node: Call, scope: Scope, budget: Budget) -> Derivation:
    """``total(f)``, or a formula or quantity with records and symbols put into scope."""
    budget.spend(CALL)
    if node.name == ("total",):
        return _total(resolver, node, scope, budget)
    inner = scope
    records: dict[str, str] = {}
    symbols: dict[str, Derivation] = {}
    for argument in node.positional:
        reference = _argument_record(resolver, argument, scope)
        if reference is not None:
            kind = resolver.knowledge.entries[reference].kind
            if kind in records:
                raise FormulaError(
                    f"two records of kind {kind}: {records[kind]} and {reference}", argument.start, argument.end
                )
            records[kind] = reference
        elif isinstance(argument, Name) and len(argument.parts) == 1 and scope.symbol(argument.parts[0]) is not None:
            symbols[argument.parts[0]] = resolver.name(argument, scope, budget)
        else:
            raise FormulaError(
                f"{unparse(argument)} is neither a record nor a symbol that is set: write symbol=value",
                argument.start,
                argument.end,
                resolver.near(unparse(argument), scope) or _formats_like(resolver, unparse(argument)),
            )
    head = scope.by_alias.get(node.name[0])
    if head is not None and resolver.knowledge.entries[head].kind == "class":
        records["class"] = head
    elif head is not None:
        records[resolver.knowledge.entries[head].kind] = head
    name = node.name[1:] if head is not None else node.name
    if not name:
        raise FormulaError(
            f"{node.text} is the record {head}: call one of its quantities, {node.text}.NAME(…)",
            node.start,
            node.end,
        )
    inner = inner.with_records(records)
    for keyword, value in node.keywords:
        if not resolver.settable(keyword, inner):
            raise FormulaError(
                f"{node.text} has no symbol {keyword}", value.start, value.end, resolver.near(keyword, inner)
            )
        derived = resolver.derived(value, scope, budget)
        try:
            symbols[keyword] = _as_symbol(resolver, keyword, derived, inner)
        except FormulaError as error:
            raise error.at(value.start, value.end) from None
    inner = inner.with_symbols(symbols)
    try:
        found = resolver.name(Name(name, node.start, node.end), inner, budget)
    except FormulaError as error:
        if error.message == f"unknown name {'.'.join(name)}":
            raise FormulaError(
                f"unknown function {node.text}",
                node.start,
                node.end,
                error.candidates or nearest(node.text, [*BUILTINS, "total"]),
            ) from None
        raise error if error.placed else error.at(node.start, node.end) from None
    return replace(found, label=unparse(node))


def _as_symbol(resolver: Resolver, name: str, derived: Derivation, scope: Scope) -> Derivation:
    declared = resolver.symbol_unit(name, scope)
    quantity, unit = derived.quantity, derived.unit
    if declared is not None and declared.factors:
        if not quantity.dimension:
            quantity, unit = Quantity(scaled(quantity.value, declared.factor), declared.dimension), declared
        elif hard(quantity.dimension) != hard(declared.dimension):
            raise FormulaError(f"{name} is in {declared.text}, not in {describe(quantity.dimension)}")
    if (derived.leaf and derived.given is None) or (derived.tree is not None and not derived.steps):
        # A constant written in the call: the symbol itself is the input.
        return Derivation(name, quantity, unit, means=resolver.symbol_means(name, scope))
    if declared is not None and quantity is not derived.quantity and declared.factor != 1:
        # The number is counted in the symbol's unit: the tree must say so too.
        number = Name(("number",))
        tree = Call(("as",), (number, UnitLiteral(declared.text, declared)))
        return Derivation(name, quantity, unit, tree, ((number, derived),), record=derived.record)
    return replace(derived, label=name, quantity=quantity, unit=unit)


def _total(resolver: Resolver, node: Call, scope: Scope, budget: Budget) -> Derivation:
    if len(node.positional) != 1 or node.keywords:
        raise FormulaError("total takes one expression: total(f)", node.start, node.end)
    reference = scope.record("model")
    if reference is None and scope.symbol("layer_count") is not None:
        # No model, but a number of layers that is set: all of them are alike.
        tree = Binary("*", Name(("layer_count",)), node.positional[0])
        return resolver.derive(tree, scope, budget, unparse(node), None)
    if reference is None:
        raise Missing("total adds up the layers of a model, and none is in scope", node.start, node.end)
    space = resolver.namespace(reference)
    budget.grant(reference, len(space.layers))
    whole: Node | None = None
    steps: list[tuple[Node, Derivation]] = []
    quantity: Quantity | None = None
    for index, count in enumerate(space.counts):
        budget.spend(GROUP)
        inner = replace(scope, group=index)
        part = resolver.derive(node.positional[0], inner, budget, unparse(node.positional[0]), None)
        # Each group's part is a step of its own, under a name that shows which layers it is for.
        count_name, part_name = Name((f"layers_{index}", "count")), Name((f"layers_{index}", "each"))
        stated = space.layers[index]["layer_count"]
        assert isinstance(stated, Stated)
        steps.append(
            (
                count_name,
                Derivation(
                    f"layers_{index}.count",
                    stated.quantity,
                    None,
                    given=stated.given,
                    means=stated.means,
                    record=reference,
                ),
            )
        )
        steps.append((part_name, replace(part, label=f"layers_{index}: {part.label}")))
        term = Binary("*", count_name, part_name)
        whole = term if whole is None else Binary("+", whole, term)
        value = Quantity(scaled(part.quantity.value, Fraction(count), budget), part.quantity.dimension)
        quantity = value if quantity is None else add(quantity, value, None, budget)
    assert quantity is not None and whole is not None
    return Derivation(unparse(node), quantity, None, whole, tuple(steps), record=reference)


def _argument_record(resolver: Resolver, node: Node, scope: Scope) -> str | None:
    if not isinstance(node, Name) or len(node.parts) != 1:
        return None
    if scope.symbol(node.parts[0]) is not None:
        return None
    return resolver.reference(node.parts[0], scope)
