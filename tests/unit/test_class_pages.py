"""What the database and the site say of a class beside its formulas: measurements, what it is a part of, its prose in order."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check
from ridgeline.publish.address import Addresses
from ridgeline.publish.build import record_page
from ridgeline.publish.database import read
from ridgeline.publish.pen import Pen
from ridgeline.publish.views import ordered, percent
from ridgeline.store.load import load

GOOD = Path(__file__).resolve().parent.parent / "acceptance" / "records" / "good"
PROSE = """\
  mistakes: |
    To count a thing again.
  derivation: |
    It follows.
  aside: |
    By the way.
  example: |
    Take a small one.
  beginner: |
    A thing reads another.
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("classes")
    shutil.copytree(GOOD, root, dirs_exist_ok=True)
    scores = root / "records/classes/scores.yaml"
    text = scores.read_text(encoding="utf-8")
    assert text.count("text:\n") == 1
    scores.write_text(text.replace("text:\n", "text:\n" + PROSE), encoding="utf-8")
    report = check(root)
    assert [f.message for f in report.findings] == []
    load(report, root / "ridgeline.db")
    return root / "ridgeline.db"


def page(path: Path, reference: str) -> str:
    database = read(path)
    return record_page(Pen(database, Addresses(database), f"{reference}/"), database.records[reference]).body


def rows(path: Path, sql: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql)]


def test_measurements_stand_beside_their_bounds(path: Path) -> None:
    found = rows(
        path, "SELECT m.*, d.value_exact AS limit_exact FROM measurements m JOIN derivations d ON d.id = m.derivation"
    )
    found.sort(key=lambda row: row["ordinal"])
    assert [(r["value_exact"], r["side"], r["bound"], r["limit_exact"]) for r in found] == [
        ("180000000000000", "at-most", "one.peak.bf16", "204800000000000"),
        ("0.000002", "at-least", "flops / peak", "0.00000131072"),
        ("1200000000000", "at-most", "one.memory.bandwidth", "1000000000000"),
    ]
    assert [r["share_of_bound"] for r in found] == [0.87890625, 1.52587890625, 1.2]
    assert [r["reason"] is not None for r in found] == [False, False, True]
    assert {(r["source"], r["locator"], r["checked"]) for r in found} == {("acme-sheet", "page 6", "2026-11-30")}


def test_a_class_says_what_it_is_a_part_of(path: Path) -> None:
    found = {r["record"]: r for r in rows(path, "SELECT * FROM classes")}
    part = found["classes/cache-read"]
    assert (part["part_of"], part["covers"], part["layers_have"], part["layers_lack"], part["over"], part["path"]) == (
        "decode", "attention", "n_kv", "window, chunk", "tensor", "tensor",
    )  # fmt: skip
    none = found["classes/scores"]
    assert (none["part_of"], none["covers"], none["layers_have"], none["layers_lack"]) == (None, None, None, None)


def test_the_page_shows_measurements(path: Path) -> None:
    body = page(path, "classes/scores")
    section = body[body.index("{: #s-measured }") : body.index("{: #s-hardware }")]
    assert section.count("<tr>") == 4
    assert "180 TFLOP/s" in section and "87.9%" in section and "at most" in section
    assert "153%" in section and "at least" in section
    assert "They stand in the second-level cache after the first read." in section
    assert re.search(r'href="[^"]*">204.8 TFLOP/s', section) and "page 6" in section
    assert "s-measured" not in page(path, "classes/cache-read")


def test_the_page_says_what_it_is_a_part_of(path: Path) -> None:
    body = page(path, "classes/cache-read")
    for name, value in (("A part of", "decode"), ("Counts", "attention"), ("In layers that lack", "window, chunk")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in body
    assert "A part of" not in page(path, "classes/scores")


def test_prose_goes_from_the_simple_to_the_particular(path: Path) -> None:
    body = page(path, "classes/scores")
    headings = re.findall(r"^## (.*?) \{: #s-(?!numerals|sources|history)", body, re.M)
    assert headings[:7] == [
        "In plain words", "What an engineer needs", "Aside", "Symbols", "Formulas", "What holds for them", "Derivation",
    ]  # fmt: skip
    assert headings[7:] == [
        "A worked example", "What has been measured", "Hardware that moves it", "Workarounds", "Usual mistakes", "Notes",
    ]  # fmt: skip
    # The summary leads, without a heading.
    assert body.index("The ridge of the Acme One") < body.index("In plain words")


def test_every_section_is_shown_once() -> None:
    sections = [
        ("notes", "Notes"),
        ("summary", "Summary"),
        ("mistakes", "Mistakes"),
        ("own", "Own"),
        ("engineer", "Engineer"),
    ]
    found = ordered(sections)
    assert found["opening"] == [("engineer", "What an engineer needs"), ("own", "Own")]
    assert found["closing"] == [("mistakes", "Usual mistakes"), ("notes", "Notes")]


@pytest.mark.parametrize(("share", "text"), [(0.748, "74.8%"), (1.2, "120%"), (0.00123, "0.123%"), (0.9996, "100%")])
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text
