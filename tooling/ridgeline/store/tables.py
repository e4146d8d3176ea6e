"""The tables that every kind of record shares: records, quantities, derivations, prose with its figures, findings.

Conventions, the same in all tables (those of single kinds are in :mod:`ridgeline.store.kinds`):

* ``value_exact`` is the exact value in canonical base units, as a finite decimal or ``p/q``; ``value_float`` the nearest
  double; ``dimension`` the canonical base unit (``byte/s``, ``1`` for a pure number); ``display`` the value for people.
  A value that is only known to lie in an interval (a root, a logarithm) has no ``value_exact`` but ``low_exact`` and
  ``high_exact``. NULL is "not known", never zero.
* ``text`` is what stands in the file, ``unit`` the unit as printed there.
* ``field`` is the dotted path in the file (``peaks.0.rate``); ``line`` and ``col`` count from 1, in code points.
* ``source`` is the id of a source, ``locator`` the place in it, ``checked`` the day somebody last read it there.
* ``mathml`` columns hold the contents of a ``math`` element, escaped: wrap them, or set several beside each other.
* flags are 0 or 1.
* what a status, grade, basis, kind, rule or unit means stands in ``codes``.

The mapping is plain SQL, so that the same tables can be made in PostgreSQL; in SQLite they are STRICT.
"""

from __future__ import annotations

from typing import Annotated, Any

from sqlalchemy import REAL, BigInteger, Double, ForeignKey, Index, Integer, MetaData, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

#: Version of these tables; rises with any change that a reader could notice.
SCHEMA_VERSION = 1

STRICT: dict[str, Any] = {"sqlite_strict": True}
#: For narrow tables with a key of two columns: SQLite then keeps the rows in the key's own tree.
CLUSTERED: dict[str, Any] = {**STRICT, "sqlite_with_rowid": False}

Number = Annotated[int, mapped_column(primary_key=True, autoincrement=False)]
RecordKey = Annotated[str, mapped_column(ForeignKey("records.reference"), index=True)]
MaybeSource = Annotated[str | None, mapped_column(ForeignKey("sources.id"), index=True)]
MaybeDerivation = Annotated[str | None, mapped_column(ForeignKey("derivations.id"), index=True)]


class Base(DeclarativeBase):
    """The mapping of all tables. Texts and doubles get the type that keeps them whole in either dialect."""

    metadata = MetaData(
        naming_convention={"ix": "ix_%(table_name)s_%(column_0_name)s", "uq": "uq_%(table_name)s_%(column_0_name)s"}
    )
    __table_args__: Any = STRICT
    type_annotation_map = {
        str: Text(),
        int: BigInteger().with_variant(Integer(), "sqlite"),
        float: Double().with_variant(REAL(), "sqlite"),
    }


class Metadata(Base):
    """What this database is: ``schema_version``, ``data_version``, ``commit``, ``licence``, ``tool_version``, …"""

    __tablename__ = "metadata"
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Code(Base):
    """What a code means: ``area`` is the column it stands in (``status``, ``grade``, ``basis``, ``unit``…)."""

    __tablename__ = "codes"
    area: Mapped[str] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(primary_key=True)
    means: Mapped[str]


# Records


class Record(Base):
    """A record. ``reference`` is ``accelerators/nvidia-h100-sxm``; ``body`` the whole of it as canonical JSON."""

    __tablename__ = "records"
    reference: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(index=True)
    id: Mapped[str]
    name: Mapped[str]
    schema: Mapped[str]
    revision: Mapped[int]
    status: Mapped[str]
    path: Mapped[str]
    body: Mapped[str]


class RecordName(Base):
    """A name of a record: ``role`` is ``name``, ``also-called`` or ``formerly`` (then ``name`` is an old id)."""

    __tablename__ = "record_names"
    id: Mapped[Number]
    record: Mapped[RecordKey]
    role: Mapped[str]
    name: Mapped[str]


class RecordChange(Base):
    """One entry of a record's history, oldest first."""

    __tablename__ = "record_changes"
    record: Mapped[str] = mapped_column(ForeignKey("records.reference"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    revision: Mapped[int]
    date: Mapped[str]
    change: Mapped[str]
    was: Mapped[str | None]
    why: Mapped[str]


class RecordLink(Base):
    """A record that another names in one of its fields; ``alias`` where the prose talks about it under one."""

    __tablename__ = "record_links"
    id: Mapped[Number]
    record: Mapped[RecordKey]
    field: Mapped[str]
    target: Mapped[RecordKey]
    alias: Mapped[str | None]


class Fact(Base):
    """A text with its origin: when a part was released, in which process it is made."""

    __tablename__ = "facts"
    record: Mapped[str] = mapped_column(ForeignKey("records.reference"), primary_key=True)
    field: Mapped[str] = mapped_column(primary_key=True)
    text: Mapped[str]
    source: Mapped[MaybeSource]
    locator: Mapped[str | None]
    checked: Mapped[str | None]
    reason: Mapped[str | None]
    line: Mapped[int]


class Source(Base):
    """A document that somebody read."""

    __tablename__ = "sources"
    id: Mapped[str] = mapped_column(primary_key=True)
    record: Mapped[str] = mapped_column(ForeignKey("records.reference"), unique=True)
    title: Mapped[str]
    publisher: Mapped[str]
    kind: Mapped[str]
    url: Mapped[str | None]
    published: Mapped[str | None]
    retrieved: Mapped[str]
    version: Mapped[str | None]
    licence: Mapped[str | None]
    superseded_by: Mapped[str | None] = mapped_column(ForeignKey("sources.id", deferrable=True, initially="DEFERRED"))
    note: Mapped[str | None]


class SourceAuthor(Base):
    """An author of a source, in the order of its title page."""

    __tablename__ = "source_authors"
    source: Mapped[str] = mapped_column(ForeignKey("sources.id"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


# Values


class Derivation(Base):
    """One value with the formula that it follows from, if any; ``id`` is a hash of all that it holds.

    ``record`` is the record in whose scope the formula stands. A leaf has ``given_record`` and ``given_field`` (that
    quantity's ``value_field``) where a record states it, else it is a symbol that an expression set. ``mathml`` shows
    the formula with its names, ``mathml_values`` with the values in their place. ``sql`` is the formula closed down to
    recorded values, ``sql_reason`` why there is none.
    """

    __tablename__ = "derivations"
    id: Mapped[str] = mapped_column(primary_key=True)
    label: Mapped[str]
    value_exact: Mapped[str | None]
    low_exact: Mapped[str | None]
    high_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    dimension: Mapped[str]
    display: Mapped[str]
    means: Mapped[str | None]
    record: Mapped[str | None] = mapped_column(ForeignKey("records.reference"))
    formula: Mapped[str | None]
    mathml: Mapped[str | None]
    mathml_values: Mapped[str | None]
    sql: Mapped[str | None]
    sql_reason: Mapped[str | None]
    given_record: Mapped[str | None] = mapped_column(ForeignKey("records.reference"))
    given_field: Mapped[str | None]


class DerivationStep(Base):
    """An input of a derivation: ``name`` is how the parent's formula writes it."""

    __tablename__ = "derivation_steps"
    __table_args__ = CLUSTERED
    parent: Mapped[str] = mapped_column(ForeignKey("derivations.id"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    child: Mapped[str] = mapped_column(ForeignKey("derivations.id"), index=True)


class Quantity(Base):
    """A named value of a record, as formulas know it: ``memory.bandwidth``, ``ridge.bf16``, ``parameters.total``.

    ``layer_group`` is the number of the group of equal layers for quantities of a single layer, else NULL. ``basis`` is
    ``recorded``, ``measured``, ``unverified`` or ``derived``, or ``unknown`` where there is no value (``reason`` says
    why). ``field`` is where the file has it, ``value_field`` where its value stands (``memory.bandwidth.claims.0``);
    both are NULL where the quantity follows from others by definition. ``formula`` is what a derived value follows
    from. A derived quantity whose record also types its value keeps that in ``text``.
    """

    __tablename__ = "quantities"
    __table_args__ = (
        UniqueConstraint("record", "name", "layer_group"),
        Index("ix_quantities_value_field", "record", "value_field"),
        STRICT,
    )
    id: Mapped[Number]
    record: Mapped[str] = mapped_column(ForeignKey("records.reference"))
    name: Mapped[str] = mapped_column(index=True)
    layer_group: Mapped[int | None]
    basis: Mapped[str]
    field: Mapped[str | None]
    value_field: Mapped[str | None]
    text: Mapped[str | None]
    unit: Mapped[str | None]
    value_exact: Mapped[str | None]
    low_exact: Mapped[str | None]
    high_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    dimension: Mapped[str | None]
    display: Mapped[str | None]
    means: Mapped[str | None]
    formula: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str | None]
    checked: Mapped[str | None]
    reason: Mapped[str | None]
    note: Mapped[str | None]
    claims: Mapped[int]
    line: Mapped[int | None]
    derivation: Mapped[MaybeDerivation]


class Claim(Base):
    """What one source says of a quantity; ``rank`` 1 is the value that the knowledge base uses."""

    __tablename__ = "claims"
    quantity: Mapped[int] = mapped_column(ForeignKey("quantities.id"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    preferred: Mapped[int]
    field: Mapped[str]
    text: Mapped[str]
    value_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    dimension: Mapped[str | None]
    display: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str | None]
    checked: Mapped[str | None]
    why: Mapped[str | None]
    line: Mapped[int]


class Dependency(Base):
    """A recorded quantity that a derivation rests on, directly or through others.

    Stored for the derivations of quantities and figures; the view ``depends`` names both ends.
    """

    __tablename__ = "dependencies"
    __table_args__ = CLUSTERED
    derivation: Mapped[str] = mapped_column(ForeignKey("derivations.id"), primary_key=True)
    quantity: Mapped[int] = mapped_column(ForeignKey("quantities.id"), primary_key=True, index=True)


class CrossCheck(Base):
    """A derivation computed a second time, in SQL from the recorded doubles. ``agrees`` is NULL where SQL cannot say it."""

    __tablename__ = "crosschecks"
    __table_args__ = CLUSTERED
    derivation: Mapped[str] = mapped_column(ForeignKey("derivations.id"), primary_key=True)
    value_float: Mapped[float | None]
    difference: Mapped[float | None]
    agrees: Mapped[int | None]
    reason: Mapped[str | None]


# Prose


class Passage(Base):
    """One prose field of a record."""

    __tablename__ = "passages"
    id: Mapped[Number]
    record: Mapped[RecordKey]
    ordinal: Mapped[int]
    field: Mapped[str]
    text: Mapped[str]
    line: Mapped[int]
    col: Mapped[int]


class Figure(Base):
    """One numeral of a passage, with its status. ``at`` counts code points from the start of the passage, from 0.

    ``value_…``, ``low_exact``, ``high_exact`` (closed ends: the two flags) say what is printed, in base units of
    ``base_unit`` (as printed: a bit stays a bit); ``computed_…`` what it should be, in canonical base units.
    """

    __tablename__ = "figures"
    __table_args__ = (UniqueConstraint("passage", "ordinal"), STRICT)
    id: Mapped[Number]
    record: Mapped[RecordKey]
    passage: Mapped[int] = mapped_column(ForeignKey("passages.id"))
    ordinal: Mapped[int]
    at: Mapped[int]
    length: Mapped[int]
    line: Mapped[int]
    col: Mapped[int]
    text: Mapped[str]
    unit: Mapped[str | None]
    kind: Mapped[str]
    comparator: Mapped[str]
    status: Mapped[str] = mapped_column(index=True)
    grade: Mapped[str | None]
    holds: Mapped[int | None]
    level: Mapped[str | None]
    value_exact: Mapped[str | None]
    value_float: Mapped[float | None]
    base_unit: Mapped[str | None]
    low_exact: Mapped[str | None]
    high_exact: Mapped[str | None]
    low_closed: Mapped[int | None]
    high_closed: Mapped[int | None]
    expression: Mapped[str | None]
    equation: Mapped[str | None]
    derivation: Mapped[MaybeDerivation]
    computed_exact: Mapped[str | None]
    computed_float: Mapped[float | None]
    computed_display: Mapped[str | None]
    because: Mapped[str | None]
    rule: Mapped[str | None]
    reason: Mapped[str | None]
    source: Mapped[MaybeSource]
    locator: Mapped[str | None]
    checked: Mapped[str | None]
    entry: Mapped[int | None]
    # Of a numeral that does not hold, where that is waived: until when, by whom and why.
    waived: Mapped[str | None]


class Conclusion(Base):
    """What a sentence claims of two values: ``left_side relation right_side``; ``at`` and ``length`` are its words.

    The sides point at their derivations; ``holds`` says whether it is certainly so.
    """

    __tablename__ = "conclusions"
    id: Mapped[Number]
    record: Mapped[RecordKey]
    passage: Mapped[int] = mapped_column(ForeignKey("passages.id"))
    at: Mapped[int]
    length: Mapped[int]
    line: Mapped[int]
    col: Mapped[int]
    text: Mapped[str]
    claim: Mapped[str]
    relation: Mapped[str]
    left_side: Mapped[MaybeDerivation]
    left_display: Mapped[str]
    right_side: Mapped[MaybeDerivation]
    right_display: Mapped[str]
    holds: Mapped[int]
    waived: Mapped[str | None]


class Finding(Base):
    """Something wrong or doubtful. ``record`` may name a file that could not be read and so has no row in ``records``."""

    __tablename__ = "findings"
    id: Mapped[Number]
    rule: Mapped[str] = mapped_column(index=True)
    level: Mapped[str]
    path: Mapped[str]
    line: Mapped[int]
    col: Mapped[int]
    length: Mapped[int]
    record: Mapped[str | None] = mapped_column(index=True)
    field: Mapped[str | None]
    message: Mapped[str]
    found: Mapped[str | None]
    expected: Mapped[str | None]
    because: Mapped[str | None]
    mend: Mapped[str | None]
    fixable: Mapped[int]
    waived: Mapped[str | None]
