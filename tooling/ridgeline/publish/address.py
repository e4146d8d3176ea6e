"""Where things stand on the site: pages, anchors on them, and how one page links to another."""

from __future__ import annotations

import hashlib

from ridgeline.publish.content import Database, Derivation, Figure, Quantity
from ridgeline.publish.markup import slug

#: The folder below which derivation pages stand.
DERIVATIONS = "f"
#: The folder of the static API.
API = "api/v1"


def page_of(reference: str) -> str:
    """The address of a record's page from the root of the site."""
    return f"{reference}/"


def quantity_anchor(quantity: Quantity) -> str:
    """The id of a quantity on its record's page: its name, with the number of its layer group where it has one."""
    name = quantity.name if quantity.group is None else f"{quantity.name}.{quantity.group}"
    return slug(name, 120)


def figure_anchor(figure: Figure) -> str:
    """The id of a numeral's row on its record's page."""
    return f"n-{slug(figure.field, 100)}-{figure.ordinal}"


class Addresses:
    """Addresses of everything that a number can lead to.

    The address of a derivation follows from what it is (record, name, formula), not from its value, so it outlives a
    change of a recorded value.
    """

    def __init__(self, database: Database):
        self.database = database
        self._structure: dict[str, str] = {}
        self._pages: dict[str, str] = {}
        self._assign()

    def _assign(self) -> None:
        taken: set[str] = set()
        for derivation in self.database.derivations.values():
            if derivation.formula is None and not derivation.steps:
                continue
            name = self._name(derivation)
            if name.lower() in taken:
                name = f"{name}.{slug(derivation.id, 16)}"
            taken.add(name.lower())
            self._pages[derivation.id] = f"{DERIVATIONS}/{name}/"

    def _name(self, derivation: Derivation) -> str:
        owners = self.database.named.get(derivation.id)
        if owners:
            return f"{slug(owners[0].record.replace('/', '.'), 100)}.{quantity_anchor(owners[0])}"
        record = slug((derivation.record or "").partition("/")[2], 60)
        return f"{record}.{slug(derivation.label)}.{self.structure(derivation.id)[:10]}"

    def structure(self, derivation: str) -> str:
        """A hash of what a derivation is made of, values of records left out."""
        stack = [derivation]
        while stack:
            current = self.database.derivations[stack[-1]]
            missing = [s.child for s in current.steps if s.child not in self._structure]
            if current.id in self._structure or not missing:
                stack.pop()
                self._structure.setdefault(current.id, self._hash(current))
            else:
                stack.extend(missing)
        return self._structure[derivation]

    def _hash(self, d: Derivation) -> str:
        set_here = d.exact if d.formula is None and not d.steps and d.given_record is None else None
        parts = [d.label, d.record, d.formula, d.given_record, (d.given_field or "").partition(".claims.")[0], set_here]
        parts += [f"{s.name}={self._structure[s.child]}" for s in d.steps]
        return hashlib.sha256("\x1f".join(p or "" for p in parts).encode()).hexdigest()

    def derivation(self, derivation: str | None) -> str | None:
        """The page of a derivation; for a value that a record states, its place on that record's page."""
        if derivation is None:
            return None
        page = self._pages.get(derivation)
        if page is not None:
            return page
        given = self.database.given(self.database.derivations[derivation])
        return None if given is None else self.stated(given)

    def derivations(self) -> dict[str, str]:
        """All derivation pages by the derivation's id."""
        return self._pages

    def stated(self, quantity: Quantity) -> str:
        """The place where a quantity stands on its record's page."""
        return f"{page_of(quantity.record)}#{quantity_anchor(quantity)}"

    def quantity(self, quantity: Quantity) -> str:
        """Where a value's number leads: its derivation if it is computed, else where it is stated."""
        if quantity.basis == "derived":
            return self.derivation(quantity.derivation) or self.stated(quantity)
        return self.stated(quantity)

    def numeral(self, figure: Figure) -> str:
        """The row of a numeral on its record's page."""
        return f"{page_of(figure.record)}#{figure_anchor(figure)}"

    def figure(self, figure: Figure) -> str | None:
        """Where a numeral in prose leads; a name that was set aside leads nowhere."""
        if figure.status == "set-aside":
            return None
        if figure.status in ("recomputed", "recorded", "equation") and not figure.failing:
            return self.derivation(figure.derivation) or self.numeral(figure)
        return self.numeral(figure)

    def source(self, source: str) -> str:
        row = self.database.sources.get(source)
        return page_of(row["record"]) if row is not None else page_of(f"sources/{source}")
