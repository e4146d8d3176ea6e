"""The command line: one module a verb, options only. The logic stands in the packages that the verbs call."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from pathlib import Path

#: Verb → one line of help. The module ``ridgeline.cli.VERB`` is imported only when its verb is used.
VERBS: dict[str, str] = {
    "check": "find everything that is wrong with the records",
    "explain": "show how a figure or a quantity came about, down to its sources",
    "get": "print one value of a record",
    "eval": "evaluate an expression of the formula language",
    "scenario": "bound a step of a model on accelerators: time, memory, tokens per second",
    "sweep": "bound a grid of scenarios: every combination of models, accelerators, batches, formats",
    "audit": "check the numbers of a foreign document",
    "numerals": "show how the numerals of a text are read",
    "fix": "mend what a machine can mend: stale numerals, in place",
    "format": "write records in the one layout: order of keys, quotes, indentation",
    "migrate": "rewrite records of an older schema version in the newest one",
    "bind": "propose figure entries for numerals that nothing covers",
    "impact": "show what would change if a value were another",
    "diff": "show what changed between two revisions of the records, and what that moves",
    "new": "write the skeleton of a record",
    "import": "write a model record from a config.json",
    "schema": "write the JSON Schemas of the records",
    "rules": "list the rules, or show one",
    "load": "load the records into a database",
    "query": "run SQL or a named view on the database",
    "export": "write the database as files: JSON, CSV or Parquet",
    "site": "build the site, or serve it",
    "links": "ask whether the documents that sources name are still there (uses the network)",
    "build": "check, load, cross-check and publish: the main job",
}

_USAGE = """usage: ridgeline VERB [OPTIONS]

A reference on accelerators, models and workload classes in which every printed number is recomputed.

verbs:
{verbs}

  ridgeline VERB --help tells about one, with an example. It works on the records below this folder, or below --root.
exit status: 0 clean, 1 findings of level error, 2 wrong usage or unreadable input.
"""


class UsageError(Exception):
    """A call that cannot be carried out: the message says what to type instead. Exit status 2."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # Units and formulas are no ASCII, and every reader of our output expects UTF-8, whatever the locale says.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is left to say, and Python must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write("ridgeline: interrupted\n")
        return 130


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(_USAGE.format(verbs="\n".join(f"  {v:<10}{t}" for v, t in VERBS.items())))
        return 0 if arguments else 2
    if arguments[0] == "--version":
        from ridgeline import __version__

        sys.stdout.write(f"ridgeline {__version__}\n")
        return 0
    verb, rest = arguments[0], arguments[1:]
    if verb not in VERBS:
        sys.stderr.write(f"ridgeline: there is no verb {verb}: {_hint(verb)}\n")
        return 2
    module = importlib.import_module(f"ridgeline.cli.{verb.replace('-', '_')}_")
    parser = argparse.ArgumentParser(
        prog=f"ridgeline {verb}",
        description=VERBS[verb][0].upper() + VERBS[verb][1:] + ".",
        epilog=module.EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--root", type=Path, default=None, help="folder that holds records/ (default: this one or a parent)"
    )
    module.options(parser)
    try:
        options = parser.parse_args(rest)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return int(module.run(options))
    except UsageError as error:
        sys.stderr.write(f"ridgeline {verb}: {error}\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:
            raise
        sys.stderr.write(f"ridgeline {verb}: {error.filename}: {error.strerror}\n")
    return 2


def _hint(verb: str) -> str:
    if verb.startswith("-"):
        return "options stand after the verb, as in ridgeline check --root FOLDER"
    from difflib import get_close_matches

    near = get_close_matches(verb, VERBS, 1)
    return f"did you mean {near[0]}?" if near else f"the verbs are {', '.join(VERBS)}"


def root_of(options: argparse.Namespace) -> Path:
    """The folder that holds ``records/``: the one given, this one, or the nearest parent that has one."""
    if options.root is not None:
        given = Path(options.root)
        if not (given / "records").is_dir():
            raise UsageError(f"{given} holds no records/: name the folder above it with --root")
        return given
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "records").is_dir():
            return folder
    raise UsageError("no records/ in this folder or above it: go there, or name it with --root")
