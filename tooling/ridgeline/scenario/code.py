"""An outcome as code that computes it again from recorded values: one SQL statement, or a JavaScript module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ridgeline.formulas.errors import MAX_DIGITS, FormulaError
from ridgeline.formulas.evaluate import evaluate
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, UnitLiteral, constant, names
from ridgeline.formulas.writers.common import Fragment
from ridgeline.formulas.writers.javascript import javascript, string_literal
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.knowledge.derivation import Derivation
from ridgeline.scenario.outcome import Outcome
from ridgeline.scenario.parts import Part
from ridgeline.scenario.setting import ScenarioError

COLUMNS = ("flops", "bytes", "link_bytes", "compute_time", "memory_time", "link_time")
LEAST = "at_least"
#: No class has a space in its id.
STEP = "whole step"
#: How deep derivations rest on one another; those of records stay far below.
_DEPTH = 100


@dataclass
class _Program:
    """Values bound to short names, each once and after what it reads: recorded values first, formulas by level."""

    recorded: dict[tuple[str, str], str] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    formulas: dict[Node, str] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    _known: dict[int, tuple[Derivation, Node]] = field(default_factory=dict)

    def bind(self, derivation: Derivation, depth: int = 0) -> Node:
        """The name of a value, or the constant that it is. Raises :class:`ScenarioError` for one without a formula."""
        known = self._known.get(id(derivation))
        if known is None:
            # The derivation is kept with its name, so that its address stays its own.
            known = self._known[id(derivation)] = (derivation, self._bound(derivation, depth))
        return known[1]

    def _bound(self, derivation: Derivation, depth: int) -> Node:
        given = derivation.given
        if derivation.tree is None:
            if given is not None:
                name = self.recorded.setdefault((given.record, given.field), f"v{len(self.recorded) + 1}")
                self.values[name], self.levels[name] = float(derivation.quantity), 0
                return _own(name)
            if derivation.steps or not derivation.quantity.exact:
                raise ScenarioError(f"{derivation.label} is a numerical solution: it has no formula to write")
            return constant(derivation.quantity.middle)
        if depth > _DEPTH:
            raise ScenarioError(f"{derivation.label} rests on too much to be written")
        steps = {node: self.bind(step, depth + 1) for node, step in derivation.steps}
        tree = self.rewritten(derivation.tree, steps)
        if not names(tree) and derivation.quantity.exact and len(str(derivation.quantity.value)) <= MAX_DIGITS:
            return constant(derivation.quantity.middle)
        return self.named(tree)

    def named(self, tree: Node) -> Node:
        """A formula under a name of its own; a name or a number as it is."""
        if not isinstance(tree, Binary | Call | Negate):
            return tree
        found = self.formulas.get(tree)
        if found is None:
            found = self.formulas[tree] = f"x{len(self.formulas) + 1}"
            self.levels[found] = 1 + max((self.levels[name.parts[1]] for name in names(tree)), default=0)
        return _own(found)

    def rewritten(self, node: Node, steps: dict[Node, Node]) -> Node:
        """The tree with each name and call that has a value of its own replaced."""
        if isinstance(node, Name | Call) and node in steps:
            return steps[node]
        if isinstance(node, Binary):
            left, right = self.rewritten(node.left, steps), self.rewritten(node.right, steps)
            if node.operator == "^":
                # SQL writes a power out as a product, so what is raised must be short.
                left, right = self.named(left), _settled(right)
            return Binary(node.operator, left, right)
        if isinstance(node, Negate):
            return Negate(self.rewritten(node.operand, steps))
        if isinstance(node, Call):
            given = (p if isinstance(p, UnitLiteral) else self.rewritten(p, steps) for p in node.positional)
            return Call(node.name, tuple(given))
        return node


def _own(name: str) -> Name:
    """A name of the program; the mark keeps it apart from all names of records."""
    return Name(("=", name))


def _fragment(name: Name) -> Fragment:
    return Fragment(name.parts[1])


def _settled(exponent: Node) -> Node:
    """An exponent that rests on no record, as the number that it is: SQL takes no other."""
    if names(exponent):
        return exponent
    return constant(evaluate(exponent, lambda name: Quantity.of(0)).middle)


def _program(outcome: Outcome) -> tuple[_Program, dict[str, dict[str, Node]]]:
    """All values of the parts, bound; and the name of each by part and column."""
    if not outcome.parts:
        raise ScenarioError("no class is part of such a step: there is nothing to write")
    program = _Program()
    rows = {part.reference.partition("/")[2]: _cells(program, part) for part in outcome.parts}
    return program, rows


def _cells(program: _Program, part: Part) -> dict[str, Node]:
    costs = part.costs | part.times
    return {name: program.bind(cost.value) for name, cost in costs.items() if cost.value is not None}


# SQL


def statement(outcome: Outcome, recorded: Callable[[str, str], str]) -> str:
    """One statement for SQLite: a row for each part, and one for the step, in base units.

    ``recorded`` writes the value that stands at a field of a record. ``at_least`` is the longest time of a part, and
    the bound on the whole step. Raises :class:`ScenarioError` where there is nothing to write.
    """
    program, rows = _program(outcome)
    try:
        tables, last = _levels(program, recorded)
        cells = {part: [_sql(found[c]) if c in found else "NULL" for c in COLUMNS] for part, found in rows.items()}
    except FormulaError as error:
        raise ScenarioError(f"the scenario cannot be written in SQL: {error.message}") from None
    paths = {part.reference.partition("/")[2]: part.path for part in outcome.parts}
    columns = ", ".join(COLUMNS)
    listed = [f"  SELECT '{part}', '{paths[part]}', {', '.join(given)} FROM {last}" for part, given in cells.items()]
    tables.append(f"parts (part, path, {columns}) AS (\n" + "\n  UNION ALL\n".join(listed) + "\n)")
    longest = ", ".join(f"ifnull({column}, 0.0)" for column in COLUMNS if column.endswith("_time"))
    sums = ", ".join(f"sum({column})" for column in COLUMNS)
    return (
        "WITH\n" + ",\n".join(tables) + f"\nSELECT part, {columns}, max({longest}) AS {LEAST} FROM parts\n"
        f"UNION ALL\nSELECT '{STEP}', {sums},\n"
        "       max(total(compute_time) FILTER (WHERE path = 'tensor'), total(compute_time) FILTER (WHERE path = 'vector'),\n"
        "           total(memory_time), total(link_time))\nFROM parts;\n"
    )


def _sql(tree: Node) -> str:
    return sql(tree, _fragment, Dialect.SQLITE)


def _levels(program: _Program, recorded: Callable[[str, str], str]) -> tuple[list[str], str]:
    """A table of the recorded values and one for each level of formulas over it, and the last one's name."""
    given = ",\n  ".join(f"{recorded(*where)} AS {name}" for where, name in program.recorded.items())
    tables = [f"recorded AS MATERIALIZED (SELECT\n  {given or 'NULL AS nothing'}\n)"]
    last = "recorded"
    for level in range(1, max(program.levels.values(), default=0) + 1):
        here = [(name, tree) for tree, name in program.formulas.items() if program.levels[name] == level]
        lines = ",\n  ".join(f"{_sql(tree)} AS {name}" for name, tree in here)
        tables.append(f"level_{level} AS MATERIALIZED (SELECT *,\n  {lines}\n  FROM {last}\n)")
        last = f"level_{level}"
    return tables, last


# JavaScript


def module(outcome: Outcome) -> str:
    """A JavaScript module: ``recorded``, the values that records state in base units, and ``scenario(values)``.

    Raises :class:`ScenarioError` where there is nothing to write.
    """
    program, rows = _program(outcome)
    keys = {name: string_literal(" ".join(where)) for where, name in program.recorded.items()}
    lines = ["export const recorded = {", *(f"  {keys[name]}: {program.values[name]!r}," for name in keys), "};", ""]
    lines += ["export function scenario(values = recorded) {"]
    lines += [f"  const {name} = values[{key}];" for name, key in keys.items()]
    try:
        lines += [f"  const {name} = {javascript(tree, _fragment)};" for tree, name in program.formulas.items()]
        found = {
            part: {name: javascript(tree, _fragment) for name, tree in cells.items()} for part, cells in rows.items()
        }
    except FormulaError as error:
        raise ScenarioError(f"the scenario cannot be written in JavaScript: {error.message}") from None
    lines.append("  return {")
    for part, cells in found.items():
        times = [cells[name] for name in cells if name.endswith("_time")]
        cells[LEAST] = f"Math.max({', '.join(times)})"
        lines.append(f"    {string_literal(part)}: {{{', '.join(f'{n}: {text}' for n, text in cells.items())}}},")
    lines += [f"    {string_literal(STEP)}: {{{LEAST}: Math.max({', '.join(_sums(outcome, found))})}},", "  };", "}"]
    return "\n".join(lines) + "\n"


def _sums(outcome: Outcome, found: dict[str, dict[str, str]]) -> list[str]:
    """For each resource, the time that all parts take of it."""
    sums: dict[str, list[str]] = {}
    for part in outcome.parts:
        cells = found[part.reference.partition("/")[2]]
        for name in cells:
            if name.endswith("_time"):
                sums.setdefault(f"{name} {part.path}" if name == "compute_time" else name, []).append(cells[name])
    return [" + ".join(terms) for terms in sums.values()]
