"""Reference implementations of training, as the machine runs them."""

from __future__ import annotations

import math
from fractions import Fraction

from ridgeline.counting.kernel import Kernel, count, element, kernel
from ridgeline.counting.machine import Machine, Sizes, Tensor, whole


def linear_training(machine: Machine, sizes: Sizes) -> Tensor:
    """``Y = X W`` and, from the gradient ``dY``, both gradients: ``dX = dY Wᵀ`` and ``dW = Xᵀ dY``.

    ``X`` is (tokens, d_in), ``W`` (d_in, d_out). Three kernels one after the other, each of which brings every operand on
    the chip once. Weights and their gradient have ``s_w`` bytes an element, all else ``s_act``.
    """
    tokens, d_in, d_out = (whole(sizes, name) for name in ("tokens", "d_in", "d_out"))
    act, weight = sizes["s_act"], sizes["s_w"]
    x = machine.input("X", (tokens, d_in), act)
    w = machine.input("W", (d_in, d_out), weight)
    dy = machine.input("dY", (tokens, d_out), act)
    y, dx = machine.output("Y", (tokens, d_out), act), machine.output("dX", (tokens, d_in), act)
    dw = machine.output("dW", (d_in, d_out), weight)
    totals = [[0.0] * d_out for _ in range(tokens)]
    inputs = [x.load_row(t) for t in range(tokens)]
    for i in range(d_in):
        row = w.load_row(i)
        for t in range(tokens):
            machine.accumulate(inputs[t][i], row, totals[t])
    for t, total in enumerate(totals):
        y.store_row(total, t)
    rows, changes = [w.load_row(i) for i in range(d_in)], [dy.load_row(t) for t in range(tokens)]
    for t, change in enumerate(changes):
        dx.store_row([machine.dot(change, row) for row in rows], t)
    inputs, changes = [x.load_row(t) for t in range(tokens)], [dy.load_row(t) for t in range(tokens)]
    for i in range(d_in):
        total = [0.0] * d_out
        for values, change in zip(inputs, changes, strict=True):
            machine.accumulate(values[i], change, total)
        dw.store_row(total, i)
    return dw


def adam(machine: Machine, sizes: Sizes) -> Tensor:
    """One step of Adam with decoupled weight decay: moments and weights in FP32, a copy of the weights in ``s_w`` bytes.

    ``W``, ``m`` and ``v`` are read and written; ``dW``, of ``s_grad`` bytes an element, is read; ``copy`` is written.
    """
    parameters = whole(sizes, "parameters")
    four = Fraction(4)
    w, m, v = (machine.input(name, (1, parameters), four) for name in ("W", "m", "v"))
    gradient = machine.input("dW", (1, parameters), sizes["s_grad"])
    copy = machine.output("copy", (1, parameters), sizes["s_w"])
    for i in range(parameters):
        weight, first, second, change = (tensor.load(0, i) for tensor in (w, m, v, gradient))
        first = machine.add(machine.multiply(0.9, first), machine.multiply(0.1, change))
        second = machine.add(
            machine.multiply(0.95, abs(second)), machine.multiply(0.05, machine.multiply(change, change))
        )
        step = machine.divide(first, machine.add(math.sqrt(second), 1e-8))
        weight = machine.subtract(machine.multiply(weight, 1 - 1e-4), machine.multiply(1e-3, step))
        for value, tensor in ((weight, w), (first, m), (second, v), (weight, copy)):
            tensor.store(value, 0, i)
    return w


KERNELS: tuple[Kernel, ...] = (
    kernel("linear-training", linear_training,
           (count("tokens", "tokens", 1, 5), count("d_in", "width of the input", 1, 5),
            count("d_out", "width of the output", 1, 6), element("s_w", "bytes of a weight"),
            element("s_act", "bytes of an element of inputs, outputs and their gradients")),
           ("X", "W", "dY", "Y", "dX", "dW"), "a linear layer forward and backward"),
    kernel("adam-step", adam,
           (count("parameters", "parameters", 1, 6), element("s_grad", "bytes of an element of the gradient"),
            element("s_w", "bytes of an element of the copy")),
           ("W", "m", "v", "dW", "copy"), "one step of Adam, moments and weights in FP32"),
)  # fmt: skip
