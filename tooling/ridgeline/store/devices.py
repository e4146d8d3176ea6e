"""Accelerators, models, formats, interconnects and what goes with them as rows of their own tables."""

from __future__ import annotations

import json

from pydantic import BaseModel

from ridgeline.check import Report
from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import slug
from ridgeline.numbers.units import parse_unit
from ridgeline.records.accelerator import Accelerator, peak_name
from ridgeline.records.announced import Announced
from ridgeline.records.architecture import Architecture
from ridgeline.records.format import Format
from ridgeline.records.interconnect import Interconnect
from ridgeline.records.layers import LayerGroup
from ridgeline.records.lesson import Lesson
from ridgeline.records.model import Model
from ridgeline.store.derivations import value_columns
from ridgeline.store.heads import Tables, source_id
from ridgeline.store.values import Quantities

NAMES = ("accelerators", "peaks", "on_chip", "links", "accepted", "models", "layers", "ledger", "formats",
         "format_layouts", "interconnects", "architectures", "ladder", "announced", "statements", "lessons")  # fmt: skip

_PARAMETERS = parse_unit("param")


def devices(report: Report, quantities: Quantities) -> Tables:
    """The rows of every table of these kinds."""
    tables: Tables = {name: [] for name in NAMES}
    for reference in sorted(report.knowledge.entries):
        entry = report.knowledge.get(reference)
        record = entry.record if entry is not None else None
        if isinstance(record, Accelerator):
            _accelerator(reference, record, quantities, tables)
        elif isinstance(record, Model):
            assert entry is not None
            _model(report, entry, record, quantities, tables)
        elif isinstance(record, Format):
            _format(reference, record, quantities, tables)
        elif isinstance(record, Interconnect):
            parts = ("lane_rate", "lanes", "efficiency", "per_direction", "aggregate", "latency", "route")
            tables["interconnects"].append(
                {
                    "record": reference,
                    "vendor": record.vendor,
                    "rates": record.rates,
                    **{p: quantities.id(reference, p) for p in parts},
                }
            )
        elif isinstance(record, Architecture):
            _architecture(report, reference, record, tables)
        elif isinstance(record, Announced):
            _announced(report, reference, record, tables)
        elif isinstance(record, Lesson):
            tables["lessons"].append({"record": reference, "chapter": record.chapter, "about": record.about})
    return tables


def _architecture(report: Report, reference: str, record: Architecture, tables: Tables) -> None:
    tables["architectures"].append({"record": reference, "vendor": record.vendor})
    tables["ladder"] += [
        {
            "record": reference, "ordinal": ordinal, "peak": rung.peak, "formula": rung.is_, "unless_peak": rung.unless,
            "source": source_id(report, rung.source), "locator": rung.at, "checked": rung.checked, "reason": rung.reason,
        }
        for ordinal, rung in enumerate(record.ladder)
    ]  # fmt: skip


def _announced(report: Report, reference: str, record: Announced, tables: Tables) -> None:
    tables["announced"].append({"record": reference, "vendor": record.vendor})
    tables["statements"] += [
        {
            "record": reference, "ordinal": ordinal, "what": row.what, "says": row.says,
            "source": source_id(report, row.source), "locator": row.at, "checked": row.checked,
        }
        for ordinal, row in enumerate(record.statements)
    ]  # fmt: skip


def _accelerator(reference: str, record: Accelerator, quantities: Quantities, tables: Tables) -> None:
    def number(name: str) -> int | None:
        return quantities.id(reference, name)

    tables["accelerators"].append(
        {
            "record": reference, "vendor": record.vendor, "architecture": record.architecture, "variant": record.variant,
            "scope": record.scope, "die": record.die.value if record.die is not None else None,
            "memory_kind": record.memory.kind, "memory_level": record.memory.on_chip,
            "memory_differs": record.memory.differs,
            "unit_kind": record.units.kind if record.units is not None else None, "capacity": number("memory.capacity"),
            "capacity_route": number("memory.capacity_route"),
            "bandwidth": number("memory.bandwidth"), "bandwidth_route": number("memory.route"),
            "units": number("units.count"), "clock": number("units.clock"), "power_limit": number("power.limit"),
        }
    )  # fmt: skip
    for ordinal, peak in enumerate(record.peaks):
        name = peak_name(peak)
        tables["peaks"].append(
            {
                "record": reference, "ordinal": ordinal, "name": name, "format": peak.format,
                "accumulate": peak.accumulate, "path": peak.path, "sparsity": peak.sparsity,
                "is_default": int(peak.default), "rate": number(f"peak.{name}"), "ridge": number(f"ridge.{name}"),
                "per_clock": number(f"peak.{name}.per_clock"),
                "clock": number(f"peak.{name}.clock") or (number("units.clock") if peak.route is not None else None),
                "route": number(f"peak.{name}.route"),
                "differs": peak.route.differs if peak.route is not None else None,
            }
        )  # fmt: skip
    for ordinal, (level, memory) in enumerate(record.on_chip.items()):
        tables["on_chip"].append(
            {
                "record": reference, "ordinal": ordinal, "name": level, "per": memory.per,
                "size": number(f"{level}.per_unit"), "count": number(f"{level}.count"),
                "total": number(f"{level}.total"), "bandwidth": number(f"{level}.bandwidth_per_unit"),
                "bandwidth_total": number(f"{level}.bandwidth"),
                "block_kind": memory.blocks.kind if memory.blocks is not None else None,
                "blocks": number(f"{level}.blocks.count"), "block_size": number(f"{level}.blocks.per_unit"),
                "differs": memory.differs, "note": memory.note,
            }
        )  # fmt: skip
    for ordinal, link in enumerate(record.links):
        name = slug(link.kind)
        tables["links"].append(
            {
                "record": reference, "ordinal": ordinal, "name": name, "kind": link.kind,
                "interconnect": link.interconnect,
                **{part: number(f"links.{name}.{part}") for part in ("count", "per_direction", "aggregate")},
                "differs": link.differs,
            }
        )  # fmt: skip
    tables["accepted"] += [
        {"record": reference, "ordinal": ordinal, **entry.model_dump()} for ordinal, entry in enumerate(record.accepted)
    ]


def _model(report: Report, entry: Entry, record: Model, quantities: Quantities, tables: Tables) -> None:
    reference, geometry = entry.reference, record.geometry
    tables["models"].append(
        {
            "record": reference, "organisation": record.organisation, "licence": record.licence,
            "source": source_id(report, geometry.source), "locator": geometry.at, "checked": geometry.checked,
            "file_revision": geometry.file_revision, "geometry_note": geometry.note,
            "tied_embeddings": int(record.tied_embeddings), "vocabulary": record.vocabulary, "width": record.width,
            "context": record.context, "final_norm_parameters": record.final_norm_parameters,
            "parameters_total": quantities.id(reference, "parameters.total"),
            "checkpoint_total": quantities.id(reference, "checkpoint.total"),
        }
    )  # fmt: skip
    for ordinal, group in enumerate(record.layers):
        tables["layers"].append({"record": reference, "ordinal": ordinal, **_layer(group)})
    entries = [
        (f"checkpoint.ledger.{index}", row.what, row.parameters, row.why, row.source)
        for index, row in enumerate(record.checkpoint.ledger)
    ] + [
        (f"extras.{index}", extra.name.replace("_", " "), extra.parameters, extra.why, extra.source)
        for index, extra in enumerate(record.extras)
        if extra.in_checkpoint
    ]
    for ordinal, (field, what, formula, why, source) in enumerate(entries):
        value: dict[str, object] = {"value_exact": None, "value_float": None, "derivation": None}
        try:
            derived = report.resolver.evaluate(formula, report.resolver.scope_of(entry), unit=_PARAMETERS)
        except FormulaError:
            pass  # the check reports it at this field
        else:
            value = {**value_columns(derived.quantity), "derivation": quantities.root(derived)}
        tables["ledger"].append(
            {
                "record": reference, "ordinal": ordinal, "field": field, "what": what, "formula": formula, **value,
                "why": why, "source": source_id(report, source),
            }
        )  # fmt: skip


def _layer(group: LayerGroup) -> dict[str, object]:
    """The columns of a group of equal layers; a kind of layer has some of them."""
    attention, forward = group.attention, group.feed_forward
    gated = getattr(forward, "gated", None)
    return {
        "layers": group.count, "which": group.which, "attention": attention.kind, "shape": _shape(attention),
        **{name: getattr(attention, name, None) for name in ("query_heads", "kv_heads", "head_dim")},
        "attention_window": getattr(attention, "window", None), "attention_chunk": getattr(attention, "chunk", None),
        "attention_bias": getattr(attention, "bias", None), "feed_forward": forward.kind,
        "feed_forward_shape": _shape(forward), "feed_forward_width": getattr(forward, "width", None),
        "gated": None if gated is None else int(gated), "feed_forward_bias": getattr(forward, "bias", None),
        "experts": getattr(forward, "experts", None), "experts_active": getattr(forward, "active", None),
        "norm_parameters": group.norm_parameters,
    }  # fmt: skip


def _shape(part: BaseModel) -> str:
    """All that a record states of a part of a layer, as JSON."""
    return json.dumps(part.model_dump(exclude_unset=True, exclude={"kind"}), sort_keys=False)


def _format(reference: str, record: Format, quantities: Quantities, tables: Tables) -> None:
    scale, above = record.scale, record.super_scale
    tables["formats"].append(
        {
            "record": reference, "family": record.family, "element_bits": quantities.id(reference, "element_bits"),
            "bits": quantities.id(reference, "bits"), "stated_bits": quantities.id(reference, "stated_bits"),
            "scale_block": scale and scale.block, "scale_bits": scale and scale.bits,
            "offset_bits": scale and scale.offset_bits,
            "super_block": above and above.block, "super_bits": above and above.bits,
            "super_offset_bits": above and above.offset_bits,
        }
    )  # fmt: skip
    tables["format_layouts"] += [
        {"record": reference, "name": name, "sign": bits.sign, "exponent": bits.exponent, "mantissa": bits.mantissa}
        for name, bits in record.layouts.items()
    ]
