"""``ridgeline rules``."""

from __future__ import annotations

import argparse
import sys

from ridgeline.cli import UsageError

EXAMPLE = """example:
  ridgeline rules
  ridgeline rules second-route"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("id", nargs="?", help="the id of a rule")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.rules.catalogue import catalogue

    rules = catalogue()
    if options.id is None:
        for rule in rules.values():
            sys.stdout.write(f"{rule.id:<28}{rule.level.value:<9}{rule.title}\n")
        return 0
    if options.id not in rules:
        from difflib import get_close_matches

        near = get_close_matches(options.id, rules, 1)
        raise UsageError(f"there is no rule {options.id}" + (f": did you mean {near[0]}?" if near else ""))
    rule = rules[options.id]
    sys.stdout.write(f"{rule.id} ({rule.level.value})\n\n{rule.title}\n\n{rule.explanation}\n")
    return 0
