"""Measure, print one table, write ``build/bench.json``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import ANY_SIZE, CASES, ONCE, REPOSITORY, TARGETS_AT, Context, run
from benchmarks.harness import Row, growth, table
from benchmarks.synthetic import write


def main(argv: list[str] | None = None) -> int:
    options = _options(argv)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="ridgeline-bench-") as folder:
        for size in options.sizes:
            names = [name for name in options.only or CASES if size == options.sizes[0] or name not in ONCE]
            if size > TARGETS_AT:
                names = [name for name in names if name in ANY_SIZE]
            scratch = Path(folder) / f"scratch-{size}"
            scratch.mkdir()
            try:
                base = write(REPOSITORY, Path(folder) / str(size), size)
                context = Context(base, scratch, options.rounds if size <= TARGETS_AT else 1)
            except ValueError as error:
                rows += [Row(name, size, note=str(error)) for name in names]
                continue
            for name in names:
                _progress(f"{name}, {size:,} records")
                rows.append(run(name, context))
                # A run takes minutes: what is measured is kept, should the rest be cut off.
                _write(options, rows)
    _progress("")
    rows.sort(key=lambda row: (list(CASES).index(row.name), row.records))
    print(table(rows))
    print("\n".join(growth(rows)))
    print(
        "\nE: all events of libyaml's parser over the same files. P: python -c pass. Ratios are medians of "
        f"{options.rounds} turns, floor and ours by turns."
    )
    _write(options, rows)
    return int(options.strict and any(row.met is False or row.pair is None for row in rows))


def _write(options: argparse.Namespace, rows: list[Row]) -> None:
    report = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "rounds": options.rounds,
        "rows": [row.as_json() for row in rows],
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    sizes = (100, 1_000, 10_000) if os.environ.get("FULL") else (100, 1_000)
    parser.add_argument(
        "--sizes", type=_sizes, default=sizes, help="records of each base (100,1000; FULL=1: 10000 too)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="turns of each measurement (5)")
    parser.add_argument("--only", action="append", choices=list(CASES), help="a row; may be repeated")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "build" / "bench.json")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed or a row is missing")
    return parser.parse_args(argv)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
