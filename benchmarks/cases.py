"""What is measured: one function a row. A row whose subject is missing says so and stops no other."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import floors
from benchmarks.harness import Row, Timed, Unavailable, clock, measure
from benchmarks.synthetic import Base, touched

REPOSITORY = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-c", "import sys; from ridgeline.cli import main; sys.exit(main())"]
TIMES = 1_000
TARGETS_AT = 1_000  # records; below that a ratio is printed without a target


@dataclass(frozen=True)
class Context:
    """A base to measure on, a folder to write to, and how often."""

    base: Base
    scratch: Path
    rounds: int

    def limit(self, value: float) -> float | None:
        return value if self.base.records >= TARGETS_AT else None


Case = Callable[[Context], Row]
CASES: dict[str, Case] = {}
ONCE: set[str] = set()  # rows that no base changes: measured on the first one only


def case(name: str, *, once: bool = False) -> Callable[[Case], Case]:
    def register(function: Case) -> Case:
        CASES[name] = function
        if once:
            ONCE.add(name)
        return function

    return register


def run(name: str, context: Context) -> Row:
    """The row of a case; where its subject is missing or fails, a row that says why."""
    try:
        return CASES[name](context)
    except Unavailable as reason:
        note = str(reason)
    except ImportError as error:
        note = str(error)
    except Exception as error:  # one broken row must not cost the others
        note = f"{type(error).__name__}: {error}".splitlines()[0]
    return Row(name, context.base.records, note=note)


def command(*arguments: str | Path, root: Path, fresh: bool = False) -> float:
    """Seconds of one run of the command. Findings are no failure; wrong usage and crashes are."""
    if fresh:
        shutil.rmtree(root / "build", ignore_errors=True)
    start = time.perf_counter()
    ran = subprocess.run([*COMMAND, *map(str, arguments)], cwd=root, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if ran.returncode > 1 or "Traceback (most recent call last)" in ran.stderr or "ImportError" in ran.stderr:
        raise Unavailable(f"`ridgeline {' '.join(map(str, arguments))}` failed: {_last_line(ran.stderr)}")
    return elapsed


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def child(job: str, root: Path, facts: dict[str, Any]) -> Timed:
    """A job of ``benchmarks.child``, in a new process each time; its facts are kept."""

    def timed() -> float:
        ran = subprocess.run(
            [sys.executable, "-m", "benchmarks.child", job, str(root)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            raise Unavailable(_last_line(ran.stderr))
        result = json.loads(ran.stdout.splitlines()[-1])
        facts.update({job: {key: value for key, value in result.items() if key != "seconds"}})
        return float(result["seconds"])

    return timed


def _numerals(context: Context) -> int:
    """How many numerals the command grades in the base."""
    ran = subprocess.run(
        [*COMMAND, "check", "--format", "json"], cwd=context.base.root, capture_output=True, text=True, check=False
    )
    return int(json.loads(ran.stdout)["summary"]["numerals"])


@case("check, cold")
def check_cold(context: Context) -> Row:
    facts: dict[str, Any] = {}
    root = context.base.root
    pair = measure(
        child("drain", root, facts),
        child("check", root, facts),
        context.rounds,
        before=lambda turn: shutil.rmtree(root / "build", ignore_errors=True),
    )
    numerals = _numerals(context)
    return Row(
        "check, cold", context.base.records, "E", pair, context.limit(3.0), note=f"{numerals:,} numerals", facts=facts
    )


@case("check, nothing changed")
def check_unchanged(context: Context) -> Row:
    command("check", root=context.base.root)
    pair = measure(floors.interpreter, lambda: command("check", root=context.base.root), context.rounds)
    return Row("check, nothing changed", context.base.records, "P", pair, context.limit(6.0))


@case("check, one changed")
def check_changed(context: Context) -> Row:
    path = context.base.some("accelerators")
    original = path.read_text(encoding="utf-8")
    command("check", root=context.base.root)
    try:
        pair = measure(
            floors.interpreter,
            lambda: command("check", root=context.base.root),
            context.rounds,
            before=lambda turn: path.write_text(touched(original, turn), encoding="utf-8"),
        )
    finally:
        path.write_text(original, encoding="utf-8")
    return Row("check, one changed", context.base.records, "P", pair, context.limit(20.0))


@case("load")
def load(context: Context) -> Row:
    """The rows of a whole load, foreign keys, indexes, views and full-text search included; the second computation in
    SQL is left out, and its seconds are a fact of the row."""
    from ridgeline.check import check
    from ridgeline.store.crosscheck import crosscheck
    from ridgeline.store.load import collect, fresh_file, insert_all, write

    database, floor = context.scratch / "load.db", context.scratch / "floor.db"
    collected = collect(check(context.base.root), {})
    with fresh_file(database) as connection:
        write(connection, collected)
        start = time.perf_counter()
        again = crosscheck(connection, collected.tables["derivations"], {})
        facts = {"cross-check": {"seconds": time.perf_counter() - start, "formulas": again.checked}}
    rows = floors.rows_of(database)
    tables = floors.named(database, rows)

    def ours() -> None:
        with fresh_file(database) as connection:
            insert_all(connection, tables)

    pair = measure(clock(lambda: floors.insert(rows, floor)), clock(ours), context.rounds)
    count = sum(len(values) for _, values in rows.values())
    rate = f"{count / median(pair.ours):,.0f} rows/s"
    return Row(
        "load", context.base.records, "sqlite3 executemany", pair, context.limit(2.2), rate=rate,
        note=f"{count:,} rows", facts=facts,
    )  # fmt: skip


@case("numerals")
def numerals(context: Context) -> Row:
    raise Unavailable("ridgeline.numbers has no reader yet")


@case("formulas", once=True)
def formulas(context: Context) -> Row:
    """One formula of a class, its tree kept; the floor is the same arithmetic written out in Python."""
    from ridgeline.formulas.evaluate import evaluate
    from ridgeline.formulas.parser import parse
    from ridgeline.formulas.quantity import Quantity
    from ridgeline.numbers.units import parse_unit

    n_q, n_kv, d_head, length, element = Fraction(64), Fraction(8), Fraction(128), Fraction(8192), Fraction(2)
    tree = parse("2 * n_q * d_head * L^2 / (2 * n_kv * d_head * L * s_kv)")
    scope = {"n_q": Quantity.of(n_q), "n_kv": Quantity.of(n_kv), "d_head": Quantity.of(d_head)}
    scope |= {"L": Quantity.of(length, parse_unit("token")), "s_kv": Quantity.of(element, parse_unit("byte"))}
    expected = n_q / n_kv * length / element
    if evaluate(tree, lambda name: scope[name.text]).value != expected:
        raise Unavailable("the formula has another value than the arithmetic")

    def ours() -> None:
        for _ in range(TIMES):
            evaluate(tree, lambda name: scope[name.text])

    def written_out() -> None:
        for _ in range(TIMES):
            2 * n_q * d_head * length**2 / (2 * n_kv * d_head * length * element)

    pair = measure(clock(written_out), clock(ours), context.rounds)
    each = median(pair.ours) / TIMES
    return Row(
        "formulas",
        context.base.records,
        f"the same in Python, {TIMES:,} times",
        pair,
        rate=f"{each * 1e6:.1f} µs each",
        rate_limit="<= 30 µs",
        rate_met=each <= 30e-6,
    )


@case("--help", once=True)
def help_text(context: Context) -> Row:
    pair = measure(floors.interpreter, lambda: command("--help", root=context.base.root), context.rounds)
    return Row("--help", context.base.records, "P", pair, 4.0)


@case("get")
def get(context: Context) -> Row:
    model = f"models/{context.base.some('models').stem}"
    pair = measure(
        floors.interpreter, lambda: command("get", model, "parameters.total", root=context.base.root), context.rounds
    )
    return Row("get", context.base.records, "P", pair, context.limit(15.0))


@case("site")
def site(context: Context) -> Row:
    output = context.scratch / "site"

    def build() -> float:
        shutil.rmtree(output, ignore_errors=True)
        return command("site", "build", "--output", output, root=context.base.root)

    build()
    raise Unavailable("the Markdown of its pages is not found yet")
