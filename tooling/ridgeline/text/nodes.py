"""The entries of a YAML file as a tree, each with the comments that belong to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ridgeline.text.document import Document
from ridgeline.text.scalar import Span

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from its ``#`` to the end of its line, with the column that it starts in."""

    start: int
    column: int
    text: str
    alone: bool


@dataclass(eq=False)
class Node:
    """One entry of a mapping or list: its value, where it starts, and its comments.

    ``before`` stands on lines of its own above the entry, ``beside`` behind it, ``after`` below all that it holds.
    """

    path: Path
    value: Any
    span: Span
    start: int
    column: int
    flow: bool = False
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    before: list[Comment] = field(default_factory=list)
    beside: list[Comment] = field(default_factory=list)
    after: list[Comment] = field(default_factory=list)

    def lineage(self) -> Iterator[Node]:
        """The entry, what holds it, and so on up to an entry of the record itself."""
        node: Node | None = self
        while node is not None and node.path:
            yield node
            node = node.parent

    def all(self) -> Iterator[Node]:
        """The entries below, in the order of the file."""
        stack = list(reversed(self.children))
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    @property
    def commented(self) -> bool:
        """Whether a comment stands anywhere inside."""
        return any(n.before or n.beside or n.after for n in self.all())


def tree(document: Document) -> tuple[Node, list[Comment]]:
    """The root of a file that could be read, and the comments above its first entry."""
    spans, source = document.spans, document.source
    bare = _without_scalars(document)
    comments = list(_comments(source, bare))
    for comment in comments:
        bare[comment.start : comment.start + len(comment.text)] = " " * len(comment.text)
    root = Node((), document.data, spans[()][1], 0, -1, source[spans[()][1].start] in "[{")
    stack = [root]
    while stack:
        node = stack.pop()
        value = node.value
        steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for step, inner in steps:
            path = (*node.path, step)
            key, span = spans[path]
            start = key.start if key is not None else span.start if node.flow else _dash(bare, span.start)
            flow = node.flow or (isinstance(inner, dict | list) and source[span.start : span.start + 1] in ("[", "{"))
            column = start - document.line_starts[bisect_right(document.line_starts, start) - 1]
            child = Node(path, inner, span, start, column, flow, node)
            node.children.append(child)
            stack.append(child)
    return root, _attach(root, comments)


def _without_scalars(document: Document) -> list[str]:
    """The source, a character an entry, with every scalar blanked out: what is left are indicators and comments."""
    source = document.source
    bare = list(source)
    for path, (key, span) in document.spans.items():
        for part in (key, span):
            if part is None or (part is span and isinstance(_at(document.data, path), dict | list)):
                continue
            start, end = part.start, part.end
            if part.style == "|":
                _blank_literal(source, bare, part)
                continue
            bare[start:end] = ["\n" if c == "\n" else "x" for c in source[start:end]]
    return bare


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _blank_literal(source: str, bare: list[str], span: Span) -> None:
    """Blank out a literal's header up to its comment, and its lines: those that are empty or indented far enough."""
    position = span.start
    while source[position : position + 1] in ("|", "+", "-", *"123456789"):
        bare[position] = "x"
        position += 1
    position = source.find("\n", position) + 1
    while 0 < position < len(source):
        end = source.find("\n", position)
        end = len(source) if end < 0 else end
        line = source[position:end]
        depth = len(line) - len(line.lstrip(" "))
        if depth < len(line) and (not span.indent or depth < span.indent):
            return
        bare[position:end] = "x" * (end - position)
        position = end + 1


def _comments(source: str, bare: list[str]) -> Iterator[Comment]:
    at = 0
    for line in source.split("\n"):
        # Outside of scalars, nothing but a comment holds this character.
        found = next((i for i in range(len(line)) if bare[at + i] == "#"), None) if "#" in line else None
        if found is not None:
            yield Comment(at + found, found, line[found:].rstrip(), not line[:found].strip())
        at += len(line) + 1


def _dash(bare: list[str], start: int) -> int:
    """Where the dash of a list's entry stands, whose value starts here."""
    at = min(start, len(bare) - 1)
    if at == start and bare[at] != "-":
        at -= 1
    while at > 0 and bare[at] != "-":
        at -= 1
    return at


def _attach(root: Node, comments: list[Comment]) -> list[Comment]:
    """Give every comment to the entry that it is about; those above the first entry are the file's own."""
    nodes = list(root.all())
    starts = [n.start for n in nodes]
    head = []
    for comment in comments:
        index = bisect_right(starts, comment.start)
        if not index:
            head.append(comment)
            continue
        last = nodes[index - 1]
        following = nodes[index] if index < len(nodes) else None
        # A bracket that is closed is one thing.
        closed = [n for n in last.lineage() if n.flow and n.children and n.span.end <= comment.start]
        last = closed[-1] if closed else last
        if not comment.alone:
            last.beside.append(comment)
        else:
            _place(comment, last, following)
    return head


def _place(comment: Comment, last: Node, following: Node | None) -> None:
    """A comment on a line of its own: about what follows, unless it is indented further than that."""
    if not isinstance(last.value, dict | list) and comment.start < last.span.start:
        last.before.append(comment)
        return
    opened = next((n for n in last.lineage() if n.flow and n.span.start < comment.start < n.span.end), None)
    if opened is not None:
        if following is not None and following.start < opened.span.end:
            following.before.append(comment)
        elif opened.children:
            opened.children[-1].after.append(comment)
        else:
            opened.before.append(comment)
        return
    if following is not None and comment.column <= following.column:
        following.before.append(comment)
        return
    chain = [n for n in last.lineage() if n.parent is None or not n.parent.flow] or [last]
    owner = next((n for n in chain if n.column <= comment.column), chain[-1])
    if following is not None and owner.column <= following.column:
        following.before.append(comment)
    else:
        owner.after.append(comment)


__all__ = ["Comment", "Node", "tree"]
