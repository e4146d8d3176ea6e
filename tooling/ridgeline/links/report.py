"""The addresses of the records, each asked for once, and what is told of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ridgeline.knowledge.base import load
from ridgeline.links.visit import State, Visit, Visitor
from ridgeline.records.source import Source

#: The issue that a report is about to become is found by this.
MARK = "<!-- ridgeline-links -->"
_ROWS = 200
#: States that call for somebody, and what the reader is told to do.
_NEXT = {
    State.GONE: "find where the document stands now, or an archived copy, and change `url` (or set `superseded_by`)",
    State.FAILING: "look whether the page opens in a browser; if it has failed for months, treat it as gone",
    State.MOVED: "replace the address when the record is next edited",
    State.REFUSED: "nothing: the server answers people only",
    State.SKIPPED: "nothing, or mend the address",
}


@dataclass(frozen=True, slots=True)
class Link:
    """An address and the records that cite it."""

    address: str
    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What became of each link, in the order of their states."""

    visits: tuple[tuple[Link, Visit], ...]

    def of(self, state: State) -> list[tuple[Link, Visit]]:
        return [(link, visit) for link, visit in self.visits if visit.state is state]

    @property
    def broken(self) -> int:
        """How many links call for somebody."""
        return len(self.of(State.GONE)) + len(self.of(State.FAILING))


def links(root: Path) -> list[Link]:
    """The addresses of the sources below a root, each once, one host after another."""
    found: dict[str, list[str]] = {}
    for entry in load(root).of_kind("source"):
        if isinstance(entry.record, Source) and entry.record.url is not None:
            found.setdefault(entry.record.url, []).append(entry.reference)
    ordered = sorted(found, key=lambda address: (urlsplit(address).netloc, address))
    return [Link(address, tuple(sorted(found[address]))) for address in ordered]


def visited(
    wanted: Sequence[Link], visitor: Visitor, seconds: float, clock: Callable[[], float] = time.monotonic
) -> Report:
    """Ask for all links, one at a time, until the time is up; the rest is ``skipped``."""
    end = clock() + seconds
    visits = [
        (link, visitor.visit(link.address) if clock() < end else Visit(link.address, State.SKIPPED, "no time left"))
        for link in wanted
    ]
    order = list(_NEXT)
    visits.sort(key=lambda pair: order.index(pair[1].state) if pair[1].state in order else len(order))
    return Report(tuple(visits))


def summary(report: Report) -> str:
    """One line: how many addresses, and how many in each state."""
    counts = ", ".join(f"{n} {state}" for state in State if (n := len(report.of(state))))
    return f"{len(report.visits)} addresses: {counts or 'none'}"


def markdown(report: Report) -> str:
    """The report as an issue's text: what calls for somebody first, the rest folded."""
    parts = [f"{MARK}\n{summary(report)}.\n"]
    for state, step in _NEXT.items():
        found = report.of(state)
        if not found:
            continue
        rows = [
            f"| {_code(', '.join(link.records))} | {_code(link.address)} | {_code(visit.why)}"
            f"{' → ' + _code(visit.target) if visit.target else ''} |"
            for link, visit in found[:_ROWS]
        ]
        table = "\n".join(["| cited by | address | answer |", "|---|---|---|", *rows])
        more = f"\n\n… and {len(found) - _ROWS} more." if len(found) > _ROWS else ""
        title = f"{state.capitalize()} ({len(found)})"
        if state in (State.GONE, State.FAILING):
            parts.append(f"### {title}\n\nNext: {step}.\n\n{table}{more}\n")
        else:
            parts.append(f"<details><summary>{title}</summary>\n\nNext: {step}.\n\n{table}{more}\n\n</details>\n")
    return "\n".join(parts)


def _code(text: str) -> str:
    """A stranger's text in a cell of a table, as text."""
    shown = "".join(c for c in text if c.isprintable()).replace("`", "'").replace("|", "¦")[:300]
    return f"`{shown}`" if shown.strip() else ""


__all__ = ["MARK", "Link", "Report", "links", "markdown", "summary", "visited"]
