"""Published numbers of real models and accelerators, from records built of their geometry.

What the model type cannot hold yet is listed with what it lacks: those cases fail for that reason and no other.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Knowledge
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.records.model import Attention, FeedForward
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

#: Case → what the model type would have to hold: (part of a layer, kind).
LACKING: dict[str, tuple[str, str]] = {
    "params-mixtral-8x7b": ("feed_forward", "moe"),
    "params-qwen3-30b-a3b": ("feed_forward", "moe"),
    "params-qwen3-coder-480b": ("feed_forward", "moe"),
    "params-deepseek-v2": ("attention", "mla"),
    "params-kimi-k2": ("attention", "mla"),
    "params-gpt-oss-20b": ("feed_forward", "moe"),
    "params-glm-4.5-air": ("feed_forward", "moe"),
    "params-mamba-2.8b": ("attention", "state"),
    "params-jamba-1.5-large": ("attention", "state"),
    "kv-bytes-per-token-mla": ("attention", "mla"),
    "kv-mla-fp8-layout": ("attention", "mla"),
    "kv-qwen36-27b-hybrid": ("attention", "linear"),
    "kv-nemotron-3-nano-state": ("attention", "state"),
    "ai-decode-mla": ("attention", "mla"),
}
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
    return yaml.safe_dump(record, sort_keys=False)


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
    assert used | set(LACKING) | OTHERS | set(WINDOWED) == set(CASES) and not used & set(LACKING)


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
    groups[1]["attention"]["window"] = inputs.get("window", inputs.get("chunk"))
    return model({"d_model": 4096, "vocab": 1000}, groups), sizes[0], sizes[1]


@pytest.mark.parametrize("case", WINDOWED)
def test_cache_below_the_window(case: str) -> None:
    text, everywhere, inside = windowed(case)
    assert value("kv_bytes_per_token", model=text).value == everywhere + inside
    wanted = CASES[case]["expect"].get("bytes_per_token_below_window")
    assert wanted in (None, everywhere + inside)


@pytest.mark.parametrize("case", WINDOWED)
@pytest.mark.xfail(strict=True, raises=FormulaError, reason="a layer without a window has no number to compare with")
def test_cache_beyond_the_window(case: str) -> None:
    text, everywhere, inside = windowed(case)
    window = CASES[case]["inputs"].get("window", CASES[case]["inputs"].get("chunk"))
    found = value("total(kv_bytes_per_token_per_layer * min(100000, window))", model=text)
    assert found.value == everywhere * 100000 + inside * window


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


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        pytest.param(*need, id=case, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=f"no {need[1]} layers yet"))
        for case, need in LACKING.items()
    ],
)  # fmt: skip
def test_not_yet(part: str, kind: str) -> None:
    types = {"attention": Attention, "feed_forward": FeedForward}
    assert kind in get_args(types[part].model_fields["kind"].annotation)
