"""Families of dense layers: Llama, Mistral, Seed-OSS, SmolLM3, Qwen, Phi-3, Gemma."""

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
    width,
    window,
    windows,
    with_defaults,
)


def llama(config: Config) -> Draft:
    """Llama 1 to 3 and what is shaped like them."""
    d, inner, layers = width(config), config.integer("intermediate_size"), layer_count(config)
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    forward = dense(inner, bias=2 * inner + d if config.flag("mlp_bias", default=False) else 0)
    return finish(config, [Layer(attention, forward, 2 * d)] * layers, d, tied=False)


def mistral(config: Config) -> Draft:
    """Mistral: a sliding window in every layer where one is stated."""
    d, layers = width(config), layer_count(config)
    biased = config.flag("attention_bias", default=False)
    attention, length = grouped(config, qkv_bias=biased, output_bias=biased), window(config)
    forward = dense(config.integer("intermediate_size"))
    where = windows(config, layers) if config.has("layer_types") else [True] * layers
    return finish(config, [Layer(local(attention, length, w), forward, 2 * d) for w in where], d, tied=False)


def phi3(config: Config) -> Draft:
    """Phi-3 and Phi-4: as Mistral, with projections stored together."""
    if config.flag("mlp_bias", default=False):
        raise ConfigError(f"{config.path}mlp_bias: biases of the feed-forward layers are not known here")
    draft = mistral(config)
    draft.head_bias = config.flag("lm_head_bias", default=False)
    return draft


def seed_oss(config: Config) -> Draft:
    """Seed-OSS: biases of queries, keys and values, and of the output, each switched on its own."""
    d, inner, layers = width(config), config.integer("intermediate_size"), layer_count(config)
    attention = grouped(
        config,
        qkv_bias=config.flag("attention_bias", default=True),
        output_bias=config.flag("attention_out_bias", default=False),
        head=128,
    )
    forward = dense(inner, bias=2 * inner + d if config.flag("mlp_bias", default=False) else 0)
    return finish(config, [Layer(attention, forward, 2 * d)] * layers, d, tied=False)


def smollm3(config: Config) -> Draft:
    """SmolLM3: every fourth layer without rotary positions, which has no parameters; its windows only there."""
    d, layers, inner = width(config), layer_count(config), config.integer("intermediate_size")
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    forward = dense(inner, bias=2 * inner + d if config.flag("mlp_bias", default=False) else 0)
    rotary = config.items("no_rope_layers", length=layers)
    every = config.maybe("no_rope_layer_interval") or 4
    if rotary is None:
        rotary = [(index + 1) % every != 0 for index in range(layers)]
    length = window(config)
    where = [False] * layers
    if config.flag("use_sliding_window", default=False) and length is not None:
        where = windows(config, layers) if config.has("layer_types") else [not entry for entry in rotary]
    config.used |= {"layer_types", "max_window_layers"}
    return finish(config, [Layer(local(attention, length, w), forward, 2 * d) for w in where], d, tied=True)


def qwen_windows(config: Config, layers: int) -> tuple[list[bool], int | None]:
    """Which layers of a Qwen have a window, and how long it is: none, unless it is switched on."""
    length, first = window(config), config.count("max_window_layers")
    if config.flag("use_sliding_window", default=False) and length:
        if config.has("layer_types"):
            return windows(config, layers), length
        return [index >= first for index in range(layers)], length
    config.used.add("layer_types")
    return [False] * layers, None


def qwen2(config: Config) -> Draft:
    """Qwen 1.5 to 2.5: biases of queries, keys and values."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    attention = grouped(config, qkv_bias=True)
    where, length = qwen_windows(config, layers)
    return finish(config, [Layer(local(attention, length, w), forward, 2 * d) for w in where], d, tied=False)


def olmo2(config: Config) -> Draft:
    """OLMo 2: norms behind attention and feed-forward, and over all query and all key heads together."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    norms = 2 * d + (attention["query_heads"] + attention["kv_heads"]) * attention["head_dim"]
    return finish(config, [Layer(attention, forward, norms)] * layers, d, tied=False)


def glm(config: Config, norms: int = 2) -> Draft:
    """GLM-4 9B: biases of queries, keys and values."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    attention = grouped(config, qkv_bias=config.flag("attention_bias", default=False), head=128)
    return finish(config, [Layer(attention, forward, norms * d)] * layers, d, tied=False)


def glm4(config: Config) -> Draft:
    """GLM-4 of April 2025: as GLM-4 9B, with norms behind attention and feed-forward as well."""
    return glm(config, norms=4)


def qwen3(config: Config) -> Draft:
    """Qwen 3: norms of queries and keys, no biases."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased, head=128)
    where, length = qwen_windows(config, layers)
    norms = 2 * d + 2 * attention["head_dim"]
    return finish(config, [Layer(local(attention, length, w), forward, norms) for w in where], d, tied=False)


def gemma(config: Config) -> Draft:
    """Gemma 1."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased, head=256)
    return finish(config, [Layer(attention, forward, 2 * d)] * layers, d, tied=True)


def gemma2(config: Config) -> Draft:
    """Gemma 2: four norms a layer, a window in every second layer, the first one included."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased, head=256)
    where, length = windows(config, layers, every=2), window(config, default=4096)
    config.used.add("cache_implementation")
    return finish(config, [Layer(local(attention, length, w), forward, 4 * d) for w in where], d, tied=True)


def gemma3(config: Config) -> Draft:
    """Gemma 3: as Gemma 2 with norms of queries and keys, and five of six layers with a window."""
    text = config.part("text_config") or config
    d, layers, forward = width(text), layer_count(text), dense(text.integer("intermediate_size"))
    biased = text.flag("attention_bias", default=False)
    if not text.has("num_attention_heads"):
        # Configs of this family leave out what is the default of its code.
        with_defaults(text, num_attention_heads=8, num_key_value_heads=4, head_dim=256)
    attention = grouped(text, qkv_bias=biased, output_bias=biased, head=256, kv_default=4)
    every = text.maybe("sliding_window_pattern", "_sliding_window_pattern") or 6
    length = window(text, default=4096)
    norms = 4 * d + 2 * attention["head_dim"]
    rows = [Layer(local(attention, length, w), forward, norms) for w in windows(text, layers, every)]
    config.used.add("cache_implementation")
    text.used.add("cache_implementation")
    if text is not config:
        inherit(text, config, "tie_word_embeddings", "vocab_size")
        with_defaults(text, vocab_size=262208, max_position_embeddings=131072)
    return finish(text, rows, d, tied=True, extras=vision.extras(config, vision.siglip))


def gemma4(config: Config) -> Draft:
    """Gemma 4: global layers with heads of their own width, whose keys are values; experts beside the dense part."""
    text = config.part("text_config") or config
    inherit(text, config, "tie_word_embeddings", "vocab_size")
    d, layers = width(text), layer_count(text)
    for key in ("hidden_size_per_layer_input", "num_kv_shared_layers"):
        if text.count(key):
            raise ConfigError(
                f"{text.path}{key}: a table for each layer, and shared keys, cannot be written as a record yet"
            )
    if text.flag("use_double_wide_mlp", default=False) or text.flag("attention_bias", default=False):
        raise ConfigError(f"{text.path}: a feed-forward part of double width and attention biases are not known here")
    attention = local(grouped(text), window(text, default=512), True)
    wide: Part = {
        "kind": "gqa", "query_heads": attention["query_heads"],
        "kv_heads": text.maybe("num_global_key_value_heads") or attention["kv_heads"],
        "head_dim": text.maybe("global_head_dim") or attention["head_dim"],
    }  # fmt: skip
    if text.flag("attention_k_eq_v", default=False):
        wide["key_is_value"] = True
    forward, norms = dense(text.integer("intermediate_size")), 4 * d
    if text.flag("enable_moe_block", default=False):
        # Beside the dense part: experts with three norms more, and a scale of each input of the router and of each expert.
        forward = experts(
            text.integer("num_experts"), text.integer("top_k_experts"), text.integer("moe_intermediate_size"),
            shared={"count": 1, "width": text.integer("intermediate_size")}, router_bias=True,
        )  # fmt: skip
        norms += 4 * d
    text.used |= {"vocab_size_per_layer_input", "expert_intermediate_size", "num_experts", "top_k_experts"}
    rows = []
    for here in windows(text, layers, every=6):
        part = attention if here else wide
        rows.append(Layer(part, forward, norms + 2 * part["head_dim"]))
    extras = []
    if text is not config:
        extras = vision.extras(config, vision.gemma4) + vision.unknown(config, "audio_config")
    config.remark("model_type", "the checkpoint holds a scalar for each layer as a buffer: name it in the ledger")
    return finish(text, rows, d, tied=True, extras=extras)
