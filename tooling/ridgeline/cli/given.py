"""``python -m ridgeline.cli.given --root FOLDER --format FORM``: check whatever the lines of standard input name.

Records and folders of them are checked, other files are audited as documents. Without a line all records are checked. This
is what the action runs, so that its script has nothing to decide.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from ridgeline.cli import main, several

_MAX_PATHS = 10_000


def run(arguments: list[str], lines: list[str]) -> int:
    """Check and audit; the worst exit status of all, 2 where a line names nothing."""
    parser = argparse.ArgumentParser(prog="python -m ridgeline.cli.given", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text")
    options = parser.parse_args(arguments)
    form = f"--format={options.format}"
    named = [word for line in lines if (word := line.strip())]
    paths = list(_expanded(named))
    if missing := [name for name, found in paths if found is None]:
        sys.stderr.write(f"{missing[0]} names no file\n")
        return 2
    found = list(dict.fromkeys(path for _, path in paths if path is not None))[:_MAX_PATHS]
    records = [path for path in found if path.is_dir() or path.suffix in (".yaml", ".yml")]
    documents = [path for path in found if path not in records]
    statuses = [0]
    if records or not named:
        statuses.append(main(["check", f"--root={options.root}", form, "--", *map(str, records)]))
    if documents:
        root = [f"--root={options.root}"] if (options.root / "records").is_dir() else []
        statuses.append(several.run(["audit", *root, form, *map(str, documents)]))
    return max(statuses)


def _expanded(names: list[str]) -> Iterator[tuple[str, Path | None]]:
    """Each name with its path; patterns with all that they fit, in order."""
    here = Path()
    for name in names:
        if "*" in name and not Path(name).is_absolute():
            fitting = sorted(here.glob(name))
            yield from ((name, path) for path in fitting)
            if not fitting:
                yield name, None
        else:
            yield name, Path(name) if Path(name).exists() else None


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], sys.stdin.read(1_000_000).splitlines()))
