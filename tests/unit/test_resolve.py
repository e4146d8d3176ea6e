"""What names and calls mean: scopes, records as arguments, layer groups, equations solved, and what is refused."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.tree import names
from ridgeline.knowledge.derivation import RECORDED, Derivation, closed
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers.units import describe
from tests.data.small import class_scope, evaluate, knowledge, text_of

BASE = knowledge()
RESOLVER = Resolver(BASE)
SCOPE = class_scope(BASE, RESOLVER)
RIDGE = Fraction("989.4") / Fraction("3.35")


def value(expression: str) -> Derivation:
    """An expression in the scope of the small class."""
    return RESOLVER.evaluate(expression, SCOPE)


def refusal(expression: str) -> FormulaError:
    with pytest.raises(FormulaError) as caught:
        value(expression)
    return caught.value


def with_class(*, formulas: str = "", symbols: str = "") -> dict[str, str]:
    """The small class with further formulas and symbols, a line each."""
    edits = []
    for key, lines in (("formulas:\n", formulas), ("symbols:\n", symbols)):
        edits.append((key, key + "".join(f"  {line.strip()}\n" for line in lines.splitlines() if line.strip())))
    return {"classes/work": text_of("classes/work", *edits)}


@pytest.mark.parametrize(
    ("expression", "expected", "unit"),
    [
        ("a.memory.bandwidth", "3350000000000", "byte/s"),  # the preferred claim
        ("also_a.memory.bandwidth", "3350000000000", "byte/s"),
        ("a.memory.pin_rate", "654750000", "byte/s"),  # derived: bits become bytes
        ("a.memory.route", "3352320000000", "byte/s"),
        ("a.peak.bf16", "989400000000000", "flop/s"),
        ("a.peak.bf16_sparse", "1978800000000000", "flop/s"),
        ("a.peak.fp16_accumulate_fp16", "1000000000000000", "flop/s"),
        ("a.peak.bf16.route", "989429760000000", "flop/s"),
        ("a.peak.fp32", "66900000000000", "flop/s"),  # no matrix path: the vector one
        ("a.peak.fp32_vector", "66900000000000", "flop/s"),
        ("b.peak.fp16", "40300000000000", "flop/s"),
        ("a.ridge.fp32", "1338/67", "flop/byte"),
        ("a.shared_memory.per_unit", "233472", "byte"),
        ("a.shared_memory.total", "30818304", "byte"),
        ("a.links.ring_4.per_direction", "450000000000", "byte/s"),
        ("ridge(a, bf16)", "19788/67", "flop/byte"),
        ("peak(a, fp8)", "1978900000000000", "flop/s"),
        ("a.ridge(fp8)", "39578/67", "flop/byte"),
        ("bf16.bits", "2", "byte"),
        ("mxfp4.bits", "17/32", "byte"),  # 4.25 bit
        ("int4_g128.bits", "33/64", "byte"),  # 4.125 bit; an underscore stands for the hyphen of the id
        ("tf32.bits", "4", "byte"),  # what it takes in memory
        ("m.parameters.total", "7241732096", "param"),
        ("m.n_layers", "32", "layer"),
        ("mix.n_layers", "24", "layer"),
        ("mix.parameters.total", "69218816", "param"),
        ("mix.d_ff", "2048", "1"),  # equal in both groups
        ("m.linear_flops_per_token", "14220787712", "flop"),
        ("kv_bytes_per_token(m)", "131072", "byte/token"),
        ("kv_bytes_per_token(m, fp8)", "65536", "byte/token"),
        ("kv_bytes_per_token(m, mxfp4)", "34816", "byte/token"),
        ("kv_bytes_per_token(m, cache_element=1)", "65536", "byte/token"),
        ("mix.kv_bytes_per_token", "22528", "byte/token"),  # (4·2 + 20·4)·64·2·2
        ("weight_bytes(m, mxfp4)", "3847170176", "byte"),
        ("flops(m, L=512)", "2147483648", "flop"),
        ("flops(m, L=L_star(m))", "23227183136768", "flop"),
        ("L_star(m)", "53248", "token"),
        ("share(m, L=8192)", "2/15", "1"),
        ("intensity(m, L=512)", "1024", "flop/byte"),
        ("intensity(g=8, L=512)", "2048", "flop/byte"),  # the short form: no model is named
        ("L_ridge(a, bf16, g=1)", "39576/67", "token"),
        ("L_ridge(a, bf16, g=4)", "9894/67", "token"),
        ("L_ridge(a, bf16, m)", "9894/67", "token"),
        ("L_ridge(a, bf16, g=4, s_kv=1)", "4947/67", "token"),
        ("L_ridge(a, bf16, g=4, s_kv=as(8, bit))", "4947/67", "token"),
        ("L_ridge(a, fp8, g=4) / L_ridge(a, bf16, g=4)", "19789/9894", "1"),
        ("2 * a.memory.bandwidth / b.memory.bandwidth", "2 * 3350/1008", "1"),
        ("parameters.total(m, n_kv=32)", "8047038464", "param"),
    ],
)
def test_value(expression: str, expected: str, unit: str) -> None:
    found = value(expression)
    factors = expected.split(" * ")
    exact = Fraction(factors[-1]) * (Fraction(factors[0]) if len(factors) > 1 else 1)
    assert found.quantity.value == exact
    assert describe(found.quantity.dimension) == unit
    assert found.label == expression


@pytest.mark.parametrize(
    ("expression", "message", "candidates"),
    [
        ("L_rdge(a, bf16)", "unknown function L_rdge", "L_ridge"),
        ("a.memory.bandwith", "has no quantity memory.bandwith", "memory.bandwidth"),
        ("c.memory.bandwidth", "unknown name c.memory.bandwidth", "b.memory.bandwidth"),
        ("zzz + 1", "unknown name zzz", ""),
        ("a", "a is the record accelerators/alpha: name one of its quantities", ""),
        ("a.memory.capacity", "memory.capacity of accelerators/alpha is not known (nobody has verified a value)", ""),
        ("m.context", "context of models/even is not known (nobody has verified a value)", ""),
        ("m.window", "window of models/even is not known (every token sees all tokens before it)", ""),
        ("mix.n_kv", "n_kv differs between the layers of models/mixed: write total(n_kv)", ""),
        ("mix.window", "window differs between the layers of models/mixed", ""),
        ("flops(mix, L=512)", "the layers of models/mixed differ: write total(flops)", ""),
        ("share(m)", "the symbol L has no value here: set it, L=…", ""),
        ("L_ridge(a, bf16)", "unknown name g: a quantity of a model, and none is in scope", ""),
        ("flops(L=512)", "unknown name n_q: a quantity of a model, and none is in scope", "m.n_q"),
        ("memory.bandwidth", "a quantity of an accelerator, and none is in scope", "a.memory.bandwidth"),
        ("bits", "a quantity of a format, and none is in scope", "bytes"),
        ("peak(a)", "peak needs a number format in scope", ""),
        ("a.ridge", "ridge needs a number format in scope", ""),
        ("ridge(a, tf32)", "accelerators/alpha has no ridge.tf32", "ridge.fp32"),
        ("L_ridge(a, b, bf16, g=4)", "two records of kind accelerator: accelerators/alpha and accelerators/beta", ""),
        ("L_ridge(a, also_a, bf16, g=4)", "two records of kind accelerator", ""),
        ("L_ridge(a, bf16, g=4, nonsense=2)", "L_ridge has no symbol nonsense", ""),
        ("L_ridge(a, bf16, g=4, s_kv=as(1, token))", "s_kv is in byte, not in token", ""),
        ("flops(m, 3)", "3 is neither a record nor a symbol that is set: write symbol=value", ""),
        ("share(m, L)", "L is neither a record nor a symbol that is set: write symbol=value", ""),
        ("share(elsewhere, L=3)", "elsewhere is neither a record nor a symbol that is set", ""),
        ("total(n_q)", "total adds up the layers of a model, and none is in scope", ""),
        ("total(n_q, d_head)", "total takes one expression: total(f)", ""),
        ("m.flops", "models/even has no quantity flops", ""),
        ("m()", "m is the record models/even: call one of its quantities", ""),
        ("1 / (m.n_layers - 32)", "division by zero", ""),
        ("1 / (m.g - 4)", "division by zero", ""),
        ("a.memory.bandwidth + a.peak.bf16", "byte/s cannot be added to flop/s", ""),
    ],
)
def test_refusal(expression: str, message: str, candidates: str) -> None:
    error = refusal(expression)
    assert message in error.message
    assert (candidates in error.candidates) if candidates else True
    assert not {expression, "L"} & set(error.candidates)
    assert 0 <= error.start < error.end <= len(expression), "an error is underlined in the text that was typed"


def test_refusals_are_the_same_when_asked_twice() -> None:
    for expression in ("a.memory.capacity", "share(m)", "flops(m, L=share)", "mix.n_kv"):
        first, again = refusal(expression), refusal(expression)
        assert (first.message, first.start, first.end) == (again.message, again.start, again.end)


def test_the_label_is_what_was_asked_for_whatever_was_asked_before() -> None:
    for order in (("m.kv_bytes_per_token", "kv_bytes_per_token(m)"), ("kv_bytes_per_token(m)", "m.kv_bytes_per_token")):
        resolver = Resolver(BASE)
        for expression in order:
            assert resolver.evaluate(expression, SCOPE).label == expression


def test_positional_symbols_are_passed_through() -> None:
    scope = SCOPE.with_symbols({"L": RESOLVER.symbol("L", "8192", SCOPE)})
    assert RESOLVER.evaluate("share(m, L)", scope).quantity.value == Fraction(2, 15)
    with pytest.raises(FormulaError, match="s_kv is neither a record nor a symbol that is set"):
        RESOLVER.evaluate("share(m, L, s_kv)", scope)


def test_a_bare_number_takes_the_unit_of_its_symbol_and_a_wrong_unit_is_refused() -> None:
    symbol = RESOLVER.symbol("s_kv", "2", SCOPE)
    assert describe(symbol.quantity.dimension) == "byte" and symbol.quantity.value == 2
    assert RESOLVER.symbol("s_kv", "4 bit", SCOPE).quantity.value == Fraction(1, 2)
    with pytest.raises(FormulaError, match="s_kv is in byte, not in s"):
        RESOLVER.symbol("s_kv", "2 s", SCOPE)


def test_a_symbol_hides_a_quantity_of_the_model_and_a_formula_of_the_record_does_not_see_it() -> None:
    records = with_class(
        formulas="mine: {is: d_model}\nwhole: {is: parameters.embedding}",
        symbols='d_model: {unit: "1", means: mine, default: "3"}',
    )
    assert evaluate("mine(m)", records).quantity.value == 3
    assert evaluate("mine(m, d_model=5)", records).quantity.value == 5
    assert evaluate("whole(m)", records).quantity.value == 32000 * 4096


def test_a_formula_of_the_class_hides_a_quantity_of_a_record() -> None:
    records = with_class(formulas="n_layers: {is: '7'}")
    assert evaluate("n_layers(m)", records).quantity.value == 7
    assert evaluate("m.n_layers", records).quantity.value == 32


def test_a_name_that_two_records_in_scope_define_is_refused_with_both() -> None:
    # The kinds share no name today; a name that is added later must not be taken from one of them in silence.
    base = knowledge(with_class(formulas='both: {unit: "1", is: vocabulary}'))
    resolver = Resolver(base)
    scope = class_scope(base, resolver)
    resolver.namespace("accelerators/beta").names["vocabulary"] = resolver.namespace("models/even").names["vocabulary"]
    assert resolver.evaluate("both(m)", scope).quantity.value == 32000
    with pytest.raises(FormulaError) as caught:
        resolver.evaluate("both(m, b)", scope)
    assert "vocabulary of models/even or vocabulary of accelerators/beta: name the record" in caught.value.message


class TestLayers:
    def test_total_adds_up_the_groups(self) -> None:
        records = with_class(formulas="all: {unit: flop, is: total(flops)}\nkept: {unit: byte, is: total(bytes)}")
        assert evaluate("all(mix, L=512)", records).quantity.value == 24 * 2 * 8 * 64 * 512**2
        assert evaluate("kept(mix, L=512)", records).quantity.value == (4 * 2 + 20 * 4) * 2 * 64 * 512 * 2
        assert evaluate("all(m, L=512)", records).quantity.value == 32 * 2147483648

    def test_a_windowed_group_is_capped_and_the_others_are_not(self) -> None:
        mixed = text_of("models/mixed", ("kv_heads: 2, head_dim: 64}", "kv_heads: 2, head_dim: 64, window: 1000000}"))
        records = with_class(formulas="all: {unit: flop, is: total(capped)}") | {"models/mixed": mixed}
        found = evaluate("all(mix, L=4096)", records)
        assert found.quantity.value == 4 * 8 * 64 * 4096 * (4 * 4096 + 20 * 1024)
        inputs = {(i.given.field, i.given.text) for i in found.inputs() if i.given is not None}
        assert ("layers.1.attention.window", "1024") in inputs and ("layers.0.count", "4") in inputs

    def test_a_symbol_set_for_all_layers(self) -> None:
        records = with_class(formulas="kept: {unit: byte, is: total(bytes)}")
        assert evaluate("kept(mix, L=512, n_kv=8)", records).quantity.value == 24 * 8 * 2 * 64 * 512 * 2

    def test_a_group_without_a_window_is_not_capped(self) -> None:
        assert evaluate("capped(m, L=512)").quantity.value == 4 * 32 * 128 * 512 * 512
        assert evaluate("capped(m, L=512, window=64)").quantity.value == 4 * 32 * 128 * 512 * 64
        found = evaluate("all(mix, L=4096)", with_class(formulas="all: {unit: flop, is: total(capped)}"))
        assert found.quantity.value == 4 * 8 * 64 * 4096 * (4 * 4096 + 20 * 1024)
        with pytest.raises(FormulaError, match="every token sees all tokens before it"):
            evaluate("m.window")


class TestUnitsOfFormulas:
    @pytest.mark.parametrize("unit", ["s", "flop", "token", '"1"'])
    def test_a_stated_unit_that_is_not_the_units_own(self, unit: str) -> None:
        with pytest.raises(FormulaError, match="x comes out in byte, stated is"):
            evaluate("x(m, L=512)", with_class(formulas=f"x: {{unit: {unit}, is: bytes}}"))

    def test_a_count_may_be_stated_as_operations(self) -> None:
        found = evaluate("x(m)", with_class(formulas="x: {unit: flop, is: n_q * 2}"))
        assert describe(found.quantity.dimension) == "flop"

    def test_the_short_form_does_not_hide_an_error_of_the_long_one(self) -> None:
        records = with_class(formulas='x: {is: "1 / (n_q - 32)", same_as: "7"}\nw: {unit: s, is: bytes, same_as: "7"}')
        with pytest.raises(FormulaError, match="division by zero"):
            evaluate("x(m)", records)
        with pytest.raises(FormulaError, match="comes out in byte"):
            evaluate("w(m, L=2)", records)


class TestSolve:
    def solved(
        self, where: str, call: str = "x(m)", unit: str = "token", symbol: str = "L", **extra: str
    ) -> Derivation:
        formula = f'x: {{unit: {unit}, solve: {{for: {symbol}, where: "{where}"}}}}'
        return evaluate(
            call, with_class(formulas=formula + extra.get("formulas", ""), symbols=extra.get("symbols", ""))
        )

    def test_closed_form_through_the_short_form_on_either_side(self) -> None:
        for where in ("intensity = ridge", "ridge = intensity"):
            found = self.solved(where, "x(a, bf16, g=4)")
            assert found.quantity.value == RIDGE / 2 and found.tree is not None
            assert [i.label for i in found.inputs()] == ["peak.bf16", "memory.bandwidth", "s_kv", "g"]

    def test_powers_cancel_and_the_inputs_are_kept(self) -> None:
        found = self.solved("flops / bytes = ridge", "x(m, a, bf16)")
        assert found.quantity.value == RIDGE / 2
        fields = {i.given.field for i in found.inputs() if i.given is not None}
        assert {"peaks.0.rate", "memory.bandwidth.claims.0", "layers.0.attention.kv_heads"} <= fields

    @pytest.mark.parametrize(
        ("where", "expected"),
        [("share = 0.5", 53248), ("L^2 = 64", 8), ("L^3 = 1000", 10), ("L * log2(L) = 24", 8), ("L = 3 * 7", 21)],
    )
    def test_value(self, where: str, expected: int) -> None:
        found = self.solved(where).quantity
        assert abs(found.middle - expected) < Fraction(1, 10**18) and found.low <= expected <= found.high

    def test_by_trial_where_a_call_hides_the_symbol(self) -> None:
        found = self.solved("intensity(s_kv=1) = ridge", "x(m, a, bf16)")
        assert found.quantity.low <= RIDGE / 4 <= found.quantity.high
        assert found.quantity.high - found.quantity.low < Fraction(1, 10**18)
        assert "memory.bandwidth.claims.0" in {i.given.field for i in found.inputs() if i.given is not None}
        assert closed(found) is None

    def test_by_trial_through_a_minimum(self) -> None:
        found = self.solved("min(intensity, 100 * intensity) = ridge", "x(m, a, bf16)")
        assert found.quantity.low <= RIDGE / 2 <= found.quantity.high

    @pytest.mark.parametrize("where", ["t^3 = as(8, s)^3", "2 * t = as(16, s)", "2 * t + t = as(24, s)"])
    @pytest.mark.parametrize("unit", ["s", "ms"])
    def test_the_unit_of_the_symbol_changes_nothing(self, where: str, unit: str) -> None:
        found = self.solved(where, unit=unit, symbol="t", symbols=f"t: {{unit: {unit}, means: time}}")
        assert found.quantity.low <= 8 <= found.quantity.high and describe(found.quantity.dimension) == "s"

    @pytest.mark.parametrize(
        ("where", "message"),
        [
            ("(L - 2) * (L - 3000) = 0", "more than one L: near 1, 1024"),
            ("ceil(L / 10) = 7", "for a whole range near 64"),
            ("L = L", "holds for every L"),
            ("L = L + 1", "holds for no L"),
            ("g = 3", "does not depend on it"),
            ("share = 2", "only for a negative L"),
            ("max(L, 5) = 4", "holds for no L in the range"),
            ("x = L", "defined through itself"),
        ],
    )
    def test_refused(self, where: str, message: str) -> None:
        with pytest.raises(FormulaError, match=message.replace("(", r"\(")):
            self.solved(where)

    @pytest.mark.parametrize("where", ["2 * t = as(8, byte)", "2 * t + t = as(8, byte)", "t^3 = as(8, byte)"])
    def test_sides_in_different_units(self, where: str) -> None:
        with pytest.raises(FormulaError, match="byte"):
            self.solved(where, unit="s", symbol="t", symbols="t: {unit: s, means: time}")

    def test_a_result_in_another_unit_than_its_symbol(self) -> None:
        with pytest.raises(FormulaError, match="x is in byte, and the symbol t that it solves for in s"):
            self.solved("t + t = as(8, s)", unit="byte", symbol="t", symbols="t: {unit: s, means: time}")


class TestBounds:
    """Records come from strangers: whatever they write, the answer is a refusal, soon."""

    def refused(self, formulas: str, message: str, call: str = "h29(m, L=1)") -> None:
        started = time.process_time()
        with pytest.raises(FormulaError, match=message):
            evaluate(call, with_class(formulas=formulas))
        assert time.process_time() - started < 5

    def test_cycles(self) -> None:
        self.refused("x: {is: w}\nw: {is: x}", "through itself", "x(m)")
        self.refused("x: {is: x + 1}", "x is defined through itself", "x(m)")
        self.refused('x: {is: "x(L=L+1)"}', "call each other more than 40 deep", "x(m, L=1)")
        self.refused('x: {is: "w(L=x(L=L+1))"}\nw: {is: L}', "call each other more than 40 deep", "x(m, L=1)")

    def test_a_tree_that_doubles_at_each_level(self) -> None:
        chain = [f'h{n}: {{is: "h{n - 1}(L=2*L) + h{n - 1}(L=L+1)"}}' for n in range(1, 30)]
        self.refused("\n".join(["h0: {is: L + 1}", *chain]), "limit of 10,000 steps")

    def test_a_number_that_squares_at_each_level(self) -> None:
        chain = [f'h{n}: {{is: "h{n - 1} * h{n - 1}"}}' for n in range(1, 30)]
        self.refused("\n".join(["h0: {is: L + 1}", *chain]), "more than 8,192 bits")

    def test_arguments_spend_the_same_budget(self) -> None:
        chain = [f'h{n}: {{is: "h{n - 1}(L=h{n - 1}(L=2*L) + h{n - 1}(L=L+1))"}}' for n in range(1, 30)]
        self.refused("\n".join(["h0: {is: L + 1}", *chain]), "10,000 steps|40 deep|8,192 bits")

    def test_equations_in_equations(self) -> None:
        chain = [f'h{n}: {{unit: token, solve: {{for: L, where: "L^3 = h{n - 1}^3 + L"}}}}' for n in range(1, 30)]
        self.refused("\n".join(['h0: {unit: token, solve: {for: L, where: "L^3 = 8"}}', *chain]), "10,000 steps|deep")


class TestDerivations:
    def test_inputs_name_record_field_and_source(self) -> None:
        given = [i.given for i in value("a.ridge.bf16").inputs()]
        assert [(g.record, g.field, g.text, g.source) for g in given if g is not None] == [
            ("accelerators/alpha", "peaks.0.rate", "989.4 TFLOP/s", "sheet"),
            ("accelerators/alpha", "memory.bandwidth.claims.0", "3.35 TB/s", "sheet"),
        ]

    def test_a_derived_value_with_a_source_is_an_input_of_its_own(self) -> None:
        given = [i.given for i in value("a.memory.route").inputs()]
        assert [(g.field, g.text, g.basis, g.source) for g in given if g is not None] == [
            ("memory.bus_width", "5120 bit", "recorded", "sheet"),
            ("memory.pin_rate", "2 * as(2619, Mbit/s)", "derived", "sheet"),
        ]

    def test_a_closed_formula_reads_recorded_values_only(self) -> None:
        tree = closed(value("share(m, L=8192)"))
        assert tree is not None
        assert {n.parts[0] for n in names(tree)} == {RECORDED}
        fields = {n.parts[2] for n in names(tree)}
        assert fields >= {"width", "layers.0.attention.query_heads", "layers.0.feed_forward.width"}

    def test_shared_parts_are_one_object(self) -> None:
        found = value("a.ridge.bf16 / b.ridge.bf16 * a.ridge.bf16")
        steps = dict(found.steps)
        assert len(steps) == 2 and len({id(s) for s in steps.values()}) == 2
