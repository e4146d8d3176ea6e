"""Scenarios over the repository's own records: held against what is known of the models by other routes."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from ridgeline.formulas.errors import FormulaError
from ridgeline.lookup import Lookup
from ridgeline.records.layers import GroupedAttention, LatentAttention
from ridgeline.records.model import Model
from ridgeline.scenario import Outcome, ScenarioError, Setting, run
from ridgeline.scenario.code import module, statement
from ridgeline.scenario.parts import Part
from ridgeline.scenario.setting import Phase, Recompute
from tests.javascript import evaluated, of_module

PHASES: tuple[Phase, ...] = ("decode", "prefill", "training")
LLAMA = Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 8192, 64, 8)
#: Work of weight matrices that every token passes; what they do is the model's own ``linear_flops_per_token``.
MATRICES = {"attention-projections", "feed-forward", "router", "experts", "shared-experts", "output-head"}


@pytest.fixture(scope="module")
def lookup(repository: Path) -> Lookup:
    return Lookup(repository)


def part(outcome: Outcome, name: str) -> Part:
    return next(p for p in outcome.parts if p.reference == f"classes/{name}")


def value(outcome: Outcome, name: str, of: str) -> Fraction:
    found = part(outcome, name)
    cost = (found.costs | found.times)[of]
    assert cost.value is not None, cost.why
    return cost.value.quantity.middle


def recorded_by(outcome: Outcome) -> Callable[[str, str], str]:
    """The recorded values of a scenario as literals, by record and field."""
    values = {}
    for p in outcome.parts:
        for cost in (*p.costs.values(), *p.times.values()):
            for node in cost.value.walk() if cost.value is not None else ():
                if node.given is not None:
                    values[node.given.record, node.given.field] = repr(float(node.quantity))
    return lambda record, field: values[record, field]


def operations(outcome: Outcome, works: set[str]) -> Fraction:
    found = Fraction(0)
    for p in outcome.parts:
        cost = p.costs.get("flops")
        if set(p.covers) <= works and cost is not None and cost.value is not None:
            found += cost.value.quantity.middle
    return found


@cache
def alone(lookup: Lookup, model: str) -> Outcome:
    """One token of one sequence on one accelerator."""
    return run(lookup, Setting(model, "nvidia-h100-sxm", "decode", 8192))


class TestEveryModel:
    def test_operations_of_the_weights_are_those_of_the_model(self, lookup: Lookup) -> None:
        """Two routes: classes added up, and the model's own quantity; so no weight is left out or counted twice."""
        tried = 0
        for entry in lookup.knowledge.of_kind("model"):
            assert isinstance(entry.record, Model)
            if any(isinstance(g.attention, LatentAttention) and g.attention.indexer for g in entry.record.layers):
                continue  # the projections of an indexer are counted with its scores
            outcome = alone(lookup, entry.id)
            counted = operations(outcome, MATRICES)
            assert counted == lookup.get(entry.reference, "linear_flops_per_token").quantity.middle, entry.id
            tried += 1
        assert tried > 70

    def test_operations_of_attention_are_those_of_the_model(self, lookup: Lookup) -> None:
        tried = 0
        for entry in lookup.knowledge.of_kind("model"):
            assert isinstance(entry.record, Model)
            kinds = {type(g.attention) for g in entry.record.layers}
            outcome = alone(lookup, entry.id)
            if GroupedAttention not in kinds or LatentAttention in kinds or "attention" in " ".join(outcome.uncounted):
                continue
            known = lookup.get(entry.reference, "attention_flops_per_token", {"L": "8192"}).quantity.middle
            assert operations(outcome, {"attention"}) == known, entry.id
            tried += 1
        assert tried > 50

    @pytest.mark.slow
    def test_sql_and_javascript_compute_the_same(self, lookup: Lookup) -> None:
        connection = sqlite3.connect(":memory:")
        wanted: list[float] = []
        programs: list[str] = []
        for entry in lookup.knowledge.of_kind("model"):
            phase = PHASES[len(wanted) % 3]
            outcome = run(lookup, Setting(entry.id, "nvidia-h100-sxm", phase, 4096, 37))
            assert outcome.step is not None
            assert 0 < outcome.step.overlapped.quantity.middle <= outcome.step.in_turn.quantity.middle, entry.id
            wanted.append(float(outcome.step.overlapped.quantity))
            text = statement(outcome, recorded_by(outcome)).removesuffix(";\n")
            *_, step = connection.execute(text).fetchall()
            assert math.isclose(step[-1], wanted[-1], rel_tol=1e-11), entry.id
            programs.append(of_module(module(outcome), "m.scenario()['whole step'].at_least"))
        computed = evaluated({}, programs)
        assert [math.isclose(a, b, rel_tol=1e-11) for a, b in zip(computed, wanted, strict=True)] == [True] * len(
            wanted
        )

    def test_every_accelerator_runs_or_says_what_it_cannot(self, lookup: Lookup) -> None:
        ran = 0
        for entry in lookup.knowledge.of_kind("accelerator"):
            setting = Setting("llama-3.1-8b", entry.id, "decode", 4096, weights="fp8", activations="fp16")
            try:
                outcome = run(lookup, setting)
            except ScenarioError as error:
                assert "has no peak for fp16" in str(error) or "memory.bandwidth" in str(error)
                continue
            assert outcome.step is not None and outcome.step.bound_by == "memory"
            ran += 1
        assert ran > 40


class TestLlama70B:
    def test_the_weights_alone(self, lookup: Lookup) -> None:
        """70.6 · 10^9 parameters, the input embedding and the norms not read: 139 GB at 8 × 3.35 TB/s, 193 steps a second."""
        outcome = run(lookup, replace(LLAMA, batch=1, context=1))
        assert value(outcome, "decode-linear", "bytes") == 2 * 80 * (
            2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672
        )
        assert value(outcome, "decode-linear", "memory_time") == Fraction(136_902_082_560, 8 * 3_350_000_000_000)
        assert outcome.step is not None
        assert 190 < outcome.step.rate.quantity.middle < 193

    def test_the_cache_overtakes_the_weights(self, lookup: Lookup) -> None:
        outcome = run(lookup, LLAMA)
        cache = 64 * 8192 * 80 * 2 * 8 * 128 * 2
        assert value(outcome, "decode-attention", "bytes") == cache == 171_798_691_840
        assert value(outcome, "decode-attention", "memory_time") > value(outcome, "decode-linear", "memory_time")
        assert value(outcome, "decode-linear", "flops") == 64 * value(
            run(lookup, replace(LLAMA, batch=1)), "decode-linear", "flops"
        )

    def test_sixteen_accelerators_hold_each_kv_head_twice(self, lookup: Lookup) -> None:
        eight, sixteen = (run(lookup, replace(LLAMA, count=n)) for n in (8, 16))
        assert value(sixteen, "decode-attention", "memory_time") == value(eight, "decode-attention", "memory_time")
        assert value(sixteen, "decode-linear", "memory_time") * 2 == value(eight, "decode-linear", "memory_time")

    def test_attention_is_most_of_a_long_prompt(self, lookup: Lookup) -> None:
        """22,518 TFLOP of 128 Ki tokens, more than all matrices of the layers: not 281.5, which is one layer of eighty."""
        outcome = run(lookup, replace(LLAMA, phase="prefill", batch=1, context=131072))
        attention = value(outcome, "prefill-attention", "flops")
        assert attention == 80 * 2 * 64 * 128 * 131072**2
        assert round(attention / 10**12) == 22_518
        assert round(attention / (attention + value(outcome, "prefill-linear", "flops")), 3) == Fraction("0.557")


class TestOtherKinds:
    def test_latent_attention(self, lookup: Lookup) -> None:
        outcome = run(lookup, Setting("deepseek-v3", "nvidia-h200-sxm", "decode", 4096, 1024, 32, data=32, expert=32))
        assert value(outcome, "decode-attention-mla", "flops") == 61 * 2 * 128 * (2 * 512 + 64) * 4096 * 1024
        # 58 layers with experts: 8 of 256 for each token, three matrices of 7168 × 2048.
        assert value(outcome, "moe-experts", "flops") == 58 * 2 * 8 * 3 * 7168 * 2048 * 1024
        share = part(outcome, "moe-experts").share
        assert (share.devices, share.batch, share.groups) == (32, 1024, 1)

    def test_half_the_layers_of_gpt_oss_see_a_window(self, lookup: Lookup) -> None:
        setting = Setting("gpt-oss-120b", "nvidia-h100-sxm", "decode", 8192, 32, experts="mxfp4")
        outcome = run(lookup, setting)
        one = 2 * 8 * 64 * 2 * 32
        full, window = (
            value(outcome, name, "bytes") for name in ("decode-attention", "decode-attention-sliding-window")
        )
        assert (full, window) == (18 * one * 8192, 18 * one * 128)
        longer = run(lookup, replace(setting, context=16384))
        assert value(longer, "decode-attention-sliding-window", "bytes") == window

    def test_few_layers_of_a_hybrid_attend(self, lookup: Lookup) -> None:
        outcome = run(lookup, Setting("jamba-1.5-large", "nvidia-h200-sxm", "decode", 65536, 8, 8))
        assert value(outcome, "decode-attention", "bytes") == 9 * 2 * 8 * 128 * 2 * 65536 * 8

    def test_a_longer_context_slows_a_pure_state_model_by_nothing(self, lookup: Lookup) -> None:
        short, long = (
            run(lookup, Setting("mamba-2.8b", "nvidia-l4", "decode", n, activations="fp16")) for n in (1, 10**6)
        )
        assert short.step is not None and long.step is not None
        assert short.step.overlapped.quantity.value == long.step.overlapped.quantity.value


class TestTraining:
    def test_every_model_s_step_is_whole(self, lookup: Lookup) -> None:
        """Nothing uncounted, no gap; and the matrices do what ``training-linear`` derives by another route."""
        matrices = {"attention-projections", "feed-forward", "router", "experts", "shared-experts"}
        for entry in lookup.knowledge.of_kind("model"):
            assert isinstance(entry.record, Model)
            outcome = run(lookup, Setting(entry.id, "nvidia-h100-sxm", "training", 4096, 8, 2, data=2))
            assert not outcome.uncounted and not outcome.gaps and not outcome.memory.why, entry.id
            scope = {"model": entry.reference}
            head = lookup.evaluate("head_flops(batch=8, T=4096)", "classes/training-linear", {}, scope)
            assert value(outcome, "output-head", "flops") == head.quantity.value, entry.id
            if any(isinstance(g.attention, LatentAttention) and g.attention.indexer for g in entry.record.layers):
                continue  # the projections of an indexer are counted with its scores
            layers = lookup.evaluate("step_flops(batch=8, T=4096)", "classes/training-linear", {}, scope)
            assert operations(outcome, matrices) == layers.quantity.value, entry.id

    def test_llama_3_405b_on_16384_h100(self, lookup: Lookup) -> None:
        """Degrees, lengths and batch of its report, which gives 38 to 43 % of peak: a bound that is not far, and not passed.

        Layers were not recomputed there, and fitted.
        """
        setting = Setting("llama-3.1-405b", "nvidia-h100-sxm", "training", 8192, 2048, 16384, 8, 16, data=128)
        outcome = run(lookup, setting)
        step = outcome.step
        assert step is not None and step.needed is not None and step.utilisation is not None
        assert step.bound_by == "compute" and step.utilisation.quantity.value == 1
        reached = step.needed.quantity.middle / (16384 * 400 * 10**12)
        assert Fraction("0.38") < step.overlapped.quantity.middle / reached < Fraction("0.43")
        assert outcome.memory.fits is True
        assert outcome.deployment.idle == Fraction(15, 31)

    def test_gpt_3_sized_work_by_the_rule_of_six(self, lookup: Lookup) -> None:
        """Six operations a parameter and token, the look-up left out, and attention: to the last operation."""
        outcome = run(lookup, Setting("llama-3.1-8b", "nvidia-a100-sxm-80gb", "training", 2048, 16, 8, data=8))
        assert outcome.step is not None and outcome.step.needed is not None
        weights = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336) + 128256 * 4096
        attention = 3 * 32 * 2 * 32 * 128 * 2048**2
        assert outcome.step.needed.quantity.value == 6 * weights * 16 * 2048 + 16 * attention

    @pytest.mark.parametrize("recompute", ["nothing", "layers"])
    def test_states_weights_and_gradients_of_one_model_are_16_bytes_a_parameter(
        self, lookup: Lookup, recompute: Recompute
    ) -> None:
        for model, setting in (
            ("llama-3.1-70b", Setting("llama-3.1-70b", "nvidia-b200", "training", 4096, 8, 64, 8, data=8, shard="weights")),
            ("deepseek-v3", Setting("deepseek-v3", "nvidia-b200", "training", 4096, 64, 64, data=64, expert=64, shard="weights")),
        ):  # fmt: skip
            kinds = run(lookup, replace(setting, recompute=recompute)).memory.kinds
            held = sum(kinds[f"resident_{name}"].quantity.middle for name in ("weights", "gradients", "optimiser"))
            assert held == 16 * lookup.get(model, "parameters.total").quantity.middle / 64


def test_every_gap_names_what_is_missing(lookup: Lookup) -> None:
    outcome = run(lookup, replace(LLAMA, accelerator="google-tpu-v5e"))
    assert all("has no quantity peak.fp32_vector" in gap for gap in outcome.gaps)
    with pytest.raises(FormulaError):
        lookup.get("accelerators/google-tpu-v5e", "peak.fp32_vector")
