"""Exports say what the database says, in the same bytes each time, and never harm what stands where they go."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ridgeline.check import check
from ridgeline.export import csvtext, folder, jsontext
from ridgeline.export.errors import ExportError
from ridgeline.export.export import export
from ridgeline.export.record import quantity_name
from ridgeline.export.snapshot import opened
from ridgeline.store.load import load

TESTS = Path(__file__).resolve().parent.parent
SCHEMA = Path(__file__).resolve().parents[2] / "schema" / "output" / "record.v1.schema.json"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module", params=["data/store", "acceptance/records/good"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose only source had another id before."""
    root = tmp_path_factory.mktemp("export")
    shutil.copytree(TESTS / request.param / "records", root / "records")
    (sheet,) = (root / "records" / "sources").iterdir()
    text = sheet.read_text(encoding="utf-8")
    assert text.count("\nstatus: ") == 1
    sheet.write_text(text.replace("\nstatus: ", "\nformerly: [old-sheet]\nstatus: "), encoding="utf-8")
    path = root / "ridgeline.sqlite"
    load(check(root), path, {"licence": "CC-BY-4.0"})
    return path


@pytest.fixture(scope="module")
def sheet(database: Path) -> str:
    """The id of the source."""
    (row,) = rows(database, "SELECT id FROM sources")
    return str(row["id"])


@pytest.fixture(scope="module")
def written(database: Path) -> Path:
    """The JSON export."""
    output = database.parent / "json"
    export(database, output, "json")
    return output


def rows(database: Path, query: str, *parameters: Any) -> Rows:
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(r) for r in connection.execute(query, parameters)]


def record(written: Path, reference: str) -> Any:
    return json.loads((written / f"{reference}.json").read_text(encoding="utf-8"))


def tree(path: Path) -> dict[str, bytes]:
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


# JSON


def test_a_file_for_each_record_and_for_each_kind(database: Path, written: Path) -> None:
    references = [r["reference"] for r in rows(database, "SELECT reference FROM records")]
    kinds = {r.partition("/")[0] for r in references}
    expected = {f"{name}.json" for name in (*references, *kinds, "index", "changes", "codes", "all", "manifest")}
    assert set(tree(written)) == expected


def test_every_file_of_a_record_fits_the_schema(database: Path, written: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for row in rows(database, "SELECT reference FROM records"):
        document = record(written, row["reference"])
        assert [e.message for e in validator.iter_errors(document)] == [], row["reference"]
        assert next(iter(validator.iter_errors({**document, "else": 1}))).validator == "additionalProperties"


def test_every_value_is_the_databases(database: Path, written: Path) -> None:
    seen = 0
    for head in rows(database, "SELECT * FROM records"):
        document = record(written, head["reference"])
        assert document["authored"] == json.loads(head["body"])
        quantities = rows(database, "SELECT * FROM quantities WHERE record = ? ORDER BY id", head["reference"])
        assert len(document["quantities"]) == len(quantities)
        for found, q in zip(document["quantities"], quantities, strict=True):
            seen += 1
            for key, column in (
                ("name", "name"), ("layer_group", "layer_group"), ("basis", "basis"), ("value", "value_exact"),
                ("decimal", "value_float"), ("unit", "dimension"), ("display", "display"), ("formula", "formula"),
                ("low", "low_exact"), ("high", "high_exact"), ("reason", "reason"), ("derivation", "derivation"),
                ("field", "field"), ("means", "means"), ("note", "note"),
            ):  # fmt: skip
                assert found.get(key) == q[column], (head["reference"], q["name"], key)
            assert found.get("printed", {}).get("text") == q["text"]
            source = found.get("source") or {"id": None, "locator": None, "checked": None}
            if q["source"] is not None:
                assert source == {"id": q["source"], "locator": q["locator"], "checked": q["checked"]}
            claims = rows(database, "SELECT * FROM claims WHERE quantity = ? ORDER BY rank", q["id"])
            assert [(c["text"], c["value"], c["source"]["id"]) for c in found.get("claims", [])] == [
                (c["text"], c["value_exact"], c["source"]) for c in claims
            ]
    assert seen > 50


def test_prose_with_the_status_of_every_numeral(database: Path, written: Path) -> None:
    seen = 0
    for head in rows(database, "SELECT reference FROM records"):
        document = record(written, head["reference"])
        passages = rows(database, "SELECT * FROM passages WHERE record = ? ORDER BY ordinal", head["reference"])
        assert [(p["field"], p["text"]) for p in document["prose"]] == [(p["field"], p["text"]) for p in passages]
        for found, passage in zip(document["prose"], passages, strict=True):
            figures = rows(database, "SELECT * FROM figures WHERE passage = ? ORDER BY id", passage["id"])
            assert len(found["figures"]) == len(figures)
            for f, row in zip(found["figures"], figures, strict=True):
                seen += 1
                assert found["text"][f["at"] : f["at"] + f["length"]] == f["text"] == row["text"]
                assert (f["status"], f.get("grade"), f.get("expression"), f.get("derivation")) == (
                    row["status"], row["grade"], row["expression"], row["derivation"]
                )  # fmt: skip
                assert f.get("computed", {}).get("value") == row["computed_exact"]
                assert f.get("holds") == (None if row["holds"] is None else bool(row["holds"]))
        conclusions = rows(database, "SELECT * FROM conclusions WHERE record = ? ORDER BY id", head["reference"])
        assert [(c["claim"], c["holds"], c["left"]["display"]) for c in document["conclusions"]] == [
            (c["claim"], bool(c["holds"]), c["left_display"]) for c in conclusions
        ]
    assert seen > 3


def test_a_derivation_reaches_down_to_stated_values_within_the_file(database: Path, written: Path) -> None:
    leaves = 0
    for head in rows(database, "SELECT reference FROM records"):
        document = record(written, head["reference"])
        known = {d["id"]: d for d in document["derivations"]}
        assert list(known) == sorted(known)
        sources = {s["id"] for s in document["sources"]}
        for d in known.values():
            (row,) = rows(database, "SELECT * FROM derivations WHERE id = ?", d["id"])
            assert (d["value"], d["unit"], d.get("formula")) == (row["value_exact"], row["dimension"], row["formula"])
            assert {step["derivation"] for step in d.get("inputs", [])} <= set(known)
            if "given" in d:
                leaves += 1
                (stated,) = rows(
                    database, "SELECT name FROM quantities WHERE record = ? AND value_field = ? ORDER BY id LIMIT 1",
                    d["given"]["record"], d["given"]["field"],
                ) or [{"name": None}]  # fmt: skip
                if stated["name"] is not None:
                    assert d["given"]["quantity"] == stated["name"]
            if "source" in d.get("given", {}):
                assert d["given"]["source"]["id"] in sources
    assert leaves > 5


def test_a_table_names_quantities_and_not_their_numbers(database: Path, written: Path) -> None:
    (peak,) = rows(database, "SELECT p.record, q.* FROM peaks p JOIN quantities q ON q.id = p.rate ORDER BY 1 LIMIT 1")
    document = record(written, peak["record"])
    assert document["tables"]["peaks"][0]["rate"] == quantity_name(peak)
    assert "record" not in document["tables"]["peaks"][0]


def test_the_dump_is_the_files_together(database: Path, written: Path) -> None:
    dump = json.loads((written / "all.json").read_text(encoding="utf-8"))
    references = [r["reference"] for r in rows(database, "SELECT reference FROM records ORDER BY reference")]
    assert dump["records"] == [record(written, reference) for reference in references]
    assert dump["about"]["licence"] == "CC-BY-4.0"


def test_lists_and_the_index(written: Path, sheet: str) -> None:
    index = record(written, "index")
    assert index["renamed"] == [{"was": "sources/old-sheet", "is": f"sources/{sheet}", "file": f"sources/{sheet}.json"}]
    assert sum(k["records"] for k in index["kinds"]) == len(index["records"])
    for kind in index["kinds"]:
        entries = json.loads((written / kind["list"]).read_text(encoding="utf-8"))["records"]
        assert [e["reference"] for e in entries] == sorted(e["reference"] for e in entries)
        for entry in entries:
            full = record(written, entry["reference"])
            assert json.loads((written / entry["file"]).read_text(encoding="utf-8")) == full
            expected = {
                quantity_name(q): {k: q[k] for k in ("value", "unit", "display", "basis")} for q in full["quantities"]
            }
            assert entry["quantities"] == expected


def test_a_source_says_what_rests_on_it(database: Path, written: Path, sheet: str) -> None:
    document = record(written, f"sources/{sheet}")
    assert document["document"]["id"] == sheet and document["formerly"] == ["old-sheet"]
    expected = rows(
        database,
        "SELECT record, name, layer_group FROM quantities WHERE source IS NOT NULL OR id IN"
        " (SELECT quantity FROM claims WHERE source IS NOT NULL)",
    )
    assert {(s["record"], s["quantity"]) for s in document["supports"]} == {
        (q["record"], quantity_name(q)) for q in expected
    }
    assert document["supports"]


def test_exact_values_and_doubles_agree(database: Path, written: Path) -> None:
    for row in rows(database, "SELECT reference FROM records"):
        for q in record(written, row["reference"])["quantities"]:
            if q["value"] is not None:
                assert float(Fraction(q["value"])) == q["decimal"]


def test_a_changed_value_is_a_changed_line() -> None:
    a = jsontext.text({"schema": "x/1", "rows": [{"a": 1}, {"b": "ü\u2028"}], "none": [], "by": {"k": {"v": None}}})
    assert (
        a == '{\n"schema":"x/1",\n"rows":[\n{"a":1},\n{"b":"ü\u2028"}\n],\n"none":[],\n"by":{\n"k":{"v":null}\n}\n}\n'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        jsontext.text({"a": float("nan")})


# Tables


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_tables_hold_what_the_database_holds(database: Path, form: str, tmp_path: Path) -> None:
    import duckdb

    export(database, tmp_path / form, form)
    connection = duckdb.connect()
    with opened(database) as snapshot:
        files = {p.name for p in (tmp_path / form).iterdir()} - {"manifest.json"}
        assert files == {f"{name}.{form}" for name in snapshot.tables}
        assert {"quantities", "figures", "derivations", "records", "codes"} <= set(snapshot.tables)
        assert not any("search" in name or name.startswith("sqlite") for name in snapshot.tables)
        for table in snapshot.tables.values():
            path, expected = tmp_path / form / f"{table.name}.{form}", list(snapshot.raw(table.name))
            if form == "parquet":
                found = connection.execute(f"SELECT * FROM '{path}'")
                assert tuple(d[0] for d in found.description or ()) == table.names
                assert found.fetchall() == expected, table.name
            else:
                with path.open(encoding="utf-8", newline="") as stream:
                    header, *lines = list(csv.reader(stream, strict=True))
                assert tuple(header) == table.names
                texts = [["" if v is None else v if isinstance(v, str) else repr(v) for v in row] for row in expected]
                assert lines == texts, table.name
                kept = [row[0] for row in expected]
                assert kept == sorted(kept) or len(table.key) != 1


def test_csv_is_what_the_standard_says() -> None:
    table = [(1, None, ""), (0.1, 'say "a, b"', "x\ny"), (-2, "c\rd", " e ")]
    assert "".join(csvtext.lines(("a", "b", "c"), iter(table))) == (
        'a,b,c\r\n1,,""\r\n0.1,"say ""a, b""","x\ny"\r\n-2,"c\rd", e \r\n'
    )


def test_parquet_without_duckdb_says_what_to_install(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ExportError, match=r"pip install 'ridgeline\[parquet\]'"):
        export(database, tmp_path / "out", "parquet")
    assert list(tmp_path.iterdir()) == []


# The folder


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_two_exports_are_the_same_bytes(database: Path, form: str, tmp_path: Path) -> None:
    first = export(database, tmp_path / "a" / "b", form)
    before = tree(first.path)
    export(database, tmp_path / "c", form)
    assert tree(tmp_path / "c") == before
    export(database, tmp_path / "c", form)
    assert tree(tmp_path / "c") == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "c"]


def test_the_manifest_has_sizes_and_checksums(written: Path) -> None:
    manifest = record(written, "manifest")
    files = tree(written)
    assert {f["path"] for f in manifest["files"]} == set(files) - {"manifest.json"}
    for f in manifest["files"]:
        assert folder.described(written / f["path"], f["path"]) == folder.Written(f["path"], f["bytes"], f["sha256"])
        assert f["bytes"] == len(files[f["path"]])


def test_what_is_no_export_is_left_alone(database: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(ExportError, match="holds files that are no export"):
        export(database, mine, "json")
    with pytest.raises(ExportError, match="is a file: name a folder"):
        export(database, mine / "thesis.txt", "json")
    assert tree(tmp_path) == {"mine/thesis.txt": b"years of work"}
    output = tmp_path / "out"
    output.mkdir()
    export(database, output, "csv")
    with pytest.raises(ExportError, match="holds an export as csv: name another folder for json"):
        export(database, output, "json")
    (output / "notes.txt").write_text("mine")
    before = tree(output)
    with pytest.raises(ExportError, match=r"holds notes\.txt, which is no part of the export there"):
        export(database, output, "csv")
    assert tree(output) == before


def test_a_failure_leaves_the_earlier_export(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out"
    export(database, output, "csv")
    before = tree(output)

    def full(*_: Any) -> Any:
        yield "a,b\r\n"
        raise OSError(28, "No space left on device", "quantities.csv")

    monkeypatch.setattr(csvtext, "lines", full)
    with pytest.raises(OSError, match="No space left"):
        export(database, output, "csv")
    assert tree(output) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    "name", ["../../evil", "a/b/c", "Accelerators/x", "accelerators/", "/etc/x", "accelerators/x\n"]
)
def test_a_reference_that_leads_elsewhere_is_refused(database: Path, name: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    shutil.copyfile(database, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE records SET reference = ? WHERE kind = 'source'", (name,))
    with pytest.raises(ExportError, match="no name for a file"):
        export(copy, tmp_path / "out", "json")
    assert [p.name for p in tmp_path.iterdir()] == ["copy.sqlite"]


def test_other_files_are_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with pytest.raises(ExportError, match="there is no database"):
        export(path, tmp_path / "out", "json")
    path.write_text("no database, but long enough to be read as the head of one" * 20)
    with pytest.raises(ExportError, match="cannot be read"):
        export(path, tmp_path / "out", "json")
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT)")
        connection.execute("INSERT INTO metadata VALUES ('schema_version', '99')")
    with pytest.raises(ExportError, match="has schema version 99, this program reads 1"):
        export(path, tmp_path / "out", "json")


def test_this_program_reads_what_it_loads() -> None:
    from ridgeline.export import snapshot
    from ridgeline.store import tables

    assert str(tables.SCHEMA_VERSION) == snapshot.SCHEMA_VERSION


# The verb


def test_the_verb(cli: Any, database: Path, tmp_path: Path) -> None:
    result = cli("export", "--format", "csv", "--output", tmp_path / "out", "--database", database)
    assert result.code == 0 and result.out.startswith("csv: ") and result.out.endswith(f"in {tmp_path / 'out'}\n")
    result = cli("export", "--format", "json", "--output", tmp_path / "out", "--database", database)
    assert result.code == 2 and "name another folder for json" in result.err
    assert cli("export", "--output", tmp_path / "x", "--database", database).code == 2
    result = cli("export", "--format", "json", "--output", tmp_path / "x", "--database", tmp_path / "none")
    assert result.code == 2 and "ridgeline load" in result.err


def test_an_export_imports_nothing_heavy(database: Path, tmp_path: Path, repository: Path) -> None:
    code = (
        "import sys; from ridgeline.cli import main;"
        f"main(['export', '--format', 'json', '--output', {str(tmp_path / 'x')!r}, '--database', {str(database)!r}]);"
        "print(sorted({'sqlalchemy', 'pydantic', 'jinja2', 'numpy', 'duckdb'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
