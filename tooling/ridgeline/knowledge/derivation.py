"""How a value came about: the formula, what stood in it, and so on down to the sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, UnitLiteral, constant
from ridgeline.numbers.units import Unit


@dataclass(frozen=True, slots=True)
class Given:
    """A value that a record states: where it stands and where it is from."""

    record: str  # 'accelerators/nvidia-h100-sxm'
    field: str  # dotted path in the file: 'memory.bandwidth'
    text: str  # as printed: '3.35 TB/s'
    basis: str
    source: str = ""
    at: str = ""
    checked: str = ""
    reason: str = ""
    name: str = ""  # in formulas: 'memory.bandwidth', 'n_q'


@dataclass(frozen=True, slots=True)
class Derivation:
    """One named value with everything it follows from.

    ``label`` is what a reader calls it (``ridge.bf16``, ``L_ridge(h100, bf16, g=4)``); ``tree`` its formula as written;
    ``steps`` the derivation of each name and call in that formula. A leaf has either ``given`` (a record states it) or is
    a symbol that the expression set. ``origin`` says, for a formula that a record states, where the numbers typed in it
    are from.
    """

    label: str
    quantity: Quantity
    unit: Unit | None = None
    tree: Node | None = None
    steps: tuple[tuple[Node, Derivation], ...] = ()
    given: Given | None = None
    means: str = ""
    record: str = ""  # the record in whose scope the formula stands
    origin: Given | None = None

    @property
    def leaf(self) -> bool:
        return not self.steps and self.tree is None

    def walk(self) -> Iterator[Derivation]:
        """This value and all that it follows from, each once, parents first."""
        seen: set[int] = set()
        stack = [self]
        while stack:
            current = stack.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            yield current
            stack.extend(child for _, child in reversed(current.steps))

    def inputs(self) -> list[Derivation]:
        """The leaves: values that records state and symbols that were set, each once, in the order they are met.

        A formula that a record states with a source is one of them, beside what it is computed from.
        """
        found: dict[tuple[str, str], Derivation] = {}
        for node in self.walk():
            if node.origin is not None:
                stated = replace(node, given=node.origin, tree=None, steps=(), origin=None)
                found.setdefault((node.origin.record, node.origin.field), stated)
            elif node.given is not None:
                found.setdefault((node.given.record, node.given.field), node)
            elif node.leaf:
                found.setdefault(("", node.label), node)
        return list(found.values())


#: First part of a name in a closed tree that stands for a recorded value: ``("=", record, field)``.
RECORDED = "="


def closed(derivation: Derivation, limit: int = 4_000) -> Node | None:
    """The formula with every name replaced by what it stands for, down to recorded values and constants.

    A recorded value is a :class:`Name` with the parts ``("=", record, field)``. ``None`` where there is no closed form
    (a solution found by bisection) or where it would have more than ``limit`` nodes.
    """
    closer = _Closer(limit)
    try:
        return closer.close(derivation, 0)
    except _Open:
        return None


class _Open(Exception):
    pass


class _Closer:
    def __init__(self, limit: int):
        self.left = limit

    def close(self, derivation: Derivation, depth: int) -> Node:
        if derivation.given is not None and derivation.tree is None:
            return Name((RECORDED, derivation.given.record, derivation.given.field))
        if derivation.tree is None:
            if derivation.steps or not derivation.quantity.exact:
                raise _Open
            return constant(derivation.quantity.middle)
        if depth > 60:
            raise _Open
        return self.rewrite(derivation.tree, dict(derivation.steps), depth)

    def rewrite(self, node: Node, steps: dict[Node, Derivation], depth: int) -> Node:
        self.left -= 1
        if self.left < 0 or depth > 200:
            raise _Open
        if isinstance(node, Name | Call) and node in steps:
            return self.close(steps[node], depth + 1)
        if isinstance(node, Binary):
            return Binary(
                node.operator, self.rewrite(node.left, steps, depth + 1), self.rewrite(node.right, steps, depth + 1)
            )
        if isinstance(node, Negate):
            return Negate(self.rewrite(node.operand, steps, depth + 1))
        if isinstance(node, Call):
            if node.name in (("num",), ("as",)) and isinstance(node.positional[1], UnitLiteral):
                factor = node.positional[1].unit.factor
                inner = self.rewrite(node.positional[0], steps, depth + 1)
                return Binary("/" if node.name == ("num",) else "*", inner, constant(factor))
            return Call(node.name, tuple(self.rewrite(p, steps, depth + 1) for p in node.positional))
        return node
