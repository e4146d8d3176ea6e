"""From an expression to its derivation: what each name means in a scope, evaluated exactly.

Inside a class a bare name is one of its symbols, else one of its formulas, else a quantity of the model, of the
accelerator or of the format in scope. A call ``f(a, b, symbol=value)`` puts records into scope and sets symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from ridgeline.formulas.errors import Budget, FormulaError
from ridgeline.formulas.evaluate import BUILTINS, evaluate
from ridgeline.formulas.parser import parse, parse_equation, parse_quantity, unparse
from ridgeline.formulas.quantity import Quantity, add, agrees, scaled
from ridgeline.formulas.tree import Binary, Call, Name, Node, UnitLiteral, names, substitute, walk
from ridgeline.knowledge import vocabulary
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.layers import UNBOUNDED, part_of
from ridgeline.knowledge.names import Formula, Meaning, Namespace, Stated, Unknown, namespace
from ridgeline.knowledge.solution import solve
from ridgeline.numbers.units import ONE, Dimension, Unit, UnitError, describe, hard, parse_unit
from ridgeline.records.workload import Workload

#: Symbols that every model has, with their defaults: bytes of one cached and of one stored element.
MODEL_SYMBOLS = {
    "cache_element": ("2 byte", "bytes of one cached key or value element"),
    "weight_element": ("2 byte", "bytes of one stored parameter"),
    "state_element": ("4 byte", "bytes of one element of a state that does not grow with the sequence"),
    "conv_element": ("2 byte", "bytes of one kept input of the convolution before such a state"),
}
#: Those that a format in scope sets: what is stored in it.
_STORED = frozenset({"cache_element", "weight_element"})
#: Symbols of every model without a default, with unit and meaning.
MODEL_ARGUMENTS = {"L": ("token", "tokens of the sequence so far")}
_RECORD_KINDS = ("class", "model", "accelerator", "format", "interconnect")


class Missing(FormulaError):
    """A value that cannot be had in this scope, though nothing need be wrong with the formula that asks for it."""


@dataclass(frozen=True)
class Scope:
    """What names mean: at most one record of each kind, the symbols that are set, and the aliases in use."""

    records: tuple[tuple[str, str], ...] = ()  # (kind, reference), sorted by kind
    group: int | None = None
    symbols: tuple[tuple[str, Derivation], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    @cached_property
    def by_kind(self) -> Mapping[str, str]:
        """Kind → record in scope."""
        return dict(self.records)

    @cached_property
    def by_symbol(self) -> Mapping[str, Derivation]:
        """Symbol → value that is set."""
        return dict(self.symbols)

    @cached_property
    def by_alias(self) -> Mapping[str, str]:
        """Alias → record."""
        return dict(self.aliases)

    def record(self, kind: str) -> str | None:
        return self.by_kind.get(kind)

    def symbol(self, name: str) -> Derivation | None:
        return self.by_symbol.get(name)

    def with_records(self, records: Mapping[str, str]) -> Scope:
        if all(self.record(kind) == reference for kind, reference in records.items()):
            return self
        merged = {**dict(self.records), **records}
        group = self.group if merged.get("model") == self.record("model") else None
        return replace(self, records=tuple(sorted(merged.items())), group=group)

    def with_symbols(self, symbols: Mapping[str, Derivation]) -> Scope:
        if not symbols:
            return self
        return replace(self, symbols=tuple(sorted({**dict(self.symbols), **symbols}.items(), key=lambda s: s[0])))

    @cached_property
    def key(self) -> _Key:
        symbols = tuple((n, d.quantity.value, d.quantity.dimension) for n, d in self.symbols)
        return _Key((self.records, self.group, symbols, self.aliases))


class _Key:
    """A key that is hashed once: a scope can hold dozens of fractions, and each name in it is looked up by the scope."""

    __slots__ = ("_hash", "parts")

    def __init__(self, parts: tuple[object, ...]):
        self.parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Key) and self._hash == other._hash and self.parts == other.parts)


class Resolver:
    """Evaluates expressions over a knowledge base. Values are kept, so a name is computed once in a scope."""

    def __init__(self, knowledge: Knowledge):
        self.knowledge = knowledge
        self.warnings: list[str] = []
        self._namespaces: dict[str, Namespace] = {}
        self._kept: dict[object, Derivation | FormulaError] = {}
        self._active: list[object] = []
        self._parsed: dict[str, Node] = {}
        self._quantities: dict[str, Unit | None] | None = None
        self._free: dict[str, frozenset[str]] = {}

    # Records

    def namespace(self, reference: str) -> Namespace:
        found = self._namespaces.get(reference)
        if found is None:
            entry = self.knowledge.get(reference)
            if entry is None:
                raise Missing(f"there is no record {reference}")
            found = self._namespaces[reference] = namespace(entry)
        return found

    def scope_of(self, entry: Entry) -> Scope:
        """The scope of a record's own formulas and figures: itself and its subjects."""
        record = entry.record
        assert record is not None
        aliases = tuple(sorted(record.subjects.items()))
        records = ((entry.kind, entry.reference),) if entry.kind in _RECORD_KINDS else ()
        return Scope(records=records, aliases=aliases)

    # Expressions

    def parse(self, text: str) -> Node:
        tree = self._parsed.get(text)
        if tree is None:
            tree = self._parsed[text] = parse(text)
        return tree

    def evaluate(self, expression: str | Node, scope: Scope, label: str = "", unit: Unit | None = None) -> Derivation:
        """The derivation of an expression in a scope. Raises :class:`FormulaError` with a place in the expression."""
        tree = self.parse(expression) if isinstance(expression, str) else expression
        return self._evaluate(tree, scope, Budget(), label, unit)

    def _evaluate(
        self, tree: Node, scope: Scope, budget: Budget, label: str = "", unit: Unit | None = None
    ) -> Derivation:
        if isinstance(tree, Name):
            try:
                return self.name(tree, scope, budget)
            except FormulaError as error:
                raise error if error.placed else error.at(tree.start, tree.end) from None
        if isinstance(tree, Call) and (len(tree.name) > 1 or tree.name[0] not in BUILTINS):
            return self.call(tree, scope, budget)
        return self._derive(tree, scope, budget, label or unparse(tree), unit)

    def _derive(
        self, tree: Node, scope: Scope, budget: Budget, label: str, unit: Unit | None, means: str = ""
    ) -> Derivation:
        steps: dict[Node, Derivation] = {}
        tree = self._unbounded(tree, scope)

        def lookup(name: Name) -> Quantity:
            step = steps.get(name)
            if step is None:
                step = steps[name] = self.name(name, scope, budget)
            return step.quantity

        def call(node: Call, _: object) -> Quantity:
            step = steps.get(node)
            if step is None:
                step = steps[node] = self.call(node, scope, budget)
            return step.quantity

        quantity = evaluate(tree, lookup, budget=budget, call=call)
        if unit is not None:
            quantity = stated_in(quantity, unit, label)
        record = scope.record("class") or scope.record("model") or scope.record("accelerator") or ""
        return Derivation(label, quantity, unit, tree, tuple(steps.items()), means=means, record=record)

    def _unbounded(self, tree: Node, scope: Scope) -> Node:
        """``min(L, window)`` is ``L`` in a layer that has no window: what is not there caps nothing."""
        reference = scope.record("model")
        if reference is None or not _caps(tree):
            return tree
        space, workload = self.namespace(reference), self._class(scope)

        def absent(node: Node) -> bool:
            if not isinstance(node, Name) or node.text not in UNBOUNDED or scope.symbol(node.text) is not None:
                return False
            if workload is not None and (node.text in workload.symbols or node.text in workload.formulas):
                return False
            groups = space.layers if scope.group is None else (space.layers[scope.group],)
            return all(group.get(node.text) is None or isinstance(group[node.text], Unknown) for group in groups)

        def shorter(node: Name | Call) -> Node | None:
            if not isinstance(node, Call) or node.name != ("min",) or not any(absent(p) for p in node.positional):
                return None
            kept = tuple(part for part in node.positional if not absent(part))
            return (kept[0] if len(kept) == 1 else replace(node, positional=kept)) if kept else None

        return substitute(tree, shorter)

    # Names

    def name(self, name: Name, scope: Scope, budget: Budget | None = None) -> Derivation:
        """What a name stands for in a scope."""
        key = ("name", name.parts, scope.key)
        return self._once(key, name.text, lambda: self._name(name, scope, budget or Budget()))

    def _once(self, key: object, label: str, work: object) -> Derivation:
        kept = self._kept.get(key)
        if kept is not None:
            if isinstance(kept, FormulaError):
                raise kept
            return kept
        if key in self._active:
            raise FormulaError(f"{label} is defined through itself")
        self._active.append(key)
        try:
            result: Derivation = work()  # type: ignore[operator]
        except FormulaError as error:
            # The place is one in the text of this name's own formula; whoever asked for the name has another text.
            unplaced = error.at(-1, -1)
            # A cycle is the fault of the whole ring, not of the name where it was met first; and how much work is left
            # depends on who asks.
            if "through itself" not in error.message and not _exhausted(error):
                self._kept[key] = unplaced
            raise unplaced from None
        finally:
            self._active.pop()
        self._kept[key] = result
        return result

    def _name(self, name: Name, scope: Scope, budget: Budget) -> Derivation:
        parts = name.parts
        head = parts[0]
        set_here = scope.symbol(name.text)
        if set_here is not None:
            return set_here
        if len(parts) == 1:
            found = self._bare(head, scope, budget)
            if found is not None:
                return found
        aliased = scope.by_alias.get(head)
        if aliased is not None and len(parts) > 1:
            return _labelled(self._of_record(aliased, parts[1:], scope, budget, name.text), name.text)
        hits = self._in_scope(parts, scope)
        if len(hits) > 1:
            raise FormulaError(
                f"{name.text} could be {' or '.join(f'{name.text} of {r}' for r, _ in hits)}: name the record by its alias"
            )
        if hits:
            return _labelled(self._of_record(hits[0][0], hits[0][1], scope, budget, name.text), name.text)
        reference = self.reference(head, scope)
        if reference is not None and len(parts) > 1:
            return _labelled(self._of_record(reference, parts[1:], scope, budget, name.text), name.text)
        if reference is not None:
            raise FormulaError(f"{name.text} is the record {reference}: name one of its quantities")
        kind = _kind_of(name.text)
        if kind is not None and scope.record(kind) is None:
            article = "an" if kind[0] in "aeiou" else "a"
            raise Missing(
                f"unknown name {name.text}: a quantity of {article} {kind}, and none is in scope; name one, or set it"
                + (f", {name.text}=…" if len(parts) == 1 else ""),
                candidates=lambda: self.near(name.text, scope),
            )
        raise Missing(f"unknown name {name.text}", candidates=lambda: self.near(name.text, scope))

    def _bare(self, name: str, scope: Scope, budget: Budget) -> Derivation | None:
        workload = self._class(scope)
        if workload is not None:
            symbol = workload.symbols.get(name)
            if symbol is not None:
                if symbol.default is None:
                    raise Missing(f"the symbol {name} has no value here: set it, {name}=…")
                return self.symbol(name, symbol.default, scope, symbol.means)
            if name in workload.formulas:
                return self._class_formula(name, workload, scope, budget)
        if name in MODEL_SYMBOLS and scope.record("model"):
            if name in _STORED and scope.record("format"):
                bits = self.name(Name(("bits",)), scope, budget)
                return replace(bits, label=name, means=MODEL_SYMBOLS[name][1])
            return self.symbol(name, MODEL_SYMBOLS[name][0], scope, MODEL_SYMBOLS[name][1])
        if name in MODEL_ARGUMENTS and scope.record("model"):
            raise Missing(f"the symbol {name} has no value here: set it, {name}=…")
        return None

    def _class(self, scope: Scope) -> Workload | None:
        reference = scope.record("class")
        entry = self.knowledge.get(reference) if reference else None
        return entry.record if entry is not None and isinstance(entry.record, Workload) else None

    def _in_scope(self, parts: tuple[str, ...], scope: Scope) -> list[tuple[str, tuple[str, ...]]]:
        """Records in scope that have a quantity of this name, with the name it has there."""
        hits = []
        for kind in ("model", "accelerator", "format", "interconnect"):
            reference = scope.record(kind)
            if reference is None:
                continue
            space = self.namespace(reference)
            name = parts
            if kind == "accelerator" and len(parts) == 1 and parts[0] in ("ridge", "peak"):
                name = (parts[0], self._format_name(scope, parts[0]))
            if _names(space, ".".join(name)):
                hits.append((reference, name))
            elif name != parts:
                raise FormulaError(
                    f"{reference} has no {'.'.join(name)}", candidates=_near(".".join(name), space.names)
                )
        return hits

    def _format_name(self, scope: Scope, what: str) -> str:
        reference = scope.record("format")
        if reference is None:
            raise Missing(f"{what} needs a number format in scope: {what}.bf16, or a format as an argument")
        return reference.partition("/")[2].replace("-", "_").replace(".", "_")

    def quantity(self, reference: str, parts: tuple[str, ...], scope: Scope | None = None) -> Derivation:
        """A quantity of one record by its dotted name."""
        label = ".".join(parts)
        return _labelled(self._of_record(reference, parts, scope or Scope(), Budget(), label), label)

    def _of_record(
        self, reference: str, parts: tuple[str, ...], scope: Scope, budget: Budget, label: str
    ) -> Derivation:
        """A quantity of one record, in that record's own scope (symbols stay set)."""
        space = self.namespace(reference)
        kind = self.knowledge.entries[reference].kind
        dotted = ".".join(parts)
        if kind == "class":
            inner = scope.with_records({"class": reference})
            return self.name(Name(parts), inner, budget)
        own = scope.with_records({kind: reference}) if scope.record(kind) != reference else scope
        if kind == "model" and dotted not in space.names:
            return self._of_layers(space, dotted, own, budget, label)
        if kind == "accelerator" and parts in (("ridge",), ("peak",)):
            dotted = f"{dotted}.{self._format_name(scope, dotted)}"
        meaning = space.names.get(dotted)
        if meaning is None:
            raise FormulaError(
                f"{reference} has no quantity {dotted}", candidates=_near(dotted, [*space.names, *_layer_names(space)])
            )
        key = ("of", reference, dotted, own.key)
        return self._once(key, label, lambda: self._meaning(meaning, own, budget, label, reference, dotted))

    def _of_layers(self, space: Namespace, dotted: str, scope: Scope, budget: Budget, label: str) -> Derivation:
        if not any(dotted in group for group in space.layers) and (scope.group is None or not _names(space, dotted)):
            raise FormulaError(
                f"{space.reference} has no quantity {dotted}",
                candidates=_near(dotted, [*space.names, *_layer_names(space)]),
            )
        if scope.group is not None:
            return self._layer_value(space, scope.group, dotted, scope, budget, label)
        found, missing = [], []
        for index, group in enumerate(space.layers):
            if dotted not in group:
                continue  # a layer of another kind has no such quantity
            try:
                found.append(self._layer_value(space, index, dotted, replace(scope, group=index), budget, label))
            except Missing as error:
                missing.append(error)
        if not found:
            raise missing[0]
        if missing or any(f.quantity.value != found[0].quantity.value for f in found[1:]):
            raise Missing(
                f"{dotted} differs between the layers of {space.reference}: write total({dotted}), or use it in a formula "
                "with per: layer"
            )
        return found[0]

    def _layer_value(
        self, space: Namespace, group: int, dotted: str, scope: Scope, budget: Budget, label: str
    ) -> Derivation:
        meaning = space.layers[group].get(dotted)
        if meaning is None:
            return _nothing(space, group, dotted, label)
        key = ("layer", space.reference, group, dotted, scope.key)
        return self._once(key, label, lambda: self._meaning(meaning, scope, budget, label, space.reference, dotted))

    def _meaning(
        self, meaning: Meaning, scope: Scope, budget: Budget, label: str, reference: str, dotted: str
    ) -> Derivation:
        if isinstance(meaning, Unknown):
            raise Missing(f"{dotted} of {reference} is not known ({meaning.why})")
        if isinstance(meaning, Stated):
            return Derivation(
                label, meaning.quantity, meaning.unit, given=meaning.given, means=meaning.means, record=reference
            )
        # A record's own formulas never see the symbols or formulas of a class that happens to be in scope.
        group = scope.group if meaning.group is None else meaning.group
        own = Scope(tuple((k, r) for k, r in scope.records if k != "class"), group, scope.symbols, scope.aliases)
        derived = self._derive(meaning.tree, own, budget, label, meaning.unit, meaning.means)
        return derived if meaning.origin is None else replace(derived, origin=meaning.origin)

    # Symbols and class formulas

    def symbol(self, name: str, text: str, scope: Scope, means: str = "") -> Derivation:
        """A symbol with a value as printed. A pure number takes the unit that the class gives the symbol."""
        number, unit, _ = parse_quantity(str(text))
        declared = self._symbol_unit(name, scope)
        if unit is None or not unit.factors:
            unit = declared if declared is not None and declared.factors else unit
        elif declared is not None and hard(unit.dimension) != hard(declared.dimension):
            raise FormulaError(f"{name} is in {declared.text}, not in {unit.text}")
        return Derivation(name, Quantity.of(number, unit), unit, means=means or self._symbol_means(name, scope))

    def _symbol_unit(self, name: str, scope: Scope) -> Unit | None:
        workload = self._class(scope)
        if workload is not None and name in workload.symbols:
            try:
                return parse_unit(workload.symbols[name].unit)
            except UnitError as error:
                raise FormulaError(str(error)) from None
        if name in MODEL_SYMBOLS:
            return parse_unit("byte")
        if name in MODEL_ARGUMENTS:
            return parse_unit(MODEL_ARGUMENTS[name][0])
        return None

    def _symbol_means(self, name: str, scope: Scope) -> str:
        workload = self._class(scope)
        return workload.symbols[name].means if workload is not None and name in workload.symbols else ""

    def _class_formula(self, name: str, workload: Workload, scope: Scope, budget: Budget) -> Derivation:
        formula = workload.formulas[name]
        unit = None
        if formula.unit is not None:
            try:
                unit = parse_unit(formula.unit)
            except UnitError as error:
                raise FormulaError(f"formula {name}: {error}") from None
        means = formula.because or ""
        if formula.solve is not None:
            return self._solved(name, workload, scope, budget, unit)
        assert formula.is_ is not None
        if formula.per == "layer" and scope.group is None and scope.record("model"):
            scope = self._only_group(name, scope)
        try:
            return self._derive(self.parse(formula.is_), scope, budget, name, unit, means)
        except Missing:
            # The same value in fewer quantities, for callers that set a group size but name no model.
            if formula.same_as is None:
                raise
            try:
                return self._derive(self.parse(formula.same_as), scope, budget, name, unit, means)
            except Missing:
                pass
            raise

    def _only_group(self, name: str, scope: Scope) -> Scope:
        reference = scope.record("model")
        assert reference is not None
        space = self.namespace(reference)
        if len(space.layers) != 1:
            raise Missing(f"{name} is per layer, and the layers of {reference} differ: write total({name})")
        return replace(scope, group=0)

    def _solved(self, name: str, workload: Workload, scope: Scope, budget: Budget, unit: Unit | None) -> Derivation:
        formula = workload.formulas[name]
        assert formula.solve is not None
        left, right = parse_equation(formula.solve.where)
        forms = [(a, b) for a in _forms(left, workload) for b in _forms(right, workload)]

        def at(tree: Node, symbol_value: Quantity | None) -> Quantity:
            inner = scope
            if symbol_value is not None:
                inner = scope.with_symbols({symbol: Derivation(symbol, symbol_value, means="trial value")})
            return self._derive(tree, inner, budget, unparse(tree), None).quantity

        symbol = formula.solve.for_
        declared = self._symbol_unit(symbol, scope) or ONE
        if unit is not None and hard(unit.dimension) != hard(declared.dimension):
            raise FormulaError(
                f"{name} is in {unit.text}, and the symbol {symbol} that it solves for in {declared.text}"
            )
        for index, (one, other) in enumerate(forms):
            try:
                tree, value = solve(one, other, symbol, at, declared, hidden=_hides(one, other, workload))
            except Missing:
                if index == len(forms) - 1:
                    raise
                continue
            if tree is not None:
                return self._derive_solution(tree, scope, budget, name, unit or declared, formula.because or "")
            assert value is not None
            means = formula.because or f"where {formula.solve.where}"
            return self._found(name, value, (one, other), symbol, scope, budget, unit or declared, means)
        raise FormulaError(f"{name} cannot be solved for {symbol}")

    def _found(
        self,
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
        derived = [self._derive(side, inner, budget, unparse(side), None) for side in sides]
        for side in derived:
            steps |= dict(side.steps)
        one, other = (side.quantity.dimension for side in derived)
        if _without_flop(one) != _without_flop(other):
            raise FormulaError(
                f"{name}: one side of its equation is in {describe(one)}, the other in {describe(other)}"
            )
        _not_negative(value, unit, symbol)
        kept = tuple((node, step) for node, step in steps.items() if node != Name((symbol,)))
        quantity = Quantity(value.value, unit.dimension)
        return Derivation(name, quantity, unit, None, kept, means=means, record=scope.record("class") or "")

    def _derive_solution(
        self, tree: Node, scope: Scope, budget: Budget, name: str, unit: Unit, means: str
    ) -> Derivation:
        derived = self._derive(tree, scope, budget, name, None, means)
        # Solving cancels counts that the two sides stated differently (flop against a bare count), so only the
        # other hard dimensions can still disagree here.
        if _without_flop(derived.quantity.dimension) != _without_flop(unit.dimension):
            raise FormulaError(f"{name} comes out in {describe(derived.quantity.dimension)}, stated is {unit.text}")
        _not_negative(derived.quantity, unit, name)
        return replace(derived, quantity=Quantity(derived.quantity.value, unit.dimension), unit=unit)

    # Calls

    def call(self, node: Call, scope: Scope, budget: Budget | None = None) -> Derivation:
        """``total(f)``, or a formula or quantity with records and symbols put into scope."""
        budget = budget or Budget()
        if node.name == ("total",):
            return self._total(node, scope, budget)
        inner = scope
        records: dict[str, str] = {}
        symbols: dict[str, Derivation] = {}
        for argument in node.positional:
            reference = self._argument_record(argument, scope)
            if reference is not None:
                kind = self.knowledge.entries[reference].kind
                if kind in records:
                    raise FormulaError(
                        f"two records of kind {kind}: {records[kind]} and {reference}", argument.start, argument.end
                    )
                records[kind] = reference
            elif (
                isinstance(argument, Name) and len(argument.parts) == 1 and scope.symbol(argument.parts[0]) is not None
            ):
                symbols[argument.parts[0]] = self.name(argument, scope, budget)
            else:
                raise FormulaError(
                    f"{unparse(argument)} is neither a record nor a symbol that is set: write symbol=value",
                    argument.start,
                    argument.end,
                    self.near(unparse(argument), scope),
                )
        head = scope.by_alias.get(node.name[0])
        if head is not None and self.knowledge.entries[head].kind == "class":
            records["class"] = head
        elif head is not None:
            records[self.knowledge.entries[head].kind] = head
        name = node.name[1:] if head is not None else node.name
        if not name:
            raise FormulaError(
                f"{node.text} is the record {head}: call one of its quantities, {node.text}.NAME(…)",
                node.start,
                node.end,
            )
        inner = inner.with_records(records)
        for keyword, value in node.keywords:
            if not self.settable(keyword, inner):
                raise FormulaError(
                    f"{node.text} has no symbol {keyword}", value.start, value.end, self.near(keyword, inner)
                )
            derived = self._evaluate(value, scope, budget)
            try:
                symbols[keyword] = self._as_symbol(keyword, derived, inner)
            except FormulaError as error:
                raise error.at(value.start, value.end) from None
        inner = inner.with_symbols(symbols)
        try:
            found = self.name(Name(name, node.start, node.end), inner, budget)
        except FormulaError as error:
            if error.message == f"unknown name {'.'.join(name)}":
                raise FormulaError(
                    f"unknown function {node.text}",
                    node.start,
                    node.end,
                    error.candidates or _near(node.text, [*BUILTINS, "total"]),
                ) from None
            raise error if error.placed else error.at(node.start, node.end) from None
        return replace(found, label=unparse(node))

    def _as_symbol(self, name: str, derived: Derivation, scope: Scope) -> Derivation:
        declared = self._symbol_unit(name, scope)
        quantity, unit = derived.quantity, derived.unit
        if declared is not None and declared.factors:
            if not quantity.dimension:
                quantity, unit = Quantity(scaled(quantity.value, declared.factor), declared.dimension), declared
            elif hard(quantity.dimension) != hard(declared.dimension):
                raise FormulaError(f"{name} is in {declared.text}, not in {describe(quantity.dimension)}")
        if (derived.leaf and derived.given is None) or (derived.tree is not None and not derived.steps):
            # A constant written in the call: the symbol itself is the input.
            return Derivation(name, quantity, unit, means=self._symbol_means(name, scope))
        if declared is not None and quantity is not derived.quantity and declared.factor != 1:
            # The number is counted in the symbol's unit: the tree must say so too.
            number = Name(("number",))
            tree = Call(("as",), (number, UnitLiteral(declared.text, declared)))
            return Derivation(name, quantity, unit, tree, ((number, derived),), record=derived.record)
        return replace(derived, label=name, quantity=quantity, unit=unit)

    def _free_names(self, workload: Workload) -> frozenset[str]:
        found = self._free.get(workload.id)
        if found is None:
            found = self._free[workload.id] = frozenset(_free_names(workload))
        return found

    def settable(self, name: str, scope: Scope) -> bool:
        """Whether a call or a figure entry may set a name: a symbol, or a quantity that the formulas read."""
        workload = self._class(scope)
        if workload is not None and (name in workload.symbols or name in self._free_names(workload)):
            return True
        if name in MODEL_SYMBOLS or (name in MODEL_ARGUMENTS and scope.record("model")):
            return True
        for kind in ("model", "accelerator", "format", "interconnect"):
            reference = scope.record(kind)
            if reference is None:
                continue
            space = self.namespace(reference)
            if _names(space, name):
                return True
        return False

    def _total(self, node: Call, scope: Scope, budget: Budget) -> Derivation:
        if len(node.positional) != 1 or node.keywords:
            raise FormulaError("total takes one expression: total(f)", node.start, node.end)
        reference = scope.record("model")
        if reference is None and scope.symbol("layer_count") is not None:
            # No model, but a number of layers that is set: all of them are alike.
            tree = Binary("*", Name(("layer_count",)), node.positional[0])
            return self._derive(tree, scope, budget, unparse(node), None)
        if reference is None:
            raise Missing("total adds up the layers of a model, and none is in scope", node.start, node.end)
        space = self.namespace(reference)
        whole: Node | None = None
        steps: list[tuple[Node, Derivation]] = []
        quantity: Quantity | None = None
        for index, count in enumerate(space.counts):
            inner = replace(scope, group=index)
            part = self._derive(node.positional[0], inner, budget, unparse(node.positional[0]), None)
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
            value = Quantity(scaled(part.quantity.value, Fraction(count)), part.quantity.dimension)
            quantity = value if quantity is None else add(quantity, value)
        assert quantity is not None and whole is not None
        return Derivation(unparse(node), quantity, None, whole, tuple(steps), record=reference)

    # Records as arguments

    def _argument_record(self, node: Node, scope: Scope) -> str | None:
        if not isinstance(node, Name) or len(node.parts) != 1:
            return None
        if scope.symbol(node.parts[0]) is not None:
            return None
        return self.reference(node.parts[0], scope)

    def reference(self, name: str, scope: Scope) -> str | None:
        """The record that a bare name stands for: an alias of the scope, or the id of a format."""
        aliased = scope.by_alias.get(name)
        if aliased is not None:
            if self.knowledge.get(aliased) is None:
                raise FormulaError(f"{name} is {aliased}, and there is no such record")
            return aliased
        for reference in (f"formats/{name}", f"formats/{name.replace('_', '-')}"):
            if self.knowledge.get(reference) is not None:
                return reference
        return None

    def known_quantities(self) -> dict[str, Unit | None]:
        """Names that some model, accelerator, format or interconnect defines, valued or not, with the unit of each."""
        if self._quantities is None:
            found: dict[str, Unit | None] = {name: parse_unit("byte") for name in MODEL_SYMBOLS}
            for entry in self.knowledge.entries.values():
                if entry.record is not None and entry.kind not in ("class", "source"):
                    space = self.namespace(entry.reference)
                    for names_of in (space.names, *space.layers):
                        for name, meaning in names_of.items():
                            if found.get(name) is None:
                                found[name] = None if isinstance(meaning, Unknown) else meaning.unit
            self._quantities = found
        return self._quantities

    def near(self, word: str, scope: Scope) -> tuple[str, ...]:
        """Names in scope that are spelt like a word, best first."""
        return _near(word, self._known(scope))

    def _known(self, scope: Scope) -> Iterable[str]:
        workload = self._class(scope)
        if workload is not None:
            yield from workload.symbols
            yield from workload.formulas
        for alias, reference in scope.aliases:
            yield alias
            if self.knowledge.get(reference) is not None and self.knowledge.entries[reference].kind != "class":
                space = self.namespace(reference)
                yield from (f"{alias}.{n}" for n in [*space.names, *_layer_names(space)])
        for kind, reference in scope.records:
            if kind != "class" and self.knowledge.get(reference) is not None:
                space = self.namespace(reference)
                yield from [*space.names, *_layer_names(space)]


def stated_in(quantity: Quantity, unit: Unit, label: str) -> Quantity:
    """A result in the unit that its formula states: hard parts must agree, counts take the stated ones."""
    if not agrees(quantity.dimension, unit):
        raise FormulaError(f"{label} comes out in {describe(quantity.dimension)}, stated is {unit.text}")
    return Quantity(quantity.value, unit.dimension)


def _without_flop(dimension: Dimension) -> Dimension:
    return tuple((symbol, exponent) for symbol, exponent in hard(dimension) if symbol != "flop")


def _not_negative(value: Quantity, unit: Unit, name: str) -> None:
    """Refuse a solution below zero for what is counted or measured: no such length, time or size exists."""
    if unit.factors and value.high < 0:
        raise FormulaError(f"the equation holds only for a negative {name}, {float(value) / float(unit.factor):.6g}")


def _opened(node: Node, workload: Workload) -> Node:
    """The tree with the class's own formulas written out, so that a symbol inside them can be seen."""

    def formula(name: Name | Call) -> Node | None:
        if isinstance(name, Call) or len(name.parts) != 1 or name.parts[0] not in workload.formulas:
            return None
        text = workload.formulas[name.parts[0]].is_
        return parse(text) if text is not None else None

    return substitute(node, formula)


def _forms(side: Node, workload: Workload) -> list[Node]:
    """One side of an equation opened; where it is a formula that has a shorter form, that form first."""
    if not isinstance(side, Name) or side.text not in workload.formulas:
        return [_opened(side, workload)]
    formula = workload.formulas[side.text]
    return [_opened(parse(text), workload) for text in (formula.same_as, formula.is_) if text is not None] or [side]


def _hides(left: Node, right: Node, workload: Workload) -> bool:
    """Whether a symbol may stand in a part that cannot be opened: a call with arguments, the solution of an equation."""
    for node in (*walk(left), *walk(right)):
        if isinstance(node, Call) and (len(node.name) > 1 or node.name[0] not in (*BUILTINS, "total")):
            return True
        if isinstance(node, Name) and node.text in workload.formulas:
            return True
    return False


def _free_names(workload: Workload) -> set[str]:
    """Bare names that the class's formulas read: quantities of a model or accelerator that a call may set."""
    found: set[str] = set()
    for formula in workload.formulas.values():
        for text in (formula.is_, formula.same_as):
            if text is not None:
                try:
                    found.update(n.text for n in names(parse(text)))
                except FormulaError:
                    continue
    return found


def _names(space: Namespace, dotted: str) -> bool:
    """Whether a record names a quantity; a model names those of all kinds of layers, which count as nothing in a total."""
    return (
        dotted in space.names
        or any(dotted in group for group in space.layers)
        or (bool(space.layers) and dotted in vocabulary.LAYER_UNITS)
    )


def _nothing(space: Namespace, group: int, dotted: str, label: str) -> Derivation:
    """What a layer has of a quantity that belongs to another kind of layer."""
    text, part = vocabulary.LAYER_UNITS.get(dotted), part_of(dotted)
    unit = None if text is None else parse_unit(text)
    means = f"none in a layer whose {part.replace('_', '-')} part is of kind {space.kinds[group][part]}"
    return Derivation(label, Quantity.of(0, unit), unit, parse("0"), means=means, record=space.reference)


def _layer_names(space: Namespace) -> list[str]:
    return sorted({name for group in space.layers for name in group})


def _near(word: str, known: Iterable[str]) -> tuple[str, ...]:
    from difflib import get_close_matches

    return tuple(get_close_matches(word[:60], [name for name in dict.fromkeys(known) if name != word], 3, 0.6))


def _exhausted(error: FormulaError) -> bool:
    return error.message.startswith(("too much work", "formulas call each other", "the formula is nested"))


def _labelled(derivation: Derivation, label: str) -> Derivation:
    """A value that is kept under one name, as another calls it."""
    return derivation if derivation.label == label else replace(derivation, label=label)


@lru_cache(maxsize=4096)
def _caps(tree: Node) -> bool:
    """Whether a tree takes the least of something and a length that layers may lack."""
    return any(
        isinstance(node, Call)
        and node.name == ("min",)
        and any(isinstance(part, Name) and part.text in UNBOUNDED for part in node.positional)
        for node in walk(tree)
    )


@lru_cache(maxsize=1)
def _kinds_of_names() -> dict[str, str]:
    """Bare names that every record of a kind defines, and the kind."""
    found = dict.fromkeys((*vocabulary.LAYER_GIVEN, *vocabulary.MODEL_GIVEN), "model")
    found |= {definition.name: "model" for definition in vocabulary.MODEL}
    found |= dict.fromkeys(("n_layers", "untied", "feed_forward_matrices", "layer_count", "checkpoint.total"), "model")
    return {**found, "bits": "format", "element_bits": "format", "ridge": "accelerator", "peak": "accelerator"}


def _kind_of(name: str) -> str | None:
    """The kind of record that a name belongs to; ``None`` for a name that no kind defines."""
    kind = _kinds_of_names().get(name)
    if kind is None and name.partition(".")[0] in ("memory", "units", "peak", "ridge", "power", "links"):
        return "accelerator"
    return kind


__all__ = ["Formula", "Resolver", "Scope", "stated_in"]
