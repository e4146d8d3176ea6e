"""What ``get``, ``eval`` and ``explain`` share: options, and how a value is printed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError

if TYPE_CHECKING:
    from ridgeline.knowledge.derivation import Derivation
    from ridgeline.lookup import Lookup


def add_format(parser: argparse.ArgumentParser) -> None:
    """The option ``--format``."""
    parser.add_argument("--format", choices=("text", "json"), default="text")


def settings(options: argparse.Namespace) -> dict[str, str]:
    """``--with NAME=VALUE`` as a mapping."""
    found = {}
    for text in options.settings:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise UsageError(f"--with {text}: write NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def print_value(lookup: Lookup, work: Callable[[], Derivation], options: argparse.Namespace) -> int:
    """Print a derivation, or what stands in its way. Exit status 1 where it cannot be computed."""
    from ridgeline.formulas.errors import FormulaError
    from ridgeline.lookup import NotFound
    from ridgeline.report import value_as_dict

    try:
        derivation = work()
    except NotFound as error:
        raise UsageError(str(error)) from None
    except FormulaError as error:
        text = getattr(options, "expression", "")
        sys.stderr.write(f"ridgeline: {error}\n")
        if text and error.placed:
            sys.stderr.write(f"    {text}\n    {' ' * error.start}{'^' * max(1, error.end - error.start)}\n")
        return 1
    if options.format == "json":
        sys.stdout.write(json.dumps(value_as_dict(derivation), indent=1, ensure_ascii=False) + "\n")
        return 0
    sys.stdout.write(_text(derivation))
    return 0


def _text(derivation: Derivation) -> str:
    from ridgeline.report import value_as_dict

    value = value_as_dict(derivation)
    number, _, unit = value["printed"].partition(" ")
    short = f"{rounded(number)} {unit}".rstrip()
    lines = [short]
    if short != value["printed"]:
        lines.append(f"  more digits: {value['printed']}")
    lines.append(f"  exact: {value['value']} {value['unit']}")
    for row in value["inputs"]:
        source = f"  ({row['source']}{', ' + row['at'] if row['at'] else ''})" if row["source"] else ""
        lines.append(f"  from {row['name']} = {row['printed']}{source}")
    return "\n".join(lines) + "\n"


def rounded(number: str) -> str:
    """A printed decimal at four significant digits, as people quote it; an integer, and a short decimal, as it is."""
    from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

    try:
        value = Decimal(number)
    except InvalidOperation:
        return number
    if "." not in number or "e" in number:
        return number
    places = max(0, 3 - value.adjusted())
    digits = len(number.partition(".")[2])
    return number if digits <= places else str(value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))
