"""A stranger adds an accelerator with three mistakes: findings, mended, green, and the comment that a reviewer reads.

The story is ``docs/first-contribution.md`` itself: its YAML is written, its differences are applied and its commands are
run, in order, and what they print has to stand there. ``RIDGELINE_EXPECTED=write`` writes it: read the difference.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Cli, Ran
from tests.data.repository import Repository

PAGE = REPOSITORY / "docs" / "first-contribution.md"
RECORD = "accelerators/forge-z"
_BLOCK = re.compile(r"^```(text|yaml|diff)\n(.*?)^```$", re.M | re.S)
_COMMIT = re.compile(r"\b[0-9a-f]{12}\b")


@dataclass
class Story:
    """The page as it was told again: each command with what it printed, and the page with that in it."""

    repository: Repository
    cli: Cli
    ran: list[tuple[str, Ran]] = field(default_factory=list)
    shown: list[tuple[str, str]] = field(default_factory=list)

    def tell(self, page: str) -> str:
        return _BLOCK.sub(lambda m: f"```{m[1]}\n{getattr(self, m[1])(m[2])}```", page)

    def yaml(self, block: str) -> str:
        self.repository.write(RECORD, block)
        return block

    def diff(self, block: str) -> str:
        old, new = ("".join(line[1:] + "\n" for line in block.splitlines() if line[0] == sign) for sign in "-+")
        self.repository.edit(RECORD, (old, new))
        return block

    def text(self, block: str) -> str:
        command, _, said = block.removeprefix("$ ").partition("\n")
        program, *words = shlex.split(command)
        assert program == "ridgeline"
        ran = self.cli(*words, cwd=self.repository.root)
        self.ran.append((command, ran))
        # The commit of the base is another one whenever a record of the tests is.
        printed = (ran.out + ran.err).replace(f"{self.repository.root}/", "")
        printed = _COMMIT.sub("0" * 12, printed)
        if said.endswith("…\n"):
            lines = max(said.count("\n") - 1, 6)
            printed = "".join(printed.splitlines(keepends=True)[:lines]) + "…\n"
        self.shown.append((said, printed))
        return f"$ {command}\n{printed}"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture
def story(tmp_path: Path, cli: Cli, page: str) -> Story:
    told = Story(Repository.of(tmp_path / "repository"), cli)
    text = told.tell(page)
    if os.environ.get("RIDGELINE_EXPECTED") == "write":
        PAGE.write_text(text, encoding="utf-8")
    return told


def test_the_page_shows_what_the_commands_print(story: Story) -> None:
    for said, printed in story.shown:
        assert printed.splitlines() == said.splitlines()


def test_the_skeleton_asks_for_its_values_and_for_nothing_else(story: Story) -> None:
    (_, made), (_, found) = story.ran[:2]
    assert made.code == 0
    assert found.code == 1
    rules = re.findall(r"(?:error|warning|info)\[([a-z-]+)\]", found.out)
    assert len(rules) > 10
    assert set(rules) == {"fill-in"}


def test_all_three_mistakes_are_found_at_once_and_nothing_else(story: Story) -> None:
    command, found = story.ran[2]
    assert command.startswith("ridgeline check ")
    assert found.code == 1
    told = re.findall(r"^\S+:\d+:\d+: error\[([a-z-]+)\] (.*)$", found.out, re.M)
    assert [rule for rule, _ in told] == ["second-route", "second-route", "figure-wrong"]
    assert "memory.capacity = 32 GB" in told[0][1]
    assert "peak.bf16 = 491.52 TFLOP/s" in told[1][1]
    assert "because the ratio is 2\n" in found.out
    assert told[2][1].startswith("1.26 TB/s is wrong")


def test_fix_mends_the_sentence_and_leaves_the_values(story: Story) -> None:
    _, fixed = story.ran[3]
    assert fixed.code == 1  # something is left
    text = story.repository.path(RECORD).read_text(encoding="utf-8")
    assert "Its memory moves 1.28 TB/s.\n" in text


def test_the_end_is_green_and_the_comment_tells_of_the_new_record(story: Story) -> None:
    (_, checked), (_, comment) = story.ran[4:]
    assert checked.code == 0, checked.out
    assert comment.code == 0, comment.out
    assert "accelerators/forge-z" in comment.out
    assert "minor" in comment.out
    assert len(comment.out) < 60_000
