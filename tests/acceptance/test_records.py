"""Each folder of bad records gives exactly the findings that it says, and together they show every rule.

``RIDGELINE_EXPECTED=write`` writes the expected files anew: read the difference before it is kept.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from ridgeline.rules.catalogue import catalogue
from tests.acceptance.conftest import CASES, HERE, Tree
from tests.conftest import Cli

_FIRST = re.compile(
    r"^(?P<path>[^:]+):(?P<line>[0-9]+):(?P<column>[0-9]+): (?P<level>\w+)\[(?P<rule>[a-z0-9-]+)\] \S", re.M
)

#: Rules that no tree of records of a reasonable size can show, and where they are shown instead.
ELSEWHERE = {
    "file-too-large": "made in tests/unit/test_document.py: the file would be a megabyte",
    "line-too-long": "made in tests/unit/test_document.py: the line would be twenty thousand characters",
    "yaml-too-many-nodes": "made in tests/unit/test_document.py: the file would hold twenty thousand values",
    "claims-file": "raised by an audit, of a file that is no record",
    "revision-not-raised": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "revision-unneeded": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "history-missing": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "history-was": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "history-revision": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "history-rewritten": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "edition-not-raised": "raised by a comparison of two trees: tests/unit/test_edition.py",
    "ceiling-raised": "raised by a comparison of two trees: tests/unit/test_difference_debts.py",
    "id-removed": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "id-reused": "raised by a comparison of two trees: tests/unit/test_difference_rules.py",
    "sql-disagrees": "raised while loading, not while checking, and only where this tool is at fault",
}


def findings_of(case: str) -> str:
    return (HERE / "bad" / case / "expected.txt").read_text(encoding="utf-8")


def test_the_good_tree_has_no_findings(tree: Tree, cli: Cli) -> None:
    ran = cli("check", "--root", tree(), "--format", "json", "--figures")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["findings"] == []
    assert ran.json["summary"]["by_status"]["uncovered"] == 0
    # It is good for something: every status that needs no excuse stands in it.
    assert {f["status"] for f in ran.json["figures"]} >= {"recomputed", "recorded", "equation", "cited", "set-aside"}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_tree_has_the_findings_it_says(case: str, tree: Tree, cli: Cli) -> None:
    root = tree(case)
    ran = cli("check", "--root", root)
    assert ran.err == ""
    body = re.sub(r"\n*^\d+ records, .*\nfindings: .*\n\Z", "\n", ran.out, flags=re.M)
    expected = HERE / "bad" / case / "expected.txt"
    if os.environ.get("RIDGELINE_EXPECTED") == "write":
        expected.write_text(body, encoding="utf-8")
    assert body == expected.read_text(encoding="utf-8")
    assert ran.code == (1 if ": error[" in body else 0)


def rules_in(text: str) -> set[str]:
    return {match["rule"] for match in _FIRST.finditer(text)}


def test_every_rule_of_the_catalogue_is_shown() -> None:
    shown = {rule for case in CASES for rule in rules_in(findings_of(case))}
    known = set(catalogue())
    assert shown <= known, "a finding names a rule that the catalogue lacks"
    assert not shown & set(ELSEWHERE)
    assert known - shown == set(ELSEWHERE)


def test_every_finding_of_every_case_says_what_to_do_next() -> None:
    mute: list[tuple[str, str]] = []
    for case in CASES:
        for paragraph in findings_of(case).split("\n\n"):
            match = _FIRST.match(paragraph)
            if match and "\n    next: " not in paragraph:
                mute.append((case, paragraph))
    assert mute == []


def test_levels_are_those_of_the_catalogue() -> None:
    known = catalogue()
    for case in CASES:
        for match in _FIRST.finditer(findings_of(case)):
            if match["level"] == "waived":
                continue
            assert (match["rule"], match["level"]) == (match["rule"], known[match["rule"]].level.value)


def test_no_source_names_a_rule_that_the_catalogue_lacks(repository: Path) -> None:
    known, named = set(catalogue()), set[str]()
    for path in (repository / "tooling" / "ridgeline").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"\bFinding\(\s*\"([a-z-]+)\"", text))
        named |= set(
            re.findall(
                r"(?:_refuse|_finding|self\.finding|self\.report)\(\s*(?:\w+,\s*)*\"([a-z]+(?:-[a-z]+)*)\"", text
            )
        )
    assert len(named) > 20
    assert {n for n in named if "-" in n} <= known


def test_three_broken_files_give_three_findings(tree: Tree, cli: Cli) -> None:
    root = tree()
    broken: dict[str, Any] = {
        "sources/one.yaml": (b"id: [1, 2\n", "yaml-syntax"),
        "models/two.yaml": (b"schema: model/1\r\n", "carriage-return"),
        "formats/three.yaml": (b"\xff\xfe", "not-utf-8"),
    }
    for name, (body, _) in broken.items():
        (root / "records" / name).write_bytes(body)
    ran = cli("check", "--root", root, "--format", "json")
    assert ran.code == 1
    assert {(f["path"], f["rule"]) for f in ran.json["findings"]} == {
        ("records/" + name, rule) for name, (_, rule) in broken.items()
    }
    # Nothing else is hidden: a fourth fault, in a file that can be read, is still found.
    path = root / "records/classes/scores.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("at 204.8 tokens", "at 205.8 tokens", 1), encoding="utf-8")
    again = cli("check", "--root", root, "--format", "json")
    assert [f["rule"] for f in again.json["findings"]].count("figure-wrong") == 1
    assert len(again.json["findings"]) == 4
