"""``ridgeline fix``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import root_of
from ridgeline.cli.check_ import wanted_paths, within

EXAMPLE = """example:
  ridgeline fix --dry-run
  ridgeline fix records/classes/prefill-attention.yaml"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("paths", nargs="*", type=Path, help="mend these files or folders only")
    parser.add_argument("--dry-run", action="store_true", help="show what would be mended; write nothing")


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 1 where errors remain that a person must mend."""
    from ridgeline.knowledge.base import paths
    from ridgeline.mend import mend
    from ridgeline.report import render

    root = root_of(options)
    wanted = wanted_paths(options.paths, root)
    only = None
    if wanted is not None:
        files = [p.relative_to(root).as_posix() for p in paths(root)]
        only = [f for f in files if any(within(f, w) for w in wanted)]
    mending = mend(root, dry_run=options.dry_run, only=only)
    verb = "would write" if options.dry_run else "wrote"
    for m in mending.mends:
        sys.stdout.write(f"{m.path}:{m.line}:{m.column}: {verb} {m.new} for {m.old} ({m.field})\n")
    if not mending.mends:
        sys.stdout.write("nothing to mend\n")
    if not mending.report.clean:
        sys.stdout.write("\nleft for a person:\n" + render(mending.report, "text"))
        return 1
    return 0
