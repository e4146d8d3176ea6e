"""The home page and the lists of records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from ridgeline.publish.content import Database, Record, Row
from ridgeline.publish.markup import safe
from ridgeline.publish.page import template
from ridgeline.publish.pen import STATUSES, Pen
from ridgeline.publish.views import architecture_parts, best_peak, counts

#: The lists, in the order of the navigation: folder, kind, title, description.
LISTS = (
    ("accelerators", "accelerator", "Accelerators", "Memory, peak rates and ridge points of accelerators."),
    ("models", "model", "Models", "Shape, parameters and cache of language models."),
    ("classes", "class", "Workload classes", "What a kind of work computes and moves, as formulas."),
    ("formats", "format", "Number formats", "Number formats of weights, activations and caches."),
    ("interconnects", "interconnect", "Interconnects", "Links between devices, and between a device and its host."),
    (
        "architectures",
        "architecture",
        "Architectures",
        "What the parts of one generation have in common: how peaks follow from each other.",
    ),
    (
        "announced",
        "announced",
        "Announced",
        "Devices that nobody can buy yet: what has been said, as it was printed. Nothing is derived from it.",
    ),
    (
        "lessons",
        "lesson",
        "Course",
        "A short course that joins the classes: what binds a kernel, why attention grows, what a cache costs.",
    ),
    ("sources", "source", "Sources", "The documents that recorded values are from."),
)


_HEADER = re.compile(r'(<th scope="col"[^>]*>)(.*?)(</th>)')


def rows(database: Database, kind: str) -> list[Row]:
    """The rows of the list of a kind."""
    return [_ROW[kind](database, record) for record in database.of_kind(kind)]


def _accelerator(database: Database, record: Record) -> Row:
    peaks = database.rows("peaks", record.reference)
    head = database.rows("accelerators", record.reference)[0]
    return {**head, "wide": best_peak(peaks, ("bf16", "fp16")), "narrow": best_peak(peaks, ("fp8",))}


def _model(database: Database, record: Record) -> Row:
    layers = database.rows("layers", record.reference)
    grouped = [row for row in layers if row["attention"] == "gqa"]
    shapes = {(row["query_heads"], row["kv_heads"]): row["ordinal"] for row in reversed(grouped)}
    return {**database.rows("models", record.reference)[0], "groups": sorted(shapes.values())}


def _workload(database: Database, record: Record) -> Row:
    head = database.rows("classes", record.reference)[0]
    formulas = len(database.rows("formulas", record.reference))
    return {**head, "formulas": formulas, "counts": counts(database.figures(record.reference))}


def _format(database: Database, record: Record) -> Row:
    return database.rows("formats", record.reference)[0]


def _interconnect(database: Database, record: Record) -> Row:
    return database.rows("interconnects", record.reference)[0]


def _architecture(database: Database, record: Record) -> Row:
    parts = architecture_parts(database, record)
    return {
        **database.rows("architectures", record.reference)[0], "parts": len(parts),
        "steps": database.rows("ladder", record.reference),
    }  # fmt: skip


def _lesson(database: Database, record: Record) -> Row:
    return {**database.rows("lessons", record.reference)[0], "counts": counts(database.figures(record.reference))}


def _announced(database: Database, record: Record) -> Row:
    rows = database.rows("statements", record.reference)
    return {**database.rows("announced", record.reference)[0], "statements": len(rows)}


def _source(database: Database, record: Record) -> Row:
    row = next(row for row in database.sources.values() if row["record"] == record.reference)
    return {**row, "supported": len(database.by_source.get(row["id"], []))}


_ROW: dict[str, Callable[[Database, Record], Row]] = {
    "accelerator": _accelerator,
    "model": _model,
    "class": _workload,
    "format": _format,
    "interconnect": _interconnect,
    "architecture": _architecture,
    "announced": _announced,
    "lesson": _lesson,
    "source": _source,
}


def table(pen: Pen, kind: str) -> Markup:
    """The list of a kind as a table."""
    folder = next(folder for folder, k, _, _ in LISTS if k == kind)
    macro: Any = getattr(template("tables.html").module, folder)
    found = rows(pen.database, kind)
    return sorting(macro(pen, found)) if found else Markup("<p>There are none yet.</p>")


def sorting(table: str) -> Markup:
    """A table whose headers hold the buttons that sort it; code that can sort enables them."""
    head, end, rest = str(table).partition("</thead>")
    return Markup(_HEADER.sub(r'\1<button type="button" disabled>\2</button>\3', head) + end + rest)


def status_counts(database: Database) -> Markup:
    """How many records and numerals there are, and in which status."""
    found = Counter(f.status for f in database.figures())
    items = [
        Markup('<li><span class="key-label">{}</span> <span class="key-value">{:,}</span></li>').format(title, number)
        for _, kind, title, _ in LISTS
        if (number := len(database.of_kind(kind)))
    ]
    lines = [
        Markup('<tr><th scope="row"><span class="badge badge-{0}">{0}</span></th><td class="n">{1:,}</td><td>{2}</td></tr>')
        .format(status, found[status], means)
        for status, means in STATUSES.items()
        if found[status]
    ]  # fmt: skip
    total = sum(found.values())
    return Markup(
        '<ul class="keys" aria-label="Records">{}</ul>\n'
        '<div class="scroll" role="region" tabindex="0" aria-label="Numerals by status">'
        '<table class="rl"><caption>The {:,} numerals in the prose of all records, by status</caption>'
        '<thead><tr><th scope="col">Status</th><th scope="col" class="n">Numerals</th><th scope="col">What it says</th></tr>'
        "</thead><tbody>{}</tbody></table></div>"
    ).format(Markup().join(items), total, Markup("\n").join(lines))


def changes(pen: Pen, most: int = 20) -> Markup:
    """What changed in recorded values, the newest first."""
    found: list[Row] = [row for rows_of in pen.database.tables["record_changes"].values() for row in rows_of]
    found.sort(key=lambda row: (row["date"], row["record"], row["ordinal"]), reverse=True)
    if not found:
        return Markup("<p>No recorded value has changed since its record was first written.</p>")
    return Markup("<ul>{}</ul>").format(Markup("\n").join(_change(pen, row) for row in found[:most]))


def _change(pen: Pen, row: Row) -> Markup:
    was = Markup(", was {}").format(safe(row["was"])) if row["was"] else Markup()
    why = pen.line(row["record"], f"history.{row['ordinal']}.why", row["why"])
    return Markup("<li><time>{}</time> {}, revision {}: <code>{}</code>{}. {}</li>").format(
        safe(row["date"]), pen.record(row["record"]), row["revision"], safe(row["change"]), was, why
    )


def status_table(statuses: Sequence[str]) -> Markup:
    """What the statuses mean, each as it looks."""
    lines = [
        Markup('<tr><th scope="row"><span class="badge badge-{0}">{0}</span></th><td>{1}</td>'
               '<td><span class="fig fig-{0}">1,234</span></td></tr>').format(s, STATUSES[s])
        for s in statuses
    ]  # fmt: skip
    return Markup(
        '<div class="scroll" role="region" tabindex="0" aria-label="Statuses"><table class="rl">'
        "<caption>The statuses of a number, and how each is marked</caption>"
        '<thead><tr><th scope="col">Status</th><th scope="col">What it says</th><th scope="col">Looks like</th></tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(Markup("\n").join(lines))
