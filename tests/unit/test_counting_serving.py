"""Kernels of decoding, latent attention, single elements and scaled products: what they compute, against NumPy; what they count."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ridgeline.counting.kernels import KERNELS, run
from ridgeline.counting.machine import Machine

GROUPED = {"n_q": 6, "n_kv": 2, "d_head": 4, "L": 5, "batch": 2}
LATENT = {"n_q": 3, "kv_rank": 4, "d_nope": 3, "d_rope": 2, "d_v": 5, "L": 6, "batch": 2}


def sizes(**given: int | str) -> dict[str, Fraction]:
    """Sizes, every element of one byte where nothing else is said."""
    ones = dict.fromkeys(("s_kv", "s_act", "s_w", "s_scale", "s_op", "s_out", "s_logit"), 1)
    return {name: Fraction(value) for name, value in {**ones, **given}.items()}


def held(machine: Machine, name: str) -> Any:
    tensor = machine.tensors[name]
    return np.array(tensor.values).reshape(tensor.shape)


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-12))


def weights_of(scores: Any) -> Any:
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def attention(q: Any, k: Any, v: Any) -> Any:
    """``q`` (batch, n_q, d), ``k`` and ``v`` (batch, n_kv, L, d)."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    return np.einsum("bhj,bhjd->bhd", weights_of(np.einsum("bhd,bhjd->bhj", q, k) / math.sqrt(q.shape[-1])), v)


# Attention of one new token


@pytest.mark.parametrize("window", [1, 3, 5, 9])
def test_a_window_reads_and_computes_what_it_sees(window: int) -> None:
    counts, machine = run("attention-decode-window", sizes(**GROUPED, window=window), seed=1)
    q, k, v = (held(machine, name) for name in "QKV")
    seen = min(5, window)
    assert close(held(machine, "O"), attention(q, k[:, :, -seen:], v[:, :, -seen:]))
    assert counts.flops() == 2 * 4 * 6 * 4 * seen
    assert counts.bytes(["K", "V"]) == 2 * 2 * 2 * 4 * seen


@pytest.mark.parametrize("window", [1, 2, 4, 7])
def test_a_prompt_through_a_window(window: int) -> None:
    counts, machine = run("attention-causal-window", sizes(**GROUPED, window=window), seed=2)
    q, k, v = (held(machine, name) for name in "QKV")
    for i in range(5):
        first = max(0, i + 1 - window)
        assert close(held(machine, "O")[:, :, i], attention(q[:, :, i], k[:, :, first : i + 1], v[:, :, first : i + 1]))
    pairs = sum(min(i + 1, window) for i in range(5))
    m = min(5, window)
    assert pairs == m * 5 - m * (m - 1) // 2
    assert counts.flops() == 2 * 4 * 6 * 4 * pairs
    if window >= 5:
        whole, _ = run("attention-causal-naive", sizes(**GROUPED))
        assert counts.flops() == whole.flops()


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 8])
def test_chunks_do_not_see_each_other(chunk: int) -> None:
    counts, machine = run("attention-decode-local", sizes(**GROUPED, chunk=chunk), seed=17)
    prompt, whole = run("attention-causal-local", sizes(**GROUPED, chunk=chunk), seed=17)
    q, k, v = (held(machine, name) for name in "QKV")
    first = 4 // chunk * chunk
    assert close(held(machine, "O"), attention(q, k[:, :, first:], v[:, :, first:]))
    assert counts.flops() == 2 * 4 * 6 * 4 * (5 - first)
    assert counts.bytes(["K", "V"]) == 2 * 2 * 2 * 4 * (5 - first)
    q, k, v = (held(whole, name) for name in "QKV")
    for i in range(5):
        start = i // chunk * chunk
        assert close(held(whole, "O")[:, :, i], attention(q[:, :, i], k[:, :, start : i + 1], v[:, :, start : i + 1]))
    full, rest = divmod(5, chunk)
    assert prompt.flops() == 2 * 4 * 6 * 4 * (full * chunk * (chunk + 1) + rest * (rest + 1)) // 2


@pytest.mark.parametrize("block", [1, 2, 4, 3])
def test_codes_and_scales_are_keys_and_values(block: int) -> None:
    """Two scales tensors of ceil(d / block) a row; one multiplication an element, once for a group of query heads."""
    counts, machine = run("attention-decode-quantised", sizes(**GROUPED, block=block, s_kv="1/2", s_scale=2), seed=3)
    scale = {n: np.repeat(held(machine, f"{n}S"), block, axis=-1)[..., :4] for n in "KV"}
    assert close(
        held(machine, "O"),
        attention(held(machine, "Q"), held(machine, "K") * scale["K"], held(machine, "V") * scale["V"]),
    )
    blocks = -(-4 // block)
    assert counts.bytes(["K", "V", "KS", "VS"]) == 2 * 2 * 2 * 5 * (4 * Fraction(1, 2) + blocks * 2)
    assert counts.flops() == 2 * 4 * 6 * 4 * 5
    assert counts.flops(["multiply"]) == 2 * (2 * 2 * 4 * 5 + 6 * 4)


@pytest.mark.parametrize("prefix", [1, 3])
def test_a_shared_prefix_is_read_once(prefix: int) -> None:
    counts, machine = run("attention-decode-shared", sizes(**{**GROUPED, "batch": 3}, prefix=prefix), seed=4)
    shared = {n: np.repeat(held(machine, f"{n}P")[None], 3, axis=0) for n in "KV"}
    k, v = (np.concatenate([shared[n], held(machine, n)], axis=2) for n in "KV")
    assert close(held(machine, "O"), attention(held(machine, "Q"), k, v))
    assert counts.bytes(["KP", "VP"]) == 2 * 2 * 4 * prefix
    assert counts.bytes(["K", "V"]) == 2 * 3 * 2 * 4 * 5
    assert counts.flops() == 3 * 4 * 6 * 4 * (prefix + 5)


def test_tiles_without_a_mask() -> None:
    """Keys and values pass once for each tile of rows and query head."""
    for tile in (1, 2, 5, 8):
        counts, machine = run("attention-full-tiled", sizes(**GROUPED, tile=tile), seed=5)
        _, plain = run("attention-full", sizes(**GROUPED), seed=5)
        assert close(held(machine, "O"), held(plain, "O"))
        assert counts.bytes(["K", "V"]) == 2 * 2 * 6 * 4 * 5 * -(-5 // tile)
        assert counts.flops() == 2 * 4 * 6 * 4 * 25


def test_a_whole_layer() -> None:
    shape = {**GROUPED, "d_model": 3, "d_ff": 7}
    counts, machine = run("decode-layer", sizes(**shape, s_w=2, s_kv=1, s_act=4), seed=6)
    x, k, v = (held(machine, name) for name in "XKV")
    assert close(k[:, :, -1].reshape(2, 8), x @ held(machine, "WK"))
    assert close(v[:, :, -1].reshape(2, 8), x @ held(machine, "WV"))
    hidden = attention((x @ held(machine, "WQ")).reshape(2, 6, 4), k, v).reshape(2, 24) @ held(machine, "WO")
    gate = hidden @ held(machine, "WG")
    inner = gate / (1 + np.exp(-gate)) * (hidden @ held(machine, "WU"))
    assert close(held(machine, "Y"), inner @ held(machine, "WD"))
    weights = 2 * 3 * 24 + 2 * 3 * 8 + 3 * 3 * 7
    assert counts.flops() == 2 * weights * 2 + 2 * 4 * 6 * 4 * 5
    assert counts.bytes(["WQ", "WK", "WV", "WO", "WG", "WU", "WD"]) == weights * 2
    # The cache is read, and one token of it written.
    assert counts.bytes(["K", "V"]) == 2 * 2 * 2 * 4 * (5 + 1)
    assert counts.bytes(["X", "Y"]) == 2 * 2 * 3 * 4


# Latent attention


def latent_oracle(machine: Machine, *, causal: bool) -> Any:
    """Keys and values of every head made in full, in NumPy."""
    q, c, wk, wv = (held(machine, name) for name in ("Q", "C", "WK", "WV"))
    rank = wk.shape[-1]
    latent, rotary = c[..., :rank], c[..., rank:]
    keys = np.einsum("bjr,hnr->bhjn", latent, wk)
    keys = np.concatenate([keys, np.repeat(rotary[:, None], wk.shape[0], axis=1)], axis=-1)
    values = np.einsum("bjr,hrv->bhjv", latent, wv)
    if not causal:
        return weights_of(np.einsum("bhd,bhjd->bhj", q, keys) / math.sqrt(q.shape[-1]))[..., None, :] @ values
    scores = np.einsum("bihd,bhjd->bhij", q, keys) / math.sqrt(q.shape[-1])
    length = c.shape[1]
    scores = np.where(np.arange(length)[None, :] <= np.arange(length)[:, None], scores, -np.inf)
    return np.einsum("bhij,bhjv->bihv", weights_of(scores), values)


def test_absorbed_and_expanded_decoding_give_the_same() -> None:
    """2·n_q·L·(2·rank + rope) on the latent, and 2·n_q·rank·(nope + v) of absorption, for each of two sequences."""
    counts, machine = run("mla-decode-absorbed", sizes(**LATENT, s_kv=2, s_w=3), seed=7)
    expanded, other = run("mla-decode-expanded", sizes(**LATENT, s_kv=2, s_w=3), seed=7)
    assert close(held(machine, "O"), latent_oracle(machine, causal=False)[..., 0, :])
    assert close(held(machine, "O"), held(other, "O"))
    assert counts.flops() == 2 * (2 * 3 * 6 * (2 * 4 + 2) + 2 * 3 * 4 * (3 + 5))
    assert expanded.flops() == 2 * (2 * 3 * 6 * (3 + 2 + 5) + 2 * 3 * 6 * 4 * (3 + 5))
    for one in (counts, expanded):
        assert one.bytes(["C"]) == 2 * 6 * (4 + 2) * 2
        assert one.bytes(["WK", "WV"]) == 3 * 4 * (3 + 5) * 3
        assert one.bytes(traffic="compulsory") == one.bytes()


def test_a_latent_prompt() -> None:
    counts, machine = run("mla-prefill", sizes(**LATENT), seed=8)
    assert close(held(machine, "O"), latent_oracle(machine, causal=True))
    pairs = 6 * 7 // 2
    assert counts.flops() == 2 * (2 * 3 * pairs * (3 + 2 + 5) + 2 * 3 * 6 * 4 * (3 + 5))
    assert counts.bytes(["K", "V"]) == 2 * 2 * 3 * 6 * (3 + 5)
    assert counts.bytes(["C"]) == 2 * 6 * (4 + 2)
    assert counts.bytes(["Q", "O"]) == 2 * 6 * 3 * (3 + 2 + 5)


# Single elements


def test_a_norm_in_one_kernel_reads_the_residual_once() -> None:
    shape = sizes(tokens=3, d_model=5, s_act=2, s_w=4)
    two, machine = run("norm-residual", shape, seed=9)
    one, fused = run("norm-residual-fused", shape, seed=9)
    for m in (machine, fused):
        r = held(m, "R")
        assert close(held(m, "Y"), r / np.sqrt((r**2).mean(axis=-1, keepdims=True)) * held(m, "W"))
    assert close(held(machine, "Y"), held(fused, "Y"))
    assert two.bytes(["X", "R", "Y"]) == 5 * 15 * 2
    assert one.bytes(["X", "R", "Y"]) == 4 * 15 * 2
    assert two.bytes(["W"]) == one.bytes(["W"]) == 5 * 4
    assert one.operations == two.operations == {"add": 15, "multiply-add": 15, "divide": 2 * 3, "multiply": 2 * 15}


def test_a_norm_of_nothing_is_nothing() -> None:
    shape = sizes(tokens=1, d_model=2)
    _, machine = run("norm-residual-fused", shape, {"X": [1.0, 2.0], "R": [-1.0, -2.0]})
    assert held(machine, "Y").tolist() == [[0.0, 0.0]]


def test_a_gated_activation() -> None:
    counts, machine = run("gated-activation", sizes(tokens=3, d_ff=4, s_act=2), seed=10)
    g, u = held(machine, "G"), held(machine, "U")
    assert close(held(machine, "Y"), g / (1 + np.exp(-g)) * u)
    assert counts.operations == {"exponential": 12, "add": 12, "divide": 12, "multiply": 12}
    assert counts.bytes() == 3 * 12 * 2


def test_rotary_positions_turn_and_the_cache_is_written() -> None:
    shape = sizes(n_q=4, n_kv=2, pairs=3, tokens=2, batch=2, s_kv="1/2", s_act=2)
    _, before = run("rotary-kv-write", shape, seed=11)
    given = {n: held(before, n).ravel().tolist() for n in ("K", "V")}
    counts, machine = run("rotary-kv-write", shape, given, seed=11)
    k, r = held(machine, "K"), held(machine, "R")
    a, b, cosine, sine = k[..., :3], k[..., 3:], r[None, :, None, :3], r[None, :, None, 3:]
    assert close(held(machine, "KC"), np.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1))
    assert close(held(machine, "VC"), held(machine, "V"))
    # Six operations a pair of queries and keys.
    assert counts.flops(["multiply", "multiply-add"]) == 6 * 2 * 2 * (4 + 2) * 3
    assert counts.bytes(["KC", "VC"]) == 2 * 2 * 2 * 2 * 6 * Fraction(1, 2)
    assert counts.bytes(["K", "V"]) == 2 * 2 * 2 * 2 * 6 * 2
    assert counts.bytes(["Q"]) == 2 * 2 * 2 * 4 * 6 * 2
    assert counts.bytes(["R"]) == 2 * 6 * 2


def test_a_latent_row_is_turned_in_its_rotary_part_alone() -> None:
    shape = sizes(n_q=3, kv_rank=4, pairs=2, tokens=3, batch=2, s_kv="1/2", s_act=2)
    counts, machine = run("mla-rotary-write", shape, seed=16)
    c, r = held(machine, "C"), held(machine, "R")
    a, b, cosine, sine = c[..., 4:6], c[..., 6:], r[None, :, :2], r[None, :, 2:]
    expected = np.concatenate([c[..., :4], a * cosine - b * sine, b * cosine + a * sine], axis=-1)
    assert close(held(machine, "CC"), expected)
    assert counts.flops(["multiply", "multiply-add"]) == 3 * 2 * 3 * (3 + 1) * 4
    assert counts.bytes(["CC"]) == 2 * 3 * 8 * Fraction(1, 2)
    assert counts.bytes(["Q"]) == 2 * 2 * 3 * 3 * 4 * 2


def test_an_embedding_reads_a_row_for_each_token() -> None:
    counts, machine = run(
        "embedding-gather", sizes(tokens=4, vocabulary=3, d_model=5, s_w=2, s_act=4), {"I": [0.1, 0.9, 0.4, 0.9]}
    )
    assert close(held(machine, "X"), held(machine, "E")[[0, 2, 1, 2]])
    assert counts.bytes(["E"]) == 4 * 5 * 2
    assert counts.bytes(["E"], "compulsory") == 3 * 5 * 2
    assert counts.bytes(["X"]) == 4 * 5 * 4
    assert counts.operations == {}


@pytest.mark.parametrize(("name", "accesses"), [("softmax-row", 2), ("softmax-passes", 4), ("softmax-online", 3)])
def test_softmax_of_rows(name: Any, accesses: int) -> None:
    counts, machine = run(name, sizes(rows=3, columns=5, s_act=2), seed=12)
    assert close(held(machine, "P"), weights_of(held(machine, "S")))
    assert counts.bytes() == accesses * 15 * 2
    assert counts.bytes(traffic="compulsory") == 2 * 15 * 2


def test_operations_of_a_softmax() -> None:
    """A maximum and a sum of one element fewer than the row has; a subtraction, an exponential and a division an element."""
    counts, _ = run("softmax-row", sizes(rows=3, columns=5))
    assert counts.operations == {"compare": 12, "add": 15 + 12, "exponential": 15, "divide": 15}


def test_greedy_sampling_takes_the_largest() -> None:
    counts, machine = run("sample-greedy", sizes(batch=3, vocabulary=7, s_logit=2), seed=13)
    assert held(machine, "Y")[:, 0].tolist() == held(machine, "X").argmax(axis=1).tolist()
    assert counts.operations == {"compare": 3 * 6}
    assert counts.bytes(["X"]) == 3 * 7 * 2


def test_drawn_tokens_follow_the_probabilities() -> None:
    drawn = []
    logits = [0.0, math.log(2) / 1.25, math.log(5) / 1.25, -40.0]
    for step in range(80):
        given = {"X": logits, "U": [(step + 0.5) / 80]}
        counts, machine = run("sample-drawn", sizes(batch=1, vocabulary=4, s_logit=2), given)
        drawn.append(int(held(machine, "Y")[0, 0]))
    assert [drawn.count(i) for i in range(4)] == [10, 20, 50, 0]
    assert counts.bytes(["X", "P"]) == (2 + 2) * 4 * 2
    assert counts.operations == {"compare": 8, "add": 12, "multiply": 4, "exponential": 4}


# Scaled elements


@pytest.mark.parametrize("group", [1, 2, 3, 6])
def test_weights_restored_from_codes(group: int) -> None:
    counts, machine = run(
        "linear-dequantised", sizes(tokens=2, d_in=6, d_out=5, group=group, s_w="1/2", s_scale=2), seed=14
    )
    scales = np.repeat(held(machine, "S"), group, axis=0)[:6]
    assert close(held(machine, "Y"), held(machine, "X") @ (held(machine, "W") * scales))
    assert counts.flops() == 2 * 2 * 6 * 5
    assert counts.flops(["multiply"]) == 6 * 5
    assert counts.bytes(["W", "S"]) == 30 * Fraction(1, 2) + -(-6 // group) * 5 * 2


@pytest.mark.parametrize("block", [1, 2, 3, 4])
def test_a_product_of_scaled_blocks(block: int) -> None:
    m, n, k = 3, 4, 6
    counts, machine = run("matmul-block-scaled", sizes(m=m, n=n, k=k, block=block, s_op="17/32", s_scale=4), seed=15)
    blocks = -(-k // block)
    a = held(machine, "A") * np.repeat(held(machine, "SA"), block, axis=1)[:, :k]
    b = held(machine, "B") * np.repeat(held(machine, "SB"), block, axis=0)[:k]
    assert close(held(machine, "C"), a @ b)
    assert counts.flops() == 2 * m * n * (k + blocks)
    assert counts.flops(["multiply"]) == m * n * blocks
    assert counts.bytes(["A", "B"]) == (m * k + k * n) * Fraction(17, 32)
    assert counts.bytes(["SA", "SB"]) == (m + n) * blocks * 4
    assert counts.bytes(["C"]) == m * n


def test_sizes_with_equal_values_take_them_in_different_orders() -> None:
    """Else two sizes would be equal at every point, and a formula could read one for the other unseen."""
    for kernel in KERNELS.values():
        points = kernel.draw(5, "orders")
        for a in kernel.sizes:
            for b in kernel.sizes:
                if a < b and kernel.sizes[a].unit == kernel.sizes[b].unit == "byte":
                    assert [p[a] for p in points] != [p[b] for p in points], (kernel.name, a, b)
