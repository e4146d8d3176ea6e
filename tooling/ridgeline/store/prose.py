"""Prose as rows: each passage, each numeral in it with its status, and the findings."""

from __future__ import annotations

from collections.abc import Iterable

from ridgeline.check import Report
from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.figure import FigureResult
from ridgeline.figures.printing import show, show_beside
from ridgeline.findings.faces import waived_as_text
from ridgeline.findings.finding import Finding, Waived
from ridgeline.knowledge.base import Entry
from ridgeline.numbers.interval import exact_text
from ridgeline.records.walk import dotted, walk
from ridgeline.store.derivations import Row, value_columns
from ridgeline.store.values import Path, Quantities


class Prose:
    """Builds the rows of ``passages``, ``figures`` and ``conclusions``."""

    def __init__(self, report: Report, quantities: Quantities):
        self.report = report
        self.quantities = quantities
        self.passages: list[Row] = []
        self.figures: list[Row] = []
        self.conclusions: list[Row] = []

    def build(self) -> None:
        """All passages of all records in the order of their fields, and their figures in reading order."""
        figures: dict[tuple[str, Path], list[FigureResult]] = {}
        for figure in self.report.figures:
            figures.setdefault((figure.record, figure.path), []).append(figure)
        conclusions: dict[tuple[str, Path], list[Conclusion]] = {}
        for conclusion in self.report.conclusions:
            conclusions.setdefault((conclusion.record, conclusion.path), []).append(conclusion)
        for reference in sorted(self.report.knowledge.entries):
            entry = self.report.knowledge.get(reference)
            if entry is None or entry.record is None:
                continue
            prose = (item for item in walk(entry.record) if item.what == "prose")
            for ordinal, item in enumerate(prose):
                self.passage(entry, item.path, item.value, ordinal)
                found = sorted(figures.get((reference, item.path), ()), key=lambda f: f.numeral.at)
                for position, figure in enumerate(found):
                    self.figure(entry, figure, position)
                for conclusion in sorted(conclusions.get((reference, item.path), ()), key=lambda c: (c.at, c.claim)):
                    self.conclusion(entry, conclusion)

    def passage(self, entry: Entry, path: Path, text: str, ordinal: int) -> None:
        place = entry.document.place(path, at=0)
        self.passages.append(
            {
                "id": len(self.passages) + 1, "record": entry.reference, "ordinal": ordinal, "field": dotted(path),
                "text": text, "line": place.line, "col": place.column,
            }
        )  # fmt: skip

    def figure(self, entry: Entry, figure: FigureResult, ordinal: int) -> None:
        """The row of one numeral of the passage that was added last."""
        numeral, verdict, derivation = figure.numeral, figure.verdict, figure.derivation
        place = entry.document.place(figure.path, at=numeral.at, length=len(numeral.text))
        interval = numeral.interval
        row: Row = {
            "id": len(self.figures) + 1, "record": figure.record, "passage": self.passages[-1]["id"], "ordinal": ordinal,
            "at": numeral.at, "length": len(numeral.text), "line": place.line, "col": place.column, "text": numeral.text,
            "unit": numeral.unit_text or None, "kind": numeral.kind.value, "comparator": numeral.comparator.value,
            "status": figure.status.value, "grade": figure.grade or None,
            "holds": None if verdict is None else int(verdict.holds),
            "level": None if verdict is None else verdict.level,
            "value_exact": None if numeral.value is None else exact_text(numeral.value),
            "value_float": None if numeral.value is None else _float(numeral.value),
            "base_unit": None if numeral.unit is None else numeral.unit.text,
            "low_exact": None if interval is None or interval.low is None else exact_text(interval.low),
            "high_exact": None if interval is None or interval.high is None else exact_text(interval.high),
            "low_closed": None if interval is None else int(interval.low_closed),
            "high_closed": None if interval is None else int(interval.high_closed),
            "expression": figure.expression or None, "equation": figure.equation or None, "derivation": None,
            "computed_exact": None, "computed_float": None, "computed_display": None,
            "because": verdict.because if verdict is not None else numeral.error or None,
            "rule": figure.rule or None, "reason": figure.reason or None,
            "source": self.quantities.source(figure.source), "locator": figure.at or None,
            "checked": figure.checked or None, "entry": figure.entry if figure.entry >= 0 else None,
            "waived": _waived(figure.waived),
        }  # fmt: skip
        if derivation is not None:
            row["derivation"] = self.quantities.root(derivation)
            row |= value_columns(derivation.quantity, "computed")
            row["computed_display"] = show_beside(derivation.quantity, numeral)
        self.figures.append(row)

    def conclusion(self, entry: Entry, conclusion: Conclusion) -> None:
        """The row of what words of the passage that was added last conclude."""
        place = entry.document.place(conclusion.path, at=conclusion.at, length=conclusion.length)
        left, right = conclusion.left, conclusion.right
        self.conclusions.append(
            {
                "id": len(self.conclusions) + 1, "record": conclusion.record, "passage": self.passages[-1]["id"],
                "at": conclusion.at, "length": conclusion.length, "line": place.line, "col": place.column,
                "text": " ".join(conclusion.words.split()), "claim": conclusion.claim, "relation": conclusion.relation,
                "left_side": self.quantities.root(left), "left_display": show(left.quantity, left.unit),
                "right_side": self.quantities.root(right), "right_display": show(right.quantity, right.unit),
                "holds": int(conclusion.holds), "waived": _waived(conclusion.waived),
            }
        )  # fmt: skip


def _float(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return None


def _waived(waived: Waived | None) -> str | None:
    return None if waived is None else waived_as_text(waived)


def finding_rows(findings: Iterable[Finding]) -> list[Row]:
    """The rows of ``findings``, in the order in which they are given."""
    return [
        {
            "id": number, "rule": f.rule, "level": f.level.value, "path": f.place.path, "line": f.place.line,
            "col": f.place.column, "length": f.place.length, "record": f.record or None, "field": f.field or None,
            "message": f.message, "found": f.found or None, "expected": f.expected or None, "because": f.because or None,
            "mend": f.mend or None, "fixable": int(f.fixable), "waived": _waived(f.waived),
        }
        for number, f in enumerate(findings, 1)
    ]  # fmt: skip
