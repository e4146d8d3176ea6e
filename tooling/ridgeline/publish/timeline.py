"""What changed: every entry of the records' histories, the newest first, with the feeds of the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ridgeline.publish import listings
from ridgeline.publish.feeds import addresses
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

ADDRESS = "changes/"
#: Entries on the page; the feeds and the API have more.
MOST = 500


def pages(pen: Callable[[str], Pen]) -> Iterator[Page]:
    """The page of changes."""
    here = pen(ADDRESS)
    context = {
        "pen": here,
        "changes": listings.changes(here, MOST),
        "feeds": [(here.href(address), kind, title) for address, kind, title in addresses()],
    }
    lead = "Recorded values that changed, with what they were and why."
    yield Page(ADDRESS, "What changed", lead, body("changes.html", context))
