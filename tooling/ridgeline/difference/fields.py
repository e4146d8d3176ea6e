"""What stands where in a record, known by what it is and not by its number in a list.

A row that moves in its list, or one before it that goes away, changes the paths of everything behind it and nothing else.
So each node has a key beside its path: the path with the numbers of list items replaced by what names the item.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ridgeline.records.common import Record
from ridgeline.records.walk import Path

Key = tuple[str, ...]

#: List → the fields that name one of its items. Items of other lists are known by their number.
_NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "accepted": ("rule", "field"),
    "claims": ("source", "at"),
    "extras": ("name",),
    "figures": ("say", "in"),
    "hardware_parameters": ("parameter",),
    "ladder": ("peak",),
    "ledger": ("what",),
    "links": ("kind",),
    "measured": ("what",),
    "peaks": ("format", "accumulate", "path", "sparsity", "default"),
    "scales_with": ("symbol", "of"),
    "statements": ("what", "source"),
    "workarounds": ("what", "source"),
}
_DIGITS = re.compile(r"[0-9][0-9.,]*(?<![.,])")


@dataclass
class Shape:
    """The nodes of a record. ``leaves`` holds what is not null; a list of plain values is one leaf."""

    leaves: dict[Key, tuple[Path, Any]] = field(default_factory=dict)
    keys: dict[Path, Key] = field(default_factory=dict)
    #: Keys of the items of lists.
    rows: set[Key] = field(default_factory=set)

    def key(self, path: Path) -> Key:
        """The key of a node; inside a list of plain values, which is one node, the number stands as it is."""
        rest: Key = ()
        while path not in self.keys:
            path, rest = path[:-1], (str(path[-1]), *rest)
        return (*self.keys[path], *rest)


def plain(record: Record) -> dict[str, Any]:
    """A record as plain data under the names of its file, defaults written out."""
    return record.model_dump(by_alias=True)


def shape(data: Any) -> Shape:
    """The nodes of plain data, in its own order. The depth is bounded by the reader of files."""
    found = Shape()
    stack: list[tuple[Path, Key, Any]] = [((), (), data)]
    while stack:
        path, key, node = stack.pop()
        found.keys[path] = key
        if isinstance(node, dict):
            stack += [((*path, name), (*key, str(name)), child) for name, child in reversed(node.items())]
        elif isinstance(node, list) and any(isinstance(item, dict | list) for item in node):
            rows = _rows(str(path[-1]) if path else "", node)
            found.rows |= {(*key, row) for row in rows}
            stack += [((*path, i), (*key, rows[i]), node[i]) for i in reversed(range(len(node)))]
        elif node is not None and node != []:
            found.leaves[key] = (path, node)
    return found


def _rows(name: str, items: list[Any]) -> list[str]:
    """What each item of a list is known by, no two alike."""
    fields = _NAMED_BY.get(name, ())
    seen: dict[str, int] = {}
    found = []
    for index, item in enumerate(items):
        row = str(index)
        if fields and isinstance(item, dict):
            row = "[" + " ".join(str(item[f]) for f in fields if item.get(f) is not None) + "]"
            # The words of a figure entry stay the same when a numeral in them is rewritten.
            row = _DIGITS.sub("#", row) if name == "figures" else row
        seen[row] = seen.get(row, 0) + 1
        found.append(row if seen[row] == 1 else f"{row}#{seen[row]}")
    return found


def printed(value: Any) -> str:
    """A leaf as its file would print it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


__all__ = ["Key", "Path", "Shape", "plain", "printed", "shape"]
