"""The one error of the formula language, the warnings that it collects, and the limits that it enforces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import add

MAX_CHARACTERS = 500
MAX_TOKENS = 120
MAX_DEPTH = 24
MAX_DIGITS = 40
MAX_LITERAL_EXPONENT = 30
MAX_EXPONENT = 64
MAX_BITS = 8192
MAX_STEPS = 10_000
MAX_NESTING = 40
MAX_WARNINGS = 100

# What things cost, in steps: about a microsecond of work each, so that a refusal comes within some ten milliseconds.
#: A name that is found, a node that is written out.
LOOK = 1
#: An operation on short numbers; long ones cost more (:func:`effort`).
OPERATION = 3
#: An operation on intervals, a root, a logarithm, an integer power of an interval: beside those on their ends.
INTERVAL = 12
ROOT = 14
LOGARITHM = 50
POWER = 200
#: What a name stands for, worked out for the first time in a scope; records put into scope by a call.
DERIVATION = 16
CALL = 50
#: An equation, and each value that is tried for its symbol, beside the two sides themselves.
SOLUTION, TRIAL = 200, 10
#: A group of layers, beside what is worked out in it.
GROUP = 60
#: What a model adds to the limit for each of its groups of layers, once: its author wrote each of them out.
GROUP_GRANT = 600
MAX_GROUPS = 200
_MAX_KNOWN, _COMPARED = 2_000, 40
_SHORT, _LONGER, _SQUARE = 512, 9, 21


def effort(bits: int) -> int:
    """The steps of one operation on numbers of so many bits together: common divisors take their square."""
    return OPERATION if bits < _SHORT else OPERATION + (bits >> _LONGER) + (bits * bits >> _SQUARE)


class FormulaError(ValueError):
    """A formula that cannot be read or evaluated.

    ``start`` and ``end`` are offsets in code points into the formula's own text; ``start`` is -1 while the place is not
    known. ``candidates`` holds near matches, best first; the message does not repeat them, ``str()`` does. They may be
    given as a function, which is called only when somebody asks for them.
    """

    def __init__(
        self,
        message: str,
        start: int = -1,
        end: int = -1,
        candidates: Iterable[str] | Callable[[], Iterable[str]] = (),
    ):
        self.message = message
        self.start = start
        self.end = end
        self._candidates = candidates if callable(candidates) else tuple(candidates)
        super().__init__(message)

    @property
    def candidates(self) -> tuple[str, ...]:
        if callable(self._candidates):
            self._candidates = tuple(self._candidates())
        return self._candidates

    @property
    def placed(self) -> bool:
        return self.start >= 0

    def at(self, start: int, end: int) -> FormulaError:
        """The same error at a place."""
        return type(self)(self.message, start, end, self._candidates)

    def __str__(self) -> str:
        hint = f"; did you mean {' or '.join(self.candidates)}?" if self.candidates else ""
        return self.message + hint


@dataclass(frozen=True, slots=True)
class FormulaWarning:
    """Something doubtful that does not stop an evaluation, such as tokens added to layers."""

    message: str
    start: int
    end: int


@dataclass(slots=True)
class Budget:
    """What one run may still spend, and the warnings that it has met. Pass one object through nested evaluations."""

    steps: int = MAX_STEPS
    nesting: int = MAX_NESTING
    warnings: list[FormulaWarning] = field(default_factory=list)
    granted: dict[str, int] = field(default_factory=dict)

    def spend(self, steps: int = LOOK) -> None:
        """Take steps before the work is done, or raise an unplaced :class:`FormulaError` when there are none left."""
        self.steps -= steps
        if self.steps < 0:
            raise FormulaError(f"too much work: the limit of {MAX_STEPS:,} steps is used up")

    def grant(self, reference: str, groups: int) -> None:
        """More steps for the groups of layers of a model, the first time that it is met; for at most 200 of them."""
        if reference not in self.granted:
            self.granted[reference] = min(groups, MAX_GROUPS - sum(self.granted.values()))
            self.steps += GROUP_GRANT * self.granted[reference]

    def warn(self, message: str, start: int, end: int) -> None:
        warning = FormulaWarning(message, start, end)
        if len(self.warnings) < MAX_WARNINGS and warning not in self.warnings:
            self.warnings.append(warning)


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three other names close to ``word``, best first. Of many names, only those that share most letters are compared."""
    from difflib import get_close_matches

    word = word[:60]
    names = [name for name in dict.fromkeys(islice(known, _MAX_KNOWN)) if name != word]
    if len(names) > _COMPARED:
        pairs = {a + b for a, b in pairwise(word)}
        names.sort(key=lambda name: abs(len(name) - len(word)) - 2 * len(pairs.intersection(map(add, name, name[1:]))))
    return tuple(get_close_matches(word, names[:_COMPARED], 3, 0.6))
