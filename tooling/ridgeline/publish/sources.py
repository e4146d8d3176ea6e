"""The page of a source: every value that rests on it, with the place in it, and where prose cites it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ridgeline.publish.pen import Pen

Context = dict[str, Any]


def supports(pen: Pen, source: str) -> list[Context]:
    """The values, claims and facts that a source is given for."""
    found: list[Context] = []
    for q in pen.database.by_source.get(source, []):
        where = pen.addresses.stated(q)
        rows = [(c.text, c.locator, c.checked, c.preferred) for c in q.claims if c.source == source]
        if not rows and q.source == source:
            rows = [(q.shown, q.locator, q.checked, True)]
        for text, locator, checked, used in rows:
            value = pen.number(text, q.status if q.basis != "derived" else "recomputed", where)
            found.append(
                {"record": q.record, "name": q.name, "value": value, "locator": locator, "checked": checked, "used": used}
            )  # fmt: skip
    for rows_of in pen.database.tables["facts"].values():
        found += [
            {"record": f["record"], "name": f["field"], "value": f["text"], "locator": f["locator"],
             "checked": f["checked"], "used": True}
            for f in rows_of if f["source"] == source
        ]  # fmt: skip
    for table, name, text in (("ladder", "ladder", "formula"), ("statements", "what", "says")):
        for rows_of in pen.database.tables[table].values():
            found += [
                {"record": r["record"], "name": r.get(name, f"peak.{r['peak']}" if name == "ladder" else ""),
                 "value": r[text], "locator": r["locator"], "checked": r["checked"], "used": True}
                for r in rows_of if r["source"] == source
            ]  # fmt: skip
    found.sort(key=lambda row: (row["record"], row["name"]))
    return found


def citations(pen: Pen, source: str) -> list[tuple[Markup, Markup]]:
    """Where prose and the parts of classes and models cite a source."""
    found = [
        (pen.link(pen.addresses.numeral(f), pen.database.records[f.record].name), pen.around(f))
        for f in pen.database.cited.get(source, [])
    ]
    for table, field, words in (("workarounds", "what", "workarounds"), ("hardware_parameters", "effect", "hardware_parameters"),
                                ("ledger", "what", "checkpoint.ledger")):  # fmt: skip
        for rows in pen.database.tables[table].values():
            found += [
                (pen.record(row["record"]), pen.line(row["record"], f"{words}.{row['ordinal']}.{field}", row[field]))
                for row in rows
                if row["source"] == source
            ]
    return found
