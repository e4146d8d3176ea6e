"""Reference implementations of matrix products, as the machine runs them."""

from __future__ import annotations

from ridgeline.counting.machine import Machine, Sizes, Tensor, whole


def linear(machine: Machine, sizes: Sizes) -> Tensor:
    """``Y = X W``: ``X`` (batch, tokens, d_in), ``W`` (d_in, d_out), ``Y`` (batch, tokens, d_out).

    ``X`` is brought on the chip whole; each weight passes once and serves every token. Weights have ``s_w`` bytes an
    element, ``X`` and ``Y`` ``s_act``.
    """
    batch, tokens, d_in, d_out = (whole(sizes, name) for name in ("batch", "tokens", "d_in", "d_out"))
    x = machine.input("X", (batch, tokens, d_in), sizes["s_act"])
    w = machine.input("W", (d_in, d_out), sizes["s_w"])
    y = machine.output("Y", (batch, tokens, d_out), sizes["s_act"])
    rows = [(b, t) for b in range(batch) for t in range(tokens)]
    inputs = {row: x.load_row(*row) for row in rows}
    totals = {row: [0.0] * d_out for row in rows}
    for i in range(d_in):
        weights = w.load_row(i)
        for row in rows:
            machine.accumulate(inputs[row][i], weights, totals[row])
    for row in rows:
        y.store_row(totals[row], *row)
    return y


def matmul_tiled(machine: Machine, sizes: Sizes) -> Tensor:
    """``C = A B``: ``A`` (m, k), ``B`` (k, n), ``C`` (m, n), all of ``s_act`` bytes an element.

    A square tile of ``C`` stays on the chip while the tiles of ``A`` and ``B`` that it needs pass; so ``A`` is read once for each
    column of tiles, ``B`` once for each row of tiles, and ``C`` is written once.
    """
    m, n, k, tile = (whole(sizes, name) for name in ("m", "n", "k", "tile"))
    a = machine.input("A", (m, k), sizes["s_act"])
    b = machine.input("B", (k, n), sizes["s_act"])
    c = machine.output("C", (m, n), sizes["s_act"])
    for top in range(0, m, tile):
        rows = range(top, min(top + tile, m))
        for left in range(0, n, tile):
            columns = range(left, min(left + tile, n))
            totals = {i: [0.0] * len(columns) for i in rows}
            for start in range(0, k, tile):
                inner = range(start, min(start + tile, k))
                b_tile = {j: b.load_row(j, start=left, number=len(columns)) for j in inner}
                for i in rows:
                    for j in inner:
                        machine.accumulate(a.load(i, j), b_tile[j], totals[i])
            for i in rows:
                c.store_row(totals[i], i, start=left)
    return c
