"""``ridgeline site``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.database import DATABASE, load_database

EXAMPLE = """example:
  ridgeline site build
  ridgeline site serve --port 8000"""

SITE = "build/site"
#: Where `make code` bundles the browser code.
CODE = "build/site-code"


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("action", choices=("build", "serve"))
    parser.add_argument(
        "--database", type=Path, help=f"database to write the site from (default: {DATABASE}, loaded anew)"
    )
    parser.add_argument("--output", type=Path, help=f"folder of the site (default: {SITE} below the root)")
    parser.add_argument("--base-url", default="/", help="address that the site will have (default: /)")
    parser.add_argument("--repository-url", help="address of the repository, for “edit this record” links")
    parser.add_argument(
        "--code",
        type=Path,
        metavar="FOLDER",
        help=f"bundled browser code (default: {CODE} below the root, where it is)",
    )
    parser.add_argument("--port", type=int, default=8000, help="with serve: the port (default: 8000)")


def bundled(root: Path) -> Path | None:
    """The folder of the bundled browser code, if `make code` has made it."""
    folder = root / CODE
    return folder if folder.is_dir() else None


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    root = root_of(options)
    output = options.output or root / SITE
    if options.action == "serve":
        from ridgeline.publish.serve import serve

        if not (output / "index.html").is_file():
            raise UsageError(f"there is no site in {output}: run ridgeline site build first")
        serve(output, options.port)
        return 0
    database = options.database
    if database is None:
        from ridgeline.check import check
        from ridgeline.report import render

        report = check(root)
        if not report.clean:
            sys.stdout.write(render(report, "text") + "Next: mend the errors; no site was built\n")
            return 1
        database = root / DATABASE
        load_database(report, str(database), root)
    elif not database.is_file():
        raise UsageError(f"there is no database {database}")
    from ridgeline.publish.build import build

    code = options.code or bundled(root)
    result = build(database, output, base_url=options.base_url, repository_url=options.repository_url, code=code)
    sys.stdout.write(f"{result.pages:,} pages in {result.path}\n")
    if code is None:
        sys.stdout.write("Without their live parts: bundle the browser code with `make code` and build again\n")
    return 0
