"""Layers of language models: one class for each kind of attention, of state, and of feed-forward part."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ridgeline.records.common import Count, Line, Positive, Strict


class GroupedAttention(Strict):
    """Softmax attention with query heads that share key and value heads (MHA, GQA and MQA are one shape)."""

    kind: Literal["gqa"]
    """`gqa`: grouped-query attention; as many KV as query heads make it multi-head, one makes it multi-query."""
    query_heads: Positive
    """Number of query heads."""
    kv_heads: Positive
    """Number of key and value heads."""
    head_dim: Positive
    """Width of one head."""
    value_dim: Positive | None = None
    """Width of one value head, where it is not the width of a key head."""
    window: Positive | None = None
    """Tokens that a sliding window sees; null is all of them."""
    chunk: Positive | None = None
    """Tokens of one chunk, where a token sees only those of its own chunk; null is no chunks."""
    output_gate: bool = False
    """Whether a further projection, as wide as the query heads, gates the output."""
    key_is_value: bool = False
    """Whether the keys serve as values too, so that there is no value projection (both are still cached)."""
    sinks: Count = 0
    """Attention-sink parameters of one layer: mostly one for each query head."""
    qk_norm_parameters: Count = 0
    """Parameters of the norms of queries and keys of one layer, where `norm_parameters` does not hold them."""
    bias: Count = 0
    """Bias parameters of the attention projections of one layer."""

    @model_validator(mode="after")
    def _consistent(self) -> GroupedAttention:
        if self.query_heads % self.kv_heads:
            raise ValueError(
                f"{self.query_heads} query heads cannot be shared evenly among {self.kv_heads} key and value heads"
            )
        if self.window is not None and self.chunk is not None:
            raise ValueError("a layer has a sliding window or chunks, not both")
        if self.key_is_value and self.value_dim not in (None, self.head_dim):
            raise ValueError("keys that serve as values have the width of the values")
        return self


class Indexer(Strict):
    """The small attention that selects which tokens a sparse attention reads."""

    heads: Positive
    """Query heads of the indexer."""
    dim: Positive
    """Width of one; one key of this width is cached for each token."""
    selected: Positive | None = None
    """Tokens that it selects for each query; null is not stated."""


class LatentAttention(Strict):
    """Multi-head latent attention: keys and values of all heads are projected up from one cached latent."""

    kind: Literal["mla"]
    """`mla`: multi-head latent attention."""
    query_heads: Positive
    """Number of query heads."""
    q_rank: Positive | None = None
    """Width that the queries are compressed to; null is one projection without compression."""
    kv_rank: Positive
    """Width of the latent that is cached for each token in place of keys and values."""
    nope_dim: Positive
    """Width of one query or key head without rotary position."""
    rope_dim: Positive
    """Width of the rotary part, one key for all heads, cached beside the latent."""
    value_dim: Positive
    """Width of one value head."""
    indexer: Indexer | None = None
    """What selects the tokens, where the attention is sparse."""
    bias: Count = 0
    """Bias parameters of the attention projections of one layer."""

    @model_validator(mode="after")
    def _consistent(self) -> LatentAttention:
        if self.indexer is not None and self.q_rank is None:
            raise ValueError("the indexer reads the compressed queries: state q_rank")
        return self


class LinearAttention(Strict):
    """Linear (lightning) attention: a state of fixed size in place of a cache."""

    kind: Literal["linear"]
    """`linear`: queries, keys, values and output are projected; each head keeps one square matrix as its state."""
    heads: Positive
    """Number of heads."""
    head_dim: Positive
    """Width of one head."""
    output_gate: bool = False
    """Whether a further projection, as wide as the heads, gates the output."""
    parameters: Count = 0
    """Parameters of one layer that are neither projection, bias nor norm."""
    bias: Count = 0
    """Bias parameters of the projections of one layer."""


class GatedDelta(Strict):
    """Gated delta rule: linear attention whose state forgets and overwrites."""

    kind: Literal["gated-delta"]
    """`gated-delta`: queries, keys, values, output gate, two gates a value head, and a short convolution before."""
    key_heads: Positive
    """Number of key heads (and of query heads)."""
    key_dim: Positive
    """Width of one key head."""
    value_heads: Positive
    """Number of value heads; each keeps one state of key width by value width."""
    value_dim: Positive
    """Width of one value head."""
    conv: Positive
    """Length of the convolution over queries, keys and values."""
    bias: Count = 0
    """Bias parameters of the projections of one layer."""


class KimiDelta(Strict):
    """Kimi delta attention: the gated delta rule with a forget gate for each channel, its gates of low rank."""

    kind: Literal["kimi-delta"]
    """`kimi-delta`: queries, keys, values, a forget and an output gate of low rank, and a short convolution before."""
    heads: Positive
    """Number of heads; each keeps one square matrix as its state."""
    head_dim: Positive
    """Width of one head."""
    gate_rank: Positive
    """Width that the inputs of the forget gate and of the output gate are compressed to."""
    conv: Positive
    """Length of the convolution over queries, keys and values."""
    bias: Count = 0
    """Bias parameters of the projections of one layer; that of the forget gate is counted without being stated."""


class Mamba1(Strict):
    """Selective state space, first version: a state for each inner channel."""

    kind: Literal["mamba1"]
    """`mamba1`: a state-space layer whose step sizes come through a projection of low rank."""
    inner: Positive
    """Inner width: number of channels."""
    state: Positive
    """State elements of one channel."""
    conv: Positive
    """Length of the convolution over the channels."""
    dt_rank: Positive
    """Rank of the projection of the step sizes."""
    conv_bias: bool = True
    """Whether the convolution has a bias for each channel."""
    bias: Count = 0
    """Further bias parameters of one layer; that of the step sizes is counted without being stated."""


class Mamba2(Strict):
    """Selective state space, second version: heads with one decay each."""

    kind: Literal["mamba2"]
    """`mamba2`: a state-space layer of heads; one projection gives everything that it needs."""
    heads: Positive
    """Number of heads."""
    head_dim: Positive
    """Width of one head; all together are the inner width."""
    state: Positive
    """State elements of one channel."""
    groups: Positive
    """Groups of heads that share their input and output matrices."""
    conv: Positive
    """Length of the convolution."""
    conv_bias: bool = True
    """Whether the convolution has a bias for each channel."""
    bias: Count = 0
    """Further bias parameters of one layer; that of the step sizes is counted without being stated."""

    @model_validator(mode="after")
    def _consistent(self) -> Mamba2:
        if self.heads % self.groups:
            raise ValueError(f"{self.heads} heads cannot be shared evenly among {self.groups} groups")
        return self


class NoAttention(Strict):
    """A layer that neither attends nor keeps a state."""

    kind: Literal["none"]
    """`none`: the layer has a feed-forward part alone."""


Attention = Annotated[
    GroupedAttention | LatentAttention | LinearAttention | GatedDelta | KimiDelta | Mamba1 | Mamba2 | NoAttention,
    Field(discriminator="kind"),
]


class DenseFeedForward(Strict):
    """A feed-forward part that every token passes through."""

    kind: Literal["dense"]
    """`dense`: every token passes through all of it."""
    width: Positive
    """Inner width."""
    gated: bool
    """Whether a gate matrix stands beside the up projection (SwiGLU, GeGLU): three matrices in place of two."""
    bias: Count = 0
    """Bias parameters of the feed-forward matrices of one layer."""


class SharedExperts(Strict):
    """Experts that every token passes through, beside those that the router chooses."""

    count: Positive
    """Number of shared experts."""
    width: Positive
    """Inner width of one."""
    gate: bool = False
    """Whether a learned gate, one vector of the model's width, weighs their output."""


class ExpertFeedForward(Strict):
    """A mixture of experts: a router sends each token to a few of them."""

    kind: Literal["moe"]
    """`moe`: a mixture of experts."""
    experts: Positive
    """Routed experts of one layer."""
    active: Positive
    """Routed experts that one token passes through."""
    width: Positive
    """Inner width of one expert."""
    gated: bool
    """Whether each expert has a gate matrix beside its up projection: three matrices in place of two."""
    latent: Positive | None = None
    """Width that tokens are projected to before the routed experts, and back after; null is no such projection."""
    shared: SharedExperts | None = None
    """Experts that every token passes through as well."""
    router_bias: bool = False
    """Whether the router has one bias, or one correction, for each expert."""
    expert_bias: Count = 0
    """Bias parameters of one expert."""

    @model_validator(mode="after")
    def _consistent(self) -> ExpertFeedForward:
        if self.active > self.experts:
            raise ValueError(f"{self.active} experts active of {self.experts}")
        return self


class NoFeedForward(Strict):
    """A layer without a feed-forward part."""

    kind: Literal["none"]
    """`none`: the layer has attention or a state alone."""


FeedForward = Annotated[DenseFeedForward | ExpertFeedForward | NoFeedForward, Field(discriminator="kind")]


class LayerGroup(Strict):
    """Layers of one shape."""

    count: Positive
    """How many layers have this shape."""
    which: Line | None = None
    """Which layers these are, where they alternate with others: `every sixth`."""
    attention: Attention
    """How the layer attends, or what state it keeps."""
    feed_forward: FeedForward
    """The feed-forward part of the layer."""
    norm_parameters: Count
    """Parameters of all norms of one layer, those inside attention and state parts included."""

    @model_validator(mode="after")
    def _something(self) -> LayerGroup:
        if self.attention.kind == "none" and self.feed_forward.kind == "none":
            raise ValueError("a layer has an attention or state part, a feed-forward part, or both")
        return self
