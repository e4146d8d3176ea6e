"""The check of inline equations: each relation evaluated with units, intervals and, where bound, from the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ridgeline.figures.compare import (
    Grade,
    LevelName,
    Quantity,
    Verdict,
    compare,
    is_wide,
    short,
    told,
)
from ridgeline.figures.equation_scale import find_factor
from ridgeline.figures.equation_tree import (
    Amount,
    Call,
    DimensionClash,
    Equation,
    Name,
    Node,
    Op,
    Ref,
    Unevaluable,
    evaluate,
    names,
    references,
    spread,
)
from ridgeline.figures.equation_values import Values, as_output, significant_digits
from ridgeline.figures.equation_views import View, views
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import describe, hard

_MIRRORED = {"=": "=", "≈": "≈", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_ORDERS = frozenset({"<", ">", "<=", ">="})
_MILDER = frozenset({Grade.SCALE, Grade.ROUNDING, Grade.UNINFORMATIVE})
_MAX_READINGS = 4


def check(
    equation: Equation,
    numerals: Sequence[Numeral],
    bound: Mapping[int, Quantity] | None = None,
    names: Mapping[str, Quantity] | None = None,
) -> list[Verdict]:
    """One verdict for each relation of ``equation``.

    ``numerals`` are those that were given to ``find``. ``bound`` says which quantity of the records a numeral stands
    for, by index: it lends its unit to a bare numeral, and its exact value to the check from the records. ``names``
    resolves symbols. A relation with a name that nothing resolves gets a verdict with ``grade`` ``None`` and the names
    in ``unknown``. Never raises.
    """
    checker = _Checker(Values(numerals, bound or {}, names or {}, equation.delimited), dict(equation.assigned))
    pairs = zip(equation.sides, equation.relations, equation.sides[1:], strict=False)
    return [checker.relation(left.node, sign, right.node) for left, sign, right in pairs]


class _Checker:
    """Everything that one equation is checked with."""

    def __init__(self, values: Values, assigned: dict[str, int]):
        self.values = values
        self.assigned = assigned

    # One relation -----------------------------------------------------------------------------------------------

    def relation(self, left: Node, sign: str, right: Node) -> Verdict:
        unknown = tuple(dict.fromkeys(n for side in (left, right) for n in names(side) if not self._resolves(n)))
        if unknown:
            because = "not computed: " + ", ".join(unknown) + " has no value here"
            return Verdict(None, False, "info", because, unknown=unknown)
        left, right = self._substitute(left), self._substitute(right)
        best: Verdict | None = None
        for alternatives in self._readings(left, right):
            self.values.alternatives = alternatives
            verdict = self._guarded(left, sign, right)
            if best is None or _better(verdict, best):
                best = verdict
            if best.holds:
                break
        assert best is not None
        return best

    def _guarded(self, left: Node, sign: str, right: Node) -> Verdict:
        try:
            if sign in _ORDERS:
                return self._order(left, sign, right)
            if isinstance(right, Ref):
                verdict = self._output(left, sign, right)
                if isinstance(left, Ref) and not verdict.holds:
                    return self._rounded_first(left, sign, right) or verdict
                return verdict
            if isinstance(left, Ref):
                return self._output(right, _MIRRORED[sign], left)
            return self._two_sides(left, sign, right)
        except Unevaluable as refused:
            return Verdict(None, False, "info", f"not computed: {refused}", unknown=refused.names)
        except DimensionClash as clash:
            a, b = describe(clash.left), describe(clash.right)
            return Verdict(Grade.WRONG, False, "error", f"the dimensions differ: {a} and {b} are added or compared")

    def _resolves(self, name: str) -> bool:
        return name in self.values.known or name in self.assigned

    def _substitute(self, node: Node) -> Node:
        """Names that the sentence itself sets become references, so that their numerals count as operands."""
        if isinstance(node, Name) and node.text not in self.values.known and node.text in self.assigned:
            return Ref(self.assigned[node.text])
        if isinstance(node, Op):
            return Op(node.sign, self._substitute(node.left), self._substitute(node.right))
        if isinstance(node, Call):
            return Call(node.name, tuple(self._substitute(argument) for argument in node.arguments))
        return node

    def _readings(self, left: Node, right: Node) -> Iterator[frozenset[int]]:
        """Which of the inputs with two readings (``128K``) are read as binary: none, all, then the mixtures."""
        inputs = references(left) + references(right) if isinstance(left, Op | Call) else references(left)
        double = [i for i in dict.fromkeys(inputs) if self.values.has_alternative(i)][:_MAX_READINGS]
        yield frozenset()
        if double:
            yield frozenset(double)
        for chosen in product((False, True), repeat=len(double)):
            if any(chosen) and not all(chosen):
                yield frozenset(i for i, pick in zip(double, chosen, strict=True) if pick)

    # An expression and the numeral that states its result -------------------------------------------------------

    def _output(self, node: Node, sign: str, ref: Ref) -> Verdict:
        numeral = as_output(self.values.numeral(ref.index), sign)
        first: Verdict | None = None
        for view in views(self.values, node, numeral):
            try:
                verdict = self._judge(view, numeral)
            except DimensionClash:
                if view.last:
                    raise
                continue
            fits = verdict.grade is Grade.UNINFORMATIVE and verdict.level == "info"
            if verdict.holds or fits:
                return verdict
            if first is None or _says_more(verdict, first):
                first = verdict
        if first is None:
            raise Unevaluable("the units of the two sides cannot be joined")
        return first

    def _rounded_first(self, left: Ref, sign: str, right: Ref) -> Verdict | None:
        """``212 GB/s (1700 Gb/s)``: the first of two may be the second, which is the rounder one, converted."""
        first, second = self.values.numeral(left.index), self.values.numeral(right.index)
        if significant_digits(second) >= significant_digits(first):
            return None
        verdict = self._output(right, sign, left)
        if not verdict.holds:
            return None
        tie = " exactly half-way" if verdict.tie else ""
        because = f"{told(verdict.nearest, first)} is printed{tie} rounded, before the value that it comes from"
        return Verdict(Grade.OVERLAP, True, "info", because, tie=verdict.tie, nearest=second.value)

    # Judging ----------------------------------------------------------------------------------------------------

    def _judge(self, view: View, numeral: Numeral) -> Verdict:
        printed = view.result(view.leaf)
        result = compare(numeral, printed)
        if result.nearest is None and not result.holds:
            return result
        values = self.values
        ranges = values.ranges(view.node, view.leaf)
        bound = [i for i in references(view.node) if i in values.bound]
        if not bound:
            rounded = spread(view.node, view.leaf, ranges).scaled(view.factor)
            return _with_rounding(numeral, result, replace(printed, value=rounded))
        ranges |= values.record_ranges(bound, view.true_leaf)
        truth = replace(printed, value=spread(view.node, view.true_leaf, ranges).scaled(view.factor))
        verdict = compare(numeral, truth, printed_truth=printed if all(map(values.agrees, bound)) else None)
        only_overlaps = verdict.grade in (Grade.OVERLAP, Grade.UNINFORMATIVE)
        return result if only_overlaps and result.holds else verdict

    # Two expressions, and orders --------------------------------------------------------------------------------

    def _two_sides(self, left: Node, sign: str, right: Node) -> Verdict:
        leaf = self._common_leaf(left, right)
        a, b = evaluate(left, leaf), evaluate(right, leaf)
        if hard(a.dimension) != hard(b.dimension):
            raise DimensionClash(a.dimension, b.dimension)
        if a.value == b.value or (sign == "≈" and abs(a.value - b.value) * 20 <= abs(a.value)):
            return Verdict(Grade.EXACT, True, "ok", f"both sides are {short(a.value)}", nearest=a.value)
        ranges = [spread(n, leaf, self.values.ranges(n, leaf)) for n in (left, right)]
        if ranges[0].overlaps(ranges[1]):
            wide = any(is_wide(r) for r in ranges)
            because = f"{short(a.value)} and {short(b.value)} agree only within their rounding"
            return Verdict(Grade.UNINFORMATIVE if wide else Grade.OVERLAP, not wide, "info", because, nearest=a.value)
        factor = find_factor(a.value, Interval.point(b.value), a.dimension, None)
        because = f"the left side is {short(a.value)}, the right {short(b.value)}"
        if factor is None:
            return Verdict(Grade.WRONG, False, "error", because, nearest=a.value)
        because += f", {factor.text} times that: {factor.cause}"
        return Verdict(Grade.SCALE, False, "error", because, factor.text, nearest=a.value)

    def _order(self, left: Node, sign: str, right: Node) -> Verdict:
        leaf = self._common_leaf(left, right)
        a, b = evaluate(left, leaf), evaluate(right, leaf)
        if hard(a.dimension) != hard(b.dimension):
            raise DimensionClash(a.dimension, b.dimension)
        x, y = a.value, b.value
        holds = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}[sign]
        if holds:
            return Verdict(Grade.EXACT, True, "ok", f"{short(x)} {sign} {short(y)}", nearest=x)
        return Verdict(Grade.DECISION, False, "error", f"the order is the other way: {short(x)}, {short(y)}", nearest=x)

    def _common_leaf(self, left: Node, right: Node) -> Callable[[Ref | Name], Amount]:
        """Units where both sides have them, bare numbers where one side prints none and the other one unit."""
        with_units = [self.values.has_units(left), self.values.has_units(right)]
        if with_units[0] == with_units[1]:
            return self.values.printed
        side = left if with_units[0] else right
        return self.values.number if self.values.common_unit(side) is not None else self.values.printed


def _with_rounding(numeral: Numeral, result: Verdict, rounded: Quantity) -> Verdict:
    """The verdict once the rounding of the inputs is taken into account."""
    spread_out = compare(numeral, rounded)
    if spread_out.grade not in (Grade.OVERLAP, Grade.UNINFORMATIVE):
        return result
    if spread_out.grade is Grade.UNINFORMATIVE:
        level: LevelName = "info" if result.holds else "warning"
        because = f"the rounded inputs allow more than a tenth on either side ({result.because})"
        return replace(result, grade=Grade.UNINFORMATIVE, holds=False, level=level, because=because, factor="")
    if result.holds or result.grade is Grade.ROUNDING:
        return result
    because = f"as printed the inputs give {told(result.nearest, numeral)}; it agrees only within their rounding"
    return Verdict(Grade.OVERLAP, True, "warning", because, nearest=result.nearest)


def _says_more(verdict: Verdict, first: Verdict) -> bool:
    """Whether a failure tells more than the ``first`` one: a milder grade, or a value where there was none."""
    if first.grade is not Grade.WRONG:
        return False
    return verdict.grade in _MILDER or (first.nearest is None and verdict.nearest is not None)


def _better(a: Verdict, b: Verdict) -> bool:
    if a.holds != b.holds:
        return a.holds
    order = list(Grade)
    return a.grade is not None and b.grade is not None and order.index(a.grade) < order.index(b.grade)
