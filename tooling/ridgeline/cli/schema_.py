"""``ridgeline schema``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import root_of

EXAMPLE = """example:
  ridgeline schema            write schema/*.json below the root
  ridgeline schema --check    say whether they are in step with the types
  ridgeline schema --editor   write .vscode/ as well: schemas by folder, a snippet for each kind"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("--output", type=Path, help="folder to write to (default: schema/ below the root)")
    parser.add_argument("--editor", action="store_true", help="the files for Visual Studio Code below the root as well")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file is out of step")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.records import editor, schema

    folder = options.output or root_of(options) / "schema"
    code = root_of(options) / editor.FOLDER if options.editor else None
    if options.check:
        stale = [folder / name for name in schema.stale(folder)]
        stale += [code / name for name in editor.stale(code)] if code else []
        for path in stale:
            more = " --editor" if path.parent == code else ""
            sys.stdout.write(f"{path}: out of step with the types. Next: ridgeline schema{more}\n")
        return 1 if stale else 0
    changed = schema.write(folder) + (editor.write(code) if code else [])
    for path in changed:
        sys.stdout.write(f"wrote {path}\n")
    if not changed:
        sys.stdout.write("all schemas are in step\n")
    return 0
