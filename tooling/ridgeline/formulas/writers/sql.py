"""SQL expressions in double precision.

Values of names must be in canonical base units. Each name is cast, each literal has a point, so that no dialect divides
integers. A division by zero is NULL in SQLite and an error or NULL elsewhere: the exact evaluation refuses it anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from ridgeline.formulas.errors import MAX_EXPONENT, FormulaError
from ridgeline.formulas.evaluate import evaluate
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Binary, Call, Name, Node, Number, names
from ridgeline.formulas.writers.common import MAX_OUTPUT, Fragment, NotExpressible, real, write


class Dialect(StrEnum):
    """``SQLITE`` uses core functions only; ``SQLITE_MATH`` needs a build with SQLITE_ENABLE_MATH_FUNCTIONS."""

    SQLITE = "sqlite"
    SQLITE_MATH = "sqlite-math"
    POSTGRESQL = "postgresql"
    DUCKDB = "duckdb"

    @property
    def real(self) -> str:
        return {"postgresql": "DOUBLE PRECISION", "duckdb": "DOUBLE"}.get(self.value, "REAL")


#: What a name is in SQL: one column, a path such as (table, column), or SQL that the caller vouches for.
Reference = Callable[[Name], str | tuple[str, ...] | Fragment]


def sql(node: Node, reference: Reference, dialect: Dialect | str = Dialect.SQLITE) -> str:
    """One SQL expression. Identifiers that ``reference`` answers are quoted here; only a :class:`Fragment` is not.

    Raises :class:`NotExpressible` with the reason where the dialect has no way to say it.
    """
    return write(node, _Sql(reference, Dialect(dialect)))


def quoted(parts: str | tuple[str, ...]) -> str:
    """A quoted identifier or dotted path of them."""
    path = (parts,) if isinstance(parts, str) else parts
    if not path or any(not part or "\0" in part for part in path):
        raise NotExpressible("an SQL identifier is not empty and holds no zero byte")
    return ".".join('"' + part.replace('"', '""') + '"' for part in path)


class _Sql:
    language = "SQL"

    def __init__(self, reference: Reference, dialect: Dialect):
        self.reference = reference
        self.dialect = dialect
        self.lite = dialect in (Dialect.SQLITE, Dialect.SQLITE_MATH)

    def factor(self, value: float) -> str:
        text = real(value)
        return text if self.lite else f"CAST({text} AS {self.dialect.real})"

    def number(self, node: Number) -> str:
        return self.factor(float(node.value))

    def name(self, node: Name) -> str:
        answer = self.reference(node)
        inner = answer.text if isinstance(answer, Fragment) else quoted(answer)
        return f"CAST({inner} AS {self.dialect.real})"

    def negate(self, operand: str) -> str:
        return f"(-{operand})"

    def arithmetic(self, operator: str, left: str, right: str) -> str:
        return f"({left} {operator} {right})"

    def power(self, node: Binary, base: str, exponent: str) -> str:
        if not self.lite:
            return f"power({base}, {exponent})"
        count = _constant(node.right)
        if count is None or not count.exact or count.low.denominator != 1 or abs(count.low) > MAX_EXPONENT:
            raise NotExpressible("a power in SQLite needs a constant whole exponent", node.start, node.end)
        times = abs(int(count.low))
        if len(base) * times > MAX_OUTPUT:
            raise NotExpressible("written in SQL this power grows too long", node.start, node.end)
        product = f"({' * '.join([base] * times)})" if times else "1.0"
        return product if count.low >= 0 else f"(1.0 / {product})"

    def function(self, node: Call, arguments: Sequence[str]) -> str:
        name = node.name[0]
        if name == "count":
            return self.factor(float(len(arguments)))
        if name == "sum":
            return f"({' + '.join(arguments)})"
        if name in ("min", "max"):
            if len(arguments) == 1:
                return arguments[0]
            called = name if self.lite else {"min": "least", "max": "greatest"}[name]
            return f"{called}({', '.join(arguments)})"
        x = arguments[0]
        if name == "abs":
            return f"abs({x})"
        if name in ("sqrt", "log2"):
            return self.root(node, name, x)
        return self.whole(name, x)

    def root(self, node: Call, name: str, x: str) -> str:
        if self.dialect is Dialect.SQLITE:
            value = _constant(node)
            if value is None:
                raise NotExpressible(f"SQLite has no {name} without its math functions", node.start, node.end)
            return self.factor(float(value))
        if name == "log2" and self.dialect is Dialect.POSTGRESQL:
            return f"(ln({x}) / ln({self.factor(2.0)}))"
        return f"{name}({x})"

    def whole(self, name: str, x: str) -> str:
        """ceil, floor and round; a half is rounded away from zero, as the exact evaluation does."""
        if not self.lite:
            if name != "round" or self.dialect is Dialect.DUCKDB:
                return f"{name}({x})"
            up = f"CASE WHEN abs({x}) - floor(abs({x})) >= 0.5 THEN 1 ELSE 0 END"
            return f"(sign({x}) * (floor(abs({x})) + {up}))"
        if name == "ceil":
            return f"(round({x}) + (round({x}) < {x}))"
        return f"(round({x}) - (round({x}) > {x}))" if name == "floor" else f"round({x})"


def _constant(node: Node) -> Quantity | None:
    """The value of a tree without names, ``None`` for any other."""
    if names(node):
        return None
    try:
        return evaluate(node, _no_name)
    except FormulaError as error:
        raise NotExpressible(error.message, error.start, error.end) from None


def _no_name(node: Name) -> Quantity:
    raise FormulaError(f"{node.text} is not a constant")
