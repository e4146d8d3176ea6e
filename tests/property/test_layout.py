"""The one layout keeps data and comments, whatever a file looked like before, and has nothing to do a second time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeline.knowledge.base import paths
from ridgeline.records.kinds import versions
from ridgeline.records.layout import formatted
from ridgeline.records.order import ordered
from ridgeline.text.document import Document, read
from ridgeline.text.printer import WIDTH, plain
from tests.conftest import REPOSITORY

FILES = sorted(
    p
    for p in [
        *paths(REPOSITORY),
        *(p for tree in ("acceptance", "data") for p in (REPOSITORY / "tests" / tree).rglob("records/*/*.yaml")),
    ]
    if p.is_file()
)
NAMES = [p.relative_to(REPOSITORY).as_posix() for p in FILES]


def laid_out(document: Document) -> str:
    text, findings = formatted(document)
    assert findings == []
    return text


def again(document: Document) -> str:
    """The layout of a readable file, after all that must hold of it."""
    text = laid_out(document)
    new = read(document.path, text)
    assert new.findings == []
    assert new.data == document.data
    assert laid_out(new) == text
    assert text.endswith("\n") and not text.endswith("\n\n") and "\r" not in text
    kind = versions().get(str(document.data.get("schema")))
    for path, keys in mappings(new.data):
        assert ordered(kind, new.data, path, keys) == keys
    return text


def mappings(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], list[str]]]:
    if isinstance(data, dict):
        yield path, list(data)
    for step, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from mappings(value, (*path, step))


@pytest.mark.parametrize(
    "folder", sorted({p.parent for p in FILES}), ids=lambda p: p.relative_to(REPOSITORY).as_posix()
)
def test_every_file_keeps_what_it_says(folder: Path) -> None:
    laid = 0
    for path in (p for p in FILES if p.parent == folder):
        document = read(path.relative_to(REPOSITORY).as_posix(), path.read_bytes())
        if document.findings or not isinstance(document.data, dict):
            text, findings = formatted(document)
            assert findings and text == document.source
            continue
        again(document)
        laid += 1
    assert laid or "bad" in folder.parts


# The same record in another layout.


class Scrambler:
    """Writes data as YAML in a layout of its own, with comments that say what they are about."""

    def __init__(self, random: Random):
        self.random = random
        self.comments: dict[str, tuple[str, Any]] = {}

    def file(self, data: dict[str, Any]) -> str:
        head = self.random.choice(["", "# the file\n", "# the file\n# and more\n\n", "---\n"])
        # Without a last line break, a last block literal would lose its own.
        ends = ["\n", "\n# the end\n", *([] if multiline(data) else ["", "\n\n\n"])]
        return head + "\n".join(self.block(data, 0, top=True)) + self.random.choice(ends)

    def note(self, where: str, about: Any) -> str:
        name = f"# note {len(self.comments)}: {where}"
        self.comments[name] = (where, about)
        return name

    def block(self, value: Any, indent: int, top: bool = False) -> list[str]:
        margin, lines = " " * indent, []
        entries = list(value.items()) if isinstance(value, dict) else [(None, v) for v in value]
        if isinstance(value, dict):
            self.random.shuffle(entries)
        for index, (key, inner) in enumerate(entries):
            if self.random.random() < 0.1 and not (top and index == 0):
                # Of a list, only the entry as a whole can be meant.
                lines.append(margin + self.note("above", key))
            if self.random.random() < 0.1 and index:
                lines.append("" if self.random.random() < 0.7 else margin)
            prefix = f"{margin}{self.text(key, True, False)}:" if key is not None else f"{margin}-"
            lines += self.entry(prefix, key, inner, indent)
        return lines

    def entry(self, prefix: str, key: Any, value: Any, indent: int) -> list[str]:
        beside = ""
        if key is not None and self.random.random() < 0.1:
            beside = " " * self.random.randint(1, 5) + self.note("beside", key)
        if isinstance(value, dict | list):
            if not value or (self.random.random() < 0.3 and not multiline(value)):
                return [f"{prefix} {self.flow(value)}{beside}"]
            if key is None and isinstance(value, dict) and self.random.random() < 0.5:
                step = self.random.choice([2, 4])
                inner = self.block(value, indent + step)
                if inner[0].strip().startswith("#") or not inner[0].strip():
                    return [prefix, *inner]
                return [prefix + inner[0][indent + 1 :], *inner[1:]]
            deeper = self.random.choice([1, 2, 3, 4])
            if isinstance(value, list) and key is not None and self.random.random() < 0.3:
                deeper = 0
            return [prefix + beside, *self.block(value, indent + deeper)]
        if isinstance(value, str) and "\n" in value and self.random.random() < 0.8:
            lines = self.literal(value, indent)
            if lines:
                return [f"{prefix} {lines[0]}{beside}", *lines[1:]]
        return [f"{prefix} {self.text(value, False, False)}{beside}"]

    def literal(self, value: str, indent: int) -> list[str]:
        body = value.rstrip("\n")
        if not body or body[0] in " \n\t" or any(line and not line.strip() for line in body.split("\n")):
            return []
        ends = len(value) - len(body)
        margin = " " * (indent + self.random.randint(1, 6))
        header = "|" if ends == 1 else "|-" if not ends else "|+"
        return [header, *(margin + line if line else "" for line in body.split("\n")), *[""] * (ends - 1)]

    def flow(self, value: Any) -> str:
        gap = self.random.choice(["", " "])
        if isinstance(value, dict):
            entries = list(value.items())
            self.random.shuffle(entries)
            return (
                "{"
                + gap
                + f",{gap or ' '}".join(f"{self.text(k, True, True)}: {self.flow(v)}" for k, v in entries)
                + gap
                + "}"
            )
        if isinstance(value, list):
            return "[" + gap + ", ".join(self.flow(v) for v in value) + gap + "]"
        return self.text(value, False, True)

    def text(self, value: Any, key: bool, flow: bool) -> str:
        if value is None:
            return self.random.choice(["null", "~"])
        if not isinstance(value, str):
            return json.dumps(value)
        styles = ["double"]
        if "\n" not in value and "\t" not in value:
            styles.append("single")
        if plain(value, flow=flow) or (key and len(value) == 1):
            styles += ["plain"] * 3
        style = self.random.choice(styles)
        if style == "plain":
            return value
        return json.dumps(value, ensure_ascii=False) if style == "double" else "'" + value.replace("'", "''") + "'"


def multiline(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(multiline(v) for v in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and "\n" in value


@settings(max_examples=150)
@given(st.sampled_from(NAMES), st.integers(0, 2**32))
def test_any_layout_of_a_record_comes_to_the_same_data_and_keeps_its_comments(name: str, seed: int) -> None:
    path = REPOSITORY / name
    original = read(name, path.read_bytes())
    if original.findings or not isinstance(original.data, dict):
        return
    scrambler = Scrambler(Random(seed))
    document = read(name, scrambler.file(original.data))
    assert document.findings == [], document.source
    assert document.data == original.data
    lines = again(document).split("\n")
    for comment, (where, key) in scrambler.comments.items():
        (index,) = [i for i, line in enumerate(lines) if line.endswith(comment)]
        if where == "above":
            about = next(line for line in lines[index + 1 :] if not line.strip().startswith("#"))
            assert lines[index].strip() == comment
            assert about.lstrip().startswith("-") if key is None else names(about, key), (comment, about)
        elif lines[index].strip() == comment:
            # Behind a dash there is no room beside a whole entry.
            about = next(line for line in lines[index + 1 :] if not line.strip().startswith("#"))
            assert names(about, key), (comment, about)
        else:
            assert names(lines[index], key), (comment, lines[index])


def names(line: str, key: str) -> bool:
    return bool(re.match(rf"[ -]*[\"']?{re.escape(key)}[\"']?:", line))


@settings(max_examples=200)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**9), 10**9)
        | st.text(
            st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), include_characters="\n\t"), max_size=40
        ),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text("abcxyz_-:#'\" 01", min_size=1, max_size=8), inner, max_size=4)
        ),
        max_leaves=20,
    ),
    st.integers(0, 2**32),
)
def test_any_data_can_be_laid_out(value: Any, seed: int) -> None:
    document = read("records/x.yaml", Scrambler(Random(seed)).file({"id": value, "schema": 1}))
    if not document.findings:
        again(document)


@settings(max_examples=200)
@given(st.sampled_from(NAMES), st.integers(0, 10**6), st.text(" \n-:#|>[]{},'\"ab0", max_size=3))
def test_a_damaged_file_is_laid_out_or_left_alone(name: str, at: int, inserted: str) -> None:
    source = (REPOSITORY / name).read_bytes().decode("utf-8", "replace")
    at %= len(source) + 1
    document = read(name, source[:at] + inserted + source[at + len(inserted) :])
    text, findings = formatted(document)
    if findings:
        assert text == document.source
    else:
        again(document)


def test_a_line_of_brackets_is_never_too_long() -> None:
    for path in FILES:
        document = read(path.name, path.read_bytes())
        if not document.findings and isinstance(document.data, dict):
            for line in laid_out(document).split("\n"):
                bracketed = re.match(r"[ -]*[\w.-]+: [\[{].+[\]}]$", line)
                assert not bracketed or len(line) <= WIDTH
