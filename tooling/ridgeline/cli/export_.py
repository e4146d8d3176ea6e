"""``ridgeline export``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.database import DATABASE

EXAMPLE = """example:
  ridgeline export --format json --output build/json
  ridgeline export --format parquet --output build/parquet --database build/ridgeline.sqlite"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("--format", choices=("json", "csv", "parquet"), required=True, help="the form of the files")
    parser.add_argument(
        "--output", type=Path, required=True, help="folder to write; an earlier export there is replaced"
    )
    parser.add_argument("--database", type=Path, help=f"the database file (default: {DATABASE} below the root)")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.export.errors import ExportError
    from ridgeline.export.export import export

    database = options.database or root_of(options) / DATABASE
    try:
        result = export(database, options.output, options.format)
    except ExportError as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(f"{result.summary()}\n")
    return 0
