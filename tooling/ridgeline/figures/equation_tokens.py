"""The tokens of inline equations: numerals where they stand, names, operators, relations, and breaks.

One linear pass over the text. Whatever no rule knows is a break, over which no equation reaches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction

from ridgeline.figures.equation_functions import PREFIX, function
from ridgeline.figures.equation_segments import Segment
from ridgeline.numbers.numeral import Kind, Numeral
from ridgeline.numbers.units import Unit, hard, parse_unit, symbol


class T(Enum):
    """What a token is."""

    NUMBER = auto()  # a numeral with a value: value is its index
    CONST = auto()  # digits that no numeral covers: value is the Fraction
    NAME = auto()  # a symbol such as L_ridge, g, L*
    ASIDE = auto()  # a numeral that was set aside: H100, 2024
    WORD = auto()
    OP = auto()  # + - * / ^ as a sign
    WORD_OP = auto()  # over, times, divided by
    REL = auto()  # = ≈ < > <= >=
    WORD_REL = auto()  # is, gives, comes to
    OPEN = auto()
    CLOSE = auto()
    FRACTION = auto()  # \frac
    FUNCTION = auto()  # log2, √: value is the name that equation_functions knows
    COMMA = auto()
    BREAK = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token; ``end`` includes the unit printed after a numeral. ``value`` depends on ``kind``; see :class:`T`."""

    kind: T
    start: int
    end: int
    value: str = ""
    index: int = -1
    number: Fraction | None = None
    unit: Unit | None = None
    apart: bool = False  # the first word of its line


#: Kinds of numeral that can be an operand.
OPERANDS = frozenset(
    {Kind.MEASURE, Kind.CONSTANT, Kind.PERCENT, Kind.PERCENT_POINT, Kind.CHANGE, Kind.RATIO, Kind.RATIO_PAIR,
     Kind.MULTIPLICITY, Kind.DEFINITION, Kind.NOMINAL, Kind.WORD}
)  # fmt: skip

_WORD_RELATIONS = {
    "is": "=", "equals": "=", "gives": "=", "makes": "=", "yields": "=", "are": "=", "gave": "=", "comes to": "=",
    "works out to": "=", "amounts to": "=", "is equal to": "=", "works out at": "=", "comes out at": "=",
    "comes out to": "=", "which is": "=", "that is": "=",
}  # fmt: skip
_WORD_OPERATORS = {
    "over": "/", "divided by": "/", "per": "/", "times": "*", "multiplied by": "*", "of": "*", "plus": "+",
    "minus": "-",
}  # fmt: skip
_LATEX = {
    "times": (T.OP, "*"), "cdot": (T.OP, "*"), "div": (T.OP, "/"), "approx": (T.REL, "≈"), "sim": (T.REL, "≈"),
    "simeq": (T.REL, "≈"), "cong": (T.REL, "≈"), "lt": (T.REL, "<"), "gt": (T.REL, ">"), "le": (T.REL, "<="),
    "leq": (T.REL, "<="), "ge": (T.REL, ">="), "geq": (T.REL, ">="), "ast": (T.OP, "*"),
}  # fmt: skip
_SIGNS = {
    "+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "×": "*", "·": "*", "⋅": "*", "∗": "*", "∙": "*", "✕": "*",
    "/": "/", "÷": "/", "∕": "/", "⁄": "/", "^": "^",
}  # fmt: skip
_CORNERS = {"lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋"} | {c: c for c in "⌈⌉⌊⌋"}
_RELATIONS = {
    "=": "=", "==": "=", "≈": "≈", "~=": "≈", "≅": "≈", "≃": "≈", "<": "<", ">": ">", "≤": "<=", "≥": ">=",
    "<=": "<=", ">=": ">=", "=~": "≈", "=≈": "≈",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_MAX_NOTE = 80

_SCANNER = re.compile(
    r"""
      (?P<para>\n[ \t]*(?=\n|[-*+>|\#]\ |\d+[.)]\ ))
    | (?P<space>\n|(?:[^\S\n]|[$₹€~])+(?!=)|[^\S\n]+|&(?=\s*[=≈<>])|\\[,;:!\ ]|\\q?quad\b|\\left\b|\\right\b
        |\\displaystyle\b|\\underbrace\b)
    | (?P<abbreviation>i\.e\.|viz\.|approx\.|ca\.|resp\.)
    | (?P<frac>\\[dt]?frac(?![A-Za-z]))
    | (?P<note>\\(?:text|mathrm|textrm|operatorname|mathit|mbox)\{[^{}\n]{0,80}\}|_\{[^{}\n]{0,40}\}
        |\[[A-Za-z][^\[\]\n0-9=]{0,40}\](?![(\[:\w]))
    | (?P<labelled>_\{\\(?:text|mathrm)\{[^{}\n]{0,60}\}\})
    | (?P<function>√|\\(?:sqrt|ln|max|min)(?![A-Za-z])|\\?log_(?:\{(?:2|10)\}|(?:2|10)(?![0-9])))
    | (?P<corner>[⌈⌊⌉⌋]|\\[lr](?:ceil|floor)(?![A-Za-z]))
    | (?P<latex>\\[A-Za-z]{1,20})
    | (?P<arrow>[-=~]{1,3}>|<-(?=[^0-9])|<=>|&\#?\w+;|</?[A-Za-z][^<>\n]{0,80}>)
    | (?P<rel>==|~=|=~|=≈|<=|>=|[=≈≅≃<>≤≥])
    | (?P<bold>\*\*|__)
    | (?P<op>[+\-−–*×·⋅∗∙✕/÷∕⁄^])
    | (?P<super>[⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})
    | (?P<open>[({])
    | (?P<close>[)}])
    | (?P<comma>,)
    | (?P<digits>[0-9]{1,40})
    | (?P<word>[^\W\d_](?:[\w]|['’](?=\w)){0,40})
    | (?P<percent>\\?%)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_PHRASE = re.compile(
    r"(?:divided\s+by|multiplied\s+by|comes\s+out\s+(?:at|to)|comes\s+to|works\s+out\s+(?:at|to)|amounts\s+to"
    r"|is\s+equal\s+to|which\s+is|that\s+is)\b"
)
_STAR = re.compile(r"\*(?=\s*(?:[=≈<>≤≥×·/+,;.)]|$|is\b))|[′'’](?=\s*[=≈<>])")
_GAP = re.compile(r"[ \u00a0\u2009\u202f\t\n]{0,3}-?")
_UNIT = re.compile(r"[ \u00a0\u202f]?([A-Za-zµ]{2,12}(?:/[A-Za-z]{1,12}){0,3})(?![\w(*^])")
_TIMES_AHEAD = re.compile(r"[ \u00a0\u202f]{0,3}(?:[0-9(]|\.[0-9])")
_ARGUMENT = re.compile(r"(?:\\left)?([({])| {0,2}(?:\\left)?(?=[({]|\.?[0-9])")
_CURRENCIES = frozenset("$€£¥₹")
_LOG_BASE = re.compile(r"\\?\blog_\{$")
_NOT_SYMBOLS = frozenset({"a", "A", "I", "x", "X"})


def tokenize(text: str, numerals: Sequence[Numeral], segment: Segment) -> list[Token]:
    """All tokens of a segment; each numeral is one token, whether it is a quantity or set aside."""
    tokens: list[Token] = []
    position = segment.start
    for index in segment.numerals:
        numeral = numerals[index]
        if numeral.at < position or not numeral.text:
            continue
        token = _numeral(text, index, numeral)
        _words(text, position, token.start, tokens)
        if token.kind is T.NUMBER and _raises(numeral.text) and tokens and tokens[-1].end == numeral.at:
            tokens.append(Token(T.OP, numeral.at, numeral.at, "^"))
        tokens.append(token)
        position = token.end
    _words(text, position, segment.end, tokens)
    return tokens


def _numeral(text: str, index: int, numeral: Numeral) -> Token:
    base = _LOG_BASE.search(text, max(0, numeral.at - 6), numeral.at)
    if base and numeral.text in ("2", "10") and text.startswith("}", numeral.end):
        return Token(T.FUNCTION, base.start(), numeral.end + 1, function(f"log_{numeral.text}"))
    if numeral.kind in OPERANDS and numeral.value is not None and (not numeral.vague or "^" in numeral.text):
        return Token(T.NUMBER, numeral.at, _after_unit(text, numeral), numeral.text, index)
    if numeral.kind is Kind.DIMENSION:
        unit, end = _unit_ahead(text, numeral.end)
        return Token(T.NUMBER, numeral.at, end, numeral.text, index, unit=unit)
    named = function(numeral.text)
    if numeral.kind is Kind.IDENTIFIER and named and _takes(text, numeral.end, named):
        start = numeral.at - text.startswith("\\", max(0, numeral.at - 1), numeral.at)
        return Token(T.FUNCTION, start, numeral.end, named)
    kind = T.BREAK if numeral.kind in (Kind.ERROR, Kind.UNCERTAINTY, Kind.CODE, Kind.LIST) else T.ASIDE
    return Token(kind, numeral.at, max(numeral.end, numeral.at + 1), numeral.text, index)


def _raises(digits: str) -> bool:
    """Whether a numeral is an exponent in superscript digits, as the one of ``(3 + 2)²``."""
    return all(c in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻" for c in digits)


def _takes(text: str, position: int, named: str) -> bool:
    """Whether a function name is followed by its argument: a bracket, or a value after those that need none."""
    match = _ARGUMENT.match(text, position)
    return match is not None and (match.group(1) is not None or named in PREFIX)


def _after_unit(text: str, numeral: Numeral) -> int:
    """Where the unit printed after a numeral ends; the numeral's own end where its unit stands elsewhere."""
    unit = numeral.unit_text.lstrip("-")
    if unit[:1] in _CURRENCIES and text[numeral.at - 1 : numeral.at] == unit[:1]:
        unit = unit[1:].lstrip()  # the sign stands before the number, the rest behind it: $2.50/hour
    if not unit:
        return _percent(text, numeral.end)
    gap = _GAP.match(text, numeral.end)
    position = gap.end() if gap else numeral.end
    for number, word in enumerate(unit.split()):
        if number:
            while position < len(text) and text[position].isspace():
                position += 1
        if not text.startswith(word, position):
            return _percent(text, numeral.end)
        position += len(word)
    if unit in ("x", "×", "X") and _TIMES_AHEAD.match(text, position):
        return numeral.end
    return position


def _unit_ahead(text: str, position: int) -> tuple[Unit | None, int]:
    """The hard unit printed after a shape or a bracket, which the reader of numerals does not attach."""
    match = _UNIT.match(text, position)
    if match is None or any(symbol(part) is None for part in match.group(1).split("/")):
        return None, position
    unit = parse_unit(match.group(1))
    return (unit, match.end()) if hard(unit.dimension) else (None, position)


def _percent(text: str, position: int) -> int:
    return position + 1 if text.startswith("%", position) else position


def _words(text: str, start: int, end: int, tokens: list[Token]) -> None:
    position = start
    while position < end:
        if text[position] == " ":
            position += 1
            continue
        match = _SCANNER.match(text, position, end)
        if match is None:  # the last alternative takes any character, so this is the end of the text
            return
        token, position = _token(text, match, end, tokens)
        if token is not None:
            tokens.append(token)


def _token(text: str, match: re.Match[str], end: int, before: list[Token]) -> tuple[Token | None, int]:
    kind, found, start, stop = match.lastgroup, match.group(), match.start(), match.end()
    if kind in ("space", "note", "labelled"):
        return None, stop
    if kind == "word":
        return _word(text, found, start, stop, end, before)
    if kind == "function":
        named = function(found)
        return Token(T.FUNCTION if _takes(text, stop, named) else T.BREAK, start, stop, named), stop
    if kind == "corner":
        sign = _CORNERS[found.lstrip("\\")]
        return Token(T.OPEN if sign in "⌈⌊" else T.CLOSE, start, stop, sign), stop
    if kind == "abbreviation":
        return Token(T.WORD, start, stop, found), stop
    if kind == "bold":
        power = found == "**" and _digit(text, start - 1) and _digit(text, stop)
        return (Token(T.OP, start, stop, "^") if power else None), stop
    if kind == "percent":
        return None, stop
    if kind == "op":
        return Token(T.OP, start, stop, _SIGNS[found]), stop
    if kind == "super":
        before.append(Token(T.OP, start, start, "^"))
        return Token(T.CONST, start, stop, found, number=Fraction(int(found.translate(_SUPERSCRIPTS)))), stop
    if kind == "digits":
        return Token(T.CONST, start, stop, found, number=Fraction(int(found))), stop
    if kind == "latex":
        known = _LATEX.get(found[1:])
        if known:
            return Token(known[0], start, stop, known[1]), stop
        return Token(T.NAME, start, stop, found[1:]), stop
    if found == ")":
        unit, stop = _unit_ahead(text, stop)
        return Token(T.CLOSE, start, stop, found, unit=unit), stop
    plain = {"frac": T.FRACTION, "open": T.OPEN, "close": T.CLOSE, "comma": T.COMMA}
    if kind in plain:
        return Token(plain[kind], start, stop, found), stop
    if kind == "rel":
        return Token(T.REL, start, stop, _RELATIONS[found]), stop
    return Token(T.BREAK, start, stop, found), stop


def _digit(text: str, position: int) -> bool:
    return 0 <= position < len(text) and text[position].isdigit()


def _word(text: str, word: str, start: int, stop: int, end: int, before: list[Token]) -> tuple[Token | None, int]:
    phrase = _PHRASE.match(text, start, end)
    if phrase:
        word, stop = " ".join(phrase.group().split()), phrase.end()
    star = _STAR.match(text, stop) if len(word) <= 12 else None
    if star:
        return Token(T.NAME, start, star.end(), text[start : star.end()]), star.end()
    named = function(word)
    if named and _takes(text, stop, named):
        return Token(T.FUNCTION, start, stop, named), stop
    if word in _WORD_RELATIONS:
        return Token(T.WORD_REL, start, stop, word), stop
    if word in _WORD_OPERATORS:
        return Token(T.WORD_OP, start, stop, _WORD_OPERATORS[word]), stop
    if word in ("x", "X") and before and _multiplies(text, stop, before[-1].kind):
        return Token(T.OP, start, stop, "*"), stop
    apart = text[max(0, start - 40) : start].rstrip(" \t")[-1:] == "\n"
    return Token(T.NAME if is_symbol(word) else T.WORD, start, stop, word, apart=apart), stop


def _multiplies(text: str, stop: int, before: T) -> bool:
    """Whether an ``x`` is a multiplication sign: after a value, or between a noun and a number."""
    return before in (T.NUMBER, T.CONST, T.CLOSE, T.NAME) or (
        before is T.WORD and _TIMES_AHEAD.match(text, stop) is not None
    )


def is_symbol(word: str) -> bool:
    """Whether a word looks like a symbol of a formula rather than a word of a sentence."""
    if len(word) == 1:
        return word not in _NOT_SYMBOLS
    if "_" in word or not word.isascii():
        return "_" in word or len(word) <= 2
    return len(word) <= 6 and sum(c.isupper() for c in word) >= 2


def relation_sign(words: str) -> str:
    """The sign that a relation written in words stands for."""
    return _WORD_RELATIONS[words]
