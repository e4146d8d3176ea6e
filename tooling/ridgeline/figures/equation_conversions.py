"""Pairs of numerals that state one quantity in two units: *80 GB is 74.5 GiB*, *50 MB (47.7 MiB)*."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ridgeline.figures.equation_tokens import T, Token
from ridgeline.figures.equation_tree import Equation, Ref, Side
from ridgeline.numbers.numeral import Numeral

#: Words that may stand between a relation and a numeral; the numeral's comparator says what they mean.
HEDGES = frozenset(
    {"about", "roughly", "approximately", "around", "nearly", "almost", "only", "exactly", "just", "over", "under",
     "more", "less", "than", "some", "circa", "approx.", "ca.", "a", "at", "most", "least", "up", "to", "close", "i.e."}
)  # fmt: skip
_CONNECTORS = frozenset({"or", "as", "called", "i.e.", "meaning"})
_COMPARED = frozenset(
    {"more", "less", "faster", "slower", "larger", "smaller", "higher", "lower", "longer", "shorter", "above", "below",
     "of", "per", "short", "extra", "away", "apart"}
)  # fmt: skip
_MAX_BETWEEN = 9


class Conversions:
    """The conversions in the tokens of one segment."""

    def __init__(self, text: str, numerals: Sequence[Numeral], tokens: Sequence[Token]):
        self.text = text
        self.numerals = numerals
        self.tokens = tokens

    def kind(self, position: int) -> T:
        return self.tokens[position].kind if 0 <= position < len(self.tokens) else T.BREAK

    def found(self, chains: Sequence[Equation]) -> list[Equation]:
        """The pairs that no chain covers already. ``chains`` are in order of place."""
        spans = [(e.start, e.end) for e in chains]
        numbers = [i for i, token in enumerate(self.tokens) if token.kind is T.NUMBER]
        found = []
        for first, second in pairwise(numbers):
            a, b = self.tokens[first], self.tokens[second]
            if second - first > _MAX_BETWEEN or any(s <= a.start and b.end <= e for s, e in _near(spans, a.start)):
                continue
            if self._converts(first, second):
                sides = (Side(Ref(a.index), a.start, a.end), Side(Ref(b.index), b.start, b.end))
                closing = self.kind(second + 1) is T.CLOSE and self.kind(second - 1) is not T.CLOSE
                end = self.tokens[second + 1].end if closing and "(" in self.text[a.end : b.start] else b.end
                found.append(Equation(a.start, end, sides, ("=",)))
        return found

    def _converts(self, first: int, second: int) -> bool:
        a, b = (self.numerals[self.tokens[i].index] for i in (first, second))
        between = self.tokens[first + 1 : second]
        if not two_units(a, b) and not self._said_equal(between, a, b):
            return False
        if self._bracketed(between, second):
            return _plausible(a, b) if _same_prefix(a, b) else _same_size(a, b)
        if not between or self._goes_on(first, second) or self._assigned(first, second):
            return False
        if any(t.kind not in (T.WORD, T.NAME, T.COMMA, T.WORD_REL, T.REL) for t in between):
            return False
        words = [self.text[t.start : t.end].lower() for t in between]
        if any(t.kind is T.REL and t.value not in ("=", "≈") for t in between):
            return False
        plain = [w for w in words if w not in HEDGES and w != ","]
        if len(plain) == 1 and between[0].kind in (T.WORD_REL, T.REL):
            return _plausible(a, b)
        joined = any(t.kind in (T.WORD_REL, T.REL) for t in between) or not _CONNECTORS.isdisjoint(words)
        return joined and _same_size(a, b)

    def _said_equal(self, between: Sequence[Token], a: Numeral, b: Numeral) -> bool:
        """Two near values in one unit that are said to be equal: ``80 GB = 74.5 GB``, *80 GB, reported as 74.5 GB*."""
        if not between or a.unit is None or a.unit != b.unit or not a.unit.dimension or not b.value:
            return False
        last = between[-1]
        return ((last.value == "=" and last.kind is T.REL) or last.value == "as") and _same_size(a, b)

    def _bracketed(self, between: Sequence[Token], second: int) -> bool:
        """``50 MB (47.7 MiB)``: a bracket that holds the second numeral and nothing else of weight."""
        if not between or between[0].kind is not T.OPEN or self.kind(second + 1) is not T.CLOSE:
            return False
        light = HEDGES | _CONNECTORS | {"=", "≈", "~", ",", "is"}
        return all(self.text[t.start : t.end].lower() in light for t in between[1:])

    def _assigned(self, first: int, second: int) -> bool:
        """Whether a name before the sign takes the second value: ``avg=13.36s min=12.54s``."""
        if second - first < 3 or self.tokens[second - 1].value != "=" or self.kind(second - 1) is not T.REL:
            return False
        name, sign = self.tokens[second - 2], self.tokens[second - 1]
        if name.kind not in (T.WORD, T.NAME):
            return False
        listed = self.kind(first - 1) is T.REL and self.kind(first - 2) in (T.WORD, T.NAME)
        a, b = (self.numerals[self.tokens[i].index] for i in (first, second))
        return listed or name.apart or name.end == sign.start or a.unit == b.unit

    def _goes_on(self, first: int, second: int) -> bool:
        """Whether either numeral belongs to a larger expression, or the second to a comparison (*5 GB more*)."""
        if self.kind(first - 1) is T.OP or self.kind(second + 1) is T.OP:
            return True
        after = self.tokens[second + 1] if second + 1 < len(self.tokens) else None
        return after is not None and self.text[after.start : after.end].lower() in _COMPARED


def _near(spans: Sequence[tuple[int, int]], start: int) -> Sequence[tuple[int, int]]:
    """The spans that can contain ``start``; spans are sorted and apart."""
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        if spans[middle][0] <= start:
            low = middle + 1
        else:
            high = middle
    return spans[max(0, low - 2) : low]


def two_units(a: Numeral, b: Numeral) -> bool:
    """Whether two numerals print one dimension in two units, or one value in two groupings."""
    if a.unit is None or b.unit is None or a.value is None or b.value is None:
        return False
    if not a.unit.dimension or a.unit.dimension != b.unit.dimension:
        return False
    if a.unit == b.unit:
        return a.grouping != b.grouping and "indian" in (a.grouping, b.grouping)
    return True


def _ratio(a: Numeral, b: Numeral) -> Fraction:
    assert a.value is not None and b.value is not None and a.unit is not None and b.unit is not None
    left, right = a.value * a.unit.base_factor, b.value * b.unit.base_factor
    return abs(left / right) if right else Fraction(0)


def _plausible(a: Numeral, b: Numeral) -> bool:
    """Whether two values are near enough, up to a power of 10³, to be meant as one."""
    ratio = _ratio(a, b)
    if Fraction(1, 12) < ratio < 12:
        return True
    return any(Fraction(9, 10) < ratio * Fraction(1000) ** n < Fraction(9, 8) for n in (-3, -2, -1, 1, 2, 3))


def _same_prefix(a: Numeral, b: Numeral) -> bool:
    """Whether two units stand on one step of kilo, mega, giga: GB and GiB, GB/s and Gb/s."""
    assert a.unit is not None and b.unit is not None
    ratio = a.unit.scale / b.unit.scale
    return Fraction(1, 2) < ratio < 2


def _same_size(a: Numeral, b: Numeral) -> bool:
    return Fraction(7, 8) < _ratio(a, b) < Fraction(8, 7)
