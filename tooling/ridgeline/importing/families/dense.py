"""Families of dense layers: Llama, Mistral, Qwen, Phi-3, Gemma."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families.common import (
    dense,
    experts,
    finish,
    grouped,
    inherit,
    layer_count,
    local,
    width,
    windows,
    with_defaults,
)
from ridgeline.importing.families.vision import siglip, unknown


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
    attention = local(grouped(config, qkv_bias=biased, output_bias=biased), config.maybe("sliding_window"), True)
    return finish(config, [Layer(attention, dense(config.integer("intermediate_size")), 2 * d)] * layers, d, tied=False)


def phi3(config: Config) -> Draft:
    """Phi-3 and Phi-4: as Mistral, with projections stored together."""
    return mistral(config)


def qwen_windows(config: Config, layers: int) -> tuple[list[bool], int | None]:
    """Which layers of a Qwen have a window, and how long it is: none, unless it is switched on."""
    window, first = config.maybe("sliding_window"), config.count("max_window_layers")
    if config.flag("use_sliding_window", default=False) and window:
        if config.has("layer_types"):
            return windows(config, layers), window
        return [index >= first for index in range(layers)], window
    config.used.add("layer_types")
    return [False] * layers, None


def qwen2(config: Config) -> Draft:
    """Qwen 1.5 to 2.5: biases of queries, keys and values."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    attention = grouped(config, qkv_bias=True)
    where, window = qwen_windows(config, layers)
    return finish(config, [Layer(local(attention, window, w), forward, 2 * d) for w in where], d, tied=False)


def qwen3(config: Config) -> Draft:
    """Qwen 3: norms of queries and keys, no biases."""
    d, layers, forward = width(config), layer_count(config), dense(config.integer("intermediate_size"))
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased, head=128)
    where, window = qwen_windows(config, layers)
    norms = 2 * d + 2 * attention["head_dim"]
    return finish(config, [Layer(local(attention, window, w), forward, norms) for w in where], d, tied=False)


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
    where, window = windows(config, layers, every=2), config.integer("sliding_window", default=4096)
    config.used.add("cache_implementation")
    return finish(config, [Layer(local(attention, window, w), forward, 4 * d) for w in where], d, tied=True)


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
    window = text.integer("sliding_window", default=4096)
    norms = 4 * d + 2 * attention["head_dim"]
    rows = [Layer(local(attention, window, w), forward, norms) for w in windows(text, layers, every)]
    config.used.add("cache_implementation")
    text.used.add("cache_implementation")
    if text is not config:
        inherit(text, config, "tie_word_embeddings", "vocab_size")
        with_defaults(text, vocab_size=262208, max_position_embeddings=131072)
    return finish(text, rows, d, tied=True, extras=siglip(config, d))


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
    attention = local(grouped(text), text.integer("sliding_window"), True)
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
    config.used |= {"vision_soft_tokens_per_image"}
    rows = []
    for here in windows(text, layers, every=6):
        part = attention if here else wide
        rows.append(Layer(part, forward, norms + 2 * part["head_dim"]))
    extras = unknown(config, "vision_config", "audio_config") if text is not config else []
    config.remark("model_type", "the checkpoint holds a scalar for each layer as a buffer: name it in the ledger")
    return finish(text, rows, d, tied=True, extras=extras)
