"""The functions that prose writes into its arithmetic: ``log2(8192) = 13``, ``√2 ≈ 1.414``, ``⌈590.7⌉ = 591``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import ends
from ridgeline.formulas.roots import logarithm, square_root

#: The natural logarithm of two to 50 places.
_LN_2 = Fraction(69314718055994530941723212145817656807550013436026, 10**50)
_LARGEST = 2**4096

#: Functions whose argument is a pure number; the others keep the dimension of theirs, a root halves it.
PURE = frozenset({"log2", "log10", "ln", "ceil", "floor", "round"})
#: Functions that stand before one value without a bracket as well: √2, log2 1024.
PREFIX = frozenset({"sqrt", "log2", "log10", "ln"})
#: Functions that need not be computable to show that what follows them is their argument.
_UNREAD = frozenset({"log", "exp", "log1p", "lg"})
_SPELLINGS = {
    "√": "sqrt", "\\sqrt": "sqrt", "sqrt": "sqrt", "\\ln": "ln", "ln": "ln", "ceil": "ceil", "floor": "floor",
    "round": "round", "abs": "abs", "max": "max", "min": "min", "\\max": "max", "\\min": "min", "sum": "sum",
    "log2": "log2", "log₂": "log2", "log_2": "log2", "lb": "log2", "log10": "log10", "log₁₀": "log10",
    "log_10": "log10", "ceiling": "ceil",
}  # fmt: skip
_NAMESPACE = re.compile(r"(?:(?:math|np|numpy|torch)\.)?\\?")


def function(word: str) -> str:
    """The function that ``word`` names, or ``""``: ``log₂`` and ``math.log2`` are log2."""
    plain = word.replace("{", "").replace("}", "")
    return _SPELLINGS.get(plain) or _SPELLINGS.get(_NAMESPACE.sub("", plain, count=1), "")


def takes_next(word: str) -> bool:
    """Whether a value that follows ``word`` without a bracket is its argument, whether or not it can be computed."""
    return function(word) in PREFIX or word.lstrip("\\") in _UNREAD


def apply(name: str, values: Sequence[Fraction]) -> Fraction:
    """The value of a function; irrational ones to over 90 bits. ``ValueError`` says why there is none."""
    if any(abs(value) > _LARGEST for value in values):
        raise ValueError("an argument that is too large")
    if name in ("max", "min", "sum"):
        if len(values) < 2:
            raise ValueError(f"{name} of a single value")
        return max(values) if name == "max" else min(values) if name == "min" else sum(values, Fraction(0))
    if len(values) != 1:
        raise ValueError(f"{name} takes one value")
    try:
        return _ONE[name](values[0])
    except FormulaError as refused:
        raise ValueError(str(refused)) from None


def _root(value: Fraction) -> Fraction:
    return _middle(ends(square_root(value)))


def _log2(value: Fraction) -> Fraction:
    return _middle(ends(logarithm(value)))


def _log10(value: Fraction) -> Fraction:
    result = _log2(value) / _log2(Fraction(10))
    whole = round(result)
    return Fraction(whole) if Fraction(10) ** whole == value else result


def _middle(pair: tuple[Fraction, Fraction]) -> Fraction:
    return (pair[0] + pair[1]) / 2


_ONE: dict[str, Callable[[Fraction], Fraction]] = {
    "sqrt": _root,
    "log2": _log2,
    "log10": _log10,
    "ln": lambda value: _log2(value) * _LN_2,
    "ceil": lambda value: Fraction(ceil(value)),
    "floor": lambda value: Fraction(floor(value)),
    "round": lambda value: Fraction(round(value)),
    "abs": abs,
}
