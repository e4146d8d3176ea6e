"""Which numeral and which words of a text are the same ones in an edited text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

#: Pairs of words that are compared at most; where the edited part is longer, its numerals are paired in their order.
_MOST = 250_000
_WORD = re.compile(r"\S+")
_HOLE = "\ue000"


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


class Alignment:
    """The way from offsets of the later text to offsets of the earlier one."""

    def __init__(self, before: str, holes: Sequence[tuple[int, int]], after: str, later: Sequence[tuple[int, int]]):
        old, new = _tokens(before, holes), _tokens(after, later)
        self._pairs = [(new[j], old[i]) for i, j in _matched([t.text for t in old], [t.text for t in new])]
        self._starts = [token.start for token, _ in self._pairs]

    def back(self, offset: int) -> int | None:
        """The offset in the earlier text of what stands at one of the later; ``None`` where it was not there."""
        number = bisect_right(self._starts, offset) - 1
        if number < 0:
            return None
        token, was = self._pairs[number]
        if offset >= token.end or (offset > token.start and token.text == _HOLE):
            return None
        return was.start + offset - token.start


def _tokens(text: str, holes: Sequence[tuple[int, int]]) -> list[_Token]:
    """The words of a text, each numeral a token of its own whatever it says."""
    found: list[_Token] = []
    at = 0
    for start, end in sorted(holes):
        if start < at:
            continue
        found += [_Token(m.group(), m.start(), m.end()) for m in _WORD.finditer(text, at, start)]
        found.append(_Token(_HOLE, start, end))
        at = end
    found += [_Token(m.group(), m.start(), m.end()) for m in _WORD.finditer(text, at)]
    return found


def _matched(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs of numbers of equal tokens, as many as go in order."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    middle = _common(a, b) if len(a) * len(b) <= _MOST else _in_order(a, b)
    return [
        *((i, i) for i in range(head)),
        *((i + head, j + head) for i, j in middle),
        *((len(old) - k, len(new) - k) for k in range(tail, 0, -1)),
    ]


def _common(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """The longest common subsequence, by the table of lengths."""
    rows = [[0] * (len(b) + 1)]
    for word in reversed(a):
        below, row = rows[-1], [0] * (len(b) + 1)
        for j in range(len(b) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if word == b[j] else max(below[j], row[j + 1])
        rows.append(row)
    rows.reverse()
    found, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _in_order(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """The numerals one by one, where there are as many."""
    old, new = ([i for i, word in enumerate(words) if word == _HOLE] for words in (a, b))
    return list(zip(old, new, strict=True)) if len(old) == len(new) else []


__all__ = ["Alignment"]
