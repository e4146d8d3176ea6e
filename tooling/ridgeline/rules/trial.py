"""Random points at which the formulas of a class are tried."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from hashlib import sha256

from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import names
from ridgeline.knowledge import vocabulary
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Scope
from ridgeline.numbers.units import ONE, Dimension, Unit, UnitError, parse_unit
from ridgeline.records.workload import Workload
from ridgeline.rules.rule import Context

_SEED = 20260101
#: Ranges from which trial values are drawn; anything else is drawn from 1 to 4096.
RATES = {"ridge": parse_unit("flop/byte"), "peak": parse_unit("flop/s")}
_COUNTS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 40, 64, 96, 128)


def known_names(context: Context) -> dict[str, Unit | None]:
    """Names that formulas may read: those of the records, and those of every kind of record, read or not."""
    found = context.resolver.known_quantities()
    held: dict[str, Unit | None] | None = context.memory.get("known names")
    if held is not None:
        return held
    known: dict[str, Unit | None] = dict.fromkeys([*vocabulary.LAYER_GIVEN, *vocabulary.MODEL_GIVEN])
    for kind in (vocabulary.MODEL, vocabulary.ACCELERATOR, vocabulary.FORMAT, vocabulary.INTERCONNECT):
        known |= {d.name: parse_unit(d.unit) for d in kind}
    known |= found
    context.memory["known names"] = known
    return known


def algebra(context: Context, entry: Entry) -> str:
    """All of a class that its formulas and the claims about them are made of: classes that share it behave alike."""
    held: dict[str, str] = context.memory.setdefault("algebra", {})
    if entry.reference not in held:
        data = entry.document.data
        held[entry.reference] = json.dumps([data.get(k) for k in ("symbols", "formulas", "properties", "scales_with")])
    return held[entry.reference]


#: What this process has tried and found clean: digests of all that a trial follows from. :mod:`ridgeline.cache` keeps them.
CLEAN: set[str] = set()


def once(context: Context, entry: Entry, rule: str, work: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """The findings of a rule that looks at nothing but a class's algebra; none where an equal class had none."""
    key = _digest(context, entry, rule)
    used: set[str] = context.memory.setdefault("tried", set())
    if key not in CLEAN:
        found = list(work())
        if found:
            yield from found
            return
        CLEAN.add(key)
    used.add(key)


def _digest(context: Context, entry: Entry, rule: str) -> str:
    """What a trial of a class follows from: the rule, the class's algebra, and the units of the names that it leaves open."""
    held: dict[str, bytes] = context.memory.setdefault("algebra digests", {})
    if entry.reference not in held:
        known = known_names(context)
        # An open name can be of the records, and is drawn in their unit; whether it is known at all is of them too.
        open_names = {n: str(known[n]) if n in known else None for n in Trial(context, entry).free}
        parts = [entry.reference, algebra(context, entry), json.dumps(open_names)]
        held[entry.reference] = sha256("\0".join(parts).encode()).digest()
    return sha256(rule.encode() + b"\0" + held[entry.reference]).hexdigest()


class Trial:
    """Random points at which the formulas of a class are evaluated without any record: every free name is set."""

    def __init__(self, context: Context, entry: Entry):
        assert isinstance(entry.record, Workload)
        self.context = context
        self.entry = entry
        self.workload = entry.record
        self.random = random.Random(f"{_SEED} {entry.reference}")
        self._points: list[dict[str, Derivation]] = []
        self._further: dict[tuple[int, str], dict[str, Derivation]] = {}
        #: By the identity of a point, which is kept beside its scope so that no other can take its place.
        self._scopes: dict[int, tuple[dict[str, Derivation], Scope]] = {}

    @cached_property
    def free(self) -> list[str]:
        """Names that the formulas read and the class does not define: quantities of models and accelerators."""
        found: set[str] = set()
        for formula in self.workload.formulas.values():
            texts = [formula.is_, formula.same_as]
            if formula.solve is not None:
                texts += formula.solve.where.split("=")
            for text in texts:
                if text is not None:
                    try:
                        found |= {n.text for n in names(parse(text))}
                    except FormulaError:
                        continue
        return sorted(found - set(self.workload.symbols) - set(self.workload.formulas))

    def point(self) -> dict[str, Derivation]:
        """A value for each symbol and free name. Names that follow from others (g = n_q / n_kv) are kept consistent."""
        values: dict[str, Derivation] = {}
        for name, symbol in self.workload.symbols.items():
            number = self.random.randint(1, 65536)
            if symbol.default is not None:
                number = self.random.choice((1, 2, 4))
            values[name] = self.drawn(name, number)
        for name in self.free:
            values[name] = self.drawn(name, self.random.choice(_COUNTS) * self.random.randint(1, 64))
        kv, group = Fraction(self.random.randint(1, 64)), Fraction(self.random.choice(_COUNTS))
        values |= {
            "layer_count": value_of("layer_count", Fraction(self.random.randint(1, 100)), ONE),
            "n_kv": value_of("n_kv", kv, ONE),
            "g": value_of("g", group, ONE),
            "n_q": value_of("n_q", kv * group, ONE),
        }
        return values

    def nth(self, index: int) -> dict[str, Derivation]:
        """A point that all claims of the class share, so that what they have in common is evaluated once."""
        while len(self._points) <= index:
            self._points.append(self.point())
        return self._points[index]

    def further(self, index: int, symbol: str) -> dict[str, Derivation]:
        """That point with a symbol at a few times its value."""
        key = (index, symbol)
        if key not in self._further:
            point = self.nth(index)
            self._further[key] = self.moved(
                point, symbol, point[symbol].quantity.middle * self.random.choice((2, 3, 5))
            )
        return self._further[key]

    @cached_property
    def units(self) -> dict[str, tuple[Unit, Fraction, Dimension]]:
        """The unit of each symbol and free name, with its factor and dimension: points are drawn by the thousand."""
        known = known_names(self.context)
        found = {name: RATES.get(name) or known.get(name) or ONE for name in self.free}
        found |= {name: _unit(symbol.unit) for name, symbol in self.workload.symbols.items()}
        return {name: (unit, unit.factor, unit.dimension) for name, unit in found.items()}

    def drawn(self, name: str, number: int) -> Derivation:
        """So many of a name's unit."""
        unit, factor, dimension = self.units[name]
        value = Fraction(number * factor.numerator) if factor.denominator == 1 else number * factor
        return Derivation(name, Quantity(value, dimension), unit)

    def moved(self, point: dict[str, Derivation], symbol: str, value: Fraction) -> dict[str, Derivation]:
        """The point with a symbol at another value, in canonical base units; names that follow from it move along."""
        unit = point[symbol].unit or ONE
        changed = {**point, symbol: value_of(symbol, value / unit.factor, unit)}
        heads, group, kv = (changed[n].quantity.middle for n in ("n_q", "g", "n_kv"))
        if symbol == "g":
            changed["n_q"] = value_of("n_q", group * kv, ONE)
        elif symbol in ("n_q", "n_kv"):
            changed["g"] = value_of("g", heads / kv, ONE)
        return changed

    def scope(self, point: dict[str, Derivation]) -> Scope:
        """The class alone in scope, with every name set."""
        held = self._scopes.get(id(point))
        if held is None:
            scope = Scope(records=(("class", self.entry.reference),)).with_symbols(point)
            held = self._scopes[id(point)] = (point, scope)
        return held[1]

    def value(self, text: str, point: dict[str, Derivation]) -> Quantity:
        """An expression at a point."""
        return self.context.resolver.evaluate(text, self.scope(point)).quantity


def _unit(text: str) -> Unit:
    try:
        return parse_unit(text)
    except UnitError:
        return ONE


def value_of(name: str, number: Fraction, unit: Unit) -> Derivation:
    """A value that a trial sets."""
    return Derivation(name, Quantity.of(number, unit), unit)
