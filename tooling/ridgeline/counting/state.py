"""Reference implementations of layers with a state of fixed size, as the machine runs them.

A state is in memory before a kernel starts and is written back at its end; in between it stays on the chip. ``H`` is the
state, with ``s_state`` bytes an element; inputs and outputs have ``s_act``.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ridgeline.counting.kernel import Kernel, count, element, kernel
from ridgeline.counting.machine import CountingError, Machine, Sizes, Tensor, whole

Matrix = list[list[float]]


def _load(tensor: Tensor, *index: int) -> Matrix:
    """A matrix: the last two axes at the given place of the others."""
    return [tensor.load_row(*index, row) for row in range(tensor.shape[-2])]


def _store(matrix: Matrix, tensor: Tensor, *index: int) -> None:
    for row, values in enumerate(matrix):
        tensor.store_row(values, *index, row)


def selective_scan(machine: Machine, sizes: Sizes) -> Tensor:
    """Mamba's recurrence, fused: ``h = exp(dt A) h + dt B x`` and ``y = C h + D x``, channel by channel (Gu and Dao 2023).

    ``x``, ``dt`` and ``y`` are (batch, L, d_inner), ``B`` and ``C`` (batch, L, d_state), ``A`` (d_inner, d_state), ``D``
    (d_inner), ``H`` (batch, d_inner, d_state). The step size is given as it comes out of its projection and softplus.
    """
    batch, length, channels, states = (whole(sizes, name) for name in ("batch", "L", "d_inner", "d_state"))
    act = sizes["s_act"]
    x, dt = (machine.input(name, (batch, length, channels), act) for name in ("x", "dt"))
    b, c = (machine.input(name, (batch, length, states), act) for name in ("B", "C"))
    a = machine.input("A", (channels, states), sizes["s_state"])
    skip = machine.input("D", (1, channels), sizes["s_state"])
    h = machine.input("H", (batch, channels, states), sizes["s_state"])
    y = machine.output("y", (batch, length, channels), act)
    decay, weights = _load(a), skip.load_row(0)
    for sequence in range(batch):
        state = _load(h, sequence)
        for t in range(length):
            values, steps = x.load_row(sequence, t), dt.load_row(sequence, t)
            into, out = b.load_row(sequence, t), c.load_row(sequence, t)
            row = []
            for channel in range(channels):
                scaled = machine.multiply(steps[channel], values[channel])
                held = [
                    machine.multiply(machine.exponential(machine.multiply(steps[channel], decay[channel][n])), old)
                    for n, old in enumerate(state[channel])
                ]
                machine.accumulate(scaled, into, held)
                state[channel] = held
                total = [machine.dot(out, held)]
                machine.accumulate(values[channel], [weights[channel]], total)
                row.append(total[0])
            y.store_row(row, sequence, t)
        _store(state, h, sequence)
    return y


def convolution(machine: Machine, sizes: Sizes) -> Tensor:
    """A causal convolution of each channel by itself; the last inputs are kept for the next call.

    ``x`` and ``y`` are (batch, L, channels), ``W`` (d_conv, channels), ``kept`` (batch, d_conv - 1, channels).
    """
    batch, length, channels, width = (whole(sizes, name) for name in ("batch", "L", "channels", "d_conv"))
    if width < 2:
        raise CountingError("a convolution of length one keeps nothing")
    x = machine.input("x", (batch, length, channels), sizes["s_act"])
    w = machine.input("W", (width, channels), sizes["s_act"])
    kept = machine.input("kept", (batch, width - 1, channels), sizes["s_conv"])
    y = machine.output("y", (batch, length, channels), sizes["s_act"])
    weights = _load(w)
    for sequence in range(batch):
        rows = _load(kept, sequence)
        for t in range(length):
            rows.append(x.load_row(sequence, t))
            last = rows[-width:]
            values = [machine.dot([r[c] for r in last], [u[c] for u in weights]) for c in range(channels)]
            y.store_row(values, sequence, t)
        _store(rows[-(width - 1) :], kept, sequence)
    return y


def _chunked(
    machine: Machine, names: tuple[str, str, str], length: int, chunk: int, heads: int, groups: int, sizes: Sizes
) -> Tensor:
    """``h = a h + k vᵀ`` and ``y = q h`` a chunk at a time: inside a chunk as attention, between chunks by the state.

    Queries and keys are (L, groups, d_state) and shared by the heads of a group, values (L, heads, d_state_head), decays
    ``a`` (L, heads) given as logarithms. The square of scores of a chunk is computed in full, and masked.
    """
    query, key, value = names
    n, p = whole(sizes, "d_state"), whole(sizes, "d_state_head")
    act = sizes["s_act"]
    q, k = (machine.input(name, (length, groups, n), act) for name in (query, key))
    v = machine.input(value, (length, heads, p), act)
    a = machine.input("a", (length, heads), act)
    h = machine.input("H", (heads, n, p), sizes["s_state"])
    y = machine.output("y", (length, heads, p), act)
    state = [_load(h, head) for head in range(heads)]
    for start in range(0, length, chunk):
        rows = range(start, min(start + chunk, length))
        decays = [a.load_row(t) for t in rows]
        for group in range(groups):
            qs, ks = [q.load_row(t, group) for t in rows], [k.load_row(t, group) for t in rows]
            scores = [[machine.dot(one, other) for other in ks] for one in qs]
            for head in range(group * heads // groups, (group + 1) * heads // groups):
                vs = [v.load_row(t, head) for t in rows]
                sums = _running(machine, [-abs(d[head]) for d in decays])
                outputs, state[head] = _chunk(machine, qs, ks, vs, scores, sums, state[head])
                for t, row in zip(rows, outputs, strict=True):
                    y.store_row(row, t, head)
    for head in range(heads):
        _store(state[head], h, head)
    return y


def _running(machine: Machine, values: list[float]) -> list[float]:
    """Running sums."""
    sums = [values[0]]
    for value in values[1:]:
        sums.append(machine.add(sums[-1], value))
    return sums


def _chunk(
    machine: Machine, qs: Matrix, ks: Matrix, vs: Matrix, scores: Matrix, sums: list[float], state: Matrix
) -> tuple[Matrix, Matrix]:
    """One chunk of one head: its outputs, and the state behind it. ``sums`` are running logarithms of the decays."""
    outputs = []
    for i, query in enumerate(qs):
        row = [0.0] * len(vs[0])
        reach = machine.exponential(sums[i])
        for element_, held in zip(query, state, strict=True):
            machine.accumulate(machine.multiply(element_, reach), held, row)
        for j, value in enumerate(vs):
            weight = machine.exponential(machine.subtract(sums[i], sums[j])) if j <= i else 0.0
            machine.accumulate(machine.multiply(scores[i][j], weight), value, row)
        outputs.append(row)
    whole_decay = machine.exponential(sums[-1])
    behind = [machine.scale(row, whole_decay) for row in state]
    for j, key in enumerate(ks):
        left = machine.exponential(machine.subtract(sums[-1], sums[j]))
        for n, element_ in enumerate(key):
            machine.accumulate(machine.multiply(element_, left), vs[j], behind[n])
    return outputs, behind


def ssd_chunked(machine: Machine, sizes: Sizes) -> Tensor:
    """Mamba-2's state-space duality, a chunk at a time (Dao and Gu 2024): queries are ``C``, keys ``B``, values ``x``."""
    heads, groups = whole(sizes, "state_heads"), whole(sizes, "state_groups")
    if heads % groups:
        raise CountingError(f"{heads} heads cannot share {groups} groups evenly")
    return _chunked(machine, ("C", "B", "x"), whole(sizes, "L"), whole(sizes, "chunk"), heads, groups, sizes)


def linear_chunked(machine: Machine, sizes: Sizes) -> Tensor:
    """Linear attention with decay, a chunk at a time: every head has its own queries and keys, as wide as its values."""
    square = {**sizes, "d_state_head": sizes["d_state"]}
    heads = whole(sizes, "state_heads")
    return _chunked(machine, ("Q", "K", "V"), whole(sizes, "L"), whole(sizes, "chunk"), heads, heads, square)


class _Delta:
    """The operands of a gated delta rule: ``q`` and ``k`` (L, key heads, d_state), ``v`` (L, heads, d_state_head)."""

    def __init__(self, machine: Machine, sizes: Sizes):
        self.machine = machine
        keys, heads = whole(sizes, "key_heads"), whole(sizes, "state_heads")
        if heads % keys:
            raise CountingError(f"{heads} heads cannot share {keys} key heads evenly")
        self.length, self.share = whole(sizes, "L"), heads // keys
        n, p, act = whole(sizes, "d_state"), whole(sizes, "d_state_head"), sizes["s_act"]
        self.q, self.k = (machine.input(name, (self.length, keys, n), act) for name in ("q", "k"))
        self.v = machine.input("v", (self.length, heads, p), act)
        self.gates = machine.input("gates", (self.length, heads, 2), act)
        self.h = machine.input("H", (heads, n, p), sizes["s_state"])
        self.y = machine.output("y", (self.length, heads, p), act)
        self.heads = range(heads)

    def gate(self, t: int, head: int) -> tuple[float, float]:
        """Logarithm of the decay, not above zero, and strength of the step, from zero to one."""
        decay, strength = self.gates.load_row(t, head)
        return -abs(decay), abs(strength)


def delta_recurrent(machine: Machine, sizes: Sizes) -> Tensor:
    """Token by token: ``S = a S``, ``S = S + k (b (v - kᵀ S))ᵀ``, ``y = q S`` (Yang, Kautz and Hatamizadeh 2024)."""
    d = _Delta(machine, sizes)
    for head in d.heads:
        state = _load(d.h, head)
        for t in range(d.length):
            key, query = (tensor.load_row(t, head // d.share) for tensor in (d.k, d.q))
            decay, strength = d.gate(t, head)
            factor = machine.exponential(decay)
            state = [machine.scale(row, factor) for row in state]
            held = [0.0] * len(state[0])
            for element_, row in zip(key, state, strict=True):
                machine.accumulate(element_, row, held)
            value = d.v.load_row(t, head)
            change = [machine.multiply(strength, machine.subtract(v, old)) for v, old in zip(value, held, strict=True)]
            output = [0.0] * len(held)
            for element_, asked, row in zip(key, query, state, strict=True):
                machine.accumulate(element_, change, row)
                machine.accumulate(asked, row, output)
            d.y.store_row(output, t, head)
        _store(state, d.h, head)
    return d.y


def delta_chunked(machine: Machine, sizes: Sizes) -> Tensor:
    """A chunk at a time: the changes of a chunk solve a triangular system, the rest are matrix products.

    With ``g`` the running decay, ``u[i] = b[i] (v[i] - g[i] kᵀ[i] S - sum over j < i of (g[i]/g[j]) (k[i] · k[j]) u[j])``. The
    two squares of products, keys with keys and queries with keys, are computed in full.
    """
    d, chunk = _Delta(machine, sizes), whole(sizes, "chunk")
    for head in d.heads:
        state = _load(d.h, head)
        for start in range(0, d.length, chunk):
            rows = range(start, min(start + chunk, d.length))
            keys = [d.k.load_row(t, head // d.share) for t in rows]
            queries = [d.q.load_row(t, head // d.share) for t in rows]
            gates = [d.gate(t, head) for t in rows]
            sums = _running(machine, [decay for decay, _ in gates])
            values = [d.v.load_row(t, head) for t in rows]
            changes = _changes(machine, keys, values, gates, sums, state)
            scores = [[machine.dot(query, key) for key in keys] for query in queries]
            outputs, state = _chunk(machine, queries, keys, changes, scores, sums, state)
            for t, row in zip(rows, outputs, strict=True):
                d.y.store_row(row, t, head)
        _store(state, d.h, head)
    return d.y


def _changes(
    machine: Machine, keys: Matrix, values: Matrix, gates: list[tuple[float, float]], sums: list[float], state: Matrix
) -> Matrix:
    """What each token of a chunk writes, by forward substitution."""
    overlap = [[machine.dot(one, other) for other in keys] for one in keys]
    found: Matrix = []
    for i, key in enumerate(keys):
        held = [0.0] * len(values[0])
        reach = machine.exponential(sums[i])
        for element_, row in zip(key, state, strict=True):
            machine.accumulate(machine.multiply(element_, reach), row, held)
        for j in range(i):
            weight = machine.exponential(machine.subtract(sums[i], sums[j]))
            machine.accumulate(machine.multiply(overlap[i][j], weight), found[j], held)
        strength = gates[i][1]
        found.append(
            [machine.multiply(strength, machine.subtract(v, old)) for v, old in zip(values[i], held, strict=True)]
        )
    return found


def indexer(machine: Machine, sizes: Sizes) -> Tensor:
    """A light index: each query's score of each earlier token is a weighted sum of rectified products over its heads.

    ``q`` is (T, heads, dim), ``w`` (T, heads), ``k`` (L, dim), ``scores`` (T, L), the queries after all cached keys.
    """
    new, length = whole(sizes, "T"), whole(sizes, "L")
    heads, dim = whole(sizes, "indexer_heads"), whole(sizes, "indexer_dim")
    q = machine.input("q", (new, heads, dim), sizes["s_act"])
    w = machine.input("w", (new, heads), sizes["s_act"])
    k = machine.input("k", (length, dim), sizes["s_index"])
    scores = machine.output("scores", (new, length), Fraction(4))
    queries = [[q.load_row(t, head) for head in range(heads)] for t in range(new)]
    weights = [w.load_row(t) for t in range(new)]
    for place in range(length):
        key = k.load_row(place)
        for t in range(new):
            products = [machine.maximum(machine.dot(row, key), 0.0) for row in queries[t]]
            scores.store(machine.dot(products, weights[t]), t, place)
    return scores


def selected(machine: Machine, sizes: Sizes) -> Tensor:
    """Attention of one token to the cached latents that an index has selected, on the latents themselves.

    ``Q`` is (n_q, kv_rank + d_rope), ``latents`` (L, kv_rank + d_rope), ``O`` (n_q, kv_rank). The selected ones are read
    once and serve all query heads, first as keys and then, without their rotary part, as values.
    """
    heads, rank, rope = whole(sizes, "n_q"), whole(sizes, "kv_rank"), whole(sizes, "d_rope")
    chosen, others = whole(sizes, "chosen"), whole(sizes, "others", least=0)
    q = machine.input("Q", (heads, rank + rope), sizes["s_act"])
    latents = machine.input("latents", (chosen + others, rank + rope), sizes["s_kv"])
    o = machine.output("O", (heads, rank), sizes["s_act"])
    # Every second token first, so that what is selected does not stand together.
    places = [*range(0, chosen + others, 2), *range(1, chosen + others, 2)][:chosen]
    rows = [latents.load_row(place) for place in places]
    for head in range(heads):
        query = q.load_row(head)
        raw = [machine.multiply(machine.dot(query, row), 1 / math.sqrt(rank + rope)) for row in rows]
        top = raw[0]
        for value in raw[1:]:
            top = machine.maximum(top, value)
        weights = [machine.exponential(machine.subtract(value, top)) for value in raw]
        total, output = 0.0, [0.0] * rank
        for weight, row in zip(weights, rows, strict=True):
            total = machine.add(total, weight)
            machine.accumulate(weight, row[:rank], output)
        o.store_row([machine.divide(value, total) for value in output], head)
    return o


_BATCH = count("batch", "sequences", 1, 3, optional=True)
_ELEMENTS = (element("s_act", "bytes of an element of the inputs and outputs"),
             element("s_state", "bytes of an element of the state"))  # fmt: skip
_HEADS = (
    count("d_state", "width of a query or key: rows of a head's state", 1, 4),
    count("d_state_head", "width of a value: columns of a head's state", 1, 4),
)
_PROMPT = (count("L", "tokens", 1, 6, optional=True), count("chunk", "tokens of a chunk", 1, 3, optional=True))

KERNELS: tuple[Kernel, ...] = (
    kernel("selective-scan", selective_scan,
           (_BATCH, count("L", "tokens", 1, 5, optional=True), count("d_inner", "channels", 1, 4),
            count("d_state", "state elements of a channel", 1, 5), *_ELEMENTS),
           ("x", "dt", "B", "C", "A", "D", "H", "y"), "a selective state space token by token, state on the chip"),
    kernel("convolution-causal", convolution,
           (_BATCH, count("L", "tokens", 1, 5, optional=True), count("channels", "channels", 1, 4),
            count("d_conv", "length of the convolution", 2, 5), element("s_act", "bytes of an input or output"),
            element("s_conv", "bytes of a kept input")),
           ("x", "W", "kept", "y"), "a short causal convolution of each channel by itself"),
    kernel("ssd-chunked", ssd_chunked,
           (*_PROMPT, count("state_groups", "groups of heads", 1, 2), count("state_heads", "heads", 2, 2), *_HEADS, *_ELEMENTS),
           ("C", "B", "x", "a", "H", "y"), "a state space with scalar decays, a chunk at a time"),
    kernel("linear-attention-chunked", linear_chunked,
           (*_PROMPT, count("state_heads", "heads", 1, 3), _HEADS[0], *_ELEMENTS),
           ("Q", "K", "V", "a", "H", "y"), "linear attention with decay, a chunk at a time"),
    kernel("delta-rule-recurrent", delta_recurrent,
           (_PROMPT[0], count("key_heads", "key heads", 1, 2), count("state_heads", "value heads", 2, 2), *_HEADS, *_ELEMENTS),
           ("q", "k", "v", "gates", "H", "y"), "a gated delta rule token by token, state on the chip"),
    kernel("delta-rule-chunked", delta_chunked,
           (*_PROMPT, count("key_heads", "key heads", 1, 2), count("state_heads", "value heads", 2, 2), *_HEADS, *_ELEMENTS),
           ("q", "k", "v", "gates", "H", "y"), "a gated delta rule, a chunk at a time"),
    kernel("indexer-scores", indexer,
           (count("T", "new tokens", 1, 3, optional=True), count("L", "cached tokens", 1, 6),
            count("indexer_heads", "heads of the index", 1, 4), count("indexer_dim", "width of a head of the index", 1, 4),
            element("s_index", "bytes of an element of a cached key"), element("s_act", "bytes of an element of a query")),
           ("q", "w", "k", "scores"), "scores of a light index over all cached tokens"),
    kernel("latent-selected", selected,
           (count("n_q", "query heads", 1, 4), count("chosen", "tokens selected", 1, 4),
            count("others", "cached tokens not selected", 0, 4), count("kv_rank", "width of the latent", 1, 4),
            count("d_rope", "width of the rotary part", 1, 3), element("s_kv", "bytes of a cached element"),
            element("s_act", "bytes of an element of Q and O")),
           ("Q", "latents", "O"), "attention of one token to selected latents"),
)  # fmt: skip
