"""The report of a check in its output formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ridgeline import __version__
from ridgeline.figures.printing import show
from ridgeline.findings import faces
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.interval import exact_text
from ridgeline.numbers.units import describe
from ridgeline.records.walk import dotted
from ridgeline.text.beside import contents

if TYPE_CHECKING:
    # `get` prints values with this module and makes no check.
    from ridgeline.check import Report
    from ridgeline.figures.conclusion import Conclusion
    from ridgeline.figures.figure import FigureResult

SCHEMA = "ridgeline-check/1"


def render(report: Report, form: str, *, figures: bool = False) -> str:
    """The report as ``text``, ``json``, ``github`` or ``sarif``."""
    if form == "json":
        return json.dumps(as_dict(report, figures=figures), indent=1, ensure_ascii=False) + "\n"
    if form == "github":
        return faces.github(report.findings)
    if form == "sarif":
        return faces.sarif(report.findings, __version__)
    body = faces.text(report.findings, _lines(report))
    return (body + "\n" if body else "") + summary_text(report) + "\n"


def _lines(report: Report) -> Callable[[str, int], str]:
    """A line of a file by its number. Only the files that are asked for are looked at."""
    held: dict[str, list[str]] = {
        name: content.decode("utf-8", "replace").split("\n")
        for name, content in contents(report.knowledge.root).items()
        if isinstance(content, bytes)
    }

    def source_line(path: str, line: int) -> str:
        if path not in held:
            parts = PurePosixPath(path)
            entry = report.knowledge.entries.get(f"{parts.parent.name}/{parts.stem}")
            held[path] = entry.document.source.split("\n") if entry is not None and entry.document.path == path else []
        text = held[path]
        return text[line - 1] if 0 < line <= len(text) else ""

    return source_line


def summary_text(report: Report) -> str:
    """Two lines: records and numerals by status; findings by level."""
    statuses = ", ".join(f"{count:,} {status}" for status, count in report.by_status.items() if count)
    counts = {**report.by_level, "waived": waived(report)}
    levels = ", ".join(f"{count:,} {level}" for level, count in counts.items() if count) or "none"
    total = report.numerals
    return f"{len(report.knowledge.entries):,} records, {total:,} numerals in prose ({statuses or 'none'})\nfindings: {levels}"


def waived(report: Report) -> int:
    """How many findings a waiver lets stand; they are in no count of a level."""
    return sum(1 for f in report.findings if f.waived is not None)


def summary(report: Report) -> dict[str, Any]:
    """The counts of a report."""
    return {
        "records": len(report.knowledge.entries),
        "numerals": report.numerals,
        "by_status": report.by_status,
        "findings": report.by_level,
        "waived": waived(report),
    }


def as_dict(report: Report, *, figures: bool = False) -> dict[str, Any]:
    """The whole report as plain data."""
    result: dict[str, Any] = {
        "schema": SCHEMA,
        "summary": summary(report),
        "findings": [faces.as_dict(f) for f in report.findings],
    }
    if figures:
        result["figures"] = _in_order(
            report, 0, ((f.record, partial(figure_as_dict, report, f)) for f in report.figures)
        )
        result["conclusions"] = _in_order(
            report, 1, ((c.record, partial(conclusion_as_dict, report, c)) for c in report.conclusions)
        )
    return result


def _in_order(report: Report, which: int, examined: Iterable[tuple[str, Callable[[], dict[str, Any]]]]) -> list[Any]:
    """What was examined and what was kept of other records, in the order of the records."""
    found: dict[str, list[Any]] = {}
    for reference, kept in report.unexamined.items():
        if kept.printed is not None:
            found[reference] = list(kept.printed[which])
    for reference, make in examined:
        found.setdefault(reference, []).append(make())
    return [printed for reference in list(report.knowledge.entries) for printed in found.get(reference, ())]


def conclusion_as_dict(report: Report, conclusion: Conclusion) -> dict[str, Any]:
    """What a sentence claims, both sides of it, and whether it holds."""
    document = report.knowledge.entries[conclusion.record].document
    place = document.place(conclusion.path, at=conclusion.at, length=conclusion.length)
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "record": conclusion.record,
        "field": dotted(conclusion.path),
        "text": conclusion.words,
        "claim": conclusion.claim,
        "left": exact(conclusion.left.quantity),
        "right": exact(conclusion.right.quantity),
        "unit": describe(conclusion.left.quantity.dimension),
        "holds": conclusion.holds,
        "waived": faces.waived_as_dict(conclusion.waived),
    }


def figure_as_dict(report: Report, figure: FigureResult) -> dict[str, Any]:
    """One numeral with its status, as plain data."""
    numeral = figure.numeral
    place = report.knowledge.entries[figure.record].document.place(figure.path, at=numeral.at, length=len(numeral.text))
    computed = figure.derivation
    return {
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "record": figure.record,
        "field": dotted(figure.path),
        "text": numeral.text,
        "status": figure.status.value,
        "grade": figure.grade or None,
        "kind": numeral.kind.value,
        "value": None if numeral.value is None else exact_text(numeral.value),
        "unit": None if numeral.unit is None else numeral.unit.text,
        "interval": None if numeral.interval is None else str(numeral.interval),
        "expression": figure.expression or figure.equation or None,
        "computed": None if computed is None else exact(computed.quantity),
        "inputs": [] if computed is None else inputs(computed),
        "rule": figure.rule or None,
        "reason": figure.reason or None,
        "source": figure.source or None,
        "waived": faces.waived_as_dict(figure.waived),
    }


def inputs(derivation: Derivation) -> list[dict[str, Any]]:
    """The leaves of a derivation: name, value, unit and source of each."""
    found = []
    for leaf in derivation.inputs():
        given = leaf.given
        unit = leaf.unit.text if leaf.unit is not None else describe(leaf.quantity.dimension)
        scale = leaf.unit.base_factor if leaf.unit is not None else 1
        value = leaf.quantity.middle / scale
        found.append(
            {
                "name": f"{given.record} {given.name or given.field}" if given else leaf.label,
                "value": exact_text(value),
                "unit": unit,
                "printed": given.text if given else show(leaf.quantity, leaf.unit),
                "source": (given.source or None) if given else None,
                "at": (given.at or None) if given else None,
                "checked": (given.checked or None) if given else None,
            }
        )
    return found


def exact(quantity: Quantity) -> str:
    """An exact value, or the ends of its interval."""
    return exact_text(quantity.value) if quantity.exact else str(quantity.interval)  # type: ignore[arg-type]


def value_as_dict(derivation: Derivation) -> dict[str, Any]:
    """What `get` and `eval` print: exact value in base units, decimal, unit, and the inputs."""
    unit = derivation.unit
    base = describe(derivation.quantity.dimension)
    return {
        "value": exact(derivation.quantity),
        "decimal": float(derivation.quantity),
        "unit": base,
        "printed": show(derivation.quantity, unit),
        "label": derivation.label,
        "inputs": inputs(derivation),
    }
