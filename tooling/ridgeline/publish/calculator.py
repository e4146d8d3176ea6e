"""The calculator: a model on accelerators, recomputed in the page by the scenario's own formulas.

The programs come from the records (:mod:`ridgeline.scenario.tape`), the values that are put in from the database. Without
browser code the page shows worked scenarios, each with the command that prints it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ridgeline.publish.address import page_of
from ridgeline.publish.content import Database, Quantity
from ridgeline.publish.markup import slug
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

if TYPE_CHECKING:
    from ridgeline.lookup import Lookup
    from ridgeline.scenario import Outcome, Setting

ADDRESS = "calculator/"
HARDWARE = f"{ADDRESS}hardware.json"
#: Quantities of an accelerator that follow the format of the matrix units.
_OF_FORMAT = ("peak", "ridge")
_STATUS = {"recorded": "r", "recomputed": "c", "unverified": "u"}
#: Formulas of a class that the page tells.
_FORMULAS = ("flops", "bytes", "link_bytes", "compute_time", "memory_time", "link_time")


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of all models of the database, by reference, and the worked scenarios."""

    tapes: dict[str, dict[str, Any]]
    worked: tuple[Outcome, ...]
    drawn: Outcome | None = None


def programs(database: Database, root: Path) -> Programs:
    """The programs, from the records that the database was made of."""
    # Here alone: pages are written without the packages that compute.
    from ridgeline.lookup import Lookup
    from ridgeline.scenario import Setting
    from ridgeline.scenario.tape import Tapes

    lookup = Lookup(root)
    maker = Tapes(lookup)
    shown, first = _settings()
    worked = tuple(outcome for setting in shown if (outcome := _outcome(lookup, setting)) is not None)
    # The explorer's choice; where its records are not there, the first that there are.
    models, parts = ([r.id for r in database.of_kind(kind)] for kind in ("model", "accelerator"))
    others = (Setting(m, a, "decode", 1024) for m in models[:5] for a in parts[:5])
    drawn = next((o for s in (first, *others) if (o := _outcome(lookup, s)) is not None), None)
    return Programs({r.reference: maker.tape(r.id) for r in database.of_kind("model")}, worked, drawn)


def _settings() -> tuple[tuple[Setting, ...], Setting]:
    """The scenarios of the page without browser code, and the explorer's choice before anyone chooses.

    One whose records are not there is left out.
    """
    from ridgeline.scenario import Setting

    worked = (
        Setting("llama-3.1-8b", "nvidia-l4", "decode", 2048, weights="int8"),
        Setting("llama-3.1-8b", "nvidia-rtx-4090", "prefill", 4096),
        Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 8192, batch=64, count=8),
        Setting("llama-3.1-70b", "amd-instinct-mi300x", "decode", 8192, batch=64, count=4, weights="fp8"),
        Setting("llama-3.1-405b", "nvidia-b200", "decode", 32768, batch=32, count=8, weights="fp8"),
        Setting("mixtral-8x7b", "nvidia-a100-sxm-80gb", "decode", 4096, batch=32, count=2),
        Setting("deepseek-v3", "nvidia-h200-sxm", "decode", 4096, batch=1024, count=32, data=32, expert=32, weights="fp8"),
        Setting("gemma-3-27b", "google-tpu-v6e", "prefill", 8192, count=4),
        Setting("gpt-oss-120b", "nvidia-h100-sxm", "decode", 16384, batch=16, weights="bf16", experts="mxfp4"),
        Setting("qwen3-30b-a3b", "apple-m3-ultra", "decode", 4096, compute="fp16", weights="int4"),
    )  # fmt: skip
    return worked, Setting("llama-3.1-8b", "nvidia-h100-sxm", "decode", 8192, batch=16)


def _outcome(lookup: Lookup, setting: Setting) -> Outcome | None:
    from ridgeline.scenario import ScenarioError, run

    try:
        return run(lookup, setting)
    except ScenarioError:
        return None


# Pages


def pages(pen: Callable[[str], Pen], made: Programs | None) -> Iterator[Page]:
    """The calculator's page."""
    here = pen(ADDRESS)
    worked = [] if made is None else [_worked(here, outcome) for outcome in made.worked]
    context = {
        "pen": here, "worked": worked, "live": made is not None and bool(made.tapes),
        "hardware": here.href(HARDWARE), "tapes": here.href(f"{ADDRESS}models/"),
    }  # fmt: skip
    description = (
        "A model on accelerators: what binds each part of a step, the least time, the highest rate, what fits."
    )
    yield Page(ADDRESS, "Calculator", description, body("calculator.html", context), scripts=("calculator",))


def command(setting: Setting) -> str:
    """The command that prints a scenario."""
    words = [f"ridgeline scenario {setting.model} {setting.accelerator}"]
    usual = type(setting)("", "", "decode", 0)
    for name in (
        "phase", "context", "batch", "count", "tensor", "pipeline", "expert", "data", "weights", "experts", "activations",
        "cache", "compute", "reserve", "link_rate",
    ):  # fmt: skip
        value = getattr(setting, name)
        if value != getattr(usual, name):
            words.append(f"--{name.replace('_', '-')} {value}")
    return " ".join(words)


def _worked(pen: Pen, outcome: Outcome) -> dict[str, Any]:
    from ridgeline.scenario.faces import at_least, at_most, brief

    columns = [c for c in ("compute_time", "memory_time", "link_time") if any(c in p.times for p in outcome.parts)]
    rows = [
        {
            "class": part.reference, "bound": part.bound_by,
            "costs": [_brief((part.costs | part.times).get(c)) for c in ("flops", "bytes", *columns)],
        }
        for part in outcome.parts
    ]  # fmt: skip
    names = {kind: pen.database.records[outcome.records[kind]].name for kind in ("model", "accelerator")}
    step, memory = outcome.step, outcome.memory
    return {
        "outcome": outcome,
        "title": f"{names['model']} on {outcome.deployment.count:,} × {names['accelerator']}, {outcome.setting.phase}",
        "command": command(outcome.setting), "columns": columns, "rows": rows,
        "least": step and at_least(step.overlapped), "turn": step and at_least(step.in_turn),
        "bound": step and step.bound_by,
        "rate": step and at_most(step.throughput, "tokens/s"),
        "needed": memory.needed and brief(memory.needed), "capacity": memory.capacity and brief(memory.capacity),
        "fits": memory.fits,
    }  # fmt: skip


def _brief(cost: Any) -> str:
    from ridgeline.scenario.faces import brief

    if cost is None:
        return "–"
    return "unknown" if cost.value is None else brief(cost.value)


# Data of the live page


def files(pen: Callable[[str], Pen], root: Path, made: Programs) -> None:
    """Write a program for each model, and the values of accelerators and formats, below the root of the site."""
    here = pen(ADDRESS)
    for reference, tape in made.tapes.items():
        named = {**tape, "given": [_given(here, *place) for place in tape["given"]]}
        _write(root / f"{ADDRESS}{reference}.json", named)
    read = {name for tape in made.tapes.values() for name in tape["inputs"] if name.startswith("accelerator.")}
    _write(root / HARDWARE, hardware(here, {name.removeprefix("accelerator.") for name in read}))


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _given(pen: Pen, record: str, field: str) -> list[str]:
    """A recorded value that a program holds: what it is called, as its source prints it, and where it stands."""
    found = pen.database.by_field.get((record, field), [])
    if not found:
        return [field, "", page_of(record)]
    q = found[0]
    name = q.name if q.group is None else f"{q.name} of layer group {q.group + 1}"
    return [name, q.shown, pen.addresses.stated(q)]


def hardware(pen: Pen, read: set[str]) -> dict[str, Any]:
    """What can be put in: accelerators with the quantities that programs read, formats, models, and the classes' formulas."""
    database = pen.database
    return {
        "accelerators": [_accelerator(pen, r.reference, read) for r in database.of_kind("accelerator")],
        "formats": [
            {"id": r.id, "name": r.name, "bits": _packed(pen, bits)}
            for r in database.of_kind("format")
            if (bits := database.by_name.get((r.reference, "bits", None))) is not None and bits.value is not None
        ],
        "models": [
            {"id": r.id, "name": r.name, "of": database.rows("models", r.reference)[0]["organisation"] or "Others"}
            for r in database.of_kind("model")
        ],
        "classes": {
            r.id: {
                "name": r.name,
                "assumes": " ".join((database.rows("classes", r.reference)[0]["assumes"] or "").split()),
                "formulas": {
                    f["name"]: f["text"] for f in database.rows("formulas", r.reference) if f["name"] in _FORMULAS
                } | {
                    f["name"]: f["text"]
                    for f in database.rows("formulas", r.reference)
                    if f["name"].startswith("resident_")
                },
            }
            for r in database.of_kind("class")
            if database.rows("classes", r.reference)[0]["part_of"]
        },
    }  # fmt: skip


def _accelerator(pen: Pen, reference: str, read: set[str]) -> dict[str, Any]:
    database = pen.database
    record, head = database.records[reference], database.rows("accelerators", reference)[0]
    wide = (*(f"{name}." for name in _OF_FORMAT if name in read), "peak.")
    values = {}
    for q in database.of_record.get(reference, []):
        named = q.name in read or q.name == "memory.capacity"
        if q.group is None and q.value is not None and (named or _is_of_format(q.name, wide)):
            values[q.name] = _packed(pen, q)
    return {"id": record.id, "name": record.name, "of": head["vendor"], "scope": head["scope"], "values": values}


def _is_of_format(name: str, wide: tuple[str, ...]) -> bool:
    """Whether a name is that of a dense peak on the matrix path: what the matrix units can be set to."""
    head, _, tail = name.partition(".")
    special = ("_sparse", "_accumulate", "_vector")
    return f"{head}." in wide and "." not in tail and not any(word in tail for word in special)


def _packed(pen: Pen, q: Quantity) -> list[Any]:
    """``[value in base units, as printed, status, target]``."""
    return [q.value, q.shown, _STATUS.get(q.status, "u"), pen.addresses.quantity(q)]


def anchor(name: str) -> str:
    """The id of a class's formula on its page."""
    return f"formula-{slug(name)}"
