"""A tree does not differ from itself, whatever it is laid out like, and what is false is what the check newly says."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ridgeline.check import Report, check
from ridgeline.difference.alignment import Alignment
from ridgeline.difference.change import State, changes
from ridgeline.difference.difference import Difference, difference
from ridgeline.difference.fields import shape
from ridgeline.difference.revisions import Folder
from ridgeline.findings.finding import Level
from ridgeline.knowledge.base import Knowledge, add
from ridgeline.knowledge.resolve import Resolver
from ridgeline.text.document import read
from tests.acceptance.conftest import CASES, build
from tests.data.repository import GOOD, SMALL

FILES = sorted(p.relative_to(GOOD).as_posix() for p in GOOD.glob("records/*/*.yaml"))


def compared(before: Path, after: Path) -> Difference:
    return difference(Folder(before, "before"), Folder(after, "after"))


@pytest.mark.parametrize("root", [GOOD, SMALL], ids=["good", "small"])
def test_a_tree_does_not_differ_from_itself(root: Path) -> None:
    found = compared(root, root)
    assert (found.records, found.no_effect, found.clean, found.pages) == ([], True, True, [])


@pytest.mark.parametrize("case", CASES)
def test_a_bad_tree_does_not_differ_from_itself(case: str, tmp_path: Path) -> None:
    root = build(tmp_path / "tree", case)
    found = compared(root, root)
    assert (found.records, found.no_effect, found.clean) == ([], True, True)


def told(report: Report) -> Counter[tuple[str, str, str, str]]:
    return Counter((f.place.path, f.rule, f.field, f.found) for f in report.findings)


@pytest.mark.parametrize("case", CASES[::5])
def test_what_is_new_is_what_the_check_says_newly(case: str, tmp_path: Path) -> None:
    root = build(tmp_path / "tree", case)
    good, bad = check(GOOD), check(root)
    assert good.findings == []
    there, back = compared(GOOD, root), compared(root, GOOD)
    assert Counter(map(str, there.new)) == Counter(map(str, bad.findings))
    assert Counter(map(str, back.gone)) == Counter(map(str, bad.findings))
    assert (there.gone, back.new) == ([], [])
    false = [f for f in bad.findings if f.level is Level.ERROR and f.rule.startswith(("figure-", "equation-"))]
    assert Counter(map(str, there.false)) == Counter(map(str, false))


def shuffled(node: Any, chance: random.Random) -> Any:
    """The same mapping with its keys in another order, at every level."""
    if isinstance(node, dict):
        keys = list(node)
        chance.shuffle(keys)
        return {key: shuffled(node[key], chance) for key in keys}
    return [shuffled(item, chance) for item in node] if isinstance(node, list) else node


class _Quoted(yaml.SafeDumper):
    """Texts in double quotes, so that none of them can be read as something else."""


_Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))
_Quoted.ignore_aliases = lambda self, data: True  # type: ignore[method-assign,assignment]


@given(st.integers(0, 2**32))
def test_another_layout_is_no_difference(seed: int) -> None:
    chance = random.Random(seed)
    path = chance.choice(FILES)
    source = (GOOD / path).read_text(encoding="utf-8")
    other = yaml.dump(shuffled(read(path, source).data, chance), Dumper=_Quoted, sort_keys=False, width=1000)
    states = []
    for text in (source, other):
        knowledge = Knowledge(Path())
        add(knowledge, path, text)
        (entry,) = knowledge.entries.values()
        assert entry.record is not None, knowledge.findings
        states.append(State(entry, entry.record, Resolver(knowledge)))
    assert changes(*states) == []


@given(st.integers(0, 2**32))
def test_a_changed_value_is_found_where_it_is(seed: int) -> None:
    """One quantity of one record is multiplied: that field and no other has another value."""
    chance = random.Random(seed)
    path = chance.choice([f for f in FILES if "/accelerators/" in f or "/interconnects/" in f])
    source = (GOOD / path).read_text(encoding="utf-8")
    starts = [i for i in range(len(source)) if source.startswith("{value: ", i) and source[i + 8].isdigit()]
    at = chance.choice(starts) + len("{value: ")
    end = next(i for i in range(at, len(source)) if source[i] in " ,")
    number = source[at:end]
    text = source[:at] + f"{float(number) * 3:g}" + source[end:]
    states = []
    for one in (source, text):
        knowledge = Knowledge(Path())
        add(knowledge, path, one)
        (entry,) = knowledge.entries.values()
        if entry.record is None:
            return
        states.append(State(entry, entry.record, Resolver(knowledge)))
    found = [c for c in changes(*states) if c.what == "value"]
    told = [c for c in changes(*states) if c.what != "value"]
    if not found:
        # A claim that does not count.
        assert [c.what for c in told] == ["claims"]
        return
    (change,) = found
    assert change.percent == 200
    assert told == [] and change.recorded


@given(st.lists(st.sampled_from(["a", "b", "7", "12", "."])), st.lists(st.sampled_from(["a", "b", "7", "12", "."])))
def test_an_alignment_goes_forward_and_joins_equal_words(before: list[str], after: list[str]) -> None:
    texts = [" ".join(words) for words in (before, after)]
    holes = []
    for words in (before, after):
        starts = [sum(len(w) + 1 for w in words[:i]) for i in range(len(words))]
        holes.append([(s, s + len(w)) for s, w in zip(starts, words, strict=True) if w.isdigit()])
    alignment = Alignment(texts[0], holes[0], texts[1], holes[1])
    found = [(i, b) for i in range(len(texts[1])) if (b := alignment.back(i)) is not None]
    assert [b for _, b in found] == sorted({b for _, b in found})
    spans = {start for start, _ in holes[1]}
    for after_at, before_at in found:
        is_hole = after_at in spans
        assert is_hole == (before_at in {start for start, _ in holes[0]})
        assert is_hole or texts[1][after_at] == texts[0][before_at]
    if before == after:
        assert len([i for i, _ in found]) == sum(1 for w in after) + 0 * len(spans)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["peaks", "figures", "a", "kind"]), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_every_node_has_a_key_of_its_own(data: Any) -> None:
    found = shape({"top": data})
    assert len(set(found.keys.values())) == len(found.keys)
    assert all(found.keys[path] == key for key, (path, _) in found.leaves.items())


def test_the_folders_stay_as_they_are(tmp_path: Path) -> None:
    shutil.copytree(GOOD / "records", tmp_path / "records")
    before = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*"))
    compared(GOOD, tmp_path)
    assert sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*")) == before
