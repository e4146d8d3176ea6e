"""An outcome as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ridgeline.figures.printing import show
from ridgeline.formulas.parser import unparse
from ridgeline.formulas.tree import Node
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import describe
from ridgeline.report import exact
from ridgeline.scenario.desk import Cost
from ridgeline.scenario.memory import Memory
from ridgeline.scenario.outcome import Outcome, Step
from ridgeline.scenario.parts import Part

SCHEMA = "ridgeline-scenario/1"


def as_json(outcome: Outcome) -> str:
    """The outcome as JSON."""
    return json.dumps(as_dict(outcome), indent=1, ensure_ascii=False) + "\n"


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain data: every value exact, with the expression that gives it."""
    setting, shared = outcome.setting, outcome.deployment
    return {
        "schema": SCHEMA,
        "setting": {
            "records": outcome.records,
            "phase": setting.phase,
            "batch": setting.batch,
            "context": setting.context,
            "count": shared.count,
            "tensor": shared.tensor,
            "pipeline": shared.pipeline,
            "expert": shared.expert,
            "data": shared.data,
            "micro_batches": shared.micro_batches,
            "reserve": setting.reserve,
            "link_rate": setting.link_rate,
            "micro_batch": shared.at_once if setting.training else None,
            "recompute": setting.recompute if setting.training else None,
            "shard": (setting.shard or "states") if setting.training else None,
        },
        "parts": [_part(part) for part in outcome.parts],
        "step": None if outcome.step is None else _step(outcome.step),
        "memory": _memory_data(outcome.memory),
        "uncounted": list(outcome.uncounted),
        "gaps": list(outcome.gaps),
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "class": part.reference,
        "name": part.name,
        "covers": list(part.covers),
        "over": part.over,
        "path": part.path,
        "devices": part.share.devices,
        "sequences": part.share.batch,
        "groups": part.share.groups,
        "bound_by": part.bound_by,
        "assumes": part.assumes or None,
        "needed": None if part.needed is None else _cost(part.needed),
        "costs": {name: _cost(cost) for name, cost in part.costs.items()},
        "times": {name: _cost(cost) for name, cost in part.times.items()},
    }


def _cost(cost: Cost) -> dict[str, Any]:
    if cost.value is None:
        return {
            "value": None,
            "decimal": None,
            "unit": None,
            "printed": None,
            "expression": cost.expression,
            "why": cost.why,
        }
    return {**_value(cost.value), "expression": cost.expression, "why": None}


def _value(value: Derivation) -> dict[str, Any]:
    tree: Node | None = value.tree
    return {
        "value": exact(value.quantity),
        "decimal": float(value.quantity),
        "unit": describe(value.quantity.dimension),
        "printed": show(value.quantity, value.unit),
        "expression": value.label if tree is None else unparse(tree),
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "bound_by": step.bound_by,
        "resources": {name: _value(time) for name, time in step.resources.items()},
        "overlapped": _value(step.overlapped),
        "in_turn": _value(step.in_turn),
        "rate": _value(step.rate),
        "throughput": _value(step.throughput),
        "needed": None if step.needed is None else _value(step.needed),
        "utilisation": None if step.utilisation is None else _value(step.utilisation),
    }


def _memory_data(memory: Memory) -> dict[str, Any]:
    def known(values: Iterable[tuple[str, Derivation | None]]) -> dict[str, Any]:
        return {name: None if value is None else _value(value) for name, value in values}

    return {
        "costs": [{"class": of, "formula": name, **_cost(cost)} for of, name, cost in memory.costs],
        "kinds": known(memory.kinds.items()),
        "fits": memory.fits,
        "why": memory.why or None,
        **known(
            (
                ("needed", memory.needed),
                ("capacity", memory.capacity),
                ("free", memory.free),
                ("sequences", memory.sequences),
            )
        ),
    }
