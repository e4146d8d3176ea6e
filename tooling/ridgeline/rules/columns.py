"""The rule that asks about figures in each other's place: the next column, the next row, another scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ridgeline.findings.finding import Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import slug
from ridgeline.knowledge.tracing import note
from ridgeline.records.accelerator import Peak, ScopedQuantity, peak_name
from ridgeline.records.walk import Path
from ridgeline.rules.peers import Device, Doubt, PeerRule, devices, dies, place, same, shown, within
from ridgeline.rules.rule import Context

#: Two prints of one figure may differ by this in the last digits that somebody computed.
_ONE_FIGURE = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class Figure:
    """A value that another one must not equal: what it is, and where."""

    says: str
    value: Derivation


class AnothersFigure(PeerRule):
    """A value equals a figure of its own or a sibling's record that means something else.

    A dense peak that is the sibling's sparse one, a rate for FP32 accumulation that is the one for FP16, one direction of a
    link that is both together, a board's figure that is a pair's: each is a number that a table prints one column or row
    away. The rule asks. Mend the value, or say under `accepted:` why the two are equal.
    """

    id = "anothers-figure"
    level = Level.WARNING

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every value of every part against figures of other meaning, its own and its siblings'."""
        groups = {d.reference: [s for s in group if s is not d] for group in dies(context) for d in group}
        for device in devices(context):
            others = groups.get(device.reference, [])
            for name, index, peak, rate in device.rates():
                figures = [*_other_rows(device, peak), *_columns(others, name, peak, rate)]
                yield from self.asks(device, f"peak.{name}", ("peaks", index, "rate"), rate, figures)
            for index, link in enumerate(device.record.links):
                name = f"links.{slug(link.kind)}.per_direction"
                one = device.value(name)
                if one is not None:
                    figures = list(_both_ways([device, *others], slug(link.kind)))
                    yield from self.asks(device, name, ("links", index, "per_direction"), one, figures)
            yield from self.scopes(device, others)

    def scopes(self, device: Device, others: Sequence[Device]) -> Iterator[Doubt]:
        """Values that some source gives for another scope: a pair, a node."""
        for name, path, _ in claimed(device):
            figures = [figure for part in (device, *others) for figure in of_another_scope(part).get(name, [])]
            value = device.value(name) if figures else None
            if value is not None:
                yield from self.asks(device, name, path, value, figures)

    def asks(
        self, device: Device, name: str, path: Path, value: Derivation, figures: Sequence[Figure]
    ) -> Iterator[Doubt]:
        """One question for the first figure that the value equals."""
        for figure in figures:
            if equal(value, figure.value):
                yield Doubt(
                    device,
                    name,
                    place(value, path),
                    f"{name} = {shown(value)} equals {figure.says}",
                    found=shown(value),
                    because="the two mean different things, and tables print them side by side",
                    mend="look the value up again",
                )
                return


def equal(a: Derivation, b: Derivation) -> bool:
    """Whether two values are one figure: the same but for what was rounded off."""
    return within(a.quantity.middle / b.quantity.middle, (a, b), _ONE_FIGURE)


def _other_rows(device: Device, peak: Peak) -> Iterator[Figure]:
    """The part's own rows that differ in the accumulator alone."""
    mine = (peak.format, peak.path, peak.sparsity)
    for name, _, other, rate in device.rates():
        if (other.format, other.path, other.sparsity) == mine and other.accumulate != peak.accumulate:
            yield Figure(f"its own peak.{name}, which accumulates in {other.accumulate or 'something else'}", rate)


def _columns(others: Sequence[Device], name: str, peak: Peak, rate: Derivation) -> Iterator[Figure]:
    """The siblings' figures for the same format and path, of another sparsity or accumulator."""
    for sibling in others:
        rows = {n: (p, r) for n, _, p, r in sibling.rates()}
        own = rows.get(name)
        if own is None or same(rate, own[1]):
            continue
        for other, (row, value) in rows.items():
            if other == name or (row.format, row.path) != (peak.format, peak.path):
                continue
            what = f"{row.sparsity}, {row.accumulate or 'unnamed'} accumulate"
            yield Figure(f"peak.{other} of {sibling.entry.id} ({what})", value)


def _both_ways(parts: Sequence[Device], kind: str) -> Iterator[Figure]:
    """Rates of both directions together, of the same kind of link."""
    for part in parts:
        value = part.value(f"links.{kind}.aggregate")
        if value is not None:
            yield Figure(f"the two directions together of {part.entry.id}", value)


def claimed(device: Device) -> Iterator[tuple[str, Path, ScopedQuantity]]:
    """Quantities for which sources may count something else than the record does: name, place and what is recorded."""
    record = device.record
    for part in ("capacity", "bandwidth"):
        quantity: ScopedQuantity | None = getattr(record.memory, part)
        if quantity is not None:
            yield f"memory.{part}", ("memory", part), quantity
    for index, peak in enumerate(record.peaks):
        yield f"peak.{peak_name(peak)}", ("peaks", index, "rate"), peak.rate
    if record.power is not None and record.power.limit is not None:
        yield "power.limit", ("power", "limit"), record.power.limit


def of_another_scope(device: Device) -> dict[str, list[Figure]]:
    """What sources claim for another scope than the record's, by the quantity that it is of."""

    def work() -> dict[str, list[Figure]]:
        found: dict[str, list[Figure]] = {}
        for name, _, quantity in claimed(device):
            for claim in quantity.claims or []:
                value = printed(claim.value)
                if claim.scope not in (None, device.record.scope) and value is not None:
                    says = f"what {claim.source} says of a {claim.scope} with {device.entry.id}"
                    found.setdefault(name, []).append(Figure(says, value))
        return found

    note(device.context.resolver.knowledge, device.reference)
    return device.context.once("claims of another scope", device.reference, work)


def printed(text: str) -> Derivation | None:
    """A value as a source prints it, where it can be read."""
    try:
        number, unit, _ = parse_quantity(text)
    except FormulaError:
        return None
    return Derivation(text, Quantity.of(number, unit), unit) if number else None
