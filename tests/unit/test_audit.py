"""Foreign documents: read with exact places, judged without false alarms."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ridgeline.audit.audit import Audit, audit
from ridgeline.audit.blocks import Unreadable
from ridgeline.audit.claim import Claim
from ridgeline.audit.document import form_of, read
from ridgeline.audit.faces import as_dict, render
from ridgeline.cli import main

SHAPE = (
    "The made-up shape has 24 layers, a model width of 2,048 numbers, 16 query heads of 128 numbers each, 4 key and value "
    "heads and 16-bit numbers.\n\n"
)


def judged(text: str, root: Path | None = None, name: str = "doc.md") -> dict[str, Claim]:
    """Claims of a text by the numeral as printed, the last of each."""
    return {claim.numeral.text: claim for claim in audit(name, text.encode(), root).claims}


def statuses(text: str, root: Path | None = None, name: str = "doc.md") -> dict[str, str]:
    return {number: claim.status.value for number, claim in judged(text, root, name).items()}


@pytest.fixture
def root(records_root: Path) -> Path:
    return records_root.parent


# Reading


def test_form_by_ending_and_by_looking() -> None:
    assert form_of("a.htm", "plain") == "html"
    assert form_of("a.md", "<p>") == "markdown"
    assert form_of("a.txt", "<!DOCTYPE html><p>x") == "html"
    assert form_of("stdin", "# Title\n\ntext") == "markdown"
    assert form_of("stdin", "words, 12 of them") == "plain"


def test_places_count_from_one_in_code_points() -> None:
    found = audit("doc.txt", "Ünï\n× 12 × 12 = 145 and 7".encode()).claims
    assert [(c.numeral.text, c.line, c.column) for c in found] == [
        ("12", 2, 3),
        ("12", 2, 8),
        ("145", 2, 13),
        ("7", 2, 21),
    ]


def test_html_keeps_places_and_skips_scripts() -> None:
    source = "<html><style>a{margin:3px}</style>\n<p>It is 6&nbsp;&times;&nbsp;7 = <b>43</b></p><script>var x = 8;</script></html>"
    found = {c.numeral.text: c for c in audit("x", source.encode()).claims}
    assert set(found) == {"6", "7", "43"}
    assert found["43"].status.value == "wrong"
    assert (found["43"].line, found["43"].column) == (2, source.split("\n")[1].index("43") + 1)


def test_superscripts_of_html_are_powers() -> None:
    (claim,) = [c for c in audit("x.html", b"<p>2<sup>10</sup> = 1,025</p>").claims if c.numeral.text == "1,025"]
    assert claim.status.value == "wrong"


def test_every_character_of_a_block_maps_to_its_source() -> None:
    source = "# Head **12**\n\n- item with [8 links](http://x.y/9)\n\n| a | b |\n|---|---|\n| 1 | 22 |\n\n```text\nx  y\n1  2\n3  4\n```\n"
    document = read("x.md", source.encode())
    for block in document.blocks:
        assert "".join(source[block.offset(i)] for i in range(len(block.text))) == block.text
    assert [b.text.strip() for b in document.blocks if b.table == 0] == ["a", "b", "1", "22"]
    assert [b.text for b in document.blocks if b.table == 1] == ["x", "y", "1", "2", "3", "4"]


def test_unreadable_documents() -> None:
    for source in (b"\xff\xfe\x00", b"a\x00b", b"x" * 16_000_001):
        with pytest.raises(Unreadable):
            audit("x.txt", source)


# Arithmetic


@pytest.mark.parametrize(
    ("text", "number", "status"),
    [
        ("It rose from 38% to 41%, a gain of 3 percentage points.", "3", "right"),
        ("It rose from 38% to 41%, a gain of 4 percentage points.", "4", "wrong"),
        ("It takes 900 TFLOP against 300 TFLOP, 3x as much.", "3", "right"),
        ("It takes 900 TFLOP against 300 TFLOP, 6x as much.", "6", "wrong"),
        ("It falls from 900 ms to 300 ms, a factor of 3.", "3", "right"),
        ("It falls from 900 ms to 300 ms, a factor of 6.", "6", "wrong"),
        ("It falls from 81 ms to 0.36 ms, a factor of roughly 200.", "200", "undecided"),
        ("It passed 12 of 48 tests (25%).", "25", "right"),
        ("It passed 12 of 48 tests (27%).", "27", "wrong"),
        ("There are 20 parts in groups of 4, 6 and 10.", "20", "right"),
        ("There are 21 parts in groups of 4, 6 and 10.", "21", "wrong"),
        ("Some of its 21 parts: 4, 6 and 10.", "21", "undecided"),
        ("At 500 W and 250 tok/s, the energy is 2.0 J per token.", "2.0", "right"),
        ("At 500 W and 250 tok/s, the energy is 2.0 mJ per token.", "2.0", "wrong"),
        ("2 (a key and a value) times 10 layers times 3 heads times 64 numbers times 2 bytes. That is 7,680 bytes.", "7,680", "right"),
        ("2 (a key and a value) times 10 layers times 3 heads times 64 numbers times 2 bytes. That is 7,860 bytes.", "7,860", "wrong"),
        ("The bus moves 10 Gb/s × 256 bit = 320 GB/s.", "320", "right"),
        ("The bus moves 10 Gb/s × 256 bit = 300 GB/s.", "300", "wrong"),
    ],
)  # fmt: skip
def test_arithmetic(text: str, number: str, status: str) -> None:
    assert statuses(text)[number] == status


def test_bare_quotients_are_judged_where_the_text_names_their_units() -> None:
    lead = "Ridge points are TFLOPs over GB/s: "
    assert statuses(lead + "a chip has 400/2000 = 200.0")["200.0"] == "right"
    assert statuses(lead + "a chip has 400/2000 = 210.0")["210.0"] == "wrong"
    assert statuses("A chip has 400/2000 = 200.0")["200.0"] == "undecided"


def test_what_a_reasonable_author_may_mean_is_not_wrong() -> None:
    assert statuses("The tile takes 128 × 1,024 bytes = 128 KB.")["128"] != "wrong"
    assert "wrong" not in statuses("avg=13.36s min=12.54s med=13.31s max=14.12s").values()
    assert "wrong" not in statuses("debug> list\n 20 let x;\n 21\n>22 debugger;").values()
    assert "wrong" not in statuses("before: 7 >>> 7").values()
    assert "wrong" not in statuses("The link carries 212 GB/s (1700 Gbit/s).").values()


def test_an_order_that_does_not_hold_names_no_value() -> None:
    claim = judged("So 12 GB > 80 GB.")["80"]
    assert (claim.status.value, claim.judgment.grade, claim.judgment.computed) == ("wrong", "decision", "")


def test_growth_along_a_column_and_between_pairs() -> None:
    table = "| B | FLOPs | bytes |\n|---|---|---|\n| 1 | 1,000 | 40 |\n| 2 | 2,000 | 60 |\n| 8 | 8,000 | 120 |\n\n"
    assert statuses(table + "The FLOPs column grows 8x while the bytes column grows 4x.")["4"] == "wrong"
    pair = "It takes 10.0 TFLOP for 4K tokens and 250.0 TFLOP for 40K tokens. That is 10 times the tokens for about {} times the work."
    assert statuses(pair.format(25))["25"] == "right"
    assert statuses(pair.format(35))["35"] == "wrong"


# Tables

TABLE = """
     B           FLOPs     bytes moved   FLOPs/byte
     1       8,388,608       8,396,800         1.00
     8      67,108,864       8,454,144         7.94
    64     536,870,912       8,912,896        60.24
   512   4,294,967,296      12,582,912       341.33
  4096  34,359,738,368      41,943,040       819.20
"""


def test_a_printed_table_is_right_in_every_derived_column() -> None:
    assert [c.status.value for c in audit("t.txt", TABLE.encode()).claims].count("right") == 15


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("60.24", "62.04"),
        ("8,912,896", "8,912,869"),
        ("536,870,912", "538,670,912"),
        ("819.20", "918.20"),
        ("7.94", "7.49"),
    ],
)
def test_one_wrong_cell_is_found_alone(old: str, new: str) -> None:
    found = audit("t.txt", TABLE.replace(old, new).encode()).claims
    assert [c.numeral.text for c in found if c.status.value == "wrong"] == [new]


def test_a_law_that_ends_is_no_formula() -> None:
    table = "| GPUs | speed-up |\n|---|---|\n| 1 | 1.0 |\n| 2 | 2.0 |\n| 4 | 4.0 |\n| 8 | 7.1 |\n"
    assert "wrong" not in statuses(table).values()
    table = "| batch | tok/s |\n|---|---|\n| 1 | 50 |\n| 2 | 100 |\n| 4 | 200 |\n| 8 | 400 |\n| 16 | 700 |\n"
    assert "wrong" not in statuses(table).values()


def test_score_tables_follow_from_the_length() -> None:
    table = "| Sequence length | Score matrix size (FP16) |\n|---|---|\n| 1K tokens | {} |\n| 16K tokens | 512 MiB |\n"
    assert statuses(table.format("2 MiB"))["2"] == "right"
    claim = judged(table.format("4 MiB"))["4"]
    assert claim.status.value == "wrong"
    assert "4 bytes a score" in claim.judgment.because


# Shapes


@pytest.mark.parametrize(
    ("text", "number", "status"),
    [
        ("Its KV cache takes 49,152 bytes per token, or 48 KiB per token.", "49,152", "right"),
        ("Its KV cache takes 49,125 bytes per token.", "49,125", "wrong"),
        ("With the KV cache, a 4K chat needs 0.20 GB and a 128K chat 6.44 GB.", "6.44", "right"),
        ("With the KV cache, a 4K chat needs 0.20 GB and a 128K chat 4.66 GB.", "4.66", "wrong"),
        ("At 16K tokens, the score table for one layer, across all 16 heads, would be 8.59 GB.", "8.59", "right"),
        ("At 16K tokens, the score table for one layer, across all 16 heads, would be 5.89 GB.", "5.89", "wrong"),
        ("Without a mask, the attention FLOPs of a 2,048-token prompt are 0.825 TFLOP.", "0.825", "right"),
        ("Without a mask, the attention FLOPs of a 2,048-token prompt are 34.4 GFLOP.", "34.4", "wrong"),
        ("A compressed cache needs 3.0 GB for a 128K chat.", "3.0", "undecided"),
    ],
)
def test_a_stated_shape(text: str, number: str, status: str) -> None:
    assert statuses(SHAPE + text)[number] == status


def test_two_shapes_settle_nothing() -> None:
    other = SHAPE.replace("24 layers", "48 layers")
    text = "With the KV cache, a 128K chat needs 9.99 GB."
    assert statuses(SHAPE + other + text)["9.99"] == "undecided"


# Records


@pytest.mark.parametrize(
    ("text", "number", "status"),
    [
        ("An H100 SXM has 3.35 TB/s of memory bandwidth.", "3.35", "right"),
        ("An H100 SXM has 3.53 TB/s of memory bandwidth.", "3.53", "wrong"),
        ("An H100 PCIe has 2 TB/s of memory bandwidth.", "2", "undecided"),
        ("An H100 has 2 TB/s of memory bandwidth.", "2", "right"),
        ("An H100 SXM reaches 2.9 TB/s of memory bandwidth.", "2.9", "undecided"),
        ("The H100 SXM has a dense bf16 peak of 1,979 TFLOP/s.", "1,979", "wrong"),
        ("Llama-2-70B has 80 layers and 8 KV heads.", "8", "right"),
        ("Llama-2-70B has 80 layers and 64 KV heads.", "64", "wrong"),
        ("The card says that Llama-2-70B has 64 KV heads.", "64", "undecided"),
        ("Llama-2-70B has 68.98B parameters.", "68.98B", "right"),
        ("The KV cache of Llama-2-70B takes 160 KiB per token.", "160", "wrong"),
        ("The RTX A5500 has 768 GB/s of memory bandwidth.", "768", "undecided"),
    ],
)
def test_quantities_of_records(root: Path, text: str, number: str, status: str) -> None:
    assert statuses(text, root)[number] == status


def test_the_likely_cause_is_named(root: Path) -> None:
    claim = judged("The H100 SXM has a dense bf16 peak of 1,979 TFLOP/s.", root)["1,979"]
    assert "sparse" in claim.judgment.because


def test_a_slip_of_the_pen_is_named(root: Path) -> None:
    swapped = judged("An H100 SXM has 3.53 TB/s of memory bandwidth.", root)["3.53"]
    assert "two digits are swapped" in swapped.judgment.because
    assert "one digit differs" in judged("6 x 70 = 430")["430"].judgment.because


# Claims files


def claims_file(folder: Path, data: dict[str, Any]) -> Path:
    path = folder / "claims.yaml"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def with_claims(text: str, root: Path, path: Path) -> Audit:
    return audit("doc.md", text.encode(), root, path)


def test_a_claims_file_binds_figures(root: Path, tmp_path: Path) -> None:
    path = claims_file(
        tmp_path,
        {
            "subjects": {"h100": "accelerators/nvidia-h100-sxm"},
            "symbols": {"batch": {"unit": "1", "means": "sequences", "default": "8"}},
            "formulas": {"twice": {"is": "2 * batch"}},
            "figures": [
                {"say": "ridge is 295.3 flop/byte", "is": "h100.ridge.bf16"},
                {"say": "a batch of 17", "is": "twice"},
                {"say": "by 30%", "unverified": "nobody measured it"},
                {"say": "room 12", "set_aside": "the number of a room"},
            ],
        },
    )
    found = with_claims("The ridge is 295.3 flop/byte, a batch of 17 fits, faster by 30%, in room 12.", root, path)
    assert not found.findings
    assert {c.numeral.text: c.status.value for c in found.claims} == {
        "295.3": "right",
        "17": "wrong",
        "30": "undecided",
    }
    assert found.set_aside == 1


def test_faults_of_a_claims_file_are_findings(root: Path, tmp_path: Path) -> None:
    path = claims_file(tmp_path, {"figures": [{"say": "no such 12 words", "is": "x"}], "extra": 1})
    rules = {f.rule for f in with_claims("Other words.", root, path).findings}
    assert {"claims-file", "figure-unmatched"} <= rules


# Faces and the verb


def test_json_has_the_documented_keys() -> None:
    shape = as_dict(audit("doc.md", b"6 x 7 = 43 bytes"))
    assert shape["schema"] == "ridgeline-audit/1"
    assert shape["summary"]["by_status"] == {"right": 0, "wrong": 1, "undecided": 2, "set-aside": 0}
    (wrong,) = [c for c in shape["claims"] if c["status"] == "wrong"]
    assert {k: wrong[k] for k in ("text", "line", "column", "grade", "printed", "computed", "unit")} == {
        "text": "43 bytes", "line": 1, "column": 9, "grade": "wrong", "printed": "43", "computed": "42", "unit": "byte",
    }  # fmt: skip
    assert wrong["because"]


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_every_face_names_the_wrong_number(form: str) -> None:
    assert "43" in render(audit("doc.md", b"6 x 7 = 43"), form)


def test_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "doc.txt"
    for source, status in ((b"6 x 7 = 42", 0), (b"6 x 7 = 43", 1), (b"\xff", 2)):
        document.write_bytes(source)
        assert main(["audit", str(document)]) == status
    assert main(["audit", str(tmp_path / "missing")]) == 2
    capsys.readouterr()


@pytest.mark.parametrize(
    "source",
    ["<a " * 20_000, "<!--" * 20_000, "<table><tr><td>" * 3_000, "**a" * 10_000, "[" * 20_000, "|1|2|\n" * 3_000,
     "2 times 3 layers " * 2_000, "At 4K the KV cache needs 3 GB and " * 500, "An H100 has 3.9 TB/s. " * 500],
)  # fmt: skip
@pytest.mark.parametrize("name", ["x.html", "x.md", "x.txt"])
def test_hostile_documents_take_linear_time(root: Path, name: str, source: str) -> None:
    started = time.perf_counter()
    audit(name, source.encode(), root)
    assert time.perf_counter() - started < 20


# A whole document

GUIDE = Path(__file__).parent.parent / "data" / "audit" / "guide.md"


def test_a_right_document_is_right(root: Path) -> None:
    found = audit("guide.md", GUIDE.read_bytes(), root)
    assert [c.numeral.text for c in found.claims if c.status.value == "wrong"] == []
    assert found.counts["right"] >= 39
    # What depends on the width that is not told is left open.
    assert judged(GUIDE.read_text(encoding="utf-8"), root)["18,500"].status.value == "undecided"


def test_mutants_of_a_right_document_are_caught(root: Path) -> None:
    """The second digit of every right number changed: nearly all are called wrong, none is called right."""
    source = GUIDE.read_text(encoding="utf-8")
    document = read("guide.md", source.encode())
    outcome: dict[str, list[str]] = {"wrong": [], "undecided": [], "right": []}
    for claim in audit("guide.md", source.encode(), root).claims:
        if claim.status.value != "right":
            continue
        at = document.line_starts[claim.line - 1] + claim.column - 1
        digits = [i for i, c in enumerate(claim.numeral.text) if c.isdigit()]
        place = at + digits[min(1, len(digits) - 1)]
        mutant = source[:place] + str((int(source[place]) + 3) % 10) + source[place + 1 :]
        here = [
            c
            for c in audit("guide.md", mutant.encode(), root).claims
            if (c.line, c.column) == (claim.line, claim.column)
        ]
        outcome[here[0].status.value].append(claim.text)
    assert outcome["right"] == []
    assert len(outcome["wrong"]) >= 9 * len(outcome["undecided"]), outcome["undecided"]
