"""Families of latent attention: DeepSeek V2 and V3, Kimi K2, GLM-5."""

from __future__ import annotations

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.importing.families import vision
from ridgeline.importing.families.common import dense, experts, finish, inherit, layer_count, predicting, width


def latent(config: Config) -> tuple[Part, int]:
    """Latent attention, and the parameters of the norms inside it."""
    rank, query = config.integer("kv_lora_rank"), config.maybe("q_lora_rank")
    part: Part = {"kind": "mla", "query_heads": config.integer("num_attention_heads")}
    if query is not None:
        part["q_rank"] = query
    part |= {
        "kv_rank": rank, "nope_dim": config.integer("qk_nope_head_dim"), "rope_dim": config.integer("qk_rope_head_dim"),
        "value_dim": config.integer("v_head_dim"),
    }  # fmt: skip
    # Every head has its keys and values from the latent: what these say is not used by the code.
    config.used |= {"num_key_value_heads", "head_dim", "qk_head_dim"}
    if config.flag("attention_bias", default=False):
        raise ConfigError(f"{config.path}attention_bias: biases of a latent attention are not known here")
    norms = rank + (query or 0)
    if config.has("index_n_heads"):
        size = config.integer("index_head_dim")
        part["indexer"] = {"heads": config.integer("index_n_heads"), "dim": size}
        if (selected := config.maybe("index_topk")) is not None:
            part["indexer"]["selected"] = selected
        norms += 2 * size  # a norm of the indexer's key, with a bias
    return part, norms


def deepseek(config: Config) -> Draft:
    """DeepSeek V2, V3 and what is shaped like them."""
    text = config.part("text_config") or config
    inherit(text, config, "tie_word_embeddings", "vocab_size")
    d, layers = width(text), layer_count(text)
    attention, inner = latent(text)
    plain = dense(text.integer("intermediate_size"))
    rows = [Layer(attention, plain, 2 * d + inner)] * layers
    if text.has("n_routed_experts"):
        text.used |= {"num_experts", "mlp_bias"}
        size, shared = text.integer("moe_intermediate_size"), text.count("n_shared_experts")
        # The corrected method adds one number for each expert; V3's code knows no other.
        corrected = text.text("topk_method") == "noaux_tc" if text.has("topk_method") else _third(text)
        forward = experts(
            text.integer("n_routed_experts"), text.integer("num_experts_per_tok"), size, router_bias=corrected,
            shared={"count": shared, "width": size} if shared else None,
        )  # fmt: skip
        first, step = text.count("first_k_dense_replace"), text.maybe("moe_layer_freq") or 1
        kinds = [rows[0], Layer(attention, forward, 2 * d + inner)]
        rows = [kinds[index >= first and index % step == 0] for index in range(layers)]
        stated = text.items("mlp_layer_types", length=layers)
        if stated is not None:
            if set(stated) - {"dense", "sparse"}:
                raise ConfigError(f"{text.path}mlp_layer_types: layers are dense or sparse")
            rows = [kinds[word == "sparse"] for word in stated]
    last, rows = rows[-1:], _shared_indexers(text, rows)
    words = text.items("layer_types", length=layers)
    if words is not None and set(words) - {"deepseek_sparse_attention", "indexed_attention", "full_attention"}:
        raise ConfigError(f"{text.path}layer_types: layers with another attention than a latent one are not known here")
    # A layer that predicts has an indexer of its own, whatever the layers before it have.
    extras = predicting(text, rows, last, copies=text.data.get("model_type") != "glm_moe_dsa")
    if text is not config:
        extras += vision.extras(config, vision.moonvit)
    return finish(text, rows, d, tied=False, extras=extras)


def _shared_indexers(config: Config, rows: list[Layer]) -> list[Layer]:
    """Layers that use the selection of the layer before have no indexer of their own."""
    stated = config.items("indexer_types", length=len(rows))
    config.used |= {"index_topk_freq", "index_skip_topk_offset", "index_share_for_mtp_iteration"}
    if stated is None:
        return rows
    if set(stated) - {"full", "shared"}:
        raise ConfigError(f"{config.path}indexer_types: an indexer is full or shared")
    found = []
    for layer, word in zip(rows, stated, strict=True):
        if word == "full":
            found.append(layer)
            continue
        inside = 2 * layer.attention["indexer"]["dim"] if "indexer" in layer.attention else 0
        part = {key: value for key, value in layer.attention.items() if key != "indexer"}
        found.append(Layer(part, layer.feed_forward, layer.norms - inside))
    return found


def _third(config: Config) -> bool:
    return config.data.get("model_type") not in ("deepseek_v2",)
