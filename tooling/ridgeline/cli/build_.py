"""``ridgeline build``."""

from __future__ import annotations

import argparse
import sys

from ridgeline.cli import root_of
from ridgeline.cli.database import DATABASE, load_database
from ridgeline.cli.site_ import SITE, bundled

EXAMPLE = """example:
  ridgeline build"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("--base-url", default="/", help="address that the site will have (default: /)")
    parser.add_argument("--repository-url", help="address of the repository, for “edit this record” links")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.check import check
    from ridgeline.records import schema
    from ridgeline.report import render, summary_text

    root = root_of(options)
    report = check(root)
    if not report.clean:
        sys.stdout.write(render(report, "text") + "Next: mend the errors; nothing was loaded or published\n")
        return 1
    stale = schema.stale(root / "schema")
    if stale:
        sys.stdout.write(f"schema/{stale[0]} is out of step with the types. Next: ridgeline schema\n")
        return 1
    loaded = load_database(report, str(root / DATABASE), root)
    from ridgeline.publish.build import build

    site = build(
        root / DATABASE, root / SITE,
        base_url=options.base_url, repository_url=options.repository_url, code=bundled(root), records=root,
    )  # fmt: skip
    sys.stdout.write(f"{summary_text(report)}\n{loaded.summary()}\nsite: {site.pages:,} pages in {site.path}\n")
    return 0 if loaded.agrees else 1
