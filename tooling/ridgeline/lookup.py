"""Single values on request: of a record's field, or of an expression. Reads only the records that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Knowledge, on_demand
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import Formula, Stated, Unknown
from ridgeline.knowledge.resolve import Resolver, Scope


class NotFound(Exception):
    """No such record or field; the message names near matches."""


class Lookup:
    """A knowledge base opened for single values."""

    def __init__(self, root: Path):
        self.knowledge: Knowledge = on_demand(root)
        self.resolver = Resolver(self.knowledge)

    def reference(self, text: str) -> str:
        """The reference of a record given as ``folder/id``, as a path of its file, or as an id that stands once."""
        entries = self.knowledge.entries
        wanted = text.removeprefix("records/").removesuffix(".yaml")
        hits = [wanted] if wanted in entries else [r for r in entries if r.partition("/")[2] == wanted]
        if not hits:
            hits = [r for r, e in entries.items() if e.record is not None and wanted in e.record.formerly]
        if len(hits) > 1:
            raise NotFound(f"{text} could be {' or '.join(hits)}: write the folder too")
        if not hits:
            raise NotFound(f"there is no record {text}{self._near(wanted)}")
        entry = entries[hits[0]]
        if entry.record is None:
            faults = [f for f in self.knowledge.findings if f.place.path == entry.document.path]
            raise NotFound(f"{hits[0]} cannot be read: {faults[0].message if faults else 'see ridgeline check'}")
        return hits[0]

    def _near(self, word: str) -> str:
        from difflib import get_close_matches

        ids = {r.partition("/")[2]: r for r in self.knowledge.entries}
        near = get_close_matches(word, [*self.knowledge.entries, *ids], 2, 0.5)
        return f"; did you mean {' or '.join(dict.fromkeys(ids.get(n, n) for n in near))}?" if near else ""

    def get(self, record: str, field: str, settings: Mapping[str, str] | None = None) -> Derivation:
        """One quantity of a record, by its name in formulas or by its path in the file.

        Raises :class:`NotFound` for an unknown record, :class:`FormulaError` for an unknown or unknowable quantity.
        """
        reference = self.reference(record)
        entry = self.knowledge.entries[reference]
        scope = self._set(self.resolver.scope_of(entry), settings or {})
        parts = tuple(field.split("."))
        try:
            return self.resolver.quantity(reference, parts, scope)
        except FormulaError:
            by_path = self._by_path(reference, field, scope)
            if by_path is None:
                raise
            return by_path

    def _by_path(self, reference: str, field: str, scope: Scope) -> Derivation | None:
        if not field or self.knowledge.entries[reference].kind in ("class", "source"):
            return None
        space = self.resolver.namespace(reference)
        for group in (space.names, *space.layers):
            for name, meaning in group.items():
                if isinstance(meaning, Stated) and meaning.given.field.partition(".claims.")[0] == field:
                    return Derivation(name, meaning.quantity, meaning.unit, given=meaning.given, record=reference)
                if isinstance(meaning, Formula | Unknown) and meaning.field == field:
                    return self.resolver.quantity(reference, tuple(name.split(".")), scope)
        return None

    def evaluate(
        self, expression: str, workload: str | None, subjects: Mapping[str, str], settings: Mapping[str, str]
    ) -> Derivation:
        """An expression with a class's formulas and some records in scope."""
        aliases = {alias: self.reference(reference) for alias, reference in subjects.items()}
        scope = Scope(aliases=tuple(sorted(aliases.items())))
        if workload is not None:
            reference = self.reference(workload if "/" in workload else f"classes/{workload}")
            own = self.resolver.scope_of(self.knowledge.entries[reference])
            merged = {**dict(own.aliases), **aliases}
            scope = Scope(records=own.records, aliases=tuple(sorted(merged.items())))
        return self.resolver.evaluate(expression, self._set(scope, settings))

    def _set(self, scope: Scope, settings: Mapping[str, str]) -> Scope:
        """A scope with symbols set; a value that names a format or a record puts that into scope instead."""
        symbols: dict[str, Derivation] = {}
        records: dict[str, str] = {}
        for name, text in settings.items():
            if name in ("format", "model", "accelerator", "interconnect"):
                folder = {
                    "format": "formats",
                    "model": "models",
                    "accelerator": "accelerators",
                    "interconnect": "interconnects",
                }[name]
                records[name] = self.reference(text if "/" in text else f"{folder}/{text}")
                continue
            if not self.resolver.settable(name, scope):
                candidates = self.resolver.near(name, scope)
                raise FormulaError(f"nothing here reads a symbol {name}", candidates=candidates)
            number, unit, _ = parse_quantity(text)
            symbol = self.resolver.symbol(name, text, scope)
            symbols[name] = symbol if symbol.unit is not None else Derivation(name, Quantity.of(number, unit), unit)
        return scope.with_records(records).with_symbols(symbols)


__all__ = ["Lookup", "NotFound"]
