"""``ridgeline query models``: a table that people read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from ridgeline.check import check
from ridgeline.cli import main
from ridgeline.store.load import load

DATA = Path(__file__).resolve().parent.parent / "data" / "store"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("query") / "ridgeline.db"
    load(check(DATA), path)
    return str(path)


def test_the_models_stand_in_a_table_with_aligned_numbers(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "models", "--database", database]) == 0
    head, rule, row = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "name", "parameters_total", "active_parameters", "kv_bytes_per_token", "crossover_tokens", "context", "status", "model"
    ]  # fmt: skip
    assert row.split() == ["Tiny", "300,224", "300,224", "768", "447.333", "2,048", "verified", "models/tiny"]
    assert set(rule) == {"-", " "}
    for name in ("parameters_total", "kv_bytes_per_token", "context"):
        end = head.index(name) + len(name)
        assert row[end - 1].isdigit() and row[end : end + 2] in ("  ", "")


def test_other_forms_keep_every_digit(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", "models", "--database", database, "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["context"] == "2048" and float(row["parameters_total"]) == 300224
    assert main(["query", "models", "--database", database, "--format", "json"]) == 0
    (same,) = json.loads(capsys.readouterr().out)["rows"]
    assert float(row["crossover_tokens"]) == same["crossover_tokens"] == pytest.approx(447 + 1 / 3)
