"""Families with experts and grouped attention: Mixtral, Qwen MoE, OLMoE, gpt-oss, MiniMax-M2, GLM-4.5, Llama 4."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families import vision
from ridgeline.importing.families.common import (
    dense,
    experts,
    finish,
    grouped,
    inherit,
    layer_count,
    local,
    predicting,
    width,
    window,
    windows,
)
from ridgeline.importing.families.dense import qwen_windows


def mixtral(config: Config) -> Draft:
    """Mixtral."""
    d, layers = width(config), layer_count(config)
    forward = experts(
        config.integer("num_local_experts"), config.integer("num_experts_per_tok"), config.integer("intermediate_size")
    )
    attention = local(grouped(config), window(config), True)
    return finish(config, [Layer(attention, forward, 2 * d)] * layers, d, tied=False)


def phimoe(config: Config) -> Draft:
    """Phi-3.5-MoE: as Mixtral, with biases where they are switched on and norms that have one."""
    d, layers = width(config), layer_count(config)
    biased = config.flag("attention_bias", default=False)
    forward = experts(
        config.integer("num_local_experts"), config.integer("num_experts_per_tok"), config.integer("intermediate_size")
    )
    # The window of its released config is as long as its context.
    length, context = window(config), config.maybe("max_position_embeddings")
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    if length is not None and (context is None or length < context):
        attention = local(attention, length, True)
    draft = finish(config, [Layer(attention, forward, 4 * d)] * layers, 2 * d, tied=False)
    draft.head_bias = config.flag("lm_head_bias", default=False)
    return draft


def sparse(config: Config, layers: int) -> list[bool]:
    """Which layers of a Qwen have experts."""
    step, plain = config.maybe("decoder_sparse_step") or 1, config.items("mlp_only_layers") or []
    return [index not in plain and (index + 1) % step == 0 for index in range(layers)]


def qwen_experts(config: Config, shared: bool) -> Part:
    """The experts of a Qwen; with ``shared``, one shared expert behind a gate."""
    part: Part | None = None
    if shared:
        part = {"count": 1, "width": config.integer("shared_expert_intermediate_size"), "gate": True}
    return experts(
        config.integer("num_experts"),
        config.integer("num_experts_per_tok"),
        config.integer("moe_intermediate_size"),
        shared=part,
    )


def qwen2_moe(config: Config) -> Draft:
    """Qwen 1.5 and 2 with experts."""
    d, layers = width(config), layer_count(config)
    attention = grouped(config, qkv_bias=config.flag("qkv_bias", default=True))
    where, length = qwen_windows(config, layers)
    forward, plain = qwen_experts(config, True), dense(config.integer("intermediate_size"))
    rows = zip(where, sparse(config, layers), strict=True)
    return finish(
        config, [Layer(local(attention, length, w), forward if s else plain, 2 * d) for w, s in rows], d, tied=False
    )


def qwen3_moe(config: Config) -> Draft:
    """Qwen 3 with experts: norms of queries and keys, no shared expert."""
    d, layers = width(config), layer_count(config)
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased or config.flag("qkv_bias", default=False), output_bias=biased)
    where, length = qwen_windows(config, layers)
    if not config.flag("use_qk_norm", default=True):
        raise ConfigError(f"{config.path}use_qk_norm: this family has norms of queries and keys")
    forward, plain = (
        qwen_experts(config, bool(config.count("shared_expert_intermediate_size"))),
        dense(config.integer("intermediate_size")),
    )
    norms = 2 * d + 2 * attention["head_dim"]
    rows = zip(where, sparse(config, layers), strict=True)
    return finish(
        config, [Layer(local(attention, length, w), forward if s else plain, norms) for w, s in rows], d, tied=False
    )


def deepseek_moe(config: Config) -> Draft:
    """DeepSeekMoE: the first layers dense, shared experts in the others, attention as in Llama."""
    d, layers, size = width(config), layer_count(config), config.integer("moe_intermediate_size")
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    shared = config.count("n_shared_experts")
    forward = experts(
        config.integer("n_routed_experts"), config.integer("num_experts_per_tok"), size,
        shared={"count": shared, "width": size} if shared else None,
    )  # fmt: skip
    first, step = config.count("first_k_dense_replace"), config.maybe("moe_layer_freq") or 1
    kinds = [Layer(attention, dense(config.integer("intermediate_size")), 2 * d), Layer(attention, forward, 2 * d)]
    return finish(config, [kinds[i >= first and i % step == 0] for i in range(layers)], d, tied=False)


def olmoe(config: Config) -> Draft:
    """OLMoE: norms over all query and over all key heads together, experts in all layers."""
    d, layers = width(config), layer_count(config)
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    size = attention["head_dim"]
    forward = experts(
        config.integer("num_experts", "num_local_experts"),
        config.integer("num_experts_per_tok"),
        config.integer("intermediate_size"),
    )
    norms = 2 * d + (attention["query_heads"] + attention["kv_heads"]) * size
    return finish(config, [Layer(attention, forward, norms)] * layers, d, tied=False)


def gpt_oss(config: Config) -> Draft:
    """gpt-oss: biases everywhere, sinks, a window in every second layer."""
    d, layers, size = width(config), layer_count(config), config.integer("intermediate_size")
    biased = config.flag("attention_bias", default=True)
    attention = grouped(config, qkv_bias=biased, output_bias=biased, head=64)
    attention["sinks"] = attention["query_heads"]
    forward = experts(
        config.integer("num_local_experts", "num_experts"), config.integer("num_experts_per_tok", "experts_per_token"), size,
        router_bias=True, expert_bias=2 * size + d,
    )  # fmt: skip
    length = window(config, default=128)
    rows = [Layer(local(attention, length, w), forward, 2 * d) for w in windows(config, layers, every=2)]
    return finish(config, rows, d, tied=False)


def minimax_m2(config: Config) -> Draft:
    """MiniMax-M2: norms over all query and all key heads together, a routing bias."""
    d, layers = width(config), layer_count(config)
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    norms, size = 2 * d, attention["head_dim"]
    if config.flag("use_qk_norm", default=True):
        whole = config.text("qk_norm_type") in (None, "per_layer")
        norms += (attention["query_heads"] + attention["kv_heads"]) * size if whole else 2 * size
    shared = config.count("shared_intermediate_size")
    forward = experts(
        config.integer("num_local_experts"), config.integer("num_experts_per_tok"), config.integer("intermediate_size"),
        shared={"count": 1, "width": shared} if shared else None,
        router_bias=config.flag("use_routing_bias", default=True),
    )  # fmt: skip
    kinds = config.items("attn_type_list", length=layers)
    if kinds is not None and any(kind != 1 for kind in kinds):
        config.remark("attn_type_list", "layers that are not of type 1 are taken for softmax attention", mapped=False)
    config.used |= {"num_mtp_modules", "mtp_transformer_layers"}
    if config.flag("use_mtp", default=False):
        config.remark(
            "use_mtp", "the layers that predict further tokens are not counted: see whether the checkpoint holds them"
        )
    return finish(config, [Layer(attention, forward, norms)] * layers, d, tied=False)


def glm4_moe(config: Config) -> Draft:
    """GLM-4.5 and later: biases of queries, keys and values, a correction for each expert, a layer that predicts."""
    d, layers, size = width(config), layer_count(config), config.integer("moe_intermediate_size")
    attention = grouped(config, qkv_bias=config.flag("attention_bias", default=False))
    norms = 2 * d + (2 * attention["head_dim"] if config.flag("use_qk_norm", default=False) else 0)
    shared = config.count("n_shared_experts")
    forward = experts(
        config.integer("n_routed_experts"), config.integer("num_experts_per_tok"), size, router_bias=True,
        shared={"count": shared, "width": size} if shared else None,
    )  # fmt: skip
    first, plain = config.count("first_k_dense_replace"), dense(config.integer("intermediate_size"))
    kinds = [Layer(attention, plain, norms), Layer(attention, forward, norms)]
    rows = [kinds[index >= first] for index in range(layers)]
    return finish(config, rows, d, tied=False, extras=predicting(config, rows, rows[-1:], copies=True))


def llama4(config: Config) -> Draft:
    """Llama 4: one shared expert, chunks where positions are rotary, experts in every n-th layer."""
    text = config.part("text_config") or config
    inherit(text, config, "tie_word_embeddings", "vocab_size")
    d, layers, size = width(text), layer_count(text), text.integer("intermediate_size")
    biased = text.flag("attention_bias", default=False)
    attention = grouped(text, qkv_bias=biased, output_bias=biased)
    forward = experts(
        text.integer("num_local_experts"), text.integer("num_experts_per_tok"), size, shared={"count": 1, "width": size}
    )
    plain = dense(text.integer("intermediate_size_mlp"))
    step, stated = text.integer("interleave_moe_layer_step", default=1), text.items("moe_layers")
    sparse_layers = set(range(step - 1, layers, step) if stated is None else stated)
    rows = []
    chunk = text.integer("attention_chunk_size", default=8192)
    for index, rotary in enumerate(_rotary(text, layers)):
        rows.append(
            Layer(local(attention, chunk, rotary, "chunk"), forward if index in sparse_layers else plain, 2 * d)
        )
    # The norm of queries and keys of this family has no parameters.
    text.used |= {"use_qk_norm", "for_llm_compressor"}
    return finish(text, rows, d, tied=False, extras=vision.extras(config, vision.llama4))


def _rotary(config: Config, layers: int) -> list[bool]:
    """Which layers have rotary positions, and so chunks."""
    interval = config.integer("no_rope_layer_interval", default=4) if not config.has("no_rope_layers") else 4
    config.used |= {"no_rope_layer_interval"}
    if config.has("layer_types"):
        config.used.add("no_rope_layers")
        return windows(config, layers)
    stated = config.items("no_rope_layers")
    if stated:
        return [bool(entry) for entry in config.items("no_rope_layers", length=layers) or []]
    return [(index + 1) % interval != 0 for index in range(layers)]
