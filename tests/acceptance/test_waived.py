"""What may be waived stops nothing: the records of its bad example are loaded once their findings are waived."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ridgeline.rules.catalogue import catalogue
from ridgeline.rules.waivers import NEVER, why_never
from tests.acceptance.conftest import CASES, Tree
from tests.acceptance.test_records import ELSEWHERE, findings_of, rules_in
from tests.conftest import Cli

WAIVABLE = sorted(page.id for page in catalogue().values() if not why_never(page.id, page.level))


def case_of(rule: str) -> str | None:
    """The bad tree that shows a rule and nothing that is never waived."""
    for case in CASES:
        found = rules_in(findings_of(case))
        if rule in found and not any(other in NEVER for other in found):
            return case
    return None


def waivers(findings: list[dict[str, Any]]) -> str:
    """A file that waives findings, each told apart from others by what was found."""
    entries = [
        {
            "rule": f["rule"],
            "place": {"record": f["record"], **({"field": f["field"]} if f["field"] else {})},
            **({"found": f["found"]} if f["found"] else {}),
            "reason": "Its example has to be shown.",
            "owner": "acme",
            "since": "2026-12-01",
            "expires": "2027-06-30",
        }
        for f in findings
    ]
    distinct = list({json.dumps(e): e for e in entries}.values())
    return json.dumps({"schema": "waivers/1", "waivers": distinct})


def test_every_rule_that_may_be_waived_has_an_example() -> None:
    assert [rule for rule in WAIVABLE if case_of(rule) is None and rule not in ELSEWHERE] == []
    assert len(WAIVABLE) > 40


@pytest.mark.parametrize("rule", [rule for rule in WAIVABLE if case_of(rule) is not None])
def test_records_are_loaded_with_what_is_waived(rule: str, tree: Tree, cli: Cli, tmp_path: Path) -> None:
    case = case_of(rule)
    assert case is not None
    root = tree(case)
    found = cli("check", "--root", root, "--format", "json").json["findings"]
    loud = [f for f in found if f["level"] != "info"]
    assert rule in {f["rule"] for f in loud}
    (root / "waivers.yaml").write_text(waivers(loud), encoding="utf-8")
    checked = cli("check", "--root", root, "--format", "json")
    assert (checked.code, checked.json["summary"]["waived"]) == (0, len(loud)), checked.out
    database = tmp_path / "loaded.sqlite"
    ran = cli("load", "--root", root, "--database", database)
    assert ran.code == 0, ran.out + ran.err
    with sqlite3.connect(database) as connection:
        (kept,) = connection.execute("SELECT count(*) FROM findings WHERE waived IS NOT NULL").fetchone()
    assert kept == len(loud)
