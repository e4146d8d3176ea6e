"""Properties of models of all kinds of layers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeline.check import check
from ridgeline.findings.finding import Level
from ridgeline.knowledge.resolve import Resolver, Scope
from tests.acceptance.conftest import build
from tests.data.small import errors, evaluate, knowledge
from tests.unit.test_model_arithmetic import model

COUNT = st.integers(1, 9)
NONE = {"kind": "none"}


@st.composite
def grouped(draw: st.DrawFn) -> dict[str, Any]:
    kv = draw(COUNT)
    part: dict[str, Any] = {"kind": "gqa", "query_heads": kv * draw(COUNT), "kv_heads": kv, "head_dim": draw(COUNT)}
    cap = draw(st.sampled_from(["", "window", "chunk"]))
    if cap:
        part[cap] = draw(st.integers(1, 500))
    return part


@st.composite
def latent(draw: st.DrawFn) -> dict[str, Any]:
    names = ("query_heads", "kv_rank", "nope_dim", "rope_dim", "value_dim", "q_rank")
    part = {"kind": "mla", **{name: draw(COUNT) for name in names}}
    if draw(st.booleans()):
        part["indexer"] = {"heads": draw(COUNT), "dim": draw(COUNT), "selected": draw(st.integers(1, 500))}
    return part


MIXERS = st.one_of(
    grouped(),
    latent(),
    st.builds(lambda a, b: {"kind": "linear", "heads": a, "head_dim": b}, COUNT, COUNT),
    st.builds(
        lambda a, b, c: {"kind": "gated-delta", "key_heads": a, "key_dim": b, "value_heads": c, "value_dim": a, "conv": 4},
        COUNT, COUNT, COUNT,
    ),
    st.builds(
        lambda a, b, c: {"kind": "kimi-delta", "heads": a, "head_dim": b, "gate_rank": c, "conv": 4}, COUNT, COUNT, COUNT
    ),
    st.builds(lambda a, b, c: {"kind": "mamba1", "inner": a, "state": b, "conv": 4, "dt_rank": c}, COUNT, COUNT, COUNT),
    st.builds(
        lambda a, b, c: {"kind": "mamba2", "heads": a * c, "head_dim": b, "state": a, "groups": c, "conv": 4},
        COUNT, COUNT, COUNT,
    ),
)  # fmt: skip


@st.composite
def forwards(draw: st.DrawFn) -> dict[str, Any]:
    gated = draw(st.booleans())
    if draw(st.booleans()):
        return {"kind": "dense", "width": draw(COUNT), "gated": gated}
    number = draw(COUNT)
    part: dict[str, Any] = {
        "kind": "moe",
        "experts": number,
        "active": draw(st.integers(1, number)),
        "width": draw(COUNT),
        "gated": gated,
    }
    if draw(st.booleans()):
        part["shared"] = {"count": draw(COUNT), "width": draw(COUNT), "gate": draw(st.booleans())}
    if draw(st.booleans()):
        part |= {"router_bias": True, "expert_bias": draw(COUNT), "latent": draw(COUNT)}
    return part


@st.composite
def models(draw: st.DrawFn) -> str:
    layers = []
    for _ in range(draw(st.integers(1, 4))):
        layers.append(
            {
                "count": draw(COUNT),
                "attention": draw(MIXERS),
                "feed_forward": draw(forwards()),
                "norm_parameters": draw(COUNT),
            }
        )
    return model({"d_model": draw(COUNT), "vocab": draw(COUNT), "tied_embeddings": draw(st.booleans())}, layers)


def resolver(text: str) -> Any:
    base = knowledge({"models/subject": text})
    assert not errors(base), [f"{f.field}: {f.message}" for f in errors(base)]
    found = Resolver(base)
    return lambda expression: found.evaluate(expression, Scope((("model", "models/subject"),))).quantity.middle


@given(models())
@settings(max_examples=60, deadline=None)
def test_every_total_can_be_had_and_parts_do_not_exceed_it(text: str) -> None:
    value = resolver(text)
    total = value("parameters.total")
    without, with_input, both = (
        value(f"parameters.active_{name}")
        for name in ("without_embeddings", "without_input_embedding", "with_embeddings")
    )
    assert 0 < without < with_input <= both <= total
    assert value("linear_parameters") <= value("parameters.layers") < total
    assert value("linear_flops_per_token") <= 2 * with_input
    assert value("kv_bytes(L=1)") <= value("kv_bytes_per_token") == value("kv_bytes(L=1)")
    assert value("kv_bytes(L=10000)") <= 10000 * value("kv_bytes_per_token")
    grown = value("kv_bytes(L=10001)") - value("kv_bytes(L=10000)")
    assert grown == value("kv_bytes_per_token_beyond_window"), "no window or chunk is that long"
    assert value("state_bytes") >= 0
    assert value("attention_flops_per_token(L=2)") <= 2 * value("attention_flops_per_token(L=1)")


@given(grouped(), st.integers(2, 5))
@settings(max_examples=30, deadline=None)
def test_fewer_key_and_value_heads_cache_less(part: dict[str, Any], factor: int) -> None:
    many = {**part, "query_heads": part["query_heads"] * factor, "kv_heads": part["kv_heads"] * factor}
    few = {**many, "kv_heads": part["kv_heads"]}
    layer = {"count": 3, "feed_forward": {"kind": "dense", "width": 4, "gated": True}, "norm_parameters": 0}
    shape = {"d_model": 4, "vocab": 10}
    values = [resolver(model(shape, [{**layer, "attention": a}]))("kv_bytes_per_token") for a in (few, many)]
    assert values[1] == factor * values[0]


def test_fewer_attention_layers_push_the_crossover_out() -> None:
    attention = {"kind": "gqa", "query_heads": 32, "kv_heads": 8, "head_dim": 128}
    mixer = {"kind": "mamba2", "heads": 64, "head_dim": 128, "state": 128, "groups": 8, "conv": 4}
    dense = {"kind": "dense", "width": 14336, "gated": True}
    stars = []
    for attending in (32, 16, 4, 1):
        layers = [{"count": attending, "attention": attention, "feed_forward": dense, "norm_parameters": 0}]
        if attending < 32:
            layers.append({"count": 32 - attending, "attention": mixer, "feed_forward": dense, "norm_parameters": 0})
        stars.append(resolver(model({"d_model": 4096, "vocab": 1000}, layers))("L_star"))
    assert stars == sorted(stars) and stars[0] < stars[1]
    with pytest.raises(Exception, match="no layer attends"):
        resolver(model({"d_model": 4096, "vocab": 1000}, layers[1:]))("L_star")


@pytest.mark.parametrize("cap", ["window", "chunk"])
def test_the_crossover_with_windows_is_where_the_two_works_meet(cap: str) -> None:
    dense = {"kind": "dense", "width": 14336, "gated": True}
    attention = {"kind": "gqa", "query_heads": 32, "kv_heads": 8, "head_dim": 128}
    layers = [
        {"count": 5, "attention": {**attention, cap: 1000}, "feed_forward": dense, "norm_parameters": 0},
        {"count": 1, "attention": attention, "feed_forward": dense, "norm_parameters": 0},
    ]
    value = resolver(model({"d_model": 4096, "vocab": 1000}, layers))
    star, width = value("L_star"), 4096
    seen = 1000 * star - Fraction(1000**2, 2) if cap == "window" else 500 * star
    attention_work = 4 * width * (5 * seen + star**2 / 2)
    assert abs(attention_work / (2 * value("linear_parameters") * star) - 1) < Fraction(1, 10**9)


def test_a_formula_of_a_class_over_a_hybrid_counts_the_layers_that_it_applies_to() -> None:
    attention = {"kind": "gqa", "query_heads": 8, "kv_heads": 2, "head_dim": 16}
    layers = [
        {"count": 3, "attention": {"kind": "mamba1", "inner": 8, "state": 4, "conv": 4, "dt_rank": 2},
         "feed_forward": NONE, "norm_parameters": 8},
        {"count": 2, "attention": attention, "feed_forward": NONE, "norm_parameters": 8},
    ]  # fmt: skip
    text = model({"d_model": 128, "vocab": 10}, layers)
    value = resolver(text)
    assert value("total(2 * n_q * d_head)") == 2 * 2 * 8 * 16
    assert value("total(4 * n_q * d_head * min(100, window))") == 2 * 4 * 8 * 16 * 100
    assert value("total(d_ff)") == 0 and value("n_layers") == 5
    assert value("g") == 4, "those that have it agree"
    pure = resolver(model({"d_model": 128, "vocab": 10}, layers[:1]))
    assert pure("total(2 * n_q * d_head)") == 0 and pure("kv_bytes(L=100)") == 0
    with pytest.raises(Exception, match="has no quantity n_q"):
        pure("n_q")


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("attention", {"kind": "gqa", "query_heads": 6, "kv_heads": 4, "head_dim": 1}, "shared evenly"),
        (
            "attention",
            {"kind": "gqa", "query_heads": 4, "kv_heads": 4, "head_dim": 1, "window": 1, "chunk": 1},
            "not both",
        ),
        ("attention", {"kind": "gqb", "query_heads": 4, "kv_heads": 4, "head_dim": 1}, "not one of the words"),
        ("attention", {"query_heads": 4, "kv_heads": 4, "head_dim": 1}, "the field kind is missing"),
        ("attention", {"kind": "mla", "query_heads": 4, "kv_heads": 4}, "unknown field kv_heads"),
        (
            "attention",
            {"kind": "mamba2", "heads": 3, "head_dim": 1, "state": 1, "groups": 2, "conv": 4},
            "among 2 groups",
        ),
        (
            "feed_forward",
            {"kind": "moe", "experts": 4, "active": 5, "width": 1, "gated": True},
            "5 experts active of 4",
        ),
        ("feed_forward", {"kind": "dens", "width": 1, "gated": True}, "not one of the words"),
    ],
)
def test_a_layer_that_cannot_be_is_refused(part: str, change: dict[str, Any], message: str) -> None:
    layer: dict[str, Any] = {
        "count": 1, "attention": {"kind": "gqa", "query_heads": 4, "kv_heads": 4, "head_dim": 1},
        "feed_forward": {"kind": "dense", "width": 1, "gated": True}, "norm_parameters": 0,
    }  # fmt: skip
    found = errors(knowledge({"models/subject": model({"d_model": 4, "vocab": 4}, [{**layer, part: change}])}))
    assert any(message in f.message for f in found), [f.message for f in found]
    assert all(f.field.startswith(f"layers.0.{part}") for f in found)


def test_parts_at_the_ends_are_in_the_totals_that_they_belong_to() -> None:
    plain = yaml.safe_load(
        model({"d_model": 8, "vocab": 10, "layers": 1, "heads": 1, "kv_heads": 1, "head_dim": 8, "d_ff": 8})
    )
    rich = {**plain, "positions": 6, "embedding_norm_parameters": 16, "head_bias": True, "vocabulary_used": 9}
    values = [resolver(yaml.safe_dump(record, sort_keys=False)) for record in (plain, rich)]
    parts = 6 * 8 + 16 + 10
    for name, more in (
        ("total", parts), ("active_with_embeddings", parts), ("active_without_input_embedding", 16 + 10),
        ("active_without_embeddings", 16),
    ):  # fmt: skip
        assert values[1](f"parameters.{name}") - values[0](f"parameters.{name}") == more, name


def test_a_value_in_a_class_is_not_touched_by_the_symbol_of_the_model() -> None:
    assert evaluate("flops(m, L=512)").quantity.value == 2 * 32 * 128 * 512**2


@pytest.mark.parametrize(
    ("extras", "status", "level", "message"),
    [
        ("", "verified", None, ""),
        ("extras: [{name: tower, parameters: '2 * d_model', in_checkpoint: false, why: Unpublished.}]", "verified", None, ""),
        (
            "extras: [{name: tower, parameters: '2 * d_model', in_checkpoint: true, why: Seen.}]", "verified",
            Level.ERROR, "of which ledger and extras explain",
        ),
        (
            "extras: [{name: tower, parameters: '2 * d_modle', in_checkpoint: true, why: Seen.}]", "verified",
            Level.ERROR, "unknown name d_modle",
        ),
        (
            "extras: [{name: tower, parameters: '2 * d_model', in_checkpoint: true, why: Seen.}]", "contested",
            Level.WARNING, "of which ledger and extras explain",
        ),
    ],
)  # fmt: skip
def test_extras_in_the_checkpoint_explain_its_total(
    tmp_path: Path, extras: str, status: str, level: Level | None, message: str
) -> None:
    root = build(tmp_path / "root")
    path = root / "records" / "models" / "tiny.yaml"
    text = path.read_text(encoding="utf-8").replace("status: verified", f"status: {status}")
    path.write_text(f"{text}\n{extras}\n", encoding="utf-8")
    found = [f for f in check(root).findings if f.rule == "ledger"]
    assert [f.level for f in found] == ([level] if level else [])
    assert all(message in f.message for f in found)
