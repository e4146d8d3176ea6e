"""A YAML file written anew in one layout: the same data, the same comments, the lines of a text as they stand.

The layout: two columns a level, lists included; texts of several lines as block literals; brackets only where the author
wrote them, on one line of at most ``WIDTH`` columns, without comments or texts of several lines inside; quotes only
where a text needs them; no empty lines between entries. A text that the author wrote over several lines keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ridgeline.text.document import Document, read
from ridgeline.text.nodes import Comment, Node, tree
from ridgeline.text.scalar import offsets

WIDTH = 120
_STEP = 2
#: Orders the keys of the mapping at a path.
Order = Callable[[tuple[str | int, ...], list[str]], list[str]]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_./()%*+]*\Z")
_INDICATOR = frozenset("-?:,[]{}#&*!|>'\"%@`=~")
_NUMBER = re.compile(r"[-+]?[0-9]+\.[0-9]+\Z")


def printed(document: Document, order: Order) -> str:
    """The file in the one layout. The document must have been read to its end, and hold a mapping."""
    root, head = tree(document)
    writer = _Writer(document, order)
    lines = [comment.text for comment in head]
    lines += writer.block(root, 0)
    return "\n".join(lines) + "\n"


def plain(text: str, *, flow: bool = False) -> bool:
    """Whether a text needs no quotes: every reader takes it for the same text without them."""
    return _plain(text, flow)


@lru_cache(maxsize=20_000)
def _plain(text: str, flow: bool) -> bool:
    if not text or text != text.strip() or "\n" in text or "\t" in text:
        return False
    if _WORD.match(text) and len(text) > 5:
        return True
    if text[0] in _INDICATOR and not (text[0] == "-" and len(text) > 1 and text[1] not in " -" and not flow):
        return False
    if ": " in text or " #" in text or text[-1] == ":" or text.startswith(("---", "...", "<<")):
        return False
    if flow and any(c in "[]{}," for c in text):
        return False
    # Other readers take a decimal for a number; ours keeps its digits as a text.
    if _NUMBER.match(text):
        return False
    document = read("", f"- [{text}]\n" if flow else f"- {text}\n")
    return not document.findings and document.data == [[text] if flow else text]


def quoted(text: str) -> str:
    """A text in quotes: double ones, unless it would need a backslash in them."""
    if ('"' in text or "\\" in text) and not any(c in text for c in "'\n\t"):
        return f"'{text}'"
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(character, escape)
    return f'"{text}"'


def scalar(value: Any, *, flow: bool = False) -> str:
    """A text, a number, a truth value or nothing, on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return str(value) if plain(value, flow=flow) else quoted(value)


def _key(text: str, *, flow: bool = False) -> str:
    # The reader takes a key of one letter for that letter.
    return text if len(text) == 1 and text.isalnum() else scalar(text, flow=flow)


def bracketed(value: Any) -> str:
    """A value on one line, with brackets around what it holds. As deep as the reader lets a file be."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k, flow=True)}: {bracketed(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(bracketed, value)) + "]"
    return scalar(value, flow=True)


def literal(text: str, indent: int) -> list[str] | None:
    """The header and the lines of a block literal; nothing where the text cannot be written as one."""
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    lines = body.split("\n")
    # Where the first words are indented, the header has to say how far the rest is not.
    deeper = next((line for line in lines if line.strip()), "") != next(
        (line.lstrip(" ") for line in lines if line.strip()), ""
    )
    deeper = deeper or any(line and not line.strip() for line in lines)
    header = "|" + (str(_STEP) if deeper else "") + ("" if ends == 1 else "-" if not ends else "+")
    written = [header, *(" " * indent + line if line else "" for line in lines), *[""] * (ends - 1)]
    if not deeper and body and "\t" not in body[:1] and lines[0]:
        return written
    margin = " " * (indent - _STEP)
    trial = "\n".join([f"{margin}x: {header}", *written[1:], f"{margin}y: 1"])
    around = "".join(f"{' ' * n}z:\n" for n in range(0, indent - _STEP, _STEP))
    document = read("", around + trial + "\n")
    data = document.data
    while isinstance(data, dict) and "z" in data:
        data = data["z"]
    return written if not document.findings and data == {"x": text, "y": 1} else None


class _Writer:
    """The lines of one file."""

    def __init__(self, document: Document, order: Order):
        self._document = document
        self._order = order

    def block(self, node: Node, indent: int) -> list[str]:
        """The lines of what a mapping or a list holds, each entry on lines of its own."""
        lines: list[str] = []
        for child in self._children(node):
            margin = " " * indent
            entry = self._item(child, indent) if isinstance(node.value, list) else self._field(child, indent)
            lines += [margin + c.text for c in (*child.before, *child.beside[:-1])]
            lines += entry
            lines += [margin + c.text for c in child.after]
        return lines

    def _children(self, node: Node) -> list[Node]:
        if not isinstance(node.value, dict):
            return node.children
        by_key = {str(c.path[-1]): c for c in node.children}
        return [by_key[key] for key in self._order(node.path, list(by_key))]

    def _field(self, node: Node, indent: int) -> list[str]:
        return self._value(node, f"{' ' * indent}{_key(str(node.path[-1]))}:", indent)

    def _item(self, node: Node, indent: int) -> list[str]:
        dash = " " * indent + "-"
        if not node.children or self._on_one_line(node, dash) is not None:
            return self._value(node, dash, indent)
        # The first key stands behind the dash, and what is said above it above the dash.
        above: list[Comment] = [*node.beside[-1:]]
        first = self._children(node)[0]
        while isinstance(first.value, dict | list) and isinstance(first.path[-1], int) and first.children:
            above += [*first.before, *first.beside]
            first.before, first.beside = [], []
            first = self._children(first)[0]
        above += [*first.before, *first.beside[:-1]]
        first.before, first.beside = [], first.beside[-1:]
        inner = self.block(node, indent + _STEP)
        inner[0] = f"{dash} {inner[0][indent + _STEP :]}"
        return [" " * indent + c.text for c in above] + inner

    def _value(self, node: Node, prefix: str, indent: int) -> list[str]:
        line = self._on_one_line(node, prefix)
        if line is not None:
            return [self._with_comment(line, node)]
        if node.children:
            return [self._with_comment(prefix, node), *self.block(node, indent + _STEP)]
        text = str(node.value)
        if "\n" in text:
            lines = literal(text, indent + _STEP) or [quoted(text)]
            return [self._with_comment(f"{prefix} {lines[0]}", node), *lines[1:]]
        pieces = self._pieces(node)
        if plain(text):
            lines = pieces
        else:
            mark = quoted(text)[0]
            lines = [_inside(piece, mark) for piece in pieces]
            lines[0], lines[-1] = mark + lines[0], lines[-1] + mark
        written = [f"{prefix} {lines[0]}", *(" " * (indent + _STEP) + line for line in lines[1:])]
        written[-1] = self._with_comment(written[-1], node)
        return written

    def _on_one_line(self, node: Node, prefix: str) -> str | None:
        """The entry on one line, where it may stand on one."""
        value = node.value
        if isinstance(value, dict | list):
            if not value:
                return f"{prefix} {bracketed(value)}"
            if not node.flow or node.commented or any(isinstance(n.value, str) and "\n" in n.value for n in node.all()):
                return None
            line = f"{prefix} {bracketed(self._ordered(node))}"
            return line if len(line) <= WIDTH else None
        if isinstance(value, str) and ("\n" in value or len(self._pieces(node)) > 1):
            return None
        return f"{prefix} {scalar(value)}"

    def _ordered(self, node: Node) -> Any:
        """The value of an entry with its keys in order. As deep as the reader lets a file be."""
        if isinstance(node.value, dict):
            return {str(c.path[-1]): self._ordered(c) for c in self._children(node)}
        return [self._ordered(c) for c in node.children] if isinstance(node.value, list) else node.value

    def _pieces(self, node: Node) -> list[str]:
        """The lines that a text without line breaks was written on."""
        text, span, source = node.value, node.span, self._document.source
        if span.style == "|" or "\n" not in source[span.start : span.end] or (node.parent and node.parent.flow):
            return [text]
        breaks = [i for i, at in enumerate(offsets(source, span)) if source[at] == "\n" and text[i] == " "]
        cuts = [-1, *breaks, len(text)]
        pieces = [text[a + 1 : b] for a, b in pairwise(cuts)]
        if (
            any(p != p.strip() or not p or p[0] == "#" for p in pieces)
            or text[:1] + text[-1:] != (text[:1] + text[-1:]).strip()
        ):
            return [text]
        return pieces

    @staticmethod
    def _with_comment(line: str, node: Node) -> str:
        """A line with the comment that stands behind it: in its own column, where that is free."""
        if not node.beside:
            return line
        comment = node.beside[-1]
        return f"{line.ljust(max(comment.column, len(line) + 2))}{comment.text}"


def _inside(piece: str, mark: str) -> str:
    return piece if mark == "'" else piece.replace("\\", "\\\\").replace('"', '\\"')


__all__ = ["WIDTH", "Order", "bracketed", "literal", "plain", "printed", "quoted", "scalar"]
