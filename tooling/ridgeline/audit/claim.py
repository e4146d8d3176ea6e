"""What an audit says of one numeral of a foreign document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from ridgeline.numbers.numeral import Numeral


class Status(StrEnum):
    """Whether a printed number holds. ``undecided`` is no reproach: nothing here settles it."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"
    SET_ASIDE = "set-aside"


#: How much a judge's word counts. An equation that the document itself writes out is the strongest claim of all; that a
#: number is right by any other way protects it from being called wrong by a third.
_WEIGHT = {
    (Status.WRONG, True): 5,
    (Status.RIGHT, True): 4,
    (Status.RIGHT, False): 3,
    (Status.WRONG, False): 2,
    (Status.UNDECIDED, True): 1,
    (Status.UNDECIDED, False): 1,
}


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's word on one numeral.

    ``computed`` is what it should be, in base units of the numeral; ``shown`` the same for people. ``stated``: the document
    itself writes the computation out.
    """

    status: Status
    because: str
    grade: str = ""
    computed: str = ""
    shown: str = ""
    by: str = ""
    stated: bool = False

    @property
    def weight(self) -> int:
        return _WEIGHT.get((self.status, self.stated), 0)


@dataclass(frozen=True, slots=True)
class Claim:
    """A numeral of the document with its place (from 1, in code points) and what became of it."""

    numeral: Numeral
    line: int
    column: int
    judgment: Judgment
    block: int = 0

    @property
    def status(self) -> Status:
        return self.judgment.status

    @property
    def text(self) -> str:
        """The numeral with its unit, as printed."""
        unit = self.numeral.unit_text
        if not unit or unit.startswith(("-", "%")) or unit in ("x", "×"):
            return f"{self.numeral.text}{unit}"
        return f"{unit}{self.numeral.text}" if unit in "$€₹" else f"{self.numeral.text} {unit}"


@dataclass
class Ledger:
    """The judgments so far: for each (block, numeral) the weightiest; among equals, the first."""

    held: dict[tuple[int, int], Judgment] = field(default_factory=dict)

    def put(self, block: int, numeral: int, judgment: Judgment) -> None:
        key = (block, numeral)
        before = self.held.get(key)
        if before is None or judgment.weight > before.weight:
            self.held[key] = judgment

    def status(self, block: int, numeral: int) -> Status | None:
        held = self.held.get((block, numeral))
        return held.status if held is not None else None

    def items(self) -> Iterator[tuple[tuple[int, int], Judgment]]:
        return iter(self.held.items())
