"""A piece of prose with its numerals read, ready to be matched against figure entries."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from ridgeline.figures.equations import Equation, find
from ridgeline.numbers import read
from ridgeline.numbers.numeral import Numeral

#: Stands for a numeral in a skeleton; no text of a record can hold it (it is a private-use character).
HOLE = "\ue000"
_SPACE = re.compile(r"\s+")
_GAP = re.compile(r"[\s\u00a0\u202f-]?")


@dataclass
class Passage:
    """One prose field: its text, the numerals in it, and the equations between them."""

    path: tuple[str | int, ...]
    text: str
    numerals: list[Numeral]
    equations: list[Equation] = field(default_factory=list)

    @classmethod
    def of(cls, path: tuple[str | int, ...], text: str, names: frozenset[str]) -> Passage:
        numerals = read(text, names)
        return cls(path, text, numerals, find(text, numerals) if numerals else [])

    @cached_property
    def quantities(self) -> list[int]:
        """Indices of the numerals that state something, in order: the holes of the skeleton."""
        return [i for i, n in enumerate(self.numerals) if n.quantity or n.error]

    @cached_property
    def symbolic(self) -> list[Numeral]:
        """The numerals that are stated as the value of a symbol: ``g = 4``."""
        return [n for n in self.numerals if n.symbol and n.value is not None]

    @cached_property
    def skeleton(self) -> str:
        """The text with a hole for each numeral that states something, white space folded."""
        return skeleton(self.text, [self.numerals[i] for i in self.quantities])

    @cached_property
    def unitless(self) -> str:
        """The skeleton with the units that follow a numeral inside its hole."""
        return skeleton(self.text, [self.numerals[i] for i in self.quantities], units=True)

    def find(self, pattern: str, *, units: bool = False) -> list[list[int]]:
        """Each place where a skeleton occurs, as the indices of the numerals in its holes.

        ``units``: the pattern has its units inside the holes, so that another unit stands there as well.
        """
        found, start = [], 0
        text = self.unitless if units else self.skeleton
        holes = pattern.count(HOLE)
        while (at := text.find(pattern, start)) >= 0:
            if _whole(text, pattern, at):
                first = text.count(HOLE, 0, at)
                found.append(self.quantities[first : first + holes])
            start = at + 1
        return found

    def verbatim(self, words: str) -> list[list[int]]:
        """Each place where words stand as they are, white space apart, as the indices of the numerals among them.

        A few words alone can read otherwise than in their sentence: a list's unit, a name or a year is not seen there.
        """
        return [[i for i in self.quantities if start <= self.numerals[i].at < end] for start, end in self.words(words)]

    def words(self, words: str) -> list[tuple[int, int]]:
        """Each place where words stand as they are, white space apart: start and end."""
        pattern = r"\s+".join(re.escape(word) for word in words.split())
        return [
            (start, end)
            for start, end in (match.span() for match in re.finditer(pattern, self.text))
            if not (_joined(self.text[start - 1 : start + 1]) or _joined(self.text[end - 1 : end + 1]))
        ]


def skeleton(text: str, numerals: list[Numeral], *, units: bool = False) -> str:
    """The text with a hole for each numeral given, white space folded; with ``units``, a unit after it goes with it."""
    parts, at = [], 0
    for numeral in numerals:
        parts.append(text[at : numeral.at])
        parts.append(HOLE)
        at = numeral.end
        if units and numeral.unit_text:
            gap = _GAP.match(text, at)
            behind = gap.end() if gap else at
            if text.startswith(numeral.unit_text, behind):
                at = behind + len(numeral.unit_text)
    parts.append(text[at:])
    return _SPACE.sub(" ", "".join(parts)).strip()


def _joined(pair: str) -> bool:
    """Whether a place lies inside a word or a number."""
    return len(pair) == 2 and pair.isalnum()


def _whole(text: str, pattern: str, at: int) -> bool:
    """Whether a match does not begin or end inside a word."""
    before = text[at - 1 : at]
    after = text[at + len(pattern) : at + len(pattern) + 1]
    return not (before.isalnum() and pattern[0].isalnum()) and not (after.isalnum() and pattern[-1].isalnum())
