"""Values of models at chosen lengths and formats.

Some quantities of a model have no value of their own: bytes of a cache need the tokens that are in it, bytes of weights
the format that they are stored in. The database holds them at points that readers ask for most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ridgeline.check import Report
from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.units import Unit, parse_unit
from ridgeline.records.model import Model
from ridgeline.store.derivations import value_columns
from ridgeline.store.heads import Tables
from ridgeline.store.values import Quantities

#: Tokens so far; the longest context of the model comes beside them.
LENGTHS = (4_096, 32_768)
#: Formats that caches are kept in and weights are stored in, as ids of format records; those that there are count.
CACHES = ("bf16", "fp8")
WEIGHTS = ("bf16", "fp8", "int4-g128", "mxfp4", "nvfp4")
_ATTENDING = ("gqa", "mla")


@dataclass(frozen=True, slots=True)
class Point:
    """A quantity at a number of tokens (of any, where that makes no difference), in a format (likewise).

    ``formula`` is an expression in the scope of the model, ``unit`` that of its value.
    """

    name: str
    tokens: int | None
    format: str | None
    formula: str
    unit: str


def points(report: Report, quantities: Quantities) -> Tables:
    """The rows of ``model_points``."""
    formats = frozenset(name for name in WEIGHTS if report.knowledge.get(f"formats/{name}") is not None)
    rows = []
    for entry in sorted(report.knowledge.of_kind("model"), key=lambda e: e.reference):
        assert isinstance(entry.record, Model)
        found = ((point, derivation(report, entry, point)) for point in points_of(entry.record, formats))
        rows += [
            {
                "record": entry.reference, "ordinal": ordinal, "name": point.name, "tokens": point.tokens,
                "format": point.format, **value_columns(derived.quantity), "derivation": quantities.root(derived),
            }
            for ordinal, (point, derived) in enumerate((p, d) for p, d in found if d is not None)
        ]  # fmt: skip
    return {"model_points": rows}


def points_of(model: Model, formats: frozenset[str]) -> Iterator[Point]:
    """The points of a model; ``formats`` are those that have a record."""
    for name in WEIGHTS:
        if name in formats:
            yield Point("weight_bytes", None, name, f"parameters.total * {_bits(name)}", "byte")
    attending = [group.attention for group in model.layers if group.attention.kind in _ATTENDING]
    if not attending:
        return
    caches = [name for name in CACHES if name in formats]
    for name in caches:
        yield Point("kv_bytes_per_token", None, name, _stored("kv_bytes_per_token", name), "byte/token")
    # Without a window or a chunk each token takes as much as the one before.
    capped = any(getattr(attention, cap, None) for attention in attending for cap in ("window", "chunk"))
    for tokens in lengths(model):
        for name in caches:
            yield Point("kv_bytes", tokens, name, _stored(f"kv_bytes(L={tokens})", name), "byte")
        if capped and "bf16" in formats:
            average = f"kv_bytes_per_token_average(L={tokens})"
            yield Point("kv_bytes_per_token_average", tokens, "bf16", average, "byte/token")
        flops = f"attention_flops_per_token(L={tokens})"
        yield Point("attention_flops_per_token", tokens, None, flops, "flop")


def _bits(name: str) -> str:
    return f"{name.replace('-', '_')}.bits"


def _stored(quantity: str, name: str) -> str:
    """A quantity of the cache in a format: its elements take two bytes, as bf16 does, unless something else is said."""
    return quantity if name == "bf16" else f"{quantity} * {_bits(name)} / bf16.bits"


def lengths(model: Model) -> list[int]:
    """The lengths for a model: those up to its longest context, and that."""
    longest = model.context
    return sorted({*(n for n in LENGTHS if longest is None or n <= longest), *([longest] if longest else [])})


def derivation(report: Report, entry: Entry, point: Point) -> Derivation | None:
    """The derivation of a point; ``None`` where it has no value (the check says why)."""
    unit: Unit = parse_unit(point.unit)
    try:
        found = report.resolver.evaluate(point.formula, report.resolver.scope_of(entry), unit=unit)
    except FormulaError:
        return None
    # A value that is the quantity's own is called by its name alone; the page must say at which length.
    return found if point.tokens is None else replace(found, label=point.formula)
