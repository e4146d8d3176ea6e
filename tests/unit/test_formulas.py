"""Reading, writing back, evaluating: exact expectations."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pint
import pytest

from ridgeline.formulas.dimensions import dimension_of
from ridgeline.formulas.errors import LOOK, MAX_NESTING, OPERATION, Budget, FormulaError
from ridgeline.formulas.evaluate import EvaluateArgument, evaluate
from ridgeline.formulas.parser import parse, parse_equation, parse_quantity, unparse
from ridgeline.formulas.quantity import Quantity, agrees, compare
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral, constant, substitute, walk
from ridgeline.numbers.units import parse_unit


def quantity(value: int | str | Fraction, unit: str = "1") -> Quantity:
    return Quantity.of(Fraction(value), parse_unit(unit))


NAMES = {
    "L": quantity(2048, "token"),
    "n_q": quantity(64, "head"),
    "n_kv": quantity(8, "head"),
    "d_head": quantity(128, "element/head"),
    "h100.peak.bf16": quantity("989.5", "TFLOP/s"),
    "h100.memory.bandwidth": quantity("3.35", "TB/s"),
    "x": quantity(3),
    "zero": quantity(0),
}


def lookup(name: Name) -> Quantity:
    if name.text not in NAMES:
        raise FormulaError(f"unknown name {name.text}")
    return NAMES[name.text]


def value(text: str) -> Quantity:
    return evaluate(parse(text), lookup)


def refusal(action: Callable[[], object]) -> FormulaError:
    with pytest.raises(FormulaError) as caught:
        action()
    return caught.value


# Reading


def test_tree_and_spans() -> None:
    node = parse("2*a.b^2")
    assert node == Binary("*", Number("2", Fraction(2)), Binary("^", Name(("a", "b")), Number("2", Fraction(2))))
    assert [(part.start, part.end) for part in walk(node)] == [(0, 7), (0, 1), (2, 7), (2, 5), (6, 7)]


def test_calls_with_units_and_keywords() -> None:
    assert parse("L_ridge(h100, bf16, g=4)") == Call(
        ("L_ridge",), (Name(("h100",)), Name(("bf16",))), (("g", Number("4", Fraction(4))),)
    )
    unit = parse_unit("TFLOP/s")
    for text in ("num(x, TFLOP/s)", 'num(x, "TFLOP/s")', "num(x,'TFLOP/s' )"):
        assert parse(text) == Call(("num",), (Name(("x",)), UnitLiteral("TFLOP/s", unit)))
    assert parse("model.total()") == Call(("model", "total"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2^-2", Fraction(1, 4)),
        ("2^-1*8", 4),
        ("7-2-1", 4),
        ("8/4/2", 1),
        ("8/(4/2)", 4),
        ("2+3*4", 14),
        ("(2+3)*4", 20),
        ("--3", 3),
        ("2*-3", -6),
        ("2·3 × 4 − 1", 23),
        ("1.5e-3", Fraction(3, 2000)),
        ("0.1+0.2", Fraction(3, 10)),
        ("1/3+1/3+1/3", 1),
        ("min(3, 1, 2) + max(1, 5) + sum(1, 2, 3) + count(4, 4)", 14),
        ("ceil(7/2) + floor(7/2)", 7),
        ("ceil(-7/2) + floor(-7/2)", -7),
        ("round(2.5) + round(-2.5) + round(1.4)", 1),
        ("round(0.49999999999999999999)", 0),
        ("abs(-3)", 3),
        ("log2(1024) + log2(1/8)", 7),
        ("sqrt(9/16)", Fraction(3, 4)),
        ("0^0", 1),
        ("x^x", 27),
    ],
)
def test_exact_values(text: str, expected: Fraction | int) -> None:
    assert value(text) == Quantity(Fraction(expected))


@pytest.mark.parametrize(
    ("text", "start", "end", "words"),
    [
        ("", 0, 0, "expected a number, a name, - or (, but the formula ends"),
        ("1 +", 3, 3, "the formula ends"),
        ("(1", 2, 2, "expected an operator or )"),
        ("1)", 1, 2, "found )"),
        ("2 byte", 2, 6, "as(number, unit)"),
        ("2n", 1, 2, "a product is written with *"),
        ("2**3", 2, 3, "a power is written ^"),
        ("1,979", 1, 2, "found ,"),
        (".5", 0, 1, "digits on both sides"),
        ("a.5", 1, 2, "letters after it"),
        ("a = b", 2, 3, "solve"),
        ("a < b", 2, 3, "comparisons"),
        ("a[0]", 1, 2, "indexing"),
        ("'a'", 0, 1, "unit of num"),
        ("f(a,)", 4, 5, "another argument"),
        ("f(g=1, 2)", 7, 8, "positional"),
        ("f(g=1, g=2)", 7, 8, "given twice"),
        ("f(a.b=1)", 2, 5, "plain symbol"),
        ("num(x)", 0, 6, "takes a value and a unit"),
        ("num(x, )", 7, 8, "another argument"),
        ("num(x, GB, 3)", 0, 13, "takes a value and a unit"),
        ("é", 0, 1, "found é"),
        ("١", 0, 1, "found"),
        ("1" * 41, 0, 41, "40 digits"),
        ("1e31", 0, 4, "magnitude of at most 30"),
        ("(" * 25, 24, 25, "24 deep"),
        ("1+" * 60 + "1", 120, 121, "120 tokens"),
        ("1" + " " * 500, 0, 0, "500 characters"),
    ],
)
def test_errors_say_what_and_where(text: str, start: int, end: int, words: str) -> None:
    error = refusal(lambda: parse(text))
    assert words in error.message
    assert (error.start, error.end) == (start, end)


def test_unit_errors_name_candidates() -> None:
    error = refusal(lambda: parse("num(x, TFLPO/s)"))
    assert (error.start, error.end) == (7, 14)
    assert "TFLOP" in error.candidates
    assert "did you mean" in str(error)


def test_limits_are_reached_and_not_passed() -> None:
    assert isinstance(parse("(" * 24 + "1" + ")" * 24), Number)
    assert isinstance(parse("-" * 24 + "1"), Negate)
    assert value("+".join("1" * 60)) == quantity(60)
    assert parse("9" * 40) == Number("9" * 40, Fraction(10**40 - 1))
    assert value("2^64 * 2^-64") == quantity(1)


def test_equation() -> None:
    left, right = parse_equation("intensity = ridge")
    assert (left, right) == (Name(("intensity",)), Name(("ridge",)))
    assert right.start == 12
    for text in ("a", "a = b = c", "a =", "= b", "a == b"):
        refusal(lambda text=text: parse_equation(text))  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        "2 * n_q * d_head * L^2 / (4 * L * d_head * n_kv)",
        "-(a + b)",
        "(-a)^2",
        "-a^2",
        "a - (b - c)",
        "a - b - c",
        "a / (b * c)",
        "(a^b)^c",
        "a^b^c",
        "2^-a^2",
        "a^(b + 1)",
        "a * -b",
        "--a",
        "f(a, -b, k=c + 1)",
        "as(2, byte/element) + num(x, GB per s)",
        "1.50e-3",
    ],
)
def test_unparse_is_minimal(text: str) -> None:
    assert unparse(parse(text)) == text
    assert parse(unparse(parse(text), spaced=False)) == parse(text)


def test_unparse_drops_what_is_not_needed() -> None:
    assert unparse(parse("((a*b))+(c/(d))")) == "a * b + c / d"


# Recorded values


@pytest.mark.parametrize(
    ("text", "canonical", "dimension", "digits"),
    [
        ("3.35 TB/s", 3_350_000_000_000, "byte/s", "3.35"),
        ("1,979 TFLOP/s", 1_979 * 10**12, "flop/s", "1,979"),
        ("1,10,592", 110_592, "1", "1,10,592"),
        ("1\u202f979 W", 1979, "J/s", "1\u202f979"),
        ("1_024 token", 1024, "token", "1_024"),
        ("1.5e-3 s", Fraction(3, 2000), "s", "1.5e-3"),
        ("2 byte", 2, "byte", "2"),
        ("80GB", 80 * 10**9, "byte", "80"),
        ("80", 80, "1", "80"),
        ("5%", Fraction(1, 20), "1", "5"),
        ("-3 %", Fraction(-3, 100), "1", "-3"),
        ("16 Gbit/s", 2 * 10**9, "byte/s", "16"),
        ("  512 GB/s per pin ", 512 * 10**9, "byte/s/pin", "512"),
    ],
)
def test_recorded_values(text: str, canonical: Fraction | int, dimension: str, digits: str) -> None:
    printed = parse_quantity(text)
    assert printed.canonical == canonical
    assert printed.unit.dimension == parse_unit(dimension).dimension
    assert printed.digits == digits


@pytest.mark.parametrize(
    "text",
    ["", "GB", "1,5", "512,1024", "1.2.3", "1 979 W", "3 foo", "5 GB x", "1e999999 s", "9" * 41, "0x10", "~5 GB", "5..",
     "1_00", "٣ GB", "1" * 501],
)  # fmt: skip
def test_recorded_values_refused(text: str) -> None:
    error = refusal(lambda: parse_quantity(text))
    assert error.placed
    assert len(str(error)) < 200


# Evaluation


def test_dimensions_follow() -> None:
    assert value("2*n_q*d_head*L^2/(4*L*d_head*n_kv)") == quantity(8192, "token")
    ridge = value("h100.peak.bf16 / h100.memory.bandwidth")
    assert ridge == Quantity(Fraction("989.5") / Fraction("3.35"), parse_unit("flop/byte").dimension)
    assert value("num(h100.peak.bf16, GFLOP/s)") == quantity(989500)
    assert value("as(2, byte/element) * d_head") == quantity(256, "byte/head")
    assert value("as(80, GiB)") == quantity(80 * 2**30, "byte")
    assert value("as(L, param)") == quantity(2048, "param")
    assert value("sqrt(L^2)") == quantity(2048, "token")
    assert value("L + 1") == quantity(2049, "token")
    assert value("1 - L") == quantity(-2047, "token")


@pytest.mark.parametrize(
    ("text", "start", "end", "words"),
    [
        ("1 + as(1, s) + as(1, byte)", 0, 12, "1 cannot be added to s"),
        ("as(1, s) - as(1, byte)", 0, 22, "s cannot be reduced by byte"),
        ("2 * max(as(1, s), 1)", 4, 20, "cannot be compared with"),
        ("1 / 0", 0, 5, "division by zero"),
        ("5 + 1/(x - 3)", 4, 13, "division by zero"),
        ("0^-1", 0, 4, "division by zero"),
        ("2^0.5", 0, 5, "an exponent is an integer"),
        ("2^65", 0, 4, "magnitude of at most 64"),
        ("2^as(1, s)", 0, 10, "an exponent has no unit"),
        ("sqrt(-1)", 0, 8, "negative"),
        ("sqrt(as(1, s))", 0, 14, "has no unit"),
        ("log2(zero)", 0, 10, "not above zero"),
        ("log2(as(1, s))", 0, 14, "pure number"),
        ("min()", 0, 5, "at least one"),
        ("sqrt(1, 2)", 0, 10, "one argument"),
        ("sqrt(k=1)", 0, 9, "no keyword"),
        ("num(x, s)", 0, 9, "1 cannot be read in s"),
        ("as(as(1, s), s)", 0, 15, "already"),
        ("1 + nothing", 4, 11, "unknown name nothing"),
        ("((2^64)^64)^64", 0, 14, "8,192 bits"),
        ("9^9^9", 0, 5, "at most 64"),
    ],
)
def test_refusals_have_a_place(text: str, start: int, end: int, words: str) -> None:
    error = refusal(lambda: value(text))
    assert words in error.message
    assert (error.start, error.end) == (start, end)


def test_unknown_functions_name_candidates() -> None:
    assert refusal(lambda: value("1 + flor(2)")).candidates == ("floor",)


def test_soft_dimensions_warn() -> None:
    budget = Budget()
    result = evaluate(parse("2 * (L + n_q) + L - 1"), lookup, budget=budget)
    assert result == quantity(2 * 2112 + 2047, "token")
    assert [(warning.start, warning.end) for warning in budget.warnings] == [(5, 12)]
    assert "token added to head" in budget.warnings[0].message
    budget = Budget()
    evaluate(parse("L + 1 + max(L, 5) + round(as(1.5, s)) * 0 / as(1, s)"), lookup, budget=budget)
    assert ["say in which unit" in warning.message for warning in budget.warnings] == [True]


def test_caller_functions_share_the_budget() -> None:
    formulas = {"area": parse("side^2"), "loop": parse("loop() + 1")}
    budget = Budget()

    def call(node: Call, argument: EvaluateArgument) -> Quantity:
        inner = {key: argument(part) for key, part in node.keywords}
        return evaluate(formulas[node.text], lambda name: inner[name.text], budget=budget, call=call)

    assert evaluate(parse("area(side=x) + 1"), lookup, budget=budget, call=call) == quantity(10)
    # Twice an operation, three names, a call.
    assert budget.steps == 10_000 - 2 * OPERATION - 3 * LOOK
    assert budget.nesting == MAX_NESTING
    assert "deep" in refusal(lambda: evaluate(parse("loop()"), lookup, budget=budget, call=call)).message
    assert budget.nesting == MAX_NESTING
    spent = Budget(steps=2)
    assert "steps" in refusal(lambda: evaluate(parse("1+1+1+1"), lookup, budget=spent)).message


def test_dimension_without_values() -> None:
    def dimension(name: Name) -> tuple[tuple[str, int], ...]:
        return lookup(name).dimension

    for text in ("2*n_q*d_head*L^2/(4*L*d_head*n_kv)", "h100.peak.bf16/h100.memory.bandwidth", "sqrt(L^4) + max(1, L)",
                 "num(h100.peak.bf16, TFLOP/s)", "as(2, byte/element)*d_head", "ceil(L/2)", "-L", "2^x", "log2(L)",
                 "sum(L, 1) + count(L)"):  # fmt: skip
        assert dimension_of(parse(text), dimension) == value(text).dimension, text
    for text in ("L + h100.peak.bf16", "L^x", "2^h100.peak.bf16", "foo(1)", "sqrt(1, 2)", "num(L, s)"):
        assert refusal(lambda text=text: dimension_of(parse(text), dimension)).placed  # type: ignore[misc]


def test_stated_units() -> None:
    assert agrees(parse_unit("head").dimension, parse_unit("flop"))
    assert agrees((), parse_unit("flop"))
    assert agrees(parse_unit("flop/byte").dimension, parse_unit("flop/byte"))
    assert agrees(parse_unit("token/byte").dimension, parse_unit("flop/byte"))
    assert not agrees(parse_unit("s").dimension, parse_unit("flop"))
    assert not agrees((), parse_unit("byte"))


# Roots and logarithms


@pytest.mark.parametrize("text", ["2", "3/7", "2e-30", "123456789.123", "1e30+1", "1/3e-30"])
def test_square_roots_enclose(text: str) -> None:
    square, root = value(text), value(f"sqrt({text})")
    assert not root.exact
    assert root.low**2 < square.low < root.high**2
    assert root.high - root.low < root.low / 2**60


@pytest.mark.parametrize(
    "text", ["3", "1/3", "0.7", "1.41", "1e30", "1+1e-30", "1-1e-30", "7/8+1e-25", "2/3", "4/3", "5"]
)
def test_logarithms_enclose(text: str) -> None:
    argument, logarithm = value(text).low, value(f"log2({text})")
    with localcontext() as context:
        context.prec = 90
        true = Fraction((Decimal(argument.numerator) / Decimal(argument.denominator)).ln() / Decimal(2).ln())
    assert logarithm.low < true < logarithm.high
    assert logarithm.high - logarithm.low < abs(true) / 2**60


def test_interval_arithmetic_encloses() -> None:
    cases: list[tuple[str, Fraction | int | None]] = [
        ("sqrt(2)*sqrt(2)", 2),
        ("sqrt(2)^2", 2),
        ("sqrt(2)^-2", Fraction(1, 2)),
        ("(1-sqrt(2))^2", None),
        ("(0-sqrt(2))^3*(0-sqrt(2))", 4),
        ("sqrt(3)/sqrt(12)", Fraction(1, 2)),
        ("sqrt(2)^64", 2**32),
        ("abs(-sqrt(4+0.0001))", None),
        ("(sqrt(2)-sqrt(2))^2", 0),
    ]
    for text, true in cases:
        found = value(text)
        assert found.high - found.low < Fraction(1, 2**30)
        if true is not None:
            assert found.low <= true <= found.high, text
    assert value("ceil(log2(3)) + floor(sqrt(2)) + round(sqrt(3))") == quantity(5)
    assert "may be zero" in refusal(lambda: value("1/(sqrt(2)*sqrt(2)-2)")).message


def test_comparison() -> None:
    assert compare(value("sqrt(2)"), value("1.5")) == -1
    assert compare(value("2"), value("1")) == 1
    assert compare(value("2"), value("4/2")) == 0
    assert compare(value("sqrt(2)*sqrt(2)"), value("2")) is None
    refusal(lambda: compare(value("2"), value("as(2, s)")))


# Hostile input

HOSTILE = [
    "9^9^9",
    "2^64^64",
    "((2^64)^64)^64",
    "1e999999",
    "1e-999999",
    "9" * 499,
    "(" * 500,
    "(" * 10_000_000,
    "-" * 499 + "1",
    "9^" * 60 + "9",
    "+".join(["1/7"] * 31) + "^64^64",
    "*".join(["(9^64)"] * 24),
    "f(" * 200,
    "sqrt(" * 23 + "2^64^64" + ")" * 23,
    "(1/3)^64*(1/7)^64*(1/11)^64*(1/13)^64*(9/17)^64*(1/19)^64*(1/23)^64*((1/3)^64)^64*((1/7)^64)^64",
    "num(x, " + "s^9*" * 100 + "s)",
    "as(1, " + "EB^9*" * 11 + "EB)^64",
    "((as(1, EB^9*EB^9*EB^9*EB^9)^64)^64)^64",
    "x" * 10_000_000,
    "x." * 249,
    '"' * 400,
    'num(x, "',
    "(sqrt(2)^64)^64^9",
    "((sqrt(2)^64)^64)^64",
    "((log2(3)^64)^64)^64",
    "\0",
    "\ud800",
    "1/(9^64)^64",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: f"{text[:24]!r}-{len(text)}")
def test_hostile_text_is_refused_at_once(text: str) -> None:
    best = 1.0
    for _ in range(3):
        start = time.perf_counter()
        error = refusal(lambda: value(text))
        best = min(best, time.perf_counter() - start)
    assert best < 0.010
    assert error.placed
    assert len(str(error)) < 300


def test_long_work_within_the_limits_is_short() -> None:
    text = "+".join(f"({p}/{p + 2})^64" for p in (3, 5, 11, 17, 29, 41, 59, 71))
    start = time.perf_counter()
    value(text)
    assert time.perf_counter() - start < 0.05


def test_deep_trees_are_refused() -> None:
    """The parser makes none, but a tree may come from elsewhere."""
    node: Node = Name(("x",))
    for _ in range(5000):
        node = Negate(node)
    assert "deep" in refusal(lambda: evaluate(node, lookup)).message
    assert "deep" in refusal(lambda: dimension_of(node, lambda name: ())).message


# Trees


def test_constant_round_trips() -> None:
    for number in (Fraction(0), Fraction(5), Fraction(-5), Fraction(1, 3), Fraction(-7, 4), Fraction(1, 10**30)):
        assert value(unparse(constant(number))).value == number


def test_substitute_opens_names() -> None:
    formulas: dict[str, Node] = {"intensity": parse("flops / bytes"), "flops": parse("2*L^2"), "bytes": parse("4*L")}
    opened = substitute(parse("intensity + x"), lambda part: formulas.get(part.text))
    assert unparse(opened) == "2 * L^2 / (4 * L) + x"
    assert substitute(parse("f(k=a)"), lambda part: formulas.get(part.text)) == parse("f(k=a)")
    for endless in ({"a": parse("b"), "b": parse("a")}, {"a": parse("a+a")}):
        refusal(lambda endless=endless: substitute(parse("a"), lambda part: endless.get(part.text)))  # type: ignore[misc]


def test_spans_nest() -> None:
    for node in walk(parse("f(-(a + 2)*b^2, k=num(x, GB))")):
        assert 0 <= node.start < node.end
    nested = [(node.start, node.end) for node in walk(parse("a*b*c*d")) if isinstance(node, Binary)]
    assert all(inner[1] < outer[1] for outer, inner in pairwise(nested))


# An independent opinion on units

PINT = {
    "TB/s": "terabyte/second", "GiB": "gibibyte", "Gbit/s": "gigabit/second", "KiB": "kibibyte",
    "MHz": "1e6*count/second",
    "kW": "kilowatt", "Wh": "watt_hour", "us": "microsecond", "hours": "hour", "days": "day", "MJ": "megajoule",
    "J/byte": "joule/byte", "GB/s per W": "gigabyte/second/watt", "m^2": "meter**2", "km": "kilometer", "%": "percent",
    "TiB/s": "tebibyte/second", "kbit": "kilobit", "ms": "millisecond", "nJ": "nanojoule", "years": "year",
}  # fmt: skip


@pytest.mark.parametrize("unit", PINT)
def test_units_agree_with_pint(unit: str) -> None:
    registry = pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)
    canonical = {"byte": "byte", "s": "second", "J": "joule", "m": "meter", "cycle": "count"}
    ours = parse_unit(unit)
    base = registry.parse_units("dimensionless")
    for symbol, exponent in ours.dimension:
        base = base * registry.parse_units(canonical[symbol]) ** exponent
    theirs = registry.parse_expression(PINT[unit]).to(base).magnitude
    assert Fraction(theirs).limit_denominator(10**15) == ours.factor
