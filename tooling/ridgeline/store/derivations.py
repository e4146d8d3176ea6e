"""Derivations as rows: each value once, under a hash of what it holds, with its formula in MathML and in SQL."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from ridgeline.figures.printing import dimension_name, show
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Call, Name, Node, constant, substitute
from ridgeline.formulas.writers.common import Fragment, NotExpressible
from ridgeline.formulas.writers.mathml import Leaf, leaf, mathml_row
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.interval import exact_text
from ridgeline.numbers.units import Unit

Row = dict[str, Any]
#: A recorded value: the record and the field of the file where the value stands.
Given = tuple[str, str]

_ID_LENGTH = 20
_MAX_STEPS = 200_000


def shown_unit(unit: Unit | None) -> Unit | None:
    """The unit to show a value in: one that a person chose; a plain base unit leaves the choice to the customary one."""
    return unit if unit is not None and unit.factor != 1 else None


def display(quantity: Quantity, unit: Unit | None) -> str:
    """A value for people, in the unit that its record or formula states, else in the field's customary one."""
    return show(quantity, shown_unit(unit))


def value_columns(quantity: Quantity, prefix: str = "value") -> Row:
    """The exact and the float value. An inexact one has no exact value; the float is then the middle."""
    exact = exact_text(quantity.middle) if quantity.exact else None
    return {f"{prefix}_exact": exact, f"{prefix}_float": finite(quantity)}


def finite(quantity: Quantity) -> float | None:
    """The nearest double; ``None`` outside their range."""
    number = float(quantity)
    return number if abs(number) != float("inf") else None


def bounds(quantity: Quantity) -> Row:
    """The ends of an inexact value, both NULL for an exact one."""
    if quantity.exact:
        return {"low_exact": None, "high_exact": None}
    return {"low_exact": exact_text(quantity.low), "high_exact": exact_text(quantity.high)}


@dataclass(slots=True)
class Kept:
    """A derivation that has its row: its id, how it is shown, what it rests on, its closed SQL or why it has none."""

    derivation: Derivation
    id: str
    display: str
    rests_on: frozenset[Given]
    sql: str | None
    reason: str


@dataclass
class Graph:
    """Collects derivations. ``rows`` and ``steps`` are in the order in which they were met, children first."""

    dialect: Dialect = Dialect.SQLITE_MATH
    rows: dict[str, Row] = field(default_factory=dict)
    steps: list[Row] = field(default_factory=list)
    _kept: dict[int, Kept] = field(default_factory=dict)

    def add(self, derivation: Derivation) -> Kept:
        """The derivation and all that it follows from. Equal ones share a row."""
        stack = [derivation]
        visits = 0
        while stack:
            current = stack[-1]
            visits += 1
            if visits > _MAX_STEPS:
                raise FormulaError(f"{derivation.label} follows from over {_MAX_STEPS:,} steps")
            missing = [] if id(current) in self._kept else [c for _, c in current.steps if id(c) not in self._kept]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if id(current) not in self._kept:
                self._kept[id(current)] = self._keep(current)
        return self._kept[id(derivation)]

    def _keep(self, derivation: Derivation) -> Kept:
        steps = [(node, self._kept[id(child)]) for node, child in derivation.steps]
        rests_on = frozenset().union(*(kept.rests_on for _, kept in steps))
        given = derivation.given
        if given is not None and derivation.tree is None:
            rests_on |= {(given.record, given.field)}
        row: Row = {
            "label": derivation.label,
            **value_columns(derivation.quantity),
            **bounds(derivation.quantity),
            "dimension": dimension_name(derivation.quantity.dimension),
            "display": display(derivation.quantity, derivation.unit),
            "means": derivation.means or None,
            "record": derivation.record or None,
            "formula": None if derivation.tree is None else unparse(derivation.tree),
            "given_record": given.record if given is not None else None,
            "given_field": given.field if given is not None else None,
        }
        names = [(unparse(node), kept.id) for node, kept in steps]
        text = json.dumps([sorted(row.items()), names], ensure_ascii=False, separators=(",", ":"))
        key = hashlib.sha256(text.encode()).hexdigest()[:_ID_LENGTH]
        closed, reason = self._sql(derivation, steps)
        if key not in self.rows:
            shown, values = self._mathml(derivation, steps)
            self.rows[key] = {
                "id": key, **row, "mathml": shown, "mathml_values": values, "sql": closed, "sql_reason": reason or None
            }  # fmt: skip
            self.steps += [
                {"parent": key, "ordinal": ordinal, "name": name, "child": child}
                for ordinal, (name, child) in enumerate(names)
            ]
        return Kept(derivation, key, row["display"], rests_on, closed, reason)

    # MathML

    def _mathml(self, derivation: Derivation, steps: list[tuple[Node, Kept]]) -> tuple[str | None, str | None]:
        """The formula with its names, and with the values in their place."""
        if derivation.tree is None:
            return None, None
        values = {_key(node): kept for node, kept in steps}

        def value(name: Name) -> Leaf:
            kept = values.get(name.parts)
            return leaf(name) if kept is None else value_leaf(kept.display, kept.derivation.label)

        try:
            return mathml_row(derivation.tree), mathml_row(_named(derivation.tree, values), value)
        except (NotExpressible, FormulaError):
            return None, None

    # SQL

    def _sql(self, derivation: Derivation, steps: list[tuple[Node, Kept]]) -> tuple[str | None, str]:
        """The formula closed down to recorded values, or why that cannot be said."""
        given = derivation.given
        if derivation.tree is None:
            if given is not None:
                return recorded_value(given.record, given.field), ""
            if not derivation.quantity.exact or derivation.record:
                return None, f"{derivation.label} is a numerical solution: it has no closed form"
            return self._written(constant(derivation.quantity.middle), {})
        parts: dict[tuple[str, ...], Kept] = {}
        for node, kept in steps:
            if kept.sql is None:
                return None, kept.reason
            parts[_key(node)] = kept
        try:
            return self._written(_named(derivation.tree, parts), parts)
        except FormulaError as error:
            return None, error.message

    def _written(self, tree: Node, parts: dict[tuple[str, ...], Kept]) -> tuple[str | None, str]:
        def constants(node: Name | Call) -> Node | None:
            kept = parts.get(node.parts) if isinstance(node, Name) else None
            symbol = kept is not None and kept.derivation.leaf and kept.derivation.given is None
            return constant(kept.derivation.quantity.middle) if kept is not None and symbol else None

        def reference(name: Name) -> Fragment:
            kept = parts.get(name.parts)
            if kept is None or kept.sql is None:
                raise NotExpressible(f"{name.text} has no value in SQL", name.start, name.end)
            return Fragment(kept.sql)

        try:
            return sql(substitute(tree, constants), reference, self.dialect), ""
        except FormulaError as error:
            return None, error.message


def recorded_value(record: str, field: str) -> str:
    """A recorded value in SQL, by the record and the field where the value stands."""
    return f"(SELECT value_float FROM quantities WHERE record = {quoted(record)} AND value_field = {quoted(field)})"


def quoted(text: str) -> str:
    """A text literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def value_leaf(shown: str, label: str) -> Leaf:
    """What stands for a name in a substituted formula: its number and its unit."""
    head, approximate, rest = shown.rpartition("≈ ")
    number, _, unit = (rest if approximate else shown).partition(" ")
    return Leaf("mn", head + approximate + number, unit=unit, title=label)


def _key(node: Node) -> tuple[str, ...]:
    return node.parts if isinstance(node, Name) else (unparse(node),)


def _named(tree: Node, known: dict[tuple[str, ...], Any]) -> Node:
    """The tree with each call that has a derivation replaced by a name, under which it is known."""

    def name(node: Name | Call) -> Node | None:
        if isinstance(node, Call) and (key := _key(node)) in known:
            return Name(key)
        return None

    return substitute(tree, name)
