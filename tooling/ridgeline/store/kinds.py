"""The tables of single kinds of record. Their numbers are rows of ``quantities``, named by its ``id``.

The conventions of :mod:`ridgeline.store.tables` hold. ``quantity`` columns are never NULL where the record has a place
for the value: a value that nobody has verified is a quantity with basis ``unknown``.
"""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from ridgeline.store.tables import Base, MaybeDerivation, MaybeSource, Number

RecordPart = Annotated[str, mapped_column(ForeignKey("records.reference"), primary_key=True)]
Ordinal = Annotated[int, mapped_column(primary_key=True)]
MaybeQuantity = Annotated[int | None, mapped_column(ForeignKey("quantities.id"))]


# Accelerators


class Accelerator(Base):
    """An accelerator's head; ``scope`` says what its numbers count, ``unit_kind`` what a compute unit is called.

    ``die`` names the silicon (its source is a fact); ``memory_level`` the on-chip level that serves as main memory.
    """

    __tablename__ = "accelerators"
    record: Mapped[RecordPart]
    vendor: Mapped[str]
    architecture: Mapped[str]
    variant: Mapped[str | None]
    scope: Mapped[str]
    die: Mapped[str | None] = mapped_column(index=True)
    memory_kind: Mapped[str]
    memory_level: Mapped[str | None]
    memory_differs: Mapped[str | None]
    unit_kind: Mapped[str | None]
    capacity: Mapped[MaybeQuantity]
    capacity_route: Mapped[MaybeQuantity]
    bandwidth: Mapped[MaybeQuantity]
    bandwidth_route: Mapped[MaybeQuantity]
    units: Mapped[MaybeQuantity]
    clock: Mapped[MaybeQuantity]
    power_limit: Mapped[MaybeQuantity]


class Peak(Base):
    """One peak rate. ``name`` is its part in formulas (``peak.NAME``, ``ridge.NAME``); ``route`` the second route to it.

    ``is_default``: this row is meant where the accumulate type is not said. ``differs`` says why the routes disagree.
    """

    __tablename__ = "peaks"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    name: Mapped[str]
    format: Mapped[str] = mapped_column(index=True)
    accumulate: Mapped[str | None]
    path: Mapped[str]
    sparsity: Mapped[str]
    is_default: Mapped[int]
    rate: Mapped[MaybeQuantity]
    ridge: Mapped[MaybeQuantity]
    per_clock: Mapped[MaybeQuantity]
    clock: Mapped[MaybeQuantity]
    route: Mapped[MaybeQuantity]
    differs: Mapped[str | None]


class OnChip(Base):
    """One level of on-chip memory: ``size`` of one, how many (``count``), and of all together (``total``).

    ``bandwidth`` and ``bandwidth_total`` likewise. One is divided into ``blocks`` of ``block_size``, called ``block_kind``.
    """

    __tablename__ = "on_chip"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    name: Mapped[str]
    per: Mapped[str]
    size: Mapped[MaybeQuantity]
    count: Mapped[MaybeQuantity]
    total: Mapped[MaybeQuantity]
    bandwidth: Mapped[MaybeQuantity]
    bandwidth_total: Mapped[MaybeQuantity]
    block_kind: Mapped[str | None]
    blocks: Mapped[MaybeQuantity]
    block_size: Mapped[MaybeQuantity]
    differs: Mapped[str | None]
    note: Mapped[str | None]


class Link(Base):
    """Links to other devices or to the host; ``name`` is their part in formulas (``links.NAME.count``).

    ``interconnect`` is the record that holds the rate of one such link. ``differs`` says why the rates are not so many of it.
    """

    __tablename__ = "links"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    name: Mapped[str]
    kind: Mapped[str]
    interconnect: Mapped[str | None]
    count: Mapped[MaybeQuantity]
    per_direction: Mapped[MaybeQuantity]
    aggregate: Mapped[MaybeQuantity]
    differs: Mapped[str | None]


class Accepted(Base):
    """A finding of a rule across records that an accelerator's record accepts: the value is right, for a reason."""

    __tablename__ = "accepted"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    rule: Mapped[str]
    field: Mapped[str]
    found: Mapped[str | None]
    why: Mapped[str]


class Architecture(Base):
    """A generation of compute units; accelerators name it in ``accelerators.architecture``."""

    __tablename__ = "architectures"
    record: Mapped[RecordPart]
    vendor: Mapped[str]


class Rung(Base):
    """A step of an architecture's ladder: ``peak`` is ``formula`` on every part that has both, and not ``unless_peak``."""

    __tablename__ = "ladder"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    peak: Mapped[str]
    formula: Mapped[str]
    unless_peak: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str | None]
    checked: Mapped[str | None]
    reason: Mapped[str | None]


class Announced(Base):
    """A device that is announced. When, and when it is expected, are facts; what was said of it are ``statements``."""

    __tablename__ = "announced"
    record: Mapped[RecordPart]
    vendor: Mapped[str]


class Statement(Base):
    """What a source says of an announced device, as it prints it. It is a text: no quantity follows from it."""

    __tablename__ = "statements"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    what: Mapped[str]
    says: Mapped[str]
    source: Mapped[MaybeSource]
    locator: Mapped[str]
    checked: Mapped[str]


class Lesson(Base):
    """A chapter of the course; ``chapter`` is its place, ``about`` what it explains."""

    __tablename__ = "lessons"
    record: Mapped[RecordPart]
    chapter: Mapped[int]
    about: Mapped[str]


# Models, formats, interconnects


class Model(Base):
    """A model's head. ``source``, ``locator`` and ``checked`` say where its shape is from."""

    __tablename__ = "models"
    record: Mapped[RecordPart]
    organisation: Mapped[str]
    licence: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str]
    checked: Mapped[str]
    file_revision: Mapped[str | None]
    geometry_note: Mapped[str | None]
    tied_embeddings: Mapped[int]
    vocabulary: Mapped[int]
    width: Mapped[int]
    context: Mapped[int | None]
    final_norm_parameters: Mapped[int]
    parameters_total: Mapped[MaybeQuantity]
    checkpoint_total: Mapped[MaybeQuantity]


class Layer(Base):
    """A group of ``layers`` equal layers of a model; its number is the ``layer_group`` of its quantities.

    What a kind of layer does not have is NULL. ``shape`` and ``feed_forward_shape`` are all that the record states of the
    two parts, as JSON; the columns beside them are what most kinds have.
    """

    __tablename__ = "layers"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    layers: Mapped[int]
    attention: Mapped[str]
    which: Mapped[str | None]
    shape: Mapped[str]
    query_heads: Mapped[int | None]
    kv_heads: Mapped[int | None]
    head_dim: Mapped[int | None]
    # `window` is a reserved word of SQL.
    attention_window: Mapped[int | None]
    attention_chunk: Mapped[int | None]
    attention_bias: Mapped[int | None]
    feed_forward: Mapped[str]
    feed_forward_shape: Mapped[str]
    feed_forward_width: Mapped[int | None]
    gated: Mapped[int | None]
    feed_forward_bias: Mapped[int | None]
    experts: Mapped[int | None]
    experts_active: Mapped[int | None]
    norm_parameters: Mapped[int]


class ModelPoint(Base):
    """A quantity of a model where it needs a length or a format: ``tokens`` so far, ``format`` of cache or weights.

    NULL in ``tokens`` or ``format`` is "makes no difference".
    """

    __tablename__ = "model_points"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    name: Mapped[str]
    tokens: Mapped[int | None]
    format: Mapped[str | None]
    value_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    derivation: Mapped[MaybeDerivation]


class LedgerEntry(Base):
    """A named part of the difference between a model's published total and the counted one."""

    __tablename__ = "ledger"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    # An entry of `checkpoint.ledger`, or one of `extras` that the checkpoint holds.
    field: Mapped[str]
    what: Mapped[str]
    formula: Mapped[str]
    value_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    derivation: Mapped[str | None] = mapped_column(ForeignKey("derivations.id"))
    why: Mapped[str]
    source: Mapped[MaybeSource]


class Format(Base):
    """A number format; ``scale_block`` elements share one scale of ``scale_bits`` bits, where there is one.

    ``offset_bits`` are those of the offset beside each scale. The columns with ``super`` say the same of the second level,
    and ``stated_bits`` is what a document prints for an element with its scales.
    """

    __tablename__ = "formats"
    record: Mapped[RecordPart]
    family: Mapped[str]
    element_bits: Mapped[MaybeQuantity]
    bits: Mapped[MaybeQuantity]
    scale_block: Mapped[int | None]
    scale_bits: Mapped[int | None]
    offset_bits: Mapped[int | None]
    super_block: Mapped[int | None]
    super_bits: Mapped[int | None]
    super_offset_bits: Mapped[int | None]
    stated_bits: Mapped[MaybeQuantity]


class FormatLayout(Base):
    """The bits of one element, by the name of the layout."""

    __tablename__ = "format_layouts"
    record: Mapped[RecordPart]
    name: Mapped[str] = mapped_column(primary_key=True)
    sign: Mapped[int]
    exponent: Mapped[int]
    mantissa: Mapped[int]


class Interconnect(Base):
    """A kind of link between devices; ``route`` is lanes times rate, the second way to ``per_direction``."""

    __tablename__ = "interconnects"
    record: Mapped[RecordPart]
    vendor: Mapped[str]
    lane_rate: Mapped[MaybeQuantity]
    lanes: Mapped[MaybeQuantity]
    efficiency: Mapped[MaybeQuantity]
    rates: Mapped[str | None]
    per_direction: Mapped[MaybeQuantity]
    aggregate: Mapped[MaybeQuantity]
    latency: Mapped[MaybeQuantity]
    route: Mapped[MaybeQuantity]


# Workload classes


class WorkloadClass(Base):
    """A workload class's head; ``k`` is what the letter means in lengths of its prose.

    ``part_of`` names the totals that it is a part of (``decode``, ``memory``…) and ``covers`` the work that it counts,
    both in order and parted by commas; layers that it applies to have all of ``layers_have`` and none of
    ``layers_lack``. ``over`` says which accelerators its symbol ``devices`` counts, ``path`` which units do its operations,
    ``assumes`` what its costs take for granted.
    """

    __tablename__ = "classes"
    record: Mapped[RecordPart]
    phase: Mapped[str]
    k: Mapped[int | None]
    part_of: Mapped[str | None]
    covers: Mapped[str | None]
    layers_have: Mapped[str | None]
    layers_lack: Mapped[str | None]
    over: Mapped[str]
    path: Mapped[str]
    assumes: Mapped[str | None]


class Symbol(Base):
    """A symbol of a class's formulas, with its value where nobody sets one."""

    __tablename__ = "symbols"
    record: Mapped[RecordPart]
    name: Mapped[str] = mapped_column(primary_key=True)
    ordinal: Mapped[int]
    unit: Mapped[str]
    means: Mapped[str]
    default_text: Mapped[str | None]
    default_exact: Mapped[str | None]
    default_float: Mapped[float | None]


class Formula(Base):
    """A formula: of a class (``record`` is set) or of the vocabulary that all records of ``kind`` share (it is NULL).

    ``text`` is the expression, or ``solve_for``'s equation. ``per`` is ``layer`` for formulas of one layer. ``sql`` has
    the names as quoted columns, in base units. ``mathml`` shows the right side, or the equation.
    """

    __tablename__ = "formulas"
    id: Mapped[Number]
    kind: Mapped[str]
    record: Mapped[str | None] = mapped_column(ForeignKey("records.reference"), index=True)
    ordinal: Mapped[int]
    name: Mapped[str]
    text: Mapped[str]
    solve_for: Mapped[str | None]
    unit: Mapped[str | None]
    per: Mapped[str | None]
    means: Mapped[str | None]
    same_as: Mapped[str | None]
    sql: Mapped[str | None]
    sql_reason: Mapped[str | None]
    mathml: Mapped[str | None]
    mathml_same_as: Mapped[str | None]
    line: Mapped[int | None]


class FormulaName(Base):
    """A name that a formula reads: ``role`` is ``symbol`` or ``formula`` of its class, or ``quantity`` of a record."""

    __tablename__ = "formula_names"
    formula: Mapped[int] = mapped_column(ForeignKey("formulas.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    role: Mapped[str]


class Property(Base):
    """Something that holds for a class's formulas.

    One ``rises`` or ``falls`` with a symbol, is ``within`` bounds, ``tends`` to a target as the symbol grows or comes near
    ``toward``, or is what a ``kernel`` is ``counted`` to do; what it leaves out of that count vanishes with the symbol.
    """

    __tablename__ = "properties"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    kind: Mapped[str]
    formula: Mapped[str]
    symbol: Mapped[str | None]
    low: Mapped[str | None]
    high: Mapped[str | None]
    target: Mapped[str | None]
    toward: Mapped[str | None]
    kernel: Mapped[str | None]
    left_out: Mapped[str | None]
    because: Mapped[str | None]


class ScalesWith(Base):
    """How a class's formula grows with a symbol: to the power ``exponent``."""

    __tablename__ = "scales_with"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    symbol: Mapped[str]
    formula: Mapped[str]
    exponent: Mapped[int]
    note: Mapped[str | None]


class Workaround(Base):
    """What engineers do about a class's bound; ``moves`` is the formula or quantity that it changes."""

    __tablename__ = "workarounds"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    what: Mapped[str]
    moves: Mapped[str]
    effect: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str | None]


class Measurement(Base):
    """A published measurement of a class's work, with the bound that it is held against.

    ``side`` says which side of the bound is possible: ``at-most`` or ``at-least``. ``bound`` is an expression,
    ``derivation`` its value. ``reason`` says why a value passes its bound nevertheless.
    """

    __tablename__ = "measurements"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    what: Mapped[str]
    value_text: Mapped[str]
    value_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    side: Mapped[str | None]
    bound: Mapped[str]
    derivation: Mapped[MaybeDerivation]
    share_of_bound: Mapped[float | None]
    reason: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str]
    checked: Mapped[str]


class HardwareParameter(Base):
    """A quantity of the hardware that moves a class's cost."""

    __tablename__ = "hardware_parameters"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    parameter: Mapped[str]
    effect: Mapped[str]
    basis: Mapped[str]
    source: Mapped[MaybeSource]


class HardwareValue(Base):
    """The value of a hardware parameter on one accelerator, looked up; without ``quantity``, ``reason`` says why."""

    __tablename__ = "hardware_values"
    record: Mapped[RecordPart]
    ordinal: Mapped[Ordinal]
    position: Mapped[int] = mapped_column(primary_key=True)
    accelerator: Mapped[str]
    quantity: Mapped[MaybeQuantity]
    reason: Mapped[str | None]
