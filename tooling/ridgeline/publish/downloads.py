"""What the site offers to programs: the static API, the database itself and its tables as CSV.

The JSON is that of ``ridgeline export``, written by the same code, from the very file that is offered for download.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ridgeline.export import csvtext
from ridgeline.export.documents import documents
from ridgeline.export.folder import described, write_text
from ridgeline.export.snapshot import Snapshot, opened
from ridgeline.publish.address import API
from ridgeline.publish.openapi import description

DATA = "data"
DATABASE = f"{DATA}/ridgeline.sqlite"
TABLES = f"{DATA}/ridgeline-csv.zip"
RECORD_SCHEMA = "record.v1.schema.json"
_SCHEMAS = Path(__file__).resolve().parents[3] / "schema" / "output"


@dataclass(frozen=True, slots=True)
class Download:
    """A file that a page offers: its address from the root of the site, what it is, its size in bytes and its SHA-256."""

    address: str
    what: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Offered:
    """The files that the page of downloads names, and the ids that records had before: old reference → reference."""

    downloads: tuple[Download, ...]
    renamed: dict[str, str]


def write(database: Path, root: Path) -> Offered:
    """Write all of it below a folder that stands for the root of the site."""
    copy = root / DATABASE
    copy.parent.mkdir(parents=True)
    shutil.copyfile(database, copy)
    with opened(copy) as snapshot:
        _api(snapshot, root / API)
        _tables(snapshot, root / TABLES)
        offered = (
            (DATABASE, "everything, as one SQLite file"),
            (TABLES, "everything, as one CSV file a table"),
            (f"{API}/all.json", "every record with its numbers, in one JSON file"),
            (f"{API}/index.json", "the list of all records and of the lists of each kind"),
            (f"{API}/openapi.json", "the description of the API, for programs that make clients"),
            (f"{API}/{RECORD_SCHEMA}", "the JSON Schema of a record’s file"),
        )
        files = [(address, what, described(root / address, address)) for address, what in offered]
        return Offered(tuple(Download(a, what, f.size, f.sha256) for a, what, f in files), snapshot.renamed)


def _api(snapshot: Snapshot, folder: Path) -> None:
    for name, text in documents(snapshot):
        write_text(folder / name, [text])
    for old, new in snapshot.renamed.items():
        # A static host cannot send a client on: the old address answers with the record, which says what it is now.
        shutil.copyfile(folder / f"{new}.json", folder / f"{old}.json")
    schema = (_SCHEMAS / RECORD_SCHEMA).read_text(encoding="utf-8")
    write_text(folder / RECORD_SCHEMA, [schema])
    described_api = description(json.loads(schema), list(snapshot.kinds))
    write_text(folder / "openapi.json", [json.dumps(described_api, indent=1, ensure_ascii=False) + "\n"])


def _tables(snapshot: Snapshot, path: Path) -> None:
    """One archive of all tables. Its entries are as old as the format can say, so that no clock is in it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for table in snapshot.tables.values():
            entry = zipfile.ZipInfo(f"{table.name}.csv", (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
            text = "".join(csvtext.lines(table.names, snapshot.raw(table.name)))
            archive.writestr(entry, text.encode("utf-8"))


def place(root: Path, site: Path) -> None:
    """Move what was written into the site that the generator made."""
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        target = site / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(path, target)


def table(downloads: Sequence[Download], href: Callable[[str], str]) -> Markup:
    """The downloads as a table; ``href`` gives the link from the page to an address of the site."""
    lines = [
        Markup(
            '<tr><th scope="row"><a href="{0}">{1}</a></th><td class="n">{3:,}</td><td>{2}<br>'
            '<span class="small">SHA-256 <code>{4}</code></span></td></tr>'
        ).format(href(d.address), d.address, d.what, d.size, d.sha256)
        for d in downloads
    ]
    return Markup(
        '<div class="scroll" role="region" tabindex="0" aria-label="Downloads"><table class="rl records">'
        "<caption>Files for programs</caption>"
        '<thead><tr><th scope="col">File</th><th scope="col" class="n">Bytes</th>'
        '<th scope="col">What it holds, and its checksum</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(Markup("\n").join(lines))
