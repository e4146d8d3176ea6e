"""``ridgeline new``."""

from __future__ import annotations

import argparse
import sys

from ridgeline.cli import UsageError, root_of

EXAMPLE = """example:
  ridgeline new accelerator nvidia-h200-sxm
  ridgeline check records/accelerators/nvidia-h200-sxm.yaml     lists what is to be filled in"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument(
        "kind", help="accelerator, model, class, format, interconnect, architecture, announced, lesson or source"
    )
    parser.add_argument("id", help="kebab case; the file's name")
    parser.add_argument("--dry-run", action="store_true", help="print the record instead of writing it")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.records.scaffold import ScaffoldError, text, write

    try:
        if options.dry_run:
            sys.stdout.write(text(options.kind, options.id))
            return 0
        path = write(root_of(options), options.kind, options.id)
    except ScaffoldError as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(f"wrote {path}\nNext: fill in what says FILL-IN, then ridgeline check {path}\n")
    return 0
