"""What the comparison, the calculator and the explorer write: rows, pairs, data files and drawings."""

from __future__ import annotations

import json
import math
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check
from ridgeline.publish import calculator, compare, explorer
from ridgeline.publish.address import Addresses
from ridgeline.publish.chart import Frame, Line, Operator, attainable, draw, guides, points
from ridgeline.publish.comparing import Cell, comparison, ratio, verdict
from ridgeline.publish.content import Database
from ridgeline.publish.database import read
from ridgeline.publish.pairs import MOST, pairs
from ridgeline.publish.pen import Pen
from ridgeline.scenario import Setting
from ridgeline.store.load import load
from tests.acceptance.conftest import build
from tests.javascript import evaluated

#: What a cell leaves out at its end.
EMPTY: list[Any] = [None, "", "", ""]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("tools") / "root")


@pytest.fixture(scope="module")
def content(root: Path) -> Database:
    load(check(root), root.parent / "ridgeline.db")
    return read(root.parent / "ridgeline.db")


@pytest.fixture(scope="module")
def made(content: Database, root: Path) -> calculator.Programs:
    return calculator.programs(content, root)


def pen(content: Database, here: str = "compare/") -> Pen:
    return Pen(content, Addresses(content), here)


class TestComparison:
    def test_unknown_is_no_difference_and_no_agreement(self) -> None:
        one, same, other = Cell("80 GB", 8e10), Cell("0.08 TB", 8e10), Cell("141 GB", 1.41e11)
        assert verdict([one, same]) == "same"
        assert verdict([one, other]) == "differs"
        assert verdict([one, None]) == "not all known"
        assert verdict([one, other, None]) == "differs"
        assert verdict([Cell("HBM3"), Cell("HBM3e")]) == "differs"

    def test_ratios_are_to_the_first_at_three_digits(self) -> None:
        first = Cell("3.35 TB/s", 3.35e12)
        assert ratio(Cell("4.8 TB/s", 4.8e12), first) == "× 1.43"
        assert ratio(Cell("300 GB/s", 3e11), first) == "× 0.0896"
        assert ratio(Cell("67 PB/s", 6.7e16), first) == "× 20,000"
        assert ratio(Cell("3350 GB/s", 3.35e12), first) == ""
        assert ratio(Cell("3.351 TB/s", 3.351e12), first) == "≈ × 1"
        assert (
            ratio(None, first) == ratio(first, None) == ratio(Cell("HBM3"), first) == ratio(first, Cell("0", 0.0)) == ""
        )

    @pytest.mark.parametrize("kind", ["accelerator", "model", "class"])
    def test_every_cell_is_of_a_field_and_leads_somewhere(self, content: Database, kind: str) -> None:
        table = comparison(content, Addresses(content), kind)
        keys = [f.key for f in table.fields]
        assert len(set(keys)) == len(keys)
        assert set(table.cells) == {r.reference for r in content.of_kind(kind)}
        for cells in table.cells.values():
            assert cells and set(cells) <= set(keys)
            assert all(cell.text and cell.target for cell in cells.values())

    def test_peaks_say_precision_and_sparsity_in_their_names(self, content: Database) -> None:
        table = comparison(content, Addresses(content), "accelerator")
        peaks = [f for f in table.fields if f.key.startswith(("peak.", "ridge."))]
        assert len(peaks) >= 4
        for found in peaks:
            assert (", structured sparse, " in found.name) is ("sparse" in found.key), found
            assert found.name.endswith((", tensor path", ", vector path"))
            assert (", dense, " in found.name) is not (", structured sparse, " in found.name)

    def test_numbers_are_those_of_the_database(self, content: Database) -> None:
        table = comparison(content, Addresses(content), "accelerator")
        for reference, cells in table.cells.items():
            bandwidth = content.by_name.get((reference, "memory.bandwidth", None))
            if bandwidth is not None and bandwidth.value is not None:
                assert cells["memory.bandwidth"].value == bandwidth.value
                assert cells["memory.bandwidth"].text == bandwidth.shown

    @pytest.mark.parametrize(("folder", "kind"), sorted(compare.KINDS.items()))
    def test_the_live_page_reads_the_same_cells(self, content: Database, folder: str, kind: str) -> None:
        data = json.loads(json.dumps(compare.data(pen(content), folder, kind)))
        table = comparison(content, Addresses(content), kind)
        by_key = {key: str(index) for index, (key, _, _) in enumerate(data["fields"])}
        status = {"r": "recorded", "c": "recomputed", "u": "unverified", "": ""}
        assert [f"{folder}/{r['id']}" for r in data["records"]] == list(table.cells)
        for record in data["records"]:
            cells = table.cells[f"{folder}/{record['id']}"]
            assert set(record["cells"]) == {by_key[key] for key in cells}
            for key, cell in cells.items():
                given = record["cells"][by_key[key]]
                text, value, short, target, note = given + EMPTY[len(given) - 1 :]
                usual = compare.usual_target(folder, record["id"], key, cell.status)
                assert (text, value, status[short], target or usual, note) == (
                    cell.text, cell.value, cell.status, cell.target, cell.note,
                )  # fmt: skip

    def test_pairs_are_few_and_each_once(self, content: Database) -> None:
        found = pairs(content)
        assert 0 < len(found) <= MOST
        assert len({p.both for p in found}) == len(found) == len({p.address for p in found})
        for pair in found:
            assert pair.first != pair.second and pair.why
            assert {pair.first, pair.second} <= set(content.records)

    def test_a_page_of_a_pair_counts_what_differs(self, content: Database) -> None:
        pages = {p.address: p for p in compare.pages(lambda here: pen(content, here))}
        pair = pairs(content)[0]
        body = pages[pair.address].body
        rows = comparison(content, Addresses(content), "accelerator").rows((pair.first, pair.second))
        verdicts = [verdict(cells) for _, cells in rows]
        for word in ("same", "differs", "not all known"):
            assert body.count(f'<td class="verdict">{word}</td>') == verdicts.count(word)
        assert body.count('<span class="unknown">unknown</span>') == sum(cells.count(None) for _, cells in rows)
        assert pair.address.removeprefix("compare/") in pages["compare/"].body

    def test_an_accelerator_leads_to_its_pairs(self, content: Database) -> None:
        pair = pairs(content)[0]
        for reference in pair.both:
            links = str(compare.beside(pen(content, f"{reference}/"), reference))
            assert f"../../{pair.address}" in links


class TestCalculator:
    def test_the_command_says_what_is_not_usual(self) -> None:
        plain = Setting("m", "a", "decode", 1024)
        assert calculator.command(plain) == "ridgeline scenario m a --context 1024"
        full = Setting("m", "a", "prefill", 10, batch=4, count=8, data=2, weights="fp8")
        assert calculator.command(full) == (
            "ridgeline scenario m a --phase prefill --context 10 --batch 4 --count 8 --data 2 --weights fp8"
        )

    def test_there_is_a_program_of_every_model(
        self, content: Database, made: calculator.Programs, tmp_path: Path
    ) -> None:
        calculator.files(lambda here: pen(content, here), tmp_path, made)
        files = {p.stem for p in (tmp_path / "calculator" / "models").glob("*.json")}
        assert files == {r.id for r in content.of_kind("model")}
        for name in files:
            tape = json.loads((tmp_path / "calculator" / "models" / f"{name}.json").read_text(encoding="utf-8"))
            assert tape["model"] == f"models/{name}"
            assert all(len(given) == 3 and given[0] and given[2] for given in tape["given"])

    def test_accelerators_come_with_values_in_base_units(self, content: Database, made: calculator.Programs) -> None:
        read_ = {n for tape in made.tapes.values() for n in tape["inputs"] if n.startswith("accelerator.")}
        data = calculator.hardware(pen(content, "calculator/"), {n.removeprefix("accelerator.") for n in read_})
        assert [a["id"] for a in data["accelerators"]] == [r.id for r in content.of_kind("accelerator")]
        for one in data["accelerators"]:
            for name, (value, shown, _, target) in one["values"].items():
                known = content.by_name[f"accelerators/{one['id']}", name, None]
                assert (value, shown) == (known.value, known.shown) and target
                assert "_sparse" not in name
        assert all(f["bits"][0] > 0 for f in data["formats"])


LINES = (
    Line("Großer <A> & B", 3.35e12, 989.4e12, 67e12),
    Line("Small", 3e11, 121e12, None),
    Line("Odd", 4.1e10, 2.2e12, 5e11),
)
OPERATORS = tuple(
    Operator(n, f"part-{n}", i, n % 2 == 0) for n, i in enumerate((0.61, 0.62, 16.0, 3.97, 0.05, 2.5e6, 295.3), 1)
)


class TestDrawing:
    def test_a_roof_bends_at_the_ridge_point(self) -> None:
        frame = Frame.around(LINES)
        (_, _), ridge, end = points(frame, 3.35e12, 989.4e12)
        assert ridge == (frame.x(989.4 / 3.35), frame.y(989.4e12))
        assert end[1] == ridge[1] and end[0] > ridge[0]

    def test_what_an_operator_attains_is_under_both_roofs(self) -> None:
        line = LINES[0]
        assert attainable(line, Operator(1, "x", 2.0, False)) == 6.7e12
        assert attainable(line, Operator(1, "x", 1e6, False)) == 989.4e12
        assert attainable(line, Operator(1, "x", 1e6, True)) == 67e12
        assert attainable(LINES[1], Operator(1, "x", 2.0, True)) is None

    def test_numbers_of_guides_keep_apart_and_inside(self) -> None:
        frame = Frame.around(LINES)
        found = guides(frame, OPERATORS)
        labels = sorted(label for _, label in found)
        assert all(b - a >= 15 - 1e-9 for a, b in pairwise(labels))
        assert labels[0] >= 74 and labels[-1] <= 840

    def test_names_are_escaped(self) -> None:
        text = str(draw(LINES, OPERATORS, "d", "<title>", "a & b"))
        assert "<A>" not in text and "Großer &lt;A&gt; &amp; B" in text
        assert draw((), OPERATORS, "d", "", "") == ""

    def test_the_browser_makes_the_same_drawing(self, repository: Path, tmp_path: Path) -> None:
        out = tmp_path / "chart.js"
        bundler = repository / "site" / "node_modules" / ".bin" / "esbuild"
        assert bundler.exists(), "the browser code's packages are needed: `make code` installs them"
        source = repository / "site" / "code" / "tools" / "chart.ts"
        command = [str(bundler), str(source), "--bundle", "--format=iife", "--global-name=m", f"--outfile={out}"]
        subprocess.run([*command, "--log-level=error"], check=True, timeout=60)
        lines = [{"name": x.name, "bandwidth": x.bandwidth, "peak": x.peak, "vector": x.vector} for x in LINES]
        operators = [
            {"number": o.number, "name": o.name, "intensity": o.intensity, "vector": o.vector} for o in OPERATORS
        ]
        values: Any = {"lines": lines, "operators": operators}
        code = out.read_text(encoding="utf-8")
        expression = f"(() => {{ {code}\nreturn m.drawing(v.lines, v.operators, 'd', 'T', 'D'); }})()"
        live = _flat(evaluated(values, [expression])[0])
        reader = _Shapes()
        reader.feed(str(draw(LINES, OPERATORS, "d", "T", "D")))
        assert len(live) == len(reader.found) > 50
        for ours, theirs in zip(reader.found, live, strict=True):
            assert ours[0] == theirs[0] and ours[2] == theirs[2]
            assert _near(ours[1], theirs[1]), (ours, theirs)


class _Shapes(HTMLParser):
    """Elements in order: tag, attributes, the text that stands first in them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], str]] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: str(value) for name, value in attrs}, ""))
        self._open = True

    def handle_data(self, data: str) -> None:
        if self._open and data.strip():
            tag, attrs, _ = self.found[-1]
            self.found[-1] = (tag, attrs, data.strip())
        self._open = False


def _flat(shape: Any) -> list[tuple[str, dict[str, str], str]]:
    tag, attrs, *inside = shape
    text = inside[0].strip() if inside and isinstance(inside[0], str) else ""
    found = [(tag, {name.lower(): str(value) for name, value in attrs.items()}, text)]
    for one in inside:
        if not isinstance(one, str):
            found += _flat(one)
    return found


def _near(ours: dict[str, str], theirs: dict[str, str]) -> bool:
    """Whether attributes are the same, coordinates to a tenth of a pixel."""
    if set(ours) != set(theirs):
        return False
    for name, text in ours.items():
        one, other = (part.replace(",", " ").split() for part in (text, theirs[name]))
        if len(one) != len(other):
            return False
        for a, b in zip(one, other, strict=True):
            try:
                if not math.isclose(float(a), float(b), abs_tol=0.1001):
                    return False
            except ValueError:
                if a != b:
                    return False
    return True


class TestExplorer:
    def test_without_browser_code_there_is_a_drawing_with_its_table(
        self, content: Database, made: calculator.Programs
    ) -> None:
        (page,) = explorer.pages(lambda here: pen(content, here), made)
        assert page.scripts == ("explorer",)
        if made.drawn is None:
            assert "There is no accelerator and model to draw yet" in page.body
            return
        drawn = explorer.chosen(content, made.drawn)
        assert drawn is not None
        operators = explorer.operators(made.drawn)
        assert page.body.count("<circle") == sum(
            attainable(line, o) is not None for line in drawn.lines for o in operators
        )
        for operator in operators:
            assert f"{operator.intensity:.4g}" in page.body

    def test_operators_have_the_intensity_of_their_class(self, made: calculator.Programs) -> None:
        assert made.drawn is not None
        for operator in explorer.operators(made.drawn):
            part = next(p for p in made.drawn.parts if p.reference == f"classes/{operator.name}")
            flops, moved = part.costs["flops"].value, part.costs["bytes"].value
            assert flops is not None and moved is not None
            assert operator.intensity == float(flops.quantity.middle / moved.quantity.middle)

    def test_without_records_there_is_nothing_live(self, content: Database) -> None:
        for module in (explorer, calculator):
            (page,) = module.pages(lambda here: pen(content, here), None)
            assert "data-hardware" not in page.body
