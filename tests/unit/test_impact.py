"""What would change if a value were another."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check
from ridgeline.impact import ImpactError, impact

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
    found = impact(report, H100, "memory.bandwidth", "3.3501 TB/s")
    assert found.values
    assert found.figures
    assert [f for f in found.findings if f.level.value == "error"] == []
    assert found.flips == []


def test_an_order_that_reverses_is_named(report: Any) -> None:
    found = impact(report, H100, "memory.bandwidth", "8.5 TB/s")
    flips = {(f.what, f.before, f.after) for f in found.flips}
    b200 = "accelerators/nvidia-b200"
    assert ("order by memory.bandwidth", f"{b200} above {H100}", f"{H100} above {b200}") in flips


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


def test_nothing_is_written(cli: Any, base: Path) -> None:
    before = {p: p.read_bytes() for p in base.rglob("*") if p.is_file()}
    result = cli("impact", f"{H100}.memory.bandwidth=3.9 TB/s", "--root", str(base))
    assert result.code == 0
    assert "→ 253.692 flop/byte" in result.out
    assert {p: p.read_bytes() for p in base.rglob("*") if p.is_file() and p in before} == before


@pytest.mark.parametrize(
    ("change", "hint"),
    [("nonsense", "RECORD.FIELD=VALUE"), ("accelerators/nvidia-h10.memory.bandwidth=3 TB/s", "did you mean"),
     (f"{H100}.memory.bandwidth=", "RECORD.FIELD=VALUE")],
)  # fmt: skip
def test_a_call_that_is_wrong(cli: Any, change: str, hint: str) -> None:
    result = cli("impact", change)
    assert result.code == 2
    assert hint in result.err
