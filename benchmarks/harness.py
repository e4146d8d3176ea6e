"""Paired measurement: a lower bound and ours, turn by turn, so that a slow moment of the machine hits both."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

Timed = Callable[[], float]


class Unavailable(Exception):
    """What a row measures is not there; the text says what is missing."""


@dataclass(frozen=True)
class Pair:
    """Seconds of each turn of a lower bound and of ours, in the order in which they were measured."""

    floor: tuple[float, ...]
    ours: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        return [ours / floor for floor, ours in zip(self.floor, self.ours, strict=True)]

    @property
    def ratio(self) -> float:
        """Median of the ratios of the turns, which a drift of the machine moves less than a ratio of medians."""
        return median(self.ratios)


@dataclass(frozen=True)
class Row:
    """One line of the table. ``pair`` is missing where ``note`` says why nothing was measured."""

    name: str
    records: int
    floor: str = ""
    pair: Pair | None = None
    limit: float | None = None  # of the ratio
    rate: str = ""  # a second, absolute figure: "3,120 sentences/s"
    rate_limit: str = ""
    rate_met: bool | None = None
    note: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether every limit of the row holds; none where it has no limit or was not measured."""
        held = [] if self.rate_met is None else [self.rate_met]
        if self.pair is not None and self.limit is not None:
            held.append(self.pair.ratio <= self.limit)
        return all(held) if held else None

    def as_json(self) -> dict[str, Any]:
        data = asdict(self)
        if self.pair is not None:
            data["ratio"] = self.pair.ratio
        return {**data, "met": self.met}


def clock(action: Callable[[], object]) -> Timed:
    """A function that runs the action once and returns its seconds."""

    def timed() -> float:
        gc.collect()
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return timed


def measure(floor: Timed, ours: Timed, rounds: int, before: Callable[[int], object] = lambda turn: None) -> Pair:
    """Time both ``rounds`` times, after one turn that is thrown away; who goes first alternates.

    ``before`` runs, untimed, ahead of each turn of ours.
    """
    floors: list[float] = []
    mine: list[float] = []
    for turn in range(rounds + 1):
        if turn % 2:
            before(turn)
            second, first = ours(), floor()
        else:
            first = floor()
            before(turn)
            second = ours()
        if turn:
            floors.append(first)
            mine.append(second)
    return Pair(tuple(floors), tuple(mine))


def table(rows: Iterable[Row]) -> str:
    """The rows as aligned text."""
    head = ("what", "records", "lower bound", "ours", "ratio (range)", "target", "")
    lines = [head, *map(_cells, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, tuple("-" * width for width in widths))
    right = {1, 2, 3, 4}
    return "\n".join(
        "  ".join(
            c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def growth(rows: Iterable[Row]) -> list[str]:
    """How the seconds of a row grow from one size to the next, beside how the records do."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.pair is not None:
            found.setdefault(row.name, []).append(row)
    return [
        f"{name}: "
        + ", ".join(
            f"{b.records / a.records:.3g} × the records, {median(b.pair.ours) / median(a.pair.ours):.3g} × the time"
            for a, b in pairwise(sorted(sized, key=lambda row: row.records))
            if a.pair is not None and b.pair is not None
        )
        for name, sized in found.items()
        if len(sized) > 1
    ]


def _cells(row: Row) -> tuple[str, ...]:
    target = " and ".join(
        part for part in (f"<= {row.limit:g} {row.floor}" if row.limit is not None else "", row.rate_limit) if part
    )
    if row.pair is None:
        return row.name, f"{row.records:,}", "", "", "", target, f"not available: {row.note}"
    ratios = row.pair.ratios
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    return (
        row.name,
        f"{row.records:,}",
        f"{row.floor} {seconds(median(row.pair.floor))}",
        seconds(median(row.pair.ours)),
        f"{row.pair.ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})",
        target,
        ", ".join(part for part in (verdict, row.rate, row.note) if part),
    )


def seconds(value: float) -> str:
    """A duration with three digits: ``12.3 ms``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}" if value / scale < 100 else f"{value / scale:.0f} {unit}"
    return f"{value / 1e-6:.3g} µs"
