"""What all records have in common as rows: heads, names, history, links to other records, facts, sources."""

from __future__ import annotations

import json

from ridgeline.check import Report
from ridgeline.knowledge.base import Entry
from ridgeline.records.kinds import FOLDERS
from ridgeline.records.source import Source
from ridgeline.records.walk import dotted, walk
from ridgeline.store.derivations import Row

Tables = dict[str, list[Row]]


def heads(report: Report) -> Tables:
    """The rows of ``records``, ``record_names``, ``record_changes``, ``record_links``, ``facts`` and the source tables."""
    tables: Tables = {
        name: []
        for name in ("records", "record_names", "record_changes", "record_links", "facts", "sources", "source_authors")
    }
    for reference in sorted(report.knowledge.entries):
        entry = report.knowledge.get(reference)
        if entry is None or entry.record is None:
            continue
        _head(entry, tables)
        _links(report, entry, tables)
        _facts(report, entry, tables)
        if isinstance(entry.record, Source):
            _source(report, entry, entry.record, tables)
    return tables


def canonical(data: object) -> str:
    """A record as JSON with sorted keys, without blanks."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def source_id(report: Report, id: str | None) -> str | None:
    """The id of a source that has a record, else ``None`` (which the check reports)."""
    return id if id is not None and report.knowledge.get(f"sources/{id}") is not None else None


def _head(entry: Entry, tables: Tables) -> None:
    record = entry.record
    assert record is not None
    tables["records"].append(
        {
            "reference": entry.reference, "kind": entry.kind, "id": entry.id, "name": record.name,
            "schema": record.schema_, "revision": record.revision, "status": record.status, "path": entry.document.path,
            "body": canonical(entry.document.data),
        }
    )  # fmt: skip
    names = [("name", record.name), *(("also-called", n) for n in record.also_called)]
    names += [("formerly", n) for n in record.formerly]
    for role, name in names:
        rows = tables["record_names"]
        rows.append({"id": len(rows) + 1, "record": entry.reference, "role": role, "name": name})
    for ordinal, change in enumerate(record.history):
        tables["record_changes"].append(
            {
                "record": entry.reference, "ordinal": ordinal, "revision": change.revision, "date": change.date,
                "change": change.change, "was": change.was, "why": change.why,
            }
        )  # fmt: skip


def _links(report: Report, entry: Entry, tables: Tables) -> None:
    """Each reference to a record that exists; one that does not is a finding of the check."""
    assert entry.record is not None
    rows = tables["record_links"]
    for item in walk(entry.record):
        if item.what != "reference":
            continue
        target = f"{FOLDERS[item.kind]}/{item.value}" if item.kind else item.value
        if report.knowledge.get(target) is not None:
            alias = item.path[1] if item.path[0] == "subjects" else None
            rows.append(
                {
                    "id": len(rows) + 1, "record": entry.reference, "field": dotted(item.path), "target": target,
                    "alias": alias,
                }
            )  # fmt: skip


def _facts(report: Report, entry: Entry, tables: Tables) -> None:
    assert entry.record is not None
    for item in walk(entry.record):
        if item.what == "fact":
            fact = item.value
            tables["facts"].append(
                {
                    "record": entry.reference, "field": dotted(item.path), "text": fact.value,
                    "source": source_id(report, fact.source), "locator": fact.at, "checked": fact.checked,
                    "reason": fact.reason, "line": entry.document.place(item.path, key=True).line,
                }
            )  # fmt: skip


def _source(report: Report, entry: Entry, record: Source, tables: Tables) -> None:
    tables["sources"].append(
        {
            "id": entry.id, "record": entry.reference, "title": record.name, "publisher": record.publisher,
            "kind": record.kind, "url": record.url, "published": record.published, "retrieved": record.retrieved,
            "version": record.version, "licence": record.licence,
            "superseded_by": source_id(report, record.superseded_by), "note": record.note,
        }
    )  # fmt: skip
    tables["source_authors"] += [
        {"source": entry.id, "ordinal": ordinal, "name": name} for ordinal, name in enumerate(record.authors)
    ]
