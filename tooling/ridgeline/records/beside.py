"""The types of the files beside ``records/``: ``waivers.yaml`` and ``ceilings.yaml``, and how they are read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator

from ridgeline.findings.finding import Finding
from ridgeline.records.common import ID_PATTERN, Count, Day, Line, RecordReference, Strict
from ridgeline.records.complaint import did_you_mean, explain, show
from ridgeline.records.complaint import finding as _finding
from ridgeline.records.kinds import Kind
from ridgeline.text.beside import CEILINGS, WAIVERS
from ridgeline.text.document import Document, read

#: A waiver is a debt with an end: at most so many days from its beginning.
MOST_DAYS = 366


class WaivedPlace(Strict):
    """Where the waived finding is. A line number would not do: it moves with every edit above it."""

    record: RecordReference
    """The record, as folder and id: `classes/prefill-attention`."""
    field: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """The field of the record, as the finding names it in JSON: `text.notes`. Without it, any field of the record."""


class Waiver(Strict):
    """One finding, or all of one rule at one place, that is accepted until a day."""

    rule: Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=60)]
    """Id of the rule that found it: see `ridgeline rules`."""
    place: WaivedPlace
    """Where it is."""
    found: Line | None = None
    """What was found, as the finding names it in JSON, where the place has more than one finding of the rule."""
    reason: Annotated[str, StringConstraints(min_length=10, max_length=500)]
    """Why it may stand for now, and what has to happen until it is mended."""
    owner: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    """Who mends it: a name, or a handle of the hosting site."""
    since: Day
    """The day on which it was waived."""
    expires: Day
    """The last day on which it is waived, a year after `since` at most. From the next day on the finding fails again."""

    @model_validator(mode="after")
    def _ends(self) -> Waiver:
        days = (date.fromisoformat(self.expires) - date.fromisoformat(self.since)).days
        if days < 0:
            raise ValueError(
                f"it expires on {self.expires}, before its beginning on {self.since}: correct one of the two"
            )
        if days > MOST_DAYS:
            raise ValueError(
                f"it would stand for {days:,} days, and a waiver is a debt with an end: write a day within {MOST_DAYS} "
                "days of since"
            )
        return self


class Waivers(Strict):
    """The file `waivers.yaml`: findings that do not fail the check until a day."""

    schema_: Annotated[Literal["waivers/1"], Field(alias="schema")]
    """Kind and version of the file."""
    waivers: Annotated[list[Waiver], Field(max_length=1_000)] = []
    """The waivers, in any order."""


class Levels(Strict):
    """How much of each there may be. What is left out has no ceiling."""

    unverified_numerals: Count | None = None
    """Numerals in prose whose status is `unverified`."""
    values_without_source: Count | None = None
    """Quantities and texts (process, release date…) that stand in records without a source, with a reason."""
    second_hand_values: Count | None = None
    """Quantities and texts whose source is of the kind `secondary`; of several claims the preferred one counts."""
    second_hand_numerals: Count | None = None
    """Cited numerals in prose whose source is of the kind `secondary`."""
    contested_records: Count | None = None
    """Records with the status `contested`."""
    draft_records: Count | None = None
    """Records with the status `draft`."""
    records_without_release_date: Count | None = None
    """Accelerators and models without `released`."""
    warnings: Count | None = None
    """Findings of the level warning."""
    waived_findings: Count | None = None
    """Findings that a waiver lets stand."""


class Ceilings(Strict):
    """The file `ceilings.yaml`: numbers that only fall."""

    schema_: Annotated[Literal["ceilings/1"], Field(alias="schema")]
    """Kind and version of the file."""
    ceilings: Levels
    """The most that there may be of each. `ridgeline check --lower-ceilings` lowers them to what there is."""


@lru_cache(maxsize=1)
def files() -> dict[str, Kind]:
    """The kinds of these files by file name; they belong to no folder."""
    return {WAIVERS: Kind("waivers", 1, "", Waivers), CEILINGS: Kind("ceilings", 1, "", Ceilings)}


def read_waivers(content: bytes | Finding | None) -> tuple[Document, Waivers | None, list[Finding]]:
    """The waivers, or what is wrong with the file; neither where there is none."""
    document, model, findings = _read(WAIVERS, content)
    return document, model if isinstance(model, Waivers) else None, findings


def read_ceilings(content: bytes | Finding | None) -> tuple[Document, Ceilings | None, list[Finding]]:
    """The ceilings, or what is wrong with the file; neither where there is none."""
    document, model, findings = _read(CEILINGS, content)
    return document, model if isinstance(model, Ceilings) else None, findings


def _read(name: str, content: bytes | Finding | None) -> tuple[Document, Strict | None, list[Finding]]:
    if content is None or isinstance(content, Finding):
        return Document(name, ""), None, [] if content is None else [content]
    document = read(name, content)
    model, findings = _validated(document, files()[name])
    # No record is meant: the file's name says it all.
    return document, model, [*document.findings, *(replace(f, record="") for f in findings)]


def _validated(document: Document, kind: Kind) -> tuple[Strict | None, list[Finding]]:
    if document.data is None and document.findings:
        return None, []
    if not isinstance(document.data, dict):
        mend = f"start it with schema: {kind.stated}, or delete it"
        return None, [_finding(document, "not-a-record", (), "the file is not a mapping of fields", mend=mend)]
    stated = document.data.get("schema")
    if stated != kind.stated:
        known = did_you_mean(str(stated), [kind.stated]) or f"write schema: {kind.stated} at the top"
        message = (
            "the field schema is missing" if stated is None else f"unknown schema {show(stated)} of {document.path}"
        )
        found = "" if stated is None else show(stated)
        at = () if stated is None else ("schema",)
        return None, [_finding(document, "schema-line", at, message, found=found, expected=kind.stated, mend=known)]
    try:
        model: Strict = kind.type.model_validate(document.data)  # type: ignore[attr-defined]
    except ValidationError as error:
        said = {(f.place.line, f.place.column) for f in document.findings}
        found_here = explain(document, kind, error)
        return None, [f for f in found_here if (f.place.line, f.place.column) not in said]
    return model, []


__all__ = ["Ceilings", "Levels", "Waiver", "Waivers", "files", "read_ceilings", "read_waivers"]
