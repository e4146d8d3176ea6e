"""``ridgeline get``."""

from __future__ import annotations

import argparse

from ridgeline.cli import root_of
from ridgeline.cli.values import add_format, print_value, settings

EXAMPLE = """example:
  ridgeline get accelerators/nvidia-h100-sxm ridge.bf16
  ridgeline get models/llama-2-70b kv_bytes_per_token --with "cache_element=1 byte\""""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("record", help="the record: FOLDER/ID, or an id that stands once")
    parser.add_argument("field", help="a name of the formula language (ridge.bf16) or a path in the file")
    parser.add_argument(
        "--with",
        dest="settings",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a symbol, or put a format into scope: format=fp8",
    )
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.lookup import Lookup

    lookup = Lookup(root_of(options))
    return print_value(lookup, lambda: lookup.get(options.record, options.field, settings(options)), options)
