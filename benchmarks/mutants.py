"""What the check catches: every covered numeral and every recorded value, made wrong in several ways, one at a time.

    python -m benchmarks.mutants [--sample N] [--only values] [--verify N] [--output build/mutants.json]

A mutant of a numeral is *caught* when the record gains an error. It is *still true* when the changed number still holds
for the computed value (a last digit inside a hedge, a bound that stays true): such a mutant states nothing false. Cited
numerals are counted apart, because only a person with the source can catch a change there. A mutant of a recorded value
is caught when any record gains an error, and *questioned* when one gains a warning. Where neither happens, a value on which
a sentence rests leaves all sentences true; one on which no formula, no second route and no sentence rests is *alone*.
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
from itertools import pairwise
from pathlib import Path

from benchmarks.value_mutants import Base
from ridgeline.check import Report, check
from ridgeline.figures.examine import examine, passages
from ridgeline.figures.figure import FigureResult, Status
from ridgeline.figures.passage import Passage
from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.names import Formula, Stated
from ridgeline.numbers import holds, read

CHECKED = (Status.RECOMPUTED, Status.RECORDED, Status.EQUATION)
_UNITS = {"GB": "GiB", "MB": "MiB", "TB": "TiB", "GiB": "GB", "MiB": "MB", "KiB": "kB", "TB/s": "GB/s", "GB/s": "TB/s",
          "TFLOP/s": "GFLOP/s", "TFLOP": "GFLOP", "ms": "µs", "µs": "ms"}  # fmt: skip
_COMPARATORS = {"over ": "under ", "more than ": "less than ", "at least ": "at most ", "under ": "over ",
                "less than ": "more than ", "at most ": "at least ", "up to ": "at least "}  # fmt: skip


@dataclass
class Tally:
    """Outcomes by kind of mutation."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    #: Rules that caught mutants of values, and the fields whose mutants none did, with how many.
    caught_by: Counter[str] = field(default_factory=Counter)
    questioned_by: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    #: Mutants of values on which a sentence rests, and after which all sentences were still true.
    true: list[str] = field(default_factory=list)

    def add(self, kind: str, outcome: str, where: str = "") -> None:
        self.counts.setdefault(kind, Counter())[outcome] += 1
        if outcome == "missed":
            self.missed.append(f"{kind}: {where}")


# Numerals of prose


def mutations(text: str, figure: FigureResult) -> Iterator[tuple[str, str]]:
    """Kind of mutation and the changed text of the field, for one numeral."""
    numeral = figure.numeral
    before, after = text[: numeral.at], text[numeral.end :]
    digits = [i for i, c in enumerate(numeral.text) if c.isdigit()]
    if not digits:
        return

    def put(token: str) -> str:
        return before + token + after

    last = digits[-1]
    step = str((int(numeral.text[last]) + 1) % 10)
    yield "last digit", put(numeral.text[:last] + step + numeral.text[last + 1 :])
    pairs = [(a, b) for a, b in pairwise(digits) if numeral.text[a] != numeral.text[b]]
    if pairs and (numeral.text[pairs[-1][1]] != "0" or len(digits) > 2):
        a, b = pairs[-1]
        swapped = list(numeral.text)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        yield "digit swap", put("".join(swapped))
    scaled = _scaled(numeral.text, Fraction(10))
    if scaled:
        yield "times 10", put(scaled)
    scaled = _scaled(numeral.text, Fraction(1024, 1000))
    if scaled and scaled != numeral.text:
        yield "times 1.024", put(scaled)
    if numeral.unit_text in _UNITS:
        at = text.find(numeral.unit_text, numeral.end)
        if 0 <= at <= numeral.end + 2:
            yield "unit", text[:at] + _UNITS[numeral.unit_text] + text[at + len(numeral.unit_text) :]
    for words, other in _COMPARATORS.items():
        if before.lower().endswith(words):
            yield "comparator", before[: -len(words)] + other + text[numeral.at :]
    if numeral.text[0] in "-−+":
        yield "sign", put({"-": "+", "−": "+", "+": "-"}[numeral.text[0]] + numeral.text[1:])


def _scaled(token: str, factor: Fraction) -> str | None:
    match = re.fullmatch(r"([+\-−]?)([0-9]+(?:,[0-9]{3})*)(\.[0-9]+)?(.*)", token)
    if match is None or any(c.isdigit() for c in match[4]):
        return None
    places = len(match[3] or ".") - 1
    value = Fraction((match[2].replace(",", "")) + (match[3] or "")) * factor
    units = round(value * 10**places)
    whole, rest = divmod(units, 10**places)
    text = f"{whole:,}" if "," in match[2] else str(whole)
    return f"{match[1]}{text}{f'.{rest:0{places}d}' if places else ''}{match[4]}"


def numerals(report: Report, tally: Tally, sample: int, chance: random.Random) -> None:
    """Mutate the numerals of every record's prose."""
    for entry in report.knowledge.entries.values():
        figures = [f for f in report.figures if f.record == entry.reference]
        checked = [f for f in figures if f.status in CHECKED or f.status is Status.CITED]
        if not checked:
            continue
        found = passages(entry, report.knowledge.names)
        clean = _errors(examine(entry, report.resolver, found).findings)
        for figure in checked if not sample else chance.sample(checked, min(sample, len(checked))):
            index = next(i for i, p in enumerate(found) if p.path == figure.path)
            for kind, text in mutations(found[index].text, figure):
                if figure.status is Status.CITED:
                    tally.add(kind, "cited")
                    continue
                changed = Passage.of(figure.path, text, report.knowledge.names)
                result = examine(entry, report.resolver, [*found[:index], changed, *found[index + 1 :]])
                caught = _errors(result.findings) - clean
                outcome = "caught" if caught else "still true" if _true(figure, changed) else "missed"
                tally.add(
                    kind, outcome, f"{entry.reference} {figure.path} {figure.numeral.text!r} → {_near(text, figure)!r}"
                )


def _near(text: str, figure: FigureResult) -> str:
    return text[max(0, figure.numeral.at - 20) : figure.numeral.end + 20].replace("\n", " ")


def _true(figure: FigureResult, changed: Passage) -> bool:
    """Whether the changed sentence is still true: the numeral holds, or it is an input and all that it gives holds."""
    if figure.derivation is not None and figure.derivation.leaf and figure.derivation.given is None:
        return True
    numeral = next((n for n in changed.numerals if n.end > figure.numeral.at and n.at <= figure.numeral.end), None)
    if numeral is None or figure.derivation is None or numeral.interval is None or not figure.derivation.quantity.exact:
        return False
    factor = numeral.base_factor
    return holds(numeral, figure.derivation.quantity.middle / factor)


def _errors(findings: list[Finding]) -> set[tuple[str, str, str, str]]:
    return {(f.rule, f.field, f.found, f.message) for f in findings if f.level is Level.ERROR}


# Recorded values


def values(report: Report, tally: Tally, sample: int, chance: random.Random, verify: int = 0) -> None:
    """Mutate every recorded value. Of ``verify`` mutants the verdict is held against a check of all records."""
    base = Base(report)
    by_entry: dict[str, list[Stated]] = {}
    for entry, stated in recorded(report):
        by_entry.setdefault(entry.reference, []).append(stated)
    mutants = sum(1 for places in by_entry.values() for s in places for _ in value_mutations(s.given.text))
    verified = set(chance.sample(range(mutants), min(verify, mutants)))
    number = -1
    for reference, places in by_entry.items():
        entry = report.knowledge.entries[reference]
        near = base.near(entry)
        for stated in places if not sample else chance.sample(places, min(sample * 4, len(places))):
            for kind, text in value_mutations(stated.given.text):
                number += 1
                verdict = near.verdict(stated, text)
                found = verdict.errors
                if number in verified and bool(found) != bool(near.whole(stated, text)):
                    raise AssertionError(f"{reference} {stated.given.field} = {text}: a whole check says otherwise")
                tally.caught_by.update({min(found)[0]} if found else ())
                if found:
                    tally.add(f"value: {kind}", "caught")
                    continue
                if verdict.warnings:
                    tally.add(f"value: {kind}", "questioned")
                    tally.questioned_by.update({min(verdict.warnings)[0]})
                    continue
                used = (reference, stated.given.field) in base.used
                tally.add(f"value: {kind}", "still true" if used else "alone")
                if used:
                    tally.true.append(f"{kind}: {reference} {stated.given.field} {stated.given.text!r} → {text!r}")
                else:
                    tally.alone[re.sub(r"\.[0-9]+", "", f"{entry.kind} {stated.given.field}")] += 1


def recorded(report: Report) -> Iterator[tuple[Entry, Stated]]:
    """Every value that a record states in a place of its own, once."""
    for entry in report.knowledge.entries.values():
        if entry.record is None or entry.kind in ("class", "source"):
            continue
        space = report.resolver.namespace(entry.reference)
        seen = set()
        for group in (space.names, *space.layers):
            for meaning in group.values():
                stated = (
                    meaning.stated if isinstance(meaning, Formula) else meaning if isinstance(meaning, Stated) else None
                )
                if stated is None or not _stands(entry, stated):
                    continue
                if stated.given.field not in seen and re.match(r"[0-9]", stated.given.text):
                    seen.add(stated.given.field)
                    yield entry, stated


def _stands(entry: Entry, stated: Stated) -> bool:
    """Whether the value is written in the file (a default is not)."""
    path = tuple(int(s) if s.isdigit() else s for s in stated.given.field.split("."))
    return path in entry.document.spans


def value_mutations(text: str) -> Iterator[tuple[str, str]]:
    """Kind of mutation and the changed text of a recorded value."""
    numeral = next((n for n in read(text) if n.quantity), None)
    if numeral is None:
        return
    token, rest = numeral.text, text[numeral.end :]
    digits = [i for i, c in enumerate(token) if c.isdigit()]
    last = digits[-1]
    yield "last digit", text[: numeral.at] + token[:last] + str((int(token[last]) + 1) % 10) + token[last + 1 :] + rest
    for kind, factor in (("times 10", Fraction(10)), ("times 2", Fraction(2)), ("plus 5 percent", Fraction(21, 20))):
        scaled = _scaled(token, factor)
        if scaled and scaled != token:
            yield kind, text[: numeral.at] + scaled + rest
    for old, new in _UNITS.items():
        if rest.strip() == old:
            yield "unit", text[: numeral.end] + rest.replace(old, new)


def main() -> int:
    """Run all mutants and print the table. Exit status 1 where a mutant of a checked numeral was missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument(
        "--sample", type=int, default=0, help="numerals and values a record, chosen by chance (default: all)"
    )
    parser.add_argument("--output", type=Path, default=Path("build/mutants.json"))
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--only", choices=("numerals", "values"), help="one of the two halves")
    parser.add_argument("--verify", type=int, default=0, help="mutants of values held against whole checks (slow)")
    options = parser.parse_args()
    report = check(options.root)
    tally, chance = Tally(), random.Random(7)
    false_alarms = sum(1 for f in report.findings if f.fails)
    if options.only != "values":
        numerals(report, tally, options.sample, chance)
    if options.only != "numerals":
        values(report, tally, options.sample, chance, options.verify)
    outcomes = sorted({o for c in tally.counts.values() for o in c})
    print(f"{'mutation':<24}" + "".join(f"{o:>24}" for o in outcomes))
    for kind, counts in tally.counts.items():
        print(f"{kind:<24}" + "".join(f"{counts[o]:>24,}" for o in outcomes))
    print(f"false alarms on the clean records: {false_alarms}; numerals by status: {report.by_status}")
    if tally.caught_by:
        print("values caught by", ", ".join(f"{rule} {n:,}" for rule, n in tally.caught_by.most_common(12)))
        print("values alone", ", ".join(f"{name} {n:,}" for name, n in tally.alone.most_common(12)))
        print("values questioned by", ", ".join(f"{rule} {n:,}" for rule, n in tally.questioned_by.most_common(12)))
    for line in tally.true:
        print("still true", line)
    for line in tally.missed[:40]:
        print("missed", line)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(
        json.dumps(
            {"counts": {k: dict(c) for k, c in tally.counts.items()}, "missed": tally.missed,
             "false_alarms": false_alarms, "by_status": report.by_status,
             "still_true": tally.true, "questioned_by": dict(tally.questioned_by.most_common()),
             "caught_by": dict(tally.caught_by.most_common()), "alone": dict(tally.alone.most_common())},
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )  # fmt: skip
    return 1 if tally.missed or false_alarms else 0


if __name__ == "__main__":
    raise SystemExit(main())
