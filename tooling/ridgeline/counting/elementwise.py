"""Reference implementations of work on single elements: norms, activations, rotary positions, softmax of rows, sampling."""

from __future__ import annotations

import math

from ridgeline.counting.attention import softmax as softmax_of_row
from ridgeline.counting.machine import Machine, Sizes, Tensor, whole


def _normed(machine: Machine, row: list[float], weights: list[float]) -> list[float]:
    """Root-mean-square norm. Root and reciprocal of a row are noted as one division."""
    total = machine.divide(machine.dot(row, row), len(row))
    factor = machine.divide(1.0, math.sqrt(total)) if total else machine.divide(0.0, 1.0)
    return [machine.multiply(x, w) for x, w in zip(machine.scale(row, factor), weights, strict=True)]


def _norm(machine: Machine, sizes: Sizes, *, fused: bool) -> Tensor:
    tokens, width = whole(sizes, "tokens"), whole(sizes, "d_model")
    x = machine.input("X", (tokens, width), sizes["s_act"])
    r = machine.input("R", (tokens, width), sizes["s_act"])
    w = machine.input("W", (width,), sizes["s_w"])
    y = machine.output("Y", (tokens, width), sizes["s_act"])
    weights = w.load_row()
    for t in range(tokens):
        row = [machine.add(a, b) for a, b in zip(x.load_row(t), r.load_row(t), strict=True)]
        r.store_row(row, t)
        if fused:
            y.store_row(_normed(machine, row, weights), t)
    if not fused:
        for t in range(tokens):
            y.store_row(_normed(machine, r.load_row(t), weights), t)
    return y


def norm(machine: Machine, sizes: Sizes) -> Tensor:
    """The output ``X`` of a block is added to the residual ``R``, then ``Y`` is the norm of ``R`` with weights ``W``: two kernels."""
    return _norm(machine, sizes, fused=False)


def norm_fused(machine: Machine, sizes: Sizes) -> Tensor:
    """The same in one kernel: the sum is normed while it is on the chip."""
    return _norm(machine, sizes, fused=True)


def gated(machine: Machine, sizes: Sizes) -> Tensor:
    """``Y = silu(G) * U``, all (tokens, d_ff): four operations an element, ``silu(g) = g / (1 + exp(-g))``."""
    shape = (whole(sizes, "tokens"), whole(sizes, "d_ff"))
    g = machine.input("G", shape, sizes["s_act"])
    u = machine.input("U", shape, sizes["s_act"])
    y = machine.output("Y", shape, sizes["s_act"])
    for t in range(shape[0]):
        row = []
        for gate, up in zip(g.load_row(t), u.load_row(t), strict=True):
            sigmoid = machine.add(1.0, machine.exponential(-gate))
            row.append(machine.multiply(machine.divide(gate, sigmoid), up))
        y.store_row(row, t)
    return y


def turned(machine: Machine, row: list[float], table: list[float]) -> list[float]:
    """A row turned pair by pair: element ``i`` of its front with element ``i`` of its back. ``table`` holds cosines, then sines."""
    pairs = len(row) // 2
    out = [0.0] * len(row)
    for i in range(pairs):
        a, b, cosine, sine = row[i], row[i + pairs], table[i], table[i + pairs]
        for place, first, second, factor in ((i, a, b, -sine), (i + pairs, b, a, sine)):
            one = [machine.multiply(first, cosine)]
            machine.accumulate(factor, [second], one)
            out[place] = one[0]
    return out


def embedding(machine: Machine, sizes: Sizes) -> Tensor:
    """Rows of the table ``E`` (vocabulary, d_model), ``s_w`` bytes an element, written as ``X`` (tokens, d_model) with ``s_act``.

    Tokens are drawn once for each position; a row that two positions share is read twice. Their numbers, ``I``, have 4 bytes each.
    """
    tokens, vocabulary, width = (whole(sizes, n) for n in ("tokens", "vocabulary", "d_model"))
    ids = machine.input("I", (tokens,), 4)
    table = machine.input("E", (vocabulary, width), sizes["s_w"])
    x = machine.output("X", (tokens, width), sizes["s_act"])
    for t, number in enumerate(ids.load_row()):
        x.store_row(table.load_row(int(abs(number) * vocabulary) % vocabulary), t)
    return x


def rotary_and_write(machine: Machine, sizes: Sizes) -> Tensor:
    """Queries and keys are turned by their positions; keys and values go into the cache.

    ``Q`` (batch, tokens, n_q, 2·pairs) is turned in place; ``K`` and ``V`` (batch, tokens, n_kv, 2·pairs) are read, and ``KC`` and ``VC``
    written with ``s_kv`` bytes an element. ``R`` (tokens, 2·pairs) holds cosines and sines, read once for all sequences and heads.
    """
    batch, tokens, n_q, n_kv, pairs = (whole(sizes, n) for n in ("batch", "tokens", "n_q", "n_kv", "pairs"))
    d = 2 * pairs
    q = machine.input("Q", (batch, tokens, n_q, d), sizes["s_act"])
    k = machine.input("K", (batch, tokens, n_kv, d), sizes["s_act"])
    v = machine.input("V", (batch, tokens, n_kv, d), sizes["s_act"])
    r = machine.input("R", (tokens, d), sizes["s_act"])
    kc = machine.output("KC", (batch, tokens, n_kv, d), sizes["s_kv"])
    vc = machine.output("VC", (batch, tokens, n_kv, d), sizes["s_kv"])

    for t in range(tokens):
        table = r.load_row(t)
        for b in range(batch):
            for h in range(n_q):
                q.store_row(turned(machine, q.load_row(b, t, h), table), b, t, h)
            for h in range(n_kv):
                kc.store_row(turned(machine, k.load_row(b, t, h), table), b, t, h)
                vc.store_row(v.load_row(b, t, h), b, t, h)
    return kc


def _rows(machine: Machine, sizes: Sizes) -> tuple[Tensor, Tensor, int, int]:
    rows, columns = whole(sizes, "rows"), whole(sizes, "columns")
    s = machine.input("S", (rows, columns), sizes["s_act"])
    return s, machine.output("P", (rows, columns), sizes["s_act"]), rows, columns


def softmax(machine: Machine, sizes: Sizes) -> Tensor:
    """Softmax of rows that fit on the chip: each element is read once and written once."""
    s, p, rows, _ = _rows(machine, sizes)
    for i in range(rows):
        p.store_row(softmax_of_row(machine, s.load_row(i)), i)
    return p


def softmax_passes(machine: Machine, sizes: Sizes) -> Tensor:
    """Softmax of rows that do not fit: one pass for the maximum, one for the sum, one for the result."""
    s, p, rows, columns = _rows(machine, sizes)
    for i in range(rows):
        top = s.load(i, 0)
        for j in range(1, columns):
            top = machine.maximum(top, s.load(i, j))
        total = 0.0
        for j in range(columns):
            total = machine.add(total, machine.exponential(machine.subtract(s.load(i, j), top)))
        for j in range(columns):
            raised = machine.exponential(machine.subtract(s.load(i, j), top))
            p.store(machine.divide(raised, total), i, j)
    return p


def softmax_online(machine: Machine, sizes: Sizes) -> Tensor:
    """Softmax of rows that do not fit, maximum and sum found in one pass (Milakov and Gimelshein 2018), the result in another."""
    s, p, rows, columns = _rows(machine, sizes)
    for i in range(rows):
        top, total = -math.inf, 0.0
        for j in range(columns):
            score = s.load(i, j)
            highest = machine.maximum(top, score)
            rescaled = machine.multiply(total, machine.exponential(machine.subtract(top, highest)))
            total = machine.add(rescaled, machine.exponential(machine.subtract(score, highest)))
            top = highest
        for j in range(columns):
            raised = machine.exponential(machine.subtract(s.load(i, j), top))
            p.store(machine.divide(raised, total), i, j)
    return p


def greedy(machine: Machine, sizes: Sizes) -> Tensor:
    """The token with the largest logit of each sequence. ``X`` (batch, vocabulary), ``Y`` (batch, 1) with 4 bytes an element."""
    batch, vocabulary = whole(sizes, "batch"), whole(sizes, "vocabulary")
    x = machine.input("X", (batch, vocabulary), sizes["s_logit"])
    y = machine.output("Y", (batch, 1), 4)
    for b in range(batch):
        row = x.load_row(b)
        best = 0
        for i in range(1, vocabulary):
            if machine.maximum(row[best], row[i]) > row[best]:
                best = i
        y.store(float(best), b, 0)
    return y


def sample(machine: Machine, sizes: Sizes) -> Tensor:
    """A token drawn from the softmax of the logits over a temperature, by running sums of stored probabilities.

    Three passes, the row too long for the chip: the maximum; the exponentials, written as ``P``, and their sum; the running sum of
    ``P``, to its end; drawn is the first token at which it passes the share ``U`` of the whole. ``U`` and ``Y`` have 4 bytes a sequence.
    """
    batch, vocabulary = whole(sizes, "batch"), whole(sizes, "vocabulary")
    x = machine.input("X", (batch, vocabulary), sizes["s_logit"])
    u = machine.input("U", (batch, 1), 4)
    p = machine.output("P", (batch, vocabulary), sizes["s_logit"])
    y = machine.output("Y", (batch, 1), 4)
    for b in range(batch):
        top = -math.inf
        for i in range(vocabulary):
            top = machine.maximum(top, x.load(b, i))
        total = 0.0
        for i in range(vocabulary):
            raised = machine.exponential(machine.multiply(machine.subtract(x.load(b, i), top), 1.25))
            p.store(raised, b, i)
            total = machine.add(total, raised)
        target, running, drawn = abs(u.load(b, 0)) * total, 0.0, -1
        for i in range(vocabulary):
            running = machine.add(running, p.load(b, i))
            if machine.maximum(running, target) > target and drawn < 0:
                drawn = i
        y.store(float(drawn), b, 0)
    return y
