"""A difference as plain data, in the shape of ``schema/output/diff.v1.schema.json``."""

from __future__ import annotations

from typing import Any

from ridgeline.difference import wording
from ridgeline.difference.change import Change
from ridgeline.difference.difference import Difference
from ridgeline.difference.effects import Effect, Rewritten
from ridgeline.difference.records import RecordChange
from ridgeline.difference.revisions import Side
from ridgeline.findings import faces
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.units import describe
from ridgeline.records.walk import dotted
from ridgeline.report import exact

SCHEMA = "ridgeline-diff/1"


def as_dict(found: Difference, number: str | None = None) -> dict[str, Any]:
    """The whole difference, every key always there."""
    return {
        "schema": SCHEMA,
        "base": _side(found.base),
        "head": _side(found.head),
        "summary": _summary(found),
        "edition": {
            "bump": found.edition.bump,
            "from": number or found.numbers[0] or None,
            "to": found.edition.after(number or found.numbers[0]) if number or found.numbers[0] else None,
            "reasons": list(found.edition.reasons),
        },
        "records": [_record(record) for record in found.records],
        "effects": [_effect(effect) for effect in found.effects],
        "flips": [{"what": f.what, "before": f.before, "after": f.after} for f in found.flips],
        "false": [faces.as_dict(f) for f in found.false],
        "rewritten": [_rewritten(found, one) for one in found.rewritten],
        "still": found.still,
        "findings": {
            "new": [faces.as_dict(f) for f in found.other],
            "gone": [faces.as_dict(f) for f in found.gone],
        },
        "rules": [faces.as_dict(f) for f in found.rules],
        "waivers": [
            {
                "how": w.how,
                "rule": w.waiver.rule,
                "record": w.waiver.place.record,
                "field": w.waiver.place.field,
                "found": w.waiver.found,
                "reason": w.waiver.reason,
                "owner": w.waiver.owner,
                "since": w.waiver.since,
                "expires": w.waiver.expires,
            }
            for w in found.waivers
        ],
        "pages": found.pages,
    }


def _side(side: Side) -> dict[str, Any]:
    return {"name": side.name, "kind": side.kind, "commit": side.commit}


def _summary(found: Difference) -> dict[str, Any]:
    how = ("added", "removed", "renamed", "merged", "changed", "layout")
    return {
        "no_effect": found.no_effect,
        "clean": found.clean,
        "records": {h: sum(1 for r in found.records if r.how == h) for h in how},
        "values": sum(1 for r in found.records for c in r.changes if c.what == "value"),
        "effects": len(found.derived),
        "flips": len(found.flips),
        "drawn": {"records": found.drawn[0], "of": found.drawn[1]},
        "false": len(found.false),
        "rewritten": len(found.rewritten),
        "new": wording.levels(found.new),
        "gone": wording.levels(found.gone),
        "rules": wording.levels(found.rules),
        "waivers": {h: sum(1 for w in found.waivers if w.how == h) for h in ("added", "removed")},
        "pages": len(found.pages),
    }


def _record(record: RecordChange) -> dict[str, Any]:
    revisions = record.revisions
    return {
        "how": record.how,
        "record": record.reference,
        "was": record.was or None,
        "name": record.name or None,
        "note": record.note or None,
        "revision": None if revisions is None else {"old": revisions[0], "new": revisions[1]},
        "changes": [_change(change) for change in record.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "what": change.what,
        "field": change.field,
        "name": change.name or None,
        "old": change.old,
        "new": change.new,
        "old_value": _exact(change.before),
        "new_value": _exact(change.after),
        "unit": _unit(change.after or change.before),
        "percent": wording.finite(change.percent),
        "recorded": change.recorded,
    }


def _exact(quantity: Quantity | None) -> str | None:
    return None if quantity is None else exact(quantity)


def _unit(quantity: Quantity | None) -> str | None:
    return None if quantity is None else describe(quantity.dimension)


def _effect(effect: Effect) -> dict[str, Any]:
    old, new = (None if d is None else d.quantity for d in (effect.before, effect.after))
    return {
        "record": effect.record,
        "name": effect.name,
        "recorded": effect.recorded,
        "old": _exact(old),
        "new": _exact(new),
        "unit": _unit(new or old),
        "old_printed": None if effect.before is None else wording.shown(effect.before),
        "new_printed": None if effect.after is None else wording.shown(effect.after),
        "percent": wording.finite(effect.percent),
        "sensitivity": wording.finite(effect.sensitivity),
        "inputs": [{"record": record, "field": field} for record, field in effect.inputs],
    }


def _rewritten(found: Difference, one: Rewritten) -> dict[str, Any]:
    place, printed, values = wording.place_of(found, one), wording.as_printed(one), wording.values_of(one)
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "record": one.after.record,
        "field": dotted(one.after.path),
        "old": printed[0],
        "new": printed[1],
        "old_computed": values[0] if values else None,
        "new_computed": values[1] if values else None,
        "with_value": one.with_value,
        "holds": one.after.verdict is None or one.after.verdict.holds,
    }


__all__ = ["SCHEMA", "as_dict"]
