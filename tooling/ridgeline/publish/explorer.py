"""The explorer: rooflines of several accelerators and the operators of a model on them, moving with batch and context.

Without browser code the page shows one choice, drawn at build time, with its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from ridgeline.publish import calculator
from ridgeline.publish.calculator import Programs
from ridgeline.publish.chart import Line, Operator, attainable, draw
from ridgeline.publish.content import Database
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

if TYPE_CHECKING:
    from ridgeline.scenario import Outcome

ADDRESS = "explorer/"
#: What stands on the page before anyone chooses, as far as it is there.
ACCELERATORS = ("nvidia-h100-sxm", "amd-instinct-mi300x", "nvidia-l4", "apple-m3-ultra")
FORMAT = "bf16"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The choice that is drawn: its outcome on one accelerator, and the roofs of all."""

    outcome: Outcome
    lines: tuple[Line, ...]
    records: tuple[str, ...]


def chosen(database: Database, outcome: Outcome | None) -> Drawn | None:
    """The choice of the page, with whichever of its accelerators there are; else the first that can be drawn."""
    if outcome is None:
        return None
    wanted = [f"accelerators/{name}" for name in ACCELERATORS]
    known = [r for r in (*wanted, outcome.records["accelerator"]) if r in database.records]
    found: list[tuple[str, Line]] = []
    for reference in dict.fromkeys(known):
        line = line_of(database, reference)
        if line is not None:
            found.append((reference, line))
    found = found[:4]
    return Drawn(outcome, tuple(line for _, line in found), tuple(r for r, _ in found)) if found else None


def line_of(database: Database, reference: str, name: str = FORMAT) -> Line | None:
    """The roof of an accelerator in a format, if its record has what it takes."""

    def value(quantity: str) -> float | None:
        found = database.by_name.get((reference, quantity, None))
        return None if found is None else found.value

    bandwidth, peak = value("memory.bandwidth"), value(f"peak.{name}")
    if not bandwidth or not peak:
        return None
    return Line(database.records[reference].name, bandwidth, peak, value("peak.fp32_vector"))


def operators(outcome: Outcome) -> list[Operator]:
    """The parts that both compute and move something, numbered in the order of the work."""
    found: list[Operator] = []
    for part in outcome.parts:
        flops, moved = (part.costs[n].value if n in part.costs else None for n in ("flops", "bytes"))
        if flops is not None and moved is not None and flops.quantity.middle and moved.quantity.middle:
            intensity = float(flops.quantity.middle / moved.quantity.middle)
            found.append(Operator(len(found) + 1, part.reference.partition("/")[2], intensity, part.path == "vector"))
    return found


def pages(pen: Callable[[str], Pen], made: Programs | None) -> Iterator[Page]:
    """The explorer's page."""
    here = pen(ADDRESS)
    drawn = None if made is None else chosen(here.database, made.drawn)
    found = [] if drawn is None else operators(drawn.outcome)
    context = {
        "pen": here, "drawn": drawn, "operators": found, "live": made is not None and bool(made.tapes),
        "drawing": Markup() if drawn is None else _drawing(here, drawn, found),
        "rows": [] if drawn is None else _rows(drawn.lines, found),
        "hardware": here.href(calculator.HARDWARE), "tapes": here.href(f"{calculator.ADDRESS}models/"),
        "usual": "" if drawn is None else _usual(drawn),
        "command": "" if drawn is None else calculator.command(drawn.outcome.setting),
    }  # fmt: skip
    description = "Rooflines of up to four accelerators and a model's operators on them, at any batch and context."
    yield Page(ADDRESS, "Roofline explorer", description, body("explorer.html", context), scripts=("explorer",))


def _usual(drawn: Drawn) -> str:
    """The choice of the page as its live part reads it from an address."""
    setting = drawn.outcome.setting
    words = [f"model={drawn.outcome.records['model'].partition('/')[2]}", f"batch={setting.batch}"]
    words += [f"context={setting.context}", f"phase={setting.phase}"]
    words += [f"{letter}={r.partition('/')[2]}" for letter, r in zip("abcd", drawn.records, strict=False)]
    return "&".join(words)


def _drawing(pen: Pen, drawn: Drawn, found: Sequence[Operator]) -> Markup:
    model = pen.database.records[drawn.outcome.records["model"]].name
    title = f"Operators of {model} on the rooflines of {', '.join(line.name for line in drawn.lines)}"
    description = "; ".join(f"{o.number} {o.name}: {o.intensity:.4g} operations per byte" for o in found)
    return draw(drawn.lines, found, "explorer-static", title, description)


def _rows(lines: Sequence[Line], found: Sequence[Operator]) -> list[tuple[Operator, list[tuple[str, str]]]]:
    return [(o, [_cell(line, o) for line in lines]) for o in found]


def _cell(line: Line, operator: Operator) -> tuple[str, str]:
    """Attainable rate and what bounds it."""
    rate = attainable(line, operator)
    if rate is None:
        return "unknown", ""
    bound = "memory" if rate == operator.intensity * line.bandwidth else "compute"
    return f"{float(f'{rate / 1e12:.4g}'):,.10g} TFLOP/s", bound
