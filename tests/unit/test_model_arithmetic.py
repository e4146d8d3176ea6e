"""Published numbers of real models and accelerators, from records built of their geometry.

What the model type cannot hold yet is listed with what it lacks: those cases fail for that reason and no other.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Knowledge
from ridgeline.knowledge.resolve import Resolver, Scope
from tests.data.small import errors, knowledge

_FILE = Path(__file__).parent.parent / "data" / "model-arithmetic.yaml"
CASES: dict[str, dict[str, Any]] = {c["id"]: c for c in yaml.safe_load(_FILE.read_text(encoding="utf-8"))["cases"]}
DENSE = [
    "params-llama2-70b", "params-llama31-8b", "params-llama31-405b", "params-phi3-medium", "params-qwen25-7b",
    "params-qwen3-0.6b", "params-qwen3-32b", "params-gemma2-27b", "params-gemma3-1b",
    "params-gemma3-27b-text-vs-vision",
]  # fmt: skip
LINEAR = CASES["flops-linear-per-token"]["inputs"]
RIDGES = CASES["ridge-points"]["inputs"]
BUSES = CASES["hw-bandwidth-from-bus"]["inputs"]

#: Cases of whole models with experts or states, each with the layers that its inputs describe.
EXPERTS = (
    "params-mixtral-8x7b", "params-qwen3-30b-a3b", "params-qwen3-coder-480b", "params-deepseek-v2", "params-kimi-k2",
    "params-gpt-oss-20b", "params-glm-4.5-air", "params-mamba-2.8b", "params-jamba-1.5-large",
)  # fmt: skip
#: Cases of single numbers of latent attention, states and hybrids.
LAYERED = {
    "kv-bytes-per-token-mla", "kv-mla-fp8-layout", "kv-qwen36-27b-hybrid", "kv-nemotron-3-nano-state", "ai-decode-mla",
}  # fmt: skip
#: Cases whose caches hold all tokens in some layers and a window of them in others.
WINDOWED = ("kv-gemma3-4b-128k-runtime", "kv-gemma4-31b-marginal-vs-first-window", "kv-llama4-scout-10m")
#: Cases that follow from no model and no accelerator record, but from formulas of a class that is not written yet.
OTHERS = {"ai-unfused-vs-flash-attention", "train-zero-memory"}


def group(shape: dict[str, Any], count: int | None = None) -> dict[str, Any]:
    """Equal layers of a case as a record states them."""
    width, query, kv, head = shape["d_model"], shape["heads"], shape["kv_heads"], shape["head_dim"]
    norms = shape.get("norms", 2) * width + (2 * head if shape.get("qk_norm") else 0)
    bias = (query + 2 * kv) * head if shape.get("qkv_bias") else 0
    return {
        "count": shape["layers"] if count is None else count,
        "attention": {"kind": "gqa", "query_heads": query, "kv_heads": kv, "head_dim": head, "bias": bias},
        "feed_forward": {"kind": "dense", "width": shape["d_ff"], "gated": True},
        "norm_parameters": norms,
    }


def model(shape: dict[str, Any], layers: list[dict[str, Any]] | None = None) -> str:
    """The record of a model."""
    record = {
        "schema": "model/1", "id": "subject", "name": "Subject", "revision": 1, "status": "verified",
        "organisation": "Somebody", "geometry": {"source": "sheet", "at": "config.json", "checked": "2026-11-30"},
        "vocabulary": shape["vocab"], "width": shape["d_model"], "final_norm_parameters": shape["d_model"],
        "tied_embeddings": shape.get("tied_embeddings", False), "layers": layers or [group(shape)],
        "checkpoint": {"total": {"basis": "derived", "from": "parameters.total"}},
    }  # fmt: skip
    # Through JSON, so that parts that groups share are written out.
    return yaml.safe_dump(json.loads(json.dumps(record)), sort_keys=False)


def accelerator(memory: dict[str, str], peaks: dict[str, str]) -> str:
    """The record of an accelerator: values of its memory, and peaks by format."""

    def stated(value: str) -> dict[str, str]:
        return {"value": value, "source": "sheet", "checked": "2026-11-30"}

    record = {
        "schema": "accelerator/1", "id": "device", "name": "Device", "revision": 1, "status": "verified",
        "vendor": "Somebody", "architecture": "Some", "scope": "package",
        "memory": {"kind": "HBM", **{name: stated(value) for name, value in memory.items()}},
        "peaks": [{"format": name, "path": "tensor", "rate": stated(value)} for name, value in peaks.items()],
        "power": {"limit": stated("700 W")},
    }  # fmt: skip
    return yaml.safe_dump(record, sort_keys=False)


def value(expression: str, **records: str) -> Quantity:
    """An expression about the records ``subject`` and ``device``."""
    named = {"model": "models/subject", "accelerator": "accelerators/device", "format": "formats/q8-0"}
    base: Knowledge = knowledge({named[kind]: text for kind, text in records.items()})
    assert not errors(base), [f"{f.field}: {f.message}" for f in errors(base)]
    scope = Scope(tuple((kind, named[kind]) for kind in sorted(records) if kind != "format"))
    return Resolver(base).evaluate(expression, scope).quantity


def agrees(found: Quantity, printed: float | int | str) -> bool:
    """Whether a value rounds to a printed one."""
    text = str(printed)
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2])) if "." in text else Fraction(0)
    return abs(found.middle - Fraction(text)) <= half


def test_every_case_is_used_or_listed() -> None:
    used = {*DENSE, "flops-linear-per-token", "crossover-Lstar-flops", "hw-bandwidth-from-bus", "ridge-points",
            "ridge-h100-precision-pairs", "kv-opt-13b-pagedattention", "kv-q8_0-block-format",
            "flops-training-per-token-insights-table", "time-decode-bound-8b-h100", "energy-bound-8b-h100"}  # fmt: skip
    assert used | set(EXPERTS) | LAYERED | OTHERS | set(WINDOWED) == set(CASES)


@pytest.mark.parametrize("case", DENSE)
def test_parameters_to_the_unit(case: str) -> None:
    expect = CASES[case]["expect"]
    found = value("parameters.total", model=model(CASES[case]["inputs"]))
    assert found.value == expect.get("total_parameters", expect.get("text_parameters"))


def test_a_checkpoint_that_stores_the_tied_head_as_well() -> None:
    case = CASES["params-qwen3-0.6b"]
    found = value("parameters.embedding", model=model(case["inputs"]))
    assert found.value == case["expect"]["hub_minus_model"]


def test_two_groups_of_half_the_layers_are_the_same_model() -> None:
    shape = CASES["params-qwen3-32b"]["inputs"]
    halves = model(shape, [group(shape, 40), group(shape, 24)])
    for name in ("parameters.total", "linear_flops_per_token", "kv_bytes_per_token", "g", "n_layers"):
        assert value(name, model=halves) == value(name, model=model(shape))


@pytest.mark.parametrize("name", LINEAR)
def test_operations_of_the_weights_for_a_token(name: str) -> None:
    found = value("linear_flops_per_token", model=model(LINEAR[name]))
    assert found.value == CASES["flops-linear-per-token"]["expect"][name]


@pytest.mark.parametrize("name", LINEAR)
def test_where_decode_attention_meets_the_weights(name: str) -> None:
    found = value("linear_flops_per_token / total(4 * n_q * d_head)", model=model(LINEAR[name]))
    assert agrees(found, CASES["crossover-Lstar-flops"]["expect"][name])


def test_training_operations_of_a_token() -> None:
    case = CASES["flops-training-per-token-insights-table"]
    length = case["inputs"]["seq"]
    text = model(LINEAR["llama31-405b"])
    both = value(f"3 * (num(linear_flops_per_token, flop) + {length} * total(2 * n_q * d_head)) / 10^9", model=text)
    assert agrees(both, case["expect"]["llama31_405b"])
    one = value(f"3 * (num(linear_flops_per_token, flop) + {length} * total(n_q * d_head)) / 10^9", model=text)
    assert agrees(one, case["expect"]["llama31_405b_one_attention_product_only"])


def test_cache_of_multi_head_attention() -> None:
    case = CASES["kv-opt-13b-pagedattention"]
    shape = {**case["inputs"], "heads": 40, "kv_heads": 40, "head_dim": 128, "d_ff": 20480, "vocab": 50272}
    found = value("kv_bytes_per_token", model=model(shape))
    assert found.value == case["expect"]["bytes_per_token"]
    assert found.value * 2048 == case["expect"]["bytes_2048"] and found.value / 1024 == case["expect"]["kib"]


def test_cache_in_blocks_with_a_scale() -> None:
    case = CASES["kv-q8_0-block-format"]
    inputs = case["inputs"]
    shape = {**inputs, "d_model": 5120, "heads": 40, "d_ff": 27648, "vocab": 152064}
    blocks = {
        "schema": "format/1", "id": "q8-0", "name": "Q8_0", "revision": 1, "status": "verified", "family": "block",
        "layouts": {"int8": {"sign": 1, "exponent": 0, "mantissa": 7}}, "scale": {"block": 32, "bits": 16},
        "element_bits": {"value": "8 bit", "source": "sheet", "checked": "2026-11-30"},
    }  # fmt: skip
    found = value(
        f"{inputs['cells']} * kv_bytes_per_token(q8_0)",
        model=model(shape),
        format=yaml.safe_dump(blocks, sort_keys=False),
    )
    assert found.value == case["expect"]["bytes"] and found.value / 2**20 == Fraction(str(case["expect"]["mib"]))


def windowed(case: str) -> tuple[str, int, int]:
    """A model of some layers that see all tokens and some with a window; the sizes of one cached token of each."""
    inputs = CASES[case]["inputs"]
    kinds = {"global": "global_layers", "local": "local_layers" if "local_layers" in inputs else "chunked_layers"}
    groups, sizes = [], []
    for kind, count in kinds.items():
        kv = inputs.get(f"{kind}_kv_heads", inputs.get("kv_heads"))
        head = inputs.get(f"{kind}_head_dim", inputs.get("head_dim"))
        shape = {"d_model": 4096, "heads": kv, "kv_heads": kv, "head_dim": head, "d_ff": 8192}
        groups.append(group(shape, inputs[count]))
        sizes.append(inputs[count] * kv * head * 4)
    groups[1]["attention"] |= {cap: inputs[cap] for cap in ("window", "chunk") if cap in inputs}
    return model({"d_model": 4096, "vocab": 1000}, groups), sizes[0], sizes[1]


@pytest.mark.parametrize("case", WINDOWED)
def test_cache_below_the_window(case: str) -> None:
    text, everywhere, inside = windowed(case)
    assert value("kv_bytes_per_token", model=text).value == everywhere + inside
    wanted = CASES[case]["expect"].get("bytes_per_token_below_window")
    assert wanted in (None, everywhere + inside)


@pytest.mark.parametrize("case", WINDOWED)
def test_cache_beyond_the_window(case: str) -> None:
    text, everywhere, inside = windowed(case)
    inputs, expect = CASES[case]["inputs"], CASES[case]["expect"]
    cap = "window" if "window" in inputs else "chunk"
    found = value(f"total(kv_bytes_per_token_per_layer * min(100000, {cap}))", model=text)
    assert found.value == everywhere * 100000 + inside * inputs[cap]
    assert value("kv_bytes(L=100000)", model=text).value == found.value
    assert value("kv_bytes(L=100)", model=text).value == (everywhere + inside) * 100
    assert value("kv_bytes_per_token_average(L=100000)", model=text).middle == found.middle / 100000
    marginal = value("kv_bytes_per_token_beyond_window", model=text).value
    assert marginal == everywhere == expect.get("bytes_per_token_marginal", everywhere)


@pytest.mark.parametrize("name", RIDGES)
def test_ridge_points(name: str) -> None:
    inputs = RIDGES[name]
    number = next(part for part in ("bf16", "fp16", "fp8") if part in name)
    text = accelerator({"bandwidth": f"{inputs['tb_s']} TB/s"}, {number: f"{inputs['tflops']} TFLOP/s"})
    assert agrees(value(f"ridge.{number}", accelerator=text), CASES["ridge-points"]["expect"][name])


@pytest.mark.parametrize("name", BUSES)
def test_bandwidth_from_the_bus(name: str) -> None:
    inputs = BUSES[name]
    text = accelerator({"bus_width": f"{inputs['bus_bits']} bit", "pin_rate": f"{inputs['gbps_per_pin']} Gbit/s"}, {})
    found = value("memory.route / as(1, GB/s)", accelerator=text)
    assert agrees(found, CASES["hw-bandwidth-from-bus"]["expect"][name])


@pytest.mark.parametrize(
    ("pair", "number", "weight"),
    [("w_bf16_a_bf16", "bf16", "16"), ("w_int8_a_bf16", "bf16", "8"), ("w_int4_a_bf16", "bf16", "4"), ("w_fp8_a_fp8", "fp8", "8")],
)  # fmt: skip
def test_critical_batch_by_precision(pair: str, number: str, weight: str) -> None:
    case = CASES["ridge-h100-precision-pairs"]
    inputs = case["inputs"]
    text = accelerator(
        {"bandwidth": f"{inputs['bandwidth']:.0f} byte/s"}, {n: f"{inputs[n]:.0f} flop/s" for n in ("bf16", "fp8")}
    )
    found = value(f"ridge.{number} * as({weight}, bit) / 2", accelerator=text)
    assert agrees(found, case["expect"][pair])


def test_a_decoded_token_waits_for_the_weights() -> None:
    time, energy = CASES["time-decode-bound-8b-h100"], CASES["energy-bound-8b-h100"]
    records = {
        "model": model(LINEAR["llama31-8b"]),
        "accelerator": accelerator({"bandwidth": f"{time['inputs']['bandwidth']:.0f} byte/s"}, {}),
    }
    streamed = "(linear_parameters + vocabulary * d_model) * weight_element"
    assert value(streamed, **records).value == time["expect"]["streamed_bytes"]
    assert agrees(value(f"{streamed} / memory.bandwidth / as(1, ms)", **records), time["expect"]["ms"])
    assert agrees(value(f"as(1, s) / ({streamed} / memory.bandwidth)", **records), time["expect"]["tokens_per_s"])
    joules = value(f"power.limit * ({streamed} / memory.bandwidth)", **records)
    assert agrees(joules, energy["expect"]["joules_per_token_upper"])


def moe(shape: dict[str, Any]) -> dict[str, Any]:
    """The feed-forward part of a case with experts."""
    width = shape["d_ff_expert"]
    forward = {
        "kind": "moe", "experts": shape["experts"], "active": shape["top_k"], "width": width, "gated": True,
        "router_bias": shape.get("router_bias", False),
    }  # fmt: skip
    if shape.get("shared"):
        forward["shared"] = {"count": shape["shared"], "width": width}
    if shape.get("expert_bias"):
        forward |= {"router_bias": True, "expert_bias": 2 * width + shape["d_model"]}
    return forward


def mla(shape: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The latent attention of a case, and the parameters of the norms inside it."""
    attention = {
        "kind": "mla", "query_heads": shape["heads"], "q_rank": shape["q_lora_rank"], "kv_rank": shape["kv_lora_rank"],
        "nope_dim": shape["qk_nope"], "rope_dim": shape["qk_rope"], "value_dim": shape["v_head_dim"],
    }  # fmt: skip
    return attention, shape["q_lora_rank"] + shape["kv_lora_rank"]


def layered(shape: dict[str, Any]) -> str:
    """The record of a model whose first layers are dense and whose others have experts."""
    first, width = shape.get("first_dense", 0), shape["d_model"]
    norms = 2 * width
    if "kv_lora_rank" in shape:
        attention, inner = mla(shape)
        norms += inner
    else:
        attention = group({**shape, "d_ff": 1}, 1)["attention"]
        norms += 2 * shape["head_dim"] if shape.get("qk_norm") else 0
        if shape.get("qkvo_bias"):
            attention["bias"] = (shape["heads"] + 2 * shape["kv_heads"]) * shape["head_dim"] + width
        if shape.get("attention_sinks"):
            attention["sinks"] = shape["heads"]
    rest = {
        "count": shape["layers"] - first,
        "attention": attention,
        "feed_forward": moe(shape),
        "norm_parameters": norms,
    }
    groups = [rest]
    if first:
        dense = {"kind": "dense", "width": shape["d_ff_dense"], "gated": True}
        groups.insert(0, {**rest, "count": first, "feed_forward": dense})
    return model(shape, groups)


def mamba(shape: dict[str, Any]) -> dict[str, Any]:
    """The state part of a case."""
    return {
        "kind": "mamba1", "inner": shape["d_inner"], "state": shape["d_state"], "conv": shape.get("d_conv", 4),
        "dt_rank": shape["dt_rank"],
    }  # fmt: skip


def jamba(shape: dict[str, Any]) -> str:
    """One layer of eight attends, every second has experts."""
    width, layers, attending = shape["d_model"], shape["layers"], shape["attention_layers"]
    attention = group(shape, 1)["attention"]
    inner = 2 * width + shape["dt_rank"] + 2 * shape["d_state"]
    experts = moe({**shape, "d_ff_expert": shape["d_ff"]})
    dense = {"kind": "dense", "width": shape["d_ff"], "gated": True}
    groups = [
        {"count": attending, "attention": attention, "feed_forward": dense, "norm_parameters": 2 * width},
        {"count": layers // 2 - attending, "attention": mamba(shape), "feed_forward": dense, "norm_parameters": inner},
        {"count": layers // 2, "attention": mamba(shape), "feed_forward": experts, "norm_parameters": inner},
    ]  # fmt: skip
    return model(shape, groups)


def whole(case: str) -> str:
    """The record of a case of a whole model."""
    shape = CASES[case]["inputs"]
    if case == "params-glm-4.5-air":
        shape = {**shape, "router_bias": True}  # the case's inputs leave out the router's correction of each expert
    if "d_inner" not in shape:
        return layered(shape)
    if "experts" in shape:
        return jamba(shape)
    none = {"kind": "none"}
    layer = {
        "count": shape["layers"],
        "attention": mamba(shape),
        "feed_forward": none,
        "norm_parameters": shape["d_model"],
    }
    return model(shape, [layer])


#: What a case expects → the name of it.
NAMES = {
    "total_parameters": "parameters.total",
    "main_parameters": "parameters.total",
    "active_incl_both_embeddings": "parameters.active_with_embeddings",
    "active_excl_input_embedding": "parameters.active_without_input_embedding",
    "active_excl_both_embeddings": "parameters.active_without_embeddings",
    "expert_matrix_parameters": "parameters.experts",
    "kv_bytes_per_token": "kv_bytes_per_token",
}


@pytest.mark.parametrize("case", EXPERTS)
def test_experts_and_states_to_the_unit(case: str) -> None:
    text = whole(case)
    wanted = {key: expected for key, expected in CASES[case]["expect"].items() if key in NAMES}
    assert {key: value(NAMES[key], model=text).value for key in wanted} == wanted


def test_multi_token_prediction_and_copies_explain_a_checkpoint() -> None:
    case = CASES["params-glm-4.5-air"]
    record = yaml.safe_load(whole("params-glm-4.5-air"))
    # A layer of the second group, the projection of two inputs to one, and a norm for each input and for the output.
    unique = "parameters.group_2 + 2 * d_model^2 + 3 * d_model"
    record["extras"] = [
        {"name": "mtp", "parameters": unique, "in_checkpoint": True, "why": "Predicts a further token."},
        {"name": "copies", "parameters": "2 * vocabulary * d_model", "in_checkpoint": True, "why": "Stored twice."},
        {"name": "tower", "parameters": "12345", "in_checkpoint": False, "why": "Not published."},
    ]
    text = yaml.safe_dump(record, sort_keys=False)
    expect = case["expect"]
    assert value("parameters.extra.mtp", model=text).value == expect["mtp_unique"]
    both = value("parameters.total + parameters.extras_in_checkpoint", model=text).value
    assert both == expect["checkpoint_parameters"]
    assert value("parameters.extras - parameters.extras_in_checkpoint", model=text).value == 12345
    assert value("parameters.total", model=text).value == expect["main_parameters"]


def test_bytes_of_a_checkpoint_in_two_formats() -> None:
    text, expect = whole("params-gpt-oss-20b"), CASES["params-gpt-oss-20b"]["expect"]
    mixed = "parameters.experts * as(4.25, bit) + (parameters.total - parameters.experts) * as(2, byte)"
    assert value(mixed, model=text).value == expect["checkpoint_bytes"]
    assert agrees(value(f"num({mixed}, GiB)", model=text), expect["checkpoint_gib"])


def latent(layers: int, heads: int = 128) -> str:
    """A model of latent attention in the width that DeepSeek and Kimi share."""
    shape = CASES["params-kimi-k2"]["inputs"] | {"layers": layers, "heads": heads}
    return layered(shape)


@pytest.mark.parametrize("name", CASES["kv-bytes-per-token-mla"]["inputs"])
def test_a_latent_is_cached_once(name: str) -> None:
    case = CASES["kv-bytes-per-token-mla"]
    assert value("kv_bytes_per_token", model=latent(case["inputs"][name]["layers"])).value == case["expect"][name]


def test_a_latent_in_eight_bits_with_a_rotary_part_in_sixteen() -> None:
    case = CASES["kv-mla-fp8-layout"]
    inputs, expect = case["inputs"], case["expect"]
    size = f"kv_rank * {inputs['fp8_bytes']} + {inputs['scales'] * inputs['scale_bytes']} + d_rope * {inputs['rope_bytes']}"
    text = latent(61)
    assert value(f"total({size})", model=text).value == expect["bytes_per_token_61_layers"]
    assert value(f"total({size}) / 61", model=text).value == expect["bytes_per_token_per_layer"]
    ratio = value(f"total({size}) / num(kv_bytes_per_token, byte/token)", model=text)
    assert agrees(ratio, expect["ratio_to_bf16"])


def test_intensity_of_absorbed_decoding() -> None:
    case = CASES["ai-decode-mla"]
    expect = case["expect"]
    for heads, bits, wanted in ((128, "2", "deepseek"), (64, "2", "kimi"), (128, "656/576", "deepseek_fp8_656B")):
        intensity = (
            f"total(absorbed_attention_flops_per_token_per_layer(L=1000)) "
            f"/ num(kv_bytes(L=1000, cache_element=as({bits}, byte)), byte)"
        )
        assert agrees(value(intensity, model=latent(61, heads)), expect[wanted])


def test_a_latent_has_no_key_and_value_heads() -> None:
    for name in ("n_kv", "d_head", "g", "total(2 * n_kv * d_head)"):
        with pytest.raises(FormulaError, match="one latent for all heads"):
            value(name, model=latent(3))


def test_a_hybrid_caches_in_its_attention_layers_alone() -> None:
    case = CASES["kv-qwen36-27b-hybrid"]
    inputs, expect = case["inputs"], case["expect"]
    attention = {"kind": "gqa", "query_heads": 24, "kv_heads": inputs["kv_heads"], "head_dim": inputs["head_dim"]}
    delta = {"kind": "gated-delta", "key_heads": 16, "key_dim": 128, "value_heads": 48, "value_dim": 128, "conv": 4}
    dense = {"kind": "dense", "width": 17408, "gated": True}
    groups = [
        {"count": 48, "attention": delta, "feed_forward": dense, "norm_parameters": 1},
        {"count": inputs["full_layers"], "attention": attention, "feed_forward": dense, "norm_parameters": 1},
    ]
    text = model({"d_model": 5120, "vocab": 248320}, groups)
    assert value("kv_bytes_per_token", model=text).value == expect["bytes_per_token"]
    assert agrees(value("num(kv_bytes(L=262144), MiB)", model=text), expect["mib"])
    assert value("n_kv", model=text).value == 4, "the layers that have key and value heads agree"


def test_a_state_is_per_sequence() -> None:
    case = CASES["kv-nemotron-3-nano-state"]
    inputs, expect = case["inputs"], case["expect"]
    none = {"kind": "none"}
    attention = {"kind": "gqa", "query_heads": 32, "kv_heads": inputs["kv_heads"], "head_dim": inputs["head_dim"]}
    mixer = {
        "kind": "mamba2", "heads": inputs["mamba_heads"], "head_dim": inputs["mamba_head_dim"],
        "state": inputs["d_state"], "groups": inputs["groups"], "conv": inputs["d_conv"],
    }  # fmt: skip
    groups = [
        {"count": inputs["mamba_layers"], "attention": mixer, "feed_forward": none, "norm_parameters": 1},
        {"count": inputs["attention_layers"], "attention": attention, "feed_forward": none, "norm_parameters": 1},
        {"count": 23, "attention": none, "feed_forward": {"kind": "dense", "width": 1856, "gated": False}, "norm_parameters": 1},
    ]  # fmt: skip
    text = model({"d_model": 2688, "vocab": 131072}, groups)
    assert value("kv_bytes_per_token", model=text).value == expect["kv_bytes_per_token"]
    assert value("state_bytes", model=text).value == expect["state_bytes_per_sequence"]
    assert agrees(value("num(state_bytes, byte) / num(kv_bytes_per_token, byte/token)", model=text),
                  expect["tokens_where_kv_equals_state"])  # fmt: skip
    assert value("n_layers", model=text).value == 52


def test_training_operations_of_a_latent_attention() -> None:
    case = CASES["flops-training-per-token-insights-table"]
    length = case["inputs"]["seq"]
    deepseek = CASES["params-deepseek-v2"]["inputs"]
    third = CASES["params-kimi-k2"]["inputs"] | {"heads": 128, "experts": 256, "first_dense": 3, "vocab": 129280}
    for shape, wanted in ((deepseek, "deepseek_v2"), (third, "deepseek_v3")):
        # Causal: half of the tokens are seen on average.
        whole = f"3 * (linear_flops_per_token + attention_flops_per_token(L={length}) / 2) / 10^9"
        assert agrees(value(f"num({whole}, flop)", model=layered(shape)), case["expect"][wanted])
