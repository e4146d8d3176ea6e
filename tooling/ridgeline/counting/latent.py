"""Reference implementations of multi-head latent attention.

A token is cached as ``C``: a latent of width ``kv_rank`` and, beside it, a rotary key of width ``d_rope``, for all heads together.
``WK`` (n_q, d_nope, kv_rank) and ``WV`` (n_q, kv_rank, d_v) make of the latent the key and the value of a head; ``Q`` is
(…, n_q, d_nope + d_rope), ``O`` (…, n_q, d_v). Elements of ``C`` have ``s_kv`` bytes, weights ``s_w``, all others ``s_act``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ridgeline.counting.decode import Row
from ridgeline.counting.elementwise import turned
from ridgeline.counting.machine import Machine, Sizes, Tensor, whole


@dataclass(frozen=True)
class _Latent:
    """Widths of a latent attention."""

    batch: int
    n_q: int
    rank: int
    nope: int
    rope: int
    value: int
    length: int

    @classmethod
    def of(cls, sizes: Sizes) -> _Latent:
        return cls(*(whole(sizes, n) for n in ("batch", "n_q", "kv_rank", "d_nope", "d_rope", "d_v", "L")))

    @property
    def scale(self) -> float:
        return 1 / math.sqrt(self.nope + self.rope)

    def tensors(
        self, machine: Machine, sizes: Sizes, rows: tuple[int, ...]
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Q, C, WK, WV, O."""
        return (
            machine.input("Q", (*rows, self.n_q, self.nope + self.rope), sizes["s_act"]),
            machine.input("C", (self.batch, self.length, self.rank + self.rope), sizes["s_kv"]),
            machine.input("WK", (self.n_q, self.nope, self.rank), sizes["s_w"]),
            machine.input("WV", (self.n_q, self.rank, self.value), sizes["s_w"]),
            machine.output("O", (*rows, self.n_q, self.value), sizes["s_act"]),
        )


def absorbed(machine: Machine, sizes: Sizes) -> Tensor:
    """One new token against ``L`` cached ones, on the latent itself.

    ``WK`` is applied to the query instead of to every cached key, ``WV`` to the weighted latent instead of to every cached value.
    Each row of ``C`` is read once for all heads, each weight once for all sequences.
    """
    p = _Latent.of(sizes)
    q, c, wk, wv, o = p.tensors(machine, sizes, (p.batch,))
    places = [(b, h) for b in range(p.batch) for h in range(p.n_q)]
    queries = {place: q.load_row(*place) for place in places}
    carried = {place: [0.0] * p.rank for place in places}
    for h in range(p.n_q):
        for i in range(p.nope):
            weights = wk.load_row(h, i)
            for b in range(p.batch):
                machine.accumulate(queries[b, h][i], weights, carried[b, h])
    rows = {place: Row(machine, p.rank) for place in places}
    for b in range(p.batch):
        for j in range(p.length):
            latent = c.load_row(b, j)
            for h in range(p.n_q):
                score = machine.dot([*carried[b, h], *queries[b, h][p.nope :]], latent)
                rows[b, h].take(score * p.scale, latent[: p.rank])
    latents = {place: rows[place].close() for place in places}
    outputs = {place: [0.0] * p.value for place in places}
    for h in range(p.n_q):
        for i in range(p.rank):
            weights = wv.load_row(h, i)
            for b in range(p.batch):
                machine.accumulate(latents[b, h][i], weights, outputs[b, h])
    for place in places:
        o.store_row(outputs[place], *place)
    return o


def expanded(machine: Machine, sizes: Sizes) -> Tensor:
    """One new token against ``L`` cached ones; the key and the value of every head and cached token are made anew from the latent."""
    p = _Latent.of(sizes)
    q, c, wk, wv, o = p.tensors(machine, sizes, (p.batch,))
    to_key = [[wk.load_row(h, i) for i in range(p.nope)] for h in range(p.n_q)]
    to_value = [[wv.load_row(h, i) for i in range(p.rank)] for h in range(p.n_q)]
    for b in range(p.batch):
        queries = [q.load_row(b, h) for h in range(p.n_q)]
        rows = [Row(machine, p.value) for _ in range(p.n_q)]
        for j in range(p.length):
            whole_row = c.load_row(b, j)
            latent, rotary = whole_row[: p.rank], whole_row[p.rank :]
            for h in range(p.n_q):
                key, value = _expand(machine, latent, to_key[h], to_value[h], p.value)
                rows[h].take(machine.dot(queries[h], [*key, *rotary]) * p.scale, value)
        for h in range(p.n_q):
            o.store_row(rows[h].close(), b, h)
    return o


def _expand(
    machine: Machine, latent: list[float], to_key: list[list[float]], to_value: list[list[float]], width: int
) -> tuple[list[float], list[float]]:
    """The key and the value of one head."""
    key = [machine.dot(weights, latent) for weights in to_key]
    value = [0.0] * width
    for x, weights in zip(latent, to_value, strict=True):
        machine.accumulate(x, weights, value)
    return key, value


def prefill(machine: Machine, sizes: Sizes) -> Tensor:
    """A causal prompt of ``L`` tokens, as two kernels: keys and values of all heads are made and written, then attention reads them.

    ``K`` (batch, n_q, L, d_nope) and ``V`` (batch, n_q, L, d_v) lie in memory between the two; the rotary keys are read from ``C``. Each
    kernel reads its operands once.
    """
    p = _Latent.of(sizes)
    q, c, wk, wv, o = p.tensors(machine, sizes, (p.batch, p.length))
    k = machine.output("K", (p.batch, p.n_q, p.length, p.nope), sizes["s_act"])
    v = machine.output("V", (p.batch, p.n_q, p.length, p.value), sizes["s_act"])
    latents = {(b, j): c.load_row(b, j, number=p.rank) for b in range(p.batch) for j in range(p.length)}
    for h in range(p.n_q):
        to_key = [wk.load_row(h, i) for i in range(p.nope)]
        to_value = [wv.load_row(h, i) for i in range(p.rank)]
        for (b, j), latent in latents.items():
            key, value = _expand(machine, latent, to_key, to_value, p.value)
            k.store_row(key, b, h, j)
            v.store_row(value, b, h, j)
    for b in range(p.batch):
        rotary = [c.load_row(b, j, start=p.rank) for j in range(p.length)]
        for h in range(p.n_q):
            queries = [q.load_row(b, i, h) for i in range(p.length)]
            rows = [Row(machine, p.value) for _ in range(p.length)]
            for j in range(p.length):
                key, value = [*k.load_row(b, h, j), *rotary[j]], v.load_row(b, h, j)
                for i in range(j, p.length):
                    rows[i].take(machine.dot(queries[i], key) * p.scale, value)
            for i in range(p.length):
                o.store_row(rows[i].close(), b, i, h)
    return o


def write(machine: Machine, sizes: Sizes) -> Tensor:
    """The rotary part of queries and of the new row is turned, and the row goes into the cache.

    ``Q`` (batch, tokens, n_q, 2·pairs) is turned in place; ``C`` (batch, tokens, kv_rank + 2·pairs) is read and ``CC`` written, with
    ``s_kv`` bytes an element. ``R`` (tokens, 2·pairs) holds cosines and sines, read once for all sequences and heads.
    """
    batch, tokens, n_q, rank, pairs = (whole(sizes, n) for n in ("batch", "tokens", "n_q", "kv_rank", "pairs"))
    q = machine.input("Q", (batch, tokens, n_q, 2 * pairs), sizes["s_act"])
    c = machine.input("C", (batch, tokens, rank + 2 * pairs), sizes["s_act"])
    r = machine.input("R", (tokens, 2 * pairs), sizes["s_act"])
    cache = machine.output("CC", (batch, tokens, rank + 2 * pairs), sizes["s_kv"])
    for t in range(tokens):
        table = r.load_row(t)
        for b in range(batch):
            for h in range(n_q):
                q.store_row(turned(machine, q.load_row(b, t, h), table), b, t, h)
            row = c.load_row(b, t)
            cache.store_row([*row[:rank], *turned(machine, row[rank:], table)], b, t)
    return cache
