"""``ridgeline format``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import root_of
from ridgeline.cli.rewriting import Rewriting

EXAMPLE = """example:
  ridgeline format records/interconnects
  ridgeline format --check        lists the files that would change, writes nothing"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("paths", nargs="*", type=Path, help="these files or folders only")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file would change")


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 1 where a file cannot be read or, with ``--check``, would change."""
    from ridgeline.records.layout import LayoutError, formatted
    from ridgeline.text.splice import write

    rewriting = Rewriting(root_of(options))
    changed = 0
    for document in rewriting.documents(options.paths):
        try:
            text, findings = formatted(document)
        except LayoutError as error:
            rewriting.refuse(document, error)
            continue
        if findings:
            rewriting.leave(document, findings)
        elif text != document.source:
            changed += 1
            if not options.check:
                write(rewriting.root / document.path, text)
            sys.stdout.write(
                f"{document.path}: would be written anew\n" if options.check else f"wrote {document.path}\n"
            )
    if not changed and rewriting.complete:
        sys.stdout.write("all records are in the one layout\n")
    sys.stdout.write(rewriting.text())
    return 1 if not rewriting.complete or (options.check and changed) else 0
