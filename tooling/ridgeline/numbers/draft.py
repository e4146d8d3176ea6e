"""A numeral while it is being read: printed parts first, meaning added step by step, exact values last."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ridgeline.numbers.compare import bounds, mirrored, tightness
from ridgeline.numbers.numeral import SET_ASIDE, Comparator, Kind, Numeral
from ridgeline.numbers.units import Unit

#: Kinds that other numerals may lend a unit to, or borrow one from.
PLAIN = frozenset({Kind.MEASURE, Kind.PERCENT, Kind.CHANGE, Kind.PERCENT_POINT, Kind.RATIO, Kind.NOMINAL})


@dataclass(slots=True)
class Draft:
    """The printed parts of one numeral.

    ``start`` and ``end`` bound the numeral, ``left`` and ``right`` the numeral with its currency sign and unit. The value
    is ``sign * digits * 10**exponent * factor`` in printed units; ``digits`` is an integer without point or grouping.
    """

    start: int
    end: int
    kind: Kind = Kind.MEASURE
    comparator: Comparator = Comparator.EQ
    sign: int = 1
    digits: int = 0
    exponent: int = 0
    exact: Fraction | None = None
    point: bool = False
    decimals: int = 0
    grouping: str = ""
    suffix: str = ""
    factor: int = 1
    binary: bool = False
    unit: Unit | None = None
    unit_text: str = ""
    left: int = 0
    right: int = 0
    symbol: str = ""
    lint: str = ""
    error: str = ""
    rule: str = ""
    vague: bool = False
    falls: bool = False
    constant: bool = False
    alone: bool = False
    hedge_at: int = -1
    uncertainty: Draft | None = None

    def __post_init__(self) -> None:
        self.left = self.left or self.start
        self.right = self.right or self.end

    @property
    def magnitude(self) -> Fraction:
        """The unsigned printed number, before suffix and unit."""
        if self.exact is not None:
            return self.exact
        if self.exponent >= 0:
            return Fraction(self.digits * 10**self.exponent)
        return Fraction(self.digits, 10**-self.exponent)

    @property
    def step(self) -> Fraction:
        """u before suffix and unit: the place of the last printed digit."""
        if self.exact is not None:
            return Fraction(0)
        return Fraction(10) ** self.exponent

    @property
    def significant(self) -> Fraction:
        """t before suffix and unit: u, or the place of the last non-zero digit where no point is printed."""
        step = self.step
        if self.point or not self.digits:
            return step
        digits = self.digits
        while digits % 10 == 0:
            digits //= 10
            step *= 10
        return step

    def lend(self, other: Draft) -> None:
        """Give this numeral's unit to one that stands before it in a list or range."""
        other.unit, other.unit_text = self.unit, self.unit_text
        if other.kind in PLAIN:
            other.kind = Kind.CHANGE if self.kind is Kind.PERCENT and other.rule == "signed" else self.kind
            other.falls = self.falls
            if self.kind is Kind.NOMINAL:
                other.comparator = Comparator.NOMINAL


def gap_between(text: str, first: Draft, second: Draft) -> str:
    """The text between two numerals with their units, or a NUL where it is too long to join them."""
    return text[first.right : second.left] if second.left - first.right <= 24 else "\0"


def finish(draft: Draft, text: str) -> Numeral:
    """The finished numeral: exact value, interval, binary reading and tightness."""
    printed = text[draft.start : draft.end]
    if draft.error:
        return Numeral(printed, draft.start, Kind.ERROR, error=draft.error, rule=draft.rule, lint=draft.lint)
    if draft.kind in SET_ASIDE:
        return Numeral(printed, draft.start, draft.kind, rule=draft.rule or draft.kind.value)
    scale = Fraction(draft.factor) if draft.unit is None else draft.unit.scale * draft.factor
    magnitude, step, significant = draft.magnitude, draft.step, draft.significant
    sign = -1 if draft.falls else draft.sign
    kind = draft.kind
    value, u, t = magnitude * scale, step * scale, significant * scale
    signed = sign * value
    interval = None if draft.vague else bounds(kind, draft.comparator, value if draft.falls else signed, u, t)
    tight = tightness(draft.comparator, value if draft.falls else signed, t)
    if draft.falls:
        interval, tight = mirrored(interval), mirrored(tight)
    alternative = alternative_interval = None
    if draft.binary:
        grow = Fraction(1024, 1000)
        alternative = signed * grow
        alternative_interval = bounds(kind, draft.comparator, alternative, u * grow, t * grow)
    uncertainty = None
    if draft.uncertainty is not None:
        other = draft.uncertainty
        uncertainty = other.magnitude * other.factor * (other.unit.scale if other.unit else 1)
        if draft.unit is not None and draft.unit.factors and other.unit is not None and not other.unit.factors:
            uncertainty *= value  # 312 TFLOP/s ± 2%
    return Numeral(
        text=printed, at=draft.start, kind=kind, comparator=draft.comparator, value=signed, unit=draft.unit,
        interval=interval, unit_text=draft.unit_text, step=u, symbol=draft.symbol, grouping=draft.grouping,
        alternative=alternative, alternative_interval=alternative_interval, uncertainty=uncertainty, tight=tight,
        lint=draft.lint, rule=draft.rule, vague=draft.vague, decimals=draft.decimals,
    )  # fmt: skip
