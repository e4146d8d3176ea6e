"""The catalogue of mistakes: wrong values that circulate, each beside what is right and the page that shows why.

Nothing is typed here: a sparse peak, a rate of both directions, a size in the other unit and a claim that was not preferred
all stand in the database, and so does what each of them is taken for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from markupsafe import Markup

from ridgeline.publish.content import Claim, Quantity, Row
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

ADDRESS = "mistakes/"
CLASSES = f"{ADDRESS}classes/"
_BINARY = re.compile(r"\b([KMGT])iB\b")


def pages(pen: Callable[[str], Pen]) -> Iterator[Page]:
    """The catalogue of values, and the usual mistakes of every class in their own words."""
    here = pen(ADDRESS)
    context = {
        "pen": here,
        "sparse": list(sparse(here)),
        "directions": list(directions(here)),
        "units": list(units(here)),
        "claims": list(claims(here)),
        "reasoning": here.href(CLASSES),
    }
    lead = "Wrong values that circulate, what each of them really is, and what is right."
    yield Page(ADDRESS, "Mistakes that circulate", lead, body("mistakes.html", context))
    there = pen(CLASSES)
    told = [
        {"record": record.reference, "prose": there.prose(record.reference, "text.mistakes")}
        for record in there.database.of_kind("class")
        if (record.reference, "text.mistakes") in there.database.passages
    ]
    lead = "The usual mistakes of every class of work, each with its numbers recomputed."
    yield Page(CLASSES, "Mistakes of reasoning", lead, body("mistakes-classes.html", {"pen": there, "told": told}))


def sparse(pen: Pen) -> Iterator[Row]:
    """Peaks that count operations which 2:4 sparsity leaves out, beside the dense peak that they are taken for."""
    for record, rows in pen.database.tables["peaks"].items():
        dense = {_sort(row): row for row in rows if row["sparsity"] == "dense"}
        for row in rows:
            right = dense.get(_sort(row))
            if row["sparsity"] == "dense" or right is None:
                continue
            wrong, true = pen.database.quantity(row["rate"]), pen.database.quantity(right["rate"])
            if wrong is not None and true is not None and wrong.shown and true.shown:
                yield {
                    "record": record, "format": row["format"], "accumulate": row["accumulate"], "wrong": wrong, "right": true
                }  # fmt: skip


def _sort(row: Row) -> tuple[Any, ...]:
    return row["format"], row["accumulate"], row["path"]


def directions(pen: Pen) -> Iterator[Row]:
    """Rates of both directions together, beside the rate of one."""
    database = pen.database
    for record, quantities in database.of_record.items():
        for q in quantities:
            if q.name != "aggregate" and not (q.name.startswith("links.") and q.name.endswith(".aggregate")):
                continue
            one = database.by_name.get((record, q.name.removesuffix("aggregate") + "per_direction", q.group))
            if q.shown and one is not None and one.shown:
                yield {"record": record, "name": q.name.removesuffix(".aggregate"), "wrong": q, "right": one}


def units(pen: Pen) -> Iterator[Row]:
    """Sizes that are printed in powers of two, and the letters that make another size of them."""
    for record, quantities in pen.database.of_record.items():
        for q in quantities:
            if q.text is None or q.basis == "derived" or not _BINARY.search(q.text) or not _memory(q):
                continue
            yield {"record": record, "name": q.name, "wrong": _BINARY.sub(r"\1B", q.text), "right": q}


def _memory(quantity: Quantity) -> bool:
    return quantity.record.startswith("accelerators/") and quantity.name == "memory.capacity"


def claims(pen: Pen) -> Iterator[Row]:
    """What a source says that another source, which is preferred, does not."""
    for record in sorted(pen.database.of_record):
        if not record.startswith(("accelerators/", "interconnects/")):
            continue
        for q in pen.database.of_record[record]:
            kept = next((c for c in q.claims if c.preferred), None)
            lost = [c for c in q.claims if kept is not None and c is not kept and _plain(c.text) != _plain(kept.text)]
            for claim in lost:
                yield {"record": record, "quantity": q, "claim": claim, "why": _why(pen, q, claim)}


def _plain(text: str) -> str:
    return text.replace(",", "").lower()


def _why(pen: Pen, quantity: Quantity, claim: Claim) -> Markup:
    return pen.line(quantity.record, f"{claim.field}.why", claim.why) if claim.why else Markup()
