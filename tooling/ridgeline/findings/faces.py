"""The faces of findings: text for people, JSON for programs, annotations for GitHub, SARIF for code scanning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from ridgeline.findings.finding import Finding, Level


def as_dict(finding: Finding) -> dict[str, Any]:
    """A finding as plain data, every key always there."""
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "path": finding.place.path,
        "line": finding.place.line,
        "column": finding.place.column,
        "length": finding.place.length,
        "record": finding.record,
        "field": finding.field,
        "message": finding.message,
        "found": finding.found,
        "expected": finding.expected,
        "because": finding.because,
        "mend": finding.mend,
        "fixable": finding.fixable,
    }


def text(findings: Iterable[Finding], source_line: Callable[[str, int], str]) -> str:
    """One paragraph a finding: place, level and rule, message; the line with the span underlined; why; the next step."""
    return "\n".join(_paragraph(f, source_line) for f in findings)


def _paragraph(finding: Finding, source_line: Callable[[str, int], str]) -> str:
    place = finding.place
    lines = [f"{place.path}:{place.line}:{place.column}: {finding.level.value}[{finding.rule}] {finding.message}"]
    # Tabs and whatever could steer a terminal take one column each.
    shown = "".join(c if c.isprintable() else " " for c in source_line(place.path, place.line))
    if shown:
        # Long lines are cut around the span, so that the underline stays on the screen.
        start = max(0, place.column - 61)
        excerpt = shown[start : start + 118].rstrip()
        lead = "…" if start else ""
        before = place.column - 1 - start
        width = min(place.length, len(excerpt) - before, 118 - before)
        underline = " " * (before + len(lead)) + "^" * max(1, width)
        lines += [f"    {lead}{excerpt}", f"    {underline}"]
    if finding.expected and finding.found != finding.expected:
        lines.append(f"    found {finding.found or 'nothing'}, expected {finding.expected}")
    if finding.because:
        lines.append(f"    because {finding.because}")
    if finding.mend:
        lines.append(f"    next: {finding.mend}")
    return "\n".join(lines) + "\n"


_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def github(findings: Iterable[Finding]) -> str:
    """Workflow commands, one a finding."""
    lines = []
    for f in findings:
        body = f.message + (f" (because {f.because})" if f.because else "") + (f". Next: {f.mend}" if f.mend else "")
        properties = (
            f"file={_property(f.place.path)},line={f.place.line},col={f.place.column},"
            f"endColumn={f.place.column + f.place.length},title={_property(f.rule)}"
        )
        lines.append(f"::{_COMMANDS[f.level]} {properties}::{_data(body)}")
    return "\n".join(lines) + ("\n" if lines else "")


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


_SARIF_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


def sarif(findings: Iterable[Finding], version: str) -> str:
    """SARIF 2.1.0 with a region for every result."""
    found = list(findings)
    rules = sorted({f.rule for f in found})
    results = [
        {
            "ruleId": f.rule,
            "ruleIndex": rules.index(f.rule),
            "level": _SARIF_LEVELS[f.level],
            "message": {"text": f.message + (f". Next: {f.mend}" if f.mend else "")},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(f.place.path)},
                        "region": {
                            "startLine": f.place.line,
                            "startColumn": f.place.column,
                            "endColumn": f.place.column + f.place.length,
                        },
                    }
                }
            ],
        }
        for f in found
    ]
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "ridgeline", "version": version, "rules": [{"id": r} for r in rules]}},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
