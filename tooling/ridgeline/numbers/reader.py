"""Reads every numeral of a text: what it is, its exact value, and the interval that it claims."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ridgeline.numbers import masks
from ridgeline.numbers.draft import finish
from ridgeline.numbers.interval import exact_text
from ridgeline.numbers.numeral import SET_ASIDE, Kind, Numeral
from ridgeline.numbers.scanner import scan
from ridgeline.numbers.series import relate
from ridgeline.numbers.tables import give_units
from ridgeline.numbers.words import read_words

#: Longer texts are refused: one error numeral, ``text_too_long``, that covers the whole text.
MAX_CHARACTERS = 2_000_000


def read(
    text: str, names: Collection[str] = (), *, symbols: Collection[str] = (), cap: int = MAX_CHARACTERS
) -> list[Numeral]:
    """All numerals of a text, in order of their offset; never overlapping; every digit lies inside one of them.

    ``names`` are record names and aliases, set aside as identifiers where they stand in the text (pass the same
    ``frozenset`` again to reuse its index); one of three digits or more and nothing else (``4090``) only after an article
    and without a unit. A bare number in a table takes the unit of its header, row or neighbour (``unit-from-…`` as rule). ``symbols`` are formula symbols that may stand before a number without an
    equals sign. Values are exact, in base units. Never raises: what cannot be read is an error numeral.
    """
    if len(text) > cap:
        return [Numeral(text, 0, Kind.ERROR, error="text_too_long")]
    regions = masks.regions(text)
    drafts = scan(text, masks.name_index(names), frozenset(symbols), regions)
    give_units(text, drafts)
    relate(text, [draft for draft in drafts if draft.kind is not Kind.UNIT_PART])
    taken = [(draft.left, draft.right) for draft in drafts]
    taken += [(start, end) for start, end, _, rule in regions if rule != "citation"]
    drafts += read_words(text, sorted(taken))
    drafts.sort(key=lambda draft: draft.start)
    return [finish(draft, text) for draft in drafts]


def to_json(numeral: Numeral) -> dict[str, Any]:
    """The stable JSON shape: exact values as text, in base units; optional keys only where they say something."""
    compared = numeral.kind not in SET_ASIDE and numeral.kind is not Kind.ERROR
    shape: dict[str, Any] = {
        "text": numeral.text,
        "at": numeral.at,
        "kind": numeral.kind.value,
        "comparator": numeral.comparator.value if compared else None,
        "value": _value_text(numeral),
        "unit": None if numeral.unit is None else numeral.unit.text,
        "interval": None if numeral.interval is None else str(numeral.interval),
    }
    optional: dict[str, Any] = {
        "unit_text": numeral.unit_text, "symbol": numeral.symbol, "grouping": numeral.grouping,
        "alt_value": None if numeral.alternative is None else exact_text(numeral.alternative),
        "alt_interval": None if numeral.alternative_interval is None else str(numeral.alternative_interval),
        "uncertainty": None if numeral.uncertainty is None else exact_text(numeral.uncertainty),
        "tight": None if numeral.tight is None else str(numeral.tight),
        "lint": numeral.lint, "error": numeral.error, "rule": numeral.rule, "vague": numeral.vague or None,
    }  # fmt: skip
    shape.update((key, value) for key, value in optional.items() if value)
    return shape


def _value_text(numeral: Numeral) -> str | None:
    """A decimal where there is one; a fraction said in words stays a fraction."""
    if numeral.value is None:
        return None
    return str(numeral.value) if numeral.kind is Kind.WORD else exact_text(numeral.value)
