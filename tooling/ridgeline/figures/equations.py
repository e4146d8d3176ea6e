"""Equations that stand in prose: found, and each relation checked.

``989.5 TFLOP/s over 3.35 TB/s = 295.4``, ``L* = 202,375,168/4096 = 49,408 tokens``, ``80 GB is 74.5 GiB``,
``50 MB (47.7 MiB)``. :func:`find` reads the text once, in linear time, and never raises; :func:`check` computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ridgeline.figures.equation_changes import changes, shares
from ridgeline.figures.equation_check import check
from ridgeline.figures.equation_conversions import HEDGES, Conversions, two_units
from ridgeline.figures.equation_parse import NoParse, Parsed, Parser, is_function
from ridgeline.figures.equation_segments import Segment, segments
from ridgeline.figures.equation_tokens import T, Token, relation_sign, tokenize
from ridgeline.figures.equation_tree import Call, Const, Equation, Name, Node, Op, Ref, Side, leaves, names
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import hard

__all__ = ["Equation", "Side", "check", "find"]

_VALUES = frozenset({T.NUMBER, T.CONST, T.NAME, T.CLOSE, T.OPEN, T.ASIDE, T.FUNCTION})
_ROOTS = frozenset("√∛∑∏∫|")
_SENTENCE = frozenset(".!?;")


def find(text: str, numerals: Sequence[Numeral]) -> list[Equation]:
    """All equations, comparisons and unit conversions of ``text`` in order of appearance.

    ``numerals`` are the numerals of the text as read; operands refer to them by index. Never raises, whatever the text.
    """
    found: list[Equation] = []
    if len(numerals) > 1:
        for segment in segments(text, numerals):
            finder = _Finder(text, numerals, segment)
            chains = finder.chains()
            found += chains
            found += Conversions(text, numerals, finder.tokens).found(chains)
            found += changes(finder.tokens, numerals)
            found += shares(finder.tokens, numerals)
    return sorted(found, key=lambda equation: (equation.start, equation.end))


class _Finder:
    def __init__(self, text: str, numerals: Sequence[Numeral], segment: Segment):
        self.text = text
        self.numerals = numerals
        self.tokens = tokenize(text, numerals, segment)
        self.parser = Parser(self.tokens, numerals)
        self.sentences = _sentences(self.tokens)

    def kind(self, position: int) -> T:
        return self.tokens[position].kind if 0 <= position < len(self.tokens) else T.BREAK

    # Chains -----------------------------------------------------------------------------------------------------

    def chains(self) -> list[Equation]:
        """Sides joined by relations, wherever arithmetic stands in one of them."""
        chains: list[tuple[Equation, int]] = []
        assigned: dict[int, list[tuple[str, int, int]]] = {}
        position = 0
        while position < len(self.tokens):
            sides, relations, following = self._chain(position)
            if len(sides) > 1:
                equation = self._equation(sides, relations)
                sentence = self.sentences[sides[0].first]
                if _assignment(equation):
                    name, value = equation.sides[0].node, equation.sides[1].node
                    if isinstance(name, Name) and isinstance(value, Ref) and self._free(sides[0].first):
                        assigned.setdefault(sentence, []).append((name.text, value.index, equation.end))
                elif _worth(equation, self.numerals):
                    chains.append((equation, sentence))
            position = max(following, position + 1)
        return [self._resolve(equation, assigned.get(sentence, [])) for equation, sentence in chains]

    def _chain(self, start: int) -> tuple[list[Parsed], list[str], int]:
        side = self._side(start)
        if side is None:
            return [], [], max(start + 1, self.parser.at if self.parser.exhausted else 0)
        sides = [self._tainted_before(side)]
        relations: list[str] = []
        while True:
            sign, after = self._relation(side)
            if not sign:
                break
            following = self._side(self._past_hedges(after))
            if following is None:
                return sides, relations, after
            relations.append(sign)
            sides.append(following)
            side = following
        sides[-1] = self._tainted_after(sides[-1])
        return sides, relations, side.last

    def _side(self, start: int) -> Parsed | None:
        """The expression at ``start``. Operators written as words count only where a relation follows."""
        self.parser.exhausted = False
        kind = self.kind(start)
        if kind is T.WORD:
            whole = self.kind(start + 1) is T.REL and self.tokens[start + 1].value in ("=", "≈")
            return Parsed(Name(self.tokens[start].value), start, start + 1, False) if whole else None
        if kind not in (T.NUMBER, T.CONST, T.OPEN, T.FRACTION, T.FUNCTION, T.NAME, T.ASIDE):
            return None
        try:
            parsed = self.parser.expression(start, words=True)
            if parsed.worded and not self._relation(parsed)[0]:
                parsed = self.parser.expression(start, words=False)
        except NoParse:
            return None
        return parsed

    def _relation(self, side: Parsed) -> tuple[str, int]:
        """The relation that follows a side, and the token after it; a word relates only pure arithmetic."""
        kind = self.kind(side.last)
        if kind is T.REL:
            return self.tokens[side.last].value, side.last + 1
        comma = 1 if kind is T.COMMA else 0
        word = side.last + comma
        if comma and word < len(self.tokens) and self.tokens[word].value == "i.e.":
            return ("=", word + 1) if _pure(side.node, self.numerals) else ("", side.last)
        if self.kind(word) is not T.WORD_REL or not _pure(side.node, self.numerals):
            return "", side.last
        if not comma or self.tokens[word].value in ("which is", "that is"):
            return relation_sign(self.tokens[word].value), word + 1
        return "", side.last

    def _past_hedges(self, position: int) -> int:
        for _ in range(4):
            token = self.tokens[position] if position < len(self.tokens) else None
            if token is None:
                break
            word = self.text[token.start : token.end].lower()
            if word not in HEDGES and not (token.kind is T.REL and token.value in ("≈", "<", ">")):
                break
            position += 1
        return position

    def _tainted_before(self, side: Parsed) -> Parsed:
        """A first side that begins in the middle of a formula which cannot be read is carried, not evaluated."""
        return replace(side, node=Op("*", Name("…"), side.node)) if self._inside(side.first) else side

    def _inside(self, first: int) -> bool:
        """Whether a formula that cannot be read leads into token ``first``."""
        if first == 0:
            return False
        before, here = self.tokens[first - 1], self.tokens[first]
        earlier = self.kind(first - 2)
        if before.kind is T.OP:
            dash = before.value == "-" and earlier in (T.WORD, T.ASIDE, T.WORD_REL, T.COMMA)
            line = self.text[max(0, before.start - 8) : before.start].rstrip(" \t")
            return not (dash or not line or line.endswith("\n"))
        if before.kind is T.WORD_OP:
            word = self.text[before.start : before.end]
            return word not in ("of", "over", "per") or earlier in _VALUES
        if before.kind is T.FUNCTION:
            return True
        if before.kind is T.BREAK:
            return before.value in _ROOTS or (before.value == "]" and before.end == here.start)
        touching = before.end == here.start and before.kind in (T.NAME, T.CLOSE, T.WORD)
        return touching or (before.kind in (T.WORD, T.NAME) and is_function(before))

    def _tainted_after(self, side: Parsed) -> Parsed:
        """The same for a last side that goes on in a way which cannot be read: ``= 2 × the ridge``, ``= 2 L``."""
        kind, following = self.kind(side.last), self.kind(side.last + 1)
        goes_on = kind in (T.FRACTION, T.CONST)
        if kind is T.OP:
            sign = self.tokens[side.last].value
            goes_on = sign != "-" or following in (T.NUMBER, T.CONST, T.NAME, T.OPEN, T.FUNCTION)
        elif kind is T.NAME:
            goes_on = following not in (T.REL,) and len(self.tokens[side.last].value) <= 3
        elif kind is T.WORD_OP:
            goes_on = following in _VALUES and self._joins(side.last)
        elif kind is T.BREAK:
            goes_on = self.tokens[side.last : side.last + 1] != [] and self.tokens[side.last].value == "!"
            goes_on = goes_on and following in (T.OP, T.REL)
            clock = self.text[self.tokens[side.last - 1].end : self.tokens[side.last - 1].end + 2]
            goes_on = goes_on or (clock[:1] == ":" and clock[1:].isdigit())
        elif kind is T.OPEN:
            goes_on = self.tokens[side.last].start == self.tokens[side.last - 1].end
        return replace(side, node=Op("*", side.node, Name("…"))) if goes_on else side

    def _joins(self, position: int) -> bool:
        """Whether *over*, *times*, *of* … after a result make it part of a larger expression: *640 GB over 8 nodes*."""
        word = self.text[self.tokens[position].start : self.tokens[position].end]
        before, after = (self.tokens[position + step] for step in (-1, 1))
        if word == "of":
            return before.kind is T.NUMBER and self.numerals[before.index].kind is Kind.PERCENT
        if word not in ("over", "per"):
            return True
        unit = self.numerals[after.index].unit if after.kind is T.NUMBER else None
        return unit is not None and bool(hard(unit.dimension))

    def _free(self, position: int) -> bool:
        """Whether a name stands alone, so that ``4 n_kv = 32`` does not set ``n_kv``."""
        return self.kind(position - 1) not in (T.OP, T.NUMBER, T.CONST, T.CLOSE)

    def _equation(self, sides: Sequence[Parsed], relations: Sequence[str]) -> Equation:
        built = tuple(
            Side(s.node, self.tokens[s.first].start, max(self.tokens[i].end for i in (s.first, s.last - 1)))
            for s in sides
        )
        equation = Equation(built[0].start, built[-1].end, built, tuple(relations))
        delimited = frozenset(index for index in equation.operands if self._delimited(index, equation.end))
        return replace(equation, delimited=delimited) if delimited else equation

    def _delimited(self, index: int, end: int) -> bool:
        """Whether the ``$`` before a numeral opens a formula: it is doubled, or LaTeX follows inside the equation."""
        numeral = self.numerals[index]
        if numeral.unit_text != "$" or self.text[numeral.at - 1 : numeral.at] != "$":
            return False
        inside = self.text[numeral.end : end].partition("$")[0]
        return self.text[max(0, numeral.at - 2) : numeral.at] == "$$" or "\\" in inside

    def _resolve(self, equation: Equation, assigned: Sequence[tuple[str, int, int]]) -> Equation:
        """Take values of names from ``g=1`` in the same sentence, and go on from ``L_ridge = …/g`` to ``L = 591``."""
        values: dict[str, set[int]] = {}
        for name, index, _ in assigned:
            values.setdefault(name, set()).add(index)
        free = {name for side in equation.sides for name in names(side.node)}
        known = tuple((name, min(indices)) for name, indices in sorted(values.items()) if len(indices) == 1)
        used = tuple((name, index) for name, index in known if name in free)
        first, last = equation.sides[0].node, equation.sides[-1].node
        if (
            isinstance(first, Name)
            and isinstance(last, Op | Call)
            and used
            and set(names(last)) <= {n for n, _ in used}
        ):
            stem = first.text.split("_")[0].rstrip("*′'")
            later = [(i, end) for name, i, end in assigned if end > equation.end and name.rstrip("*′'") == stem]
            if len(later) == 1:
                index, end = later[0]
                side = Side(Ref(index), self.numerals[index].at, end)
                return replace(
                    equation,
                    end=end,
                    sides=(*equation.sides, side),
                    relations=(*equation.relations, "="),
                    assigned=used,
                )
        return replace(equation, assigned=used)


def _sentences(tokens: Sequence[Token]) -> list[int]:
    """The number of the sentence that each token stands in."""
    number, result = 0, []
    for token in tokens:
        if token.kind is T.BREAK and (token.value in _SENTENCE or "\n" in token.value):
            number += 1
        result.append(number)
    return result


def _arithmetic(node: Node, numerals: Sequence[Numeral]) -> bool:
    """Whether a side computes something: an operator with a numeral in it, or a power printed as one numeral."""
    if isinstance(node, Op | Call):
        return any(isinstance(leaf, Ref) for leaf in leaves(node))
    if not isinstance(node, Ref):
        return False
    return "^" in numerals[node.index].text or numerals[node.index].kind is Kind.DIMENSION


def _pure(node: Node, numerals: Sequence[Numeral]) -> bool:
    return _arithmetic(node, numerals) and not names(node)


def _assignment(equation: Equation) -> bool:
    return [type(side.node) for side in equation.sides] == [Name, Ref] and equation.relations == ("=",)


def _worth(equation: Equation, numerals: Sequence[Numeral]) -> bool:
    """Whether a chain says something that can be computed."""
    if any(_arithmetic(side.node, numerals) for side in equation.sides):
        return True
    values = [side.node for side in equation.sides if isinstance(side.node, (Ref, Const))]
    if len(values) < 2 or len(values) != len(equation.sides):
        return False
    if any(relation in ("<", ">", "<=", ">=") for relation in equation.relations):
        return True
    pairs = pairwise(values)
    return all(
        isinstance(a, Ref) and isinstance(b, Ref) and two_units(numerals[a.index], numerals[b.index])
        for a, b in pairs
    )  # fmt: skip
