"""Ceilings: what is above one is an error that names the records, and no command ever raises one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ridgeline.check import check
from ridgeline.findings.finding import Finding, Level
from ridgeline.records.beside import Levels
from ridgeline.rules.ceilings import counts
from tests.acceptance.conftest import build
from tests.conftest import Cli

CLASS, ONE, TWO = "classes/scores", "accelerators/acme-one", "accelerators/acme-two"
HEAD = "# Only falling.\nschema: ceilings/1\nceilings:\n"
Capped = Callable[..., Path]
CITED = "source: acme-sheet, at: page 2, checked: 2026-11-30"


@pytest.fixture
def capped(tmp_path: Path) -> Capped:
    """The good tree with texts replaced and ceilings, as ``capped({"warnings": 1}, (record, old, new), …)``."""

    def make(ceilings: dict[str, int], *edits: tuple[str, str, str]) -> Path:
        root = tmp_path / "root"
        build(root)
        for record, old, new in edits:
            path = root / "records" / f"{record}.yaml"
            text = path.read_text(encoding="utf-8")
            assert old in text
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        body = "".join(f"  {name}: {number}  # {name}\n" for name, number in ceilings.items())
        (root / "ceilings.yaml").write_text(HEAD + body, encoding="utf-8")
        return root

    return make


def own(root: Path) -> list[Finding]:
    return [f for f in check(root).findings if f.place.path == "ceilings.yaml"]


UNVERIFIED = (CLASS, "figures:\n", "figures:\n- {say: It costs 4999 USD, unverified: nobody has said so}\n")
COST = (CLASS, "    In short, 6 * 7 = 42.\n", "    In short, 6 * 7 = 42.\n    It costs 4999 USD.\n")


def test_what_is_above_its_ceiling_names_the_records(capped: Capped) -> None:
    root = capped({"unverified_numerals": 0}, UNVERIFIED, COST)
    (finding,) = own(root)
    assert (finding.rule, finding.level) == ("ceiling-exceeded", Level.ERROR)
    assert (finding.place.line, finding.place.column, finding.place.length) == (4, 24, 1)
    assert finding.message == "unverified_numerals is 1, above its ceiling of 0"
    assert (finding.found, finding.expected, finding.because) == ("1", "at most 0", "classes/scores has 1")
    assert not check(root).clean


def test_what_is_at_its_ceiling_is_no_finding(capped: Capped) -> None:
    root = capped({"unverified_numerals": 1}, UNVERIFIED, COST)
    assert own(root) == []
    assert check(root).clean


def test_what_is_below_its_ceiling_is_an_info(capped: Capped) -> None:
    root = capped({"unverified_numerals": 3, "warnings": 0}, UNVERIFIED, COST)
    (finding,) = own(root)
    assert (finding.rule, finding.level) == ("ceiling-loose", Level.INFO)
    assert finding.mend == "lower it to 1: `ridgeline check --lower-ceilings`"
    assert check(root).clean


def test_each_count(capped: Capped) -> None:
    first = check(capped({}))
    before = {name: held.total() for name, held in counts(first).items()}
    assert before.keys() == Levels.model_fields.keys()
    status = (ONE, "status: verified", "status: contested")
    draft = (TWO, "status: verified", "status: draft")
    limit = "limit: {value: 300 W, source: acme-sheet, at: page 2, checked: 2026-11-30}"
    sourceless = (ONE, limit, "limit: {value: 300 W, basis: unverified, reason: No page of the vendor's states it.}")
    after = {n: h.total() for n, h in counts(check(capped({}, status, draft, sourceless, UNVERIFIED, COST))).items()}
    grown = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert grown == {
        "unverified_numerals": 1, "contested_records": 1, "draft_records": 1, "values_without_source": 1,
    }  # fmt: skip


def test_a_secondary_source_counts_for_all_that_it_says(capped: Capped) -> None:
    report = check(capped({}, ("sources/acme-sheet", "kind: datasheet", "kind: secondary")))
    held = counts(report)
    values = sum(
        1
        for entry in report.knowledge.entries.values()
        for item in entry.items
        if item.what in ("quantity", "fact") and "acme-sheet" in str(item.value)
    )
    cited = sum(1 for figure in report.figures if figure.source == "acme-sheet" and figure.status == "cited")
    assert held["second_hand_values"].total() == values > 5
    assert held["second_hand_numerals"].total() == cited > 0
    assert not counts(check(capped({})))["second_hand_values"]


def test_the_records_that_make_it_up_come_most_first(capped: Capped) -> None:
    root = capped({"second_hand_values": 0}, ("sources/acme-sheet", "kind: datasheet", "kind: secondary"))
    (finding,) = own(root)
    held = counts(check(root))["second_hand_values"]
    told = [part.removeprefix("and ").replace(" has ", " ").split() for part in finding.because.split(", ")]
    ordered = sorted(held.items(), key=lambda r: (-r[1], r[0]))
    assert [(r, int(n)) for r, n in told[: len(ordered)][:5]] == ordered[:5]


def test_waived_findings_and_warnings_count(capped: Capped) -> None:
    wrong = (CLASS, "at 204.8 tokens.", "at 205.8 tokens.")
    truncated = (CLASS, "6 * 7 = 42", "2 / 3 = 0.66")
    root = capped({"waived_findings": 0, "warnings": 0}, wrong, truncated)
    assert [f.found for f in own(root)] == ["1"]
    (root / "waivers.yaml").write_text(
        "schema: waivers/1\nwaivers:\n- rule: figure-wrong\n  place: {record: classes/scores}\n"
        "  reason: The vendor has been asked.\n  owner: acme\n  since: 2026-11-01\n  expires: 2027-02-28\n",
        encoding="utf-8",
    )
    assert [(f.field, f.found) for f in own(root)] == [("ceilings.waived_findings", "1"), ("ceilings.warnings", "1")]


@pytest.mark.parametrize(
    ("text", "rule", "mend"),
    [
        ("schema: ceilings/1\nceilings: {unverified_numerals: -1}\n", "bad-value", "write at least 0"),
        (
            "schema: ceilings/1\nceilings: {unverified_numeral: 1}\n",
            "unknown-field",
            "did you mean unverified_numerals?",
        ),
        ("schema: ceilings/1\nceilings: {warnings: '1'}\n", "wrong-type", None),
        ("schema: ceilings/1\n", "missing-field", None),
        ("schema: ceiling/1\nceilings: {}\n", "schema-line", "did you mean ceilings/1?"),
        ("", "not-a-record", "start it with schema: ceilings/1, or delete it"),
    ],
)
def test_a_faulty_file_is_refused(text: str, rule: str, mend: str | None, capped: Capped) -> None:
    root = capped({})
    (root / "ceilings.yaml").write_text(text, encoding="utf-8")
    (finding,) = own(root)
    assert finding.rule == rule
    assert finding.mend
    assert mend is None or finding.mend == mend


# Lowering


def test_ceilings_are_lowered_in_place_and_never_raised(capped: Capped, cli: Cli) -> None:
    root = capped({"unverified_numerals": 30, "warnings": 0, "contested_records": 4}, UNVERIFIED, COST)
    ran = cli("check", "--lower-ceilings", cwd=root)
    assert (ran.code, ran.out) == (0, "unverified_numerals: 30 → 1\ncontested_records: 4 → 0\n")
    assert (root / "ceilings.yaml").read_text(encoding="utf-8") == (
        HEAD + "  unverified_numerals: 1  # unverified_numerals\n  warnings: 0  # warnings\n"
        "  contested_records: 0  # contested_records\n"
    )
    assert own(root) == []
    again = cli("check", "--lower-ceilings", cwd=root)
    assert (again.code, again.out) == (0, "no ceiling is higher than what there is\n")


def test_what_is_exceeded_stays(capped: Capped, cli: Cli) -> None:
    root = capped({"unverified_numerals": 0, "draft_records": 2}, UNVERIFIED, COST)
    ran = cli("check", "--lower-ceilings", cwd=root)
    assert ran.code == 1
    assert ran.out.startswith("draft_records: 2 → 0\nceilings.yaml:4:24: error[ceiling-exceeded] ")
    assert "  unverified_numerals: 0  #" in (root / "ceilings.yaml").read_text(encoding="utf-8")


def test_nothing_is_lowered_while_a_record_is_not_counted(capped: Capped, cli: Cli) -> None:
    root = capped({"draft_records": 2}, (ONE, "vendor: Acme", "vendr: Acme"))
    before = (root / "ceilings.yaml").read_bytes()
    ran = cli("check", "--lower-ceilings", cwd=root)
    assert ran.code == 2
    assert "records/accelerators/acme-one.yaml is refused and would not be counted" in ran.err
    assert (root / "ceilings.yaml").read_bytes() == before


def test_without_a_file_there_is_nothing_to_lower(capped: Capped, cli: Cli) -> None:
    root = capped({})
    (root / "ceilings.yaml").unlink()
    ran = cli("check", "--lower-ceilings", cwd=root)
    assert ran.code == 2
    assert "there is no ceilings.yaml below" in ran.err
    assert cli("check", "--lower-ceilings", "records", cwd=root).code == 2


def test_a_kept_report_follows_the_file(capped: Capped, cli: Cli) -> None:
    root = capped({"unverified_numerals": 1}, UNVERIFIED, COST)
    assert [cli("check", "--root", root).code for _ in range(2)] == [0, 0]
    path = root / "ceilings.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("numerals: 1", "numerals: 0"), encoding="utf-8")
    assert cli("check", "--root", root).code == 1
