"""Feeds: what RFC 4287 and JSON Feed 1.1 demand, held by a checker of our own; and that they tell of every change, once."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import jsonschema
import pytest

from ridgeline.check import check
from ridgeline.export.changes import Change, Changes
from ridgeline.export.snapshot import opened
from ridgeline.publish import downloads, feeds
from ridgeline.store.load import load
from tests.conftest import Edit
from tests.data.repository import GOOD

BASE = "https://example.org/ridgeline/"
ATOM = "{http://www.w3.org/2005/Atom}"
FORGE = "accelerators/forge-a"
HOSTILE = "]]></content><script>alert(1)</script>&lt;b&gt; \\u0007 \\uFFFE {{ x }}"
HISTORY = f"""revision: 3
formerly: [forge-zero]
history:
  - {{revision: 2, date: 2026-10-01, change: memory.bandwidth, was: 1.2 TB/s, why: A later sheet.}}
  - {{revision: 3, date: 2026-12-01, change: memory.bandwidth, was: 1.22 TB/s, why: "{HOSTILE}"}}
"""
_STAMP = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)"
)
_IRI = re.compile(r"(https://|urn:uuid:)\S+")


# The checker


def atom_faults(text: bytes, *, absolute: bool) -> list[str]:
    """What RFC 4287 says against a feed."""
    feed = ElementTree.fromstring(text)
    told = [] if feed.tag == f"{ATOM}feed" else [f"the root is {feed.tag}"]
    told += _parts(
        feed, {"id": (1, 1), "title": (1, 1), "updated": (1, 1), "author": (1, 99), "link": (1, 99), "entry": (0, 9999)}
    )
    told += (
        [] if [link.get("rel") for link in feed.findall(f"{ATOM}link")].count("self") == 1 else ["no link to itself"]
    )
    for author in feed.findall(f"{ATOM}author"):
        told += _parts(author, {"name": (1, 1)})
    ids = [feed.findtext(f"{ATOM}id")]
    for entry in feed.findall(f"{ATOM}entry"):
        told += _parts(entry, {"id": (1, 1), "title": (1, 1), "updated": (1, 1), "link": (1, 9), "content": (1, 1)})
        ids.append(entry.findtext(f"{ATOM}id"))
        (body,) = entry.findall(f"{ATOM}content")
        told += [] if body.get("type") == "text" and len(body) == 0 and body.text else ["content that is no text"]
        # 4.1.1.1: alternate links of one type and language stand once.
        kinds = [
            (x.get("type"), x.get("hreflang")) for x in entry.findall(f"{ATOM}link") if x.get("rel") == "alternate"
        ]
        told += [] if len(kinds) == len(set(kinds)) == 1 else ["alternate links"]
    told += [f"{n} stands twice" for n in set(ids) if ids.count(n) > 1]
    told += [f"{n} is no IRI" for n in ids if not _IRI.fullmatch(n or "")]
    for stamp in feed.iter(f"{ATOM}updated"):
        told += [] if _STAMP.fullmatch(stamp.text or "") else [f"{stamp.text} is no time"]
    for link in feed.iter(f"{ATOM}link"):
        told += [] if bool(urlsplit(link.get("href", "")).scheme) is absolute else [f"{link.get('href')}"]
    newest = [e.findtext(f"{ATOM}updated") or "" for e in feed.findall(f"{ATOM}entry")]
    told += [] if newest == sorted(newest, reverse=True) else ["not newest first"]
    told += [] if not newest or feed.findtext(f"{ATOM}updated") == newest[0] else ["updated is not that of the newest"]
    return told


def _parts(element: ElementTree.Element, allowed: dict[str, tuple[int, int]]) -> list[str]:
    names = [child.tag.removeprefix(ATOM) for child in element]
    told = [f"{name} in {element.tag}" for name in names if name not in allowed]
    return told + [
        f"{n} stands {names.count(n)} times" for n, (a, b) in allowed.items() if not a <= names.count(n) <= b
    ]


def json_faults(text: bytes, *, absolute: bool) -> list[str]:
    """What JSON Feed 1.1 says against a feed."""
    feed = json.loads(text)
    told = [] if feed["version"] == "https://jsonfeed.org/version/1.1" else ["version"]
    told += [] if isinstance(feed["title"], str) and feed["title"] else ["title"]
    known = {"version", "title", "home_page_url", "feed_url", "description", "authors", "language", "items"}
    told += [f"unknown {name}" for name in set(feed) - known]
    told += [] if all(set(a) <= {"name", "url", "avatar"} and a for a in feed["authors"]) else ["authors"]
    ids = [item["id"] for item in feed["items"]]
    told += [] if all(isinstance(i, str) and i for i in ids) and len(ids) == len(set(ids)) else ["ids"]
    for item in feed["items"]:
        told += [] if item["content_text"] else ["an item without content"]
        told += [] if _STAMP.fullmatch(item["date_published"]) else ["a date"]
        own = {"id", "url", "title", "content_text", "date_published"}
        told += [f"unknown {name}" for name in set(item) - own if not name.startswith("_")]
    urls = [feed.get("home_page_url"), feed.get("feed_url"), *(item.get("url") for item in feed["items"])]
    told += [] if all((urlsplit(u).scheme == "https") if absolute else u is None for u in urls) else ["addresses"]
    return told


# The feeds


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good tree, of which one record has a history, a former id, and a reason that would like to be markup."""
    root = tmp_path_factory.mktemp("feeds")
    shutil.copytree(GOOD / "records", root / "records")
    path = root / "records" / f"{FORGE}.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("revision: 1\n", HISTORY), encoding="utf-8")
    load(check(root), root / "ridgeline.sqlite")
    return root / "ridgeline.sqlite"


@pytest.fixture(scope="module")
def site(database: Path) -> Path:
    folder = database.parent / "site"
    assert feeds.write(database, folder, BASE) == len(list(folder.rglob("*.*")))
    return folder


def entries(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["items"]
    return found


def test_every_feed_is_valid(site: Path) -> None:
    found = sorted(site.rglob("*.atom"))
    records = len(list((site.parent / "records").rglob("*.yaml")))
    assert len(found) == len(list(site.rglob("*.json"))) == records + 2  # everything, and the old id
    for path in found:
        assert atom_faults(path.read_bytes(), absolute=True) == [], path.name
        assert json_faults(path.with_suffix(".json").read_bytes(), absolute=True) == [], path.name


def test_without_an_address_links_are_relative_and_json_has_none(database: Path, tmp_path: Path) -> None:
    feeds.write(database, tmp_path)
    for path in tmp_path.rglob("*.atom"):
        assert atom_faults(path.read_bytes(), absolute=False) == []
        assert json_faults(path.with_suffix(".json").read_bytes(), absolute=False) == []
    feed = ElementTree.fromstring((tmp_path / f"feeds/{FORGE}.atom").read_bytes())
    links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
    assert links == {"self": f"../../feeds/{FORGE}.atom", "alternate": f"../../{FORGE}/"}


def test_the_checker_finds_faults() -> None:
    change = Change("urn:uuid:1", "2026-12-01", "formats/a", "A", 1)
    twice = "".join(feeds.atom("feeds/x", "urn:uuid:0", "X", [change, change], BASE, ""))
    assert atom_faults(twice.encode(), absolute=True) == ["urn:uuid:1 stands twice"]
    assert atom_faults(twice.replace("<author>", "<writer>").replace("</author>", "</writer>").encode(), absolute=True)
    assert atom_faults(twice.replace("T00:00:00Z", "").encode(), absolute=True)
    assert json_faults(json.dumps(feeds.json_feed("feeds/x", "X", [change, change], BASE, "")).encode(), absolute=True)


def test_an_empty_feed_is_valid() -> None:
    text = "".join(feeds.atom("feeds/x", "urn:uuid:0", "X", [], BASE, ""))
    assert atom_faults(text.encode(), absolute=True) == []
    assert json_faults(json.dumps(feeds.json_feed("feeds/x", "X", [], BASE, "")).encode(), absolute=True) == []


def test_one_entry_for_each_change_with_what_was_what_is_and_why(site: Path) -> None:
    first, second, added = entries(site / f"feeds/{FORGE}.json")
    assert (first["title"], first["date_published"]) == (
        "Forge A: memory.bandwidth 1.22 TB/s → 1.25 TB/s", "2026-12-01T00:00:00Z",
    )  # fmt: skip
    assert second["title"] == "Forge A: memory.bandwidth 1.2 TB/s → 1.22 TB/s"
    assert second["content_text"] == (
        f"{FORGE}, revision 2: memory.bandwidth\nwas: 1.2 TB/s\nnow: 1.22 TB/s\nA later sheet."
    )
    assert (added["title"], added["content_text"]) == ("Forge A: added", f"{FORGE} was added.")
    # The day on which somebody first read a value of it, or told of it.
    assert added["date_published"] == "2026-10-01T00:00:00Z"
    everything = entries(site / "feeds/changes.json")
    records = [
        p.relative_to(site / "feeds")
        for p in (site / "feeds").rglob("*.json")
        if p.name not in ("changes.json", "forge-zero.json")
    ]
    each = [item["id"] for path in records for item in entries(site / "feeds" / path)]
    assert sorted(each) == sorted(item["id"] for item in everything)


def test_text_of_a_record_stays_text(site: Path) -> None:
    feed = ElementTree.fromstring((site / f"feeds/{FORGE}.atom").read_bytes())
    body = feed.findtext(f"{ATOM}entry/{ATOM}content") or ""
    assert "]]></content><script>alert(1)</script>&lt;b&gt; \ufffd \ufffd {{ x }}" in body
    assert {element.tag for element in feed.iter()} == {
        ATOM + n for n in ("feed", "id", "title", "updated", "author", "name", "link", "entry", "content")
    }
    assert "<script>alert(1)</script>" in entries(site / f"feeds/{FORGE}.json")[0]["content_text"]


def test_the_feed_of_an_old_id_is_that_of_the_record(site: Path) -> None:
    for end in ("atom", "json"):
        old, new = (site / f"feeds/accelerators/{name}.{end}" for name in ("forge-zero", "forge-a"))
        assert old.read_bytes() == new.read_bytes()


def test_the_same_records_make_the_same_feeds(
    database: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1900000000")
    feeds.write(database, tmp_path, BASE)
    for path in site.rglob("*.*"):
        assert path.read_bytes() == (tmp_path / path.relative_to(site)).read_bytes()


def test_ids_stay_when_the_record_is_renamed_and_the_site_moves(
    database: Path, site: Path, tmp_path: Path, edit: Edit
) -> None:
    shutil.copytree(database.parent / "records", tmp_path / "records")
    old, new = (tmp_path / "records/accelerators" / name for name in ("forge-a.yaml", "forge-one.yaml"))
    edit(old, "\nid: forge-a\n", "\nid: forge-one\n")
    edit(old, "formerly: [forge-zero]", "formerly: [forge-zero, forge-a]")
    old.rename(new)
    load(check(tmp_path), tmp_path / "ridgeline.sqlite")
    feeds.write(tmp_path / "ridgeline.sqlite", tmp_path / "site", "https://elsewhere.example/")
    one, two = (entries(p) for p in (site / f"feeds/{FORGE}.json", tmp_path / "site/feeds/accelerators/forge-one.json"))
    assert [i["id"] for i in one] == [i["id"] for i in two]
    names = [
        ElementTree.fromstring(p.read_bytes()).findtext(f"{ATOM}id")
        for p in (site / f"feeds/{FORGE}.atom", tmp_path / "site/feeds/accelerators/forge-a.atom")
    ]
    assert names[0] == names[1]


def test_pages_can_ask_for_the_addresses(site: Path) -> None:
    for address, media, title in (*feeds.addresses(), *feeds.addresses(FORGE)):
        assert (site / address).is_file()
        assert media in ("application/atom+xml", "application/feed+json")
        assert title


def test_the_api_has_every_change_newest_first(database: Path, tmp_path: Path) -> None:
    downloads.write(database, tmp_path)
    api = tmp_path / "api/v1"
    found = json.loads((api / "changes.json").read_text(encoding="utf-8"))
    description = json.loads((api / "openapi.json").read_text(encoding="utf-8"))
    schema = {"$ref": "#/components/schemas/changes", "components": description["components"]}
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(found)) == []
    with opened(database) as snapshot:
        every = Changes(snapshot).all
    assert [c["id"] for c in found["changes"]] == [c.id for c in every]
    days = [c["date"] for c in found["changes"]]
    assert days == sorted(days, reverse=True)
    since = [c for c in found["changes"] if c["date"] >= "2026-12-01"]
    assert [(c["kind"], c["field"], c["was"], c["now"]) for c in since] == [
        ("changed", "memory.bandwidth", "1.22 TB/s", "1.25 TB/s")
    ]
