"""The pages of mistakes, open questions, rules and changes, written from a small database."""

from __future__ import annotations

import pytest

from ridgeline.check import check
from ridgeline.publish import mistakes, questions, rulebook, sqlpage, timeline
from ridgeline.publish.address import Addresses
from ridgeline.publish.content import Database
from ridgeline.publish.database import read
from ridgeline.publish.page import Page
from ridgeline.publish.pen import Pen
from ridgeline.rules.catalogue import catalogue
from ridgeline.store.load import load
from tests.acceptance.conftest import build


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Database:
    folder = tmp_path_factory.mktemp("lists")
    load(check(build(folder / "root")), folder / "ridgeline.db")
    return read(folder / "ridgeline.db")


def pen_for(content: Database) -> object:
    addresses = Addresses(content)
    return lambda here: Pen(content, addresses, here)


def page(content: Database, module: object, address: str) -> Page:
    return next(p for p in module.pages(pen_for(content)) if p.address == address)  # type: ignore[attr-defined]


def test_a_sparse_peak_stands_beside_the_dense_one_of_the_same_format_and_path(content: Database) -> None:
    found = list(mistakes.sparse(Pen(content, Addresses(content), "mistakes/")))
    sparse = [row for rows in content.tables["peaks"].values() for row in rows if row["sparsity"] != "dense"]
    assert 0 < len(found) <= len(sparse)
    for row in found:
        assert row["wrong"].name != row["right"].name and row["wrong"].record == row["right"].record
        assert row["wrong"].value > row["right"].value


def test_the_rate_of_both_directions_is_twice_that_of_one(content: Database) -> None:
    found = list(mistakes.directions(Pen(content, Addresses(content), "mistakes/")))
    assert found
    assert {row["wrong"].value / row["right"].value for row in found} == {2.0}


def test_what_was_not_preferred_is_listed_with_its_source(content: Database) -> None:
    found = list(mistakes.claims(Pen(content, Addresses(content), "mistakes/")))
    assert all(not row["claim"].preferred for row in found)
    text = page(content, mistakes, mistakes.ADDRESS).body
    assert all(row["claim"].text in text for row in found)


def test_open_questions_name_every_value_that_nobody_knows(content: Database) -> None:
    text = page(content, questions, questions.ADDRESS).body
    unknown = [q for q in questions.stated(content) if q.status == "unknown"]
    assert unknown and all(f"<code>{q.name}</code>" in text for q in unknown)


def test_days_are_in_order_and_hold_every_dated_value(content: Database) -> None:
    found = questions.days(content)
    assert [day for day, _ in found] == sorted(day for day, _ in found)
    dated = [q for q in questions.stated(content) if q.checked]
    assert sum(len(quantities) for _, records in found for _, quantities in records) == len(dated) > 0


def test_every_rule_is_told_with_its_level(content: Database) -> None:
    text = page(content, rulebook, rulebook.ADDRESS).body
    for rule in catalogue().values():
        assert f'<h2 id="{rule.id}"><code>{rule.id}</code> <span class="badge badge-level-{rule.level.value}">' in text


def test_backquotes_become_code_and_the_rest_is_text() -> None:
    assert rulebook.coded("Write `a < b`, not <b>.") == "Write <code>a &lt; b</code>, not &lt;b&gt;."
    assert rulebook.paragraphs("One\nline.\n\n`Two`.") == "<p>One line.</p>\n<p><code>Two</code>.</p>"


def test_the_other_pages_are_written(content: Database) -> None:
    assert "data-database=" in page(content, sqlpage, sqlpage.ADDRESS).body
    assert "changes.atom" in page(content, timeline, timeline.ADDRESS).body
