"""Rules about what the numbers of an accelerator count, and about its links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ridgeline.figures.printing import show
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import slug
from ridgeline.records.accelerator import Link, OnChip, ScopedClaim, ScopedQuantity
from ridgeline.records.common import quantity_value
from ridgeline.records.walk import Path
from ridgeline.rules.peers import TOLERANCE, Device, Doubt, PeerRule, devices, place, rounding, shown
from ridgeline.rules.rule import Context

#: Scopes by size. A chip is what a vendor calls one device: as large as a package.
_SIZE = {"die": 0, "package": 1, "chip": 1, "board": 2, "pair": 3, "node": 4}
#: More links than any part has.
_ANY = 1_000_000
#: Words of a locator that say what its column or row counts. Those of a package, chip and board say too little.
_WORDS = (
    ("die", re.compile(r"\bper (?:die|gcd|chiplet)\b", re.I)),
    ("pair", re.compile(r"\bper pair\b|\bof (?:a|the) pair\b|\bboth (?:cards|boards|gpus|dies)\b", re.I)),
    ("node", re.compile(r"\bper (?:node|server|system|rack|pod|instance|superchip)\b", re.I)),
)


class ScopeDiffers(PeerRule):
    """A value counts something else than its record does.

    A record is about one scope: a die, a package, a board, a pair, a node. A value of another scope is off by the number of
    its parts. `scope:` at a value says what its source counts; words of its locator (`per die`, `per pair`, `per node`) and
    memories that are counted in something larger than the record show it too. Mend it by dividing (`basis: derived`,
    `from: as(7.8, TB/s) / 2`), or keep the figure as a claim with its scope beside the preferred one.
    """

    id = "scope-differs"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every value of every part that may have another scope, and its on-chip memories."""
        for device in devices(context):
            for item in device.entry.items:
                if item.what == "quantity" and isinstance(item.value, ScopedQuantity):
                    yield from self.value(device, item.path, item.value)
            for name, level in device.record.on_chip.items():
                yield from self.instances(device, name, level)

    def value(self, device: Device, path: Path, quantity: ScopedQuantity) -> Iterator[Doubt]:
        """A value, or the preferred one of its claims."""
        text, origin = quantity_value(quantity)
        stands = path
        if quantity.claims is not None and isinstance(origin, ScopedClaim):
            stands = (*path, "claims", quantity.claims.index(origin))
        said = getattr(origin, "scope", None) or quantity.scope
        own = device.record.scope
        if said is not None and _SIZE[said] != _SIZE[own]:
            yield self.doubt(device, path, (*stands, "scope"), text or "", said, "scope: says so")
            return
        if quantity.basis == "derived":
            # The formula may divide what the source counts.
            return
        for scope, words in _WORDS:
            match = words.search(origin.at or "")
            if match and _SIZE[scope] != _SIZE[own]:
                yield self.doubt(device, path, (*stands, "at"), text or "", scope, f"its place says {match[0]}")

    def doubt(self, device: Device, path: Path, stands: Path, text: str, scope: str, because: str) -> Doubt:
        """A value of another scope than the record's."""
        field = ".".join(map(str, path))
        own = device.record.scope
        return Doubt(
            device,
            field,
            stands,
            f"{field} = {text} is of a {scope}, the record is about a {own}",
            found=scope,
            expected=own,
            because=because,
            mend=f"write the value of one {own}",
        )

    def instances(self, device: Device, name: str, level: OnChip) -> Iterator[Doubt]:
        """An on-chip memory that is counted per something larger than the record, or several times per all of it."""
        own, per = device.record.scope, level.per
        if per not in _SIZE:
            return
        count = device.number(f"{name}.count")
        if _SIZE[per] > _SIZE[own]:
            part, found, expected = "per", per, f"{own}"
            message = f"{name} is counted per {per}, the record is about a {own}"
        elif per == own and count is not None and count != 1:
            part, found, expected = "count", show(Quantity.of(count)), "1"
            message = f"a {own} has {found} of {name}, which is counted per {per}"
        else:
            return
        yield Doubt(
            device,
            f"{name}.count",
            ("on_chip", name, part),
            message,
            found=found,
            expected=expected,
            because="what a record counts is a part of every value in it",
            mend="say what one instance belongs to",
        )


class LinkRate(PeerRule):
    """The rate of a link is not that of its interconnect times the number of links.

    The record of an interconnect holds the rate of one link in one direction; an accelerator's links are so many of them.
    Where no number is recorded, the rate must be a whole multiple, and no more than the most links that a record counts. One
    that is not is both directions together, another generation's, or in bits. Mend the rate or the count; where the vendor leaves links unused, say so in
    `differs:`.
    """

    id = "link-rate"

    def doubts(self, context: Context) -> Iterator[Doubt]:
        """Every link of every part that names its interconnect."""
        for device in devices(context):
            for index, link in enumerate(device.record.links):
                if not link.differs:
                    yield from mismatches(device, index, link)


def mismatches(device: Device, index: int, link: Link) -> Iterator[Doubt]:
    """What is doubtful about the rates of a link that names its interconnect."""
    entry = device.context.knowledge.get(f"interconnects/{link.interconnect}")
    for part in ("per_direction", "aggregate") if entry is not None else ():
        assert entry is not None
        yield from _rate(device, index, link, part, entry)


def _rate(device: Device, index: int, link: Link, part: str, entry: Entry) -> Iterator[Doubt]:
    """One rate of one link against the rates that its kind has, with and without encoding."""
    name = f"links.{slug(link.kind)}.{part}"
    rate = device.value(name)
    ones = list(one_link(device.context, entry, part))
    if rate is None or not ones:
        return
    count = device.number(f"links.{slug(link.kind)}.count")
    most = device.context.survey.most_links(entry.id) or _ANY
    slack = max(TOLERANCE, rounding([rate]))
    for one in ones:
        times = rate.quantity.middle / one.quantity.middle
        nearest = count if count is not None else Fraction(min(max(round(times), 1), most))
        if abs(times / nearest - 1) <= slack:
            return
    one = ones[0]
    wanted = one.quantity.middle * (count or 1)
    yield Doubt(
        device,
        name,
        place(rate, ("links", index, part)),
        f"{name} = {shown(rate)} is {float(rate.quantity.middle / one.quantity.middle):.4g} times one link's {shown(one)}",
        found=shown(rate),
        expected=show(Quantity(wanted, one.quantity.dimension), rate.unit),
        because=f"{entry.reference} has {shown(one)} for one link"
        + (f", and the record counts {show(Quantity.of(count))}" if count is not None else ""),
        mend="look whether it is one direction or both, and how many links are meant",
    )


def one_link(context: Context, entry: Entry, part: str) -> Iterator[Derivation]:
    """The rates of one link, in one direction or both: as recorded, and from its lanes with and without encoding."""
    raw = "lane_rate * num(lanes, lane)"
    both = "" if part == "per_direction" else "2 * "
    formulas = ["per_direction"] if part == "per_direction" else ["aggregate", "2 * per_direction"]
    for formula in (*formulas, f"{both}{raw}", f"{both}{raw} * efficiency"):
        try:
            found = context.resolver.evaluate(formula, context.resolver.scope_of(entry))
        except FormulaError:
            continue
        if found.quantity.middle:
            yield found
