"""Scenarios over ``tests/data/scenario``: a small model and round rates, with every expectation derived by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ridgeline.lookup import Lookup
from ridgeline.scenario import Outcome, ScenarioError, Setting, run
from ridgeline.scenario.desk import Cost
from ridgeline.scenario.setting import Share, deployment
from tests.conftest import Cli

ROOT = Path(__file__).resolve().parent.parent / "data" / "scenario"
PLAIN = Setting("plain", "round", "decode", 1000)
VARIED = Setting("varied", "round", "decode", 1000)


@pytest.fixture(scope="module")
def lookup() -> Lookup:
    return Lookup(ROOT)


def exact(cost: Cost | None) -> Fraction:
    assert cost is not None and cost.value is not None
    assert isinstance(cost.value.quantity.value, Fraction)
    return cost.value.quantity.value


def table(outcome: Outcome) -> dict[str, dict[str, Fraction]]:
    """Every known value of every part."""
    return {
        part.reference.partition("/")[2]: {name: exact(cost) for name, cost in (part.costs | part.times).items()}
        for part in outcome.parts
    }


#: Weights of one layer of ``plain``: queries and output, keys and values, three feed-forward matrices.
LAYER = 2 * 1024 * 8 * 128 + 2 * 1024 * 2 * 128 + 3 * 1024 * 4096
HEAD = 1000 * 1024


class TestOneAccelerator:
    def test_each_part_of_a_decode_step(self, lookup: Lookup) -> None:
        found = table(run(lookup, PLAIN))
        assert LAYER == 15_204_352
        assert found == {
            "linear": {
                "flops": 20 * LAYER,
                "bytes": 20 * LAYER,
                "compute_time": Fraction(20 * LAYER, 100 * 10**12),
                "memory_time": Fraction(20 * LAYER, 10**12),
            },
            # Ten layers of 4 · 8 heads · 128 · 1000 tokens; keys and values of two heads at two bytes.
            "attention-full": {
                "flops": 40_960_000,
                "bytes": 10_240_000,
                "compute_time": Fraction(40_960_000, 100 * 10**12),
                "memory_time": Fraction(10_240_000, 10**12),
            },
            "activation": {
                "flops": 5 * 4096 * 10,
                "bytes": 3 * 4096 * 2 * 10,
                "compute_time": Fraction(5 * 4096 * 10, 10 * 10**12),
                "memory_time": Fraction(3 * 4096 * 2 * 10, 10**12),
            },
            "head": {
                "flops": 2 * HEAD,
                "bytes": 2 * HEAD,
                "compute_time": Fraction(2 * HEAD, 100 * 10**12),
                "memory_time": Fraction(2 * HEAD, 10**12),
            },
        }

    def test_the_step_is_bound_by_the_bytes(self, lookup: Lookup) -> None:
        outcome = run(lookup, PLAIN)
        step = outcome.step
        assert step is not None
        moved = 20 * LAYER + 10_240_000 + 245_760 + 2 * HEAD
        worked = 20 * LAYER + 40_960_000 + 2 * HEAD
        assert {name: time.quantity.value for name, time in step.resources.items()} == {
            "compute": Fraction(worked, 100 * 10**12),
            "vector compute": Fraction(204_800, 10 * 10**12),
            "memory": Fraction(moved, 10**12),
        }
        assert step.bound_by == "memory" and {part.bound_by for part in outcome.parts} == {"memory"}
        assert step.overlapped.quantity.value == step.in_turn.quantity.value == Fraction(moved, 10**12)
        assert step.rate.quantity.value == step.throughput.quantity.value == Fraction(10**12, moved)

    def test_a_prefill_works_on_every_token_of_the_prompt(self, lookup: Lookup) -> None:
        outcome = run(lookup, replace(PLAIN, phase="prefill", context=4096, batch=2))
        found = table(outcome)
        assert set(found) == {"linear", "activation", "head"}  # no class of the small base covers prefill attention
        assert "attention" in outcome.uncounted
        assert found["linear"]["flops"] == 2 * 10 * LAYER * 4096 * 2
        assert found["linear"]["bytes"] == 20 * LAYER
        assert found["head"]["flops"] == 2 * HEAD * 2  # one position a prompt
        step = outcome.step
        assert step is not None and step.bound_by == "compute"
        assert step.throughput.quantity.value == 2 * 4096 / step.overlapped.quantity.middle
        # Each prompt of two waits for the whole step, so it sees half of the throughput.
        assert step.rate.quantity.value * 2 == step.throughput.quantity.value  # type: ignore[operator]

    def test_the_two_bounds_part_where_parts_are_bound_by_different_things(self, lookup: Lookup) -> None:
        # 640 sequences: the weights are used often enough to be bound by compute, the caches never are.
        outcome = run(lookup, replace(PLAIN, batch=640))
        found, step = table(outcome), outcome.step
        assert step is not None
        assert {part.reference: part.bound_by for part in outcome.parts}["classes/linear"] == "compute"
        assert {part.reference: part.bound_by for part in outcome.parts}["classes/attention-full"] == "memory"
        longest = [max(v["compute_time"], v["memory_time"]) for v in found.values()]
        assert step.in_turn.quantity.value == sum(longest)
        memory = sum(v["memory_time"] for v in found.values())
        assert step.overlapped.quantity.value == memory < sum(longest)

    def test_formats_set_the_bytes_and_the_rate(self, lookup: Lookup) -> None:
        setting = replace(PLAIN, weights="mxfp4", cache="fp8", activations="fp8")
        found = table(run(lookup, setting))
        assert found["linear"]["bytes"] == 10 * LAYER * Fraction(17, 32)  # 4.25 bits
        assert found["attention-full"]["bytes"] == 5_120_000
        assert found["activation"]["bytes"] == 3 * 4096 * 10
        assert found["linear"]["compute_time"] == Fraction(20 * LAYER, 200 * 10**12)
        slower = table(run(lookup, replace(setting, compute="bf16")))
        assert slower["linear"]["compute_time"] == Fraction(20 * LAYER, 100 * 10**12)

    def test_a_format_of_the_experts_alone(self, lookup: Lookup) -> None:
        both = table(run(lookup, VARIED)), table(run(lookup, replace(VARIED, experts="mxfp4")))
        # Two layers, two of eight experts, three matrices of 1024 × 512.
        assert both[0]["experts"]["bytes"] == 2 * 2 * 3 * 1024 * 512 * 2
        assert both[1]["experts"]["bytes"] == 2 * 2 * 3 * 1024 * 512 * Fraction(17, 32)
        assert both[0]["linear"] == both[1]["linear"]

    def test_layers_count_where_they_apply(self, lookup: Lookup) -> None:
        found = table(run(lookup, replace(VARIED, batch=3)))
        assert found["attention-full"]["bytes"] == 2 * (2 * 2 * 128 * 1000 * 2) * 3
        assert found["attention-window"]["bytes"] == 3 * (2 * 2 * 128 * 100 * 2) * 3
        assert found["activation"]["flops"] == 3 * 5 * 4096 * 3  # the dense layers alone
        # Three tokens that take two experts each touch six of eight.
        assert found["experts"]["bytes"] == 2 * 6 * (3 * 1024 * 512) * 2

    def test_a_short_context_does_not_fill_the_window(self, lookup: Lookup) -> None:
        found = table(run(lookup, replace(VARIED, context=40)))
        assert found["attention-window"]["bytes"] == 3 * (2 * 2 * 128 * 40 * 2)


class TestSharing:
    def test_tensor_parallel_halves_the_times_and_adds_the_reduction(self, lookup: Lookup) -> None:
        one, two = table(run(lookup, PLAIN)), table(run(lookup, replace(PLAIN, count=2)))
        for part in one:
            assert two[part]["flops"] == one[part]["flops"] and two[part]["bytes"] == one[part]["bytes"]
            assert two[part]["memory_time"] * 2 == one[part]["memory_time"]
        # Ten layers, two reductions, each 2 · (1/2) of 1024 activations of two bytes, over 50 GB/s.
        assert two["reduce"] == {"link_bytes": 10 * 4096, "link_time": Fraction(40_960, 50 * 10**9)}
        assert "reduce" not in one

    def test_heads_are_read_twice_where_there_are_fewer_than_accelerators(self, lookup: Lookup) -> None:
        two, four = (table(run(lookup, replace(PLAIN, count=n)))["attention-full"] for n in (2, 4))
        assert four["bytes"] == 2 * two["bytes"] and four["memory_time"] == two["memory_time"]
        assert four["compute_time"] * 2 == two["compute_time"]

    def test_replicas_have_their_own_sequences_and_read_the_weights_each(self, lookup: Lookup) -> None:
        alone, both = run(lookup, replace(PLAIN, batch=4)), run(lookup, replace(PLAIN, batch=8, count=2, data=2))
        assert table(both)["linear"]["bytes"] == 2 * table(alone)["linear"]["bytes"]
        assert table(both)["linear"]["memory_time"] == table(alone)["linear"]["memory_time"]
        assert alone.step is not None and both.step is not None
        assert both.step.overlapped.quantity.value == alone.step.overlapped.quantity.value
        assert both.step.throughput.quantity.middle == 2 * alone.step.throughput.quantity.middle

    def test_stages_take_turns(self, lookup: Lookup) -> None:
        # Two micro-batches of four: each reads all weights, and passes one stage after the other.
        alone, both = run(lookup, replace(PLAIN, batch=4)), run(lookup, replace(PLAIN, batch=8, count=2, pipeline=2))
        for part in table(alone):
            assert table(both)[part]["memory_time"] == table(alone)[part]["memory_time"]
            assert table(both)[part]["bytes"] == 2 * table(alone)[part]["bytes"]
        # A stage hands all eight on in a step.
        assert table(both)["send"] == {"link_bytes": 8 * 2048, "link_time": Fraction(8 * 2048, 50 * 10**9)}

    def test_one_sequence_is_in_one_stage_at_a_time(self, lookup: Lookup) -> None:
        alone, both = run(lookup, PLAIN), run(lookup, replace(PLAIN, count=2, pipeline=2))
        assert alone.step is not None and both.step is not None
        assert table(both)["linear"]["memory_time"] == table(alone)["linear"]["memory_time"]
        assert both.step.rate.quantity.value == both.step.throughput.quantity.value

    @pytest.mark.parametrize(
        ("degrees", "over_tensor", "over_expert"),
        [
            ({"count": 8}, Share(8, 16, 1), Share(8, 16, 1)),
            ({"count": 8, "expert": 4}, Share(8, 16, 1), Share(8, 16, 1)),
            ({"count": 8, "data": 8, "expert": 8}, Share(1, 2, 8), Share(8, 16, 1)),
            ({"count": 8, "data": 8}, Share(1, 2, 8), Share(1, 2, 8)),
            ({"count": 8, "data": 4, "expert": 8}, Share(2, 4, 4), Share(8, 16, 1)),
            ({"count": 8, "data": 4, "expert": 4}, Share(2, 4, 4), Share(4, 8, 2)),
            ({"count": 16, "data": 4, "pipeline": 2, "expert": 8}, Share(2, 2, 8), Share(8, 8, 2)),
        ],
    )
    def test_groups(self, degrees: dict[str, int], over_tensor: Share, over_expert: Share) -> None:
        shared = deployment(replace(VARIED, batch=16, **degrees))
        assert (shared.share("tensor"), shared.share("expert")) == (over_tensor, over_expert)
        for share in (over_tensor, over_expert):
            # Whatever the groups, all sequences are in them, and all accelerators of a stage.
            assert share.batch * share.groups == 16
            assert share.devices * share.groups == shared.count * shared.micro_batches // shared.pipeline

    def test_experts_spread_over_replicas_serve_the_tokens_of_all(self, lookup: Lookup) -> None:
        setting = replace(VARIED, batch=4, count=4, data=4)
        apart, spread = table(run(lookup, setting)), table(run(lookup, replace(setting, expert=4)))
        one = 3 * 1024 * 512
        assert apart["experts"]["bytes"] == 4 * 2 * 2 * one * 2  # each replica reads the two that its sequence takes
        assert spread["experts"]["bytes"] == 2 * 8 * one * 2  # four sequences take eight, a quarter on each
        assert spread["experts"]["memory_time"] == Fraction(2 * 8 * one * 2, 4 * 10**12)
        # Two layers; from each accelerator one token to two experts and back, three quarters of them elsewhere.
        assert spread["exchange"]["link_bytes"] == 2 * 2 * 1 * 2 * 1024 * 2 * Fraction(3, 4)
        assert "exchange" not in apart

    def test_experts_within_a_tensor_group_need_no_exchange(self, lookup: Lookup) -> None:
        assert "exchange" not in table(run(lookup, replace(VARIED, count=4, expert=4)))


class TestMemory:
    def test_what_stands_in_it(self, lookup: Lookup) -> None:
        memory = run(lookup, replace(PLAIN, batch=2)).memory
        weights, cache = 2 * (10 * LAYER + 2 * HEAD), 2 * 10_240_000
        assert {name: value.quantity.value for name, value in memory.kinds.items()} == {
            "resident_weights": weights,
            "resident_cache": cache,
            "resident_state": 0,
            "resident_reserve": 0,
        }
        assert memory.free is not None and memory.free.quantity.value == 16 * 10**9 - weights - cache
        assert memory.fits is True
        assert memory.sequences is not None
        assert memory.sequences.quantity.value == (16 * 10**9 - weights) // 10_240_000 == 1532

    @pytest.mark.parametrize(("batch", "fits"), [(1532, True), (1533, False)])
    def test_the_last_sequence_that_fits(self, lookup: Lookup, batch: int, fits: bool) -> None:
        memory = run(lookup, replace(PLAIN, batch=batch)).memory
        assert memory.fits is fits and memory.sequences is not None and memory.sequences.quantity.value == 1532

    def test_the_reserve_takes_room(self, lookup: Lookup) -> None:
        memory = run(lookup, replace(PLAIN, reserve="0.5 GiB")).memory
        assert memory.kinds["resident_reserve"].quantity.value == 2**29
        assert memory.sequences is not None
        assert memory.sequences.quantity.value == (16 * 10**9 - 2 * (10 * LAYER + 2 * HEAD) - 2**29) // 10_240_000

    def test_weights_that_do_not_fit_leave_no_room(self, lookup: Lookup) -> None:
        memory = run(lookup, replace(PLAIN, reserve="15.9 GB")).memory
        assert memory.fits is False and memory.sequences is not None and memory.sequences.quantity.value == 0

    def test_a_head_stands_on_each_accelerator_that_needs_it(self, lookup: Lookup) -> None:
        caches = [
            run(lookup, replace(PLAIN, count=n)).memory.kinds["resident_cache"].quantity.value for n in (1, 2, 4, 8)
        ]
        assert caches == [10_240_000, 5_120_000, 5_120_000, 5_120_000]

    def test_replicas_hold_their_own_sequences(self, lookup: Lookup) -> None:
        memory = run(lookup, replace(PLAIN, batch=8, count=4, data=4)).memory
        assert memory.kinds["resident_cache"].quantity.value == 2 * 10_240_000
        assert memory.sequences is not None and memory.sequences.quantity.value == 4 * 1532

    def test_states_and_windows(self, lookup: Lookup) -> None:
        memory = run(lookup, VARIED).memory
        per_token = 2 * 2 * 128 * 2
        assert memory.kinds["resident_cache"].quantity.value == 2 * per_token * 1000 + 3 * per_token * 100
        # Four layers of 1024 channels with 128 state elements of four bytes, and three inputs of the convolution.
        assert memory.kinds["resident_state"].quantity.value == 4 * (1024 * 128 * 4 + (1024 + 256) * 3 * 2)

    def test_an_unknown_capacity_is_said(self, lookup: Lookup) -> None:
        memory = run(lookup, replace(PLAIN, accelerator="fast")).memory
        assert (memory.fits, memory.free, memory.sequences) == (None, None, None)
        assert memory.needed is not None and "memory.capacity" in memory.why


class TestGaps:
    def test_a_peak_that_is_not_known_leaves_a_time_out(self, lookup: Lookup) -> None:
        outcome = run(lookup, replace(PLAIN, accelerator="fast"))
        activation = next(part for part in outcome.parts if part.reference == "classes/activation")
        assert activation.times["compute_time"].value is None
        assert exact(activation.times["memory_time"]) == Fraction(245_760, 2 * 10**12)
        assert [gap.partition(":")[0] for gap in outcome.gaps] == ["compute_time of activation"]
        assert outcome.step is not None and "vector compute" not in outcome.step.resources

    def test_links_that_are_not_known(self, lookup: Lookup) -> None:
        outcome = run(lookup, replace(PLAIN, accelerator="fast", count=2))
        assert [gap.partition(":")[0] for gap in outcome.gaps] == [
            "compute_time of activation",
            "link_time of reduce",
        ]
        given = run(lookup, replace(PLAIN, accelerator="fast", count=2, link_rate="100 GB/s"))
        assert table_of(given, "reduce", "link_time") == Fraction(40_960, 100 * 10**9)

    def test_work_that_nobody_counts_is_named(self, lookup: Lookup) -> None:
        assert run(lookup, replace(VARIED, count=2, pipeline=2)).uncounted == (
            "norms", "residuals", "cache-write in 5 of 9 layers", "router in 2 of 9 layers", "state in 4 of 9 layers",
            "embedding", "sampling",
        )  # fmt: skip
        assert "tensor-collective" not in run(lookup, replace(PLAIN, count=2)).uncounted

    def test_work_is_missing_where_no_class_applies(self, tmp_path: Path) -> None:
        shutil.copytree(ROOT, tmp_path / "root")
        (tmp_path / "root/records/classes/attention-window.yaml").unlink()
        assert "attention in 3 of 9 layers" in run(Lookup(tmp_path / "root"), VARIED).uncounted


def table_of(outcome: Outcome, part: str, name: str) -> Fraction:
    found = next(p for p in outcome.parts if p.reference == f"classes/{part}")
    return exact((found.costs | found.times)[name])


class TestRefusals:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"model": "plane"}, "there is no record models/plane; did you mean models/plain or models/varied?"),
            ({"accelerator": "rounds"}, "there is no record accelerators/rounds; did you mean accelerators/round or accelerators/fast?"),
            ({"weights": "fp9"}, "there is no record formats/fp9; did you mean formats/fp8 or formats/fp32?"),
            ({"accelerator": "fast", "activations": "fp8"},
             "accelerators/fast has no peak for fp8: it computes in bf16; name one of them with --compute"),
            ({"compute": "mxfp4"},
             "accelerators/round has no peak for mxfp4: it computes in bf16, fp32, fp8; name one of them with --compute"),
            ({"count": 6, "pipeline": 4},
             "6 accelerators cannot be split evenly into pipeline 4 × data 1: count must be a multiple of 4"),
            ({"count": 1, "data": 2},
             "1 accelerator cannot be split evenly into pipeline 1 × data 2: count must be a multiple of 2"),
            ({"count": 8, "tensor": 2, "data": 2},
             "tensor 2 × pipeline 1 × data 2 are 4 accelerators, not 8: change one of them, or count"),
            ({"count": 3}, "the 8 query heads of models/plain cannot be shared evenly among 3 accelerators: change --tensor"),
            ({"count": 16},
             "the 8 query heads of models/plain cannot be shared evenly among 16 accelerators: change --tensor"),
            ({"count": 2, "data": 2, "batch": 3},
             "3 sequences cannot be split evenly among 2 replicas: make batch a multiple of 2"),
            ({"count": 2, "data": 2, "batch": 1},
             "1 sequence cannot be split evenly among 2 replicas: make batch a multiple of 2"),
            ({"count": 4, "pipeline": 4, "batch": 6},
             "6 sequences of a replica cannot be split evenly into 4 micro-batches, one for each stage of the pipeline: "
             "make batch a multiple of 4"),
            ({"count": 11, "pipeline": 11}, "models/plain has 10 layers: they make no 11 stages of a pipeline"),
            ({"count": 2, "expert": 2}, "models/plain has no experts to spread over 2 accelerators"),
            ({"model": "varied", "count": 2, "expert": 4},
             "the experts cannot be spread over 4 of the 2 accelerators of a stage (tensor 2 × data 1): expert must divide "
             "their number"),
            ({"model": "varied", "count": 16, "data": 16, "expert": 16, "batch": 16},
             "models/varied has 8 experts in a layer: they cannot be spread over 16"),
            ({"batch": 0}, "batch 0: at least 1 and at most 1,000,000,000"),
            ({"context": 0}, "context 0: at least 1 and at most 1,000,000,000,000"),
            ({"count": 10**7}, "count 10,000,000: at least 1 and at most 1,000,000"),
            ({"reserve": "4 s"}, "reserve 4 s: write a number of bytes, such as 4 GiB"),
            ({"reserve": "much"}, "reserve much: expected a number and its unit, such as 3.35 TB/s"),
            ({"link_rate": "50 GB"}, "link rate 50 GB: write bytes a second in one direction, such as 50 GB/s"),
            ({"link_rate": "0 GB/s"}, "link rate 0 GB/s: nothing would ever arrive"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_said_plainly(self, lookup: Lookup, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ScenarioError) as refused:
            run(lookup, replace(PLAIN, **change))
        assert str(refused.value) == message

    def test_heads_that_divide_one_way_only(self, lookup: Lookup) -> None:
        # Two KV heads on four accelerators are two copies each; on one they are both there.
        for count in (1, 2, 4, 8):
            assert run(lookup, replace(PLAIN, count=count)).step is not None


class TestExpressions:
    """Every value says how to compute it again, and that gives it again."""

    @pytest.mark.parametrize(
        "setting",
        [
            replace(PLAIN, batch=8, count=4, tensor=2, data=2, weights="fp8"),
            replace(VARIED, batch=16, count=8, data=4, expert=4, experts="mxfp4", reserve="1 GiB"),
            replace(VARIED, phase="prefill", context=333, batch=4, count=4, pipeline=2, cache="fp8"),
        ],
    )
    def test_eval_gives_the_same(self, lookup: Lookup, setting: Setting) -> None:
        outcome = run(lookup, setting)
        records = outcome.records
        formats = {name: records[name] for name in ("weights", "experts", "activations", "cache")}
        scope = {"model": records["model"], "accelerator": records["accelerator"], "format": records["compute"]}
        tried = 0
        costs = [(p.reference, c) for p in outcome.parts for c in (*p.costs.values(), *p.times.values())]
        for reference, cost in [*costs, *((of, cost) for of, _, cost in outcome.memory.costs)]:
            assert cost.value is not None
            again = lookup.evaluate(cost.expression, reference, formats, scope)
            assert again.quantity.value == cost.value.quantity.value
            tried += 1
        assert tried > 15

    def test_bytes_that_the_model_names_follow_the_formats(self, tmp_path: Path) -> None:
        root = tmp_path / "root"
        shutil.copytree(ROOT, root)
        path = root / "records/classes/attention-full.yaml"
        text = path.read_text(encoding="utf-8")
        old = '"2 * max(n_kv, num(devices, device)) * d_head * L * s_kv * batch"'
        assert text.count(old) == 1
        path.write_text(text.replace(old, '"kv_bytes_per_token_per_layer * L * batch"'), encoding="utf-8")
        for cache, byte in (("bf16", 2), ("fp8", 1)):
            outcome = run(Lookup(root), replace(PLAIN, cache=cache))
            assert table_of(outcome, "attention-full", "bytes") == 10 * 2 * 2 * 128 * 1000 * byte


class TestClasses:
    @pytest.fixture
    def changed(self, tmp_path: Path) -> Callable[[str, str, str], Lookup]:
        def change(name: str, old: str, new: str) -> Lookup:
            root = tmp_path / "root"
            shutil.copytree(ROOT, root)
            path = root / f"records/classes/{name}.yaml"
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1
            path.write_text(text.replace(old, new), encoding="utf-8")
            return Lookup(root)

        return change

    def test_a_withdrawn_class_is_no_part(self, changed: Callable[[str, str, str], Lookup]) -> None:
        outcome = run(changed("head", "status: verified", "status: withdrawn"), PLAIN)
        assert "head" not in table(outcome) and "output-head" in outcome.uncounted

    def test_an_alternative_is_no_part(self, changed: Callable[[str, str, str], Lookup]) -> None:
        text = "part_of: [prefill, decode, training]\ncovers: [output-head]\n"
        assert "head" not in table(run(changed("head", text, ""), PLAIN))

    def test_a_class_of_another_phase_is_no_part(self, changed: Callable[[str, str, str], Lookup]) -> None:
        lookup = changed("head", "part_of: [prefill, decode, training]", "part_of: [prefill]")
        assert "head" not in table(run(lookup, PLAIN))
        assert "head" in table(run(lookup, replace(PLAIN, phase="prefill")))

    def test_without_any_part_there_is_no_step(self, tmp_path: Path, cli: Cli) -> None:
        root = tmp_path / "root"
        shutil.copytree(ROOT, root)
        for path in (root / "records/classes").iterdir():
            path.unlink()
        outcome = run(Lookup(root), PLAIN)
        assert (outcome.parts, outcome.step, outcome.memory.needed) == ([], None, None)
        printed = cli("scenario", "plain", "round", "--context", "9", "--root", root)
        assert printed.code == 0 and "no class counts what stays in memory" in printed.out


class TestCommand:
    ARGUMENTS = ("scenario", "varied", "round", "--context", "1,000", "--batch", "8", "--count", "4", "--tensor", "2",
                 "--data", "2", "--expert", "4", "--root", str(ROOT))  # fmt: skip

    def test_the_table(self, cli: Cli) -> None:
        ran = cli(*self.ARGUMENTS)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == (ROOT / "varied.txt").read_text(encoding="utf-8")

    def test_the_data_fit_their_schema(self, cli: Cli, repository: Path) -> None:
        schema = json.loads((repository / "schema/output/scenario.v1.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(schema)
        training = ("--phase", "training", "--recompute", "layers")
        for more in ((), ("--phase", "prefill"), training, ("--link-rate", "1 GB/s", "--reserve", "1 GB")):
            ran = cli(*self.ARGUMENTS, *more, "--format", "json")
            assert (ran.code, ran.err) == (0, "")
            assert [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(ran.json)] == []
        gaps = cli("scenario", "plain", "fast", "--context", "9", "--root", ROOT, "--format", "json").json
        assert [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(gaps)] == []
        assert gaps["gaps"] and gaps["memory"]["fits"] is None

    def test_the_data_say_what_the_table_says(self, cli: Cli) -> None:
        data = cli(*self.ARGUMENTS, "--format", "json").json
        linear = next(part for part in data["parts"] if part["class"] == "classes/linear")
        assert linear["costs"]["bytes"]["value"] == "258211840"
        assert linear["times"]["memory_time"]["value"] == "0.00006455296"
        assert linear["times"]["memory_time"]["expression"].startswith("total(memory_time(")
        assert data["setting"]["records"]["compute"] == "formats/bf16"
        assert data["step"]["bound_by"] == "memory"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("plain", "round"), "the following arguments are required: --context"),
            (("plain", "round", "--context", "8k"), "8k is not a whole number"),
            (("plain", "round", "--context", "8", "--count", "3"), "the 8 query heads of models/plain"),
            (("nobody", "round", "--context", "8"), "there is no record models/nobody"),
        ],
    )
    def test_wrong_usage(self, cli: Cli, arguments: tuple[str, ...], message: str) -> None:
        ran = cli("scenario", *arguments, "--root", ROOT)
        assert ran.code == 2 and ran.out == "" and message in ran.err

    def test_bounds_are_rounded_to_the_side_that_keeps_them_true(self, cli: Cli, lookup: Lookup) -> None:
        outcome = run(lookup, PLAIN)
        assert outcome.step is not None
        assert float(outcome.step.overlapped.quantity.middle) == pytest.approx(316.6208e-6, rel=1e-9)
        out = cli("scenario", "plain", "round", "--context", "1000", "--root", ROOT).out
        assert "at least 316.6 µs, however" in out and "at most 3,159 tokens/s for a sequence" in out
