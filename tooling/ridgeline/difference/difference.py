"""The semantic difference of two states of the records, with all that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ridgeline.check import Report, check_knowledge
from ridgeline.difference.debts import WaiverChange, differ, raised, waiver_changes
from ridgeline.difference.edition import Edition, below, edition, numbers
from ridgeline.difference.effects import (
    Effect,
    Prose,
    Rewritten,
    citing,
    effects,
    moved_figures,
    new_and_gone,
    pairs,
    rewritten,
)
from ridgeline.difference.history import broken
from ridgeline.difference.reading import Both, read_both
from ridgeline.difference.records import RecordChange, record_changes
from ridgeline.difference.revisions import Side
from ridgeline.figures.figure import FigureResult
from ridgeline.findings.finding import Finding, Level
from ridgeline.flips import Flip, flips
from ridgeline.knowledge.resolve import Resolver

#: Rules of figures and equations: a finding of one of them says that a sentence is false.
_SENTENCE = ("figure-", "equation-")
#: Conclusions are drawn anew for at most so many records whose values moved: each is tried in every class at many points.
MOST_RECORDS = 40


@dataclass
class Difference:
    """What differs between ``base`` and ``head``, and what that moves.

    ``rules`` are findings about revisions, histories, ids and ceilings; ``new`` and ``gone`` those that only the later or only the
    earlier check has. ``effects`` holds every value that moved, the changed ones included; ``still`` counts the numerals
    that moved and hold as they are printed. ``drawn`` says for how many of how many records conclusions were drawn anew;
    what sentences say is compared in all of them.
    """

    base: Side
    head: Side
    before: Report
    after: Report
    records: list[RecordChange] = field(default_factory=list)
    rules: list[Finding] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    flips: list[Flip] = field(default_factory=list)
    drawn: tuple[int, int] = (0, 0)
    rewritten: list[Rewritten] = field(default_factory=list)
    moved: list[tuple[FigureResult, FigureResult]] = field(default_factory=list)
    new: list[Finding] = field(default_factory=list)
    gone: list[Finding] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    waivers: list[WaiverChange] = field(default_factory=list)
    edition: Edition = field(default_factory=lambda: Edition("none", ()))
    #: What the file of the edition says before and after; empty where there is none.
    numbers: tuple[str, str] = ("", "")

    @property
    def changed(self) -> list[RecordChange]:
        """The records that say something else; those that are only laid out otherwise are not among them."""
        return [record for record in self.records if record.how != "layout"]

    @property
    def layout(self) -> list[RecordChange]:
        """The records of which only comments or layout changed."""
        return [record for record in self.records if record.how == "layout"]

    @property
    def no_effect(self) -> bool:
        """Whether nothing that a reader, a formula or the check sees has changed."""
        return not (self.changed or self.effects or self.flips or self.new or self.gone or self.rules or self.waivers)

    @property
    def derived(self) -> list[Effect]:
        """The values that moved because others did."""
        return [effect for effect in self.effects if not effect.recorded]

    @property
    def false(self) -> list[Finding]:
        """The sentences that have become false."""
        return [f for f in self.new if f.level is Level.ERROR and f.rule.startswith(_SENTENCE)]

    @property
    def other(self) -> list[Finding]:
        """The other new findings."""
        said = set(map(id, self.false))
        return [f for f in self.new if id(f) not in said]

    @property
    def still(self) -> int:
        """How many numerals moved and still hold as they are printed."""
        same = [b for a, b in self.moved if a.numeral.text == b.numeral.text]
        return sum(1 for b in same if b.verdict is None or b.verdict.holds)

    @property
    def clean(self) -> bool:
        """Whether no rule is broken and the check has no new error."""
        return not any(f.fails for f in (*self.rules, *self.new))


def difference(base: Side, head: Side) -> Difference:
    """Compare two states of the records. What is wrong with either never stops it."""
    return compare(base, head, read_both(base, head))


def compare(base: Side, head: Side, both: Both) -> Difference:
    """Compare records that are read already."""
    resolvers = Resolver(both.before), Resolver(both.after)
    records = record_changes(both, *resolvers)
    if _only_layout(both, records) and not differ(both):
        # The same records say the same: nothing needs to be computed.
        reports = Report(both.before, resolvers[0]), Report(both.after, resolvers[1])
        return Difference(base, head, *reports, records, numbers=numbers(both))
    before, after = check_knowledge(both.before), check_knowledge(both.after)
    records = record_changes(both, before.resolver, after.resolver)
    found = Difference(base, head, before, after, records, broken(both, records) + raised(both))
    found.waivers = waiver_changes(both)
    found.effects = effects(both, before, after, records)
    prose = Prose(before, after, records)
    matched = pairs(prose, before)
    found.rewritten, found.moved = rewritten(matched), moved_figures(matched)
    moved, found.drawn = _moved_names(found)
    found.flips = flips(before, prose.aligned(), moved)
    found.new, found.gone = new_and_gone(before, after, records)
    found.edition = edition(found.changed, found.effects)
    found.numbers = numbers(both)
    found.rules += below(both, found.edition, asked=False)
    found.pages = _pages(found, both)
    return found


def _only_layout(both: Both, records: list[RecordChange]) -> bool:
    """Whether all that differs is layout, and the reader of files says the same of both."""
    told = [[(f.rule, f.place.path, f.field, f.found) for f in k.findings] for k in (both.before, both.after)]
    return all(record.how == "layout" for record in records) and sorted(told[0]) == sorted(told[1])


def _moved_names(found: Difference) -> tuple[list[tuple[str, str]], tuple[int, int]]:
    """What conclusions are drawn from: the values that moved, and the models of classes whose formulas changed.

    And for how many of how many records that is.
    """
    moved = [(effect.record, effect.name) for effect in found.effects if effect.before and effect.after]
    for record in found.changed:
        if record.reference.startswith("classes/") and any(c.what == "formula" for c in record.changes):
            assert record.after is not None
            subjects = record.after.record.subjects.values()
            moved += [(subject, "") for subject in subjects if subject.startswith("models/")]
    records = list(dict.fromkeys(record for record, _ in moved))
    chosen = set(records[:MOST_RECORDS])
    return [m for m in dict.fromkeys(moved) if m[0] in chosen], (len(chosen), len(records))


def _pages(found: Difference, both: Both) -> list[str]:
    """The pages of records that show something else now."""
    pages = {r for record in found.changed for r in (record.reference, record.was) if r}
    pages |= {effect.record for effect in found.effects}
    pages |= {b.record for _, b in found.moved} | {r.after.record for r in found.rewritten}
    pages |= {f.record for f in (*found.new, *found.gone) if f.record}
    return sorted(pages | set(citing(both, found.changed)))


__all__ = ["Difference", "compare", "difference"]
