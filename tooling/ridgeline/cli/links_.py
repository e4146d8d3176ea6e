"""``ridgeline links``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ridgeline.cli import UsageError, root_of

EXAMPLE = """example:
  ridgeline links --report build/links.md
  ridgeline links --seconds 600

The only verb that uses the network. Exit status 0 whatever the pages answer."""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report as Markdown")
    parser.add_argument("--issue", metavar="OWNER/NAME", help="open or update the one issue there (GITHUB_TOKEN)")
    parser.add_argument("--seconds", type=float, default=3_600.0, help="stop asking after so long (default: 3600)")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two requests to one host")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds to wait for an answer")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.links.report import links, markdown, summary, visited
    from ridgeline.links.visit import State, Visitor

    token = os.environ.get("GITHUB_TOKEN", "")
    if options.issue is not None and not token:
        raise UsageError("--issue needs a token in GITHUB_TOKEN")
    report = visited(links(root_of(options)), Visitor(options.timeout, pause=options.pause), options.seconds)
    for link, visit in report.visits:
        if visit.state is not State.OK:
            shown = f"{visit.state}: {link.address} ({visit.why}) {visit.target}".rstrip()
            sys.stdout.write("".join(c for c in shown if c.isprintable()) + f"; {', '.join(link.records)}\n")
    sys.stdout.write(summary(report) + "\n")
    if options.report is not None:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(markdown(report), encoding="utf-8")
    if options.issue is not None:
        from ridgeline.links.issue import tell
        from ridgeline.reviewing.github import ADDRESS, Rest

        said = tell(report, Rest(token, os.environ.get("GITHUB_API_URL", ADDRESS)), options.issue)
        sys.stdout.write(f"issue: {said}\n")
    return 0
