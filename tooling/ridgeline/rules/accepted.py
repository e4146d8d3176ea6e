"""The rule about exceptions that nothing needs any more."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.findings.finding import Finding
from ridgeline.records.accelerator import peak_name
from ridgeline.records.walk import Path
from ridgeline.rules.peers import TOLERANCE, Device, devices, needed
from ridgeline.rules.rule import Context, Rule, near
from ridgeline.rules.scopes import mismatches


class ExceptionUnneeded(Rule):
    """A record excuses a difference that is not there.

    `accepted:` and `differs:` switch a rule off for one value, for a reason. When the value changes, the reason may no
    longer hold, and the next fault would pass under it. Delete the entry; or, where it named what was found, look at what
    is found now.
    """

    id = "exception-unneeded"

    def __init__(self, rules: tuple[str, ...] = ()):
        #: Ids of the rules whose findings can be accepted.
        self.rules = rules

    def check(self, context: Context) -> Iterator[Finding]:
        """Every exception of every part. Runs behind all rules whose findings it is about."""
        for device in devices(context):
            yield from self.accepted(context, device)
            for path, names in _excuses(device):
                agree = [(name, _agree(device, name)) for name in names]
                known = [name for name, same in agree if same is not None]
                if known and not any(same is False for _, same in agree):
                    verb = "agrees" if len(known) == 1 else "agree"
                    message = f"{' and '.join(known)} {verb} with the second route, so nothing differs"
                    yield self.finding(device.entry, path, message, mend="delete differs:", key=True)
            for index, link in enumerate(device.record.links):
                # An interconnect that cannot be read is reported there.
                read = context.knowledge.get(f"interconnects/{link.interconnect}") is not None
                if link.differs and read and not any(mismatches(device, index, link)):
                    path = ("links", index, "differs")
                    message = f"{link.kind} has the rates of its interconnect, so nothing differs"
                    yield self.finding(device.entry, path, message, mend="delete differs:", key=True)

    def accepted(self, context: Context, device: Device) -> Iterator[Finding]:
        """Accepted findings that no rule has found."""
        for index, entry in enumerate(device.record.accepted):
            if (device.reference, index) in needed(context):
                continue
            if entry.rule not in self.rules:
                known = list(self.rules)
                yield self.finding(
                    device.entry,
                    ("accepted", index, "rule"),
                    f"{entry.rule} is no rule whose findings can be accepted",
                    found=entry.rule,
                    mend=near(entry.rule, known) or f"name one of {', '.join(known)}",
                )
                continue
            found = f" with {entry.found} found" if entry.found else ""
            yield self.finding(
                device.entry,
                ("accepted", index),
                f"{entry.rule} has nothing against {entry.field}{found}",
                found=entry.field,
                mend="delete the entry, or correct what it names",
            )


def _excuses(device: Device) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The place of each ``differs:``, and the values that it excuses."""
    record = device.record
    for index, peak in enumerate(record.peaks):
        if peak.route is not None and peak.route.differs:
            yield ("peaks", index, "route", "differs"), (f"peak.{peak_name(peak)}",)
    if record.memory.differs:
        yield ("memory", "differs"), ("memory.bandwidth", "memory.capacity")
    for name, level in record.on_chip.items():
        if level.differs:
            yield ("on_chip", name, "differs"), (f"{name}.total", f"{name}.bandwidth")


def _agree(device: Device, name: str) -> bool | None:
    """Whether a value agrees with its second route; ``None`` where one of the two is not known."""
    route = "memory.route" if name == "memory.bandwidth" else f"{name}_route"
    a, b = device.number(name), device.number(f"{name}.route" if name.startswith("peak.") else route)
    return None if a is None or b is None else abs(a / b - 1) <= TOLERANCE
