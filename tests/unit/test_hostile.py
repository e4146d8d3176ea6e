"""Work is paid for before it is done: whatever formulas a stranger writes, the answer costs a bounded number of steps.

Wall time is measured in ``benchmarks`` (the row ``refusals``); here it is steps, and calls of functions, which no other
program on the machine can change.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from types import FrameType

import pytest

from benchmarks import hostile
from ridgeline.formulas import parser
from ridgeline.formulas.errors import (
    GROUP_GRANT,
    MAX_BITS,
    MAX_GROUPS,
    MAX_STEPS,
    OPERATION,
    Budget,
    FormulaError,
    effort,
    nearest,
)
from ridgeline.formulas.evaluate import evaluate
from ridgeline.formulas.parser import parse
from ridgeline.formulas.polynomial import Rational
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name, substitute
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.numbers.interval import exact_text

#: Functions called, built-in ones included, for each step of the limit. The dearest case needs about 10.
CALLS = 14
EXHAUSTED = f"too much work: the limit of {MAX_STEPS:,} steps is used up"


class Calls:
    """Counts calls of functions, Python's own included."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        self.count += event in ("call", "c_call")

    def __enter__(self) -> Calls:
        self.before = sys.getprofile()
        sys.setprofile(self)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(self.before)


@pytest.mark.parametrize("case", hostile.CASES)
def test_the_work_is_bounded(case: str) -> None:
    resolver = hostile.resolver(case)
    parser.parse.cache_clear()
    parser.parse_equation.cache_clear()
    with Calls() as calls:
        answer = hostile.ask(case, resolver)
    assert answer
    assert calls.count <= CALLS * (MAX_STEPS + GROUP_GRANT * hostile.GROUPS)


def test_most_cases_use_the_limit_up() -> None:
    answers = [hostile.ask(case, hostile.resolver(case)) for case in hostile.CASES]
    assert answers.count(EXHAUSTED) >= 15


def test_steps_are_taken_by_length() -> None:
    assert effort(8) == effort(400) == OPERATION
    assert effort(2_000) > OPERATION
    assert effort(MAX_BITS) > 10 * effort(1_000)
    efforts = [effort(bits) for bits in range(0, MAX_BITS + 1, 64)]
    assert efforts == sorted(efforts)


def spent(text: str, **values: Fraction) -> int:
    budget = Budget()
    evaluate(parse(text), lambda name: Quantity(values[name.text]), budget=budget)
    return MAX_STEPS - budget.steps


def test_each_operation_pays_for_the_length_of_its_operands() -> None:
    short, long = Fraction(3, 7), Fraction(2**2000 + 1, 3**1200)
    for text in (
        "x + x",
        "x - x",
        "x * x",
        "x / x",
        "min(x, x)",
        "max(x, x, x)",
        "sum(x, x)",
        "ceil(x)",
        "abs(x)",
        "log2(x)",
    ):
        assert spent(text, x=long) > spent(text, x=short) + 4, text
    assert spent("x^60", x=Fraction(2**60 + 1, 3**40)) > spent("x^2", x=Fraction(2**60 + 1, 3**40))
    # Intervals cost more than exact values, a name and a number next to nothing.
    assert spent("sqrt(x) * sqrt(x)", x=short) > 2 * spent("x * x", x=short)
    assert spent("x + 1 + 1 + 1", x=short) - spent("x + 1", x=short) == 2 * OPERATION


def test_nothing_is_done_that_cannot_be_paid_for() -> None:
    long = Fraction(2**2000 + 1, 3**1200)
    budget = Budget(steps=effort(8000) - 1)
    with pytest.raises(FormulaError, match="steps is used up"):
        evaluate(parse("x * x"), lambda name: Quantity(long), budget=budget)


def test_algebra_pays_for_each_coefficient() -> None:
    budget = Budget()
    x = Rational.symbol()
    dense = Rational.constant(Fraction(1))
    for number in (3, 5, 7):
        dense = dense.times(x.plus(Rational.constant(Fraction(1, number)), budget), budget)
    before = budget.steps
    dense.times(dense, budget)
    assert before - budget.steps >= 2 * OPERATION * 16
    with pytest.raises(FormulaError, match="steps is used up"):
        dense.times(dense, Budget(steps=20))


def test_writing_out_pays_for_each_part() -> None:
    budget = Budget(steps=100)
    endless = {f"h{n}": parse(f"h{n + 1} + h{n + 1}") for n in range(30)}
    with pytest.raises(FormulaError, match="steps is used up"):
        substitute(parse("h0"), lambda part: endless.get(part.text) if isinstance(part, Name) else None, budget)


def test_layers_add_to_the_limit_once() -> None:
    budget = Budget()
    budget.grant("models/a", 3)
    budget.grant("models/a", 3)
    assert budget.steps == MAX_STEPS + 3 * GROUP_GRANT
    budget.grant("models/b", 200)
    budget.grant("models/c", 200)
    assert budget.steps == MAX_STEPS + MAX_GROUPS * GROUP_GRANT


def test_a_model_of_two_hundred_different_layers_is_added_up() -> None:
    resolver = Resolver(hostile.knowledge({"h": "1"}, 200))
    found = resolver.quantity("models/many", ("parameters", "total"))
    widths = sum(1000 + n for n in range(200))
    attention = 200 * (4096 * 128 * (32 + 8 + 8) + 32 * 128 * 4096)
    assert found.quantity.value == 2 * 1000 * 4096 + attention + 3 * 4096 * widths + 200 * 8192 + 4096
    assert resolver.quantity("models/many", ("parameters", "active_with_embeddings")).quantity.value > 0
    assert Scope().record("model") is None


def test_near_names_are_sought_among_the_likeliest() -> None:
    many = [f"quantity_number_{n}" for n in range(900)]
    assert nearest("quantity_number_1234", many)[0] in many
    with Calls() as calls:
        nearest("quantity_nmber_77", many)
    assert calls.count < 30_000
    assert nearest("memory.bandwith", [*many, "memory.bandwidth"]) == ("memory.bandwidth",)


def test_a_long_decimal_is_written_as_a_fraction() -> None:
    assert exact_text(Fraction(1, 2**8000)) == f"1/{2**8000}"
    assert exact_text(Fraction(3, 2**64)).startswith("0.")
