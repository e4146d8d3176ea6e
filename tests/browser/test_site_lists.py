"""The pages about the whole base: mistakes, open questions, rules, changes, and the one that answers SQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]


def ask(page: Page, query: str) -> str:
    """Run a query by keyboard alone, and wait for what is said of it."""
    field = page.locator("#sql-query")
    field.fill(query)
    field.press("Control+Enter")
    status = page.locator("#sql [role=status]")
    status.filter(has_text=re.compile(r"rows|SQLite says|could not")).wait_for()
    return status.text_content() or ""


def test_a_query_is_answered_from_the_shipped_database(visit: Visit) -> None:
    page = visit("/sql/")
    assert "rows" in ask(page, "SELECT count(*) AS n FROM records")
    shown = page.locator("#sql tbody td").text_content() or ""
    assert int(shown) == len(
        page.request.get(page.url.replace("/sql/", "/api/v1/index.json").split("?")[0]).json()["records"]
    )
    assert "q=SELECT" in page.url


def test_nothing_is_loaded_before_a_query(visit: Visit) -> None:
    page = visit("/sql/")
    page.wait_for_load_state("networkidle")
    loaded: list[str] = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert loaded and not [name for name in loaded if name.endswith((".sqlite", ".wasm"))]


def test_a_wrong_query_says_why_and_the_next_one_runs(visit: Visit) -> None:
    page = visit("/sql/")
    assert "no such table: absent" in ask(page, "SELECT * FROM absent")
    assert page.locator("#sql table").count() == 0
    assert ask(page, "SELECT 1 AS one UNION ALL SELECT NULL") == "2 rows."
    assert page.locator("#sql tbody td").all_text_contents() == ["1", "NULL"]


def test_a_query_in_the_address_runs_and_many_rows_are_cut(visit: Visit) -> None:
    query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    page = visit(f"/sql/?q={query.replace(' ', '%20').replace('+', '%2B')}")
    page.locator("#sql [role=status]", has_text="there are more").wait_for()
    assert page.locator("#sql tbody tr").count() == 1000


def test_text_of_the_database_is_text(visit: Visit) -> None:
    page = visit("/sql/")
    ask(page, "SELECT '<img src=x onerror=alert(1)>' AS \"<b>x</b>\"")
    assert page.locator("#sql table img, #sql table b").count() == 0
    assert page.locator("#sql th").all_text_contents() == ["<b>x</b>"]


def test_every_example_runs(visit: Visit) -> None:
    page = visit("/sql/")
    queries: list[str] = page.locator("[data-sql]").evaluate_all("found => found.map(e => e.dataset.sql)")
    assert len(queries) > 10
    assert {q: said for q in queries if "row" not in (said := ask(page, q))} == {}


def test_without_javascript_the_page_says_what_to_do(visit: Visit) -> None:
    page = visit("/sql/", javascript=False)
    assert "sqlite3" in (page.locator("#sql").text_content() or "")


def test_each_mistake_leads_to_what_is_right(visit: Visit) -> None:
    page = visit("/mistakes/", javascript=False)
    row = page.locator("#s-sparse ~ .rl tr", has_text="NVIDIA H100 SXM5").filter(has_text="bf16").first
    wrong, right = row.locator("td.n a").all()
    assert "recorded" in (wrong.text_content() or "") and wrong.get_attribute("href") != right.get_attribute("href")
    right.click()
    assert "/accelerators/nvidia-h100-sxm/" in page.url or "/f/" in page.url


def test_every_rule_has_its_anchor(visit: Visit) -> None:
    from ridgeline.rules.catalogue import catalogue

    page = visit("/rules/", javascript=False)
    found: list[str] = page.locator("section.rule h2").evaluate_all("found => found.map(e => e.id)")
    assert found == list(catalogue())


def test_changes_lead_to_the_feeds(visit: Visit) -> None:
    page = visit("/changes/", javascript=False)
    links: list[str] = page.locator("a[type]").evaluate_all("found => found.map(a => a.href)")
    assert len(links) == 2
    assert all(page.request.get(link).ok for link in links)
