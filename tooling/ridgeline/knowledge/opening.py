"""The formulas of a class written out: which names they read, and the trees in which a symbol inside them can be seen.

A name that is meant in one group of layers carries the group's number as a mark in front: ``("=2", "n_kv")``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ridgeline.formulas.errors import Budget, FormulaError
from ridgeline.formulas.evaluate import BUILTINS
from ridgeline.formulas.parser import parse
from ridgeline.formulas.tree import Binary, Call, Name, Node, constant, names, substitute, walk
from ridgeline.records.workload import Workload

Replacement = Callable[[Name | Call], Node | None]


def opened(node: Node, workload: Workload, budget: Budget | None = None, *, alike: bool = False) -> Node:
    """The tree with the class's own formulas written out, so that a symbol inside them can be seen.

    Where a class applies to some layers only, what a total adds up stays as it is: it is nothing in the other layers. That
    is so unless all layers are ``alike``, as they are where there is no model.
    """

    def formula(part: Name | Call) -> Node | None:
        if isinstance(part, Call):
            return None
        return _written(part, workload)

    if alike or workload.applies_to is None:
        return substitute(node, formula, budget)
    kept: dict[Name, Node] = {}

    def sealed(part: Name | Call) -> Node | None:
        if _totals(part):
            seal = Name(("=", str(len(kept))))
            kept[seal] = part
            return seal
        return formula(part)

    tree = substitute(node, sealed, budget)
    return substitute(tree, lambda part: kept.get(part) if isinstance(part, Name) else None, budget) if kept else tree


def shorter_first(side: Node, workload: Workload) -> list[Node]:
    """One side of an equation as it is written; where it is a formula, its texts, the shorter form first."""
    if not isinstance(side, Name) or side.text not in workload.formulas:
        return [side]
    formula = workload.formulas[side.text]
    return [parse(text) for text in (formula.same_as, formula.is_) if text is not None] or [side]


def unrolled(
    node: Node,
    workload: Workload,
    groups: Sequence[tuple[int, Callable[[Node], Node]]],
    applies: Callable[[int], bool],
    budget: Budget,
) -> Node:
    """The tree with the class's formulas written out and each total as a sum over the groups of layers of a model.

    ``groups`` gives the number of layers of each group and what its layers lack (``min(L, window)`` is ``L`` without a
    window), ``applies`` whether the class applies to it.
    """

    def in_group(part: Name | Call, index: int) -> Node | None:
        if isinstance(part, Call):
            return _sum(part, index) if _totals(part) else None
        if part.parts[0].startswith("="):
            return None
        formula = workload.formulas.get(part.text)
        if formula is not None and formula.per == "layer" and not applies(index):
            return constant(Fraction(0))
        return _written(part, workload)

    def _sum(total: Call, outer: int | None) -> Node:
        whole: Node | None = None
        for index, (count, without) in enumerate(groups):
            # What is put in is searched again, so the names are marked in a second pass.
            part = substitute(total.positional[0], lambda p, i=index: in_group(p, i), budget)  # type: ignore[misc]
            part = substitute(without(part), lambda p, i=index: _marked(p, i), budget)  # type: ignore[misc]
            term = Binary("*", constant(Fraction(count)), part)
            whole = term if whole is None else Binary("+", whole, term)
        assert whole is not None
        return whole

    def outside(part: Name | Call) -> Node | None:
        if isinstance(part, Call):
            return _sum(part, None) if _totals(part) and groups else None
        return None if part.parts[0].startswith("=") else _written(part, workload)

    return substitute(node, outside, budget)


def _marked(part: Name | Call, group: int) -> Node | None:
    if isinstance(part, Call) or part.parts[0].startswith("="):
        return None
    return Name((f"={group}", *part.parts))


def unmarked(name: Name) -> tuple[int | None, Name]:
    """The group of layers that a name is marked with, and the name."""
    if name.parts[0].startswith("="):
        return int(name.parts[0][1:]), Name(name.parts[1:])
    return None, name


def hides(workload: Workload, *nodes: Node) -> bool:
    """Whether a symbol may stand in a part that cannot be opened: a call with arguments, the solution of an equation."""
    for node in (part for whole in nodes for part in walk(whole)):
        if isinstance(node, Call) and (len(node.name) > 1 or node.name[0] not in (*BUILTINS, "total")):
            return True
        if isinstance(node, Name) and unmarked(node)[1].text in workload.formulas:
            return True
    return False


def free_names(workload: Workload) -> set[str]:
    """Bare names that the class's formulas read: quantities of a model or accelerator that a call may set."""
    found: set[str] = set()
    for formula in workload.formulas.values():
        for text in (formula.is_, formula.same_as):
            if text is not None:
                try:
                    found.update(n.text for n in names(parse(text)))
                except FormulaError:
                    continue
    return found


def _written(name: Name, workload: Workload) -> Node | None:
    formula = workload.formulas.get(name.text)
    return parse(formula.is_) if formula is not None and formula.is_ is not None else None


def _totals(part: Name | Call) -> bool:
    return isinstance(part, Call) and part.name == ("total",) and len(part.positional) == 1 and not part.keywords
