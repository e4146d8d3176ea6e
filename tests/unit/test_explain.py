"""``explain``: a figure or a quantity as a tree of text, down to the sources."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ridgeline.explanation import explain
from tests.conftest import Cli
from tests.data.small import ROOT, evaluate, text_of

NOTES = """text:
  notes: |
    The ridge point is 989.4/3350 = 295.3 flop/byte; in fp8 it doubles, and 12 tokens are left over.
    A source says 50-73%.
figures:
- {say: 989.4/3350 = 295.3, is: [a.peak.bf16, a.memory.bandwidth, a.ridge.bf16]}
- {say: says 50-73%, source: sheet, at: page four, checked: 2026-11-30}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "records", tmp_path / "records")
    (tmp_path / "records/classes/work.yaml").write_text(text_of("classes/work") + NOTES)
    return tmp_path


def test_a_quantity_down_to_its_sources() -> None:
    assert explain(evaluate("a.ridge.bf16")) == [
        "a.ridge.bf16 = 295.343 flop/byte   = peak.bf16 / memory.bandwidth",
        "   = (989.4 TFLOP/s) / (3.35 TB/s)",
        "├─ peak.bf16 = 989.4 TFLOP/s   [recorded: accelerators/alpha peaks.0.rate “989.4 TFLOP/s”, from sheet, "
        "checked 2026-11-30]",
        "└─ memory.bandwidth = 3.35 TB/s   [recorded: accelerators/alpha memory.bandwidth.claims.0 “3.35 TB/s”, "
        "from sheet, checked 2026-11-30]",
    ]


def test_symbols_that_are_set_and_symbols_with_a_default() -> None:
    lines = explain(evaluate("L_ridge(a, bf16, g=4)"))
    assert lines[0] == "L_ridge(a, bf16, g=4) = 147.672 token   = ridge * s_kv / g"
    assert "├─ s_kv = 2 byte   [bytes of one cached element]" in lines
    assert lines[-1] == "└─ g = 4   [set here]"


def test_an_unverified_value_gives_its_reason() -> None:
    assert explain(evaluate("a.peak.fp16_accumulate_fp16")) == [
        "a.peak.fp16_accumulate_fp16 = 1 PFLOP/s   [unverified: accelerators/alpha peaks.3.rate “1 PFLOP/s”, "
        "Nobody prints it.]"
    ]


def test_a_part_that_is_shared_is_written_once() -> None:
    lines = explain(evaluate("a.ridge.bf16 * a.ridge.bf16 / ridge(a, bf16)"))
    assert sum("peak.bf16 = 989.4" in line and "recorded" in line for line in lines) == 2
    doubled = explain(evaluate("m.parameters.layers + m.parameters.layers"))
    assert len(doubled) == len(explain(evaluate("m.parameters.layers"))) + 2


def test_the_groups_of_a_total_are_told_apart() -> None:
    text = "\n".join(explain(evaluate("mix.kv_bytes_per_token")))
    assert "layers_0.count = 4" in text and "layers_1.count = 20" in text
    assert "models/mixed layers.1.attention.kv_heads “4”" in text


def test_a_solution_by_trial_shows_what_it_rests_on() -> None:
    records = {"classes/work": text_of("classes/work", ("formulas:\n", "formulas:\n  x: {unit: token, solve: {for: L, where: flops / bytes = ridge}}\n"))}  # fmt: skip
    lines = explain(evaluate("x(m, a, bf16)", records))
    assert lines[0] == "x(m, a, bf16) = 147.672 token   [where flops / bytes = ridge]"
    assert any("kv_heads “8”" in line for line in lines) and any("“989.4 TFLOP/s”" in line for line in lines)


def test_a_tree_has_a_bounded_number_of_lines() -> None:
    wide = " + ".join(f"flops(m, L={n})" for n in range(1, 11))
    deep = [f'h{n}: {{is: "{" + ".join(f"h{n - 1}(L=L+{i})" for i in range(6))}"}}' for n in range(1, 4)]
    formulas = "".join(f"  {line}\n" for line in ['h0: {is: "L * L"}', *deep])
    records = {"classes/work": text_of("classes/work", ("formulas:\n", "formulas:\n" + formulas))}
    assert len(explain(evaluate(wide))) < 400
    lines = explain(evaluate("h3(m, L=1)", records))
    assert len(lines) <= 401


class TestFigures:
    def test_a_line(self, cli: Cli, root: Path) -> None:
        path = root / "records/classes/work.yaml"
        line = path.read_text().split("\n").index("    A source says 50-73%.") + 1
        ran = cli("explain", f"records/classes/work.yaml:{line - 1}", cwd=root)
        assert ran.code == 0
        blocks = [block.splitlines()[0] for block in ran.out.split("\n\n")] or ran.out.splitlines()
        texts = [part.split("“")[1].split("”")[0] for part in ran.out.splitlines() if " in text.notes" in part]
        assert texts == ["989.4", "3350", "295.3 flop/byte", "fp8", "doubles", "12 tokens"] and blocks
        cited = cli("explain", f"records/classes/work.yaml:{line}", cwd=root).out
        assert "  status    cited\n" in cited and "  source    sheet, page four (checked 2026-11-30)" in cited

    def test_a_place(self, cli: Cli, root: Path) -> None:
        path = root / "records/classes/work.yaml"
        lines = path.read_text().split("\n")
        line = next(i for i, text in enumerate(lines, 1) if "The ridge point" in text)
        column = lines[line - 1].index("295.3") + 1
        ran = cli("explain", f"records/classes/work.yaml:{line}:{column + 2}", cwd=root)
        assert ran.out.splitlines()[:6] == [
            f"records/classes/work.yaml:{line}:{column}  “295.3 flop/byte” in text.notes",
            "  status    recomputed",
            "  claims    eq 295.3  [295.25, 295.35]  flop/byte",
            "  grade     exact: 295.343 flop/byte agrees with what is printed",
            "  equation  989.4/3350 = 295.3 flop/byte",
            "  is        a.ridge.bf16",
        ]
        found = cli("explain", f"{path}:{line}:{column}", "--format", "json", cwd=root).json
        assert [(f["text"], f["computed"], f["line"], f["column"]) for f in found] == [
            ("295.3", "19788/67", line, column)
        ]
        assert [i["source"] for i in found[0]["inputs"]] == ["sheet", "sheet"]

    @pytest.mark.parametrize(
        ("place", "message"),
        [
            ("records/classes/work.yaml", "write FILE:LINE[:COLUMN]"),
            ("records/classes/work.yaml:1", "no numeral stands at"),
            ("records/classes/none.yaml:1", "is no record below"),
            ("/etc/passwd:1", "is not below"),
        ],
    )
    def test_wrong_usage(self, cli: Cli, root: Path, place: str, message: str) -> None:
        ran = cli("explain", place, cwd=root)
        assert (ran.code, ran.out) == (2, "") and message in ran.err

    def test_a_quantity(self, cli: Cli, root: Path) -> None:
        assert cli("explain", "alpha", "ridge.bf16", cwd=root).out.startswith("ridge.bf16 = 295.343 flop/byte   = peak")
        ran = cli("explain", "alpha", "memory.capacity", cwd=root)
        assert (ran.code, ran.out) == (1, "") and "is not known" in ran.err
        assert cli("explain", "alfa", "ridge.bf16", cwd=root).code == 2


def test_words_that_conclude_something_show_both_sides(root: Path, cli: Cli) -> None:
    path = root / "records/classes/work.yaml"
    claim = "- {say: 12 tokens are left over, holds: 'a.ridge.bf16 > as(290, flop/byte)'}\n"
    path.write_text(path.read_text() + claim)
    line = path.read_text().split("\n").index("    A source says 50-73%.")
    found = cli("explain", f"{path}:{line}", "--root", str(root))
    assert found.code == 0
    told = found.out.split("\n\n")[-1].rstrip().split("\n")
    assert told[0].endswith("“12 tokens are left over” in text.notes")
    assert told[1:4] == [
        "  claims    a.ridge.bf16 > as(290, flop/byte)",
        "  holds     295.343 flop/byte against 290 flop/byte",
        "  a.ridge.bf16 = 295.343 flop/byte   = peak.bf16 / memory.bandwidth",
    ]
