"""``ridgeline check``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.files import below

EXAMPLE = """example:
  ridgeline check
  ridgeline check records/accelerators/nvidia-h100-sxm.yaml --format json"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("paths", nargs="*", type=Path, help="report on these files or folders only (all are read)")
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text")
    parser.add_argument("--figures", action="store_true", help="with --format json: list every numeral with its status")
    parser.add_argument("--no-cache", action="store_true", help="compute the report even where nothing has changed")


def run(options: argparse.Namespace) -> int:
    """Run the verb. A report of all records is kept, and printed again while nothing changes."""
    root = root_of(options)
    if options.paths or options.no_cache:
        text, status = computed(options, root)
    else:
        from ridgeline.cache import Cache

        cache = Cache(root, options.format + ("-figures" if options.figures else ""))
        kept = cache.get()
        text, status = kept or computed(options, root)
        if kept is None:
            cache.put(text, status)
    sys.stdout.write(text)
    return status


def computed(options: argparse.Namespace, root: Path) -> tuple[str, int]:
    """The report of a check, and the exit status."""
    from ridgeline import report as reporting
    from ridgeline.cache import Tried
    from ridgeline.check import check
    from ridgeline.rules import trial

    tried = Tried(root)
    if not options.no_cache:
        tried.load(trial.CLEAN)
    report = check(root)
    if not options.no_cache:
        tried.save(report.tried)
    wanted = wanted_paths(options.paths, root)
    if wanted is not None:
        # A file that no kind reads has a finding and no entry.
        known = {e.document.path for e in report.knowledge.entries.values()} | {f.place.path for f in report.findings}
        unknown = [w for w in wanted if not any(within(p, w) for p in known)]
        if unknown:
            raise UsageError(f"{unknown[0]} holds no record below {root}{_near(unknown[0], known)}")
        report.findings = [f for f in report.findings if any(within(f.place.path, w) for w in wanted)]
        report.figures = [
            f
            for f in report.figures
            if any(within(report.knowledge.entries[f.record].document.path, w) for w in wanted)
        ]
    return reporting.render(report, options.format, figures=options.figures), 0 if report.clean else 1


def wanted_paths(paths: list[Path], root: Path) -> list[str] | None:
    """The given files and folders as paths below the root, or ``None`` for all."""
    if not paths:
        return None
    return [below(path, root) for path in paths]


def within(path: str, wanted: str) -> bool:
    """Whether a record file is one of, or below, a wanted path."""
    return wanted in (path, ".") or path.startswith(wanted.rstrip("/") + "/")


def _near(path: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(path, list(known), 1)
    return f": did you mean {near[0]}?" if near else ""
