"""The shape of a rule: one small class that says what must hold, why, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.resolve import Resolver
from ridgeline.records.walk import Path, dotted


@dataclass(frozen=True)
class Context:
    """What a rule may look at."""

    knowledge: Knowledge
    resolver: Resolver
    #: What rules have already worked out about a record or about all of them, for the next rule to use.
    memory: dict[str, Any] = field(default_factory=dict, compare=False)


class Rule:
    """A rule over all records. The docstring of each subclass is its page in the catalogue: why it exists, how to mend."""

    id: ClassVar[str]
    level: ClassVar[Level] = Level.ERROR

    def check(self, context: Context) -> Iterator[Finding]:
        """Every place where the rule does not hold."""
        raise NotImplementedError

    def finding(
        self,
        entry: Entry,
        path: Path,
        message: str,
        *,
        found: str = "",
        expected: str = "",
        because: str = "",
        mend: str = "",
        key: bool = False,
        level: Level | None = None,
        at: int | None = None,
        length: int | None = None,
    ) -> Finding:
        """A finding of this rule at a field of a record, or at a character of the field's text."""
        return Finding(
            self.id,
            level or self.level,
            entry.document.place(path, key=key, at=at, length=length),
            message,
            record=entry.reference,
            field=dotted(path),
            found=found,
            expected=expected,
            because=because,
            mend=mend,
        )


def near(word: str, known: list[str]) -> str:
    """``did you mean …?`` for the nearest known word, or nothing."""
    from difflib import get_close_matches

    found = get_close_matches(word, known, 1, 0.55)
    return f"did you mean {found[0]}?" if found else ""
