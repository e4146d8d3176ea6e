"""Layers with a state: the kernels against NumPy and against each other, and what they count."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ridgeline.counting.kernels import run
from ridgeline.counting.machine import CountingError, Machine
from ridgeline.counting.names import KernelName


def sizes(**given: int | str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in {"s_act": 2, "s_state": 4, **given}.items()}


def values(machine: Machine, name: str) -> Any:
    tensor = machine.tensors[name]
    return np.array(tensor.values).reshape(tensor.shape)


def start(name: KernelName, given: dict[str, Fraction], seed: int) -> Any:
    """The state before the kernel ran: it is drawn from the seed alone."""
    import random

    _, machine = run(name, given, seed=seed)
    shape = machine.tensors["H"].shape
    source = random.Random(f"{seed} H")
    return np.array([2 * source.random() - 1 for _ in range(int(np.prod(shape)))]).reshape(shape)


@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_selective_scan_is_its_recurrence(length: int) -> None:
    given = sizes(batch=2, L=length, d_inner=3, d_state=4)
    counts, machine = run("selective-scan", given, seed=1)
    x, dt, b, c, a, d = (values(machine, name) for name in ("x", "dt", "B", "C", "A", "D"))
    h = start("selective-scan", given, 1)
    for t in range(length):
        h = np.exp(dt[:, t, :, None] * a) * h + (dt[:, t] * x[:, t])[..., None] * b[:, t, None, :]
        assert np.allclose(values(machine, "y")[:, t], (h * c[:, t, None, :]).sum(-1) + d[0] * x[:, t], rtol=1e-10)
    assert np.allclose(values(machine, "H"), h, rtol=1e-10)
    assert counts.flops(["multiply", "multiply-add"]) == 2 * length * 3 * (6 * 4 + 3)
    assert counts.flops(["exponential"]) == 2 * length * 3 * 4
    assert counts.bytes(["H"]) == 2 * 2 * 3 * 4 * 4


@pytest.mark.parametrize(("length", "width"), [(1, 2), (3, 4), (6, 3)])
def test_the_convolution_is_what_numpy_computes(length: int, width: int) -> None:
    import random

    given = sizes(batch=2, L=length, channels=3, d_conv=width, s_conv=2)
    counts, machine = run("convolution-causal", given, seed=5)
    source = random.Random("5 kept")
    kept = np.array([2 * source.random() - 1 for _ in range(2 * (width - 1) * 3)]).reshape(2, width - 1, 3)
    rows = np.concatenate([kept, values(machine, "x")], axis=1)
    w = values(machine, "W")
    expected = sum(rows[:, j : j + length] * w[j] for j in range(width))
    assert np.allclose(values(machine, "y"), expected, rtol=1e-10)
    assert (values(machine, "kept") == rows[:, length:]).all()
    assert counts.flops() == 2 * 2 * length * 3 * width


def test_a_convolution_of_one_is_refused() -> None:
    with pytest.raises(CountingError, match="keeps nothing"):
        run("convolution-causal", sizes(channels=1, d_conv=1, s_conv=2))


def recurrence(q: Any, k: Any, v: Any, a: Any, h: Any) -> tuple[Any, Any]:
    """``h = a h + k v``, ``y = q h``, head by head; queries and keys have one row a head already."""
    outputs = []
    for t in range(len(q)):
        h = np.exp(-abs(a[t]))[:, None, None] * h + k[t][:, :, None] * v[t][:, None, :]
        outputs.append((q[t][:, :, None] * h).sum(1))
    return np.array(outputs), h


@pytest.mark.parametrize("chunk", [1, 2, 3, 6, 8])
@pytest.mark.parametrize("groups", [1, 2])
def test_state_space_duality_in_chunks_is_the_recurrence(groups: int, chunk: int) -> None:
    given = sizes(L=6, chunk=chunk, state_groups=groups, state_heads=4, d_state=3, d_state_head=2)
    _, machine = run("ssd-chunked", given, seed=2)
    q, k = (np.repeat(values(machine, name), 4 // groups, axis=1) for name in "CB")
    y, h = recurrence(q, k, values(machine, "x"), values(machine, "a"), start("ssd-chunked", given, 2))
    assert np.allclose(values(machine, "y"), y, rtol=1e-10)
    assert np.allclose(values(machine, "H"), h, rtol=1e-10)


@pytest.mark.parametrize("chunk", [1, 2, 4, 5])
def test_linear_attention_in_chunks_is_the_recurrence(chunk: int) -> None:
    given = sizes(L=4, chunk=chunk, state_heads=2, d_state=3)
    _, machine = run("linear-attention-chunked", given, seed=3)
    q, k, v, a = (values(machine, name) for name in ("Q", "K", "V", "a"))
    y, h = recurrence(q, k, v, a, start("linear-attention-chunked", given, 3))
    assert np.allclose(values(machine, "y"), y, rtol=1e-10)
    assert np.allclose(values(machine, "H"), h, rtol=1e-10)


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("keys", [1, 2])
def test_the_delta_rule_in_chunks_is_the_recurrence(keys: int, chunk: int) -> None:
    given = sizes(L=5, key_heads=keys, state_heads=2, d_state=3, d_state_head=2)
    _, steps = run("delta-rule-recurrent", given, seed=4)
    _, machine = run("delta-rule-chunked", {**given, "chunk": Fraction(chunk)}, seed=4)
    assert np.allclose(values(machine, "y"), values(steps, "y"), rtol=1e-10)
    assert np.allclose(values(machine, "H"), values(steps, "H"), rtol=1e-10)


def test_the_delta_rule_writes_what_is_missing() -> None:
    """With full strength and no decay the state returns the value that was just written under a key of length one."""
    given = {"q": [1.0, 0.0], "k": [1.0, 0.0], "v": [0.25, -0.5], "gates": [0.0, 1.0] * 2}
    one = sizes(L=1, key_heads=1, state_heads=2, d_state=2, d_state_head=1)
    _, machine = run("delta-rule-recurrent", one, given, seed=9)
    assert np.allclose(values(machine, "y").ravel(), [0.25, -0.5])


@pytest.mark.parametrize("name", ["ssd-chunked", "delta-rule-recurrent", "delta-rule-chunked"])
def test_heads_share_evenly(name: KernelName) -> None:
    given = sizes(L=1, chunk=1, state_heads=3, state_groups=2, key_heads=2, d_state=1, d_state_head=1)
    with pytest.raises(CountingError, match="evenly"):
        run(name, given)


def test_index_scores_are_what_numpy_computes() -> None:
    given = sizes(T=2, L=5, indexer_heads=3, indexer_dim=4, s_index=1)
    counts, machine = run("indexer-scores", given, seed=6)
    q, w, k = (values(machine, name) for name in "qwk")
    expected = (np.maximum(np.einsum("thd,ld->thl", q, k), 0) * w[:, :, None]).sum(1)
    assert np.allclose(values(machine, "scores"), expected, rtol=1e-10)
    assert counts.flops() == 2 * 2 * 5 * 3 * (4 + 1)
    assert counts.bytes(["k"]) == 5 * 4


@pytest.mark.parametrize(("chosen", "others"), [(1, 0), (3, 0), (2, 4), (4, 1)])
def test_attention_to_selected_latents_is_what_numpy_computes(chosen: int, others: int) -> None:
    given = sizes(n_q=3, chosen=chosen, others=others, kv_rank=4, d_rope=2, s_kv=2)
    counts, machine = run("latent-selected", given, seed=7)
    q, rows = values(machine, "Q"), values(machine, "latents")
    total = chosen + others
    rows = rows[[*range(0, total, 2), *range(1, total, 2)][:chosen]]
    scores = q @ rows.T / np.sqrt(6)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = weights / weights.sum(axis=1, keepdims=True) @ rows[:, :4]
    assert np.allclose(values(machine, "O"), expected, rtol=1e-10)
    assert counts.flops() == 2 * 3 * chosen * (2 * 4 + 2)
    assert counts.bytes(["latents"]) == chosen * 6 * 2
