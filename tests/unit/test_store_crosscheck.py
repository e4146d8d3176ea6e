"""The second computation in SQL: it agrees, it notices, and it says what SQL cannot say."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.check import Report, check
from ridgeline.formulas.parser import parse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Node
from ridgeline.knowledge.derivation import Derivation, Given
from ridgeline.numbers.interval import Interval
from ridgeline.numbers.units import parse_unit
from ridgeline.store.crosscheck import CrossCheck, crosscheck
from ridgeline.store.derivations import Graph
from ridgeline.store.load import Collected, collect, fresh_file, insert_all, load, write

DATA = Path(__file__).resolve().parent.parent / "data" / "store"


@pytest.fixture(scope="module")
def report() -> Report:
    return check(DATA)


def run(collected: Collected, path: Path) -> CrossCheck:
    with fresh_file(path) as connection:
        return write(connection, collected).cross_check


def test_everything_agrees(report: Report, tmp_path: Path) -> None:
    outcome = load(report, tmp_path / "a.db").cross_check
    assert outcome.checked == outcome.agreed > 30
    assert outcome.findings == [] and outcome.not_expressible == {}


def test_a_changed_double_is_noticed(report: Report, tmp_path: Path) -> None:
    """As if the exact evaluation and the recorded values had come apart by one part in a hundred million."""
    collected = collect(report, {})
    for row in collected.tables["quantities"]:
        if row["record"] == "accelerators/chip-one" and row["name"] == "memory.bandwidth":
            row["value_float"] *= 1 + 1e-8
    outcome = run(collected, tmp_path / "a.db")
    assert {f.rule for f in outcome.findings} == {"sql-disagrees"}
    assert {f.field for f in outcome.findings} == {"ridge.bf16", "one.ridge.bf16"}
    assert outcome.checked - outcome.agreed == len(outcome.findings)
    assert outcome.findings[0].place.path.startswith("records/")


def test_a_missing_input_is_a_disagreement(report: Report, tmp_path: Path) -> None:
    collected = collect(report, {})
    for row in collected.tables["quantities"]:
        if row["name"] == "vocabulary":
            row["value_float"] = None
    outcome = run(collected, tmp_path / "a.db")
    assert any(f.field == "parameters.total" and f.found == "no value" for f in outcome.findings)


def test_findings_reach_the_database(report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sqlite3
    from contextlib import closing

    from ridgeline.store import crosscheck as crosschecks

    monkeypatch.setattr(crosschecks, "TOLERANCE", -1.0)
    monkeypatch.setattr(crosschecks, "CANCELLATION", 0.0)
    outcome = load(report, tmp_path / "a.db").cross_check
    assert outcome.agreed < outcome.checked
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        (count,) = connection.execute("SELECT COUNT(*) FROM findings WHERE rule = 'sql-disagrees'").fetchone()
        (checks,) = connection.execute("SELECT COUNT(*) FROM crosschecks WHERE agrees = 0").fetchone()
    assert count == checks == outcome.checked - outcome.agreed == len(outcome.findings) > 30


# Single derivations


def given(name: str, value: str) -> Derivation:
    field = f"layers.0.{name}"
    return Derivation(name, Quantity(Fraction(value)), given=Given("models/tiny", field, value, "recorded"))


def derived(text: str, value: Fraction | Interval, **inputs: Derivation) -> Derivation:
    tree = parse(text)
    from ridgeline.formulas.tree import names

    steps: tuple[tuple[Node, Derivation], ...] = tuple((name, inputs[name.text]) for name in dict.fromkeys(names(tree)))
    return Derivation(text, Quantity(value), tree=tree, steps=steps)


def outcome_of(report: Report, derivation: Derivation, tmp_path: Path) -> CrossCheck:
    """The crosscheck of one derivation over a database in which layer values stand."""
    collected = collect(report, {})
    graph = Graph()
    graph.add(derivation)
    with fresh_file(tmp_path / "one.db") as connection:
        insert_all(connection, collected.tables)
        return crosscheck(connection, list(graph.rows.values()), {})


def test_a_root_and_a_logarithm(report: Report, tmp_path: Path) -> None:
    width = given("feed_forward.width", "170")
    low, high = Fraction("20.4477957465"), Fraction("20.4477957466")
    found = outcome_of(report, derived("sqrt(w) + log2(w)", Interval(low, high), w=width), tmp_path)
    assert (found.checked, found.agreed) == (1, 1)


def test_cancellation_is_not_a_disagreement(report: Report, tmp_path: Path) -> None:
    width = given("feed_forward.width", "170")
    third = derived("w / 3", Fraction(170, 3), w=width)
    nearly = derived("a * 1000000 - a * 999999 - a", Fraction(0), a=third)
    assert outcome_of(report, nearly, tmp_path).findings == []


def test_a_wrong_exact_value_is_found(report: Report, tmp_path: Path) -> None:
    wrong = derived("2 * w", Fraction(341), w=given("feed_forward.width", "170"))
    (finding,) = outcome_of(report, wrong, tmp_path).findings
    assert finding.found == "340.0" and finding.expected == "341.0"


def test_a_power_with_a_symbol_for_its_exponent(report: Report, tmp_path: Path) -> None:
    symbol = Derivation("n", Quantity(Fraction(3)))
    power = derived("w ^ n", Fraction(170**3), w=given("feed_forward.width", "170"), n=symbol)
    found = outcome_of(report, power, tmp_path)
    assert (found.checked, found.agreed) == (1, 1)


def test_a_numerical_solution_is_not_expressible(report: Report, tmp_path: Path) -> None:
    solution = Derivation("L_x", Quantity(Interval(Fraction(1), Fraction(2))), record="classes/reading")
    twice = derived("2 * s", Interval(Fraction(2), Fraction(4)), s=solution)
    found = outcome_of(report, twice, tmp_path)
    assert found.checked == 0
    assert found.not_expressible == {"L_x is a numerical solution: it has no closed form": 1}


def test_what_the_database_refuses_costs_the_others_nothing(report: Report, tmp_path: Path) -> None:
    collected = collect(report, {})
    rows = [dict(row) for row in collected.tables["derivations"]]
    victim = next(row for row in rows if row["formula"] == "peak.bf16 / memory.bandwidth")
    victim["sql"] = "no_such_function(1)"
    with fresh_file(tmp_path / "a.db") as connection:
        insert_all(connection, collected.tables)
        found = crosscheck(connection, rows, {})
    (reason,) = found.not_expressible
    assert reason.startswith("the database refuses it: no such function")
    assert found.agreed == found.checked > 30


def test_equal_derivations_share_a_row(report: Report) -> None:
    graph = Graph()
    width = given("feed_forward.width", "170")
    one = graph.add(derived("2 * w", Fraction(340), w=width))
    two = graph.add(derived("2 * w", Fraction(340), w=given("feed_forward.width", "170")))
    other = graph.add(derived("2 * w", Fraction(341), w=width))
    assert one.id == two.id != other.id
    assert len(graph.rows) == 3
    assert one.rests_on == frozenset({("models/tiny", "layers.0.feed_forward.width")})


def test_markup_in_a_name_stays_text() -> None:
    graph = Graph()
    value = Derivation("<b>x</b>", Quantity(Fraction(2), parse_unit("byte").dimension))
    kept = graph.add(derived("2 * w", Fraction(4), w=value))
    assert "<b>" not in graph.rows[kept.id]["mathml_values"]
    assert "&lt;b&gt;" in graph.rows[kept.id]["mathml_values"]


def test_a_quote_in_a_field_stays_text() -> None:
    graph = Graph()
    leaf = Derivation("x", Quantity(Fraction(1)), given=Given("a'b", "c'); DROP TABLE records; --", "1", "recorded"))
    kept = graph.add(leaf)
    assert kept.sql == (
        "(SELECT value_float FROM quantities WHERE record = 'a''b' AND value_field = 'c''); DROP TABLE records; --')"
    )


def test_a_long_chain_needs_no_deep_stack() -> None:
    value = given("feed_forward.width", "170")
    for _ in range(3_000):
        value = derived("w + 0", Fraction(170), w=value)
    graph = Graph()
    kept = graph.add(value)
    assert kept.rests_on == frozenset({("models/tiny", "layers.0.feed_forward.width")})
    assert kept.sql is None and "too long" in kept.reason
