"""What a printed numeral says, exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from ridgeline.numbers.interval import Interval
from ridgeline.numbers.units import Unit


class Kind(StrEnum):
    """What a run of digits (or a number word) is. The first group is compared with values, the second never is."""

    MEASURE = "measure"
    CONSTANT = "constant"  # integer operand of an inline equation: exact
    PERCENT = "percent"
    PERCENT_POINT = "percent_point"
    CHANGE = "change"  # a signed or relative percentage of a base
    RATIO = "ratio"
    RATIO_PAIR = "ratio_pair"  # 3:1
    MULTIPLICITY = "multiplicity"  # the 2 of "2x A100", "8xH100"
    UNCERTAINTY = "uncertainty"
    DEFINITION = "definition"
    NOMINAL = "nominal"  # "the 70B model"
    WORD = "word"

    IDENTIFIER = "identifier"
    REFERENCE = "reference"
    VERSION = "version"
    DATE = "date"
    YEAR = "year"
    ORDINAL = "ordinal"
    CODE = "code"
    URL = "url"
    UNIT_PART = "unit_part"
    LIST = "list"  # the 1. of a numbered list
    DIMENSION = "dimension"  # 3x3
    ERROR = "error"


_ONE = Fraction(1)
SET_ASIDE = frozenset(
    {Kind.IDENTIFIER, Kind.REFERENCE, Kind.VERSION, Kind.DATE, Kind.YEAR, Kind.ORDINAL, Kind.CODE, Kind.URL,
     Kind.UNIT_PART, Kind.LIST, Kind.DIMENSION}
)  # fmt: skip


class Comparator(StrEnum):
    """How the printed value bounds the true one."""

    EQ = "eq"
    APPROX = "approx"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"
    NEARLY = "nearly"
    JUST_OVER = "just_over"
    RANGE_LO = "range_lo"
    RANGE_HI = "range_hi"
    NOMINAL = "nominal"


@dataclass(frozen=True, slots=True)
class Numeral:
    """One numeral of a text.

    ``text`` and ``at`` (0-based, code points) are the numeral itself; ``value`` and ``interval`` are exact, in base units
    of ``unit`` (its ``text``); ``step`` is u, the place of the last printed digit, in the same base units. ``rule`` names
    the rule that set a numeral aside. ``alternative`` is the binary reading of ``128K``.
    """

    text: str
    at: int
    kind: Kind
    comparator: Comparator = Comparator.EQ
    value: Fraction | None = None
    unit: Unit | None = None
    interval: Interval | None = None
    unit_text: str = ""
    step: Fraction | None = None
    symbol: str = ""
    grouping: str = ""
    alternative: Fraction | None = None
    alternative_interval: Interval | None = None
    uncertainty: Fraction | None = None
    tight: Interval | None = None
    lint: str = ""
    error: str = ""
    rule: str = ""
    vague: bool = False
    decimals: int = field(default=0)

    @property
    def end(self) -> int:
        return self.at + len(self.text)

    @property
    def base_factor(self) -> Fraction:
        """What ``value`` is multiplied by to be in canonical base units."""
        return _ONE if self.unit is None else self.unit.base_factor

    @property
    def quantity(self) -> bool:
        """Whether this numeral states a value that something must account for."""
        return self.kind not in SET_ASIDE and self.kind is not Kind.ERROR
