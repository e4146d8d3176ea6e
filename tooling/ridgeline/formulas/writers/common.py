"""What the writers share: the refusal, text that is already safe, and the walk over a tree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.evaluate import BUILTINS
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral

MAX_OUTPUT = 40_000
#: What a program that a page interprets can do, by the number that stands for it; ``site/code/program.ts`` does it.
OPERATIONS = ("+", "-", "*", "/", "^", "neg", "min", "max", "ceil", "floor", "round", "abs", "sqrt", "log2")


class NotExpressible(FormulaError):
    """A formula that the target language cannot say; the message holds the reason."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Text of the target language that its maker vouches for; writers put it in as it stands."""

    text: str


class Target(Protocol):
    """How one language writes each kind of node, its parts written already. Results must be closed (parenthesised)."""

    language: str

    def number(self, node: Number) -> str: ...

    def name(self, node: Name) -> str: ...

    def negate(self, operand: str) -> str: ...

    def arithmetic(self, operator: str, left: str, right: str) -> str: ...

    def power(self, node: Binary, base: str, exponent: str) -> str: ...

    def function(self, node: Call, arguments: Sequence[str]) -> str: ...

    def factor(self, value: float) -> str: ...


def write(node: Node, target: Target) -> str:
    """The tree as text of ``target``; :class:`NotExpressible` where it cannot be said or would grow out of bounds."""
    try:
        text = _write(node, target)
    except RecursionError:
        raise NotExpressible("the formula is nested too deep", node.start, node.end) from None
    except OverflowError:
        raise NotExpressible("a number is out of the range of floating point", node.start, node.end) from None
    return text


def _write(node: Node, target: Target) -> str:
    text = _parts(node, target)
    if len(text) > MAX_OUTPUT:
        raise NotExpressible(f"written in {target.language} this grows too long", node.start, node.end)
    return text


def _parts(node: Node, target: Target) -> str:
    if isinstance(node, Number):
        return target.number(node)
    if isinstance(node, Name):
        return target.name(node)
    if isinstance(node, Negate):
        return target.negate(_write(node.operand, target))
    if isinstance(node, Binary):
        left, right = _write(node.left, target), _write(node.right, target)
        if node.operator == "^":
            return target.power(node, left, right)
        return target.arithmetic(node.operator, left, right)
    if isinstance(node, UnitLiteral):
        raise NotExpressible("a unit may stand only in num(x, unit) and as(x, unit)", node.start, node.end)
    check_builtin(node)
    subject_and_unit = node.positional
    if node.name[0] in ("num", "as"):
        unit = subject_and_unit[1]
        assert isinstance(unit, UnitLiteral)
        operator = "/" if node.name[0] == "num" else "*"
        return target.arithmetic(operator, _write(node.positional[0], target), target.factor(float(unit.unit.factor)))
    return target.function(node, [_write(part, target) for part in node.positional])


def real(value: float) -> str:
    """A literal with a point or an exponent, in parentheses when negative: two minus signs would open a comment."""
    if not math.isfinite(value):
        raise OverflowError
    return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"


def check_builtin(node: Call) -> None:
    """Refuse calls that only the exact evaluation resolves, and wrong numbers of arguments."""
    name = node.name[0]
    if len(node.name) != 1 or name not in BUILTINS or node.keywords:
        raise NotExpressible(f"{node.text}(…) must be opened to built-in functions first", node.start, node.end)
    count = len(node.positional)
    if name in ("num", "as"):
        if count != 2 or not isinstance(node.positional[1], UnitLiteral):
            raise NotExpressible(f"{name} takes a value and a unit", node.start, node.end)
    elif (name in ("min", "max", "sum") and not count) or (name not in ("min", "max", "sum", "count") and count != 1):
        raise NotExpressible(f"{name} does not take {count} arguments", node.start, node.end)
