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


#: Names of parts end with what tells variants apart: a form factor, a size of memory, a word in brackets.
_FORM = re.compile(r"(?i)[ -](?:sxm[0-9]?|pcie|nvl|oam|apu)\b")
_SIZE = re.compile(r"[ -]([0-9]{2,3}) ?GB\b")
_VENDOR = re.compile(r"(?i)^(?:nvidia|amd|google|aws|intel|apple|meta)[ -]")
_PIECES = re.compile(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)*|[^\sA-Za-z0-9-]")
#: A short name is taken only as it is written; ``l4`` and ``a10`` are words of other trades.
_SHORT = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A record named in a text.

    ``exact``: the name says which variant, or the record knows only one by it. ``family``: the records that the name can
    mean, ``entry`` first: the ``A100`` may be any of three.
    """

    entry: Entry
    start: int
    end: int
    exact: bool
    family: tuple[Entry, ...] = ()


@dataclass
class Values:
    """What a record says of its quantities: name in formulas → values that any of its claims give."""

    names: dict[str, list[Quantity]] = field(default_factory=dict)


class Register:
    """The names of all accelerators, models and links, and their values, read when first asked for."""

    def __init__(self, resolver: Resolver):
        self.resolver = resolver
        self.names: dict[str, tuple[Entry, str]] = {}
        self.families: dict[str, list[Entry]] = {}
        for kind in ("accelerator", "model", "interconnect"):
            for entry in resolver.knowledge.of_kind(kind):
                assert entry.record is not None
                for name in (entry.record.name, *entry.record.also_called):
                    if not name.isdigit():
                        self.names.setdefault(_key(name), (entry, name))
        self._derived: set[str] = set()
        for entry in resolver.knowledge.of_kind("accelerator"):
            for name in _short_names(entry):
                key = _key(name)
                self.families.setdefault(key, []).append(entry)
                if key not in self.names:
                    self._derived.add(key)
                    self.names[key] = (entry, name)
        self.pattern = _pattern([name for _, name in self.names.values()])
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
            held = self.names.get(_key(match.group()))
            if held is None:
                continue
            entry = held[0]
            key = _key(match.group())
            others = [e for e in self.families.get(key, []) if e is not entry]
            exact = _exact(entry, match.group()) and not others and key not in self._derived
            found.append(Mention(entry, match.start(), match.end(), exact, (entry, *others)))
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


def _key(name: str) -> str:
    """A name without the marks that writers put between its parts as they like."""
    return "".join(_PIECES.findall(name)).lower()


def _pattern(names: list[str]) -> re.Pattern[str] | None:
    """All names, longest first, with any or no mark between their parts; capitals count in short names only."""
    if not names:
        return None
    ordered = sorted(set(names), key=lambda n: (-len(_key(n)), n))
    parts = []
    for name in ordered:
        pieces = r"[-_ \u00a0]?".join(map(re.escape, _PIECES.findall(name)))
        parts.append(pieces if len(_key(name)) <= _SHORT else f"(?i:{pieces})")
    return re.compile(r"(?<![\w-])(?:" + "|".join(parts) + r")(?![A-Za-z0-9]{2}|[0-9]|\.[0-9])")


def _short_names(entry: Entry) -> list[str]:
    """The names of a part that leave its variant open: the chip alone, and the chip with its memory."""
    assert entry.record is not None
    names = [entry.record.name, *entry.record.also_called]
    chips = set()
    for name in names:
        cuts = [m.start() for m in (_FORM.search(name), _SIZE.search(name)) if m is not None]
        chip = _VENDOR.sub("", name[: min(cuts)]) if cuts else ""
        if len(chip) >= 3 and any(c.isdigit() for c in chip) and "," not in chip:
            chips.add(chip)
    size = _SIZE.search(entry.record.name)
    found = sorted(chips)
    return found + [f"{c} {size.group(1)} GB" for c in sorted(chips)] if size else found
