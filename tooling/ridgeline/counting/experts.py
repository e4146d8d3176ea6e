"""Reference implementations of a mixture of experts, as the machine runs them.

Expectations over random routing are counted exactly: every choice that a router could make is run, and each transfer
counts for the probability of its choice.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ridgeline.counting.kernel import Kernel, count, element, kernel
from ridgeline.counting.machine import CountingError, Machine, Sizes, Tensor, whole

_ROUTING = (
    count("active", "experts that a token passes through", 1, 3),
    count("idle", "experts beside those", 0, 3),
)


def _experts(sizes: Sizes) -> tuple[int, int]:
    """Experts in all, and those of one token."""
    active = whole(sizes, "active")
    return active + whole(sizes, "idle", least=0), active


def _routed(tokens: int, experts: int, active: int) -> Iterator[tuple[int, list[int]]]:
    """Expert by expert, its tokens, where tokens take the experts in turn: as evenly spread as can be."""
    for expert in range(experts):
        rows = [t for t in range(tokens) if (expert - t * active) % experts < active]
        if rows:
            yield expert, rows


def grouped(machine: Machine, sizes: Sizes) -> Tensor:
    """``Y[e, t] = down(f(X[t]))`` for each expert ``e`` of each token ``t``: one product an expert, its weights read once.

    ``X`` is (tokens, d_model); ``W`` (experts, matrices, d_model, d_expert), its last matrix used as (d_expert, d_model)
    transposed; ``Y`` (tokens, active, d_model), one row for each expert of a token. With three matrices the inner width
    is a product of two projections, with two it is one, rectified.
    """
    tokens, d_model, d_expert = (whole(sizes, name) for name in ("tokens", "d_model", "d_expert"))
    matrices = whole(sizes, "matrices")
    if matrices not in (2, 3):
        raise CountingError("an expert has two matrices, or three with a gate")
    experts, active = _experts(sizes)
    x = machine.input("X", (tokens, d_model), sizes["s_act"])
    w = machine.input("W", (experts, matrices, d_model, d_expert), sizes["s_w"])
    y = machine.output("Y", (tokens, active, d_model), sizes["s_act"])
    for expert, rows in _routed(tokens, experts, active):
        inputs = {t: x.load_row(t) for t in rows}
        inner = {t: [[0.0] * d_expert for _ in range(matrices - 1)] for t in rows}
        for matrix in range(matrices - 1):
            for i in range(d_model):
                weights = w.load_row(expert, matrix, i)
                for t in rows:
                    machine.accumulate(inputs[t][i], weights, inner[t][matrix])
        middle = {t: _join(machine, parts) for t, parts in inner.items()}
        outputs: dict[int, list[float]] = {t: [] for t in rows}
        for i in range(d_model):
            weights = w.load_row(expert, matrices - 1, i)
            for t in rows:
                outputs[t].append(machine.dot(middle[t], weights))
        for t in rows:
            y.store_row(outputs[t], t, (expert - t * active) % experts)
    return y


def _join(machine: Machine, parts: list[list[float]]) -> list[float]:
    """The inner row: gate times projection, or one projection with what is below zero left out."""
    if len(parts) == 1:
        return [machine.maximum(value, 0.0) for value in parts[0]]
    return [machine.multiply(gate, value) for gate, value in zip(*parts, strict=True)]


def any_routing(machine: Machine, sizes: Sizes) -> Tensor:
    """The weights of the experts that a batch touches, over all routings: each token takes any ``active`` of them.

    ``W`` is (experts, parameters). Every routing is as likely as any other, so an element counts for one part of
    ``s_w`` in as many as there are routings.
    """
    tokens, parameters = whole(sizes, "tokens"), whole(sizes, "parameters")
    experts, active = _experts(sizes)
    choices = list(itertools.combinations(range(experts), active))
    routings = len(choices) ** tokens
    w = machine.input("W", (experts, parameters), sizes["s_w"] / routings)
    for routing in itertools.product(choices, repeat=tokens):
        for expert in sorted({e for chosen in routing for e in chosen}):
            w.load_row(expert)
    return w


def dispatch(machine: Machine, sizes: Sizes) -> Tensor:
    """What all devices send so that each token reaches the devices of its experts, and what comes back.

    ``X`` is (devices, tokens, d_model), the tokens that are at each device; the experts are spread evenly. Each of a
    token's ``active`` slots takes any device with the same probability, its own among them, and then nothing is sent.
    ``sent`` goes out with ``s_dispatch`` bytes an element, ``returned`` comes back with ``s_combine``.
    """
    devices, tokens, active, d_model = (whole(sizes, n) for n in ("devices", "tokens", "active", "d_model"))
    shape = (devices, tokens, active, devices, d_model)
    x = machine.input("X", (devices, tokens, d_model), 1)
    sent = machine.output("sent", shape, sizes["s_dispatch"] / devices)
    returned = machine.output("returned", shape, sizes["s_combine"] / devices)
    for source, token, slot, target in itertools.product(*(range(n) for n in shape[:4])):
        if target != source:
            row = x.load_row(source, token)
            sent.store_row(row, source, token, slot, target)
            returned.store_row(row, source, token, slot, target)
    return sent


KERNELS: tuple[Kernel, ...] = (
    kernel("experts-grouped", grouped,
           (count("tokens", "tokens", 1, 5), *_ROUTING, count("d_model", "width of the input", 1, 4),
            count("d_expert", "inner width of an expert", 1, 5), count("matrices", "matrices of an expert", 2, 3),
            element("s_w", "bytes of a weight"), element("s_act", "bytes of an element of X and Y")),
           ("X", "W", "Y"), "routed experts, tokens spread evenly, each expert's weights read once"),
    kernel("experts-any-routing", any_routing,
           (count("tokens", "tokens", 1, 3), *_ROUTING, count("parameters", "weights of an expert", 1, 3),
            element("s_w", "bytes of a weight")),
           ("W",), "weights of the experts touched, the mean of all routings"),
    kernel("experts-dispatch", dispatch,
           (count("devices", "devices", 2, 4), count("tokens", "tokens at each device", 1, 3),
            count("active", "experts that a token passes through", 1, 3), count("d_model", "width of a token", 1, 4),
            element("s_dispatch", "bytes of an element on its way to an expert"),
            element("s_combine", "bytes of an element on its way back")),
           ("X", "sent", "returned"), "tokens to the devices of their experts and back, the mean of all routings"),
)  # fmt: skip
