"""Kimi Linear: delta attention in three of four layers, latent attention without positions in the others."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families.common import dense, experts, finish, layer_count, predicting, width
from ridgeline.importing.families.latent import latent

#: Parts of later models of the same `model_type` that a record cannot hold yet.
_LATER = {
    "mla_use_output_gate": "a gate behind the latent attention",
    "attn_res_block_size": "attention over the outputs of earlier blocks of layers",
    "routed_expert_hidden_size": "routed experts of another width with a norm",
}


def kimi_linear(config: Config) -> Draft:
    """Kimi Linear 48B-A3B."""
    d, layers = width(config), layer_count(config)
    for key, what in _LATER.items():
        if config.data.get(key):
            raise ConfigError(f"{config.path}{key}: {what} cannot be written as a record yet")
    attention, inner = latent(config)
    config.used.add("mla_use_nope")  # the part without rotary positions is as wide as it would be with them
    delta, full = _delta(config, layers)
    norms = {True: 2 * d + inner, False: 2 * d + delta["head_dim"]}
    forwards = _forwards(config, layers)
    rows = [
        Layer(attention if here else delta, forward, norms[here]) for here, forward in zip(full, forwards, strict=True)
    ]
    return finish(config, rows, d, tied=False, extras=predicting(config, rows, rows[-1:], copies=False))


def _delta(config: Config, layers: int) -> tuple[Part, list[bool]]:
    """The delta attention, and for each layer whether it has latent attention instead."""
    inside = config.part("linear_attn_config") or Config({}, config.path, remarks=config.remarks)
    if inside.flag("use_full_rank_gate", default=False):
        raise ConfigError(
            f"{inside.path}use_full_rank_gate: an output gate of full rank cannot be written as a record yet"
        )
    size = _stated(inside, config, "head_dim", "linear_head_dim")
    part: Part = {
        "kind": "kimi-delta",
        "heads": _stated(inside, config, "num_heads", "linear_num_heads"),
        "head_dim": size,
        "gate_rank": size,  # the code compresses the gates to the width of one head
        "conv": _stated(inside, config, "short_conv_kernel_size", "linear_conv_kernel_dim"),
    }
    stated, kinds = inside.items("full_attn_layers"), config.items("layer_types", length=layers)
    others = inside.items("kda_layers")
    if kinds is not None:
        if set(kinds) - {"full_attention", "linear_attention"}:
            raise ConfigError(f"{config.path}layer_types: layers have full_attention or linear_attention")
        return part, [kind == "full_attention" for kind in kinds]
    if stated is None:
        raise ConfigError(f"{inside.path}full_attn_layers is missing: which layers are which is not stated")
    # The lists count from one.
    if others is not None and sorted([*stated, *others]) != list(range(1, layers + 1)):
        raise ConfigError(f"{inside.path}kda_layers and full_attn_layers do not name each of the {layers} layers once")
    return part, [index + 1 in stated for index in range(layers)]


def _stated(inside: Config, config: Config, key: str, other: str) -> int:
    """A number under its name in the released config, or under that of the code that was merged later."""
    return inside.integer(key) if inside.has(key) else config.integer(other)


def _forwards(config: Config, layers: int) -> list[Part]:
    plain = dense(config.integer("intermediate_size"))
    number = config.count("num_experts", "num_local_experts", "n_routed_experts")
    if not number:
        return [plain] * layers
    size, shared = config.integer("moe_intermediate_size"), config.count("num_shared_experts", "n_shared_experts")
    forward = experts(
        number, config.integer("num_experts_per_token", "num_experts_per_tok"), size, router_bias=True,
        shared={"count": shared, "width": size} if shared else None,
    )  # fmt: skip
    first, step = config.count("first_k_dense_replace"), config.maybe("moe_layer_freq") or 1
    kinds = config.items("mlp_layer_types", length=layers)
    if kinds is not None:
        return [forward if kind == "sparse" else plain for kind in kinds]
    return [forward if index >= first and index % step == 0 else plain for index in range(layers)]
