"""What many families read alike."""

from __future__ import annotations

from ridgeline.importing.config import MAX_LAYERS, Config, ConfigError
from ridgeline.importing.draft import Draft, Extra, Layer, Part

NONE: Part = {"kind": "none"}
#: Words of `layer_types` → whether the layer sees a window (or a chunk) alone.
_TYPES = {"full_attention": False, "sliding_attention": True, "chunked_attention": True}


def layer_count(config: Config, *keys: str) -> int:
    """The number of layers, within bounds."""
    number = config.integer(*(keys or ("num_hidden_layers",)))
    if number > MAX_LAYERS:
        raise ConfigError(
            f"{config.path}{(keys or ('num_hidden_layers',))[0]}: {number:,} layers are beyond all bounds"
        )
    return number


def width(config: Config) -> int:
    """The width of the residual stream."""
    return config.integer("hidden_size", "n_embd", "d_model")


def head_dim(config: Config, query_heads: int, default: int | None = None) -> int:
    """The head width that the config states; the quotient only where it states none and it divides evenly."""
    stated = config.maybe("head_dim", "attention_head_dim")
    if stated is not None:
        return stated
    if default is not None:
        config.remark("head_dim", f"not stated; {default} is the default of the family's code")
        return default
    total = width(config)
    if total % query_heads:
        raise ConfigError(
            f"{config.path}head_dim is missing, and hidden_size {total} is no multiple of the {query_heads} query heads"
        )
    return total // query_heads


def grouped(
    config: Config,
    *,
    qkv_bias: bool = False,
    output_bias: bool = False,
    head: int | None = None,
    kv_default: int | None = None,
) -> Part:
    """Grouped-query attention from the usual keys; ``head`` is the family's default head width."""
    query = config.integer("num_attention_heads")
    stated = config.maybe("num_key_value_heads")
    kv = stated if stated is not None else kv_default or query
    if stated is None:
        config.remark("num_key_value_heads", f"not stated; {kv} by the family's code")
    size = head_dim(config, query, head)
    part: Part = {"kind": "gqa", "query_heads": query, "kv_heads": kv, "head_dim": size}
    bias = (query + 2 * kv) * size * qkv_bias + width(config) * output_bias
    if bias:
        part["bias"] = bias
    return part


def dense(size: int, *, gated: bool = True, bias: int = 0) -> Part:
    """A dense feed-forward part."""
    part: Part = {"kind": "dense", "width": size, "gated": gated}
    if bias:
        part["bias"] = bias
    return part


def experts(
    number: int, active: int, size: int, *, gated: bool = True, shared: Part | None = None, router_bias: bool = False,
    expert_bias: int = 0, latent: int | None = None,
) -> Part:  # fmt: skip
    """A mixture of experts."""
    part: Part = {"kind": "moe", "experts": number, "active": active, "width": size, "gated": gated}
    if latent is not None:
        part["latent"] = latent
    if shared is not None:
        part["shared"] = shared
    if router_bias:
        part["router_bias"] = True
    if expert_bias:
        part["expert_bias"] = expert_bias
    return part


def windows(config: Config, layers: int, every: int | None = None) -> list[bool]:
    """For each layer whether it is a local one: by `layer_types`, else all but each ``every``-th; none without both."""
    stated = config.items("layer_types", length=layers)
    if stated is None:
        return [every is not None and (index + 1) % every != 0 for index in range(layers)]
    found = []
    for index, word in enumerate(stated):
        if word not in _TYPES:
            raise ConfigError(f"{config.path}layer_types.{index}: {word!r} is none of {', '.join(_TYPES)}")
        found.append(_TYPES[word])
    return found


def window(config: Config, default: int | None = None) -> int | None:
    """The length of the window: as the config states it, also in the spelling of serving programs."""
    stated, other = config.maybe("sliding_window"), config.maybe("sliding_window_size")
    if stated is not None and other is not None and stated != other:
        config.remark("sliding_window_size", f"not mapped: {other}, where sliding_window is {stated}", mapped=False)
    found = stated if stated is not None else other
    if found is None and default is not None:
        config.remark("sliding_window", f"not stated; {default} is the default of the family's code")
        return default
    return found


def local(attention: Part, size: int | None, here: bool, key: str = "window") -> Part:
    """An attention with its window in a local layer."""
    return {**attention, key: size} if here and size else attention


def finish(
    config: Config, layers: list[Layer], final_norm: int, *, tied: bool, extras: list[Extra] | None = None
) -> Draft:
    """The draft of a model: its ends beside its layers. ``tied`` is what the family's code does where nothing is stated."""
    if not config.has("tie_word_embeddings"):
        config.remark("tie_word_embeddings", f"not stated; {str(tied).lower()} is the default of the family's code")
    return Draft(
        vocabulary=config.integer("vocab_size"),
        width=width(config),
        tied=config.flag("tie_word_embeddings", default=tied),
        layers=layers,
        final_norm=final_norm,
        context=config.maybe(
            "max_position_embeddings",
            "n_positions",
            "model_max_length",
            "max_sequence_length",
            "n_ctx",
            "context_window_size",
        ),
        extras=extras or [],
    )


def predicting(
    config: Config, layers: list[Layer], like: list[Layer], *, copies: bool, key: str = "num_nextn_predict_layers"
) -> list[Extra]:
    """Layers that predict further tokens: each shaped like some layers of the model, two inputs to one, three norms.

    ``copies`` says whether the checkpoint stores the embedding table and the output head beside each once more.
    """
    number = config.count(key)
    if not number:
        return []
    kinds: list[Layer] = []
    for layer in layers:
        if layer not in kinds:
            kinds.append(layer)
    if any(layer not in kinds for layer in like):
        config.remark(key, "its parameters are not counted, no layer is shaped like it: fill in the extra mtp")
        return [Extra("mtp", None, "FILL-IN what it is, and where the number is from.")]
    names = [
        "parameters_per_layer" if len(kinds) == 1 else f"parameters.group_{kinds.index(layer) + 1}" for layer in like
    ]
    one = " + ".join([*names, "2 * d_model^2", "3 * d_model"])
    found = [
        Extra("mtp", one if number == 1 else f"{number} * ({one})",
              "Predicts a further token: one layer more, the projection of two inputs to one, and three norms."),
    ]  # fmt: skip
    if copies:
        found.append(Extra("mtp_copies", f"{2 * number} * vocabulary * d_model",
                           "Copies of the embedding table and of the output head that are stored beside that layer."))  # fmt: skip
    return found


def with_defaults(config: Config, **values: int) -> None:
    """What the family's code takes where its configs state nothing, each remarked on."""
    for key, value in values.items():
        if not config.has(key):
            config.remark(key, f"not stated; {value} is the default of the family's code")
            config.data = {**config.data, key: value}


def inherit(text: Config, above: Config, *keys: str) -> None:
    """Keys of the outer mapping, where the inner one does not state them."""
    for key in keys:
        if above is not text and above.has(key):
            _, value = above.raw(key)
            if not text.has(key):
                text.data = {**text.data, key: value}
