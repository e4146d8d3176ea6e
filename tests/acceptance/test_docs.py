"""The documentation is true: what it shows on a command line is what the command prints."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
DOCUMENTS = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def sessions() -> Iterator[Any]:
    """Each ``$ ridgeline …`` line of the documents with the lines it prints; a last line ``…`` stands for the rest."""
    for path in DOCUMENTS:
        for block in _BLOCK.findall(path.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, printed = part.partition("\n")
                yield pytest.param(command, printed, id=f"{path.stem}: {command[:60]}")


@pytest.mark.parametrize(("command", "printed"), list(sessions()))
def test_a_documented_command_prints_what_the_page_says(cli: Any, command: str, printed: str) -> None:
    call, _, text = command.partition(" <<< ")
    words = shlex.split(call)
    assert words[0] == "ridgeline"
    result = cli(*words[1:], stdin=shlex.split(text)[0] + "\n" if text else "")
    lines = (result.out + result.err).splitlines()
    expected = printed.rstrip("\n").splitlines()
    if expected and expected[-1] == "…":
        assert len(lines) >= len(expected)
        lines, expected = lines[: len(expected) - 1], expected[:-1]
    assert lines == expected


def test_the_documents_name_verbs_that_exist() -> None:
    from ridgeline.cli import VERBS

    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for verb in re.findall(r"`?(?:\.venv/bin/)?ridgeline ([a-z]+)", text):
            if f"ridgeline {verb}" in text and verb not in ("is", "needs", "reads", "package"):
                assert verb in VERBS, f"{path.name}: ridgeline {verb}"


def test_every_verb_stands_in_the_readme_or_the_docs() -> None:
    from ridgeline.cli import VERBS

    text = "".join(p.read_text(encoding="utf-8") for p in DOCUMENTS)
    assert [v for v in VERBS if f"ridgeline {v}" not in text] == []


def test_links_between_documents_resolve() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            if not target.startswith(("http://", "https://")):
                assert (path.parent / target).exists(), f"{path.name} → {target}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_number_of_the_documents_is_wrong(cli: Any, path: Path) -> None:
    result = cli("audit", path, "--format", "json")
    assert [c for c in result.json["claims"] if c["status"] == "wrong"] == []


def test_the_finding_that_the_readme_shows(cli: Any, base: Path, edit: Any) -> None:
    edit(base / "records/accelerators/nvidia-h100-sxm.yaml", "value: 3.35 TB/s", "value: 3.9 TB/s")
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    found = cli("check", "--root", base).out
    shown = re.search(r"^```text\n(.*?)^```$", readme, re.M | re.S)
    assert shown is not None and found.count("error[") > 1
    for line in shown[1].splitlines():
        start = line.partition("(…)")[0]
        assert start in found, line
