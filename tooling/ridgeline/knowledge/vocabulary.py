"""The named quantities that follow from a record by definition, as formulas.

A record states the few values that cannot be computed; everything here is computed from them, through the formula
language, so that each reader of formulas (exact values, SQL, the site) has it in the same form.
"""

from __future__ import annotations

from ridgeline.knowledge import layers
from ridgeline.knowledge.definition import Definition

#: Quantities of a model that the record states: name → field.
MODEL_GIVEN: dict[str, tuple[str, str]] = {
    "vocabulary": ("vocabulary", "rows of the embedding table"),
    "d_model": ("width", "width of the residual stream"),
    "vocabulary_used": ("vocabulary_used", "tokens of the tokenizer, padding rows of the embedding table left out"),
    "context": ("context", "longest position that the config states"),
    "positions": ("positions", "rows of the learned table of positions"),
    "parameters.embedding_norm": ("embedding_norm_parameters", "parameters of the norm behind the embedding"),
    "parameters.final_norm": ("final_norm_parameters", "parameters of the norm before the output head"),
}
#: Those that are named only where they are there: their absence is no gap.
MODEL_OPTIONAL = frozenset({"vocabulary_used", "positions", "parameters.embedding_norm"})

#: Names of single layers that records state; a layer that lacks one counts as nothing in a total.
LAYER_GIVEN: tuple[str, ...] = layers.every_given()

#: Quantities of whole models that all have.
WHOLE: tuple[Definition, ...] = (
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
        "parameters.active_without_embeddings",
        "total(active_parameters_per_layer) + parameters.final_norm",
        "param",
        "active parameters, neither embedding table nor output head counted",
    ),
    Definition(
        "parameters.active_without_input_embedding",
        "parameters.active_without_embeddings + vocabulary * d_model",
        "param",
        "active parameters, output head counted (also where it is the embedding table), embedding look-up not",
    ),
    Definition(
        "parameters.active_with_embeddings",
        "parameters.active_without_embeddings + parameters.embedding + parameters.head",
        "param",
        "active parameters, embedding table and output head counted",
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
        "attention_flops_per_token",
        "total(attention_flops_per_token_per_layer)",
        "flop",
        "operations of the attention of all layers for one token that sees L tokens, windows and chunks capped",
    ),
    Definition(
        "kv_bytes_per_token",
        "total(kv_bytes_per_token_per_layer)",
        "byte/token",
        "bytes that one token adds to the cache of all layers",
    ),
    Definition(
        "kv_bytes_per_token_beyond_window",
        "total(kv_bytes_per_token_beyond_window_per_layer)",
        "byte/token",
        "bytes that one token adds to the caches once all windows and chunks are full",
    ),
    Definition(
        "kv_bytes",
        "total(kv_bytes_per_layer)",
        "byte",
        "bytes in the caches of all layers, L tokens into a sequence, windows and chunks capped",
    ),
    Definition(
        "kv_bytes_per_token_average",
        "kv_bytes / L",
        "byte/token",
        "bytes in the caches of all layers for each of the L tokens of a sequence",
    ),
    Definition(
        "kv_bytes_at_context",
        "kv_bytes(L=as(context, token))",
        "byte",
        "bytes in the caches of all layers for a sequence of the longest context",
    ),
    Definition(
        "state_bytes",
        "total(state_bytes_per_layer)",
        "byte",
        "bytes of state that all layers keep for a sequence, whatever its length",
    ),
    Definition("weight_bytes", "parameters.total * weight_element", "byte", "bytes of all parameters"),
)

EXPERTS = Definition(
    "parameters.experts",
    "total(expert_parameters_per_layer)",
    "param",
    "weights of all routed experts of all layers, biases left out",
)

#: Parts of a model's ends that only some have, each with the totals that it belongs to.
POSITIONS = Definition(
    "parameters.position_embedding", "positions * d_model", "param", "parameters of the learned table of positions"
)
HEAD_BIAS = Definition("parameters.head_bias", "vocabulary", "param", "bias parameters of the output head")
_PARTS_OF = {
    "parameters.position_embedding": ("parameters.total", "parameters.active_with_embeddings"),
    "parameters.embedding_norm": ("parameters.total", "parameters.active_without_embeddings"),
    "parameters.head_bias": ("parameters.total", "parameters.active_with_embeddings", "parameters.active_without_input_embedding"),
}  # fmt: skip


def whole(parts: tuple[str, ...]) -> tuple[Definition, ...]:
    """The definitions of a whole model that has some of the parts that only some have."""
    found = []
    for d in WHOLE:
        more = "".join(f" + {part}" for part in parts if d.name in _PARTS_OF[part])
        found.append(Definition(d.name, d.formula + more, d.unit, d.means))
    return tuple(found)


_STAR = "tokens of a causal prompt at which attention takes as many operations as the weight matrices of the layers"
L_STAR = Definition("L_star", "num(linear_parameters, param) / total(d_attention)", "token", _STAR)
#: With windows: attention sees w(L - w/2) pairs in such a layer, half a chunk on average in a chunked one.
_LEFT = "(num(linear_parameters, param) - 2 * total(capped_width))"
_GLOBAL = "(total(d_attention) - total(d_attention_capped))"
L_STAR_CAPPED = Definition(
    "L_star",
    f"({_LEFT} + sqrt({_LEFT}^2 + 4 * {_GLOBAL} * total(window_area))) / (2 * {_GLOBAL})",
    "token",
    f"{_STAR}, where it is longer than all windows and chunks",
)

MODEL: tuple[Definition, ...] = (*WHOLE, POSITIONS, HEAD_BIAS, EXPERTS, L_STAR, *layers.every_definition())

#: Name of a layer's quantity → unit, for layers that lack it and count as nothing.
LAYER_UNITS: dict[str, str | None] = {
    **dict.fromkeys(LAYER_GIVEN),
    **{d.name: d.unit for d in layers.every_definition()},
}

ACCELERATOR: tuple[Definition, ...] = (
    Definition(
        "memory.route",
        "num(memory.bus_width, bit) * memory.pin_rate",
        "byte/s",
        "bandwidth by the second route: bus width times pin rate",
    ),
)


def memory_routes(level: str, stacked: bool) -> tuple[Definition, ...]:
    """The second routes to a device's memory: its stacks, or the on-chip ``level`` that serves as main memory."""
    if level:
        return (
            Definition("memory.capacity_route", f"{level}.total", "byte", "capacity of all instances of that memory"),
            Definition("memory.route", f"{level}.bandwidth", "byte/s", "bandwidth of all instances of that memory"),
        )
    if not stacked:
        return ()
    formula = "num(memory.stacks, unit) * memory.stack_capacity"
    return (
        Definition(
            "memory.capacity_route", formula, "byte", "capacity by the second route: stacks times one's capacity"
        ),
    )


def on_chip(name: str, given: frozenset[str]) -> tuple[Definition, ...]:
    """What follows for one level of on-chip memory from the quantities of it that a record gives.

    A printed total stands as it is, with size times number beside it as its second route; one that is not printed is
    computed.
    """
    found = []
    for total, one, unit, what in (
        ("total", "per_unit", "byte", "size"), ("bandwidth", "bandwidth_per_unit", "byte/s", "bandwidth"),
    ):  # fmt: skip
        printed = f"{name}.{total}" in given
        if (printed or what == "bandwidth") and f"{name}.{one}" not in given:
            continue
        formula = f"{name}.{one} * num({name}.count, unit)"
        if printed:
            found.append(Definition(f"{name}.{total}_route", formula, unit, f"{what} of one times their number"))
        else:
            found.append(Definition(f"{name}.{total}", formula, unit, f"{what} of all together"))
    if f"{name}.blocks.count" in given:
        formula = f"{name}.blocks.per_unit * num({name}.blocks.count, unit)"
        found.append(Definition(f"{name}.per_unit_route", formula, "byte", "size of one by its parts"))
    return tuple(found)


#: Links to the host, by how their kinds are called; every other link leads to other devices.
_HOST_LINKS = ("pcie", "nvlink_c2c")


def links(kinds: tuple[str, ...]) -> tuple[Definition, ...]:
    """What an accelerator with links of these kinds (as formulas call them) reaches, one rate a direction and one both.

    ``peer_link`` is the way to another device of the same kind: the first link that is not to the host, or the host
    link of a device that has no other. ``host_link`` is the first link to the host.
    """
    host = [kind for kind in kinds if kind.startswith(_HOST_LINKS)]
    peers = [kind for kind in kinds if kind not in host] or host
    found = []
    for name, ways, to in (("peer_link", peers, "other devices"), ("host_link", host, "the host")):
        for part, means in (("per_direction", "in one direction"), ("aggregate", "in both directions together")):
            if ways:
                what = f"rate of all links to {to}, {means}"
                found.append(Definition(f"{name}.{part}", f"links.{ways[0]}.{part}", "byte/s", what))
    return tuple(found)


#: Parts of a format's scales that only some formats have, beside the scale of a block, in the order of the formula.
SCALE_PARTS = ("scale.offset_bits", "super_scale.bits", "super_scale.offset_bits")


def scaled(parts: tuple[str, ...] = ()) -> tuple[Definition, ...]:
    """The bits of a format with a scale for each block; ``parts`` are those of SCALE_PARTS that it has beside it."""
    shares = "".join(f" + {part} / {part.split('.')[0]}.block" for part in parts)
    means = f"bits of one element, its share of the {'scales' if parts else 'scale'} included"
    return (Definition("bits", f"element_bits + scale.bits / scale.block{shares}", "bit", means),)


FORMAT: tuple[Definition, ...] = scaled()

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

#: A link whose record states no encoding: its vendor prints the rate of the lanes as they signal.
INTERCONNECT_RAW: tuple[Definition, ...] = (
    Definition(
        "route",
        "lane_rate * num(lanes, lane)",
        "byte/s",
        "rate of one direction by the second route: lanes times rate, no encoding stated",
    ),
)
