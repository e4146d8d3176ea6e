"""``ridgeline import``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ridgeline.cli import UsageError

EXAMPLE = """example:
  ridgeline import config.json --id llama-3.1-8b --source hf-llama-3.1-8b-config --total 8030261248
  ridgeline import config.json --output records/models/llama-3.1-8b.yaml
  ridgeline check records/models/llama-3.1-8b.yaml      lists what is to be filled in

What the config states and this verb does not map is said on standard error, with the path of each key."""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("config", help="a config.json as released; - is standard input")
    parser.add_argument("--id", help="id of the record (default: the name of the output file)")
    parser.add_argument("--source", metavar="ID", help="id of the source record of the config file")
    parser.add_argument("--total", type=int, metavar="N", help="parameters of the published checkpoint")
    parser.add_argument(
        "--output", default="-", metavar="FILE", help="where to write the record (default: -, standard output)"
    )


def run(options: argparse.Namespace) -> int:
    """Run the verb."""
    from ridgeline.importing import config as configs
    from ridgeline.importing.count import parameters
    from ridgeline.importing.record import ScaffoldError, text
    from ridgeline.importing.registry import draft

    target = None if options.output == "-" else Path(options.output)
    identifier = options.id or (target.stem if target is not None else "fill-in")
    if target is not None and target.exists():
        raise UsageError(f"{target} exists already: edit it, or choose another file")
    if options.total is not None and options.total < 1:
        raise UsageError(f"--total {options.total}: a checkpoint has at least one parameter")
    with_name = options.config if options.config != "-" else "<standard input>"
    try:
        source = sys.stdin.buffer.read(configs.MAX_BYTES + 1) if options.config == "-" else _bytes(Path(options.config))
        config = configs.read(source)
        model = draft(config)
        record = text(model, identifier, source=options.source, total=options.total)
        counted, extras = parameters(model)
    except (configs.ConfigError, ScaffoldError, ValueError) as error:
        raise UsageError(f"{with_name}: {error}") from None
    unmapped = [*(r for r in config.remarks if not r.mapped), *config.unmapped()]
    for remark in (*(r for r in config.remarks if r.mapped), *unmapped):
        sys.stderr.write(f"{with_name}: {'note' if remark.mapped else 'warning'}: {remark.path}: {remark.message}\n")
    sys.stderr.write(_summary(counted, extras, options.total, len(unmapped)))
    if target is None:
        sys.stdout.write(record)
        return 0
    target.write_text(record, encoding="utf-8")
    sys.stdout.write(f"wrote {target}\nNext: fill in what says FILL-IN, then ridgeline check {target}\n")
    return 0


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        from ridgeline.importing.config import MAX_BYTES

        return file.read(MAX_BYTES + 1)


def _summary(counted: int, extras: int, total: int | None, unmapped: int) -> str:
    """What came out, in a few lines."""
    lines = [f"counted: {counted:,} parameters" + (f", and {extras:,} in extras" if extras else "")]
    if total is not None:
        difference = total - counted - extras
        lines.append(
            "the published total agrees" if not difference
            else f"the published total is {difference:+,} from that: explain it in checkpoint.ledger, or correct the shape"
        )  # fmt: skip
    if unmapped:
        lines.append(f"{unmapped} {'key was' if unmapped == 1 else 'keys were'} not mapped: see above")
    return "\n".join(lines) + "\n"
