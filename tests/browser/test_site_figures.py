"""Pages of figures in Chromium: inputs that recompute, state in the address, and every value of the site computed again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
RIDGE = "/f/accelerators.nvidia-h100-sxm.ridge.bf16/"
_BLOCK = re.compile(r'<script type="application/json" id="program">(.*?)</script>', re.DOTALL)


def field(page: Page, label: str) -> Any:
    return page.locator("#live").get_by_label(re.compile(rf"^{re.escape(label)}"))


def test_a_changed_input_recomputes_and_says_so(visit: Visit) -> None:
    page = visit(RIDGE)
    result = page.locator("#live output")
    assert result.text_content() == "295.343 flop/byte"
    field(page, "memory.bandwidth").fill("3.9")
    assert result.text_content() == "253.692 flop/byte"
    text = page.locator("#live").inner_text()
    assert "with your inputs" in text and "changed from 3.35 TB/s" in text
    assert "nvidia-h100-sxm.memory.bandwidth=3.9" in page.url


def test_a_whole_number_is_printed_in_full(visit: Visit) -> None:
    page = visit("/f/models.llama-2-70b.parameters.total/")
    assert page.locator("#live output").text_content() == "68,976,648,192 param"
    field(page, "vocabulary").fill("32,064")
    assert page.locator("#live output").text_content() == "68,977,696,768 param"


def test_a_page_with_inputs_in_its_address_shows_them_and_can_be_reset(visit: Visit) -> None:
    page = visit(f"{RIDGE}?nvidia-h100-sxm.memory.bandwidth=6.7")
    result = page.locator("#live output")
    assert result.text_content() == "147.672 flop/byte"
    page.locator("#live button", has_text="Back to the recorded values").click()
    assert result.text_content() == "295.343 flop/byte" and "?" not in page.url
    assert "with the recorded values" in page.locator("#live").inner_text()


@pytest.mark.parametrize("text", ["", "3.9 TB/s", "1,23", "0x10", "1e999", "<b>"])
def test_what_is_no_number_gives_no_number(visit: Visit, text: str) -> None:
    page = visit(RIDGE)
    field(page, "memory.bandwidth").fill(text)
    assert page.locator("#live output").text_content() == "–"
    assert "not a number" in page.locator("#live").inner_text()


def test_a_division_by_nothing_says_so(visit: Visit) -> None:
    page = visit(RIDGE)
    field(page, "memory.bandwidth").fill("0")
    assert page.locator("#live output").text_content() == "–"
    assert "no finite value" in page.locator("#live").inner_text()


def test_without_javascript_all_but_the_fields_is_there(visit: Visit) -> None:
    page = visit(RIDGE, javascript=False)
    assert not page.locator("#live").is_visible()
    assert "295.343 flop/byte" in (page.locator(".result .number").first.text_content() or "")
    assert "Ridgeline: ridge.bf16" in (page.locator("#cite-text").text_content() or "")
    assert json.loads(page.locator("#cite-csl").text_content() or "")[0]["type"] == "dataset"


def test_changed_inputs_are_printed_and_unchanged_ones_are_not(visit: Visit) -> None:
    page = visit(RIDGE)
    page.emulate_media(media="print")
    assert not page.locator("#live").is_visible()
    page.emulate_media(media="screen")
    field(page, "memory.bandwidth").fill("3.9")
    page.emulate_media(media="print")
    assert page.locator("#live output").is_visible()


@pytest.mark.slow
def test_the_browser_computes_every_value_of_the_site_again(visit: Visit, site: Path) -> None:
    """All programs of all pages, run by the code that the pages load."""
    programs = {}
    pages = list((site / "f").glob("*/index.html"))
    for path in pages:
        block = _BLOCK.search(path.read_text(encoding="utf-8"))
        if block is not None:
            programs[path.parent.name] = json.loads(block[1])
    assert len(programs) > 0.9 * len(pages)
    page = visit(RIDGE)
    apart: dict[str, float] = page.evaluate(
        """async programs => {
          const root = new URL("../../assets/code/figure.js", location.href).href;
          const {compute} = await import(root);
          const apart = {};
          for (const [name, figure] of Object.entries(programs)) {
            const value = compute(figure), own = figure.result.value;
            const difference = own === value ? 0 : Math.abs(value - own) / Math.max(Math.abs(own), Number.MIN_VALUE);
            if (!(difference <= 1e-12)) apart[name] = difference;
          }
          return apart;
        }""",
        programs,
    )
    assert apart == {}
