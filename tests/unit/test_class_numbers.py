"""Numbers that explanations of attention and batching print, worked out again with the formulas of the workload classes.

The first table holds printed numbers that are right: each must round to what is printed. The second holds printed numbers that
are wrong: each with the value that follows from the records, and what was left out or put in.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.lookup import Lookup

#: 36 layers, 4,608 wide, 36 query heads and 6 key and value heads of width 128: a shape that belongs to no model.
_HEADS = "n_q=36, d_qk=128, d_v=128"
_CACHE = f"36 * cache_bytes({_HEADS}, n_kv=6"

RIGHT = [
    # One matrix of 4,096 by 4,096, two bytes an element.
    ("decode-linear", "matrix_flops(batch=1)", "33554432"),
    ("decode-linear", "matrix_bytes(batch=1)", "33570816"),
    ("decode-linear", "matrix_intensity(batch=1)", "1.00"),
    ("decode-linear", "matrix_flops(batch=8)", "268435456"),
    ("decode-linear", "matrix_bytes(batch=8)", "33685504"),
    ("decode-linear", "matrix_intensity(batch=8)", "7.97"),
    ("decode-linear", "matrix_flops(batch=64)", "2147483648"),
    ("decode-linear", "matrix_bytes(batch=64)", "34603008"),
    ("decode-linear", "matrix_intensity(batch=64)", "62.06"),
    ("decode-linear", "matrix_flops(batch=512)", "17179869184"),
    ("decode-linear", "matrix_bytes(batch=512)", "41943040"),
    ("decode-linear", "matrix_intensity(batch=512)", "409.60"),
    ("decode-linear", "matrix_flops(batch=4096)", "137438953472"),
    ("decode-linear", "matrix_bytes(batch=4096)", "100663296"),
    ("decode-linear", "matrix_intensity(batch=4096)", "1365.33"),
    ("decode-linear", "num(h100.ridge.bf16, flop/byte)", "295"),
    # The cache of the made-up shape.
    ("decode-attention", f"{_CACHE}, L=1)", "110592"),
    ("decode-attention", f"num({_CACHE}, L=1), KiB)", "108"),
    ("decode-attention", f"num({_CACHE}, L=4096), GB)", "0.45"),
    ("decode-attention", f"num({_CACHE}, L=32768), GB)", "3.62"),
    ("decode-attention", f"num({_CACHE}, L=131072), GB)", "14.5"),
    ("decode-attention", f"num(36 * cache_bytes({_HEADS}, n_kv=36, L=1), KiB)", "648"),
    ("decode-attention", f"num(36 * cache_bytes({_HEADS}, n_kv=36, L=131072), GB)", "87"),
    ("decode-attention", f"num(36 * answer_flops({_HEADS}, L=4096, answer=1000), TFLOP)", "3.0"),
    ("decode-attention", f"num(36 * answer_flops({_HEADS}, L=131072, answer=1000), TFLOP)", "87.3"),
    ("decode-step", "shape_overtake / 1000", "143"),
    # Its prompts.
    ("prefill-linear", "shape_L_star / 2 / 100", "238"),
    ("prefill-linear", "shape_L_star / 100", "476"),
    ("prefill-linear", "shape_full_attention_flops(L=65536) / shape_full_attention_flops(L=32768)", "4"),
    ("prefill-linear", "shape_full_prefill_flops(L=65536) / shape_full_prefill_flops(L=32768)", "3.16"),
    ("prefill-linear", "num(shape_prefill_flops(L=4096), TFLOP)", "70.3"),
    ("prefill-linear", "num(shape_prefill_flops(L=131072), TFLOP)", "7770.5"),
    ("prefill-linear", "num(shape_time(L=4096), s)", "0.18"),
    ("prefill-linear", "num(shape_time(L=131072), s)", "19.4"),
    # Its scores.
    ("prefill-attention-unfused", "num(score_bytes_per_layer(n_q=36, L=32768), GB)", "77.3"),
    ("prefill-attention-unfused", "num(score_bytes_per_layer(n_q=36, L=131072), GB)", "1237"),
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=131072), GB)", "34.4"),
    # Latent attention, both products counted.
    ("decode-attention-mla", "intensity(v3)", "242"),
    # The limits of a step: the batch, and what a token computes over what a sequence keeps.
    ("decode-step", "intensity_short_context(llama, batch=7)", "7"),
    # P / (2·S·n_layers·n_kv·d_head) = (6,979,321,856 + 525,336,576) / (2·4,096·32·8·128)
    ("decode-step", "linear_intensity_large_batch(llama, L=4096)", "27.96"),
]

#: Class, expression, right value, factor by which the printed number misses it.
WRONG = [
    # Score matrices printed at twice the size of one head in two bytes an element: 16 MB, 256 MB, 4 GB, 64 GB.
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=2048), MiB)", "8", "2"),
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=8192), MiB)", "128", "2"),
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=32768), GiB)", "2", "2"),
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=131072), GiB)", "32", "2"),
    # "20 GB per layer" is one head of sixty-four.
    ("prefill-attention-unfused", "num(score_bytes_per_layer(n_q=64, L=100000), GB)", "1280", "1/64"),
    # "262 GB" and "32.8 GB" leave the batch of four out.
    ("decode-attention", "num(step_bytes(llama70, n_kv=64, L=100000, batch=4), GB)", "1048.576", "1/4"),
    ("decode-attention", "num(step_bytes(llama70, L=100000, batch=4), GB)", "131.072", "1/4"),
    # 114 flop/byte counts one of the two products of absorbed latent attention, 128 · 2 · 512 / 576 / 2.
    ("decode-attention-mla", "num(intensity(v3), flop/byte)", "2176/9", "8/17"),
]
SUBJECTS = {
    "h100": "accelerators/nvidia-h100-sxm",
    "llama": "models/llama-3.1-8b",
    "llama70": "models/llama-2-70b",
    "v3": "models/deepseek-v3",
}
PRINTED_WRONG = ["16", "256", "4", "64", "20", "262.144", "32.768", "113.78"]


@pytest.fixture(scope="module")
def lookup(repository: Path) -> Lookup:
    return Lookup(repository)


@pytest.mark.parametrize(("workload", "expression", "printed"), RIGHT)
def test_a_printed_number_follows_from_the_classes(
    lookup: Lookup, workload: str, expression: str, printed: str
) -> None:
    value = lookup.evaluate(expression, workload, SUBJECTS, {}).quantity.middle
    half = Fraction(Decimal(1).scaleb(int(Decimal(printed).as_tuple().exponent))) / 2
    assert abs(value - Fraction(printed)) <= half, float(value)


@pytest.mark.parametrize(("row", "printed"), list(zip(WRONG, PRINTED_WRONG, strict=True)))
def test_a_wrong_number_misses_by_what_was_left_out(
    lookup: Lookup, row: tuple[str, str, str, str], printed: str
) -> None:
    workload, expression, right, factor = row
    value = lookup.evaluate(expression, workload, SUBJECTS, {}).quantity.middle
    assert value == Fraction(right)
    assert abs(Fraction(printed) / (value * Fraction(factor)) - 1) < Fraction(1, 1000)
