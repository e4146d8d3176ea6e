"""What every kind of record shares: its head, quantities with their origin, and prose with its figures."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

ID_PATTERN = r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$"
NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
DATE_PATTERN = r"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$"
PART_DATE_PATTERN = r"^[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?$"


class ProseMarker:
    """Marks a text field in which every numeral must be accounted for."""


class FormulaMarker:
    """Marks a text field that is read by the formula language."""


class ReferenceMarker:
    """Marks a text field that names another record of the given kind (``""``: the text says ``kind/id``)."""

    def __init__(self, kind: str):
        self.kind = kind


def _real_date(value: str) -> str:
    from datetime import date

    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{value} is not a day of the calendar: correct it") from None
    return value


Id = Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=80)]
Symbol = Annotated[str, StringConstraints(pattern=NAME_PATTERN, max_length=40)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Day = Annotated[str, StringConstraints(pattern=DATE_PATTERN), AfterValidator(_real_date)]
PartOfDate = Annotated[str, StringConstraints(pattern=PART_DATE_PATTERN)]
Address = Annotated[str, StringConstraints(pattern=r"^https?://[^\s<>\"']+$", max_length=500)]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=20_000), ProseMarker()]
ProseLine = Annotated[str, StringConstraints(min_length=1, max_length=1_000), ProseMarker()]
FormulaText = Annotated[str, StringConstraints(min_length=1, max_length=500), FormulaMarker()]
SourceId = Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=80), ReferenceMarker("source")]
FormatId = Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=80), ReferenceMarker("format")]
RecordReference = Annotated[
    str, StringConstraints(pattern=r"^[a-z]+/[a-z0-9.-]+$", max_length=120), ReferenceMarker("")
]
#: A number with its unit, as the source prints it: ``3.35 TB/s``.
ValueText = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Positive = Annotated[int, Field(ge=1, le=10**15)]


class Strict(BaseModel):
    """Closed objects: an unknown key is a finding, never ignored."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Claim(Strict):
    """One of several values that sources give for the same quantity."""

    value: ValueText
    """Number and unit as this source prints them."""
    source: SourceId
    """Id of the source record that says so."""
    at: Line | None = None
    """Where in the source: page, table, column."""
    checked: Day
    """The day somebody last read it there."""
    preferred: bool = False
    """Whether this is the value that the knowledge base uses."""
    why: ProseLine | None = None
    """Why it is, or is not, preferred."""


class Quantity(Strict):
    """A value with its unit and its origin."""

    value: ValueText | None = None
    """Number and unit as the source prints them, digits kept: `3.35 TB/s`."""
    basis: Literal["recorded", "derived", "measured", "unverified"] = "recorded"
    """How the value is known. `recorded` and `measured` need a source, `derived` a formula, `unverified` a reason."""
    source: SourceId | None = None
    """Id of the source record."""
    at: Line | None = None
    """Where in the source: page, table, column."""
    checked: Day | None = None
    """The day somebody last read it there."""
    from_: Annotated[FormulaText | None, Field(alias="from")] = None
    """For a derived value: the formula it follows from; it is evaluated and compared with `value` where that is given."""
    reason: ProseLine | None = None
    """For an unverified value: why no source stands here."""
    note: ProseLine | None = None
    """Anything a reader of this value must know."""
    claims: list[Claim] | None = None
    """Values of sources that disagree; exactly one is preferred."""

    @model_validator(mode="after")
    def _origin(self) -> Quantity:
        if self.claims is not None:
            if self.value is not None:
                raise ValueError("a quantity has either a value or claims: move the value into a claim")
            if len(self.claims) < 2:
                raise ValueError("claims are for sources that disagree: at least two")
            if sum(c.preferred for c in self.claims) != 1:
                raise ValueError("exactly one claim must be preferred: set preferred: true on that one alone")
            if not any(c.why for c in self.claims):
                raise ValueError("say in why: what decided between the claims")
            return self
        if self.basis == "derived":
            if self.from_ is None:
                raise ValueError("a derived value needs from: the formula it follows from")
            return self
        if self.from_ is not None:
            raise ValueError("from: belongs to basis: derived")
        if self.value is None:
            raise ValueError("a value is missing: write it, or the whole quantity as null when it is not known")
        if self.basis == "unverified":
            if not self.reason:
                raise ValueError("an unverified value needs reason: why no source stands here")
        elif self.source is None:
            raise ValueError(f"a {self.basis} value needs source: the id of a source record")
        elif self.checked is None:
            raise ValueError("a value with a source needs checked: the day you read it there")
        return self


class Fact(Strict):
    """A text with its origin: a process node, a release date."""

    value: Line
    """The text."""
    source: SourceId | None = None
    """Id of the source record."""
    at: Line | None = None
    """Where in the source."""
    checked: Day | None = None
    """The day somebody last read it there."""
    reason: ProseLine | None = None
    """Why no source stands here, when none does: the text is then unverified."""

    @model_validator(mode="after")
    def _origin(self) -> Fact:
        if self.source is None and not self.reason:
            raise ValueError("name the source, or say in reason: why none stands here")
        if self.source is not None and self.checked is None:
            raise ValueError("a text with a source needs checked: the day you read it there")
        return self


class Change(Strict):
    """One entry of a record's history."""

    revision: Positive
    """The revision that this change made."""
    date: Day
    """The day of the change."""
    change: Line
    """The field that changed."""
    was: Line | None = None
    """Its old value."""
    why: ProseLine
    """Why it changed."""


Expression = Annotated[str, StringConstraints(min_length=1, max_length=500), FormulaMarker()]


class Figure(Strict):
    """What the numerals of a piece of prose are.

    Exactly one of `is`, `each`, `source`, `unverified`, `set_aside` and `holds` says it.
    """

    say: Annotated[str, StringConstraints(min_length=2, max_length=600)]
    """The words of the prose, numerals and all. The numerals are holes: editing one does not orphan the entry."""
    in_: Annotated[str | None, Field(alias="in")] = None
    """The prose field, where the words stand more than once: `text.notes`."""
    is_: Annotated[Expression | list[Expression] | None, Field(alias="is")] = None
    """One expression, or one for each numeral in order; `_` leaves a numeral to its own status."""
    each: Annotated[list[Expression], Field(min_length=2, max_length=8)] | None = None
    """A pattern that repeats over the numerals: an expression checks its numeral, a bare symbol takes its value from it."""
    above: Expression | list[Expression] | None = None
    """The threshold that the sentence puts the value above: `ridge(h100, bf16)`; one for each numeral in order, or `_`."""
    below: Expression | list[Expression] | None = None
    """The threshold that the sentence puts the value below: `h100.memory.capacity`."""
    holds: Annotated[str, StringConstraints(min_length=3, max_length=500), FormulaMarker()] | None = None
    """Instead of numerals: the comparison that the words claim, `weight_bytes(llama3_70b) < h100.memory.capacity`."""
    with_: Annotated[dict[str, str | int] | None, Field(alias="with")] = None
    """Records and symbols for the expressions of this entry: `{g: 4, s_kv: 1 byte}`."""
    k: Literal[1000, 1024] | None = None
    """What `k` means in the numerals that this entry takes as inputs."""
    source: SourceId | None = None
    """Cited: the source says so."""
    at: Line | None = None
    """Where in the source."""
    checked: Day | None = None
    """The day somebody last read it there."""
    unverified: Line | None = None
    """Why nobody has verified it."""
    set_aside: Line | None = None
    """Why these numerals state no quantity (a definition, a name that no rule knows)."""
    todo: Line | None = None
    """A proposal that a person has not confirmed yet: delete this line to confirm."""

    @model_validator(mode="after")
    def _one_meaning(self) -> Figure:
        given = [
            n
            for n, v in (
                ("is", self.is_),
                ("each", self.each),
                ("source", self.source),
                ("unverified", self.unverified),
                ("set_aside", self.set_aside),
                ("holds", self.holds),
            )
            if v is not None
        ]
        if len(given) != 1:
            raise ValueError(
                "say exactly one of is, each, source, unverified, set_aside and holds"
                + (f" (here: {', '.join(given)})" if given else "")
            )
        if self.source is not None and self.checked is None:
            raise ValueError("a cited figure needs checked: the day you read it there")
        threshold = "above" if self.above is not None else "below" if self.below is not None else None
        if threshold is not None and self.is_ is None and self.each is None:
            raise ValueError(f"{threshold} is about a value that is computed: say is: or each: as well")
        return self


class Record(Strict):
    """The head that every record has."""

    schema_: Annotated[str, Field(alias="schema")]
    """Kind and version of the record: `accelerator/1`."""
    id: Id
    """The record's id: kebab case, the file's name, never reused."""
    name: Line
    """The full name, variant included."""
    also_called: list[Annotated[str, StringConstraints(min_length=1, max_length=80)]] = []
    """Other names that prose uses; numerals inside them are part of the name."""
    revision: Positive
    """Rises when a recorded value changes."""
    status: Literal["draft", "verified", "contested", "withdrawn"]
    """How far the record can be trusted as a whole."""
    formerly: list[Id] = []
    """Ids that this record had before."""
    history: list[Change] = []
    """What changed, oldest first."""
    subjects: dict[Symbol, RecordReference] = {}
    """Records that the prose talks about, each under a short alias."""
    text: dict[Symbol, Prose] = {}
    """Prose by section, as block literals."""
    figures: list[Figure] = []
    """What the numerals of the prose are."""


def quantity_value(quantity: Quantity) -> tuple[str | None, Quantity | Claim]:
    """The value text that counts, and where it stands: the quantity itself or its preferred claim."""
    if quantity.claims is None:
        return quantity.value, quantity
    preferred = next(c for c in quantity.claims if c.preferred)
    return preferred.value, preferred


def field_name(name: str, model: type[BaseModel]) -> str:
    """The key in the file for an attribute of a model (``is_`` → ``is``)."""
    info: Any = model.model_fields[name]
    return str(info.alias or name)
