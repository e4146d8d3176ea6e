"""The JSON that the verbs print is what its published schema says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

REPOSITORY = Path(__file__).parents[2]


def validator(name: str) -> jsonschema.Draft7Validator:
    schema = json.loads((REPOSITORY / "schema" / "output" / f"{name}.v1.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("check", ["check", "--format", "json"]),
        ("check", ["check", "--format", "json", "--figures"]),
        ("value", ["get", "accelerators/nvidia-h100-sxm", "ridge.bf16", "--format", "json"]),
        ("value", ["get", "models/llama-2-70b", "parameters.total", "--format", "json"]),
        (
            "value",
            ["eval", "L_ridge(h100, bf16, g=4)", "--class", "prefill-attention", "--subject",
             "h100=accelerators/nvidia-h100-sxm", "--format", "json"],
        ),
        ("value", ["eval", "sqrt(2)", "--format", "json"]),
        ("impact", ["impact", "accelerators/nvidia-h100-sxm.memory.bandwidth=3.9 TB/s", "--format", "json"]),
    ],
)  # fmt: skip
def test_a_verb_prints_what_its_schema_says(cli: Any, name: str, arguments: list[str]) -> None:
    result = cli(*arguments)
    assert result.code == 0, result.err
    errors = [e.message for e in validator(name).iter_errors(json.loads(result.out))]
    assert errors == []


def test_findings_fit_the_schema(cli: Any, few: Path, edit: Any) -> None:
    edit(few / "records/accelerators/nvidia-h100-sxm.yaml", "value: 3.35 TB/s", "value: 3.9 TB/s")
    result = cli("check", "--root", str(few), "--format", "json", "--figures")
    assert result.code == 1
    document = json.loads(result.out)
    assert document["summary"]["findings"]["error"] > 0
    assert [e.message for e in validator("check").iter_errors(document)] == []


@pytest.mark.parametrize(
    "text",
    [
        "MFU rose from 38% to 41%, 128K tokens, ~48 MB, 4.2 ± 0.3 ms, 1,5 and ４８, `x=3`, CUDA 12.4, an order of magnitude",
        "Roughly two thirds of 24,576 slots; 685(12) ms; over 1.8x; 25-40%; $3.49 per GPU-hour; 3:1; 8xH100",
    ],
)
def test_numerals_fit_the_schema(cli: Any, text: str) -> None:
    result = cli("numerals", "-", stdin=text)
    rows = json.loads(result.out)
    assert len(rows) > 5
    assert [e.message for e in validator("numerals").iter_errors(rows)] == []


def test_a_query_fits_the_schema(cli: Any, tmp_path: Path) -> None:
    database = tmp_path / "base.sqlite"
    assert cli("load", "--database", str(database)).code == 0
    for query in ("ridge", "models", "two-routes", "unverified", "stale"):
        document = json.loads(cli("query", query, "--database", str(database), "--format", "json").out)
        assert document["rows"], query
        assert [e.message for e in validator("query").iter_errors(document)] == []


@pytest.mark.parametrize(
    ("text", "code"), [("The H100 has 3.35 TB/s. 4 × 5 = 21.", 1), ("4 × 5 = 20, in 2024, of 7B tokens.", 0), ("", 0)]
)
def test_an_audit_fits_the_schema(cli: Any, text: str, code: int) -> None:
    result = cli("audit", "-", "--format", "json", stdin=text)
    assert result.code == code
    assert [e.message for e in validator("audit").iter_errors(json.loads(result.out))] == []


def test_an_exported_record_fits_the_schema(cli: Any, tmp_path: Path) -> None:
    root = Path(__file__).parents[1] / "acceptance" / "records" / "good"
    database, output = tmp_path / "good.sqlite", tmp_path / "json"
    assert cli("load", "--root", root, "--database", database).code == 0
    assert cli("export", "--format", "json", "--output", output, "--database", database).code == 0
    files = sorted(output.glob("*/*.json"))
    assert {path.parent.name for path in files} >= {"accelerators", "announced", "architectures", "classes", "models"}
    for path in files:
        errors = validator("record").iter_errors(json.loads(path.read_text(encoding="utf-8")))
        assert [e.message for e in errors] == [], path.name
