"""The database: same records, same bytes; whole or not at all; everything the records say is in it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import Report, check
from ridgeline.formulas.errors import FormulaError
from ridgeline.store.load import LoadError, load
from ridgeline.store.values import quantities

DATA = Path(__file__).resolve().parent.parent / "data" / "store"


@pytest.fixture(scope="module")
def report() -> Report:
    return check(DATA)


@pytest.fixture(scope="module")
def path(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "ridgeline.db"
    load(report, path, {"commit": "0" * 40, "licence": "CC-BY-4.0"})
    return path


@pytest.fixture
def rows(path: Path) -> Iterator[Any]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row

        def ask(sql: str, *parameters: object) -> list[dict[str, Any]]:
            return [dict(row) for row in connection.execute(sql, parameters)]

        yield ask


def test_records_check_clean(report: Report) -> None:
    assert [f.message for f in report.findings] == []


def test_same_records_same_bytes(path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.db"
    load(check(DATA), again, {"licence": "CC-BY-4.0", "commit": "0" * 40})
    assert again.read_bytes() == path.read_bytes()


def test_other_hashes_of_text_change_nothing(path: Path, tmp_path: Path, repository: Path) -> None:
    """The order of sets differs from process to process, that of rows must not."""
    target = tmp_path / "again.db"
    code = (
        "import sys; from pathlib import Path; from ridgeline.check import check; from ridgeline.store.load import load; "
        "load(check(Path(sys.argv[1])), sys.argv[2], {'commit': '0' * 40, 'licence': 'CC-BY-4.0'})"
    )
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", code, str(DATA), str(target)], cwd=repository / "tooling", check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert target.read_bytes() == path.read_bytes()


def test_strict_tables_and_no_broken_reference(rows: Any) -> None:
    loose = rows(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict AND schema = 'main' "
        "AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%\\_search\\_%' ESCAPE '\\'"
    )
    assert loose == []
    assert rows("PRAGMA foreign_key_check") == []
    assert rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert rows("INSERT INTO passage_search(passage_search) VALUES ('integrity-check')") == []


def test_a_quantity_with_its_origin(rows: Any) -> None:
    (found,) = rows("SELECT * FROM quantities WHERE record = 'accelerators/chip-one' AND name = 'memory.bandwidth'")
    expected = {
        "basis": "recorded", "field": "memory.bandwidth", "value_field": "memory.bandwidth.claims.1", "text": "3.35 TB/s",
        "unit": "TB/s", "value_exact": "3350000000000", "value_float": 3.35e12, "dimension": "byte/s",
        "display": "3.35 TB/s", "source": "sheet", "locator": "page 2", "checked": "2026-11-02", "claims": 2, "line": 12,
        "formula": None, "layer_group": None,
    }  # fmt: skip
    assert {key: found[key] for key in expected} == expected
    claims = rows("SELECT rank, preferred, text, field, line FROM claims WHERE quantity = ? ORDER BY rank", found["id"])
    assert claims == [
        {"rank": 1, "preferred": 1, "text": "3.35 TB/s", "field": "memory.bandwidth.claims.1", "line": 18},
        {"rank": 2, "preferred": 0, "text": "3 TB/s", "field": "memory.bandwidth.claims.0", "line": 14},
    ]


def test_a_derived_quantity_with_its_derivation(rows: Any) -> None:
    (found,) = rows(
        "SELECT d.*, q.formula AS f, q.basis FROM quantities q JOIN derivations d ON d.id = q.derivation "
        "WHERE q.record = 'accelerators/chip-one' AND q.name = 'ridge.bf16'"
    )
    assert found["basis"] == "derived"
    assert found["formula"] == found["f"] == "peak.bf16 / memory.bandwidth"
    assert found["value_exact"] == "20000/67"
    assert found["display"] == "298.507 flop/byte"
    assert found["mathml"] == (
        "<mrow><mfrac><mrow><mtext>peak.bf16</mtext></mrow><mrow><mtext>memory.bandwidth</mtext></mrow></mfrac></mrow>"
    )
    assert ">1000</mn>" in found["mathml_values"] and "<mtext>TFLOP/s</mtext>" in found["mathml_values"]
    (value,) = rows(f"SELECT {found['sql']} AS value")
    assert value["value"] == pytest.approx(20000 / 67, rel=1e-15)
    steps = rows(
        "SELECT s.name, c.given_record, c.given_field, c.display FROM derivation_steps s JOIN derivations c ON c.id = s.child "
        "WHERE s.parent = ? ORDER BY s.ordinal",
        found["id"],
    )
    assert steps == [
        {"name": "peak.bf16", "given_record": "accelerators/chip-one", "given_field": "peaks.0.rate",
         "display": "1000 TFLOP/s"},
        {"name": "memory.bandwidth", "given_record": "accelerators/chip-one",
         "given_field": "memory.bandwidth.claims.1", "display": "3.35 TB/s"},
    ]  # fmt: skip


def test_unknown_is_null_and_says_why(rows: Any) -> None:
    found = rows(
        "SELECT name, value_float, display, reason FROM quantities WHERE record = 'accelerators/chip-one' AND basis = "
        "'unknown' AND name LIKE 'memory.%' ORDER BY name"
    )
    assert [row["name"] for row in found] == ["memory.capacity", "memory.pin_rate", "memory.route"]
    assert all(row["value_float"] is None and row["display"] is None for row in found)
    assert found[0]["reason"] == "nobody has verified a value"
    assert "memory.pin_rate" in found[2]["reason"]


def test_layer_groups(rows: Any) -> None:
    found = rows(
        "SELECT name, layer_group, value_exact FROM quantities WHERE record = 'models/tiny' AND name IN ('n_q', 'g', "
        "'linear_parameters') ORDER BY name, layer_group"
    )
    assert found == [
        {"name": "g", "layer_group": 0, "value_exact": "4"},
        {"name": "g", "layer_group": 1, "value_exact": "1"},
        {"name": "linear_parameters", "layer_group": None, "value_exact": "171776"},
        {"name": "n_q", "layer_group": 0, "value_exact": "8"},
        {"name": "n_q", "layer_group": 1, "value_exact": "8"},
    ]


def test_every_name_has_a_row(report: Report, rows: Any) -> None:
    named = list(quantities(report))
    stored = {
        (row["record"], row["name"], row["layer_group"]): row
        for row in rows("SELECT record, name, layer_group, basis, derivation FROM quantities")
    }
    assert len(named) > 60
    for item in named:
        row = stored[item.record, item.name, item.layer_group]
        assert (row["basis"] == "unknown") == isinstance(item.result, FormulaError)
        assert (row["derivation"] is None) == isinstance(item.result, FormulaError)
    # Recorded values that no formula can name are there too, under their field.
    assert ("formats/f8", "storage_bits", None) in stored


def test_dependencies_are_transitive(rows: Any) -> None:
    found = rows(
        "SELECT rests_on_record, rests_on FROM depends WHERE kind = 'figure' AND what LIKE '%: 298.5' ORDER BY rests_on"
    )
    assert found == [
        {"rests_on_record": "accelerators/chip-one", "rests_on": "memory.bandwidth"},
        {"rests_on_record": "accelerators/chip-one", "rests_on": "peak.bf16"},
    ]
    total = rows(
        "SELECT rests_on FROM depends WHERE kind = 'quantity' AND record = 'models/tiny' AND what = 'weight_bytes'"
    )
    assert {"vocabulary", "d_model", "n_kv", "layer_count"} <= {row["rests_on"] for row in total}


def test_figures(rows: Any) -> None:
    found = rows(
        "SELECT f.text, f.status, f.grade, f.holds, f.value_exact, f.computed_display, f.line, f.col, p.text AS passage, f.at "
        "FROM figures f JOIN passages p ON p.id = f.passage WHERE f.record = 'classes/reading' AND p.field = 'text.summary' "
        "ORDER BY f.ordinal"
    )
    assert [(row["text"], row["status"], row["grade"]) for row in found] == [
        ("298.5", "recomputed", "exact"),
        ("2026", "set-aside", None),
        ("40", "unverified", None),
        ("50", "cited", None),
    ]
    assert found[0]["computed_display"].startswith("298.507")
    source = (DATA / "records/classes/reading.yaml").read_text(encoding="utf-8").splitlines()
    for row in found:
        assert row["passage"][row["at"] :].startswith(row["text"])
        assert source[row["line"] - 1][row["col"] - 1 :].startswith(row["text"])


def test_formulas_of_a_class_and_of_the_vocabulary(rows: Any) -> None:
    (flops,) = rows("SELECT * FROM formulas WHERE record = 'classes/reading' AND name = 'flops'")
    assert flops["text"] == "2 * n_q * d_head * L^2" and flops["per"] == "layer"
    assert 'CAST("L" AS REAL)' in flops["sql"] and flops["sql_reason"] is None
    (crossing,) = rows("SELECT * FROM formulas WHERE record = 'classes/reading' AND name = 'L_ridge'")
    assert crossing["solve_for"] == "L" and crossing["sql"] is None and "<mo>=</mo>" in crossing["mathml"]
    (total,) = rows("SELECT * FROM formulas WHERE kind = 'model' AND name = 'kv_bytes_per_token'")
    assert total["record"] is None and "total" in total["sql_reason"]
    roles = rows("SELECT name, role FROM formula_names WHERE formula = ? ORDER BY name", flops["id"])
    assert roles == [
        {"name": "L", "role": "symbol"}, {"name": "d_head", "role": "quantity"}, {"name": "n_q", "role": "quantity"}
    ]  # fmt: skip


def test_hardware_values_are_looked_up(rows: Any) -> None:
    found = rows(
        "SELECT h.accelerator, q.display, h.reason FROM hardware_values h LEFT JOIN quantities q ON q.id = h.quantity"
    )
    assert found == [{"accelerator": "accelerators/chip-one", "display": "3.35 TB/s", "reason": None}]


def test_every_code_is_explained(rows: Any) -> None:
    known = {(row["area"], row["code"]) for row in rows("SELECT area, code FROM codes")}
    columns = {
        "status": "SELECT DISTINCT status FROM figures", "grade": "SELECT DISTINCT grade FROM figures",
        "basis": "SELECT DISTINCT basis FROM quantities", "record-status": "SELECT DISTINCT status FROM records",
        "numeral-kind": "SELECT DISTINCT kind FROM figures", "comparator": "SELECT DISTINCT comparator FROM figures",
        "source-kind": "SELECT DISTINCT kind FROM sources", "record-kind": "SELECT DISTINCT kind FROM records",
        "metadata": "SELECT key FROM metadata", "rule": "SELECT DISTINCT rule FROM figures",
    }  # fmt: skip
    for area, sql in columns.items():
        for row in rows(sql):
            (code,) = row.values()
            assert code is None or (area, code) in known, f"{area} {code}"


def test_codes_cover_the_types() -> None:
    from typing import get_args

    from ridgeline.figures.compare import Grade
    from ridgeline.figures.figure import Status
    from ridgeline.numbers.numeral import Comparator, Kind
    from ridgeline.numbers.units import HARD, SOFT
    from ridgeline.records.accelerator import Accelerator
    from ridgeline.records.common import Quantity, Record
    from ridgeline.records.source import Source
    from ridgeline.records.workload import Workload
    from ridgeline.store.codes import CODES

    def literal(model: Any, field: str) -> set[str]:
        return set(get_args(model.model_fields[field].annotation))

    assert set(CODES["status"]) == {s.value for s in Status}
    assert set(CODES["grade"]) == {g.value for g in Grade}
    assert set(CODES["numeral-kind"]) == {k.value for k in Kind}
    assert set(CODES["comparator"]) == {c.value for c in Comparator}
    assert set(CODES["unit"]) >= HARD | SOFT
    assert set(CODES["basis"]) == literal(Quantity, "basis") | {"unknown"}
    assert set(CODES["record-status"]) == literal(Record, "status")
    assert set(CODES["source-kind"]) == literal(Source, "kind")
    assert set(CODES["scope"]) == literal(Accelerator, "scope")
    assert set(CODES["phase"]) == literal(Workload, "phase")


def test_metadata(rows: Any) -> None:
    found = {row["key"]: row["value"] for row in rows("SELECT key, value FROM metadata")}
    assert found["commit"] == "0" * 40 and found["licence"] == "CC-BY-4.0" and found["source_date"] == "2026-12-01"
    assert found["schema_version"] == "1" and len(found["data_version"]) == 16


def test_data_version_follows_the_records(tmp_path: Path, report: Report) -> None:
    import shutil

    from ridgeline.store.load import metadata

    shutil.copytree(DATA / "records", tmp_path / "records")
    assert metadata(check(tmp_path), {})["data_version"] == metadata(report, {})["data_version"]
    sheet = tmp_path / "records/sources/sheet.yaml"
    sheet.write_text(sheet.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    assert metadata(check(tmp_path), {})["data_version"] != metadata(report, {})["data_version"]


# Failures


def test_a_failed_load_leaves_the_old_file(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlalchemy.exc import OperationalError

    from ridgeline.store import load as module

    target = tmp_path / "data.db"
    load(report, target)
    before = target.read_bytes()

    def fail(*_: object) -> object:
        raise OperationalError("ANALYZE", {}, Exception("the disk is full"))

    monkeypatch.setattr(module, "crosscheck", fail)
    with pytest.raises(LoadError, match=r"is not written: .*the disk is full"):
        load(report, target)
    assert target.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["data.db"]


def test_a_file_in_the_way(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LoadError, match="is not written"):
        load(report, tmp_path / "file" / "data.db")


@pytest.mark.parametrize("url", ["nothing://somewhere", "postgresql+nodriver://x/y", "://"])
def test_a_bad_url(report: Report, url: str) -> None:
    with pytest.raises(LoadError):
        load(report, url)


def test_a_url_of_a_file_and_one_of_memory(report: Report, tmp_path: Path, path: Path) -> None:
    target = tmp_path / "by-url.db"
    load(report, f"sqlite:///{target}", {"commit": "0" * 40, "licence": "CC-BY-4.0"})
    assert target.read_bytes() == path.read_bytes()
    assert load(report, "sqlite://").counts["records"] == 6


def test_records_with_errors_are_loaded_with_their_findings(tmp_path: Path) -> None:
    import shutil

    shutil.copytree(DATA / "records", tmp_path / "records")
    chip = tmp_path / "records/accelerators/chip-one.yaml"
    text = chip.read_text(encoding="utf-8")
    chip.write_text(
        text.replace("source: sheet\n        at: page 1", "source: gone\n        at: page 1").replace(
            "1000 TFLOP/s", "1000 TFLOPP/s"
        ),
        encoding="utf-8",
    )
    (tmp_path / "records/models/tiny.yaml").write_text("id: [", encoding="utf-8")
    report = check(tmp_path)
    result = load(report, tmp_path / "data.db")
    with closing(sqlite3.connect(tmp_path / "data.db")) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        rules = {rule for (rule,) in connection.execute("SELECT rule FROM findings")}
        assert {"unknown-reference", "value-unreadable"} <= rules
        assert connection.execute("SELECT COUNT(*) FROM models").fetchone() == (0,)
        bad = connection.execute(
            "SELECT text, basis, value_float, reason FROM quantities WHERE name = 'peaks.0.rate'"
        ).fetchall()
    assert len(bad) == 1 and bad[0] == ("1000 TFLOPP/s", "unverified", None, "unknown unit TFLOPP/s; nobody printed it")
    assert result.counts["findings"] == len(report.findings)


def test_the_tables_can_be_made_in_postgresql() -> None:
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.schema import CreateIndex, CreateTable

    from ridgeline.store import kinds  # noqa: F401
    from ridgeline.store.tables import Base

    for table in Base.metadata.sorted_tables:
        text = str(CreateTable(table).compile(dialect=postgresql.dialect()))
        assert "STRICT" not in text and "REAL" not in text
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=postgresql.dialect()))
    assert "DOUBLE PRECISION" in str(
        CreateTable(Base.metadata.tables["quantities"]).compile(dialect=postgresql.dialect())
    )


def test_tables_of_somebody_else_are_left_alone(report: Report, tmp_path: Path) -> None:
    """Only for databases that are not replaced as a whole; SQLite in a file stands in for a server here."""
    from sqlalchemy import create_engine

    from ridgeline.store.load import _clear

    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE models (x)")
    with engine.begin() as connection, pytest.raises(LoadError, match="somebody else's called models"):
        _clear(connection)
