"""A claims file: what the numerals of a foreign document are, in the words of records.

``subjects`` and ``figures`` as in every record, ``symbols``, ``formulas`` and ``k`` as in classes. The document takes the
place of the record's prose; the entries are bound and compared by the engine that checks the records themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ridgeline.audit.blocks import Unreadable
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading
from ridgeline.audit.weigh import judgment
from ridgeline.figures.binding import Binder, Bound
from ridgeline.figures.compare import compare
from ridgeline.figures.figure import Status as FigureStatus
from ridgeline.figures.messages import inputs_of
from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.resolve import Resolver
from ridgeline.records.validate import validate
from ridgeline.text.document import read

REFERENCE = "classes/audited-document"
KEYS = ("schema", "subjects", "figures", "symbols", "formulas", "k")
SCHEMA = "claims/1"
_HEAD = {
    "schema": "class/1",
    "id": "audited-document",
    "name": "Audited document",
    "revision": 1,
    "status": "draft",
    "phase": "any",
}
_BY = "claims file"


def bind(reading: Reading, resolver: Resolver, path: Path) -> list[Finding]:
    """Judge what a claims file speaks of; gives what is wrong with the file itself.

    Raises :class:`Unreadable` where the file cannot be opened.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be audited: {path}: {error.strerror}") from None
    entry, findings = _entry(str(path), source)
    if entry is None:
        return findings
    resolver.knowledge.entries[REFERENCE] = entry
    binder = Binder(entry, reading.passages, resolver)
    for place, numerals in binder.bind().items():
        block = int(place[1])
        for index, bound in numerals.items():
            _judge(reading, block, index, bound)
    return findings + binder.findings


def _entry(path: str, source: bytes) -> tuple[Entry | None, list[Finding]]:
    document = read(path, source)
    findings = list(document.findings)
    if not isinstance(document.data, dict):
        if not findings:
            findings.append(
                Finding(
                    "claims-file", Level.ERROR, Place(path), "a claims file is a mapping with subjects: and figures:"
                )
            )
        return None, findings
    stated: dict[str, Any] = dict(document.data)
    if stated.pop("schema", SCHEMA) != SCHEMA:
        findings.append(
            Finding("claims-file", Level.ERROR, document.place(("schema",)), f"schema is {SCHEMA}, or left out")
        )
    for key in [k for k in stated if k not in KEYS]:
        stated.pop(key)
        findings.append(
            Finding(
                "claims-file",
                Level.ERROR,
                document.place((key,), key=True),
                f"a claims file has no {key}",
                mend=f"it has {', '.join(KEYS)}",
            )
        )
    document.data = {**_HEAD, **stated}
    record, faults = validate(document)
    findings += [f for f in faults if f.rule != "id-is-file-name"]
    if record is None:
        return None, findings
    return Entry("class", REFERENCE, document, record), findings


def _judge(reading: Reading, block: int, index: int, bound: Bound) -> None:
    numeral = reading.numeral(block, index)
    if bound.derivation is None:
        why = {
            FigureStatus.CITED: f"cited: {bound.source} {bound.at}".strip(),
            FigureStatus.UNVERIFIED: f"unverified: {bound.reason}",
        }.get(bound.status, bound.reason)
        status = Status.SET_ASIDE if bound.status is FigureStatus.SET_ASIDE else Status.UNDECIDED
        reading.ledger.held[block, index] = Judgment(status, why, by=_BY)
        return
    quantity = bound.derivation.quantity
    reading.bound[block, index] = quantity
    inputs = inputs_of(bound.derivation)
    because = bound.expression + (f", {inputs}" if inputs and bound.expression else "")
    word = judgment(numeral, quantity, compare(numeral, quantity), because, by=_BY, stated=True)
    reading.ledger.held[block, index] = word
