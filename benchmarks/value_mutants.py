"""Recorded values made wrong, one at a time, and the check of what can change because of it.

A check of all records takes seconds, and there are thousands of values. So one record is read again, everything that was
worked out without it is kept, and only what may rest on it is looked at: the record itself, the rules about values over it
and over the records that name it, the rules that hold accelerators beside each other, and the records with a sentence that
rests on it. ``--verify`` holds that against whole checks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from ridgeline.check import Report, check_knowledge
from ridgeline.figures.examine import examine
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.impact import changed_knowledge
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.names import Stated
from ridgeline.knowledge.resolve import Resolver
from ridgeline.rules import accepted, counted, formula, parts, workloads
from ridgeline.rules.peers import PeerRule
from ridgeline.rules.rule import Context, Rule
from ridgeline.rules.run import RULES

#: Rules about the formulas of a class alone, or about which layers have a quantity: no recorded value moves them.
_UNMOVED = (
    formula.FormulaUnreadable, workloads.SameAs, workloads.PropertyFails, workloads.ScalingOrder, counted.Counted,
    parts.AppliesToUnknown, parts.PartsOverlap,
)  # fmt: skip
#: Kinds that the rules across accelerators look at.
_COMPARED = frozenset({"accelerator", "architecture", "announced", "interconnect", "format"})
_WORD = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
#: What rules remember of single accelerators, by the reference that each key starts with.
_BY_DEVICE = ("values of devices", "rates of devices", "claims of another scope")

Fault = tuple[str, str, str, str]


def faults(findings: Collection[Finding], level: Level = Level.ERROR) -> set[Fault]:
    """The findings of a level, without their places."""
    return {(f.rule, f.field, f.found, f.message) for f in findings if f.level is level}


@dataclass
class Verdict:
    """What a mutant brings: new errors, the first that are found; else new warnings, all of them."""

    errors: set[Fault]
    warnings: set[Fault] = field(default_factory=set)


class _Focus(dict[str, Any]):
    """All entries when asked by name, a few when they are gone through."""

    def __init__(self, entries: dict[str, Entry], seen: Collection[str]):
        super().__init__(entries)
        self._seen = [reference for reference in entries if reference in seen]

    def __iter__(self) -> Iterator[str]:
        return iter(self._seen)

    def keys(self) -> Any:
        return list(self._seen)

    def values(self) -> Any:
        return [self[reference] for reference in self._seen]

    def items(self) -> Any:
        return [(reference, self[reference]) for reference in self._seen]


@dataclass
class Base:
    """A clean report, and which records each of its parts rests on."""

    report: Report
    clean: set[Fault] = field(init=False)
    asked: set[Fault] = field(init=False)
    memory: dict[str, Any] = field(default_factory=dict)
    named_by: dict[str, set[str]] = field(default_factory=dict)
    rests: dict[int, frozenset[str]] = field(default_factory=dict)
    told_by: dict[str, set[str]] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        report = self.report
        self.clean = faults(report.findings)
        self.asked = faults(report.findings, Level.WARNING)
        context = Context(report.knowledge, report.resolver, self.memory)
        for rule in RULES:
            if isinstance(rule, PeerRule | accepted.ExceptionUnneeded):
                list(rule.check(context))
        self._names()
        for reference, derivation in self._told():
            for record in self.records(derivation):
                self.told_by.setdefault(record, set()).add(reference)
            self.used |= {(g.record, g.field) for leaf in derivation.inputs() if (g := leaf.given) is not None}

    def _told(self) -> Iterator[tuple[str, Derivation]]:
        """What sentences say, with the record that they stand in."""
        for figure in self.report.figures:
            if figure.derivation is not None:
                yield figure.record, figure.derivation
        for conclusion in self.report.conclusions:
            yield conclusion.record, conclusion.left
            yield conclusion.record, conclusion.right

    def _names(self) -> None:
        """Which records name each record, directly or through others. Sources state nothing themselves."""
        ids: dict[str, list[str]] = {}
        for reference, entry in self.report.knowledge.entries.items():
            if entry.kind != "source":
                ids.setdefault(entry.id.replace("_", "-"), []).append(reference)
        direct: dict[str, set[str]] = {}
        for reference, entry in self.report.knowledge.entries.items():
            words = {part for w in _WORD.findall(entry.document.source.lower()) for part in (w, *w.split("."))}
            for word in words:
                for named in ids.get(word.replace("_", "-"), ()):
                    if named != reference:
                        direct.setdefault(named, set()).add(reference)
        for reference in self.report.knowledge.entries:
            found, todo = set[str](), [reference]
            while todo:
                for reader in direct.get(todo.pop(), ()):
                    if reader not in found:
                        found.add(reader)
                        # A class hands no value on to the records that it names, or that name it.
                        if not reader.startswith("classes/"):
                            todo.append(reader)
            self.named_by[reference] = found

    def records(self, derivation: Derivation) -> frozenset[str]:
        """The records that a value rests on."""
        found = self.rests.get(id(derivation))
        if found is None:
            own = {g.record for g in (derivation.given, derivation.origin) if g is not None}
            own |= {derivation.record} if derivation.record else set()
            found = frozenset(own).union(*(self.records(step) for _, step in derivation.steps))
            self.rests[id(derivation)] = found
        return found

    def near(self, entry: Entry) -> Near:
        """What mutants of one record are held against."""
        return Near(self, entry)


class Near:
    """The surroundings of one record: what may change with it, and what may be kept."""

    def __init__(self, base: Base, entry: Entry):
        self.base, self.entry = base, entry
        reference = entry.reference
        self.moved = {reference, *base.named_by[reference]}
        compared = entry.kind in _COMPARED
        knowledge = base.report.knowledge
        others = {r for r, e in knowledge.entries.items() if e.kind in _COMPARED} if compared else set[str]()
        self.local = [r for r in RULES if not isinstance(r, (*_UNMOVED, PeerRule, accepted.ExceptionUnneeded))]
        self.peers: list[Rule] = (
            [r for r in RULES if isinstance(r, PeerRule | accepted.ExceptionUnneeded)] if compared else []
        )
        self.beside = {*self.moved, *others}
        told = base.told_by.get(reference, set())
        self.told = [knowledge.entries[r] for r in knowledge.entries if r in told or r == reference]
        resolver = base.report.resolver
        self.kept = {
            key: value for key, value in resolver._kept.items()
            if not isinstance(value, FormulaError) and reference not in base.records(value)
        }  # fmt: skip
        self.namespaces = {name: space for name, space in resolver._namespaces.items() if name != reference}
        self.memory: dict[str, dict[Any, Any]] = {}
        for name in _BY_DEVICE:
            held = base.memory.get(name, {})
            self.memory[name] = {
                key: value for key, value in held.items() if (key if isinstance(key, str) else key[0]) not in self.moved
            }

    def verdict(self, stated: Stated, text: str) -> Verdict:
        """What the check says of the records with a value replaced."""
        changed = changed_knowledge(self.base.report.knowledge, self.entry, stated, text)
        new = faults(changed.findings) - self.base.clean
        entry = changed.get(self.entry.reference)
        if new or entry is None:
            return Verdict(new or {("unreadable", stated.given.field, text, "")})
        asked: set[Fault] = set()
        resolver = Resolver(changed)
        resolver._kept = dict(self.kept)
        resolver._namespaces = dict(self.namespaces)
        resolver._parsed = self.base.report.resolver._parsed
        for seen, rules in ((self.moved, self.local), (self.beside, self.peers)):
            memory = {name: dict(held) for name, held in self.memory.items()}
            focus = Knowledge(changed.root, _Focus(changed.entries, seen))
            context = Context(focus, resolver, memory)
            found: list[Finding] = []
            for rule in rules:
                found += rule.check(context)
            new = faults(found) - self.base.clean
            if new:
                return Verdict(new)
            asked |= faults(found, Level.WARNING) - self.base.asked
        for told in self.told:
            told = entry if told.reference == entry.reference else told
            found = examine(told, resolver).findings
            new = faults(found) - self.base.clean
            if new:
                return Verdict(new)
            asked |= faults(found, Level.WARNING) - self.base.asked
        return Verdict(set(), asked)

    def whole(self, stated: Stated, text: str) -> set[Fault]:
        """The same by a check of all records: slow, and what the quick way is held against."""
        return (
            faults(check_knowledge(changed_knowledge(self.base.report.knowledge, self.entry, stated, text)).findings)
            - self.base.clean
        )
