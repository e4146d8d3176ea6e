"""Reference implementations of decoding: one new token of each sequence, scores on the chip.

Shapes: ``Q`` and ``O`` are (batch, n_q, d_head), ``K`` and ``V`` (batch, n_kv, L, d_head). Query head ``h`` reads key and value head
``h // (n_q / n_kv)``, and the query heads of a group share each read. Elements of ``K`` and ``V`` have ``s_kv`` bytes, those of ``Q``,
``O`` and other activations ``s_act``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ridgeline.counting.attention import softmax
from ridgeline.counting.machine import CountingError, Machine, Sizes, Tensor, whole


class Row:
    """One query on the chip with its running softmax: maximum, sum and weighted values so far."""

    def __init__(self, machine: Machine, width: int):
        self._machine = machine
        self._top = -math.inf
        self._total = 0.0
        self._output = [0.0] * width

    def take(self, score: float, value: Sequence[float]) -> None:
        """Meet one more key: its score, and its value."""
        machine = self._machine
        highest = machine.maximum(self._top, score)
        rescale = machine.exponential(machine.subtract(self._top, highest))
        weight = machine.exponential(machine.subtract(score, highest))
        self._total = machine.add(machine.multiply(self._total, rescale), weight)
        self._output = machine.scale(self._output, rescale)
        machine.accumulate(weight, value, self._output)
        self._top = highest

    def close(self) -> list[float]:
        """The weighted mean of all values met."""
        return [self._machine.divide(x, self._total) for x in self._output]


def heads(sizes: Sizes) -> tuple[int, int, int, int]:
    """Sequences, query heads, key and value heads, width. Raises :class:`CountingError` where heads cannot be shared evenly."""
    batch, n_q, n_kv, d = (whole(sizes, name) for name in ("batch", "n_q", "n_kv", "d_head"))
    if n_q % n_kv:
        raise CountingError(f"{n_q} query heads cannot share {n_kv} key and value heads evenly")
    return batch, n_q, n_kv, d


def window(machine: Machine, sizes: Sizes) -> Tensor:
    """One new token against the last ``window`` of ``L`` cached ones, or against all where there are fewer."""
    length, width = whole(sizes, "L"), whole(sizes, "window")
    return _last(machine, sizes, max(0, length - width))


def local(machine: Machine, sizes: Sizes) -> Tensor:
    """One new token, the last of ``L``, against those of its own ``chunk``: sequences are cut into chunks that do not see each other."""
    length, chunk = whole(sizes, "L"), whole(sizes, "chunk")
    return _last(machine, sizes, (length - 1) // chunk * chunk)


def _last(machine: Machine, sizes: Sizes, first: int) -> Tensor:
    """One new token against the cached ones from ``first`` on."""
    (batch, n_q, n_kv, d), length = heads(sizes), whole(sizes, "L")
    q = machine.input("Q", (batch, n_q, d), sizes["s_act"])
    k = machine.input("K", (batch, n_kv, length, d), sizes["s_kv"])
    v = machine.input("V", (batch, n_kv, length, d), sizes["s_kv"])
    o = machine.output("O", (batch, n_q, d), sizes["s_act"])
    for b in range(batch):
        for h in range(n_kv):
            group = range(h * n_q // n_kv, (h + 1) * n_q // n_kv)
            queries = {i: q.load_row(b, i) for i in group}
            rows = {i: Row(machine, d) for i in group}
            for j in range(first, length):
                key, value = k.load_row(b, h, j), v.load_row(b, h, j)
                for i in group:
                    rows[i].take(machine.dot(queries[i], key) / math.sqrt(d), value)
            for i in group:
                o.store_row(rows[i].close(), b, i)
    return o


def window_prompt(machine: Machine, sizes: Sizes) -> Tensor:
    """A causal prompt of ``L`` tokens, each of which sees itself and those before it, ``window`` of them at most.

    ``Q`` and ``O`` are (batch, n_q, L, d_head). Keys and values pass once; each row takes those that it sees.
    """
    width = whole(sizes, "window")
    return _prompt(machine, sizes, lambda row: max(0, row + 1 - width))


def local_prompt(machine: Machine, sizes: Sizes) -> Tensor:
    """A causal prompt of ``L`` tokens, each of which sees itself and those before it in its own ``chunk``."""
    chunk = whole(sizes, "chunk")
    return _prompt(machine, sizes, lambda row: row // chunk * chunk)


def _prompt(machine: Machine, sizes: Sizes, first: Callable[[int], int]) -> Tensor:
    """A causal prompt; ``first`` says from which token on a row sees."""
    (batch, n_q, n_kv, d), length = heads(sizes), whole(sizes, "L")
    q = machine.input("Q", (batch, n_q, length, d), sizes["s_act"])
    k = machine.input("K", (batch, n_kv, length, d), sizes["s_kv"])
    v = machine.input("V", (batch, n_kv, length, d), sizes["s_kv"])
    o = machine.output("O", (batch, n_q, length, d), sizes["s_act"])
    for b in range(batch):
        for h in range(n_kv):
            places = [(i, r) for i in range(h * n_q // n_kv, (h + 1) * n_q // n_kv) for r in range(length)]
            queries = {(i, r): q.load_row(b, i, r) for i, r in places}
            rows = {place: Row(machine, d) for place in places}
            for j in range(length):
                key, value = k.load_row(b, h, j), v.load_row(b, h, j)
                for place in places:
                    if first(place[1]) <= j <= place[1]:
                        rows[place].take(machine.dot(queries[place], key) / math.sqrt(d), value)
            for i, r in places:
                o.store_row(rows[i, r].close(), b, i, r)
    return o


def quantised(machine: Machine, sizes: Sizes) -> Tensor:
    """Keys and values stored as codes of ``s_kv`` bytes with a scale of ``s_scale`` bytes for each ``block`` of them.

    A code becomes an element by one multiplication, once for all query heads of its group. The softmax is that of a whole row
    on the chip, so that all multiplications but those of the queries (by the score scale) are of this kind.
    """
    (batch, n_q, n_kv, d), length, block = heads(sizes), whole(sizes, "L"), whole(sizes, "block")
    q = machine.input("Q", (batch, n_q, d), sizes["s_act"])
    codes = {n: machine.input(n, (batch, n_kv, length, d), sizes["s_kv"]) for n in "KV"}
    scales = {n: machine.input(f"{n}S", (batch, n_kv, length, -(-d // block)), sizes["s_scale"]) for n in "KV"}
    o = machine.output("O", (batch, n_q, d), sizes["s_act"])

    def restored(name: str, b: int, h: int, j: int) -> list[float]:
        factors = scales[name].load_row(b, h, j)
        return [machine.multiply(x, factors[i // block]) for i, x in enumerate(codes[name].load_row(b, h, j))]

    for b in range(batch):
        for h in range(n_kv):
            group = range(h * n_q // n_kv, (h + 1) * n_q // n_kv)
            queries = {i: machine.scale(q.load_row(b, i), 1 / math.sqrt(d)) for i in group}
            keys = [restored("K", b, h, j) for j in range(length)]
            weights = {i: softmax(machine, [machine.dot(queries[i], key) for key in keys]) for i in group}
            outputs = {i: [0.0] * d for i in group}
            for j in range(length):
                value = restored("V", b, h, j)
                for i in group:
                    machine.accumulate(weights[i][j], value, outputs[i])
            for i in group:
                o.store_row(outputs[i], b, i)
    return o


def shared_prefix(machine: Machine, sizes: Sizes) -> Tensor:
    """``prefix`` tokens that all sequences share, read once for all of them, and ``L`` further tokens of each sequence.

    ``KP`` and ``VP`` (n_kv, prefix, d_head) hold the shared part. Its partial softmax of each query is carried on through the
    sequence's own keys, which gives what attention over both gives.
    """
    (batch, n_q, n_kv, d), prefix, own = heads(sizes), whole(sizes, "prefix"), whole(sizes, "L")
    q = machine.input("Q", (batch, n_q, d), sizes["s_act"])
    kp = machine.input("KP", (n_kv, prefix, d), sizes["s_kv"])
    vp = machine.input("VP", (n_kv, prefix, d), sizes["s_kv"])
    k = machine.input("K", (batch, n_kv, own, d), sizes["s_kv"])
    v = machine.input("V", (batch, n_kv, own, d), sizes["s_kv"])
    o = machine.output("O", (batch, n_q, d), sizes["s_act"])
    for h in range(n_kv):
        places = [(b, i) for b in range(batch) for i in range(h * n_q // n_kv, (h + 1) * n_q // n_kv)]
        queries = {place: q.load_row(*place) for place in places}
        rows = {place: Row(machine, d) for place in places}

        def meet(some: list[tuple[int, int]], key: list[float], value: list[float]) -> None:
            for place in some:
                rows[place].take(machine.dot(queries[place], key) / math.sqrt(d), value)  # noqa: B023

        for j in range(prefix):
            meet(places, kp.load_row(h, j), vp.load_row(h, j))
        for b in range(batch):
            for j in range(own):
                meet([p for p in places if p[0] == b], k.load_row(b, h, j), v.load_row(b, h, j))
        for place in places:
            o.store_row(rows[place].close(), *place)
    return o


def layer(machine: Machine, sizes: Sizes) -> Tensor:
    """A whole layer: projections, a new key and value into the cache, attention over ``L`` tokens, output, gated feed-forward part.

    ``X`` and ``Y`` are (batch, d_model); every weight passes once for all sequences; what lies between the matrices stays on the
    chip. Norms and residuals are left out. The new token is the last of the ``L``: written to the cache, then read with it.
    """
    (batch, n_q, n_kv, d), length = heads(sizes), whole(sizes, "L")
    d_model, d_ff = whole(sizes, "d_model"), whole(sizes, "d_ff")
    x = machine.input("X", (batch, d_model), sizes["s_act"])
    y = machine.output("Y", (batch, d_model), sizes["s_act"])
    k = machine.input("K", (batch, n_kv, length, d), sizes["s_kv"])
    v = machine.input("V", (batch, n_kv, length, d), sizes["s_kv"])

    def matrix(name: str, rows: list[list[float]], width: int) -> list[list[float]]:
        w = machine.input(name, (len(rows[0]), width), sizes["s_w"])
        totals = [[0.0] * width for _ in rows]
        for i in range(len(rows[0])):
            weights = w.load_row(i)
            for row, total in zip(rows, totals, strict=True):
                machine.accumulate(row[i], weights, total)
        return totals

    inputs = [x.load_row(b) for b in range(batch)]
    queries, keys, values = (matrix(n, inputs, w * d) for n, w in (("WQ", n_q), ("WK", n_kv), ("WV", n_kv)))
    attended = []
    for b in range(batch):
        output: list[float] = []
        for h in range(n_kv):
            k.store_row(keys[b][h * d : (h + 1) * d], b, h, length - 1)
            v.store_row(values[b][h * d : (h + 1) * d], b, h, length - 1)
            group = range(h * n_q // n_kv, (h + 1) * n_q // n_kv)
            rows = {i: Row(machine, d) for i in group}
            for j in range(length):
                key, value = k.load_row(b, h, j), v.load_row(b, h, j)
                for i in group:
                    rows[i].take(machine.dot(queries[b][i * d : (i + 1) * d], key) / math.sqrt(d), value)
            for i in group:
                output += rows[i].close()
        attended.append(output)
    hidden = matrix("WO", attended, d_model)
    gates, ups = matrix("WG", hidden, d_ff), matrix("WU", hidden, d_ff)
    inner = [[g / (1 + math.exp(-g)) * u for g, u in zip(*pair, strict=True)] for pair in zip(gates, ups, strict=True)]
    for b, row in enumerate(matrix("WD", inner, d_model)):
        y.store_row(row, b)
    return y
