"""The named quantities that follow from a record by definition, as formulas.

A record states the few values that cannot be computed; everything here is computed from them, through the formula
language, so that each reader of formulas (exact values, SQL, the site) has it in the same form.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """A derived quantity: dotted name, formula, unit of the result, and what it means."""

    name: str
    formula: str
    unit: str
    means: str
    per_layer: bool = False


#: Quantities of one group of equal layers that the record states: name → path below the group.
LAYER_GIVEN: dict[str, tuple[tuple[str, ...], str]] = {
    "n_q": (("attention", "query_heads"), "query heads of a layer"),
    "n_kv": (("attention", "kv_heads"), "key and value heads of a layer"),
    "d_head": (("attention", "head_dim"), "width of one head"),
    "window": (("attention", "window"), "tokens that a sliding window sees"),
    "attention_bias": (("attention", "bias"), "bias parameters of the attention projections of a layer"),
    "d_ff": (("feed_forward", "width"), "inner width of the feed-forward part"),
    "feed_forward_bias": (("feed_forward", "bias"), "bias parameters of the feed-forward part of a layer"),
    "norm_parameters_per_layer": (("norm_parameters",), "parameters of the norms of a layer"),
}

#: Quantities of a model that the record states: name → field.
MODEL_GIVEN: dict[str, tuple[str, str]] = {
    "vocabulary": ("vocabulary", "rows of the embedding table"),
    "d_model": ("width", "width of the residual stream"),
    "context": ("context", "longest position that the config states"),
    "parameters.final_norm": ("final_norm_parameters", "parameters of the norm before the output head"),
}

MODEL: tuple[Definition, ...] = (
    Definition("g", "n_q / n_kv", "1", "query heads that share one key and value head", True),
    Definition("d_attention", "n_q * d_head", "1", "width of all query heads together", True),
    Definition(
        "attention_parameters_per_layer",
        "2 * d_model * n_q * d_head + 2 * d_model * n_kv * d_head",
        "param",
        "weights of the query, key, value and output projections of a layer",
        True,
    ),
    Definition(
        "feed_forward_parameters_per_layer",
        "feed_forward_matrices * d_model * d_ff",
        "param",
        "weights of the feed-forward matrices of a layer",
        True,
    ),
    Definition(
        "linear_parameters_per_layer",
        "attention_parameters_per_layer + feed_forward_parameters_per_layer",
        "param",
        "weights of a layer that multiply every token: P_layer",
        True,
    ),
    Definition(
        "parameters_per_layer",
        "linear_parameters_per_layer + attention_bias + feed_forward_bias + norm_parameters_per_layer",
        "param",
        "all parameters of a layer",
        True,
    ),
    Definition("parameters.layers", "total(parameters_per_layer)", "param", "parameters of all layers"),
    Definition("parameters.embedding", "vocabulary * d_model", "param", "parameters of the embedding table"),
    Definition(
        "parameters.head",
        "vocabulary * d_model * untied",
        "param",
        "parameters of the output head, none where it is the embedding table",
    ),
    Definition(
        "parameters.total",
        "parameters.embedding + parameters.layers + parameters.final_norm + parameters.head",
        "param",
        "all parameters of the model",
    ),
    Definition(
        "parameters.ledger_difference",
        "checkpoint.total - parameters.total",
        "param",
        "published total of the checkpoint minus the counted total",
    ),
    Definition(
        "linear_parameters",
        "total(linear_parameters_per_layer)",
        "param",
        "weights of all layers that multiply every token",
    ),
    Definition(
        "linear_flops_per_token",
        "2 * (linear_parameters + vocabulary * d_model)",
        "flop",
        "operations of all weight matrices for one token, output head included, embedding look-up not",
    ),
    Definition(
        "kv_elements_per_token_per_layer",
        "2 * n_kv * d_head",
        "element",
        "key and value elements that one token adds to the cache of a layer",
        True,
    ),
    Definition(
        "kv_bytes_per_token_per_layer",
        "kv_elements_per_token_per_layer * cache_element",
        "byte/token",
        "bytes that one token adds to the cache of a layer",
        True,
    ),
    Definition(
        "kv_bytes_per_token",
        "total(kv_bytes_per_token_per_layer)",
        "byte/token",
        "bytes that one token adds to the cache of all layers",
    ),
    Definition("weight_bytes", "parameters.total * weight_element", "byte", "bytes of all parameters"),
)

ACCELERATOR: tuple[Definition, ...] = (
    Definition(
        "memory.route",
        "num(memory.bus_width, bit) * memory.pin_rate",
        "byte/s",
        "bandwidth by the second route: bus width times pin rate",
    ),
)

FORMAT: tuple[Definition, ...] = (
    Definition(
        "bits", "element_bits + scale.bits / scale.block", "bit", "bits of one element, its share of the scale included"
    ),
)

FORMAT_WITHOUT_SCALE: tuple[Definition, ...] = (Definition("bits", "element_bits", "bit", "bits of one element"),)

#: A format that is computed with in fewer bits than it is stored in (tf32): memory is what `bits` counts.
FORMAT_STORED: tuple[Definition, ...] = (
    Definition("bits", "storage_bits", "bit", "bits that one element takes in memory"),
)

INTERCONNECT: tuple[Definition, ...] = (
    Definition(
        "route",
        "lane_rate * num(lanes, lane) * efficiency",
        "byte/s",
        "rate of one direction by the second route: lanes times rate times encoding",
    ),
)
