"""The benchmarks measure what they say: pairs, and bases whose copies are consistent."""

import random
import re
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks import floors
from benchmarks.harness import Pair, Row, growth, measure, seconds, table
from benchmarks.synthetic import copy, sentences, touched, write

ACCELERATOR = """\
schema: accelerator/1
id: acme-one
name: Acme One 80 GB
also_called: [One, Acme One]
memory:
  kind: HBM3
  bandwidth: {value: 3.35 TB/s, source: acme-one-datasheet, at: table 1, checked: 2026-11-30}
power:
  limit: {value: 700 W, source: acme-one-datasheet, at: table 1, checked: 2026-11-30}
"""
MODEL = """\
schema: model/1
id: small
name: Small
vocabulary: 1000
width: 64
tied_embeddings: false
checkpoint:
  total: {value: '1,234,567 parameter', source: small-config, at: index, checked: 2026-11-30}
text:
  summary: |
    A model. See https://example.com/small and the record small.
"""
CLASS = """\
schema: class/1
id: waiting
name: Waiting
subjects: {one: accelerators/acme-one, small: models/small}
text:
  summary: |
    It draws nothing.
"""
SOURCE = "schema: source/1\nid: acme-one-datasheet\nname: Datasheet\n"
IDS = ["acme-one", "small", "waiting"]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    for folder, text in (("accelerators", ACCELERATOR), ("models", MODEL), ("classes", CLASS), ("sources", SOURCE)):
        found = re.search(r"(?m)^id: (.*)$", text)
        assert found
        path = root / "records" / folder / f"{found[1]}.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_a_copy_has_its_own_identity_and_refers_to_its_own_generation() -> None:
    text = copy(CLASS, IDS, 3, "")
    assert "id: waiting-v0003\nname: Waiting, variant C\n" in text
    assert "{one: accelerators/acme-one-v0003, small: models/small-v0003}" in text


def test_an_id_inside_an_address_or_another_id_stays() -> None:
    text = copy(MODEL, IDS, 1, "")
    assert "https://example.com/small and the record small-v0001." in text
    assert "source: small-config" in text
    assert "source: acme-one-datasheet" in copy(ACCELERATOR, IDS, 1, "")


def test_numbers_move_together() -> None:
    text = copy(MODEL, IDS, 2, "")
    assert "vocabulary: 1128\n" in text
    assert f"value: '{1_234_567 + 128 * 64 * 2:,} parameter'" in text
    assert "value: 702 W" in copy(ACCELERATOR, IDS, 2, "")


@pytest.mark.parametrize("prose", ["holds 1,234,567 parameters", "a vocabulary of 1000"])
def test_a_quoted_number_stays(prose: str) -> None:
    text = copy(MODEL, IDS, 2, prose)
    assert "vocabulary: 1000\n" in text
    assert "1,234,567 parameter" in text
    assert "value: 700 W" in copy(ACCELERATOR, IDS, 2, "limited to 700 W at most")


def test_names_that_must_be_unique_are_dropped() -> None:
    assert "also_called" not in copy(ACCELERATOR, IDS, 1, "")


def test_sentences_are_true() -> None:
    scale = {"TFLOP/s": 10**12, "GB/s": 10**9}
    chance = random.Random(1)
    for line in sentences(chance, 300):
        found = re.search(r"([\d.]+) ?([A-Za-z/]*) ([/*]) ([\d.]+) ?([A-Za-z/]*) = ([\d.]+)", line)
        assert found, line
        a, b = Fraction(found[1]) * scale.get(found[2], 1), Fraction(found[4]) * scale.get(found[5], 1)
        places = len(found[6].partition(".")[2])
        exact = a / b if found[3] == "/" else a * b
        assert abs(exact - Fraction(found[6])) <= Fraction(1, 2 * 10**places), line


def test_a_base_has_the_size_asked_for_and_is_the_same_each_time(tiny: Path, tmp_path: Path) -> None:
    first, second = (write(tiny, tmp_path / name, 12) for name in ("first", "second"))
    assert len(first.paths()) == 12
    assert len(list(first.root.glob("records/sources/*.yaml"))) == 1
    assert [(p.name, p.read_bytes()) for p in first.paths()] == [(p.name, p.read_bytes()) for p in second.paths()]
    assert all(p.stem == re.search(r"(?m)^id: (.*)$", p.read_text())[1] for p in first.paths())  # type: ignore[index]


def test_a_base_smaller_than_the_repository_refers_to_nothing_outside_itself(tiny: Path, tmp_path: Path) -> None:
    assert [p.stem for p in write(tiny, tmp_path / "three", 3).paths()] == ["acme-one", "small", "acme-one-datasheet"]
    base = write(tiny, tmp_path / "one", 1)
    assert [p.stem for p in base.paths()] == ["small"]


def test_a_base_needs_something_to_copy(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no records to copy"):
        write(tmp_path / "nothing", tmp_path / "base", 3)


def test_a_touched_record_differs_at_every_turn() -> None:
    texts = [touched(ACCELERATOR, turn) for turn in range(20)]
    assert len({ACCELERATOR, *texts}) == 21
    assert "value: 3.35001 TB/s" in texts[0]
    assert "value: 5300.002 GB/s" in touched(ACCELERATOR.replace("3.35 TB/s", "5300 GB/s"), 1)


def test_the_ratio_is_the_median_of_the_pairs() -> None:
    pair = Pair(floor=(1.0, 2.0, 1.0), ours=(3.0, 4.0, 9.0))
    assert pair.ratios == [3.0, 2.0, 9.0]
    assert pair.ratio == 3.0
    assert Row("x", 1, "E", pair, 3.0).met is True
    assert Row("x", 1, "E", pair, 2.9).met is False
    assert Row("x", 1, "E", pair).met is None
    assert Row("x", 1, "E", pair, 3.0, rate_met=False).met is False


def test_turns_alternate_and_the_first_is_thrown_away() -> None:
    calls: list[str] = []

    def timed(name: str, value: float) -> float:
        calls.append(name)
        return value

    pair = measure(
        lambda: timed("floor", 1.0), lambda: timed("ours", 2.0), 3, before=lambda turn: calls.append("before")
    )
    assert pair == Pair((1.0,) * 3, (2.0,) * 3)
    assert calls == ["floor", "before", "ours", "before", "ours", "floor"] * 2


def test_the_table_says_what_is_missing() -> None:
    lines = table([Row("get", 100, "P", Pair((0.02,), (0.21,)), 15.0), Row("load", 1000, note="no store")]).splitlines()
    assert lines[2].split("  ")[0] == "get"
    assert "P 20 ms" in lines[2] and "10.50 (10.50-10.50)" in lines[2] and "<= 15 P" in lines[2]
    assert lines[2].endswith("met")
    assert lines[3].endswith("not available: no store")


def test_durations_have_three_digits() -> None:
    assert [seconds(v) for v in (0.0000123, 0.0456, 1.5, 123.4)] == ["12.3 µs", "45.6 ms", "1.5 s", "123 s"]


def test_rows_are_read_and_inserted_again_without_what_sqlite_keeps_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE record (id TEXT PRIMARY KEY, name TEXT) STRICT")
        connection.executemany("INSERT INTO record VALUES (?, ?)", [("a", "A"), ("b", "B")])
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(name, content='record')")
    connection.close()
    rows = floors.rows_of(path)
    assert {name: values for name, (_, values) in rows.items()} == {"record": [("a", "A"), ("b", "B")]}
    floors.insert(rows, tmp_path / "b.sqlite")
    assert floors.rows_of(tmp_path / "b.sqlite") == rows


def test_draining_counts_every_event(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: [1, 2]\n")
    assert floors.drain([path, path]) == 2 * 11


def test_digits_are_found() -> None:
    assert floors.digits(["3.35 TB/s at 700 W", "none"]) == 2


def test_the_growth_of_a_row_is_said_beside_that_of_the_records() -> None:
    rows = [
        Row("check", 100, "P", Pair((1.0,), (2.0,))),
        Row("check", 1_000, "P", Pair((1.0,), (8.0,))),
        Row("check", 10_000, note="missing"),
        Row("get", 100, "P", Pair((1.0,), (2.0,))),
    ]
    assert growth(rows) == ["check: 10 × the records, 4 × the time"]


def test_a_die_is_one_of_its_own_generation() -> None:
    for written in ("die: {value: GH100, source: x}\n", "die:\n  value: GH100\n  source: x\n"):
        assert f"value: GH100-2{',' if '{' in written else chr(10)}" in copy(ACCELERATOR + written, IDS, 2, "")


def test_a_copy_of_a_class_counts_no_work_a_second_time() -> None:
    for written in (
        "part_of: [decode]\ncovers: [norms, rotary]\n",
        "part_of:\n- decode\ncovers:\n  - norms\n  - rotary\n",
    ):
        assert copy(CLASS + written, IDS, 1, "") == copy(CLASS, IDS, 1, "")
