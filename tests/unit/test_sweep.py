"""Grids of scenarios: their axes, their rows, and that each row is what the scenario alone gives."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ridgeline
from ridgeline.cli import sweep_
from ridgeline.library import NoKnowledge, ScenarioError
from ridgeline.lookup import Lookup
from ridgeline.scenario import Setting, run
from ridgeline.scenario.sweep import MOST, Point, Value, grid, numbers, sweep
from tests.conftest import Cli
from tests.unit.test_scenario import ROOT

POINTS = [Point(Setting("plain", "round", "decode", context), None) for context in range(4)]
CALL = ("sweep", "plain,varied", "round", "--context", "1000", "--batch", "1..16*4", "--weights", "bf16,fp8",
        "--root", str(ROOT))  # fmt: skip


class TestNumbers:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("7", (7,)),
            ("1,8,64", (1, 8, 64)),
            ("1024..131072*2", (1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)),
            ("1..10+3", (1, 4, 7, 10)),
            ("1..9+3", (1, 4, 7)),
            ("3..5", (3, 4, 5)),
            ("5..5*2", (5,)),
            (" 1, 2..3 ,10_000", (1, 2, 3, 10000)),
        ],
    )
    def test_as_people_write_them(self, text: str, found: tuple[int, ...]) -> None:
        assert numbers(text) == found

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "nothing is not a whole number"),
            ("1,,2", "nothing is not a whole number"),
            ("8k", "8k is not a whole number: write 1,8,64 or 1024..131072*2"),
            ("-1", "-1 is not a whole number"),
            ("1..2..3", "2..3 is not a whole number"),
            ("9..1", "9..1 runs backwards"),
            ("1..8*1", "1..8*1 never ends: write 1..8*2, or 1..8+1"),
            ("0..8*2", "0..8*2 never ends"),
            ("1..8+0", "1..8+0 never ends"),
            ("1..99999999999999", f"more than {MOST:,} numbers"),
            ("1..1000000,1..1000000", f"more than {MOST:,} numbers"),
            ("9" * 30, "is not a whole number"),
        ],
    )
    def test_what_is_none(self, text: str, message: str) -> None:
        with pytest.raises(ScenarioError) as refused:
            numbers(text)
        assert message in str(refused.value)


class TestGrid:
    def test_the_last_axis_runs_fastest(self) -> None:
        found = grid(
            {"accelerator": "round", "model": ["plain", "varied"], "phase": "decode", "context": (5, 6), "batch": 1}
        )
        assert found.settings == tuple(
            Setting(model, "round", "decode", context) for model in ("plain", "varied") for context in (5, 6)
        )
        assert found.varying == ("model", "context")

    def test_a_value_counts_once(self) -> None:
        assert len(grid({"model": "a", "accelerator": "b", "phase": "decode", "context": [4, 5, 4]}).settings) == 2

    @pytest.mark.parametrize(
        ("axes", "message"),
        [
            ({"contexts": 5}, "a scenario has no contexts: it has model, accelerator, phase, context, batch"),
            ({"context": None}, ""),
            ({"batch": []}, "batch has no value"),
            ({"batch": range(1, 200), "count": range(1, 100)},
             "19,701 points (batch 199 × count 99): at most 10,000; leave values out, or take larger steps"),
        ],
    )  # fmt: skip
    def test_what_is_refused(self, axes: dict[str, Any], message: str) -> None:
        whole = {"model": "a", "accelerator": "b", "phase": "decode", "context": 1} | axes
        if not message:
            del whole["context"]
            message = "a sweep needs context"
        with pytest.raises(ScenarioError) as refused:
            grid(whole)
        assert message in str(refused.value)


class TestRows:
    def test_each_point_is_the_scenario_alone(self) -> None:
        lookup = Lookup(ROOT)
        axes: dict[str, Value | Sequence[Value]] = {
            "model": ["plain", "varied"], "accelerator": "round", "phase": ["decode", "prefill", "training"],
            "context": [100, 5000], "batch": [4, 64], "count": [1, 4], "cache": ["bf16", "fp8"],
        }  # fmt: skip
        asked = grid(axes)
        for point in sweep(lookup, asked.settings):
            alone = run(Lookup(ROOT), point.setting)
            assert point.outcome is not None and point.outcome.step is not None and alone.step is not None
            for name in ("overlapped", "in_turn", "throughput"):
                one, other = getattr(point.outcome.step, name), getattr(alone.step, name)
                assert one.quantity.value == other.quantity.value
            assert point.outcome.memory.fits == alone.memory.fits

    def test_memory_of_a_long_sweep_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lookup = Lookup(ROOT)
        monkeypatch.setattr("ridgeline.scenario.sweep._KEPT", 3)
        asked = grid({"model": "plain", "accelerator": "round", "phase": "decode", "context": range(1, 11)})
        times = [
            p.outcome.step.overlapped.quantity.middle
            for p in sweep(lookup, asked.settings)
            if p.outcome and p.outcome.step
        ]
        assert len(times) == 10 and times == sorted(times)
        assert not lookup.resolver._kept  # nothing was left in the lookup that was given

    def test_the_table(self, cli: Cli) -> None:
        ran = cli(*CALL, "--count", "1,3")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == (ROOT / "sweep.txt").read_text(encoding="utf-8")

    def test_exact_data_fit_their_schema(self, cli: Cli, repository: Path) -> None:
        schema = json.loads((repository / "schema/output/sweep.v1.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(schema)
        for more in (
            ("--count", "1,3"),
            ("--phase", "decode,training", "--compute", "fp8,mxfp4"),
            ("--reserve", "1 GB,2 GB"),
        ):
            data = cli(*CALL, *more, "--format", "json").json
            assert [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(data)] == []
        point = cli(*CALL, "--format", "json").json["points"][0]
        step = run(Lookup(ROOT), Setting("plain", "round", "decode", 1000)).step
        assert step is not None
        assert Fraction(point["step"]["overlapped"]["value"]) == step.overlapped.quantity.value
        assert point["setting"]["batch"] == 1 and point["memory"]["fits"] is True

    def test_csv_has_a_row_for_each_point(self, cli: Cli) -> None:
        rows = list(csv.DictReader(io.StringIO(cli(*CALL, "--count", "1,3", "--format", "csv").out)))
        assert len(rows) == 24
        assert rows[0]["model"] == "plain" and float(rows[0]["step_seconds"]) > 0 and rows[0]["fits"] == "yes"
        refused = [row for row in rows if row["count"] == "3"]
        assert all(row["step_seconds"] == "" and "cannot be shared evenly among 3" in row["refused"] for row in refused)
        assert len(refused) == 12

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            (("--batch", "1..x"), "x is not a whole number"),
            (("--batch", "1..5000", "--context", "1..5000"), "25,000,000 points"),
            (("--count", "3,5"), "the 8 query heads of models/plain cannot be shared evenly among 3 accelerators"),
            ((), "the following arguments are required: --context"),
        ],
    )
    def test_wrong_usage(self, cli: Cli, more: tuple[str, ...], message: str) -> None:
        context = ("--context", "8") if more else ()
        ran = cli("sweep", "plain", "round", *context, *more, "--root", ROOT)
        assert ran.code == 2 and ran.out == "" and message in ran.err

    def test_somebody_at_a_terminal_is_told(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        clock = iter([0.0, 0.5, 1.5, 1.6, 1.9])
        monkeypatch.setattr(sweep_, "monotonic", lambda: next(clock))
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        assert list(sweep_._told(iter(POINTS), 4)) == POINTS
        assert capsys.readouterr().err == "\r2 of 4 scenarios\r4 of 4 scenarios\r\x1b[K"

    def test_nobody_else_is(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert list(sweep_._told(iter(POINTS), 4)) == POINTS
        assert capsys.readouterr().err == ""


class TestLibrary:
    def test_a_scenario(self) -> None:
        base = ridgeline.open(ROOT)
        outcome = base.scenario("plain", "round", context=1000, batch=8, count=2)
        alone = run(Lookup(ROOT), Setting("plain", "round", "decode", 1000, 8, 2))
        assert outcome.step is not None and alone.step is not None
        assert outcome.step.overlapped.quantity.value == alone.step.overlapped.quantity.value
        with pytest.raises(ScenarioError, match="did you mean models/plain"):
            base.scenario("plane", "round", context=1)

    def test_every_field_of_a_setting_can_be_said(self) -> None:
        """In a call by name as in the setting itself."""
        names = {
            "phase": "training", "context": 50, "batch": 48, "count": 16, "tensor": 2, "pipeline": 2, "expert": 4, "data": 4,
            "weights": "fp8", "experts": "mxfp4", "activations": "fp8", "cache": "fp8", "compute": "bf16", "reserve": "1 GB",
            "link_rate": "5 GB/s", "micro_batch": 3, "recompute": "layers", "shard": "weights", "gradients": "fp32",
        }  # fmt: skip
        assert {"model", "accelerator", *names} == set(Setting.__dataclass_fields__)
        found = ridgeline.open(ROOT).scenario("varied", "round", **names).setting  # type: ignore[arg-type]
        assert found == Setting("varied", "round", **names)  # type: ignore[arg-type]

    def test_a_database_alone_is_not_enough(self, tmp_path: Path) -> None:
        (tmp_path / "ridgeline.sqlite").touch()
        with pytest.raises(
            NoKnowledge, match="holds a database and no records/, from which values and scenarios are computed"
        ):
            ridgeline.open(tmp_path)

    def test_a_sweep(self) -> None:
        base = ridgeline.open(ROOT)
        points = list(base.sweep(model="plain", accelerator="round", context=range(1, 4), count=[1, 3]))
        assert [(p.setting.context, p.setting.count, p.outcome is None) for p in points] == [
            (1, 1, False), (1, 3, True), (2, 1, False), (2, 3, True), (3, 1, False), (3, 3, True),
        ]  # fmt: skip
        assert "cannot be shared evenly" in points[1].refused
        with pytest.raises(ScenarioError, match="has no length"):
            base.sweep(model="plain", accelerator="round", length=3)
