"""Training steps over ``tests/data/scenario``, with every expectation derived by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ridgeline.lookup import Lookup
from ridgeline.scenario import ScenarioError, Setting, run
from ridgeline.scenario.setting import Shard, Share, deployment
from tests.conftest import Cli
from tests.unit.test_scenario import HEAD, LAYER, ROOT, table

PLAIN = Setting("plain", "round", "training", 1000)
PIPED = Setting("plain", "round", "training", 1000, 16, 8, 2, 2, data=2, micro_batch=2)


@pytest.fixture(scope="module")
def lookup() -> Lookup:
    return Lookup(ROOT)


class TestPasses:
    def test_each_part_forward_and_backward(self, lookup: Lookup) -> None:
        found = table(run(lookup, PLAIN))
        forward = 20 * LAYER * 1000
        assert found["linear"] == {
            "flops": 3 * forward,
            "bytes": 3 * 20 * LAYER,
            "compute_time": Fraction(3 * forward, 100 * 10**12),
            "memory_time": Fraction(3 * 20 * LAYER, 10**12),
        }
        # Ten layers, eight heads of 128, causal: 2 · 8 · 128 · 1000² forward.
        assert found["attention-training"]["flops"] == 3 * 10 * 2 * 8 * 128 * 1000**2
        # Operations of its backward pass are as many as forward; bytes are two times as many.
        assert found["activation"]["flops"] == 2 * 5 * 4096 * 10 * 1000
        assert found["activation"]["bytes"] == 3 * 3 * 4096 * 2 * 10 * 1000
        # Logits of every position.
        assert found["head"]["flops"] == 3 * 2 * HEAD * 1000
        assert found["optimiser"]["bytes"] == 28 * (10 * LAYER + 2 * HEAD)
        assert set(found) == {"linear", "attention-training", "activation", "head", "optimiser"}

    def test_recomputation_does_the_layers_once_more(self, lookup: Lookup) -> None:
        once, again = run(lookup, PLAIN), run(lookup, replace(PLAIN, recompute="layers"))
        for part in ("linear", "attention-training"):
            assert 3 * table(again)[part]["flops"] == 4 * table(once)[part]["flops"]
            assert 3 * table(again)[part]["compute_time"] == 4 * table(once)[part]["compute_time"]
        assert 2 * table(again)["activation"]["flops"] == 3 * table(once)["activation"]["flops"]
        for part in ("head", "optimiser"):
            assert table(again)[part] == table(once)[part]
        assert once.step is not None and again.step is not None
        assert once.step.needed is not None and again.step.needed is not None
        assert once.step.needed.quantity.value == again.step.needed.quantity.value

    def test_what_is_sent_is_not_sent_again(self, lookup: Lookup) -> None:
        shared = replace(PIPED, recompute="layers")
        for part in ("reduce", "send", "gradients"):
            assert table(run(lookup, shared))[part] == table(run(lookup, PIPED))[part]

    def test_utilisation_leaves_recomputation_out(self, lookup: Lookup) -> None:
        setting = replace(PLAIN, batch=64, micro_batch=64)
        for again in (False, True):
            outcome = run(lookup, replace(setting, recompute="layers" if again else "nothing"))
            step = outcome.step
            assert step is not None and step.needed is not None and step.utilisation is not None
            assert step.bound_by == "compute"
            used = step.needed.quantity.middle / (100 * 10**12 * step.overlapped.quantity.middle)
            assert step.utilisation.quantity.value == used
            # The head is not computed again, so a little more than three parts in four.
            assert Fraction(3, 4) < used < Fraction("0.77") if again else used == 1

    def test_every_token_of_every_sequence_counts(self, lookup: Lookup) -> None:
        step = run(lookup, PIPED).step
        assert step is not None
        assert step.throughput.quantity.middle * step.overlapped.quantity.middle == 16 * 1000


class TestSharing:
    def test_groups_and_micro_batches(self) -> None:
        shared = deployment(PIPED)
        assert (shared.micro_batches, shared.at_once) == (4, 2)
        assert (shared.rounds, shared.idle) == (Fraction(2), Fraction(1, 5))
        assert shared.share("tensor") == Share(2, 2, 8)
        assert shared.share("pipeline") == Share(2, 8, 2)
        assert shared.share("data") == Share(2, 16, 1)

    def test_a_stage_is_busy_for_its_layers_of_all_micro_batches(self, lookup: Lookup) -> None:
        found = table(run(lookup, PIPED))
        # All operations, evenly over eight accelerators; weights are read by each replica for each micro-batch.
        assert found["linear"]["flops"] == 3 * 20 * LAYER * 16_000
        assert found["linear"]["compute_time"] == Fraction(3 * 20 * LAYER * 16_000, 8 * 100 * 10**12)
        assert found["linear"]["bytes"] == 3 * 20 * LAYER * 2 * 4
        assert found["linear"]["memory_time"] == Fraction(3 * 20 * LAYER * 2 * 4, 8 * 10**12)

    def test_what_travels(self, lookup: Lookup) -> None:
        found = table(run(lookup, PIPED))
        # Forward and backward, two sums of half a message for each layer; five layers, four micro-batches of 2000 tokens.
        assert found["reduce"]["link_bytes"] == 2 * 5 * 4 * (4 * Fraction(1, 2) * 2000 * 1024 * 2)
        # Eight sequences of a replica to the next stage, and their gradients back.
        assert found["send"]["link_bytes"] == 2 * 8 * 1000 * 1024 * 2
        # Half of the gradients and half of the weights of a quarter of the model.
        weights = 10 * LAYER + 2 * HEAD
        assert found["gradients"] == {
            "link_bytes": Fraction(1, 2) * weights * 4 / 4,
            "link_time": Fraction(1, 2) * weights * 4 / 4 / (50 * 10**9),
        }
        assert found["optimiser"]["memory_time"] == Fraction(28 * weights, 8 * 10**12)

    def test_weights_that_are_divided_are_gathered_for_every_pass(self, lookup: Lookup) -> None:
        found = table(run(lookup, replace(PIPED, shard="weights")))
        weights = 10 * LAYER + 2 * HEAD
        assert found["gradients"]["link_bytes"] == Fraction(1, 2) * weights * (2 + 2 * 8) / 4

    def test_gradients_have_a_format_of_their_own(self, lookup: Lookup) -> None:
        found = table(run(lookup, replace(PIPED, gradients="fp32")))
        weights = 10 * LAYER + 2 * HEAD
        assert found["gradients"]["link_bytes"] == Fraction(1, 2) * weights * (2 + 4) / 4

    def test_one_replica_exchanges_no_gradients(self, lookup: Lookup) -> None:
        assert "gradients" not in table(run(lookup, PLAIN))

    def test_the_pipeline_fills_and_empties(self, lookup: Lookup) -> None:
        outcome = run(lookup, PIPED)
        assert outcome.step is not None
        stages, replicas = Fraction(0), Fraction(0)
        for part in outcome.parts:
            longest = max(t.value.quantity.middle for t in part.times.values() if t.value is not None)
            if part.over == "data":
                replicas += longest
            else:
                stages += longest
        # Four micro-batches through two stages take as long as five through one.
        assert outcome.step.in_turn.quantity.value == stages * 5 / 4 + replicas

    def test_fewer_micro_batches_than_stages(self, lookup: Lookup) -> None:
        """One micro-batch is in one stage at a time, so nothing is won."""
        one, two = run(lookup, PLAIN), run(lookup, replace(PLAIN, count=2, pipeline=2))
        assert table(one)["linear"]["compute_time"] == table(two)["linear"]["compute_time"]
        assert two.deployment.idle == Fraction(1, 2)


class TestMemory:
    WEIGHTS = 10 * LAYER + 2 * HEAD

    @pytest.mark.parametrize(
        ("shard", "ways"),
        [
            ("nothing", (4, 4, 4)),
            (None, (4, 4, 8)),
            ("states", (4, 4, 8)),
            ("gradients", (4, 8, 8)),
            ("weights", (8, 8, 8)),
        ],
    )
    def test_what_replicas_divide(self, lookup: Lookup, shard: Shard | None, ways: tuple[int, int, int]) -> None:
        kinds = run(lookup, replace(PIPED, shard=shard)).memory.kinds
        for name, each, number in zip(("weights", "gradients", "optimiser"), (2, 2, 12), ways, strict=True):
            assert kinds[f"resident_{name}"].quantity.value == Fraction(self.WEIGHTS * each, number)

    def test_activations_of_the_micro_batches_on_their_way(self, lookup: Lookup) -> None:
        row = 2 * 1000 * 1024 * 2
        kept = run(lookup, PIPED).memory.kinds["resident_activations"]
        # Ten rows of ten layers, two micro-batches at once, over four accelerators.
        assert kept.quantity.value == 10 * 10 * row * 2 / 4
        inputs = run(lookup, replace(PIPED, recompute="layers")).memory.kinds["resident_activations"]
        assert inputs.quantity.middle * 10 == kept.quantity.value
        alone = run(lookup, replace(PIPED, batch=4)).memory.kinds["resident_activations"]
        assert alone.quantity.middle * 2 == kept.quantity.value  # there is one micro-batch in each replica

    def test_serving_counts_none_of_it(self, lookup: Lookup) -> None:
        serving = run(lookup, Setting("plain", "round", "decode", 1000)).memory.kinds
        assert set(serving) == {"resident_weights", "resident_cache", "resident_state", "resident_reserve"}
        assert "resident_cache" not in run(lookup, PLAIN).memory.kinds
        assert run(lookup, PLAIN).memory.sequences is None


class TestRefusals:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"phase": "decode", "micro_batch": 2}, "micro-batch belongs to training: leave it out of decode"),
            ({"phase": "prefill", "recompute": "layers"}, "recompute belongs to training: leave it out of prefill"),
            ({"phase": "decode", "shard": "states"}, "shard belongs to training: leave it out of decode"),
            ({"phase": "decode", "gradients": "fp32"}, "gradients belongs to training: leave it out of decode"),
            ({"batch": 6, "micro_batch": 4},
             "6 sequences of a replica cannot be split into micro-batches of 4: make batch a multiple of 4"),
            ({"batch": 6, "data": 2, "count": 2, "micro_batch": 2},
             "3 sequences of a replica cannot be split into micro-batches of 2: make batch a multiple of 4"),
            ({"phase": "learning"}, "phase learning: write prefill, decode or training"),
            ({"recompute": "all"}, "recompute all: write nothing or layers"),
            ({"shard": "layers"}, "shard layers: write nothing, states, gradients or weights"),
            ({"micro_batch": 0}, "micro-batch 0: at least 1 and at most 1,000,000,000"),
            ({"gradients": "fp9"}, "there is no record formats/fp9; did you mean formats/fp8 or formats/fp32?"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_said_plainly(self, lookup: Lookup, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ScenarioError) as refused:
            run(lookup, replace(PLAIN, **change))
        assert str(refused.value) == message

    def test_work_that_nobody_counts_is_named(self, lookup: Lookup, tmp_path: Path) -> None:
        assert run(lookup, PLAIN).uncounted == ("norms", "residuals", "embedding")
        shutil.copytree(ROOT, tmp_path / "root")
        for name in ("optimiser", "gradients", "linear"):
            (tmp_path / f"root/records/classes/{name}.yaml").unlink()
        uncounted = run(Lookup(tmp_path / "root"), PIPED).uncounted
        assert {"optimiser", "gradient-collective", "feed-forward"} <= set(uncounted)


class TestFaces:
    ARGUMENTS = ("scenario", "plain", "round", "--phase", "training", "--context", "1000", "--batch", "16", "--count", "8",
                 "--tensor", "2", "--pipeline", "2", "--data", "2", "--micro-batch", "2", "--root", str(ROOT))  # fmt: skip

    def test_the_table(self, cli: Cli) -> None:
        ran = cli(*self.ARGUMENTS, "--recompute", "layers", "--shard", "gradients")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == (ROOT / "training.txt").read_text(encoding="utf-8")

    def test_every_value_says_how_to_compute_it_again(self, lookup: Lookup) -> None:
        outcome = run(lookup, replace(PIPED, recompute="layers", shard="weights", reserve="1 GB"))
        records = outcome.records
        formats = {name: records[name] for name in ("weights", "experts", "activations", "cache", "gradients")}
        scope = {"model": records["model"], "accelerator": records["accelerator"], "format": records["compute"]}
        costs = [(p.reference, c) for p in outcome.parts for c in (*p.costs.values(), *p.times.values(), p.needed) if c]
        for reference, cost in [*costs, *((of, cost) for of, _, cost in outcome.memory.costs)]:
            assert cost.value is not None, cost.why
            again = lookup.evaluate(cost.expression, reference, formats, scope)
            assert again.quantity.value == cost.value.quantity.value

    def test_the_data(self, cli: Cli) -> None:
        data = cli(*self.ARGUMENTS, "--format", "json").json
        assert data["setting"]["micro_batch"] == 2 and data["setting"]["shard"] == "states"
        linear = next(part for part in data["parts"] if part["class"] == "classes/linear")
        assert linear["times"]["compute_time"]["expression"].startswith("2 * (total(compute_time(")
        assert data["step"]["needed"]["unit"] == "flop"
        assert data["step"]["utilisation"]["decimal"] <= 1


class TestRecords:
    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("  backward_bytes: {per: layer, unit: byte, is: 2 * bytes}\n", "",
             "a part of training needs backward_bytes: what its backward pass takes"),
            ("  backward_memory_time:", "  backward_memory:", "backward_bytes needs the formula backward_memory_time"),
            ("  backward_flops: {per: layer, unit: flop", "  backward_flops: {unit: flop",
             "backward_compute_time and backward_flops are both per: layer, or neither is"),
            ("part_of: [prefill, decode, training]", "part_of: [prefill, training-memory]",
             "a part of memory is part of nothing else: its formulas are other ones"),
        ],
    )  # fmt: skip
    def test_a_part_of_training_says_what_its_backward_pass_takes(
        self, tmp_path: Path, cli: Cli, old: str, new: str, message: str
    ) -> None:
        shutil.copytree(ROOT, tmp_path / "root")
        path = tmp_path / "root/records/classes/linear.yaml"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
        ran = cli("check", "--root", tmp_path / "root")
        assert ran.code == 1 and message in ran.out

    def test_what_is_done_once_a_step_has_no_backward_pass(self, tmp_path: Path, cli: Cli) -> None:
        shutil.copytree(ROOT, tmp_path / "root")
        assert cli("check", "--root", tmp_path / "root").code == 0
        text = (tmp_path / "root/records/classes/optimiser.yaml").read_text(encoding="utf-8")
        assert "backward" not in text
