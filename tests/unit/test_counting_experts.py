"""Experts: what the kernels compute, against NumPy; what a batch touches, against enumeration and the closed form."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ridgeline.counting.kernels import run
from ridgeline.counting.machine import CountingError, Machine


def sizes(**given: int | str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in given.items()}


def values(machine: Machine, name: str) -> Any:
    tensor = machine.tensors[name]
    return np.array(tensor.values).reshape(tensor.shape)


@pytest.mark.parametrize("matrices", [2, 3])
@pytest.mark.parametrize(("tokens", "active", "idle"), [(1, 1, 0), (4, 2, 3), (3, 2, 0), (5, 3, 4)])
def test_each_expert_is_what_numpy_computes(tokens: int, active: int, idle: int, matrices: int) -> None:
    given = sizes(tokens=tokens, active=active, idle=idle, d_model=3, d_expert=4, matrices=matrices, s_w=1, s_act=1)
    _, machine = run("experts-grouped", given, seed=3)
    x, w, y = (values(machine, name) for name in "XWY")
    for token in range(tokens):
        chosen = [(token * active + slot) % (active + idle) for slot in range(active)]
        assert len(set(chosen)) == active
        for slot, expert in enumerate(chosen):
            inner = x[token] @ w[expert, 0]
            inner = np.maximum(inner, 0) if matrices == 2 else inner * (x[token] @ w[expert, 1])
            assert np.allclose(y[token, slot], w[expert, -1] @ inner, rtol=1e-12)


@pytest.mark.parametrize(("tokens", "active", "idle"), [(1, 2, 3), (2, 2, 3), (3, 2, 3), (7, 3, 2)])
def test_weights_are_read_once_for_each_expert_touched(tokens: int, active: int, idle: int) -> None:
    given = sizes(tokens=tokens, active=active, idle=idle, d_model=2, d_expert=3, matrices=3, s_w=1, s_act=1)
    counts, _ = run("experts-grouped", given)
    touched = min(active + idle, tokens * active)
    assert counts.bytes(["W"]) == touched * 3 * 2 * 3
    assert counts.flops() == 2 * tokens * active * 3 * 2 * 3


def test_an_expert_has_two_or_three_matrices() -> None:
    with pytest.raises(CountingError, match="two matrices, or three"):
        run("experts-grouped", sizes(tokens=1, active=1, idle=0, d_model=1, d_expert=1, matrices=4, s_w=1, s_act=1))


@pytest.mark.parametrize(("tokens", "active", "idle"), [(1, 1, 0), (1, 2, 2), (2, 1, 3), (3, 2, 1), (3, 2, 2)])
def test_the_mean_of_all_routings_is_the_closed_form(tokens: int, active: int, idle: int) -> None:
    experts = active + idle
    counts, _ = run("experts-any-routing", sizes(tokens=tokens, active=active, idle=idle, parameters=5, s_w=2))
    routings = list(itertools.product(itertools.combinations(range(experts), active), repeat=tokens))
    mean = Fraction(sum(len(set(itertools.chain(*r))) for r in routings), len(routings))
    assert counts.bytes() == mean * 5 * 2
    assert mean == experts * (1 - (1 - Fraction(active, experts)) ** tokens)


@pytest.mark.parametrize(("devices", "tokens", "active"), [(1, 2, 2), (2, 1, 1), (3, 2, 2), (4, 3, 2)])
def test_a_slot_crosses_a_link_unless_its_expert_is_at_home(devices: int, tokens: int, active: int) -> None:
    given = sizes(devices=devices, tokens=tokens, active=active, d_model=3, s_dispatch=1, s_combine=2)
    counts, _ = run("experts-dispatch", given)
    remote = Fraction(devices * tokens * active * (devices - 1), devices)
    assert counts.bytes(["sent"]) == remote * 3
    assert counts.bytes(["returned"]) == remote * 3 * 2
