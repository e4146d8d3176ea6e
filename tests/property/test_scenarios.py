"""What holds for every scenario, whatever the setting; and that other readers of formulas compute the same."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ridgeline.formulas.tree import Name, Node, names
from ridgeline.formulas.writers.javascript import javascript
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.knowledge.derivation import RECORDED, Derivation, closed
from ridgeline.lookup import Lookup
from ridgeline.scenario import Outcome, ScenarioError, Setting, run
from ridgeline.scenario.code import module, statement
from ridgeline.scenario.outcome import Step
from ridgeline.scenario.setting import SHARDS, Phase
from tests.javascript import evaluated, of_module

PHASES: tuple[Phase, ...] = ("decode", "prefill", "training")
ROOT = Path(__file__).resolve().parent.parent / "data" / "scenario"
LOOKUP = Lookup(ROOT)


@st.composite
def asked(draw: st.DrawFn) -> Setting:
    """A setting whose batch can be shared as its degrees say."""
    data, pipeline = draw(st.sampled_from([1, 2, 4])), draw(st.sampled_from([1, 2, 3]))
    tensor = draw(st.sampled_from([1, 2, 4, 8]))
    model = draw(st.sampled_from(["plain", "varied"]))
    expert = draw(st.sampled_from([1, 2, 4, 8])) if model == "varied" else 1
    assume((tensor * data) % expert == 0)
    phase, many = draw(st.sampled_from(PHASES)), draw(st.integers(1, 300))
    found = Setting(
        model,
        "round",
        phase,
        draw(st.integers(1, 100_000)),
        data * pipeline * many,
        tensor * data * pipeline,
        tensor,
        pipeline,
        expert,
        data,
        draw(st.sampled_from(["bf16", "fp8", "mxfp4"])),
        None,
        "bf16",
        draw(st.sampled_from(["bf16", "fp8"])),
    )
    if phase != "training":
        return found
    return replace(
        found,
        micro_batch=draw(st.sampled_from([None, 1, pipeline, many, many * pipeline])),
        recompute=draw(st.sampled_from(["nothing", "layers"])),
        shard=draw(st.sampled_from([None, *SHARDS])),
        gradients=draw(st.sampled_from([None, "fp32", "bf16"])),
    )


def decoding(setting: Setting) -> Setting:
    """The same deployment in decode."""
    return replace(setting, phase="decode", micro_batch=None, recompute="nothing", shard=None, gradients=None)


def step(setting: Setting, lookup: Lookup = LOOKUP) -> Step:
    found = run(lookup, setting).step
    assert found is not None
    return found


def time(setting: Setting, lookup: Lookup = LOOKUP) -> tuple[Fraction, Fraction]:
    found = step(setting, lookup)
    return found.overlapped.quantity.middle, found.in_turn.quantity.middle


@given(asked())
@settings(max_examples=60)
def test_what_overlaps_is_never_slower_than_what_takes_turns(setting: Setting) -> None:
    outcome = run(LOOKUP, setting)
    found = outcome.step
    assert found is not None
    longest = max(t.quantity.middle for t in found.resources.values())
    assert found.overlapped.quantity.middle == longest
    # Between the longest resource, and all of them one after another; with a pipeline that fills and empties in training.
    total = sum(t.quantity.middle for t in found.resources.values())
    shared = outcome.deployment
    filled = 1 if setting.phase != "training" else 1 / (1 - shared.idle)
    assert longest <= found.in_turn.quantity.middle <= total * filled
    times = [t.value.quantity.middle for p in outcome.parts for t in p.times.values() if t.value is not None]
    assert sum(times) == total
    tokens = 1 if setting.phase == "decode" else setting.context
    assert found.throughput.quantity.middle * longest == tokens * setting.batch


@given(asked(), st.integers(2, 20))
@settings(max_examples=40)
def test_more_sequences_never_lower_the_throughput(setting: Setting, times: int) -> None:
    more = replace(setting, batch=setting.batch * times)
    assert step(more).throughput.quantity.middle >= step(setting).throughput.quantity.middle
    assert step(more).rate.quantity.middle <= step(setting).rate.quantity.middle


@given(asked(), st.integers(1, 50_000))
@settings(max_examples=40)
def test_a_longer_context_never_speeds_a_token_up(setting: Setting, longer: int) -> None:
    decode = decoding(setting)
    later = replace(decode, context=decode.context + longer)
    assert step(later).rate.quantity.middle <= step(decode).rate.quantity.middle
    assert step(later).throughput.quantity.middle <= step(decode).throughput.quantity.middle
    first, second = run(LOOKUP, decode).memory, run(LOOKUP, later).memory
    assert first.needed is not None and second.needed is not None
    assert first.needed.quantity.middle < second.needed.quantity.middle


@given(asked())
@settings(max_examples=25)
def test_no_more_than_the_peak_is_used(setting: Setting) -> None:
    found = step(setting)
    if setting.phase != "training":
        assert found.needed is None and found.utilisation is None
        return
    assert found.needed is not None and found.utilisation is not None
    assert 0 < found.utilisation.quantity.middle <= 1
    again = step(replace(setting, recompute="layers"))
    once = step(replace(setting, recompute="nothing"))
    assert once.needed is not None and again.needed is not None
    assert once.needed.quantity.value == again.needed.quantity.value
    assert once.overlapped.quantity.middle <= again.overlapped.quantity.middle
    assert once.in_turn.quantity.middle < again.in_turn.quantity.middle
    # Nor does it matter for what is needed who does it.
    alone = step(replace(setting, count=1, tensor=1, pipeline=1, expert=1, data=1, micro_batch=1))
    assert alone.needed is not None and alone.needed.quantity.value == once.needed.quantity.value


@given(asked())
@settings(max_examples=25)
def test_what_replicas_divide_takes_less_room_and_more_links(setting: Setting) -> None:
    training = replace(decoding(setting), phase="training")
    outcomes = [run(LOOKUP, replace(training, shard=shard)) for shard in SHARDS]
    for narrow, wide in zip(outcomes[1:], outcomes, strict=False):
        assert narrow.memory.needed is not None and wide.memory.needed is not None
        assert narrow.memory.needed.quantity.middle <= wide.memory.needed.quantity.middle
        assert narrow.step is not None and wide.step is not None
        assert narrow.step.in_turn.quantity.middle >= wide.step.in_turn.quantity.middle


@given(asked())
@settings(max_examples=40)
def test_fewer_bits_are_never_slower_and_never_need_more_room(setting: Setting) -> None:
    narrow, wide = (replace(setting, weights=w, cache=c) for w, c in (("mxfp4", "fp8"), ("bf16", "bf16")))
    for a, b in zip(time(narrow), time(wide), strict=True):
        assert a <= b
    small, large = run(LOOKUP, narrow).memory.needed, run(LOOKUP, wide).memory.needed
    assert small is not None and large is not None and small.quantity.middle < large.quantity.middle


@pytest.fixture(scope="module")
def faster(tmp_path_factory: pytest.TempPathFactory) -> Lookup:
    """The records with three further accelerators, each like ``round`` with one rate raised."""
    root = tmp_path_factory.mktemp("faster")
    shutil.copytree(ROOT / "records", root / "records")
    text = (root / "records/accelerators/round.yaml").read_text(encoding="utf-8")
    for name, old, new in (
        ("bandwidth", "value: 1 TB/s", "value: 1.3 TB/s"),
        ("peak", "value: 100 TFLOP/s", "value: 130 TFLOP/s"),
        ("link", "value: 50 GB/s", "value: 65 GB/s"),
    ):
        assert text.count(old) == 1
        changed = text.replace(old, new).replace("id: round", f"id: {name}")
        (root / f"records/accelerators/{name}.yaml").write_text(changed, encoding="utf-8")
    return Lookup(root)


@given(setting=asked())
@settings(max_examples=30)
def test_a_faster_part_is_never_slower(faster: Lookup, setting: Setting) -> None:
    before = time(setting, faster)
    for name in ("bandwidth", "peak", "link"):
        after = time(replace(setting, accelerator=name), faster)
        for a, b in zip(after, before, strict=True):
            assert b / Fraction("1.3") <= a <= b


@given(
    st.builds(
        Setting,
        st.sampled_from(["plain", "varied", "none"]),
        st.sampled_from(["round", "fast"]),
        st.sampled_from(PHASES),
        st.integers(-1, 10**13),
        *[st.integers(-1, 20)] * 2,
        st.none() | st.integers(-1, 20),
        *[st.integers(-1, 20)] * 3,
        st.sampled_from(["bf16", "fp8", "x y", "../../etc"]),
    )
)
@settings(max_examples=300)
def test_any_setting_is_carried_out_or_refused(setting: Setting) -> None:
    try:
        outcome = run(LOOKUP, setting)
    except ScenarioError as error:
        assert str(error)
    else:
        assert outcome.deployment.count == setting.count


# Other readers


def values(outcome: Outcome) -> Iterator[tuple[str, Derivation]]:
    for part in outcome.parts:
        for name, cost in (part.costs | part.times).items():
            assert cost.value is not None
            yield f"{part.reference} {name}", cost.value
    assert outcome.step is not None
    yield from outcome.step.resources.items()
    bounds = ("overlapped", "in_turn", "rate", "throughput", "needed", "utilisation")
    found = [(name, getattr(outcome.step, name)) for name in bounds]
    found += [(f"memory {name}", getattr(outcome.memory, name)) for name in ("needed", "free", "sequences")]
    yield from ((name, value) for name, value in found if value is not None)


@pytest.fixture(scope="module")
def formulas() -> tuple[dict[str, float], list[tuple[str, Node, float]]]:
    """Recorded values by key; each value of some scenarios with its closed formula."""
    recorded: dict[str, float] = {}
    found: list[tuple[str, Node, float]] = []
    plain = Setting("plain", "round", "prefill", 4096, 2, weights="fp8")
    for setting in (
        plain,
        replace(plain, phase="decode", batch=640, count=8, data=4, pipeline=2),
        Setting(
            "varied", "round", "decode", 5000, 16, 16, data=4, pipeline=2, expert=8, experts="mxfp4", reserve="1 GiB"
        ),
        Setting("varied", "round", "training", 3000, 96, 16, 2, 2, 4, 4, micro_batch=6, recompute="layers"),
        replace(plain, phase="training", batch=8, count=4, data=4, shard="weights", gradients="fp32"),
    ):
        for label, value in values(run(LOOKUP, setting)):
            tree = closed(value, 100_000)
            assert tree is not None, label
            found.append((label, tree, float(value.quantity)))
            for node in value.walk():
                if node.given is not None:
                    recorded[key(Name((RECORDED, node.given.record, node.given.field)))] = float(node.quantity)
    assert len(found) > 150
    return recorded, found


def key(name: Name) -> str:
    assert name.parts[0] == RECORDED
    return "|".join(name.parts[1:])


def differ(found: list[tuple[str, Node, float]], computed: list[float]) -> list[tuple[str, float, float]]:
    pairs = zip(found, computed, strict=True)
    return [(label, exact, v) for (label, _, exact), v in pairs if not math.isclose(exact, v, rel_tol=1e-12)]


def test_sql_computes_the_same(formulas: tuple[dict[str, float], list[tuple[str, Node, float]]]) -> None:
    recorded, found = formulas
    connection = sqlite3.connect(":memory:")
    computed = []
    for _, tree, _ in found:
        used = sorted({key(name) for name in names(tree)})
        columns = {name: f"c{index}" for index, name in enumerate(used)}
        given = ", ".join(f"{recorded[name]!r} AS {column}" for name, column in columns.items()) or "1"
        text = sql(tree, lambda name, of=columns: of[key(name)], Dialect.SQLITE)  # type: ignore[misc]
        computed.append(connection.execute(f"SELECT {text} FROM (SELECT {given})").fetchone()[0])
    assert differ(found, computed) == []


def test_javascript_computes_the_same(formulas: tuple[dict[str, float], list[tuple[str, Node, float]]]) -> None:
    recorded, found = formulas
    assert differ(found, evaluated(recorded, [javascript(tree, key) for _, tree, _ in found])) == []


def recorded_by(outcome: Outcome) -> Callable[[str, str], str]:
    """The recorded values of a scenario as literals, by record and field."""
    known = {}
    for _, value in values(outcome):
        for node in value.walk():
            if node.given is not None:
                known[node.given.record, node.given.field] = repr(float(node.quantity))
    return lambda record, field: known[record, field]


@given(st.lists(asked(), min_size=3, max_size=3))
@settings(max_examples=10)
def test_the_statement_and_the_module_compute_every_setting(several: list[Setting]) -> None:
    connection = sqlite3.connect(":memory:")
    programs, wanted = [], []
    for setting in several:
        outcome = run(LOOKUP, setting)
        assert outcome.step is not None
        wanted.append(float(outcome.step.overlapped.quantity))
        *_, whole = connection.execute(statement(outcome, recorded_by(outcome)).removesuffix(";\n")).fetchall()
        assert math.isclose(whole[-1], wanted[-1], rel_tol=1e-12)
        programs.append(of_module(module(outcome), "m.scenario()['whole step'].at_least"))
    # One start of Node for several settings: it takes longer than they do.
    assert all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(evaluated({}, programs), wanted, strict=True))
