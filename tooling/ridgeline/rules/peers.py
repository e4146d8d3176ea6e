"""Accelerators beside each other: their values, siblings on one die, what is usual, and findings that records accept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation, Given
from ridgeline.records.accelerator import Accelerator, Peak, peak_name
from ridgeline.records.walk import Path
from ridgeline.rules.facts import die_of
from ridgeline.rules.rule import Context, Rule

#: Two values are the same when they differ by no more than this, or by no more than what their sources rounded off.
TOLERANCE = Fraction(1, 100)
#: However coarsely a source rounds, a difference of more than this is one.
MOST_ROUNDING = Fraction(1, 20)
#: Fields whose values sources round; counts and operations per clock are exact as printed.
_ROUNDED = frozenset({"rate", "bandwidth", "per_direction", "aggregate", "capacity"})

#: A known peak: its name in formulas, its place in the record, its row and its rate.
Rate = tuple[str, int, Peak, Derivation]


@dataclass(frozen=True, slots=True)
class Device:
    """An accelerator with its values at hand."""

    context: Context
    entry: Entry
    record: Accelerator

    @property
    def reference(self) -> str:
        return self.entry.reference

    def value(self, name: str) -> Derivation | None:
        """A quantity of the record by the name that formulas use, where it is known and not zero."""
        return self.evaluate(Name(tuple(name.split("."))))

    def evaluate(self, formula: str | Name) -> Derivation | None:
        """A formula in the record's own scope, where all that it reads is known and the result is not zero."""
        key = (self.reference, formula if isinstance(formula, str) else f"{formula.text} by name")
        return self.context.once("values of devices", key, lambda: self._evaluate(formula))

    def _evaluate(self, formula: str | Name) -> Derivation | None:
        scope = self.context.resolver.scope_of(self.entry)
        try:
            if isinstance(formula, Name):
                found = self.context.resolver.name(formula, scope)
            else:
                found = self.context.resolver.evaluate(formula, scope)
        except FormulaError:
            # What cannot be read or computed is reported by the rules about values and formulas.
            return None
        return found if found.quantity.middle else None

    def number(self, name: str) -> Fraction | None:
        """The value of :meth:`value`, in base units."""
        found = self.value(name)
        return None if found is None else found.quantity.middle

    def rates(self) -> Sequence[Rate]:
        """The known peaks."""
        return self.context.once("rates of devices", self.reference, self._rates)

    def _rates(self) -> Sequence[Rate]:
        rows = ((peak_name(peak), index, peak) for index, peak in enumerate(self.record.peaks))
        known = ((name, index, peak, self.value(f"peak.{name}")) for name, index, peak in rows)
        return [(n, i, p, rate) for n, i, p, rate in known if rate is not None]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a rule across records has against a value. ``quantity`` is its name in formulas."""

    device: Device
    quantity: str
    path: Path
    message: str
    found: str
    expected: str = ""
    because: str = ""
    mend: str = ""


class PeerRule(Rule):
    """A rule across accelerators, whose findings a record may accept with a reason (``accepted:``)."""

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every value of the context's accelerators that the rule doubts, accepted or not; those of others beside them."""
        raise NotImplementedError

    def check(self, context: Context) -> Iterator[Finding]:
        """Every doubt that the record has not accepted."""
        for doubt in self.doubts(context):
            if context.focus not in (None, doubt.device.reference):
                continue
            if not accept(context, self.id, doubt):
                mend = f"{doubt.mend}, or accept it with the reason under accepted: (rule {self.id}, field {doubt.quantity}, found {doubt.found})"
                yield self.finding(
                    doubt.device.entry,
                    doubt.path,
                    doubt.message,
                    found=doubt.found,
                    expected=doubt.expected,
                    because=doubt.because,
                    mend=mend,
                )


def accept(context: Context, rule: str, doubt: Doubt) -> bool:
    """Whether the record accepts a doubt; the entries that do are remembered as needed."""
    agreed = False
    for index, entry in enumerate(doubt.device.record.accepted):
        if entry.rule == rule and entry.field == doubt.quantity and entry.found in (None, doubt.found):
            needed(context).add((doubt.device.reference, index))
            agreed = True
    return agreed


def needed(context: Context) -> set[tuple[str, int]]:
    """The accepted findings that some rule has found: record and place in ``accepted``."""
    held: set[tuple[str, int]] = context.memory.setdefault("accepted findings", set())
    return held


def devices(context: Context) -> Sequence[Device]:
    """The context's accelerators that can be read, in the order of their ids."""
    return [device_of(context, entry) for entry in context.knowledge.of_kind("accelerator")]


def device_of(context: Context, entry: Entry) -> Device:
    """An accelerator that can be read."""
    assert isinstance(entry.record, Accelerator)
    return Device(context, entry, entry.record)


def dies(context: Context) -> list[list[Device]]:
    """All accelerators that name one die of one vendor, for each die of the context's that several share."""
    found = dict.fromkeys(die for device in devices(context) if (die := die_of(device.record)) is not None)
    groups = [[context.knowledge.get(reference) for reference in context.survey.die(die)] for die in found]
    return [[device_of(context, entry) for entry in group if entry is not None] for group in groups if len(group) > 1]


# Comparing


def rounding(derivations: Iterable[Derivation]) -> Fraction:
    """How far the sources of values may have rounded them, relative: half a unit of the last digit of each, summed."""
    total = Fraction(0)
    seen: set[Given] = set()
    for derivation in derivations:
        for leaf in derivation.inputs():
            given = leaf.given
            if given is None or given in seen or not _ROUNDED & set(given.field.split(".")):
                continue
            seen.add(given)
            total += _printed(given.text)
    return min(total, MOST_ROUNDING)


def _printed(text: str) -> Fraction:
    from ridgeline.numbers import read

    numeral = next((n for n in read(text) if n.quantity and n.interval is not None), None)
    if numeral is None or numeral.interval is None:
        return Fraction(0)
    low, high = numeral.interval.low, numeral.interval.high
    return abs((high - low) / (high + low)) if low is not None and high is not None and high + low else Fraction(0)


def same(a: Derivation, b: Derivation, times: Fraction | int = 1) -> bool:
    """Whether ``a`` is ``times`` as large as ``b``, within the tolerance and what was rounded off."""
    return within(a.quantity.middle / (b.quantity.middle * times), (a, b), TOLERANCE)


def within(ratio: Fraction, derivations: Sequence[Derivation], tolerance: Fraction) -> bool:
    """Whether a ratio is 1 within a tolerance, or within what the sources of the values rounded off."""
    apart = abs(ratio - 1)
    return apart <= tolerance or (apart <= MOST_ROUNDING and apart <= rounding(derivations))


def place(derivation: Derivation, path: Path) -> Path:
    """Where a value's text stands: among claims, at the preferred one."""
    if derivation.given is None:
        return path
    field: Path = tuple(int(step) if step.isdigit() else step for step in derivation.given.field.split("."))
    return (*field, "value") if derivation.given.basis != "derived" else path


def shown(derivation: Derivation) -> str:
    """A value as its record prints it, or as it is computed."""
    given = derivation.given
    return given.text if given is not None and derivation.tree is None else show(derivation.quantity)
