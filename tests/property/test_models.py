"""What holds of every model: the released ones of the records, each bent in one way, and made-up ones."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.base import add
from ridgeline.knowledge.resolve import Resolver, Scope
from tests.data.small import errors, knowledge
from tests.unit.test_model_arithmetic import model
from tests.unit.test_model_layers import forwards, grouped, latent, models

REAL = {path.stem: path for path in sorted((Path(__file__).parents[2] / "records" / "models").glob("*.yaml"))}
_ID = re.compile(r"^id: (\S+)$", re.MULTILINE)
Value = Callable[[str], Fraction]


@cache
def _record(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(REAL[name].read_text(encoding="utf-8"))
    return found


def record(name: str) -> dict[str, Any]:
    """A released model's record, to be bent."""
    return copy.deepcopy(_record(name))


@cache
def released(name: str) -> Value:
    """Expressions about a released model as its record has it."""
    return value_of(REAL[name].read_text(encoding="utf-8"))


def value_of(text: str | dict[str, Any]) -> Value:
    """Expressions about a model, from its record or the text of it."""
    written = text if isinstance(text, str) else yaml.safe_dump(text, sort_keys=False)
    base = knowledge()
    identity = text["id"] if isinstance(text, dict) else _ID.findall(text)[0]
    add(base, f"records/models/{identity}.yaml", written)
    assert not errors(base), [f"{f.field}: {f.message}" for f in errors(base)]
    resolver, scope = Resolver(base), Scope((("model", f"models/{identity}"),))
    return lambda expression: resolver.evaluate(expression, scope).quantity.middle


def attending(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [group for group in groups if group["attention"]["kind"] in ("gqa", "mla")]


def caps(groups: list[dict[str, Any]]) -> list[int]:
    """Windows and chunks, in tokens."""
    return [group["attention"][cap] for group in groups for cap in ("window", "chunk") if cap in group["attention"]]


def shares(value: Value, attends: bool) -> None:
    """No part is more than the whole, and no share more than all of it."""
    total, layers = value("parameters.total"), value("parameters.layers")
    assert 0 < layers < total
    actives = [
        value(f"parameters.active_{n}") for n in ("without_embeddings", "without_input_embedding", "with_embeddings")
    ]
    assert 0 < actives[0] < actives[1] <= actives[2] <= total
    assert 0 < value("linear_parameters") <= layers
    assert value("linear_flops_per_token") <= 2 * actives[1]
    last = Fraction(-1)
    for tokens in (1, 100, 10_000, 1_000_000):
        work = value(f"attention_flops_per_token(L={tokens})")
        share = work / (work + value("linear_flops_per_token"))
        assert last <= share < 1 and (share > 0) == attends
        last = share


@pytest.mark.parametrize("name", REAL)
def test_shares_and_active_parameters_of_released_models(name: str) -> None:
    shares(released(name), bool(attending(record(name)["layers"])))


@given(models())
@settings(max_examples=30, deadline=None)
def test_shares_and_active_parameters_of_any_model(text: str) -> None:
    shares(value_of(text), bool(attending(yaml.safe_load(text)["layers"])))


# Key and value heads


def sharing(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The attention parts with more than one key and value head."""
    parts = (group["attention"] for group in groups)
    return [part for part in parts if part["kind"] == "gqa" and part["kv_heads"] > 1]


@pytest.mark.parametrize("name", [name for name in REAL if sharing(record(name)["layers"])])
def test_the_cache_falls_with_fewer_key_and_value_heads(name: str) -> None:
    fewer = record(name)
    for attention in sharing(fewer["layers"]):
        attention["kv_heads"] = 1
    before, after = released(name), value_of(fewer)
    for expression in ("kv_bytes_per_token", "kv_bytes(L=5000)"):
        assert after(expression) < before(expression)
    assert after("parameters.total") < before("parameters.total")
    # Of what the scores and sums cost, nothing changes: query heads share keys, they do not go away.
    assert after("attention_flops_per_token(L=5000)") == before("attention_flops_per_token(L=5000)")


# The crossover


def fewer_attending(whole: dict[str, Any]) -> dict[str, Any] | None:
    """The record with the attention of one layer that sees everything taken out; ``None`` where that cannot be done."""
    fewer = copy.deepcopy(whole)
    for index, group in enumerate(fewer["layers"]):
        if group in attending([group]) and not caps([group]) and group["feed_forward"]["kind"] != "none":
            idle = {**copy.deepcopy(group), "count": 1, "attention": {"kind": "none"}}
            if group["count"] == 1:
                fewer["layers"][index] = idle
            else:
                group["count"] -= 1
                fewer["layers"].insert(index, idle)
            return fewer
    return None


@pytest.mark.parametrize("name", [name for name in REAL if fewer_attending(record(name)) is not None])
def test_fewer_attention_layers_push_the_crossover_out(name: str) -> None:
    fewer = fewer_attending(record(name))
    assert fewer is not None
    assert value_of(fewer)("L_star") > released(name)("L_star")


@given(st.one_of(grouped(), latent()), forwards(), st.integers(2, 9), st.integers(1, 8))
@settings(max_examples=30, deadline=None)
def test_each_attention_layer_taken_out_pushes_it_further(
    attention: dict[str, Any], forward: dict[str, Any], count: int, idle: int
) -> None:
    attention = {k: v for k, v in attention.items() if k not in ("window", "chunk", "indexer")}
    layer = {"attention": attention, "feed_forward": forward, "norm_parameters": 1}
    stars = []
    for out in range(min(idle, count - 1) + 1):
        groups = [{**layer, "count": count - out}]
        if out:
            groups.append({**layer, "count": out, "attention": {"kind": "none"}})
        stars.append(value_of(model({"d_model": 8, "vocab": 10}, groups))("L_star"))
    assert stars == sorted(set(stars))


# Windows


def grown(value: Value, groups: list[dict[str, Any]], step: int) -> None:
    """Beyond the longest window the cache grows by what the layers without one add, and by nothing else."""
    start = max([*caps(groups), 1])
    more = value(f"kv_bytes(L={start + step})") - value(f"kv_bytes(L={start})")
    assert more == step * value("kv_bytes_per_token_beyond_window")
    free = [i for i, group in enumerate(groups) if group["attention"]["kind"] in ("gqa", "mla") and not caps([group])]
    assert (more == 0) == (not free)
    assert value("kv_bytes_per_token_beyond_window") <= value("kv_bytes_per_token")
    assert value(f"kv_bytes(L={start + step})") <= (start + step) * value("kv_bytes_per_token")
    if caps(groups):
        assert value("kv_bytes_per_token_beyond_window") < value("kv_bytes_per_token")
        assert value(f"kv_bytes_per_token_average(L={start + step})") < value("kv_bytes_per_token")
    else:
        assert value("kv_bytes_per_token_beyond_window") == value("kv_bytes_per_token")


@pytest.mark.parametrize("name", REAL)
def test_the_cache_of_a_released_model_grows_by_its_global_layers_beyond_the_window(name: str) -> None:
    whole = record(name)
    grown(released(name), whole["layers"], 4096)


@given(models(), st.integers(1, 10_000))
@settings(max_examples=30, deadline=None)
def test_the_cache_of_any_model_grows_by_its_global_layers_beyond_the_window(text: str, step: int) -> None:
    grown(value_of(text), yaml.safe_load(text)["layers"], step)


@pytest.mark.parametrize("name", [name for name in REAL if caps(record(name)["layers"])])
def test_a_window_that_is_taken_away_makes_the_cache_grow(name: str) -> None:
    whole = record(name)
    plain = copy.deepcopy(whole)
    for group in plain["layers"]:
        for cap in ("window", "chunk"):
            group["attention"].pop(cap, None)
    length = 2 * max(caps(whole["layers"]))
    assert value_of(plain)(f"kv_bytes(L={length})") > released(name)(f"kv_bytes(L={length})")
    assert value_of(plain)("L_star") < _star(released(name))


def _star(value: Value) -> Fraction:
    """The crossover; beyond all bounds where every layer has a window."""
    try:
        return value("L_star")
    except FormulaError:
        return Fraction(10**12)


# The published total


@pytest.mark.parametrize("name", REAL)
def test_count_and_ledger_are_the_published_total(name: str) -> None:
    whole = record(name)
    value = released(name)
    checkpoint = whole["checkpoint"]
    explained = [entry["parameters"] for entry in checkpoint.get("ledger", [])]
    explained += [extra["parameters"] for extra in whole.get("extras", []) if extra["in_checkpoint"]]
    total = value("parameters.total") + sum(value(str(formula)) for formula in explained)
    assert total == value("checkpoint.total"), "a difference that is not explained makes a record contested"
    assert whole["status"] in ("verified", "contested")


def test_at_least_sixty_models_agree_with_what_was_published() -> None:
    agreeing = [name for name in REAL if record(name)["status"] == "verified"]
    assert len(agreeing) >= 60
