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
)


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


class Attention(Strict):
    """Softmax attention with query heads that share key and value heads (MHA, GQA and MQA are one shape)."""

    kind: Literal["gqa"]
    """`gqa`: grouped-query attention; as many KV as query heads make it multi-head, one makes it multi-query."""
    query_heads: Positive
    """Number of query heads."""
    kv_heads: Positive
    """Number of key and value heads."""
    head_dim: Positive
    """Width of one head."""
    window: Positive | None = None
    """Tokens that a sliding window sees; null is all of them."""
    bias: Count = 0
    """Bias parameters of the attention projections of one layer."""

    @model_validator(mode="after")
    def _groups(self) -> Attention:
        if self.query_heads % self.kv_heads:
            raise ValueError(
                f"{self.query_heads} query heads cannot be shared evenly among {self.kv_heads} key and value heads"
            )
        return self


class FeedForward(Strict):
    """The feed-forward part of a layer."""

    kind: Literal["dense"]
    """`dense`: every token passes through all of it."""
    width: Positive
    """Inner width."""
    gated: bool
    """Whether a gate matrix stands beside the up projection (SwiGLU, GeGLU): three matrices in place of two."""
    bias: Count = 0
    """Bias parameters of the feed-forward matrices of one layer."""


class LayerGroup(Strict):
    """Layers of one shape."""

    count: Positive
    """How many layers have this shape."""
    attention: Attention
    """How the layer attends."""
    feed_forward: FeedForward
    """The feed-forward part of the layer."""
    norm_parameters: Count
    """Parameters of all norms of one layer."""


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
    """Entries that add up to published total minus counted total."""


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
    width: Positive
    """Width of the residual stream (hidden size)."""
    context: Positive | None = None
    """Longest position the config states."""
    tied_embeddings: bool
    """Whether the output head is the embedding table."""
    final_norm_parameters: Count
    """Parameters of the norm before the output head."""
    layers: Annotated[list[LayerGroup], Field(min_length=1, max_length=200)]
    """Groups of equal layers, from the input to the output."""
    checkpoint: Checkpoint
    """The published total of parameters, and what explains its difference from the count."""
    notes: Prose | None = None
    """Anything a reader of this record must know."""
