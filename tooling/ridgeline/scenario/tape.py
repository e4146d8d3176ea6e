"""All scenarios of one model as one program: a tape of arithmetic with the setting and the accelerator left open.

What depends on the setting or on the accelerator (context, batch, degrees, bytes of an element, peak, bandwidth…) is an input;
what depends on the model is folded in, its recorded values as numbers with the place that states them. The program is what
the scenario's own evaluation leaves behind, so there is no second set of formulas. A page interprets it without running
text as code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ridgeline.formulas.errors import MAX_DIGITS, FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral
from ridgeline.formulas.writers.common import OPERATIONS
from ridgeline.knowledge.derivation import Derivation, Given
from ridgeline.knowledge.names import Stated, Unknown
from ridgeline.lookup import Lookup
from ridgeline.numbers.units import parse_unit
from ridgeline.records.layers import ExpertFeedForward, GroupedAttention, LatentAttention
from ridgeline.records.model import Model
from ridgeline.records.workload import COSTS, MEMORIES, Degree, Work, Workload
from ridgeline.scenario.desk import Cost, Desk
from ridgeline.scenario.parts import Part, uncounted
from ridgeline.scenario.setting import Deployment, Phase, ScenarioError, Setting, Share

SCHEMA = "ridgeline-tape/1"
#: A step of training has two passes and settings of its own: no program is written of it.
PHASES: tuple[Phase, ...] = ("decode", "prefill")
FORMATS = ("weights", "experts", "activations", "cache")
DEGREES: tuple[Degree, ...] = ("tensor", "expert", "pipeline", "data")
#: The record that an input's place names.
OPEN = "="
_DEPTH = 100
_MOST_STEPS = 20_000
#: Distinct numbers, so that no two inputs are ever taken for one another because they are equal.
_PRIMES = (
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223,
    227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311, 313, 317, 331, 337, 347, 349, 353,
    359, 367, 373, 379, 383, 389, 397, 401, 409, 419, 421, 431, 433, 439, 443, 449, 457, 461, 463, 467, 479, 487, 491,
    499, 503, 509, 521, 523, 541, 547, 557, 563, 569, 571, 577, 587, 593, 599, 601, 607, 613, 617, 619, 631, 641, 643,
)  # fmt: skip


class _Open:
    """Makes inputs: each a leaf with a number of its own."""

    def __init__(self) -> None:
        self.made: dict[str, Derivation] = {}

    def __call__(self, name: str, like: Quantity | None = None) -> Derivation:
        found = self.made.get(name)
        if found is None:
            if len(self.made) >= len(_PRIMES):
                raise ScenarioError("the classes read more of an accelerator than a program has inputs")
            number = Fraction(_PRIMES[len(self.made)])
            quantity = Quantity.of(number) if like is None else Quantity(number, like.dimension)
            found = Derivation(name, quantity, given=Given(OPEN, name, name, "set", name=name))
            self.made[name] = found
        return found


class _FreeDesk(Desk):
    """A desk whose classes are given inputs in place of the numbers of a setting."""

    def __init__(self, lookup: Lookup, setting: Setting, opened: _Open, read: Mapping[str, Quantity]):
        self._opened = opened
        super().__init__(lookup, setting, Deployment(2, 2, 4, 2, 16, 2))
        symbols = {name: opened(f"accelerator.{name}", like) for name, like in read.items()}
        one_byte = Quantity.of(1, parse_unit("byte"))
        symbols |= {f"{name}.bits": opened(f"{name}.bits", one_byte) for name in FORMATS}
        symbols["bits"] = opened("compute.bits", one_byte)
        for name in (
            "context",
            "tokens",
            *DEGREES,
            *(f"{o}.{w}" for o in (*DEGREES, "memory") for w in ("devices", "batch")),
        ):
            symbols[f"setting.{name}"] = opened(name)
        symbols["setting.reserve"] = opened("reserve", one_byte)
        self.plain = self.plain.with_symbols(symbols)
        self.over = "memory"

    def _rates(self) -> None:
        """Nothing to refuse: the accelerator is an input."""

    def symbols(self, record: Workload, share: Share) -> dict[str, str]:
        """The names of inputs where the scenario would write numbers."""
        names: dict[str, str] = {
            "L": "setting.context", "T": "setting.tokens", "reserve": "setting.reserve",
            "batch": f"setting.{self.over}.batch", "devices": f"setting.{self.over}.devices",
            **{str(name): f"setting.{name}" for name in DEGREES},
        }  # fmt: skip
        return {name: names.get(name, text) for name, text in super().symbols(record, share).items()}


@dataclass
class _Tape:
    """Numbers and steps, each once. A slot is ``("i" | "g" | "c" | "s", index)`` until the tape is closed."""

    inputs: dict[str, int] = field(default_factory=dict)
    given: dict[tuple[str, str], int] = field(default_factory=dict)
    values: list[float] = field(default_factory=list)
    constants: dict[Fraction, int] = field(default_factory=dict)
    steps: dict[tuple[Any, ...], int] = field(default_factory=dict)
    exact: dict[tuple[str, int], Fraction] = field(default_factory=dict)
    _known: dict[int, tuple[Derivation, tuple[str, int]]] = field(default_factory=dict)

    def bind(self, derivation: Derivation, depth: int = 0) -> tuple[str, int]:
        known = self._known.get(id(derivation))
        if known is None:
            known = self._known[id(derivation)] = (derivation, self._bound(derivation, depth))
        return known[1]

    def _bound(self, derivation: Derivation, depth: int) -> tuple[str, int]:
        given = derivation.given
        if depth > _DEPTH:
            raise ScenarioError(f"{derivation.label} rests on too much to be written")
        if derivation.tree is None:
            if given is not None and given.record == OPEN:
                return ("i", self.inputs.setdefault(given.field, len(self.inputs)))
            if given is not None:
                place = (given.record, given.field)
                if place not in self.given:
                    self.given[place] = len(self.given)
                    self.values.append(float(derivation.quantity))
                return ("g", self.given[place])
            if derivation.steps or not derivation.quantity.exact:
                raise ScenarioError(f"{derivation.label} is a numerical solution: it has no formula to write")
            return self.constant(derivation.quantity.middle)
        steps = {node: self.bind(step, depth + 1) for node, step in derivation.steps}
        return self.write(derivation.tree, steps, depth)

    def constant(self, value: Fraction) -> tuple[str, int]:
        slot = ("c", self.constants.setdefault(value, len(self.constants)))
        self.exact[slot] = value
        return slot

    def write(self, node: Node, steps: Mapping[Node, tuple[str, int]], depth: int) -> tuple[str, int]:
        if isinstance(node, Name | Call) and node in steps:
            return steps[node]
        if isinstance(node, Number):
            return self.constant(node.value)
        if isinstance(node, Negate):
            return self.step("neg", self.write(node.operand, steps, depth))
        if isinstance(node, Binary):
            return self.step(node.operator, self.write(node.left, steps, depth), self.write(node.right, steps, depth))
        if not isinstance(node, Call) or depth > _DEPTH:
            raise ScenarioError("a formula reads a name that has no value of its own")
        return self.call(
            node, [p if isinstance(p, UnitLiteral) else self.write(p, steps, depth) for p in node.positional]
        )

    def call(self, node: Call, parts: list[Any]) -> tuple[str, int]:
        name = node.name[0]
        if name in ("num", "as"):
            return self.step("/" if name == "num" else "*", parts[0], self.constant(parts[1].unit.factor))
        if name == "count":
            return self.constant(Fraction(len(parts)))
        if name in ("sum", "min", "max"):
            found = parts[0]
            for part in parts[1:]:
                found = self.step("+" if name == "sum" else name, found, part)
            return found  # type: ignore[no-any-return]
        return self.step(name, parts[0])

    def step(self, operation: str, *parts: tuple[str, int]) -> tuple[str, int]:
        """A step of the tape, or the number that it comes to where that is plain from numbers alone."""
        plain = self.folded(operation, *parts)
        if plain is not None:
            return plain
        key = (OPERATIONS.index(operation), *parts)
        if len(self.steps) >= _MOST_STEPS:
            raise ScenarioError("the scenario is too long for a program")
        return ("s", self.steps.setdefault(key, len(self.steps)))

    def folded(self, operation: str, *parts: tuple[str, int]) -> tuple[str, int] | None:
        values = [self.exact.get(part) for part in parts]
        if len(values) == 2:
            left, right = values
            if right == 1 and operation in "*/^":
                return parts[0]
            if left == 1 and operation == "*":
                return parts[1]
            if right == 0 and operation in "+-":
                return parts[0]
            if left == 0 and operation == "+":
                return parts[1]
            if left is not None and right is not None and operation in _PLAIN and not (operation == "/" and not right):
                value = _PLAIN[operation](left, right)
                if len(str(value)) <= MAX_DIGITS:
                    return self.constant(value)
        return None

    def closed(self) -> tuple[list[float], list[int], dict[str, int]]:
        """Numbers after the inputs, the steps as one row of whole numbers, and where each kind of slot begins."""
        start = {"i": 0, "g": len(self.inputs)}
        start["c"] = start["g"] + len(self.given)
        start["s"] = start["c"] + len(self.constants)
        row = []
        for operation, *parts in self.steps:
            row += [operation, *(start[kind] + index for kind, index in parts)]
        return [*self.values, *(float(value) for value in self.constants)], row, start


_PLAIN: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "min": min, "max": max,
}  # fmt: skip


class Tapes:
    """Programs of models, all from one knowledge base."""

    def __init__(self, lookup: Lookup):
        self.lookup = lookup
        self.read = _read_of_accelerators(lookup)
        self._any = next(iter(sorted(r for r in lookup.knowledge.entries if r.startswith("accelerators/"))), "")

    def tape(self, model: str) -> dict[str, Any]:
        """The program of a model as plain data. Raises :class:`ScenarioError` for a model that is not there."""
        opened, tape = _Open(), _Tape()
        desk, parts, lost = None, {}, {}
        for phase in PHASES:
            setting = Setting(model, self._any, phase, 64, batch=16, count=8, data=2, pipeline=2, expert=4)
            desk = _FreeDesk(self.lookup, setting, opened, self.read)
            found = _parts(desk)
            parts[phase] = [_part(tape, part) for part in found]
            lost[phase] = _lost(desk, found)
        assert desk is not None
        memory = [
            {"class": entry.reference, "formula": name, **_cell(tape, _cost(desk, entry, name, "memory"))}
            for entry, record in desk.classes
            if "memory" in record.part_of and desk.applies(entry)
            for name in (f"resident_{kind}" for kind in MEMORIES["memory"])
            if name in record.formulas
        ]
        numbers, row, start = tape.closed()

        def placed(cell: Any) -> Any:
            return start[cell[0]] + cell[1] if isinstance(cell, tuple) else cell

        for line in (*(p["cells"] for phase in parts.values() for p in phase), *memory):
            for key, cell in line.items():
                line[key] = placed(cell)
        return {
            "schema": SCHEMA,
            "model": desk.model,
            "shape": _shape(desk),
            "inputs": list(tape.inputs),
            "given": [list(place) for place in tape.given],
            "numbers": numbers,
            "steps": row,
            "parts": parts,
            "memory": memory,
            "uncounted": lost,
        }


def _read_of_accelerators(lookup: Lookup) -> dict[str, Quantity]:
    """The quantities of an accelerator that some part of a step or of memory reads, each with a value of its dimension."""
    resolver, found = lookup.resolver, dict[str, Quantity]()
    names: set[str] = set()
    for reference in sorted(lookup.knowledge.entries):
        entry = lookup.knowledge.get(reference) if reference.startswith("classes/") else None
        if entry is not None and isinstance(entry.record, Workload) and entry.record.part_of:
            names |= resolver.free_names_of(entry.record)
    for reference in sorted(r for r in lookup.knowledge.entries if r.startswith("accelerators/")):
        if lookup.knowledge.get(reference) is None:
            continue
        space = resolver.namespace(reference)
        for name, meaning in space.names.items():
            wide = name.partition(".")[0] if name.startswith(("peak.", "ridge.")) and name.count(".") == 1 else name
            for wanted in {name, wide} & names:
                if wanted not in found and not isinstance(meaning, Unknown):
                    try:
                        value = (
                            meaning.quantity
                            if isinstance(meaning, Stated)
                            else resolver.quantity(reference, tuple(name.split("."))).quantity
                        )
                    except FormulaError:
                        continue
                    found[wanted] = value
    return dict(sorted(found.items()))


def _cost(desk: _FreeDesk, entry: Any, name: str, over: str) -> Cost:
    desk.over = over
    return desk.cost(entry, ((1, name),), Share(1, 1, 1))


def _parts(desk: _FreeDesk) -> list[Part]:
    """Every class that is a part of the phase and applies to the model, in the order of the work."""
    found = []
    for entry, record in desk.classes:
        if desk.setting.phase not in record.part_of or not desk.applies(entry):
            continue
        costs, times = {}, {}
        for name, time in COSTS.items():
            if name in record.formulas:
                costs[name] = _cost(desk, entry, name, record.over)
                times[time] = _cost(desk, entry, time, record.over)
        found.append(
            Part(
                entry.reference,
                record.name,
                tuple(record.covers),
                record.over,
                record.path,
                Share(1, 1, 1),
                costs,
                times,
            )
        )
    order: tuple[str, ...] = Work.__args__  # type: ignore[attr-defined]
    return sorted(found, key=lambda part: (min(order.index(work) for work in part.covers), part.reference))


def _part(tape: _Tape, part: Part) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    why: dict[str, str] = {}
    for name, cost in (part.costs | part.times).items():
        found = _cell(tape, cost)
        cells[name] = found["slot"]
        if found["why"]:
            why[name] = found["why"]
    return {"class": part.reference, "over": part.over, "path": part.path, "cells": cells, "why": why}


def _cell(tape: _Tape, cost: Cost) -> dict[str, Any]:
    if cost.value is None:
        return {"slot": -1, "why": cost.why}
    return {"slot": tape.bind(cost.value), "why": ""}


def _lost(desk: _FreeDesk, found: list[Part]) -> dict[str, Any]:
    """Work that no part covers, whatever the setting; and that of each degree, where it is more than one."""
    costly = [
        part
        for part in found
        if any(c.value is None or c.value.quantity.middle for c in (*part.costs.values(), *part.times.values()))
    ]
    whole = uncounted(desk, costly)
    traffic = {"tensor": "tensor-collective", "expert": "expert-exchange", "pipeline": "pipeline-transfer"}
    return {
        "always": [work for work in whole if work not in traffic.values()],
        "over": {degree: work for degree, work in traffic.items() if work in whole},
    }


def _shape(desk: Desk) -> dict[str, Any]:
    """What decides whether the model can be shared as a setting says."""
    record = desk.knowledge.entries[desk.model].record
    assert isinstance(record, Model)
    heads, cached, experts = [], [], []
    for group in record.layers:
        if isinstance(group.attention, GroupedAttention | LatentAttention):
            heads.append(group.attention.query_heads)
        if isinstance(group.attention, GroupedAttention):
            cached.append(group.attention.kv_heads)
        if isinstance(group.feed_forward, ExpertFeedForward):
            experts.append(group.feed_forward.experts)
    return {
        "layers": sum(group.count for group in record.layers),
        "query_heads": sorted(set(heads)), "kv_heads": sorted(set(cached)), "experts": sorted(set(experts)),
    }  # fmt: skip


__all__ = ["OPERATIONS", "SCHEMA", "Tapes"]
