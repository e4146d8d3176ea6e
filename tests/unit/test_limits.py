"""Limits: proved where the formula is piecewise rational, tried far out otherwise, and wrong claims named."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.limits import Limit, Undecided, limit
from ridgeline.formulas.parser import parse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.base import Knowledge, add
from ridgeline.knowledge.resolve import Resolver
from ridgeline.rules.rule import Context
from ridgeline.rules.workloads import PropertyFails

KNOWN = {"a": Fraction(3), "b": Fraction(7, 2), "zero": Fraction(0)}


def lookup(name: Name) -> Quantity:
    if name.text not in KNOWN:
        raise FormulaError(f"unknown name {name.text}")
    return Quantity(KNOWN[name.text])


def of(text: str, near: Fraction | int | None = None, *, below: bool = False) -> Limit:
    return limit(parse(text), "L", lookup, near=None if near is None else Fraction(near), below=below)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L / (L + a)", 1),
        ("a * L^2 / (b * L^2 + L)", Fraction(6, 7)),
        ("(L^2 + L) / L - L", 1),
        ("a / L", 0),
        ("1 - 1 / L + a", 4),
        ("min(L, a)", 3),
        ("max(a - L, b)", Fraction(7, 2)),
        ("min(L / a, L^2) / L", Fraction(1, 3)),
        ("abs(a - L) / L", 1),
        ("ceil(L / a) * a / L", 1),
        ("floor(L / a) / L", Fraction(1, 3)),
        ("round(b * L) / L", Fraction(7, 2)),
        # Just above, just below and at a whole number.
        ("ceil(a + 1 / L)", 4),
        ("ceil(a - 1 / L)", 3),
        ("floor(a + 1 / L)", 3),
        ("floor(a - 1 / L)", 2),
        ("ceil(L * 0 + a)", 3),
        ("round(b + 1 / L)", 4),
        ("round(b - 1 / L)", 3),
        ("round(-b + 1 / L)", -3),
        ("round(-b - 1 / L)", -4),
        ("1 / ceil(L)", 0),
        ("(ceil(L) / L)^2", 1),
        ("(ceil(L) / L)^-2", 1),
        ("sum(1 / L, 2 / L, a)", 3),
        ("num(as(L, GB), byte) / L", 10**9),
        ("-L / (L + 1)", -1),
        ("2 ^ a * L / (L + 1)", 8),
    ],
)
def test_exact_limits_as_the_symbol_grows(text: str, expected: Fraction | int) -> None:
    assert of(text) == Limit(Fraction(expected), Fraction(expected))


@pytest.mark.parametrize(
    ("text", "sign"),
    [("L", 1), ("a - L", -1), ("L^2 / (L + 1)", 1), ("max(L, 3) - a", 1), ("floor(L / a)", 1), ("-ceil(L)", -1)],
)
def test_no_bound(text: str, sign: int) -> None:
    assert of(text) == Limit(unbounded=sign)


@pytest.mark.parametrize(
    ("text", "near", "below", "expected"),
    [
        ("L / (L + a)", 0, False, 0),
        ("(L^2 - 9) / (L - a)", 3, False, 6),
        ("(L^2 - 9) / (L - a)", 3, True, 6),
        ("ceil(L)", 2, False, 3),
        ("ceil(L)", 2, True, 2),
        ("min(L, a)", 5, True, 3),
        ("abs(L - a) / (L - a)", 3, False, 1),
        ("abs(L - a) / (L - a)", 3, True, -1),
    ],
)
def test_limits_at_a_value_from_either_side(text: str, near: int, below: bool, expected: int) -> None:
    assert of(text, near, below=below) == Limit(Fraction(expected), Fraction(expected))


def test_at_a_pole_each_side_goes_its_own_way() -> None:
    assert of("1 / (L - a)", 3).unbounded == 1
    assert of("1 / (L - a)", 3, below=True).unbounded == -1


def test_roots_of_what_tends_to_a_value_are_enclosed() -> None:
    found = of("sqrt(2 + 1 / L)")
    assert found.agrees(limit(parse("sqrt(2)"), "L", lookup).low)
    assert 0 < found.high - found.low < Fraction(1, 2**80)
    assert not found.agrees(Fraction("1.4142135623"))


@pytest.mark.parametrize(
    "text", ["ceil(L) - L", "2 ^ L", "sqrt(L) / L", "log2(L)", "abs(ceil(L) - L - 0.5)", "L^9 / L^9"]
)
def test_what_cannot_be_proved_is_undecided(text: str) -> None:
    with pytest.raises(Undecided):
        of(text)


def test_refusals_have_a_place() -> None:
    with pytest.raises(FormulaError, match="division by zero") as caught:
        of("1 + L / zero")
    assert (caught.value.start, caught.value.end) == (4, 12)
    with pytest.raises(FormulaError, match="unknown name c"):
        of("L * c")


# The rule

HEAD = """\
schema: class/1
id: attention
name: Attention
revision: 1
status: draft
phase: prefill
symbols:
  L: {unit: token, means: prompt length}
  tile: {unit: token, means: rows of a tile, default: 128 token}
  s: {unit: byte, means: bytes of an element, default: 2 byte}
formulas:
  flops: {unit: flop, is: "4 * n_q * d_head * L^2"}
  bytes: {unit: byte, is: "4 * n_q * L^2 * s + 2 * n_q * d_head * L * s + 2 * n_kv * d_head * L * s"}
  intensity: {unit: flop/byte, is: flops / bytes}
  ceiling: {unit: flop/byte, is: d_head / s}
  share: {is: "L / (L + as(4096, token))"}
  whole: {unit: flop, is: total(flops)}
  whole_share: {is: "whole / (whole + total(16 * n_q * d_head * L * as(1, token)))"}
  tiles: {unit: token, is: "ceil(num(L, token) / num(tile, token)) * tile"}
  padding: {is: tiles / L}
  capped: {unit: token, is: "min(L, tile)"}
  steps: {unit: token, is: "as(ceil(num(L, token)), token) - L"}
  root: {is: "sqrt(num(L, token)) / (sqrt(num(L, token)) + 5)"}
  slow: {is: "1 / log2(num(L, token))"}
  crossing: {unit: token, solve: {for: L, where: flops / (4 * n_q * d_head * L) = tile}}
  called: {is: "share(L=2*L)"}
  groups: {unit: byte, is: 2 * n_q * d_head * s / g}
properties:
"""

RIGHT = [
    "{tends: intensity, with: L, to: ceiling}",
    "{tends: intensity, with: L, to: d_head / s}",
    "{tends: intensity, with: L, toward: 0, to: 0}",
    "{tends: share, with: L, to: 1}",
    "{tends: share, with: L, toward: 4096 token, to: 1 / 2}",
    "{tends: share, with: L, toward: 4096, to: '0.5'}",
    "{tends: whole_share, with: L, to: 1}",
    "{tends: flops, with: L, to: infinity}",
    "{tends: padding, with: L, to: 1}",
    "{tends: padding, with: L, toward: 0, to: infinity}",
    "{tends: capped, with: L, to: tile}",
    "{tends: root, with: L, to: 1}",
    "{tends: called, with: L, to: 1}",
    "{tends: crossing, with: tile, toward: 0, to: 0}",
    # One more query head is one more for each group: n_q / g is the number of KV heads.
    "{tends: groups, with: g, to: 2 * n_kv * d_head * s}",
]

WRONG = {
    "{tends: intensity, with: L, to: 2 * ceiling}": "intensity tends to",
    "{tends: intensity, with: L, to: 0}": "intensity tends to",
    "{tends: share, with: L, to: '0.9999999'}": "share tends to 1 as L grows, not to 0.9999999",
    "{tends: share, with: L, to: infinity}": "share tends to 1 as L grows, not to infinity",
    "{tends: share, with: L, toward: 2048, to: 1 / 2}": "share tends to 0.333333 as L comes near 2048, not to 1 / 2 = 0.5",
    "{tends: flops, with: L, to: 7}": "flops grows without bound as L grows, it does not tend to 7",
    "{tends: share, with: L, to: L}": "share cannot tend to L, which itself reads L",
    "{tends: share, with: tile, to: 1}": "share does not depend on tile",
    "{tends: share, with: M, to: 1}": "share does not depend on M",
    "{tends: share, with: L, to: ceilling}": "cannot be held against its claim: unknown name ceilling",
    "{tends: share, with: L, to: '1 +'}": "cannot be held against its claim: expected",
    "{tends: share, with: L, toward: 3 GB, to: 1}": "L is in token, not in byte",
    "{tends: padding, with: L, to: 2}": "padding tends to 1 as L grows, not to 2",
    "{tends: capped, with: L, to: infinity}": "not to infinity",
    "{tends: steps, with: L, to: 'as(1 / 2, token)'}": "steps is not seen to tend to as(1 / 2, token)",
    "{tends: root, with: L, to: 2}": "root is not seen to tend to 2 as L grows: it is",
    "{tends: slow, with: L, to: 0}": "slow is not seen to tend to 0",
    "{tends: called, with: L, to: 1 / 2}": "called is not seen to tend to",
    "{tends: intensity, with: L, to: d_head * s}": "it is in flop/byte, d_head * s in byte",
}


def findings(claim: str) -> list[Finding]:
    knowledge = Knowledge(Path("/nowhere"))
    add(knowledge, "records/classes/attention.yaml", HEAD + f"- {claim}\n")
    assert knowledge.findings == []
    return list(PropertyFails().check(Context(knowledge, Resolver(knowledge))))


@pytest.mark.parametrize("claim", RIGHT)
def test_right_claims_pass(claim: str) -> None:
    assert findings(claim) == []


@pytest.mark.parametrize(("claim", "says"), WRONG.items(), ids=list(WRONG))
def test_wrong_claims_are_caught(claim: str, says: str) -> None:
    (found,) = findings(claim)
    assert found.rule == "property"
    assert says in found.message
    assert found.field == "properties.0.tends"
