"""What a difference says of waivers and ceilings, between folders and between revisions."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.acceptance.conftest import build
from tests.conftest import REPOSITORY, Cli
from tests.unit.test_waivers import HEAD, REASON, entry

WRONG = ("records/classes/scores.yaml", "at 204.8 tokens.", "at 205.8 tokens.")
WAIVED = HEAD + entry(field="text.summary")
CEILINGS = "schema: ceilings/1\nceilings: {warnings: 3, draft_records: 2}\n"
Sides = Callable[..., tuple[Path, Path]]


@pytest.fixture
def sides(tmp_path: Path) -> Sides:
    """Two copies of the good tree with files beside the records, as ``sides({"waivers.yaml": …}, {…}, wrong=(True, True))``."""

    def make(base: dict[str, str], head: dict[str, str], wrong: tuple[bool, bool]) -> tuple[Path, Path]:
        roots = tmp_path / "base", tmp_path / "head"
        for root, files, fails in zip(roots, (base, head), wrong, strict=True):
            build(root)
            if fails:
                path = root / WRONG[0]
                path.write_text(path.read_text(encoding="utf-8").replace(*WRONG[1:]), encoding="utf-8")
            for name, text in files.items():
                (root / name).write_text(text, encoding="utf-8")
        return roots

    return make


def diff(cli: Cli, base: Path, head: Path) -> Any:
    ran = cli("diff", base, head, "--format", "json")
    schema = json.loads((REPOSITORY / "schema/output/diff.v1.schema.json").read_text(encoding="utf-8"))
    assert [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(ran.json)] == []
    assert ran.code == (0 if ran.json["summary"]["clean"] else 1)
    return ran.json


def test_a_false_sentence_that_is_waived_is_named_and_fails_nothing(sides: Sides, cli: Cli) -> None:
    roots = sides({}, {"waivers.yaml": WAIVED}, (False, True))
    found = diff(cli, *roots)
    assert found["summary"]["clean"] is True
    assert [(f["rule"], f["waived"]["owner"]) for f in found["false"]] == [("figure-wrong", "acme")]
    assert found["summary"]["new"] == {"error": 0, "warning": 0, "info": 0}
    (waiver,) = found["waivers"]
    assert (waiver["how"], waiver["rule"], waiver["record"], waiver["field"], waiver["reason"]) == (
        "added", "figure-wrong", "classes/scores", "text.summary", REASON,
    )  # fmt: skip
    text = cli("diff", *roots).out
    assert "waivers: 1 added\n" in text
    assert "waived[figure-wrong]" in text
    assert (
        f"  added: figure-wrong in text.summary of classes/scores, 2026-11-01 to 2027-02-28 by acme: {REASON}" in text
    )
    comment = cli("diff", *roots, "--format", "markdown").out
    assert "#### Waivers (1)" in comment
    assert "| added | <code>figure-wrong</code> | <code>text.summary of classes/scores</code> |" in comment
    assert "waived <code>figure-wrong</code>" in comment
    assert "**No new errors; revision and history are in order.**" in comment
    assert cli("diff", *roots, "--format", "github").out.startswith("::notice ")


def test_a_waiver_that_goes_while_its_finding_stays_is_an_error(sides: Sides, cli: Cli) -> None:
    found = diff(cli, *sides({"waivers.yaml": WAIVED}, {}, (True, True)))
    assert found["summary"]["clean"] is False
    assert [w["how"] for w in found["waivers"]] == ["removed"]
    assert [(f["rule"], f["waived"]) for f in found["false"]] == [("figure-wrong", None)]


def test_a_waiver_that_goes_with_its_finding_is_clean(sides: Sides, cli: Cli) -> None:
    found = diff(cli, *sides({"waivers.yaml": WAIVED}, {}, (True, False)))
    assert found["summary"]["clean"] is True
    assert found["summary"]["waivers"] == {"added": 0, "removed": 1}
    assert found["false"] == []


def test_a_waiver_that_stays_after_its_finding_is_an_error(sides: Sides, cli: Cli) -> None:
    found = diff(cli, *sides({"waivers.yaml": WAIVED}, {"waivers.yaml": WAIVED}, (True, False)))
    assert found["waivers"] == []
    assert [f["rule"] for f in found["findings"]["new"]] == ["waiver-unused"]
    assert found["summary"]["clean"] is False


def test_the_same_records_with_another_waiver_are_an_effect(sides: Sides, cli: Cli) -> None:
    later = WAIVED.replace("2027-02-28", "2027-03-31")
    found = diff(cli, *sides({"waivers.yaml": WAIVED}, {"waivers.yaml": later}, (True, True)))
    assert found["summary"]["no_effect"] is False
    assert [(w["how"], w["expires"]) for w in found["waivers"]] == [("removed", "2027-02-28"), ("added", "2027-03-31")]


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("schema: ceilings/1\nceilings: {warnings: 3, draft_records: 1}\n", []),
        ("schema: ceilings/1\nceilings: {warnings: 3, draft_records: 2, contested_records: 9}\n", []),
        (
            "schema: ceilings/1\nceilings: {warnings: 4, draft_records: 2}\n",
            [("the ceiling of warnings was raised from 3 to 4", "4", "at most 3", 2, 22)],
        ),
        (
            "schema: ceilings/1\nceilings: {warnings: 3}\n",
            [("the ceiling of draft_records was taken away; it was 2", "", "at most 2", 2, 11)],
        ),
        (
            None,
            [
                ("the ceiling of draft_records was taken away; it was 2", "", "at most 2", 1, 1),
                ("the ceiling of warnings was taken away; it was 3", "", "at most 3", 1, 1),
            ],
        ),
    ],
)
def test_a_ceiling_only_falls(head: str | None, told: list[Any], sides: Sides, cli: Cli) -> None:
    files = {} if head is None else {"ceilings.yaml": head}
    found = diff(cli, *sides({"ceilings.yaml": CEILINGS}, files, (False, False)))
    rules = found["rules"]
    assert {f["rule"] for f in rules} <= {"ceiling-raised"}
    assert [(f["message"], f["found"], f["expected"], f["line"], f["column"]) for f in rules] == told
    assert found["summary"]["clean"] is not bool(told)


def test_the_comment_says_that_it_is_about_ceilings(sides: Sides, cli: Cli) -> None:
    roots = sides({"ceilings.yaml": CEILINGS}, {"ceilings.yaml": CEILINGS.replace("3", "4")}, (False, False))
    assert "revision, history and ceilings: 1 error, 0 warnings" in cli("diff", *roots).out
    comment = cli("diff", *roots, "--format", "markdown").out
    assert "**1 rule of revision, history and ceilings broken.**" in comment
    assert "#### Revision, history and ceilings (1)" in comment


def test_a_ceiling_file_that_cannot_be_read_is_a_finding_of_the_check(sides: Sides, cli: Cli) -> None:
    found = diff(cli, *sides({"ceilings.yaml": CEILINGS}, {"ceilings.yaml": "schema: x\n"}, (False, False)))
    assert found["rules"] == []
    assert [f["rule"] for f in found["findings"]["new"]] == ["schema-line"]


def test_revisions_are_read_with_the_files_beside_their_own_records(sides: Sides, cli: Cli, tmp_path: Path) -> None:
    base, head = sides(
        {"waivers.yaml": WAIVED, "ceilings.yaml": CEILINGS},
        {"ceilings.yaml": CEILINGS.replace("3", "4")},
        (True, False),
    )
    repository = tmp_path / "repository"
    inner = repository / "below"
    shutil.copytree(base, inner)
    git = ("git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "base"], check=True)
    shutil.rmtree(inner)
    shutil.copytree(head, inner)
    ran = cli("diff", "HEAD", "--root", inner, "--format", "json")
    assert ran.code == 1, ran.err
    assert [w["how"] for w in ran.json["waivers"]] == ["removed"]
    assert [f["rule"] for f in ran.json["rules"]] == ["ceiling-raised"]
    # The base's waiver is held against the base: what it waived went away with it.
    gone = [(f["rule"], f["waived"] is None) for f in ran.json["findings"]["gone"] if f["level"] == "error"]
    assert gone == [("figure-wrong", False)]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "head"], check=True)
    both = cli("diff", "HEAD~1", "HEAD", "--root", inner, "--format", "json")
    assert both.json["waivers"] == ran.json["waivers"]
    assert both.json["rules"] == ran.json["rules"]
