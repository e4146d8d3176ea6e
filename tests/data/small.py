"""A small set of records that tests may bend: ``tests/data/small``, with records added or replaced in memory."""

from __future__ import annotations

from pathlib import Path

from ridgeline.figures.examine import Examination, examine
from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Knowledge, add, load
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Resolver, Scope

ROOT = Path(__file__).parent / "small"


def knowledge(records: dict[str, str] | None = None, *, root: Path = ROOT) -> Knowledge:
    """The records of ``root`` with some replaced: reference (``classes/work``) → text of the file."""
    found = load(root)
    for reference, text in (records or {}).items():
        path = f"records/{reference}.yaml"
        found.findings = [f for f in found.findings if f.place.path != path]
        add(found, path, text)
    return found


def text_of(reference: str, *edits: tuple[str, str]) -> str:
    """The text of a small record with pieces replaced, each of which stands in it exactly once."""
    text = (ROOT / "records" / f"{reference}.yaml").read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {reference}"
        text = text.replace(old, new)
    return text


def errors(base: Knowledge) -> list[Finding]:
    """What a reader of the files alone finds wrong with them."""
    return [f for f in base.findings if f.level is Level.ERROR]


def class_scope(base: Knowledge, resolver: Resolver, reference: str = "classes/work") -> Scope:
    """The scope of a class: its formulas and its subjects."""
    return resolver.scope_of(base.entries[reference])


def evaluate(expression: str, records: dict[str, str] | None = None, reference: str = "classes/work") -> Derivation:
    """The derivation of an expression in the scope of a record."""
    base = knowledge(records)
    assert not errors(base), [str(f) for f in errors(base)]
    resolver = Resolver(base)
    return resolver.evaluate(expression, class_scope(base, resolver, reference))


def examined(
    text: str, figures: str = "", *, reference: str = "classes/work", head: str = "", more: str = ""
) -> Examination:
    """What becomes of the numerals of one text with its figure entries, in the scope of the small class.

    ``text`` becomes the block ``text.notes``, ``figures`` the entries in YAML, ``head`` further lines of the record and
    ``more`` further blocks of its text.
    """
    block = "".join(f"    {line}\n" if line else "\n" for line in text.split("\n"))
    body = text_of(reference) + head + "text:\n  notes: |\n" + block + more
    if figures:
        body += "figures:\n" + figures
    base = knowledge({reference: body})
    assert not errors(base), [f"{f.place.line}: {f.message} {f.mend}" for f in errors(base)]
    return examine(base.entries[reference], Resolver(base))
