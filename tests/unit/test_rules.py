"""Rules over all records: each speaks of its own fault, at its place, and not of what follows from another's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeline.check import Report, check
from ridgeline.findings.finding import Finding, Level
from ridgeline.rules.catalogue import catalogue
from ridgeline.rules.run import RULES
from tests.acceptance.conftest import build
from tests.unit.conftest import Broken

CLASS, ONE, TINY = "classes/scores", "accelerators/acme-one", "models/tiny"


def rules(report: Report) -> list[tuple[str, str, int]]:
    return [
        (f.rule, f.place.path.removeprefix("records/").removesuffix(".yaml"), f.place.line) for f in report.findings
    ]


def of(report: Report, rule: str) -> list[Finding]:
    return [f for f in report.findings if f.rule == rule]


# The catalogue


def test_every_rule_has_a_page_that_says_why_and_how_to_mend() -> None:
    pages = catalogue()
    assert len({r.id for r in RULES}) == len(RULES)
    for rule in RULES:
        page = pages[rule.id]
        assert page.level is rule.level
        assert page.title.endswith(".")
        assert len(page.explanation) > 60
    for page in pages.values():
        assert page.id == page.id.lower()
        assert " " not in page.id
        assert page.title.endswith(".")
        assert page.explanation


# A fault of one record says nothing false of another


@pytest.mark.parametrize(
    ("record", "old", "new", "rule"),
    [
        (TINY, "width: 8\n", "widht: 8\n", "unknown-field"),
        (TINY, "vocabulary: 100", "vocabulary: [", "yaml-syntax"),
        (ONE, "vendor: Acme", "vendr: Acme", "unknown-field"),
        (ONE, "vendor: Acme", "vendor: 'Acme", "yaml-syntax"),
        ("formats/bf16", "family: float", "family: flaot", "unknown-word"),
        ("sources/acme-sheet", "publisher: Acme", "publisher: 5", "wrong-type"),
    ],
)
def test_a_record_that_cannot_be_read_makes_no_rule_blame_another(
    record: str, old: str, new: str, rule: str, broken: Broken
) -> None:
    report = broken((record, old, new))
    assert of(report, rule)
    blamed = {f.rule for f in report.findings if not f.place.path.endswith(f"{record}.yaml")}
    assert not blamed & {
        "unknown-reference",
        "hardware-parameter-unknown",
        "formula",
        "same-as",
        "property",
        "scaling-order",
    }


def test_no_model_at_all_leaves_the_formulas_of_a_class_right(broken: Broken, tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    for path in (root / "records" / "models").iterdir():
        path.unlink()
    found = {f.rule for f in check(root).findings}
    assert "formula" not in found
    assert "unknown-reference" in found


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("is: 2 * n_kv * d_head * L * s_kv", "is: 2 * n_kv * d_head * L * s_kw", 14),
        ("is: 2 * n_kv * d_head * L * s_kv", "is: 2 * n_kv * d_head * L *", 14),
        ("is: 2 * n_kv * d_head * L * s_kv", "is: 2 * n_kv + s_kv", 14),
        ("is: 2 * n_kv * d_head * L * s_kv", "is: n_kv / (L - L)", 14),
        ("is: 2 * n_kv * d_head * L * s_kv", "is: log2(n_kv)^g", 14),
        ("is: flops / bytes", "is: flops + bytes", 15),
        ("unit: flop/byte, is: flops", "unit: flop, is: flops", 15),
        ("where: intensity = ridge", "where: intensity = rigde", 16),
        ("where: intensity = ridge", "where: intensity", 16),
        ("where: intensity = ridge", "where: intensity = ridge = g", 16),
        ("same_as: g * L / s_kv", "same_as: g * L / s_kw", 15),
        ("same_as: g * L / s_kv", "same_as: g * L // s_kv", 15),
        ("means: prompt length}", "means: prompt length, default: many}", 10),
        ("{unit: byte, means: bytes of one", "{unit: bite, means: bytes of one", 11),
    ],
)
def test_a_faulty_formula_is_reported_once_where_it_stands(old: str, new: str, line: int, broken: Broken) -> None:
    report = broken((CLASS, old, new))
    assert [
        (f.rule, f.place.line) for f in report.findings if f.rule in ("formula", "same-as", "property", "scaling-order")
    ] == [("formula", line)]
    assert of(report, "formula")[0].mend


def test_a_cycle_is_reported_at_each_of_its_formulas(broken: Broken) -> None:
    report = broken((CLASS, "is: 2 * n_kv * d_head * L * s_kv", "is: flops / intensity"))
    assert [(f.rule, f.place.line) for f in of(report, "formula")] == [("formula", 14), ("formula", 15)]


def test_a_misspelt_name_in_a_formula_has_its_place_and_the_right_name(broken: Broken) -> None:
    (finding,) = of(broken((CLASS, "is: 2 * n_q * d_head * L^2", "is: 2 * n_q * d_haed * L^2")), "formula")
    assert (finding.found, finding.mend) == ("d_haed", "did you mean d_head?")
    assert (finding.place.line, finding.place.column, finding.place.length) == (13, 49, 6)


# Single rules


def test_a_route_within_a_hundredth_is_no_finding(broken: Broken) -> None:
    assert of(broken((ONE, "value: 7.8125 Gbit/s", "value: 7.89 Gbit/s")), "second-route") == []
    (finding,) = of(broken((ONE, "value: 7.8125 Gbit/s", "value: 7.9 Gbit/s")), "second-route")
    assert finding.field == "memory.bandwidth.value"


def test_a_route_that_differs_for_a_stated_reason_is_no_finding(broken: Broken) -> None:
    clock = "per_clock: {value: 2048 flop/cycle/unit, source: acme-sheet, at: page 2, checked: 2026-11-30}"
    wrong = clock.replace("2048", "4096")
    assert of(broken((ONE, clock, f"{wrong}\n    differs: The sheet counts half of it.")), "second-route") == []


def test_a_route_with_a_part_that_is_not_known_is_none(broken: Broken) -> None:
    pin = "pin_rate: {value: 7.8125 Gbit/s, source: acme-sheet, at: page 2, checked: 2026-11-30}"
    assert broken((ONE, pin, "pin_rate: null")).findings == []


@pytest.mark.parametrize(
    ("old", "new", "unit"),
    [
        ("value: 16 GB,", "value: 16 Gbit,", "byte"),
        ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1000 Gbit/s", "byte/s"),
        ("value: 1024 bit", "value: 128 byte", "bit"),
        ("value: 7.8125 Gbit/s", "value: 0.9765625 GB/s", "bit/s"),
        ("value: 300 W", "value: 300 J", "W"),
        ("clock: {value: 1 GHz", "clock: {value: 1 GB/s", "Hz"),
        ("rate: {value: 204.8 TFLOP/s", "rate: {value: 204.8 TFLOP", "flop/s"),
    ],
)
def test_a_unit_that_the_field_cannot_have(old: str, new: str, unit: str, broken: Broken) -> None:
    report = broken((ONE, old, new))
    (finding,) = of(report, "wrong-dimension")
    assert finding.expected == unit
    assert finding.found in new
    # A wrong dimension is said once: the second route does not say the same in other words.
    assert of(report, "second-route") == [] or "bit" in new


def test_the_ledger_is_exact_to_the_unit(broken: Broken) -> None:
    (finding,) = of(broken((TINY, "value: 2798 param", "value: 2799 param")), "ledger")
    assert (finding.found, finding.expected) == ("2,799", "2,798")
    assert "by 7, of which the ledger explains 6" in finding.message


def test_a_ledger_may_hold_a_formula_of_the_model(broken: Broken) -> None:
    assert of(broken((TINY, "2 * 3 + 0 * d_model", "d_model - 2")), "ledger") == []


def test_a_property_says_where_it_fails(broken: Broken) -> None:
    (finding,) = of(broken((CLASS, "{falls: L_ridge, with: g}", "{rises: L_ridge, with: g}")), "property")
    assert finding.message.startswith("L_ridge does not rise with g: ")
    (finding,) = of(broken((CLASS, "{falls: L_ridge, with: g}", "{falls: L_ridge, with: moon}")), "property")
    assert finding.message == "L_ridge does not depend on moon"
    (finding,) = of(broken((CLASS, "range: [0, 1]", "range: [0, one]")), "property")
    assert "cannot be held against its claim" in finding.message


@pytest.mark.parametrize(("order", "fits"), [(1, True), (2, False), (0, False), (-1, False)])
def test_a_scaling_order(order: int, fits: bool, broken: Broken) -> None:
    report = broken((CLASS, "of: bytes, order: 1", f"of: bytes, order: {order}"))
    assert (of(report, "scaling-order") == []) is fits
    if not fits:
        assert of(report, "scaling-order")[0].expected == "1"


def test_an_alias_of_a_format_may_be_its_own_name(broken: Broken) -> None:
    assert of(broken((CLASS, "subjects: {one:", "subjects: {bf16: formats/bf16, one:")), "alias-shadowed") == []
    assert len(of(broken((CLASS, "subjects: {one:", "subjects: {bf16: formats/fp32, one:")), "alias-shadowed")) == 1


def test_the_levels_of_findings_are_those_of_the_rules(broken: Broken) -> None:
    report = broken((CLASS, "parameter: l2.per_unit", "parameter: l3.per_unit"))
    assert [f.level for f in of(report, "hardware-parameter-unknown")] == [Level.ERROR]


def test_hostile_formulas_end_at_once(broken: Broken) -> None:
    import time

    start = time.perf_counter()
    report = broken(
        (CLASS, "is: 2 * n_q * d_head * L^2", "is: 9^9^9^9"),
        (CLASS, 'is: "L / (L + as(4, token))"', f'is: "{"(" * 240}L{")" * 240}"'),
        (TINY, "2 * 3 + 0 * d_model", "2^64^64"),
        (ONE, "value: 16 GB,", "value: 1e9999999 GB,"),
    )
    assert time.perf_counter() - start < 2
    assert {f.rule for f in report.findings} >= {"formula", "ledger", "value-unreadable"}
