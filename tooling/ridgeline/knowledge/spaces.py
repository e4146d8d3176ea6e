"""What the namespaces of records have: names, those of layers of another kind, and the kinds that names belong to."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ridgeline.formulas.parser import parse
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge import vocabulary
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.layers import part_of
from ridgeline.knowledge.names import Namespace
from ridgeline.numbers.units import parse_unit


def names_in(space: Namespace, dotted: str) -> bool:
    """Whether a record names a quantity; a model names those of all kinds of layers, which count as nothing in a total."""
    return (
        dotted in space.names
        or any(dotted in group for group in space.layers)
        or (bool(space.layers) and dotted in vocabulary.LAYER_UNITS)
    )


def nothing(space: Namespace, group: int, dotted: str, label: str) -> Derivation:
    """What a layer has of a quantity that belongs to another kind of layer."""
    text, part = vocabulary.LAYER_UNITS.get(dotted), part_of(dotted)
    unit = None if text is None else parse_unit(text)
    means = f"none in a layer whose {part.replace('_', '-')} part is of kind {space.kinds[group][part]}"
    return Derivation(label, Quantity.of(0, unit), unit, parse("0"), means=means, record=space.reference)


def layer_names(space: Namespace) -> list[str]:
    """All names of single layers."""
    return sorted({name for group in space.layers for name in group})


def labelled(derivation: Derivation, label: str) -> Derivation:
    """A value that is kept under one name, as another calls it."""
    return derivation if derivation.label == label else replace(derivation, label=label)


@lru_cache(maxsize=1)
def _kinds_of_names() -> dict[str, str]:
    """Bare names that every record of a kind defines, and the kind."""
    found = dict.fromkeys((*vocabulary.LAYER_GIVEN, *vocabulary.MODEL_GIVEN), "model")
    found |= {definition.name: "model" for definition in vocabulary.MODEL}
    found |= dict.fromkeys(("n_layers", "untied", "feed_forward_matrices", "layer_count", "checkpoint.total"), "model")
    return {**found, "bits": "format", "element_bits": "format", "ridge": "accelerator", "peak": "accelerator"}


def kind_of(name: str) -> str | None:
    """The kind of record that a name belongs to; ``None`` for a name that no kind defines."""
    kind = _kinds_of_names().get(name)
    if kind is None and name.partition(".")[0] in (
        "memory",
        "units",
        "peak",
        "ridge",
        "power",
        "links",
        "peer_link",
        "host_link",
    ):
        return "accelerator"
    return kind
