"""Text to syntax tree and back."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from ridgeline.formulas.errors import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_LITERAL_EXPONENT,
    MAX_TOKENS,
    FormulaError,
)
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral
from ridgeline.numbers.units import ONE, Unit, UnitError, parse_unit

#: Functions whose second argument is a unit.
UNIT_FUNCTIONS = frozenset({"num", "as"})

_TOKEN = re.compile(
    r"[ \t\r\n\u00a0\u2009\u202f]*(?:"
    r"(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<operator>[<>]=?|[-+*/^(),=·×−])"
    r"|(?P<end>\Z)"
    r"|(?P<other>.))",
    re.ASCII | re.DOTALL,
)
Relation = Literal["<", "<=", ">", ">="]
RELATIONS: tuple[Relation, ...] = ("<", "<=", ">", ">=")
_MAPPED = {"·": "*", "×": "*", "−": "-"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_NEGATION = 3
_ATOM = 5
_HINTS = {
    "%": "write a share as a fraction of 1, or attach the unit: as(5, %)",
    "[": "there is no indexing: use a dotted name",
    '"': "a text may stand only as the unit of num(x, unit) or as(x, unit)",
    "'": "a text may stand only as the unit of num(x, unit) or as(x, unit)",
    ".": "write a decimal with digits on both sides of the point, a name with letters after it",
    **dict.fromkeys(("<", ">", "<=", ">="), "comparisons are not part of the language"),
    "÷": "write /",
    "–": "write - for minus",
}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)  # trees cannot change, and records repeat each other's formulas
def parse(text: str) -> Node:
    """Read one expression. Raises :class:`FormulaError`, and nothing else, for anything that is not one."""
    parser = _Parser(text)
    node = parser.expression(0, 0)
    if parser.token.text == "=" and parser.token.kind == "operator":
        raise parser.unexpected("the end; = may stand only in the equation of a solve")
    parser.finish()
    return node


@lru_cache(maxsize=512)
def parse_equation(text: str) -> tuple[Node, Node]:
    """Read ``left = right``; both sides share the text's offsets."""
    parser = _Parser(text)
    left = parser.expression(0, 0)
    parser.take("=", "an operator or =")
    right = parser.expression(0, 0)
    parser.finish()
    return left, right


@lru_cache(maxsize=512)
def parse_comparison(text: str) -> tuple[Node, Relation, Node]:
    """Read ``left < right``, with ``<``, ``<=``, ``>`` or ``>=``; both sides share the text's offsets."""
    parser = _Parser(text)
    left = parser.expression(0, 0)
    relation = next((r for r in RELATIONS if parser.at(r)), None)
    if relation is None:
        raise parser.unexpected("an operator, or <, <=, > or >=")
    parser.advance()
    right = parser.expression(0, 0)
    parser.finish()
    return left, relation, right


class _Parser:
    def __init__(self, text: str):
        if len(text) > MAX_CHARACTERS:
            raise FormulaError(f"a formula has at most {MAX_CHARACTERS} characters, this one {len(text):,}", 0, 0)
        self.text = text
        self.count = 0
        self.last_end = 0
        self.token = self.scan(0)

    def scan(self, position: int) -> _Token:
        match = _TOKEN.match(self.text, position)
        assert match is not None and match.lastgroup is not None  # `end` and `other` between them match everything
        kind = match.lastgroup
        start, end = match.span(kind)
        token = _Token(kind, match.group(kind), start, end)
        if kind != "end":
            self.count += 1
            if self.count > MAX_TOKENS:
                raise FormulaError(f"a formula has at most {MAX_TOKENS} tokens", start, end)
        return token

    def advance(self) -> _Token:
        token = self.token
        self.last_end = token.end
        self.token = self.scan(token.end)
        return token

    def take(self, operator: str, expected: str) -> _Token:
        if self.token.kind != "operator" or self.token.text != operator:
            raise self.unexpected(expected)
        return self.advance()

    def at(self, operator: str) -> bool:
        return self.token.kind == "operator" and self.token.text == operator

    def unexpected(self, expected: str) -> FormulaError:
        kind, text, start, end = self.token
        if kind == "end":
            return FormulaError(f"expected {expected}, but the formula ends", start, end)
        hint = _HINTS.get(text, "")
        if kind == "operator" and text == "*" and self.text[start - 1 : start] == "*":
            hint = "a power is written ^"
        shown = text if len(text) <= 40 else text[:40] + "…"
        return FormulaError(f"expected {expected}, found {shown}" + (f" ({hint})" if hint else ""), start, end)

    def finish(self) -> None:
        if self.token.kind == "end":
            return
        if self.token.kind in ("number", "name") or self.at("("):
            before = self.text[: self.token.start].rstrip()
            if self.token.kind == "name" and before[-1:].isdigit():
                raise self.unexpected("an operator: a product is written with *, a unit attached with as(number, unit)")
            raise self.unexpected("an operator: a product is written with *")
        raise self.unexpected("an operator or the end")

    def deeper(self, depth: int) -> int:
        if depth >= MAX_DEPTH:
            raise FormulaError(f"nested more than {MAX_DEPTH} deep", self.token.start, self.token.end)
        return depth + 1

    def expression(self, binding: int, depth: int) -> Node:
        """An expression whose operators all bind at least as tightly as ``binding``."""
        start = self.token.start
        left = self.prefix(depth)
        while self.token.kind == "operator":
            operator = _MAPPED.get(self.token.text, self.token.text)
            precedence = _PRECEDENCE.get(operator)
            if precedence is None or precedence < binding:
                break
            inside = self.deeper(depth) if operator == "^" else depth
            self.advance()
            # A power leans right, every other operator left.
            right = self.expression(precedence if operator == "^" else precedence + 1, inside)
            left = Binary(operator, left, right, start, self.last_end)
        return left

    def prefix(self, depth: int) -> Node:
        kind, text, start, end = self.token
        if kind == "number":
            self.advance()
            return Number(text, literal(text, start), start, end)
        if kind == "name":
            self.advance()
            parts = tuple(text.split("."))
            return self.call(parts, start, depth) if self.at("(") else Name(parts, start, end)
        if kind == "operator" and text in "-−":
            inside = self.deeper(depth)
            self.advance()
            operand = self.expression(_NEGATION, inside)
            return Negate(operand, start, self.last_end)
        if kind == "operator" and text == "(":
            inside = self.deeper(depth)
            self.advance()
            inner = self.expression(0, inside)
            self.take(")", "an operator or )")
            return inner
        raise self.unexpected("a number, a name, - or (")

    def call(self, name: tuple[str, ...], start: int, depth: int) -> Call:
        inside = self.deeper(depth)
        takes_unit = len(name) == 1 and name[0] in UNIT_FUNCTIONS
        self.advance()
        positional: list[Node] = []
        keywords: list[tuple[str, Node]] = []
        while not self.at(")"):
            if takes_unit and len(positional) == 1:
                positional.append(self.unit())
            else:
                self.argument(positional, keywords, inside)
            if not self.at(","):
                break
            self.advance()
            if self.at(")"):
                raise self.unexpected("another argument after the comma")
        closing = self.take(")", "an operator, a comma or )")
        if takes_unit and (len(positional) != 2 or keywords):
            raise FormulaError(f"{name[0]} takes a value and a unit: {name[0]}(x, GB/s)", start, closing.end)
        return Call(name, tuple(positional), tuple(keywords), start, closing.end)

    def argument(self, positional: list[Node], keywords: list[tuple[str, Node]], depth: int) -> None:
        value = self.expression(0, depth)
        if not self.at("="):
            if keywords:
                raise FormulaError("positional arguments stand before keyword arguments", value.start, value.end)
            positional.append(value)
            return
        if not isinstance(value, Name) or len(value.parts) != 1:
            raise FormulaError("expected a plain symbol before =", value.start, value.end)
        key = value.parts[0]
        if any(key == earlier for earlier, _ in keywords):
            raise FormulaError(f"{key} is given twice", value.start, value.end)
        self.advance()
        keywords.append((key, self.expression(0, depth)))

    def unit(self) -> UnitLiteral:
        """A unit, bare or quoted, up to the comma or parenthesis that ends the argument."""
        start = self.token.start
        match = re.compile(r'"([^"]*)"|\'([^\']*)\'|([^,()"\']*)').match(self.text, start)
        assert match is not None and match.lastindex is not None
        inner_start, inner_end = match.span(match.lastindex)
        text = self.text[inner_start:inner_end].strip()
        if not text:
            raise self.unexpected("a unit, such as GB/s")
        try:
            unit = parse_unit(text)
        except UnitError as error:
            raise FormulaError(f"unknown unit {text[:60]}", inner_start, inner_end, error.candidates) from None
        self.last_end = match.end()
        self.token = self.scan(match.end())
        return UnitLiteral(text, unit, start, match.end())


def literal(text: str, start: int) -> Fraction:
    """The value of a plain decimal literal, its size checked before it is built."""
    mantissa, _, exponent = text.replace("E", "e").partition("e")
    whole, _, decimals = mantissa.partition(".")
    if len(whole) + len(decimals) > MAX_DIGITS:
        raise FormulaError(f"a number has at most {MAX_DIGITS} digits", start, start + len(text))
    if len(exponent) > 5 or abs(int(exponent or 0)) > MAX_LITERAL_EXPONENT:
        raise FormulaError(f"an exponent has a magnitude of at most {MAX_LITERAL_EXPONENT}", start, start + len(text))
    power = int(exponent or 0) - len(decimals)
    digits = int(whole + decimals)
    return Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)


class Printed(NamedTuple):
    """A recorded value as printed: ``value`` counts ``unit``, ``digits`` are the characters of the number."""

    value: Fraction
    unit: Unit
    digits: str

    @property
    def canonical(self) -> Fraction:
        """The value in canonical base units."""
        return self.value * self.unit.factor


_GROUPED = re.compile(
    r"(?P<sign>[-−]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:[\u00a0\u2009\u202f]\d{3})+"
    r"|\d{1,3}(?:_\d{3})+|\d+)(?P<decimals>\.\d+)?(?P<exponent>[eE][+-]?\d+)?(?![\d.,_])",
    re.ASCII,
)


def parse_quantity(text: str) -> Printed:
    """Read a recorded value such as ``3.35 TB/s``, ``1,979 TFLOP/s``, ``1.5e-3 s``, ``2 byte`` or ``80``.

    Thousands may be grouped (Western, Indian, thin or no-break space, underscore). Anything else raises
    :class:`FormulaError`.
    """
    if len(text) > MAX_CHARACTERS:
        raise FormulaError(f"a value has at most {MAX_CHARACTERS} characters, this one {len(text):,}", 0, 0)
    offset = len(text) - len(text.lstrip())
    match = _GROUPED.match(text, offset)
    if match is None:
        run = re.compile(r"[-−]?\d[\d.,_]*", re.ASCII).match(text, offset)
        if run:
            raise FormulaError(f"{run.group()[:40]} is not a number that can be read one way", offset, run.end())
        raise FormulaError("expected a number and its unit, such as 3.35 TB/s", offset, len(text))
    whole = re.sub(r"[,_\u00a0\u2009\u202f]", "", match["whole"])
    plain = whole + (match["decimals"] or "") + (match["exponent"] or "")
    try:
        value = literal(plain, match.start())
    except FormulaError as error:
        raise error.at(match.start(), match.end()) from None
    rest = text[match.end() :].strip()
    if not rest:
        return Printed(-value if match["sign"] else value, ONE, match.group())
    start = text.index(rest, match.end())
    try:
        unit = parse_unit(rest)
    except UnitError as error:
        shown = rest if len(rest) <= 60 else rest[:60] + "…"
        raise FormulaError(f"unknown unit {shown}", start, start + len(rest), error.candidates) from None
    return Printed(-value if match["sign"] else value, unit, match.group())


def unparse(node: Node, *, spaced: bool = True) -> str:
    """Text with the fewest parentheses that parses to the same tree; ``spaced=False`` leaves out every blank."""
    return _text(node, " " if spaced else "")


def _precedence(node: Node) -> int:
    if isinstance(node, Binary):
        return _PRECEDENCE[node.operator]
    return _NEGATION if isinstance(node, Negate) else _ATOM


def _text(node: Node, blank: str) -> str:
    if isinstance(node, Number | Name | UnitLiteral):
        return node.text
    if isinstance(node, Negate):
        return "-" + _wrapped(node.operand, _NEGATION, blank)
    if isinstance(node, Call):
        arguments = [_text(part, blank) for part in node.positional]
        arguments += [f"{key}={_text(part, blank)}" for key, part in node.keywords]
        return f"{node.text}({f',{blank}'.join(arguments)})"
    precedence = _PRECEDENCE[node.operator]
    if node.operator == "^":
        return f"{_wrapped(node.left, _ATOM, blank)}^{_wrapped(node.right, _NEGATION, blank)}"
    left, right = _wrapped(node.left, precedence, blank), _wrapped(node.right, precedence + 1, blank)
    return f"{left}{blank}{node.operator}{blank}{right}"


def _wrapped(node: Node, least: int, blank: str) -> str:
    text = _text(node, blank)
    return f"({text})" if _precedence(node) < least else text
