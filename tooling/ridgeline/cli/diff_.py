"""``ridgeline diff``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError, root_of

if TYPE_CHECKING:
    from ridgeline.difference.difference import Difference

EXAMPLE = """example:
  ridgeline diff main                                     the working tree against a branch
  ridgeline diff v1.2 HEAD --format json                  two revisions
  ridgeline diff ../before                                the working tree against a folder that holds records/
  ridgeline diff main --format markdown --overflow build/diff.md

exit status: 1 where the rules of revision and history are broken, or the head has errors that the base has not."""

_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:/_~%-]+")


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("base", help="a git revision, or a folder that holds records/")
    parser.add_argument("head", nargs="?", help="the same (default: the working tree)")
    parser.add_argument("--format", choices=("text", "json", "markdown", "github"), default="text")
    parser.add_argument(
        "--overflow",
        type=Path,
        metavar="FILE",
        help="with --format markdown: the whole, where it does not fit a comment",
    )
    parser.add_argument(
        "--edition", metavar="X.Y.Z", help="the data edition of BASE: the number that follows is printed"
    )
    parser.add_argument(
        "--site", metavar="URL", help="with --format markdown: address of the site, for links to its pages"
    )


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 0 where nothing is worse than before."""
    from ridgeline.difference.difference import difference
    from ridgeline.difference.edition import Edition, EditionError
    from ridgeline.difference.revisions import RevisionError, side

    if options.overflow is not None and options.format != "markdown":
        raise UsageError("--overflow belongs to --format markdown")
    if options.site is not None and not _ADDRESS.fullmatch(options.site):
        raise UsageError(f"--site {options.site}: write an address, https://example.org/ridgeline")
    try:
        if options.edition is not None:
            Edition("none", ()).after(options.edition)
        base, head = (side(name, lambda: root_of(options)) for name in (options.base, options.head))
        found = difference(base, head)
    except (RevisionError, EditionError) as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(_rendered(found, options))
    return 0 if found.clean else 1


def _rendered(found: Difference, options: argparse.Namespace) -> str:
    """The difference in the format that is asked for; what does not fit a comment is written to its file."""
    if options.format == "json":
        from ridgeline.difference.data import as_dict

        return json.dumps(as_dict(found, options.edition), indent=1, ensure_ascii=False) + "\n"
    if options.format == "github":
        from ridgeline.findings import faces

        return faces.github([*found.rules, *found.new])
    if options.format == "text":
        from ridgeline.difference.plain import text

        return text(found, options.edition)
    from ridgeline.difference.comment import comment

    overflow: Path | None = options.overflow
    said = comment(
        found, number=options.edition, site=options.site, overflow=overflow.name if overflow is not None else None
    )
    if said.whole is not None and overflow is not None:
        overflow.parent.mkdir(parents=True, exist_ok=True)
        overflow.write_text(said.whole, encoding="utf-8")
    return said.text
