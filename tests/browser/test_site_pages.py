"""The built pages as files: links, ids, what they load, and that every recorded value stands on them without a script."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from ridgeline.check import check
from ridgeline.cli.database import load_database
from ridgeline.publish.address import Addresses
from ridgeline.publish.build import build
from ridgeline.publish.database import read
from tests.browser.conftest import BASE_URL, REPOSITORY_URL

HOST = "https://example.org"
#: The part of the site's address after its host: the page for what is not found has links that start with it.
ROOT = urlsplit(BASE_URL).path.rstrip("/")


@dataclass
class Parsed:
    """What one page holds: ids, links, and its text outside scripts."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    figures: list[tuple[str, str | None]] = field(default_factory=list)
    text: str = ""


def parse(path: Path) -> Parsed:
    tree = LexborHTMLParser(path.read_bytes())
    found = Parsed()
    for node in tree.css("[id]"):
        found.ids.append(node.attributes["id"] or "")
    for node in tree.css("a[href]"):
        found.links.append(node.attributes["href"] or "")
    for node in tree.css("link, script, img, iframe, source, use"):
        target = node.attributes.get("src") or node.attributes.get("href")
        if target and node.attributes.get("rel") != "canonical":
            found.loads.append(target)
    for node in tree.css(".fig"):
        found.figures.append((node.attributes["class"] or "", node.attributes.get("href")))
    for node in tree.css("script, style"):
        node.decompose()
    found.text = " ".join((tree.root.text() if tree.root is not None else "").split())
    return found


@pytest.fixture(scope="session")
def parsed(site: Path) -> dict[str, Parsed]:
    """Every page by its address from the root: ``/``, ``/accelerators/nvidia-h100-sxm/``."""
    return {f"/{p.relative_to(site).as_posix().removesuffix('index.html')}": parse(p) for p in site.rglob("*.html")}


def broken(site: Path, parsed: dict[str, Parsed]) -> list[str]:
    """Links to pages, files or ids that are not there."""
    found = []
    for address, page in parsed.items():
        for link in page.links + page.loads:
            parts = urlsplit(urljoin(HOST + ROOT + address, link))
            if f"{parts.scheme}://{parts.netloc}" != HOST:
                continue
            path, fragment = unquote(parts.path).removeprefix(ROOT), unquote(parts.fragment)
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


def test_derivations_are_outside_search_and_navigation(site: Path, parsed: dict[str, Parsed]) -> None:
    def searched(path: str) -> bool:
        return b"data-pagefind-body" in (site / path / "index.html").read_bytes()

    assert searched("accelerators/nvidia-h100-sxm") and searched("method")
    assert not searched("f/accelerators.nvidia-h100-sxm.ridge.bf16")
    assert sum(address.startswith("/f/") for address in parsed) > 100
    assert not (site / "f" / "index.html").exists()


@pytest.fixture(scope="module")
def database(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "ridgeline.db"
    load_database(check(repository), str(path), repository)
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
    assert missing == []


def test_every_derivation_has_its_page_with_its_value(database: Path, parsed: dict[str, Parsed]) -> None:
    content = read(database)
    pages = Addresses(content).derivations()
    computed = {d.id for d in content.derivations.values() if d.formula is not None or d.steps}
    assert set(pages) == computed and len(computed) > 10_000
    missing = [
        (address, content.derivations[identity].shown)
        for identity, address in pages.items()
        if content.derivations[identity].shown not in parsed[f"/{address}"].text
    ]
    assert missing == []


def _tree(folder: Path) -> dict[str, bytes]:
    """What each file holds, as a digest."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file())
    return {p.relative_to(folder).as_posix(): sha256(p.read_bytes()).digest() for p in files}


@pytest.mark.slow
def test_two_builds_are_byte_identical(
    repository: Path, site: Path, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    second = tmp_path / "another folder" / "other"
    code = repository / "build" / "site-code"
    build(database, second, base_url=BASE_URL, repository_url=REPOSITORY_URL, code=code, records=repository)
    one, two = _tree(site), _tree(second)
    assert list(one) == list(two)
    assert [name for name in one if one[name] != two[name]] == []
    assert b"https://example.org/r/accelerators/nvidia-h100-sxm/" in (site / "sitemap.xml").read_bytes()
    assert b"skeleton" not in (site / "sitemap.xml").read_bytes()
    page = (site / "f/accelerators.nvidia-h100-sxm.ridge.bf16/index.html").read_bytes()
    assert b'rel="canonical" href="https://example.org/r/f/accelerators.nvidia-h100-sxm.ridge.bf16/"' in page
