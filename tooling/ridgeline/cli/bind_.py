"""``ridgeline bind``."""

from __future__ import annotations

import argparse
import sys

from ridgeline.cli import UsageError, root_of

EXAMPLE = """example:
  ridgeline bind classes/prefill-attention
  ridgeline bind classes/prefill-attention --write     add the proposals to the record, each with a todo: line"""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("record", help="the record: FOLDER/ID, its file, or an id that stands once")
    parser.add_argument("--write", action="store_true", help="add the best proposal for each numeral to the record")


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.check import check
    from ridgeline.proposals import insert, propose
    from ridgeline.text.splice import write

    root = root_of(options)
    report = check(root)
    wanted = options.record.removeprefix("records/").removesuffix(".yaml")
    hits = [r for r in report.knowledge.entries if wanted in (r, r.partition("/")[2])]
    entry = report.knowledge.get(hits[0]) if len(hits) == 1 else None
    if entry is None:
        raise UsageError(f"{options.record} is {'no readable record' if len(hits) < 2 else ' or '.join(hits)}")
    found = propose(report, entry)
    if not found:
        sys.stdout.write(
            "no uncovered numeral with three digits or more agrees with a quantity of this record's subjects\n"
        )
        return 0
    body = "".join(proposals[0].as_yaml(len(proposals) - 1) for proposals in found)
    if options.write:
        write(root / entry.document.path, insert(entry.document.source, entry, body))
        sys.stdout.write(
            f"added {len(found)} entries to {entry.document.path}; each fails until its todo: is deleted\n"
        )
        return 0
    for proposals in found:
        for proposal in proposals:
            sys.stdout.write(proposal.as_yaml(0) if len(proposals) == 1 else proposal.as_yaml(len(proposals) - 1))
        sys.stdout.write("\n")
    return 0
