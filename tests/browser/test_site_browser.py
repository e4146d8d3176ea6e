"""The site in Chromium: with and without JavaScript, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.templates import TEMPLATES

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
RIDGE = "/f/accelerators.nvidia-h100-sxm.ridge.bf16/"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 375])
def test_no_page_scrolls_sideways(visit: Visit, width: int, dark: bool) -> None:
    for path in TEMPLATES:
        page = visit(path, width=width, dark=dark)
        wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, (path, wide)
        page.close()


def test_light_and_dark_follow_the_system(visit: Visit) -> None:
    def colours(page: Page) -> Any:
        return page.evaluate("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")

    light = colours(visit("/accelerators/nvidia-h100-sxm/"))
    dark = colours(visit("/accelerators/nvidia-h100-sxm/", dark=True))
    assert light[0] == "rgb(255, 255, 255)"
    assert dark[0] == "rgb(16, 22, 29)"


def _ratio(page: Page, selector: str) -> float:
    """Contrast of the text of the first element that a selector finds against the first opaque ground below it."""
    value: float = page.evaluate(
        """selector => {
          const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
          const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
            v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
          ).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
          let e = document.querySelector(selector);
          const ink = light(parse(getComputedStyle(e).color));
          let ground = null;
          while (e && !ground) {
            const c = parse(getComputedStyle(e).backgroundColor);
            if (c.length === 3 || c[3] === 1) ground = c;
            e = e.parentElement;
          }
          const [a, b] = [ink, light(ground || [255, 255, 255])].sort((x, y) => y - x);
          return (a + 0.05) / (b + 0.05);
        }""",
        selector,
    )
    return value


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_readable(visit: Visit, dark: bool) -> None:
    page = visit("/classes/prefill-attention/", dark=dark)
    selectors = [
        ".rl p", ".rl a.fig-recomputed", ".rl .badge-recomputed", ".rl .badge-cited", ".rl .badge-recorded",
        ".rl .badge-set-aside", ".rl .crumbs a", ".rl .meta", "table.rl caption", "table.rl thead th", "table.rl td a",
        ".rl .written", ".md-copyright__highlight", ".md-copyright a", ".md-nav__link",
    ]  # fmt: skip
    poor = {s: round(r, 2) for s in selectors if (r := _ratio(page, s)) < 4.5}
    assert poor == {}


def test_without_javascript_a_number_leads_to_its_derivation(visit: Visit) -> None:
    page = visit("/classes/prefill-attention/", javascript=False)
    link = page.locator(".prose a.fig-recomputed", has_text="591").first
    assert "recomputed" in (link.text_content() or "")
    link.click()
    assert "/f/" in page.url
    assert page.locator("math").count() >= 2
    assert "590.687" in (page.locator(".result .number").text_content() or "")
    sources = page.locator("#s-leaves ~ .scroll a.source")
    assert sources.count() >= 2
    assert page.locator("#s-leaves ~ .scroll .checked time").first.text_content()


def test_without_javascript_a_recorded_value_leads_to_its_source(visit: Visit) -> None:
    page = visit("/accelerators/nvidia-h100-sxm/", javascript=False)
    page.locator(".keys a.fig-recorded", has_text="3.35 TB/s").click()
    row = page.locator("tr:target")
    assert "3.35 TB/s" in (row.text_content() or "")
    row.locator("a.source").click()
    assert "/sources/" in page.url
    assert page.locator("table", has_text="Every recorded value").locator("tr", has_text="3.35 TB/s").count() >= 1


def test_a_derivation_shows_formula_inputs_and_uses(visit: Visit) -> None:
    page = visit(RIDGE, javascript=False)
    assert page.locator("h1").text_content() == "ridge.bf16"
    assert "dense tensor peak in bf16" in (page.locator(".lead").text_content() or "")
    written, substituted = (page.locator(".substitution math").nth(i).text_content() for i in (0, 1))
    assert written == "peak.bf16memory.bandwidth"
    assert "989.4" in (substituted or "") and "3.35" in (substituted or "")
    assert page.locator("#s-inputs ~ .scroll tbody tr").count() >= 2
    assert page.locator("#s-used ~ ul a").count() >= 1
    page.locator("#s-printed ~ ul a").first.click()
    assert page.locator("tr:target").count() == 1


def test_the_roofline_is_a_drawing_with_its_data(visit: Visit) -> None:
    page = visit("/accelerators/nvidia-h100-sxm/", javascript=False)
    svg = page.locator("svg.roofline")
    assert svg.count() == 1
    assert "NVIDIA H100" in (svg.locator("> title").text_content() or "")
    assert "ridge point 295.343" in (svg.locator("desc").text_content() or "")
    assert svg.locator("circle.ridge").count() >= 6
    assert (
        page.locator("table", has_text="The same in numbers").locator("tbody tr").count()
        >= svg.locator("circle").count()
    )
    boxes: list[dict[str, float]] = page.evaluate(
        "[...document.querySelectorAll('svg.roofline text')].map(t => { const b = t.getBoundingClientRect();"
        " return {x: b.x, y: b.y, r: b.right, b: b.bottom}; })"
    )
    frame = svg.bounding_box()
    assert frame is not None
    assert all(b["x"] >= frame["x"] - 1 and b["r"] <= frame["x"] + frame["width"] + 1 for b in boxes)
    labels = boxes[-svg.locator("text.label").count() - 1 : -1]
    assert all(a["b"] <= b["y"] + 4 for a, b in pairwise(labels))


def test_the_keyboard_reaches_tables_and_shows_where_it_is(visit: Visit) -> None:
    page = visit("/accelerators/nvidia-h100-sxm/")
    boxes = page.locator(".rl .scroll")
    assert boxes.count() > 3
    for box in (boxes.nth(i) for i in range(boxes.count())):
        assert box.get_attribute("tabindex") == "0" and box.get_attribute("aria-label")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    outline: str = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_paper_has_the_content_and_no_navigation(visit: Visit) -> None:
    page = visit(RIDGE)
    page.emulate_media(media="print")
    assert not page.locator(".md-header").is_visible()
    assert page.locator(".result .number").first.is_visible()
    assert page.locator(".substitution math").first.is_visible()


def test_tables_say_what_their_cells_belong_to(visit: Visit) -> None:
    for path in TEMPLATES:
        page = visit(path, javascript=False)
        poor: list[str] = page.evaluate(
            "[...document.querySelectorAll('table')].filter(t => !t.caption || "
            "[...t.querySelectorAll('th')].some(h => !h.scope)).map(t => t.outerHTML.slice(0, 200))"
        )
        assert poor == [], path
        page.close()
