"""What the page of each kind of record shows, taken from the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from ridgeline.publish import compare, models
from ridgeline.publish.content import Database, Figure, Quantity, Record, Row
from ridgeline.publish.markup import slug
from ridgeline.publish.pen import STATUSES, Pen
from ridgeline.publish.roofline import Roof, roofline
from ridgeline.publish.sources import citations, supports

Context = dict[str, Any]
_ON_CHIP = {
    "register_file": "registers", "scalar_register_file": "scalar registers", "shared_memory": "shared memory",
    "l0": "L0 cache", "l1": "L1 cache", "l2": "L2 cache", "last_level": "last-level cache",
    "tensor_memory": "tensor memory", "sram": "SRAM",
}  # fmt: skip
_ORDERS = {0: "does not depend on it", 1: "linear", 2: "quadratic", 3: "cubic", -1: "inverse", -2: "inverse square"}


#: Sections of a class's prose that have a place and a heading of their own: before its formulas, and after them.
_OPENING = {"beginner": "In plain words", "engineer": "What an engineer needs"}
_CLOSING = {"derivation": "Derivation", "example": "A worked example", "mistakes": "Usual mistakes", "notes": "Notes"}


#: Tables of a record's parts whose rows name a source.
_CITING = ("facts", "workarounds", "measurements", "hardware_parameters", "ledger", "models", "ladder", "statements")


def common(pen: Pen, record: Record) -> Context:
    """What every record's page shows: names, prose, values, numerals, sources, history."""
    database = pen.database
    quantities = database.of_record.get(record.reference, [])
    figures = database.figures(record.reference)
    names = [r["name"] for r in database.rows("record_names", record.reference) if r["role"] == "also-called"]
    return {
        "pen": pen,
        "record": record,
        "names": names,
        "quantities": quantities,
        "disputed": any(len(q.claims) > 1 for q in quantities),
        "figures": figures,
        "linked": any(f.status != "set-aside" for f in figures),
        "counts": counts(figures),
        "sections": sections(database, record),
        "sources": cited_sources(database, record, quantities, figures),
        "changes": list(reversed(database.rows("record_changes", record.reference))),
    }


def counts(figures: Sequence[Figure]) -> list[tuple[str, int]]:
    """Numerals by status, in the order in which pages list statuses."""
    return [(status, sum(f.status == status for f in figures)) for status in STATUSES]


def sections(database: Database, record: Record) -> list[tuple[str, str]]:
    """The sections of a record's prose: key and heading."""
    fields = [p.field for p in database.passages_of.get(record.reference, []) if p.field.startswith("text.")]
    keys = dict.fromkeys(f.split(".")[1] for f in fields)
    return [(slug(key), slug(key).replace("_", " ").replace("-", " ").capitalize()) for key in keys if slug(key) == key]


def ordered(found: Sequence[tuple[str, str]]) -> Context:
    """The sections of a class's prose before its formulas, the simplest first, and those after them; the summary leads."""
    titles = dict(found)
    titles |= {key: title for key, title in (_OPENING | _CLOSING).items() if key in titles}
    rest = [key for key in titles if key not in _CLOSING and key not in _OPENING and key != "summary"]
    return {
        "opening": [(key, titles[key]) for key in (*_OPENING, *rest) if key in titles],
        "closing": [(key, titles[key]) for key in _CLOSING if key in titles],
    }


def cited_sources(
    database: Database, record: Record, quantities: Sequence[Quantity], figures: Sequence[Figure]
) -> list[Row]:
    """The sources that a record's values, facts, prose and parts rest on."""
    used = (
        {q.source for q in quantities} | {c.source for q in quantities for c in q.claims} | {f.source for f in figures}
    )
    for table in _CITING:
        used |= {row["source"] for row in database.rows(table, record.reference)}
    return [row for key, row in database.sources.items() if key in used]


def _first(rows: Sequence[Row]) -> Row:
    return rows[0]


def _value(database: Database, number: int | None) -> float | None:
    quantity = database.quantity(number)
    return None if quantity is None else quantity.value


# Accelerators


def accelerator(pen: Pen, record: Record) -> Context:
    """An accelerator's page."""
    database = pen.database
    a = _first(database.rows("accelerators", record.reference))
    peaks = [peak_row(pen, p) for p in database.rows("peaks", record.reference)]
    drawn = [p for p in peaks if p["sparsity"] == "dense" and _value(database, p["rate"])]
    on_chip = [
        {**o, "label": _ON_CHIP.get(o["name"], o["name"].replace("_", " "))}
        for o in database.rows("on_chip", record.reference)
    ]
    return {
        **common(pen, record),
        "a": a,
        "peaks": peaks,
        "drawn": drawn,
        "drawing": draw(database, record, a, drawn),
        "on_chip": on_chip,
        "links": database.rows("links", record.reference),
        "accepted": database.rows("accepted", record.reference),
        "beside": beside(pen, record, a),
        "compared": compare.beside(pen, record.reference),
        "keys": accelerator_keys(pen, record, a, peaks),
    }


def beside(pen: Pen, record: Record, a: Row) -> Markup:
    """The accelerators on the same die, as links."""
    rows = (pen.database.rows("accelerators", r.reference)[0] for r in pen.database.of_kind("accelerator"))
    die = (a["vendor"], a["die"])
    found = [r for r in rows if a["die"] and (r["vendor"], r["die"]) == die and r["record"] != record.reference]
    return Markup(", ").join(pen.record(r["record"]) for r in found)


def peak_row(pen: Pen, peak: Row) -> Context:
    """A peak with the difference of its second route, which leads to that route's derivation."""
    database = pen.database
    rate, route = database.quantity(peak["rate"]), database.quantity(peak["route"])
    difference: object = ""
    if rate and route and rate.value and route.value is not None:
        share = route.value / rate.value - 1
        text = "equal" if rate.exact is not None and rate.exact == route.exact else signed_percent(share)
        difference = pen.number(text, "recomputed", pen.addresses.quantity(route))
    return {**peak, "difference": difference, "differs_field": f"peaks.{peak['ordinal']}.route.differs"}


def signed_percent(share: float) -> str:
    """A relative difference with two significant digits, never rounded to nothing."""
    size = abs(share) * 100
    if size < 0.001:
        return "under 0.001 %"
    digits = 1 if size >= 10 else 2 if size >= 0.1 else 3
    return f"{'+' if share > 0 else '−'}{size:.{digits}f} %"


def accelerator_keys(pen: Pen, record: Record, a: Row, peaks: Sequence[Row]) -> list[tuple[str, str, Quantity]]:
    """The figures that stand at the top: label, qualifier, quantity."""
    database = pen.database
    scope = f"per {a['scope']}"
    found: list[tuple[str, str, int | None]] = [
        ("Memory", f"{a['memory_kind']}, {scope}", a["capacity"]),
        ("Bandwidth", f"{a['memory_kind']}, {scope}", a["bandwidth"]),
    ]
    for names in (("bf16", "fp16"), ("fp8",), ("int8",)):
        peak = best_peak(peaks, names)
        if peak is not None:
            accumulate = f", {peak['accumulate']} accumulate" if peak["accumulate"] else ""
            found.append((f"{peak['format']} peak", f"dense, {peak['path']}{accumulate}, {scope}", peak["rate"]))
            if names == ("bf16", "fp16"):
                found.append((f"{peak['format']} ridge", f"dense {peak['path']} peak over bandwidth", peak["ridge"]))
    found.append(("Power limit", scope, a["power_limit"]))
    shown = [(label, note, database.quantity(number)) for label, note, number in found]
    return [(label, note, q) for label, note, q in shown if q is not None and q.status != "unknown"]


def best_peak(peaks: Sequence[Row], formats: Sequence[str]) -> Row | None:
    """The dense peak of the first of the formats that there is, on the matrix path where there is one."""
    for name in formats:
        rows = [p for p in peaks if p["format"] == name and p["sparsity"] == "dense"]
        rows.sort(key=lambda p: (p["path"] != "tensor", not p["is_default"], p["ordinal"]))
        if rows:
            return rows[0]
    return None


def draw(database: Database, record: Record, a: Row, peaks: Sequence[Row]) -> Markup:
    """The roofline of the dense peaks."""
    bandwidth = database.quantity(a["bandwidth"])
    roofs = []
    for p in peaks:
        rate, ridge = database.quantity(p["rate"]), database.quantity(p["ridge"])
        if rate is None or rate.value is None or ridge is None or ridge.value is None:
            continue
        label = p["format"] + ("" if p["is_default"] or not p["accumulate"] else f" into {p['accumulate']}")
        roofs.append(Roof(label, rate.value, rate.shown, ridge.shown, p["path"] == "vector", rate.counts))
    if bandwidth is None or bandwidth.value is None:
        return Markup()
    return roofline(record.name, bandwidth.value, bandwidth.shown, roofs, f"roofline-{slug(record.id)}")


# Models


def model(pen: Pen, record: Record) -> Context:
    """A model's page."""
    database = pen.database
    a = _first(database.rows("models", record.reference))
    quantities = database.of_record.get(record.reference, [])
    wanted = ("n_layers", "d_model", "vocabulary", "context")
    keys = [
        ("Parameters", "all, counted", a["parameters_total"]),
        (
            "Active parameters",
            "embedding and head counted",
            _named(database, record, "parameters.active_with_embeddings") if _has_experts(database, record) else None,
        ),
        ("Layers", "", _named(database, record, "n_layers")),
        ("KV cache", "per token, all layers, two bytes an element", _named(database, record, "kv_bytes_per_token")),
        ("State", "per sequence, whatever its length", _named(database, record, "state_bytes")),
        ("Operations", "of the weight matrices, per token", _named(database, record, "linear_flops_per_token")),
        ("Crossover", "prompt at which attention takes as many operations", _named(database, record, "L_star")),
        ("Context", "longest position of the config", _named(database, record, "context")),
    ]
    shown = [(label, note, database.quantity(number)) for label, note, number in keys]
    return {
        **common(pen, record),
        **models.context(pen, record),
        "a": a,
        "layers": [_layer(row, quantities) for row in database.rows("layers", record.reference)],
        "shape": [q for name in wanted if (q := database.by_name.get((record.reference, name, None)))],
        "ledger": database.rows("ledger", record.reference),
        "notes": (record.reference, "notes") in database.passages,
        "keys": [
            (label, note, q)
            for label, note, q in shown
            if q is not None and q.status != "unknown" and (label != "State" or q.value)
        ],
    }


def _has_experts(database: Database, record: Record) -> bool:
    return any(row["experts"] for row in database.rows("layers", record.reference))


def _layer(row: Row, quantities: list[Quantity]) -> Context:
    """A group of layers with the numbers that its record states of attention or state, and of the feed-forward part."""
    group = row["ordinal"]
    own = {q.name: q for q in quantities if q.group == group}
    shown = [
        q for q in own.values() if q.basis == "recorded" and q.name not in ("window", "chunk", "feed_forward_matrices")
    ]
    shown = [q for q in shown if q.value]

    def of(part: str) -> list[Quantity]:
        return [q for q in shown if (q.field or "").startswith(f"layers.{group}.{part}.")]

    return {
        **row, "count": own.get("layer_count"), "numbers": of("attention"), "forward": of("feed_forward"),
        "attends": row["attention"] in ("gqa", "mla"),
        "cap": own.get("window") if row["attention_window"] else own.get("chunk") if row["attention_chunk"] else None,
    }  # fmt: skip


def _named(database: Database, record: Record, name: str) -> int | None:
    quantity = database.by_name.get((record.reference, name, None))
    return None if quantity is None else quantity.number


# Classes


def workload(pen: Pen, record: Record) -> Context:
    """A workload class's page."""
    database = pen.database
    reference = record.reference
    values: dict[int, list[Context]] = {}
    for v in database.rows("hardware_values", reference):
        target = v["accelerator"] if "/" in v["accelerator"] else f"accelerators/{v['accelerator']}"
        values.setdefault(v["ordinal"], []).append({**v, "name": pen.record(target)})
    return {
        **common(pen, record),
        **ordered(sections(database, record)),
        "a": _first(database.rows("classes", reference)),
        "symbols": [{**s, "anchor": slug(s["name"])} for s in database.rows("symbols", reference)],
        "formulas": [
            {**f, "anchor": slug(f["name"]), "head": name_mathml(f["name"])}
            for f in database.rows("formulas", reference)
        ],
        "properties": database.rows("properties", reference),
        "scaling": [
            {**s, "words": _ORDERS.get(s["exponent"], f"to the power {s['exponent']}")}
            for s in database.rows("scales_with", reference)
        ],
        "hardware": [
            {**h, "found": values.get(h["ordinal"], [])} for h in database.rows("hardware_parameters", reference)
        ],
        "workarounds": database.rows("workarounds", reference),
        "measurements": [
            {**m, "share": "" if m["share_of_bound"] is None else percent(m["share_of_bound"])}
            for m in database.rows("measurements", reference)
        ],
    }


def percent(share: float) -> str:
    """A share at three significant digits: ``74.8%``."""
    return f"{share * 100:.3g}%"


def name_mathml(name: str) -> str:
    """A formula's name as MathML: one letter with a subscript, or words."""
    head, _, tail = name.partition("_")
    if len(head) == 1:
        letter = Markup("<mi>{}</mi>").format(head)
        return str(Markup("<msub>{}<mtext>{}</mtext></msub>").format(letter, tail) if tail else letter)
    return str(Markup("<mtext>{}</mtext>").format(name))


# Formats, interconnects


def number_format(pen: Pen, record: Record) -> Context:
    """A number format's page."""
    database = pen.database
    a = _first(database.rows("formats", record.reference))
    used = [
        p
        for accelerator in database.of_kind("accelerator")
        for p in database.rows("peaks", accelerator.reference)
        if p["format"] == record.id
    ]
    keys = [
        ("Bits", "of one element", a["element_bits"]),
        ("In memory", "its share of the scales included", a["bits"]),
        ("As documented", "by the size of a block, or as printed", a["stated_bits"]),
    ]
    return {
        **common(pen, record),
        "a": a,
        "layouts": database.rows("format_layouts", record.reference),
        "levels": [
            (level, *parts)
            for level, *parts in (
                ("a block", a["scale_block"], a["scale_bits"], a["offset_bits"]),
                ("a super-block", a["super_block"], a["super_bits"], a["super_offset_bits"]),
            )
            if parts[0] is not None
        ],
        "used": used,
        "keys": [(label, note, q) for label, note, n in keys if (q := database.quantity(n)) and q.status != "unknown"],
    }


def interconnect(pen: Pen, record: Record) -> Context:
    """An interconnect's page."""
    database = pen.database
    a = _first(database.rows("interconnects", record.reference))
    counted = {"bare": ", before encoding", "net": ", after encoding"}.get(a["rates"], "")
    keys = [
        ("One direction", f"of one link{counted}", a["per_direction"]),
        ("Both directions", f"together, of one link{counted}", a["aggregate"]),
        ("Latency", "one way", a["latency"]),
    ]
    return {
        **common(pen, record),
        "a": a,
        "keys": [(label, note, q) for label, note, n in keys if (q := database.quantity(n)) and q.status != "unknown"],
    }


# Architectures, announced devices


def architecture(pen: Pen, record: Record) -> Context:
    """An architecture's page: its ladder, and the parts that follow it."""
    database = pen.database
    return {
        **common(pen, record),
        "a": _first(database.rows("architectures", record.reference)),
        "steps": database.rows("ladder", record.reference),
        "parts": architecture_parts(database, record),
    }


def architecture_parts(database: Database, record: Record) -> list[Row]:
    """The accelerators that name an architecture, by its name or another that it is called."""
    names = {record.name.casefold()}
    names |= {
        r["name"].casefold() for r in database.rows("record_names", record.reference) if r["role"] == "also-called"
    }
    rows = [database.rows("accelerators", r.reference)[0] for r in database.of_kind("accelerator")]
    return [row for row in rows if row["architecture"].casefold() in names]


def announced(pen: Pen, record: Record) -> Context:
    """An announced device's page: what has been said, as it was printed."""
    database = pen.database
    return {
        **common(pen, record),
        "a": _first(database.rows("announced", record.reference)),
        "statements": database.rows("statements", record.reference),
    }


# The course


def lesson(pen: Pen, record: Record) -> Context:
    """A chapter's page, with the chapters before and after it."""
    database = pen.database
    chapters = sorted((database.rows("lessons", r.reference)[0]["chapter"], r) for r in database.of_kind("lesson"))
    place = next(i for i, (_, r) in enumerate(chapters) if r.reference == record.reference)
    return {
        **common(pen, record),
        "a": _first(database.rows("lessons", record.reference)),
        "before": chapters[place - 1][1] if place else None,
        "after": chapters[place + 1][1] if place + 1 < len(chapters) else None,
    }


# Sources


def source(pen: Pen, record: Record) -> Context:
    """A source's page: every value that it supports, with the place in it."""
    database = pen.database
    a = next(row for row in database.sources.values() if row["record"] == record.reference)
    older = [pen.source(k) for k, row in database.sources.items() if row["superseded_by"] == a["id"]]
    return {
        **common(pen, record),
        "a": a,
        "older": Markup(", ").join(older),
        "supports": supports(pen, a["id"]),
        "cited": citations(pen, a["id"]),
        "sources": [],
    }


VIEWS: dict[str, tuple[str, Callable[[Pen, Record], Context]]] = {
    "accelerator": ("accelerator.html", accelerator),
    "model": ("model.html", model),
    "class": ("class.html", workload),
    "format": ("format.html", number_format),
    "interconnect": ("interconnect.html", interconnect),
    "architecture": ("architecture.html", architecture),
    "announced": ("announced.html", announced),
    "lesson": ("lesson.html", lesson),
    "source": ("source.html", source),
}
