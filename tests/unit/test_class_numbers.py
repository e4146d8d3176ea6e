"""Numbers that explanations of attention and batching print, worked out again with the formulas of the workload classes.

The first table holds printed numbers that are right: each must round to what is printed. The second holds printed numbers that
are wrong: each with the value that follows from the records, and what was left out or put in. The third holds what a program
printed of its own run, columns that follow from one of them and from the sizes.
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
    # Ridge points that are called "near 150" and "close to 295", the second from a rounded peak.
    ("decode-linear", "num(a100.ridge.bf16, flop/byte) / 10", "15"),
    ("decode-linear", "989 / num(h100.memory.bandwidth, TB/s)", "295"),
    # A prompt of 2,048 tokens has that many operations for a byte of weights; a step at batch one has one.
    ("prefill-linear", "num(intensity(llama, L=2048), flop/byte)", "2048"),
    ("decode-linear", "intensity(llama, batch=1)", "1"),
    # What the first list of one matrix says of its growth.
    ("decode-linear", "matrix_flops(batch=4096) / matrix_flops(batch=1)", "4096"),
    ("decode-linear", "matrix_bytes(batch=4096) / matrix_bytes(batch=1)", "3"),
    # Pairs of a class of ten and of twenty that compares notes, and the scores of a prompt.
    ("prefill-attention-unfused", "score_elements_per_head(L=10)", "100"),
    ("prefill-attention-unfused", "score_elements_per_head(L=20)", "400"),
    ("prefill-attention-unfused", "score_elements_per_head(L=1024) / 10^6", "1"),
    ("prefill-attention-unfused", "score_elements_per_head(L=32768) / 10^9", "1"),
    # Over 16 billion: the excess of a binary over a decimal 16.
    ("prefill-attention-unfused", "score_elements_per_head(L=131072) / 2^30", "16"),
    # A table in single precision that leaves the result out: Q, K and V of one head of width 128, and scores over them.
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=4096, s_act=4), MiB)", "64"),
    ("prefill-attention-unfused", "num(3 / 4 * head_bytes(d_head=128, L=4096, s_act=4), MiB)", "6"),
    ("prefill-attention-unfused", "num(3 / 4 * head_bytes(d_head=128, L=32768, s_act=4), MiB)", "48"),
    ("prefill-attention-unfused", "num(3 / 4 * head_bytes(d_head=128, L=131072, s_act=4), MiB)", "192"),
    ("prefill-attention-unfused", "num(3 / 4 * head_bytes(d_head=128, L=1048576, s_act=4), GiB)", "1.5"),
    ("prefill-attention-unfused", "num(score_bytes_per_head(L=1048576, s_act=4), TiB)", "4"),
    # On the chip: registers of a unit, and what is beside them on all 108.
    ("prefill-attention-unfused", "num(a100.register_file.per_unit, KiB)", "256"),
    ("prefill-attention-unfused", "num(a100.units.count, unit)", "108"),
    ("prefill-attention-unfused", "num(a100.l1.per_unit, KiB)", "192"),
    ("prefill-attention-unfused", "num(a100.l1.per_unit * a100.units.count, MB) / as(1, unit) / 10", "2"),
    # "Around ten times quicker": 19 TB/s against 1.5 to 2.0.
    ("prefill-attention-unfused", "19 / num(a100.memory.bandwidth, TB/s) / 10", "1"),
    ("prefill-attention-unfused", "19 / num(a100_40.memory.bandwidth, TB/s) / 10", "1"),
    ("prefill-attention-unfused", "num(a100_40.memory.bandwidth, TB/s)", "1.6"),
    ("prefill-attention-unfused", "num(a100.memory.bandwidth, TB/s)", "2.0"),
    # Peaks, and shares of them that papers print.
    ("prefill-attention", "num(a100.peak.fp16, TFLOP/s)", "312"),
    ("prefill-attention", "as(225, TFLOP/s) / a100.peak.bf16", "0.72"),
    ("prefill-attention", "as(740, TFLOP/s) / h100.peak.fp16", "0.75"),
    ("prefill-attention", "as(1613, TFLOP/s) / b200.peak.bf16", "0.717"),
    # Blocks that a causal kernel skips: about half in long sequences.
    ("prefill-attention", "skipped_share(L=131072)", "0.5"),
    # Grouped heads and latents.
    ("decode-attention", "llama70.n_q / llama70.n_kv", "8"),
    ("decode-attention-mla", "v2.kv_rank", "512"),
    ("decode-attention-mla", "v2.d_model", "5120"),
    ("decode-attention-mla", "v2.n_q * v2.d_v", "16384"),
    ("decode-attention-mla", "num(v3.parameters.total, param) / 10^9", "671"),
    # The made-up shape again: a prompt 32 times as long costs 110 times as much, the matrices alone only their length.
    ("prefill-linear", "shape_prefill_flops(L=131072) / shape_prefill_flops(L=4096) / 10", "11"),
    ("prefill-linear", "shape_linear_flops(L=65536) / shape_linear_flops(L=32768)", "2"),
    # A step at 128K reads almost as many bytes of cache as of weights.
    ("decode-step", "131072 * num(shape_cache, byte/token) / num(shape_parameters * s_w, byte)", "0.9"),
    # Forward and backward of GPT-2 medium, 64 sequences of 1,024: what the paper's times and bytes come to.
    ("prefill-attention-unfused", "40.3 / 4.4", "9.2"),
    ("prefill-attention-unfused", "41.7 / 7.3", "5.7"),
    ("prefill-attention-unfused", "num(3 * flops(n_q=16, d_head=64, L=1024, batch=64), GFLOP)", "825"),
    # The largest memory of the plain NumPy version at 4,096 rows in double precision: three arrays of scores.
    ("prefill-attention-unfused", "num(3 * score_bytes_per_head(L=4096, s_act=8), MB)", "402.7"),
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
    # "Within 85-90% of the limit" at 1.5 to 2.0 PFLOP/s: the paper has 740 TFLOP/s in FP16, and in FP8 close to 1.2 PFLOP/s.
    ("prefill-attention", "740 / num(h100.peak.fp16, TFLOP/s)", "3700/4947", "1.17"),
    # "624 TB/s": a peak times the bytes of an element is no bandwidth; the comparison is a quotient, 153 flop/byte.
    ("prefill-attention", "num(a100.ridge.fp16, flop/byte)", "312000/2039", "4.078"),
    # "100 times": the memory on the chip against the one beside it, by the paper's estimate of the first.
    ("prefill-attention", "19 / num(a100.memory.bandwidth, TB/s)", "19000/2039", "10.7316"),
    # "About 93%" is against another model; its own keys and values would be 71 times the latents.
    ("decode-attention-mla", "1 - 1 / cache_ratio(v2)", "631/640", "0.9433"),
]
SUBJECTS = {
    "h100": "accelerators/nvidia-h100-sxm",
    "llama": "models/llama-3.1-8b",
    "llama70": "models/llama-2-70b",
    "v3": "models/deepseek-v3",
    "v2": "models/deepseek-v2",
    "a100": "accelerators/nvidia-a100-sxm-80gb",
    "a100_40": "accelerators/nvidia-a100-sxm-40gb",
    "b200": "accelerators/nvidia-b200",
    "a6000": "accelerators/nvidia-rtx-a6000",
}
PRINTED_WRONG = [
    *("16", "256", "4", "64", "20", "262.144", "32.768", "113.78"),
    *("0.875", "624", "100", "0.93"),
]

#: Batch, ms of a call, TFLOP/s, GB/s, µs of a token, as a program printed them for one matrix of 4,096 on an RTX A6000.
PRINTED_RUN = [
    ("1", "0.081", "0.4", "412", "81.39"),
    ("8", "0.064", "4.2", "528", "7.98"),
    ("64", "0.096", "22.4", "360", "1.50"),
    ("512", "0.182", "94.1", "230", "0.36"),
    ("4096", "1.392", "98.7", "72", "0.34"),
]


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


def _claimed(printed: str) -> tuple[Fraction, Fraction]:
    """What a printed number may be rounded from."""
    half = Fraction(Decimal(1).scaleb(int(Decimal(printed).as_tuple().exponent))) / 2
    return Fraction(printed) - half, Fraction(printed) + half


@pytest.mark.parametrize("row", PRINTED_RUN)
def test_the_columns_of_a_printed_run_follow_from_its_time(lookup: Lookup, row: tuple[str, ...]) -> None:
    """Each column allows a range of times; all columns together must leave one."""
    batch, call, rate, bandwidth, token = row
    flops = lookup.evaluate(f"matrix_flops(batch={batch})", "decode-linear", SUBJECTS, {}).quantity.middle
    moved = lookup.evaluate(f"matrix_bytes(batch={batch})", "decode-linear", SUBJECTS, {}).quantity.middle
    ranges = [
        tuple(bound / 1000 for bound in _claimed(call)),
        tuple(bound * int(batch) / 10**6 for bound in _claimed(token)),
    ]
    ranges += [(flops / high / 10**12, flops / low / 10**12) for low, high in (_claimed(rate),)]
    ranges += [(moved / high / 10**9, moved / low / 10**9) for low, high in (_claimed(bandwidth),)]
    assert max(low for low, _ in ranges) <= min(high for _, high in ranges)


@pytest.mark.parametrize(
    ("name", "batch", "time", "printed"),
    [
        ("achieved_bandwidth(batch={batch}, run_time=as({time}, us)) / as(1, GB/s)", "1", "81.39", "412"),
        ("achieved_rate(batch={batch}, run_time=as({time}, us)) / as(1, TFLOP/s)", "4096", "1392", "98.7"),
        # "Over half the quoted 768 GB/s", "a rounding error of the available arithmetic".
        ("bandwidth_share(a6000, bf16, batch={batch}, run_time=as({time}, us))", "1", "81.39", "0.54"),
        ("rate_share(a6000, bf16, batch={batch}, run_time=as({time}, us))", "1", "81.39", "0.003"),
        ("rate_share(a6000, bf16, batch={batch}, run_time=as({time}, us))", "4096", "1392", "0.64"),
        # "A factor of roughly 200", from 81 to 0.36 microseconds a token.
        (
            "row_time(batch=1, run_time=as(81.39, us)) / row_time(batch={batch}, run_time=as({time}, us))",
            "512",
            "182",
            "229",
        ),
    ],
)
def test_a_timing_says_how_near_the_roofs_it_came(
    lookup: Lookup, name: str, batch: str, time: str, printed: str
) -> None:
    expression = name.format(batch=batch, time=time)
    value = lookup.evaluate(expression, "decode-linear", SUBJECTS, {}).quantity.middle
    low, high = _claimed(printed)
    assert low <= value <= high, float(value)


@pytest.mark.parametrize("row", PRINTED_RUN)
def test_no_printed_run_passes_a_roof(lookup: Lookup, row: tuple[str, ...]) -> None:
    batch, call = row[0], row[1]
    for share in ("bandwidth_share", "rate_share"):
        expression = f"{share}(a6000, bf16, batch={batch}, run_time=as({call}, ms))"
        assert lookup.evaluate(expression, "decode-linear", SUBJECTS, {}).quantity.middle < 1
