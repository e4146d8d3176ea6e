"""Model records from released config files."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.cli import main
from ridgeline.importing.config import Config, ConfigError, read
from ridgeline.importing.count import parameters
from ridgeline.importing.draft import Draft
from ridgeline.importing.irrelevant import IRRELEVANT
from ridgeline.importing.record import text
from ridgeline.importing.registry import FAMILIES, draft
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.records.validate import BLANK
from tests.data.small import errors, knowledge

CONFIGS = Path(__file__).parent.parent / "data" / "configs"
#: Config → parameters of the text model, and of the extras; the published checkpoint's, or those less named parts of it.
COUNTED: dict[str, tuple[int, int]] = {
    "llama-3.1-8b": (8030261248, 0),
    "mistral-7b": (7241732096, 0),
    "mixtral-8x7b": (46702792704, 0),
    "qwen2.5-7b": (7615616512, 0),
    "qwen3-0.6b": (596049920, 0),
    "qwen3-30b-a3b": (30532122624, 0),
    "qwen3-coder-480b": (480154875392, 0),
    "qwen3-next-80b-a3b": (79674391296, 0),  # the checkpoint's layer that predicts is not in the config
    "qwen3.5-27b": (26895998464, 0),
    "gemma-2b": (2506172416, 0),
    "gemma-2-27b": (27227128320, 0),
    "gemma-3-1b": (999885952, 0),
    "gemma-3-4b": (4300079472 - 419816304, 419816304),
    "gemma-3-27b": (27009346304, 423060336),
    "gemma-4-26b-a4b": (25233141760, 0),
    "phi-3-medium": (13960238080, 0),
    "phi-2": (2779683840, 0),
    "phi-3.5-moe": (41873153344, 0),
    "gpt-2": (124439808, 0),
    "opt-13b": (12853473280, 0),
    "falcon-7b": (7217189760 - 65024 * 4544, 0),
    "deepseek-v2-lite": (15706484224, 0),
    "deepseek-v2": (235741434880, 0),
    "deepseek-v3": (671026419200, 13463426304),
    "deepseek-v3.2": (671877944064, 13477385728),
    "kimi-k2": (1026408232448, 0),
    "glm-4.5-air": (106852251264, 2375059584 + 2 * 151552 * 4096),
    "glm-5": (743911218432, 11856086016),
    "gpt-oss-20b": (20914757184, 0),
    "minimax-m2": (228689764864, 0),
    "minimax-text-01": (456089655296, 0),
    "llama-4-scout": (107769861120, 0),
    "mamba-2.8b": (2768345600, 0),
    "mamba-codestral-7b": (7285403648, 0),
    "jamba-v0.1": (51570323328, 0),
    "nemotron-3-nano": (31577940288, 0),
    "nemotron-h-56b": (56324350464, 0),
}
GROUPED = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 100, "tie_word_embeddings": False,
}  # fmt: skip


def config_of(name: str) -> Config:
    return read((CONFIGS / f"{name}.json").read_bytes())


def of(**keys: Any) -> Config:
    """A small Llama with some keys changed; ``None`` leaves one out."""
    stated = {**GROUPED, **keys}
    return read(json.dumps({k: v for k, v in stated.items() if v is not None}).encode())


def record(name: str, model: Draft | None = None) -> str:
    """The record of a config with its blanks filled in."""
    written = text(model or draft(config_of(name)), "subject", source="sheet", total=1)
    for blank, value in ((f"checked: {BLANK}", "checked: 2026-11-30"), (f"source: {BLANK}", "source: sheet")):
        written = written.replace(blank, value)
    return (
        written.replace(f"in_checkpoint: {BLANK}", "in_checkpoint: true")
        .replace(f"parameters: {BLANK}", "parameters: '1'")
        .replace(BLANK, "x")
    )


def value(name: str, expression: str) -> Fraction:
    base = knowledge({"models/subject": record(name)})
    assert not errors(base), [f"{f.field}: {f.message}" for f in errors(base)]
    return Resolver(base).evaluate(expression, Scope((("model", "models/subject"),))).quantity.middle


def test_every_config_has_its_number() -> None:
    assert {path.stem for path in CONFIGS.glob("*.json")} == set(COUNTED)


@pytest.mark.parametrize("name", COUNTED)
def test_parameters_to_the_unit(name: str) -> None:
    assert parameters(draft(config_of(name))) == COUNTED[name]


@pytest.mark.parametrize("name", COUNTED)
def test_nothing_that_a_released_config_states_is_left_over(name: str) -> None:
    config = config_of(name)
    draft(config)
    assert [remark.path for remark in config.unmapped()] == []


@pytest.mark.parametrize("name", COUNTED)
def test_the_record_is_valid_once_its_blanks_are_filled_in(name: str) -> None:
    base = knowledge({"models/subject": record(name)})
    assert [f"{f.field}: {f.message}" for f in errors(base)] == []


@pytest.mark.parametrize(
    ("name", "expression", "expected"),
    [
        ("kimi-k2", "parameters.active_with_embeddings", 32861500928),
        ("gpt-oss-20b", "parameters.active_without_input_embedding", 3608307264),
        ("glm-4.5-air", "parameters.active_without_embeddings", 12182615680),
        ("qwen3-coder-480b", "parameters.active_with_embeddings", 35474765312),
        ("nemotron-3-nano", "kv_bytes_per_token", 6144),
        ("nemotron-3-nano", "state_bytes", 49082368),
        ("mamba-2.8b", "kv_bytes_per_token", 0),
        ("deepseek-v2-lite", "kv_bytes_per_token", 31104),
        ("qwen3.5-27b", "kv_bytes_per_token", 65536),
        ("llama-4-scout", "kv_bytes_at_context", 516604035072),
        ("gemma-3-4b", "num(kv_bytes(L=131072), byte)", 2560 * 2**20 + 29 * 1024 * 4096),
        ("gemma-2-27b", "kv_bytes_per_token / kv_bytes_per_token_beyond_window", 2),
        ("gpt-oss-20b", "kv_bytes_per_token / kv_bytes_per_token_beyond_window", 2),
        ("mistral-7b", "kv_bytes_per_token_beyond_window", 0),
        ("gpt-2", "parameters.position_embedding", 1024 * 768),
        ("opt-13b", "parameters.position_embedding", 2050 * 5120),
    ],
)
def test_what_follows_from_a_config(name: str, expression: str, expected: int) -> None:
    assert value(name, expression) == expected


def test_a_head_width_that_is_stated_is_taken_and_one_that_does_not_divide_is_not_made_up() -> None:
    assert draft(of(head_dim=100)).layers[0].attention["head_dim"] == 100
    assert draft(of()).layers[0].attention["head_dim"] == 16
    with pytest.raises(
        ConfigError, match=r"head_dim is missing, and hidden_size 66 is no multiple of the 4 query heads"
    ):
        draft(of(hidden_size=66))


def test_biases_that_the_config_switches_on() -> None:
    layer = draft(of(attention_bias=True, mlp_bias=True)).layers[0]
    assert layer.attention["bias"] == (4 + 2 * 2) * 16 + 64 and layer.feed_forward["bias"] == 2 * 128 + 64


def test_keys_that_nobody_reads_are_reported_with_their_path() -> None:
    config = of(novel_gate_rank=7, rope_theta=1e6, nothing=None, off=False)
    draft(config)
    assert [(r.path, r.message) for r in config.unmapped()] == [
        ("novel_gate_rank", "not mapped: 7"),
        ("off", "not mapped: false"),
    ]
    data = json.loads((CONFIGS / "gemma-3-4b.json").read_text())
    data["text_config"]["novel"] = [1]
    data["vision_config"]["strange"] = "x"
    config = read(json.dumps(data).encode())
    draft(config)
    assert [r.path for r in config.unmapped()] == ["text_config.novel", "vision_config.strange"]


def test_a_default_that_is_taken_is_said() -> None:
    config = of(num_key_value_heads=None, tie_word_embeddings=None)
    assert draft(config).layers[0].attention["kv_heads"] == 4
    assert {r.path for r in config.remarks if r.mapped} == {"num_key_value_heads", "tie_word_embeddings"}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"model_type": None}, "model_type is missing"),
        ({"model_type": "lama"}, "'lama' is not known here; did you mean llama"),
        ({"model_type": 3}, "known are llama"),
        ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
        ({"num_hidden_layers": "2"}, "no positive integer"),
        ({"num_hidden_layers": True}, "no positive integer"),
        ({"num_hidden_layers": 10**9}, "beyond all bounds"),
        ({"hidden_size": -64}, "no positive integer"),
        ({"attention_bias": 1}, "neither true nor false"),
    ],
)
def test_a_config_that_cannot_be_mapped_says_why(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        draft(of(**keys))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"[1]", "no mapping"),
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b'{"a": 1, "a": 2}', "a stands twice"),
        (b"[" * 200_000, "too deep|no JSON"),
        (b" " * 5_000_000, "at most"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "no JSON"),
    ],
)
def test_a_file_that_is_no_config(source: bytes, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read(source)


def test_layers_alike_are_one_group_and_say_which_they_are() -> None:
    groups = draft(config_of("gemma-2-27b")).groups()
    assert [(which, len(indices)) for which, indices, _ in groups] == [
        ("every 2 layers from layer 0", 23), ("every 2 layers from layer 1", 23),
    ]  # fmt: skip
    groups = draft(config_of("deepseek-v3")).groups()
    assert [which for which, _, _ in groups] == ["layers 0 to 2", "layers 3 to 60"]


def test_layers_that_are_listed_win_over_the_pattern() -> None:
    kinds = ["full_attention", "sliding_attention"] * 23
    data = json.loads((CONFIGS / "gemma-2-27b.json").read_text()) | {"layer_types": kinds}
    layers = draft(read(json.dumps(data).encode())).layers
    assert ["window" in layer.attention for layer in layers] == [False, True] * 23
    for wrong, message in ((kinds[1:], "45 entries for 46 layers"), (["odd"] * 46, "'odd' is none of")):
        with pytest.raises(ConfigError, match=message):
            draft(read(json.dumps(data | {"layer_types": wrong}).encode()))


def test_no_key_that_a_family_reads_is_called_irrelevant_for_nothing() -> None:
    assert not {"hidden_size", "head_dim", "sliding_window", "attention_bias", "tie_word_embeddings"} & set(IRRELEVANT)
    assert len(FAMILIES) >= 30


class TestVerb:
    def test_it_writes_a_record_that_check_leads_on_from(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = tmp_path / "records" / "models" / "some-model.yaml"
        target.parent.mkdir(parents=True)
        config = str(CONFIGS / "qwen3-0.6b.json")
        assert main(["import", config, "--source", "a-source", "--total", "751632384", "--output", str(target)]) == 0
        said = capsys.readouterr()
        assert "counted: 596,049,920 parameters" in said.err and "+155,582,464" in said.err
        data = yaml.safe_load(target.read_text(encoding="utf-8"))
        assert data["id"] == "some-model" and data["geometry"]["source"] == "a-source"
        assert data["checkpoint"]["total"]["value"] == "751632384 param" and data["name"] == BLANK
        assert main(["check", "--root", str(tmp_path)]) == 1
        found = capsys.readouterr().out
        assert found.count("error[") == found.count("error[fill-in]") > 5
        assert main(["import", config, "--output", str(target)]) == 2
        assert "exists already" in capsys.readouterr().err

    def test_warnings_have_the_path_of_the_key(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "config.json"
        path.write_text(json.dumps({**GROUPED, "novel": 1}))
        assert main(["import", str(path), "--id", "small"]) == 0
        said = capsys.readouterr()
        assert f"{path}: warning: novel: not mapped: 1" in said.err and "1 key was not mapped" in said.err
        assert said.out.startswith("# yaml-language-server") and "id: small" in said.out

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["no-such-file.json"], "no-such-file.json"),
            ([str(CONFIGS / "gpt-2.json"), "--id", "No Id"], "is no id"),
            ([str(CONFIGS / "gpt-2.json"), "--total", "0"], "at least one parameter"),
        ],
    )
    def test_wrong_use(self, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["import", *arguments]) == 2
        assert message in capsys.readouterr().err
