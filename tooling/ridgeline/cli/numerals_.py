"""``ridgeline numerals``."""

from __future__ import annotations

import argparse
import json
import sys

from ridgeline.cli import UsageError
from ridgeline.cli.files import document

EXAMPLE = """example:
  echo "989.5 TFLOP/s over 3.35 TB/s = 295.4 flop/byte" | ridgeline numerals -"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("file", help="a text file; - is standard input")
    parser.add_argument(
        "--format", choices=("text", "json"), default=None, help="default: text on a terminal, json elsewhere"
    )


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.numbers import read, to_json

    text = _text(options.file)
    found = [to_json(n) for n in read(text)]
    form = options.format or ("text" if sys.stdout.isatty() else "json")
    if form == "json":
        sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    else:
        for row in found:
            what = row.get("error") or f"{row['comparator']} {row['value']} {row['unit'] or ''} {row['interval'] or ''}"
            if row["value"] is None and not row.get("error"):
                what = row.get("rule", "")
            sys.stdout.write(f"{row['at']:>6}  {row['text']:<16} {row['kind']:<14} {what}\n")
    # It shows how a text is read and judges nothing: an unreadable numeral is one of the answers.
    return 0


def _text(name: str) -> str:
    try:
        return document(name).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: byte {error.start} is not UTF-8") from None
