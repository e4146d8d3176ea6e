"""The accelerators and models that a text may name, and every value that their records give."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import Stated
from ridgeline.knowledge.resolve import Resolver

_VARIANTS = re.compile(
    r"(?i)^(?:s|'s|’s)?[ -]?(?:\(?(?:pcie|nvl|laptop|mobile|max-?q|super|ti\b|cnx|gh200|nvl[0-9]+|d\b|a\b|mig|cluster|pod|node|dgx|hgx|cpu|instance)|[0-9]{2,3} ?gb)"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A record named in a text. ``exact``: the name says which variant, or the record knows only one by it."""

    entry: Entry
    start: int
    end: int
    exact: bool


@dataclass
class Values:
    """What a record says of its quantities: name in formulas → values that any of its claims give."""

    names: dict[str, list[Quantity]] = field(default_factory=dict)


class Register:
    """The names of all accelerators and models, and their values, read when first asked for."""

    def __init__(self, resolver: Resolver):
        self.resolver = resolver
        self.names: dict[str, Entry] = {}
        for kind in ("accelerator", "model"):
            for entry in resolver.knowledge.of_kind(kind):
                assert entry.record is not None
                for name in (entry.record.name, *entry.record.also_called):
                    if not name.isdigit():
                        self.names[name] = entry
        ordered = sorted(self.names, key=len, reverse=True)
        self.pattern = (
            re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, ordered)) + r")(?![A-Za-z0-9]{2}|[0-9])")
            if ordered
            else None
        )
        self._values: dict[str, Values] = {}

    def mentions(self, text: str) -> list[Mention]:
        """The records that a text names, variants of which nothing is held left out."""
        if self.pattern is None:
            return []
        found = []
        for match in self.pattern.finditer(text):
            if _VARIANTS.match(text[match.end() : match.end() + 12]) or re.search(
                r"(?i)(?:dgx|hgx|gh200|mini|[0-9]+ ?[x×]|[0-9]) ?$", text[max(0, match.start() - 6) : match.start()]
            ):
                continue
            entry = self.names[match.group()]
            found.append(Mention(entry, match.start(), match.end(), _exact(entry, match.group())))
        return found

    def values(self, entry: Entry) -> Values:
        """All that a record says."""
        held = self._values.get(entry.reference)
        if held is None:
            held = self._values[entry.reference] = self._read(entry)
        return held

    def _read(self, entry: Entry) -> Values:
        values = Values()
        space = self.resolver.namespace(entry.reference)
        for names in (space.names, *space.layers[:1]):
            for name, meaning in names.items():
                try:
                    quantity = self.resolver.quantity(entry.reference, tuple(name.split("."))).quantity
                except FormulaError:
                    continue
                values.names.setdefault(name, []).append(quantity)
                stated = meaning if isinstance(meaning, Stated) else getattr(meaning, "stated", None)
                if isinstance(stated, Stated):
                    values.names[name] += self._claims(entry, stated)
        for name in [n for n in values.names if n.startswith("peak.")]:
            ridge = name.replace("peak.", "ridge.")
            if ridge in values.names:
                values.names[ridge] += [
                    Quantity(p.middle / b.middle, values.names[ridge][0].dimension)
                    for p in values.names[name] for b in values.names.get("memory.bandwidth", []) if b.middle
                ]  # fmt: skip
        return values

    def _claims(self, entry: Entry, stated: Stated) -> list[Quantity]:
        """The values of the other claims beside a stated one."""
        path = stated.given.field.split(".claims.")[0].split(".")
        node: object = entry.document.data
        for step in path:
            if isinstance(node, dict):
                node = node.get(step)
            elif isinstance(node, list) and step.isdigit() and int(step) < len(node):
                node = node[int(step)]
            else:
                return []
        claims = node.get("claims") if isinstance(node, dict) else None
        found = []
        for claim in claims if isinstance(claims, list) else []:
            try:
                number, unit, _ = parse_quantity(str(claim.get("value")))
            except (FormulaError, AttributeError):
                continue
            found.append(Quantity.of(number, unit))
        return found


def _exact(entry: Entry, name: str) -> bool:
    """Whether a name says which variant of a part is meant: ``H100`` alone may be the PCIe card, ``HGX B200`` is one."""
    assert entry.record is not None
    variant = str(getattr(entry.record, "variant", "") or "").split(" ")[0].rstrip("0123456789").lower()
    names = [entry.record.name, *entry.record.also_called]
    if entry.kind == "model" or not variant or not any(variant in other.lower() for other in names[1:]):
        return True
    vendor = str(getattr(entry.record, "vendor", "")).lower()
    bare = min(names, key=len).lower()
    return name.lower().removeprefix(vendor).strip() != bare
