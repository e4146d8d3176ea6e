"""A check that examines only what changed says the same, byte for byte, as one that examines everything."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic import write
from ridgeline.check import Report, check
from ridgeline.incremental import check as again
from ridgeline.kept import Kept, Verdicts
from ridgeline.report import as_dict, render
from ridgeline.since import since
from tests.acceptance.conftest import CASES, HERE, build

REPOSITORY = Path(__file__).resolve().parents[2]
FORMS = (("text", False), ("json", False), ("json", True), ("github", False), ("sarif", False))


class Desk:
    """A tree of records, and edits of it by chance."""

    def __init__(self, root: Path, seed: int):
        self.root = root
        self.chance = random.Random(seed)
        self.original = {p: p.read_bytes() for p in root.glob("records/*/*.yaml")}

    def some(self, folder: str = "*") -> Path:
        return self.chance.choice(sorted(self.root.glob(f"records/{folder}/*.yaml")))

    def replaced(self, pattern: str, by: str | Callable[[re.Match[str]], str], folder: str = "*") -> bool:
        """Replace one match of an expression somewhere, where there is any."""
        paths = sorted(self.root.glob(f"records/{folder}/*.yaml"))
        self.chance.shuffle(paths)
        for path in paths:
            text = path.read_text(encoding="utf-8", errors="replace")
            found = list(re.finditer(pattern, text))
            if found:
                match = self.chance.choice(found)
                new = by(match) if callable(by) else match.expand(by)
                path.write_text(text[: match.start()] + new + text[match.end() :], encoding="utf-8")
                return True
        return False

    # Edits

    def value(self) -> None:
        """Another number in a value, mostly of an accelerator."""
        folder = self.chance.choice(("accelerators", "accelerators", "models", "formats", "interconnects", "*"))
        self.replaced(r"(value: ['\"]?)(\d)", lambda m: m[1] + str((int(m[2]) + 1) % 10), folder)

    def prose(self) -> None:
        """Another digit in prose of a class."""
        self.replaced(r"(\n    [^\n]*[a-z] )(\d)", lambda m: m[1] + str((int(m[2]) + 3) % 10), "classes")

    def formula(self) -> None:
        """Another constant in a formula."""
        self.replaced(r"(is: ['\"]?)(\d)", lambda m: m[1] + str(int(m[2]) % 9 + 1), "classes")

    def rename(self) -> None:
        """Another id, in the file and as its name, so that all that named it names nothing."""
        path = self.some()
        text = path.read_text(encoding="utf-8", errors="replace")
        path.unlink()
        path.with_name(f"{path.stem}-2.yaml").write_text(
            text.replace(f"id: {path.stem}", f"id: {path.stem}-2"), "utf-8"
        )

    def called(self) -> None:
        """A name that some prose may hold: a numeral inside it is no quantity any more."""
        words = re.findall(r"[A-Za-z]+ \d+", self.some("classes").read_text(encoding="utf-8", errors="replace"))
        name = self.chance.choice(words or ["Some 7"])
        self.replaced(r"(?m)^name: .*$", f"name: {name}")

    def delete(self) -> None:
        self.some().unlink()

    def copy(self) -> None:
        """A new record: a peer of the one that it was copied from."""
        path = self.some(self.chance.choice(("accelerators", "accelerators", "models", "classes", "*")))
        text = path.read_text(encoding="utf-8", errors="replace").replace(f"id: {path.stem}", f"id: {path.stem}-new")
        text = re.sub(r"(value: ['\"]?)(\d)", r"\g<1>9\2", text, count=self.chance.randrange(3))
        path.with_name(f"{path.stem}-new.yaml").write_text(text, encoding="utf-8")

    def broken(self) -> None:
        """A file that is no YAML, no record, or cut off."""
        path = self.some()
        content = path.read_bytes()
        kind = self.chance.randrange(4)
        path.write_bytes(
            [content[: len(content) // 2], b"\xff" + content, content + b"\nid: again\n", b"a: [1\n"][kind]
        )

    def alias(self) -> None:
        """Another alias of a subject, or another subject under the alias."""
        self.replaced(r"(?m)^(  )([a-z0-9_]+)(: (?:accelerators|models)/)", r"\1\2x\3", "classes")

    def subject(self) -> None:
        other = self.some("accelerators").stem
        self.replaced(r"(: accelerators/)[a-z0-9.-]+", rf"\g<1>{other}", "classes")

    def accepted(self) -> None:
        """An exception that names something else."""
        self.replaced(r"(rule: )([a-z-]+)", self.chance.choice((r"\1siblings", r"\1sweep-unusual")), "accelerators")

    def source(self) -> None:
        """A source that another replaces, or of another kind."""
        other = self.some("sources").stem
        if not self.replaced(r"(?m)^superseded_by: .*\n", "", "sources") or self.chance.random() < 0.7:
            self.replaced(r"(?m)^(retrieved: .*)$", rf"\1\nsuperseded_by: {other}", "sources")
        self.replaced(r"(?m)^kind: (?:datasheet|secondary|paper)$", "kind: secondary", "sources")

    def die(self) -> None:
        """A part on another die, or with memory of another kind."""
        self.replaced(r"(die: \{value: )[^,}]+", r"\g<1>GH100", "accelerators")
        self.replaced(r"(?m)^(  kind: )(HBM\w*|GDDR\w*)$", r"\1HBM9", "accelerators")

    def stray(self) -> None:
        (self.root / "records" / f"notes-{self.chance.randrange(3)}.txt").write_text("", encoding="utf-8")

    def beside(self) -> None:
        """Ceilings and waivers that come and go."""
        ceilings, waivers = self.root / "ceilings.yaml", self.root / "waivers.yaml"
        if ceilings.exists() and self.chance.random() < 0.5:
            ceilings.unlink()
        else:
            levels = [
                "unverified_numerals",
                "values_without_source",
                "second_hand_values",
                "second_hand_numerals",
                "warnings",
            ]
            lines = [f"  {name}: {self.chance.randrange(40)}\n" for name in levels]
            ceilings.write_text("schema: ceilings/1\nceilings:\n" + "".join(lines), encoding="utf-8")
        report = check(self.root)
        failing = [f for f in report.findings if f.record]
        if (waivers.exists() and self.chance.random() < 0.5) or not failing:
            waivers.unlink(missing_ok=True)
        else:
            finding = self.chance.choice(failing)
            waivers.write_text(
                f"schema: waivers/1\nwaivers:\n- rule: {finding.rule}\n  place: {{record: {finding.record}}}\n"
                "  reason: It is to be looked at again.\n  owner: somebody\n  since: 2026-11-01\n  expires: 2027-10-01\n",
                encoding="utf-8",
            )

    def nothing(self) -> None:
        """A comment, which changes bytes and places and nothing else."""
        path = self.some()
        path.write_bytes(b"# A comment.\n" + path.read_bytes())

    def restored(self) -> None:
        """Some files as they were at the beginning, deleted ones too."""
        for path in self.chance.sample(sorted(self.original), min(4, len(self.original))):
            path.write_bytes(self.original[path])

    def folder(self) -> None:
        """A folder where a record's file was: it cannot be read."""
        path = self.some()
        path.unlink()
        path.mkdir()
        path.joinpath("x").write_text("")

    EDITS = (
        *(value, value, value, prose, formula, rename, called, delete, copy, copy, broken, alias, subject, accepted),
        *(source, die, stray, beside, nothing, restored, restored),
    )

    def edit(self) -> str:
        chosen = self.chance.choice(self.EDITS)
        chosen(self)
        return chosen.__name__


def both(root: Path, form: str, figures: bool) -> tuple[Report, Kept]:
    """The report by examining what changed, after comparing it with that of a whole check."""
    report, kept = again(root, Verdicts(root), figures=figures)
    whole = check(root)
    assert render(report, form, figures=figures) == render(whole, form, figures=figures)
    assert report.clean == whole.clean
    return report, kept


@pytest.mark.parametrize("seed", range(6))
def test_random_edits_of_a_small_base(seed: int, tmp_path: Path) -> None:
    desk = Desk(build(tmp_path / "root"), seed)
    both(desk.root, "text", False)
    for _ in range(25):
        for _ in range(desk.chance.randrange(3)):
            desk.edit()
        both(desk.root, *desk.chance.choice(FORMS))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_edits_of_real_records(seed: int, tmp_path: Path) -> None:
    """A closed part of the repository's own records: the largest classes with all that they name."""
    desk = Desk(write(REPOSITORY, tmp_path / "root", 160).root, seed)
    first, _ = both(desk.root, "text", False)
    assert not first.unexamined
    fewer = 0
    for _ in range(8):
        desk.edit()
        report, _ = both(desk.root, *desk.chance.choice(FORMS))
        fewer += bool(report.unexamined)
    assert fewer


def test_a_verdict_is_made_anew_where_a_record_it_read_has_changed_and_nowhere_else(tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    both(root, "text", False)
    report, kept = both(root, "text", False)
    assert set(report.unexamined) == set(kept.rows)
    for reference in sorted(kept.rows):
        path = root / "records" / f"{reference}.yaml"
        content = path.read_bytes()
        path.write_bytes(b"# A comment.\n" + content)
        report, now = both(root, "text", False)
        readers = {r for r, row in now.rows.items() if reference in row.reads}
        assert set(kept.rows) - set(report.unexamined) == {reference, *readers}
        path.write_bytes(content)
        both(root, "text", False)
    classes = [r for r in kept.rows if r.startswith("classes/")]
    assert any(read.startswith("accelerators/") for r in classes for read in kept.rows[r].reads)


@pytest.mark.parametrize("case", CASES)
def test_each_fault_is_found_beside_kept_verdicts(case: str, tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    again(root, Verdicts(root))
    shutil.rmtree(root / "records")
    root = build(tmp_path / "root", case)
    assert (HERE / "bad" / case / "expected.txt").exists()
    both(root, "text", False)


def test_a_folder_in_a_records_place_cannot_be_read(tmp_path: Path) -> None:
    desk = Desk(build(tmp_path / "root"), 1)
    both(desk.root, "text", False)
    desk.folder()
    both(desk.root, "json", True)


def git(root: Path, *arguments: str) -> None:
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *arguments], cwd=root, check=True, capture_output=True)


def said(root: Path) -> dict[str, list[Any]]:
    """All that a whole check says of each record's file, by path."""
    report = as_dict(check(root), figures=True)
    found: dict[str, list[Any]] = {}
    for what in ("findings", "figures", "conclusions"):
        for each in report[what]:
            found.setdefault(each["path"], []).append(each)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_nothing_else_is_said_of_what_is_left_out_since_a_revision(seed: int, tmp_path: Path) -> None:
    desk = Desk(build(tmp_path / "root"), 100 + seed)
    git(desk.root, "init", "-q")
    for _ in range(6):
        git(desk.root, "add", "-A")
        git(desk.root, "commit", "-q", "--allow-empty", "-m", "before")
        before = said(desk.root)
        for _ in range(desk.chance.randrange(1, 3)):
            desk.edit()
        _, kept = again(desk.root, Verdicts(desk.root))
        left, after = since("HEAD", desk.root, kept), said(desk.root)
        records = {path for path in before.keys() | after.keys() if path.endswith(".yaml") and path.count("/") == 2}
        moved = {path for path in records if before.get(path) != after.get(path)}
        assert {path for path in moved if (desk.root / path).exists()} <= left.paths
