"""What a derivation's page computes with: its formula, and those that it rests on, as a program that a page interprets.

A program is data: inputs, numbers, and steps of arithmetic over them, written from the formulas that the database holds. No
page runs text as code. Where a derivation rests on too much, its program takes the values of its own formula as inputs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_quantity, unparse
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral
from ridgeline.formulas.writers.common import OPERATIONS, NotExpressible, check_builtin
from ridgeline.numbers.units import UnitError, parse_unit
from ridgeline.publish.content import Database, Derivation
from ridgeline.publish.pen import Pen

#: A program with more than this is cut to the derivation's own formula.
MOST_INPUTS = 40
MOST_STEPS = 300
_DEPTH = 60


class _TooMuch(Exception):
    """A derivation rests on more than a page should carry."""


@dataclass
class Program:
    """Slots in order: inputs, then numbers, then steps. ``results`` are the slots of derivations, by id."""

    inputs: list[str] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    steps: list[list[Any]] = field(default_factory=list)
    results: dict[str, tuple[str, int]] = field(default_factory=dict)

    def number(self, value: float) -> tuple[str, int]:
        """A number's slot; equal ones share it."""
        if value not in self.numbers:
            self.numbers.append(value)
        return "n", self.numbers.index(value)

    def step(self, operation: str, *parts: tuple[str, int]) -> tuple[str, int]:
        """A step's slot."""
        if len(self.steps) >= MOST_STEPS:
            raise _TooMuch
        self.steps.append([OPERATIONS.index(operation), *parts])
        return "s", len(self.steps) - 1

    def place(self, slot: tuple[str, int]) -> int:
        """Where a slot stands once all are known."""
        kind, index = slot
        return index + {"i": 0, "n": len(self.inputs), "s": len(self.inputs) + len(self.numbers)}[kind]

    def row(self) -> list[int]:
        """The steps as one row of whole numbers: operation, and one or two slots."""
        return [x for step in self.steps for x in (step[0], *(self.place(p) for p in step[1:]))]


class _Writer:
    """Writes one derivation's program."""

    def __init__(self, database: Database, whole: bool):
        self.database = database
        self.whole = whole
        self.program = Program()

    def derivation(self, identity: str, depth: int = 0) -> tuple[str, int]:
        known = self.program.results.get(identity)
        if known is not None:
            return known
        d = self.database.derivations[identity]
        opened = d.formula is not None and (self.whole or depth == 0)
        slot = self.formula(d, depth) if opened else self.input(d)
        self.program.results[identity] = slot
        return slot

    def input(self, d: Derivation) -> tuple[str, int]:
        if d.value is None:
            raise NotExpressible(f"{d.label} has no value in floating point")
        if len(self.program.inputs) >= MOST_INPUTS:
            raise _TooMuch
        self.program.inputs.append(d.id)
        return "i", len(self.program.inputs) - 1

    def formula(self, d: Derivation, depth: int) -> tuple[str, int]:
        if depth > _DEPTH:
            raise _TooMuch
        assert d.formula is not None
        children = {step.name: step.child for step in d.steps}
        return self.node(parse(d.formula), children, depth)

    def node(self, node: Node, children: dict[str, str], depth: int) -> tuple[str, int]:
        if isinstance(node, Name | Call):
            child = children.get(node.text if isinstance(node, Name) else unparse(node))
            if child is not None:
                return self.derivation(child, depth + 1)
        if isinstance(node, Number):
            return self.program.number(float(node.value))
        if isinstance(node, Negate):
            return self.program.step("neg", self.node(node.operand, children, depth))
        if isinstance(node, Binary):
            left, right = (self.node(part, children, depth) for part in (node.left, node.right))
            return self.program.step(node.operator, left, right)
        if isinstance(node, Call):
            return self.call(node, children, depth)
        raise NotExpressible("a name in the formula has no value of its own")

    def call(self, node: Call, children: dict[str, str], depth: int) -> tuple[str, int]:
        check_builtin(node)
        name = node.name[0]
        if name in ("num", "as"):
            unit = node.positional[1]
            assert isinstance(unit, UnitLiteral)
            value, factor = self.node(node.positional[0], children, depth), float(unit.unit.factor)
            return self.program.step("/" if name == "num" else "*", value, self.program.number(factor))
        if name == "count":
            return self.program.number(float(len(node.positional)))
        parts = [self.node(part, children, depth) for part in node.positional]
        if name in ("sum", "min", "max"):
            found = parts[0]
            for part in parts[1:]:
                found = self.program.step("+" if name == "sum" else name, found, part)
            return found
        return self.program.step(name, parts[0])


def program(database: Database, derivation: Derivation) -> Program | None:
    """The program of a derivation; ``None`` where its formula cannot be written for a page."""
    if derivation.formula is None:
        return None
    for whole in (True, False):
        writer = _Writer(database, whole)
        try:
            writer.derivation(derivation.id)
        except _TooMuch:
            continue
        except (FormulaError, OverflowError):
            return None
        return writer.program if writer.program.inputs else None
    return None


@dataclass(frozen=True, slots=True)
class Payload:
    """The data block of a page, and how many fields it makes."""

    block: Markup
    fields: int


def payload(pen: Pen, derivation: Derivation) -> Payload | None:
    """The program of a derivation with what its fields show; ``None`` where there is none."""
    found = program(pen.database, derivation)
    if found is None:
        return None
    names: set[str] = set()
    data = {
        "inputs": [_input(pen, pen.database.derivations[i], names) for i in found.inputs],
        "numbers": found.numbers,
        "steps": found.row(),
        "result": {
            "slot": found.place(found.results[derivation.id]), "value": derivation.value, **_printed(derivation)
        },
    }  # fmt: skip
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Inside a script element nothing but its end can be misread.
    text = (
        text.replace("<", "\\u003c").replace("&", "\\u0026").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )
    block = Markup('<script type="application/json" id="program">{}</script>').format(Markup(text))
    return Payload(block, len(found.inputs))


def _input(pen: Pen, d: Derivation, names: set[str]) -> dict[str, Any]:
    """A field: what it is called in the page's address and beside it, its value, the unit in which it is typed."""
    given = pen.database.given(d)
    label, text = d.label, d.shown
    if given is not None:
        record = pen.database.records[given.record]
        label, text = f"{given.name}, {record.name}", given.shown
        stem = f"{record.id}.{given.name}" if given.group is None else f"{record.id}.{given.name}.{given.group}"
    else:
        stem = d.label
    name, number = stem, 2
    while name in names:
        name, number = f"{stem}.{number}", number + 1
    names.add(name)
    address = pen.addresses.derivation(d.id)
    return {
        "name": name, "label": label, "value": d.value, **_unit(text, d),
        **({"href": pen.href(address)} if address else {}),
    }  # fmt: skip


def _unit(text: str, d: Derivation) -> dict[str, Any]:
    """The digits and the unit of a printed value, where they come to the value itself; else the value in base units."""
    try:
        number, unit, _ = parse_quantity(text.replace(",", ""))
        factor = 1.0 if unit is None else float(unit.factor)
        if d.value is not None and abs(float(number) * factor - d.value) <= 1e-12 * abs(d.value):
            return {"text": text.partition(" ")[0], "unit": text.partition(" ")[2], "factor": factor}
    except (FormulaError, UnitError, ValueError, OverflowError):
        pass
    return {"text": repr(d.value), "unit": "" if d.dimension == "1" else d.dimension, "factor": 1.0}


def _printed(d: Derivation) -> dict[str, Any]:
    """The unit in which a result is printed, with what one of it is in base units."""
    text = d.display.removeprefix("≈ ")
    number, _, unit = text.partition(" ")
    try:
        factor = float(parse_unit(unit).factor) if unit else 1.0
        shown = float(number.replace(",", "")) * factor
        if d.value is not None and abs(shown - d.value) <= 1e-4 * abs(d.value):
            return {"unit": unit, "factor": factor}
    except (UnitError, ValueError, OverflowError):
        pass
    return {"unit": "" if d.dimension == "1" else d.dimension, "factor": 1.0}
