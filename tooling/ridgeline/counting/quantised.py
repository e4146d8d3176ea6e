"""Reference implementations of matrix products with elements in few bits and scales for blocks of them."""

from __future__ import annotations

from ridgeline.counting.machine import Machine, Sizes, Tensor, whole


def dequantised(machine: Machine, sizes: Sizes) -> Tensor:
    """``Y = X W`` where ``W`` (d_in, d_out) is stored in codes of ``s_w`` bytes, with a scale ``S`` (d_in / group, rounded up, d_out) of ``s_scale`` bytes.

    Every code becomes a weight by one multiplication, once for all tokens; the product itself is in the precision of ``X``.
    """
    tokens, d_in, d_out, group = (whole(sizes, n) for n in ("tokens", "d_in", "d_out", "group"))
    x = machine.input("X", (tokens, d_in), sizes["s_act"])
    w = machine.input("W", (d_in, d_out), sizes["s_w"])
    s = machine.input("S", (-(-d_in // group), d_out), sizes["s_scale"])
    y = machine.output("Y", (tokens, d_out), sizes["s_act"])
    rows = [x.load_row(t) for t in range(tokens)]
    totals = [[0.0] * d_out for _ in range(tokens)]
    for i in range(d_in):
        if i % group == 0:
            scales = s.load_row(i // group)
        weights = [machine.multiply(code, scale) for code, scale in zip(w.load_row(i), scales, strict=True)]
        for row, total in zip(rows, totals, strict=True):
            machine.accumulate(row[i], weights, total)
    for t in range(tokens):
        y.store_row(totals[t], t)
    return y


def block_scaled(machine: Machine, sizes: Sizes) -> Tensor:
    """``C = A B``, both operands with a scale for each ``block`` of elements along the inner dimension.

    ``A`` (m, k) and ``B`` (k, n) have ``s_op`` bytes an element, ``SA`` (m, k / block) and ``SB`` (k / block, n) ``s_scale``, ``C`` (m, n)
    ``s_out``. A block of products is added up, multiplied by the product of its two scales, and added to the result: besides the
    multiply-adds of the product, one multiplication and one multiply-add for each block of each element of ``C``.
    """
    m, n, k, block = (whole(sizes, name) for name in ("m", "n", "k", "block"))
    a = machine.input("A", (m, k), sizes["s_op"])
    b = machine.input("B", (k, n), sizes["s_op"])
    sa = machine.input("SA", (m, -(-k // block)), sizes["s_scale"])
    sb = machine.input("SB", (-(-k // block), n), sizes["s_scale"])
    c = machine.output("C", (m, n), sizes["s_out"])
    right = [b.load_row(i) for i in range(k)]
    right_scales = [sb.load_row(i) for i in range(-(-k // block))]
    for i in range(m):
        left, left_scales = a.load_row(i), sa.load_row(i)
        row = [0.0] * n
        for start in range(0, k, block):
            for j in range(n):
                part = machine.dot(
                    left[start : start + block], [row_of_b[j] for row_of_b in right[start : start + block]]
                )
                factor = machine.multiply(left_scales[start // block], right_scales[start // block][j])
                one = [row[j]]
                machine.accumulate(part, [factor], one)
                row[j] = one[0]
        c.store_row(row, i)
    return c
