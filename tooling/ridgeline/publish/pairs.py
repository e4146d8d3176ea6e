"""Which accelerators stand beside which: the comparisons that are pages of their own, without a line of browser code."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

from ridgeline.publish.content import Database, Row

#: More would be pages that nobody opens: every other pair is one choice away on the live page.
MOST = 150
_LATE = "9999"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accelerators, the older or smaller id first, and why they stand beside each other."""

    first: str
    second: str
    why: str

    @property
    def address(self) -> str:
        """The page's address from the root of the site."""
        names = (r.partition("/")[2] for r in (self.first, self.second))
        return f"compare/{'-vs-'.join(names)}/"

    @property
    def both(self) -> frozenset[str]:
        return frozenset((self.first, self.second))


def pairs(database: Database) -> list[Pair]:
    """Siblings on one die, then each part and its successor, then siblings of one architecture; each pair once."""
    rows = [database.rows("accelerators", r.reference)[0] for r in database.of_kind("accelerator")]
    released = {
        r["record"]: next((f["text"] for f in database.rows("facts", r["record"]) if f["field"] == "released"), _LATE)
        for r in rows
    }
    rows.sort(key=lambda r: (released[r["record"]], r["record"]))
    die = [
        Pair(a["record"], b["record"], f"on the same die, {a['die']}")
        for a, b in combinations(rows, 2)
        if a["die"] and (a["vendor"], a["die"]) == (b["vendor"], b["die"])
    ]
    kin = [
        Pair(a["record"], b["record"], f"of the same architecture, {a['architecture']}")
        for a, b in combinations(rows, 2)
        if (a["vendor"], a["architecture"]) == (b["vendor"], b["architecture"])
    ]
    found: dict[frozenset[str], Pair] = {}
    for pair in (*die, *_successors(database, rows, released), *kin):
        if len(found) < MOST:
            found.setdefault(pair.both, pair)
    return sorted(found.values(), key=lambda p: (p.first, p.second))


def _successors(database: Database, rows: list[Row], released: dict[str, str]) -> list[Pair]:
    """The fastest part of each architecture of a line beside that of the one before: a vendor's parts with one kind of
    memory, in the order in which the architectures came out."""
    lines: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in rows:
        key = (row["vendor"], _family(row["memory_kind"]))
        lines.setdefault(key, {}).setdefault(row["architecture"], []).append(row)
    found = []
    for of_architecture in lines.values():
        dated = [parts for parts in of_architecture.values() if released[parts[0]["record"]] != _LATE]
        for before, after in pairwise(dated):
            a, b = (max(parts, key=lambda r: (_bandwidth(database, r), r["record"])) for parts in (before, after))
            found.append(Pair(a["record"], b["record"], f"{b['architecture']} came after {a['architecture']}"))
    return found


def _family(memory: str | None) -> str:
    """``HBM3e`` → ``HBM``: what the letters before the first digit say."""
    return next(
        (name for name in ("LPDDR", "GDDR", "HBM", "DDR", "SRAM") if (memory or "").startswith(name)), memory or ""
    )


def _bandwidth(database: Database, row: Row) -> float:
    quantity = database.quantity(row["bandwidth"])
    return (quantity.value or 0.0) if quantity is not None else 0.0
