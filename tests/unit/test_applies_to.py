"""Which layers a class counts in, and what a formula is elsewhere."""

from __future__ import annotations

import pytest

from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse
from ridgeline.knowledge.derivation import closed
from tests.data.small import errors, evaluate, knowledge, text_of

#: Of the small base's model ``mixed``: four layers that see everything, twenty with a window of 1024 tokens.
FULL, CAPPED = 2 * 8 * 64 * 2000**2, 4 * 8 * 64 * 2000 * 1024


def work(applies: str) -> dict[str, str]:
    """The small class, applied to some layers, with formulas that add its own up."""
    added = "formulas:\n  all: {unit: flop, is: total(flops)}\n  all_capped: {unit: flop, is: total(capped)}\n"
    return {
        "classes/work": text_of(
            "classes/work", ("phase: prefill\n", f"phase: prefill\napplies_to: {applies}\n"), ("formulas:\n", added)
        )
    }


@pytest.mark.parametrize(
    ("applies", "expression", "expected"),
    [
        ("{has: [n_kv]}", "all(mix, L=2000)", 24 * FULL),
        ("{lacks: [window]}", "all(mix, L=2000)", 4 * FULL),
        ("{has: [window]}", "all(mix, L=2000)", 20 * FULL),
        ("{has: [window, n_q], lacks: [chunk]}", "all_capped(mix, L=2000)", 20 * CAPPED),
        ("{has: [n_kv], lacks: [window]}", "all_capped(mix, L=2000)", 4 * 2 * FULL),
        ("{has: [kv_rank]}", "all(mix, L=2000)", 0),
        ("{has: [window]}", "all(m, L=2000)", 0),
        # Alone, a formula is that of the one group of layers that the class applies to.
        ("{has: [window]}", "flops(mix, L=2000)", FULL),
        ("{lacks: [window]}", "flops(mix, L=2000)", FULL),
        ("{lacks: [window]}", "bytes(mix, L=2000) / as(1, byte)", 2 * 2 * 64 * 2000 * 2),
        ("{has: [window]}", "bytes(mix, L=2000) / as(1, byte)", 2 * 4 * 64 * 2000 * 2),
        # A quantity that is set is there.
        ("{has: [window]}", "flops(m, L=2000, window=1)", 2 * 32 * 128 * 2000**2),
        # Without a model there are no layers to choose from.
        ("{has: [window]}", "flops(L=2000, n_q=8, d_head=64)", FULL),
    ],
)  # fmt: skip
def test_a_formula_counts_in_the_layers_that_apply(applies: str, expression: str, expected: int) -> None:
    assert evaluate(expression, work(applies)).quantity.value == expected


@pytest.mark.parametrize(
    ("applies", "expression", "message"),
    [
        ("{has: [n_kv]}", "flops(mix, L=9)",
         "flops is per layer, and the layers of models/mixed differ: write total(flops)"),
        ("{has: [kv_rank]}", "flops(mix, L=9)", "flops is per layer, and work applies to no layer of models/mixed"),
        ("{has: [window]}", "flops(m, L=9)", "flops is per layer, and work applies to no layer of models/even"),
    ],
)  # fmt: skip
def test_what_a_formula_alone_cannot_be(applies: str, expression: str, message: str) -> None:
    with pytest.raises(FormulaError) as refused:
        evaluate(expression, work(applies))
    assert refused.value.message == message


def test_nothing_has_the_unit_of_the_formula_and_a_closed_form() -> None:
    found = evaluate("all(m, L=9)", work("{has: [window]}"))
    step = next(node for node in found.walk() if node.label == "flops")
    assert (step.quantity.value, step.unit and step.unit.text, step.means) == (
        0,
        "flop",
        "nothing in a layer that work does not apply to",
    )
    assert closed(step) == parse("0") and closed(found) is not None


def refused(*edits: tuple[str, str]) -> list[Finding]:
    return errors(knowledge({"classes/work": text_of("classes/work", *edits)}))


PART = "part_of: [prefill]\ncovers: [attention]\n"
TIMES = "formulas:\n  compute_time: {per: layer, unit: s, is: flops / peak}\n  memory_time: {per: layer, unit: s, is: bytes / memory.bandwidth}\n"


@pytest.mark.parametrize(
    ("head", "formulas", "message"),
    [
        ("applies_to: {}\n", None, "say which quantities such a layer has, or which it lacks"),
        ("applies_to: {has: [n_q], lacks: [n_q]}\n", None, "no layer both has and lacks n_q"),
        ("applies_to: {has: [n_q]}\n", "formulas:\n  bare: {per: layer, is: n_q}\n",
         "bare needs unit: it is nothing in the layers that the class does not apply to"),
        ("covers: [attention]\n", None, "covers needs part_of: the totals in which the work is counted"),
        ("part_of: [prefill]\n", None, "part_of needs covers: the work that the class counts"),
        ("part_of: [prefill, prefill]\ncovers: [attention]\n", None, "part_of names prefill twice"),
        (PART, None, "flops needs the formula compute_time: the time that it takes"),
        (PART, TIMES.replace("compute_time: {per: layer, unit: s", "compute_time: {unit: s"),
         "compute_time and flops are both per: layer, or neither is"),
        (PART, TIMES.replace("compute_time: {per: layer, unit: s", "compute_time: {per: layer"), "compute_time needs unit: s"),
        ("part_of: [memory]\ncovers: [attention]\n", None,
         "a part defines at least one of the formulas resident_weights, resident_cache, resident_state, resident_reserve"),
        ("part_of: [memory]\ncovers: [attention]\n", "formulas:\n  resident_cache: {unit: byte, is: kv_bytes}\n",
         "this part covers resident-cache, and nothing else"),
        ("part_of: [memory, decode]\ncovers: [resident-cache]\n", "formulas:\n  resident_cache: {unit: byte, is: kv_bytes}\n",
         "a part of memory is part of nothing else: its formulas are other ones"),
        ("part_of: [prefill]\ncovers: [resident-cache]\n", TIMES, "this part covers the work of a step, and nothing else"),
    ],
)  # fmt: skip
def test_a_part_that_is_none(head: str, formulas: str | None, message: str) -> None:
    edits = [("phase: prefill\n", "phase: prefill\n" + head)]
    if formulas is not None:
        edits.append(("formulas:\n", formulas))
    assert [f.message for f in refused(*edits)] == [message]


def test_a_part_that_is_one() -> None:
    assert refused(("phase: prefill\n", "phase: prefill\n" + PART), ("formulas:\n", TIMES)) == []
