"""The kernels of decoding, of latent attention, of single elements and of products with scaled elements."""

from __future__ import annotations

from ridgeline.counting import attention, decode, elementwise, latent, quantised
from ridgeline.counting.kernel import Kernel, count, element, kernel

_HEADS = (
    # Tried at these multiples of the key and value heads.
    count("n_q", "query heads", 1, 3),
    count("n_kv", "key and value heads", 1, 3),
)
_HEAD = count("d_head", "width of a head", 1, 4)
_L = count("L", "tokens in the cache, or of the prompt", 1, 7)
_S_KV = element("s_kv", "bytes of an element in the cache")
_S_ACT = element("s_act", "bytes of an element of an activation")
_S_W = element("s_w", "bytes of a weight")
_S_SCALE = element("s_scale", "bytes of a scale")
_BATCH = count("batch", "sequences", 1, 3, optional=True)
_ATTENTION = (*_HEADS, _HEAD, _L, _S_KV, _S_ACT, _BATCH)
_WINDOW = (*_ATTENTION, count("window", "tokens that a token sees", 1, 5))
_LOCAL = (*_ATTENTION, count("chunk", "tokens of a chunk", 1, 4))
_LATENT = (
    count("n_q", "query heads", 1, 4),
    count("kv_rank", "width of the latent", 1, 4),
    count("d_nope", "width of a query or key head without rotary position", 1, 3),
    count("d_rope", "width of the rotary part", 1, 2),
    count("d_v", "width of a value head", 1, 5),
    count("L", "tokens in the cache, or of the prompt", 1, 6),
    _S_W, _S_KV, _S_ACT, _BATCH,
)  # fmt: skip
_TOKENS = count("tokens", "tokens", 1, 5)
_NORM = (_TOKENS, count("d_model", "width", 1, 6), _S_ACT, _S_W)
_ROWS = (count("rows", "rows of scores", 1, 5), count("columns", "scores of a row", 1, 7), _S_ACT)
_SAMPLE = (count("batch", "sequences", 1, 4), count("vocabulary", "tokens of the vocabulary", 1, 9),
           element("s_logit", "bytes of a logit"))  # fmt: skip
_FUSED = ("Q", "K", "V", "O")
_MLA = ("Q", "C", "WK", "WV", "O")

KERNELS: tuple[Kernel, ...] = (
    kernel("attention-full-tiled", attention.full_tiled,
           (*_ATTENTION, count("tile", "rows, and columns, of a tile", 1, 4)), _FUSED,
           "attention without a mask, scores on the chip, keys and values read again for each tile of rows"),
    kernel("attention-causal-window", decode.window_prompt, _WINDOW, _FUSED,
           "causal attention of a prompt through a sliding window, scores on the chip"),
    kernel("attention-decode-window", decode.window, _WINDOW, _FUSED,
           "attention of one new token through a sliding window, scores on the chip"),
    kernel("attention-decode-quantised", decode.quantised,
           (*_ATTENTION, _S_SCALE, count("block", "elements of K or V that share a scale", 1, 3)), (*_FUSED, "KS", "VS"),
           "attention of one new token, keys and values restored from codes and scales"),
    kernel("attention-decode-shared", decode.shared_prefix,
           (*_ATTENTION, count("prefix", "tokens that all sequences share", 1, 5)), (*_FUSED, "KP", "VP"),
           "attention of one new token of each sequence, keys and values of a shared prefix read once for all"),
    kernel("decode-layer", decode.layer,
           (*_HEADS, count("d_head", "width of a head", 1, 3), count("L", "tokens in the cache", 1, 5),
            count("d_model", "width", 1, 4), count("d_ff", "inner width of the feed-forward part", 1, 5),
            _S_KV, _S_ACT, _S_W, _BATCH),
           ("X", "Y", "K", "V", "WQ", "WK", "WV", "WO", "WG", "WU", "WD"),
           "a whole layer for one new token of each sequence, norms left out"),
    kernel("mla-decode-absorbed", latent.absorbed, _LATENT, _MLA,
           "latent attention of one new token, on the latent itself"),
    kernel("mla-decode-expanded", latent.expanded, _LATENT, _MLA,
           "latent attention of one new token, keys and values of all heads made anew on the chip"),
    kernel("mla-prefill", latent.prefill, _LATENT, (*_MLA, "K", "V"),
           "causal latent attention of a prompt, keys and values of all heads through memory"),
    kernel("norm-residual", elementwise.norm, _NORM, ("X", "R", "W", "Y"),
           "addition to the residual, then root-mean-square norm, as two kernels"),
    kernel("norm-residual-fused", elementwise.norm_fused, _NORM, ("X", "R", "W", "Y"),
           "addition to the residual and root-mean-square norm in one kernel"),
    kernel("gated-activation", elementwise.gated,
           (_TOKENS, count("d_ff", "inner width of the feed-forward part", 1, 6), _S_ACT), ("G", "U", "Y"),
           "SiLU of the gate times the other half"),
    kernel("rotary-kv-write", elementwise.rotary_and_write,
           (*_HEADS, count("pairs", "half the width of a head", 1, 4), _TOKENS, _S_KV, _S_ACT, _BATCH),
           ("Q", "K", "V", "R", "KC", "VC"),
           "queries and keys turned by their positions, keys and values written to the cache"),
    kernel("softmax-row", elementwise.softmax, _ROWS, ("S", "P"),
           "softmax of rows that fit on the chip"),
    kernel("softmax-passes", elementwise.softmax_passes, _ROWS, ("S", "P"),
           "softmax of rows that do not fit, in three passes"),
    kernel("softmax-online", elementwise.softmax_online, _ROWS, ("S", "P"),
           "softmax of rows that do not fit, in two passes"),
    kernel("sample-greedy", elementwise.greedy, _SAMPLE, ("X", "Y"),
           "the token with the largest logit"),
    kernel("sample-drawn", elementwise.sample, _SAMPLE, ("X", "U", "P", "Y"),
           "a token drawn from the softmax of the logits, in three passes"),
    kernel("linear-dequantised", quantised.dequantised,
           (_TOKENS, count("d_in", "width of the input", 1, 6), count("d_out", "width of the output", 1, 7),
            count("group", "rows of weights that share a scale", 1, 3), _S_W, _S_SCALE, _S_ACT),
           ("X", "W", "S", "Y"),
           "a linear layer with weights restored from codes and scales"),
    kernel("matmul-block-scaled", quantised.block_scaled,
           (count("m", "rows of A and C", 1, 5), count("n", "columns of B and C", 1, 6), count("k", "inner dimension", 1, 5),
            count("block", "elements along the inner dimension that share a scale", 1, 4),
            element("s_op", "bytes of an element of A and B"), _S_SCALE, element("s_out", "bytes of an element of C")),
           ("A", "B", "SA", "SB", "C"),
           "a matrix product with scaled blocks of both operands"),
    kernel("mla-rotary-write", latent.write,
           (count("n_q", "query heads", 1, 4), count("kv_rank", "width of the latent", 1, 5),
            count("pairs", "half the rotary width", 1, 3), _TOKENS, _S_KV, _S_ACT, _BATCH),
           ("Q", "C", "R", "CC"),
           "rotary parts turned by their positions, the latent of each new token written to the cache"),
    kernel("embedding-gather", elementwise.embedding,
           (_TOKENS, count("vocabulary", "rows of the table", 1, 7), count("d_model", "width", 1, 6), _S_W, _S_ACT),
           ("I", "E", "X"),
           "rows of the embedding table, one for each token"),
    kernel("attention-decode-local", decode.local, _LOCAL, _FUSED,
           "attention of one new token to its own chunk, scores on the chip"),
    kernel("attention-causal-local", decode.local_prompt, _LOCAL, _FUSED,
           "causal attention of a prompt in chunks that do not see each other, scores on the chip"),
)  # fmt: skip
