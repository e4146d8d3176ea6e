"""The audit of a foreign document: read it, let each judge speak, and account for every numeral."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from ridgeline.audit import (
    arithmetic,
    changes,
    classes,
    columns,
    dimensional,
    growth,
    links,
    listed,
    named,
    products,
    ratios,
    roles,
    sizes,
    specs,
    versus,
)
from ridgeline.audit.blocks import BlockKind, Document
from ridgeline.audit.claim import Claim, Judgment, Status
from ridgeline.audit.claims_file import bind
from ridgeline.audit.document import read
from ridgeline.audit.reading import Reading, read_blocks
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import load
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers import restyle
from ridgeline.numbers.numeral import Numeral

NOTHING = "nothing here says what it should be"


@dataclass
class Audit:
    """A document and what became of each of its numerals; ``findings`` are faults of the claims file."""

    document: Document
    claims: list[Claim] = field(default_factory=list)
    set_aside: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Claims by status."""
        counts = {status.value: 0 for status in Status}
        for claim in self.claims:
            counts[claim.status.value] += 1
        counts[Status.SET_ASIDE.value] = self.set_aside
        return counts

    @property
    def clean(self) -> bool:
        return not self.counts[Status.WRONG.value] and not self.findings


def audit(path: str, source: bytes, root: Path | None = None, claims: Path | None = None) -> Audit:
    """Audit a document. ``root`` holds the records to compare with, none for arithmetic alone.

    Raises :class:`ridgeline.audit.document.Unreadable` for a document that cannot be read.
    """
    document = read(path, source)
    resolver = Resolver(load(root)) if root is not None else None
    reading = read_blocks(document, resolver)
    findings: list[Finding] = []
    if claims is not None and resolver is not None:
        findings = bind(reading, resolver, claims)
    for judge in JUDGES:
        judge(reading)
    return finish(reading, findings)


JUDGES = [
    arithmetic.judge,
    columns.judge,
    products.judge,
    ratios.judge,
    changes.judge,
    growth.judge,
    listed.judge,
    roles.judge,
    named.judge,
    specs.judge,
    versus.judge,
    links.judge,
    sizes.judge,
    classes.judge,
    dimensional.judge,
]


def finish(reading: Reading, findings: list[Finding]) -> Audit:
    """Every numeral with its place and its word."""
    audit = Audit(reading.document, findings=findings)
    for block, passage in enumerate(reading.passages):
        in_code = reading.blocks[block].kind is BlockKind.CODE
        for index, numeral in enumerate(passage.numerals):
            word = reading.ledger.held.get((block, index))
            if word is None and (in_code or (not numeral.quantity and not numeral.error)):
                audit.set_aside += 1
                continue
            if word is None:
                word = Judgment(Status.UNDECIDED, numeral.error.replace("_", " ") or NOTHING)
            if word.status is Status.SET_ASIDE:
                audit.set_aside += 1
                continue
            if word.status is Status.WRONG:
                word = replace(word, because=word.because + slip(numeral, word.computed))
            line, column = reading.document.place(reading.blocks[block].offset(numeral.at))
            audit.claims.append(Claim(numeral, line, column, word, block))
    audit.claims.sort(key=lambda claim: (claim.line, claim.column))
    return audit


def slip(numeral: Numeral, computed: str) -> str:
    """A slip of the pen that explains a wrong number: two digits swapped, one wrong, the point moved."""
    try:
        right = restyle(numeral, Fraction(computed))
    except (ValueError, ZeroDivisionError):
        return ""
    printed, wanted = ([c for c in text if c.isdigit()] for text in (numeral.text, right or ""))
    if len(printed) != len(wanted) or len(printed) < 2 or printed == wanted:
        return ""
    different = [i for i, (a, b) in enumerate(zip(printed, wanted, strict=True)) if a != b]
    if len(different) == 2 and sorted(printed) == sorted(wanted):
        return "; two digits are swapped"
    return "; one digit differs" if len(different) == 1 and len(printed) > 2 else ""
