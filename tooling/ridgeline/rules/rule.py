"""The shape of a rule: one small class that says what must hold, why, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.resolve import Resolver
from ridgeline.knowledge.tracing import note, noting
from ridgeline.records.walk import Path, dotted
from ridgeline.text.document import Document

if TYPE_CHECKING:
    from ridgeline.rules.survey import Survey

T = TypeVar("T")


class _Focus(dict[str, Any]):
    """All entries when asked for by reference, one when they are gone through."""

    def __init__(self, entries: dict[str, Entry], seen: str):
        super().__init__()
        self._entries, self._seen = entries, seen

    def __getitem__(self, reference: str) -> Entry:
        return self._entries[reference]

    def get(self, reference: str, default: Any = None) -> Any:
        return self._entries.get(reference, default)

    def __contains__(self, reference: object) -> bool:
        return reference in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter((self._seen,))

    def __len__(self) -> int:
        return 1

    def keys(self) -> Any:
        return [self._seen]

    def values(self) -> Any:
        return [self._entries[self._seen]]

    def items(self) -> Any:
        return [(self._seen, self._entries[self._seen])]


@dataclass(frozen=True)
class Context:
    """What a rule may look at.

    A rule goes through the entries of ``knowledge``, and asks for those that they name. In a context with a ``focus`` the
    former are one record, so that what a rule finds there can be kept for it. What a rule wants to know of all records at
    once, it asks of the :attr:`survey`.
    """

    knowledge: Knowledge
    resolver: Resolver
    #: What rules have already worked out about a record or about all of them, for the next rule to use.
    memory: dict[str, Any] = field(default_factory=dict, compare=False)
    focus: str | None = None

    def focused(self, reference: str) -> Context:
        """The same, for the findings about one record."""
        one = Knowledge(self.knowledge.root, _Focus(self.resolver.knowledge.entries, reference))
        return Context(one, self.resolver, self.memory, reference)

    @property
    def survey(self) -> Survey:
        """What is known of many records at once."""
        found: Survey | None = self.memory.get("survey")
        if found is None:
            from ridgeline.rules.survey import Survey

            all_records = Context(self.resolver.knowledge, self.resolver, self.memory)
            found = self.memory["survey"] = Survey.taken(self if self.focus is None else all_records)
        return found

    def once(self, what: str, key: Hashable, work: Callable[[], T]) -> T:
        """The result of some work, done once for all records, as if nothing else had been done before."""
        held: dict[Hashable, tuple[T, frozenset[str]]] = self.memory.setdefault(what, {})
        if key not in held:
            notes: set[str] = set()
            with noting(self.resolver.knowledge, notes), self.resolver.apart():
                result = work()
            held[key] = result, frozenset(notes)
        result, seen = held[key]
        for read in seen:
            note(self.resolver.knowledge, read)
        return result


def finding_at(
    document: Document,
    record: str,
    rule: str,
    path: Path,
    message: str,
    *,
    mend: str,
    found: str = "",
    expected: str = "",
    because: str = "",
    level: Level = Level.ERROR,
) -> Finding:
    """A finding at a field of a file, ``record`` being the record that it is about, if it is about one."""
    place = document.place(path)
    return Finding(rule, level, place, message, record, dotted(path), found, expected, because, mend)


class Rule:
    """A rule over all records. The docstring of each subclass is its page in the catalogue: why it exists, how to mend.

    What it finds wrong with a record must follow from that record, from those that it asks for by reference, and from the
    survey: then it can be kept, and holds until one of them changes.
    """

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


def hinted(message: str, mend: str) -> tuple[str, str]:
    """A message without the suggestion that it ends in, and that suggestion, or the next step that is given."""
    said, _, hint = message.partition("; did you mean ")
    return (said, f"did you mean {hint}") if hint else (message, mend)
