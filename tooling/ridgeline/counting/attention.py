"""Reference implementations of attention, as the machine runs them.

Shapes: ``Q`` and ``O`` are (batch, n_q, rows, d_head); ``K`` and ``V`` are (batch, n_kv, L, d_head). Query head ``h`` reads
key and value head ``h // (n_q / n_kv)``. Elements of ``K`` and ``V`` have ``s_kv`` bytes, those of ``Q``, ``O`` and of the
scores ``s_act``. Scores are scaled by one over the root of ``d_head``.

The unfused kernels are three kernels one after the other, each of which brings every operand on the chip once: scores
``S`` to memory; softmax of ``S`` to memory, as ``P``; ``P`` times ``V``. The tiled ones keep scores on the chip and the softmax
running (Milakov and Gimelshein 2018; Dao et al. 2022), a tile of queries at a time with all of its keys and values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ridgeline.counting.machine import CountingError, Machine, Sizes, Tensor, whole


@dataclass(frozen=True)
class _Problem:
    """The operands of one attention, and how far each row sees: row ``i`` sees the keys before ``offset + i + 1``."""

    machine: Machine
    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor
    keys: int
    group: int
    causal: bool
    offset: int
    scale: float

    @classmethod
    def of(cls, machine: Machine, sizes: Sizes, rows: int, keys: int, *, causal: bool, offset: int = 0) -> _Problem:
        batch, n_q, n_kv, d = (whole(sizes, name) for name in ("batch", "n_q", "n_kv", "d_head"))
        if n_q % n_kv:
            raise CountingError(f"{n_q} query heads cannot share {n_kv} key and value heads evenly")
        q = machine.input("Q", (batch, n_q, rows, d), sizes["s_act"])
        k = machine.input("K", (batch, n_kv, keys, d), sizes["s_kv"])
        v = machine.input("V", (batch, n_kv, keys, d), sizes["s_kv"])
        o = machine.output("O", (batch, n_q, rows, d), sizes["s_act"])
        return cls(machine, q, k, v, o, keys, n_q // n_kv, causal, offset, 1 / math.sqrt(d))

    @property
    def rows(self) -> int:
        return self.q.shape[2]

    def seen(self, row: int) -> int:
        """How many keys a row sees."""
        return min(self.keys, self.offset + row + 1) if self.causal else self.keys

    def groups(self) -> Iterator[tuple[int, int, range]]:
        """Sequence, key and value head, and the query heads that share it."""
        for b in range(self.k.shape[0]):
            for h in range(self.k.shape[1]):
                yield b, h, range(h * self.group, (h + 1) * self.group)


def _unfused(p: _Problem, sizes: Sizes, *, all_scores: bool = False) -> Tensor:
    """Scores in memory. ``all_scores``: those behind the mask too."""
    machine, scores = p.machine, (*p.q.shape[:3], p.keys)
    s = machine.output("S", scores, sizes["s_act"])
    probabilities = machine.output("P", scores, sizes["s_act"])

    def width(row: int) -> int:
        return p.keys if all_scores else p.seen(row)

    for b, h, heads in p.groups():
        keys = [p.k.load_row(b, h, j) for j in range(p.keys)]
        for head in heads:
            for i in range(p.rows):
                query = p.q.load_row(b, head, i)
                row = machine.scale([machine.dot(query, keys[j]) for j in range(width(i))], p.scale)
                s.store_row([x if j < p.seen(i) else -math.inf for j, x in enumerate(row)], b, head, i)
    for b, _, heads in p.groups():
        for head in heads:
            for i in range(p.rows):
                row = s.load_row(b, head, i, number=width(i))
                probabilities.store_row(softmax(machine, row), b, head, i)
    for b, h, heads in p.groups():
        values = [p.v.load_row(b, h, j) for j in range(p.keys)]
        for head in heads:
            for i in range(p.rows):
                total = [0.0] * p.o.shape[-1]
                row = probabilities.load_row(b, head, i, number=width(i))
                for weight, value in zip(row, values, strict=False):
                    machine.accumulate(weight, value, total)
                p.o.store_row(total, b, head, i)
    return p.o


def softmax(machine: Machine, row: list[float]) -> list[float]:
    """Of a row on the chip, its maximum taken off first so that no exponential overflows."""
    top = row[0]
    for value in row[1:]:
        top = machine.maximum(top, value)
    raised = [machine.exponential(machine.subtract(value, top)) for value in row]
    total = raised[0]
    for value in raised[1:]:
        total = machine.add(total, value)
    return [machine.divide(value, total) for value in raised]


def _tiled(p: _Problem, tile_rows: int, tile_keys: int) -> Tensor:
    """Scores on the chip. A tile that the mask empties is skipped; every other is computed in full."""
    for b, h, heads in p.groups():
        for head in heads:
            for first in range(0, p.rows, tile_rows):
                _rows(p, b, h, head, range(first, min(first + tile_rows, p.rows)), tile_keys)
    return p.o


def _rows(p: _Problem, b: int, h: int, head: int, rows: range, tile_keys: int) -> None:
    """One tile of queries against all the keys that any of its rows sees."""
    machine, width = p.machine, p.o.shape[-1]
    queries = [p.q.load_row(b, head, i) for i in rows]
    top, total = [-math.inf] * len(rows), [0.0] * len(rows)
    output = [[0.0] * width for _ in rows]
    for start in range(0, p.seen(rows[-1]), tile_keys):
        columns = range(start, min(start + tile_keys, p.keys))
        keys = [p.k.load_row(b, h, j) for j in columns]
        values = [p.v.load_row(b, h, j) for j in columns]
        for r, i in enumerate(rows):
            scores = machine.scale([machine.dot(queries[r], key) for key in keys], p.scale)
            scores = [score if j < p.seen(i) else -math.inf for j, score in zip(columns, scores, strict=True)]
            # Every row sees the first key, so the maximum is finite from the first tile on.
            highest = top[r]
            for score in scores:
                highest = machine.maximum(highest, score)
            rescale = machine.exponential(machine.subtract(top[r], highest))
            total[r] = machine.multiply(total[r], rescale)
            output[r] = machine.scale(output[r], rescale)
            for score, value in zip(scores, values, strict=True):
                weight = machine.exponential(machine.subtract(score, highest))
                total[r] = machine.add(total[r], weight)
                machine.accumulate(weight, value, output[r])
            top[r] = highest
    for r, i in enumerate(rows):
        p.o.store_row([machine.divide(x, total[r]) for x in output[r]], b, head, i)


def causal_naive(machine: Machine, sizes: Sizes) -> Tensor:
    """Unfused; only the scores that the causal mask leaves are computed and stored."""
    length = whole(sizes, "L")
    return _unfused(_Problem.of(machine, sizes, length, length, causal=True), sizes)


def causal_masked(machine: Machine, sizes: Sizes) -> Tensor:
    """Unfused; the whole score matrix is computed and stored, and masked by writing minus infinity."""
    length = whole(sizes, "L")
    return _unfused(_Problem.of(machine, sizes, length, length, causal=True), sizes, all_scores=True)


def causal_tiled(machine: Machine, sizes: Sizes) -> Tensor:
    """Fused, in square tiles; tiles above the diagonal are skipped, those on it computed in full."""
    length, tile = whole(sizes, "L"), whole(sizes, "tile")
    return _tiled(_Problem.of(machine, sizes, length, length, causal=True), tile, tile)


def full(machine: Machine, sizes: Sizes) -> Tensor:
    """Unfused, without a mask."""
    length = whole(sizes, "L")
    return _unfused(_Problem.of(machine, sizes, length, length, causal=False), sizes)


def full_tiled(machine: Machine, sizes: Sizes) -> Tensor:
    """Fused, in square tiles, without a mask."""
    length, tile = whole(sizes, "L"), whole(sizes, "tile")
    return _tiled(_Problem.of(machine, sizes, length, length, causal=False), tile, tile)


def chunk(machine: Machine, sizes: Sizes) -> Tensor:
    """Fused; the queries of one chunk, which starts ``offset`` tokens into the prompt, against all keys so far.

    Keys come one at a time, and each row takes those that it sees, so nothing behind the mask is computed.
    """
    new, offset = whole(sizes, "chunk"), whole(sizes, "offset", least=0)
    return _streamed(_Problem.of(machine, sizes, new, offset + new, causal=True, offset=offset))


def decode(machine: Machine, sizes: Sizes) -> Tensor:
    """Fused; one new token against ``L`` cached ones. The query heads of a group share each key and value."""
    return _streamed(_Problem.of(machine, sizes, 1, whole(sizes, "L"), causal=False))


def _streamed(p: _Problem) -> Tensor:
    """Keys and values pass once, for all rows and all query heads of their group; a row takes those that it sees."""
    machine, width = p.machine, p.o.shape[-1]
    for b, h, heads in p.groups():
        places = [(head, i) for head in heads for i in range(p.rows)]
        queries = {place: p.q.load_row(b, *place) for place in places}
        top = dict.fromkeys(places, -math.inf)
        total = dict.fromkeys(places, 0.0)
        output = {place: [0.0] * width for place in places}
        for j in range(p.keys):
            key, value = p.k.load_row(b, h, j), p.v.load_row(b, h, j)
            for place in places:
                if j >= p.seen(place[1]):
                    continue
                score = machine.multiply(machine.dot(queries[place], key), p.scale)
                highest = machine.maximum(top[place], score)
                rescale = machine.exponential(machine.subtract(top[place], highest))
                weight = machine.exponential(machine.subtract(score, highest))
                total[place] = machine.add(machine.multiply(total[place], rescale), weight)
                output[place] = machine.scale(output[place], rescale)
                machine.accumulate(weight, value, output[place])
                top[place] = highest
        for head, i in places:
            final = [machine.divide(x, total[head, i]) for x in output[head, i]]
            p.o.store_row(final, b, head, i)
    return p.o


Run = Callable[[Machine, Sizes], Tensor]
