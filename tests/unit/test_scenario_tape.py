"""The calculator's programs, run by Node as the page runs them, against what ``ridgeline scenario`` computes."""

from __future__ import annotations

import json
import math
import random
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ridgeline.formulas.errors import FormulaError
from ridgeline.lookup import Lookup
from ridgeline.scenario import Outcome, ScenarioError, Setting, run
from ridgeline.scenario.desk import Desk
from ridgeline.scenario.faces import at_least, at_most, brief
from ridgeline.scenario.setting import Phase, deployment
from ridgeline.scenario.tape import OPERATIONS, PHASES, SCHEMA, Tapes
from tests.javascript import evaluated

#: How far two doubles may be apart that should be one number, of the number itself.
NEAR = 1e-9
MANY = 80
USES = ("weights", "experts", "activations", "cache", "compute")


@pytest.fixture(scope="module")
def lookup(repository: Path) -> Lookup:
    return Lookup(repository)


@pytest.fixture(scope="module")
def tapes(lookup: Lookup) -> Tapes:
    return Tapes(lookup)


@pytest.fixture(scope="module")
def code(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The calculator's own modules, bundled by what bundles them for the site."""
    bundler = repository / "site" / "node_modules" / ".bin" / "esbuild"
    assert bundler.exists(), "the browser code's packages are needed: `make code` installs them"
    out = tmp_path_factory.mktemp("code") / "node.js"
    source = repository / "site" / "code" / "scenario" / "node.ts"
    subprocess.run(
        [bundler, source, "--bundle", "--format=iife", "--global-name=m", f"--outfile={out}", "--log-level=error"],
        check=True,
        timeout=60,
    )
    return out.read_text(encoding="utf-8")


def answers(code: str, tapes: dict[str, Any], asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page's code makes of some settings."""
    expression = f"(() => {{ {code}\nreturn m.answer(v.tapes, v.asked); }})()"
    values: Any = {"tapes": tapes, "asked": asked}
    found: Any = evaluated(values, [expression])[0]
    return list(found)


def asked(lookup: Lookup, tape: dict[str, Any], setting: Setting) -> dict[str, Any]:
    """A setting as the page puts it: the values of the records in base units."""
    desk = Desk(lookup, setting, deployment(setting))
    read = {name.removeprefix("accelerator.") for name in tape["inputs"] if name.startswith("accelerator.")}
    accelerator = {}
    for name in sorted({*read, "memory.capacity"}):
        try:
            accelerator[name] = float(desk.value(name).quantity)
        except FormulaError:
            continue
    return {
        "model": setting.model,
        "setting": {
            "phase": setting.phase, "context": setting.context, "batch": setting.batch, "count": setting.count,
            "tensor": setting.tensor, "pipeline": setting.pipeline, "expert": setting.expert, "data": setting.data,
            "reserve": 0 if setting.reserve is None else float(Fraction(setting.reserve.split()[0])) * 2**30,
        },
        "accelerator": accelerator,
        "formats": {
            use: float(desk.resolver.quantity(desk.formats[use], ("bits",)).quantity.middle) for use in USES
        },
    }  # fmt: skip


def settings(lookup: Lookup, seed: int, many: int) -> list[tuple[Setting, Outcome]]:
    """Random scenarios that can be, over all models and accelerators."""
    chance = random.Random(seed)
    models = [r.partition("/")[2] for r in sorted(lookup.knowledge.entries) if r.startswith("models/")]
    parts = [r.partition("/")[2] for r in sorted(lookup.knowledge.entries) if r.startswith("accelerators/")]
    chance.shuffle(models)
    found: list[tuple[Setting, Outcome]] = []
    for attempt in range(60 * many):
        if len(found) == many:
            break
        tensor, pipeline, data = (chance.choice(of) for of in ((1, 1, 2, 4, 8), (1, 1, 2, 4), (1, 1, 2, 4)))
        setting = Setting(
            models[attempt % len(models)],
            chance.choice(parts),
            chance.choice(PHASES),
            chance.choice((1, 17, 512, 1000, 4096, 5000, 32768, 131072)),
            batch=pipeline * data * chance.choice((1, 3, 8, 64)),
            count=tensor * pipeline * data,
            tensor=chance.choice((tensor, None)),
            pipeline=pipeline,
            expert=chance.choice((1, 1, tensor, tensor * data)),
            data=data,
            weights=chance.choice(("bf16", "fp8", "int8", "mxfp4")),
            experts=chance.choice((None, "fp8", "mxfp4")),
            activations=chance.choice(("bf16", "fp16")),
            cache=chance.choice(("bf16", "fp8")),
            compute=chance.choice((None, "fp16", "fp8", "bf16")),
            reserve=chance.choice((None, "2 GiB")),
        )
        try:
            found.append((setting, run(lookup, setting)))
        except ScenarioError:
            continue
    assert len(found) == many
    return found


def differences(setting: Setting, outcome: Outcome, page: dict[str, Any]) -> list[str]:
    """Where the page's outcome is another than the scenario's."""
    assert "impossible" not in page, f"{setting}: {page}"
    wrong: list[str] = []

    def same(what: str, exact: Any, given: float | None) -> None:
        value = None if exact is None else float(exact.quantity.middle)
        if (value is None) is not (given is None):
            wrong.append(f"{setting}: {what} {value} and {given}")
        elif value is not None and given is not None and not math.isclose(value, given, rel_tol=NEAR):
            wrong.append(f"{setting}: {what} {value!r} and {given!r}")

    parts = {part["class"]: part for part in page["parts"]}
    assert list(parts) == [part.reference for part in outcome.parts], setting
    for part in outcome.parts:
        cells = part.costs | part.times
        assert set(parts[part.reference]["cells"]) == set(cells), (setting, part.reference)
        for name, cost in cells.items():
            same(f"{part.reference} {name}", cost.value, parts[part.reference]["cells"][name])
    step = page["step"]
    if outcome.step is None or step is None:
        if outcome.step is not step:
            wrong.append(f"{setting}: one has a step and the other has none")
    else:
        for name in ("overlapped", "rate", "throughput"):
            same(name, getattr(outcome.step, name), step[name])
        same("in turn", outcome.step.in_turn, step["inTurn"])
        for name, time in outcome.step.resources.items():
            same(name, time, step["resources"][name])
    memory = page["memory"]
    for name in ("needed", "capacity", "free"):
        exact, given = getattr(outcome.memory, name), memory[name]
        if name == "free" and exact is not None and outcome.memory.capacity is not None and given is not None:
            # A small difference of great numbers: held against what it was taken from.
            whole = float(outcome.memory.capacity.quantity.middle)
            if abs(float(exact.quantity.middle) - given) > NEAR * whole:
                wrong.append(f"{setting}: free {float(exact.quantity.middle)} and {given}")
            continue
        same(name, exact, given)
    same("sequences", outcome.memory.sequences, memory["sequences"])
    if tuple(page["uncounted"]) != outcome.uncounted:
        wrong.append(f"{setting}: uncounted {outcome.uncounted} and {page['uncounted']}")
    return wrong


class TestThePrograms:
    def test_a_page_computes_what_the_command_computes(self, lookup: Lookup, tapes: Tapes, code: str) -> None:
        chosen = settings(lookup, 7, MANY)
        programs = {setting.model: tapes.tape(setting.model) for setting, _ in chosen}
        questions = [asked(lookup, programs[setting.model], setting) for setting, _ in chosen]
        found = answers(code, programs, questions)
        wrong = [w for (s, o), page in zip(chosen, found, strict=True) for w in differences(s, o, page)]
        assert wrong == []
        assert len(programs) > 30
        assert {s.phase for s, _ in chosen} == set(PHASES)
        assert any(s.expert > 1 for s, _ in chosen) and any(s.pipeline > 1 and s.data > 1 for s, _ in chosen)

    def test_what_is_printed_is_what_the_command_prints(self, lookup: Lookup, tapes: Tapes, code: str) -> None:
        chosen = [(s, o) for s, o in settings(lookup, 11, 24) if o.step is not None]
        programs = {setting.model: tapes.tape(setting.model) for setting, _ in chosen}
        found = answers(code, programs, [asked(lookup, programs[s.model], s) for s, _ in chosen])
        for (_setting, outcome), page in zip(chosen, found, strict=True):
            assert outcome.step is not None
            needed = outcome.memory.needed
            assert page["printed"] == {
                "overlapped": at_least(outcome.step.overlapped),
                "in_turn": at_least(outcome.step.in_turn),
                "throughput": at_most(outcome.step.throughput, "tokens/s"),
                "needed": None if needed is None else brief(needed),
            }

    def test_a_changed_number_of_a_program_is_found(self, lookup: Lookup, tapes: Tapes, code: str) -> None:
        setting = Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 8192, 64, 8)
        outcome = run(lookup, setting)
        tape = tapes.tape(setting.model)
        question = asked(lookup, tape, setting)
        changed = tape | {"numbers": [tape["numbers"][0] * 1.01, *tape["numbers"][1:]]}
        right, wrong = (answers(code, {setting.model: t}, [question])[0] for t in (tape, changed))
        assert differences(setting, outcome, right) == []
        assert differences(setting, outcome, wrong) != []

    def test_a_lacking_value_stays_unknown(self, lookup: Lookup, tapes: Tapes, code: str) -> None:
        setting = Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 8192, 64, 8)
        tape = tapes.tape(setting.model)
        question = asked(lookup, tape, setting)
        del question["accelerator"]["peer_link.per_direction"]
        del question["accelerator"]["memory.capacity"]
        page = answers(code, {setting.model: tape}, [question])[0]
        reduced = next(part for part in page["parts"] if part["class"] == "classes/all-reduce")
        assert reduced["cells"]["link_time"] is None and reduced["cells"]["link_bytes"] > 0
        assert [(g["class"], g["column"], g["why"]) for g in page["gaps"]] == [
            ("classes/all-reduce", "link_time", "no value of peer_link.per_direction")
        ]
        assert page["memory"]["capacity"] is None and page["memory"]["free"] is None
        assert "link" not in page["step"]["resources"]

    @pytest.mark.parametrize(
        "change",
        [
            {"batch": 63, "data": 8},
            {"count": 6, "pipeline": 4},
            {"tensor": 3},
            {"pipeline": 8, "batch": 12},
            {"expert": 8},
            {"count": 128, "tensor": 1, "pipeline": 128, "batch": 128},
            {"count": 48, "tensor": 48},
            {"context": 0},
        ],
    )
    def test_what_cannot_be_is_refused_by_both(
        self, lookup: Lookup, tapes: Tapes, code: str, change: dict[str, Any]
    ) -> None:
        plain = Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 8192, 64, 8)
        tape = tapes.tape(plain.model)
        question = asked(lookup, tape, plain)
        question["setting"] |= change
        fields = {name: getattr(plain, name) for name in Setting.__slots__} | change
        with pytest.raises(ScenarioError):
            run(lookup, Setting(**fields))
        assert "impossible" in answers(code, {plain.model: tape}, [question])[0]


class TestTheFile:
    def test_it_is_plain_data_and_small(self, tapes: Tapes) -> None:
        tape = tapes.tape("llama-3.1-70b")
        text = json.dumps(tape, separators=(",", ":"))
        assert tape["schema"] == SCHEMA and json.loads(text) == tape
        assert len(text) < 20_000

    def test_every_step_reads_what_stands_before_it(self, tapes: Tapes) -> None:
        tape = tapes.tape("deepseek-v3")
        made = len(tape["inputs"]) + len(tape["numbers"])
        steps, at = tape["steps"], 0
        while at < len(steps):
            two = OPERATIONS[steps[at]] in ("+", "-", "*", "/", "^", "min", "max")
            read = steps[at + 1 : at + (3 if two else 2)]
            assert len(read) == (2 if two else 1) and all(0 <= slot < made for slot in read)
            at += 1 + len(read)
            made += 1
        phases: tuple[Phase, ...] = PHASES
        slots = [slot for p in phases for part in tape["parts"][p] for slot in part["cells"].values()]
        assert slots and all(-1 <= slot < made for slot in slots)

    def test_what_a_model_states_keeps_its_place(self, tapes: Tapes) -> None:
        tape = tapes.tape("llama-3.1-70b")
        assert tape["given"] and all(record == "models/llama-3.1-70b" for record, _ in tape["given"])
        stated = dict(zip((place[1] for place in tape["given"]), tape["numbers"], strict=False))
        assert stated["vocabulary"] == 128_256
        assert stated["width"] == 8192

    def test_there_is_none_of_a_model_that_is_not_there(self, tapes: Tapes) -> None:
        with pytest.raises(ScenarioError, match="no-such-model"):
            tapes.tape("no-such-model")
