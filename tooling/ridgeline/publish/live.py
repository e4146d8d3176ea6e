"""What a derivation's page computes with: its formula, and those that it rests on, as a program that a page interprets.

The form of a program is told in :mod:`ridgeline.formulas.writers.program`. No page runs text as code. Where a derivation rests
on too much, its program takes the values of its own formula as inputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_quantity, unparse
from ridgeline.formulas.tree import Call, Name, Node, walk
from ridgeline.formulas.writers.common import NotExpressible
from ridgeline.formulas.writers.program import Program, ProgramWriter, Slot, TooLong, run
from ridgeline.numbers.units import UnitError, parse_unit
from ridgeline.publish.content import Database, Derivation

#: A program with more than this is cut to the derivation's own formula.
MOST_INPUTS = 40
MOST_STEPS = 300
#: A program that no page carries, to see what moves what, may be longer.
_MOST_IN_ALL = 4_000
_SUBSTITUTED = re.compile(r'<mn data-name="[^"]*">([^<]*)</mn>(?:<mspace[^>]*/><mtext>([^<]*)</mtext>)?')


@dataclass(frozen=True, slots=True)
class Worked:
    """A derivation's program: the derivations that are its inputs, and the slots of those that it computes on its way.

    ``whole`` says that it goes down to recorded values, ``result`` which slot is the derivation itself.
    """

    program: Program
    inputs: tuple[str, ...]
    slots: Mapping[str, int]
    result: int
    whole: bool

    def value(self, values: Mapping[str, float], held: Mapping[int, float] | None = None) -> float | None:
        """What it comes to with some of its slots held; ``None`` where that is no finite number."""
        try:
            return run(self.program, [values[i] for i in self.inputs], held)[self.result]
        except (ArithmeticError, ValueError):
            return None


class Programs:
    """The programs of a database's derivations, each written once."""

    def __init__(self, database: Database):
        self.database = database
        self.values = {d.id: d.value for d in database.derivations.values() if d.value is not None}
        self._known: dict[str, Worked | None] = {}

    def of(self, identity: str) -> Worked | None:
        """The program that a page carries; ``None`` where the formula cannot be written for a page."""
        if identity not in self._known:
            self._known[identity] = self._page(identity)
        return self._known[identity]

    def _page(self, identity: str) -> Worked | None:
        for whole in (True, False):
            try:
                found = self._written(identity, whole, MOST_INPUTS, MOST_STEPS)
            except TooLong:
                continue
            except FormulaError:
                return None
            direct = {step.child for step in self.database.derivations[identity].steps} | set(found.inputs)
            slots = {i: slot for i, slot in found.slots.items() if i in direct}
            return Worked(found.program, found.inputs, slots, found.result, whole) if found.inputs else None
        return None

    def all(self, identity: str) -> Worked | None:
        """The whole program with the slots of everything that it rests on, however long."""
        try:
            return self._written(identity, True, _MOST_IN_ALL, _MOST_IN_ALL)
        except FormulaError:
            return None

    def _written(self, identity: str, whole: bool, inputs: int, steps: int) -> Worked:
        writer, named = ProgramWriter(steps), dict[str, Slot]()
        taken: list[str] = []
        for d in self._order(identity, whole):
            if d.formula is not None and (whole or d.id == identity):
                named[d.id] = self._formula(writer, d, named)
                continue
            if d.value is None:
                raise NotExpressible(f"{d.label} has no value in floating point")
            if len(taken) >= inputs:
                raise TooLong("the program has too many inputs")
            taken.append(d.id)
            named[d.id] = writer.input()
        slots = {i: writer.place(slot) for i, slot in named.items()}
        return Worked(writer.closed(), tuple(taken), slots, slots[identity], whole)

    def _order(self, identity: str, whole: bool) -> list[Derivation]:
        """The derivations that a program is written of, each after those that its formula reads."""
        found: dict[str, Derivation] = {}
        opened: set[str] = set()
        stack = [identity]
        while stack:
            d = self.database.derivations[stack[-1]]
            if d.id in found:
                stack.pop()
            elif d.formula is None or d.id in opened or not (whole or d.id == identity):
                found[stack.pop()] = d
            else:
                opened.add(d.id)
                stack.extend(step.child for step in reversed(d.steps) if step.child not in found)
        return list(found.values())

    @staticmethod
    def _formula(writer: ProgramWriter, d: Derivation, named: Mapping[str, Slot]) -> Slot:
        children = {step.name: step.child for step in d.steps}

        def slot(node: Name | Call) -> Slot | None:
            child = children.get(node.text if isinstance(node, Name) else unparse(node))
            return None if child is None else named[child]

        assert d.formula is not None
        return writer.write(parse(d.formula), slot)

    def moved(self, worked: Worked | None, identity: str, factor: float = 1.01) -> float | None:
        """By what share a program's result changes when one of its derivations is multiplied; ``None`` if not known."""
        if worked is None or identity not in worked.slots or identity not in self.values:
            return None
        base = worked.value(self.values)
        other = worked.value(self.values, {worked.slots[identity]: factor * self.values[identity]})
        return None if base is None or other is None or not base else other / base - 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A field: its place among the inputs, its name in the page's address, the digits and the unit in which one types."""

    number: int
    name: str
    text: str
    unit: str
    factor: float


def entries(database: Database, worked: Worked) -> dict[str, Entry]:
    """The fields of a program, by the derivation that each one is."""
    inputs = [database.derivations[i] for i in worked.inputs]
    short = [_short(database, d) for d in inputs]
    found: dict[str, Entry] = {}
    taken: set[str] = set()
    for number, (d, name) in enumerate(zip(inputs, short, strict=True)):
        given = database.given(d)
        if short.count(name) > 1 and given is not None:
            name = f"{database.records[given.record].id}.{name}"
        stem, count = name, 2
        while name in taken:
            name, count = f"{stem}.{count}", count + 1
        taken.add(name)
        shown = given.shown if given is not None and given.shown else d.shown
        found[d.id] = Entry(number, name, *_typed(shown, d))
    return found


def _short(database: Database, d: Derivation) -> str:
    given = database.given(d)
    if given is None:
        return d.label
    return given.name if given.group is None else f"{given.name}.{given.group}"


def payload(database: Database, derivation: Derivation, worked: Worked, fields: Mapping[str, Entry]) -> Markup:
    """The data block of a page."""
    data = {
        "inputs": [
            {"name": fields[i].name, "value": database.derivations[i].value, "factor": _short_number(fields[i].factor)}
            for i in worked.inputs
        ],
        "numbers": [_short_number(x) for x in worked.program.numbers],
        "steps": list(worked.program.steps),
        "result": {"slot": worked.result, "value": derivation.value},
        "put": substituted(database, derivation, worked),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Inside a script element nothing but its end can be misread.
    text = (
        text.replace("<", "\\u003c").replace("&", "\\u0026").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )
    return Markup('<script type="application/json" id="program">{}</script>').format(Markup(text))


def _short_number(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def substituted(database: Database, d: Derivation, worked: Worked) -> list[list[Any]]:
    """Slot and factor of each number in the formula with its inputs put in, in order; nothing where they are not plain."""
    if d.formula is None or d.mathml_values is None:
        return []
    children = {step.name: step.child for step in d.steps}
    written = [children[text] for node in _printed_order(parse(d.formula), children) if (text := unparse(node))]
    shown = _SUBSTITUTED.findall(d.mathml_values)
    if len(written) != len(shown):
        return []
    found: list[list[Any]] = []
    for child, (number, unit) in zip(written, shown, strict=True):
        value, slot = database.derivations[child].value, worked.slots.get(child)
        factor = _factor(number, unit, value)
        if slot is None or factor is None:
            return []
        found.append([slot, _short_number(factor)])
    return found


def _printed_order(tree: Node, children: Mapping[str, str]) -> list[Node]:
    """The names and calls with a value of their own, from left to right; what stands within such a call is not printed."""
    found: list[Node] = []
    within: set[int] = set()
    for node in walk(tree):
        if id(node) in within:
            continue
        if isinstance(node, Name | Call) and unparse(node) in children:
            found.append(node)
            within |= {id(part) for part in walk(node)}
    return found


def _factor(number: str, unit: str, value: float | None) -> float | None:
    """What one of a printed unit is in base units, if the printed number comes to the value with it."""
    try:
        factor = float(parse_unit(unit).factor) if unit else 1.0
        shown = float(number.replace(",", "").removeprefix("≈ ")) * factor
    except (UnitError, ValueError, OverflowError):
        return None
    return factor if value is not None and abs(shown - value) <= 1e-4 * abs(value) else None


def _typed(text: str, d: Derivation) -> tuple[str, str, float]:
    """The digits and the unit of a printed value, where they come to the value itself; else the value in base units."""
    try:
        number, unit, _ = parse_quantity(text.replace(",", ""))
        factor = 1.0 if unit is None else float(unit.factor)
        if d.value is not None and abs(float(number) * factor - d.value) <= 1e-12 * abs(d.value):
            return text.partition(" ")[0], text.partition(" ")[2], factor
    except (FormulaError, UnitError, ValueError, OverflowError):
        pass
    assert d.value is not None
    return repr(_short_number(d.value)), "" if d.dimension == "1" else d.dimension, 1.0


def printed(d: Derivation) -> tuple[str, float]:
    """The unit in which a computed value is printed, with what one of it is in base units."""
    number, _, unit = d.display.removeprefix("≈ ").partition(" ")
    factor = _factor(number, unit, d.value)
    return (unit, factor) if factor is not None else ("" if d.dimension == "1" else d.dimension, 1.0)
