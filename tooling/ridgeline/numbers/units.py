"""Units and dimensions: the vocabulary that numerals, quantities and formulas share.

A :class:`Unit` is an exact scale times a product of base units. Two views of a unit are kept apart:

* ``text`` and ``scale`` speak of the *printed* base (``bit`` stays ``bit``, ``W`` stays ``W``), so that a reader sees
  the unit that the source used;
* ``dimension`` and ``factor`` speak of the *canonical* base (a bit is an eighth of a byte, a watt a joule per second, an
  integer operation counts as a flop), so that quantities can be compared.

Hard dimensions are checked as errors, soft ones (counts of things) as warnings: see :data:`HARD` and :data:`SOFT`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ridgeline.numbers.lazy import lazy

#: A product of canonical base units: sorted ``(symbol, exponent)`` pairs, no zero exponents. ``()`` is a pure number.
Dimension = tuple[tuple[str, int], ...]

HARD = frozenset({"byte", "flop", "s", "J", "USD", "INR", "EUR", "m"})
SOFT = frozenset(
    {"token", "param", "layer", "head", "element", "gpu", "sequence", "cycle", "pin", "unit", "lane", "transfer",
     "link", "expert", "request", "lsb"}
)  # fmt: skip

#: Base unit as printed → (canonical factor, canonical dimension).
_CANONICAL: dict[str, tuple[Fraction, Dimension]] = {
    "bit": (Fraction(1, 8), (("byte", 1),)),
    "W": (Fraction(1), (("J", 1), ("s", -1))),
    "op": (Fraction(1), (("flop", 1),)),
    "Hz": (Fraction(1), (("cycle", 1), ("s", -1))),
    "pp": (Fraction(1, 100), ()),
}

_DECIMAL = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21}
_SMALL = {"m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_WORDED = {"kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18}


class UnitError(ValueError):
    """A unit text that cannot be read. ``candidates`` holds near matches, best first."""

    def __init__(self, text: str, candidates: list[str] | None = None):
        self.text = text
        self.candidates = candidates or []
        hint = f"; did you mean {' or '.join(self.candidates)}?" if self.candidates else ""
        super().__init__(f"unknown unit {text!r}{hint}")


def multiply(a: Dimension, b: Dimension, sign: int = 1) -> Dimension:
    """The dimension of a product (``sign=1``) or quotient (``sign=-1``)."""
    total = dict(a)
    for symbol, exponent in b:
        total[symbol] = total.get(symbol, 0) + sign * exponent
    return tuple(sorted((s, e) for s, e in total.items() if e))


def power(a: Dimension, exponent: int) -> Dimension:
    """The dimension of an integer power."""
    return tuple((s, e * exponent) for s, e in a) if exponent else ()


def hard(a: Dimension) -> Dimension:
    """The part of a dimension that is checked as an error."""
    return tuple((s, e) for s, e in a if s in HARD)


def describe(a: Dimension) -> str:
    """``flop/byte`` for ``(("byte", -1), ("flop", 1))``; ``1`` for a pure number."""
    return _join(a)


def _join(factors: tuple[tuple[str, int], ...]) -> str:
    up = [s if e == 1 else f"{s}^{e}" for s, e in factors if e > 0]
    down = [s if e == -1 else f"{s}^{-e}" for s, e in factors if e < 0]
    return "*".join(up or ["1"]) + "".join(f"/{s}" for s in down)


@dataclass(frozen=True, slots=True)
class Unit:
    """An exact multiple of a product of base units.

    ``scale`` is how many base units one of this unit is (``TB/s`` → 10**12); ``factors`` the base units in the order
    they were printed (``(("byte", 1), ("s", -1))``).
    """

    scale: Fraction = Fraction(1)
    factors: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        """The base unit that values are given in, ``byte/s``; ``1`` for a pure number."""
        return _join(self.factors)

    @property
    def dimension(self) -> Dimension:
        return _canonical(self.factors)[1]

    @property
    def base_factor(self) -> Fraction:
        """Canonical base units in one *printed* base unit, whatever the prefix: ``Gbit`` → an eighth of a byte."""
        return _canonical(self.factors)[0]

    @property
    def factor(self) -> Fraction:
        """Canonical base units in one of this unit: ``Gbit`` → 125,000,000 byte."""
        canonical = self.base_factor
        return self.scale if canonical == 1 else self.scale * canonical

    def __mul__(self, other: Unit) -> Unit:
        return Unit(self.scale * other.scale, _combine(self.factors, other.factors, 1))

    def __truediv__(self, other: Unit) -> Unit:
        return Unit(self.scale / other.scale, _combine(self.factors, other.factors, -1))

    def __pow__(self, exponent: int) -> Unit:
        return Unit(self.scale**exponent, tuple((s, e * exponent) for s, e in self.factors if exponent))


@lru_cache(maxsize=1024)
def _canonical(factors: tuple[tuple[str, int], ...]) -> tuple[Fraction, Dimension]:
    """What a product of base units is in canonical ones: how many, and of which dimension."""
    factor = Fraction(1)
    total: Dimension = ()
    for symbol, exponent in factors:
        scale, dimension = _CANONICAL.get(symbol, (Fraction(1), ((symbol, 1),)))
        factor *= scale**exponent
        total = multiply(total, power(dimension, exponent))
    return factor, total


def _combine(a: tuple[tuple[str, int], ...], b: tuple[tuple[str, int], ...], sign: int) -> tuple[tuple[str, int], ...]:
    total = dict(a)
    for symbol, exponent in b:
        total[symbol] = total.get(symbol, 0) + sign * exponent
    return tuple((s, e) for s, e in total.items() if e)


ONE = Unit()


def _base(symbol: str, scale: Fraction | int = 1) -> Unit:
    return Unit(Fraction(scale), ((symbol, 1),))


_SECOND = _base("s")

# Symbols that take a metric prefix, and what they mean. Case matters: b is bit, B is byte, FLOPS a rate, FLOPs a count.
_PREFIXED: dict[str, Unit] = {
    "B": _base("byte"), "byte": _base("byte"), "bytes": _base("byte"), "Byte": _base("byte"), "Bytes": _base("byte"),
    "b": _base("bit"), "bit": _base("bit"), "bits": _base("bit"), "Bit": _base("bit"),
    "bps": _base("bit") / _SECOND, "Bps": _base("byte") / _SECOND,
    "FLOP": _base("flop"), "FLOPs": _base("flop"), "flop": _base("flop"), "flops": _base("flop"), "Flop": _base("flop"),
    "Flops": _base("flop"),
    "FLOPS": _base("flop") / _SECOND,
    "OP": _base("op"), "OPs": _base("op"), "op": _base("op"), "ops": _base("op"),
    "OPS": _base("op") / _SECOND,
    "s": _SECOND, "sec": _SECOND, "J": _base("J"), "joule": _base("J"), "joules": _base("J"),
    "W": _base("W"), "watt": _base("W"), "watts": _base("W"), "Wh": _base("J", 3600),
    "Hz": _base("Hz"), "T": _base("transfer"), "m": _base("m"),
    "tok": _base("token"), "token": _base("token"), "tokens": _base("token"), "toks": _base("token"),
    "param": _base("param"), "params": _base("param"),
}  # fmt: skip

# Units that stand alone.
_PLAIN: dict[str, Unit] = {
    "1": ONE, "%": Unit(Fraction(1, 100)), "percent": Unit(Fraction(1, 100)), "pp": _base("pp"),
    "second": _SECOND, "seconds": _SECOND, "secs": _SECOND, "min": _base("s", 60), "minute": _base("s", 60),
    "minutes": _base("s", 60), "h": _base("s", 3600), "hr": _base("s", 3600), "hour": _base("s", 3600),
    "hours": _base("s", 3600), "day": _base("s", 86400), "days": _base("s", 86400), "year": _base("s", 31557600),
    "years": _base("s", 31557600), "millisecond": _base("s", Fraction(1, 1000)),
    "milliseconds": _base("s", Fraction(1, 1000)), "microsecond": _base("s", Fraction(1, 10**6)),
    "microseconds": _base("s", Fraction(1, 10**6)), "nanosecond": _base("s", Fraction(1, 10**9)),
    "nanoseconds": _base("s", Fraction(1, 10**9)),
    "USD": _base("USD"), "$": _base("USD"), "dollar": _base("USD"), "dollars": _base("USD"), "US$": _base("USD"),
    "cent": _base("USD", Fraction(1, 100)), "cents": _base("USD", Fraction(1, 100)),
    "INR": _base("INR"), "₹": _base("INR"), "rupee": _base("INR"), "rupees": _base("INR"), "Rs": _base("INR"),
    "EUR": _base("EUR"), "€": _base("EUR"), "euro": _base("EUR"), "euros": _base("EUR"),
    "parameter": _base("param"), "parameters": _base("param"), "weights": _base("param"), "weight": _base("param"),
    "layer": _base("layer"), "layers": _base("layer"), "head": _base("head"), "heads": _base("head"),
    "element": _base("element"), "elements": _base("element"), "value": _base("element"), "values": _base("element"),
    "gpu": _base("gpu"), "GPU": _base("gpu"), "GPUs": _base("gpu"), "gpus": _base("gpu"), "device": _base("gpu"),
    "devices": _base("gpu"), "chip": _base("gpu"), "chips": _base("gpu"), "accelerator": _base("gpu"),
    "accelerators": _base("gpu"),
    "sequence": _base("sequence"), "sequences": _base("sequence"), "cycle": _base("cycle"), "cycles": _base("cycle"),
    "clock": _base("cycle"), "clocks": _base("cycle"), "clk": _base("cycle"), "pin": _base("pin"),
    "pins": _base("pin"), "unit": _base("unit"), "units": _base("unit"), "SM": _base("unit"), "SMs": _base("unit"),
    "CU": _base("unit"), "CUs": _base("unit"), "lane": _base("lane"), "lanes": _base("lane"), "link": _base("link"),
    "links": _base("link"), "expert": _base("expert"), "experts": _base("expert"), "request": _base("request"),
    "requests": _base("request"),
}  # fmt: skip

_WORD = lazy(r"[A-Za-zµμ$₹€%]+(?:\$)?|1")
_SEPARATOR = lazy(r"\s*(/|\bper\b|·|\*|-|\s)\s*")
_RAISED = lazy(r"\^(-?[1-9])|([²³])")
_MAX_LENGTH = 60


@lru_cache(maxsize=4096)
def symbol(text: str) -> Unit | None:
    """The unit that one printed word stands for (``TFLOP``, ``KiB``, ``tokens``), or ``None``."""
    if text in _PLAIN:
        return _PLAIN[text]
    if text in _PREFIXED:
        return _PREFIXED[text]
    for prefix, exponent in _BINARY.items():
        rest = text[len(prefix) :]
        if text.startswith(prefix) and rest in _PREFIXED:
            return Unit(Fraction(2**exponent)) * _PREFIXED[rest]
    for prefix, exponent in _WORDED.items():
        rest = text[len(prefix) :]
        if text.lower().startswith(prefix) and rest in _PREFIXED and len(rest) > 1:
            return Unit(Fraction(10) ** exponent) * _PREFIXED[rest]
    for prefixes in (_DECIMAL, _SMALL):
        exponent_or_none = prefixes.get(text[:1])
        rest = text[1:]
        if exponent_or_none is None or rest not in _PREFIXED:
            continue
        if prefixes is _SMALL and rest not in {"s", "sec", "J", "W", "m", "Wh"}:
            continue
        if prefixes is _DECIMAL and rest in {"s", "sec", "m"} and text not in {"km"}:
            continue
        return Unit(Fraction(10) ** exponent_or_none) * _PREFIXED[rest]
    return None


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Read a whole unit text: ``TB/s``, ``flop/byte``, ``Gbit/s/pin``, ``KiB per token``, ``USD/hour``, ``m^2``.

    Raises :class:`UnitError` with near matches for anything else.
    """
    if len(text) > _MAX_LENGTH:
        raise UnitError(text[:20] + "…")
    total, position, sign, first = ONE, 0, 1, True
    stripped = text.strip()
    while position < len(stripped) or first:
        match = _WORD.match(stripped, position)
        unit = symbol(match.group()) if match else None
        if match is None or unit is None:
            raise UnitError(text, _near(match.group() if match else text))
        position = match.end()
        raised = _RAISED.match(stripped, position)
        if raised:
            unit = unit ** (int(raised.group(1)) if raised.group(1) else {"²": 2, "³": 3}[raised.group(2)])
            position = raised.end()
        total = total * unit if sign > 0 else total / unit
        first = False
        if position >= len(stripped):
            break
        separator = _SEPARATOR.match(stripped, position)
        if separator is None:
            raise UnitError(text, [])
        sign = -1 if separator.group(1) in ("/", "per") else 1
        position = separator.end()
        first = True
    return total


def _near(word: str) -> list[str]:
    from difflib import get_close_matches

    known = [*_PLAIN, *_PREFIXED, "GB", "GiB", "MB", "MiB", "KiB", "kB", "TB", "TFLOP", "GFLOP", "TFLOPS", "Gbit", "GHz",
             "MHz", "ms"]  # fmt: skip
    return get_close_matches(word, known, 3, 0.6)
