"""The faces of findings: text for people, JSON for programs, annotations for GitHub, SARIF for code scanning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from ridgeline.findings.finding import Finding, Level, Waived


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
        "waived": waived_as_dict(finding.waived),
    }


def waived_as_dict(waived: Waived | None) -> dict[str, str] | None:
    """A waiver as plain data; ``None`` where there is none."""
    if waived is None:
        return None
    return {"reason": waived.reason, "owner": waived.owner, "since": waived.since, "expires": waived.expires}


def waived_as_text(waived: Waived) -> str:
    """``waived until 2027-02-28 by NAME: REASON``."""
    return f"waived until {waived.expires} by {waived.owner}: {' '.join(waived.reason.split())}"


def text(findings: Iterable[Finding], source_line: Callable[[str, int], str]) -> str:
    """One paragraph a finding: place, level and rule, message; the line with the span underlined; why; the next step."""
    return "\n".join(_paragraph(f, source_line) for f in findings)


def _paragraph(finding: Finding, source_line: Callable[[str, int], str]) -> str:
    place = finding.place
    level = finding.level.value if finding.waived is None else "waived"
    lines = [f"{place.path}:{place.line}:{place.column}: {level}[{finding.rule}] {finding.message}"]
    # Tabs and whatever could steer a terminal take one column each.
    shown = _plain(source_line(place.path, place.line))
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
    if finding.waived is not None:
        lines.append(f"    {_plain(waived_as_text(finding.waived))}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def _body(finding: Finding) -> str:
    """Message, why, and next step, where a face has one text for all."""
    because = f" (because {finding.because})" if finding.because else ""
    return finding.message + because + (f". Next: {finding.mend}" if finding.mend else "")


def github(findings: Iterable[Finding]) -> str:
    """Workflow commands, one a finding."""
    lines = []
    for f in findings:
        body = _body(f)
        properties = (
            f"file={_property(f.place.path)},line={f.place.line},col={f.place.column},"
            f"endColumn={f.place.column + f.place.length},title={_property(f.rule)}"
        )
        if f.waived is not None:
            body = f"waived {f.level.value}: {body} ({waived_as_text(f.waived)})"
        command = _COMMANDS[f.level if f.waived is None else Level.INFO]
        lines.append(f"::{command} {properties}::{_data(body)}")
    return "\n".join(lines) + ("\n" if lines else "")


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def _suppressions(finding: Finding) -> list[dict[str, str]]:
    if finding.waived is None:
        return []
    return [{"kind": "external", "status": "accepted", "justification": waived_as_text(finding.waived)}]


_SARIF_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.INFO: "note"}


def sarif(findings: Iterable[Finding], version: str) -> str:
    """SARIF 2.1.0 with a region for every result; where anything is waived, with the suppressions of all (3.27.23)."""
    found = list(findings)
    waiving = any(f.waived is not None for f in found)
    rules = sorted({f.rule for f in found})
    results = [
        {
            "ruleId": f.rule,
            "ruleIndex": rules.index(f.rule),
            "level": _SARIF_LEVELS[f.level],
            "message": {"text": _body(f)},
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
            **({"suppressions": _suppressions(f)} if waiving else {}),
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
