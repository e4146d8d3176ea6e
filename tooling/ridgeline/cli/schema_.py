"""``ridgeline schema``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import root_of

EXAMPLE = """example:
  ridgeline schema            write schema/*.json below the root
  ridgeline schema --check    say whether they are in step with the types"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("--output", type=Path, help="folder to write to (default: schema/ below the root)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file is out of step")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.records import schema

    folder = options.output or root_of(options) / "schema"
    if options.check:
        stale = schema.stale(folder)
        for name in stale:
            sys.stdout.write(f"{folder / name}: out of step with the types. Next: ridgeline schema\n")
        return 1 if stale else 0
    changed = schema.write(folder)
    for path in changed:
        sys.stdout.write(f"wrote {path}\n")
    if not changed:
        sys.stdout.write("all schemas are in step\n")
    return 0
