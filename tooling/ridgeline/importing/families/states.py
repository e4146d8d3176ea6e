"""Families with states: Mamba, Jamba, Nemotron-H, Qwen3-Next, MiniMax-Text."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families import vision
from ridgeline.importing.families.common import (
    NONE,
    dense,
    experts,
    finish,
    grouped,
    inherit,
    layer_count,
    predicting,
    width,
)
from ridgeline.importing.families.experts import qwen_experts, sparse


def _rank(config: Config, d: int, *keys: str) -> int:
    """The rank of the step sizes; `auto` is a sixteenth of the width, rounded up."""
    _, value = config.raw(*keys)
    return -(-d // 16) if value in (None, "auto") else config.integer(*keys)


def mamba(config: Config) -> Draft:
    """Mamba, first version."""
    d, layers = width(config), layer_count(config, "num_hidden_layers", "n_layer")
    expand = config.maybe("expand")
    inner = config.maybe("intermediate_size", "d_inner") or (expand or 2) * d
    if config.flag("use_bias", default=False):
        raise ConfigError(f"{config.path}use_bias: biases of the projections are not known here")
    part: Part = {
        "kind": "mamba1", "inner": inner, "state": config.integer("state_size"), "conv": config.integer("conv_kernel", "d_conv"),
        "dt_rank": _rank(config, d, "time_step_rank"),
    }  # fmt: skip
    if not config.flag("use_conv_bias", default=True):
        part["conv_bias"] = False
    config.used.add("rms_norm")  # the norm before the layer, which has no bias in any released model
    return finish(config, [Layer(part, NONE, d)] * layers, d, tied=True)


def _second(config: Config, d: int, heads: int, size: int, state: int, groups: int) -> Part:
    part: Part = {
        "kind": "mamba2", "heads": heads, "head_dim": size, "state": state, "groups": groups,
        "conv": config.integer("conv_kernel", "mamba_d_conv"),
    }  # fmt: skip
    if config.flag("use_bias", default=False) or config.flag("mamba_proj_bias", default=False):
        inner = heads * size
        part["bias"] = 2 * inner + 2 * groups * state + heads + d
    if not config.flag("use_conv_bias", default=True):
        part["conv_bias"] = False
    return part


def mamba2(config: Config) -> Draft:
    """Mamba, second version: a norm of the inner width in each layer."""
    d, layers = width(config), layer_count(config)
    heads, size = config.integer("num_heads"), config.integer("head_dim")
    expand = config.maybe("expand")
    if expand is not None and expand * d != heads * size:
        raise ConfigError(f"{config.path}expand: {expand} times {d} is not {heads} heads of {size}")
    part = _second(config, d, heads, size, config.integer("state_size"), config.integer("n_groups"))
    config.used.add("time_step_rank")  # a heritage of the first version: step sizes have no rank here
    gated = heads * size if config.flag("rms_norm", default=True) else 0
    return finish(config, [Layer(part, NONE, d + gated)] * layers, d, tied=False)


def jamba(config: Config) -> Draft:
    """Jamba: attention in every n-th layer, experts in every m-th, Mamba with norms of its own in the others."""
    d, layers, inner = width(config), layer_count(config), config.integer("intermediate_size")
    attention = grouped(config)
    state, rank = config.integer("mamba_d_state"), _rank(config, d, "mamba_dt_rank")
    mixer: Part = {
        "kind": "mamba1", "inner": config.integer("mamba_expand") * d, "state": state, "conv": config.integer("mamba_d_conv"),
        "dt_rank": rank,
    }  # fmt: skip
    if not config.flag("mamba_conv_bias", default=True):
        mixer["conv_bias"] = False
    if config.flag("mamba_proj_bias", default=False):
        mixer["bias"] = 2 * mixer["inner"] + d
    config.used |= {"mamba_inner_layernorms", "sliding_window"}
    inside = rank + 2 * state if config.flag("mamba_inner_layernorms", default=True) else 0
    number = config.integer("num_experts")
    forward = experts(number, config.integer("num_experts_per_tok"), inner) if number > 1 else dense(inner)
    every, at = config.integer("attn_layer_period"), config.count("attn_layer_offset")
    sparse_every, sparse_at = config.integer("expert_layer_period"), config.count("expert_layer_offset")
    rows = []
    for index in range(layers):
        attends = index % every == at
        part = forward if index % sparse_every == sparse_at else dense(inner)
        rows.append(Layer(attention if attends else mixer, part, 2 * d + (0 if attends else inside)))
    return finish(config, rows, d, tied=False)


#: Words of `layers_block_type` → letter of the pattern.
_BLOCKS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}


def nemotron_h(config: Config) -> Draft:
    """Nemotron-H and Nemotron 3: each layer is one of Mamba, attention, feed-forward and experts."""
    d, pattern = width(config), _letters(config, "hybrid_override_pattern", "layers_block_type")
    layers = layer_count(config) if config.has("num_hidden_layers") else len(pattern or "")
    if pattern is None:
        raise ConfigError(f"{config.path}hybrid_override_pattern is missing: which layers are which is not stated")
    if len(pattern) != layers or set(pattern) - set("M*-E"):
        raise ConfigError(
            f"{config.path}hybrid_override_pattern: {len(pattern)} letters for {layers} layers, of M * - and E"
        )
    kinds = {letter: _block(config, d, letter) for letter in dict.fromkeys(pattern)}
    config.used |= {"expand", "intermediate_size", "sliding_window", "time_step_rank", "num_hidden_layers"}
    rows = [kinds[letter] for letter in pattern]
    like = _letters(config, "mtp_hybrid_override_pattern", "mtp_layers_block_type") or "?"
    extras = predicting(config, rows, [kinds.get(letter, Layer({}, {}, 0)) for letter in like], copies=False)
    return finish(config, rows, d, tied=False, extras=extras)


def _letters(config: Config, pattern: str, blocks: str) -> str | None:
    """Which layers are which, one letter each: from a pattern, or from a list of words."""
    words, text = config.items(blocks), config.text(pattern)
    return text if words is None else "".join(_BLOCKS.get(str(word), "?") for word in words)


def _block(config: Config, d: int, letter: str) -> Layer:
    if letter == "M":
        heads, size = config.integer("mamba_num_heads"), config.integer("mamba_head_dim")
        part = _second(config, d, heads, size, config.integer("ssm_state_size"), config.integer("n_groups"))
        return Layer(part, NONE, d + heads * size)
    if letter == "*":
        biased = config.flag("attention_bias", default=False)
        return Layer(grouped(config, qkv_bias=biased, output_bias=biased), NONE, d)
    if config.flag("mlp_bias", default=False):
        raise ConfigError(f"{config.path}mlp_bias: biases of the feed-forward layers are not known here")
    if letter == "-":
        return Layer(NONE, dense(config.integer("intermediate_size"), gated=False), d)
    shared = config.count("n_shared_experts")
    part = experts(
        config.integer("n_routed_experts"), config.integer("num_experts_per_tok"), config.integer("moe_intermediate_size"),
        gated=False, router_bias=True, latent=config.maybe("moe_latent_size"),
        shared={"count": shared, "width": config.integer("moe_shared_expert_intermediate_size")} if shared else None,
    )  # fmt: skip
    return Layer(NONE, part, d)


def qwen3_next(config: Config) -> Draft:
    """Qwen3-Next and Qwen 3.5: three of four layers with the gated delta rule, the others with a gated attention."""
    text = config.part("text_config") or config
    inherit(text, config, "tie_word_embeddings", "vocab_size")
    d, layers = width(text), layer_count(text)
    biased = text.flag("attention_bias", default=False)
    attention = grouped(text, qkv_bias=biased, output_bias=biased, head=256)
    if text.flag("attn_output_gate", default=True):
        attention["output_gate"] = True
    delta: Part = {
        "kind": "gated-delta", "key_heads": text.integer("linear_num_key_heads"), "key_dim": text.integer("linear_key_head_dim"),
        "value_heads": text.integer("linear_num_value_heads"), "value_dim": text.integer("linear_value_head_dim"),
        "conv": text.integer("linear_conv_kernel_dim"),
    }  # fmt: skip
    rows = []
    forwards = _qwen_forwards(text, layers)
    for attends, forward in zip(_attending(text, layers), forwards, strict=True):
        if attends:
            rows.append(Layer(attention, forward, 2 * d + 2 * attention["head_dim"]))
        else:
            rows.append(Layer(delta, forward, 2 * d + delta["value_dim"]))
    extras = vision.extras(config, vision.qwen3) if text is not config else []
    # The layer that predicts is the last with attention once more.
    copies = text.flag("mtp_use_dedicated_embeddings", default=False)
    last = [row for row in rows if row.attention is attention][-1:]
    key = "mtp_num_hidden_layers" if text.has("mtp_num_hidden_layers") else "num_nextn_predict_layers"
    extras += predicting(text, rows, last, copies=copies, key=key)
    return finish(text, rows, d, tied=False, extras=extras)


def _qwen_forwards(config: Config, layers: int) -> list[Part]:
    if not config.has("num_experts"):
        return [dense(config.integer("intermediate_size"))] * layers
    where = sparse(config, layers)
    forward = qwen_experts(config, config.has("shared_expert_intermediate_size"))
    if all(where):
        config.used.add("intermediate_size")
        return [forward] * layers
    plain = dense(config.integer("intermediate_size"))
    return [forward if here else plain for here in where]


def _attending(config: Config, layers: int) -> list[bool]:
    """Which layers have attention: by `layer_types`, else every n-th."""
    stated, every = config.items("layer_types", length=layers), config.maybe("full_attention_interval")
    if stated is None:
        return [(index + 1) % (every or 4) == 0 for index in range(layers)]
    for index, word in enumerate(stated):
        if word not in ("full_attention", "linear_attention"):
            raise ConfigError(
                f"{config.path}layer_types.{index}: {word!r} is neither full_attention nor linear_attention"
            )
    return [word == "full_attention" for word in stated]


def minimax(config: Config) -> Draft:
    """MiniMax-Text-01: seven of eight layers with lightning attention, experts in all."""
    d, layers = width(config), layer_count(config)
    attention = grouped(config)
    heads, size = attention["query_heads"], attention["head_dim"]
    lightning: Part = {"kind": "linear", "heads": heads, "head_dim": size, "output_gate": True}
    shared = (
        config.items("shared_intermediate_size")
        if isinstance(config.data.get("shared_intermediate_size"), list)
        else None
    )
    if any(shared or []) or (shared is None and config.count("shared_intermediate_size")):
        raise ConfigError(f"{config.path}shared_intermediate_size: a shared expert of this family is not known here")
    forward = experts(
        config.integer("num_local_experts"), config.integer("num_experts_per_tok"), config.integer("intermediate_size")
    )
    if config.has("attn_type_list"):
        kinds = [kind == 1 for kind in config.items("attn_type_list", length=layers) or []]
    else:
        kinds = _attending(config, layers)
    config.used |= {"postnorm", "sliding_window", "shared_moe_mode", "block_size"}
    rows = [
        Layer(attention, forward, 2 * d) if full else Layer(lightning, forward, 2 * d + heads * size) for full in kinds
    ]
    return finish(config, rows, d, tied=False)
