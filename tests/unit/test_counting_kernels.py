"""Kernels: what they compute, against NumPy and against each other; what they count, against loops and closed forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest

from ridgeline.counting import attention
from ridgeline.counting.kernels import KERNELS, run
from ridgeline.counting.machine import CountingError, Machine
from ridgeline.counting.names import KernelName

CAUSAL = ("attention-causal-naive", "attention-causal-masked", "attention-causal-tiled")
SHAPES = [
    {"n_q": 1, "n_kv": 1, "d_head": 1, "L": 1},
    {"n_q": 2, "n_kv": 1, "d_head": 3, "L": 5},
    {"n_q": 6, "n_kv": 2, "d_head": 4, "L": 7},
    {"n_q": 3, "n_kv": 3, "d_head": 2, "L": 8, "batch": 2},
]
TILES = (1, 2, 3, 4, 5, 8, 11)


def sizes(**given: int | str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in {"s_kv": 1, "s_act": 1, **given}.items()}


def output(machine: Machine, name: str = "O") -> Any:
    tensor = machine.tensors[name]
    return np.array(tensor.values).reshape(tensor.shape)


def oracle(machine: Machine, *, causal: bool, offset: int = 0) -> Any:
    """Attention in NumPy, on the very inputs that a machine held."""
    q, k, v = (output(machine, name) for name in "QKV")
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = np.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
    if causal:
        rows, columns = np.arange(q.shape[2])[:, None] + offset, np.arange(k.shape[2])[None, :]
        scores = np.where(columns <= rows, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhij,bhjd->bhid", weights / weights.sum(axis=-1, keepdims=True), v)


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-12))


# What they compute


@pytest.mark.parametrize("name", CAUSAL)
@pytest.mark.parametrize("shape", SHAPES)
def test_causal_attention_is_what_numpy_computes(name: KernelName, shape: dict[str, int]) -> None:
    _, machine = run(name, sizes(**shape, tile=3), seed=1)
    assert close(output(machine), oracle(machine, causal=True))


@pytest.mark.parametrize("shape", SHAPES)
def test_full_attention_is_what_numpy_computes(shape: dict[str, int]) -> None:
    _, machine = run("attention-full", sizes(**shape), seed=2)
    assert close(output(machine), oracle(machine, causal=False))
    assert shape["L"] == 1 or not close(output(machine), oracle(machine, causal=True))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("offset", [0, 1, 4])
def test_a_chunk_is_what_numpy_computes(shape: dict[str, int], offset: int) -> None:
    given = {**shape, "chunk": shape["L"], "offset": offset}
    _, machine = run("attention-chunk", sizes(**given), seed=3)
    assert close(output(machine), oracle(machine, causal=True, offset=offset))


@pytest.mark.parametrize("shape", SHAPES)
def test_decode_is_what_numpy_computes(shape: dict[str, int]) -> None:
    _, machine = run("attention-decode", sizes(**shape), seed=4)
    assert close(output(machine), oracle(machine, causal=False))


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("shape", SHAPES)
def test_naive_and_tiled_give_the_same_output(shape: dict[str, int], tile: int) -> None:
    """Tile sizes that divide the length, that do not, and that exceed it."""
    _, naive = run("attention-causal-naive", sizes(**shape), seed=5)
    _, tiled = run("attention-causal-tiled", sizes(**shape, tile=tile), seed=5)
    assert naive.tensors["Q"].values == tiled.tensors["Q"].values
    assert close(output(naive), output(tiled))


def test_chunks_one_after_the_other_are_the_whole_prompt() -> None:
    shape = {"n_q": 4, "n_kv": 2, "d_head": 3}
    _, whole = run("attention-causal-naive", sizes(**shape, L=6), seed=6)
    rows = []
    for start in (0, 2, 4):
        given = {
            "Q": output(whole, "Q")[:, :, start : start + 2].ravel().tolist(),
            "K": output(whole, "K")[:, :, : start + 2].ravel().tolist(),
            "V": output(whole, "V")[:, :, : start + 2].ravel().tolist(),
        }
        _, machine = run("attention-chunk", sizes(**shape, chunk=2, offset=start), given)
        rows.append(output(machine))
    assert close(np.concatenate(rows, axis=2), output(whole))


def test_large_scores_overflow_only_where_the_maximum_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores near 40² / 1 are beyond the largest double's logarithm, 709.8: e to their power is infinite."""
    shape = sizes(n_q=1, n_kv=1, d_head=1, L=5, tile=2)
    given = {"Q": [40.0] * 5, "K": [40.0, 39.0, 40.5, -40.0, 40.0], "V": [1.0, 2.0, 3.0, 4.0, 5.0]}
    _, naive = run("attention-causal-naive", shape, given)
    _, tiled = run("attention-causal-tiled", shape, given)
    assert np.isfinite(output(naive)).all()
    assert close(output(naive), oracle(naive, causal=True))
    assert close(output(naive), output(tiled))

    def plain(machine: Machine, row: list[float]) -> list[float]:
        raised = [machine.exponential(x) for x in row]
        return [machine.divide(x, sum(raised)) for x in raised]

    monkeypatch.setattr(attention, "softmax", plain)
    _, unshifted = run("attention-causal-naive", shape, given)
    assert np.isnan(output(unshifted)).all()
    # With small scores the maximum makes no difference to the output.
    _, small = run("attention-causal-naive", shape, seed=7)
    assert close(output(small), oracle(small, causal=True))


def test_linear_is_what_numpy_computes() -> None:
    _, machine = run("linear", sizes(tokens=3, d_in=4, d_out=5, s_w=1, batch=2), seed=8)
    assert close(output(machine, "Y"), output(machine, "X") @ output(machine, "W"))


@pytest.mark.parametrize("tile", TILES)
def test_a_tiled_product_is_what_numpy_computes(tile: int) -> None:
    _, machine = run("matmul-tiled", sizes(m=5, n=7, k=4, tile=tile), seed=9)
    assert close(output(machine, "C"), output(machine, "A") @ output(machine, "B"))


# What they count


def flops(name: KernelName, given: Mapping[str, Fraction]) -> int:
    return run(name, given)[0].flops()


@pytest.mark.parametrize("shape", SHAPES)
def test_multiply_adds_of_naive_attention_counted_by_loops(shape: dict[str, int]) -> None:
    """Every triple of head, row and visible key takes d_head multiply-adds for the score and d_head for the output."""
    triples = sum(
        1
        for _ in range(shape.get("batch", 1))
        for _ in range(shape["n_q"])
        for i in range(shape["L"])
        for j in range(shape["L"])
        if j <= i
    )
    assert flops("attention-causal-naive", sizes(**shape)) == 2 * 2 * shape["d_head"] * triples


@pytest.mark.parametrize("shape", SHAPES)
def test_operations_of_attention_in_closed_form(shape: dict[str, int]) -> None:
    """Row i sees i keys, so a head has L(L + 1)/2 pairs; each takes 2·d_head multiply-adds, 4·d_head operations.

    That is 2·n_q·d_head·L·(L + 1). Without a mask, or with one that is applied after the scores are computed, there are L²
    pairs: 4·n_q·d_head·L². One token against L: 4·n_q·d_head·L. A chunk of c after o tokens: c·o + c(c + 1)/2 pairs.
    """
    n, d, length = shape["n_q"] * shape.get("batch", 1), shape["d_head"], shape["L"]
    assert flops("attention-causal-naive", sizes(**shape)) == 2 * n * d * length * (length + 1)
    assert flops("attention-causal-masked", sizes(**shape)) == 4 * n * d * length**2
    assert flops("attention-full", sizes(**shape)) == 4 * n * d * length**2
    assert flops("attention-decode", sizes(**shape)) == 4 * n * d * length
    for offset in (0, 1, 5):
        pairs = length * offset + length * (length + 1) // 2
        assert flops("attention-chunk", sizes(**shape, chunk=length, offset=offset)) == 4 * n * d * pairs


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("length", [1, 4, 6, 8, 9])
def test_a_tiled_kernel_computes_the_tiles_that_the_mask_touches(length: int, tile: int) -> None:
    """A tile counts in full if any of its pairs is visible. Where the tile divides L, that is 2·n_q·d_head·L·(L + tile):

    m = L/tile rows of tiles, row r of r tiles, so tile²·m(m + 1)/2 = L(L + tile)/2 pairs of 4·d_head operations each.
    """
    shape = sizes(n_q=2, n_kv=1, d_head=3, L=length, tile=tile)
    tiles: dict[tuple[int, int], int] = {}
    for i in range(length):
        for j in range(length):
            tiles[i // tile, j // tile] = tiles.get((i // tile, j // tile), 0) + 1
    touched = {(i // tile, j // tile) for i in range(length) for j in range(i + 1)}
    assert flops("attention-causal-tiled", shape) == 4 * 2 * 3 * sum(tiles[t] for t in touched)
    if length % tile == 0:
        assert flops("attention-causal-tiled", shape) == 2 * 2 * 3 * length * (length + tile)
    if tile == 1:
        assert flops("attention-causal-tiled", shape) == flops("attention-causal-naive", shape)


def test_one_exponential_for_each_score() -> None:
    """An unfused softmax: L(L + 1)/2 exponentials, subtractions and divisions a head, one comparison and one sum fewer a row."""
    counts, _ = run("attention-causal-naive", sizes(n_q=2, n_kv=2, d_head=3, L=6))
    scores = 2 * 6 * 7 // 2
    assert counts.operations == {
        "multiply-add": 2 * 3 * scores,
        "multiply": scores,
        "compare": scores - 2 * 6,
        "exponential": scores,
        "add": scores + scores - 2 * 6,
        "divide": scores,
    }
    assert counts.flops(["multiply-add", "exponential"]) == 2 * 2 * 3 * scores + scores


def test_traffic_of_unfused_attention() -> None:
    """Three kernels, each of which reads its operands once: S = QKᵀ reads Q and K and writes S; the softmax reads S and writes P;
    PV reads P and V and writes O. So (2·n_q + 2·n_kv)·L·d_head elements, and four times the scores: 4·n_q·L² without a mask.
    """
    n_q, n_kv, d, length, s_kv, s_act = 6, 2, 4, 7, Fraction(1, 2), Fraction(2)
    shape = sizes(n_q=n_q, n_kv=n_kv, d_head=d, L=length, s_kv="1/2", s_act=2)
    for name, scores in (
        ("attention-full", length**2),
        ("attention-causal-masked", length**2),
        ("attention-causal-naive", length * (length + 1) // 2),
    ):
        counts, _ = run(name, shape)  # type: ignore[arg-type]
        assert counts.bytes(["K", "V"]) == 2 * n_kv * length * d * s_kv
        assert counts.bytes(["Q", "O"]) == 2 * n_q * length * d * s_act
        assert counts.bytes(["S", "P"]) == 4 * n_q * scores * s_act
        assert counts.bytes() == counts.bytes(["Q", "K", "V", "O", "S", "P"]) == counts.bytes(traffic="compulsory")
        assert {t: (m.reads > 0, m.writes > 0) for t, m in counts.moved.items()} == {
            "Q": (True, False), "K": (True, False), "V": (True, False), "O": (False, True), "S": (True, True), "P": (True, True)
        }  # fmt: skip


@pytest.mark.parametrize("tile", [1, 2, 4, 8])
def test_traffic_of_tiled_attention(tile: int) -> None:
    """Scores never move. Each query head streams, for each of its L/tile tiles of rows, the keys up to the diagonal's end:
    tile·(1 + … + L/tile) = L(L + tile)/(2·tile) rows of K and as many of V. Q is read and O written once.
    """
    n_q, n_kv, d, length = 6, 2, 3, 8
    counts, _ = run("attention-causal-tiled", sizes(n_q=n_q, n_kv=n_kv, d_head=d, L=length, tile=tile, s_kv=1, s_act=2))
    assert set(counts.moved) == {"Q", "K", "V", "O"}
    assert counts.bytes(["K", "V"]) == n_q * d * length * (length + tile) // tile
    assert counts.bytes(["Q", "O"]) == 2 * n_q * d * length * 2
    # What is used again found on the chip: each element of K and V once.
    assert counts.bytes(["K", "V"], "compulsory") == 2 * n_kv * d * length


def test_tiling_moves_less_than_storing_the_scores() -> None:
    """One query head of width d in one byte elements: 4·L·d + 2·L(L + 1) stored, 2·L·d + d·L(L + T)/T tiled.

    Tiling wins once the tile is larger than about half of the head's width: the rereads cost d/T·L², the scores 2·L².
    """
    shape = {"n_q": 1, "n_kv": 1, "d_head": 4, "L": 32}
    stored = run("attention-causal-naive", sizes(**shape))[0].bytes()
    assert stored == 4 * 32 * 4 + 2 * 32 * 33
    for tile in (1, 2, 4, 8, 16, 32):
        tiled = run("attention-causal-tiled", sizes(**shape, tile=tile))[0].bytes()
        assert tiled == 2 * 32 * 4 + 4 * 32 * (32 + tile) // tile
        assert (tiled < stored) == (tile >= 2)


def test_weights_pass_once_for_all_tokens() -> None:
    """Y = XW: tokens·d_in·d_out multiply-adds; X, W and Y move once."""
    counts, _ = run("linear", sizes(tokens=3, d_in=4, d_out=5, s_w="17/32", s_act=2, batch=2))
    assert counts.flops() == 2 * 2 * 3 * 4 * 5
    assert counts.bytes(["W"]) == 4 * 5 * Fraction(17, 32)
    assert counts.bytes(["X", "Y"]) == 2 * 3 * (4 + 5) * 2
    assert counts.bytes() == counts.bytes(traffic="compulsory")


@pytest.mark.parametrize("tile", TILES)
def test_traffic_of_a_tiled_product(tile: int) -> None:
    """A is read once for each column of tiles of C, B once for each row of tiles; C is written once."""
    m, n, k = 5, 7, 4
    counts, _ = run("matmul-tiled", sizes(m=m, n=n, k=k, tile=tile))
    assert counts.flops() == 2 * m * n * k
    assert counts.bytes(["A"]) == m * k * -(-n // tile)
    assert counts.bytes(["B"]) == k * n * -(-m // tile)
    assert counts.bytes(["C"]) == m * n
    assert counts.bytes(traffic="compulsory") == m * k + k * n + m * n


# The list


def test_the_list_of_kernels_is_the_list_of_names() -> None:
    assert tuple(KERNELS) == get_args(KernelName)
    assert all(name == kernel.name and kernel.title for name, kernel in KERNELS.items())


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_moves_the_tensors_that_it_says(name: KernelName) -> None:
    kernel = KERNELS[name]
    for point in kernel.draw(6, "any"):
        counts, machine = run(name, point)
        assert set(counts.moved) == set(kernel.tensors)
        assert all(moved.elements() > 0 for moved in counts.moved.values())
        assert not any(math.isnan(x) for t in kernel.tensors if t in "OYC" for x in machine.tensors[t].values)


@pytest.mark.parametrize("name", KERNELS)
def test_points_are_repeatable_and_tell_sizes_apart(name: KernelName) -> None:
    """A formula that reads one size for another differs at some point; so do products with each other."""
    kernel = KERNELS[name]
    optional = frozenset(n for n, size in kernel.sizes.items() if size.optional)
    points = kernel.draw(6, "counted", with_=optional)
    assert points == kernel.draw(6, "counted", with_=optional)
    assert points != kernel.draw(6, "another", with_=optional)
    for a in kernel.sizes:
        for b in kernel.sizes:
            if a < b and all(p[b] for p in points):
                assert len({p[a] / p[b] for p in points}) > 1, (a, b)
    assert all(p[n] == 1 for n in optional for p in kernel.draw(6, "counted"))


def test_multiples_are_multiples() -> None:
    points = KERNELS["attention-causal-tiled"].draw(12, "counted", multiples={"L": "tile"})
    assert {p["L"] / p["tile"] for p in points} == {1, 2, 3}
    assert len({p["tile"] for p in points}) == 4


# Refusals


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("attention-full", {"n_q": 1, "n_kv": 1, "d_head": 1}, "attention-full needs the size L"),
        (
            "attention-full",
            {"n_q": 3, "n_kv": 2, "d_head": 1, "L": 2},
            "3 query heads cannot share 2 key and value heads",
        ),
        (
            "attention-full",
            {"n_q": 1, "n_kv": 1, "d_head": 1, "L": "3/2"},
            "L must be a whole number from 1 on, not 3/2",
        ),
        ("attention-full", {"n_q": 1, "n_kv": 1, "d_head": 1, "L": 0}, "L must be a whole number from 1 on, not 0"),
        ("attention-full", {"n_q": 1, "n_kv": 1, "d_head": 1, "L": 2, "s_kv": 0}, "an element has more than no bytes"),
        ("attention-full", {"n_q": 1, "n_kv": 1, "d_head": 1, "L": 10**9}, "cannot have the shape"),
        ("matmul-tiled", {"m": 100, "n": 100, "k": 100, "tile": 8}, "more than 500,000 steps"),
    ],
)
def test_sizes_that_a_kernel_refuses(name: KernelName, given: dict[str, int | str], message: str) -> None:
    with pytest.raises(CountingError, match=message):
        run(name, sizes(**given))


def test_memory_refuses_what_it_does_not_hold() -> None:
    machine = Machine({"A": [1.0, 2.0]})
    with pytest.raises(CountingError, match="A needs 3 values"):
        machine.input("A", (3,))
    tensor = machine.input("A", (1, 2), 2)
    assert tensor.load_row(0) == [1.0, 2.0]
    assert tensor.load(0, 1) == 2.0
    for index in ((0, 2), (1, 0), (-1, 0), (0, -1), (0,), (0, 0, 0)):
        with pytest.raises(CountingError):
            tensor.load(*index)
    with pytest.raises(CountingError):
        tensor.store_row([1.0, 2.0, 3.0], 0)
    with pytest.raises(CountingError, match="two tensors"):
        machine.output("A", (1,))
    # Refused transfers are not counted; a second read is a read, but no first one.
    moved = tensor.moved
    assert (moved.reads, moved.first_reads, moved.writes, moved.first_writes) == (3, 2, 0, 0)
    assert (moved.bytes(), moved.bytes("compulsory")) == (6, 4)
