"""Numbers in the cells of a table, whose unit stands in the header, in the row's first cell or in a cell of its own.

Three kinds of table are seen in running text: Markdown pipe tables, tab-separated lines, and the columns of program
output that two spaces or more set apart. One pass over the lines; a text without such lines costs three substring tests.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.numbers.draft import Draft
from ridgeline.numbers.lazy import lazy
from ridgeline.numbers.numeral import Kind
from ridgeline.numbers.quantities import ONE, PERCENT, WORDS, printed_unit
from ridgeline.numbers.units import Unit

_MAX_COLUMNS = 64
_RULE = lazy(r"\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$")
_ALIGNED_RULE = lazy(r"\s*[-=]{2,}(?:\s+[-=]{2,})*\s*$")
_SPACED = lazy(r"[^\s](?:[^\s]| (?! ))*")
_WORD = lazy(r"[^\s]+")
_NUMBER_FIRST = lazy(r"[~≈<>≤≥±$₹€(*_+−–-]{0,3}\s?\.?[0-9]")
_BRACKETED = lazy(r"[(\[]\s?(?:in )?([^()\[\]]{1,30}?)\s?[)\]]\s*$")
_AFTER_COMMA = lazy(r"(?:,|:|\bin)\s+([^,:]{1,30})$")
#: What may stand beside the number of a cell that takes its unit from elsewhere.
_REST = lazy(r"(?:[\s~≈<>≤≥±()*_+,–-]|\bto\b|\babout\b|\bup to\b|\bover\b|\bunder\b)*$")
_NOUNS = frozenset(
    {"bytes", "byte", "flop", "flops", "tokens", "seconds", "milliseconds", "microseconds", "bits", "watts", "joules",
     "parameters", "params", "usd", "dollars"}
)  # fmt: skip
_CASED = {"usd": "USD", "flops": "FLOPs", "flop": "FLOP"}
#: Units that are no heading by themselves: "min" is a minimum, "T" and "s" are symbols.
_NEVER_BARE = frozenset(
    {"min", "h", "m", "s", "T", "B", "b", "J", "W", "unit", "units", "value", "values", "cycle", "cycles"}
)


@dataclass(frozen=True, slots=True)
class _Given:
    """A unit found in a heading: what it is called there, a factor such as a million, and the kind of its numbers."""

    unit: Unit | None
    text: str
    factor: int = 1
    kind: Kind = Kind.MEASURE


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    cells: tuple[tuple[int, int], ...]


def give_units(text: str, drafts: list[Draft]) -> None:
    """Give every bare number of a table the unit that its column, row or neighbour states. Drafts are in order."""
    if "\n" not in text or not ("|" in text or "\t" in text or "  " in text):
        return
    starts: list[int] = []
    for header, rows in _blocks(text):
        if not starts:
            starts = [draft.start for draft in drafts]
        columns = [_given(text[a:b]) for a, b in header.cells]
        for row in rows:
            _row(text, row, columns, drafts, starts)


def _row(text: str, row: _Line, columns: list[_Given | None], drafts: list[Draft], starts: list[int]) -> None:
    first = neighbour = None
    looked = False
    for place, (start, end) in enumerate(row.cells):
        inside = _numbers(text, start, end, drafts, starts)
        if not inside:
            continue
        given, rule = columns[place] if place < len(columns) else None, "unit-from-header"
        if given is None:
            if not looked:
                first, neighbour, looked = _first_cell(text, row), _unit_cell(text, row), True
            given, rule = (first, "unit-from-row") if first and place else (neighbour, "unit-from-neighbour")
        if given is not None:
            for draft in inside:
                _give(draft, given, rule)


def _give(draft: Draft, given: _Given, rule: str) -> None:
    if draft.suffix and (given.factor != 1 or given.kind is not Kind.MEASURE):
        return
    draft.factor *= given.factor
    draft.unit_text, draft.unit = given.text, given.unit
    draft.kind = Kind.CHANGE if given.kind is Kind.PERCENT and draft.rule == "signed" else given.kind
    if draft.suffix in ("k", "K"):
        draft.binary = given.unit is not None and given.unit.factors == (("token", 1),)
    draft.rule = draft.rule or rule


def _numbers(text: str, start: int, end: int, drafts: list[Draft], starts: list[int]) -> list[Draft]:
    """The bare numbers of a cell that holds nothing else, but for hedges and signs."""
    low = bisect_left(starts, start)
    inside: list[Draft] = []
    rest = ""
    position = start
    while low < len(drafts) and drafts[low].start < end:
        draft = drafts[low]
        if draft.kind is not Kind.MEASURE or draft.unit is not None or draft.error or draft.symbol or len(inside) > 3:
            return []
        inside.append(draft)
        rest += text[position : draft.left]
        position = draft.right
        low += 1
    return inside if inside and _REST.match(rest + text[position:end]) else []


def _first_cell(text: str, row: _Line) -> _Given | None:
    start, end = row.cells[0]
    return None if _NUMBER_FIRST.match(text, start, end) else _given(text[start:end])


def _unit_cell(text: str, row: _Line) -> _Given | None:
    for start, end in row.cells[1:]:
        word = text[start:end]
        if word and len(word) <= 24 and not _NUMBER_FIRST.match(word):
            given = _whole(word)
            if given is not None:
                return given
    return None


def _given(heading: str) -> _Given | None:
    """The unit in a heading: in brackets, as the whole of it, after a comma, or as the noun that begins it."""
    heading = heading.strip().strip("*_`").strip()
    if not heading or len(heading) > 80:
        return None
    bracket = _BRACKETED.search(heading)
    if bracket:
        given = _whole(bracket.group(1))
        if given is not None:
            return given
        factor = WORDS.get(bracket.group(1).lower().removesuffix("s"))
        noun = _noun(heading)
        return _Given(noun.unit if noun else None, bracket.group(1), factor) if factor else noun
    if heading.endswith("%") or heading.startswith("% "):
        return _Given(PERCENT, "%", kind=Kind.PERCENT)
    if heading not in _NEVER_BARE:
        given = _whole(heading)
        if given is not None:
            return given
    after = _AFTER_COMMA.search(heading)
    return (_whole(after.group(1)) if after else None) or _noun(heading)


def _whole(words: str) -> _Given | None:
    words = words.strip().strip("*_`").replace("\\%", "%")
    if words in ("%", "percent", "per cent", "pct"):
        return _Given(PERCENT, words, kind=Kind.PERCENT)
    if words in ("x", "×"):
        return _Given(ONE, words, kind=Kind.RATIO)
    if words in ("$", "₹", "€", "T"):
        return None if words == "T" else _Given(_currency(words), words)
    found = printed_unit(words, 0)
    if found is not None and found.end == len(words):
        return _Given(found.unit, words)
    return None


def _currency(sign: str) -> Unit:
    return Unit(Fraction(1), (({"$": "USD", "₹": "INR", "€": "EUR"}[sign], 1),))


def _noun(heading: str) -> _Given | None:
    """``bytes moved``, ``FLOPs per token``, ``Tokens``: the heading begins with the unit's noun."""
    word = heading.split(maxsplit=1)[0]
    head = word.split("/")[0]
    if head.lower() not in _NOUNS:
        return None
    lowered = _CASED.get(head.lower(), head.lower()) if printed_unit(heading, 0) is None else head
    found = printed_unit(lowered + heading[len(head) :], 0)
    return None if found is None else _Given(found.unit, heading[: found.end + len(head) - len(lowered)])


def _blocks(text: str) -> Iterator[tuple[_Line, list[_Line]]]:
    """The tables of a text: header and body rows."""
    lines: list[tuple[int, str]] = []
    kind = ""
    position = 0
    for line in text.split("\n"):
        found = _kind(line)
        if found != kind or not found:
            yield from _table(kind, lines)
            lines, kind = [], found
        if found:
            lines.append((position, line))
        position += len(line) + 1
    yield from _table(kind, lines)


def _kind(line: str) -> str:
    if "|" in line:
        return "pipe"
    if "\t" in line.strip():
        return "tab"
    return "space" if "  " in line.strip() else ""


def _table(kind: str, lines: list[tuple[int, str]]) -> Iterator[tuple[_Line, list[_Line]]]:
    if len(lines) < 2:
        return
    split = {"pipe": _piped, "tab": _tabbed, "space": _aligned}[kind]
    header = split(*lines[0])
    width = len(header.cells)
    if not 2 <= width <= _MAX_COLUMNS or any(
        _NUMBER_FIRST.match(lines[0][1], a - header.start) for a, _ in header.cells[1:]
    ):
        return
    ruled = _RULE.match(lines[1][1]) if kind == "pipe" else _ALIGNED_RULE.match(lines[1][1])
    if kind == "pipe" and not ruled and not lines[0][1].lstrip().startswith("|"):
        return
    body: list[_Line] = []
    for line in lines[2 if ruled else 1 :]:
        row = split(*line)
        if kind == "space" and len(row.cells) < width:
            row = _aligned(*line, _WORD)  # a wide number leaves one space only
        if len(row.cells) != width and (kind != "pipe" or len(row.cells) > width):
            if kind == "pipe":
                continue
            break
        body.append(row)
    if body:
        yield header, body


def _piped(start: int, line: str) -> _Line:
    cells: list[tuple[int, int]] = []
    stripped = line.strip()
    low = line.index(stripped[0]) if stripped else 0
    if stripped.startswith("|"):
        low += 1
    high = len(line.rstrip())
    if high > low and line[high - 1] == "|":
        high -= 1
    while len(cells) <= _MAX_COLUMNS:
        bar = line.find("|", low, high)
        cells.append(_trimmed(start, line, low, bar if bar >= 0 else high))
        if bar < 0:
            break
        low = bar + 1
    return _Line(start, tuple(cells))


def _tabbed(start: int, line: str) -> _Line:
    cells: list[tuple[int, int]] = []
    low = 0
    for cell in line.split("\t")[: _MAX_COLUMNS + 1]:
        cells.append(_trimmed(start, line, low, low + len(cell)))
        low += len(cell) + 1
    return _Line(start, tuple(cells))


def _aligned(start: int, line: str, cell: re.Pattern[str] = _SPACED) -> _Line:
    found: list[tuple[int, int]] = []
    for match in cell.finditer(line):
        found.append((start + match.start(), start + match.end()))
        if len(found) > _MAX_COLUMNS:
            break
    return _Line(start, tuple(found))


def _trimmed(start: int, line: str, low: int, high: int) -> tuple[int, int]:
    while low < high and line[low].isspace():
        low += 1
    while high > low and line[high - 1].isspace():
        high -= 1
    return start + low, start + high


__all__ = ["give_units"]
