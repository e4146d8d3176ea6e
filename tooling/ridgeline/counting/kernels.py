"""The closed list of kernels: what each computes, its sizes, and the small values at which it is tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ridgeline.counting import attention, collectives, experts, linear, serving, state, training
from ridgeline.counting.kernel import Kernel
from ridgeline.counting.kernel import count as _count
from ridgeline.counting.kernel import element as _element
from ridgeline.counting.kernel import kernel as _kernel
from ridgeline.counting.machine import CountingError, Counts, Machine, Sizes
from ridgeline.counting.names import KernelName

__all__ = ["KERNELS", "Kernel", "run"]


def run(
    name: KernelName, sizes: Sizes, given: Mapping[str, Sequence[float]] | None = None, seed: int = 0
) -> tuple[Counts, Machine]:
    """Run a kernel; what it took, and the machine with its tensors. Raises :class:`CountingError` for sizes it cannot take."""
    kernel = KERNELS[name]
    complete = {n: Fraction(1) for n, size in kernel.sizes.items() if size.optional} | dict(sizes)
    missing = [n for n in kernel.sizes if n not in complete]
    if missing:
        raise CountingError(f"{name} needs the size {missing[0]}")
    if any(complete[n] <= 0 for n, size in kernel.sizes.items() if size.unit == "byte"):
        raise CountingError("an element has more than no bytes")
    machine = Machine(given or {}, seed)
    kernel.run(machine, complete)
    return machine.counts, machine


_HEADS = (
    # Tried at these multiples of the key and value heads.
    _count("n_q", "query heads", 1, 3),
    _count("n_kv", "key and value heads", 1, 3),
    _count("d_head", "width of a head", 1, 4),
)
_ELEMENTS = (
    _element("s_kv", "bytes of an element of K or V"),
    _element("s_act", "bytes of an element of Q, of O and of the scores"),
    _count("batch", "sequences", 1, 3, optional=True),
)
_PROMPT = (*_HEADS, _count("L", "tokens of the prompt", 1, 7), *_ELEMENTS)
_TILED = (*_PROMPT, _count("tile", "rows, and columns, of a tile", 1, 4))
_CHUNK = (*_HEADS, _count("chunk", "new tokens", 1, 5), _count("offset", "tokens before the chunk", 0, 4), *_ELEMENTS)
_DECODE = (*_HEADS, _count("L", "tokens in the cache", 1, 9), *_ELEMENTS)
_LINEAR = (
    _count("tokens", "tokens of a sequence", 1, 5),
    _count("d_in", "width of the input", 1, 6),
    _count("d_out", "width of the output", 1, 7),
    _element("s_w", "bytes of a weight"),
    _element("s_act", "bytes of an element of X and Y"),
    _count("batch", "sequences", 1, 3, optional=True),
)
_MATMUL = (
    _count("m", "rows of A and C", 1, 7),
    _count("n", "columns of B and C", 1, 6),
    _count("k", "columns of A, rows of B", 1, 5),
    _count("tile", "rows, and columns, of a tile", 1, 4),
    _element("s_act", "bytes of an element"),
)
_FUSED = ("Q", "K", "V", "O")
_SPILLED = (*_FUSED, "S", "P")


KERNELS: dict[str, Kernel] = {
    k.name: k
    for k in (
        _kernel("attention-causal-naive", attention.causal_naive, _PROMPT, _SPILLED,
                "causal attention, scores in memory, nothing computed behind the mask"),
        _kernel("attention-causal-masked", attention.causal_masked, _PROMPT, _SPILLED,
                "causal attention, the whole score matrix in memory"),
        _kernel("attention-causal-tiled", attention.causal_tiled, _TILED, _FUSED,
                "causal attention, scores on the chip, whole tiles behind the mask skipped"),
        _kernel("attention-full", attention.full, _PROMPT, _SPILLED,
                "attention without a mask, scores in memory"),
        _kernel("attention-chunk", attention.chunk, _CHUNK, _FUSED,
                "causal attention of one chunk of a prompt, scores on the chip"),
        _kernel("attention-decode", attention.decode, _DECODE, _FUSED,
                "attention of one new token, scores on the chip"),
        _kernel("linear", linear.linear, _LINEAR, ("X", "W", "Y"),
                "a linear layer, each weight read once for all tokens"),
        _kernel("matmul-tiled", linear.matmul_tiled, _MATMUL, ("A", "B", "C"),
                "a matrix product, one tile of the result at a time"),
        *serving.KERNELS,
        *experts.KERNELS,
        *state.KERNELS,
        *collectives.KERNELS,
        *training.KERNELS,
    )
}  # fmt: skip
