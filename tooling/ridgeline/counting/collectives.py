"""Reference implementations of collective communication: several devices, and the links between them as memory.

``X`` is what each device has at the start, ``Y`` what it has at the end. An element that crosses a link is written once to
``sent``, by the device that sends it. Of all devices together.
"""

from __future__ import annotations

from fractions import Fraction

from ridgeline.counting.kernel import Kernel, count, element, kernel
from ridgeline.counting.machine import CountingError, Machine, Sizes, Tensor, whole

Parts = list[list[list[float]]]


class _Ring:
    """Devices in a ring, each with the message in as many parts as there are devices."""

    def __init__(self, machine: Machine, sizes: Sizes, width: int | None = None):
        self.machine = machine
        self.devices, self.part = whole(sizes, "devices"), whole(sizes, "part")
        self.element = sizes["s_act"]
        n = self.devices
        self.x = machine.input("X", (n, n if width is None else width, self.part), self.element)
        self.sent = machine.output("sent", (n, max(1, 2 * (n - 1)), self.part), self.element)
        self.step = 0

    def held(self) -> Parts:
        """What each device has, part by part."""
        return [[self.x.load_row(d, p) for p in range(self.devices)] for d in range(self.devices)]

    def pass_on(self, parts: Parts, which: int, *, add: bool) -> None:
        """Every device sends one part to the next; the receiver adds it to its own, or takes it instead."""
        n = self.devices
        wire = []
        for device in range(n):
            row = parts[device][(device + which) % n]
            self.sent.store_row(row, device, self.step)
            wire.append(list(row))
        self.step += 1
        for device in range(n):
            source = (device - 1) % n
            place = (source + which) % n
            row = wire[source]
            parts[device][place] = (
                [self.machine.add(a, b) for a, b in zip(parts[device][place], row, strict=True)] if add else row
            )

    def reduce(self, parts: Parts) -> None:
        """Scatter and add: device ``d`` ends with the sum of part ``d + 1``."""
        for step in range(self.devices - 1):
            self.pass_on(parts, -step, add=True)

    def gather(self, parts: Parts, first: int) -> None:
        """Pass whole parts round; device ``d`` starts with part ``d + first``."""
        for step in range(self.devices - 1):
            self.pass_on(parts, first - step, add=False)


def all_reduce_ring(machine: Machine, sizes: Sizes) -> Tensor:
    """Every device ends with the sum of all messages: reduce-scatter, then all-gather, both round a ring."""
    ring = _Ring(machine, sizes)
    parts = ring.held()
    ring.reduce(parts)
    ring.gather(parts, 1)
    return _result(machine, parts, ring.element)


def reduce_scatter_ring(machine: Machine, sizes: Sizes) -> Tensor:
    """Every device ends with one part of the sum of all messages."""
    ring = _Ring(machine, sizes)
    parts = ring.held()
    ring.reduce(parts)
    return _result(machine, [[row[(d + 1) % ring.devices]] for d, row in enumerate(parts)], ring.element)


def all_gather_ring(machine: Machine, sizes: Sizes) -> Tensor:
    """Every device has one part and ends with all of them."""
    ring = _Ring(machine, sizes, width=1)
    n = ring.devices
    parts: Parts = [[[0.0] * ring.part for _ in range(n)] for _ in range(n)]
    for device in range(n):
        parts[device][device] = ring.x.load_row(device, 0)
    ring.gather(parts, 0)
    return _result(machine, parts, ring.element)


def _result(machine: Machine, parts: Parts, element_bytes: Fraction) -> Tensor:
    y = machine.output("Y", (len(parts), len(parts[0]), len(parts[0][0])), element_bytes)
    for device, rows in enumerate(parts):
        for place, row in enumerate(rows):
            y.store_row(row, device, place)
    return y


def all_reduce_direct(machine: Machine, sizes: Sizes) -> Tensor:
    """Every device sends its whole message to every other, in one step, and adds what it receives."""
    n, part, element_bytes = whole(sizes, "devices"), whole(sizes, "part"), sizes["s_act"]
    length = n * part
    x = machine.input("X", (n, length), element_bytes)
    sent = machine.output("sent", (n, n, length), element_bytes)
    y = machine.output("Y", (n, length), element_bytes)
    rows = [x.load_row(device) for device in range(n)]
    for device in range(n):
        total = rows[device]
        for source in range(n):
            if source != device:
                sent.store_row(rows[source], source, device)
                total = [machine.add(a, b) for a, b in zip(total, rows[source], strict=True)]
        y.store_row(total, device)
    return y


def all_reduce_switch(machine: Machine, sizes: Sizes) -> Tensor:
    """The switch adds: every device sends its message up once and receives the sum once."""
    n, part, element_bytes = whole(sizes, "devices"), whole(sizes, "part"), sizes["s_act"]
    length = n * part
    x = machine.input("X", (n, length), element_bytes)
    sent = machine.output("sent", (n, length), element_bytes)
    received = machine.output("received", (n, length), element_bytes)
    y = machine.output("Y", (n, length), element_bytes)
    total = [0.0] * length
    for device in range(n):
        row = x.load_row(device)
        sent.store_row(row, device)
        total = row if device == 0 else [machine.add(a, b) for a, b in zip(total, row, strict=True)]
    for device in range(n):
        received.store_row(total, device)
        y.store_row(total, device)
    return y


def all_to_all(machine: Machine, sizes: Sizes) -> Tensor:
    """Part ``j`` of device ``i`` ends as part ``i`` of device ``j``: a transposition."""
    n, part, element_bytes = whole(sizes, "devices"), whole(sizes, "part"), sizes["s_act"]
    x = machine.input("X", (n, n, part), element_bytes)
    sent = machine.output("sent", (n, n, part), element_bytes)
    y = machine.output("Y", (n, n, part), element_bytes)
    for source in range(n):
        for target in range(n):
            row = x.load_row(source, target)
            if source != target:
                sent.store_row(row, source, target)
            y.store_row(row, target, source)
    return y


def pipeline(machine: Machine, sizes: Sizes) -> Tensor:
    """Stages one after the other: each but the last sends every token's row to the next."""
    stages, tokens, d_model = (whole(sizes, name) for name in ("stages", "tokens", "d_model"))
    if stages < 1:
        raise CountingError("a pipeline has a stage")
    x = machine.input("X", (tokens, d_model), sizes["s_act"])
    sent = machine.output("sent", (stages, tokens, d_model), sizes["s_act"])
    rows = [x.load_row(t) for t in range(tokens)]
    for stage in range(stages - 1):
        for token, row in enumerate(rows):
            sent.store_row(row, stage, token)
    return sent


_RANKS = (
    count("devices", "devices", 2, 6),
    count("part", "elements of the part of a message that falls to one device", 1, 4),
    element("s_act", "bytes of an element"),
)
_WIRE = ("X", "sent", "Y")

KERNELS: tuple[Kernel, ...] = (
    kernel("all-reduce-ring", all_reduce_ring, _RANKS, _WIRE, "sum at every device, round a ring in two passes"),
    kernel("all-reduce-direct", all_reduce_direct, _RANKS, _WIRE, "sum at every device, whole messages to all others"),
    kernel("all-reduce-switch", all_reduce_switch, _RANKS, ("X", "sent", "received", "Y"),
           "sum at every device, added up in the switch"),
    kernel("reduce-scatter-ring", reduce_scatter_ring, _RANKS, _WIRE, "a part of the sum at every device, round a ring"),
    kernel("all-gather-ring", all_gather_ring, _RANKS, _WIRE, "all parts at every device, round a ring"),
    kernel("all-to-all", all_to_all, _RANKS, _WIRE, "a part from every device to every other"),
    kernel("pipeline", pipeline,
           (count("stages", "stages", 2, 5), count("tokens", "tokens", 1, 5), count("d_model", "width of a token", 1, 5),
            element("s_act", "bytes of an element")),
           ("X", "sent"), "stages in a line, every token's row from each to the next"),
)  # fmt: skip
