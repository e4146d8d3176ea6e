"""Which family maps which `model_type`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from ridgeline.importing.config import Config, ConfigError
from ridgeline.importing.draft import Draft
from ridgeline.importing.families import dense, experts, latent, older, states

#: `model_type` of a config → mapper of its family.
FAMILIES: dict[str, Callable[[Config], Draft]] = {
    "llama": dense.llama,
    "mistral": dense.mistral,
    "mixtral": experts.mixtral,
    "qwen2": dense.qwen2,
    "qwen3": dense.qwen3,
    "qwen2_moe": experts.qwen2_moe,
    "qwen3_moe": experts.qwen3_moe,
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
    "deepseek_v2": latent.deepseek,
    "deepseek_v3": latent.deepseek,
    "deepseek_v32": latent.deepseek,
    "kimi_k2": latent.deepseek,
    "kimi_k25": latent.deepseek,
    "glm_moe_dsa": latent.deepseek,
    "glm4_moe": experts.glm4_moe,
    "gpt_oss": experts.gpt_oss,
    "minimax": states.minimax,
    "minimax_text_01": states.minimax,
    "minimax_m2": experts.minimax_m2,
    "llama4": experts.llama4,
    "llama4_text": experts.llama4,
    "mamba": states.mamba,
    "mamba2": states.mamba2,
    "jamba": states.jamba,
    "nemotron_h": states.nemotron_h,
}


def draft(config: Config) -> Draft:
    """The model that a config describes."""
    kind = config.data.get("model_type")
    if kind is None:
        raise ConfigError(f"model_type is missing: it says which family this is of; known are {', '.join(FAMILIES)}")
    mapper = FAMILIES.get(kind) if isinstance(kind, str) else None
    if mapper is None:
        near = get_close_matches(str(kind)[:60], FAMILIES, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ConfigError(f"model_type: {str(kind)[:60]!r} is not known here; {hint}known are {', '.join(FAMILIES)}")
    return mapper(config)
