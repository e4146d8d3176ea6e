"""Tables as Parquet, written by DuckDB where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.export.errors import ExportError
from ridgeline.export.snapshot import Table

if TYPE_CHECKING:
    import duckdb

_TYPES = {"TEXT": "VARCHAR", "INTEGER": "BIGINT", "REAL": "DOUBLE"}


def writer() -> duckdb.DuckDBPyConnection:
    """A database in memory that does nothing but write files, one row after the other, with no extension loaded."""
    try:
        import duckdb
    except ImportError:
        raise ExportError(
            "Parquet is written by DuckDB, which is not installed: pip install 'ridgeline[parquet]'"
        ) from None
    return duckdb.connect(
        ":memory:",
        config={
            "threads": 1, "preserve_insertion_order": True, "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )  # fmt: skip


def convert(connection: duckdb.DuckDBPyConnection, table: Table, csv: Path, output: Path) -> None:
    """Write a table's CSV file as Parquet, with the types of the table."""
    types = ", ".join(f"{_text(c.name)}: {_text(_TYPES.get(c.type, 'VARCHAR'))}" for c in table.columns)
    connection.execute(
        f"COPY (SELECT * FROM read_csv({_text(str(csv))}, columns = {{{types}}}, auto_detect = false, header = true,"
        " delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false,"
        " parallel = false, max_line_size = 33554432, strict_mode = true))"
        f" TO {_text(str(output))} (FORMAT parquet, COMPRESSION zstd)"
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
