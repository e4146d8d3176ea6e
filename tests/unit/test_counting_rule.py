"""The rule `counted`: right formulas pass, wrong ones are caught with what accounts for them, claims that cannot be tried say why."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.counting.account import constant_ratio, monomial, subset
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Knowledge, add
from ridgeline.knowledge.resolve import Resolver
from ridgeline.rules.counted import Counted
from ridgeline.rules.rule import Context

HEAD = """\
schema: class/1
id: attention
name: Attention
revision: 1
status: draft
phase: prefill
symbols:
  L: {unit: token, means: prompt length}
  s_kv: {unit: byte, means: bytes of an element of K and V, default: 2 byte}
  s_act: {unit: byte, means: bytes of any other element, default: 2 byte}
  tile: {unit: token, means: rows of a tile, default: 128 token}
  chunk: {unit: token, means: new tokens}
  offset: {unit: token, means: tokens before}
  batch: {unit: sequence, means: sequences, default: 1 sequence}
  bits: {unit: bit, means: bits of a weight, default: 8 bit}
formulas:
"""

FORMULAS = {
    "flops": '{unit: flop, is: "2 * n_q * d_head * L^2"}',
    "exact": '{unit: flop, is: "2 * n_q * d_head * L * (L + as(1, token))"}',
    "grouped": '{unit: flop, is: "2 * g * n_kv * d_head * L * (L + as(1, token))"}',
    "tiled": '{unit: flop, is: "2 * n_q * d_head * L * (L + tile)"}',
    "unmasked": '{unit: flop, is: "4 * n_q * d_head * L^2"}',
    "softmax": '{unit: flop, is: "n_q * L^2"}',
    "chunked": '{unit: flop, is: "4 * n_q * d_head * chunk * (offset + chunk / 2)"}',
    "all_flops": '{unit: flop, is: "batch * exact"}',
    "bytes": '{unit: byte, is: "2 * n_kv * d_head * L * s_kv"}',
    "all_bytes": '{unit: byte, is: "bytes + 2 * n_q * d_head * L * s_act"}',
    "scores": '{unit: byte, is: "4 * n_q * L^2 * s_act"}',
    "streamed": '{unit: byte, is: "n_q * d_head * L * (L / tile + 1) * s_kv"}',
    "linear": '{unit: flop, is: "2 * linear_parameters_per_layer * L"}',
    "weights": '{unit: byte, is: "linear_parameters_per_layer * bits"}',
    "whole": '{unit: flop, is: "total(exact)"}',
    "intensity": '{unit: flop/byte, is: "exact / bytes"}',
    "bare": '{is: "2 * n_q * d_head * L^2"}',
    "broken": '{unit: flop, is: "2 * n_queries"}',
}

RIGHT = [
    "{counted: exact, by: attention-causal-naive}",
    "{counted: grouped, by: attention-causal-naive}",
    "{counted: flops, by: attention-causal-naive, leaves_out: 2 * n_q * d_head * L, vanishes_with: L, because: The diagonal.}",
    "{counted: flops, by: attention-causal-naive, leaves_out: exact - flops, vanishes_with: L, because: The diagonal.}",
    "{counted: tiled, by: attention-causal-tiled, multiples: {L: tile}}",
    "{counted: exact, by: attention-causal-tiled, leaves_out: tiled - exact, vanishes_with: L, multiples: {L: tile},"
    " because: Tiles.}",
    "{counted: unmasked, by: attention-full}",
    "{counted: unmasked, by: attention-causal-masked}",
    "{counted: softmax, by: attention-full, operations: [exponential]}",
    "{counted: chunked, by: attention-chunk, leaves_out: 2 * n_q * d_head * chunk, vanishes_with: chunk, because: The diagonal.}",
    "{counted: chunked, by: attention-decode, where: {chunk: 1, offset: L}, leaves_out: -2 * n_q * d_head * chunk,"
    " vanishes_with: offset, because: The half token.}",
    "{counted: all_flops, by: attention-causal-naive}",
    "{counted: whole, by: attention-causal-naive, where: {layer_count: batch}}",
    "{counted: bytes, by: attention-causal-naive, of: [K, V]}",
    "{counted: bytes, by: attention-causal-tiled, of: [V, K], traffic: compulsory}",
    "{counted: all_bytes, by: attention-causal-tiled, traffic: compulsory}",
    "{counted: scores, by: attention-full, of: [S, P]}",
    "{counted: streamed, by: attention-causal-tiled, of: [K, V], multiples: {L: tile}}",
    "{counted: linear, by: linear, where: {linear_parameters_per_layer: d_in * d_out, L: tokens}}",
    "{counted: linear, by: linear, where: {linear_parameters_per_layer: d_in * d_out, L: batch * tokens}}",
    "{counted: weights, by: linear, of: [W], where: {linear_parameters_per_layer: d_in * d_out, bits: s_w}}",
]


def found(claim: str, **formulas: str) -> list[Finding]:
    """What the rule finds for one property of a class, some of whose formulas are replaced."""
    lines = "".join(f"  {name}: {text}\n" for name, text in {**FORMULAS, **formulas}.items())
    knowledge = Knowledge(Path())
    add(knowledge, "records/classes/attention.yaml", f"{HEAD}{lines}properties:\n- {claim}\n")
    if knowledge.findings:
        return knowledge.findings
    return list(Counted().check(Context(knowledge, Resolver(knowledge))))


def only(claim: str, **formulas: str) -> Finding:
    findings = found(claim, **formulas)
    assert len(findings) == 1, [f.message for f in findings]
    return findings[0]


@pytest.mark.parametrize("claim", RIGHT)
def test_a_right_formula_passes(claim: str) -> None:
    assert [(f.message, f.because) for f in found(claim)] == []


# Mutants

EXACT = "{counted: exact, by: attention-causal-naive}"
ALL = "{counted: all_bytes, by: attention-causal-tiled, traffic: compulsory}"
KV = "{counted: bytes, by: attention-causal-naive, of: [K, V]}"


@pytest.mark.parametrize(
    ("claim", "formula", "wrong", "says"),
    [
        (EXACT, "exact", "4 * n_q * d_head * L * (L + as(1, token))", ": it does 1/2 times as much at every point"),
        (EXACT, "exact", "n_q * d_head * L * (L + as(1, token))", ": it does 2 times as much at every point"),
        (EXACT, "exact", "4 * n_q * d_head * L^2", ""),
        (EXACT, "exact", "2 * n_q * d_head * L^2", ": it lacks 2 * n_q * d_head * L at every point"),
        (EXACT, "exact", "2 * n_kv * d_head * L * (L + as(1, token))", ""),
        (EXACT, "exact", "2 * n_q * L * (L + as(1, token))", ""),
        (EXACT, "exact", "2 * n_q * d_head * L * (L + as(2, token))", ": it has 2 * n_q * d_head * L too much at every point"),
        (EXACT, "exact", "2 * n_q * d_head * L * (L - as(1, token))", ": it lacks 4 * n_q * d_head * L at every point"),
        (EXACT, "exact", "2 * n_q * d_head * L * (L + as(1, token)) + 1", ": it has 1 too much at every point"),
        (EXACT, "exact", "2 * n_q * d_head * L * (L + as(1, token)) + n_q * L / 3", ": it has n_q * L / 3 too much at every point"),
        (EXACT, "exact", "2 * n_q * d_head * L * (L + as(1.000001, token))", ": it has n_q * d_head * L / 500000 too much at every point"),
        (RIGHT[4], "tiled", "2 * n_q * d_head * L * (L + 2 * tile)", ": it has 2 * n_q * d_head * L * tile too much at every point"),
        (ALL, "all_bytes", "bytes", ": it lacks what Q and O move"),
        (ALL, "all_bytes", "bytes + n_q * d_head * L * s_act", ": it lacks what Q moves"),
        (ALL, "all_bytes", "2 * n_q * d_head * L * s_act", ": it lacks what K and V move"),
        (ALL, "all_bytes", "bytes + 2 * n_q * d_head * L * s_kv", ""),
        (KV, "bytes", "2 * n_q * d_head * L * s_kv", ""),
        (KV, "bytes", "2 * n_kv * d_head * L * s_kv + 2 * n_q * d_head * L * s_act", ": it has in excess what Q and O move"),
        (KV, "bytes", "n_kv * d_head * L * s_kv", ": it does 2 times as much at every point"),
        (KV, "bytes", "2 * n_kv * d_head * L * s_act", ""),
        (RIGHT[16], "scores", "2 * n_q * L^2 * s_act", ": it does 2 times as much at every point"),
        (RIGHT[16], "scores", "4 * n_q * L * s_act", ""),
    ],
)  # fmt: skip
def test_a_wrong_formula_is_caught(claim: str, formula: str, wrong: str, says: str) -> None:
    unit = "flop" if formula in ("exact", "tiled") else "byte"
    finding = only(claim, **{formula: f'{{unit: {unit}, is: "{wrong}"}}'})
    assert finding.rule == "counted"
    assert finding.field == "properties.0.counted"
    kernel = claim.partition("by: ")[2].partition(",")[0].rstrip("}")
    assert finding.message == f"{formula} is not what {kernel} is counted to do{says}"


@pytest.mark.parametrize(
    "claim",
    [
        "{counted: bytes, by: attention-causal-naive}",
        "{counted: bytes, by: attention-causal-naive, of: [K]}",
        "{counted: bytes, by: attention-causal-tiled, of: [K, V]}",
        "{counted: exact, by: attention-full}",
        "{counted: exact, by: attention-causal-naive, operations: [multiply-add, exponential]}",
        "{counted: tiled, by: attention-causal-tiled}",
        "{counted: exact, by: attention-causal-naive, where: {d_head: 2 * d_head}}",
        "{counted: flops, by: attention-causal-naive, leaves_out: n_q * d_head * L, vanishes_with: L, because: Wrong.}",
    ],
)
def test_a_claim_that_says_too_much_is_caught(claim: str) -> None:
    """A right formula with the wrong tensors, traffic, mask, operations, tiles, names, or part that is left out."""
    assert "is counted to do" in only(claim).message


def test_a_finding_names_point_value_count_and_difference() -> None:
    finding = only("{counted: flops, by: attention-causal-naive}")
    point = finding.because.partition(" flops gives")[0].removeprefix("at ")
    at = {name: Fraction(value) for name, _, value in (part.partition(" = ") for part in point.split(", "))}
    assert list(at) == ["n_q", "n_kv", "d_head", "L", "s_kv", "s_act", "batch"]
    value = int(2 * at["n_q"] * at["d_head"] * at["L"] ** 2)
    missing = int(2 * at["n_q"] * at["d_head"] * at["L"])
    assert finding.because == (
        f"at {point} flops gives {value:,} flop, and the kernel counts {value + missing:,} flop: {missing:,} more"
    )
    assert (finding.found, finding.expected) == (f"{value:,} flop", f"{value + missing:,} flop")
    assert finding.mend == "correct the formula, or name that part: leaves_out: 2 * n_q * d_head * L"


def test_what_is_left_out_must_vanish() -> None:
    claim = "{counted: flops, by: attention-causal-naive, leaves_out: 2 * n_q * d_head * L, vanishes_with: d_head, because: X.}"
    finding = only(claim)
    assert finding.field == "properties.0.vanishes_with"
    assert finding.message == "what flops leaves out does not become nothing beside it as d_head grows"
    # Half of a formula is no part of lower order, whatever it is called.
    half = only(
        "{counted: half, by: attention-causal-naive, leaves_out: half, vanishes_with: L, because: Half of it.}",
        half='{unit: flop, is: "n_q * d_head * L * (L + as(1, token))"}',
    )
    assert half.message == "what half leaves out does not become nothing beside it as L grows"


# Claims that cannot be tried


@pytest.mark.parametrize(
    ("claim", "field", "message", "mend"),
    [
        ("{counted: exacts, by: attention-full}", "counted", "the class has no formula exacts", "did you mean exact?"),
        ("{counted: intensity, by: attention-full}", "counted",
         "intensity is in flop/byte; what is counted is in flop or in byte",
         "state unit: flop or unit: byte in the formula intensity, or name another one"),
        ("{counted: bare, by: attention-full}", "counted",
         "bare is in token^2; what is counted is in flop or in byte",
         "state unit: flop or unit: byte in the formula bare, or name another one"),
        ("{counted: scores, by: attention-full, of: [S, T]}", "of", "attention-full moves no tensor T",
         "write one of Q, K, V, O, S, P"),
        ("{counted: exact, by: attention-full, of: [K]}", "of", "of is of formulas in byte, and exact is in flop",
         "delete of, or count another formula"),
        ("{counted: bytes, by: attention-full, operations: [add]}", "operations",
         "operations is of formulas in flop, and bytes is in byte", "delete operations, or count another formula"),
        ("{counted: tiled, by: attention-causal-tiled, multiples: {L: tiles}}", "multiples",
         "attention-causal-tiled has no count tiles", "did you mean tile?"),
        ("{counted: tiled, by: attention-causal-naive}", "counted",
         "tiled reads tile, and attention-causal-naive has no such size",
         "say what it is in n_q, n_kv, d_head, L, s_kv, s_act, batch: where: {tile: …}"),
        ("{counted: linear, by: linear, where: {linear_parameters_per_layer: d_in * d_ou, L: tokens}}",
         "where.linear_parameters_per_layer", "linear has no size d_ou", "did you mean d_out?"),
        ("{counted: linear, by: linear, where: {linear_parameter_per_layer: d_in, L: tokens}}",
         "where.linear_parameter_per_layer", "no formula of the class reads linear_parameter_per_layer",
         "did you mean linear_parameters_per_layer?"),
        ("{counted: linear, by: linear, where: {L: tokens +}}", "where.L", "but the formula ends",
         "correct the expression"),
        ("{counted: flops, by: attention-full, leaves_out: 2 * n_q * s_kv, vanishes_with: L, because: X.}", "leaves_out",
         "comes out in byte, stated is flop", ""),
        ("{counted: flops, by: attention-full, leaves_out: 2 * n_qq, vanishes_with: L, because: X.}", "leaves_out",
         "2 * n_qq: unknown name n_qq", ""),
        ("{counted: flops, by: attention-causal-naive, leaves_out: 2 * n_q * d_head * L, vanishes_with: s_kv, because: X.}",
         "vanishes_with", "neither flops nor what it leaves out reads s_kv", "write one of L, d_head, n_q"),
        ("{counted: chunked, by: attention-chunk, multiples: {chunk: offset}}", "multiples",
         "chunk must be a whole number from 1 on, not 0", "name another multiple, or none"),
        ("{counted: exact, by: attention-full, multiples: {L: d_head, d_head: n_kv}}", "multiples",
         "d_head cannot be both a multiple and what another size is a multiple of",
         "name sizes that are drawn by themselves as bases"),
    ],
)  # fmt: skip
def test_a_claim_that_cannot_be_tried_says_why(claim: str, field: str, message: str, mend: str) -> None:
    finding = only(claim)
    assert finding.field == f"properties.0.{field}"
    assert message in finding.message
    assert finding.mend == mend or (not mend and finding.mend)


def test_a_broken_formula_is_left_to_the_rule_formula() -> None:
    assert found("{counted: broken, by: attention-full}") == []


@pytest.mark.parametrize(
    ("claim", "rule", "message"),
    [
        ("{counted: exact, by: attention-causal-nave}", "unknown-word", "by: attention-causal-nave is not one of the words for it"),
        ("{counted: exact, by: attention-full, operations: [exponent]}", "unknown-word", "is not one of the words for it"),
        ("{counted: exact}", "inconsistent", "counted needs by: the kernel that is counted"),
        ("{counted: exact, rises: exact, by: linear}", "inconsistent", "say exactly one of rises, falls, within, tends and counted"),
        ("{rises: exact, with: L, by: linear}", "inconsistent", "by belongs to counted, not to rises"),
        ("{counted: exact, by: linear, with: L}", "inconsistent", "with does not go with counted"),
        ("{counted: exact, by: linear, range: [0, 1]}", "inconsistent", "range does not go with counted"),
        ("{counted: exact, by: linear, leaves_out: L, because: X.}", "inconsistent",
         "leaves_out needs because: where it comes from, and vanishes_with: a symbol"),
        ("{counted: exact, by: linear, vanishes_with: L}", "inconsistent",
         "vanishes_with needs leaves_out: the part of the count that vanishes"),
        ("{counted: exact, by: linear, of: [W], operations: [add]}", "inconsistent",
         "operations are of a formula in flop, of and traffic of one in byte"),
    ],
)  # fmt: skip
def test_a_claim_of_the_wrong_form_is_refused(claim: str, rule: str, message: str) -> None:
    finding = only(claim)
    assert finding.rule == rule
    assert message in finding.message


def test_the_nearest_kernel_is_offered() -> None:
    assert only("{counted: exact, by: attention-causal-nave}").mend == "did you mean attention-causal-naive?"


# Cost


def test_kernels_run_once_for_all_claims_and_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    from ridgeline.rules import counted

    ran: list[str] = []
    real = counted.run

    def run(name: str, *rest: object) -> object:
        ran.append(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(counted, "run", run)
    knowledge = Knowledge(Path())
    lines = "".join(f"  {name}: {text}\n" for name, text in FORMULAS.items())
    claims = f"- {EXACT}\n- {RIGHT[2]}\n- {KV}\n"
    for name in ("attention", "again"):
        text = HEAD.replace("id: attention", f"id: {name}") + lines + f"properties:\n{claims}"
        add(knowledge, f"records/classes/{name}.yaml", text)
    assert not knowledge.findings
    assert list(Counted().check(Context(knowledge, Resolver(knowledge)))) == []
    assert ran == ["attention-causal-naive"] * 6


def test_a_class_with_many_claims_takes_little_time() -> None:
    """All claims above in one class: under 100 ms each class was the aim, and this one has twenty."""
    lines = "".join(f"  {name}: {text}\n" for name, text in FORMULAS.items())
    knowledge = Knowledge(Path())
    add(knowledge, "records/classes/attention.yaml", f"{HEAD}{lines}properties:\n" + "".join(f"- {c}\n" for c in RIGHT))
    context = Context(knowledge, Resolver(knowledge))
    started = time.process_time()
    assert list(Counted().check(context)) == []
    assert time.process_time() - started < 1


# What accounts for a difference


def test_monomials() -> None:
    points = [{"a": Fraction(a), "b": Fraction(b), "c": Fraction(7)} for a, b in ((1, 2), (3, 5), (2, 2), (5, 1))]

    def values(f: object) -> list[Fraction]:
        return [Fraction(f(p["a"], p["b"])) for p in points]  # type: ignore[operator]

    assert monomial(values(lambda a, b: 3 * a * b**2 / 4), points) == "3 * a * b^2 / 4"
    assert monomial(values(lambda a, b: a), points) == "a"
    assert monomial(values(lambda a, b: 5), points) == "5"
    assert monomial(values(lambda a, b: a + b), points) is None
    assert constant_ratio(values(lambda a, b: 2 * a), values(lambda a, b: 3 * a)) == Fraction(2, 3)
    assert constant_ratio(values(lambda a, b: 2 * a), values(lambda a, b: b)) is None
    assert constant_ratio(values(lambda a, b: a), values(lambda a, b: b - 1)) is None
    parts = [{"x": p["a"], "y": p["b"], "z": p["c"]} for p in points]
    assert subset(values(lambda a, b: a + 7), parts) == ("x", "z")
    assert subset(values(lambda a, b: a + 1), parts) is None
