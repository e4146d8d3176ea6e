"""A scenario as SQL over the loaded database, and as a JavaScript module: run, and held against the exact values."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check
from ridgeline.lookup import Lookup
from ridgeline.scenario import Outcome, ScenarioError, Setting, run
from ridgeline.scenario.code import COLUMNS, module, statement
from ridgeline.store.load import load
from tests.conftest import Cli
from tests.javascript import evaluated, of_module

ROOT = Path(__file__).resolve().parent.parent / "data" / "scenario"
SETTINGS = {
    "decode": Setting("varied", "round", "decode", 5000, 16, 16, data=4, pipeline=2, expert=8, experts="mxfp4"),
    "prefill": Setting("plain", "round", "prefill", 4096, 2, weights="fp8", cache="fp8"),
    "gap": Setting("plain", "fast", "decode", 4096),
    "training": Setting("varied", "round", "training", 3000, 96, 16, 2, 2, 4, 4, micro_batch=6, recompute="layers"),
    "training-weights": Setting("plain", "round", "training", 500, 8, 4, data=4, shard="weights", gradients="fp32"),
}


@pytest.fixture(params=sorted(SETTINGS))
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return run(Lookup(ROOT), SETTINGS[request.param])


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scenario") / "ridgeline.db"
    load(check(ROOT), path)
    return path


def expected(outcome: Outcome) -> dict[str, dict[str, float]]:
    """Every known value by part and column."""
    found = {}
    for part in outcome.parts:
        known = {n: float(c.value.quantity) for n, c in (part.costs | part.times).items() if c.value is not None}
        found[part.reference.partition("/")[2]] = known | {
            "at_least": max(v for n, v in known.items() if n in part.times)
        }
    assert outcome.step is not None
    found["whole step"] = {"at_least": float(outcome.step.overlapped.quantity)}
    return found


def test_the_database_answers_with_the_same(outcome: Outcome, database: Path, cli: Cli) -> None:
    from ridgeline.store.derivations import recorded_value

    text = statement(outcome, recorded_value)
    answer = cli("query", text, "--database", database, "--root", ROOT, "--format", "json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.json["columns"] == ["part", *COLUMNS, "at_least"]
    rows = {row["part"]: row for row in answer.json["rows"]}
    wanted = expected(outcome)
    assert list(rows) == list(wanted)
    for part, values in wanted.items():
        for column in (*COLUMNS, "at_least"):
            if column in values:
                assert math.isclose(rows[part][column], values[column], rel_tol=1e-12), (part, column)
            elif part != "whole step":
                assert rows[part][column] is None, (part, column)
    for column in COLUMNS:
        assert math.isclose(
            rows["whole step"][column] or 0.0, sum(v.get(column, 0.0) for v in wanted.values()), rel_tol=1e-12
        )


def test_a_changed_value_moves_the_answer(database: Path, cli: Cli) -> None:
    """The statement holds formulas, not results: every recorded value is read from the database."""
    from ridgeline.store.derivations import recorded_value

    text = statement(run(Lookup(ROOT), SETTINGS["decode"]), recorded_value)
    for field in (
        "memory.bandwidth",
        "peaks.0.rate",
        "links.0.per_direction",
        "layers.1.attention.window",
        "scale.bits",
    ):
        assert f"value_field = '{field}'" in text


def javascript(text: str, expression: str) -> Any:
    return evaluated({}, [of_module(text, expression)])[0]


def test_javascript_computes_the_same(outcome: Outcome) -> None:
    found = javascript(module(outcome), "m.scenario()")
    wanted = expected(outcome)
    assert list(found) == list(wanted)
    for part, values in wanted.items():
        assert set(found[part]) == set(values)
        for column, value in values.items():
            assert math.isclose(found[part][column], value, rel_tol=1e-12), (part, column)


def test_javascript_takes_other_values() -> None:
    text = module(run(Lookup(ROOT), SETTINGS["gap"]))
    faster = "m.scenario({...m.recorded, 'accelerators/fast memory.bandwidth': 4e12})['whole step'].at_least"
    before = javascript(text, "m.scenario()['whole step'].at_least")
    assert javascript(text, faster) == pytest.approx(before / 2, rel=1e-12)


def test_the_command_writes_both(cli: Cli) -> None:
    for form, start in (("sql", "WITH\nrecorded AS MATERIALIZED (SELECT"), ("javascript", "export const recorded = {")):
        ran = cli("scenario", "plain", "round", "--context", "9", "--root", ROOT, "--format", form)
        assert (ran.code, ran.err) == (0, "") and ran.out.startswith(start)


def test_nothing_to_write(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "root")
    for path in (tmp_path / "root/records/classes").iterdir():
        path.unlink()
    with pytest.raises(ScenarioError, match="no class is part of such a step"):
        statement(run(Lookup(tmp_path / "root"), SETTINGS["gap"]), lambda record, field: "1")
