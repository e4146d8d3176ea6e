"""Proposals for figure entries: what an uncovered numeral could be. A search may suggest; a person decides.

Each proposal carries a ``todo:`` line, and fails the check until somebody deletes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

from ridgeline.check import Report
from ridgeline.figures.examine import passages, significant_digits
from ridgeline.figures.figure import FigureResult, Status
from ridgeline.figures.passage import Passage, skeleton
from ridgeline.figures.printing import show
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Scope
from ridgeline.numbers import holds
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import hard
from ridgeline.records.workload import Workload

#: Fewer digits agree with too many quantities by chance.
MIN_DIGITS = 3
_MAX_EACH = 5
#: Calls tried for each formula of a class.
_MAX_CALLS = 600
_WORD = re.compile(r"[A-Za-z][a-z]{2,}")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One possible meaning of a numeral: ``say`` quotes the words, ``expression`` is what it could be."""

    figure: FigureResult
    say: str
    expression: str
    value: str
    score: int

    def as_yaml(self, others: int) -> str:
        """The entry as it would stand in the record."""
        more = f"; {others} more fit" if others else ""
        return (
            f"- say: {_quoted(self.say)}\n  is: {self.expression}\n"
            f"  todo: {_quoted(f'proposed because {self.expression} = {self.value}{more}; delete this line if it is meant')}\n"
        )


def propose(report: Report, entry: Entry) -> list[list[Proposal]]:
    """For each uncovered numeral of a record its possible meanings, best first; numerals without any are left out."""
    found = passages(entry, report.knowledge.names)
    by_path = {p.path: p for p in found}
    known = list(_candidates(report, entry))
    result = []
    for figure in report.figures:
        if figure.record != entry.reference or figure.status is not Status.UNCOVERED:
            continue
        passage = by_path[figure.path]
        proposals = sorted(
            _fitting(figure, passage, known, report.knowledge.names), key=lambda p: (-p.score, len(p.expression))
        )
        if proposals:
            result.append(proposals[:_MAX_EACH])
    return result


def _candidates(report: Report, entry: Entry) -> Iterator[tuple[str, Derivation]]:
    """Every quantity of the record's subjects, and for a class each formula with each combination of its subjects."""
    record = entry.record
    assert record is not None
    resolver = report.resolver
    scope = resolver.scope_of(entry)
    aliases = dict(scope.aliases)
    for alias, reference in aliases.items():
        target = report.knowledge.get(reference)
        if target is None or target.kind in ("class", "source"):
            continue
        space = resolver.namespace(reference)
        for name in [*space.names, *dict.fromkeys(n for group in space.layers for n in group)]:
            derived = _try(report, f"{alias}.{name}", scope)
            if derived is not None:
                yield f"{alias}.{name}", derived
    if entry.kind not in ("class", "source"):
        for name in resolver.namespace(entry.reference).names:
            derived = _try(report, name, scope)
            if derived is not None:
                yield name, derived
    if not isinstance(record, Workload):
        return
    kinds: dict[str, list[str]] = {"model": [""], "accelerator": [""], "format": [""]}
    for alias, reference in aliases.items():
        target = report.knowledge.get(reference)
        if target is not None and target.kind in kinds:
            kinds[target.kind].append(alias)
    kinds["format"] += ["bf16", "fp8"]
    symbols = [""] + [
        f"{s}={v}"
        for s in record.symbols
        if record.symbols[s].unit == "token"
        for v in (512, 2048, 8192, 32768, 131072)
    ]
    groups = ["", "g=1", "g=4", "g=8"]
    for name in record.formulas:
        calls = product(*kinds.values(), symbols, groups)
        for model, part, form, symbol, group in islice(calls, _MAX_CALLS):
            arguments = ", ".join(a for a in (model, part, form, symbol, group) if a)
            text = f"{name}({arguments})" if arguments else name
            derived = _try(report, text, scope)
            if derived is not None:
                yield text, derived


def _try(report: Report, expression: str, scope: Scope) -> Derivation | None:
    try:
        return report.resolver.evaluate(expression, scope)
    except FormulaError:
        return None


def _fitting(
    figure: FigureResult, passage: Passage, known: list[tuple[str, Derivation]], names: frozenset[str]
) -> Iterator[Proposal]:
    numeral = figure.numeral
    if numeral.value is None or numeral.interval is None or significant_digits(numeral) < MIN_DIGITS:
        return
    say = _say(passage, numeral, names)
    if say is None:
        return
    words = {w.lower() for w in _WORD.findall(_sentence(passage.text, numeral.at))}
    for expression, derived in known:
        if not _same_dimension(numeral, derived.quantity) or not _fits(numeral, derived.quantity):
            continue
        parts = {w.lower() for w in _WORD.findall(f"{expression} {derived.means}")}
        yield Proposal(figure, say, expression, show(derived.quantity, derived.unit), len(words & parts))


def _same_dimension(numeral: Numeral, quantity: Quantity) -> bool:
    printed = hard(numeral.unit.dimension) if numeral.unit is not None else ()
    return printed == hard(quantity.dimension)


def _fits(numeral: Numeral, quantity: Quantity) -> bool:
    if not quantity.exact:
        return False
    factor = numeral.base_factor
    return holds(numeral, quantity.middle / factor)


def _sentence(text: str, at: int) -> str:
    start = text.rfind(". ", 0, at) + 1
    end = text.find(". ", at)
    return text[start : len(text) if end < 0 else end]


def _say(passage: Passage, numeral: Numeral, names: frozenset[str]) -> str | None:
    """The shortest run of words around a numeral that stands once in its passage and holds no other numeral."""
    from ridgeline.numbers import read

    text = passage.text
    starts = [m.start() for m in re.finditer(r"\S+", text[: numeral.at])][-6:]
    tail = re.compile(r"\S*(?:[ \n]+\S+){0,1}")
    for start in [*reversed(starts), *([numeral.at] if not starts else [])]:
        rest = tail.match(text, numeral.end)
        end = rest.end() if rest else numeral.end
        say = " ".join(text[start:end].split()).rstrip(".,;:)")
        quantities = [n for n in read(say, names) if n.quantity or n.error]
        if len(quantities) == 1 and len(passage.find(skeleton(say, quantities))) == 1:
            return say
    return None


def _quoted(text: str) -> str:
    if re.match(r"[A-Za-z][^:#\[\]{},&*!|>'\"%@`\n]*\Z", text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def insert(source: str, entry: Entry, body: str) -> str:
    """The file's source with entries added to its ``figures:`` list."""
    spans = entry.document.spans
    if not body.endswith("\n"):
        body += "\n"
    record = entry.record
    if record is not None and record.figures:
        end = spans[("figures", len(record.figures) - 1)][1].end
        line = source.find("\n", max(0, end - 1))
        at = len(source) if line < 0 else line + 1
        column = spans[("figures", 0)][1].column - 2
        indented = "".join(" " * max(0, column) + text for text in body.splitlines(keepends=True))
        return source[:at] + ("" if source[:at].endswith("\n") else "\n") + indented + source[at:]
    if ("figures",) in spans:
        key, value = spans[("figures",)]
        assert key is not None
        return source[: key.start] + "figures:\n" + body.rstrip("\n") + source[value.end :]
    return source + ("" if source.endswith("\n") else "\n") + "figures:\n" + body
