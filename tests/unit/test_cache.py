"""A kept report is served where nothing has changed, and nowhere else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ridgeline.cache as caching
from ridgeline.cache import Cache
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Entry
from ridgeline.rules import trial, workloads
from ridgeline.rules.rule import Context
from tests.acceptance.conftest import build
from tests.conftest import Cli
from tests.unit.test_cli import modules_after, python

CHECK = "import sys; from ridgeline.cli import main; sys.exit(main())"
RECORD = "records/models/{}.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree of records without findings."""
    return build(tmp_path / "root")


def kept(root: Path, option: str = "text") -> tuple[str, int] | None:
    return Cache(root, option).get()


def a_record(root: Path) -> Path:
    return sorted(root.glob("records/models/*.yaml"))[0]


def test_the_second_check_prints_the_same_bytes_and_imports_no_types(root: Path) -> None:
    for arguments in (["check"], ["check", "--format", "json"], ["check", "--format", "json", "--figures"]):
        line = [*arguments, "--root", str(root)]
        first = python(CHECK, *line)
        assert "pydantic" not in modules_after(*line)
        second = python(CHECK, *line)
        assert (second.returncode, second.stdout, second.stderr) == (first.returncode, first.stdout, first.stderr)
        assert first.stdout


def test_what_is_served_is_what_was_kept(root: Path) -> None:
    assert kept(root) is None
    Cache(root, "text").put("a — b\n", 1)
    assert kept(root) == ("a — b\n", 1)


def edit(root: Path) -> None:
    path = a_record(root)
    before = path.stat()
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-2] + "x\n", encoding="utf-8")
    # Neither the size nor the time says that anything has changed.
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def add(root: Path) -> None:
    (root / RECORD.format("another")).write_text("schema: model/1\n", encoding="utf-8")


def remove(root: Path) -> None:
    a_record(root).unlink()


def rename(root: Path) -> None:
    a_record(root).rename(root / RECORD.format("another"))


def stray(root: Path) -> None:
    (root / "records" / "notes.txt").write_text("", encoding="utf-8")


def stray_deep(root: Path) -> None:
    (root / "records" / "a" / "b" / "c").mkdir(parents=True)
    (root / "records" / "a" / "b" / "c" / "d.yaml").write_text("", encoding="utf-8")


def move_content(root: Path) -> None:
    """What stands at the end of one file stands at the start of the next."""
    one, two = sorted(root.glob("records/*/*.yaml"))[:2]
    text = one.read_text(encoding="utf-8")
    one.write_text(text[:-10], encoding="utf-8")
    two.write_text(text[-10:] + two.read_text(encoding="utf-8"), encoding="utf-8")


@pytest.mark.parametrize("change", [edit, add, remove, rename, stray, stray_deep, move_content])
def test_any_change_of_the_records_is_seen(change: Callable[[Path], None], root: Path) -> None:
    Cache(root, "text").put("kept\n", 0)
    assert kept(root) is not None
    change(root)
    assert kept(root) is None


def test_another_option_and_another_root_are_other_reports(root: Path, tmp_path: Path) -> None:
    Cache(root, "text").put("kept\n", 0)
    assert kept(root, "json") is None
    shutil.copy(root / caching.FOLDER / "text", root / caching.FOLDER / "json")
    assert kept(root, "json") is None
    other = tmp_path / "other"
    shutil.copytree(root, other)
    assert kept(other) is None
    assert kept(root) is not None


def test_another_interpreter_another_package_and_another_tool_are_other_reports(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Cache(root, "text").put("kept\n", 0)
    with monkeypatch.context() as patch:
        patch.setattr("sys.version", "3.99")
        assert kept(root) is None
    with monkeypatch.context() as patch:
        (tmp_path / "packages" / "parser-9.dist-info").mkdir(parents=True)
        patch.syspath_prepend(tmp_path / "packages")
        assert kept(root) is None
    with monkeypatch.context() as patch:
        tool = tmp_path / "tool"
        shutil.copytree(Path(caching.__file__).parent, tool)
        patch.setattr(caching, "__file__", str(tool / "cache.py"))
        assert kept(root) is not None
        (tool / "rules" / "run.py").write_text("RULES = ()\n", encoding="utf-8")
        assert kept(root) is None
    assert kept(root) is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content.replace(b"kept", b"held"),
        lambda content: content.replace(b"\n0\n", b"\n1\n"),
        lambda content: b"\x00\xff" * 500,
    ],
)
def test_a_damaged_file_is_replaced(damage: Callable[[bytes], bytes], root: Path, cli: Cli) -> None:
    Cache(root, "text").put("kept\n", 0)
    path = root / caching.FOLDER / "text"
    path.write_bytes(damage(path.read_bytes()))
    assert kept(root) is None
    ran = cli("check", "--root", str(root))
    assert "kept" not in ran.out
    assert kept(root) == (ran.out, ran.code)
    assert sorted(p.name for p in path.parent.iterdir()) == ["text", "tried", "verdicts"]


def test_a_folder_that_cannot_be_written_is_no_fault(root: Path, cli: Cli) -> None:
    (root / "build").write_text("a file stands here", encoding="utf-8")
    first, second = cli("check", "--root", str(root)), cli("check", "--root", str(root))
    assert (first.code, first.out, first.err) == (second.code, second.out, second.err)
    assert "records" in first.out
    assert kept(root) is None


def test_a_record_that_changes_during_the_check_keeps_nothing(root: Path) -> None:
    cache = Cache(root, "text")
    edit(root)
    cache.put("of the old bytes, or of the new ones\n", 0)
    assert not (root / caching.FOLDER).exists()
    assert kept(root) is None


def test_findings_and_their_status_are_kept_too(tmp_path: Path, cli: Cli) -> None:
    root = build(tmp_path / "root")
    (root / "records" / "notes.txt").write_text("", encoding="utf-8")
    first, second = cli("check", "--root", str(root)), cli("check", "--root", str(root))
    assert (first.code, first.out) == (second.code, second.out)
    assert first.code == 1
    assert "stray-file" in first.out
    (root / "records" / "notes.txt").unlink()
    assert cli("check", "--root", str(root)).code == 0


def test_no_cache_neither_reads_nor_writes(root: Path, cli: Cli) -> None:
    cli("check", "--root", str(root), "--no-cache")
    assert not (root / caching.FOLDER).exists()
    Cache(root, "text").put("kept\n", 0)
    assert cli("check", "--root", str(root)).out == "kept\n"
    assert cli("check", "--root", str(root), "--no-cache").out != "kept\n"
    assert cli("check", str(a_record(root)), "--root", str(root)).out != "kept\n"


class TestTried:
    """Trials of classes that held are not made again, and only those."""

    @pytest.fixture(autouse=True)
    def _fresh(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(trial, "CLEAN", set())

    @pytest.fixture
    def trials(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The classes whose properties are tried, as they are."""
        made: list[str] = []
        original = workloads.PropertyFails.of

        def of(rule: workloads.PropertyFails, context: Context, entry: Entry) -> Iterator[Finding]:
            made.append(entry.reference)
            return original(rule, context, entry)

        monkeypatch.setattr(workloads.PropertyFails, "of", of)
        return made

    def checked(self, root: Path, cli: Cli, *more: str) -> tuple[int, str]:
        """A check in what is as good as a new process."""
        trial.CLEAN.clear()
        result = cli("check", "--root", str(root), *more, str(root / "records"))
        return result.code, result.out

    def test_a_changed_accelerator_has_no_class_tried_again(self, root: Path, cli: Cli, trials: list[str]) -> None:
        first = self.checked(root, cli)
        assert sorted(trials) == ["classes/cache-read", "classes/scores"]
        path = root / "records/accelerators/acme-two.yaml"
        path.write_text(path.read_text() + "# a comment\n")
        assert self.checked(root, cli) == first
        assert len(trials) == 2

    def test_a_changed_class_is_tried_again(self, root: Path, cli: Cli, trials: list[str]) -> None:
        self.checked(root, cli)
        path = root / "records/classes/scores.yaml"
        path.write_text(path.read_text().replace("range: [0, 1]", "range: [0, 2]"))
        self.checked(root, cli)
        assert trials[2:] == ["classes/scores"]

    def test_a_fault_is_found_each_time(self, root: Path, cli: Cli) -> None:
        path = root / "records/classes/scores.yaml"
        path.write_text(path.read_text().replace("range: [0, 1]", 'range: [0, "1/2"]'))
        first = self.checked(root, cli)
        assert first[0] == 1 and "error[property]" in first[1]
        assert self.checked(root, cli) == first

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda content: content[:-3],
            lambda content: content.replace(b"ridgeline-tried/1 ", b"ridgeline-tried/2 "),
            lambda content: b"",
            lambda content: b"\xff" * 64,
        ],
    )
    def test_a_file_that_is_not_what_was_written_counts_for_nothing(
        self, root: Path, cli: Cli, trials: list[str], spoil: Callable[[bytes], bytes]
    ) -> None:
        self.checked(root, cli)
        kept_file = root / "build/check-cache/tried"
        kept_file.write_bytes(spoil(kept_file.read_bytes()))
        (root / "build/check-cache/verdicts").unlink()
        self.checked(root, cli)
        assert len(trials) == 4

    def test_another_tool_trusts_nothing(
        self, root: Path, cli: Cli, trials: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.checked(root, cli)
        monkeypatch.setattr(caching, "tool", lambda: b"another")
        self.checked(root, cli)
        assert len(trials) == 4

    def test_no_cache_tries_everything_and_keeps_nothing(self, root: Path, cli: Cli, trials: list[str]) -> None:
        self.checked(root, cli, "--no-cache")
        assert not (root / "build/check-cache/tried").exists()
        self.checked(root, cli)
        self.checked(root, cli, "--no-cache")
        assert len(trials) == 6
