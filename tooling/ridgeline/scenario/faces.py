"""An outcome as text."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from textwrap import fill

from ridgeline.figures.printing import show
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import describe, parse_unit
from ridgeline.scenario.desk import Cost
from ridgeline.scenario.memory import Memory
from ridgeline.scenario.outcome import Outcome, Step
from ridgeline.scenario.setting import SHARDS, Deployment, Setting

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
    "resident_gradients": "gradients",
    "resident_optimiser": "optimiser",
    "resident_activations": "activations",
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
    decode = f"decode, {sequences}, each new token sees {tokens}"
    work = decode if setting.phase == "decode" else f"{setting.phase}, {sequences} of {tokens}"
    degrees = [f"{d} {shared.degree(d)}" for d in ("tensor", "pipeline", "expert", "data") if shared.degree(d) > 1]
    last = "gradients" if setting.training else "cache"
    formats = [f"weights {name['weights']}", f"activations {name['activations']}", f"{last} {name[last]}"]
    if records["experts"] != records["weights"]:
        formats.insert(1, f"experts {name['experts']}")
    units = [f"matrix units in {name['compute']}"]
    links = [f"links {setting.link_rate}"] if setting.link_rate is not None else []
    return [
        f"{name['model']} on {shared.count:,} × {name['accelerator']}: {work}",
        " · ".join((*degrees, *formats, *units, *links)),
        *((_training(setting, shared),) if setting.training else ()),
    ]


def _training(setting: Setting, shared: Deployment) -> str:
    """How a training step is carried out."""
    parts = [f"{_many(shared.micro_batches, 'micro-batch')} of {_many(shared.at_once, 'sequence')}"]
    if shared.data > 1:
        among = SHARDS[1 : SHARDS.index(setting.shard or "states") + 1]
        parts.append(f"replicas divide {', '.join(among) if among else 'nothing'}")
    parts.append("layers recomputed" if setting.recompute == "layers" else "nothing recomputed")
    return " · ".join((*parts, "each row is both passes"))


def _many(count: int, what: str) -> str:
    plural = "es" if what.endswith("ch") else "s"
    return f"{count:,} {what}{'' if count == 1 else plural}"


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
    filling = ", and the pipeline fills and empties" if outcome.setting.training and outcome.deployment.idle else ""
    lines = [
        f"a step takes at least {at_least(step.overlapped)}, however much of it overlaps: bound by {step.bound_by}",
        f"a step takes at least {at_least(step.in_turn)} where each part waits for the one before it{filling}",
    ]
    if outcome.setting.phase == "decode":
        each, all_ = at_most(step.rate, "tokens/s"), at_most(step.throughput, "tokens/s")
        return [*lines, f"at most {each} for a sequence, {all_} for all of them"]
    if outcome.setting.training:
        return [*lines, *_use(outcome, step)]
    return [
        *lines,
        f"at most {at_most(step.throughput, 'prompt tokens/s')}; no prompt is done sooner than after one step",
    ]


def _use(outcome: Outcome, step: Step) -> list[str]:
    """Rates of training, and what part of the peak they are."""
    lines = [f"at most {at_most(step.throughput, 'tokens/s')}"]
    if step.needed is not None and step.utilisation is not None:
        most = _rounded(step.utilisation.quantity.middle * 100, ROUND_CEILING)
        lines.append(
            f"the passes need {brief(step.needed)}, recomputation left out: model FLOP utilisation (MFU) at most {float(most):g} %"
        )
    idle = outcome.deployment.idle
    if idle:
        share = float(_rounded(idle * 100, ROUND_HALF_EVEN))
        lines.append(f"a pipeline that fills and empties once a step leaves each stage waiting for {share:g} % of it")
    return lines


def _memory(outcome: Outcome, memory: Memory) -> list[str]:
    kinds = [f"{_KINDS[name]} {brief(value)}" for name, value in memory.kinds.items() if value.quantity.middle]
    if kinds and "resident_reserve" in memory.kinds and not memory.kinds["resident_reserve"].quantity.middle:
        kinds.append("no reserve (--reserve)")
    held = fill(f"memory of one accelerator: {', '.join(kinds)}".rstrip(), _WIDTH, subsequent_indent="  ")
    lines = ["", *held.split("\n")]
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
