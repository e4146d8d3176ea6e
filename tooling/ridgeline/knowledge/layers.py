"""The named quantities of one layer, by the kinds of its parts: what the record states, and what follows.

A layer names only what its kinds have. A name that belongs to another kind of layer counts as nothing in a total, except
``REFUSED``: what a latent attention has in another form must not be taken for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ridgeline.knowledge.definition import Definition
from ridgeline.records.layers import (
    DenseFeedForward,
    ExpertFeedForward,
    GatedDelta,
    GroupedAttention,
    KimiDelta,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Mamba1,
    Mamba2,
)

#: A stated name: path below the group, meaning, and whether it is left out of the names where it is nought or absent.
Given = tuple[tuple[str, ...], str, bool]


def _attention(fields: dict[str, tuple[str, str]], optional: bool = False) -> dict[str, Given]:
    return {name: (("attention", *field.split(".")), means, optional) for name, (field, means) in fields.items()}


def _forward(fields: dict[str, tuple[str, str]], optional: bool = False) -> dict[str, Given]:
    return {name: (("feed_forward", *field.split(".")), means, optional) for name, (field, means) in fields.items()}


_BIAS = {"attention_bias": ("bias", "bias parameters of the attention projections of a layer")}

#: Kind of attention or state → its stated names.
ATTENTION: dict[str, dict[str, Given]] = {
    "gqa": _attention(
        {
            "n_q": ("query_heads", "query heads of a layer"),
            "n_kv": ("kv_heads", "key and value heads of a layer"),
            "d_head": ("head_dim", "width of one head"),
            "window": ("window", "tokens that a sliding window sees"),
            **_BIAS,
        }
    )
    | _attention(
        {
            "d_v": ("value_dim", "width of one value head"),
            "chunk": ("chunk", "tokens of one chunk of a chunked attention"),
            "attention_sinks": ("sinks", "attention-sink parameters of a layer"),
            "qk_norm_parameters": ("qk_norm_parameters", "parameters of the norms of queries and keys of a layer"),
        },
        optional=True,
    ),
    "mla": _attention(
        {
            "n_q": ("query_heads", "query heads of a layer"),
            "kv_rank": ("kv_rank", "width of the latent that is cached for a token"),
            "d_nope": ("nope_dim", "width of one query or key head without rotary position"),
            "d_rope": ("rope_dim", "width of the rotary part, cached beside the latent"),
            "d_v": ("value_dim", "width of one value head"),
        }
    )
    | _attention(
        {
            "q_rank": ("q_rank", "width that the queries are compressed to"),
            "indexer_heads": ("indexer.heads", "query heads of the indexer"),
            "indexer_dim": ("indexer.dim", "width of one head of the indexer"),
            "indexer_selected": ("indexer.selected", "tokens that the indexer selects for a query"),
            **_BIAS,
        },
        optional=True,
    ),
    "linear": _attention(
        {"state_heads": ("heads", "heads of the linear attention"), "d_state": ("head_dim", "width of one head")}
    )
    | _attention(
        {"state_parameters_per_layer": ("parameters", "parameters besides projections, biases and norms"), **_BIAS},
        True,
    ),
    "gated-delta": _attention(
        {
            "key_heads": ("key_heads", "key heads of a layer"),
            "d_state": ("key_dim", "width of one key head: state elements of one value channel"),
            "state_heads": ("value_heads", "value heads of a layer"),
            "d_state_head": ("value_dim", "width of one value head"),
            "d_conv": ("conv", "length of the convolution"),
        }
    )
    | _attention(_BIAS, True),
    "kimi-delta": _attention(
        {
            "state_heads": ("heads", "heads of the delta attention"),
            "d_state": ("head_dim", "width of one head"),
            "gate_rank": ("gate_rank", "width that the inputs of the two gates are compressed to"),
            "d_conv": ("conv", "length of the convolution"),
        }
    )
    | _attention(_BIAS, True),
    "mamba1": _attention(
        {
            "d_inner": ("inner", "inner width: number of channels"),
            "d_state": ("state", "state elements of one channel"),
            "d_conv": ("conv", "length of the convolution"),
            "dt_rank": ("dt_rank", "rank of the projection of the step sizes"),
        }
    )
    | _attention(_BIAS, True),
    "mamba2": _attention(
        {
            "state_heads": ("heads", "heads of the state space"),
            "d_state_head": ("head_dim", "width of one head"),
            "d_state": ("state", "state elements of one channel"),
            "state_groups": ("groups", "groups of heads that share input and output matrices"),
            "d_conv": ("conv", "length of the convolution"),
        }
    )
    | _attention(_BIAS, True),
    "none": {},
}

#: Kind of feed-forward part → its stated names.
FEED_FORWARD: dict[str, dict[str, Given]] = {
    "dense": _forward(
        {
            "d_ff": ("width", "inner width of the feed-forward part"),
            "feed_forward_bias": ("bias", "bias parameters of the feed-forward part of a layer"),
        }
    ),
    "moe": _forward(
        {
            "n_experts": ("experts", "routed experts of a layer"),
            "n_experts_active": ("active", "routed experts that one token passes through"),
            "d_expert": ("width", "inner width of one expert"),
        }
    )
    | _forward(
        {
            "n_shared_experts": ("shared.count", "experts of a layer that every token passes through"),
            "d_shared_expert": ("shared.width", "inner width of one shared expert"),
            "expert_bias": ("expert_bias", "bias parameters of one expert"),
            "d_latent": ("latent", "width that the routed experts of a layer work in"),
        },
        True,
    ),
    "none": {},
}

NORMS: dict[str, Given] = {
    "norm_parameters_per_layer": (("norm_parameters",), "parameters of the norms of a layer", False)
}

#: What a latent attention has in another form: kind → name → why no number stands here.
_LATENT = "a latent attention caches one latent for all heads: use d_qk, d_v and kv_elements_per_token_per_layer"
REFUSED: dict[str, dict[str, str]] = {"mla": {"n_kv": _LATENT, "d_head": _LATENT, "g": _LATENT}}

#: Names that cap a length. Where a layer lacks one nothing is capped: ``min(L, window)`` is ``L`` there.
UNBOUNDED = frozenset({"window", "chunk"})


def part_of(name: str) -> str:
    """The part of a layer that a name speaks of: ``attention`` (or state), or ``feed_forward``."""
    forward = (
        "feed_forward",
        "expert",
        "router",
        "n_experts",
        "idle_",
        "shared_",
        "n_shared",
        "d_ff",
        "d_expert",
        "d_latent",
    )
    return "feed_forward" if name.startswith((*forward, "d_shared")) else "attention"


def given(group: LayerGroup) -> Iterator[tuple[str, Given, object]]:
    """The stated names of a group of layers with their values; optional ones only where they count."""
    for table in (ATTENTION[group.attention.kind], FEED_FORWARD[group.feed_forward.kind], NORMS):
        for name, place in table.items():
            path, _, optional = place
            value: object = group
            for step in path:
                value = getattr(value, step, None)
            if value or not optional:
                yield name, place, value


@dataclass
class _Layer:
    """Collects the definitions of one group, and which of the terms of its sums it has."""

    group: LayerGroup

    def __post_init__(self) -> None:
        self.found: list[Definition] = []
        self.stated = {name for name, _, _ in given(self.group)}

    def add(self, name: str, formula: str, unit: str, means: str) -> None:
        self.found.append(Definition(name, formula, unit, means, True))

    def has(self, name: str) -> bool:
        return name in self.stated or any(d.name == name for d in self.found)

    def total_of(self, *terms: str) -> str:
        """The sum of the terms that this layer has."""
        return " + ".join(term for term in terms if self.has(term)) or "0"


def definitions(group: LayerGroup) -> tuple[Definition, ...]:
    """What follows for one layer of a group."""
    layer = _Layer(group)
    _MIXERS[group.attention.kind](layer, group.attention)
    forward = group.feed_forward
    if isinstance(forward, DenseFeedForward):
        layer.add("feed_forward_parameters_per_layer", "feed_forward_matrices * d_model * d_ff", "param",
                  "weights of the feed-forward matrices of a layer")  # fmt: skip
    elif isinstance(forward, ExpertFeedForward):
        _experts(layer, forward)
    _sums(layer)
    return tuple(layer.found)


def _sums(layer: _Layer) -> None:
    active = "feed_forward_active_parameters_per_layer"
    forward = active if layer.has(active) else "feed_forward_parameters_per_layer"
    layer.add("linear_parameters_per_layer", layer.total_of("attention_parameters_per_layer", forward), "param",
              "weights of a layer that multiply every token: P_layer")  # fmt: skip
    rest = layer.total_of(
        "attention_bias", "attention_sinks", "state_parameters_per_layer", "feed_forward_bias",
        "norm_parameters_per_layer", "qk_norm_parameters",
    )  # fmt: skip
    matrices = "linear_parameters_per_layer"
    if layer.has(active):
        matrices = layer.total_of("attention_parameters_per_layer", "feed_forward_parameters_per_layer")
    layer.add("parameters_per_layer", f"{matrices} + {rest}", "param", "all parameters of a layer")
    idle = " - idle_expert_parameters_per_layer" if layer.has(active) else ""
    layer.add("active_parameters_per_layer", f"parameters_per_layer{idle}", "param",
              "parameters of a layer that take part in the work for one token")  # fmt: skip


# Attention


def _cache(layer: _Layer, elements: str) -> None:
    layer.add("kv_elements_per_token_per_layer", elements, "element",
              "key and value elements that one token adds to the cache of a layer")  # fmt: skip
    layer.add("kv_bytes_per_token_per_layer", "kv_elements_per_token_per_layer * cache_element", "byte/token",
              "bytes that one token adds to the cache of a layer")  # fmt: skip
    cap = next((name for name in ("window", "chunk") if layer.has(name) and _capped(layer, name)), "")
    layer.add("kv_tokens_per_layer", f"min(L, as({cap}, token))" if cap else "L", "token",
              "tokens that the cache of a layer holds, L tokens into a sequence")  # fmt: skip
    seen = "min(L, as(indexer_selected, token))" if layer.has("indexer_selected") else "kv_tokens_per_layer"
    layer.add("kv_bytes_per_layer", "kv_bytes_per_token_per_layer * kv_tokens_per_layer", "byte",
              "bytes in the cache of a layer, L tokens into a sequence")  # fmt: skip
    layer.add("kv_bytes_per_token_beyond_window_per_layer",
              "0 * kv_bytes_per_token_per_layer" if cap else "kv_bytes_per_token_per_layer", "byte/token",
              "bytes that one token adds to the cache of a layer once its window or chunk is full")  # fmt: skip
    layer.add("attention_flops_per_token_per_layer", f"2 * n_q * (d_qk + d_v) * num({seen}, token)", "flop",
              "operations of the scores and of the weighted values for one token that sees L tokens, at most")  # fmt: skip
    if cap:
        layer.add(
            "d_attention_capped", "d_attention", "1", "width of all query heads, in layers with a window or chunks"
        )
        layer.add("capped_width", "d_attention * window" if cap == "window" else "d_attention * chunk / 2", "1",
                  "width of all query heads times the tokens that they see, once a window or chunk is full")  # fmt: skip
    if cap == "window":
        layer.add(
            "window_area", "d_attention * window^2", "1", "width of all query heads times the square of the window"
        )


def _capped(layer: _Layer, name: str) -> bool:
    return getattr(layer.group.attention, name, None) is not None


def _grouped(layer: _Layer, attention: GroupedAttention) -> None:
    layer.add("g", "n_q / n_kv", "1", "query heads that share one key and value head")
    layer.add("d_qk", "d_head", "1", "width of one query or key head")
    plain = attention.value_dim is None
    if plain:
        layer.add("d_v", "d_head", "1", "width of one value head")
        formula = "2 * d_model * n_q * d_head + 2 * d_model * n_kv * d_head"
    else:
        formula = "d_model * n_q * (d_qk + d_v) + d_model * n_kv * (d_qk + d_v)"
    means = "weights of the query, key, value and output projections of a layer"
    if attention.output_gate:
        formula, means = f"{formula} + d_model * n_q * d_v", f"{means}, and of the output gate"
    if attention.key_is_value:
        formula, means = f"{formula} - d_model * n_kv * d_v", f"{means}, where keys are values"
    layer.add("d_attention", "n_q * d_head" if plain else "n_q * (d_qk + d_v) / 2", "1",
              "width of all query heads together")  # fmt: skip
    layer.add("attention_parameters_per_layer", formula, "param", means)
    _cache(layer, "2 * n_kv * d_head" if plain else "n_kv * (d_qk + d_v)")


def _latent(layer: _Layer, attention: LatentAttention) -> None:
    layer.add("d_qk", "d_nope + d_rope", "1", "width of one query or key head, as the scores are computed unabsorbed")
    layer.add(
        "d_attention", "n_q * (d_qk + d_v) / 2", "1", "width of all query heads together: mean of keys and values"
    )
    query = "d_model * n_q * d_qk" if attention.q_rank is None else "q_rank * (d_model + n_q * d_qk)"
    formula = f"{query} + d_model * (kv_rank + d_rope) + kv_rank * n_q * (d_nope + d_v) + n_q * d_v * d_model"
    if attention.indexer is not None:
        layer.add("indexer_parameters_per_layer",
                  "q_rank * indexer_heads * indexer_dim + d_model * (indexer_heads + indexer_dim)", "param",
                  "weights of the projections of the indexer of a layer")  # fmt: skip
        layer.add("indexer_elements_per_token_per_layer", "indexer_dim", "element",
                  "elements of the indexer's key that one token adds, beside the cache of the attention")  # fmt: skip
        formula += " + indexer_parameters_per_layer"
    layer.add("attention_parameters_per_layer", formula, "param",
              "weights of the projections of queries, latent, keys, values and output of a layer")  # fmt: skip
    _cache(layer, "kv_rank + d_rope")
    layer.add("absorbed_attention_flops_per_token_per_layer",
              "2 * n_q * (2 * kv_rank + d_rope) * num(kv_tokens_per_layer, token)", "flop",
              "operations of scores and values on the latent itself, as decoding does, over L tokens")  # fmt: skip


# States


def _state(layer: _Layer, conv: str = "") -> None:
    """State elements; ``conv`` is the number of channels of the convolution before it."""
    layer.add("state_elements_per_layer", "d_inner * d_state", "element",
              "elements of the state that a layer keeps for a sequence")  # fmt: skip
    formula = "state_elements_per_layer * state_element"
    if conv:
        layer.add("conv_elements_per_layer", f"({conv}) * (d_conv - 1)", "element",
                  "last inputs of the convolution that a layer keeps for a sequence")  # fmt: skip
        formula += " + conv_elements_per_layer * conv_element"
    layer.add("state_bytes_per_layer", formula, "byte", "bytes of the state that a layer keeps for a sequence")


def _linear(layer: _Layer, attention: LinearAttention) -> None:
    layer.add("d_inner", "state_heads * d_state", "1", "width of all heads together")
    matrices = 5 if attention.output_gate else 4
    layer.add("attention_parameters_per_layer", f"{matrices} * d_model * d_inner", "param",
              "weights of the projections of queries, keys, values, output" + " and gate" * attention.output_gate)  # fmt: skip
    _state(layer)


def _gated_delta(layer: _Layer, attention: GatedDelta) -> None:
    layer.add("d_inner", "state_heads * d_state_head", "1", "width of all value heads together")
    layer.add("attention_parameters_per_layer",
              "d_model * (2 * key_heads * d_state + 2 * d_inner + 2 * state_heads) + d_inner * d_model", "param",
              "weights of the projections of queries, keys, values, output gate, the two gates of a head, and output")  # fmt: skip
    layer.add("state_parameters_per_layer", "(2 * key_heads * d_state + d_inner) * d_conv + 2 * state_heads", "param",
              "parameters of the convolution, and decay and step bias of each head")  # fmt: skip
    _state(layer, "2 * key_heads * d_state + d_inner")


def _kimi_delta(layer: _Layer, attention: KimiDelta) -> None:
    layer.add("d_inner", "state_heads * d_state", "1", "width of all heads together")
    layer.add("attention_parameters_per_layer",
              "4 * d_model * d_inner + 2 * gate_rank * (d_model + d_inner) + d_model * state_heads", "param",
              "weights of the projections of queries, keys, values, output, the two gates of low rank, and strengths")  # fmt: skip
    layer.add("state_parameters_per_layer", "3 * d_inner * d_conv + d_inner + state_heads", "param",
              "parameters of the convolution, bias of the forget gate, and decay of each head")  # fmt: skip
    _state(layer, "3 * d_inner")


def _mamba1(layer: _Layer, attention: Mamba1) -> None:
    layer.add("attention_parameters_per_layer",
              "d_model * 2 * d_inner + d_inner * (dt_rank + 2 * d_state) + dt_rank * d_inner + d_inner * d_model", "param",
              "weights of the projections of input, gate, step sizes, state matrices and output")  # fmt: skip
    conv = "d_conv + 1" if attention.conv_bias else "d_conv"
    layer.add("state_parameters_per_layer", f"d_inner * ({conv} + d_state + 2)", "param",
              "parameters of the convolution, decays, skip weights and step biases")  # fmt: skip
    _state(layer, "d_inner")


def _mamba2(layer: _Layer, attention: Mamba2) -> None:
    layer.add("d_inner", "state_heads * d_state_head", "1", "width of all heads together")
    layer.add("conv_channels", "d_inner + 2 * state_groups * d_state", "1", "channels of the convolution")
    layer.add("attention_parameters_per_layer",
              "d_model * (d_inner + conv_channels + state_heads) + d_inner * d_model", "param",
              "weights of the input and output projections")  # fmt: skip
    conv = "d_conv + 1" if attention.conv_bias else "d_conv"
    layer.add("state_parameters_per_layer", f"conv_channels * ({conv}) + 3 * state_heads", "param",
              "parameters of the convolution, and decay, skip weight and step bias of each head")  # fmt: skip
    _state(layer, "conv_channels")


def _nothing(layer: _Layer, attention: object) -> None:
    """A layer without attention has no names for it."""


_MIXERS: dict[str, Callable[[_Layer, Any], None]] = {
    "gqa": _grouped,
    "mla": _latent,
    "linear": _linear,
    "gated-delta": _gated_delta,
    "kimi-delta": _kimi_delta,
    "mamba1": _mamba1,
    "mamba2": _mamba2,
    "none": _nothing,
}


# Experts


def _experts(layer: _Layer, forward: ExpertFeedForward) -> None:
    inside = "d_model" if forward.latent is None else "d_latent"
    layer.add("expert_parameters", f"feed_forward_matrices * {inside} * d_expert", "param", "weights of one expert")
    layer.add("router_parameters_per_layer", "d_model * n_experts", "param", "weights of the router of a layer")
    every = "router_parameters_per_layer"
    if forward.latent is not None:
        every += " + 2 * d_model * d_latent"
    if forward.shared is not None:
        gate = " + d_model" if forward.shared.gate else ""
        layer.add("shared_expert_parameters_per_layer",
                  f"n_shared_experts * feed_forward_matrices * d_model * d_shared_expert{gate}", "param",
                  "weights of the shared experts of a layer" + ", and of their gate" * forward.shared.gate)  # fmt: skip
        every += " + shared_expert_parameters_per_layer"
    layer.add("expert_parameters_per_layer", "n_experts * expert_parameters", "param",
              "weights of all routed experts of a layer")  # fmt: skip
    layer.add("feed_forward_parameters_per_layer", f"expert_parameters_per_layer + {every}", "param",
              "weights of the feed-forward matrices of a layer: all experts, and the router")  # fmt: skip
    layer.add("feed_forward_active_parameters_per_layer", f"n_experts_active * expert_parameters + {every}", "param",
              "weights of the feed-forward matrices that one token passes through, and of the router")  # fmt: skip
    biases = [
        *(["n_experts"] if forward.router_bias else []),
        *(["n_experts * expert_bias"] if forward.expert_bias else []),
    ]
    if biases:
        layer.add("feed_forward_bias", " + ".join(biases), "param",
                  "bias parameters of the router and of all experts of a layer")  # fmt: skip
    bias = " + expert_bias" if forward.expert_bias else ""
    one = f"(expert_parameters{bias})" if bias else "expert_parameters"
    layer.add("idle_expert_parameters_per_layer", f"(n_experts - n_experts_active) * {one}", "param",
              "parameters of the experts of a layer that one token does not pass through")  # fmt: skip


# All kinds together


def _samples() -> Iterator[LayerGroup]:
    """A layer of every kind with everything that it can have."""
    attention: list[dict[str, object]] = [
        {"kind": "gqa", "query_heads": 1, "kv_heads": 1, "head_dim": 1, "window": 1, "sinks": 1, "qk_norm_parameters": 1},
        {"kind": "gqa", "query_heads": 1, "kv_heads": 1, "head_dim": 1, "value_dim": 1, "chunk": 1},
        {"kind": "mla", "query_heads": 1, "q_rank": 1, "kv_rank": 1, "nope_dim": 1, "rope_dim": 1, "value_dim": 1,
         "indexer": {"heads": 1, "dim": 1, "selected": 1}},
        {"kind": "linear", "heads": 1, "head_dim": 1, "parameters": 1},
        {"kind": "gated-delta", "key_heads": 1, "key_dim": 1, "value_heads": 1, "value_dim": 1, "conv": 1},
        {"kind": "kimi-delta", "heads": 1, "head_dim": 1, "gate_rank": 1, "conv": 1},
        {"kind": "mamba1", "inner": 1, "state": 1, "conv": 1, "dt_rank": 1},
        {"kind": "mamba2", "heads": 1, "head_dim": 1, "state": 1, "groups": 1, "conv": 1},
    ]  # fmt: skip
    forward: list[dict[str, object]] = [
        {"kind": "dense", "width": 1, "gated": True},
        {"kind": "moe", "experts": 1, "active": 1, "width": 1, "gated": True, "shared": {"count": 1, "width": 1},
         "router_bias": True, "expert_bias": 1, "latent": 1},
    ]  # fmt: skip
    for index in range(len(attention)):
        yield LayerGroup.model_validate(
            {"count": 1, "attention": attention[index], "feed_forward": forward[index % 2], "norm_parameters": 0}
        )


def every_definition() -> tuple[Definition, ...]:
    """The definitions of all kinds of layers, one a name."""
    found: dict[str, Definition] = {}
    for group in _samples():
        for definition in definitions(group):
            found.setdefault(definition.name, definition)
    return tuple(found.values())


def every_given() -> tuple[str, ...]:
    """The names that layers of any kind state."""
    tables = (*ATTENTION.values(), *FEED_FORWARD.values(), NORMS)
    return tuple(dict.fromkeys(("feed_forward_matrices", *(name for table in tables for name in table))))
