"""How many parameters a draft has, by the same formulas as a record."""

from __future__ import annotations

from pathlib import Path

from ridgeline.importing.draft import Draft
from ridgeline.importing.record import text
from ridgeline.knowledge.base import Knowledge, add
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.records.validate import BLANK


def parameters(draft: Draft) -> tuple[int, int]:
    """Parameters of the text model, and of the extras that could be counted."""
    known = Draft(**{**draft.__dict__, "extras": [extra for extra in draft.extras if extra.parameters is not None]})
    record = text(known, "subject", source="source", total=1)
    record = record.replace(f"checked: {BLANK}", "checked: 2000-01-01").replace(f"source: {BLANK}", "source: source")
    record = record.replace(BLANK, "blank")
    knowledge = Knowledge(Path())
    add(knowledge, "records/models/subject.yaml", record)
    if knowledge.get("models/subject") is None:
        raise ValueError("; ".join(f"{f.field}: {f.message}" for f in knowledge.findings))
    resolver, scope = Resolver(knowledge), Scope((("model", "models/subject"),))
    total = resolver.evaluate("parameters.total", scope).quantity.middle
    extras = resolver.evaluate("parameters.extras", scope).quantity.middle if known.extras else 0
    return int(total), int(extras)
