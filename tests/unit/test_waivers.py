"""Waivers: what is waived stands until its day and is still shown; what is not needed, or never waived, is an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ridgeline.check import Report, check
from ridgeline.findings.finding import Finding, Level
from ridgeline.rules.catalogue import catalogue
from ridgeline.rules.waivers import NEVER, why_never
from tests.acceptance.conftest import build
from tests.conftest import REPOSITORY, Cli
from tests.unit.test_faces import SARIF

CLASS = "records/classes/scores.yaml"
HEAD = "schema: waivers/1\nwaivers:\n"
REASON = "The sheet prints another length; the vendor has been asked."
Waiving = Callable[..., Path]


def entry(
    rule: str = "figure-wrong",
    record: str = "classes/scores",
    field: str | None = "text.summary",
    found: str | None = None,
    since: str = "2026-11-01",
    expires: str = "2027-02-28",
    reason: str = REASON,
) -> str:
    """One entry of the file."""
    place = f"{{record: {record}, field: {field}}}" if field else f"{{record: {record}}}"
    lines = [f"- rule: {rule}", f"place: {place}", *([f"found: {found}"] if found else []), f"reason: {reason}"]
    return "\n  ".join([*lines, "owner: acme", f"since: {since}", f"expires: {expires}"]) + "\n"


@pytest.fixture
def waiving(tmp_path: Path) -> Waiving:
    """The good tree with a wrong numeral in its class, and the waivers that are given, as ``waiving(entry(), …)``."""

    def make(*entries: str, wrong: bool = True, head: str = HEAD) -> Path:
        root = tmp_path / "root"
        build(root)
        path = root / CLASS
        text = path.read_text(encoding="utf-8")
        assert text.count("cross it at 204.8 tokens.") == 1
        if wrong:
            path.write_text(text.replace("at 204.8 tokens.", "at 205.8 tokens."), encoding="utf-8")
        (root / "waivers.yaml").write_text(head + "".join(entries), encoding="utf-8")
        return root

    return make


def waivers_of(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.place.path == "waivers.yaml"]


def field_of(report: Report) -> str:
    (wrong,) = (f for f in report.findings if f.rule == "figure-wrong")
    return wrong.field


FIELD = "text.summary"


# What is waived


def test_without_a_waiver_the_tree_fails(waiving: Waiving) -> None:
    report = check(waiving(head="schema: waivers/1\nwaivers: []\n"))
    assert [f.rule for f in report.findings if f.fails] == ["figure-wrong"]
    assert field_of(report) == FIELD


@pytest.mark.parametrize("field", [FIELD, None])
@pytest.mark.parametrize("found", ["205.8 tokens", None])
def test_a_waived_finding_does_not_fail_and_is_still_there(
    field: str | None, found: str | None, waiving: Waiving
) -> None:
    report = check(waiving(entry(field=field, found=found)))
    assert report.clean
    assert report.by_level == {"error": 0, "warning": 0, "info": 0}
    (finding,) = report.findings
    assert (finding.rule, finding.level, finding.fails) == ("figure-wrong", Level.ERROR, False)
    assert finding.waived is not None
    assert (finding.waived.owner, finding.waived.expires, finding.waived.reason) == ("acme", "2027-02-28", REASON)


def test_two_findings_of_one_rule_in_one_field_are_told_apart_by_what_was_found(waiving: Waiving) -> None:
    root = waiving(entry(field=FIELD, found="205.8 tokens"))
    path = root / CLASS
    path.write_text(path.read_text(encoding="utf-8").replace("204.8 flop", "206.8 flop", 1), encoding="utf-8")
    report = check(root)
    assert [(f.found, f.fails) for f in report.findings] == [("206.8 flop/byte", True), ("205.8 tokens", False)]
    (root / "waivers.yaml").write_text(HEAD + entry(field=FIELD), encoding="utf-8")
    assert [f.fails for f in check(root).findings] == [False, False]


def test_the_numeral_is_shown_as_what_does_not_hold(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry(field=FIELD))
    shown = cli("check", "--root", root, "--format", "json", "--figures").json
    waived = {"reason": REASON, "owner": "acme", "since": "2026-11-01", "expires": "2027-02-28"}
    (wrong,) = (f for f in shown["figures"] if f["waived"] is not None)
    assert (wrong["text"], wrong["grade"], wrong["waived"]) == ("205.8", "wrong", waived)
    (finding,) = shown["findings"]
    assert (finding["level"], finding["waived"]) == ("error", waived)
    assert shown["summary"]["findings"] == {"error": 0, "warning": 0, "info": 0}
    assert shown["summary"]["waived"] == 1
    place = f"{finding['path']}:{finding['line']}:{finding['column']}"
    said = cli("explain", "--root", root, place, cwd=root).out
    assert "does not hold (waived)" in said
    assert f"waived until 2027-02-28 by acme: {REASON}" in said


def test_every_face_says_that_it_is_waived(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry(field=FIELD))
    text = cli("check", "--root", root)
    assert text.code == 0
    assert "waived[figure-wrong] 205.8 tokens is wrong" in text.out
    assert f"    waived until 2027-02-28 by acme: {REASON}\n" in text.out
    assert text.out.endswith("findings: 1 waived\n")
    github = cli("check", "--root", root, "--format", "github")
    assert github.code == 0
    assert github.out.startswith("::notice file=")
    assert "::waived error: 205.8 tokens is wrong" in github.out
    assert github.out.endswith(f" (waived until 2027-02-28 by acme: {REASON})\n")
    sarif = cli("check", "--root", root, "--format", "sarif").json
    jsonschema.validate(sarif, SARIF)
    (result,) = sarif["runs"][0]["results"]
    assert result["level"] == "error"
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": f"waived until 2027-02-28 by acme: {REASON}"}
    ]


def test_where_anything_is_suppressed_every_result_says_whether_it_is(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry(field=FIELD), entry("ledger", "models/tiny", None))
    results = cli("check", "--root", root, "--format", "sarif").json["runs"][0]["results"]
    assert [(r["ruleId"], len(r["suppressions"])) for r in results] == [("figure-wrong", 1), ("waiver-unused", 0)]


def test_a_conclusion_in_words_can_be_waived(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry("figure-decision", field=FIELD), wrong=False)
    root = build(root, "figure-decision-words")
    report = check(root)
    (finding,) = (f for f in report.findings if f.rule == "figure-decision")
    (root / "waivers.yaml").write_text(HEAD + entry("figure-decision", field=finding.field), encoding="utf-8")
    report = check(root)
    assert report.clean
    (conclusion,) = (c for c in report.conclusions if not c.holds)
    assert conclusion.waived is not None
    assert all(c.waived is None for c in report.conclusions if c.holds)


# What is wrong with waivers


def test_a_waiver_of_nothing_is_an_error_that_says_where_the_findings_are(waiving: Waiving) -> None:
    report = check(waiving(entry(field="text.notes")))
    (unused,) = waivers_of(report)
    assert (unused.rule, unused.level, unused.place.line, unused.place.column) == ("waiver-unused", Level.ERROR, 3, 3)
    assert unused.message == "figure-wrong finds nothing in text.notes of classes/scores"
    assert unused.mend.endswith(f"the rule's findings there are in {FIELD} (205.8 tokens)")
    assert not report.clean


def test_the_defect_goes_and_the_waiver_fails(waiving: Waiving) -> None:
    assert check(waiving(entry(field=FIELD))).clean
    report = check(waiving(entry(field=FIELD), wrong=False))
    (unused,) = report.findings
    assert (unused.rule, unused.mend) == ("waiver-unused", "delete the waiver")


def test_a_waiver_for_a_record_that_there_is_not(waiving: Waiving) -> None:
    (unused,) = waivers_of(check(waiving(entry(record="classes/score"))))
    assert unused.message == "there is no record classes/score, so figure-wrong finds nothing there"
    assert unused.mend == "did you mean classes/scores?"


@pytest.mark.parametrize(
    ("day", "rules", "fails"),
    [
        ("2027-01-28", [], False),
        ("2027-01-29", ["waiver-expiring"], False),
        ("2027-02-28", ["waiver-expiring"], False),
        ("2027-03-01", ["waiver-expired"], True),
    ],
)
def test_the_day_counts(
    day: str, rules: list[str], fails: bool, waiving: Waiving, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import UTC, datetime

    root = waiving(entry(field=FIELD))
    last_second = datetime.fromisoformat(f"{day}T23:59:59").replace(tzinfo=UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(last_second.timestamp())))
    report = check(root)
    assert [f.rule for f in waivers_of(report)] == rules
    assert report.clean is not fails
    # What has run out waives nothing.
    assert [f.waived is None for f in report.findings if f.rule == "figure-wrong"] == [fails]


def test_the_last_day_is_named(waiving: Waiving) -> None:
    # The tests' day is 2026-12-01.
    (soon,) = waivers_of(check(waiving(entry(field=FIELD, expires="2026-12-02"))))
    assert soon.message.endswith("ends on 2026-12-02: 1 day is left")
    assert soon.level is Level.INFO
    (soon,) = waivers_of(check(waiving(entry(field=FIELD, expires="2026-12-01"))))
    assert soon.message.endswith("ends on 2026-12-01: today is its last day")
    (late,) = waivers_of(check(waiving(entry(field=FIELD, expires="2026-11-30"))))
    assert (late.found, late.expected) == ("2026-11-30", "2026-12-01 or later")
    assert late.because == f"acme was to mend it: {REASON}"


@pytest.mark.parametrize(
    ("text", "rule", "line", "message", "mend"),
    [
        (entry("figure-wrnog"), "waiver-refused", 3, "there is no rule figure-wrnog", "did you mean figure-wrong?"),
        (entry("zzz"), "waiver-refused", 3, "there is no rule zzz", "see `ridgeline rules` for their ids"),
        (
            entry("unknown-reference"), "waiver-refused", 3, "findings of unknown-reference are never waived",
            "delete the waiver and mend what the rule finds",
        ),
        (
            entry("figure-exact"), "waiver-refused", 3, "findings of figure-exact are never waived",
            "delete the waiver and mend what the rule finds",
        ),
        (
            entry(field=FIELD) + entry(field=FIELD), "waiver-refused", 9,
            "the same finding is waived in line 3 already", "keep one of the two",
        ),
        (
            entry(since="2027-01-01", expires="2026-12-31"), "inconsistent", 3,
            "it expires on 2026-12-31, before its beginning on 2027-01-01", "correct one of the two",
        ),
        (
            entry(since="2026-01-01", expires="2027-01-03"), "inconsistent", 3,
            "it would stand for 367 days, and a waiver is a debt with an end",
            "write a day within 366 days of since",
        ),
        (entry(reason="later"), "bad-value", 5, "reason has 5 characters; it must be at least 10 characters", None),
        (entry().replace("owner:", "onwer:"), "unknown-field", 6, None, "did you mean owner?"),
        (entry(record="scores"), "bad-value", 4, None, "write the folder and the id of a record: models/llama-2-7b"),
        (entry(expires="2027-02-30"), "inconsistent", 8, "2027-02-30 is not a day of the calendar", "correct it"),
        (entry(expires="soon"), "bad-value", 8, "expires: soon is not YYYY-MM-DD", "write the day as YYYY-MM-DD"),
        (entry().replace("owner: acme\n", "owner: 'acme\n"), "yaml-syntax", 6, None, "close the quote"),
        (entry().replace("owner: acme", "owner: no"), "yaml-misread", 6, None, None),
    ],
)  # fmt: skip
def test_a_faulty_waiver_is_refused_at_its_place(
    text: str, rule: str, line: int, message: str | None, mend: str | None, waiving: Waiving
) -> None:
    own = waivers_of(check(waiving(text)))
    finding = next(f for f in own if f.rule == rule)
    assert finding.place.line == line
    assert message is None or finding.message == message
    assert mend is None or finding.mend == mend
    assert finding.record == ""


@pytest.mark.parametrize(
    ("text", "rule", "mend"),
    [
        ("", "not-a-record", "start it with schema: waivers/1, or delete it"),
        ("- a\n", "not-a-record", "start it with schema: waivers/1, or delete it"),
        ("waivers: []\n", "schema-line", "write schema: waivers/1 at the top"),
        ("schema: wavers/1\n", "schema-line", "did you mean waivers/1?"),
        ("schema: ceilings/1\n", "schema-line", None),
        ("schema: waivers/1\nwaiver: []\n", "unknown-field", "did you mean waivers?"),
        ("schema: waivers/1\r\n", "carriage-return", None),
    ],
)
def test_a_faulty_file_is_refused(text: str, rule: str, mend: str | None, waiving: Waiving) -> None:
    root = waiving(head=text)
    (root / "waivers.yaml").write_bytes(text.encode())
    report = check(root)
    own = waivers_of(report)
    assert [f.rule for f in own] == [rule]
    assert mend is None or own[0].mend == mend
    # Nothing is waived by a file that cannot be read.
    assert [f.rule for f in report.findings if f.fails and f.place.path == CLASS] == ["figure-wrong"]


def test_a_thousand_waivers_of_nothing_end_soon(waiving: Waiving) -> None:
    import time

    root = waiving(*(entry(record=f"classes/none-{number}") for number in range(1_000)))
    start = time.perf_counter()
    own = waivers_of(check(root))
    assert time.perf_counter() - start < 5
    assert len(own) == 1_000
    (root / "waivers.yaml").write_text(HEAD + "".join(entry() for _ in range(1_001)), encoding="utf-8")
    (refused,) = waivers_of(check(root))
    assert refused.message == "waivers has 1,001 entries; it must be at most 1,000 entries"


def test_a_folder_of_that_name_is_a_finding(waiving: Waiving) -> None:
    root = waiving()
    (root / "waivers.yaml").unlink()
    (root / "waivers.yaml").mkdir()
    (own,) = waivers_of(check(root))
    assert (own.rule, own.message) == ("unreadable", "cannot be read: it is no file")


def test_every_rule_is_waivable_or_says_why_not() -> None:
    known = catalogue()
    assert set(NEVER) <= set(known)
    for page in known.values():
        why = why_never(page.id, page.level)
        assert why or page.level is not Level.INFO
    waivable = {page.id for page in known.values() if not why_never(page.id, page.level)}
    assert {"figure-wrong", "uncovered", "equation-wrong", "second-route", "ledger", "siblings"} <= waivable
    assert not {"yaml-syntax", "missing-field", "unknown-reference", "waiver-unused", "figure-exact"} & waivable


# The other verbs


def test_the_file_can_be_asked_for_alone(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry(field=FIELD))
    assert cli("check", "waivers.yaml", cwd=root).code == 0
    (root / "waivers.yaml").write_text(HEAD + entry("yaml-tag"), encoding="utf-8")
    ran = cli("check", "waivers.yaml", cwd=root)
    assert ran.code == 1
    assert (
        "waivers.yaml:3:9: error[waiver-refused] findings of yaml-tag are never waived\n    - rule: yaml-tag\n"
        in ran.out
    )


def test_a_kept_report_follows_the_file_and_the_day(
    waiving: Waiving, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = waiving(entry(field=FIELD))
    assert [cli("check", "--root", root).code for _ in range(2)] == [0, 0]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1803859200")  # 2027-03-01
    assert cli("check", "--root", root).code == 1
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083200")
    assert cli("check", "--root", root).code == 0
    (root / "waivers.yaml").unlink()
    assert cli("check", "--root", root).code == 1


def test_what_is_not_examined_again_is_still_waived(waiving: Waiving, cli: Cli) -> None:
    """Verdicts of records are kept; a check that uses them says what a whole one says."""
    root = waiving(entry(field=FIELD), entry("ledger", "models/tiny", None))
    arguments = ("check", "--root", root, "--format", "json", "--figures")
    (root / "ceilings.yaml").write_text("schema: ceilings/1\nceilings: {waived_findings: 0}\n", encoding="utf-8")
    assert cli(*arguments).code == 1
    for path, old, new in (
        ("models/small.yaml", "width: 8\n", "width: 8  # unchanged\n"),
        ("models/tiny.yaml", "value: 2798 param", "value: 2799 param"),
        ("classes/scores.yaml", "at 205.8 tokens.", "at 206.8 tokens."),
        ("classes/scores.yaml", "at 206.8 tokens.", "at 204.8 tokens."),
    ):
        file = root / "records" / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        kept, whole = cli(*arguments), cli(*arguments, "--no-cache")
        assert (kept.code, kept.out) == (whole.code, whole.out), path


def test_a_package_carries_the_waivers(waiving: Waiving, tmp_path: Path) -> None:
    from ridgeline.packaged import write

    write(waiving(entry(field=FIELD)), tmp_path / "data")
    assert check(tmp_path / "data").clean
    assert [f.waived is None for f in check(tmp_path / "data").findings] == [False]


def test_fix_leaves_what_is_waived_to_its_owner(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry(field=FIELD))
    before = (root / CLASS).read_bytes()
    ran = cli("fix", "--root", root)
    assert (ran.code, ran.out) == (0, "nothing to mend\n")
    assert (root / CLASS).read_bytes() == before
    (root / "waivers.yaml").unlink()
    assert "wrote 204.8 for 205.8" in cli("fix", "--root", root).out


def test_impact_names_the_waiver_that_would_be_over(waiving: Waiving, cli: Cli) -> None:
    root = waiving(entry(field=FIELD, found="205.8 tokens"))
    # At this bandwidth the sentence would be right.
    shown: Any = cli("impact", "accelerators/acme-one.memory.bandwidth=995.14 GB/s", "--root", root, "--format", "json")
    assert shown.code == 0, shown.err
    assert "waiver-unused" in {f["rule"] for f in shown.json["findings"]}


def test_a_build_loads_what_is_waived_and_says_so(waiving: Waiving, cli: Cli, tmp_path: Path) -> None:
    import sqlite3

    root = waiving(entry(field=FIELD))
    database = tmp_path / "waived.sqlite"
    ran = cli("load", "--root", root, "--database", database)
    assert ran.code == 0, ran.out + ran.err
    with sqlite3.connect(database) as connection:
        said = f"waived until 2027-02-28 by acme: {REASON}"
        assert connection.execute("SELECT text, holds, waived FROM figures WHERE waived IS NOT NULL").fetchall() == [
            ("205.8", 0, said)
        ]
        assert connection.execute("SELECT rule, level, waived FROM findings").fetchall() == [
            ("figure-wrong", "error", said)
        ]
        shown = connection.execute("SELECT text, grade, holds FROM figure_list WHERE waived = ?", (said,)).fetchall()
        assert shown == [("205.8", "wrong", 0)]


def test_the_output_fits_its_schema(waiving: Waiving, cli: Cli) -> None:
    schema = json.loads((REPOSITORY / "schema/output/check.v1.schema.json").read_text(encoding="utf-8"))
    shown = cli("check", "--root", waiving(entry(field=FIELD)), "--format", "json", "--figures").json
    assert [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(shown)] == []
