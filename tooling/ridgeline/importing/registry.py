"""Which family maps which `model_type`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft
from ridgeline.importing.families import dense, experts, kimi, latent, mimo, older, parallel, states, vision
from ridgeline.importing.families.multimodal import outer

#: `model_type` of a config → mapper of its family.
FAMILIES: dict[str, Callable[[Config], Draft]] = {
    "llama": dense.llama,
    "mistral": dense.mistral,
    "ministral": dense.mistral,
    "mistral3": outer({"mistral": dense.mistral, "ministral3": dense.mistral}, vision.pixtral),
    "ministral3": outer({"ministral3": dense.mistral, "": dense.mistral}, vision.pixtral),
    "mixtral": experts.mixtral,
    "seed_oss": dense.seed_oss,
    "smollm3": dense.smollm3,
    "cohere": parallel.cohere,
    "cohere2": parallel.cohere2,
    "olmo2": dense.olmo2,
    "olmoe": experts.olmoe,
    "qwen2": dense.qwen2,
    "qwen3": dense.qwen3,
    "qwen2_moe": experts.qwen2_moe,
    "qwen3_moe": experts.qwen3_moe,
    "qwen2_vl": outer({"qwen2_vl_text": dense.qwen2, "": dense.qwen2}, vision.qwen2),
    "qwen2_5_vl": outer({"qwen2_5_vl_text": dense.qwen2, "": dense.qwen2}, vision.qwen2_5),
    "qwen3_vl": outer({"qwen3_vl_text": dense.qwen3}, vision.qwen3),
    "qwen3_vl_moe": outer({"qwen3_vl_moe_text": experts.qwen3_moe}, vision.qwen3),
    "qwen3_next": states.qwen3_next,
    "qwen3_5": states.qwen3_next,
    "qwen3_5_moe": states.qwen3_next,
    "gemma": dense.gemma,
    "gemma2": dense.gemma2,
    "gemma3": dense.gemma3,
    "gemma3_text": dense.gemma3,
    "gemma4": dense.gemma4,
    "gemma4_text": dense.gemma4,
    "phi": older.phi,
    "phi3": dense.phi3,
    "phimoe": experts.phimoe,
    "gpt2": older.gpt2,
    "opt": older.opt,
    "falcon": older.falcon,
    "RefinedWeb": older.falcon,
    "RefinedWebModel": older.falcon,
    "deepseek": experts.deepseek_moe,
    "deepseek_v2": latent.deepseek,
    "deepseek_v3": latent.deepseek,
    "deepseek_v32": latent.deepseek,
    "kimi_k2": latent.deepseek,
    "kimi_k25": latent.deepseek,
    "kimi_vl": outer({"deepseek_v3": latent.deepseek}, vision.uncounted),
    "kimi_linear": kimi.kimi_linear,
    "glm": dense.glm,
    "glm4": dense.glm4,
    "glm4_moe_lite": latent.deepseek,
    "glm_moe_dsa": latent.deepseek,
    "glm4_moe": experts.glm4_moe,
    "glm4v": outer({"glm4v_text": dense.glm4}, vision.uncounted),
    "glm4v_moe": outer({"glm4v_moe_text": experts.glm4_moe}, vision.uncounted),
    "gpt_oss": experts.gpt_oss,
    "minimax": states.minimax,
    "minimax_text_01": states.minimax,
    "minimax_m1": states.minimax,
    "minimax_m2": experts.minimax_m2,
    "mimo": mimo.mimo,
    "mimo_v2_flash": mimo.mimo_v2_flash,
    "llama4": experts.llama4,
    "llama4_text": experts.llama4,
    "mamba": states.mamba,
    "mamba2": states.mamba2,
    "jamba": states.jamba,
    "nemotron_h": states.nemotron_h,
}

#: `model_type` of a config → why no record can hold such a model yet.
REFUSED: dict[str, str] = {
    "gemma3n": "an embedding table for each layer, four streams of activations (AltUp), low-rank branches (LAuReL), "
    "and keys and values that layers share cannot be written as a record yet",
    "mllama": "layers of cross attention, whose keys and values are image features, cannot be written as a record yet",
    "deepseek_v4": "several residual streams, and caches that are compressed over tokens, cannot be written as a record yet",
    "minimax_m3": "an attention that selects blocks of tokens by an index of its own cannot be written as a record yet",
    "kimi_k3": "attention over the outputs of earlier blocks of layers, output gates of full rank, and routed experts of "
    "another width cannot be written as a record yet",
    "nemotron-nas": "layers that each have a shape of their own, or none, are not known here",
}
for _kind, _same in (("gemma3n_text", "gemma3n"), ("minimax_m3_vl", "minimax_m3"), ("deepseek_ref", "deepseek_v4")):
    REFUSED[_kind] = REFUSED[_same]


def draft(config: Config) -> Draft:
    """The model that a config describes."""
    kind = config.data.get("model_type")
    if kind is None:
        raise ConfigError(f"model_type is missing: it says which family this is of; known are {', '.join(FAMILIES)}")
    if isinstance(kind, str) and kind in REFUSED:
        raise ConfigError(f"model_type: {kind} is refused by name: {REFUSED[kind]}")
    mapper = FAMILIES.get(kind) if isinstance(kind, str) else None
    if mapper is None:
        near = get_close_matches(str(kind)[:60], FAMILIES, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ConfigError(f"model_type: {str(kind)[:60]!r} is not known here; {hint}known are {', '.join(FAMILIES)}")
    return mapper(config)
