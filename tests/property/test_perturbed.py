"""A recorded value moved by one part in a hundred: what changes is what rests on it, and nothing else."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.check import check_knowledge
from ridgeline.impact import changed_knowledge
from ridgeline.knowledge.base import Knowledge, load
from ridgeline.knowledge.names import Stated
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers import read
from ridgeline.publish.address import Addresses
from ridgeline.publish.build import build
from ridgeline.publish.content import Database
from ridgeline.publish.database import read as read_database
from ridgeline.store.load import load as load_database
from tests.data.small import ROOT

#: Values of several kinds: rates of a chip and of its memory, a count of one layer, the width of a model.
MOVED = [
    ("accelerators/alpha", "memory.bandwidth"),
    ("accelerators/alpha", "peak.bf16"),
    ("accelerators/beta", "memory.bandwidth"),
    ("models/even", "d_ff"),
    ("models/mixed", "d_model"),
]

#: What rests on the width of the mixed model and is nothing all the same: its head is tied, its ledger has no gap.
UNMOVED = {"f/models.mixed.parameters.head/", "f/models.mixed.parameters.ledger_difference/"}


def database(knowledge: Knowledge, folder: Path) -> Database:
    path = folder / "ridgeline.db"
    load_database(check_knowledge(knowledge), path)
    return read_database(path)


def values(content: Database) -> dict[str, tuple[str | None, ...]]:
    """What each derivation comes to, by the address of its page: that follows from what it is made of, not from values."""
    pages = Addresses(content).derivations()
    found = {}
    for identity, address in pages.items():
        d = content.derivations[identity]
        found[address] = (d.exact, d.low, d.high)
    return found


def resting(content: Database, record: str, field: str) -> set[str]:
    """The pages of all derivations that rest on a recorded value."""
    pages = Addresses(content).derivations()
    return {
        address
        for identity, address in pages.items()
        if any((leaf.given_record, leaf.given_field) == (record, field) for leaf in content.leaves(identity))
    }


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return database(load(ROOT), tmp_path_factory.mktemp("before"))


@pytest.mark.parametrize(("record", "name"), MOVED)
def test_what_changes_is_what_rests_on_it(before: Database, tmp_path: Path, record: str, name: str) -> None:
    knowledge = load(ROOT)
    entry = knowledge.entries[record]
    space = Resolver(knowledge).namespace(record)
    stated = next(g[name] for g in (space.names, *space.layers) if isinstance(g.get(name), Stated))
    assert isinstance(stated, Stated)
    text = stated.given.text
    numeral = read(text)[0]
    assert numeral.value is not None
    moved = Fraction(numeral.text.replace(",", "")) * Fraction(101, 100)
    digits = (
        str(round(moved))
        if float(moved).is_integer() or ("." not in numeral.text and moved > 100)
        else f"{float(moved):.6f}"
    )
    changed = changed_knowledge(
        knowledge, entry, stated, text[: numeral.at] + digits + text[numeral.at + len(numeral.text) :]
    )
    after = database(changed, tmp_path)
    old, new = values(before), values(after)
    # A page's address stays: it names what is computed.
    assert set(old) == set(new)
    tree = resting(before, record, stated.given.field)
    assert {a for a in old if old[a] != new[a]} == tree - UNMOVED
    assert len(tree) >= 3


def test_pages_that_do_not_speak_of_it_keep_their_bytes(before: Database, tmp_path: Path) -> None:
    record, name = "accelerators/alpha", "memory.bandwidth"
    knowledge = load(ROOT)
    space = Resolver(knowledge).namespace(record)
    stated = space.names[name]
    assert isinstance(stated, Stated)
    changed = changed_knowledge(knowledge, knowledge.entries[record], stated, "3.3835 TB/s")
    sites = []
    for folder, content in (("one", knowledge), ("two", changed)):
        (tmp_path / folder).mkdir()
        database(content, tmp_path / folder)
        build(tmp_path / folder / "ridgeline.db", tmp_path / folder / "site")
        pages = (tmp_path / folder / "site" / "f").rglob("*.html")
        sites.append({p.parent.name: p.read_text(encoding="utf-8") for p in pages})
    one, two = sites
    tree = {a.split("/")[1] for a in resting(before, record, stated.given.field)}
    moved = {page for page in one if one[page] != two[page]}
    assert set(one) == set(two) and tree <= moved
    # A page that only lists one of them, as an input or as a use, shows its new value.
    assert {page for page in moved - tree if not any(f"/{t}/" in one[page] for t in tree)} == set()
    assert len(moved) < len(one) / 2
