"""The names that formulas can use for the quantities of a record: what each stands for and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Node
from ridgeline.knowledge import layers, vocabulary
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.definition import Definition
from ridgeline.knowledge.derivation import Given
from ridgeline.numbers.units import Unit, parse_unit
from ridgeline.records.accelerator import Accelerator, OnChip, peak_name
from ridgeline.records.common import Claim, quantity_value
from ridgeline.records.common import Quantity as Recorded
from ridgeline.records.format import Format, Scale
from ridgeline.records.interconnect import Interconnect
from ridgeline.records.model import Model


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that the record states. ``groups`` holds one value a layer group where they are per layer."""

    given: Given
    quantity: Quantity
    unit: Unit | None
    means: str = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """A value that follows by a formula in the record's own scope. ``stated`` is a typed value to compare it with."""

    tree: Node
    unit: Unit | None
    means: str = ""
    per_layer: bool = False
    field: str = ""
    stated: Stated | None = None
    origin: Given | None = None
    group: int | None = None  # a value of one group of layers that the whole model names


@dataclass(frozen=True, slots=True)
class Unknown:
    """A quantity that the record has a place for, and nothing in it."""

    field: str
    why: str = "nobody has verified a value"


Meaning = Stated | Formula | Unknown


@dataclass
class Namespace:
    """The names of one record. ``layers`` holds, for models, the names of each group of equal layers."""

    reference: str
    names: dict[str, Meaning]
    layers: tuple[dict[str, Meaning], ...] = ()
    counts: tuple[int, ...] = ()
    kinds: tuple[dict[str, str], ...] = ()  # for each group and part of it: its kind, which says what it has not
    problems: tuple[tuple[str, str], ...] = ()  # (field, message) of values that could not be read


def namespace(entry: Entry) -> Namespace:
    """The names of a record."""
    builder = _Builder(entry)
    record = entry.record
    if isinstance(record, Accelerator):
        builder.accelerator(record)
    elif isinstance(record, Model):
        builder.model(record)
    elif isinstance(record, Format):
        builder.format(record)
    elif isinstance(record, Interconnect):
        builder.interconnect(record)
    return Namespace(
        entry.reference,
        builder.names,
        tuple(builder.layers),
        tuple(builder.counts),
        tuple(builder.kinds),
        tuple(builder.problems),
    )


def unknown(name: str, field: str) -> Unknown:
    """An empty place of a layer group, with what its emptiness says."""
    return Unknown(field, "every token sees all tokens before it") if name == "window" else Unknown(field)


def slug(text: str) -> str:
    """``nvlink_4`` for ``NVLink 4``: how a kind of link is called in formulas."""
    return "_".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


class _Builder:
    def __init__(self, entry: Entry):
        self.reference = entry.reference
        self.names: dict[str, Meaning] = {}
        self.layers: list[dict[str, Meaning]] = []
        self.counts: list[int] = []
        self.kinds: list[dict[str, str]] = []
        self.problems: list[tuple[str, str]] = []

    # Stated values

    def quantity(self, name: str, value: Recorded | None, field: str, means: str = "") -> None:
        """A quantity of the record under a name; a missing one is unknown."""
        if value is None:
            self.names[name] = Unknown(field)
            return
        text, origin = quantity_value(value)
        where = field
        if isinstance(origin, Claim) and value.claims is not None:
            where = f"{field}.claims.{value.claims.index(origin)}"
        stated = None if text is None else self._stated(name, text, value, origin, where, means or (value.note or ""))
        if value.basis == "derived" and value.from_ is not None:
            tree = self._parse(value.from_, f"{field}.from")
            if tree is not None:
                unit = stated.unit if stated else None
                formula = Formula(tree, unit, means, field=field, stated=stated)
                if value.source is not None:
                    formula = replace(formula, origin=self._origin(name, value.from_, value, field))
                self.names[name] = formula
        elif stated is not None:
            self.names[name] = stated

    def _origin(self, name: str, text: str, value: Recorded, field: str) -> Given:
        return Given(
            self.reference, field, text, value.basis, value.source or "", value.at or "", value.checked or "", name=name
        )

    def _stated(
        self, name: str, text: str, value: Recorded, origin: Recorded | Claim, field: str, means: str
    ) -> Stated | None:
        try:
            number, unit, _ = parse_quantity(text)
        except FormulaError as error:
            self.problems.append((field, str(error)))
            return None
        given = Given(
            self.reference,
            field,
            text,
            "recorded" if isinstance(origin, Claim) else value.basis,
            origin.source or "",
            origin.at or "",
            origin.checked or "",
            value.reason or "",
            name,
        )
        return Stated(given, Quantity.of(number, unit), unit, means)

    def _parse(self, text: str, field: str) -> Node | None:
        try:
            return parse(text)
        except FormulaError as error:
            self.problems.append((field, str(error)))
            return None

    def define(self, definitions: tuple[Definition, ...], names: dict[str, Meaning] | None = None) -> None:
        target = self.names if names is None else names
        for d in definitions:
            target[d.name] = Formula(parse(d.formula), parse_unit(d.unit), d.means, d.per_layer)

    # Kinds

    def accelerator(self, record: Accelerator) -> None:
        memory = record.memory
        for part in ("capacity", "bandwidth", "bus_width", "pin_rate"):
            self.quantity(f"memory.{part}", getattr(memory, part), f"memory.{part}")
        for part in ("stacks", "stack_capacity"):
            if getattr(memory, part) is not None:
                self.quantity(f"memory.{part}", getattr(memory, part), f"memory.{part}")
        if record.units is not None:
            self.quantity("units.count", record.units.count, "units.count", f"number of {record.units.kind}s")
            self.quantity("units.clock", record.units.clock, "units.clock", "clock that the peaks assume")
        for memory_name, level in record.on_chip.items():
            self.on_chip(memory_name, level)
        self.peaks(record)
        for index, link in enumerate(record.links):
            name = f"links.{slug(link.kind)}"
            for part in ("count", "per_direction", "aggregate"):
                self.quantity(f"{name}.{part}", getattr(link, part), f"links.{index}.{part}")
        self.define(vocabulary.links(tuple(slug(link.kind) for link in record.links)))
        if record.power is not None:
            self.quantity("power.limit", record.power.limit, "power.limit")
        self.define(vocabulary.ACCELERATOR)
        self.define(vocabulary.memory_routes(memory.on_chip or "", "memory.stacks" in self.names))

    def on_chip(self, name: str, level: OnChip) -> None:
        field = f"on_chip.{name}"
        self.quantity(f"{name}.per_unit", level.size, f"{field}.size", f"size for each {level.per}")
        self.quantity(f"{name}.count", level.count, f"{field}.count", f"number of {level.per}s that have one")
        if level.size_total is not None:
            self.quantity(f"{name}.total", level.size_total, f"{field}.size_total", "size of all together")
        if level.bandwidth is not None:
            means = f"bandwidth for each {level.per}"
            self.quantity(f"{name}.bandwidth_per_unit", level.bandwidth, f"{field}.bandwidth", means)
        if level.bandwidth_total is not None:
            means = "bandwidth of all together"
            self.quantity(f"{name}.bandwidth", level.bandwidth_total, f"{field}.bandwidth_total", means)
        if level.blocks is not None:
            what = f"number of {level.blocks.kind}s of one"
            self.quantity(f"{name}.blocks.count", level.blocks.count, f"{field}.blocks.count", what)
            self.quantity(f"{name}.blocks.per_unit", level.blocks.size, f"{field}.blocks.size", "size of one")
        known = frozenset(n for n, meaning in self.names.items() if not isinstance(meaning, Unknown))
        self.define(vocabulary.on_chip(name, known))

    def peaks(self, record: Accelerator) -> None:
        definitions: list[Definition] = []
        for index, peak in enumerate(record.peaks):
            name = peak_name(peak)
            what = f"{peak.sparsity} {peak.path} peak in {peak.format}"
            if peak.accumulate:
                what += f", {peak.accumulate} accumulate"
            self.quantity(f"peak.{name}", peak.rate, f"peaks.{index}.rate", what)
            definitions.append(
                Definition(
                    f"ridge.{name}", f"peak.{name} / memory.bandwidth", "flop/byte", f"ridge point of the {what}"
                )
            )
            if peak.route is not None:
                field = f"peaks.{index}.route"
                self.quantity(f"peak.{name}.per_clock", peak.route.per_clock, f"{field}.per_clock")
                clock = "units.clock"
                if peak.route.clock is not None:
                    clock = f"peak.{name}.clock"
                    self.quantity(clock, peak.route.clock, f"{field}.clock")
                definitions.append(
                    Definition(
                        f"peak.{name}.route",
                        f"units.count * peak.{name}.per_clock * {clock}",
                        "flop/s",
                        f"{what} by the second route: units times operations per clock times clock",
                    )
                )
        self.define(tuple(definitions))
        # A part without matrix units in a format has one rate for it: the vector path's.
        for name in [n for n in self.names if n.startswith("peak.") and n.endswith("_vector")]:
            plain = name.removesuffix("_vector")
            if plain not in self.names:
                self.names[plain] = Formula(parse(name), None, f"{name}: this part has no matrix path for the format")
                self.names[plain.replace("peak.", "ridge.")] = Formula(
                    parse(f"{plain} / memory.bandwidth"), parse_unit("flop/byte"), "ridge point of the vector path"
                )

    def model(self, record: Model) -> None:
        geometry = record.geometry

        def stated(name: str, value: int, field: str, unit: Unit | None, means: str, text: str = "") -> Stated:
            given = Given(
                self.reference,
                field,
                text or str(value),
                "recorded",
                geometry.source,
                geometry.at,
                geometry.checked,
                name=name,
            )
            return Stated(given, Quantity.of(value, unit), unit, means)

        for name, (field, means) in vocabulary.MODEL_GIVEN.items():
            value = getattr(record, field)
            if value or name not in vocabulary.MODEL_OPTIONAL:
                self.names[name] = Unknown(field) if value is None else stated(name, value, field, None, means)
        tied = "output head stored apart from the embedding table: 1, tied to it: 0"
        self.names["untied"] = stated(
            "untied",
            0 if record.tied_embeddings else 1,
            "tied_embeddings",
            None,
            tied,
            f"{0 if record.tied_embeddings else 1} (tied_embeddings: {'true' if record.tied_embeddings else 'false'})",
        )
        for index, group in enumerate(record.layers):
            names: dict[str, Meaning] = {}
            for name, (path, means, _), value in layers.given(group):
                field = f"layers.{index}.{'.'.join(path)}"
                names[name] = (
                    stated(name, value, field, None, means) if isinstance(value, int) else unknown(name, field)
                )
            for name, why in layers.REFUSED.get(group.attention.kind, {}).items():
                names[name] = Unknown(f"layers.{index}.attention", why)
            if group.feed_forward.kind != "none":
                gated = group.feed_forward.gated
                names["feed_forward_matrices"] = stated(
                    "feed_forward_matrices",
                    3 if gated else 2,
                    f"layers.{index}.feed_forward.gated",
                    None,
                    "matrices of the feed-forward part: 3 with a gate, 2 without",
                    "3 (gated: true)" if gated else "2 (gated: false)",
                )
            names["layer_count"] = stated(
                "layer_count", group.count, f"layers.{index}.count", None, "layers of this shape"
            )
            self.define(layers.definitions(group), names)
            self.layers.append(names)
            self.counts.append(group.count)
            self.kinds.append({part: getattr(group, part).kind for part in ("attention", "feed_forward")})
        self.names["n_layers"] = Formula(parse("total(1)"), parse_unit("layer"), "layers of the model")
        self.whole(record)
        self.extras(record)
        self.quantity(
            "checkpoint.total", record.checkpoint.total, "checkpoint.total", "published total of the checkpoint"
        )

    def whole(self, record: Model) -> None:
        """What follows for the model as a whole."""
        parts = []
        if record.positions is not None:
            self.define((vocabulary.POSITIONS,))
            parts.append(vocabulary.POSITIONS.name)
        if record.head_bias:
            self.define((vocabulary.HEAD_BIAS,))
            parts.append(vocabulary.HEAD_BIAS.name)
        if record.embedding_norm_parameters:
            parts.append("parameters.embedding_norm")
        self.define(vocabulary.whole(tuple(parts)))
        if len(record.layers) > 1:
            for index in range(len(record.layers)):
                self.names[f"parameters.group_{index + 1}"] = Formula(
                    parse("parameters_per_layer"),
                    parse_unit("param"),
                    f"parameters of one layer of group {index + 1}",
                    group=index,
                )
        if any(group.feed_forward.kind == "moe" for group in record.layers):
            self.define((vocabulary.EXPERTS,))
        attending = [group for group in record.layers if group.attention.kind in ("gqa", "mla")]
        capped = [group for group in self.layers if "d_attention_capped" in group]
        if not attending:
            self.names["L_star"] = Unknown(
                "layers", "no layer attends: the work for a token is the same at every length"
            )
        elif len(capped) == len(attending):
            self.names["L_star"] = Unknown("layers", "every layer that attends has a window or chunks")
        else:
            self.define((vocabulary.L_STAR_CAPPED if capped else vocabulary.L_STAR,))

    def extras(self, record: Model) -> None:
        """Parts beside the text model, by name and together."""
        parts = {}
        for index, extra in enumerate(record.extras):
            name = f"parameters.extra.{extra.name}"
            parts[name] = extra.in_checkpoint
            try:
                tree = parse(extra.parameters)
            except FormulaError as error:
                self.names[name] = Unknown(f"extras.{index}.parameters", str(error))
            else:
                self.names[name] = Formula(tree, parse_unit("param"), f"parameters of an extra part: {extra.name}")
        if record.extras:
            for name, chosen, means in (
                ("parameters.extras", list(parts), "parameters of all parts beside the text model"),
                ("parameters.extras_in_checkpoint", [n for n, inside in parts.items() if inside],
                 "parameters of the parts beside the text model that the checkpoint holds"),
            ):  # fmt: skip
                self.names[name] = Formula(parse(" + ".join(chosen) or "0"), parse_unit("param"), means)

    def format(self, record: Format) -> None:
        self.quantity("element_bits", record.element_bits, "element_bits", "bits of one element without its scale")
        if record.stated_bits is not None:
            self.quantity("stated_bits", record.stated_bits, "stated_bits", "bits of one element, by the second way")
        if record.storage_bits is not None:
            self.quantity("storage_bits", record.storage_bits, "storage_bits", "bits that one element takes in memory")
            self.define(vocabulary.FORMAT_STORED)
            return
        if record.scale is None:
            self.define(vocabulary.FORMAT_WITHOUT_SCALE)
            return
        for level in ("scale", "super_scale"):
            self.scale(level, record)
        self.define(vocabulary.scaled(tuple(part for part in vocabulary.SCALE_PARTS if part in self.names)))

    def scale(self, level: str, record: Format) -> None:
        """What a format says of one level of its scales, under the origin of its element's bits."""
        scale: Scale | None = getattr(record, level)
        if scale is None:
            return
        _, origin = quantity_value(record.element_bits)
        for part in ("block", "bits", "offset_bits"):
            value, name = getattr(scale, part), f"{level}.{part}"
            if value is None:
                continue
            unit = None if part == "block" else parse_unit("bit")
            given = Given(
                self.reference,
                name,
                str(value),
                "recorded",
                origin.source or "",
                origin.at or "",
                origin.checked or "",
                name=name,
            )
            self.names[name] = Stated(given, Quantity.of(Fraction(value), unit), unit)

    def interconnect(self, record: Interconnect) -> None:
        for part in ("lane_rate", "lanes", "efficiency", "per_direction", "aggregate", "latency"):
            self.quantity(part, getattr(record, part), part)
        if record.efficiency is not None:
            self.define(vocabulary.INTERCONNECT)
        elif record.rates != "net":
            # A rate after encoding that nobody states cannot be had from the lanes.
            self.define(vocabulary.INTERCONNECT_RAW)
