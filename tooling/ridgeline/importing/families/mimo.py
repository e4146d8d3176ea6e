"""Families of MiMo: a Qwen 2 with a layer that predicts; and windows with sinks, values narrower than keys, experts."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families.common import dense, experts, finish, layer_count, predicting, width, window
from ridgeline.importing.families.dense import qwen2


def mimo(config: Config) -> Draft:
    """MiMo 7B."""
    if not config.flag("attention_bias", default=True):
        raise ConfigError(f"{config.path}attention_bias: this family has biases of queries, keys and values")
    draft = qwen2(config)
    draft.extras += predicting(config, draft.layers, draft.layers[-1:], copies=False)
    return draft


def mimo_v2_flash(config: Config) -> Draft:
    """MiMo-V2-Flash: windows with sinks in five of six layers, experts in all but the first."""
    d, layers = width(config), layer_count(config)
    length = window(config)
    if length is None:
        raise ConfigError(f"{config.path}sliding_window is missing: the shape does not follow without it")
    if config.maybe("attention_chunk_size") not in (None, length):
        config.remark("attention_chunk_size", "not mapped: it is not the window", mapped=False)
    kinds = {here: _attention(config, here, length) for here in (False, True)}
    size, shared = config.integer("moe_intermediate_size"), config.count("n_shared_experts")
    forward = experts(
        config.integer("n_routed_experts", "num_local_experts"), config.integer("num_experts_per_tok"), size,
        router_bias=True, shared={"count": shared, "width": size} if shared else None,
    )  # fmt: skip
    plain = dense(config.integer("intermediate_size"))
    rows = [
        Layer(kinds[here], forward if sparse else plain, 2 * d)
        for here, sparse in zip(
            _pattern(config, layers, "hybrid_layer_pattern", "layer_types", "sliding_attention"),
            _pattern(config, layers, "moe_layer_freq", "mlp_layer_types", "sparse"),
            strict=True,
        )
    ]
    config.remark("model_type", "the checkpoint holds layers that predict further tokens, and the config says nothing of them")  # fmt: skip
    return finish(config, rows, d, tied=False)


def _attention(config: Config, here: bool, length: int) -> Part:
    """The attention of layers with a window, or of those without."""
    names = {"num_attention_heads": "query_heads", "num_key_value_heads": "kv_heads", "head_dim": "head_dim",
             "v_head_dim": "value_dim"}  # fmt: skip
    part: Part = {"kind": "gqa"}
    for key, name in names.items():
        local = f"swa_{key}"
        part[name] = config.integer(local) if here and config.has(local) else config.integer(key)
        config.used.add(local)
    if here:
        part["window"] = length
    if config.flag("add_swa_attention_sink_bias" if here else "add_full_attention_sink_bias", default=here):
        part["sinks"] = part["query_heads"]
    if config.flag("attention_bias", default=False):
        heads = part["query_heads"] * part["head_dim"] + part["kv_heads"] * (part["head_dim"] + part["value_dim"])
        part["bias"] = heads
    return part


def _pattern(config: Config, layers: int, key: str, words: str, word: str) -> list[bool]:
    """For each layer whether it is of a kind: by noughts and ones, or by words."""
    stated = config.items(words, length=layers)
    if stated is not None:
        config.used.add(key)
        return [entry == word for entry in stated]
    numbers = config.items(key, length=layers)
    if numbers is None:
        raise ConfigError(f"{config.path}{key} is missing: which layers are which is not stated")
    if any(entry not in (0, 1) for entry in numbers):
        raise ConfigError(f"{config.path}{key}: layers are marked with 0 or 1")
    return [entry == 1 for entry in numbers]
