"""Where in a text an equation can stand: the sentences worth tokenizing.

Most sentences hold no equation. They are passed over on cheap signs, so that reading a whole repository stays fast.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ridgeline.numbers.numeral import Numeral

_TRIGGER = re.compile(
    r"(?P<sign>[=≈≅≃≤≥<>]|\\(?:approx|sim|cong|le|ge|lt|gt))|(?P<bracket>\()"
    r"|\b(?P<word>is|are|or|as|equals|gives|gave|makes|yields|comes|works|amounts)\b|(?P<change>\bfrom\b)"
)
#: The ends of sentences and blocks; each of them is also a break between tokens.
_END = re.compile(
    r"(?<!\bi\.e)(?<!viz)(?<!approx)(?<!\bca)(?<!resp)(?:[.?;](?=\s)|!(?=\s+[A-Z]))|\n[ \t]*(?=\n|[-*+>|#] |[0-9]{1,3}[.)] )"
)
_NEAR_SIGN, _NEAR_WORD, _NEAR_BRACKET = 80, 48, 32


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text (offsets, end exclusive) and the numerals in it, by index in order of place."""

    start: int
    end: int
    numerals: tuple[int, ...]


def segments(text: str, numerals: Sequence[Numeral]) -> Iterator[Segment]:
    """The sentences that hold two numerals and a sign of a relation between them."""
    order = sorted(range(len(numerals)), key=lambda i: (numerals[i].at, -len(numerals[i].text)))
    starts = [numerals[i].at for i in order]
    bounds = [match.end() for match in _END.finditer(text)] + [len(text)]
    done = 0
    for match in _TRIGGER.finditer(text):
        if match.start() < done or not _near(match, order, starts, numerals):
            continue
        after = bisect_left(bounds, match.end())
        start = bounds[after - 1] if after else 0
        end = bounds[after] if after < len(bounds) else len(text)
        inside = order[bisect_left(starts, start) : bisect_left(starts, end)]
        done = end
        if len(inside) > 1:
            yield Segment(start, end, tuple(inside))


def _near(match: re.Match[str], order: Sequence[int], starts: Sequence[int], numerals: Sequence[Numeral]) -> bool:
    """Whether numerals stand close enough to a sign for it to relate them."""
    next_one = bisect_left(starts, match.end())
    ahead = starts[next_one] - match.end() if next_one < len(starts) else len(match.string)
    behind = match.start() - numerals[order[next_one - 1]].end if next_one else len(match.string)
    kind = match.lastgroup
    if kind == "sign":
        return min(ahead, behind) <= _NEAR_SIGN
    if kind == "change":
        return ahead <= 12
    reach = _NEAR_BRACKET if kind == "bracket" else _NEAR_WORD
    return ahead <= reach and behind <= reach
