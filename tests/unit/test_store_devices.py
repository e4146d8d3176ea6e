"""Accelerators, architectures and announced devices as rows: what the tables hold and the views make of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check
from ridgeline.store.load import load
from ridgeline.store.queries import query
from tests.acceptance.conftest import build


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("devices")
    report = check(build(folder / "root"))
    assert report.clean
    load(report, folder / "ridgeline.sqlite")
    return folder / "ridgeline.sqlite"


@pytest.fixture
def rows(path: Path) -> Iterator[Any]:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    yield lambda text: [dict(row) for row in connection.execute(text)]
    connection.close()


def test_a_die_joins_siblings(rows: Any) -> None:
    found = rows("SELECT record FROM accelerators WHERE die = 'F1' ORDER BY record")
    assert [row["record"] for row in found] == ["accelerators/forge-a", "accelerators/forge-b"]
    (fact,) = rows("SELECT text, source, locator FROM facts WHERE record = 'accelerators/forge-a' AND field = 'die'")
    assert fact == {"text": "F1", "source": "acme-sheet", "locator": "page 6"}


def test_accepted_findings_have_their_reasons(rows: Any) -> None:
    found = rows("SELECT rule, field, found, why FROM accepted WHERE record = 'accelerators/forge-b' ORDER BY ordinal")
    assert [row["rule"] for row in found] == ["sparse-factor", "siblings"]
    assert found[0] == {"rule": "sparse-factor", "field": "peak.bf16_sparse", "found": "120 TFLOP/s",
                        "why": "The sheet says that its sparse rate is capped."}  # fmt: skip


def test_a_memory_on_the_chip_with_its_blocks_and_bandwidth(rows: Any) -> None:
    (row,) = rows(
        "SELECT o.block_kind, b.display AS blocks, s.display AS block_size, w.display AS bandwidth, t.display AS together "
        "FROM on_chip o JOIN quantities b ON b.id = o.blocks JOIN quantities s ON s.id = o.block_size "
        "JOIN quantities w ON w.id = o.bandwidth JOIN quantities t ON t.id = o.bandwidth_total "
        "WHERE o.record = 'accelerators/forge-c'"
    )
    assert row == {
        "block_kind": "bank",
        "blocks": "8 unit",
        "block_size": "250 kB",
        "bandwidth": "128 GB/s",
        "together": "12.8 TB/s",
    }
    (memory,) = rows("SELECT memory_level, memory_kind FROM accelerators WHERE record = 'accelerators/forge-c'")
    assert memory == {"memory_level": "sram", "memory_kind": "SRAM"}


def test_the_ladder_of_an_architecture(rows: Any) -> None:
    found = rows("SELECT peak, formula, unless_peak, source, reason FROM ladder ORDER BY ordinal")
    assert found == [
        {"peak": "fp32", "formula": "peak.bf16 / 4", "unless_peak": None, "source": "acme-sheet", "reason": None},
        {"peak": "bf16_vector", "formula": "peak.fp32_vector", "unless_peak": "bf16_accumulate_bf16", "source": None,
         "reason": "The tables of its parts show it."},
    ]  # fmt: skip


def test_an_announced_device_is_text_and_nothing_follows_from_it(rows: Any) -> None:
    found = rows(
        "SELECT what, says, source, locator FROM statements WHERE record = 'announced/forge-next' ORDER BY ordinal"
    )
    assert found[1] == {
        "what": "bf16 peak",
        "says": "1,000 TFLOPS, sparse",
        "source": "acme-sheet",
        "locator": "page 9",
    }
    assert rows("SELECT * FROM quantities WHERE record = 'announced/forge-next'") == []
    facts = rows("SELECT field, text FROM facts WHERE record = 'announced/forge-next' ORDER BY field")
    assert [f["text"] for f in facts] == ["2026-05-04", "next year"]


def test_second_routes_of_memories_and_links_are_answered_with_the_reason_why_they_differ(path: Path) -> None:
    found = {(row["record"], row["quantity"], row["second_route"]): row for row in query(path, "two-routes").rows}
    bandwidth = found["accelerators/forge-a", "memory.bandwidth", "memory.route"]
    assert bandwidth["why"] == "The sheet rounds the bandwidth."
    assert bandwidth["difference"] == pytest.approx(1.25 / 1.28 - 1)
    for quantity in ("memory.capacity", "sram.total", "sram.per_unit"):
        assert found["accelerators/forge-c", quantity, f"{quantity}_route"]["difference"] == 0
    link = found[
        "accelerators/forge-a", "links.acme_wire.per_direction", "links times interconnects/acme-wire per_direction"
    ]
    assert link["difference"] == 0
