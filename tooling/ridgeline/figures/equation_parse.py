"""From tokens to sides and relations: the grammar of arithmetic as prose prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.figures.equation_functions import PREFIX, takes_next
from ridgeline.figures.equation_tokens import T, Token
from ridgeline.figures.equation_tree import Call, Const, Name, Node, Op, Ref
from ridgeline.numbers.numeral import Comparator, Kind, Numeral
from ridgeline.numbers.units import symbol

MAX_DEPTH = 16
MAX_LEAVES = 64
_MAX_NOTE_TOKENS = 16
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_RANGES = frozenset({Comparator.RANGE_LO, Comparator.RANGE_HI})
_MAX_ARGUMENTS = 32
_CLOSING = {"(": ")", "{": "}", "⌈": "⌉", "⌊": "⌋"}
_CORNERS = {"⌈": "ceil", "⌊": "floor"}
#: Words that may not stand as a noun between an operand and the next sign.
_NO_NOUN = frozenset(
    {"and", "or", "to", "in", "at", "for", "with", "so", "the", "by", "from", "as", "on", "if", "but", "than", "then",
     "while", "versus", "vs", "against", "about", "because", "when", "where", "which", "that", "i", "e", "g"}
)  # fmt: skip


class NoParse(Exception):
    """There is no expression here, or it passes the bounds."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An expression: its tree, the half-open range of its tokens, and whether it used an operator written as a word."""

    node: Node
    first: int
    last: int
    worded: bool


class Parser:
    """A precedence-climbing parser over a token list. Bounded in depth and in leaves; raises :class:`NoParse`."""

    def __init__(self, tokens: Sequence[Token], numerals: Sequence[Numeral]):
        self.tokens = tokens
        self.numerals = numerals
        self.at = 0
        self.worded = False
        self.leaves = 0
        self.words = True
        self.exhausted = False

    def expression(self, start: int, *, words: bool) -> Parsed:
        """The longest expression from token ``start`` on. ``words``: whether *over*, *times* … may join operands."""
        self.at, self.worded, self.leaves, self.words = start, False, 0, words
        node = self._binary(1, 0)
        return Parsed(node, start, self.at, self.worded)

    def kind(self, offset: int = 0) -> T:
        """The kind of the token ``offset`` after the current one; a break past the end."""
        position = self.at + offset
        return self.tokens[position].kind if 0 <= position < len(self.tokens) else T.BREAK

    def _binary(self, minimum: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.exhausted = True
            raise NoParse
        left = self._unary(depth)
        while True:
            sign, width = self._operator()
            if not sign or _PRECEDENCE[sign] < minimum:
                return left
            before = self.at
            worded = bool(width) and self.kind() is T.WORD_OP
            self.at += width
            try:
                higher = _PRECEDENCE[sign] + (0 if sign == "^" else 1)
                right = self._binary(higher, depth + 1)
            except NoParse:
                if self.exhausted:
                    raise
                self.at = before
                return left
            self.worded = self.worded or worded
            left = Op(sign, left, right)

    def _operator(self) -> tuple[str, int]:
        """The sign at the current token and how many tokens it takes; 0 where a signed numeral follows an operand."""
        kind = self.kind()
        if kind is T.OP:
            if self.tokens[self.at].value == "-" and self._range():
                return "", 0
            return self.tokens[self.at].value, 1
        if kind is T.WORD_OP and self.words and self._word_operator():
            return self.tokens[self.at].value, 1
        if kind is T.NUMBER and self.tokens[self.at].value[:1] in ("+", "-", "−") and self.kind(-1) is not T.OP:
            return "+", 0
        return "", 0

    def _word_operator(self) -> bool:
        """Whether the word at hand joins two operands; *of* only takes a share of something."""
        if self.kind(1) not in (T.NUMBER, T.OPEN, T.CONST, T.FUNCTION):
            return False
        before = self.tokens[self.at - 1]
        if before.kind in (T.NAME, T.ASIDE):
            return False
        word = self.tokens[self.at]
        if word.value == "*" and word.end - word.start == 2:
            share = self.numerals[before.index].kind if before.kind is T.NUMBER else None
            fraction = self.kind(-2) is T.OP and self.tokens[self.at - 2].value == "/"
            return fraction or share in (Kind.PERCENT, Kind.WORD)
        return True

    def _range(self) -> bool:
        before, after = self.tokens[self.at - 1], self.tokens[self.at + 1 : self.at + 2]
        pair = [before, *after]
        return any(t.kind is T.NUMBER and self.numerals[t.index].comparator in _RANGES for t in pair)

    def _unary(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.exhausted = True
            raise NoParse
        if self.kind() is T.OP and self.tokens[self.at].value in "+-":
            sign = self.tokens[self.at].value
            self.at += 1
            inner = self._binary(2, depth + 1)
            return inner if sign == "+" else Op("*", Const(Fraction(-1)), inner)
        return self._atom(depth)

    def _atom(self, depth: int) -> Node:
        self.leaves += 1
        if self.leaves > MAX_LEAVES:
            self.exhausted = True
            raise NoParse
        kind = self.kind()
        if kind is T.NUMBER:
            return self._number(depth)
        if kind is T.CONST:
            number = self.tokens[self.at].number
            self.at += 1
            return Const(number if number is not None else Fraction(0))
        if kind is T.OPEN:
            return self._group(depth)
        if kind is T.FRACTION:
            self.at += 1
            if self.kind() is not T.OPEN:
                raise NoParse
            top = self._group(depth)
            if self.kind() is not T.OPEN:
                raise NoParse
            return Op("/", top, self._group(depth))
        if kind is T.FUNCTION:
            return self._call(depth)
        if kind in (T.NAME, T.ASIDE):
            return self._name()
        raise NoParse

    def _call(self, depth: int) -> Node:
        """A function with its arguments in brackets, or with the one value after it: ``√2 × 3`` is (√2) × 3."""
        if depth > MAX_DEPTH:
            self.exhausted = True
            raise NoParse
        name = self.tokens[self.at].value
        self.at += 1
        if self.kind() is not T.OPEN:
            if name not in PREFIX or self.kind() not in (T.NUMBER, T.CONST, T.NAME):
                raise NoParse
            return Call(name, (self._atom(depth + 1),))
        closing = _CLOSING[self.tokens[self.at].value]
        arguments: list[Node] = []
        while not arguments or self.kind() is T.COMMA:
            self.at += 1
            arguments.append(self._binary(1, depth + 1))
            if len(arguments) > _MAX_ARGUMENTS:
                raise NoParse
        if self.kind() is not T.CLOSE or self.tokens[self.at].value != closing:
            raise NoParse
        self.at += 1
        self._skip_notes()
        return Call(name, tuple(arguments))

    def _number(self, depth: int) -> Node:
        token = self.tokens[self.at]
        self.at += 1
        numeral = self.numerals[token.index]
        node: Node = Ref(token.index)
        if numeral.comparator in _RANGES:
            node = Name(token.value)
        if token.unit is not None:
            node = Op("*", node, Const(Fraction(1), token.unit))
        if numeral.kind is Kind.WORD and self._multiplies():
            node = Op("*", node, self._atom(depth + 1))
        self._skip_notes()
        return node

    def _multiplies(self) -> bool:
        """Whether a number word stands before what it multiplies: *twice 403.3*, *half of 80 GB*."""
        if self.kind() is T.WORD_OP and self.tokens[self.at].value == "*" and self.kind(1) is T.NUMBER and self.words:
            self.at += 1
            self.worded = True
            return True
        return self.kind() is T.NUMBER and self.tokens[self.at].value[:1].isdigit()

    def _name(self) -> Node:
        token = self.tokens[self.at]
        self.at += 1
        following = self.tokens[self.at] if self.at < len(self.tokens) else None
        if following is not None and following.kind is T.OPEN and following.start == token.end:
            return Name(token.value + self._skip_call())
        self._skip_notes()
        return Name(token.value)

    def _skip_call(self) -> str:
        close = self._closing(self.at)
        if close is None:
            raise NoParse
        self.at = close + 1
        return "(…)"

    def _group(self, depth: int) -> Node:
        opening = self.tokens[self.at].value
        self.at += 1
        node = self._binary(1, depth + 1)
        if self.kind() is not T.CLOSE or self.tokens[self.at].value != _CLOSING[opening]:
            raise NoParse
        unit = self.tokens[self.at].unit
        self.at += 1
        if opening in _CORNERS:
            node = Call(_CORNERS[opening], (node,))
        if unit is not None:
            return Op("*", node, Const(Fraction(1), unit))
        if opening == "(":
            self._skip_notes()
        return node

    def _skip_notes(self) -> None:
        """Step over what explains an operand: ``(bf16 bytes)``, or a noun or two before the next sign."""
        ahead = self.at
        for _ in range(2):
            if ahead < len(self.tokens) and self._noun(self.tokens[ahead]):
                ahead += 1
        if ahead > self.at and self._assigns(ahead - 1):
            return
        if ahead < len(self.tokens) and self.tokens[ahead].kind is T.OPEN and self._is_note(ahead):
            close = self._closing(ahead)
            assert close is not None
            ahead = close + 1
        if ahead == self.at or ahead >= len(self.tokens):
            return
        after = self.tokens[ahead]
        bracket = self.tokens[ahead - 1].kind is T.CLOSE
        if after.kind in (T.REL, T.CLOSE) or (after.kind is T.OP and (bracket or after.value != "-")):
            self.at = ahead
        elif bracket and after.kind in (T.WORD_REL, T.WORD_OP):
            self.at = ahead

    def _assigns(self, position: int) -> bool:
        """Whether a word takes the value after it, as in the line of a log ``avg=13.4s min=12.5s``."""
        if position + 1 >= len(self.tokens) or self.tokens[position + 1].kind is not T.REL:
            return False
        word, sign, before = self.tokens[position], self.tokens[position + 1], self.tokens[self.at - 1]
        if sign.value != "=" or before.kind is not T.NUMBER:
            return False
        if sign.start == word.end or word.apart:
            return True
        listed = self.at > 2 and self.tokens[self.at - 2].kind is T.REL
        unit = symbol(word.value) is not None and self.numerals[before.index].unit is None
        return listed and self.tokens[self.at - 3].kind in (T.WORD, T.NAME) and not unit

    def _noun(self, token: Token) -> bool:
        if token.kind is T.NAME:
            return len(token.value) > 1 and symbol(token.value) is not None
        return token.kind is T.WORD and token.value.isalpha() and token.value.lower() not in _NO_NOUN

    def _is_note(self, opening: int) -> bool:
        """Whether a bracket holds words about the operand before it rather than a value of its own."""
        close = self._closing(opening)
        if close is None or close == opening + 1 or self.tokens[opening].value != "(":
            return False
        inner = self.tokens[opening + 1 : close]
        if any(t.kind in (T.REL, T.OPEN, T.BREAK) for t in inner):
            return False
        return inner[0].kind in (T.WORD, T.ASIDE, T.NAME) and not any(t.kind is T.OP for t in inner)

    def _closing(self, opening: int) -> int | None:
        depth = 0
        for position in range(opening, min(len(self.tokens), opening + _MAX_NOTE_TOKENS)):
            kind = self.tokens[position].kind
            if kind is T.OPEN:
                depth += 1
            elif kind is T.CLOSE:
                depth -= 1
                if depth == 0:
                    return position
            elif kind is T.BREAK:
                return None
        return None


def is_function(token: Token) -> bool:
    """Whether a token names a function that takes what follows it."""
    return takes_next(token.value)
