"""Collectives: what each device ends with, and what it has sent."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ridgeline.counting.kernels import run
from ridgeline.counting.machine import Machine
from ridgeline.counting.names import KernelName

RANKS = (1, 2, 3, 4, 7)


def sizes(**given: int | str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in {"s_act": 2, **given}.items()}


def values(machine: Machine, name: str) -> Any:
    tensor = machine.tensors[name]
    return np.array(tensor.values).reshape(tensor.shape)


@pytest.mark.parametrize("n", RANKS)
@pytest.mark.parametrize("name", ["all-reduce-ring", "all-reduce-direct", "all-reduce-switch"])
def test_every_device_ends_with_the_sum(name: KernelName, n: int) -> None:
    counts, machine = run(name, sizes(devices=n, part=3), seed=1)
    x, y = values(machine, "X").reshape(n, -1), values(machine, "Y").reshape(n, -1)
    assert np.allclose(y, np.tile(x.sum(axis=0), (n, 1)), rtol=1e-12)
    message = n * 3 * 2
    each = {
        "all-reduce-ring": Fraction(2 * (n - 1), n),
        "all-reduce-direct": Fraction(n - 1),
        "all-reduce-switch": Fraction(1),
    }[name]
    assert counts.bytes(["sent"]) == n * each * message
    adds = {"all-reduce-ring": 1, "all-reduce-direct": n, "all-reduce-switch": 1}[name]
    assert counts.flops(["add"]) == adds * (n - 1) * n * 3


@pytest.mark.parametrize("n", RANKS)
def test_a_scatter_leaves_one_part_of_the_sum(n: int) -> None:
    counts, machine = run("reduce-scatter-ring", sizes(devices=n, part=2), seed=2)
    total = values(machine, "X").sum(axis=0)
    y = values(machine, "Y")
    for device in range(n):
        assert np.allclose(y[device, 0], total[(device + 1) % n], rtol=1e-12)
    assert counts.bytes(["sent"]) == (n - 1) * n * 2 * 2


@pytest.mark.parametrize("n", RANKS)
def test_a_gather_ends_with_all_parts(n: int) -> None:
    counts, machine = run("all-gather-ring", sizes(devices=n, part=2), seed=3)
    parts = values(machine, "X")[:, 0]
    assert (values(machine, "Y") == np.tile(parts, (n, 1, 1))).all()
    assert counts.bytes(["sent"]) == (n - 1) * n * 2 * 2


@pytest.mark.parametrize("n", RANKS)
def test_all_to_all_is_a_transposition(n: int) -> None:
    counts, machine = run("all-to-all", sizes(devices=n, part=4), seed=4)
    assert (values(machine, "Y") == values(machine, "X").transpose(1, 0, 2)).all()
    assert counts.bytes(["sent"]) == n * (n - 1) * 4 * 2


@pytest.mark.parametrize(("stages", "tokens"), [(1, 3), (2, 3), (4, 1)])
def test_a_pipeline_sends_at_each_boundary(stages: int, tokens: int) -> None:
    counts, _ = run("pipeline", sizes(stages=stages, tokens=tokens, d_model=5))
    assert counts.bytes(["sent"]) == (stages - 1) * tokens * 5 * 2
