"""The traps into which well-known tables have fallen, planted one by one in a copy of the project's own records.

Each must be named: by a rule, at the record and the field in which the wrong figure stands. Nothing is written.
"""

from __future__ import annotations

from functools import lru_cache

import pytest

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Knowledge, add, load
from ridgeline.knowledge.names import namespace
from ridgeline.knowledge.resolve import Resolver
from ridgeline.rules.accepted import ExceptionUnneeded
from ridgeline.rules.peers import PeerRule
from ridgeline.rules.routes import SecondRoute
from ridgeline.rules.rule import Context
from ridgeline.rules.run import RULES
from ridgeline.text.splice import Edit, splice
from tests.conftest import REPOSITORY

#: The rules that look at accelerators; the others are not what is tried here.
DEVICE_RULES = [rule for rule in RULES if isinstance(rule, PeerRule | SecondRoute | ExceptionUnneeded)]

#: Record, quantity (or path in the file), and the text that is put in its place.
Change = tuple[str, str, str]
Named = tuple[str, str, str]


@lru_cache(maxsize=1)
def records() -> Knowledge:
    return load(REPOSITORY)


@lru_cache(maxsize=1)
def resolver() -> Resolver:
    return Resolver(records())


def found(knowledge: Knowledge) -> set[Named]:
    """What the rules about accelerators find: rule, record, field without the part of it that holds the text."""
    context = Context(knowledge, Resolver(knowledge))
    return {named(finding) for rule in DEVICE_RULES for finding in rule.check(context)}


def named(finding: Finding) -> Named:
    return (
        finding.rule,
        finding.record.removeprefix("accelerators/"),
        finding.field.partition(".claims.")[0].removesuffix(".value"),
    )


@lru_cache(maxsize=1)
def clean() -> set[Named]:
    return found(records())


def planted(*changes: Change) -> set[Named]:
    """What is found once values have been changed, and was not before."""
    knowledge = Knowledge(REPOSITORY, dict(records().entries))
    for record, quantity, text in changes:
        entry = knowledge.entries[f"accelerators/{record}"]
        path = place(record, quantity)
        span = entry.document.spans[path][1]
        if path[-1] == "from":
            number, _, unit = text.replace(",", "").partition(" ")
            text = f"as({number}, {unit})"
        quoted = f'"{text}"'
        add(knowledge, entry.document.path, splice(entry.document.source, [Edit(span.start, span.end, quoted)]))
        assert not knowledge.findings
        assert not namespace(knowledge.entries[f"accelerators/{record}"]).problems
        assert knowledge.entries[f"accelerators/{record}"].record is not None
    return found(knowledge) - clean()


def place(record: str, quantity: str) -> tuple[str | int, ...]:
    """Where the text of a quantity stands: its value, that of the preferred claim, or its formula."""
    reference = f"accelerators/{record}"
    spans = records().entries[reference].document.spans
    meaning = resolver().namespace(reference).names[quantity]
    stated = getattr(meaning, "given", None)
    field = getattr(meaning, "field", "") or (stated.field if stated is not None else "")
    path = tuple(int(step) if step.isdigit() else step for step in field.split("."))
    for key in ("value", "from"):
        if (*path, key) in spans:
            return (*path, key)
    raise AssertionError(f"{quantity} of {record} stands nowhere")


def row(record: str, peak: str) -> str:
    """The field of a peak's rate: ``peaks.0.rate``."""
    from ridgeline.records.accelerator import Accelerator, peak_name

    accelerator = records().entries[f"accelerators/{record}"].record
    assert isinstance(accelerator, Accelerator)
    return next(f"peaks.{i}.rate" for i, p in enumerate(accelerator.peaks) if peak_name(p) == peak)


def test_the_records_have_none_of_these_findings_as_they_stand() -> None:
    assert clean() == set()


# Structured sparsity


@pytest.mark.parametrize(
    ("record", "sparse"),
    [("nvidia-h100-sxm", "1,979 TFLOP/s"), ("nvidia-h200-sxm", "1,979 TFLOP/s"), ("nvidia-b200", "4.5 PFLOP/s"),
     ("nvidia-l4", "242 TFLOP/s"), ("nvidia-a100-sxm-80gb", "624 TFLOP/s"), ("amd-instinct-mi300x", "2614.9 TFLOP/s")],
)  # fmt: skip
def test_a_sparse_peak_as_the_dense_one(record: str, sparse: str) -> None:
    new = planted((record, "peak.bf16", sparse))
    rules = {rule for rule, where, _ in new if where == record}
    assert "sparse-factor" in rules
    assert (("second-route", record, row(record, "bf16")) in new) or "format-ladder" in rules
    assert any(field.startswith("peaks.") for _, _, field in new)


def test_the_sparse_peak_of_the_h100_is_named_by_every_route() -> None:
    record, field = "nvidia-h100-sxm", row("nvidia-h100-sxm", "bf16")
    new = planted((record, "peak.bf16", "1,979 TFLOP/s"))
    assert {("second-route", record, field), ("siblings", record, field), ("anothers-figure", record, field)} <= new
    assert ("sparse-factor", record, row(record, "bf16_sparse")) in new
    assert ("format-ladder", record, row(record, "fp8")) in new


# Paths and accumulators


def test_a_vector_peak_as_the_tensor_one() -> None:
    record, field = "nvidia-rtx-4090", row("nvidia-rtx-4090", "bf16")
    new = planted((record, "peak.bf16", "82.6 TFLOP/s"))
    assert {("matrix-not-faster", record, field), ("second-route", record, field)} <= new


def test_accumulation_in_fp16_as_in_fp32() -> None:
    record, field = "nvidia-rtx-4090", row("nvidia-rtx-4090", "fp16")
    new = planted((record, "peak.fp16", "330.3 TFLOP/s"))
    assert {("anothers-figure", record, field), ("second-route", record, field)} <= new
    assert ("format-ladder", record, row(record, "fp16_accumulate_fp16")) in new


# Scopes and directions


def test_both_directions_of_nvlink_as_one() -> None:
    record, field = "nvidia-h100-sxm", "links.0.per_direction"
    new = planted((record, "links.nvlink_4.per_direction", "900 GB/s"))
    assert {("link-rate", record, field), ("anothers-figure", record, field)} <= new
    assert ("second-route", record, "links.0.aggregate") in new


def test_both_directions_of_nvlink_as_one_with_the_aggregate_doubled_too() -> None:
    record = "nvidia-h100-sxm"
    changes = [
        (record, f"links.nvlink_4.{part}", text)
        for part, text in (("per_direction", "900 GB/s"), ("aggregate", "1.8 TB/s"))
    ]
    new = planted(*changes)
    assert {("link-rate", record, "links.0.per_direction"), ("link-rate", record, "links.0.aggregate")} <= new


@pytest.mark.parametrize(
    ("quantity", "pair", "rule", "field"),
    [
        ("memory.capacity", "188 GB", "anothers-figure", "memory.capacity"),
        ("memory.bandwidth", "7.8 TB/s", "interface-unusual", "memory.bus_width"),
        ("peak.bf16", "1,671 TFLOP/s", "siblings", "peaks.0.rate"),
        ("peak.fp64", "120 TFLOP/s", "second-route", row("nvidia-h100-nvl", "fp64")),
        ("peak.fp8", "3,341 TFLOP/s", "siblings", row("nvidia-h100-nvl", "fp8")),
    ],
)
def test_the_figures_of_a_pair(quantity: str, pair: str, rule: str, field: str) -> None:
    assert (rule, "nvidia-h100-nvl", field) in planted(("nvidia-h100-nvl", quantity, pair))


def test_a_value_that_says_that_it_is_of_a_pair() -> None:
    record = "nvidia-h100-nvl"
    entry = records().entries[f"accelerators/{record}"]
    text = entry.document.source.replace("- value: 94 GB\n", "- value: 94 GB\n        scope: pair\n", 1)
    knowledge = Knowledge(REPOSITORY, dict(records().entries))
    add(knowledge, entry.document.path, text)
    assert ("scope-differs", record, "memory.capacity") in found(knowledge)


def test_one_die_of_a_package() -> None:
    new = planted(
        ("amd-instinct-mi250x", "peak.bf16", "191.5 TFLOP/s"),
        ("amd-instinct-mi250x", "memory.bandwidth", "1.6384 TB/s"),
    )
    assert {
        ("second-route", "amd-instinct-mi250x", "peaks.0.rate"),
        ("second-route", "amd-instinct-mi250x", "memory.bandwidth"),
    } <= new


# Units


@pytest.mark.parametrize(
    ("record", "text"),
    [("nvidia-h100-sxm", "80 GB"), ("nvidia-h100-pcie", "80 GB"), ("nvidia-a100-sxm-80gb", "80 GB")],
)
def test_gb_for_gib_between_siblings(record: str, text: str) -> None:
    assert ("capacity-unit", record, "memory.capacity") in planted((record, "memory.capacity", text))


@pytest.mark.parametrize(
    ("record", "text"),
    [("amd-instinct-mi300x", "192 GB"), ("amd-instinct-mi300a", "128 GB")],
)
def test_gb_for_gib_against_the_stacks(record: str, text: str) -> None:
    assert ("second-route", record, "memory.capacity") in planted((record, "memory.capacity", text))


def test_petabytes_as_terabytes() -> None:
    new = planted(("cerebras-wse-3", "memory.bandwidth", "21,000 GB/s"))
    assert ("sweep-unusual", "cerebras-wse-3", "memory.bandwidth") in new


@pytest.mark.parametrize("record", ["groq-lpu-v1", "nvidia-h20", "google-tpu-v5e"])
def test_a_bandwidth_in_the_wrong_prefix_moves_the_ridge(record: str) -> None:
    text = {"groq-lpu-v1": "80 GB/s", "nvidia-h20": "4 GB/s", "google-tpu-v5e": "819 MB/s"}[record]
    rules = {rule for rule, where, _ in planted((record, "memory.bandwidth", text)) if where == record}
    assert {"ridge-unusual", "sweep-unusual"} <= rules


# Columns of tables


def test_the_column_of_the_sibling() -> None:
    """B200 with the eight figures of the GB200 that differ: those with a second route are named, and so is the excuse."""
    column = {
        "memory.bandwidth": "8 TB/s", "memory.capacity": "186 GB", "peak.bf16": "2500 TFLOP/s", "peak.bf16_sparse": "5 PFLOP/s",
        "peak.fp8": "5000 TFLOP/s", "peak.fp4": "10000 TFLOP/s", "peak.fp64": "40 TFLOP/s", "peak.fp32_vector": "80 TFLOP/s",
    }  # fmt: skip
    new = planted(*(("nvidia-b200", quantity, text) for quantity, text in column.items()))
    named = {(rule, field) for rule, record, field in new if record == "nvidia-b200"}
    for quantity in ("fp64", "fp32_vector"):
        assert ("second-route", row("nvidia-b200", quantity)) in named
    assert ("second-route", "memory.bandwidth") in named
    assert ("exception-unneeded", "nvidia-gb200") in {(rule, record) for rule, record, _ in new}


@pytest.mark.parametrize(
    "quantity", ["memory.bandwidth", "peak.bf16", "peak.fp8", "peak.fp4", "peak.fp64", "peak.fp32_vector"]
)
def test_a_single_figure_of_the_sibling(quantity: str) -> None:
    sibling = {"memory.bandwidth": "8 TB/s", "peak.bf16": "2500 TFLOP/s", "peak.fp8": "5000 TFLOP/s", "peak.fp4": "10000 TFLOP/s",
               "peak.fp64": "40 TFLOP/s", "peak.fp32_vector": "80 TFLOP/s"}  # fmt: skip
    new = planted(("nvidia-b200", quantity, sibling[quantity]))
    assert "nvidia-b200" in {record for _, record, _ in new}


def test_a_bus_of_another_part() -> None:
    assert ("second-route", "nvidia-l4", "memory.bandwidth") in planted(("nvidia-l4", "memory.bus_width", "384 bit"))


def test_a_bus_of_another_part_with_a_rate_that_was_solved_to_fit() -> None:
    new = planted(("nvidia-l4", "memory.bus_width", "384 bit"), ("nvidia-l4", "memory.pin_rate", "6.25 Gbit/s"))
    assert new == {("interface-unusual", "nvidia-l4", "memory.bus_width")}
