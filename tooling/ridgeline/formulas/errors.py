"""The one error of the formula language, the warnings that it collects, and the limits that it enforces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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

    def spend(self, steps: int = 1) -> None:
        """Take steps, or raise an unplaced :class:`FormulaError` when there are none left."""
        self.steps -= steps
        if self.steps < 0:
            raise FormulaError(f"too much work: the limit of {MAX_STEPS:,} steps is used up")

    def warn(self, message: str, start: int, end: int) -> None:
        warning = FormulaWarning(message, start, end)
        if len(self.warnings) < MAX_WARNINGS and warning not in self.warnings:
            self.warnings.append(warning)


def nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three names close to ``word``, best first."""
    from difflib import get_close_matches

    return tuple(get_close_matches(word[:60], list(known), 3, 0.6))
