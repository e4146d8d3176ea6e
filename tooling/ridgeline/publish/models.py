"""The tables of a model's page: parameters by part and by convention, layers by group, bytes and work at chosen points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from ridgeline.publish.content import Database, Quantity, Record, Row
from ridgeline.publish.pen import Pen

Context = dict[str, Any]
#: The published ways to count active parameters: quantity → what it counts.
CONVENTIONS = {
    "parameters.active_without_embeddings": "layers and last norm alone",
    "parameters.active_without_input_embedding": "with the output head, which every token passes through, and not the embedding look-up",
    "parameters.active_with_embeddings": "with embedding table and output head, once where they are one matrix",
}
#: What one layer of a group has, where it has it: quantity → heading.
_OF_A_LAYER = {
    "parameters_per_layer": "Parameters",
    "active_parameters_per_layer": "Active",
    "linear_parameters_per_layer": "Weights that multiply every token",
    "kv_bytes_per_token_per_layer": "KV cache per token",
    "state_bytes_per_layer": "State",
}
#: What stands at each length: quantity → heading.
_AT_LENGTH = {
    "kv_bytes": "KV cache",
    "kv_bytes_per_token_average": "KV cache per token, on average",
    "attention_flops_per_token": "Operations of the attention",
}
_CROSSOVER = "L_star"
#: Parameters that the table by part leaves out: they stand in another.
_ELSEWHERE = ("parameters.active_", "parameters.group_", "parameters.ledger_difference")


def context(pen: Pen, record: Record) -> Context:
    """What the template of a model's page shows beside what all records have."""
    database = pen.database
    quantities = database.of_record.get(record.reference, [])
    points = database.rows("model_points", record.reference)
    return {
        "quantities": [q for q in quantities if not (open_quantity(q) or says_none(q))],
        "no_crossover": next((q.reason for q in quantities if q.name == _CROSSOVER and q.basis == "unknown"), None),
        "open_names": list(dict.fromkeys(q.name for q in quantities if open_quantity(q) and q.group is None)),
        "parts": [(q, formula_of(pen, q)) for q in parts(quantities)],
        "conventions": conventions(database, record),
        "group_columns": columns(database, record),
        "group_values": group_values(database, record),
        "contested": record.status == "contested",
        "unexplained": unexplained(database, record),
        "by_format": by_format(points),
        "caches": any(p["name"] == "kv_bytes_per_token" for p in points),
        "by_length": by_length(points),
        "length_columns": length_columns(points),
        "length_headings": _AT_LENGTH,
    }


def open_quantity(quantity: Quantity) -> bool:
    """Whether a quantity has no value because its formula needs more than its record: the tokens so far."""
    return (
        quantity.basis == "unknown" and quantity.field is None and (quantity.reason or "").startswith("the symbol L ")
    )


def says_none(quantity: Quantity) -> bool:
    """Whether there is no such quantity, which is no gap: a window where a layer sees everything, heads of a latent."""
    return quantity.basis == "unknown" and (quantity.group is not None or quantity.name == _CROSSOVER)


def parts(quantities: Sequence[Quantity]) -> list[Quantity]:
    """Parameters by part, the total last; layers as a whole and the active ones have tables of their own."""
    found = [q for q in quantities if q.name.startswith("parameters.") or q.name.endswith("parameters_per_layer")]
    found = [q for q in found if q.basis == "derived" or q.name.startswith("parameters.")]
    found = [q for q in found if not q.name.startswith(_ELSEWHERE) and q.name not in _OF_A_LAYER]
    return sorted(found, key=lambda q: (q.name == "parameters.total", q.group is None, q.number))


def formula_of(pen: Pen, quantity: Quantity) -> Markup:
    """The formula of a derived quantity, with its names."""
    derivation = pen.database.derivations.get(quantity.derivation or "")
    return pen.math(derivation.mathml) if derivation is not None else Markup()


def conventions(database: Database, record: Record) -> list[tuple[Quantity, str]]:
    """Active parameters under each of the published conventions, and what each counts."""
    found = ((database.by_name.get((record.reference, name, None)), words) for name, words in CONVENTIONS.items())
    return [(q, words) for q, words in found if q is not None]


def columns(database: Database, record: Record) -> list[tuple[str, str]]:
    """The columns of the table of layer groups: those that some group has. Name and heading."""
    groups = range(len(database.rows("layers", record.reference)))
    active = any(row["experts"] for row in database.rows("layers", record.reference))
    return [
        (name, heading)
        for name, heading in _OF_A_LAYER.items()
        if any((record.reference, name, group) in database.by_name for group in groups)
        and (active or name != "active_parameters_per_layer")
    ]


def group_values(database: Database, record: Record) -> list[Mapping[str, Quantity]]:
    """For each group of layers its quantities by name."""
    groups = range(len(database.rows("layers", record.reference)))
    own: list[dict[str, Quantity]] = [{} for _ in groups]
    for q in database.of_record.get(record.reference, []):
        if q.group is not None:
            own[q.group][q.name] = q
    return list(own)


def unexplained(database: Database, record: Record) -> str:
    """What of the published total neither the count nor the ledger explains; empty where nothing is left."""
    difference = database.by_name.get((record.reference, "parameters.ledger_difference", None))
    if difference is None or difference.exact is None:
        return ""
    entries = [row["value_exact"] for row in database.rows("ledger", record.reference)]
    left = Fraction(difference.exact) - sum((Fraction(e) for e in entries if e is not None), Fraction(0))
    return f"{int(left):+,}" if left else ""


# Points


def by_format(points: Sequence[Row]) -> list[Context]:
    """A row a format: bytes of the weights, and of one token in the caches where they are kept in it."""
    rows: dict[str, Context] = {}
    for p in points:
        if p["tokens"] is None and p["format"] is not None:
            rows.setdefault(p["format"], {"format": p["format"]})[p["name"]] = p["derivation"]
    return list(rows.values())


def length_columns(points: Sequence[Row]) -> list[tuple[str, str | None]]:
    """The columns of the table of lengths: quantity and format, in the order of the rows."""
    return list(dict.fromkeys((p["name"], p["format"]) for p in points if p["tokens"] is not None))


def by_length(points: Sequence[Row]) -> list[Context]:
    """A row a length: tokens, and the derivation of each column that has a value there."""
    rows: dict[int, Context] = {}
    for p in points:
        if p["tokens"] is not None:
            row = rows.setdefault(p["tokens"], {"tokens": p["tokens"], "values": {}})
            row["values"][p["name"], p["format"]] = p["derivation"]
    return [rows[tokens] for tokens in sorted(rows)]
