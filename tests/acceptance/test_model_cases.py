"""Published numbers of released models, asked of the records as anybody would: ``ridgeline get``."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.cli import main

REPOSITORY = Path(__file__).parents[2]
_FILE = Path(__file__).parents[1] / "data" / "model-arithmetic.yaml"
CASES: dict[str, dict[str, Any]] = {c["id"]: c for c in yaml.safe_load(_FILE.read_text(encoding="utf-8"))["cases"]}
TOTAL, BOTH = "parameters.total", "parameters.active_with_embeddings"
OUTPUT, NEITHER = "parameters.active_without_input_embedding", "parameters.active_without_embeddings"
KV, LINEAR = "kv_bytes_per_token", "linear_flops_per_token"
#: Case, expected number in it, record, field, and what is set.
ASKED: list[tuple[str, str, str, str, tuple[str, ...]]] = [
    ("params-llama2-70b", "total_parameters", "llama-2-70b", TOTAL, ()),
    ("params-llama31-8b", "total_parameters", "llama-3.1-8b", TOTAL, ()),
    ("params-llama31-405b", "total_parameters", "llama-3.1-405b", TOTAL, ()),
    ("params-phi3-medium", "total_parameters", "phi-3-medium", TOTAL, ()),
    ("params-qwen25-7b", "total_parameters", "qwen2.5-7b", TOTAL, ()),
    ("params-qwen3-0.6b", "total_parameters", "qwen3-0.6b", TOTAL, ()),
    ("params-qwen3-0.6b", "hub_minus_model", "qwen3-0.6b", "parameters.ledger_difference", ()),
    ("params-qwen3-32b", "total_parameters", "qwen3-32b", TOTAL, ()),
    ("params-gemma2-27b", "total_parameters", "gemma-2-27b", TOTAL, ()),
    ("params-gemma3-1b", "total_parameters", "gemma-3-1b", TOTAL, ()),
    ("params-gemma3-27b-text-vs-vision", "text_parameters", "gemma-3-27b", TOTAL, ()),
    ("params-gemma3-27b-text-vs-vision", "checkpoint_parameters", "gemma-3-27b", "checkpoint.total", ()),
    ("params-gemma3-27b-text-vs-vision", "vision_tower", "gemma-3-27b", "parameters.extra.vision_tower", ()),
    ("params-gemma3-27b-text-vs-vision", "vision_tower_plus_projector", "gemma-3-27b", "parameters.extras", ()),
    ("params-mixtral-8x7b", "total_parameters", "mixtral-8x7b", TOTAL, ()),
    ("params-mixtral-8x7b", "active_incl_both_embeddings", "mixtral-8x7b", BOTH, ()),
    ("params-qwen3-30b-a3b", "total_parameters", "qwen3-30b-a3b", TOTAL, ()),
    ("params-qwen3-30b-a3b", "active_incl_both_embeddings", "qwen3-30b-a3b", BOTH, ()),
    ("params-qwen3-30b-a3b", "active_excl_input_embedding", "qwen3-30b-a3b", OUTPUT, ()),
    ("params-qwen3-coder-480b", "total_parameters", "qwen3-coder-480b-a35b", TOTAL, ()),
    ("params-qwen3-coder-480b", "active_incl_both_embeddings", "qwen3-coder-480b-a35b", BOTH, ()),
    ("params-qwen3-coder-480b", "active_excl_input_embedding", "qwen3-coder-480b-a35b", OUTPUT, ()),
    ("params-deepseek-v2", "total_parameters", "deepseek-v2", TOTAL, ()),
    ("params-deepseek-v2", "active_incl_both_embeddings", "deepseek-v2", BOTH, ()),
    ("params-kimi-k2", "total_parameters", "kimi-k2", TOTAL, ()),
    ("params-kimi-k2", "active_incl_both_embeddings", "kimi-k2", BOTH, ()),
    ("params-kimi-k2", "active_excl_input_embedding", "kimi-k2", OUTPUT, ()),
    ("params-gpt-oss-20b", "total_parameters", "gpt-oss-20b", TOTAL, ()),
    ("params-gpt-oss-20b", "active_incl_both_embeddings", "gpt-oss-20b", BOTH, ()),
    ("params-gpt-oss-20b", "active_excl_input_embedding", "gpt-oss-20b", OUTPUT, ()),
    ("params-gpt-oss-20b", "expert_matrix_parameters", "gpt-oss-20b", "parameters.experts", ()),
    ("params-glm-4.5-air", "main_parameters", "glm-4.5-air", TOTAL, ()),
    ("params-glm-4.5-air", "active_incl_both_embeddings", "glm-4.5-air", BOTH, ()),
    ("params-glm-4.5-air", "active_excl_both_embeddings", "glm-4.5-air", NEITHER, ()),
    ("params-glm-4.5-air", "checkpoint_parameters", "glm-4.5-air", "checkpoint.total", ()),
    ("params-mamba-2.8b", "total_parameters", "mamba-2.8b", TOTAL, ()),
    ("params-mamba-2.8b", "kv_bytes_per_token", "mamba-2.8b", KV, ()),
    ("params-jamba-1.5-large", "total_parameters", "jamba-1.5-large", TOTAL, ()),
    ("params-jamba-1.5-large", "active_incl_both_embeddings", "jamba-1.5-large", BOTH, ()),
    ("kv-bytes-per-token-mla", "deepseek-v2", "deepseek-v2", KV, ()),
    ("kv-bytes-per-token-mla", "deepseek-v2-lite", "deepseek-v2-lite", KV, ()),
    ("kv-bytes-per-token-mla", "deepseek-v3", "deepseek-v3", KV, ()),
    ("kv-bytes-per-token-mla", "kimi-k2", "kimi-k2", KV, ()),
    ("kv-gemma4-31b-marginal-vs-first-window", "bytes_per_token_below_window", "gemma-4-31b", KV, ()),
    ("kv-gemma4-31b-marginal-vs-first-window", "bytes_per_token_marginal", "gemma-4-31b",
     "kv_bytes_per_token_beyond_window", ()),
    ("kv-llama4-scout-10m", "bytes", "llama-4-scout", "kv_bytes_at_context", ()),
    ("kv-qwen36-27b-hybrid", "bytes_per_token", "qwen3.5-27b", KV, ()),
    ("kv-nemotron-3-nano-state", "kv_bytes_per_token", "nemotron-3-nano", KV, ()),
    ("kv-nemotron-3-nano-state", "state_bytes_per_sequence", "nemotron-3-nano", "state_bytes", ()),
    ("kv-opt-13b-pagedattention", "bytes_per_token", "opt-13b", KV, ()),
    ("kv-opt-13b-pagedattention", "bytes_2048", "opt-13b", "kv_bytes", ("L=2048",)),
    ("kv-q8_0-block-format", "bytes", "qwen3-32b", "kv_bytes", ("L=32768", "cache_element=1.0625 byte")),
    ("flops-linear-per-token", "llama31-8b", "llama-3.1-8b", LINEAR, ()),
    ("flops-linear-per-token", "llama31-70b", "llama-3.1-70b", LINEAR, ()),
    ("flops-linear-per-token", "llama31-405b", "llama-3.1-405b", LINEAR, ()),
    ("flops-linear-per-token", "llama2-7b", "llama-2-7b", LINEAR, ()),
    ("flops-linear-per-token", "qwen3-8b", "qwen3-8b", LINEAR, ()),
    ("flops-linear-per-token", "qwen3-32b", "qwen3-32b", LINEAR, ()),
    ("flops-linear-per-token", "mistral-7b", "mistral-7b-v0.1", LINEAR, ()),
    ("flops-linear-per-token", "phi3-medium", "phi-3-medium", LINEAR, ()),
]  # fmt: skip


@pytest.mark.parametrize(("case", "key", "name", "field", "settings"), ASKED)
def test_get_gives_the_published_number(
    case: str, key: str, name: str, field: str, settings: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["get", f"models/{name}", field, "--format", "json", "--root", str(REPOSITORY)]
    for setting in settings:
        command += ["--with", setting]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert Fraction(found["value"]) == Fraction(str(CASES[case]["expect"][key]))
