"""The pages that compute in Chromium: comparison, calculator and explorer, by keyboard, by address and without JavaScript."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlparse

import pytest

from ridgeline.lookup import Lookup
from ridgeline.scenario import Setting, run
from ridgeline.scenario.faces import at_least, at_most, brief

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Visit = Callable[..., "Page"]


@pytest.fixture(scope="module")
def lookup(repository: Path) -> Lookup:
    return Lookup(repository)


#: Live pages with all that folds away open, and one that says that its scenario cannot be.
LIVE = (
    "/compare/?a=nvidia-h100-sxm&b=amd-instinct-mi300x&c=nvidia-l4&d=apple-m3-ultra",
    "/compare/?kind=models&a=llama-3.1-70b&b=deepseek-v3",
    "/calculator/?model=deepseek-v3&on=nvidia-h200-sxm&count=32&data=32&expert=32&batch=1024&weights=fp8",
    "/calculator/?count=3",
    "/explorer/?model=mixtral-8x7b&a=nvidia-h100-sxm&b=nvidia-a100-sxm-80gb&compute=fp8",
)


@pytest.mark.slow
@pytest.mark.parametrize("path", LIVE)
def test_what_the_pages_compute_is_accessible(visit: Visit, repository: Path, path: str) -> None:
    axe = (repository / "site" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    page = visit(path)
    page.wait_for_selector(".tool-form")
    page.wait_for_selector("#compare table, .results > *")
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.evaluate(axe)
    found = {}
    for width, dark in ((1280, False), (1280, True), (375, False), (375, True)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        wrong = page.evaluate(
            """axe.run(document, {resultTypes: ["violations"]})
                 .then(r => r.violations.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].target.join(" ")}`))"""
        )
        if wrong:
            found[width, dark] = wrong
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert found == {}


def test_every_address_in_the_data_is_there(site: Path) -> None:
    """Where cells of the live tables lead: a page of the site, and a place on it."""
    wanted: set[str] = set()
    for folder in ("accelerators", "models", "classes"):
        data = json.loads((site / "compare" / f"{folder}.json").read_text(encoding="utf-8"))
        keys = [key for key, _, _ in data["fields"]]
        for record in data["records"]:
            for index, cell in record["cells"].items():
                _, _, status, target, _ = cell + [None, "", "", ""][len(cell) - 1 :]
                usual = f"{folder}/{record['id']}/" + (f"#{keys[int(index)]}" if status else "")
                if status == "c":
                    usual = f"f/{folder}.{record['id']}.{keys[int(index)]}/"
                wanted.add(target or usual)
    hardware = json.loads((site / "calculator" / "hardware.json").read_text(encoding="utf-8"))
    for one in hardware["accelerators"]:
        wanted |= {target for _, _, _, target in one["values"].values()}
    for tape in (site / "calculator" / "models").glob("*.json"):
        wanted |= {target for _, _, target in json.loads(tape.read_text(encoding="utf-8"))["given"]}
    missing = []
    texts: dict[str, str] = {}
    for address in sorted(wanted):
        path, _, anchor = address.partition("#")
        if path not in texts:
            file = site / path / "index.html"
            texts[path] = file.read_text(encoding="utf-8") if file.exists() else ""
        if not texts[path] or (anchor and f'id="{anchor}"' not in texts[path]):
            missing.append(address)
    assert len(wanted) > 1000
    assert missing == []


def query(page: Page) -> dict[str, str]:
    """What the page's address says."""
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def field(page: Page, label: str) -> Locator:
    """A control by the first words of its label."""
    return page.locator("label.field").filter(has_text=re.compile(rf"^{re.escape(label)}")).locator("select, input")


def row(page: Page, name: str, table: str = "table") -> list[str]:
    """The cells of a row by its header."""
    found = page.locator(f"{table} tr").filter(has=page.get_by_role("rowheader", name=name, exact=True)).first
    return [" ".join(text.split()) for text in found.locator("td").all_inner_texts()]


def saved(page: Page) -> list[list[str]]:
    """The table that the button hands out."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CSV").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    return list(csv.reader(io.StringIO(text)))


class TestCompare:
    def test_the_address_says_what_is_compared(self, visit: Visit) -> None:
        page = visit("/compare/?a=nvidia-h100-sxm&b=amd-instinct-mi300x&c=nvidia-l4")
        page.wait_for_selector("#compare table")
        heads = page.locator("#compare thead th").all_inner_texts()
        assert heads[2:] == ["NVIDIA H100 SXM5 80 GB", "AMD Instinct MI300X OAM 192 GB", "NVIDIA L4 24 GB"]
        page.reload()
        page.wait_for_selector("#compare table")
        assert page.locator("#compare thead th").all_inner_texts() == heads
        assert query(page) == {"a": "nvidia-h100-sxm", "b": "amd-instinct-mi300x", "c": "nvidia-l4"}

    def test_numbers_are_those_of_the_record_pages(self, visit: Visit) -> None:
        page = visit("/compare/?a=nvidia-h100-sxm&b=nvidia-h200-sxm")
        page.wait_for_selector("#compare table")
        links = page.locator("#compare table a.fig")
        chosen = [(a.inner_text(), a.get_attribute("href") or "") for a in links.all()[::9]]
        assert len(chosen) > 8
        for text, target in chosen:
            there = visit(urlparse(target).path)
            anchor = urlparse(target).fragment
            stands = there.locator(f"[id='{anchor}']" if anchor else ".result .number").first.inner_text()
            number = re.sub(r" \(.*\)$", "", " ".join(text.split()))
            assert number in " ".join(stands.split()), (number, target)
            there.close()

    def test_what_is_not_recorded_stays_unknown(self, visit: Visit) -> None:
        page = visit("/compare/?a=nvidia-h100-sxm&b=amd-instinct-mi300x")
        page.wait_for_selector("#compare table")
        rows = page.locator("#compare tbody tr:not(.section)")
        unknown = rows.filter(has=page.locator("span.unknown"))
        assert unknown.count() > 3
        for verdict in unknown.locator("td.verdict").all_inner_texts():
            assert verdict == "not all known"
        assert unknown.locator(".ratio").count() == 0
        assert "unknown" in [cell for line in saved(page) for cell in line]

    def test_precision_and_sparsity_stand_in_the_name_of_the_row(self, visit: Visit) -> None:
        page = visit("/compare/?a=nvidia-h100-sxm&b=nvidia-a100-sxm-80gb")
        page.wait_for_selector("#compare table")
        dense, sparse = (
            row(page, f"bf16, {kind}, tensor path", "#compare table") for kind in ("dense", "structured sparse")
        )
        assert dense[0] == sparse[0] == "differs"
        assert dense[1].startswith("989.4 TFLOP/s") and dense[2].startswith("312 TFLOP/s")
        assert "× 0.315" in dense[2]

    def test_by_keyboard(self, visit: Visit) -> None:
        page = visit("/compare/?a=nvidia-h100-sxm&b=nvidia-h200-sxm")
        page.wait_for_selector("#compare table")
        page.get_by_role("button", name="Add another").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#compare thead th:nth-child(5)")
        assert "c" in query(page)
        third = field(page, "Beside it (C)")
        assert third.evaluate("e => e === document.activeElement")
        third.select_option("nvidia-l4")
        page.wait_for_function("new URLSearchParams(location.search).get('c') === 'nvidia-l4'")
        page.get_by_label("Only rows that differ").focus()
        page.keyboard.press("Space")
        page.wait_for_function("new URLSearchParams(location.search).get('only') === 'differing'")
        verdicts = set(page.locator("#compare td.verdict").all_inner_texts())
        assert verdicts == {"differs"}
        assert page.get_by_label("Only rows that differ").evaluate("e => e === document.activeElement")
        page.get_by_role("button", name="Remove NVIDIA L4 24 GB").press("Enter")
        page.wait_for_function("!new URLSearchParams(location.search).has('c')")

    def test_models_and_classes_too(self, visit: Visit) -> None:
        page = visit("/compare/?kind=models&a=llama-3.1-70b&b=qwen2.5-72b")
        page.wait_for_selector("#compare table")
        assert [text.split()[0] for text in row(page, "Layers", "#compare table")] == ["same", "80", "80"]
        page = visit("/compare/?kind=classes&a=prefill-attention&b=decode-attention")
        page.wait_for_selector("#compare table")
        assert row(page, "Phase", "#compare table")[0] == "differs"

    def test_what_is_not_there_is_said(self, visit: Visit) -> None:
        page = visit("/compare/?a=nvidia-h100-sxm&b=no-such-part")
        page.wait_for_selector("#compare table")
        assert "no-such-part" in page.get_by_role("alert").inner_text()

    def test_pairs_need_no_javascript(self, visit: Visit) -> None:
        page = visit("/compare/", javascript=False)
        pairs = page.locator("table a[href*='-vs-']")
        assert 50 < pairs.count() <= 150
        page.locator("a[href*='nvidia-h100-sxm-vs-nvidia-h200-sxm']").click()
        verdict, first, second = row(page, "Bandwidth of the device memory")
        assert verdict == "differs" and first.startswith("3.35 TB/s") and second.endswith("× 1.43")
        page = visit("/accelerators/nvidia-h100-sxm/", javascript=False)
        assert page.locator("a[href*='nvidia-h100-sxm-vs-nvidia-h200-sxm']").count() == 1

    def test_the_live_table_is_that_of_the_pair(self, visit: Visit) -> None:
        def table(page: Page) -> list[str]:
            rows = page.locator("table.compare tbody tr").all_inner_texts()
            return [" ".join(text.split()) for text in rows]

        still = table(visit("/compare/nvidia-h100-sxm-vs-nvidia-h200-sxm/", javascript=False))
        live = visit("/compare/?a=nvidia-h100-sxm&b=nvidia-h200-sxm")
        live.wait_for_selector("#compare table")
        assert table(live) == still


SCENARIOS = (
    Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 8192, batch=64, count=8),
    Setting("llama-3.1-8b", "nvidia-l4", "prefill", 3000, weights="int8", reserve="2 GiB"),
    Setting("deepseek-v3", "nvidia-h200-sxm", "decode", 4096, batch=1024, count=32, data=32, expert=32, weights="fp8"),
    Setting("gpt-oss-120b", "amd-instinct-mi300x", "decode", 16384, batch=16, experts="mxfp4", cache="fp8"),
    Setting("jamba-v0.1", "nvidia-b200", "prefill", 65536, batch=4, count=4, pipeline=2, compute="fp8"),
)


def address(setting: Setting) -> str:
    """The page's address of a scenario."""
    words = [f"model={setting.model}", f"on={setting.accelerator}", f"phase={setting.phase}"]
    for name in ("context", "batch", "count", "pipeline", "expert", "data", "weights", "experts", "cache", "compute"):
        value = getattr(setting, name)
        if value is not None:
            words.append(f"{name}={value}")
    if setting.reserve:
        words.append(f"reserve={setting.reserve.split()[0]}")
    return "/calculator/?" + "&".join(words)


class TestCalculator:
    @pytest.mark.parametrize("setting", SCENARIOS, ids=lambda s: f"{s.model}-{s.accelerator}")
    def test_it_prints_what_the_command_prints(self, visit: Visit, lookup: Lookup, setting: Setting) -> None:
        outcome = run(lookup, setting)
        assert outcome.step is not None and outcome.memory.needed is not None
        page = visit(address(setting))
        page.wait_for_selector("table.scenario")
        keys = page.locator("ul.keys").inner_text()
        assert at_least(outcome.step.overlapped) in keys and at_least(outcome.step.in_turn) in keys
        assert at_most(outcome.step.throughput, "tokens/s") in keys
        assert brief(outcome.memory.needed) in keys
        assert ("does not fit" in keys) is not outcome.memory.fits
        lines = page.locator("table.scenario tbody tr").all()
        assert [line.locator("th").inner_text() for line in lines[: len(outcome.parts)]] == [
            part.reference.partition("/")[2] for part in outcome.parts
        ]
        for part, line in zip(outcome.parts, lines, strict=False):
            cells = [" ".join(re.sub(r"\(\w+\)", "", t).split()) for t in line.locator("td").all_inner_texts()]
            costs = (part.costs | part.times).values()
            shown = [brief(c.value) for c in costs if c.value is not None and c.value.quantity.middle]
            assert [text for text in cells[:-1] if text not in ("–", "0", "unknown")] == shown, part.reference
            assert cells[-1] == part.bound_by

    def test_a_change_goes_into_the_address_and_comes_back(self, visit: Visit) -> None:
        page = visit("/calculator/")
        page.wait_for_selector("table.scenario")
        before = page.locator("ul.keys").inner_text()
        context = field(page, "Context")
        context.focus()
        context.press("Control+a")
        page.keyboard.type("32768")
        page.wait_for_function("new URLSearchParams(location.search).get('context') === '32768'")
        field(page, "Accelerators").fill("4")
        page.wait_for_function("new URLSearchParams(location.search).get('count') === '4'")
        page.wait_for_function("before => document.querySelector('ul.keys').innerText !== before", arg=before)
        after = page.locator("ul.keys").inner_text()
        page.reload()
        page.wait_for_selector("table.scenario")
        assert page.locator("ul.keys").inner_text() == after
        assert field(page, "Context").input_value() == "32768"
        assert "--context 32768 --batch 64 --count 4" in page.locator("code.command").inner_text()

    def test_what_is_open_stays_open_while_numbers_change(self, visit: Visit) -> None:
        page = visit("/calculator/")
        page.wait_for_selector("table.scenario")
        page.get_by_text("Where each input is from").click()
        before = row(page, "context")
        field(page, "Context").fill("4096")
        page.wait_for_function("new URLSearchParams(location.search).get('context') === '4096'")
        page.wait_for_function("document.querySelector('[data-what=inputs]').innerText.includes('4,096')")
        assert before[0] == "8,192" and row(page, "context")[0] == "4,096"
        assert page.locator("details[data-what][open]").count() == 1

    def test_what_cannot_be_is_said_and_does_not_stay(self, visit: Visit) -> None:
        page = visit("/calculator/?count=3")
        assert "cannot be shared evenly among 3" in page.get_by_role("alert").inner_text()
        assert page.locator("table.scenario").count() == 0
        field(page, "Accelerators").fill("")
        assert "whole number" in page.get_by_role("alert").inner_text()
        field(page, "Accelerators").fill("2")
        page.wait_for_selector("table.scenario")
        assert page.get_by_role("alert").count() == 0

    def test_a_format_that_an_accelerator_lacks_is_refused(self, visit: Visit) -> None:
        page = visit("/calculator/?on=nvidia-a100-sxm-80gb&compute=fp8")
        page.wait_for_selector("table.scenario")
        assert query(page)["on"] == "nvidia-a100-sxm-80gb"
        assert "as the activations" in field(page, "Matrix units").locator("option:checked").inner_text()

    def test_every_input_has_its_place(self, visit: Visit) -> None:
        page = visit("/calculator/")
        page.wait_for_selector("table.scenario")
        page.get_by_text("Where each input is from").click()
        assert row(page, "memory.bandwidth")[0].startswith("3.35 TB/s")
        target = page.get_by_role("rowheader", name="memory.bandwidth", exact=True).locator("xpath=..").locator("a.fig")
        assert "accelerators/nvidia-h100-sxm/#" in (target.get_attribute("href") or "")

    def test_csv_holds_every_part_in_base_units(self, visit: Visit, lookup: Lookup) -> None:
        setting = SCENARIOS[0]
        outcome = run(lookup, setting)
        page = visit(address(setting))
        page.wait_for_selector("table.scenario")
        table = {line[0]: line for line in saved(page)}
        for part in outcome.parts:
            cost = part.costs.get("bytes")
            if cost is not None and cost.value is not None:
                given = float(table[part.reference][2])
                assert given == pytest.approx(float(cost.value.quantity.middle), rel=1e-12)

    def test_worked_scenarios_need_no_javascript(self, visit: Visit, lookup: Lookup) -> None:
        page = visit("/calculator/", javascript=False)
        worked = page.locator("details.worked")
        assert worked.count() >= 8
        outcome = run(lookup, SCENARIOS[0])
        assert outcome.step is not None
        mine = worked.filter(has_text="ridgeline scenario llama-3.1-70b nvidia-h100-sxm").first
        assert at_least(outcome.step.overlapped) in (mine.text_content() or "")


class _Circles(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("circle", "polyline"):
            self.found.append((tag, *(str(given.get(name)) for name in ("class", "cx", "cy", "points"))))


class TestExplorer:
    def drawn(self, page: Page) -> list[tuple[str, ...]]:
        """Every dot and every roof of the drawing, where it stands."""
        reader = _Circles()
        reader.feed(page.locator("svg.explorer").evaluate("e => e.outerHTML"))
        return reader.found

    def test_the_live_drawing_begins_as_the_one_of_the_page(self, visit: Visit) -> None:
        still = self.drawn(visit("/explorer/", javascript=False))
        page = visit("/explorer/")
        page.wait_for_selector("#explorer-live-title", state="attached")
        assert self.drawn(page) == still
        assert len([s for s in still if s[0] == "circle"]) >= 18

    def test_sliders_move_the_dots_by_keyboard(self, visit: Visit, lookup: Lookup) -> None:
        page = visit("/explorer/?model=llama-3.1-70b&batch=8&context=4096&a=nvidia-h100-sxm&b=nvidia-l4")
        page.wait_for_selector("#explorer-live-title", state="attached")
        before = self.drawn(page)
        page.get_by_role("slider", name="Batch").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("new URLSearchParams(location.search).get('batch') === '16'")
        assert page.get_by_role("slider", name="Batch").get_attribute("aria-valuetext") == "16 sequences"
        after = self.drawn(page)
        assert [s for s in after if "roof" in s[1] and s[0] == "polyline"] == [
            s for s in before if "roof" in s[1] and s[0] == "polyline"
        ]
        assert [s for s in after if s[0] == "circle"] != [s for s in before if s[0] == "circle"]
        outcome = run(lookup, Setting("llama-3.1-70b", "nvidia-h100-sxm", "decode", 4096, batch=16))
        part = next(p for p in outcome.parts if p.reference == "classes/decode-linear")
        flops, moved = part.costs["flops"].value, part.costs["bytes"].value
        assert flops is not None and moved is not None
        intensity = float(flops.quantity.middle / moved.quantity.middle)
        cells = row(page, "decode-linear", "#explorer table")
        assert float(cells[2]) == pytest.approx(intensity, rel=1e-3)
        assert float(cells[3].split()[0]) == pytest.approx(intensity * 3.35, rel=1e-3)

    def test_state_comes_back_from_the_address(self, visit: Visit) -> None:
        page = visit("/explorer/")
        page.wait_for_selector("#explorer-live-title", state="attached")
        field(page, "Accelerator 2").select_option("nvidia-b200")
        field(page, "Matrix peaks in").select_option("fp8")
        page.wait_for_function("new URLSearchParams(location.search).get('compute') === 'fp8'")
        drawn, asked = self.drawn(page), query(page)
        assert asked["b"] == "nvidia-b200"
        page.reload()
        page.wait_for_selector("#explorer-live-title", state="attached")
        assert self.drawn(page) == drawn and query(page) == asked

    def test_an_accelerator_without_the_peak_stays_in_words(self, visit: Visit) -> None:
        page = visit("/explorer/?a=nvidia-h100-sxm&b=nvidia-a100-sxm-80gb&compute=fp8")
        page.wait_for_selector("#explorer-live-title", state="attached")
        assert "has no known dense peak for fp8" in page.locator("#explorer .open").inner_text()
        assert row(page, "decode-linear", "#explorer table")[4] == "unknown"
        table = saved(page)
        assert len(table[0]) == 8 and "unknown" in [cell for line in table for cell in line]

    def test_the_table_holds_the_drawing_without_javascript(self, visit: Visit) -> None:
        page = visit("/explorer/", javascript=False)
        rows = page.locator("#explorer tbody tr")
        assert rows.count() >= 6
        dots = page.locator("svg.explorer circle").count()
        known = rows.locator("td:nth-child(n+5)").count() - rows.locator("td", has_text="unknown").count()
        assert dots == known
