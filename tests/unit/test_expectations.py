"""The table of expectations has a row for each, and names tests that exist."""

from __future__ import annotations

import re

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "expectations.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if re.match(r"\| \d+ \|", line)]


def test_every_expectation_has_a_row_with_a_test() -> None:
    assert [int(row.split("|")[1]) for row in ROWS] == list(range(1, 29))
    assert [row for row in ROWS if "`tests/" not in row] == []


def test_every_named_test_exists() -> None:
    named = re.findall(r"`(tests/[a-z_/]+\.py)::(test_[a-z0-9_]+)`", PAGE)
    assert len(named) == PAGE.count("`tests/") - 1  # the page names this file as well
    missing = []
    for path, name in named:
        file = REPOSITORY / path
        if not file.is_file() or not re.search(rf"^def {name}\(", file.read_text(encoding="utf-8"), re.M):
            missing.append(f"{path}::{name}")
    assert missing == []
