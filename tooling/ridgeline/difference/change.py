"""What differs between two states of one record: values with units, origins, claims, formulas, prose, the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from ridgeline.difference.fields import Key, Path, Shape, plain, printed, shape
from ridgeline.figures.printing import show
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import Formula, Stated
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers.units import hard
from ridgeline.records.common import Quantity as Recorded
from ridgeline.records.common import Record, quantity_value
from ridgeline.records.walk import dotted

What = Literal["value", "printed", "origin", "claims", "preferred", "formula", "text", "figures", "head", "field"]

#: Fields of a model that are read from its config file, each a recorded value.
_GEOMETRY = frozenset(
    {"vocabulary", "vocabulary_used", "width", "context", "tied_embeddings", "head_bias", "positions",
     "embedding_norm_parameters", "final_norm_parameters", "layers"}
)  # fmt: skip
#: Kind → first field and last field of values that sources state outside of quantities; ``*`` is any.
_STATED: dict[str, tuple[tuple[str, str], ...]] = {
    "announced": (("statements", "says"),),
    "architecture": (("ladder", "is"), ("ladder", "unless")),
    "class": (("measured", "value"),),
    "format": (("family", "*"), ("layouts", "*"), ("scale", "*"), ("super_scale", "*")),
    "model": (("extras", "parameters"), ("extras", "in_checkpoint"), ("checkpoint", "parameters")),
}
_HEAD = frozenset({"schema", "id", "name", "also_called", "status", "formerly", "subjects"})
#: The rules of history look at these.
_OWN_RULES = frozenset({"history", "revision"})
_ORIGIN = frozenset({"source", "at", "checked", "file_revision", "basis", "scope"})
_DEFINITIONS = frozenset({"formulas", "symbols", "properties"})


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs.

    ``field`` is the dotted path in the file that has it (the later one where both do), ``name`` what formulas call it.
    ``old`` and ``new`` are as printed, ``None`` for nothing; ``before`` and ``after`` the values where they are numbers.
    ``recorded``: it is a value that a source states, and it is another one now.
    """

    what: What
    field: str
    name: str = ""
    old: str | None = None
    new: str | None = None
    before: Quantity | None = None
    after: Quantity | None = None
    recorded: bool = False
    #: Where it stands in either file.
    old_path: Path | None = None
    new_path: Path | None = None

    @property
    def percent(self) -> Fraction | None:
        """The change of the value in percent; ``None`` where it is none of one quantity."""
        return percent(self.before, self.after)


def percent(before: Quantity | None, after: Quantity | None) -> Fraction | None:
    """The change from one value to another of the same dimension, in percent of the first."""
    if before is None or after is None or not before.middle or hard(before.dimension) != hard(after.dimension):
        return None
    return (after.middle - before.middle) / abs(before.middle) * 100


@dataclass
class State:
    """One state of a record, with what its fields are called and what stands where."""

    entry: Entry
    record: Record
    resolver: Resolver
    shape: Shape = field(init=False)
    data: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.data = plain(self.record)
        self.shape = shape(self.data)

    @cached_property
    def names(self) -> dict[str, str]:
        """Dotted path of a recorded value → its name in formulas."""
        if self.entry.kind in ("class", "source"):
            return {}
        space = self.resolver.namespace(self.entry.reference)
        found: dict[str, str] = {}
        for group in (space.names, *space.layers):
            for name, meaning in group.items():
                where = meaning.given.field.partition(".claims.")[0] if isinstance(meaning, Stated) else meaning.field
                if where and isinstance(meaning, Stated | Formula):
                    found.setdefault(where, name)
        return found

    @cached_property
    def quantities(self) -> dict[Key, tuple[Path, Recorded]]:
        """The quantities of the record by their keys."""
        return {self.shape.key(i.path): (i.path, i.value) for i in self.entry.items if i.what == "quantity"}

    @cached_property
    def facts(self) -> set[Key]:
        return {self.shape.key(i.path) for i in self.entry.items if i.what == "fact"}

    @cached_property
    def marked(self) -> dict[Key, str]:
        """Keys of texts that are prose or formulas."""
        marks = {"prose": "text", "formula": "formula"}
        return {self.shape.key(i.path): marks[i.what] for i in self.entry.items if i.what in marks}

    def name(self, path: Path) -> str:
        return self.names.get(dotted(path), "")

    def value(self, path: Path, quantity: Recorded) -> Quantity | None:
        """The value of a quantity: of its printed text, else of its formula; ``None`` where neither can be read."""
        text, _ = quantity_value(quantity)
        try:
            if text is not None:
                number, unit, _ = parse_quantity(text)
                return Quantity.of(number, unit)
            name = self.name(path)
            return self.resolver.quantity(self.entry.reference, tuple(name.split("."))).quantity if name else None
        except FormulaError:
            return None

    def number(self, key: Key, value: Any) -> Quantity | None:
        """A plain value outside of quantities as one, where it is a number, or a formula that has a value."""
        if self.marked.get(key) != "formula":
            return _number(value)
        try:
            return self.resolver.evaluate(str(value), self.resolver.scope_of(self.entry)).quantity
        except FormulaError:
            return None


def changes(before: State, after: State) -> list[Change]:
    """Everything that differs, in the order of the later file; nothing for another layout of the same record."""
    if before.data == after.data:
        return []
    quantities = before.quantities.keys() | after.quantities.keys()
    found: list[Change] = []
    for key in _both(before.quantities, after.quantities):
        found += _quantity(before, after, key)
    found += _leaves(before, after, quantities)
    order = {key: number for number, key in enumerate(_both(after.shape.keys.values(), before.shape.keys.values()))}
    place = {dotted(path): order[key] for side in (before, after) for path, key in side.shape.keys.items()}
    return sorted(found, key=lambda change: place.get(change.field, 0))


def _both(first: Any, second: Any) -> list[Any]:
    """The keys of two mappings, each once, in order."""
    return list(dict.fromkeys([*first, *second]))


# Quantities


def _quantity(before: State, after: State, key: Key) -> Iterator[Change]:
    """What differs in one quantity."""
    old, new = before.quantities.get(key), after.quantities.get(key)
    if old is None or new is None:
        state, (path, quantity) = (after, new) if new is not None else (before, old)  # type: ignore[misc]
        value, text = state.value(path, quantity), _printed(state, path, quantity)
        if new is not None:
            yield Change("value", dotted(path), state.name(path), None, text, None, value, False, None, path)
        else:
            stated = _stated(quantity)
            yield Change("value", dotted(path), state.name(path), text, None, value, None, stated, path, None)
        return
    if old[1] == new[1]:
        return
    a, b = before.value(*old), after.value(*new)
    texts = (_printed(before, *old), _printed(after, *new))
    head = (dotted(new[0]), after.name(new[0]) or before.name(old[0]))
    paths = (old[0], new[0])
    moved = not _same(a, b) if a and b else texts[0] != texts[1]
    stated = _stated(old[1]) or _stated(new[1])
    if moved and (stated or old[1].from_ == new[1].from_):
        yield Change("value", *head, *texts, a, b, stated, *paths)
    elif old[1].from_ != new[1].from_:
        yield Change("formula", *head, *texts, a, b, False, *paths)
    elif texts[0] != texts[1]:
        yield Change("printed", *head, *texts, a, b, False, *paths)
    yield from _origins(head, old[1], new[1], paths)


def _stated(quantity: Recorded) -> bool:
    """Whether a source, or nobody in particular, states the value: it is not only computed."""
    return quantity.basis != "derived" or quantity.source is not None


def _printed(state: State, path: Path, quantity: Recorded) -> str:
    """The value as the file prints it; a formula with what it gives."""
    text, _ = quantity_value(quantity)
    if text is not None:
        return text
    value = state.value(path, quantity)
    return f"{show(value)}, from {quantity.from_}" if value is not None else str(quantity.from_)


def _origins(head: tuple[str, str], old: Recorded, new: Recorded, paths: tuple[Path, Path]) -> Iterator[Change]:
    """Where a value is from, what sources claim, and which of them counts."""
    a: str | None = _origin(old)
    b: str | None = _origin(new)
    claims = [{_claim(c): c.preferred for c in q.claims or ()} for q in (old, new)]
    gone, come = ([c for c in these if c not in those] for these, those in (claims, claims[::-1]))
    if old.claims is not None and new.claims is not None:
        first, then = (next(c for c in chosen if c.preferred) for chosen in (old.claims, new.claims))
        if (first.source, first.at) != (then.source, then.at):
            yield _words("preferred", head, _claim(first), _claim(then), paths)
            a = b = None
        elif len(gone) == len(come) == 1 and claims[0][gone[0]] and claims[1][come[0]]:
            # The one that counts says something else: that is the change of the value, or of its origin.
            gone, come = [], []
    if a != b:
        yield _words("origin", head, a or None, b or None, paths)
    if gone or come:
        yield _words("claims", head, "; ".join(gone) or None, "; ".join(come) or None, paths)
    for part in ("reason", "note"):
        a, b = getattr(old, part), getattr(new, part)
        if a != b:
            yield _words("text", (f"{head[0]}.{part}", ""), a, b, ((*paths[0], part), (*paths[1], part)))
    said, says = ({_claim(c): c.why for c in q.claims or ()} for q in (old, new))
    for claim in said:
        if claim in says and said[claim] != says[claim]:
            yield _words("text", (f"{head[0]}.claims", ""), said[claim], says[claim], paths)


def _words(what: What, head: tuple[str, str], old: str | None, new: str | None, paths: tuple[Path, Path]) -> Change:
    """A change that is no number."""
    return Change(what, *head, old, new, old_path=paths[0], new_path=paths[1])


def _origin(quantity: Recorded) -> str:
    """The source of the value that counts, where in it, and when somebody read it there."""
    _, origin = quantity_value(quantity)
    parts = [origin.source or "", origin.at or "", f"checked {origin.checked}" if origin.checked else ""]
    scope = getattr(quantity, "scope", None)
    return ", ".join(
        p
        for p in (*parts, quantity.basis if quantity.basis != "recorded" else "", f"scope {scope}" if scope else "")
        if p
    )


def _claim(claim: Any) -> str:
    scope = getattr(claim, "scope", None)
    of = ", ".join(str(p) for p in (claim.source, claim.at, f"checked {claim.checked}", scope) if p)
    return f"{claim.value} ({of})"


# Everything else


def _same(before: Quantity | None, after: Quantity | None) -> bool:
    """Whether two values are known and equal; what they count, layers or parameters, is no part of them."""
    if before is None or after is None:
        return False
    return before.value == after.value and hard(before.dimension) == hard(after.dimension)


def _leaves(before: State, after: State, quantities: set[Key]) -> Iterator[Change]:
    """What differs outside of quantities; a row that is new or gone is told by what it says, or as a whole."""
    silent: dict[Key, list[Change]] = {}
    told: set[Key] = set()
    for key in _both(after.shape.leaves, before.shape.leaves):
        old, new = before.shape.leaves.get(key), after.shape.leaves.get(key)
        if old is not None and new is not None and old[1] == new[1] and type(old[1]) is type(new[1]):
            continue
        inside = any(key[:length] in quantities for length in range(1, len(key) + 1))
        row = _one_sided(before, after, key)
        if (key[:-1] in before.facts) != (key[:-1] in after.facts) and key[-1] != "value":
            # A fact that is new or gone is told by what it says.
            continue
        if inside or key[0] in _OWN_RULES:
            told |= {row} if row else set()
            continue
        change = _leaf(before, after, key, old, new)
        if row is None:
            yield change
        elif change.what in ("value", "text", "formula"):
            told.add(row)
            yield change
        else:
            silent.setdefault(row, []).append(change)
    for row, parts in silent.items():
        if row not in told:
            yield _whole(before, after, row, parts)


def _one_sided(before: State, after: State, key: Key) -> Key | None:
    """The row of a list that only one of the records has, outermost first."""
    for length in range(1, len(key) + 1):
        head = key[:length]
        if (head in before.shape.rows) != (head in after.shape.rows):
            return head
    return None


def _whole(before: State, after: State, row: Key, parts: list[Change]) -> Change:
    """A row that is new or gone, as one change."""
    new = row in after.shape.rows
    state = after if new else before
    path = next(p for p, k in state.shape.keys.items() if k == row)
    # The entry of a figure is known by its words, any other row by all that it says.
    texts = [p.new if new else p.old for p in parts if p.what != "figures" or p.field.endswith(".say")]
    what: What = "figures" if row[0] == "figures" else parts[0].what
    said = ", ".join(t for t in texts if t)
    return Change(what, dotted(path), "", None if new else said, said if new else None,
                  old_path=None if new else path, new_path=path if new else None)  # fmt: skip


def _leaf(before: State, after: State, key: Key, old: Any, new: Any) -> Change:
    """One plain value that differs, with the kind of thing it is."""
    paths = [side[0] if side is not None else None for side in (old, new)]
    texts = [printed(side[1]) if side is not None else None for side in (old, new)]
    path = paths[1] if paths[1] is not None else paths[0]
    assert path is not None
    what = _kind(before, after, key)
    values = [
        state.number(key, side[1]) if side is not None and what == "value" else None
        for state, side in ((before, old), (after, new))
    ]
    name = (after.name(path) if paths[1] is not None else before.name(path)) if what == "value" else ""
    recorded = what == "value" and old is not None
    if recorded and _same(*values):
        # A number, or a formula, that says the same in other words.
        what, recorded = "formula" if key in after.marked else "printed", False
    return Change(what, dotted(path), name, texts[0], texts[1], values[0], values[1], recorded, paths[0], paths[1])


def _kind(before: State, after: State, key: Key) -> What:
    """What a differing leaf is."""
    kind, first, last = after.entry.kind, key[0], key[-1]
    if first in _HEAD:
        return "head"
    if first == "figures":
        return "figures"
    if key[:-1] in before.facts | after.facts:
        return "value" if last == "value" else "text" if last == "reason" else "origin"
    if any(first == top and end in (last, "*") for top, end in _STATED.get(kind, ())):
        return "value"
    if kind == "model" and first in _GEOMETRY:
        return "field" if last == "which" else "value"
    mark = after.marked.get(key) or before.marked.get(key)
    if mark is not None:
        return "text" if mark == "text" else "formula"
    if kind == "class" and first in _DEFINITIONS:
        return "formula"
    return "origin" if last in _ORIGIN and len(key) > 1 else "field"


def _number(value: Any) -> Quantity | None:
    """A plain value as a quantity, where it is one."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return Quantity(Fraction(value))
    try:
        number, unit, _ = parse_quantity(value)
    except FormulaError:
        return None
    return Quantity.of(number, unit)


__all__ = ["Change", "State", "What", "changes", "percent"]
