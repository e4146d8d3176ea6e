"""The built pages as files: links, ids, what they load, and that every recorded value stands on them without a script."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from ridgeline.check import check
from ridgeline.publish.build import build
from ridgeline.store.load import load

HOST = "http://site.invalid"


@dataclass
class Parsed:
    """What one page holds: ids, links, and its text outside scripts."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    figures: list[tuple[str, str | None]] = field(default_factory=list)
    text: str = ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Parsed()
        self.parts: list[str] = []
        self.quiet = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.page.ids.append(str(values["id"]))
        if tag == "a" and values.get("href"):
            self.page.links.append(str(values["href"]))
        if tag in ("link", "script", "img", "iframe", "source", "use"):
            target = values.get("src") or values.get("href")
            if target and values.get("rel") != "canonical":
                self.page.loads.append(target)
        css = (values.get("class") or "").split()
        if "fig" in css:
            self.page.figures.append((" ".join(css), values.get("href")))
        self.quiet += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.quiet -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.quiet:
            self.parts.append(data)


def parse(path: Path) -> Parsed:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.page.text = " ".join("".join(reader.parts).split())
    return reader.page


@pytest.fixture(scope="session")
def parsed(site: Path) -> dict[str, Parsed]:
    """Every page by its address from the root: ``/``, ``/accelerators/nvidia-h100-sxm/``."""
    return {f"/{p.relative_to(site).as_posix().removesuffix('index.html')}": parse(p) for p in site.rglob("*.html")}


def broken(site: Path, parsed: dict[str, Parsed]) -> list[str]:
    """Links to pages, files or ids that are not there."""
    found = []
    for address, page in parsed.items():
        for link in page.links + page.loads:
            parts = urlsplit(urljoin(HOST + address, link))
            if f"{parts.scheme}://{parts.netloc}" != HOST:
                continue
            path, fragment = unquote(parts.path), unquote(parts.fragment)
            if path in parsed:
                if fragment and fragment not in parsed[path].ids:
                    found.append(f"{address}: {link}: no such id")
            elif not (site / path.lstrip("/")).is_file():
                found.append(f"{address}: {link}: no such file")
    return found


def test_every_link_and_fragment_resolves(site: Path, parsed: dict[str, Parsed]) -> None:
    assert sum(len(page.links) for page in parsed.values()) > 5_000
    assert broken(site, parsed) == []


def test_the_link_check_can_fail(site: Path, parsed: dict[str, Parsed]) -> None:
    some = parsed | {"/x/": Parsed(links=["../#nowhere", "gone/", "../"])}
    assert broken(site, some) == ["/x/: ../#nowhere: no such id", "/x/: gone/: no such file"]


def test_ids_are_unique_on_each_page(parsed: dict[str, Parsed]) -> None:
    twice = {address: [i for i, n in Counter(page.ids).items() if n > 1] for address, page in parsed.items()}
    assert {address: ids for address, ids in twice.items() if ids} == {}


def test_nothing_is_loaded_from_elsewhere(parsed: dict[str, Parsed]) -> None:
    outside = {link for page in parsed.values() for link in page.loads if urlsplit(link).netloc}
    assert outside == set()
    schemes = {urlsplit(link).scheme for page in parsed.values() for link in page.links}
    assert schemes <= {"", "http", "https"}


def test_every_record_has_its_page(parsed: dict[str, Parsed], records_root: Path) -> None:
    expected = {f"/{p.parent.name}/{p.stem}/" for p in records_root.rglob("*.yaml")}
    assert expected <= set(parsed)


def test_every_number_in_prose_and_tables_leads_somewhere(parsed: dict[str, Parsed]) -> None:
    plain = {
        (address, css)
        for address, page in parsed.items()
        for css, href in page.figures
        if href is None and css not in ("fig fig-set",) and not address.startswith("/method/")
    }
    # The legends show how numbers look; everything else is a link.
    legend = {"fig fig-recomputed", "fig fig-equation", "fig fig-recorded", "fig fig-cited", "fig fig-unverified"}
    assert {css for _, css in plain} <= legend
    for address, page in parsed.items():
        shown = Counter(css for css, href in page.figures if href is None)
        assert all(shown[css] <= 1 for css in legend) or address.startswith("/method/"), address


def test_search_holds_no_derivation_and_the_navigation_no_record(site: Path, parsed: dict[str, Parsed]) -> None:
    import json

    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert [d["location"] for d in index["docs"] if d["location"].startswith("f/")] == []
    assert any(d["location"].startswith("accelerators/nvidia-h100-sxm/") for d in index["docs"])
    assert sum(address.startswith("/f/") for address in parsed) > 100
    assert not (site / "f" / "index.html").exists()


@pytest.fixture(scope="module")
def database(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "ridgeline.db"
    load(check(repository), path)
    return path


def test_every_recorded_value_and_numeral_stands_in_the_static_page(database: Path, parsed: dict[str, Parsed]) -> None:
    missing = []
    with closing(sqlite3.connect(database)) as connection:
        values = "SELECT record, text, source FROM quantities WHERE text IS NOT NULL AND basis != 'derived'"
        for record, text, source in connection.execute(values):
            page = parsed[f"/{record}/"]
            if " ".join(text.split()) not in page.text or (source and f"../../sources/{source}/" not in page.links):
                missing.append((record, text))
        claims = "SELECT q.record, c.text, c.locator FROM claims c JOIN quantities q ON q.id = c.quantity"
        for record, text, locator in connection.execute(claims):
            page = parsed[f"/{record}/"]
            if " ".join(text.split()) not in page.text or " ".join((locator or "").split()) not in page.text:
                missing.append((record, text))
        for record, text in connection.execute("SELECT record, text FROM passages WHERE field LIKE 'text.%'"):
            # The marks of emphasis and code are gone from the page; the words are not.
            if "".join(text.split()[:1]).strip("`*_") not in parsed[f"/{record}/"].text:
                missing.append((record, text[:60]))
        derived = "SELECT label, display FROM derivations WHERE id IN (SELECT derivation FROM quantities WHERE basis = 'derived')"
        shown = " ".join(page.text for address, page in parsed.items() if address.startswith("/f/"))
        for label, display in connection.execute(derived):
            if display not in shown and display.split(" ")[0] not in shown.replace(",", ""):
                missing.append((label, display))
    assert missing == []


def _tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.slow
def test_two_builds_are_byte_identical(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "one" / "site", tmp_path / "another folder" / "other"
    build(database, first, base_url="https://example.org/r/", repository_url="https://git.example.org/r")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    build(database, second, base_url="https://example.org/r/", repository_url="https://git.example.org/r")
    one, two = _tree(first), _tree(second)
    assert list(one) == list(two)
    assert [name for name in one if one[name] != two[name]] == []
    assert b"https://example.org/r/accelerators/nvidia-h100-sxm/" in one["sitemap.xml"]
    assert b"skeleton" not in one["sitemap.xml"]
    assert (
        b'rel="canonical" href="https://example.org/r/f/accelerators.nvidia-h100-sxm.ridge.bf16/"'
        in (one["f/accelerators.nvidia-h100-sxm.ridge.bf16/index.html"])
    )
