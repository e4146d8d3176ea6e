"""How a computed value is shown: in the unit of the numeral it stands against, or in the field's customary unit."""

from __future__ import annotations

import re
from fractions import Fraction

from ridgeline.figures.compare import customary_unit, short
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import Dimension, Unit, describe, hard, parse_unit

#: Customary units by canonical dimension, from the largest; the first in which the value is at least 1 is used.
_CUSTOMARY: dict[str, tuple[str, ...]] = {
    "flop/s": ("PFLOP/s", "TFLOP/s", "GFLOP/s"),
    "byte/s": ("TB/s", "GB/s", "MB/s"),
    "byte": ("TB", "GB", "MB", "kB", "byte"),
    "s": ("s", "ms", "us"),
    "J/s": ("kW", "W"),
    "cycle/s": ("GHz", "MHz"),
}


#: The magnitude that a numeral's own text ends in: the B of 7.2B parameters, the k of 8k tokens.
_SUFFIX = re.compile(r"(?<=[0-9])\s?[A-Za-z]+$")


def customary(quantity: Quantity) -> Unit:
    """The unit in which the field usually prints such a value."""
    size = abs(quantity.middle)
    units = [parse_unit(t) for t in _CUSTOMARY.get(describe(quantity.dimension), ())]
    for unit in units:
        if size >= unit.factor:
            return unit
    return units[-1] if units else Unit(Fraction(1), quantity.dimension)


def unit_name(unit: Unit) -> str:
    """A short name for a unit: its prefix is found back from its scale."""
    if not unit.factors:
        return {Fraction(1): "", Fraction(1, 100): "%"}.get(unit.scale, "")
    first, *rest = unit.factors
    tail = Unit(Fraction(1), tuple(rest)).text if rest else ""
    suffix = tail[1:] if tail.startswith("1/") else (f"*{tail}" if tail else "")
    symbol = {"byte": "B", "flop": "FLOP", "op": "OP", "bit": "bit"}.get(first[0], first[0])
    prefixes = {
        10**15: "P",
        10**12: "T",
        10**9: "G",
        10**6: "M",
        10**3: "k",
        2**40: "Ti",
        2**30: "Gi",
        2**20: "Mi",
        2**10: "Ki",
    }
    small = {Fraction(1, 1000): "m", Fraction(1, 10**6): "µ", Fraction(1, 10**9): "n"}
    prefix = (
        "" if unit.scale == 1 else prefixes.get(int(unit.scale), "") if unit.scale > 1 else small.get(unit.scale, "?")
    )
    if unit.scale == 1 or (unit.scale > 1 and not prefix) or prefix == "?":
        base = describe(unit.dimension) if unit.scale == 1 else f"{unit.scale} {unit.text}"
        return unit.text if unit.scale == 1 else base
    if first[1] < 0:
        return f"{unit.scale} {unit.text}"
    power = "" if first[1] == 1 else f"^{first[1]}"
    return f"{prefix}{symbol}{power}{suffix and ('/' + suffix.lstrip('/') if tail.startswith('1/') else suffix)}"


def show(quantity: Quantity, unit: Unit | None = None) -> str:
    """A value for people: ``295.343 flop/byte``, ``3.35 TB/s``. Exact where short, else six significant digits."""
    chosen = unit if unit is not None and (unit.scale != 1 or not quantity.dimension) else customary(quantity)
    if unit is not None and unit.scale == 1 and unit.factors and describe(unit.dimension) not in _CUSTOMARY:
        chosen = unit
    if unit is not None and unit.scale == 1 and unit.factor != 1:
        # A base that is printed otherwise than it is reckoned with: bits stay bits.
        chosen = unit
    value = quantity.middle / chosen.factor
    name = unit_name(chosen)
    approximate = "" if quantity.exact else "≈ "
    return f"{approximate}{short(value)} {name}".rstrip()


def show_beside(quantity: Quantity, numeral: Numeral) -> str:
    """A value as it compares with a printed numeral: in the numeral's unit and suffix."""
    unit = numeral.unit
    if unit is None:
        bare = customary_unit(numeral, quantity, nearest=True)
        return show(quantity, bare)
    if hard(unit.dimension) != hard(quantity.dimension):
        return show(quantity)
    if not unit.factors and numeral.unit_text in ("%", "percent", "per cent"):
        return f"{short(quantity.middle * 100)}%"
    suffix = _SUFFIX.search(numeral.text)
    scale = numeral_scale(numeral) if suffix else unit.scale
    value = quantity.middle / (unit.base_factor * scale)
    return f"{short(value)}{suffix.group() if suffix else ''} {numeral.unit_text}".rstrip()


def numeral_scale(numeral: Numeral) -> Fraction:
    """How many base units the last unit place of a numeral's own digits stands for: 10^9 for the 3.35 of 3.35 GB."""
    if numeral.step is None or not numeral.step:
        return Fraction(1) if numeral.unit is None else numeral.unit.scale
    return numeral.step * Fraction(10) ** numeral.decimals


def dimension_name(quantity_dimension: Dimension) -> str:
    """The canonical base unit of a dimension as text: ``flop/byte``, ``1`` for a pure number."""
    return describe(quantity_dimension)
