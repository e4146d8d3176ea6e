"""An outcome as text and as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from textwrap import fill
from typing import Any

from ridgeline.figures.printing import show
from ridgeline.formulas.parser import unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Node
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import describe, parse_unit
from ridgeline.report import exact
from ridgeline.scenario.desk import Cost
from ridgeline.scenario.memory import Memory
from ridgeline.scenario.outcome import Outcome, Step
from ridgeline.scenario.parts import Part

SCHEMA = "ridgeline-scenario/1"
_DIGITS = 4
_WIDTH = 116
_OPERATIONS = tuple(parse_unit(text) for text in ("PFLOP", "TFLOP", "GFLOP", "MFLOP", "kFLOP"))
_COLUMNS = (
    ("operations", "flops"),
    ("memory traffic", "bytes"),
    ("sent by each", "link_bytes"),
    ("compute", "compute_time"),
    ("memory", "memory_time"),
    ("link", "link_time"),
)
_KINDS = {
    "resident_weights": "weights",
    "resident_cache": "cache",
    "resident_state": "states",
    "resident_reserve": "reserve",
}


def brief(value: Derivation, rounding: str = ROUND_HALF_EVEN) -> str:
    """A value at four significant digits, in the unit in which the field prints such a value."""
    rounded = Quantity(_rounded(value.quantity.middle, rounding), value.quantity.dimension)
    if describe(rounded.dimension) == "flop":
        return show(rounded, next((unit for unit in _OPERATIONS if rounded.middle >= unit.factor), None))
    return show(rounded)


def at_least(value: Derivation) -> str:
    """A lower bound: never rounded up."""
    return brief(value, ROUND_FLOOR)


def at_most(value: Derivation, unit: str) -> str:
    """An upper bound on a rate, never rounded down, thousands grouped: ``12,050 tokens/s``."""
    number = _rounded(value.quantity.middle, ROUND_CEILING)
    return f"{int(number):,} {unit}" if number.denominator == 1 else f"{float(number):,} {unit}"


def _rounded(value: Fraction, rounding: str) -> Fraction:
    context = Context(prec=_DIGITS, rounding=rounding)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


# Text


def text(outcome: Outcome) -> str:
    """The outcome for people: what is asked, a row for each part, and what follows."""
    lines = [*_heading(outcome), "", *_table(outcome), ""]
    if outcome.step is not None:
        lines += _bounds(outcome, outcome.step)
    lines += _memory(outcome, outcome.memory)
    assumed = [f"{part.reference.partition('/')[2]}: {part.assumes}" for part in outcome.parts if part.assumes]
    if assumed:
        lines += [
            "",
            "taken for granted:",
            *(fill(a, _WIDTH, initial_indent="  ", subsequent_indent="    ") for a in assumed),
        ]
    if outcome.uncounted:
        named = f"not counted, for no class covers it: {', '.join(outcome.uncounted)}"
        lines += ["", fill(named, _WIDTH, subsequent_indent="  ")]
    if outcome.gaps:
        lines += [
            "",
            "not known, and left out of the sums:",
            *(fill(gap, _WIDTH, initial_indent="  ", subsequent_indent="    ") for gap in outcome.gaps),
        ]
    return "\n".join(lines) + "\n"


def _heading(outcome: Outcome) -> list[str]:
    setting, shared, records = outcome.setting, outcome.deployment, outcome.records
    name = {alias: reference.partition("/")[2] for alias, reference in records.items()}
    sequences, tokens = _many(setting.batch, "sequence"), _many(setting.context, "token")
    work = (
        f"decode, {sequences}, each new token sees {tokens}"
        if setting.phase == "decode"
        else f"prefill, {sequences} of {tokens}"
    )
    degrees = [f"{d} {shared.degree(d)}" for d in ("tensor", "pipeline", "expert", "data") if shared.degree(d) > 1]
    formats = [f"weights {name['weights']}", f"activations {name['activations']}", f"cache {name['cache']}"]
    if records["experts"] != records["weights"]:
        formats.insert(1, f"experts {name['experts']}")
    units = [f"matrix units in {name['compute']}"]
    links = [f"links {setting.link_rate}"] if setting.link_rate is not None else []
    return [
        f"{name['model']} on {shared.count:,} × {name['accelerator']}: {work}",
        " · ".join((*degrees, *formats, *units, *links)),
    ]


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _table(outcome: Outcome) -> list[str]:
    used = [(title, key) for title, key in _COLUMNS if any(key in p.costs | p.times for p in outcome.parts)]
    rows = [["part", *(title for title, _ in used), "bound by"]]
    for part in outcome.parts:
        cells = [_cell((part.costs | part.times).get(key)) for _, key in used]
        rows.append([part.reference.partition("/")[2], *cells, part.bound_by])
    if outcome.step is not None:
        rows.append(["together", *(_together(outcome.step, key) for _, key in used), ""])
        vector = outcome.step.resources.get("vector compute")
        if vector is not None:
            cells = [brief(vector) if key == "compute_time" else "" for _, key in used]
            rows.append(["vector units", *cells, ""])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    last = len(widths) - 1
    return [
        "  ".join(
            c.ljust(w) if i in (0, last) else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cell(cost: Cost | None) -> str:
    if cost is None:
        return "–"
    return "not known" if cost.value is None else brief(cost.value)


def _together(step: Step, key: str) -> str:
    """The sum of a column, where all of it takes one resource."""
    resource = key.removesuffix("_time")
    time = step.resources.get(resource) if key.endswith("_time") else None
    return "" if time is None else brief(time)


def _bounds(outcome: Outcome, step: Step) -> list[str]:
    lines = [
        f"a step takes at least {at_least(step.overlapped)}, however much of it overlaps: bound by {step.bound_by}",
        f"a step takes at least {at_least(step.in_turn)} where each part waits for the one before it",
    ]
    if outcome.setting.phase == "decode":
        each, all_ = at_most(step.rate, "tokens/s"), at_most(step.throughput, "tokens/s")
        return [*lines, f"at most {each} for a sequence, {all_} for all of them"]
    return [
        *lines,
        f"at most {at_most(step.throughput, 'prompt tokens/s')}; no prompt is done sooner than after one step",
    ]


def _memory(outcome: Outcome, memory: Memory) -> list[str]:
    kinds = [f"{_KINDS[name]} {brief(value)}" for name, value in memory.kinds.items() if value.quantity.middle]
    if kinds and "resident_reserve" in memory.kinds and not memory.kinds["resident_reserve"].quantity.middle:
        kinds.append("no reserve (--reserve)")
    lines = ["", f"memory of one accelerator: {', '.join(kinds)}" if kinds else "memory of one accelerator:"]
    if memory.free is None or memory.needed is None or memory.capacity is None:
        return [*lines, f"  whether it fits cannot be told: {memory.why}"]
    room = abs(memory.free.quantity.middle)
    left = brief(Derivation("", Quantity(room, memory.free.quantity.dimension)))
    verdict = f"fits, {left} left" if memory.fits else f"does not fit: {left} too much"
    lines.append(f"  together {brief(memory.needed)} of {brief(memory.capacity)}: {verdict}")
    if memory.sequences is not None:
        most = _many(int(memory.sequences.quantity.middle), "sequence")
        lines.append(f"  room for {most} of this length in the whole deployment")
    return lines


# Plain data


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
