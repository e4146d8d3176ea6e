"""JavaScript expressions in floating point.

The expression reads its values, in canonical base units, from one object: ``v["n_q"]``. Quotes, angle brackets and
line separators inside a key are escaped and ``<`` and ``&`` are never written, so it may stand in a script element.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from ridgeline.formulas.tree import Binary, Call, Name, Node, Number
from ridgeline.formulas.writers.common import Fragment, NotExpressible, real, write

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_FUNCTIONS = {"min": "Math.min", "max": "Math.max", "abs": "Math.abs", "sqrt": "Math.sqrt", "log2": "Math.log2",
              "ceil": "Math.ceil", "floor": "Math.floor"}  # fmt: skip


def _dotted(node: Name) -> str:
    return node.text


def javascript(node: Node, name: Callable[[Name], str | Fragment] = _dotted, *, values: str = "v") -> str:
    """One expression; ``name`` answers the key of the value, or a :class:`Fragment` that is put in as it stands.

    Raises :class:`NotExpressible` with the reason.
    """
    if not _IDENTIFIER.fullmatch(values):
        raise NotExpressible("the object of values must be a plain identifier")
    return write(node, _JavaScript(name, values))


def string_literal(text: str) -> str:
    """A JavaScript string that is also safe inside a script element."""
    literal = json.dumps(text)
    return literal.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("'", "\\u0027")


class _JavaScript:
    language = "JavaScript"

    def __init__(self, key: Callable[[Name], str | Fragment], values: str):
        self.key = key
        self.values = values

    def factor(self, value: float) -> str:
        return real(value)

    def number(self, node: Number) -> str:
        return real(float(node.value))

    def name(self, node: Name) -> str:
        key = self.key(node)
        return f"({key.text})" if isinstance(key, Fragment) else f"{self.values}[{string_literal(key)}]"

    def negate(self, operand: str) -> str:
        return f"(-{operand})"

    def arithmetic(self, operator: str, left: str, right: str) -> str:
        return f"({left} {operator} {right})"

    def power(self, node: Binary, base: str, exponent: str) -> str:
        return f"Math.pow({base}, {exponent})"

    def function(self, node: Call, arguments: Sequence[str]) -> str:
        name = node.name[0]
        if name == "count":
            return real(float(len(arguments)))
        if name == "sum":
            return f"({' + '.join(arguments)})"
        if name == "round":
            return f"((x) => Math.sign(x) * Math.round(Math.abs(x)))({arguments[0]})"
        return f"{_FUNCTIONS[name]}({', '.join(arguments)})"
