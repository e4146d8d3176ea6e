"""What the rules about accelerators catch: every recorded peak, bandwidth and link rate, made wrong one at a time.

    python -m benchmarks.planted [--sample N] [--output build/planted.json]

The factors are those by which published tables are wrong: 2 and a half (sparse for dense, a pair for one, both directions
for one), 1.024 (binary for decimal units), 1000 (a metric prefix). A planted fault is *caught* when a rule finds something
that it did not find before, at whatever level; else it *passes*: nothing in the records stands against it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from ridgeline.check import Report, check
from ridgeline.findings.finding import Finding
from ridgeline.impact import changed_knowledge
from ridgeline.knowledge.base import Entry, Knowledge
from ridgeline.knowledge.names import Formula, Stated
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers import read
from ridgeline.rules.accepted import ExceptionUnneeded
from ridgeline.rules.peers import PeerRule
from ridgeline.rules.routes import SecondRoute
from ridgeline.rules.rule import Context, Rule
from ridgeline.rules.run import RULES
from ridgeline.rules.values import WrongDimension

FACTORS = {
    "times 2": Fraction(2),
    "half": Fraction(1, 2),
    "times 1.024": Fraction(1024, 1000),
    "times 1000": Fraction(1000),
}
#: Rules that look at each record alone, and rules that hold accelerators against each other.
_ALONE: tuple[Rule, ...] = tuple(rule for rule in RULES if isinstance(rule, SecondRoute | WrongDimension))
_ACROSS: tuple[Rule, ...] = tuple(rule for rule in RULES if isinstance(rule, PeerRule | ExceptionUnneeded))
_WANTED = re.compile(r"peak\.[a-z0-9_]+|memory\.bandwidth|links\.\w+\.(?:per_direction|aggregate)")
#: What the rules remember of single accelerators: kept for those that have not changed.
_KEPT = ("values of devices", "rates of devices", "claims of another scope")


@dataclass
class Planted:
    """Faults by kind of fault and outcome, and those that pass."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)

    def add(self, kind: str, caught: bool, where: str) -> None:
        self.counts.setdefault(kind, Counter())["caught" if caught else "passes"] += 1
        if not caught:
            self.passed.append(f"{kind}: {where}")

    @property
    def share(self) -> Fraction:
        """The share of the faults that a rule catches."""
        caught = sum(c["caught"] for c in self.counts.values())
        total = sum(c.total() for c in self.counts.values())
        return Fraction(caught, total) if total else Fraction(0)


def values(report: Report) -> Iterator[tuple[Entry, str, Stated]]:
    """The peaks, bandwidths and link rates that accelerators record, each with its name."""
    for entry in report.knowledge.of_kind("accelerator"):
        for name, meaning in report.resolver.namespace(entry.reference).names.items():
            stated = (
                meaning.stated if isinstance(meaning, Formula) else meaning if isinstance(meaning, Stated) else None
            )
            if stated is not None and _WANTED.fullmatch(name):
                yield entry, name, stated


def times(text: str, factor: Fraction) -> str | None:
    """The text of a value with its number multiplied, all digits of the result written."""
    numeral = next((n for n in read(text) if n.quantity), None)
    if numeral is None or not re.fullmatch(r"[0-9][0-9,_]*(?:\.[0-9]+)?", numeral.text):
        return None
    number = Fraction(re.sub("[,_]", "", numeral.text)) * factor
    places = next((n for n in range(12) if (number * 10**n).denominator == 1), None)
    if places is None:
        return None
    digits = str(int(number * 10**places)).rjust(places + 1, "0")
    shown = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return text[: numeral.at] + shown + text[numeral.end :]


class Field:
    """The clean records, and what the rules make of one changed value among them."""

    def __init__(self, report: Report):
        self.report = report
        self.context = Context(report.knowledge, Resolver(report.knowledge))
        self.across = keys(f for rule in _ACROSS for f in rule.check(self.context))
        self.alone = {e.reference: self.of(report.knowledge, e) for e in report.knowledge.of_kind("accelerator")}

    def of(self, knowledge: Knowledge, entry: Entry) -> set[tuple[str, ...]]:
        """What the rules about single records find in one."""
        only = Knowledge(knowledge.root, {entry.reference: entry})
        context = Context(only, Resolver(only))
        return keys(f for rule in _ALONE for f in rule.check(context))

    def catches(self, entry: Entry, stated: Stated, text: str) -> bool:
        """Whether a rule finds something new once a value has another text."""
        changed = changed_knowledge(self.report.knowledge, entry, stated, text)
        fresh = changed.entries[entry.reference]
        if self.of(changed, fresh) - self.alone[entry.reference]:
            return True
        context = Context(changed, Resolver(changed))
        for name in _KEPT:
            held: dict[Any, Any] = self.context.memory.get(name, {})
            context.memory[name] = {k: v for k, v in held.items() if entry.reference not in (k, k[0])}
        return bool(keys(f for rule in _ACROSS for f in rule.check(context)) - self.across)


def keys(findings: Iterator[Finding]) -> set[tuple[str, ...]]:
    """Findings by what makes them new: the same rule at the same value is the same finding, whatever the band says."""
    return {(f.rule, f.record, f.field, f.found) for f in findings}


def plant(report: Report, sample: int = 0, chance: random.Random | None = None, parts: int = 0) -> Planted:
    """Plant every fault; or in ``sample`` values of each accelerator and in so many ``parts``, chosen by chance."""
    ground, result = Field(report), Planted()
    places: dict[str, list[tuple[Entry, str, Stated]]] = {}
    for entry, name, stated in values(report):
        places.setdefault(entry.reference, []).append((entry, name, stated))
    chance = chance or random.Random(7)
    wanted = list(places) if not parts else chance.sample(list(places), min(parts, len(places)))
    for rows in (places[reference] for reference in wanted):
        chosen = rows if not sample else chance.sample(rows, min(sample, len(rows)))
        for entry, name, stated in chosen:
            for kind, factor in FACTORS.items():
                text = times(stated.given.text, factor)
                if text is not None:
                    result.add(
                        kind, ground.catches(entry, stated, text), f"{entry.id} {name} {stated.given.text} → {text}"
                    )
    return result


def main() -> int:
    """Plant and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, default=0, help="values of each accelerator, by chance (default: all)")
    parser.add_argument("--output", type=Path, default=Path("build/planted.json"))
    parser.add_argument("--root", type=Path, default=Path())
    options = parser.parse_args()
    report = check(options.root)
    result = plant(report, options.sample, random.Random(7))
    print(f"{'fault':<14}{'caught':>10}{'passes':>10}{'share':>10}")
    for kind, counts in result.counts.items():
        print(f"{kind:<14}{counts['caught']:>10,}{counts['passes']:>10,}{counts['caught'] / counts.total():>10.1%}")
    print(f"{'all':<34}{float(result.share):>10.1%}")
    for line in result.passed[:60]:
        print("passes", line)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "share": float(result.share),
        "counts": {k: dict(c) for k, c in result.counts.items()},
        "passed": result.passed,
    }
    options.output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
