"""Where the characters of a YAML scalar's text stand in the source, whatever the scalar's style."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Where a node stands: offsets, 0-based line and column of its start, and the scalar's style (``|``, ``"``, …).

    ``indent`` is the number of columns that each line of a block literal loses.
    """

    start: int
    end: int
    line: int
    column: int
    style: str = ""
    indent: int = 0


def offsets(source: str, span: Span) -> list[int]:
    """The offset in the source of each character of a scalar's text, whatever its style."""
    if span.style in ("|", ">"):
        return _block_offsets(source, span)
    return _flow_offsets(source, span)


def _block_offsets(source: str, span: Span) -> list[int]:
    found: list[int] = []
    position = source.find("\n", span.start) + 1
    while 0 < position < span.end:
        end = source.find("\n", position)
        end = len(source) if end < 0 else end
        # Each line without its indentation, and its line break.
        found.extend(range(min(position + span.indent, end), end + 1))
        position = end + 1
    return found


_FOLD = re.compile(r"[ \t]*\n[ \t\n]*")
_BLANKS = re.compile(r"[ \t\n]*")
_ESCAPE_WIDTH = {"x": 4, "u": 6, "U": 10}


def _flow_offsets(source: str, span: Span) -> list[int]:
    found: list[int] = []
    quote = span.style if span.style in ("'", '"') else ""
    position, end = span.start + len(quote), span.end - len(quote)
    while position < end:
        character = source[position]
        if quote == '"' and character == "\\":
            if source[position + 1] == "\n":
                # An escaped line break is nothing; each empty line after it is one.
                blanks = _BLANKS.match(source, position + 2)
                assert blanks is not None
                found.extend(i for i in range(*blanks.span()) if source[i] == "\n")
                position = blanks.end()
            else:
                found.append(position)
                position += _ESCAPE_WIDTH.get(source[position + 1], 2)
        elif character in " \t\n" and (fold := _FOLD.match(source, position)):
            # One break folds to a space; of several, all but the first stand for themselves.
            breaks = [i for i in range(*fold.span()) if source[i] == "\n"]
            found.extend(breaks[1:] or breaks)
            position = fold.end()
        else:
            found.append(position)
            position += 2 if quote == "'" and character == "'" else 1
    return found
