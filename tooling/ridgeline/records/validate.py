"""From a document to a typed record, or to findings that say where it is not one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from ridgeline.findings.finding import Finding
from ridgeline.records.common import Record
from ridgeline.records.complaint import did_you_mean, explain
from ridgeline.records.complaint import finding as _finding
from ridgeline.records.kinds import KIND_OF_FOLDER, Kind, kinds, versions
from ridgeline.records.migrations import lifted
from ridgeline.text.document import Document

#: What a scaffold holds where a person must write something. It never passes.
BLANK = "FILL-IN"


def validate(document: Document) -> tuple[Record | None, list[Finding]]:
    """The record in a document, with what is wrong with it. Kind and version are those that its ``schema:`` line names.

    A record of an older version is held against that version, and given in the newest one.
    """
    if document.data is None and document.findings:
        return None, []
    if not isinstance(document.data, dict):
        return None, [
            _finding(
                document,
                "not-a-record",
                (),
                "the file is not a mapping of fields",
                mend="start it with schema:, id: and name: (see `ridgeline new`)",
            )
        ]
    kind, finding = _kind(document)
    if kind is None:
        return None, [finding] if finding else []
    blanks = list(_blanks(document))
    try:
        record: Record = kind.type.model_validate(document.data)  # type: ignore[attr-defined]
        newest = kinds()[kind.name]
        if kind.version != newest.version:
            document = replace(document, data=lifted(document.data))
            kind = newest
            record = kind.type.model_validate(document.data)  # type: ignore[attr-defined]
    except ValidationError as error:
        # What the reader has already found at a place is not said a second time in other words.
        said = {(f.place.line, f.place.column) for f in document.findings}
        refused = (f for f in explain(document, kind, error) if (f.place.line, f.place.column) not in said)
        return None, [*blanks, *(f for f in refused if f.found != BLANK)]
    if blanks:
        return None, blanks
    stem = PurePosixPath(document.path).stem
    if record.id != stem:
        return record, [
            _finding(
                document,
                "id-is-file-name",
                ("id",),
                f"id {record.id} in a file called {stem}.yaml",
                mend=f"rename the file to {record.id}.yaml, or write id: {stem}",
                found=record.id,
                expected=stem,
            )
        ]
    return record, []


def _blanks(document: Document) -> Iterator[Finding]:
    """Every place of a scaffold that is still to be filled in."""
    if document.source and BLANK not in document.source and "\\" not in document.source:
        # An escape could spell it too.
        return
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), document.data)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack.extend(((*path, k), v) for k, v in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend(((*path, i), v) for i, v in reversed(list(enumerate(value))))
        elif isinstance(value, str) and BLANK in value:
            yield _finding(
                document,
                "fill-in",
                path,
                f"fill this in: {'.'.join(map(str, path))}",
                found=BLANK,
                mend="write the value; what is not known stays out of the record, or is null",
            )


def _kind(document: Document) -> tuple[Kind | None, Finding | None]:
    stated = document.data.get("schema")
    folder = PurePosixPath(document.path).parent.name
    expected = KIND_OF_FOLDER.get(folder)
    known = kinds()
    if stated is None:
        wanted = f"{expected}/{known[expected].version}" if expected else "kind/version"
        return None, _finding(
            document,
            "schema-line",
            (),
            "the field schema is missing",
            mend=f"write schema: {wanted} at the top",
            expected=wanted,
        )
    names = versions()
    kind = names.get(stated) if isinstance(stated, str) else None
    if kind is None:
        newer = _newer(str(stated), known)
        if newer is not None:
            return None, _finding(
                document,
                "schema-line",
                ("schema",),
                f"{stated} is newer than what this tool reads of the kind {newer.name}",
                mend=f"use a newer ridgeline, or write the record in version {newer.version}",
                found=str(stated),
                expected=newer.stated,
            )
        return None, _finding(
            document,
            "schema-line",
            ("schema",),
            f"unknown schema {stated!r}",
            mend=did_you_mean(str(stated), names) or f"known are {', '.join(names)}",
            found=str(stated),
        )
    if expected and kind.name != expected:
        return None, _finding(
            document,
            "schema-line",
            ("schema",),
            f"a {kind.name} record in the folder {folder}/",
            mend=f"move the file to {kind.folder}/, or write schema: {expected}/{known[expected].version}",
            found=str(stated),
        )
    return kind, None


def _newer(stated: str, known: dict[str, Kind]) -> Kind | None:
    """The kind of a schema line that names a version beyond the newest one."""
    name, _, version = stated.partition("/")
    kind = known.get(name)
    ahead = kind is not None and version.isascii() and version.isdigit() and len(version) < 10
    return kind if kind is not None and ahead and int(version) > kind.version else None
