"""Arithmetic told in words: *rose from 38% to 41%, a gain of 3 percentage points*; *72 GB is 90% of 80 GB*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ridgeline.figures.equation_tokens import T, Token
from ridgeline.figures.equation_tree import Equation, Node, Op, Ref, Side
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import hard

_REACH = 80
_RELATIVE = frozenset({"relative", "relatively"})
#: Words after which a sentence speaks of something else.
_TURNS = frozenset({"from", "while", "whereas", "but", "though", "although"})


def changes(tokens: Sequence[Token], numerals: Sequence[Numeral]) -> Iterator[Equation]:
    """The difference and the relative change that follow a *from A to B*, as equations over A and B."""
    for first in range(len(tokens) - 3):
        if [tokens[first].value.lower(), tokens[first + 2].value] != ["from", "to"]:
            continue
        a, b = tokens[first + 1], tokens[first + 3]
        if a.kind is not T.NUMBER or b.kind is not T.NUMBER or not _comparable(numerals[a.index], numerals[b.index]):
            continue
        yield from _told(tokens, numerals, first + 3, a, b)


def shares(tokens: Sequence[Token], numerals: Sequence[Numeral]) -> Iterator[Equation]:
    """*A is p % of C*, where A and C have one hard dimension."""
    for first in range(len(tokens) - 4):
        a, verb, share, of, whole = tokens[first : first + 5]
        if verb.kind is not T.WORD_REL or [of.kind, of.value, of.end - of.start] != [T.WORD_OP, "*", 2]:
            continue
        if any(t.kind is not T.NUMBER for t in (a, share, whole)) or tokens[first - 1 if first else 0].kind is T.OP:
            continue
        unit = numerals[a.index].unit
        if numerals[share.index].kind is not Kind.PERCENT or unit is None or not hard(unit.dimension):
            continue
        if _comparable(numerals[a.index], numerals[whole.index]):
            product = Op("*", Ref(share.index), Ref(whole.index))
            sides = (Side(Ref(a.index), a.start, a.end), Side(product, share.start, whole.end))
            yield Equation(a.start, whole.end, sides, ("=",))


def _told(tokens: Sequence[Token], numerals: Sequence[Numeral], last: int, a: Token, b: Token) -> Iterator[Equation]:
    for position in range(last + 1, min(len(tokens), last + 24)):
        token = tokens[position]
        if token.kind is T.BREAK or token.start > b.end + _REACH or token.value.lower() in _TURNS:
            return
        if token.kind is not T.NUMBER:
            continue
        numeral = numerals[token.index]
        following = tokens[position + 1].value.lower() if position + 1 < len(tokens) else ""
        difference = _difference(numerals, a.index, b.index, numeral)
        node: Node
        if numeral.kind is Kind.PERCENT_POINT and numerals[a.index].kind is Kind.PERCENT:
            node = difference
        elif numeral.kind in (Kind.PERCENT, Kind.CHANGE) and following in _RELATIVE:
            node = Op("/", difference, Ref(a.index))
        else:
            continue
        sides = (Side(node, a.start, b.end), Side(Ref(token.index), token.start, token.end))
        yield Equation(a.start, token.end, sides, ("=",))


def _difference(numerals: Sequence[Numeral], a: int, b: int, told: Numeral) -> Node:
    """B − A; A − B where a fall is told without a sign (*a drop of 3 points*)."""
    before, after = numerals[a].value or Fraction(0), numerals[b].value or Fraction(0)
    unsigned = told.text[:1].isdigit() and (told.value or Fraction(0)) > 0
    return Op("-", Ref(a), Ref(b)) if after < before and unsigned else Op("-", Ref(b), Ref(a))


def _comparable(a: Numeral, b: Numeral) -> bool:
    if a.value is None or b.value is None or (a.kind is Kind.PERCENT) != (b.kind is Kind.PERCENT):
        return False
    dimensions = [hard(n.unit.dimension) if n.unit is not None else () for n in (a, b)]
    return dimensions[0] == dimensions[1]
