"""Training: gradients against NumPy and against differences, and what a step of the optimiser moves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ridgeline.counting.kernels import run
from ridgeline.counting.machine import Machine


def sizes(**given: int | str) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in given.items()}


def values(machine: Machine, name: str) -> Any:
    tensor = machine.tensors[name]
    return np.array(tensor.values).reshape(tensor.shape)


@pytest.mark.parametrize(("tokens", "d_in", "d_out"), [(1, 1, 1), (3, 2, 5), (4, 5, 2)])
def test_gradients_are_what_numpy_computes(tokens: int, d_in: int, d_out: int) -> None:
    given = sizes(tokens=tokens, d_in=d_in, d_out=d_out, s_w=2, s_act=1)
    counts, machine = run("linear-training", given, seed=1)
    x, w, dy = (values(machine, name) for name in ("X", "W", "dY"))
    assert np.allclose(values(machine, "Y"), x @ w, rtol=1e-12)
    assert np.allclose(values(machine, "dX"), dy @ w.T, rtol=1e-12)
    assert np.allclose(values(machine, "dW"), x.T @ dy, rtol=1e-12)
    assert counts.flops() == 6 * tokens * d_in * d_out
    assert counts.bytes(["W", "dW"]) == 3 * d_in * d_out * 2
    assert counts.bytes(["X", "Y", "dX", "dY"]) == 3 * tokens * (d_in + d_out)


def test_a_step_against_the_gradient_lowers_the_loss() -> None:
    """The gradient of a sum of outputs, by a small step along one weight."""
    _, machine = run("linear-training", sizes(tokens=2, d_in=3, d_out=2, s_w=1, s_act=1), {"dY": [1.0] * 4}, seed=2)
    x, w, dw = (values(machine, name) for name in ("X", "W", "dW"))
    bumped = w.copy()
    bumped[1, 0] += 1e-6
    assert np.isclose(((x @ bumped).sum() - (x @ w).sum()) / 1e-6, dw[1, 0], rtol=1e-6)


@pytest.mark.parametrize("parameters", [1, 4])
def test_the_optimiser_moves_its_moments_and_weights_both_ways(parameters: int) -> None:
    counts, machine = run("adam-step", sizes(parameters=parameters, s_grad=2, s_w=2), seed=3)
    assert counts.bytes(["W", "m", "v"]) == parameters * 3 * 8
    assert counts.bytes() == parameters * (24 + 2 + 2)
    assert (values(machine, "copy") == values(machine, "W")).all()


def test_the_first_moment_moves_towards_the_gradient() -> None:
    given = {"W": [1.0], "m": [0.5], "v": [0.25], "dW": [1.5]}
    _, machine = run("adam-step", sizes(parameters=1, s_grad=4, s_w=2), given)
    assert np.isclose(values(machine, "m")[0, 0], 0.9 * 0.5 + 0.1 * 1.5)
    v = 0.95 * 0.25 + 0.05 * 1.5**2
    assert np.isclose(values(machine, "v")[0, 0], v)
    step = 1e-3 * 0.6 / (np.sqrt(v) + 1e-8)
    assert np.isclose(values(machine, "W")[0, 0], 1 - 1e-4 - step)
