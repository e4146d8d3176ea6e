"""Formulas over arrays: a tree of closures, built once, applied to columns of double-precision values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.tree import Binary, Call, Name, Negate, Node, Number, UnitLiteral
from ridgeline.formulas.writers.common import NotExpressible, check_builtin

if TYPE_CHECKING:
    import numpy

    Array: TypeAlias = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

#: Values by key, in canonical base units: scalars or arrays that broadcast together.
Columns: TypeAlias = Mapping[str, Any]


def _dotted(node: Name) -> str:
    return node.text


def compiled(node: Node, name: Callable[[Name], str] = _dotted) -> Callable[[Columns], Array]:
    """A function from columns to an array; ``name`` gives the column of each name.

    Divisions by zero give infinities and NaN, with NumPy's own warnings. Calling it raises :class:`FormulaError` for a
    column that is missing; compiling raises :class:`NotExpressible`.
    """
    try:
        return _compiled(node, name)
    except RecursionError:
        raise NotExpressible("the formula is nested too deep", node.start, node.end) from None
    except OverflowError:
        raise NotExpressible("a number is out of the range of floating point", node.start, node.end) from None


def _compiled(node: Node, name: Callable[[Name], str]) -> Callable[[Columns], Array]:
    import numpy

    if isinstance(node, Number):
        constant = numpy.asarray(float(node.value))
        return lambda columns: constant
    if isinstance(node, Name):
        return _column(node, name(node))
    if isinstance(node, Negate):
        operand = _compiled(node.operand, name)
        return lambda columns: numpy.negative(operand(columns))
    if isinstance(node, Binary):
        return _operation(node, name)
    if isinstance(node, UnitLiteral):
        raise NotExpressible("a unit may stand only in num(x, unit) and as(x, unit)", node.start, node.end)
    return _function(node, name)


def _column(node: Name, key: str) -> Callable[[Columns], Array]:
    import numpy

    def column(columns: Columns) -> Array:
        if key not in columns:
            raise FormulaError(f"no column {key}", node.start, node.end)
        return numpy.asarray(columns[key], dtype=numpy.float64)

    return column


def _operation(node: Binary, name: Callable[[Name], str]) -> Callable[[Columns], Array]:
    import numpy

    operations: dict[str, Callable[[Array, Array], Array]] = {
        "+": numpy.add,
        "-": numpy.subtract,
        "*": numpy.multiply,
        "/": numpy.divide,
        "^": numpy.power,
    }
    operation, left, right = operations[node.operator], _compiled(node.left, name), _compiled(node.right, name)
    return lambda columns: operation(left(columns), right(columns))


def _function(node: Call, name: Callable[[Name], str]) -> Callable[[Columns], Array]:
    import numpy

    check_builtin(node)
    function = node.name[0]
    if function in ("num", "as"):
        unit = node.positional[1]
        assert isinstance(unit, UnitLiteral)
        subject, factor = _compiled(node.positional[0], name), float(unit.unit.factor)
        if function == "num":
            return lambda columns: numpy.divide(subject(columns), factor)
        return lambda columns: numpy.multiply(subject(columns), factor)
    arguments = [_compiled(part, name) for part in node.positional]
    if function == "count":
        count = numpy.asarray(float(len(arguments)))
        return lambda columns: count
    pairwise: dict[str, Callable[[Array, Array], Array]] = {
        "min": numpy.minimum,
        "max": numpy.maximum,
        "sum": numpy.add,
    }
    if function in pairwise:
        pair = pairwise[function]
        return lambda columns: reduce(pair, [argument(columns) for argument in arguments])
    single: dict[str, Callable[[Array], Array]] = {
        "ceil": numpy.ceil,
        "floor": numpy.floor,
        "abs": numpy.abs,
        "log2": numpy.log2,
        "sqrt": numpy.sqrt,
        "round": _half_away,
    }
    apply, argument = single[function], arguments[0]
    return lambda columns: apply(argument(columns))


def _half_away(values: Array) -> Array:
    """Round to the nearest integer, halves away from zero (NumPy's own rounding takes them to even)."""
    import numpy

    whole = numpy.trunc(values)
    return numpy.where(numpy.abs(values - whole) >= 0.5, whole + numpy.sign(values), whole)
