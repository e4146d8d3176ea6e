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
from ridgeline.importing.registry import FAMILIES, REFUSED, draft
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
    "qwen3.5-27b": (26895998464, 885429488),
    "qwen3.5-122b-a10b": (122111526912, 2974970096),
    "qwen3-vl-2b": (1720574976, 406957056),
    "qwen3-vl-30b-a3b": (30532122624, 538631408),
    "qwen2-vl-7b": (7615616512, 675759104),
    "qwen2.5-vl-7b": (7615616512, 676550144),
    "deepseek-moe-16b": (16375728128, 0),
    "qwen1.5-moe-a2.7b": (14315784192, 0),
    "qwen2-57b-a14b": (57408658944, 0),
    "mistral-7b-mlc": (7241732096, 0),
    "mistral-small-3.1-24b": (23572403200, 438958080),
    "ministral-3-3b": (3429006336, 420083712),
    "seed-oss-36b": (36151104512, 0),
    "smollm3-3b": (3075098624, 0),
    "command-r": (34980831232, 0),
    "command-r-plus": (103810674688, 0),
    "command-r7b": (8028033024, 0),
    "aya-23-8b": (8028033024, 0),
    "olmo2-7b": (7298617344, 0),
    "olmoe-1b-7b": (6919161856, 0),
    "mimo-7b": (7622619136, 210790400),
    "mimo-v2-flash": (308778780864, 0),
    "kimi-k2.5": (1026408232448, 471143920),
    "kimi-linear-48b-a3b": (49122681728, 0),
    "glm-4-9b-0414": (9400279040, 0),
    "glm-4.7-flash": (29943393920, 1278094656),
    "glm-5.2": (743377019904, 9952920576),
    "phi-3.5-mini": (3821079552, 0),
    "falcon-40b": (41835970560 - 65024 * 8192, 0),
    "nemotron-3-super": (120668707840, 2942325248),
    "gemma-2b": (2506172416, 0),
    "gemma-2-27b": (27227128320, 0),
    "gemma-3-1b": (999885952, 0),
    "gemma-3-4b": (4300079472 - 419816304, 419816304),
    "gemma-3-27b": (27009346304, 423060336),
    "gemma-4-26b-a4b": (25233141760, 572794416),
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
    "glm-5": (743911218432, 9952920576),
    "gpt-oss-20b": (20914757184, 0),
    "minimax-m2": (228689764864, 0),
    "minimax-text-01": (456089655296, 0),
    "llama-4-scout": (107769861120, 871932416),
    "mamba-2.8b": (2768345600, 0),
    "mamba-codestral-7b": (7285403648, 0),
    "jamba-v0.1": (51570323328, 0),
    "nemotron-3-nano": (31577940288, 0),
    "nemotron-h-56b": (56324350464, 0),
}
#: Config → total of the published checkpoint, and what in it is neither the text model nor an extra, each part named.
PUBLISHED: dict[str, tuple[int, dict[str, int]]] = {
    "qwen3.5-27b": (27781427952, {}),
    "qwen3.5-122b-a10b": (125086497008, {}),
    "qwen3-vl-2b": (2127532032, {}),
    "qwen3-vl-30b-a3b": (31070754032, {}),
    "qwen2-vl-7b": (8291375616, {}),
    "qwen2.5-vl-7b": (8292166656, {}),
    "deepseek-moe-16b": (16375728128, {}),
    "qwen1.5-moe-a2.7b": (14315784192, {}),
    "qwen2-57b-a14b": (57408658944, {}),
    "mistral-small-3.1-24b": (24011361280, {}),
    "seed-oss-36b": (36151104512, {}),
    "smollm3-3b": (3075098624, {}),
    "command-r": (34980831232, {}),
    "command-r-plus": (103810674688, {}),
    "command-r7b": (8028033024, {}),
    "aya-23-8b": (8028033024, {}),
    "olmo2-7b": (7298617344, {}),
    "olmoe-1b-7b": (6919161856, {}),
    "mimo-7b": (7833409536, {}),
    "kimi-k2.5": (1026879376368, {}),
    "kimi-linear-48b-a3b": (49122681728, {}),
    "glm-4-9b-0414": (9400279040, {}),
    "glm-4.7-flash": (31221488576, {}),
    "glm-5": (753864139008, {}),
    "glm-5.2": (753329940480, {}),
    "llama-4-scout": (108641793536, {}),
    "gemma-3-27b": (27432406640, {}),
    "gemma-4-26b-a4b": (25805936206, {"a scalar for each layer": 30}),
    "falcon-40b": (41835970560, {"the output head, stored beside the embedding table that it is": 65024 * 8192}),
    "nemotron-3-super": (123611012096, {"corrections of the routers, which the checkpoint leaves out": -41 * 512}),
    "mimo-v2-flash": (309785318400, {
        "layers that predict further tokens": 3 * (4096 * 64 * 192 + 4096 * 8 * 320 + 64 * 128 * 4096 + 64
                                                   + 3 * 4096 * 16384 + 2 * 4096 + 2 * 4096**2 + 3 * 4096),
        "scales of blocks in FP8": 47 * 256 * 3 * 512 + 9 * 3392 + 39 * 3712 + 3 * 4096 + 3 * (3712 + 3 * 4096),
        "padding of scales": 9 * 2 * 32,
    }),
}  # fmt: skip
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


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_total_to_the_unit(name: str) -> None:
    total, parts = PUBLISHED[name]
    assert sum(COUNTED[name]) + sum(parts.values()) == total


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
        # Bytes at two an element: caches of the layers that attend, whole.
        ("kimi-linear-48b-a3b", "kv_bytes_per_token", 7 * 576 * 2),
        ("kimi-linear-48b-a3b", "state_bytes", 20 * (32 * 128 * 128 * 4 + 3 * 4096 * 3 * 2)),
        ("kimi-linear-48b-a3b", "parameters.active_without_embeddings", 2729485184),
        ("mimo-v2-flash", "kv_bytes_per_token", 2 * (9 * 4 + 39 * 8) * 320),
        ("mimo-v2-flash", "kv_bytes_per_token_beyond_window", 2 * 9 * 4 * 320),
        ("mimo-v2-flash", "total(attention_sinks)", 39 * 64),
        ("command-r", "kv_bytes_per_token", 40 * 2 * 64 * 128 * 2),
        ("command-r7b", "kv_bytes_per_token_beyond_window", 8 * 2 * 8 * 128 * 2),
        ("mistral-7b-mlc", "num(kv_bytes(L=32768), byte)", 4096 * 131072),
        ("qwen1.5-moe-a2.7b", "parameters.active_with_embeddings", 2689173504),
        ("falcon-40b", "g", 16),
        ("qwen3-vl-2b", "parameters.extra.deepstack_mergers", 3 * (2 * 4096 + 4096**2 + 4096 + 4096 * 2048 + 2048)),
        ("nemotron-3-super", "parameters.extra.mtp", 2942325248),
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


@pytest.mark.parametrize("kind", REFUSED)
def test_a_family_that_no_record_can_hold_is_refused_by_name_and_says_why(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"{kind} is refused by name: .*(yet|not known here)"):
        draft(of(model_type=kind))
    assert kind not in FAMILIES


def changed(name: str, **keys: Any) -> Config:
    """A released config with some keys changed; ``text__head_dim`` is one of its text model; ``None`` leaves one out."""
    data = json.loads((CONFIGS / f"{name}.json").read_text())
    for key, value in keys.items():
        inside, _, inner = key.partition("__")
        target = data[f"{inside}_config"] if inner else data
        target[inner or key] = value
    return read(json.dumps(data).encode())


def test_an_image_encoder_that_says_too_little_is_left_to_a_person() -> None:
    config = changed("qwen3-vl-2b", vision__depth=None)
    model = draft(config)
    assert [(extra.name, extra.parameters) for extra in model.extras] == [("vision_part", None)]
    assert any("vision_config.depth is missing" in remark.message for remark in config.remarks)
    assert parameters(model) == (1720574976, 0) and list(config.unmapped()) == []
    assert "in_checkpoint: FILL-IN" in text(model, "subject")
    assert draft(changed("mistral-small-3.1-24b", vision_config=None)).extras == []


def test_an_image_encoder_that_is_not_read_is_a_named_blank() -> None:
    text_model = json.loads((CONFIGS / "glm-4-9b-0414.json").read_text()) | {"model_type": "glm4v_text"}
    whole = {
        "model_type": "glm4v",
        "text_config": text_model,
        "vision_config": {"depth": 24},
        "tie_word_embeddings": False,
    }
    config = read(json.dumps(whole).encode())
    assert draft_extras(config) == [("vision_part", None)] and list(config.unmapped()) == []
    assert parameters(draft(read(json.dumps(whole).encode()))) == (9400279040, 0)


def test_an_image_encoder_of_another_shape_changes_the_count() -> None:
    fewer = dict(draft_extras(changed("mistral-small-3.1-24b", vision__num_hidden_layers=12)))
    whole = dict(draft_extras(config_of("mistral-small-3.1-24b")))
    assert fewer["vision_tower"] != whole["vision_tower"] and fewer["projector"] == whole["projector"]
    biased = parameters(draft(changed("mistral-small-3.1-24b", multimodal_projector_bias=True)))
    assert biased == (23572403200, 438958080 + 2 * 5120)
    untapped = parameters(draft(changed("qwen3-vl-2b", vision__deepstack_visual_indexes=[])))
    assert untapped[1] == 406957056 - 3 * (2 * 4096 + 4096**2 + 4096 + 4096 * 2048 + 2048)


def draft_extras(config: Config) -> list[tuple[str, str | None]]:
    return [(extra.name, extra.parameters) for extra in draft(config).extras]


def test_two_spellings_of_the_window_must_agree() -> None:
    config = changed("mimo-v2-flash", sliding_window_size=64)
    assert draft(config).layers[1].attention["window"] == 128
    assert [r.path for r in config.remarks if not r.mapped] == ["sliding_window_size"]
    one = draft(changed("mistral-7b-mlc", sliding_window_size=2048))
    assert {layer.attention["window"] for layer in one.layers} == {2048}


def test_windows_where_they_are_switched_on() -> None:
    def capped(config: Config) -> list[bool]:
        return ["window" in layer.attention for layer in draft(config).layers]

    assert not any(capped(config_of("smollm3-3b")))
    assert (
        capped(changed("smollm3-3b", use_sliding_window=True, sliding_window=4096)) == [False, False, False, True] * 9
    )
    named = ["sliding_attention", "full_attention"] * 18
    listed = changed("smollm3-3b", use_sliding_window=True, sliding_window=4096, layer_types=named)
    assert capped(listed) == [True, False] * 18
    assert capped(config_of("command-r7b")) == [True, True, True, False] * 8
    assert capped(changed("mistral-7b", layer_types=["full_attention", "sliding_attention"] * 16)) == [False, True] * 16
    assert capped(changed("qwen1.5-moe-a2.7b", use_sliding_window=True)) == [False] * 21 + [True] * 3


def test_sinks_and_biases_are_those_that_the_config_switches_on() -> None:
    layers = draft(changed("mimo-v2-flash", add_full_attention_sink_bias=True, attention_bias=True)).layers
    assert {layer.attention["sinks"] for layer in layers} == {64}
    assert [layers[i].attention["bias"] for i in (0, 1)] == [64 * 192 + 4 * 320, 64 * 192 + 8 * 320]
    out = draft(changed("seed-oss-36b", attention_out_bias=True, mlp_bias=True)).layers[0]
    assert out.attention["bias"] == (80 + 16) * 128 + 5120 and out.feed_forward["bias"] == 2 * 27648 + 5120
    assert "bias" not in draft(changed("seed-oss-36b", attention_bias=False)).layers[0].attention


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("command-r7b", {"order_of_interleaved_layers": "global_attn_first"}, "windows that do not come first"),
        ("command-r7b", {"use_parallel_block": False}, "use_parallel_block: layers of this family without it"),
        ("mimo-v2-flash", {"hybrid_layer_pattern": None}, "which layers are which is not stated"),
        ("mimo-v2-flash", {"moe_layer_freq": [2] * 48}, "marked with 0 or 1"),
        ("mimo-v2-flash", {"sliding_window": None, "sliding_window_size": None}, "sliding_window is missing"),
        ("mimo-7b", {"attention_bias": False}, "this family has biases"),
        ("kimi-linear-48b-a3b", {"mla_use_output_gate": True}, "a gate behind the latent attention cannot be written"),
        ("kimi-linear-48b-a3b", {"linear_attn_config": None}, "linear_head_dim is missing"),
        ("kimi-linear-48b-a3b", {"linear_attn__use_full_rank_gate": True}, "output gate of full rank"),
        ("kimi-linear-48b-a3b", {"linear_attn__kda_layers": [1, 2]}, "do not name each of the 27 layers once"),
        ("mistral-small-3.1-24b", {"text__model_type": "mistral9"}, "'mistral9' is not known here; known are mistral"),
        ("glm-5.2", {"layer_types": ["full_attention", "novel"] * 39}, "another attention than a latent one"),
        ("phi-3.5-mini", {"mlp_bias": True}, "biases of the feed-forward layers"),
    ],
)
def test_a_shape_that_is_not_known_is_refused(name: str, keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        draft(changed(name, **keys))


def test_the_layer_that_predicts_is_shaped_like_the_layers_that_the_config_names() -> None:
    extras = dict(draft_extras(config_of("nemotron-3-super")))
    assert extras["mtp"] == "parameters.group_3 + parameters.group_2 + 2 * d_model^2 + 3 * d_model"
    novel = draft(changed("nemotron-3-super", mtp_hybrid_override_pattern="-"))
    assert [(extra.name, extra.parameters) for extra in novel.extras] == [("mtp", None)]
    assert draft_extras(config_of("qwen3.5-27b"))[-1] == ("mtp", "parameters.group_2 + 2 * d_model^2 + 3 * d_model")


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
