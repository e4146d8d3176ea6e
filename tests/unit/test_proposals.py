"""Proposals for figure entries: they fit, they are marked, and they fail until a person confirms them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TEXT = """
subjects: {h100: accelerators/nvidia-h100-sxm, llama: models/llama-3-8b}
text:
  note: |
    The ridge point of the part is 295.3 flop/byte, its memory moves 3.35 TB/s, and the model has 8,030,261,248
    parameters. It takes 70 GB.
"""


@pytest.fixture
def record(few: Path) -> Path:
    path = few / "records/formats/bf16.yaml"
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + TEXT, encoding="utf-8")
    return path


def test_what_fits_is_proposed(cli: Any, few: Path, record: Path) -> None:
    result = cli("bind", "formats/bf16", "--root", str(few))
    assert result.code == 0
    assert "is: h100.ridge.bf16\n" in result.out
    assert "is: h100.memory.bandwidth\n" in result.out
    assert "is: llama.parameters.total\n" in result.out
    # Two digits agree with too much by chance: never by search alone.
    assert "70 GB" not in result.out
    assert result.out.count("- say: ") == result.out.count("  todo: ")


def test_a_written_proposal_fails_until_its_todo_is_deleted(cli: Any, few: Path, record: Path) -> None:
    assert cli("bind", "formats/bf16", "--root", str(few), "--write").code == 0
    source = record.read_text(encoding="utf-8")
    assert TEXT.strip() in source
    report = cli("check", "records/formats/bf16.yaml", "--root", str(few), "--format", "json")
    rules = [f["rule"] for f in report.json["findings"] if f["level"] == "error"]
    assert report.code == 1
    assert set(rules) == {"figure-todo", "uncovered"}
    assert rules.count("uncovered") == 1
    record.write_text(
        "".join(line for line in source.splitlines(keepends=True) if "todo:" not in line), encoding="utf-8"
    )
    report = cli("check", "records/formats/bf16.yaml", "--root", str(few), "--format", "json")
    rules = [f["rule"] for f in report.json["findings"]]
    assert rules == ["uncovered"]


def test_entries_are_added_after_those_that_stand(cli: Any, few: Path, record: Path) -> None:
    stated = (
        record.read_text(encoding="utf-8") + "figures:\n- say: memory moves 3.35 TB/s\n  is: h100.memory.bandwidth\n"
    )
    record.write_text(stated, encoding="utf-8")
    assert cli("bind", "formats/bf16", "--root", str(few), "--write").code == 0
    assert record.read_text(encoding="utf-8").startswith(stated)


def test_nothing_to_propose(cli: Any, few: Path) -> None:
    result = cli("bind", "formats/fp8", "--root", str(few))
    assert (result.code, result.out.startswith("no uncovered numeral")) == (0, True)
    assert cli("bind", "formats/fp9", "--root", str(few)).code == 2
