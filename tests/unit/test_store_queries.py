"""Questions to the database: named views, read-only SQL, bounds, and errors that help."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from ridgeline.check import check
from ridgeline.store.load import load
from ridgeline.store.queries import QueryError, query, views
from ridgeline.store.views import VIEWS

DATA = Path(__file__).resolve().parent.parent / "data" / "store"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "ridge line?.db"
    load(check(DATA), path)
    return path


@pytest.mark.parametrize("name", [view.name for view in VIEWS])
def test_every_view_answers(path: Path, name: str) -> None:
    answer = query(path, name)
    assert answer.columns and (answer.rows or name == "uncovered")
    assert all(set(row) == set(answer.columns) for row in answer.rows)
    assert name in {view["name"] for view in views()}


def test_ridge(path: Path) -> None:
    (row,) = query(path, "ridge").rows
    assert row["accelerator"] == "accelerators/chip-one" and row["format"] == "bf16" and row["path"] == "tensor"
    assert row["ridge"] == pytest.approx(20000 / 67) and row["basis"] == "unverified"


def test_models(path: Path) -> None:
    (row,) = query(path, "model-summary").rows
    assert row["parameters_total"] == 300224 and row["published_total"] == 300248
    assert row["difference"] == row["difference_explained"] == 24
    assert row["layers"] == 3 and row["kv_bytes_per_token"] == 2 * 2 * 2 * 16 * 2 + 2 * 8 * 16 * 2
    assert row["crossover_tokens"] == pytest.approx((2 * (20480 + 32640) + 65536) / (3 * 128))


def test_the_list_of_models_holds_what_people_compare(path: Path) -> None:
    (row,) = query(path, "models").rows
    assert {
        "name": "Tiny", "parameters_total": 300224.0, "kv_bytes_per_token": 768.0, "context": 2048, "status": "verified",
        "model": "models/tiny",
    }.items() <= row.items()  # fmt: skip
    (whole,) = query(path, "model-summary").rows
    assert {c: row[c] for c in ("active_parameters", "crossover_tokens")} == {
        c: whole[c] for c in ("active_parameters", "crossover_tokens")
    }


def test_two_routes(path: Path) -> None:
    found = {row["quantity"]: row["difference"] for row in query(path, "two-routes").rows}
    assert found == {"peak.bf16": 0.0, "links.nvlink_4.aggregate": 0.0, "checkpoint.total": 0.0}
    assert query(path, "two_routes") == query(path, "two-routes")


def test_unverified_and_stale(path: Path) -> None:
    found = query(path, "unverified").rows
    assert {"what": "peak.bf16", "reason": "nobody printed it"}.items() <= next(
        row for row in found if row["what"] == "peak.bf16"
    ).items()
    assert any(row["what"] == "text.summary" and row["text"] == "40" for row in found)
    days = [str(row["checked"]) for row in query(path, "stale").rows]
    assert days == sorted(days) and days[-1] == "2026-11-04"


def test_tables_sql_and_parameters(path: Path) -> None:
    assert query(path, "records").columns[0] == "reference"
    sql = "SELECT name FROM records WHERE kind = ? ORDER BY name"
    assert query(path, sql, ["format"]).rows == [{"name": "Eight bits"}, {"name": "bfloat16"}]
    assert query(path, "SELECT :x + 1 AS y", {"x": 2}).as_json() == {"columns": ["y"], "rows": [{"y": 3}]}


def test_search(path: Path) -> None:
    found = query(
        path,
        "SELECT p.record FROM passage_search s JOIN passages p ON p.id = s.rowid WHERE passage_search MATCH 'hearsay OR ridge'",
    )
    assert {"record": "classes/reading"} in found.rows
    names = query(
        path, "SELECT n.record FROM name_search s JOIN record_names n ON n.id = s.rowid WHERE name_search MATCH 'maker'"
    )
    assert names.rows == [{"record": "accelerators/chip-one"}]


def test_columns_of_one_name_stay_apart(path: Path) -> None:
    assert query(path, "SELECT 1 AS a, 2 AS a, 3 AS b").rows == [{"a": 1, "a:2": 2, "b": 3}]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM records", "UPDATE records SET name = 'x'", "INSERT INTO codes VALUES ('a', 'b', 'c')",
        "DROP TABLE records", "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "ATTACH DATABASE 'x.db' AS x",
        "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON", "PRAGMA journal_mode = WAL", "VACUUM INTO 'x.db'",
        "UPDATE sqlite_master SET sql = 'x'", "SELECT load_extension('x')", "BEGIN IMMEDIATE",
        "INSERT INTO passage_search (passage_search) VALUES ('rebuild')", "REINDEX", "ANALYZE",
        "WITH x AS (SELECT 1) DELETE FROM records",
    ],
)  # fmt: skip
def test_only_reading(path: Path, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = path.read_bytes()
    with pytest.raises(QueryError):
        query(path, sql)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("recrods", "did you mean records"),
        ("two-route", "did you mean two-routes"),
        ("SELECT * FROM recrods", "there is no table recrods; did you mean records"),
        ("SELECT r.nmae FROM records r", "there is no column r.nmae; did you mean name"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("SELECT FROM", "syntax error"),
        ("", "ask something"),
        ("SELECT ?", "binding"),
        ("-- nothing", "no question"),
    ],
)
def test_errors_help(path: Path, sql: str, message: str) -> None:
    with pytest.raises(QueryError, match=message.replace("?", r"\?")):
        query(path, sql)


def test_a_missing_file_and_one_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="there is no database"):
        query(tmp_path / "no.db", "ridge")
    assert not (tmp_path / "no.db").exists()
    (tmp_path / "text.db").write_text("this is no database at all " * 10)
    with pytest.raises(QueryError, match="no SQLite database"):
        query(tmp_path / "text.db", "ridge")


def test_bounds(path: Path) -> None:
    endless = "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT "
    start = time.monotonic()
    with pytest.raises(QueryError, match="stopped after 1,000,000 steps"):
        query(path, endless + "SUM(n) FROM x", max_steps=1_000_000)
    with pytest.raises(QueryError, match=r"stopped after 0\.2 seconds"):
        query(path, endless + "SUM(n) FROM x", max_steps=10**12, max_seconds=0.2)
    assert time.monotonic() - start < 3
    with pytest.raises(QueryError, match="too big"):
        query(path, "SELECT randomblob(100000000)")
    with pytest.raises(QueryError, match="the answer is longer"):
        query(path, endless + "hex(zeroblob(1000000)) FROM x LIMIT 100")
    answer = query(path, endless + "n FROM x", max_rows=5)
    assert len(answer.rows) == 5 and answer.truncated and answer.as_json()["truncated"] is True
    with pytest.raises(QueryError):
        query(path, "SELECT " + "(" * 1000 + "1" + ")" * 1000)


def test_a_question_imports_nothing_heavy(repository: Path) -> None:
    code = "import sys, ridgeline.store.queries; print(sorted({'sqlalchemy', 'pydantic', 'yaml'} & set(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=repository / "tooling", capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
