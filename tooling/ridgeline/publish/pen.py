"""What templates write numbers, prose and links with: it knows the page that is being written."""

from __future__ import annotations

import re

from markupsafe import Markup

from ridgeline.publish.address import API, Addresses, figure_anchor, page_of, quantity_anchor
from ridgeline.publish.asking import question
from ridgeline.publish.content import Claim, Database, Derivation, Figure, Quantity, Row
from ridgeline.publish.markup import formula, relative, safe, web_address
from ridgeline.publish.prose import blocks, inline

_LINES = re.compile(r"\s*\n\s*(?:[-*•][ \t]+)?")

#: What each status is called and what it says, in the order in which pages list them.
STATUSES = {
    "recomputed": "computed from recorded values, and equal to what is printed",
    "equation": "the equation that it stands in was checked",
    "recorded": "a value that a record states with its source",
    "cited": "a source says so",
    "unverified": "nobody has verified it yet; the reason is given",
    "set-aside": "a name, date or version, by a named rule",
    "uncovered": "nothing accounts for it",
    "unknown": "no value is recorded",
}


def _flat(text: str) -> str:
    """A piece of prose on one line, without the marks of lists and code."""
    return " ".join(_LINES.sub(" ", text).replace("`", "").split(" "))


class Pen:
    """Writes for one page. ``here`` is its address from the root of the site."""

    def __init__(
        self, database: Database, addresses: Addresses, here: str, repository: str | None = None, base_url: str = ""
    ):
        self.database = database
        self.addresses = addresses
        self.here = here
        self.repository = repository
        self.base_url = base_url

    # Links

    def href(self, target: str) -> str:
        return relative(self.here, target)

    def api(self, reference: str) -> str:
        """The record's file in the static API, from the root of the site."""
        return f"{API}/{reference}.json"

    def link(self, target: str, text: object, css: str = "") -> Markup:
        kind = Markup(' class="{}"').format(css) if css else Markup()
        return Markup('<a{} href="{}">{}</a>').format(kind, self.href(target), safe(text))

    def record(self, reference: str | None, text: object | None = None) -> Markup:
        """A record's name, linked to its page where it has one."""
        if not reference:
            return Markup()
        record = self.database.records.get(reference)
        if record is None:
            return safe(text or reference)
        return self.link(page_of(reference), record.name if text is None else text)

    def format(self, identity: str | None) -> Markup:
        return self.record(f"formats/{identity}", identity) if identity else Markup('<span class="faint">–</span>')

    def source(self, identity: str | None, locator: str | None = None, checked: str | None = None) -> Markup:
        """A source with the place in it and the day somebody read it there."""
        if not identity:
            return Markup()
        row = self.database.sources.get(identity)
        name = row["title"] if row else identity
        parts = [self.link(self.addresses.source(identity), name, "source") if row else safe(name)]
        if locator:
            parts.append(Markup('<span class="locator">{}</span>').format(safe(locator)))
        if checked:
            parts.append(self.checked(checked))
        return Markup(" ").join(parts)

    def checked(self, day: str | None) -> Markup:
        return Markup('<span class="checked">checked <time>{}</time></span>').format(safe(day)) if day else Markup()

    def outside(self, url: str | None) -> Markup:
        """An address in the web as a link, if it is one that a reader may be sent to; else as text."""
        if not url:
            return Markup()
        address = web_address(url)
        if address is None:
            return safe(url)
        return Markup('<a href="{}" rel="noopener nofollow">{}</a>').format(address, safe(url))

    def edit(self, path: str) -> str | None:
        """Where a record's file can be edited, if the site was told where its repository is."""
        if not self.repository:
            return None
        return web_address(f"{self.repository.rstrip('/')}/edit/main/{path}")

    def question(self, quantity: Quantity) -> str | None:
        """Where a stated value can be called into question, if the site was told where its repository is."""
        return question(self.repository, f"{quantity.record} {quantity.field or quantity.name}", quantity.shown)

    # Numbers

    def number(
        self, text: object, status: str, target: str | None, *, failing: bool = False, waived: bool = False
    ) -> Markup:
        """A printed number with its status in words and colour, linked to what stands behind it."""
        fails = "does not hold (waived)" if waived else "does not hold"
        words = fails if failing else status
        css = "fig fig-failing" if failing else f"fig fig-{status}"
        note = Markup('<span class="sr"> ({})</span>').format(words)
        mark = Markup()
        if failing or status in ("unverified", "uncovered"):
            mark = Markup('<span class="mark">{}</span>').format(words)
            note = Markup()
        if target is None:
            return Markup('<span class="{}">{}{}</span>{}').format(css, safe(text), note, mark)
        return Markup('<a class="{}" href="{}">{}{}</a>{}').format(css, self.href(target), safe(text), note, mark)

    def value(self, quantity: Quantity | int | None) -> Markup:
        """A quantity's value; one that nobody has verified is said to be unknown."""
        q = self.database.quantity(quantity) if isinstance(quantity, int) else quantity
        if q is None:
            return Markup('<span class="faint">–</span>')
        if q.status == "unknown" or not q.shown:
            return Markup('<span class="unknown">unknown</span>')
        return self.number(q.shown, q.status, self.addresses.quantity(q))

    def rank(self, quantity: Quantity | int | None) -> str:
        """What a quantity's column is sorted by: its value in base units, nothing where it is not known."""
        q = self.database.quantity(quantity) if isinstance(quantity, int) else quantity
        return "" if q is None or q.value is None else f"{q.value:.17g}"

    def named(self, record: str, name: str, group: int | None = None) -> Markup:
        return self.value(self.database.by_name.get((record, name, group)))

    def derived(self, identity: str | None) -> Markup:
        """The value of a derivation, linked to its page or to the record that states it."""
        if identity is None or identity not in self.database.derivations:
            return Markup('<span class="faint">–</span>')
        d = self.database.derivations[identity]
        return self.number(self.shown(d), self.status(d), self.addresses.derivation(identity))

    def shown(self, d: Derivation) -> str:
        given = self.database.given(d)
        return given.shown if given is not None and given.shown else d.shown

    def status(self, d: Derivation) -> str:
        if d.formula is not None or d.steps:
            return "recomputed"
        given = self.database.given(d)
        return "set" if given is None else given.status

    def badge(self, status: str, words: str | None = None) -> Markup:
        return Markup('<span class="badge badge-{}">{}</span>').format(status, safe(words or status))

    def math(self, *parts: str | None, block: bool = False) -> Markup:
        """Formulas from the database, set equal to each other."""
        rows = [formula(p) for p in parts if p]
        if not rows:
            return Markup()
        inner = Markup('<mo form="infix">=</mo>').join(Markup("<mrow>{}</mrow>").format(r) for r in rows)
        return Markup('<math display="{}">{}</math>').format("block" if block else "inline", inner)

    def quantity_anchor(self, quantity: Quantity) -> str:
        return quantity_anchor(quantity)

    def figure_anchor(self, figure: Figure) -> str:
        return figure_anchor(figure)

    # Prose

    def figure(self, figure: Figure) -> Markup:
        if figure.status == "set-aside":
            return safe(figure.text)
        return self.number(
            figure.text,
            figure.status,
            self.addresses.figure(figure),
            failing=figure.failing,
            waived=figure.waived is not None,
        )

    def prose(self, record: str, field: str, fallback: str | None = None) -> Markup:
        """A prose field as paragraphs and lists."""
        passage = self.database.passages.get((record, field))
        if passage is None:
            return blocks(fallback, (), self.figure) if fallback else Markup()
        return blocks(passage.text, passage.figures, self.figure)

    def line(self, record: str, field: str, fallback: str | None = None) -> Markup:
        """A prose field of one line, for the cell of a table."""
        passage = self.database.passages.get((record, field))
        if passage is None:
            return safe(fallback.strip()) if fallback else Markup()
        return inline(passage.text.rstrip(), passage.figures, self.figure)

    def around(self, figure: Figure, width: int = 90) -> Markup:
        """The words around a numeral, the numeral marked."""
        passage = self.database.passages.get((figure.record, figure.field))
        if passage is None:
            return safe(figure.text)
        text, end = passage.text, figure.at + figure.length
        start, stop = max(0, figure.at - width), min(len(text), end + width)
        while 0 < start < figure.at and not text[start - 1].isspace():
            start += 1
        while end < stop < len(text) and not text[stop].isspace():
            stop -= 1
        before = ("… " if start else "") + _flat(text[start : figure.at])
        after = _flat(text[end:stop]) + (" …" if stop < len(text.rstrip()) else "")
        return Markup("{}<b>{}</b>{}").format(safe(before), safe(text[figure.at : end]), safe(after))

    def claims(self, quantities: list[Quantity]) -> list[tuple[Quantity, Claim]]:
        return [(q, c) for q in quantities for c in q.claims]

    def fact(self, record: str, field: str) -> Row | None:
        return next((f for f in self.database.rows("facts", record) if f["field"] == field), None)
