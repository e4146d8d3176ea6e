"""The rule about published measurements: what has been measured can be no better than its bound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Call, Name, walk
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.numbers.units import describe, hard, parse_unit
from ridgeline.records.workload import Measurement, Workload
from ridgeline.rules.formula import unreliable
from ridgeline.rules.rule import Context, Rule

_KINDS = frozenset({"model", "accelerator", "format", "interconnect"})
_REFERENCE = re.compile(r"^[a-z]+/[a-z0-9.-]+$")
#: What is better the less of it there is, whatever it is counted for: time and energy.
_COSTS = tuple(hard(parse_unit(text).dimension) for text in ("s", "J"))


class MeasuredAboveBound(Rule):
    """A measurement passes the bound that the formulas give it.

    A rate that was measured is at most its bound; a time or an energy is at least its bound (`holds: at-most` or
    `holds: at-least` says otherwise). Where a measurement passes its bound, one of three things is wrong: the number was
    copied badly or belongs to another part, the formula leaves out less than it claims, or the bound does not know of
    something that helps, such as data served from a cache. Mend the first two; name the third in `reason:`. A reason
    that explains nothing any more must go.
    """

    id = "measured-above-bound"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every measurement of every class."""
        for entry in context.knowledge.of_kind("class"):
            assert isinstance(entry.record, Workload)
            faulty = unreliable(context, entry) if entry.record.measured else set()
            for index, measurement in enumerate(entry.record.measured):
                if not reported(context, entry, measurement, faulty):
                    yield from self.of(context.resolver, entry, index, measurement)

    def of(self, resolver: Resolver, entry: Entry, index: int, measurement: Measurement) -> Iterator[Finding]:
        """One measurement against its bound."""
        path = ("measured", index)
        try:
            value = measured_value(measurement)
        except FormulaError as error:
            yield self.finding(
                entry, (*path, "value"), error.message, found=measurement.value, mend="write a number and its unit"
            )
            return
        try:
            scope = scope_of(resolver, entry, measurement)
            bound = resolver.evaluate(measurement.bound, scope)
        except FormulaError as error:
            where = error.candidates and f"did you mean {error.candidates[0]}?"
            mend = where or "correct the expression, or what with: puts into its scope"
            message = f"the bound cannot be computed: {error.message}"
            yield self.finding(entry, (*path, "bound"), message, found=measurement.bound, mend=mend)
            return
        yield from self.compare(entry, index, measurement, value, bound)

    def compare(
        self, entry: Entry, index: int, measurement: Measurement, value: Quantity, bound: Derivation
    ) -> Iterator[Finding]:
        """Whether the value stays on its side of the bound, and whether a reason stands where one is needed."""
        limit = bound.quantity
        if hard(value.dimension) != hard(limit.dimension):
            message = f"the value is in {describe(value.dimension)}, its bound in {describe(limit.dimension)}"
            mend = "compare like with like"
            yield self.finding(entry, ("measured", index, "bound"), message, found=measurement.bound, mend=mend)
            return
        least = at_least(measurement, value)
        passes = value.high < limit.low if least else value.low > limit.high
        if passes and measurement.reason is None:
            side = "less than the least that is possible" if least else "more than is possible"
            yield self.finding(
                entry,
                ("measured", index, "value"),
                f"{measurement.what}: {measurement.value} is {side}",
                found=measurement.value,
                expected=f"at {'least' if least else 'most'} {show(limit, bound.unit)}",
                because=f"{measurement.bound} = {show(limit, bound.unit)}",
                mend="read the source again; correct the value, its with: or its bound; or name in reason: what the bound leaves out",
            )
        elif measurement.reason is not None and not passes:
            yield self.finding(
                entry,
                ("measured", index, "reason"),
                f"{measurement.what}: a reason stands here, and the bound holds without it",
                found=measurement.value,
                because=f"{measurement.bound} = {show(limit, bound.unit)}",
                mend="delete reason:",
            )


def reported(context: Context, entry: Entry, measurement: Measurement, faulty: set[str]) -> bool:
    """Whether the bound rests on a formula or a subject that another rule reports."""
    assert entry.record is not None
    try:
        nodes = walk(parse(measurement.bound))
        read = {(n.name if isinstance(n, Call) else n.parts)[0] for n in nodes if isinstance(n, Call | Name)}
    except FormulaError:
        return False
    missing = {alias for alias, of in entry.record.subjects.items() if context.knowledge.get(of) is None}
    return bool(read & faulty or (read | {str(value) for value in measurement.with_.values()}) & missing)


def measured_value(measurement: Measurement) -> Quantity:
    """The value as the source prints it. Raises :class:`FormulaError`."""
    number, unit, _ = parse_quantity(measurement.value)
    return Quantity.of(number, unit)


def at_least(measurement: Measurement, value: Quantity) -> bool:
    """Whether the bound is the least that is possible, and not the most."""
    if measurement.holds is not None:
        return measurement.holds == "at-least"
    return hard(value.dimension) in _COSTS


def scope_of(resolver: Resolver, entry: Entry, measurement: Measurement) -> Scope:
    """The class's scope with the records and symbols of ``with:``.

    A value that names a record (``accelerators/nvidia-h100-sxm``) gets its key as an alias, and is put into scope where
    the key is a kind; so is one that is an alias or a format (``model: llama``). The rest are symbols. Raises
    :class:`FormulaError`.
    """
    scope = resolver.scope_of(entry)
    given = {name: str(value) for name, value in measurement.with_.items()}
    aliases, records = dict(scope.aliases), dict[str, str]()
    for name, text in given.items():
        if _REFERENCE.match(text):
            if resolver.knowledge.get(text) is None:
                raise FormulaError(f"there is no record {text}")
            aliases[name] = text
            if name in _KINDS:
                records[name] = text
    scope = replace(scope, aliases=tuple(sorted(aliases.items())))
    plain = {name: text for name, text in given.items() if aliases.get(name) != text}
    for name, text in list(plain.items()):
        reference = resolver.reference(text, scope)
        if reference is not None:
            records[resolver.knowledge.entries[reference].kind] = reference
            del plain[name]
        elif name in _KINDS:
            raise FormulaError(f"{text} is no {name}", candidates=resolver.near(text, scope))
    scope = scope.with_records(records)
    symbols: dict[str, Derivation] = {}
    for name, text in plain.items():
        if not resolver.settable(name, scope):
            raise FormulaError(f"nothing here reads {name}", candidates=resolver.near(name, scope))
        symbols[name] = resolver.symbol(name, text, scope)
    return scope.with_symbols(symbols)
