"""Rules about the peak rates of one accelerator: how they follow from each other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Finding
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.records.architecture import Architecture
from ridgeline.records.walk import Path
from ridgeline.rules.peers import TOLERANCE, Device, Doubt, PeerRule, devices, place, same, shown
from ridgeline.rules.rule import Context, Rule

#: A reason that explains some percent does not explain more than this.
_FAR = Fraction(5, 4)


def ratio(a: Derivation, b: Derivation) -> str:
    """How many times ``b`` the value ``a`` is, for a message."""
    return f"{float(a.quantity.middle / b.quantity.middle):.4g}"


class FormatLadder(PeerRule):
    """A peak is not the multiple of another that its architecture says.

    Matrix units do a fixed multiple of one format's operations in another (fp4 = 2 × fp8 = 4 × bf16, where the
    architecture says so). The record of the architecture holds these steps; every part that names it must follow them. A
    peak that does not is a sibling's, a sparse one, one for another accumulator, or in another unit. Mend the peak; where
    the vendor cut one format down on this part, say so under `accepted:`.
    """

    id = "format-ladder"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every step of its architecture's ladder for which the part has both peaks."""
        for device in devices(context):
            reference = context.survey.architecture(device.record.architecture)
            entry = context.knowledge.get(reference) if reference is not None else None
            if entry is None:
                continue
            assert isinstance(entry.record, Architecture)
            rates = {name: (index, rate) for name, index, _, rate in device.rates()}
            for rung in entry.record.ladder:
                index, rate = rates.get(rung.peak, (0, None))
                follows = device.evaluate(rung.is_) if rung.unless not in rates else None
                if rate is None or follows is None or same(rate, follows):
                    continue
                yield Doubt(
                    device,
                    f"peak.{rung.peak}",
                    place(rate, ("peaks", index, "rate")),
                    f"peak.{rung.peak} = {shown(rate)} is not {rung.is_} = {show(follows.quantity)}",
                    found=shown(rate),
                    expected=show(follows.quantity),
                    because=f"{entry.reference} says peak.{rung.peak} = {rung.is_}; the ratio here is {ratio(rate, follows)}",
                    mend="find which of the peaks is another part's, sparse, or for another accumulator",
                )


class LadderUnreadable(Rule):
    """A step of an architecture's ladder cannot be read.

    `is:` is a formula over the peaks of a part, such as `2 * peak.fp8`. A step that cannot be read checks nothing. Mend
    the formula.
    """

    id = "ladder-unreadable"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every step of every architecture."""
        for entry in context.knowledge.of_kind("architecture"):
            assert isinstance(entry.record, Architecture)
            for index, rung in enumerate(entry.record.ladder):
                try:
                    parse(rung.is_)
                except FormulaError as error:
                    path = ("ladder", index, "is")
                    yield self.finding(entry, path, str(error), found=rung.is_, mend="write it as 2 * peak.bf16")


class SparseFactor(PeerRule):
    """A sparse peak is not the dense one times what its sparsity multiplies.

    2:4 sparsity skips two of four operands, so it doubles a rate. A dense peak that equals the sparse one is the most
    common error in tables of peaks. Mend the one that stands in the other's place. Where the part does not reach twice the
    dense rate, the vendor's own figures show it: say so under `accepted:`.
    """

    id = "sparse-factor"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every sparse peak that has a dense counterpart."""
        for device in devices(context):
            rates = {name: rate for name, _, _, rate in device.rates()}
            for name, index, peak, rate in device.rates():
                dense = rates.get(name.removesuffix("_sparse"))
                if peak.sparsity == "dense" or dense is None:
                    continue
                factor = times(peak.sparsity)
                if same(rate, dense, factor):
                    continue
                yield Doubt(
                    device,
                    f"peak.{name}",
                    place(rate, ("peaks", index, "rate")),
                    f"peak.{name} = {shown(rate)} is {ratio(rate, dense)} times the dense {shown(dense)}",
                    found=shown(rate),
                    expected=show(Quantity(dense.quantity.middle * factor, dense.quantity.dimension), dense.unit),
                    because=f"{peak.sparsity} sparsity multiplies by {factor}",
                    mend="correct the peak that is not its row's",
                )


class RoutesFarApart(PeerRule):
    """A second route is excused, and is further from the value than rounding or another clock explains.

    `differs:` says why two routes do not meet, and is meant for some percent: a rounded print, a clock that no source
    states. More than a quarter is another figure (sparse, a pair's, a sibling's) until somebody has looked. Mend the input
    that is wrong, or accept what was found under `accepted:`.
    """

    id = "routes-far-apart"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every value whose record says why its second route differs."""
        for device in devices(context):
            for name, index, peak, rate in device.rates():
                if peak.route is not None and peak.route.differs:
                    yield from self.far(device, f"peak.{name}", rate, f"peak.{name}.route", ("peaks", index, "rate"))
            if device.record.memory.differs:
                for part, route in (("bandwidth", "route"), ("capacity", "capacity_route")):
                    value = device.value(f"memory.{part}")
                    if value is not None:
                        yield from self.far(device, f"memory.{part}", value, f"memory.{route}", ("memory", part))

    def far(self, device: Device, name: str, value: Derivation, route: str, path: Path) -> Iterator[Doubt]:
        """The doubt where a value and its second route are more than a quarter apart."""
        other = device.value(route)
        if other is None or 1 / _FAR <= value.quantity.middle / other.quantity.middle <= _FAR:
            return
        yield Doubt(
            device,
            name,
            place(value, path),
            f"{name} = {shown(value)}, but {route} = {show(other.quantity)}: more than differs: can excuse",
            found=shown(value),
            expected=show(other.quantity),
            because=f"the ratio is {ratio(value, other)}",
            mend="find the input that is wrong",
        )


def times(sparsity: str) -> Fraction:
    """What a structured sparsity multiplies a rate by: ``2:4`` leaves two of four operands, so 2."""
    kept, _, of = sparsity.partition(":")
    return Fraction(int(of), int(kept))


class MatrixNotFaster(PeerRule):
    """A matrix peak is no higher than a vector peak in a format at least as wide.

    Matrix units exist to be faster, and narrower operands are no slower. A tensor row that equals the vector row, or lies
    below it, usually holds the vector figure (a table's single column, FP16 beside FP32). Mend the row. Where the matrix
    units really give no more in this format, say so under `accepted:`.
    """

    id = "matrix-not-faster"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every dense matrix peak against the dense vector peaks of the same part."""
        widths = context.survey.bits()
        for device in devices(context):
            dense = [row for row in device.rates() if row[2].sparsity == "dense"]
            vectors = [(name, peak, rate) for name, _, peak, rate in dense if peak.path == "vector"]
            for name, index, peak, rate in dense:
                if peak.path != "tensor" or peak.format not in widths:
                    continue
                wide = [v for v in vectors if widths.get(v[1].format, Fraction(0)) >= widths[peak.format]]
                over = [v for v in wide if rate.quantity.middle <= v[2].quantity.middle * (1 + TOLERANCE)]
                if not over:
                    continue
                other, _, vector = max(over, key=lambda v: v[2].quantity.middle)
                yield Doubt(
                    device,
                    f"peak.{name}",
                    place(rate, ("peaks", index, "rate")),
                    f"peak.{name} = {shown(rate)} is no more than the vector path's peak.{other} = {shown(vector)}",
                    found=shown(rate),
                    expected=f"more than {shown(vector)}",
                    because=f"the matrix path is {ratio(rate, vector)} times as fast, in operands that are no wider",
                    mend="look whether this is the vector figure",
                )
