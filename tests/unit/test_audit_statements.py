"""Sentences as articles write them, about parts and models that the records hold: what is right, what is wrong, what stays open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ridgeline.audit.audit import JUDGES, Audit, finish
from ridgeline.audit.document import read
from ridgeline.audit.reading import read_blocks
from ridgeline.knowledge.base import load
from ridgeline.knowledge.resolve import Resolver
from ridgeline.text.document import read as read_yaml

CASES: list[dict[str, Any]] = read_yaml(
    "statements.yaml", (Path(__file__).parents[1] / "data" / "audit" / "statements.yaml").read_bytes()
).data  # type: ignore[assignment]


@pytest.fixture(scope="module")
def audited(repository: Path) -> Callable[[str], Audit]:
    resolver = Resolver(load(repository))

    def one(text: str) -> Audit:
        reading = read_blocks(read("doc.md", text.encode()), resolver)
        for judge in JUDGES:
            judge(reading)
        return finish(reading, [])

    return one


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:60])
def test_statement(audited: Callable[[str], Audit], case: dict[str, Any]) -> None:
    said: dict[str, set[str]] = {}
    for claim in audited(case["text"]).claims:
        said.setdefault(claim.status.value, set()).add(claim.numeral.text)
    assert set(case.get("right", [])) <= said.get("right", set()), said
    # Whatever is not said to be wrong here may be right or open, never wrong.
    assert said.get("wrong", set()) == set(case.get("wrong", [])), said
