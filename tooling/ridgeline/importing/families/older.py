"""GPT-2, OPT and Falcon: biases, learned positions, parallel layers."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families.common import dense, finish, grouped, head_dim, layer_count, width


def gpt2(config: Config) -> Draft:
    """GPT-2: learned positions, biases everywhere, norms with biases."""
    d, layers, heads = (
        width(config),
        layer_count(config, "n_layer", "num_hidden_layers"),
        config.integer("n_head", "num_attention_heads"),
    )
    inner = config.maybe("n_inner") or 4 * d
    size = head_dim(config, heads)
    attention: Part = {
        "kind": "gqa",
        "query_heads": heads,
        "kv_heads": heads,
        "head_dim": size,
        "bias": 3 * heads * size + d,
    }
    positions = config.integer("n_positions", "n_ctx", "max_position_embeddings")
    if special := config.count("n_special"):
        config.remark("n_special", f"not mapped: {special}", mapped=False)
    draft = finish(
        config, [Layer(attention, dense(inner, gated=False, bias=inner + d), 4 * d)] * layers, 2 * d, tied=True
    )
    draft.positions, draft.context = positions, positions
    return draft


def opt(config: Config) -> Draft:
    """OPT: as GPT-2, its table of positions two rows longer than the context."""
    d, layers, inner = width(config), layer_count(config), config.integer("ffn_dim")
    heads = config.integer("num_attention_heads")
    size = head_dim(config, heads)
    biased = config.flag("enable_bias", default=True)
    norm = 2 * d if config.flag("layer_norm_elementwise_affine", default=True) else 0
    attention: Part = {"kind": "gqa", "query_heads": heads, "kv_heads": heads, "head_dim": size}
    if biased:
        attention["bias"] = 3 * heads * size + d
    if (config.maybe("word_embed_proj_dim") or d) != d:
        raise ConfigError(
            "word_embed_proj_dim: an embedding of another width than the layers cannot be written as a record"
        )
    last = config.flag("do_layer_norm_before", default=True) and not config.flag(
        "_remove_final_layer_norm", default=False
    )
    config.used.add("_remove_final_layer_norm")
    forward = dense(inner, gated=False, bias=inner + d if biased else 0)
    draft = finish(config, [Layer(attention, forward, 2 * norm)] * layers, norm if last else 0, tied=True)
    draft.positions = config.integer("max_position_embeddings") + 2
    return draft


def falcon(config: Config) -> Draft:
    """Falcon 7B (one key and value head, one norm) and the new architecture of 40B and 180B (groups, two norms)."""
    d, layers = width(config), layer_count(config, "num_hidden_layers", "n_layer")
    heads = config.integer("num_attention_heads", "n_head")
    # The first releases called the two architectures by two names.
    named = config.data.get("model_type") == "RefinedWeb"
    new, multi = config.flag("new_decoder_architecture", default=named), config.flag("multi_query", default=True)
    stated = config.maybe("num_kv_heads", "n_head_kv")
    kv = (stated or heads) if new else 1 if multi else heads
    size = head_dim(config, heads)
    biased = config.flag("bias", default=False)
    attention: Part = {"kind": "gqa", "query_heads": heads, "kv_heads": kv, "head_dim": size}
    if biased:
        attention["bias"] = (heads + 2 * kv) * size + d
    parallel = config.flag("parallel_attn", default=True)
    norms = (config.maybe("num_ln_in_parallel_attn") or 2) if new else 1 if parallel else 2
    inner = config.maybe("ffn_hidden_size", "intermediate_size") or 4 * d
    forward = dense(inner, gated=False, bias=inner + d if biased else 0)
    return finish(config, [Layer(attention, forward, norms * 2 * d)] * layers, 2 * d, tied=True)


def phi(config: Config) -> Draft:
    """Phi-1 to Phi-2: biases everywhere, attention and feed-forward side by side behind one norm."""
    d, layers, inner = width(config), layer_count(config), config.integer("intermediate_size")
    attention = grouped(config, qkv_bias=True, output_bias=True)
    norm = 2 * d
    if config.flag("qk_layernorm", default=False):
        norm += 4 * attention["head_dim"]
    forward = dense(inner, gated=False, bias=inner + d)
    draft = finish(config, [Layer(attention, forward, norm)] * layers, 2 * d, tied=False)
    draft.head_bias = not draft.tied
    return draft
