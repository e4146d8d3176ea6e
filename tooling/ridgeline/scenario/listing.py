"""A sweep as a table for people, as CSV and as plain data: a row for each point."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import describe
from ridgeline.report import exact
from ridgeline.scenario.faces import at_least, at_most, brief
from ridgeline.scenario.outcome import Outcome
from ridgeline.scenario.sweep import Grid, Point

SCHEMA = "ridgeline-sweep/1"
_RESULTS = ("step", "bound by", "tokens/s each", "tokens/s", "MFU", "needs", "fits")
_CSV = (
    "step_seconds",
    "bound_by",
    "tokens_per_second_each",
    "tokens_per_second",
    "utilisation",
    "memory_bytes",
    "capacity_bytes",
    "fits",
    "left_out",
    "refused",
)


def left_out(outcome: Outcome) -> tuple[str, ...]:
    """What the bounds of an outcome do not know of: work that no class covers, and times that cannot be told."""
    return (*(f"{work}: no class covers it" for work in outcome.uncounted), *outcome.gaps)


# Text


def text(grid: Grid, points: Iterable[Point]) -> str:
    """The sweep for people. What all points share stands above, and below what is left out of some."""
    varying = grid.varying
    rows, below = [], dict[str, None]()
    for point in points:
        rows.append([_axis(getattr(point.setting, name)) for name in varying] + _cells(point))
        below |= dict.fromkeys(() if point.outcome is None else left_out(point.outcome))
    phases = set(grid.axes["phase"])
    absent = {column for column, phase in (("MFU", "training"), ("tokens/s each", "decode")) if phase not in phases}
    results = [name for name in _RESULTS if name not in absent]
    kept = [*range(len(varying)), *(len(varying) + _RESULTS.index(r) for r in results)]
    shown = [[*varying, *results]] + [[row[i] for i in kept] if len(row) > len(varying) + 1 else row for row in rows]
    lines = [*_heading(grid), "", *_aligned(shown, len(varying) + len(results)), "", _MEANING]
    if below:
        lines += ["left out of some rows, for it is not known:", *(f"  {what}" for what in below)]
    return "\n".join(lines) + "\n"


_MEANING = "a step takes at least so long, rates are at most so high, and each memory needs so much; ridgeline scenario shows how"


def _heading(grid: Grid) -> list[str]:
    fixed = [f"{name} {_axis(values[0])}" for name, values in grid.axes.items() if len(values) == 1]
    count = len(grid.settings)
    return [f"{count:,} {'scenario' if count == 1 else 'scenarios'}: {' · '.join(fixed)}".rstrip(": ")]


def _axis(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "–" if value is None else str(value)


def _cells(point: Point) -> list[str]:
    outcome = point.outcome
    if outcome is None:
        return [f"cannot be: {point.refused}"]
    step, memory = outcome.step, outcome.memory
    if step is None:
        cells = ["–"] * 5
    else:
        use = "–" if step.utilisation is None else f"{_most(step.utilisation)} %"
        each = at_most(step.rate, "").strip() if outcome.setting.phase == "decode" else "–"
        cells = [at_least(step.overlapped), step.bound_by, each, at_most(step.throughput, "").strip(), use]
    fits = {True: "yes", False: "no", None: "not known"}[memory.fits]
    return [*cells, "–" if memory.needed is None else brief(memory.needed), fits]


def _most(utilisation: Derivation) -> str:
    # Upwards, as every bound that is one from above.
    tenths = -(-utilisation.quantity.middle * 1000 // 1)
    return f"{float(tenths) / 10:g}"


def _aligned(rows: list[list[str]], columns: int) -> Iterator[str]:
    whole = [row for row in rows if len(row) == columns]
    widths = [max(len(row[column]) for row in whole) for column in range(columns)]
    words = {i for i, name in enumerate(rows[0]) if name in ("bound by", "fits")}
    words |= {i for i in range(columns) if not any(row[i][:1].isdigit() for row in rows[1:] if i < len(row))}
    for row in rows:
        cells = [c.ljust(w) if i in words else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=False))]
        if len(row) < columns:
            cells[-1] = row[-1]
        yield "  ".join(cells).rstrip()


# CSV


def as_csv(grid: Grid, points: Iterable[Point]) -> Iterator[str]:
    """The sweep as lines of CSV, in base units: every axis, and what follows."""
    yield _line([*grid.axes, *_CSV])
    for point in points:
        axes = ["" if (v := getattr(point.setting, name)) is None else v for name in grid.axes]
        yield _line([*axes, *_record(point)])


def _line(cells: list[Any]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def _record(point: Point) -> list[Any]:
    outcome = point.outcome
    if outcome is None:
        return [*[""] * (len(_CSV) - 1), point.refused]
    step, memory = outcome.step, outcome.memory
    times = [None] * 5 if step is None else [
        step.overlapped, step.bound_by, step.rate if outcome.setting.phase == "decode" else None,
        step.throughput, step.utilisation,
    ]  # fmt: skip
    values = [*times, memory.needed, memory.capacity]
    fits = "" if memory.fits is None else "yes" if memory.fits else "no"
    return [*(_plain(value) for value in values), fits, "; ".join(left_out(outcome)), ""]


def _plain(value: Derivation | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return repr(float(value.quantity))


# Plain data


def as_dict(grid: Grid, points: Iterable[Point]) -> dict[str, Any]:
    """The sweep as plain data, values exact and in the base units that stand beside them."""
    return {
        "schema": SCHEMA,
        "axes": {name: list(values) for name, values in grid.axes.items()},
        "points": [_point(grid, point) for point in points],
    }


def _point(grid: Grid, point: Point) -> dict[str, Any]:
    setting = {name: getattr(point.setting, name) for name in grid.axes}
    outcome = point.outcome
    if outcome is None:
        return {"setting": setting, "refused": point.refused, "step": None, "memory": None, "left_out": []}
    step, memory = outcome.step, outcome.memory
    bounds = None if step is None else {
        "bound_by": step.bound_by,
        **{name: _value(getattr(step, name)) for name in ("overlapped", "in_turn", "rate", "throughput", "utilisation")},
        "resources": {name: _value(time) for name, time in step.resources.items()},
    }  # fmt: skip
    held = {
        "fits": memory.fits,
        **{name: _value(getattr(memory, name)) for name in ("needed", "capacity", "free", "sequences")},
    }
    return {"setting": setting, "refused": None, "step": bounds, "memory": held, "left_out": list(left_out(outcome))}


def _value(value: Derivation | None) -> dict[str, Any] | None:
    if value is None:
        return None
    quantity = value.quantity
    return {"value": exact(quantity), "decimal": float(quantity), "unit": describe(quantity.dimension)}


__all__ = ["SCHEMA", "as_csv", "as_dict", "left_out", "text"]
