"""``ridgeline query``."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from typing import Any

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.database import DATABASE

EXAMPLE = """example:
  ridgeline query ridge
  ridgeline query "select status, count(*) from figures group by status" --format json"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("query", nargs="?", help="a named view, or SQL; without it the views are listed")
    parser.add_argument("--database", help=f"the database file (default: {DATABASE} below the root)")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from pathlib import Path

    from ridgeline.store.queries import QueryError, query, views

    if options.query is None:
        for view in views():
            sys.stdout.write(f"{view['name']:<14}{view['means']}\n")
        return 0
    path = Path(options.database) if options.database else root_of(options) / DATABASE
    if not path.is_file():
        raise UsageError(f"there is no database {path}: run ridgeline load first")
    try:
        result = query(path, options.query).as_json()
    except QueryError as error:
        raise UsageError(str(error)) from None
    _print(result, options.format)
    return 0


def _print(result: dict[str, Any], form: str) -> None:
    if form == "json":
        sys.stdout.write(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        return
    columns: list[str] = result["columns"]
    if form == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows([row[c] for c in columns] for row in result["rows"])
        return
    rows = [["" if row[c] is None else _cell(row[c]) for c in columns] for row in result["rows"]]
    widths = [min(60, max([len(c), *(len(r[i]) for r in rows)])) for i, c in enumerate(columns)]
    numeric = [all(isinstance(row[c], int | float | None) for row in result["rows"]) for c in columns]
    for line in (columns, ["-" * w for w in widths], *rows):
        cells = zip(line, widths, numeric, strict=True)
        sys.stdout.write("  ".join(v[:60].rjust(w) if n else v[:60].ljust(w) for v, w, n in cells).rstrip() + "\n")


def _cell(value: object) -> str:
    """A value for people: whole numbers in groups of three, others to six digits."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, float):
        return f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
