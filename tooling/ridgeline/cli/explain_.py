"""``ridgeline explain``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.files import below
from ridgeline.cli.values import add_format, settings

if TYPE_CHECKING:
    from ridgeline.check import Report
    from ridgeline.figures.conclusion import Conclusion
    from ridgeline.figures.figure import FigureResult

EXAMPLE = """example:
  ridgeline explain records/classes/prefill-attention.yaml:60        every figure of a line
  ridgeline explain records/classes/prefill-attention.yaml:60:41     the figure at a place
  ridgeline explain accelerators/nvidia-h100-sxm ridge.bf16          a quantity of a record"""

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$")


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("place", help="FILE:LINE[:COLUMN], or a record")
    parser.add_argument("field", nargs="?", help="with a record: a name of the formula language or a path in the file")
    parser.add_argument(
        "--with", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="set a symbol"
    )
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    if options.field is not None:
        return _quantity(options)
    match = _PLACE.match(options.place)
    if match is None:
        raise UsageError(f"{options.place}: write FILE:LINE[:COLUMN], or a record and one of its fields")
    from ridgeline.check import check
    from ridgeline.explanation import explain_conclusion, explain_figure
    from ridgeline.report import conclusion_as_dict, figure_as_dict

    root = root_of(options)
    report = check(root)
    path = below(Path(match["path"]), root)
    if path not in {e.document.path for e in report.knowledge.entries.values()}:
        raise UsageError(f"{path} is no record below {root}")
    line, column = int(match["line"]), int(match["column"]) if match["column"] else None
    found = figures_at(report, path, line, column)
    claims = conclusions_at(report, path, line, column)
    if not found and not claims:
        raise UsageError(
            f"no numeral stands at {options.place}: give the line of one (see check --format json --figures)"
        )
    if options.format == "json":
        told = [figure_as_dict(report, f) for f in found] + [conclusion_as_dict(report, c) for c in claims]
        sys.stdout.write(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    else:
        trees = [explain_figure(report, f) for f in found] + [explain_conclusion(report, c) for c in claims]
        sys.stdout.write("\n".join(trees))
    return 0


def conclusions_at(report: Report, path: str, line: int, column: int | None) -> list[Conclusion]:
    """What the words that begin in a line conclude; with a column, the words that cover it."""
    found = []
    for conclusion in report.conclusions:
        document = report.knowledge.entries[conclusion.record].document
        if document.path != path:
            continue
        place = document.place(conclusion.path, at=conclusion.at, length=conclusion.length)
        if place.line == line and (column is None or place.column <= column < place.column + conclusion.length):
            found.append(conclusion)
    return found


def figures_at(report: Report, path: str, line: int, column: int | None) -> list[FigureResult]:
    """The figures of a line, or the one whose text covers a column (else the nearest of the line)."""
    placed = []
    for figure in report.figures:
        document = report.knowledge.entries[figure.record].document
        if document.path == path:
            place = document.place(figure.path, at=figure.numeral.at)
            if place.line == line:
                placed.append((place.column, figure))
    if column is None:
        return [f for _, f in placed]
    covering = [f for start, f in placed if start <= column < start + len(f.numeral.text)]
    if covering or not placed:
        return covering
    return [min(placed, key=lambda p: abs(p[0] - column))[1]]


def _quantity(options: argparse.Namespace) -> int:
    from ridgeline.explanation import explain
    from ridgeline.formulas.errors import FormulaError
    from ridgeline.lookup import Lookup, NotFound
    from ridgeline.report import value_as_dict

    lookup = Lookup(root_of(options))
    try:
        derivation = lookup.get(options.place, options.field, settings(options))
    except NotFound as error:
        raise UsageError(str(error)) from None
    except FormulaError as error:
        sys.stderr.write(f"ridgeline: {error}\n")
        return 1
    if options.format == "json":
        sys.stdout.write(json.dumps(value_as_dict(derivation), indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(explain(derivation)) + "\n")
    return 0
