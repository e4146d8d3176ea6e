"""The steps that a migration consists of: each is made once to the data, and once to the text that it was read from."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ridgeline.text.document import Document
from ridgeline.text.nodes import Node, tree
from ridgeline.text.printer import scalar
from ridgeline.text.splice import Edit

Path = tuple[str | int, ...]
Scalar = str | int | bool | None


@dataclass(frozen=True, slots=True)
class Add:
    """A new key, which the mapping at ``path`` lacks, with a value on one line."""

    path: Path
    key: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Replace:
    """Another value on one line in the place of the one at ``path``."""

    path: Path
    value: Scalar


Step = Add | Replace
#: The keys of the mapping at a path in the order of the new version.
Order = Callable[[Path, list[str]], list[str]]


def applied(data: dict[str, Any], steps: Iterable[Step]) -> dict[str, Any]:
    """A copy of the data with all steps made."""
    data = copy.deepcopy(data)
    for step in steps:
        path = step.path if isinstance(step, Add) else step.path[:-1]
        holder: Any = data
        for part in path:
            holder = holder[part]
        holder[step.key if isinstance(step, Add) else step.path[-1]] = step.value
    return data


def edits(document: Document, steps: Iterable[Step], order: Order) -> list[Edit]:
    """The edits of the source that make the steps; every other character stays, comments too."""
    root, _ = tree(document)
    nodes = {(): root, **{n.path: n for n in root.all()}}
    made = []
    for step in steps:
        if isinstance(step, Replace):
            node = nodes[step.path]
            flow = node.parent is not None and node.parent.flow
            made.append(Edit(node.span.start, node.span.end, scalar(step.value, flow=flow)))
        else:
            made.append(_added(document, nodes[step.path], step, order))
    return made


def _added(document: Document, holder: Node, step: Add, order: Order) -> Edit:
    """The new key behind the one that it follows in the new version's order."""
    keys = order(step.path, [*map(str, holder.value), step.key])
    known = {str(c.path[-1]): c for c in holder.children}
    earlier = [known[key] for key in keys[: keys.index(step.key)]]
    if holder.flow:
        written = f"{step.key}: {scalar(step.value, flow=True)}"
        if earlier:
            return Edit(earlier[-1].span.end, earlier[-1].span.end, f", {written}")
        at = holder.span.start + 1
        return Edit(at, at, f"{written}, " if holder.children else written)
    written = f"{step.key}: {scalar(step.value)}\n"
    margin = " " * holder.children[0].column
    if not earlier:
        # The first key may stand behind a dash: it moves to a line of its own.
        at = holder.children[0].start
        return Edit(at, at, f"{written}{margin}")
    # Comments above the entry that follows stay above it.
    inside = {id(n) for n in (earlier[-1], *earlier[-1].all())}
    following = [n for n in _preorder(document, holder) if id(n) not in inside and n.start > earlier[-1].start]
    if not following:
        source = document.source
        at = len(source)
        return Edit(at, at, ("" if source.endswith("\n") else "\n") + margin + written)
    start = min([following[0].start, *(c.start for c in following[0].before)])
    at = document.source.rfind("\n", 0, start) + 1
    return Edit(at, at, margin + written)


def _preorder(document: Document, node: Node) -> list[Node]:
    """All entries of the file."""
    while node.parent is not None:
        node = node.parent
    return list(node.all())
