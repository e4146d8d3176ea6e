"""Where the words of a figure entry stand in the prose of its record, and what to say where they do not stand once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ridgeline.figures.passage import HOLE, Passage, skeleton
from ridgeline.numbers import read
from ridgeline.records.common import Figure
from ridgeline.records.walk import dotted


@dataclass(frozen=True, slots=True)
class Match:
    """One place: the passage, and the indices of the numerals that the words hold."""

    passage: Passage
    numerals: list[int]


@dataclass(frozen=True, slots=True)
class Span:
    """One place of words whose numerals do not matter: the passage, start and end in its text."""

    passage: Passage
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why words have no one place: the rule, the key of the entry, what to say and what to do."""

    rule: str
    key: str
    message: str
    found: str
    mend: str


class Words:
    """The prose of a record, searched for the words of its entries. ``names`` are those of all records."""

    def __init__(self, passages: list[Passage], names: frozenset[str]):
        self.passages = passages
        self.names = names

    def locate(self, figure: Figure) -> Match | Trouble:
        """The one passage and the numerals that an entry speaks of."""
        pattern = _pattern(figure.say, self.names)
        if HOLE not in pattern:
            mend = "quote the words with their numerals"
            return Trouble("figure-without-numeral", "say", "say: holds no numeral", figure.say[:60], mend)
        places = [Match(p, numerals) for p in self._searched(figure) for numerals in p.find(pattern)]
        places = places or self._loosely(figure)
        if len(places) == 1:
            return places[0]
        return _ambiguous(figure, [m.passage for m in places]) if places else self._nowhere(figure, pattern)

    def spot(self, figure: Figure) -> Span | Trouble:
        """The one place of words that claim something without a numeral of their own."""
        places = [Span(p, start, end) for p in self._searched(figure) for start, end in p.words(figure.say)]
        if len(places) == 1:
            return places[0]
        return _ambiguous(figure, [s.passage for s in places]) if places else self._nowhere(figure, "")

    def _searched(self, figure: Figure) -> list[Passage]:
        return [p for p in self.passages if figure.in_ is None or dotted(p.path) == figure.in_]

    def _nowhere(self, figure: Figure, pattern: str) -> Trouble:
        fields = sorted({dotted(p.path) for p in self.passages})
        if figure.in_ is not None and figure.in_ not in fields:
            mend = f"prose stands in {', '.join(fields)}"
            return Trouble("figure-unmatched", "in", f"no prose field is called {figure.in_}", figure.in_, mend)
        stands = any(p.verbatim(figure.say) for p in self._searched(figure))
        message = (
            "in their sentence these words hold no numeral that states a quantity"
            if stands
            else "these words stand nowhere in the record's prose"
        )
        near = self._nearest(pattern) if pattern else ""
        mend = (
            f"quote the words that stand nearest: “{near}”"
            if near
            else "delete the entry, or quote the words as they stand"
        )
        return Trouble("figure-unmatched", "say", message, figure.say[:80], mend)

    def _loosely(self, figure: Figure) -> list[Match]:
        """Where the words stand whose numerals read otherwise in their sentence, or with another unit at a numeral.

        A changed unit counts only for what is recomputed: the comparison then says what is wrong with it. For the rest the
        words are all that there is.
        """
        passages = self._searched(figure)
        places = [Match(passage, found) for passage in passages for found in passage.verbatim(figure.say) if found]
        if places or (figure.is_ is None and figure.each is None):
            return places
        pattern = _pattern(figure.say, self.names, units=True)
        if not pattern.replace(HOLE, "").strip():
            return []
        return [Match(passage, found) for passage in passages for found in passage.find(pattern, units=True)]

    def _nearest(self, pattern: str) -> str:
        """The passage words that come closest to a skeleton, with their numerals."""
        from difflib import SequenceMatcher

        best, best_ratio = "", 0.55
        for passage in self.passages:
            text = passage.skeleton
            if not text:
                continue
            block = SequenceMatcher(None, text, pattern, autojunk=False).find_longest_match()
            start = max(0, block.a - block.b)
            start = text.rfind(" ", 0, start + 1) + 1
            window = text[start : _word_end(text, start, pattern)]
            ratio = SequenceMatcher(None, window, pattern, autojunk=False).ratio()
            if ratio > best_ratio:
                first = text.count(HOLE, 0, start)
                for number in passage.quantities[first : first + window.count(HOLE)]:
                    window = window.replace(HOLE, passage.numerals[number].text, 1)
                best, best_ratio = window, ratio
        return best[:120]


def _ambiguous(figure: Figure, places: list[Passage]) -> Trouble:
    where = ", ".join(sorted({dotted(passage.path) for passage in places}))
    mend = "quote more of the sentence" + ("" if "," not in where else ", or name the field in in:")
    return Trouble("figure-ambiguous", "say", f"these words stand {len(places)} times ({where})", figure.say[:80], mend)


def _word_end(text: str, start: int, pattern: str) -> int:
    """Where words as long as a pattern end: at the end of a word, and no sooner than behind as many numerals."""
    end = start + len(pattern)
    for _ in range(pattern.count(HOLE) - text.count(HOLE, start, end)):
        further = text.find(HOLE, end, end + len(pattern))
        if further < 0 or ". " in text[end:further]:
            break
        end = further + 1
    stop = text.find(" ", end)
    return stop if stop >= 0 else len(text)


@lru_cache(maxsize=8192)
def _pattern(say: str, names: frozenset[str], units: bool = False) -> str:
    """The skeleton of an entry's words: a hole for each numeral that states something."""
    return skeleton(say, [n for n in read(say, names) if n.quantity or n.error], units=units)


__all__ = ["Match", "Span", "Trouble", "Words"]
