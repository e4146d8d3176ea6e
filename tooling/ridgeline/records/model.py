"""Language models: the geometry that parameters, bytes and operations follow from."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ridgeline.records.common import (
    Count,
    Day,
    Fact,
    FormulaText,
    Line,
    Positive,
    Prose,
    ProseLine,
    Quantity,
    Record,
    SourceId,
    Strict,
    Symbol,
)
from ridgeline.records.layers import LayerGroup


class Geometry(Strict):
    """Where the shape is from."""

    source: SourceId
    """Id of the source record of the config file."""
    at: Line
    """File and fields in it."""
    checked: Day
    """The day somebody last read it there."""
    file_revision: Line | None = None
    """Commit or version of the file."""
    note: ProseLine | None = None
    """What the file does not state and where it is from instead."""


class Extra(Strict):
    """A named part beside the text model: a vision tower, a projector, layers that predict further tokens."""

    name: Symbol
    """Its name in formulas, below `parameters.extra`: `vision_tower`."""
    parameters: FormulaText
    """How many parameters: a number or a formula over the model's quantities."""
    in_checkpoint: bool
    """Whether the published checkpoint holds it."""
    why: ProseLine
    """What it is, and where the number is from."""
    source: SourceId | None = None
    """Where that can be read."""


class LedgerEntry(Strict):
    """A part of the difference between the published total and the counted one."""

    what: ProseLine
    """What these parameters are."""
    parameters: FormulaText
    """How many: a number or a formula over the model's quantities."""
    why: ProseLine
    """Why they are in the published total and not in the count (or, with a minus sign, the reverse)."""
    source: SourceId | None = None
    """Where that can be read."""


class Checkpoint(Strict):
    """The published total and what explains its difference from the count."""

    total: Quantity
    """Parameters of the published checkpoint."""
    ledger: list[LedgerEntry] = []
    """Entries that, with the extras in the checkpoint, add up to published total minus counted total."""


class Model(Record):
    """A language model with its layers."""

    schema_: Annotated[Literal["model/1"], Field(alias="schema")]
    """Kind and version of the record."""
    organisation: Line
    """Who released it."""
    released: Fact | None = None
    """When it was released."""
    licence: Line | None = None
    """Licence of the weights."""
    geometry: Geometry
    """The config file that the shape is read from."""
    vocabulary: Positive
    """Rows of the embedding table, padding included."""
    vocabulary_used: Positive | None = None
    """Tokens of the tokenizer, where the embedding table has padding rows beyond them."""
    width: Positive
    """Width of the residual stream (hidden size)."""
    context: Positive | None = None
    """Longest position the config states."""
    tied_embeddings: bool
    """Whether the output head is the embedding table."""
    head_bias: bool = False
    """Whether the output head has a bias for each row of the vocabulary."""
    positions: Positive | None = None
    """Rows of a learned table of positions; null is no such table."""
    embedding_norm_parameters: Count = 0
    """Parameters of a norm between the embedding and the first layer."""
    final_norm_parameters: Count
    """Parameters of the norm before the output head."""
    layers: Annotated[list[LayerGroup], Field(min_length=1, max_length=200)]
    """Groups of equal layers, from the input to the output."""
    extras: Annotated[list[Extra], Field(max_length=50)] = []
    """Parts beside the text model; none of them is in `parameters.total`."""
    checkpoint: Checkpoint
    """The published total of parameters, and what explains its difference from the count."""
    notes: Prose | None = None
    """Anything a reader of this record must know."""

    @model_validator(mode="after")
    def _consistent(self) -> Model:
        names = [extra.name for extra in self.extras]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two extras are called {twice[0]}")
        if self.vocabulary_used is not None and self.vocabulary_used > self.vocabulary:
            raise ValueError(f"{self.vocabulary_used} tokens do not fit into {self.vocabulary} rows of the embedding")
        return self
