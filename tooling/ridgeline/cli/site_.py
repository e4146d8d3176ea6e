"""``ridgeline site``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.database import DATABASE, load_database

if TYPE_CHECKING:
    from ridgeline.publish.watch import Watch

EXAMPLE = """example:
  ridgeline site build
  ridgeline site serve --port 8000
  ridgeline site serve --watch"""

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
    parser.add_argument(
        "--watch",
        action="store_true",
        help="with serve: build the site first, and anew whenever the records or its own sources change",
    )


def bundled(root: Path) -> Path | None:
    """The folder of the bundled browser code, if `make code` has made it."""
    folder = root / CODE
    return folder if folder.is_dir() else None


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    root = root_of(options)
    output = options.output or root / SITE
    if options.watch and (options.action != "serve" or options.database is not None):
        raise UsageError("--watch goes with serve, and makes the database itself: ridgeline site serve --watch")
    if options.action == "serve":
        from ridgeline.publish.serve import serve, watch

        if options.watch:
            watch(output, options.port, watching(options, root, output).step)
            return 0
        if not (output / "index.html").is_file():
            raise UsageError(f"there is no site in {output}: run ridgeline site build first")
        serve(output, options.port)
        return 0
    made, told = build_site(options, root, output)
    sys.stdout.write(told)
    return int(not made)


def build_site(options: argparse.Namespace, root: Path, output: Path) -> tuple[bool, str]:
    """Check, load and build: whether there is a new site, and what to say."""
    database = options.database
    if database is None:
        from ridgeline.check import check
        from ridgeline.report import render

        report = check(root)
        if not report.clean:
            return False, render(report, "text") + "Next: mend the errors; no site was built\n"
        database = root / DATABASE
        load_database(report, str(database), root)
    elif not database.is_file():
        raise UsageError(f"there is no database {database}")
    from ridgeline.publish.build import build

    code = options.code or bundled(root)
    result = build(
        database, output, base_url=options.base_url, repository_url=options.repository_url, code=code,
        records=root if options.database is None else None,
    )  # fmt: skip
    told = f"{result.pages:,} pages in {result.path}\n"
    if code is None:
        told += "Without their live parts: bundle the browser code with `make code` and build again\n"
    return True, told


def watching(options: argparse.Namespace, root: Path, output: Path) -> Watch:
    """What looks at the records and the site's own sources, and makes the site anew where they change."""
    from ridgeline.publish.build import SITE as SOURCES
    from ridgeline.publish.watch import Watch
    from ridgeline.text.beside import NAMES

    own = (SOURCES / name for name in ("mkdocs.yml", "pages", "assets", "overrides"))
    paths = (root / "records", *(root / name for name in NAMES), *own, options.code or root / CODE)
    return Watch(paths, lambda: rebuilt(options, root, output), _say)


def rebuilt(options: argparse.Namespace, root: Path, output: Path) -> tuple[bool, str]:
    """Make the site anew, where the records allow it; the findings come first, from what was kept of the last check."""
    from ridgeline.export.errors import ExportError
    from ridgeline.incremental import check
    from ridgeline.kept import Verdicts
    from ridgeline.publish.build import BuildError
    from ridgeline.publish.database import DatabaseError
    from ridgeline.publish.search import SearchError
    from ridgeline.publish.shell import ShellError
    from ridgeline.report import render

    last = "the last good site stays" if (output / "index.html").is_file() else "there is no site yet"
    report, _ = check(root, Verdicts(root))
    text = render(report, "text")
    if not report.clean:
        return False, f"{text}Not built: mend the errors; {last}\n"
    _say(text + "building…\n")
    try:
        made, told = build_site(options, root, output)
    except (BuildError, DatabaseError, ExportError, SearchError, ShellError, UsageError, OSError) as error:
        return False, f"Not built: {error}; {last}\n"
    return made, told + ("Built: reload the page in the browser\n" if made else "")


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
