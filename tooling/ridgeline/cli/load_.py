"""``ridgeline load``."""

from __future__ import annotations

import argparse
import sys

from ridgeline.cli import root_of
from ridgeline.cli.database import DATABASE, load_database

EXAMPLE = """example:
  ridgeline load
  ridgeline load --database postgresql+psycopg://user@localhost/ridgeline"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("--database", help=f"file or SQLAlchemy URL to write (default: {DATABASE} below the root)")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.check import check
    from ridgeline.report import render

    root = root_of(options)
    report = check(root)
    if not report.clean:
        sys.stdout.write(render(report, "text"))
        sys.stdout.write("Next: mend the errors; nothing was loaded\n")
        return 1
    result = load_database(report, options.database or str(root / DATABASE), root)
    sys.stdout.write(f"{result.summary()}\n")
    return 0 if result.agrees else 1
