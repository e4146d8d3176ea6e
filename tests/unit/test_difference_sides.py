"""What the two sides of a difference can be: revisions read without the work tree, folders, and calls that are wrong."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ridgeline.difference import revisions
from ridgeline.difference.alignment import Alignment
from ridgeline.difference.difference import difference
from ridgeline.difference.reading import read_both
from ridgeline.difference.revisions import RevisionError, side
from ridgeline.findings.finding import Finding
from ridgeline.text.decode import MAX_BYTES
from tests.conftest import Cli
from tests.data.repository import GOOD, Repository, git

ONE = "accelerators/acme-one"
CHANGE = ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.of(tmp_path / "repository")


def test_a_revision_is_read_without_the_work_tree(repository: Repository, cli: Cli) -> None:
    repository.edit(ONE, CHANGE)
    repository.commit()
    repository.edit(ONE, (CHANGE[1], "bandwidth: {value: 1500 GB/s"))
    files = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in repository.root.rglob("*") if p.is_file()}
    ran = cli("diff", "start", "HEAD", "--root", repository.root, "--format", "json")
    (change,) = ran.json["records"][0]["changes"]
    assert (change["old"], change["new"]) == ("1000 GB/s", "1250 GB/s")
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in repository.root.rglob("*") if p.is_file()} == files
    assert git(repository.root, "status", "--short") == " M records/accelerators/acme-one.yaml\n"


@pytest.mark.parametrize("name", ["HEAD~1", "start", "main~1", "start^{tree}"])
def test_a_revision_has_many_names(repository: Repository, name: str) -> None:
    repository.edit(ONE, CHANGE)
    repository.commit()
    found = difference(*(side(n, lambda: repository.root) for n in (name, None)))
    assert [(c.old, c.new) for r in found.records for c in r.changes] == [("1000 GB/s", "1250 GB/s")]


def test_the_records_may_stand_below_the_top_of_the_repository(tmp_path: Path, cli: Cli) -> None:
    repository = Repository.of(tmp_path / "whole", below="data/base")
    repository.edit(ONE, CHANGE)
    found = cli("diff", "main", "--format", "json", cwd=repository.root / "records").json
    assert [r["record"] for r in found["records"]] == [ONE]


def test_two_folders_need_no_git_and_no_root(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "after")
    shutil.copytree(GOOD / "records", repository.root / "records")
    repository.edit(ONE, CHANGE)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("PATH", "")
    ran = cli("diff", GOOD, repository.root, cwd=tmp_path / "elsewhere")
    assert ran.code == 1 and "memory.bandwidth: 1000 GB/s → 1250 GB/s (+25 %)" in ran.out
    ran = cli("diff", "main", repository.root, cwd=repository.root)
    assert (ran.code, ran.out) == (2, "")
    assert "git is not installed" in ran.err


def test_a_folder_against_the_working_tree(repository: Repository, cli: Cli) -> None:
    repository.edit(ONE, CHANGE)
    ran = cli("diff", GOOD, "--root", repository.root, "--format", "json")
    assert (ran.json["base"]["kind"], [r["record"] for r in ran.json["records"]]) == ("folder", [ONE])


def test_records_that_did_not_exist_are_all_new(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "README").write_text("nothing yet")
    Repository(folder).commit()
    shutil.copytree(GOOD / "records", folder / "records")
    ran = cli("diff", "main", "--root", folder, "--format", "json")
    assert ran.code == 0
    assert ran.json["summary"]["records"]["added"] == len(list(folder.glob("records/*/*.yaml")))
    assert {r["how"] for r in ran.json["records"]} == {"added"}
    assert ran.json["edition"]["bump"] == "minor"


def test_a_copy_with_other_line_ends_in_the_work_tree_is_read_as_it_is(repository: Repository) -> None:
    """A filter of git may change bytes on the way out: equal ids are trusted, other ones are read."""
    path = repository.path(ONE)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    found = difference(*(side(n, lambda: repository.root) for n in ("start", None)))
    assert {f.rule for f in found.new} >= {"carriage-return"}


# Calls that are wrong


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "is neither a folder that holds records/ nor a revision of this repository"),
        (("start", "nowhere"), "is neither a folder"),
        (("--", "--upload-pack=touch x"), "is neither a folder"),
        (("--", "-n"), "is neither a folder"),
        (("a\nb",), "is neither a folder"),
        (("",), "is neither a folder"),
        (("x" * 5000,), "is neither a folder"),
        (("start", "--overflow", "x.md"), "--overflow belongs to --format markdown"),
        (("start", "--edition", "1.2"), "1.2 is no edition"),
        (("start", "--format", "markdown", "--site", "javascript:alert(1)"), "write an address"),
    ],
)
def test_a_call_that_is_wrong_says_so(repository: Repository, cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    ran = cli("diff", *arguments[: len(arguments)], "--root", repository.root) if arguments[0] != "--" else cli(
        "diff", "--root", repository.root, *arguments
    )  # fmt: skip
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err and ran.err.startswith("ridgeline diff: ")


def test_a_folder_without_git(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(GOOD / "records", tmp_path / "plain" / "records")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    ran = cli("diff", "main", "--root", tmp_path / "plain")
    assert ran.code == 2
    assert "is in no git repository" in ran.err


def test_a_shallow_clone_says_how_to_deepen_it(repository: Repository, tmp_path: Path, cli: Cli) -> None:
    repository.edit(ONE, CHANGE)
    repository.commit()
    git(tmp_path, "clone", "--quiet", "--depth", "1", "--no-tags", f"file://{repository.root}", "shallow")
    ran = cli("diff", "HEAD~1", "--root", tmp_path / "shallow")
    assert ran.code == 2
    assert "this clone is shallow and may lack HEAD~1: fetch its history (git fetch --unshallow" in ran.err
    assert cli("diff", "HEAD", "--root", tmp_path / "shallow").code == 0


def test_objects_that_are_missing_are_not_fetched(repository: Repository, cli: Cli) -> None:
    identity = git(repository.root, "rev-parse", f"start:records/{ONE}.yaml").strip()
    (repository.root / ".git" / "objects" / identity[:2] / identity[2:]).unlink()
    repository.edit(ONE, CHANGE)
    ran = cli("diff", "start", "--root", repository.root)
    assert ran.code == 2
    assert "accelerators/acme-one.yaml of start is not in this repository: fetch it whole" in ran.err


# Files that are none


def test_links_are_followed_inside_the_repository_only(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("secret: 1\n")
    folder = repository.root / "records" / "models"
    (folder / "tiny.yaml").rename(folder / "real")
    os.symlink("real", folder / "tiny.yaml")
    os.symlink(str(tmp_path / "outside.yaml"), folder / "out.yaml")
    os.symlink("nowhere.yaml", folder / "dangling.yaml")
    repository.commit()
    head = side("HEAD", lambda: repository.root)
    names = [f"records/models/{name}.yaml" for name in ("tiny", "out", "dangling")]
    read = head.read(names)
    assert isinstance(read[names[0]], bytes) and b"id: tiny" in read[names[0]]
    for name in names[1:]:
        found = read[name]
        assert isinstance(found, Finding) and found.rule == "unreadable"


def test_a_huge_file_of_a_revision_is_refused_unread(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.path("models/tiny").write_bytes(b"#" * (MAX_BYTES + 1))
    repository.commit()
    head = side("HEAD", lambda: repository.root)
    found = head.read(["records/models/tiny.yaml"])["records/models/tiny.yaml"]
    assert isinstance(found, Finding) and found.rule == "file-too-large"
    monkeypatch.setattr(revisions, "_MAX_TOTAL", MAX_BYTES)
    with pytest.raises(RevisionError, match="name a smaller tree"):
        side("HEAD", lambda: repository.root)


def test_file_names_may_be_anything(repository: Repository) -> None:
    (repository.root / "records" / "models" / "ü \" 'x.yaml").write_text("id: 1\n", encoding="utf-8")
    (repository.root / "records" / "models" / "two\nlines.yaml").write_text("id: 1\n", encoding="utf-8")
    repository.commit()
    found = difference(*(side(n, lambda: repository.root) for n in ("HEAD", None)))
    assert found.no_effect and found.records == []
    found = difference(*(side(n, lambda: repository.root) for n in ("start", "HEAD")))
    assert {r.reference for r in found.records} == {"models/ü \" 'x", "models/two\nlines"}


def test_both_sides_share_what_is_equal(repository: Repository) -> None:
    repository.edit(ONE, CHANGE)
    both = read_both(*(side(n, lambda: repository.root) for n in ("start", None)))
    same = [r for r in both.after.entries if both.before.entries[r] is both.after.entries[r]]
    assert set(same) == both.unchanged == set(both.after.entries) - {ONE}


# Alignment of texts


def back(before: str, after: str, offset: int, holes: tuple[list[str], list[str]] = ([], [])) -> int | None:
    spans = [
        [(text.index(h), text.index(h) + len(h)) for h in words]
        for text, words in zip((before, after), holes, strict=True)
    ]
    return Alignment(before, spans[0], after, spans[1]).back(offset)


def test_words_are_found_again() -> None:
    before, after = "A ridge of 295 is high.", "It has a ridge of 253 and that is high."
    holes = (["295"], ["253"])
    assert back(before, after, after.index("253"), holes) == before.index("295")
    assert back(before, after, after.index("high"), holes) == before.index("high")
    assert back(before, after, after.index("igh."), holes) == before.index("igh.")
    assert back(before, after, after.index("and"), holes) is None
    assert back(before, after, 0, holes) is None


def test_long_texts_are_paired_numeral_by_numeral_and_in_time() -> None:
    words = " ".join(["a"] * 4000)
    before, after = f"x {words} 295 y {words} z", f"u {words} 253 v {words} w"
    assert back(before, after, after.index("253"), (["295"], ["253"])) == before.index("295")
    after = f"u {words} 253 and 254 v {words} w"
    assert back(before, after, after.index("253"), (["295"], ["253", "254"])) is None
