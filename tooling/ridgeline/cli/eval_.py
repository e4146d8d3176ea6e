"""``ridgeline eval``."""

from __future__ import annotations

import argparse

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.values import add_format, print_value, settings

EXAMPLE = """example:
  ridgeline eval "L_ridge(h100, bf16, g=4)" --class prefill-attention --subject h100=accelerators/nvidia-h100-sxm"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("expression", help="an expression of the formula language")
    parser.add_argument("--class", dest="workload", metavar="ID", help="bring the formulas of a class into scope")
    parser.add_argument(
        "--subject",
        dest="subjects",
        action="append",
        default=[],
        metavar="ALIAS=RECORD",
        help="call a record by a short name in the expression",
    )
    parser.add_argument(
        "--with", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="set a symbol"
    )
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.lookup import Lookup

    lookup = Lookup(root_of(options))
    subjects = {}
    for text in options.subjects:
        alias, equals, reference = text.partition("=")
        if not equals or not alias.isidentifier():
            raise UsageError(f"--subject {text}: write ALIAS=FOLDER/ID, the alias in letters, digits and underscores")
        subjects[alias] = reference
    return print_value(
        lookup, lambda: lookup.evaluate(options.expression, options.workload, subjects, settings(options)), options
    )
