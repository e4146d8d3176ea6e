"""The words of counting: which kernels there are, what they do, and how their traffic is taken.

Records use these words, so they stand apart from the kernels themselves.
"""

from __future__ import annotations

from typing import Literal

KernelName = Literal[
    "attention-causal-naive",
    "attention-causal-masked",
    "attention-causal-tiled",
    "attention-full",
    "attention-chunk",
    "attention-decode",
    "linear",
    "matmul-tiled",
]

#: A multiply-add is two operations, each of the others one.
Operation = Literal["multiply-add", "add", "multiply", "divide", "compare", "exponential"]

#: ``total``: every transfer. ``compulsory``: the first read and the first write of each element, as if whatever is used
#: again were still on the chip.
Traffic = Literal["total", "compulsory"]
