"""What of a record other records' verdicts may turn on, as plain data: small, and enough to leave the record unread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import Unknown, slug
from ridgeline.knowledge.resolve import units_of
from ridgeline.records.accelerator import Accelerator, peak_name
from ridgeline.records.source import Source
from ridgeline.records.workload import Workload
from ridgeline.rules.band import Kind
from ridgeline.rules.rule import Context

#: ``names`` stands in those of every record that can be read, and only there.
Facts = dict[str, Any]

#: Bandwidth over bus width, and over capacity.
PIN = "memory.bandwidth / num(memory.bus_width, bit)"
SWEEP = "memory.bandwidth / memory.capacity"


def facts_of(context: Context, entry: Entry) -> Facts:
    """The facts of a record; none where it cannot be read. Values are evaluated as if nothing had been before."""
    record = entry.record
    if record is None:
        return {}
    found: Facts = {"names": [record.name, *record.also_called]}
    if isinstance(record, Accelerator):
        found |= _of_accelerator(context, entry, record)
    elif isinstance(record, Workload):
        claims = [f"{total}/{work}" for total in record.part_of for work in record.covers]
        found |= {"claims": claims} if claims else {}
    elif isinstance(record, Source):
        found |= {"superseded": record.superseded_by} if record.superseded_by else {}
        found |= {"secondary": True} if record.kind == "secondary" else {}
    elif entry.kind == "model":
        layers = context.resolver.namespace(entry.reference).layers
        found["shape"] = [sorted(n for n, m in group.items() if not isinstance(m, Unknown)) for group in layers]
    elif entry.kind == "format" and (
        bits := context.once("bits of formats", entry.reference, lambda: _bits(context, entry))
    ):
        found["bits"] = bits
    if entry.kind not in ("class", "source"):
        found["units"] = [
            [name, None if unit is None else [str(unit.scale), [list(factor) for factor in unit.factors]]]
            for name, unit in units_of(context.resolver.namespace(entry.reference))
        ]
    return found


def die_of(record: Accelerator) -> str | None:
    """The die of a part and its vendor, as one text."""
    if record.die is None:
        return None
    return f"{record.vendor.casefold()}/{record.die.value.casefold()}"


def _of_accelerator(context: Context, entry: Entry, record: Accelerator) -> Iterator[tuple[str, Any]]:
    from ridgeline.rules.peers import Device

    device = Device(context, entry, record)
    die = die_of(record)
    if die is not None:
        yield "die", die
    counts = ((link.interconnect, device.number(f"links.{slug(link.kind)}.count")) for link in record.links)
    links = [[interconnect, int(count)] for interconnect, count in counts if interconnect and count is not None]
    if links:
        yield "links", links
    compared = [[kind, group, str(value)] for kind, group, value in _compared(device, record)]
    if compared:
        yield "compared", compared


def _compared(device: Any, record: Accelerator) -> Iterator[tuple[Kind, str, Any]]:
    for peak in record.peaks:
        name = peak_name(peak)
        ridge = device.number(f"ridge.{name}") if peak.sparsity == "dense" else None
        if ridge is not None:
            yield "ridge", name, ridge
    pin, sweep = device.evaluate(PIN), device.evaluate(SWEEP)
    if pin is not None:
        yield "pin", record.memory.kind.casefold(), pin.quantity.middle
    if sweep is not None:
        yield "sweep", family(record.memory.kind), sweep.quantity.middle


def family(kind: str) -> str:
    """The family of a memory technology: ``hbm`` for `HBM3E`, ``gddr`` for `GDDR6X`."""
    import re

    letters = re.match(r"[A-Za-z]+", kind)
    return letters[0].casefold() if letters else kind.casefold()


def _bits(context: Context, entry: Entry) -> str:
    """Bits that an element of a format takes in memory, scales left out; empty where nobody knows."""
    names = context.resolver.namespace(entry.reference).names
    width = "storage_bits" if "storage_bits" in names else "element_bits"
    try:
        return str(context.resolver.evaluate(width, context.resolver.scope_of(entry)).quantity.middle)
    except FormulaError:
        return ""


__all__ = ["PIN", "SWEEP", "Facts", "die_of", "facts_of", "family"]
