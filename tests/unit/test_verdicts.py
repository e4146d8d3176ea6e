"""Kept verdicts: whole or as good as none, by the same tool, and restricted to what a revision leaves in question."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import ridgeline.cache as caching
from ridgeline.check import check, check_knowledge
from ridgeline.incremental import check as again
from ridgeline.kept import Kept, Row, Verdicts, stamp
from ridgeline.knowledge.base import Knowledge, load
from ridgeline.knowledge.resolve import Resolver
from ridgeline.knowledge.tracing import Traced, files, noting, traced
from ridgeline.report import render
from ridgeline.rules.facts import facts_of
from ridgeline.rules.rule import Context
from ridgeline.rules.survey import Survey
from ridgeline.since import since
from tests.acceptance.conftest import build
from tests.conftest import Cli

FOLDER = Path(caching.FOLDER)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return build(tmp_path / "root")


def unexamined(root: Path) -> int:
    report, _ = again(root, Verdicts(root))
    return len(report.unexamined)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    row = Row(
        "digest",
        {"names": ["A", "\udcff"], "units": [["rate", ["1", [["byte", 1], ["s", -1]]]]], "die": "acme/one"},
        frozenset(),
        frozenset({"sources/a", "?sources/b", "die:acme/one"}),
        {"recomputed": 2},
        {"warnings": 1},
        ({"rule": "x"},),
        ("t",),
        "stamp",
    )
    kept = Kept({"accelerators/a": row, "accelerators/b": row}, {"die:acme/one": "0123"})
    Verdicts(tmp_path).save(kept)
    assert Verdicts(tmp_path).load() == kept
    shared = [r.facts["units"] for r in Verdicts(tmp_path).load().rows.values()]
    assert shared[0] is shared[1]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content + b" ",
        lambda content: content.replace(b"recomputed", b"recomputes"),
        lambda content: content.replace(b"verdicts/1", b"verdicts/2"),
        lambda content: b"\xff\x00" * 99,
        lambda content: caching._digest(b"x", b"", b"{}"),
    ],
)
def test_a_damaged_file_counts_for_nothing_and_is_replaced(damage: Callable[[bytes], bytes], root: Path) -> None:
    whole = render(check(root), "json")
    assert unexamined(root) == 0
    assert unexamined(root) > 0
    path = root / FOLDER / "verdicts"
    path.write_bytes(damage(path.read_bytes()))
    report, _ = again(root, Verdicts(root))
    assert (len(report.unexamined), render(report, "json")) == (0, whole)
    assert unexamined(root) > 0


@pytest.mark.parametrize("body", [b"[]", b"{}", b"null", b'{"rows": [[1]], "notes": [], "shared": [], "answers": {}}'])
def test_a_whole_file_with_something_else_in_it_counts_for_nothing(body: bytes, root: Path) -> None:
    caching.write_whole(str(root / FOLDER / "verdicts"), b"ridgeline-verdicts/1", caching.tool(), body)
    assert Verdicts(root).load() == Kept()


def test_another_tool_takes_nothing_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unexamined(root)
    with monkeypatch.context() as patch:
        patch.setattr(caching, "tool", lambda: b"another")
        assert unexamined(root) == 0
        assert unexamined(root) > 0
    assert unexamined(root) == 0


def test_too_much_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "_MAX_BYTES", 1000)
    assert unexamined(root) == unexamined(root) == 0
    assert not (root / FOLDER).exists()


def test_two_checks_at_once_leave_a_whole_file(root: Path) -> None:
    """Each reads its own records; who is last keeps what holds for its own."""
    first, second = Verdicts(root), Verdicts(root)
    path = root / "records/models"
    path = sorted(path.glob("*.yaml"))[0]
    before = path.read_bytes()
    again(root, first)
    early = first.load()
    path.write_bytes(b"# A comment.\n" + before)
    again(root, second)
    path.write_bytes(before)
    first.save(early)
    report, _ = again(root, Verdicts(root))
    assert render(report, "json", figures=False) == render(check(root), "json")
    assert report.unexamined.keys() == early.rows.keys()


def test_figures_are_kept_by_the_runs_that_print_them(root: Path) -> None:
    whole = render(check(root), "json", figures=True)
    report, _ = again(root, Verdicts(root))
    assert not (root / FOLDER / "figures").exists()
    for examined_again in (True, False):
        report, kept = again(root, Verdicts(root), figures=True)
        assert bool(report.unexamined) is not examined_again
        assert render(report, "json", figures=True) == whole
    assert set(Verdicts(root).figures()) == {row.stamp for row in kept.rows.values()}
    (root / FOLDER / "figures").write_bytes(b"damaged")
    report, _ = again(root, Verdicts(root), figures=True)
    assert render(report, "json", figures=True) == whole
    assert stamp([1]) != stamp([2])


def test_nothing_is_written_where_nothing_has_changed(root: Path) -> None:
    unexamined(root)
    path = root / FOLDER / "verdicts"
    before = path.stat().st_ino
    unexamined(root)
    assert path.stat().st_ino == before


def test_what_is_looked_at_is_noted(root: Path) -> None:
    knowledge = traced(root, files(root))
    entries = knowledge.entries
    assert isinstance(entries, Traced)
    seen: set[str] = set()
    with noting(knowledge, seen):
        assert knowledge.get("accelerators/acme-one") is not None
        assert "sources/none" not in entries
        assert knowledge.get("formats/none") is None
    assert seen == {"accelerators/acme-one", "?sources/none", "formats/none"}
    with noting(knowledge, seen):
        assert len(list(knowledge.of_kind("format"))) > 1
    assert "*" in seen


def same(root: Path) -> set[str]:
    """The records that are examined again, where the report is that of a whole check."""
    report, kept = again(root, Verdicts(root))
    assert render(report, "json") == render(check(root), "json")
    return kept.rows.keys() - report.unexamined.keys()


def test_a_source_that_is_gone_is_missed_where_it_is_cited(root: Path) -> None:
    same(root)
    (root / "records/sources/acme-sheet.yaml").unlink()
    report, kept = again(root, Verdicts(root))
    missed = {f.record for f in report.findings if f.rule == "unknown-reference"}
    assert missed and missed <= kept.rows.keys() - report.unexamined.keys()
    assert same(root) == set()


def test_a_source_that_says_the_same_moves_nobody_who_cites_it(root: Path) -> None:
    same(root)
    edit(root, "sources/acme-sheet", "name: ", "name: A new edition of ")
    assert same(root) == {"sources/acme-sheet"}


def test_the_survey_knows_what_the_records_say(root: Path) -> None:
    """Its answers come from facts that went through JSON, as kept ones do."""
    knowledge = load(root)
    context = Context(knowledge, Resolver(knowledge))
    facts = {r: json.loads(json.dumps(facts_of(context, entry))) for r, entry in knowledge.entries.items()}
    survey = Survey(knowledge, facts)
    assert survey.known() == context.resolver.known_quantities()
    assert list(survey.known()) and survey.names() == knowledge.names
    assert survey.references() == list(knowledge.entries)
    assert survey.readable("format") == ["bf16", "fp32"]
    with pytest.raises(ValueError, match="no such question"):
        survey.answer("weather:today")


def test_a_new_name_is_seen_where_prose_may_hold_it_and_nowhere_else(root: Path) -> None:
    """The 42 is a quantity until a record is called `7 = 42`, and then a part of its name."""
    same(root)
    edit(root, "formats/fp32", "name: ", "name: Format 42 of ")
    again_now = same(root)
    assert "classes/scores" in again_now and "formats/fp32" in again_now
    edit(root, "formats/fp32", "name: Format 42 of ", "name: Format 31337 of ")
    # The old name may stand in prose just as well.
    assert "classes/scores" in same(root)
    edit(root, "formats/fp32", "name: Format 31337 of ", "name: Format 41414 of ")
    assert "classes/scores" not in same(root)


def test_what_is_examined_last_is_examined_as_if_it_were_first(root: Path) -> None:
    """How much of its budget an evaluation spends must not depend on what was evaluated before."""
    knowledge = load(root)
    turned = Knowledge(root, dict(reversed(knowledge.entries.items())), knowledge.findings)
    a, b = check_knowledge(knowledge), check_knowledge(turned)
    assert a.findings == b.findings
    by_record = [{r: [f for f in report.figures if f.record == r] for r in knowledge.entries} for report in (a, b)]
    assert by_record[0] == by_record[1]


# Since a revision


def git(root: Path, *arguments: str) -> None:
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def tree(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def edit(root: Path, reference: str, old: str, new: str) -> None:
    path = root / "records" / f"{reference}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def paths(root: Path, rev: str = "HEAD") -> set[str]:
    _, kept = again(root, Verdicts(root))
    return {path.removeprefix("records/").removesuffix(".yaml") for path in since(rev, root, kept).paths}


def test_nothing_has_changed_since_the_last_commit(tree: Path, cli: Cli) -> None:
    assert paths(tree) == set()
    ran = cli("check", "--since", "HEAD", cwd=tree)
    assert ran.code == 0
    assert ran.err.startswith(f"0 of {len(files(tree))} records: those that changed since HEAD")


def test_what_changed_and_what_rests_on_it(tree: Path) -> None:
    edit(tree, "accelerators/acme-one", "value: ", "value:  ")
    found = paths(tree)
    assert "accelerators/acme-one" in found
    readers = {
        r for r, row in Verdicts(tree).load().rows.items() if "accelerators/acme-one" in row.reads
    }  # fmt: skip
    assert readers and readers <= found
    assert not any(r.startswith("sources/") for r in found)
    git(tree, "commit", "-q", "-a", "-m", "second")
    assert paths(tree) == set()
    assert paths(tree, "HEAD~1") == found


def test_a_new_record_and_one_that_is_gone(tree: Path) -> None:
    source = sorted(tree.glob("records/sources/*.yaml"))[0]
    text = source.read_text(encoding="utf-8")
    source.with_name("new-one.yaml").write_text(text.replace(f"id: {source.stem}", "id: new-one"), encoding="utf-8")
    assert paths(tree) == {"sources/new-one"}
    source.unlink()
    report = check(tree)
    assert {f.record for f in report.findings if f.rule == "unknown-reference"} <= paths(tree)
    assert f"sources/{source.stem}" not in paths(tree)


def test_the_report_is_the_whole_one_restricted(tree: Path, cli: Cli) -> None:
    before = {f.record for f in check(tree).findings}
    edit(tree, "accelerators/acme-one", "TFLOP/s", "GFLOP/s")
    whole = json.loads(cli("check", "--format", "json", cwd=tree).out)["findings"]
    left = cli("check", "--format", "json", "--since", "HEAD", cwd=tree)
    uncached = cli("check", "--format", "json", "--since", "HEAD", "--no-cache", cwd=tree)
    found = paths(tree)
    assert left.out == uncached.out
    assert json.loads(left.out)["findings"] == [f for f in whole if f["record"] in found]
    assert left.code == 1
    assert {f["record"] for f in whole} - found <= before


def test_no_tree_and_no_revision_are_said_plainly(root: Path, tree: Path, cli: Cli, tmp_path: Path) -> None:
    ran = cli("check", "--since", "no-such", cwd=tree)
    assert ran.code == 2
    assert "no-such" in ran.err and "revision" in ran.err
    outside = build(tmp_path / "outside")
    ran = cli("check", "--since", "HEAD", cwd=outside)
    assert ran.code == 2
    assert "is in no git repository" in ran.err
