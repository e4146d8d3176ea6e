"""What is not settled: values that nobody has verified, records and claims in dispute, and what was read at second hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from ridgeline.publish.content import Database, Quantity, Record, Row
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

ADDRESS = "open-questions/"
STALE = "stale/"


def pages(pen: Callable[[str], Pen]) -> Iterator[Page]:
    """The list of open questions, and that of values by the day on which somebody last read them in their source."""
    here = pen(ADDRESS)
    database = here.database
    context = {
        "pen": here,
        "contested": [r for r in database.records.values() if r.status in ("contested", "draft")],
        "unverified": [q for q in stated(database) if q.basis == "unverified"],
        "unknown": unknown(database),
        "disputed": disputed(database),
        "second": second_hand(database),
        "stale": here.href(STALE),
    }
    lead = "Values that nobody has verified, records in dispute, and what was read at second hand."
    yield Page(ADDRESS, "Open questions", lead, body("questions.html", context))
    there = pen(STALE)
    lead = "Stated values by the day on which somebody last read them in their source, the oldest first."
    yield Page(STALE, "By the day checked", lead, body("stale.html", {"pen": there, "days": days(database)}))


def stated(database: Database) -> Iterator[Quantity]:
    """The values that records state, by record."""
    for record in sorted(database.of_record):
        yield from (q for q in database.of_record[record] if q.basis != "derived" and q.field is not None)


def unknown(database: Database) -> list[tuple[str, list[Quantity]]]:
    """Fields without a value, by record."""
    found = (q for q in stated(database) if q.status == "unknown")
    return [(record, list(group)) for record, group in groupby(found, key=lambda q: q.record)]


def disputed(database: Database) -> list[Row]:
    """Records by how many of their values have several claims."""
    found = Counter(q.record for q in stated(database) if len(q.claims) > 1)
    return [{"record": record, "count": count} for record, count in sorted(found.items(), key=lambda x: (-x[1], x[0]))]


def second_hand(database: Database) -> list[Row]:
    """Records by how many of their values rest on a copy, of how many that they state."""
    all_of: Counter[str] = Counter()
    copied: Counter[str] = Counter()
    for q in stated(database):
        if q.source:
            all_of[q.record] += 1
            copied[q.record] += database.sources.get(q.source, {}).get("kind") == "secondary"
    rows = [{"record": r, "count": copied[r], "of": all_of[r]} for r in all_of if copied[r]]
    return sorted(rows, key=lambda row: (-row["count"] / row["of"], row["record"]))


def days(database: Database) -> list[tuple[str, list[tuple[Record, list[Quantity]]]]]:
    """Day → the records with values that were last read on it, and these values; the oldest day first."""
    found = sorted((q for q in stated(database) if q.checked), key=lambda q: (q.checked, q.record))
    return [
        (day or "", [(database.records[r], list(of)) for r, of in groupby(group, key=lambda q: q.record)])
        for day, group in groupby(found, key=lambda q: q.checked)
    ]
