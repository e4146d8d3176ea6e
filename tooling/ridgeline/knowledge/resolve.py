"""From an expression to its derivation: what each name means in a scope, evaluated exactly.

Inside a class a bare name is one of its symbols, else one of its formulas, else a quantity of the model, of the
accelerator or of the format in scope. A call ``f(a, b, symbol=value)`` puts records into scope and sets symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from ridgeline.formulas.errors import DERIVATION, GROUP, LOOK, Budget, FormulaError, nearest
from ridgeline.formulas.evaluate import BUILTINS, evaluate
from ridgeline.formulas.parser import parse, parse_quantity, unparse
from ridgeline.formulas.quantity import Quantity, agrees
from ridgeline.formulas.tree import Call, Name, Node, substitute, walk
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.calls import call
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.layers import UNBOUNDED
from ridgeline.knowledge.names import Formula, Meaning, Namespace, Stated, Unknown, namespace
from ridgeline.knowledge.opening import free_names
from ridgeline.knowledge.scope import MODEL_ARGUMENTS, MODEL_SYMBOLS, RECORD_KINDS, STORED, Missing, Scope, Unread
from ridgeline.knowledge.solving import solved
from ridgeline.knowledge.spaces import kind_of, labelled, layer_names, names_in, nothing
from ridgeline.knowledge.tracing import note
from ridgeline.numbers.units import Unit, UnitError, describe, hard, parse_unit
from ridgeline.records.workload import Workload

#: What is noted of somebody who asks for the names of all quantities.
KNOWN = "known:"


class Resolver:
    """Evaluates expressions over a knowledge base. Values are kept, so a name is computed once in a scope.

    How much of its budget an evaluation spends depends on what is kept. Whoever needs results that do not depend on what
    was evaluated before does so :meth:`apart`.
    """

    def __init__(self, knowledge: Knowledge):
        self.knowledge = knowledge
        self.warnings: list[str] = []
        self._namespaces: dict[str, Namespace] = {}
        self._kept: dict[object, Derivation | FormulaError] = {}
        self._active: list[object] = []
        self._parsed: dict[str, Node] = {}
        self._quantities: dict[str, Unit | None] | None = None
        self._told: Callable[[], dict[str, Unit | None]] | None = None
        self._free: dict[str, frozenset[str]] = {}
        self._classes: dict[str, Workload | None] = {}
        #: By the identity of a tree, which is kept beside the answer so that no other can take its place.
        self._capping: dict[int, tuple[Node, bool]] = {}

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Evaluate as if nothing had been evaluated before; what is kept meanwhile is dropped at the end."""
        before, self._kept, active, self._active = self._kept, {}, self._active, []
        try:
            yield
        finally:
            self._kept, self._active = before, active

    # Records

    def namespace(self, reference: str) -> Namespace:
        note(self.knowledge, reference)
        found = self._namespaces.get(reference)
        if found is None:
            entry = self.knowledge.get(reference)
            if entry is None:
                if reference in self.knowledge.entries:
                    raise Unread(f"{reference} has faults of its own")
                raise Missing(f"there is no record {reference}")
            found = self._namespaces[reference] = namespace(entry)
        return found

    def scope_of(self, entry: Entry) -> Scope:
        """The scope of a record's own formulas and figures: itself and its subjects."""
        record = entry.record
        assert record is not None
        aliases = tuple(sorted(record.subjects.items()))
        records = ((entry.kind, entry.reference),) if entry.kind in RECORD_KINDS else ()
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
        return self.derived(tree, scope, Budget(), label, unit)

    def derived(
        self, tree: Node, scope: Scope, budget: Budget, label: str = "", unit: Unit | None = None
    ) -> Derivation:
        if isinstance(tree, Name):
            try:
                return self.name(tree, scope, budget)
            except FormulaError as error:
                raise error if error.placed else error.at(tree.start, tree.end) from None
        if isinstance(tree, Call) and (len(tree.name) > 1 or tree.name[0] not in BUILTINS):
            return self.call(tree, scope, budget)
        return self.derive(tree, scope, budget, label or unparse(tree), unit)

    def derive(
        self, tree: Node, scope: Scope, budget: Budget, label: str, unit: Unit | None, means: str = ""
    ) -> Derivation:
        steps: dict[Node, Derivation] = {}
        tree = self.unbounded(tree, scope, budget)

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

    def unbounded(self, tree: Node, scope: Scope, budget: Budget) -> Node:
        """``min(L, window)`` is ``L`` in a layer that has no window: what is not there caps nothing."""
        reference = scope.record("model")
        if reference is None or not self._caps(tree):
            return tree
        space, workload = self.namespace(reference), self.class_of(scope)

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

        return substitute(tree, shorter, budget)

    def _caps(self, tree: Node) -> bool:
        """Whether a tree takes the least of something and a length that layers may lack."""
        held = self._capping.get(id(tree))
        if held is None:
            caps = any(
                isinstance(node, Call)
                and node.name == ("min",)
                and any(isinstance(part, Name) and part.text in UNBOUNDED for part in node.positional)
                for node in walk(tree)
            )
            held = self._capping[id(tree)] = (tree, caps)
        return held[1]

    # Names

    def name(self, name: Name, scope: Scope, budget: Budget | None = None) -> Derivation:
        """What a name stands for in a scope."""
        budget = budget or Budget()
        key = ("name", name.parts, scope.key)
        return self._once(key, name.text, budget, lambda: self._name(name, scope, budget))

    def _once(self, key: object, label: str, budget: Budget, work: object) -> Derivation:
        budget.spend(LOOK)
        kept = self._kept.get(key)
        if kept is not None:
            if isinstance(kept, FormulaError):
                raise kept
            return kept
        if key in self._active:
            raise FormulaError(f"{label} is defined through itself")
        budget.spend(DERIVATION)
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
            return labelled(self._of_record(aliased, parts[1:], scope, budget, name.text), name.text)
        hits = self._in_scope(parts, scope)
        if len(hits) > 1:
            raise FormulaError(
                f"{name.text} could be {' or '.join(f'{name.text} of {r}' for r, _ in hits)}: name the record by its alias"
            )
        if hits:
            return labelled(self._of_record(hits[0][0], hits[0][1], scope, budget, name.text), name.text)
        reference = self.reference(head, scope)
        if reference is not None and len(parts) > 1:
            return labelled(self._of_record(reference, parts[1:], scope, budget, name.text), name.text)
        if reference is not None:
            raise FormulaError(f"{name.text} is the record {reference}: name one of its quantities")
        kind = kind_of(name.text)
        if kind is not None and scope.record(kind) is None:
            article = "an" if kind[0] in "aeiou" else "a"
            raise Missing(
                f"unknown name {name.text}: a quantity of {article} {kind}, and none is in scope; name one, or set it"
                + (f", {name.text}=…" if len(parts) == 1 else ""),
                candidates=lambda: self.near(name.text, scope),
            )
        told = f"unknown name {name.text}" if kind is None else f"{scope.record(kind)} has no quantity {name.text}"
        raise Missing(told, candidates=lambda: self.near(name.text, scope))

    def _bare(self, name: str, scope: Scope, budget: Budget) -> Derivation | None:
        workload = self.class_of(scope)
        if workload is not None:
            symbol = workload.symbols.get(name)
            if symbol is not None:
                if symbol.default is None:
                    raise Missing(f"the symbol {name} has no value here: set it, {name}=…")
                return self.symbol(name, symbol.default, scope, symbol.means)
            if name in workload.formulas:
                return self._class_formula(name, workload, scope, budget)
        if name in MODEL_SYMBOLS and scope.record("model"):
            if name in STORED and scope.record("format"):
                bits = self.name(Name(("bits",)), scope, budget)
                return replace(bits, label=name, means=MODEL_SYMBOLS[name][1])
            return self.symbol(name, MODEL_SYMBOLS[name][0], scope, MODEL_SYMBOLS[name][1])
        if name in MODEL_ARGUMENTS and scope.record("model"):
            raise Missing(f"the symbol {name} has no value here: set it, {name}=…")
        return None

    def class_of(self, scope: Scope) -> Workload | None:
        reference = scope.record("class")
        if reference is None:
            return None
        note(self.knowledge, reference)
        if reference not in self._classes:
            entry = self.knowledge.get(reference)
            self._classes[reference] = (
                entry.record if entry is not None and isinstance(entry.record, Workload) else None
            )
        return self._classes[reference]

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
            if names_in(space, ".".join(name)):
                hits.append((reference, name))
            elif name != parts:
                raise FormulaError(
                    f"{reference} has no {'.'.join(name)}", candidates=nearest(".".join(name), space.names)
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
        return labelled(self._of_record(reference, parts, scope or Scope(), Budget(), label), label)

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
                f"{reference} has no quantity {dotted}",
                candidates=nearest(dotted, [*space.names, *layer_names(space)]),
            )
        if isinstance(meaning, Stated):
            return self._stated(meaning, budget, label, reference)
        key = ("of", reference, dotted, own.key)
        return self._once(key, label, budget, lambda: self._meaning(meaning, own, budget, label, reference, dotted))

    def _of_layers(self, space: Namespace, dotted: str, scope: Scope, budget: Budget, label: str) -> Derivation:
        if not any(dotted in group for group in space.layers) and (scope.group is None or not names_in(space, dotted)):
            raise FormulaError(
                f"{space.reference} has no quantity {dotted}",
                candidates=nearest(dotted, [*space.names, *layer_names(space)]),
            )
        if scope.group is not None:
            return self._layer_value(space, scope.group, dotted, scope, budget, label)
        budget.grant(space.reference, len(space.layers))
        found, missing = [], []
        for index, group in enumerate(space.layers):
            if dotted not in group:
                continue  # a layer of another kind has no such quantity
            budget.spend(GROUP)
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
            return nothing(space, group, dotted, label)
        if isinstance(meaning, Stated):
            return self._stated(meaning, budget, label, space.reference)
        key = ("layer", space.reference, group, dotted, scope.key)
        return self._once(
            key, label, budget, lambda: self._meaning(meaning, scope, budget, label, space.reference, dotted)
        )

    def _stated(self, meaning: Stated, budget: Budget, label: str, reference: str) -> Derivation:
        """A value that a record states, the same in every scope."""
        budget.spend(LOOK)
        return Derivation(
            label, meaning.quantity, meaning.unit, given=meaning.given, means=meaning.means, record=reference
        )

    def _meaning(
        self, meaning: Meaning, scope: Scope, budget: Budget, label: str, reference: str, dotted: str
    ) -> Derivation:
        if isinstance(meaning, Unknown):
            raise Missing(f"{dotted} of {reference} is not known ({meaning.why})")
        if isinstance(meaning, Stated):
            return self._stated(meaning, budget, label, reference)
        # A record's own formulas never see the symbols or formulas of a class that happens to be in scope.
        group = scope.group if meaning.group is None else meaning.group
        own = Scope(tuple((k, r) for k, r in scope.records if k != "class"), group, scope.symbols, scope.aliases)
        derived = self.derive(meaning.tree, own, budget, label, meaning.unit, meaning.means)
        return derived if meaning.origin is None else replace(derived, origin=meaning.origin)

    # Symbols and class formulas

    def symbol(self, name: str, text: str, scope: Scope, means: str = "") -> Derivation:
        """A symbol with a value as printed. A pure number takes the unit that the class gives the symbol."""
        number, unit, _ = parse_quantity(str(text))
        declared = self.symbol_unit(name, scope)
        if unit is None or not unit.factors:
            unit = declared if declared is not None and declared.factors else unit
        elif declared is not None and hard(unit.dimension) != hard(declared.dimension):
            raise FormulaError(f"{name} is in {declared.text}, not in {unit.text}")
        return Derivation(name, Quantity.of(number, unit), unit, means=means or self.symbol_means(name, scope))

    def symbol_unit(self, name: str, scope: Scope) -> Unit | None:
        workload = self.class_of(scope)
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

    def symbol_means(self, name: str, scope: Scope) -> str:
        workload = self.class_of(scope)
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
            return solved(self, name, workload, scope, budget, unit)
        assert formula.is_ is not None
        if formula.per == "layer" and scope.record("model"):
            if scope.group is None:
                scope = self._only_group(name, workload, scope)
            elif not self.applies(workload, scope):
                means = f"nothing in a layer that {workload.id} does not apply to"
                return Derivation(
                    name, Quantity.of(0, unit), unit, parse("0"), means=means, record=f"classes/{workload.id}"
                )
        try:
            return self.derive(self.parse(formula.is_), scope, budget, name, unit, means)
        except Missing:
            # The same value in fewer quantities, for callers that set a group size but name no model.
            if formula.same_as is None:
                raise
            try:
                return self.derive(self.parse(formula.same_as), scope, budget, name, unit, means)
            except Missing:
                pass
            raise

    def applies(self, workload: Workload, scope: Scope) -> bool:
        """Whether a class applies to the group of layers in scope: by the quantities that it has, and those that are set."""
        reference = scope.record("model")
        if workload.applies_to is None or reference is None or scope.group is None:
            return True
        names_of = self.namespace(reference).layers[scope.group]

        def has(name: str) -> bool:
            return scope.symbol(name) is not None or not isinstance(names_of.get(name, Unknown("")), Unknown)

        wanted = workload.applies_to
        return all(has(name) for name in wanted.has) and not any(has(name) for name in wanted.lacks)

    def _only_group(self, name: str, workload: Workload, scope: Scope) -> Scope:
        """The scope of the one group of layers that a class applies to."""
        reference = scope.record("model")
        assert reference is not None
        scopes = [replace(scope, group=index) for index in range(len(self.namespace(reference).layers))]
        chosen = [inner for inner in scopes if self.applies(workload, inner)]
        if not chosen:
            raise Missing(f"{name} is per layer, and {workload.id} applies to no layer of {reference}")
        if len(chosen) > 1:
            raise Missing(f"{name} is per layer, and the layers of {reference} differ: write total({name})")
        return chosen[0]

    # Calls

    def call(self, node: Call, scope: Scope, budget: Budget | None = None) -> Derivation:
        """``total(f)``, or a formula or quantity with records and symbols put into scope."""
        return call(self, node, scope, budget or Budget())

    def free_names_of(self, workload: Workload) -> frozenset[str]:
        found = self._free.get(workload.id)
        if found is None:
            found = self._free[workload.id] = frozenset(free_names(workload))
        return found

    def settable(self, name: str, scope: Scope) -> bool:
        """Whether a call or a figure entry may set a name: a symbol, or a quantity that the formulas read."""
        workload = self.class_of(scope)
        if workload is not None and (name in workload.symbols or name in self.free_names_of(workload)):
            return True
        if name in MODEL_SYMBOLS or (name in MODEL_ARGUMENTS and scope.record("model")):
            return True
        for kind in ("model", "accelerator", "format", "interconnect"):
            reference = scope.record(kind)
            if reference is None:
                continue
            space = self.namespace(reference)
            if names_in(space, name):
                return True
        return False

    # Records as arguments

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
        note(self.knowledge, KNOWN)
        if self._quantities is None and self._told is not None:
            self._quantities = self._told()
        if self._quantities is None:
            found: dict[str, Unit | None] = {name: parse_unit("byte") for name in MODEL_SYMBOLS}
            for entry in self.knowledge.entries.values():
                if entry.record is not None and entry.kind not in ("class", "source"):
                    for name, unit in units_of(self.namespace(entry.reference)):
                        if found.get(name) is None:
                            found[name] = unit
            self._quantities = found
        return self._quantities

    def told(self, quantities: Callable[[], dict[str, Unit | None]]) -> None:
        """Say who gives the answer of :meth:`known_quantities` without reading all records."""
        self._told = quantities

    def near(self, word: str, scope: Scope) -> tuple[str, ...]:
        """Names in scope that are spelt like a word, best first."""
        return nearest(word, self._known(scope))

    def _known(self, scope: Scope) -> Iterable[str]:
        workload = self.class_of(scope)
        if workload is not None:
            yield from workload.symbols
            yield from workload.formulas
        for alias, reference in scope.aliases:
            yield alias
            if self.knowledge.get(reference) is not None and self.knowledge.entries[reference].kind != "class":
                space = self.namespace(reference)
                yield from (f"{alias}.{n}" for n in [*space.names, *layer_names(space)])
        for kind, reference in scope.records:
            if kind != "class" and self.knowledge.get(reference) is not None:
                space = self.namespace(reference)
                yield from [*space.names, *layer_names(space)]


def units_of(space: Namespace) -> Iterator[tuple[str, Unit | None]]:
    """The names of a record, those of its layers with them, and the unit of each; none where no value is known."""
    for names_of in (space.names, *space.layers):
        for name, meaning in names_of.items():
            yield name, None if isinstance(meaning, Unknown) else meaning.unit


def stated_in(quantity: Quantity, unit: Unit, label: str) -> Quantity:
    """A result in the unit that its formula states: hard parts must agree, counts take the stated ones."""
    if not agrees(quantity.dimension, unit):
        raise FormulaError(f"{label} comes out in {describe(quantity.dimension)}, stated is {unit.text}")
    return Quantity(quantity.value, unit.dimension)


def _exhausted(error: FormulaError) -> bool:
    return error.message.startswith(("too much work", "formulas call each other", "the formula is nested"))


__all__ = ["Formula", "Missing", "Resolver", "Scope", "Unread", "stated_in"]
