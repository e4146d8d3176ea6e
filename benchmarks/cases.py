"""What is measured: one function a row. A row whose subject is missing says so and stops no other."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import floors, hostile
from benchmarks.harness import Pair, Row, Timed, Unavailable, clock, measure
from benchmarks.synthetic import Base, touched

REPOSITORY = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-c", "import sys; from ridgeline.cli import main; sys.exit(main())"]
TIMES = 1_000
PROSE = 300_000  # characters of prose that are read
SENTENCE = re.compile(r"[^.!?\s][^.!?]*[.!?]+(?=\s|$)|[^.!?\s][^.!?]*$")
HEAD = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
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
#: Rows that are measured on bases of any size; the others stop at the size that has the targets.
ANY_SIZE = ("check, cold", "check, nothing changed", "check, one changed", "check, one source changed")
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
    """An accelerator with another bandwidth: it, its peers where the band moves, and what rests on it."""
    return _changed("check, one changed", context, context.base.some("accelerators"), touched)


@case("check, one source changed")
def source_changed(context: Context) -> Row:
    """A record that nothing computes with, though others cite it."""
    path = context.base.some("sources")
    return _changed("check, one source changed", context, path, lambda text, turn: f"# Turn {turn}.\n{text}")


@case("check, most read changed")
def most_read_changed(context: Context) -> Row:
    """Another bandwidth of the accelerator that most verdicts rest on: the other end, without a target."""
    from ridgeline.kept import Verdicts

    command("check", root=context.base.root, fresh=True)
    rows = Verdicts(context.base.root).load().rows
    readers = Counter(read for row in rows.values() for read in row.reads if read.startswith("accelerators/"))
    path = context.base.root / "records" / f"{max(sorted(readers), key=lambda r: readers[r])}.yaml"
    row = _changed("check, most read changed", context, path, touched)
    return replace(row, limit=None, note=f"{row.note}, {path.stem}")


def _changed(name: str, context: Context, path: Path, edit: Callable[[str, int], str]) -> Row:
    """A check each time after an edit of one record; half of the floors' worth of it is what is imported."""
    original = path.read_text(encoding="utf-8")
    root = context.base.root
    command("check", root=root)
    try:
        pair = measure(
            floors.interpreter,
            lambda: command("check", root=root),
            context.rounds,
            before=lambda turn: path.write_text(edit(original, turn), encoding="utf-8"),
        )
        path.write_text(edit(original, context.rounds + 1), encoding="utf-8")
        examined = _examined(root)
    finally:
        path.write_text(original, encoding="utf-8")
    # Ten thousand files are read and hashed in what is ten starts of the interpreter.
    limit = 40.0 if context.base.records >= 10 * TARGETS_AT else 20.0
    return Row(name, context.base.records, "P", pair, context.limit(limit), note=f"{examined:,} examined again")


def _examined(root: Path) -> int:
    """How many records a check examines now, which then is one that has been made."""
    from ridgeline.incremental import check
    from ridgeline.kept import Verdicts

    report, kept = check(root, Verdicts(root))
    return len(kept.rows) - len(report.unexamined)


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
    """All prose of the base, read and its equations compared; the floor finds runs of digits with one expression."""
    from ridgeline.figures.equations import check, find
    from ridgeline.knowledge.base import load
    from ridgeline.numbers import read

    knowledge = load(context.base.root)
    texts = [item.value for entry in knowledge.entries.values() for item in entry.items if item.what == "prose"]
    texts = texts[:: max(1, sum(map(len, texts)) // PROSE)]
    counts: dict[str, int] = {}

    def ours() -> None:
        found = relations = 0
        for text in texts:
            numerals = read(text, knowledge.names)
            found += len(numerals)
            relations += sum(len(check(equation, numerals)) for equation in find(text, numerals))
        counts.update(numerals=found, relations=relations)

    pair = measure(clock(lambda: floors.digits(texts)), clock(ours), context.rounds)
    each = median(pair.ours) / sum(len(SENTENCE.findall(text)) for text in texts)
    return Row(
        "numerals",
        context.base.records,
        "one regular expression",
        pair,
        rate=f"{1 / each:,.0f} sentences/s",
        rate_limit=">= 2,000 sentences/s",
        rate_met=each <= 1 / 2_000,
        note=f"{counts['numerals']:,} numerals and {counts['relations']:,} relations in {sum(map(len, texts)):,} characters",
    )


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


@case("refusals", once=True)
def refusals(context: Context) -> Row:
    """The dearest of the formulas that strangers could write; the floor is as many additions as a refusal has steps."""
    from ridgeline.formulas import parser
    from ridgeline.formulas.errors import MAX_STEPS

    a, b = Fraction(355, 113), Fraction(22, 7)

    def additions() -> None:
        for _ in range(MAX_STEPS):
            a + b

    def refused(name: str) -> Timed:
        """Each time by a resolver that has kept nothing, made before the clock starts."""

        def timed() -> float:
            resolver = hostile.resolver(name)
            parser.parse.cache_clear()
            return clock(lambda: hostile.ask(name, resolver))()

        return timed

    pairs = {name: measure(clock(additions), refused(name), context.rounds) for name in hostile.CASES}
    dearest = max(pairs, key=lambda name: pairs[name].ratio)
    return Row(
        "refusals",
        context.base.records,
        f"{MAX_STEPS:,} additions of short fractions",
        pairs[dearest],
        2.0,
        rate=f"{median(pairs[dearest].ours) * 1e3:.1f} ms",
        note=f"{len(pairs)} hostile formulas; the dearest: {dearest}",
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
    """The site from a loaded database; the floor converts the Markdown of the same pages, with the same extensions."""
    import yaml

    from ridgeline.check import check
    from ridgeline.publish import build, shell
    from ridgeline.store.load import load

    database, output = context.scratch / "site.db", context.scratch / "site"
    load(check(context.base.root), database)
    texts: list[str] = []
    extensions: list[str] = []
    run = shell.run

    def noting(config: Path, day: str) -> None:
        """Keep what the generator is given, and let it run."""
        settings = yaml.safe_load(config.read_text(encoding="utf-8"))
        pages = sorted(Path(settings["docs_dir"]).rglob("*.md"))
        texts[:] = [HEAD.sub("", page.read_text(encoding="utf-8"), count=1) for page in pages]
        named = [e if isinstance(e, str) else next(iter(e)) for e in settings["markdown_extensions"]]
        extensions[:] = dict.fromkeys(["toc", "tables", "fenced_code", *named])
        run(config, day)

    pages = 0

    def ours() -> float:
        nonlocal pages
        shutil.rmtree(output, ignore_errors=True)
        start = time.perf_counter()
        pages = build.build(database, output).pages
        return time.perf_counter() - start

    shell.run = noting
    try:
        # One turn: a site takes so long that the noise of a start does not matter.
        elapsed = ours()
    finally:
        shell.run = run
    pair = Pair((clock(lambda: floors.convert(texts, extensions, {}))(),), (elapsed,))
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    return Row(
        "site",
        context.base.records,
        "Markdown alone",
        pair,
        context.limit(2.3),
        rate=f"{pages / median(pair.ours):,.0f} pages/s",
        note=f"{pages:,} pages, {len(texts):,} of them Markdown, {size / 1e6:,.0f} MB",
    )
