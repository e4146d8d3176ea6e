"""What the vocabulary is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """A derived quantity: dotted name, formula, unit of the result, and what it means."""

    name: str
    formula: str
    unit: str
    means: str
    per_layer: bool = False
