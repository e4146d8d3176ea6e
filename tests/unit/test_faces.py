"""The faces of findings: what people, programs, GitHub and code scanning see of the same three findings."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ridgeline.findings import faces
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.rules.catalogue import catalogue
from tests.acceptance.conftest import build
from tests.conftest import REPOSITORY, Cli

DATA = REPOSITORY / "tests" / "data" / "faces"

#: The keys that programs rely on.
FINDING = {
    *(
        "rule",
        "level",
        "path",
        "line",
        "column",
        "record",
        "field",
        "message",
        "found",
        "expected",
        "because",
        "fixable",
    ),
}
FIGURE = {
    *("path", "line", "column", "record", "field", "text", "status", "grade", "value", "unit", "interval"),
    *("expression", "computed", "inputs"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with an error, a warning and a note in two files, one in a line that is cut on the screen."""
    root = build(tmp_path)
    for path, old, new in (
        ("classes/scores.yaml", "cross it at 204.8 tokens.", "cross it at 205.8 tokens, says the sheet, 100% sure: é."),
        ("classes/scores.yaml", "  notes: |\n", "  notes: |\n    It has 64 KB.\n"),
        ("classes/scores.yaml", "figures:\n", "figures:\n- {say: It has 64 KB, unverified: x}\n"),
        ("classes/scores.yaml", "says the sheet, 100% sure", "says the sheet, surely"),
        ("models/small.yaml", "width: 8\n", "widht: 8\n"),
    ):
        file = root / "records" / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("form", "name"),
    [("text", "check.txt"), ("json", "check.json"), ("github", "check.github"), ("sarif", "check.sarif")],
)
def test_the_face_is_the_golden_file(form: str, name: str, root: Path, cli: Cli) -> None:
    """``RIDGELINE_EXPECTED=write`` writes it anew."""
    import os

    ran = cli("check", "--root", root, "--format", form)
    assert ran.code == 1
    if os.environ.get("RIDGELINE_EXPECTED") == "write":
        DATA.mkdir(exist_ok=True)
        (DATA / name).write_text(ran.out, encoding="utf-8")
    assert ran.out == (DATA / name).read_text(encoding="utf-8")


def test_all_faces_tell_of_the_same_findings(root: Path, cli: Cli) -> None:
    found = cli("check", "--root", root, "--format", "json").json["findings"]
    places = [(f["path"], f["line"], f["column"], f["rule"]) for f in found]
    assert len(places) == 4
    text = cli("check", "--root", root).out
    github = cli("check", "--root", root, "--format", "github").out
    sarif = cli("check", "--root", root, "--format", "sarif").json
    for path, line, column, rule in places:
        assert f"{path}:{line}:{column}: " in text
        assert f"file={path},line={line},col={column}," in github
        assert f"title={rule}::" in github
    regions = [
        (
            r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            r["locations"][0]["physicalLocation"]["region"]["startLine"],
            r["locations"][0]["physicalLocation"]["region"]["startColumn"],
            r["ruleId"],
        )
        for r in sarif["runs"][0]["results"]
    ]
    assert regions == places
    assert places == sorted(places)


def test_json_has_every_key_that_programs_rely_on(root: Path, cli: Cli) -> None:
    report = cli("check", "--root", root, "--format", "json", "--figures").json
    assert report["schema"] == "ridgeline-check/1"
    assert set(report) == {"schema", "summary", "findings", "figures", "conclusions"}
    summary = report["summary"]
    assert set(summary) >= {"records", "numerals", "by_status", "findings"}
    assert set(summary["findings"]) == {"error", "warning", "info"}
    assert set(summary["by_status"]) == {
        *("recomputed", "equation", "recorded", "cited", "set-aside", "unverified", "uncovered")
    }
    assert summary["numerals"] == len(report["figures"]) == sum(summary["by_status"].values())
    assert sum(summary["findings"].values()) == len(report["findings"])
    assert all(set(f) >= FINDING for f in report["findings"])
    assert all(set(f) >= FIGURE for f in report["figures"])
    assert all({"name", "value", "unit", "source"} <= set(i) for f in report["figures"] for i in f["inputs"])
    assert "figures" not in cli("check", "--root", root, "--format", "json").json


def test_a_clean_tree_in_every_face(tmp_path: Path, cli: Cli) -> None:
    root = build(tmp_path)
    assert cli("check", "--root", root, "--format", "github").out == ""
    assert cli("check", "--root", root, "--format", "sarif").json["runs"][0]["results"] == []
    assert cli("check", "--root", root, "--format", "json").json["findings"] == []
    assert "findings: none" in cli("check", "--root", root).out


# Hostile values

NASTY = Finding(
    "uncovered",
    Level.ERROR,
    Place("records/a b,c:d%é.yaml", 3, 200, 500),
    "50% of\r\nwhat::error::? <script>",
    found="<b>",
    expected="x",
    because="a, b: c",
    mend="write\nit",
)


def test_a_github_annotation_stays_one_line() -> None:
    assert faces.github([NASTY]) == (
        "::error file=records/a b%2Cc%3Ad%25é.yaml,line=3,col=200,endColumn=700,title=uncovered"
        "::50%25 of%0D%0Awhat::error::? <script> (because a, b: c). Next: write%0Ait\n"
    )


def test_the_underline_stays_under_its_span() -> None:
    line = "x" * 199 + "SPAN" + "y" * 400
    shown = faces.text([Finding("r", Level.INFO, Place("f", 1, 200, 4), "m")], lambda path, number: line).split("\n")
    assert shown[1][shown[2].index("^") : shown[2].rindex("^") + 1] == "SPAN"
    assert len(shown[1]) < 130


def test_the_underline_of_a_span_at_the_start_and_beyond_the_line() -> None:
    for column, length, span in ((1, 2, "ab"), (2, 90, "bc"), (3, 1, "c")):
        finding = Finding("r", Level.INFO, Place("f", 1, column, length), "m")
        shown = faces.text([finding], lambda path, number: "abc").split("\n")
        assert shown[1][shown[2].index("^") : shown[2].rindex("^") + 1] == span


def test_a_line_that_ends_the_terminal_is_shown_as_text() -> None:
    finding = Finding("r", Level.INFO, Place("f", 1, 3, 1), "m")
    shown = faces.text([finding], lambda path, number: "a\tb\x1b[31mc")
    assert "\x1b" not in shown
    line, under = shown.split("\n")[1:3]
    assert line.index("b") == under.index("^")


def test_sarif_is_what_its_schema_wants(root: Path, cli: Cli) -> None:
    report = cli("check", "--root", root, "--format", "sarif").json
    jsonschema.validate(report, SARIF)
    jsonschema.validate(json.loads(faces.sarif([NASTY], "0")), SARIF)
    rules = report["runs"][0]["tool"]["driver"]["rules"]
    for result in report["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["ruleId"] in catalogue()


def test_sarif_escapes_the_path() -> None:
    report = json.loads(faces.sarif([NASTY], "0"))
    location = report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "records/a%20b%2Cc%3Ad%25%C3%A9.yaml"


#: What the SARIF 2.1.0 specification requires of the objects that are used here (sections 3.13 to 3.30).
_TEXT = {"type": "string", "minLength": 1}
_FROM_ONE = {"type": "integer", "minimum": 1}
SARIF = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["name"],
                                "properties": {
                                    "name": _TEXT,
                                    "version": _TEXT,
                                    "informationUri": {"type": "string", "format": "uri"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "additionalProperties": False,
                                            "required": ["id"],
                                            "properties": {"id": _TEXT},
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["message", "ruleId", "locations"],
                            "properties": {
                                "suppressions": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "required": ["kind"],
                                        "properties": {
                                            "kind": {"enum": ["inSource", "external"]},
                                            "status": {"enum": ["accepted", "underReview", "rejected"]},
                                            "justification": _TEXT,
                                        },
                                    },
                                },
                                "ruleId": _TEXT,
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "required": ["text"],
                                    "properties": {"text": _TEXT},
                                },
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "additionalProperties": False,
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "type": "object",
                                                        "additionalProperties": False,
                                                        "required": ["uri"],
                                                        # A relative reference, so that code scanning finds the file.
                                                        "properties": {
                                                            "uri": {
                                                                "type": "string",
                                                                "pattern": "^[^/:\\s]+(/[^/:\\s]+)*$",
                                                            }
                                                        },
                                                    },
                                                    "region": {
                                                        "type": "object",
                                                        "additionalProperties": False,
                                                        "required": ["startLine"],
                                                        "properties": {
                                                            "startLine": _FROM_ONE,
                                                            "startColumn": _FROM_ONE,
                                                            "endLine": _FROM_ONE,
                                                            "endColumn": _FROM_ONE,
                                                        },
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
