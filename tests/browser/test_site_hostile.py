"""Records and a database that try to write into the site: everything that they say is shown as text."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from ridgeline.check import check
from ridgeline.publish.build import build
from ridgeline.publish.serve import server
from ridgeline.store.load import load

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SMALL = Path(__file__).resolve().parent.parent / "data" / "small"
SCRIPT = "<script>window.pwned = 1</script>"
LINK = "[x](javascript:alert(1))"
TEMPLATE = "{{ 7 * 7 }} {% raw %} ${7*7}"
BREAK = '"><svg onload="window.pwned = 1"><img src=x onerror="window.pwned = 1">'
TITLE = "</title></textarea><script>window.pwned = 1</script>"
PROSE = f"""{SCRIPT}

```
{SCRIPT}
</div></div></div>
~~~ html
# Heading

{LINK} ![y](https://outside.invalid/y.png) <https://outside.invalid> &lt;b&gt;

<!-- </div> --> </table> {BREAK} {TEMPLATE}

    indented {SCRIPT}

- `{BREAK}`
- *strong* **{LINK}**

[ref]: https://outside.invalid "t"
--- {{: onclick=alert }}
"""


def _edit(path: Path, change: dict[str, object]) -> None:
    record = yaml.safe_load(path.read_text(encoding="utf-8")) | change
    path.write_text(yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=10_000), encoding="utf-8")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site built from hostile records, with the database made worse than records can make it."""
    root = tmp_path_factory.mktemp("hostile")
    shutil.copytree(SMALL, root / "base")
    records = root / "base" / "records"
    text = {"summary": PROSE, "notes": PROSE}
    _edit(
        records / "accelerators" / "alpha.yaml",
        {"name": SCRIPT, "vendor": LINK, "architecture": TEMPLATE, "also_called": [BREAK], "text": text},
    )
    _edit(records / "accelerators" / "beta.yaml", {"name": LINK, "vendor": TITLE, "architecture": BREAK})
    _edit(records / "models" / "even.yaml", {"name": TITLE, "organisation": SCRIPT, "notes": PROSE})
    _edit(records / "classes" / "work.yaml", {"name": BREAK, "text": text})
    _edit(records / "sources" / "sheet.yaml", {"name": TEMPLATE + SCRIPT, "publisher": BREAK, "note": LINK + SCRIPT})
    path = root / "hostile.db"
    load(check(root / "base"), path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM records WHERE name = ?", (SCRIPT,)).fetchone() == (1,)
        connection.execute("UPDATE sources SET url = 'javascript:window.pwned=1'")
        connection.execute("UPDATE quantities SET locator = ?, means = ?, note = ?", (BREAK, SCRIPT, LINK))
        connection.execute(
            "UPDATE derivations SET mathml = ?, mathml_values = ?, label = label || ?", (SCRIPT, BREAK, TITLE)
        )
        connection.execute("UPDATE formulas SET means = ?, unit = ?, mathml = ?", (SCRIPT, BREAK, TITLE))
        connection.execute("UPDATE symbols SET means = ?, default_text = ?", ("\x02wzxhzdk:0\x03" + SCRIPT, BREAK))
        connection.commit()
    code = Path(__file__).parents[2] / "build" / "site-code"
    build(path, root / "site", repository_url="https://git.example.org/r", code=code)
    return root / "site"


@pytest.fixture(scope="module")
def hostile_url(hostile: Path) -> Iterator[str]:
    with server(hostile, 0) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_no_script_runs_and_nothing_leaves(hostile: Path, hostile_url: str, browser: Browser) -> None:
    """Every page of the hostile site is opened in Chromium."""
    outside: list[str] = []
    dialogs: list[str] = []
    context = browser.new_context()
    page = context.new_page()
    page.on("request", lambda r: outside.append(r.url) if not r.url.startswith((hostile_url, "data:")) else None)
    page.on("dialog", lambda d: (dialogs.append(d.message), d.dismiss()))
    own = {p.name for p in (hostile / "assets").rglob("*.js")}
    for path in sorted(hostile.rglob("*.html")):
        page.goto(f"{hostile_url}/{path.relative_to(hostile).as_posix()}")
        assert page.evaluate("window.pwned === undefined"), path
        found = page.evaluate(
            """() => ({
              scripts: [...document.scripts].map(s => s.src).filter(Boolean),
              handlers: [...document.querySelectorAll('.md-content *')].filter(
                e => [...e.attributes].some(a => a.name.startsWith('on'))).map(e => e.outerHTML.slice(0, 120)),
              images: document.querySelectorAll('.md-content img, .md-content iframe, .md-content object').length,
              schemes: [...document.links].map(a => a.protocol),
            })"""
        )
        assert {url.rsplit("/", 1)[-1] for url in found["scripts"]} <= own, path
        assert found["handlers"] == [] and found["images"] == 0, path
        assert set(found["schemes"]) <= {"http:", "https:"}, path
    context.close()
    assert outside == [] and dialogs == []


def test_hostile_text_is_shown_as_text(hostile_url: str, browser: Browser) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{hostile_url}/accelerators/alpha/")
    assert page.locator("h1").text_content() == SCRIPT
    assert page.title() == f"{SCRIPT} - Ridgeline"
    facts = page.locator("dl.facts").first.text_content() or ""
    assert LINK in facts and TEMPLATE in facts and BREAK in facts
    whole = page.locator(".md-content").text_content() or ""
    for piece in (
        SCRIPT,
        LINK,
        TEMPLATE,
        "```",
        "~~~ html",
        "# Heading",
        "![y](https://outside.invalid/y.png)",
        "</table>",
    ):
        assert piece in whole, piece
    # The page goes on as it should: its sections are still sections, in the order of the template.
    headings = [h for h in page.locator(".md-content h2").all_text_contents() if h.strip()]
    assert headings[:3] == ["Roofline", "Peaks", "Memory"] and "Recorded values" in headings
    assert page.locator("article .rl #s-values").count() == 0
    page.goto(f"{hostile_url}/sources/sheet/")
    assert "javascript:window.pwned=1" in (page.locator("dl.facts").text_content() or "")
    assert page.locator('a[href^="javascript"]').count() == 0
    page.context.close()


def test_search_results_are_text(hostile_url: str, browser: Browser) -> None:
    page = browser.new_context().new_page()
    page.goto(hostile_url)
    page.locator("button.rl-search-open").click()
    page.locator("dialog.rl-search input").fill("indented")
    results = page.locator(".rl-search-results")
    results.locator("mark").first.wait_for()
    assert "indented" in (results.text_content() or "")
    assert results.locator("script, img, svg").count() == 0
    assert page.evaluate("window.pwned === undefined")
    page.context.close()
