"""``ridgeline audit``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.files import document

EXAMPLE = """example:
  echo "844.4 TFLOP against 281.5 TFLOP, 6x as many" | ridgeline audit -
  ridgeline audit article.html --claims article.claims.yaml --format json"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("document", help="a Markdown, HTML or plain-text file; - is standard input")
    parser.add_argument(
        "--claims",
        type=Path,
        default=None,
        metavar="FILE",
        help="what the numerals are: subjects and figures, as in records",
    )
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text")
    parser.add_argument("--all", action="store_true", help="as text: list every numeral, the undecided ones too")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.audit.audit import audit
    from ridgeline.audit.blocks import Unreadable
    from ridgeline.audit.faces import render

    source = document(options.document)
    name = "stdin" if options.document == "-" else options.document
    try:
        found = audit(name, source, _root(options), options.claims)
    except Unreadable as error:
        raise UsageError(f"{name} {error}") from None
    sys.stdout.write(render(found, options.format, everything=options.all))
    return 0 if found.clean else 1


def _root(options: argparse.Namespace) -> Path | None:
    """The records to compare with; outside a knowledge base only the arithmetic is judged."""
    try:
        return root_of(options)
    except UsageError:
        if options.root is not None or options.claims is not None:
            raise
        return None
