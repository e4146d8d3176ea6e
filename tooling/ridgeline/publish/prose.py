"""Prose with its numerals linked: paragraphs, lists and code; everything else in the text stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ridgeline.publish.content import Figure
from ridgeline.publish.markup import safe

_CODE = re.compile(r"`([^`\n]{1,400})`")
_BULLET = re.compile(r"[ \t]{0,8}(?:[-*•]|[0-9]{1,3}[.)])[ \t]+")
_BREAK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph (``bullet`` empty) or an item of a list, as a span of the text."""

    start: int
    end: int
    bullet: str = ""


Link = Callable[[Figure], Markup]


def inline(text: str, figures: Sequence[Figure], link: Link, start: int = 0, end: int | None = None) -> Markup:
    """The text from ``start`` to ``end`` with code marked and each numeral as ``link`` shows it."""
    stop = len(text) if end is None else end
    marks = [(m.start(), m.end()) for m in _CODE.finditer(text, start, stop)]
    parts: list[Markup] = []
    position = start
    for figure in figures:
        at, after = figure.at, figure.at + figure.length
        if figure.status == "set-aside" or at < position or after > stop:
            continue
        parts.append(_plain(text, position, at, marks))
        parts.append(link(figure))
        position = after
    parts.append(_plain(text, position, stop, marks))
    return Markup().join(parts)


def _plain(text: str, start: int, end: int, marks: list[tuple[int, int]]) -> Markup:
    """Text between numerals. Code spans that a numeral divides are closed and opened again around it."""
    parts: list[Markup] = []
    position = start
    for opening, closing in marks:
        low, high = max(opening, start), min(closing, end)
        if low >= high:
            continue
        parts.append(safe(text[position:low]))
        inner = text[max(opening + 1, low) : min(closing - 1, high)]
        if inner:
            parts.append(Markup("<code>{}</code>").format(safe(inner)))
        position = high
    parts.append(safe(text[position:end]))
    return Markup().join(parts)


def blocks(text: str, figures: Sequence[Figure], link: Link) -> Markup:
    """Paragraphs and lists. A list starts at a line with a bullet; numerals that number its items are left out."""
    parts: list[Markup] = []
    open_list = ""
    for block in _split(text):
        kind = "" if not block.bullet else "ol" if block.bullet[0].isdigit() else "ul"
        if kind != open_list:
            if open_list:
                parts.append(Markup("</{}>").format(open_list))
            if kind:
                parts.append(Markup("<{}>").format(kind))
            open_list = kind
        body = inline(text, figures, link, block.start, block.end)
        parts.append(Markup("<li>{}</li>" if kind else "<p>{}</p>").format(body))
    if open_list:
        parts.append(Markup("</{}>").format(open_list))
    return Markup("\n").join(parts)


def _split(text: str) -> list[_Block]:
    found: list[_Block] = []
    position = 0
    for match in [*_BREAK.finditer(text), None]:
        end = len(text) if match is None else match.start()
        found.extend(_lines(text, position, end))
        position = end if match is None else match.end()
    return found


def _lines(text: str, start: int, end: int) -> list[_Block]:
    found: list[_Block] = []
    first = position = start
    bullet = ""
    while position <= end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        mark = _BULLET.match(text, position, line_end)
        if mark is not None:
            _add(found, text, first, position, bullet)
            first, bullet = mark.end(), mark.group().strip()
        position = line_end + 1
    _add(found, text, first, end, bullet)
    return found


def _add(found: list[_Block], text: str, start: int, end: int, bullet: str) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        found.append(_Block(start, end, bullet))
