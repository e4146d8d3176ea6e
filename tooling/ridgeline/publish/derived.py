"""The pages of derivations: what a computed number is, from what, and what rests on it in turn."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ridgeline.publish import live
from ridgeline.publish.asking import question
from ridgeline.publish.cite import citation
from ridgeline.publish.content import Derivation, Quantity
from ridgeline.publish.pen import Pen

_MOST = 60  # links under "used by"


def title(pen: Pen, d: Derivation) -> str:
    """What a derivation is called: the quantity's name in its record, else the expression."""
    owners = pen.database.named.get(d.id)
    if not owners:
        return d.label
    return owners[0].name if owners[0].group is None else f"{owners[0].name}, layer group {owners[0].group + 1}"


def full_title(pen: Pen, d: Derivation) -> str:
    """The title with the record that it belongs to, as lists and the window show it."""
    owner = _owner(pen, d)
    record = pen.database.records.get(owner or "")
    return title(pen, d) if record is None else f"{title(pen, d)}, {record.name}"


def _owner(pen: Pen, d: Derivation) -> str | None:
    owners = pen.database.named.get(d.id)
    return owners[0].record if owners else d.record


def context(pen: Pen, d: Derivation) -> dict[str, Any]:
    """What the template of a derivation's page shows."""
    database = pen.database
    owner = _owner(pen, d)
    used = database.parents.get(d.id, [])
    quantities = [q for leaf in database.leaves(d.id) if (q := database.given(leaf)) is not None]
    unit = "" if d.dimension == "1" else d.dimension
    program = live.payload(pen, d)
    return {
        "pen": pen,
        "d": d,
        "title": title(pen, d),
        "owner": pen.record(owner) if owner else "",
        "means": d.means or next((q.means for q in database.named.get(d.id, []) if q.means), None),
        "inputs": [_input(pen, step.name, database.derivations[step.child]) for step in d.steps],
        "leaves": _distinct(quantities),
        "program": program.block if program else "",
        "fields": program.fields if program else 0,
        "cite": citation(pen, full_title(pen, d), d, owner),
        "question": question(pen.repository, f"{owner or ''} {title(pen, d)}".strip(), d.shown),
        "edit": pen.edit(database.records[owner].path) if owner in database.records else None,
        "exact": grouped(d.exact),
        "low": grouped(d.low),
        "high": grouped(d.high),
        "unit": unit,
        "check": database.crosschecks.get(d.id),
        "printed": [
            (pen.link(pen.addresses.numeral(f), database.records[f.record].name), pen.around(f),
             pen.badge(f.status, f"{f.status}, {f.grade}" if f.grade else f.status))
            for f in database.figures_of.get(d.id, [])
        ],
        "used": [_use(pen, database.derivations[i]) for i in used[:_MOST]],
        "more": max(0, len(used) - _MOST),
    }  # fmt: skip


def grouped(text: str | None) -> str:
    """The digits before a decimal point in groups of three."""
    if text is None:
        return ""
    parts = []
    for part in text.split("/"):
        whole, point, rest = part.partition(".")
        sign, digits = ("−", whole[1:]) if whole.startswith("-") else ("", whole)
        parts.append(sign + (f"{int(digits):,}" if digits.isdigit() and len(digits) < 1000 else digits) + point + rest)
    return " / ".join(parts)


def _use(pen: Pen, d: Derivation) -> Markup:
    target = pen.addresses.derivation(d.id)
    name = full_title(pen, d)
    return Markup("{} = {}").format(pen.link(target, name) if target else name, d.shown)


def _distinct(quantities: list[Quantity]) -> list[Quantity]:
    return list({q.number: q for q in quantities}.values())


def _input(pen: Pen, name: str, child: Derivation) -> dict[str, Any]:
    """One input: a recorded value with its source, a computed one with its formula, or a symbol that was set."""
    database = pen.database
    given = database.given(child)
    owners = database.named.get(child.id)
    means = child.means or next((q.means for q in owners or [] if q.means), None) or ""
    if child.formula is not None or child.steps:
        origin: object = Markup("computed: {}").format(pen.math(child.mathml) or child.formula or "")
    elif given is not None and given.source:
        origin = pen.source(given.source, given.locator, given.checked)
    elif given is not None:
        origin = given.reason or "stated by the record"
    else:
        origin = "set in the expression, or the symbol’s default"
    return {"name": name, "value": pen.derived(child.id), "means": means, "origin": origin}
