"""Single values read the records that they need, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeline.knowledge import base
from ridgeline.knowledge.base import load, on_demand
from ridgeline.lookup import Lookup
from tests.acceptance.conftest import build


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree of records without findings."""
    return build(tmp_path / "root")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that have been read, in order."""
    found: list[str] = []
    real = base.add

    def add(knowledge: base.Knowledge, relative: str, source: bytes | str) -> None:
        found.append(relative)
        real(knowledge, relative, source)

    monkeypatch.setattr(base, "add", add)
    return found


def test_nothing_is_read_before_it_is_asked_for(root: Path, read: list[str]) -> None:
    knowledge = on_demand(root)
    assert list(knowledge.entries) == [f"{p.parent.name}/{p.stem}" for p in base.paths(root)]
    assert read == []
    for reference in knowledge.entries:
        assert knowledge.entries[reference] is knowledge.entries.get(reference) is knowledge.get(reference)
    assert read == [p.relative_to(root).as_posix() for p in base.paths(root)]


def test_one_value_of_a_model_reads_one_file(root: Path, read: list[str]) -> None:
    model = sorted(root.glob("records/models/*.yaml"))[0]
    value = Lookup(root).get(f"models/{model.stem}", "parameters.total")
    assert read == [f"records/models/{model.name}"]
    assert value.quantity == Lookup(root).get(model.stem, "parameters.total").quantity


def test_whoever_walks_over_all_sees_what_a_whole_load_sees(root: Path) -> None:
    some, whole = on_demand(root), load(root)
    some.entries[next(reversed(whole.entries))]
    assert list(some.entries) == list(whole.entries)
    assert [e.reference for e in some.entries.values()] == list(whole.entries)
    assert [(r, e.record) for r, e in some.entries.items()] == [(r, e.record) for r, e in whole.entries.items()]
    assert some.names == whole.names


def test_a_record_that_cannot_be_read_is_no_record(root: Path) -> None:
    (root / "records" / "models" / "folder.yaml").mkdir()
    (root / "records" / "models" / "broken.yaml").write_text("a: [", encoding="utf-8")
    some, whole = on_demand(root), load(root)
    assert some.entries.get("models/folder") is None
    with pytest.raises(KeyError):
        some.entries["models/folder"]
    assert some.entries["models/broken"].record is None
    assert [r for r, _ in some.entries.items()] == list(whole.entries)
    assert {(f.rule, f.place) for f in some.findings} == {(f.rule, f.place) for f in whole.findings}
    assert some.get("models/nothing") is None
