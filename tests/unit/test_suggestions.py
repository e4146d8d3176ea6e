"""A typo of any kind of name is answered with the name that was meant, and a union with the one branch that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.conftest import build
from tests.conftest import Cli
from tests.unit.conftest import Broken

SCORES, CACHE = "classes/scores", "classes/cache-read"
TWO, FORGE, TINY, BF16 = "accelerators/acme-two", "accelerators/forge-a", "models/tiny", "formats/bf16"

#: What is mistyped → record, what stands there, the typo, the rule, and the name that is suggested.
TYPOS: dict[str, tuple[str, str, str, str, str]] = {
    "a key": (TWO, "vendor: Acme", "vendr: Acme", "unknown-field", "vendor"),
    "a key of a mapping": (TWO, "  bus_width: {", "  bus_widht: {", "unknown-field", "bus_width"),
    "a key of a quantity": (TWO, "limit: {value: 300 W, source:", "limit: {value: 300 W, souce:", "unknown-field", "source"),
    "a key of a figure": (SCORES, "  above: L_ridge", "  abvoe: L_ridge", "unknown-field", "above"),
    "a key of a branch": (TINY, "query_heads: 4", "querry_heads: 4", "unknown-field", "query_heads"),
    "a level of memory": (TWO, "  l2:\n", "  l2_:\n", "unknown-word", "l2"),
    "a word": (TWO, "scope: board", "scope: bord", "unknown-word", "board"),
    "a status": (TWO, "status: verified", "status: verfied", "unknown-word", "verified"),
    "a phase": (SCORES, "phase: prefill", "phase: prefil", "unknown-word", "prefill"),
    "a kind of branch": (TINY, "kind: gqa", "kind: gpa", "unknown-word", "gqa"),
    "a kind of work": (CACHE, "covers: [attention]", "covers: [atention]", "unknown-word", "attention"),
    "a schema": (TWO, "schema: accelerator/1", "schema: acelerator/1", "schema-line", "accelerator/1"),
    "a source": (TWO, "limit: {value: 300 W, source: acme-sheet", "limit: {value: 300 W, source: acme-shet",
                 "unknown-reference", "acme-sheet"),
    "a format": (TWO, "- format: bf16", "- format: bf6", "unknown-reference", "bf16"),
    "an accumulator": (TWO, "accumulate: fp32", "accumulate: fp23", "unknown-reference", "fp32"),
    "an interconnect": (FORGE, "interconnect: acme-wire", "interconnect: acme-wyre", "unknown-reference", "acme-wire"),
    "a model": (SCORES, "tiny: models/tiny", "tiny: models/tinny", "unknown-reference", "models/tiny"),
    "an accelerator": (SCORES, "one: accelerators/acme-one", "one: accelerators/acme-onne", "unknown-reference",
                       "accelerators/acme-one"),
    "a folder": (SCORES, "tiny: models/tiny", "tiny: model/tiny", "unknown-reference", "models/tiny"),
    "an accelerator of a list": (SCORES, "values_for: [acme-one]", "values_for: [acme-onne]", "hardware-parameter-unknown", "acme-one"),
    "a unit": (TWO, "capacity: {value: 16 GB", "capacity: {value: 16 GBy", "value-unreadable", "GB"),
    "a unit of a symbol": (SCORES, "{unit: token, means: prompt", "{unit: tokn, means: prompt", "formula", "token"),
    "a symbol": (SCORES, "is: 2 * n_q * d_head * L^2", "is: 2 * n_q * d_haed * L^2", "formula", "d_head"),
    "a formula": (SCORES, "where: intensity = ridge", "where: intensty = ridge", "formula", "intensity"),
    "a function": (SCORES, "  is: L_ridge(one, bf16, g=2)\n- say: The share", "  is: L_rigde(one, bf16, g=2)\n- say: The share",
                   "figure-expression", "L_ridge"),
    "an alias": (SCORES, "[one.ridge.bf16, one.peak", "[oen.ridge.bf16, one.peak", "figure-expression", "one"),
    "a quantity": (SCORES, "[one.ridge.bf16, one.peak", "[one.rigde.bf16, one.peak", "figure-expression", "ridge"),
    "a symbol of a call": (SCORES, "is: 2.5 * L_ridge(one, bf16, g=2)", "is: 2.5 * L_ridge(one, bf61, g=2)",
                           "figure-expression", "bf16"),
    "a property's formula": (SCORES, "{rises: intensity,", "{rises: intensty,", "property", "intensity"),
    "a scaling's formula": (SCORES, "of: flops, order: 2", "of: flop, order: 2", "scaling-order", "flops"),
    "a parameter": (SCORES, "parameter: l2.per_unit", "parameter: l2.per_unti", "hardware-parameter-unknown", "l2.per_unit"),
    "what a layer has": (CACHE, "lacks: [window, chunk]", "lacks: [windw, chunk]", "applies-to-unknown", "window"),
    "words of the prose": (SCORES, "- say: a speed-up of 1.7x", "- say: a sped-up of 1.7x", "figure-unmatched", "speed-up of 1.7x"),
}  # fmt: skip


@pytest.mark.parametrize("what", TYPOS)
def test_a_typo_is_answered_with_what_was_meant(what: str, broken: Broken) -> None:
    record, old, new, rule, wanted = TYPOS[what]
    report = broken((record, old, new))
    found = [f for f in report.findings if f.rule == rule and f.record == record]
    assert found, [(f.rule, f.message, f.mend) for f in report.findings]
    assert any(wanted in f.mend and ("did you mean" in f.mend or "nearest" in f.mend) for f in found), [
        (f.message, f.mend) for f in found
    ]


def test_a_union_names_the_one_branch_that_was_meant(broken: Broken) -> None:
    """A missing head count is said of grouped attention, and nothing of latent or linear attention."""
    report = broken(
        (TINY, "{kind: gqa, query_heads: 4, kv_heads: 2, head_dim: 2}", "{kind: gqa, query_heads: 4, head_dim: 2}")
    )
    (finding,) = (f for f in report.findings if f.record == TINY)
    assert (finding.rule, finding.field) == ("missing-field", "layers.0.attention.kv_heads")


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["chek"], "check"),
        (["rules", "figure-wrng"], "figure-wrong"),
        (["get", "models/tinny", "parameters.total"], "models/tiny"),
        (["get", "models/tiny", "parameters.totl"], "parameters.total"),
        (["new", "acelerator", "x"], "accelerator"),
        (["eval", "L_ridge(one, bf16)", "--class", "score"], "scores"),
        (["check", "records/models/tinny.yaml"], "records/models/tiny.yaml"),
        (["impact", "accelerators/acme-one.memory.bandwith=1 TB/s"], "memory.bandwidth"),
        (["query", "second-hnd"], "second-hand"),
    ],
)
def test_a_typo_on_the_command_line_is_answered_too(
    arguments: list[str], wanted: str, cli: Cli, tmp_path: Path
) -> None:
    root = build(tmp_path / "root")
    if arguments[0] == "query":
        assert cli("load", cwd=root).code == 0
    ran = cli(*arguments, cwd=root)
    # A quantity that a record lacks is an answer of the record, not a wrong call.
    assert ran.code == (1 if arguments[-1] == "parameters.totl" else 2)
    assert wanted in ran.err, ran.err
