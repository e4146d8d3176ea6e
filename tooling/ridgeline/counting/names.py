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
    "attention-full-tiled",
    "attention-causal-window",
    "attention-decode-window",
    "attention-decode-quantised",
    "attention-decode-shared",
    "decode-layer",
    "mla-decode-absorbed",
    "mla-decode-expanded",
    "mla-prefill",
    "norm-residual",
    "norm-residual-fused",
    "gated-activation",
    "rotary-kv-write",
    "softmax-row",
    "softmax-passes",
    "softmax-online",
    "sample-greedy",
    "sample-drawn",
    "linear-dequantised",
    "matmul-block-scaled",
    "mla-rotary-write",
    "embedding-gather",
    "attention-decode-local",
    "attention-causal-local",
    "experts-grouped",
    "experts-any-routing",
    "experts-dispatch",
    "selective-scan",
    "convolution-causal",
    "ssd-chunked",
    "linear-attention-chunked",
    "delta-rule-recurrent",
    "delta-rule-chunked",
    "indexer-scores",
    "latent-selected",
    "all-reduce-ring",
    "all-reduce-direct",
    "all-reduce-switch",
    "reduce-scatter-ring",
    "all-gather-ring",
    "all-to-all",
    "pipeline",
    "linear-training",
    "adam-step",
]

#: A multiply-add is two operations, each of the others one.
Operation = Literal["multiply-add", "add", "multiply", "divide", "compare", "exponential"]

#: ``total``: every transfer. ``compulsory``: the first read and the first write of each element, as if whatever is used
#: again were still on the chip.
Traffic = Literal["total", "compulsory"]
