"""``ridgeline check``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.files import below

if TYPE_CHECKING:
    from ridgeline.check import Report
    from ridgeline.kept import Kept

EXAMPLE = """example:
  ridgeline check
  ridgeline check records/accelerators/nvidia-h100-sxm.yaml --format json
  ridgeline check --since origin/main"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("paths", nargs="*", type=Path, help="report on these files or folders only (all are read)")
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text")
    parser.add_argument("--figures", action="store_true", help="with --format json: list every numeral with its status")
    parser.add_argument(
        "--lower-ceilings", action="store_true", help="instead: lower the numbers of ceilings.yaml to what there is"
    )
    parser.add_argument(
        "--since",
        metavar="REV",
        help="report only on records that changed since a git revision, and on those that rest on them",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="examine all records, and neither use nor keep verdicts"
    )


def run(options: argparse.Namespace) -> int:
    """Run the verb. A report of all records is kept, and printed again while nothing changes."""
    root = root_of(options)
    if options.lower_ceilings:
        return lower_ceilings(root, options)
    if options.paths or options.no_cache or options.since:
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
    import gc

    # Half of a check of one changed record is imports, and nothing that an import makes is ever garbage.
    gc.disable()
    from ridgeline import report as reporting
    from ridgeline.text.beside import contents

    import_module("ridgeline.incremental")
    gc.enable()
    report, rows = _report(options, root)
    if options.since:
        _only_since(options.since, root, report, rows)
    wanted = wanted_paths(options.paths, root)
    if wanted is not None:
        # A file that no kind reads has a finding and no entry.
        known = {record_path(r) for r in report.knowledge.entries} | {f.place.path for f in report.findings}
        known |= contents(root).keys()
        unknown = [w for w in wanted if not any(within(p, w) for p in known)]
        if unknown:
            raise UsageError(f"{unknown[0]} holds no record below {root}{_near(unknown[0], known)}")
        report.keep(lambda path: any(within(path, w) for w in wanted))
    return reporting.render(report, options.format, figures=options.figures), 0 if report.clean else 1


def _report(options: argparse.Namespace, root: Path) -> tuple[Report, Kept]:
    """The report, with nothing examined that has been before and has not changed since; with all, where that is asked."""
    from ridgeline.cache import Tried
    from ridgeline.incremental import check
    from ridgeline.kept import Kept, NoVerdicts, Verdicts
    from ridgeline.rules import trial

    if options.no_cache and not options.since:
        from ridgeline.check import check as whole

        return whole(root), Kept()
    if options.no_cache:
        return check(root, NoVerdicts(root), figures=options.figures)
    tried = Tried(root)
    tried.load(trial.CLEAN)
    report, rows = check(root, Verdicts(root), figures=options.figures)
    tried.save(report.tried)
    return report, rows


def _only_since(name: str, root: Path, report: Report, rows: Kept) -> None:
    """Leave out of a report what a revision says nothing new about, and say how much is left."""
    from ridgeline.difference.revisions import RevisionError
    from ridgeline.since import since

    try:
        left = since(name, root, rows)
    except RevisionError as error:
        raise UsageError(str(error)) from None
    records = {record_path(reference) for reference in report.knowledge.entries}
    # What is said of the files beside the records, and of strays, is said of all.
    report.keep(lambda path: path in left.paths or path not in records)
    sys.stderr.write(
        f"{left.examined:,} of {left.records:,} records: those that changed since {name}, and those whose verdicts rest on "
        "them\n"
    )


def record_path(reference: str) -> str:
    """The path of a record's file below the root."""
    return f"records/{reference}.yaml"


def lower_ceilings(root: Path, options: argparse.Namespace) -> int:
    """Lower the ceilings and say which; 1 where one is still exceeded."""
    from ridgeline.check import check
    from ridgeline.findings import faces
    from ridgeline.rules.ceilings import NotLowered, lower

    if options.paths or options.figures or options.since or options.format != "text":
        raise UsageError("--lower-ceilings counts all records and prints no report: give it alone")
    report = check(root)
    try:
        lowered = lower(report, root)
    except NotLowered as error:
        raise UsageError(str(error)) from None
    for name, old, new in lowered:
        sys.stdout.write(f"{name}: {old:,} → {new:,}\n")
    if not lowered:
        sys.stdout.write("no ceiling is higher than what there is\n")
    exceeded = [f for f in report.findings if f.rule == "ceiling-exceeded"]
    sys.stdout.write(faces.text(exceeded, lambda path, line: ""))
    return 1 if exceeded else 0


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
