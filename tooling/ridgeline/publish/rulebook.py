"""The rules that a check applies, as a page: what each finding means and how it is mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from markupsafe import Markup

from ridgeline.publish.markup import safe
from ridgeline.publish.page import Page, body
from ridgeline.publish.pen import Pen

ADDRESS = "rules/"
_CODE = re.compile(r"`([^`]+)`")


def pages(pen: Callable[[str], Pen]) -> Iterator[Page]:
    """The catalogue of rules, written from the rules themselves."""
    # What the rules say of themselves is no data: it is the one thing on these pages that the database does not hold.
    from ridgeline.rules.catalogue import catalogue

    here = pen(ADDRESS)
    rules = [
        {"id": page.id, "level": page.level.value, "title": coded(page.title), "text": paragraphs(page.explanation)}
        for page in catalogue().values()
    ]
    lead = "Every rule that a finding can name: what is wrong, why it matters, how to mend it."
    yield Page(ADDRESS, "Rules of the check", lead, body("rules.html", {"pen": here, "rules": rules}))


def paragraphs(text: str) -> Markup:
    """A docstring as paragraphs."""
    parts = (" ".join(part.split()) for part in text.split("\n\n"))
    return Markup("\n").join(Markup("<p>{}</p>").format(coded(part)) for part in parts if part)


def coded(text: str) -> Markup:
    """Text in which what stands between backquotes is code."""
    pieces = _CODE.split(text)
    return Markup().join(
        Markup("<code>{}</code>").format(safe(piece)) if number % 2 else safe(piece)
        for number, piece in enumerate(pieces)
    )
