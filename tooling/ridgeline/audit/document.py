"""A foreign document from its bytes: HTML, Markdown or plain text."""

from __future__ import annotations

import re

from ridgeline.audit import html, plain
from ridgeline.audit.blocks import Document, Unreadable

#: Longer documents are refused: nobody reads so much by hand, and a stranger may send anything.
MAX_CHARACTERS = 2_000_000


def read(path: str, source: bytes) -> Document:
    """A document from its bytes: HTML, Markdown or plain text, by its ending and else by looking.

    Raises :class:`Unreadable` for what is not UTF-8, holds NUL characters or is too long.
    """
    if len(source) > 4 * MAX_CHARACTERS:
        raise Unreadable(f"is longer than {MAX_CHARACTERS:,} characters")
    try:
        text = source.decode("utf-8-sig" if source.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"byte {error.start} is not UTF-8") from None
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"is longer than {MAX_CHARACTERS:,} characters")
    if "\0" in text:
        raise Unreadable("holds NUL characters: it is no text")
    document = Document(path, text, form_of(path, text))
    if document.form == "html":
        html.blocks(document)
    else:
        plain.blocks(document)
    return document


_HTML = re.compile(r"\s*(?:<!doctype\s+html|<html[\s>]|<body[\s>]|<\?xml)", re.IGNORECASE)
_TAGS = re.compile(r"</(?:p|td|li|div|span|table|h[1-6])\s*>", re.IGNORECASE)
_MARKS = re.compile(r"^(?:#{1,6} \S|```|~~~|\|.*\|\s*$|\s*\|?(?:\s*:?-{2,}:?\s*\|)+)", re.MULTILINE)


def form_of(path: str, text: str) -> str:
    """``html``, ``markdown`` or ``plain``."""
    ending = path.rpartition(".")[2].lower() if "." in path else ""
    if ending in ("html", "htm", "xhtml"):
        return "html"
    if ending in ("md", "markdown", "mkd"):
        return "markdown"
    head = text[:200_000]
    if _HTML.match(head) or len(_TAGS.findall(head)) >= 3:
        return "html"
    return "markdown" if _MARKS.search(head) else "plain"
