"""Search, sorting and filters; and how much a page loads before anybody searches."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.templates import TEMPLATES
from tests.browser.test_site_quality import axe, violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
__all__ = ["axe"]


def found(page: Page, words: str) -> list[str]:
    """The pages that a search by keyboard finds, best first."""
    page.keyboard.press("/")
    page.locator("dialog.rl-search input").wait_for()
    page.keyboard.type(words)
    page.locator("dialog.rl-search [role=status]", has_text=f"“{words}”").wait_for()
    links: list[str] = page.locator(".rl-search-results > li > a").evaluate_all("found => found.map(a => a.pathname)")
    return links


@pytest.mark.parametrize("words", ["H100 SXM5", "nvidia-h100-sxm", "h100"])
def test_a_record_is_found_by_name_and_id(visit: Visit, words: str) -> None:
    assert "/accelerators/nvidia-h100-sxm/" in found(visit("/method/"), words)[:5]


def test_the_best_hit_opens_with_enter_and_escape_closes(visit: Visit) -> None:
    page = visit("/")
    first = found(page, "llama-2-70b")[0]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{first}*")
    page.keyboard.press("Control+k")
    dialog = page.locator("dialog.rl-search")
    dialog.locator("input").wait_for()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_what_nobody_wrote_is_not_found(visit: Visit) -> None:
    assert found(visit("/"), "zzyzxq") == []


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("dark", [False, True])
def test_the_dialog_is_accessible(visit: Visit, axe: str, width: int, dark: bool) -> None:
    page = visit("/formats/bf16/", width=width, dark=dark)
    page.locator("button.rl-search-open").click()
    page.locator("dialog.rl-search input").fill("bandwidth")
    page.locator(".rl-search-results li").first.wait_for()
    assert violations(page, axe) == []


def test_without_javascript_the_header_leads_to_the_lists(visit: Visit) -> None:
    page = visit("/formats/bf16/", javascript=False)
    link = page.locator("header a.rl-lists")
    assert link.is_visible()
    link.click()
    assert page.locator("h1").text_content() == "Ridgeline"


@pytest.mark.parametrize("path", TEMPLATES)
def test_what_a_page_loads_before_anybody_searches(visit: Visit, site: Path, path: str) -> None:
    page = visit(path)
    page.wait_for_load_state("networkidle")
    names: list[str] = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    files = {site / urlsplit(name).path.lstrip("/") for name in names if name.startswith("http")}
    sizes = {f: len(gzip.compress(f.read_bytes(), 6)) for f in files}
    sizes[site / path.lstrip("/") / "index.html"] = len(
        gzip.compress((site / path.lstrip("/") / "index.html").read_bytes(), 6)
    )
    scripts = sum(size for file, size in sizes.items() if file.suffix == ".js")
    assert not [f for f in files if "/search/" in f.as_posix()]
    assert scripts <= 45 * 1024
    assert sum(sizes.values()) <= 120 * 1024


def column(page: Page, number: int) -> list[float]:
    found: list[str] = page.locator(f"table.sortable tbody td:nth-child({number})").evaluate_all(
        "cells => cells.map(c => c.dataset.sort)"
    )
    return [float(text) for text in found if text]


def test_numbers_sort_by_value_and_unknown_ones_stay_last(visit: Visit) -> None:
    page = visit("/accelerators/")
    button = page.locator("th button", has_text="Bandwidth")
    button.focus()
    page.keyboard.press("Enter")
    falling = column(page, 3)
    assert falling == sorted(falling, reverse=True) and len(falling) > 20
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert column(page, 3) == sorted(falling)
    last = page.locator("table.sortable tbody tr").last.locator("td:nth-child(3)").get_attribute("data-sort")
    known = page.locator("table.sortable tbody td:nth-child(3)").count() == len(falling)
    assert known or last == ""


def test_a_filter_says_how_many_rows_remain_and_stays_in_the_address(visit: Visit) -> None:
    page = visit("/accelerators/")
    field = page.locator(".table-tools input")
    total = page.locator("table.sortable tbody tr").count()
    field.fill("h100 hopper")
    page.locator(".table-tools output", has_text=f"of {total} records").wait_for()
    rows = page.locator("table.sortable tbody tr:visible").all_text_contents()
    assert 0 < len(rows) < total and all("H100" in row for row in rows)
    page.reload()
    assert page.locator("table.sortable tbody tr:visible").count() == len(rows)
