"""The syntax tree of a formula.

Nodes compare by meaning: the span (``start``, ``end``, in code points of the formula's text) is left out of equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from ridgeline.formulas.errors import MAX_DIGITS, OPERATION, Budget, FormulaError
from ridgeline.numbers.interval import exact_text
from ridgeline.numbers.units import Unit

MAX_NODES = 4_000


@dataclass(frozen=True, slots=True)
class Number:
    """A literal, with its digits as written. Never negative: the sign is a :class:`Negate`."""

    text: str
    value: Fraction
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A dotted name, ``h100.peak.bf16`` as ``("h100", "peak", "bf16")``."""

    parts: tuple[str, ...]
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class UnitLiteral:
    """The second argument of ``num`` and ``as``, and stands nowhere else."""

    text: str
    unit: Unit
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Negate:
    """Minus in front."""

    operand: Node
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """``operator`` is one of ``+ - * / ^``."""

    operator: str
    left: Node
    right: Node
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a built-in function (one part) or of whatever the evaluation's ``call`` knows."""

    name: tuple[str, ...]
    positional: tuple[Node, ...] = ()
    keywords: tuple[tuple[str, Node], ...] = ()
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        return ".".join(self.name)


Node: TypeAlias = Number | Name | UnitLiteral | Negate | Binary | Call


def children(node: Node) -> tuple[Node, ...]:
    """The direct parts of a node, left to right."""
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, Negate):
        return (node.operand,)
    if isinstance(node, Call):
        return (*node.positional, *(value for _, value in node.keywords))
    return ()


def walk(node: Node) -> Iterator[Node]:
    """Every node, parents before their parts, left to right."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def names(node: Node) -> tuple[Name, ...]:
    """Every name that the formula reads, in order, repeats included."""
    return tuple(part for part in walk(node) if isinstance(part, Name))


def constant(value: Fraction) -> Node:
    """The shortest tree that has exactly this value."""
    if value < 0:
        return Negate(constant(-value))
    text = exact_text(value)
    if "/" not in text and len(text.replace(".", "")) <= MAX_DIGITS:
        return Number(text, value)
    if "/" not in text and value.denominator == 1:
        return Number(text, value)
    top, bottom = Fraction(value.numerator), Fraction(value.denominator)
    return Binary("/", Number(str(top), top), Number(str(bottom), bottom))


def substitute(node: Node, replacement: Callable[[Name | Call], Node | None], budget: Budget | None = None) -> Node:
    """The tree with names and calls replaced, top down, wherever ``replacement`` does not answer ``None``.

    What is put in is itself searched, so a formula's name can be opened to its leaves; a chain without end, or a tree
    that outgrows the limit, raises :class:`FormulaError`. A budget is spent on each part that is visited.
    """
    return _Substitution(replacement, budget).apply(node, 0)


def carriers(node: Node, name: tuple[str, ...]) -> frozenset[int]:
    """The identities of all parts of a tree in which a name stands, the name's own included. They hold while the tree lives."""
    found: set[int] = set()
    for part in reversed(list(walk(node))):
        if (isinstance(part, Name) and part.parts == name) or any(id(child) in found for child in children(part)):
            found.add(id(part))
    return frozenset(found)


class _Substitution:
    def __init__(self, replacement: Callable[[Name | Call], Node | None], budget: Budget | None):
        self.replacement = replacement
        self.budget = budget
        self.nodes = 0

    def apply(self, node: Node, depth: int) -> Node:
        self.nodes += 1
        if self.budget is not None:
            self.budget.spend(OPERATION)
        if self.nodes > MAX_NODES or depth > 200:
            raise FormulaError(f"opened, this has over {MAX_NODES:,} parts or no end", node.start, node.end)
        if isinstance(node, Name | Call):
            new = self.replacement(node)
            if new is not None and new != node:
                return self.apply(new, depth + 1)
        if isinstance(node, Binary):
            return replace(node, left=self.apply(node.left, depth + 1), right=self.apply(node.right, depth + 1))
        if isinstance(node, Negate):
            return replace(node, operand=self.apply(node.operand, depth + 1))
        if isinstance(node, Call):
            return replace(
                node,
                positional=tuple(self.apply(part, depth + 1) for part in node.positional),
                keywords=tuple((key, self.apply(part, depth + 1)) for key, part in node.keywords),
            )
        return node
