"""From the loaded database to a folder of files: JSON, CSV or Parquet. Same database, same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ridgeline.export import csvtext, folder
from ridgeline.export.documents import documents
from ridgeline.export.snapshot import Snapshot, opened


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written: the folder, the form, the number of files and their size together in bytes."""

    path: Path
    form: str
    files: int
    size: int

    def summary(self) -> str:
        """One line for people."""
        return f"{self.form}: {self.files:,} files, {self.size / 1e6:,.1f} MB in {self.path}"


def export(database: Path, output: Path, form: str) -> ExportResult:
    """Write a database as ``json`` (a file a record), ``csv`` or ``parquet`` (a file a table) to a folder.

    The folder is replaced as a whole, and only if it holds nothing but an earlier export of the same form. Raises
    :class:`ridgeline.export.errors.ExportError`, before anything is written there.
    """
    with opened(database) as snapshot:
        fill = FORMS[form]
        files = folder.replaced(output, form, snapshot.metadata, lambda made: fill(snapshot, made))
    return ExportResult(output, form, len(files), sum(f.size for f in files))


def json_files(snapshot: Snapshot, made: Path) -> None:
    """Write the JSON files of a database below a folder."""
    for name, text in documents(snapshot):
        folder.write_text(made / name, [text])


def csv_files(snapshot: Snapshot, made: Path) -> None:
    """Write each table of a database as CSV into a folder."""
    for table in snapshot.tables.values():
        folder.write_text(made / f"{table.name}.csv", csvtext.lines(table.names, snapshot.raw(table.name)))


def parquet_files(snapshot: Snapshot, made: Path) -> None:
    """Write each table of a database as Parquet into a folder."""
    from contextlib import closing

    from ridgeline.export import parquet

    with closing(parquet.writer()) as connection:
        for table in snapshot.tables.values():
            path = made / f"{table.name}.csv"
            folder.write_text(path, csvtext.lines(table.names, snapshot.raw(table.name)))
            parquet.convert(connection, table, path, path.with_suffix(".parquet"))
            path.unlink()


#: Form → what writes it.
FORMS: dict[str, Callable[[Snapshot, Path], None]] = {
    "json": json_files,
    "csv": csv_files,
    "parquet": parquet_files,
}
