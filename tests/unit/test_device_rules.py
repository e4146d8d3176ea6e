"""Rules across accelerators: what they compare, how closely, and what a record may accept."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ridgeline.check import Report
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.resolve import Resolver
from ridgeline.records.accelerator import Accelerator
from ridgeline.rules.band import band
from ridgeline.rules.columns import printed
from ridgeline.rules.peers import Device, PeerRule, devices, dies, rounding, same, shown, within
from ridgeline.rules.rates import times
from ridgeline.rules.rule import Context
from ridgeline.rules.run import RULES
from ridgeline.rules.usual import family
from tests.unit.conftest import Broken

A, B, C = "accelerators/forge-a", "accelerators/forge-b", "accelerators/forge-c"
FORGE = "architectures/forge"
#: The row of Forge B without which it states no clock for its peak.
ROUTE = "\n  route:\n    per_clock: {value: 1024 flop/cycle/unit, source: acme-sheet, at: page 7, checked: 2026-11-30}"


@pytest.fixture
def context(broken: Broken) -> Context:
    report = broken()
    return Context(report.knowledge, Resolver(report.knowledge))


def of(report: Report, rule: str) -> list[Finding]:
    return [f for f in report.findings if f.rule == rule]


def device(context: Context, name: str) -> Device:
    return next(d for d in devices(context) if d.entry.id == name)


# Values and how closely they are compared


def test_a_device_knows_its_values_and_what_it_lacks(context: Context) -> None:
    forge = device(context, "forge-a")
    assert forge.number("peak.bf16") == 204_800_000_000_000
    assert forge.number("memory.capacity_route") == 32 * 2**30
    assert forge.number("peak.fp4") is None
    assert forge.number("no such thing at all") is None
    assert [name for name, *_ in forge.rates()] == [
        "bf16",
        "bf16_sparse",
        "bf16_accumulate_bf16",
        "fp32",
        "fp32_vector",
    ]


def test_what_is_rounded_off_is_half_a_unit_of_each_rate(context: Context) -> None:
    rate = device(context, "forge-a").value("peak.bf16")
    assert rate is not None
    assert rounding([rate]) == Fraction(5, 100) / Fraction(2048, 10)
    assert rounding([rate, rate]) == rounding([rate])
    assert shown(rate) == "204.8 TFLOP/s"


def test_values_are_the_same_within_a_hundredth_or_within_rounding(context: Context) -> None:
    forge = device(context, "forge-a")
    a, b = forge.value("peak.bf16"), forge.value("peak.fp32")
    assert a is not None and b is not None
    assert same(a, b, 4) and not same(a, b, 3)
    assert within(Fraction(101, 100), [a], Fraction(1, 100))
    assert not within(Fraction(102, 100), [a], Fraction(1, 100))


def test_a_coarse_print_is_given_its_rounding_and_no_more(broken: Broken) -> None:
    moved = (B, "value: 92.16 TFLOP/s", "value: 93.5 TFLOP/s")  # a quarter of it is 23.375
    assert of(broken(moved), "format-ladder") == []
    (finding,) = of(broken(moved, (B, "rate: {value: 23 TFLOP/s", "rate: {value: 23.0 TFLOP/s")), "format-ladder")
    assert (finding.found, finding.expected) == ("23.0 TFLOP/s", "23.375 TFLOP/s")


# What is usual


def test_fences_stand_beyond_the_quartiles_by_their_ratio() -> None:
    values = [Fraction(n) for n in (100, 200, 300, 400, 500)]
    found = band(values, least=Fraction(1), power=1)
    assert (found.low, found.high) == (200 / Fraction(2), 400 * Fraction(2))
    assert band(values, least=Fraction(1), power=2).high == 1600
    assert band(values, least=Fraction(10), power=1).low == 20
    assert band([Fraction(7)], least=Fraction(3), power=1).holds(Fraction(21))
    assert not band([Fraction(7)], least=Fraction(3), power=1).holds(Fraction(22))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("HBM3E", "hbm"), ("HBM2e", "hbm"), ("GDDR6X", "gddr"), ("LPDDR5", "lpddr"), ("3D XPoint", "3d xpoint")],
)
def test_families_of_memory(kind: str, expected: str) -> None:
    assert family(kind) == expected


def test_what_a_sparsity_multiplies() -> None:
    assert [times(sparsity) for sparsity in ("2:4", "1:4", "4:8")] == [2, 4, 2]


def test_widths_are_those_in_memory(context: Context) -> None:
    assert context.survey.bits() == {"bf16": 2, "fp32": 4}  # in bytes, the base unit


# Siblings


def test_siblings_share_a_die_of_one_vendor(context: Context) -> None:
    assert [[d.entry.id for d in group] for group in dies(context)] == [["forge-a", "forge-b"]]


def test_another_vendor_s_die_of_the_same_name_is_another_die(broken: Broken) -> None:
    report = broken((B, "vendor: Acme", "vendor: Bolt"))
    assert dies(Context(report.knowledge, Resolver(report.knowledge))) == []


def test_peaks_scale_with_units_and_clock(broken: Broken) -> None:
    assert of(broken(), "siblings") == []
    halved = (B, "count: {value: 50 unit", "count: {value: 25 unit")
    report = broken(halved)
    (finding,) = [f for f in of(report, "siblings") if "peak.bf16 " in f.message]
    assert (finding.record, finding.expected) == (B, "1024 flop/cycle/unit")


@pytest.mark.parametrize(
    ("rate", "fits"), [("92.16", True), ("50", True), ("45", False), ("93.9", False), ("184.32", False)]
)
def test_without_a_clock_of_its_own_a_peak_needs_one_that_the_part_has(rate: str, fits: bool, broken: Broken) -> None:
    report = broken((B, f"92.16 TFLOP/s, source: acme-sheet, at: page 7, checked: 2026-11-30}}{ROUTE}",
                     f"{rate} TFLOP/s, source: acme-sheet, at: page 7, checked: 2026-11-30}}"))  # fmt: skip
    assert ("peak.bf16 " not in " ".join(f.message for f in of(report, "siblings"))) is fits


# Ladders


def test_an_architecture_is_found_by_every_name(context: Context) -> None:
    found = [context.survey.architecture(name) for name in ("forge", "Forge Generation", "anvil")]
    assert found == [FORGE, FORGE, None]


def test_a_step_is_left_out_where_the_part_has_the_peak_that_it_names(broken: Broken) -> None:
    vector = "- {peak: fp32, is: peak.bf16 / 4, source: acme-sheet, at: page 6, checked: 2026-11-30}"
    wrong = vector.replace("peak.bf16 / 4", "peak.bf16 / 8")
    assert {f.record for f in of(broken((FORGE, vector, wrong)), "format-ladder")} == {A, B}
    unless = wrong.replace("source:", "unless: bf16_accumulate_bf16, source:")
    assert {f.record for f in of(broken((FORGE, vector, unless)), "format-ladder")} == {B}


# What records accept


def test_an_accepted_finding_comes_back_when_its_value_changes(broken: Broken) -> None:
    report = broken((B, "rate: {value: 120 TFLOP/s", "rate: {value: 121 TFLOP/s"))
    assert {f.rule for f in report.findings if f.record == B} == {"sparse-factor", "siblings", "exception-unneeded"}


def test_an_accepted_finding_without_what_was_found_holds_for_every_value(broken: Broken) -> None:
    report = broken(
        (B, "  field: peak.bf16_sparse\n  found: 120 TFLOP/s\n  why: The sheet says that its sparse rate is capped.\n- rule",
         "  field: peak.bf16_sparse\n  why: The sheet says that its sparse rate is capped.\n- rule"),
        (B, "rate: {value: 120 TFLOP/s", "rate: {value: 121 TFLOP/s"),
    )  # fmt: skip
    assert of(report, "sparse-factor") == []


def test_every_rule_across_accelerators_can_be_accepted_and_says_how(broken: Broken) -> None:
    names = {rule.id for rule in RULES if isinstance(rule, PeerRule)}
    assert len(names) >= 10
    for finding in broken((A, "value: 409.6 TFLOP/s", "value: 204.8 TFLOP/s")).findings:
        assert f"rule {finding.rule}, field peak.bf16_sparse, found 204.8 TFLOP/s" in finding.mend


def test_a_link_that_differs_for_a_reason_is_no_finding(broken: Broken) -> None:
    assert of(broken(), "link-rate") == []
    report = broken((B, "  differs: The sheet counts what is left after encoding.\n", ""))
    (finding,) = of(report, "link-rate")
    assert (finding.record, finding.found) == (B, "60 GB/s")


# Types


def test_memory_on_the_chip_is_a_main_memory_with_a_second_route(context: Context) -> None:
    forge = device(context, "forge-c")
    assert forge.number("memory.route") == forge.number("memory.bandwidth") == Fraction(128 * 10**11, 1)
    assert forge.number("sram.total_route") == forge.number("sram.total") == 200_000_000
    assert forge.number("sram.per_unit_route") == forge.number("sram.per_unit")


def test_a_claim_of_another_scope_is_not_the_value(context: Context) -> None:
    forge = device(context, "forge-a")
    assert isinstance(forge.record, Accelerator)
    assert forge.number("memory.capacity") == 32 * 2**30


def test_a_print_that_cannot_be_read_is_none() -> None:
    assert printed("about a lot") is None
    found = printed("64 GB")
    assert found is not None and found.quantity.middle == 64_000_000_000


def test_an_announced_device_has_no_quantities(context: Context) -> None:
    names = context.resolver.namespace("announced/forge-next").names
    assert names == {}
