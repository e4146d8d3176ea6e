"""The data edition: which difference asks for which number, one number everywhere, and what a release writes."""

from __future__ import annotations

import json
import re
import sqlite3
import tomllib
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
import yaml

import ridgeline
from ridgeline.check import check
from ridgeline.difference.difference import Difference, difference
from ridgeline.difference.edition import Edition, fallen
from ridgeline.difference.release import cited, notes, section, with_section
from ridgeline.difference.revisions import side
from ridgeline.store.load import load
from ridgeline.text.beside import edition
from tests.conftest import REPOSITORY, Cli
from tests.data.repository import GOOD, Repository

ONE, FORGE, SCORES = "accelerators/acme-one", "accelerators/forge-a", "classes/scores"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """The good tree with an edition, which stands in its first commit."""
    made = Repository.of(tmp_path / "repository")
    (made.root / "EDITION").write_text("1.4.2\n", encoding="ascii")
    (made.root / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.4.2\ntitle: Acme\n", encoding="utf-8")
    made.commit()
    return made


def compared(repository: Repository) -> Difference:
    return difference(*(side(name, lambda: repository.root) for name in ("HEAD", None)))


# Which number


CASES: list[tuple[str, list[tuple[str, str, str]], str, str]] = [
    ("a value", [(ONE, "value: 1000 GB/s", "value: 1250 GB/s")], "patch", "1.4.3"),
    ("a value gone", [(FORGE, "  stacks: {value: 2 unit, source: acme-sheet, at: page 6, checked: 2026-11-30}\n", "")],
     "major", "2.0.0"),
    ("a value of another dimension", [(FORGE, "clock: {value: 2 GHz,", "clock: {value: 2 W,")], "major", "2.0.0"),
    ("a value added", [(ONE, "  kind: HBM3\n", "  kind: HBM3\n  stacks: {value: 2 unit, source: acme-sheet, at: page 2,"
     " checked: 2026-11-30}\n")], "minor", "1.5.0"),
    ("a name", [(ONE, "name: Acme One", "name: Acme One board")], "patch", "1.4.3"),
    ("a comment", [(ONE, "revision: 1\n", "revision: 1 # the first\n")], "none", "1.4.2"),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "bump", "number"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_difference_asks_for_a_number(
    repository: Repository, edits: list[tuple[str, str, str]], bump: str, number: str
) -> None:
    for reference, old, new in edits:
        text = repository.path(reference).read_text(encoding="utf-8")
        assert old in text
        repository.write(reference, text.replace(old, new, 1))
    found = compared(repository)
    assert found.numbers == ("1.4.2", "1.4.2")
    assert (found.edition.bump, found.edition.after("1.4.2")) == (bump, number)


def test_a_record_removed_renamed_or_added(repository: Repository) -> None:
    repository.write("formats/fp9", repository.path("formats/bf16").read_text(encoding="utf-8").replace("bf16", "fp9"))
    assert compared(repository).edition == Edition("minor", ("formats/fp9 is new",))
    repository.path("formats/fp9").unlink()
    repository.rename("accelerators/forge-c", "accelerators/forge-d")
    assert compared(repository).edition.bump == "minor"
    repository.path("accelerators/forge-d").unlink()
    found = compared(repository)
    assert found.edition.bump == "major"
    assert "accelerators/forge-c is gone" in found.edition.reasons


@pytest.mark.parametrize(
    ("was", "now", "bump", "asked", "needed"),
    [
        ("1.4.2", "1.4.2", "minor", False, None),  # between releases the number stays
        ("1.4.2", "1.4.2", "minor", True, "1.5.0"),
        ("1.4.2", "1.4.3", "minor", False, "1.5.0"),
        ("1.4.2", "1.5.0", "minor", True, None),
        ("1.4.2", "2.0.0", "patch", True, None),
        ("1.4.2", "1.4.10", "patch", True, None),
        ("1.4.2", "1.4.1", "none", False, "1.4.2"),
        ("1.4.2", "1.4.2", "none", True, None),
        ("1.4.2", "", "none", False, "1.4.2"),
        ("", "0.1.0", "major", True, None),
    ],
)
def test_a_number_that_is_too_low(was: str, now: str, bump: str, asked: bool, needed: str | None) -> None:
    told = fallen(was, now, Edition(bump, ("why",)), asked=asked)  # type: ignore[arg-type]
    assert [(f.rule, f.found, f.expected) for f in told] == ([("edition-not-raised", now, needed)] if needed else [])


@pytest.mark.parametrize(
    ("held", "number"),
    [(b"1.4.2\n", "1.4.2"), (b"1.4.2", "1.4.2"), (b"1.4\n", ""), (b"01.4.2\n", ""), (b"1.4.2\n1.5.0\n", ""), (b"", "")],
)
def test_the_file_says_one_number_and_nothing_else(held: bytes, number: str) -> None:
    assert edition({"EDITION": held}) == number


# One number everywhere (expectation 27)


def test_everything_says_one_version(tmp_path: Path, cli: Cli) -> None:
    said = edition({"EDITION": (REPOSITORY / "EDITION").read_bytes()})
    assert said
    assert ridgeline.__version__ == said
    assert cli("--version").out == f"ridgeline {said}\n"
    assert yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))["version"] == said
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"] == {"version": {"file": ["EDITION"]}}
    assert "EDITION" in (REPOSITORY / "MANIFEST.in").read_text(encoding="utf-8").split()
    assert notes((REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8"), said)
    for path in REPOSITORY.joinpath("docs").glob("*.md"):
        for pinned in re.findall(r"(?:OWNER/ridgeline@v|rev: v)([0-9.]+)", path.read_text(encoding="utf-8")):
            assert pinned == said, path.name


def test_the_database_the_api_and_the_package_carry_the_edition_of_their_records(tmp_path: Path) -> None:
    from ridgeline.packaged import write
    from ridgeline.publish import downloads

    root = Repository.of(tmp_path / "repository").root
    (root / "EDITION").write_text("7.8.9\n", encoding="ascii")
    load(check(root), tmp_path / "ridgeline.sqlite")
    with closing(sqlite3.connect(tmp_path / "ridgeline.sqlite")) as connection:
        assert connection.execute("SELECT value FROM metadata WHERE key = 'edition'").fetchall() == [("7.8.9",)]
    downloads.write(tmp_path / "ridgeline.sqlite", tmp_path / "site")
    index = json.loads((tmp_path / "site/api/v1/index.json").read_text(encoding="utf-8"))
    assert index["about"]["edition"] == "7.8.9"
    write(root, tmp_path / "data")
    assert (tmp_path / "data" / "EDITION").read_text(encoding="ascii") == "7.8.9\n"


def test_records_without_an_edition_have_none(tmp_path: Path) -> None:
    load(check(GOOD), tmp_path / "ridgeline.sqlite")
    with closing(sqlite3.connect(tmp_path / "ridgeline.sqlite")) as connection:
        assert connection.execute("SELECT value FROM metadata WHERE key = 'edition'").fetchall() == []


# A release


HISTORY = (
    "revision: 2\nhistory:\n  - {revision: 2, date: 2026-11-30, change: memory.bandwidth, was: 1.25 TB/s, why: "
    '"The sheet of May, <b>not</b> of @acme."}\n'
)


def changed(repository: Repository) -> None:
    repository.edit(
        FORGE, ("revision: 1\n", HISTORY), ("  bandwidth: {value: 1.25 TB/s", "  bandwidth: {value: 1.24 TB/s")
    )


def test_a_release_raises_the_number_and_tells_what_changed_and_why(repository: Repository, cli: Cli) -> None:
    changed(repository)
    before = cli("diff", "HEAD", "--released", "--root", repository.root)
    assert before.code == 1
    assert "edition-not-raised" in before.out and "expected 1.4.3" in before.out
    ran = cli("diff", "HEAD", "--release", "--root", repository.root)
    assert (ran.code, ran.out) == (0, "edition 1.4.3: EDITION, CITATION.cff, CHANGELOG.md\n"), ran.err
    assert (repository.root / "EDITION").read_text(encoding="ascii") == "1.4.3\n"
    citation = (repository.root / "CITATION.cff").read_text(encoding="utf-8")
    assert citation == 'cff-version: 1.2.0\nversion: 1.4.3\ndate-released: "2026-12-01"\ntitle: Acme\n'
    changelog = (repository.root / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes(changelog, "1.4.3") == (
        "### Changed\n\n#### accelerators/forge-a\n\n- `memory.bandwidth`: 1.25 TB/s → 1.24 TB/s. "
        "The sheet of May, \\<b\\>not\\</b\\> of \\@acme.\n"
    )
    assert "## 1.4.3 (2026-12-01)\n" in changelog
    # A second time, nothing more is asked for.
    again = cli("diff", "HEAD", "--release", "--root", repository.root)
    assert again.out == "edition 1.4.3: CITATION.cff, CHANGELOG.md\n"
    assert (repository.root / "CHANGELOG.md").read_text(encoding="utf-8") == changelog
    ready = cli("diff", "HEAD", "--released", "--root", repository.root)
    assert ready.code == 0, ready.out
    (repository.root / "CHANGELOG.md").write_text(changelog.replace("1.4.3 (", "1.4.4 ("), encoding="utf-8")
    told = cli("diff", "HEAD", "--released", "--root", repository.root).out
    assert "CHANGELOG.md:1:1: error[edition-not-raised] the changelog has no section 1.4.3" in told


def test_nothing_is_released_where_a_rule_is_broken(repository: Repository, cli: Cli) -> None:
    repository.edit(FORGE, ("  bandwidth: {value: 1.25 TB/s", "  bandwidth: {value: 1.24 TB/s"))
    ran = cli("diff", "HEAD", "--release", "--root", repository.root)
    assert ran.code == 1
    assert "revision-not-raised" in ran.err and "nothing is released" in ran.err
    assert (repository.root / "EDITION").read_text(encoding="ascii") == "1.4.2\n"
    assert not (repository.root / "CHANGELOG.md").exists()


def test_the_changelog_tells_of_what_went_came_and_got_another_name(repository: Repository) -> None:
    repository.rename("accelerators/forge-c", "accelerators/forge-d")
    repository.write("formats/fp9", repository.path("formats/bf16").read_text(encoding="utf-8").replace("bf16", "fp9"))
    repository.path(SCORES).unlink()
    text = section(compared(repository), "2.0.0", date(2026, 12, 1))
    assert text.startswith("## 2.0.0 (2026-12-01)\n\n### Removed\n\n- `classes/scores`: ")
    assert "### Renamed\n\n- `accelerators/forge-c` is `accelerators/forge-d` now: Forge C\n" in text
    assert "### Added\n\n- `formats/fp9`: " in text


def test_sections_stand_newest_first_and_once() -> None:
    one = with_section("", "1.0.0", "## 1.0.0 (2026-01-01)\n\na\n")
    two = with_section(one, "1.1.0", "## 1.1.0 (2026-02-01)\n\nb\n")
    assert re.findall(r"^## (\S+)", two, re.M) == ["1.1.0", "1.0.0"]
    again = with_section(two, "1.1.0", "## 1.1.0 (2026-03-01)\n\nc\n")
    assert (notes(again, "1.1.0"), notes(again, "1.0.0"), notes(again, "9.9.9")) == ("c\n", "a\n", None)


def test_a_citation_keeps_its_other_lines() -> None:
    text = 'a: 1\nversion: 0.9.0\ndate-released: "2020-01-01"\nb: 2\n'
    assert cited(text, "1.0.0", date(2026, 12, 1)) == 'a: 1\nversion: 1.0.0\ndate-released: "2026-12-01"\nb: 2\n'


@pytest.mark.parametrize(
    "options", [("HEAD", "HEAD", "--release"), ("HEAD", "--release", "--released"), ("HEAD", "HEAD", "--released")]
)
def test_a_release_is_of_the_working_tree(repository: Repository, cli: Cli, options: tuple[str, ...]) -> None:
    assert cli("diff", *options, "--root", repository.root).code == 2
