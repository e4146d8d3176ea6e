"""Families of Cohere: attention and feed-forward side by side behind one norm without bias, the head tied."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer
from ridgeline.importing.families.common import dense, finish, grouped, layer_count, local, width, window, windows


def cohere(config: Config) -> Draft:
    """Command R: norms of queries and keys, one for each head, where they are switched on."""
    return _cohere(config, [False] * layer_count(config), None)


def cohere2(config: Config) -> Draft:
    """Command R7B and Command A: a window in three of four layers."""
    layers = layer_count(config)
    every = config.maybe("sliding_window_pattern", "_sliding_window_pattern", "layer_switch") or 4
    if config.text("order_of_interleaved_layers") not in (None, "local_attn_first"):
        raise ConfigError(
            f"{config.path}order_of_interleaved_layers: windows that do not come first are not known here"
        )
    for key in ("use_gated_activation", "use_parallel_block", "use_parallel_embedding"):
        if not config.flag(key, default=True):
            raise ConfigError(f"{config.path}{key}: layers of this family without it are not known here")
    # Another word for tied embeddings, which the code does not read.
    config.used |= {"use_embedding_sharing", "layer_switch", "sliding_window_pattern", "cache_implementation"}
    return _cohere(config, windows(config, layers, every), window(config, default=4096))


def _cohere(config: Config, where: list[bool], length: int | None) -> Draft:
    d, forward = width(config), dense(config.integer("intermediate_size"))
    biased = config.flag("attention_bias", default=False)
    attention = grouped(config, qkv_bias=biased, output_bias=biased)
    norms = d
    if config.flag("use_qk_norm", default=False):
        norms += (attention["query_heads"] + attention["kv_heads"]) * attention["head_dim"]
    return finish(config, [Layer(local(attention, length, here), forward, norms) for here in where], d, tied=True)
