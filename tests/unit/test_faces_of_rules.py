"""What a planted fault of each rule looks like in every face: text, JSON, GitHub, SARIF and the comment's Markdown.

One file a rule in ``tests/data/faces/rules``. ``RIDGELINE_EXPECTED=write`` writes them anew: read the difference before it
is kept. A finding has a place, what was found, what was expected and why, and the next step; the files show it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ridgeline.check import check
from ridgeline.difference.comment import finding_row
from ridgeline.difference.difference import difference
from ridgeline.difference.revisions import side
from ridgeline.findings import faces
from ridgeline.findings.finding import Finding
from ridgeline.rules.catalogue import catalogue
from tests.acceptance.conftest import CASES, build
from tests.acceptance.test_records import findings_of, rules_in
from tests.conftest import REPOSITORY
from tests.data.repository import SMALL, Repository
from tests.unit.test_difference_rules import ALPHA, POWER, entry, head

GOLDEN = REPOSITORY / "tests/data/faces/rules"
RULES = sorted(catalogue())

#: Where the fault stands, and what a check or comparison of it finds.
Found = tuple[Path, list[Finding]]


# Faults that no folder of bad records shows


def _document(tmp_path: Path, text: str) -> Found:
    path = tmp_path / "records/sources/long.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return tmp_path, check(tmp_path).findings


def _compared(tmp_path: Path, *steps: Callable[[Repository], object]) -> Found:
    """The rules that the last of some steps breaks, each of the others committed."""
    repository = Repository.of(tmp_path / "repository", records=SMALL)
    for step in steps[:-1]:
        step(repository)
        repository.commit()
    steps[-1](repository)
    found = difference(*(side(name, lambda: repository.root) for name in ("HEAD", None)))
    return repository.root, found.rules


def _beside(text: str, name: str = "ceilings.yaml") -> Callable[[Repository], object]:
    return lambda repository: (repository.root / name).write_text(text, encoding="utf-8")


def _claims(tmp_path: Path) -> Found:
    from ridgeline.audit.audit import audit

    root = build(tmp_path / "root")
    path = root / "claims.yaml"
    path.write_text("figures:\n- {say: 12 rooms, set_aside: a number of rooms}\nextra: 1\n", encoding="utf-8")
    before = Path.cwd()
    try:
        # The finding names the file as the command line does.
        os.chdir(root)
        return root, audit("doc.md", b"It has 12 rooms.", root, Path("claims.yaml")).findings
    finally:
        os.chdir(before)


def _sql(tmp_path: Path) -> Found:
    from ridgeline.store.load import collect, fresh_file, write

    root = REPOSITORY / "tests/data/store"
    collected = collect(check(root), {})
    for row in collected.tables["quantities"]:
        if row["record"] == "accelerators/chip-one" and row["name"] == "memory.bandwidth":
            row["value_float"] *= 2
    with fresh_file(tmp_path / "twice.sqlite") as connection:
        return root, write(connection, collected).cross_check.findings


ELSEWHERE: dict[str, Callable[[Path], Found]] = {
    "file-too-large": lambda t: _document(t, "# " + "x" * 2_000_000),
    "line-too-long": lambda t: _document(t, "name: " + "x" * 30_000 + "\n"),
    "yaml-too-many-nodes": lambda t: _document(t, "id:\n" + "- [a]\n" * 20_000),
    "claims-file": _claims,
    "sql-disagrees": _sql,
    "revision-not-raised": lambda t: _compared(t, lambda r: r.edit(ALPHA, POWER)),
    "history-missing": lambda t: _compared(t, lambda r: r.edit(ALPHA, POWER)),
    "history-was": lambda t: _compared(t, lambda r: r.edit(ALPHA, POWER, head(2, entry(was="600 W")))),
    "history-revision": lambda t: _compared(t, lambda r: r.edit(ALPHA, POWER, head(2, entry(revision=1)))),
    "revision-unneeded": lambda t: _compared(t, lambda r: r.edit(ALPHA, head(2))),
    "history-rewritten": lambda t: _compared(
        t,
        lambda r: r.edit(ALPHA, POWER, head(2, entry())),
        lambda r: r.edit(ALPHA, ("was: 700 W", "was: 600 W")),
    ),
    "id-removed": lambda t: _compared(t, lambda r: r.path("accelerators/beta").unlink()),
    "id-reused": lambda t: _compared(
        t, lambda r: r.edit("models/mixed", ("status: verified", "status: verified\nformerly: [even]"))
    ),
    "ceiling-raised": lambda t: _compared(
        t,
        _beside("schema: ceilings/1\nceilings:\n  contested_records: 3\n"),
        _beside("schema: ceilings/1\nceilings:\n  contested_records: 4\n"),
    ),
    "edition-not-raised": lambda t: _compared(t, _beside("1.4.2\n", "EDITION"), _beside("1.4.1\n", "EDITION")),
}


# The faces


def planted(rule: str, tmp_path: Path) -> Found:
    """A tree with a fault of a rule, and all findings."""
    if rule in ELSEWHERE:
        return ELSEWHERE[rule](tmp_path)
    case = rule if rule in CASES else next(c for c in CASES if rule in rules_in(findings_of(c)))
    root = build(tmp_path / "root", case)
    return root, check(root).findings


def rendered(root: Path, finding: Finding) -> str:
    """A finding in every face, one below the other."""

    def source_line(path: str, line: int) -> str:
        try:
            return (root / path).read_text(encoding="utf-8").split("\n")[line - 1]
        except (OSError, UnicodeDecodeError, IndexError):
            return ""

    sarif = json.loads(faces.sarif([finding], "0"))["runs"][0]["results"][0]
    parts = {
        "text": faces.text([finding], source_line),
        "json": json.dumps(faces.as_dict(finding), indent=1, ensure_ascii=False) + "\n",
        "github": faces.github([finding]),
        "sarif": json.dumps(sarif, indent=1, ensure_ascii=False) + "\n",
        "markdown": f"| {' | '.join(finding_row(finding))} |\n",
    }
    return "\n".join(f"== {name}\n{text}" for name, text in parts.items())


def test_every_rule_has_a_golden_file_and_no_other_has() -> None:
    assert [rule for rule in RULES if not (GOLDEN / f"{rule}.txt").is_file()] == []
    assert {path.stem for path in GOLDEN.iterdir()} == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_the_faces_of_a_planted_fault_are_the_golden_file(rule: str, tmp_path: Path) -> None:
    root, findings = planted(rule, tmp_path)
    finding = next(f for f in findings if f.rule == rule)
    assert finding.level is catalogue()[rule].level
    text = rendered(root, finding)
    path = GOLDEN / f"{rule}.txt"
    if os.environ.get("RIDGELINE_EXPECTED") == "write":
        GOLDEN.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_faces_of_a_waived_finding_are_the_golden_file(tmp_path: Path) -> None:
    root = build(tmp_path / "root", "waiver-expiring")
    finding = next(f for f in check(root).findings if f.waived is not None)
    text = rendered(root, finding)
    path = GOLDEN.parent / "waived.txt"
    if os.environ.get("RIDGELINE_EXPECTED") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", RULES)
def test_every_finding_says_where_what_and_what_next(rule: str) -> None:
    finding = json.loads((GOLDEN / f"{rule}.txt").read_text(encoding="utf-8").split("== json\n")[1].split("\n==")[0])
    assert finding["path"]
    assert min(finding["line"], finding["column"], finding["length"]) >= 1
    assert finding["message"]
    assert finding["mend"], "no next step"
    assert len(finding["message"]) <= 200, "longer than anybody reads"
    assert len(finding["because"]) <= 400
    # Digits that nobody asked for: the longest numeral of the examples has thirty.
    assert not re.search(r"[0-9]{36}", finding["message"] + finding["because"] + finding["mend"])
