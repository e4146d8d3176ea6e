"""What would change if a value were another."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check, check_knowledge
from ridgeline.impact import ImpactError, impact
from tests.data.small import knowledge, text_of

H100 = "accelerators/nvidia-h100-sxm"


@pytest.fixture(scope="module")
def report(repository: Path) -> Any:
    return check(repository)


def test_values_sentences_and_pages_move(report: Any) -> None:
    found = impact(report, H100, "memory.bandwidth", "3.9 TB/s")
    moved = {(m.record, m.name): m for m in found.values}
    ridge = moved[H100, "ridge.bf16"]
    assert ridge.before.quantity.middle == Fraction("989.4") / Fraction("3.35")
    assert ridge.after.quantity.middle == Fraction("989.4") / Fraction("3.9")
    # The ridge falls as the bandwidth rises, by a little less than in proportion: 3.35/3.9 - 1 over 3.9/3.35 - 1.
    assert ridge.sensitivity == (Fraction("3.35") / Fraction("3.9") - 1) / (Fraction("3.9") / Fraction("3.35") - 1)
    assert moved[H100, "memory.bandwidth"].sensitivity == 1
    assert all(record == H100 for record, _ in moved)
    wrong = {f.field for f in found.findings if f.rule.startswith("figure-")}
    assert "text.ridge_crossings" in wrong
    assert {H100, "classes/prefill-attention"} <= set(found.pages)


def test_a_change_within_what_is_printed_breaks_nothing_but_moves(report: Any) -> None:
    found = impact(report, H100, "memory.bandwidth", "3.350001 TB/s")
    assert found.values
    assert found.figures
    assert [f for f in found.findings if f.level.value == "error"] == []
    assert found.flips == []


def test_an_order_that_reverses_is_named(report: Any) -> None:
    found = impact(report, H100, "memory.bandwidth", "8.5 TB/s")
    flips = {(f.what, f.before, f.after) for f in found.flips}
    b200 = "accelerators/nvidia-b200"
    assert ("order by memory.bandwidth", f"{b200} above {H100}", f"{H100} above {b200}") in flips


def test_memory_bound_that_becomes_compute_bound_is_named(report: Any) -> None:
    """At 512 tokens Llama-2-7B's attention does 256 operations a byte; the ridge falls from 295 to 254."""
    found = impact(report, H100, "memory.bandwidth", "3.9 TB/s")
    what = f"classes/prefill-attention intensity, models/llama-2-7b on {H100}, bf16, at L = 512"
    assert [(f.before, f.after) for f in found.flips if f.what == what] == [("bound by memory", "bound by compute")]
    assert not any("at L = 2,048" in f.what and " intensity, " in f.what and ", bf16," in f.what for f in found.flips)
    assert not any("_sparse" in f.what for f in found.flips)


def test_a_model_that_changes_sides_is_named_on_every_accelerator_of_the_class(report: Any) -> None:
    """Four times as many KV heads: an eighth of the sharing becomes a half of it, 512 operations a byte become 128."""
    found = impact(report, "models/llama-2-70b", "n_kv", "32")
    what = f"classes/prefill-attention intensity, models/llama-2-70b on {H100}, bf16, at L = 128"
    assert [(f.before, f.after) for f in found.flips if f.what == what] == [("bound by compute", "bound by memory")]


@pytest.mark.parametrize(
    ("capacity", "where", "before", "after"),
    [
        # 68,976,648,192 parameters at two bytes are 137.95 GB.
        ("141 GB", H100, "do not fit, need 2", "fit"),
        ("68 GB", f"2 × {H100}", "fit", "do not fit, need 3"),
    ],
)
def test_what_fits_and_what_does_not(report: Any, capacity: str, where: str, before: str, after: str) -> None:
    found = impact(report, H100, "memory.capacity", capacity)
    what = f"weights of models/llama-2-70b in bf16 on {where}"
    assert [(f.before, f.after) for f in found.flips if f.what == what] == [(before, after)]


def test_words_that_cease_to_be_true_are_named() -> None:
    body = text_of("classes/work") + "text:\n  notes: |\n    It is past that point.\nfigures:\n"
    body += "- {say: It is past that point, holds: 'a.ridge.bf16 > as(290, flop/byte)'}\n"
    found = impact(
        check_knowledge(knowledge({"classes/work": body})), "accelerators/alpha", "memory.bandwidth", "3.9 TB/s"
    )
    told = [(f.what, f.before.partition(" (")[0], f.after.partition(" (")[0]) for f in found.flips if "past" in f.what]
    claim = "a.ridge.bf16 > as(290, flop/byte)"
    where = "“It is past that point” in classes/work text.notes"
    assert told == [(where, f"{claim} holds", f"{claim} does not hold")]
    assert [f.rule for f in found.findings if f.found == "It is past that point"] == ["figure-decision"]


def test_the_name_may_be_a_path_of_the_file(report: Any) -> None:
    by_name = impact(report, "models/llama-2-70b", "n_kv", "16")
    by_path = impact(report, "models/llama-2-70b", "layers.0.attention.kv_heads", "16")
    assert by_name.field == by_path.field == "layers.0.attention.kv_heads"
    assert {m.name for m in by_name.values} >= {"g", "kv_bytes_per_token", "parameters.total"}
    assert "ledger" in {f.rule for f in by_name.findings}


@pytest.mark.parametrize(
    ("record", "name", "value", "message"),
    [
        (H100, "memory.bandwith", "3.9 TB/s", "did you mean memory.bandwidth"),
        (H100, "memory.bandwidth", "fast", "fast"),
        ("models/llama-2-70b", "n_kv", "7", "cannot stand there"),
        ("classes/prefill-attention", "L", "3", "records no quantities"),
        (H100, "ridge.bf16", "300", "records no value"),
    ],
)
def test_what_cannot_be_tried_says_why(report: Any, record: str, name: str, value: str, message: str) -> None:
    with pytest.raises(ImpactError, match=message):
        impact(report, record, name, value)


def test_nothing_is_written(cli: Any, few: Path) -> None:
    before = {p: p.read_bytes() for p in few.rglob("*") if p.is_file()}
    result = cli("impact", f"{H100}.memory.bandwidth=3.9 TB/s", "--root", str(few))
    assert result.code == 0
    assert "→ 253.692 flop/byte" in result.out
    assert {p: p.read_bytes() for p in few.rglob("*") if p.is_file() and p in before} == before


@pytest.mark.parametrize(
    ("change", "hint"),
    [("nonsense", "RECORD.FIELD=VALUE"), ("accelerators/nvidia-h10.memory.bandwidth=3 TB/s", "did you mean"),
     (f"{H100}.memory.bandwidth=", "RECORD.FIELD=VALUE")],
)  # fmt: skip
def test_a_call_that_is_wrong(cli: Any, change: str, hint: str) -> None:
    result = cli("impact", change)
    assert result.code == 2
    assert hint in result.err
