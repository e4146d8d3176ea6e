"""Comparison of records: the page where a reader chooses, pages of pairs, and the data that the live page reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ridgeline.publish.address import DERIVATIONS
from ridgeline.publish.comparing import Cell, Comparison, Field, comparison, ratio, verdict
from ridgeline.publish.content import Database
from ridgeline.publish.markup import slug
from ridgeline.publish.page import Page, body
from ridgeline.publish.pairs import Pair, pairs
from ridgeline.publish.pen import Pen

ADDRESS = "compare/"
#: Kinds that can be compared: folder of the kind's records → kind.
KINDS = {"accelerators": "accelerator", "models": "model", "classes": "class"}
#: The pairs of the database that was asked for last: every accelerator's page asks.
_KEPT: list[tuple[Database, list[Pair]]] = []
#: Ways that the live page's data names a status, shorter than the word.
_STATUS = {"recorded": "r", "recomputed": "c", "unverified": "u", "": ""}


def pages(pen: Callable[[str], Pen]) -> Iterator[Page]:
    """The page of comparisons, and one for each pair."""
    here = pen(ADDRESS)
    found = paired(here)
    known = {folder: here.database.of_kind(kind) for folder, kind in KINDS.items()}
    description = "Two to six accelerators, models or classes side by side, field by field, with what differs marked."
    context = {
        "pen": here, "records": known, "data": {folder: here.href(data_of(folder)) for folder in KINDS},
        "groups": [(first, list(of)) for first, of in groupby(found, key=lambda p: p.first)],
    }  # fmt: skip
    yield Page(ADDRESS, "Compare", description, body("compare.html", context), scripts=("compare",))
    table = _comparison(here, "accelerator") if found else None
    for pair in found:
        assert table is not None
        yield pair_page(pen(pair.address), pair, table)


def pair_page(pen: Pen, pair: Pair, table: Comparison) -> Page:
    """Two accelerators side by side."""
    records = [pen.database.records[r] for r in (pair.first, pair.second)]
    names = [r.name for r in records]
    rows = [(f, cells, verdict(cells)) for f, cells in table.rows((pair.first, pair.second))]
    context = {
        "pen": pen, "pair": pair, "records": records, "names": names, "differing": sum(v == "differs" for _, _, v in rows),
        "sections": [(name, list(of)) for name, of in groupby(rows, key=lambda row: row[0].section)],
        "same": sum(v == "same" for _, _, v in rows), "open": sum(v == "not all known" for _, _, v in rows),
        "cell": lambda c: cell(pen, c), "ratio": ratio,
        "live": f"{pen.href(ADDRESS)}?a={records[0].id}&b={records[1].id}",
    }  # fmt: skip
    title = f"{names[0]} and {names[1]}, compared"
    description = f"{names[0]} beside {names[1]}: {context['differing']} of {len(rows)} fields differ."
    return Page(pair.address, title, description, body("pair.html", context))


def cell(pen: Pen, found: Cell | None) -> Markup:
    """A cell as pages print it; what a record does not say is unknown."""
    if found is None:
        return Markup('<span class="unknown">unknown</span>')
    text: Markup | str = found.text
    if found.status:
        text = pen.number(found.text, found.status, found.target)
    elif "#" in found.target:
        text = pen.link(found.target, found.text)
    note = Markup(' <span class="small">{}</span>').format(found.note) if found.note else Markup()
    return Markup("{}{}").format(text, note)


def paired(pen: Pen) -> list[Pair]:
    """The pairs of the database."""
    if not _KEPT or _KEPT[0][0] is not pen.database:
        _KEPT[:] = [(pen.database, pairs(pen.database))]
    return _KEPT[0][1]


def beside(pen: Pen, reference: str) -> Markup:
    """Links from an accelerator's page to the pages on which it stands beside another."""
    found = [p for p in paired(pen) if reference in p.both]
    links = [pen.link(p.address, pen.database.records[next(iter(p.both - {reference}))].name) for p in found]
    return Markup(", ").join(links)


# Data of the live page


def data_of(folder: str) -> str:
    """The address of the data of one kind."""
    return f"{ADDRESS}{folder}.json"


def files(pen: Callable[[str], Pen], root: Path) -> None:
    """Write the data of each kind below a folder that stands for the root of the site."""
    here = pen(ADDRESS)
    for folder, kind in KINDS.items():
        path = root / data_of(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data(here, folder, kind), ensure_ascii=False, separators=(",", ":"))
        path.write_text(text + "\n", encoding="utf-8", newline="\n")


def data(pen: Pen, folder: str, kind: str) -> dict[str, Any]:
    """Everything that the live page shows of one kind, each cell as ``[text, value, status, target, note]``, cut short
    after the last that it has. A target is left out where it is the usual one."""
    table = _comparison(pen, kind)
    used = [f for f in table.fields if any(f.key in cells for cells in table.cells.values())]
    records = []
    for reference, cells in table.cells.items():
        record = pen.database.records[reference]
        shown = {str(i): _packed(folder, record.id, f, cells[f.key]) for i, f in enumerate(used) if f.key in cells}
        records.append({"id": record.id, "name": record.name, "of": _group(pen, kind, reference), "cells": shown})
    return {
        "folder": folder,
        "fields": [[f.key, f.section, f.name] for f in used],
        "records": records,
    }


def _packed(folder: str, identity: str, field: Field, found: Cell) -> list[Any]:
    usual = usual_target(folder, identity, field.key, found.status)
    row = [found.text, found.value, _STATUS[found.status], "" if found.target == usual else found.target, found.note]
    while len(row) > 1 and row[-1] in ("", None):
        row.pop()
    return row


def usual_target(folder: str, identity: str, key: str, status: str) -> str:
    """Where a cell leads, by what it is: the live page works it out in the same way."""
    if status == "recomputed":
        return f"{DERIVATIONS}/{folder}.{identity}.{key}/"
    return f"{folder}/{identity}/" + (f"#{slug(key, 120)}" if status else "")


def _group(pen: Pen, kind: str, reference: str) -> str:
    """Under what a record stands in the list to choose from."""
    if kind == "accelerator":
        return str(pen.database.rows("accelerators", reference)[0]["vendor"])
    if kind == "model":
        return str(pen.database.rows("models", reference)[0]["organisation"] or "Others")
    return str(pen.database.rows("classes", reference)[0]["phase"])


def _comparison(pen: Pen, kind: str) -> Comparison:
    return comparison(pen.database, pen.addresses, kind)


__all__ = ["ADDRESS", "beside", "files", "pages"]
