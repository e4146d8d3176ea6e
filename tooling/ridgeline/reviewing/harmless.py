"""Markdown of a stranger that is posted under our name: it notifies nobody, links nowhere else, shows no image, hides nothing.

What could do so gets a zero-width space inside, or has its ``<`` written out, so that a reader still sees the text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_GAP = "\u200b"
#: The only tags, without attributes, that ``ridgeline diff`` writes.
_TAG = re.compile(r"</?(?:details|summary|code)>|<br>")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
#: Characters that mentions, references to issues and addresses are made of: GitHub looks for those in the finished text.
_ACTIVE = re.compile(r"[@#:/.A-Za-z0-9]")
_ADDRESS = re.compile(r"[A-Za-z0-9._~/%#?=&+,-]*")
_LINK = re.compile(r"\]\(([^\s()<>]{0,500})\)|\]\(")
_SCHEME = re.compile(r"https://[^\s()<>\"'`|\\\]]{1,500}|:(?=//)|\b(?:mailto|xmpp):", re.IGNORECASE)
_TURNS = re.compile(
    r"#(?=[0-9])(?!(?<=&#)[0-9]{1,7};)|\b[Gg][Hh]-(?=[0-9])|\b[Ww]{3}(?=\.)|@|!(?=\[)|\](?=\s?:)|\](?=\[)"
)


def harmless(markdown: str, links: Sequence[str] = ()) -> str:
    """The same text without effects. Links stay only to ``links``: addresses of our own, and what lies below them."""
    allowed = tuple(link.rstrip("/") for link in links if link)
    lines = "".join(c if c.isprintable() or c == "\n" else " " if c in "\t\u00a0" else "" for c in markdown)
    text = _REFERENCE.sub(_reference, lines)
    text = _TURNS.sub(lambda m: m.group() + _GAP, text)
    text = _LINK.sub(lambda m: m.group() if m[1] and _ours(m[1], allowed) else f"]{_GAP}" + m.group()[1:], text)
    text = _SCHEME.sub(lambda m: _scheme(m.group(), allowed), text)
    return _tags(text)


def _reference(match: re.Match[str]) -> str:
    return match.group() + (_GAP if _ACTIVE.search(html.unescape(match.group())) else "")


def _ours(address: str, allowed: tuple[str, ...]) -> bool:
    for start in allowed:
        rest = address.removeprefix(start)
        if rest != address and (not rest or rest[0] in "/#?") and _ADDRESS.fullmatch(rest) and ".." not in rest:
            return True
    return False


def _scheme(found: str, allowed: tuple[str, ...]) -> str:
    if _ours(found, allowed):
        return found
    head, colon, rest = found.partition(":")
    return f"{head}{colon}{_GAP}{rest.replace('://', ':' + _GAP + '//')}"


def _tags(text: str) -> str:
    """All tags written out but those of ``ridgeline diff``, and those too where they are not properly nested."""
    found = list(_TAG.finditer(text))
    keep = _nested([m.group() for m in found])
    parts, at = [], 0
    for match in found if keep else ():
        parts += [text[at : match.start()].replace("<", "&lt;"), match.group()]
        at = match.end()
    parts.append(text[at:].replace("<", "&lt;"))
    return "".join(parts)


def _nested(tags: list[str]) -> bool:
    open_: list[str] = []
    for tag in tags:
        name = tag.strip("</>")
        if tag.startswith("</"):
            if not open_ or open_.pop() != name:
                return False
        elif name != "br":
            open_.append(name)
        if len(open_) > 20:
            return False
    return not open_


__all__ = ["harmless"]
