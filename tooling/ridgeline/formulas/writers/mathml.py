"""Presentation MathML for a tree: what a formula looks like, and with values put in for names what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Literal

from ridgeline.formulas.evaluate import BUILTINS
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral
from ridgeline.formulas.writers.common import NotExpressible
from ridgeline.numbers.units import ONE

_COMMA = '<mo separator="true">,</mo>'
_THIN = '<mspace width="0.17em"/>'
_SIGNS = {"+": "+", "-": "−", "*": "·"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 5, "^": 4}
_NEGATION = 3
_ATOM = 5


@dataclass(frozen=True, slots=True)
class Leaf:
    """What stands for a name: an identifier (``mi``), words (``mtext``) or a printed number (``mn``) with its unit.

    The writer escapes all of it.
    """

    tag: Literal["mi", "mn", "mtext"]
    text: str
    subscript: str = ""
    unit: str = ""
    title: str = ""
    css: str = ""


def leaf(node: Name) -> Leaf:
    """The usual look of a name: ``L`` and ``n_q`` as identifiers with a subscript, longer names as words."""
    if len(node.parts) == 1:
        head, _, tail = node.parts[0].partition("_")
        if len(head) == 1:
            return Leaf("mi", head, tail)
    return Leaf("mtext", node.text)


def mathml(node: Node, name: Callable[[Name], Leaf] = leaf) -> str:
    """A ``math`` element. With a ``name`` that answers ``mn`` leaves it is the substituted formula."""
    return f'<math display="inline">{mathml_row(node, name)}</math>'


def mathml_row(node: Node, name: Callable[[Name], Leaf] = leaf) -> str:
    """The contents of a ``math`` element, to be put beside others (``a = b = c``)."""
    try:
        return f"<mrow>{_MathML(name).write(node)}</mrow>"
    except RecursionError:
        raise NotExpressible("the formula is nested too deep", node.start, node.end) from None


class _MathML:
    def __init__(self, name: Callable[[Name], Leaf]):
        self.name = name

    def write(self, node: Node) -> str:
        if isinstance(node, Number):
            return self.printed_number(node)
        if isinstance(node, Name):
            return leaf_element(self.name(node))
        if isinstance(node, UnitLiteral):
            return f"<mtext>{escape(node.text)}</mtext>"
        if isinstance(node, Negate):
            return f'<mo form="prefix">−</mo>{self.wrapped(node.operand, _NEGATION)}'
        if isinstance(node, Call):
            return self.call(node)
        if node.operator == "/":
            return f"<mfrac><mrow>{self.write(node.left)}</mrow><mrow>{self.write(node.right)}</mrow></mfrac>"
        if node.operator == "^":
            base = f"<mrow>{self.base(node.left)}</mrow>"
            return f"<msup>{base}<mrow>{self.write(node.right)}</mrow></msup>"
        precedence = _PRECEDENCE[node.operator]
        left = self.wrapped(node.left, precedence)
        # A sign after an operator is set in parentheses, as in print: a − (−b).
        least = _NEGATION + 1 if self.signed(node.right) else precedence + 1
        right = self.wrapped(node.right, least)
        return f"{left}<mo>{_SIGNS[node.operator]}</mo>{right}"

    def printed_number(self, node: Number) -> str:
        mantissa, _, exponent = node.text.replace("E", "e").partition("e")
        number = f"<mn>{escape(mantissa)}</mn>"
        if not exponent:
            return number
        shown = escape(exponent.lstrip("+").replace("-", "−"))
        return f"<mrow>{number}<mo>×</mo><msup><mn>10</mn><mn>{shown}</mn></msup></mrow>"

    def signed(self, node: Node) -> bool:
        """Whether what is written starts with a minus sign."""
        if isinstance(node, Negate):
            return True
        if isinstance(node, Binary) and node.operator in "+-*":
            return self.signed(node.left)
        return isinstance(node, Name) and self.name(node).text.startswith(("-", "−"))

    def precedence(self, node: Node) -> int:
        if isinstance(node, Binary):
            return _PRECEDENCE[node.operator]
        if isinstance(node, Negate) or self.signed(node):
            return _NEGATION
        if isinstance(node, Call) and node.name in (("num",), ("as",)):
            return self.unit_precedence(node)
        return _ATOM

    def unit_precedence(self, node: Call) -> int:
        """A value with its unit binds like a product; with the unit 1 it is the value alone."""
        if isinstance(node.positional[-1], UnitLiteral) and node.positional[-1].unit == ONE:
            return self.precedence(node.positional[0])
        return 2 if node.name == ("as",) else _ATOM

    def wrapped(self, node: Node, least: int) -> str:
        text = self.write(node)
        return _parenthesised(text) if self.precedence(node) < least else text

    def base(self, node: Node) -> str:
        """The base of a power: all but a plain number, an identifier or a function in brackets is parenthesised."""
        plain = isinstance(node, Number) and "e" not in node.text.lower()
        if isinstance(node, Name):
            shown = self.name(node)
            plain = not shown.unit and not self.signed(node) and not (shown.tag == "mn" and not _digits(shown.text))
        if isinstance(node, Call):
            plain = node.name[0] in ("abs", "ceil", "floor") and len(node.name) == 1
        return self.write(node) if plain else _parenthesised(self.write(node))

    def call(self, node: Call) -> str:
        name = node.text
        if name in _BRACKETS and len(node.positional) == 1:
            opening, closing = _BRACKETS[name]
            inner = self.write(node.positional[0])
            return f'<mrow><mo form="prefix">{opening}</mo>{inner}<mo form="postfix">{closing}</mo></mrow>'
        if name == "sqrt" and len(node.positional) == 1:
            return f"<msqrt><mrow>{self.write(node.positional[0])}</mrow></msqrt>"
        if name in ("num", "as") and isinstance(node.positional[-1], UnitLiteral) and node.positional[-1].unit == ONE:
            return self.write(node.positional[0])
        if name == "num" and len(node.positional) == 2:
            subject, unit = (self.write(part) for part in node.positional)
            return f"<mfrac><mrow>{subject}</mrow><mrow>{unit}</mrow></mfrac>"
        if name == "as" and len(node.positional) == 2:
            return f"{self.wrapped(node.positional[0], 2)}{_THIN}{self.write(node.positional[1])}"
        if name == "log2":
            head = "<msub><mi>log</mi><mn>2</mn></msub>"
        elif name in BUILTINS:
            head = f'<mi mathvariant="normal">{name}</mi>'
        else:
            head = leaf_element(leaf(Name(node.name)))
        arguments = [self.write(part) for part in node.positional]
        for key, part in node.keywords:
            arguments.append(f"{leaf_element(leaf(Name((key,))))}<mo>=</mo>{self.write(part)}")
        return f"<mrow>{head}{_parenthesised(_COMMA.join(arguments))}</mrow>"


_BRACKETS = {"abs": ("|", "|"), "ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}


def _digits(text: str) -> bool:
    return text.replace(".", "").isdigit()


def _parenthesised(text: str) -> str:
    return f'<mrow><mo form="prefix">(</mo>{text}<mo form="postfix">)</mo></mrow>'


def leaf_element(shown: Leaf) -> str:
    """The element of a leaf, everything escaped."""
    if shown.tag not in ("mi", "mn", "mtext"):
        raise NotExpressible("a leaf is an mi, an mn or an mtext")
    attributes = "".join(
        f' {key}="{escape(value)}"' for key, value in (("data-name", shown.title), ("class", shown.css)) if value
    )
    text = f"<{shown.tag}{attributes}>{escape(shown.text)}</{shown.tag}>"
    if shown.subscript:
        inner = "mi" if len(shown.subscript) == 1 else "mtext"
        text = f"<msub>{text}<{inner}>{escape(shown.subscript)}</{inner}></msub>"
    return f"<mrow>{text}{_THIN}<mtext>{escape(shown.unit)}</mtext></mrow>" if shown.unit else text
