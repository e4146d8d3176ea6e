"""A model as read from a config, before a person has filled in what no config states."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: its two parts as a record writes them, and the parameters of all its norms."""

    attention: Part
    feed_forward: Part
    norms: int


@dataclass(frozen=True, slots=True)
class Extra:
    """A part beside the text model; ``parameters`` of ``None`` are for a person to fill in."""

    name: str
    parameters: str | None
    why: str


@dataclass
class Draft:
    """What a family's mapper finds in a config."""

    vocabulary: int
    width: int
    tied: bool
    layers: list[Layer]
    final_norm: int
    context: int | None = None
    positions: int | None = None
    head_bias: bool = False
    embedding_norm: int = 0
    extras: list[Extra] = field(default_factory=list)

    def groups(self) -> list[tuple[str, list[int], Layer]]:
        """Groups of equal layers: which they are, their indices, and one of them; in the order of their first layers."""
        found: list[tuple[list[int], Layer]] = []
        for index, layer in enumerate(self.layers):
            for indices, known in found:
                if known == layer:
                    indices.append(index)
                    break
            else:
                found.append(([index], layer))
        return [(_which(indices, len(self.layers)), indices, layer) for indices, layer in found]


def _which(indices: list[int], layers: int) -> str:
    """Which layers these are, counted from 0 as the config counts them; empty for all."""
    if len(indices) == layers:
        return ""
    if len(indices) == 1:
        return f"layer {indices[0]}"
    steps = {b - a for a, b in pairwise(indices)}
    if steps == {1}:
        return f"layers {indices[0]} to {indices[-1]}"
    if len(steps) == 1:
        (step,) = steps
        return f"every {step} layers from layer {indices[0]}"
    text = ", ".join(map(str, indices))
    if len(text) <= 120:
        return f"layers {text}"
    return f"{len(indices)} of {layers} layers, from layer {indices[0]} to {indices[-1]}"
