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
  ridgeline diff v1.2.0 --release                         raise the edition, and write the changelog

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
        "--release",
        action="store_true",
        help="write the edition that is due since BASE: EDITION, CITATION.cff and a section of CHANGELOG.md",
    )
    parser.add_argument(
        "--released",
        action="store_true",
        help="fail unless the edition is raised as is due and the changelog tells of it",
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
    if (options.release or options.released) and (options.head is not None or options.release is options.released):
        raise UsageError("--release and --released are about the working tree: name BASE alone, and one of them")
    try:
        if options.edition is not None:
            Edition("none", ()).after(options.edition)
        base, head = (side(name, lambda: root_of(options)) for name in (options.base, options.head))
        found = difference(base, head)
    except (RevisionError, EditionError) as error:
        raise UsageError(str(error)) from None
    if options.release:
        return _release(found, root_of(options))
    if options.released:
        _ready(found, root_of(options))
    sys.stdout.write(_rendered(found, options))
    return 0 if found.clean else 1


def _release(found: Difference, root: Path) -> int:
    """Write a release. Nothing is written where the rules are broken."""
    from ridgeline.difference.edition import EditionError
    from ridgeline.difference.release import write
    from ridgeline.findings import faces
    from ridgeline.text.beside import today

    broken = [f for f in (*found.rules, *found.new) if f.fails and f.rule != "edition-not-raised"]
    if broken:
        sys.stderr.write(faces.text(broken, lambda path, line: ""))
        sys.stderr.write("nothing is released: mend these first\n")
        return 1
    try:
        made = write(found, root, today())
    except EditionError as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(f"edition {made.number}: {', '.join(made.files)}\n")
    return 0


def _ready(found: Difference, root: Path) -> None:
    """Add what keeps the working tree from being released to the rules that it breaks."""
    from ridgeline.difference.release import CHANGELOG, unready

    path = root / CHANGELOG
    told = unready(found, path.read_text(encoding="utf-8") if path.is_file() else "")
    found.rules = [f for f in found.rules if f.rule != "edition-not-raised"] + told


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
