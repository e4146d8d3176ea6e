"""What became of one numeral of a record's prose."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ridgeline.figures.compare import Verdict
from ridgeline.findings.finding import Waived
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.numeral import Numeral

Path = tuple[str | int, ...]


class Status(StrEnum):
    """How a numeral is accounted for."""

    RECOMPUTED = "recomputed"
    EQUATION = "equation"
    RECORDED = "recorded"
    CITED = "cited"
    SET_ASIDE = "set-aside"
    UNVERIFIED = "unverified"
    UNCOVERED = "uncovered"


@dataclass(frozen=True, slots=True)
class FigureResult:
    """A numeral with its status.

    ``path`` is the field of the record; ``numeral.at`` counts inside that field's text. ``derivation`` is there for
    recomputed and recorded figures; ``entry`` is the number of the figure entry that bound it, -1 for none.
    """

    record: str
    path: Path
    numeral: Numeral
    status: Status
    verdict: Verdict | None = None
    derivation: Derivation | None = None
    expression: str = ""
    rule: str = ""
    reason: str = ""
    source: str = ""
    at: str = ""
    checked: str = ""
    entry: int = -1
    equation: str = ""
    waived: Waived | None = None

    @property
    def grade(self) -> str:
        return self.verdict.grade.value if self.verdict is not None and self.verdict.grade is not None else ""
