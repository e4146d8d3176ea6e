"""Text from the database on its way into a page: escaped, and addresses and formulas admitted only in safe forms."""

from __future__ import annotations

import re
from functools import lru_cache
from html.parser import HTMLParser
from urllib.parse import quote, urlsplit

from markupsafe import Markup, escape

#: Control characters, and what would turn the direction of the text around it.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")


def clean(text: str) -> str:
    """The text without control characters, which no page may hold."""
    return _UNSEEN.sub("\ufffd", text.replace("\r\n", "\n"))


def safe(text: object) -> Markup:
    """Any text as HTML that shows exactly it."""
    return text if isinstance(text, Markup) else escape(clean(str(text)))


def web_address(text: str | None) -> str | None:
    """The address if it is one that a reader may be sent to (http or https, with a host), else ``None``."""
    if not text or _UNSEEN.search(text) or any(c.isspace() for c in text):
        return None
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return None
    return text if parts.scheme.lower() in ("http", "https") and host else None


def slug(text: str, limit: int = 60) -> str:
    """Letters, digits, ``_``, ``.`` and ``-`` of a text: for ids and the names of folders."""
    return _PLAIN.sub("-", text).strip("-.")[:limit].rstrip("-.") or "x"


def relative(start: str, target: str) -> str:
    """The relative link from one page of the site to another, both given from the root (``accelerators/x/``)."""
    path, mark, fragment = target.partition("#")
    tail = f"#{quote(fragment, safe='.-_~()=,')}" if mark else ""
    if path == start:
        return tail or "./"
    here = start.rstrip("/").split("/") if start else []
    there = path.rstrip("/").split("/") if path else []
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    steps = [".."] * (len(here) - common) + [quote(p, safe=".-_~") for p in there[common:]]
    link = "/".join(steps) or "."
    return (link if not path.endswith("/") and path else f"{link}/") + tail


_MATH_TAGS = frozenset(
    {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msup", "msub", "msubsup", "msqrt", "mroot"}
)
_MATH_ATTRIBUTES = frozenset({"display", "form", "separator", "width", "mathvariant", "data-name", "class"})


class _Formula(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Markup] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _MATH_TAGS or len(self.open) > 400:
            raise _Foreign
        if tag == "mo" and not {"form", "separator"} & {key for key, _ in attrs}:
            # Browsers take names in mtext for space, and an operator between two of them for a prefix without room.
            attrs = [*attrs, ("form", "infix")]
        kept = Markup().join(
            Markup(' {}="{}"').format(key, clean(value or "")) for key, value in attrs if key in _MATH_ATTRIBUTES
        )
        self.parts.append(Markup("<{}{}>").format(tag, kept))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise _Foreign
        self.parts.append(Markup("</{}>").format(tag))

    def handle_data(self, data: str) -> None:
        long = self.open and self.open[-1] == "mn" and len(data) > 4 and data.isascii() and data.isdigit()
        self.parts.append(safe(f"{int(data):,}" if long and len(data) < 400 else data))

    def unknown_decl(self, data: str) -> None:
        raise _Foreign

    def handle_decl(self, decl: str) -> None:
        raise _Foreign

    def handle_comment(self, data: str) -> None:
        raise _Foreign

    def handle_pi(self, data: str) -> None:
        raise _Foreign


class _Foreign(Exception):
    pass


@lru_cache(maxsize=20_000)
def formula(text: str) -> Markup:
    """Presentation MathML from the database, rebuilt from a closed list of elements; shown as text where it is not that."""
    parser = _Formula()
    try:
        parser.feed(text)
        parser.close()
    except _Foreign:
        return Markup("<mtext>{}</mtext>").format(safe(text))
    if parser.open:
        return Markup("<mtext>{}</mtext>").format(safe(text))
    return Markup().join(parser.parts)
