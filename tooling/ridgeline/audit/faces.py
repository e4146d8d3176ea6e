"""An audit in its output formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ridgeline import __version__
from ridgeline.audit.audit import Audit
from ridgeline.audit.claim import Claim, Status
from ridgeline.findings import faces
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.numbers.interval import exact_text

SCHEMA = "ridgeline-audit/1"


def render(audit: Audit, form: str, *, everything: bool = False) -> str:
    """The audit as ``text``, ``json``, ``github`` or ``sarif``; as text, ``everything`` lists all numerals."""
    if form == "json":
        return json.dumps(as_dict(audit), indent=1, ensure_ascii=False) + "\n"
    findings = [*audit.findings, *_findings(audit)]
    if form == "github":
        return faces.github(findings)
    if form == "sarif":
        return faces.sarif(findings, __version__)
    lines = audit.document.source.split("\n")

    def source_line(path: str, line: int) -> str:
        return lines[line - 1].rstrip("\r") if path == audit.document.path and 0 < line <= len(lines) else ""

    body = faces.text(findings, source_line)
    listing = "".join(_row(audit, claim) for claim in audit.claims) if everything else ""
    return (body + "\n" if body else "") + (listing + "\n" if listing else "") + summary_text(audit) + "\n"


def _row(audit: Audit, claim: Claim) -> str:
    word = claim.judgment
    return (
        f"{audit.document.path}:{claim.line}:{claim.column}: {claim.status.value:<9} {claim.text:<16} {word.because}\n"
    )


def summary_text(audit: Audit) -> str:
    """One line: how many numerals are right, wrong, undecided and set aside."""
    total = len(audit.claims) + audit.set_aside
    counts = ", ".join(f"{count:,} {status}" for status, count in audit.counts.items())
    return f"{audit.document.path} ({audit.document.form}): {total:,} numerals: {counts}"


def as_dict(audit: Audit) -> dict[str, Any]:
    """The whole audit as plain data."""
    counts = audit.counts
    return {
        "schema": SCHEMA,
        "summary": {
            "document": audit.document.path,
            "form": audit.document.form,
            "numerals": len(audit.claims) + audit.set_aside,
            "by_status": counts,
        },
        "claims": [claim_as_dict(claim) for claim in audit.claims],
        "findings": [faces.as_dict(finding) for finding in audit.findings],
    }


def claim_as_dict(claim: Claim) -> dict[str, Any]:
    """One numeral: ``printed`` and ``computed`` are in base units of ``unit``; ``shown`` is the computed value for people."""
    numeral, word = claim.numeral, claim.judgment
    return {
        "text": claim.text,
        "line": claim.line,
        "column": claim.column,
        "status": claim.status.value,
        "grade": word.grade or None,
        "printed": None if numeral.value is None else exact_text(numeral.value),
        "computed": word.computed or None,
        "unit": None if numeral.unit is None else numeral.unit.text,
        "because": word.because,
        "shown": word.shown or None,
        "by": word.by or None,
    }


def _findings(audit: Audit) -> Iterator[Finding]:
    for claim in audit.claims:
        if claim.status is Status.WRONG:
            word = claim.judgment
            yield Finding(
                f"audit-{word.grade or 'wrong'}",
                Level.ERROR,
                Place(audit.document.path, claim.line, claim.column, len(claim.numeral.text)),
                f"{claim.text} is wrong" + (f": it should be {word.shown}" if word.shown else ""),
                found=claim.text,
                expected=word.shown,
                because=word.because,
            )
