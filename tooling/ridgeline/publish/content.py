"""What the database holds, as values that pages are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LONG = re.compile(r"(?<![\d.,])\d{5,60}(?![\d,])", re.ASCII)
Row = Mapping[str, Any]
#: The status of a value on a page, by the basis that the database gives.
STATUS_OF_BASIS = {
    "recorded": "recorded",
    "measured": "recorded",
    "derived": "recomputed",
    "unverified": "unverified",
    "unknown": "unknown",
}


def readable(text: str) -> str:
    """A computed value with the digits of long whole numbers in groups of three."""
    return _LONG.sub(lambda m: f"{int(m.group()):,}", text)


@dataclass(frozen=True, slots=True)
class Record:
    """A record's head."""

    reference: str
    kind: str
    id: str
    name: str
    revision: int
    status: str
    path: str


@dataclass(frozen=True, slots=True)
class Claim:
    """What one source says of a quantity."""

    preferred: bool
    field: str
    text: str
    source: str | None
    locator: str | None
    checked: str | None
    why: str | None


@dataclass(frozen=True, slots=True)
class Quantity:
    """A named value of a record. ``value`` is the nearest double in base units, for drawings alone."""

    number: int
    record: str
    name: str
    group: int | None
    basis: str
    field: str | None
    value_field: str | None
    text: str | None
    exact: str | None
    value: float | None
    dimension: str | None
    display: str | None
    means: str | None
    formula: str | None
    source: str | None
    locator: str | None
    checked: str | None
    reason: str | None
    note: str | None
    derivation: str | None
    claims: tuple[Claim, ...] = ()

    @property
    def status(self) -> str:
        return STATUS_OF_BASIS.get(self.basis, "unverified")

    @property
    def counts(self) -> str:
        """``flop`` or ``op``, by the unit in which a rate is shown."""
        return "flop" if "flop" in self.shown.lower() else "op"

    @property
    def shown(self) -> str:
        """The value for people: as printed by its source, or as computed."""
        if self.basis == "derived":
            return readable(self.display or self.text or "")
        return self.text or self.display or ""


@dataclass(frozen=True, slots=True)
class Step:
    """An input of a derivation: what the formula calls it, and the derivation that it is."""

    name: str
    child: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """A value with the formula that it follows from."""

    id: str
    label: str
    exact: str | None
    low: str | None
    high: str | None
    value: float | None
    dimension: str
    display: str
    means: str | None
    record: str | None
    formula: str | None
    mathml: str | None
    mathml_values: str | None
    given_record: str | None
    given_field: str | None
    steps: tuple[Step, ...] = ()

    @property
    def shown(self) -> str:
        """The value for people."""
        return readable(self.display)


@dataclass(frozen=True, slots=True)
class Figure:
    """A numeral of a passage, with its status."""

    record: str
    field: str
    ordinal: int
    at: int
    length: int
    text: str
    status: str
    grade: str | None
    holds: bool | None
    expression: str | None
    equation: str | None
    derivation: str | None
    computed: str | None
    because: str | None
    rule: str | None
    reason: str | None
    source: str | None
    locator: str | None
    checked: str | None
    waived: str | None = None

    @property
    def failing(self) -> bool:
        """Whether what is printed is wrong."""
        return self.holds is False


@dataclass(frozen=True, slots=True)
class Passage:
    """A prose field with its figures, in the order in which they stand."""

    record: str
    field: str
    text: str
    figures: tuple[Figure, ...]


@dataclass
class Database:
    """Everything that pages show. ``tables`` holds the rows of the tables of single kinds, by name and record."""

    metadata: dict[str, str]
    records: dict[str, Record]
    quantities: dict[int, Quantity]
    derivations: dict[str, Derivation]
    passages: dict[tuple[str, str], Passage]
    sources: dict[str, Row]
    tables: dict[str, dict[str, list[Row]]]
    crosschecks: dict[str, Row]
    of_record: dict[str, list[Quantity]] = field(default_factory=dict)
    by_name: dict[tuple[str, str, int | None], Quantity] = field(default_factory=dict)
    by_field: dict[tuple[str, str], list[Quantity]] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    named: dict[str, list[Quantity]] = field(default_factory=dict)
    figures_of: dict[str, list[Figure]] = field(default_factory=dict)
    passages_of: dict[str, list[Passage]] = field(default_factory=dict)
    by_source: dict[str, list[Quantity]] = field(default_factory=dict)
    cited: dict[str, list[Figure]] = field(default_factory=dict)

    def rows(self, table: str, record: str) -> list[Row]:
        return self.tables[table].get(record, [])

    def of_kind(self, kind: str) -> list[Record]:
        return [r for r in self.records.values() if r.kind == kind]

    def quantity(self, number: int | None) -> Quantity | None:
        return None if number is None else self.quantities.get(number)

    def figures(self, record: str | None = None) -> list[Figure]:
        """The numerals of a record's prose, or of all prose."""
        passages = self.passages.values() if record is None else self.passages_of.get(record, [])
        return [f for p in passages for f in p.figures]

    def given(self, derivation: Derivation) -> Quantity | None:
        """The recorded quantity that a leaf stands for."""
        if derivation.given_record is None or derivation.given_field is None:
            return None
        hits = self.by_field.get((derivation.given_record, derivation.given_field), [])
        return hits[0] if hits else None

    def leaves(self, derivation: str) -> list[Derivation]:
        """What a derivation rests on in the end, each once, in the order in which formulas meet them."""
        found: dict[str, Derivation] = {}
        seen: set[str] = set()
        stack = [derivation]
        while stack:
            current = stack.pop()
            if current in seen:
                continue
            seen.add(current)
            node = self.derivations[current]
            if not node.steps and node.formula is None:
                found[current] = node
            stack.extend(step.child for step in reversed(node.steps))
        return list(found.values())
