"""``python -m ridgeline.cli.several VERB [OPTION…] FILE…``: a verb that takes one document, run for each of several.

For hooks and actions, which hand over whatever files a change touches. Where the folder holds no records of its own, the
numbers are held against those that this installation carries.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ridgeline.cli import UsageError, main


def run(arguments: list[str]) -> int:
    """Run the verb once for each file; the worst exit status of them."""
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(f"{(__doc__ or '').splitlines()[0]}\n")
        return 2
    verb, rest = arguments[0], arguments[1:]
    # Files come last, and an option's value stands in it: --format=github.
    first = next((i for i, word in enumerate(rest) if not word.startswith("--")), len(rest))
    options, files = rest[:first], rest[first:]
    if not any(option.startswith("--root") for option in options):
        options = [*options, *_records()]
    return max((main([verb, *options, "--", file]) for file in files), default=0)


def _records() -> list[str]:
    """The records to compare with: none to name where this folder or a parent has its own."""
    here = Path.cwd()
    if any((folder / "records").is_dir() for folder in (here, *here.parents)):
        return []
    from ridgeline.library import NoKnowledge, root

    try:
        return [f"--root={root()}"]
    except (NoKnowledge, UsageError):
        return []


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
