"""``ridgeline migrate``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import root_of
from ridgeline.cli.rewriting import Rewriting

EXAMPLE = """example:
  ridgeline migrate --check              lists the records of an older version, writes nothing
  ridgeline migrate records/interconnects"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("paths", nargs="*", type=Path, help="these files or folders only")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where a record is of an older version"
    )


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 1 where a record cannot be read or, with ``--check``, is of an older version."""
    from ridgeline.records.kinds import kinds, versions
    from ridgeline.records.migrations import MigrationError, rewritten
    from ridgeline.records.validate import validate
    from ridgeline.text.splice import write

    readable, newest = versions(), kinds()
    rewriting = Rewriting(root_of(options))
    older = 0
    for document in rewriting.documents(options.paths):
        stated = document.data.get("schema") if isinstance(document.data, dict) else None
        kind = readable.get(stated) if isinstance(stated, str) else None
        if kind is not None and kind == newest[kind.name]:
            # What else is wrong with it is for `check` to say.
            continue
        record, findings = validate(document)
        findings = [*document.findings, *findings]
        if findings or record is None or kind is None:
            rewriting.leave(document, findings)
            continue
        try:
            text = rewritten(document)
        except MigrationError as error:
            rewriting.refuse(document, error)
            continue
        older += 1
        if not options.check:
            write(rewriting.root / document.path, text)
        note = " to do" if options.check else ""
        sys.stdout.write(f"{document.path}: {kind.stated} → {newest[kind.name].stated}{note}\n")
    if not older and rewriting.complete:
        sys.stdout.write("all records are of the newest version\n")
    sys.stdout.write(rewriting.text())
    return 1 if not rewriting.complete or (options.check and older) else 0
