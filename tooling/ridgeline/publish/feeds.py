"""Feeds of what changed, after Atom (RFC 4287) and JSON Feed 1.1: one of everything, and one of each record.

An entry is a semantic change as :mod:`ridgeline.export.changes` tells it; its id and date are the record's, so the same
records make the same feeds. Text of a record is text in a feed, whatever it looks like. :func:`addresses` says where the
feeds stand, for the alternate links in the head of a page.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ridgeline.export.changes import Change, Changes
from ridgeline.export.folder import write_text
from ridgeline.export.jsontext import text as json_text
from ridgeline.export.snapshot import opened
from ridgeline.publish.address import page_of

FEEDS = "feeds"
_ALL = f"{FEEDS}/changes"
_TITLE = "Ridgeline: what changed"
_ALL_ID = "urn:uuid:7a3d3f0e-3f0b-5d0e-8a57-54b0f7f0a1c2"
#: Entries of the feed of everything; the API has all changes.
MOST = 500
#: The date of a feed in which nothing stands.
_NO_DAY = "2000-01-01"
#: What XML 1.0 cannot say, escaped or not.
_UNSAID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES = {"atom": "application/atom+xml", "json": "application/feed+json"}


def addresses(reference: str | None = None) -> tuple[tuple[str, str, str], ...]:
    """The feeds of a record, or of everything: address from the root of the site, media type, title.

    For each, ``<link rel="alternate" type="…" title="…" href="…">`` belongs into the head of a page about it, with the
    address made relative to the page.
    """
    stem = _ALL if reference is None else f"{FEEDS}/{reference}"
    title = _TITLE if reference is None else f"What changed in {reference}"
    return tuple((f"{stem}.{end}", media, title) for end, media in _TYPES.items())


def write(database: Path, site: Path, base_url: str = "") -> int:
    """Write all feeds below the root of a site, those of old ids too; the number of files.

    ``base_url`` is where the site will stand; without it, links in Atom are relative, and JSON feeds have none.
    """
    base = f"{base_url.rstrip('/')}/" if base_url else ""
    with opened(database) as snapshot:
        changes = Changes(snapshot)
        names = {reference: str(row["name"]) for reference, row in snapshot.records.items()}
        renamed = snapshot.renamed
        count = _pair(site, _ALL, _ALL_ID, _TITLE, changes.all[:MOST], base, "")
        for reference, own in changes.by_record.items():
            title = f"{names[reference]}: what changed"
            count += _pair(site, f"{FEEDS}/{reference}", changes.feed(reference), title, own, base, page_of(reference))
    return count + _renamed(site, renamed)


def _renamed(site: Path, renamed: Mapping[str, str]) -> int:
    """A static host cannot send a reader on: the feed of an old id is that of the record, which names its own address."""
    for old, new in renamed.items():
        for end in _TYPES:
            shutil.copyfile(site / FEEDS / f"{new}.{end}", site / FEEDS / f"{old}.{end}")
    return len(renamed) * len(_TYPES)


def _pair(site: Path, stem: str, identity: str, title: str, entries: Sequence[Change], base: str, home: str) -> int:
    write_text(site / f"{stem}.atom", atom(stem, identity, title, entries, base, home))
    write_text(site / f"{stem}.json", [json_text(json_feed(stem, title, entries, base, home))])
    return 2


def atom(stem: str, identity: str, title: str, entries: Sequence[Change], base: str, home: str) -> Iterator[str]:
    """An Atom feed. ``stem`` is its own address without its end, ``home`` the page that it belongs to."""
    back = base or "../" * stem.count("/")
    yield '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"<id>{escape(identity)}</id>\n<title>{_said(title)}</title>\n<updated>{_stamp(_latest(entries))}</updated>\n"
    yield "<author><name>The Ridgeline authors</name></author>\n"
    yield f'<link rel="self" type="application/atom+xml" href={quoteattr(f"{back}{stem}.atom")}/>\n'
    yield f'<link rel="alternate" type="text/html" href={quoteattr(back + home)}/>\n'
    for entry in entries:
        yield f"<entry>\n<id>{escape(entry.id)}</id>\n<title>{_said(entry.title)}</title>\n"
        yield f"<updated>{_stamp(entry.date)}</updated>\n"
        yield f'<link rel="alternate" type="text/html" href={quoteattr(back + page_of(entry.record))}/>\n'
        yield f'<content type="text">{_said(content(entry))}</content>\n</entry>\n'
    yield "</feed>\n"


def json_feed(stem: str, title: str, entries: Sequence[Change], base: str, home: str) -> dict[str, Any]:
    """A JSON feed. Its addresses are absolute, so there are none where the site has no address yet."""
    feed: dict[str, Any] = {"version": "https://jsonfeed.org/version/1.1", "title": title}
    if base:
        feed |= {"home_page_url": base + home, "feed_url": f"{base}{stem}.json"}
    feed["authors"] = [{"name": "The Ridgeline authors"}]
    feed["language"] = "en"
    feed["items"] = [_item(entry, base) for entry in entries]
    return feed


def _item(entry: Change, base: str) -> dict[str, Any]:
    item: dict[str, Any] = {"id": entry.id}
    if base:
        item["url"] = base + page_of(entry.record)
    item |= {"title": entry.title, "content_text": content(entry), "date_published": _stamp(entry.date)}
    # An extension, as the format wants them: below a name with an underscore.
    item["_ridgeline"] = {
        "record": entry.record, "revision": entry.revision, "field": entry.field or None, "was": entry.was, "now": entry.now
    }  # fmt: skip
    return item


def content(entry: Change) -> str:
    """A change in plain words, for a reader that shows no page."""
    if not entry.field:
        return f"{entry.record} was added."
    lines = [f"{entry.record}, revision {entry.revision}: {entry.field}"]
    lines += [f"was: {entry.was}"] if entry.was is not None else []
    lines += [f"now: {entry.now}"] if entry.now is not None else []
    return "\n".join([*lines, *([entry.why.strip()] if entry.why else [])])


def _latest(entries: Sequence[Change]) -> str:
    return max((entry.date for entry in entries), default=_NO_DAY)


def _stamp(day: str) -> str:
    """A day as RFC 3339 wants a moment."""
    return f"{day}T00:00:00Z"


def _said(text: str) -> str:
    """Text as XML 1.0 can say it."""
    return escape(_UNSAID.sub("\ufffd", text))


__all__ = ["FEEDS", "MOST", "addresses", "atom", "content", "json_feed", "write"]
