"""What a reader and a browser may expect of every page: accessible, still while it loads, valid HTML."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.templates import TEMPLATES

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
#: Pages that are drawn by chance, the same ones each time.
DRAWN = 50
_SETTINGS = list(product((1280, 375), (False, True)))
#: The rules of the Web Content Accessibility Guidelines, and what their authors call best practice.
_AXE = """async () => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.map(v => `${v.id}: ${v.nodes.length} × ${v.nodes[0].target.join(" ")}`);
}"""
#: Faults of the shell itself, which a page of ours cannot mend: the message, and why it does no harm.
SHELL_FAULTS = {
    "Attribute “autocomplete” is only allowed when": "on the hidden inputs of the drawer and the search; ignored",
    "The value of the “for” attribute of the “label”": "of the phone's table of contents, whose input is hidden",
}


@pytest.fixture(scope="module")
def axe(repository: Path) -> str:
    return (repository / "site" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def addresses(site: Path) -> list[str]:
    """Every page of the site from its root."""
    pages = (p.parent.relative_to(site).as_posix() for p in site.rglob("index.html"))
    return sorted("/" if p == "." else f"/{p}/" for p in pages)


def drawn(site: Path) -> list[str]:
    return random.Random(20261201).sample(addresses(site), DRAWN)


def violations(page: Page, axe: str) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found: list[str] = page.evaluate(_AXE)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", TEMPLATES)
def test_each_template_is_accessible(visit: Visit, axe: str, path: str) -> None:
    page = visit(path)
    found = {}
    for width, dark in _SETTINGS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        if wrong := violations(page, axe):
            found[width, dark] = wrong
    assert found == {}


@pytest.mark.slow
def test_pages_drawn_by_chance_are_accessible(visit: Visit, axe: str, site: Path) -> None:
    found = {}
    for number, path in enumerate(drawn(site)):
        width, dark = _SETTINGS[number % len(_SETTINGS)]
        page = visit(path, width=width, dark=dark)
        if wrong := violations(page, axe):
            found[path] = wrong
        page.context.close()
    assert found == {}


def test_axe_can_find_something(visit: Visit, axe: str) -> None:
    page = visit("/method/")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<main><button></button></main>')")
    assert any(v.startswith("button-name") for v in violations(page, axe))


@pytest.mark.parametrize("width", [1280, 375])
def test_nothing_moves_while_a_page_loads(visit: Visit, width: int) -> None:
    moved = {}
    for path in TEMPLATES:
        page = visit(path, width=width)
        page.wait_for_load_state("networkidle")
        shift: float = page.evaluate(
            """() => new Promise(done => new PerformanceObserver(list => done(
                 list.getEntries().filter(e => !e.hadRecentInput).reduce((sum, e) => sum + e.value, 0)
               )).observe({type: "layout-shift", buffered: true}) ?? setTimeout(() => done(0), 200))"""
        )
        if shift > 0.02:
            moved[path] = round(shift, 4)
        page.context.close()
    assert moved == {}


def faults(pages: list[Path], repository: Path) -> list[dict[str, Any]]:
    """What the checker of the Nu HTML project finds wrong in some files."""
    jar = repository / "site" / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
    command = ["java", "-Xss4m", "-jar", str(jar), "--errors-only", "--format", "json", *map(str, pages)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    found: list[dict[str, Any]] = json.loads(ran.stderr)["messages"]
    return found


@pytest.mark.slow
def test_the_html_is_valid(site: Path, repository: Path) -> None:
    chosen = [a for a in addresses(site) if not a.startswith("/f/")]
    chosen += random.Random(7).sample([a for a in addresses(site) if a.startswith("/f/")], 200)
    pages = [site / a.lstrip("/") / "index.html" for a in chosen]
    wrong = Counter(m["message"] for m in faults(pages, repository) if not m["message"].startswith(tuple(SHELL_FAULTS)))
    assert wrong == Counter()


def test_the_checker_can_find_something_and_each_named_fault_is_there(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<!doctype html><html lang=en><title>x</title><p><li></p>", encoding="utf-8")
    assert any("li" in m["message"] for m in faults([bad], repository))
    shown = [site / "index.html", site / "accelerators" / "nvidia-h100-sxm" / "index.html"]
    messages = [m["message"] for m in faults(shown, repository)]
    assert [f for f in SHELL_FAULTS if not any(m.startswith(f) for m in messages)] == []
