"""``ridgeline sweep``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

from ridgeline.cli import UsageError, root_of

if TYPE_CHECKING:
    from ridgeline.scenario.sweep import Point

EXAMPLE = """Every option takes several values, parted by commas; the table has a row for each combination. Whole numbers can be
ranges: 1024..131072*2 doubles, 1..9+2 adds two, 1..4 adds one. What the options mean: ridgeline scenario --help.

example:
  ridgeline sweep llama-3.1-70b nvidia-h100-sxm,nvidia-h200-sxm --count 8 --batch 1,8,64 --context 1024..131072*2
  ridgeline sweep llama-3.1-8b nvidia-l4 --context 4096 --weights bf16,fp8,int4 --batch 1..256*4 --format csv"""

_WHOLE = ("context", "batch", "count", "tensor", "pipeline", "expert", "data", "micro_batch")
_WORDS = ("phase", "weights", "experts", "activations", "cache", "compute", "reserve", "link_rate", "recompute", "shard",
          "gradients")  # fmt: skip
#: Seconds after which somebody at a terminal is told how far it is, and between two times.
_QUIET, _AGAIN = 1.0, 0.2


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("model", help="the models' records")
    parser.add_argument("accelerator", help="the accelerators' records")
    for name in (*_WHOLE, *_WORDS):
        parser.add_argument(f"--{name.replace('_', '-')}", metavar="N,…" if name in _WHOLE else "WORD,…",
                            required=name == "context")  # fmt: skip
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text", help="json has exact values")


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 0 where some point can be, wrong usage where none can."""
    import json

    from ridgeline.lookup import Lookup
    from ridgeline.scenario import ScenarioError, listing
    from ridgeline.scenario.sweep import grid, sweep

    try:
        asked = grid(_axes(options))
    except ScenarioError as error:
        raise UsageError(str(error)) from None
    refused: list[str] = []
    points = _told(_noted(sweep(Lookup(root_of(options)), asked.settings), refused), len(asked.settings))
    if options.format == "csv":
        written = "".join(listing.as_csv(asked, points))
    elif options.format == "json":
        written = json.dumps(listing.as_dict(asked, points), indent=1, ensure_ascii=False) + "\n"
    else:
        written = listing.text(asked, points)
    if len(refused) == len(asked.settings):
        raise UsageError(refused[0])
    sys.stdout.write(written)
    return 0


def _noted(points: Iterable[Point], refused: list[str]) -> Iterator[Point]:
    """The points; what is wrong with those that cannot be is noted."""
    for point in points:
        if point.outcome is None:
            refused.append(point.refused)
        yield point


def _axes(options: argparse.Namespace) -> dict[str, tuple[str | int, ...]]:
    """What was given, as the values of each axis."""
    from ridgeline.scenario.sweep import numbers

    axes: dict[str, tuple[str | int, ...]] = {"phase": ("decode",)}
    for name in ("model", "accelerator", *_WHOLE, *_WORDS):
        text: str | None = getattr(options, name)
        if text is not None:
            axes[name] = numbers(text) if name in _WHOLE else tuple(word.strip() for word in text.split(","))
    return axes


def _told(points: Iterable[Point], total: int) -> Iterator[Point]:
    """The points as they come; somebody at a terminal is told how many there are already."""
    if not sys.stderr.isatty():
        yield from points
        return
    started = last = monotonic()
    for done, point in enumerate(points, 1):
        now = monotonic()
        if now - started > _QUIET and now - last > _AGAIN:
            last = now
            sys.stderr.write(f"\r{done:,} of {total:,} scenarios")
            sys.stderr.flush()
        yield point
    if last > started:
        # The line goes before the table comes.
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
