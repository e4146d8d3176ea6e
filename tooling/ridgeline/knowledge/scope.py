"""What names mean at a place: the records in scope, the symbols that are set, the aliases in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.derivation import Derivation

#: Symbols that every model has, with their defaults: bytes of one cached and of one stored element.
MODEL_SYMBOLS = {
    "cache_element": ("2 byte", "bytes of one cached key or value element"),
    "weight_element": ("2 byte", "bytes of one stored parameter"),
    "state_element": ("4 byte", "bytes of one element of a state that does not grow with the sequence"),
    "conv_element": ("2 byte", "bytes of one kept input of the convolution before such a state"),
}
#: Those that a format in scope sets: what is stored in it.
STORED = frozenset({"cache_element", "weight_element"})
#: Symbols of every model without a default, with unit and meaning.
MODEL_ARGUMENTS = {"L": ("token", "tokens of the sequence so far")}
RECORD_KINDS = ("class", "model", "accelerator", "format", "interconnect")


class Missing(FormulaError):
    """A value that cannot be had in this scope, though nothing need be wrong with the formula that asks for it."""


class Unread(Missing):
    """A record that is there and cannot be used: what is wrong with it is said of it, and not again of its readers."""


@dataclass(frozen=True)
class Scope:
    """What names mean: at most one record of each kind, the symbols that are set, and the aliases in use."""

    records: tuple[tuple[str, str], ...] = ()  # (kind, reference), sorted by kind
    group: int | None = None
    symbols: tuple[tuple[str, Derivation], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    @cached_property
    def by_kind(self) -> Mapping[str, str]:
        """Kind → record in scope."""
        return dict(self.records)

    @cached_property
    def by_symbol(self) -> Mapping[str, Derivation]:
        """Symbol → value that is set."""
        return dict(self.symbols)

    @cached_property
    def by_alias(self) -> Mapping[str, str]:
        """Alias → record."""
        return dict(self.aliases)

    def record(self, kind: str) -> str | None:
        return self.by_kind.get(kind)

    def symbol(self, name: str) -> Derivation | None:
        return self.by_symbol.get(name)

    def with_records(self, records: Mapping[str, str]) -> Scope:
        if all(self.record(kind) == reference for kind, reference in records.items()):
            return self
        merged = {**dict(self.records), **records}
        group = self.group if merged.get("model") == self.record("model") else None
        return replace(self, records=tuple(sorted(merged.items())), group=group)

    def with_symbols(self, symbols: Mapping[str, Derivation]) -> Scope:
        if not symbols:
            return self
        return replace(self, symbols=tuple(sorted({**dict(self.symbols), **symbols}.items(), key=lambda s: s[0])))

    @cached_property
    def key(self) -> _Key:
        symbols = tuple((n, d.quantity.value, d.quantity.dimension) for n, d in self.symbols)
        return _Key((self.records, self.group, symbols, self.aliases))


class _Key:
    """A key that is hashed once: a scope can hold dozens of fractions, and each name in it is looked up by the scope."""

    __slots__ = ("_hash", "parts")

    def __init__(self, parts: tuple[object, ...]):
        self.parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Key) and self._hash == other._hash and self.parts == other.parts)
