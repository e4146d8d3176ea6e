"""``get`` and ``eval``: single values with their inputs, as text and as JSON, and what is said where there is none."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.formulas.errors import FormulaError
from ridgeline.lookup import Lookup, NotFound
from ridgeline.report import value_as_dict
from tests.conftest import Cli
from tests.data.small import ROOT

SMALL = ("--root", str(ROOT))


@pytest.fixture(scope="module")
def lookup() -> Lookup:
    return Lookup(ROOT)


class TestRealRecords:
    """The two commands that the project promises first."""

    def test_parameters_to_the_unit(self, cli: Cli) -> None:
        ran = cli("get", "models/llama-2-70b", "parameters.total", "--format", "json")
        assert (ran.code, ran.err) == (0, "")
        assert (ran.json["value"], ran.json["decimal"], ran.json["unit"]) == ("68976648192", 68976648192, "param")
        assert {"name", "value", "unit", "source"} <= set(ran.json["inputs"][0])
        by_name = {i["name"]: i["value"] for i in ran.json["inputs"]}
        assert by_name["models/llama-2-70b n_kv"] == "8" and by_name["models/llama-2-70b layer_count"] == "80"
        assert cli("get", "models/llama-2-70b", "parameters.total").out.startswith("68976648192 param\n")

    def test_the_ridge_crossing(self, cli: Cli) -> None:
        asked = ("eval", "L_ridge(h100, bf16, g=4)", "--subject", "h100=accelerators/nvidia-h100-sxm")
        ran = cli(*asked, "--class", "prefill-attention", "--format", "json")
        assert (ran.code, ran.json["unit"]) == (0, "token")
        assert round(ran.json["decimal"], 1) == 147.7
        assert Fraction(ran.json["value"]) == Fraction("989.4") / Fraction("3.35") / 2
        assert [(i["name"], i["value"], i["unit"]) for i in ran.json["inputs"]] == [
            ("accelerators/nvidia-h100-sxm peak.bf16", "989400000000000", "flop/s"),
            ("accelerators/nvidia-h100-sxm memory.bandwidth", "3350000000000", "byte/s"),
            ("s_kv", "2", "byte"),
            ("g", "4", "1"),
        ]
        assert all(i["source"] for i in ran.json["inputs"][:2]) and ran.json["inputs"][3]["source"] is None
        text = cli(*asked, "--class", "prefill-attention").out
        assert (
            text.startswith("147.7 token\n  more digits: 147.672 token\n  exact: 9894/67 token\n")
            and "from g = 4\n" in text
        )


@pytest.mark.parametrize(
    ("arguments", "value", "unit"),
    [
        (("get", "alpha", "ridge.bf16"), "19788/67", "flop/byte"),
        (("get", "accelerators/alpha", "ridge", "--with", "format=fp8"), "39578/67", "flop/byte"),
        (("get", "records/accelerators/alpha.yaml", "memory.bandwidth"), "3350000000000", "byte/s"),
        (("get", "alpha", "peaks.0.rate"), "989400000000000", "flop/s"),
        (("get", "alpha", "peaks.1.rate"), "1978800000000000", "flop/s"),
        (("get", "alpha", "on_chip.shared_memory.size"), "233472", "byte"),
        (("get", "alpha", "on_chip.shared_memory.count"), "132", "unit"),
        (("get", "even", "layers.0.attention.kv_heads"), "8", "1"),
        (("get", "mixed", "layers.1.attention.window"), "1024", "1"),
        (("get", "even", "g"), "4", "1"),
        (("get", "even", "kv_bytes_per_token", "--with", "cache_element=1"), "65536", "byte/token"),
        (("get", "even", "kv_bytes_per_token", "--with", "format=mxfp4"), "34816", "byte/token"),
        (("get", "mxfp4", "bits"), "0.53125", "byte"),
        (("get", "work", "flops", "--with", "model=even", "--with", "L=512"), "2147483648", "flop"),
        (("get", "ring", "route"), "819200000000/13", "byte/s"),
        (("eval", "as(3, GiB)"), "3221225472", "byte"),
        (("eval", "1/3"), "1/3", "1"),
        (("eval", "L", "--class", "work", "--with", "L=5"), "5", "token"),
        (("eval", "share(m, L=53248)", "--class", "work"), "0.5", "1"),
        (("eval", "x.ridge.bf16 / a.ridge.bf16", "--class", "work", "--subject", "x=alpha"), "1", "1"),
        (("eval", "a.vocabulary", "--class", "work", "--subject", "a=models/even"), "32000", "1"),
    ],
)
def test_value(cli: Cli, arguments: tuple[str, ...], value: str, unit: str) -> None:
    ran = cli(*arguments, "--format", "json", *SMALL)
    assert (ran.code, ran.err) == (0, "")
    if value == "819200000000/13":
        value = str(Fraction(32 * 10**9, 8) * 16 * Fraction(128, 130))
    assert (ran.json["value"], ran.json["unit"]) == (value, unit)
    assert ran.json["decimal"] == pytest.approx(float(Fraction(value)))
    assert set(ran.json) == {"value", "decimal", "unit", "printed", "label", "inputs"}
    lines = cli(*arguments, *SMALL).out.splitlines()
    assert ran.json["printed"] in (lines[0], lines[1].removeprefix("  more digits: "))


def test_an_irrational_value_is_an_interval(cli: Cli) -> None:
    found = cli("eval", "sqrt(2)", "--format", "json", *SMALL).json
    low, high = (Fraction(end) for end in found["value"].strip("[]").split(", "))
    assert low * low < 2 < high * high and found["printed"] == "≈ 1.41421"


def test_bits_are_shown_as_bits(cli: Cli) -> None:
    assert cli("get", "mxfp4", "bits", *SMALL).out.startswith("4.25 bit\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("get", "alfa", "ridge.bf16"), 2, "there is no record alfa; did you mean accelerators/alpha"),
        (("get", "alpha", "memory.bandwith"), 1, "did you mean memory.bandwidth"),
        (("get", "alpha", "memory.capacity"), 1, "memory.capacity of accelerators/alpha is not known"),
        (("get", "beta", "memory.bus_width"), 1, "is not known (nobody has verified a value)"),
        (("get", "even", "layers.0.attention.window"), 1, "every token sees all tokens before it"),
        (("get", "alpha", "ridge"), 1, "ridge needs a number format in scope"),
        (("get", "alpha", ""), 1, "has no quantity"),
        (("get", "alpha", "memory..x"), 1, "has no quantity memory..x"),
        (("get", "alpha", "name"), 1, "has no quantity name"),
        (("get", "sheet", "published"), 1, "sources/sheet has no quantity published"),
        (("get", "even", "kv_bytes_per_token", "--with", "cache_element=1 s"), 1, "cache_element is in byte, not in s"),
        (("get", "alpha", "ridge", "--with", "format=bf61"), 2, "there is no record formats/bf61; did you mean"),
        (("get", "alpha", "ridge.bf16", "--with", "nonsense=3"), 1, "nothing here reads a symbol nonsense"),
        (("get", "alpha", "ridge.bf16", "--with", "nonsense"), 2, "--with nonsense: write NAME=VALUE"),
        (("eval", "1", "--class", "wrk"), 2, "there is no record classes/wrk; did you mean classes/work"),
        (("eval", "1", "--subject", "x"), 2, "--subject x: write ALIAS=FOLDER/ID"),
        (("eval", "1", "--subject", "x=models/nope"), 2, "there is no record models/nope"),
        (("eval", "L", "--class", "work", "--with", "L=5 byte"), 1, "L is in token, not in byte"),
        (("eval", "9^9^9"), 1, ""),
        (("eval", ""), 1, "but the formula ends"),
    ],
)
def test_what_cannot_be_had(cli: Cli, arguments: tuple[str, ...], code: int, message: str) -> None:
    ran = cli(*arguments, *SMALL)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err and ran.err.startswith("ridgeline")


@pytest.mark.parametrize(
    ("expression", "underline"),
    [
        ("1 + (2", "      ^"),
        ("2 @ 3", "  ^"),
        ("1/0", "^^^"),
        ("2 * nowhere", "    ^^^^^^^"),
        ("nowhere", "^^^^^^^"),
        ("1 + share(m)", "    ^^^^^^^^"),
        ("1 + L_ridge(a, bf16, g=4, s_kv=as(1, s))", " " * 31 + "^^^^^^^^"),
        ("1 + flops(m, L=share)", " " * 15 + "^^^^^"),
    ],
)
def test_an_error_is_underlined_where_it_stands(cli: Cli, expression: str, underline: str) -> None:
    ran = cli("eval", expression, "--class", "work", *SMALL)
    assert ran.code == 1
    assert ran.err.splitlines()[1:] == [f"    {expression}", f"    {underline}"]


class TestLookup:
    def test_an_id_that_stands_twice(self, tmp_path: Path) -> None:
        import shutil

        shutil.copytree(ROOT / "records", tmp_path / "records")
        text = (tmp_path / "records/formats/bf16.yaml").read_text()
        (tmp_path / "records/formats/alpha.yaml").write_text(text.replace("id: bf16", "id: alpha"))
        with pytest.raises(NotFound, match="alpha could be accelerators/alpha or formats/alpha: write the folder too"):
            Lookup(tmp_path).reference("alpha")

    def test_a_former_id_and_a_record_that_cannot_be_read(self, tmp_path: Path) -> None:
        import shutil

        shutil.copytree(ROOT / "records", tmp_path / "records")
        path = tmp_path / "records/models/even.yaml"
        path.write_text(path.read_text().replace("revision: 1", "revision: 1\nformerly: [uneven]"))
        (tmp_path / "records/models/mixed.yaml").write_text("schema: model/1\nid: [\n")
        found = Lookup(tmp_path)
        assert found.reference("uneven") == "models/even"
        with pytest.raises(NotFound, match="models/mixed cannot be read: "):
            found.reference("mixed")

    def test_a_value_with_its_inputs(self, lookup: Lookup) -> None:
        found = value_as_dict(lookup.get("alpha", "memory.route"))
        assert [(i["name"], i["value"], i["unit"], i["source"]) for i in found["inputs"]] == [
            ("accelerators/alpha memory.bus_width", "5120", "bit", "sheet"),
            ("accelerators/alpha memory.pin_rate", "654750000", "byte/s", "sheet"),
        ]

    def test_errors_reach_the_caller(self, lookup: Lookup) -> None:
        with pytest.raises(FormulaError, match="not known"):
            lookup.get("alpha", "memory.capacity")
