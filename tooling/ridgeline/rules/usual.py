"""Rules that hold a value against what other records have: out of the usual range is a question, not a proof."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.figures.printing import show
from ridgeline.findings.finding import Level
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.records.accelerator import peak_name
from ridgeline.records.walk import Path
from ridgeline.rules.band import Band
from ridgeline.rules.facts import PIN, SWEEP, family
from ridgeline.rules.peers import Device, Doubt, PeerRule, devices, place, shown
from ridgeline.rules.rule import Context


class RidgeUnusual(PeerRule):
    """A ridge point lies far outside what other parts have for the same format and path.

    The ridge divides a peak by the bandwidth, so a slip of a thousand in either (PB/s as TB/s), a pair's peak over a
    board's bandwidth, or a bandwidth in bits shows here. The range comes from the other records: quartiles, widened by the
    square of their ratio. Mend the input; where the part is unusual (its main memory is on the chip, its compute is cut
    down), say so under `accepted:`.
    """

    id = "ridge-unusual"
    level = Level.WARNING

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every dense ridge point, against those of other parts."""
        for device in devices(context):
            for index, peak in enumerate(device.record.peaks):
                name = peak_name(peak)
                if peak.sparsity != "dense":
                    continue
                usual = context.survey.unusual("ridge", name, device.reference)
                ridge = device.value(f"ridge.{name}") if usual is not None else None
                if usual is not None and ridge is not None:
                    yield self.doubt(device, name, ridge, ("peaks", index, "rate"), usual)

    def doubt(self, device: Device, name: str, ridge: Derivation, path: Path, usual: Band) -> Doubt:
        """The question about one ridge point, at its peak."""
        rate, bandwidth = device.value(f"peak.{name}"), device.value("memory.bandwidth")
        inputs = " over ".join(show(d.quantity) for d in (rate, bandwidth) if d is not None)
        ends = (show(Quantity(end, ridge.quantity.dimension), ridge.unit) for end in (usual.low, usual.high))
        return Doubt(
            device,
            f"ridge.{name}",
            place(rate, path) if rate is not None else path,
            f"ridge.{name} = {show(ridge.quantity, ridge.unit)}, from {inputs}, is unlike other parts",
            found=show(ridge.quantity, ridge.unit),
            expected=" to ".join(ends),
            because="that is the range of the other records, quartiles widened by the square of their ratio",
            mend="look whether the peak or the bandwidth is in another unit, or of another scope",
        )


class InterfaceUnusual(PeerRule):
    """The data rate of a pin is far from what other parts have with the same memory technology.

    Bandwidth over bus width is the rate of one pin, and a technology has few of them. A wrong bus with a rate that was
    solved to fit it agrees with the printed bandwidth, and shows only here; so does a pair's bandwidth over a board's bus.
    The range comes from the other records with the technology, quartiles widened by their ratio. Mend the bus width or the
    bandwidth; where the part is unusual, say so under `accepted:`.
    """

    id = "interface-unusual"
    level = Level.WARNING

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every memory interface whose width is known, against others of its technology."""
        for device in devices(context):
            usual = context.survey.unusual("pin", device.record.memory.kind.casefold(), device.reference)
            rate = device.evaluate(PIN) if usual is not None else None
            if usual is not None and rate is not None:
                yield self.doubt(device, rate, ("memory", "bus_width"), usual)

    def doubt(self, device: Device, rate: Derivation, path: Path, usual: Band) -> Doubt:
        """The question about one interface, at its width."""
        width = device.value("memory.bus_width")

        def pin(value: Fraction) -> str:
            return f"{float(value * 8 / 10**9):.4g} Gbit/s"

        return Doubt(
            device,
            "memory.bus_width",
            place(width, path) if width is not None else path,
            f"a pin of the {device.record.memory.kind} would carry {pin(rate.quantity.middle)}, unlike other parts",
            found=pin(rate.quantity.middle),
            expected=f"{pin(usual.low)} to {pin(usual.high)}",
            because="bandwidth over bus width is the rate of a pin; the range is that of other records with the technology",
            mend="look whether bus width and bandwidth are of the same part and scope",
        )


class SweepUnusual(PeerRule):
    """A memory would be read whole far more, or far less, often in a second than others of its technology.

    Bandwidth over capacity is a few for LPDDR, some tens for HBM and GDDR, and hundreds of thousands for memory on the
    chip. A bandwidth or a capacity with another prefix (21,000 GB/s for 21 PB/s), in bits, or of another scope than the
    other stands out. The range comes from the other records with the family of technologies. Mend the one that is wrong;
    where the part is unusual, say so under `accepted:`.
    """

    id = "sweep-unusual"
    level = Level.WARNING

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every device memory, against others of its family."""
        for device in devices(context):
            usual = context.survey.unusual("sweep", family(device.record.memory.kind), device.reference)
            rate = device.evaluate(SWEEP) if usual is not None else None
            if usual is not None and rate is not None:
                yield self.doubt(device, rate, ("memory", "bandwidth"), usual)

    def doubt(self, device: Device, rate: Derivation, path: Path, usual: Band) -> Doubt:
        """The question about one memory, at its bandwidth."""
        bandwidth, capacity = device.value("memory.bandwidth"), device.value("memory.capacity")
        assert bandwidth is not None and capacity is not None

        def times(value: Fraction) -> str:
            return f"{float(value):.4g} a second"

        return Doubt(
            device,
            "memory.bandwidth",
            place(bandwidth, path),
            f"{shown(capacity)} at {shown(bandwidth)} would be read whole {times(rate.quantity.middle)}, unlike other parts",
            found=times(rate.quantity.middle),
            expected=f"{times(usual.low)} to {times(usual.high)}",
            because=f"that is the range of the other records with {family(device.record.memory.kind).upper()}",
            mend="look whether bandwidth and capacity are in the right unit, and of one scope",
        )
