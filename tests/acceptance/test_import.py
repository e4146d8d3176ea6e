"""A model is added from its config.json by one command, and passes the check once the named blanks are filled in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ridgeline.cli import main
from tests.acceptance.conftest import Tree

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
BLANK = "FILL-IN"
#: Config → total of the published checkpoint, which the command is given.
TOTALS = {
    "llama-3.1-8b": 8030261248, "gemma-3-27b": 27432406640, "deepseek-v3.2": 685355329792, "gpt-oss-20b": 20914757184,
    "mamba-2.8b": 2768345600, "kimi-linear-48b-a3b": 49122681728, "qwen3.5-27b": 27781427952, "qwen3-vl-2b": 2127532032,
    "mistral-small-3.1-24b": 24011361280, "command-r": 34980831232, "llama-4-scout": 108641793536, "glm-5.2": 753329940480,
}  # fmt: skip
#: What a person writes where the check says that something is to be filled in: last name of the field → text.
ANSWERS = {
    "name": "Some Model", "organisation": "Somebody", "value": "2026-01-01", "source": "acme-sheet", "at": "config.json",
    "checked": "2026-11-30",
}  # fmt: skip


def blanks(root: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
    """The exit status of the check, and its findings."""
    status = main(["check", "--root", str(root), "--format", "json"])
    return status, json.loads(capsys.readouterr().out)["findings"]


@pytest.mark.parametrize("name", TOTALS)
def test_one_command_then_the_named_blanks(name: str, tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    root = tree()
    target = root / "records" / "models" / f"{name}.yaml"
    command = ["import", str(CONFIGS / f"{name}.json"), "--total", str(TOTALS[name]), "--output", str(target)]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "the published total agrees" in said.err and "not mapped" not in said.err
    assert f"ridgeline check {target}" in said.out, "the command says what comes next"

    status, found = blanks(root, capsys)
    assert status == 1 and {f["rule"] for f in found if f["level"] == "error"} == {"fill-in"}
    lines = target.read_text(encoding="utf-8").split("\n")
    for finding in sorted(found, key=lambda f: (f["line"], -f["column"])):
        line, column = lines[finding["line"] - 1], finding["column"] - 1
        assert finding["path"] == f"records/models/{name}.yaml" and line[column:].startswith(BLANK)
        answer = ANSWERS[finding["field"].rpartition(".")[2]]
        lines[finding["line"] - 1] = line[:column] + answer + line[column + len(BLANK) :]
    target.write_text("\n".join(lines), encoding="utf-8")
    assert blanks(root, capsys) == (0, [])

    assert main(["get", f"models/{name}", "parameters.total", "--root", str(root), "--format", "json"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert main(["get", f"models/{name}", "checkpoint.total", "--root", str(root), "--format", "json"]) == 0
    published = json.loads(capsys.readouterr().out)
    assert int(counted["value"]) <= int(published["value"]) == TOTALS[name]


def test_a_total_that_the_shape_does_not_explain_is_named_and_does_not_pass(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tree()
    target = root / "records" / "models" / "falcon-40b.yaml"
    assert main(["import", str(CONFIGS / "falcon-40b.json"), "--total", "41835970560", "--output", str(target)]) == 0
    assert "is +532,676,608 from that: explain it in checkpoint.ledger" in capsys.readouterr().err
    text = target.read_text(encoding="utf-8")
    for field, answer in ANSWERS.items():
        text = text.replace(f"{field}: {BLANK}", f"{field}: {answer}")
    target.write_text(text, encoding="utf-8")
    status, found = blanks(root, capsys)
    assert status == 1 and [f["rule"] for f in found] == ["ledger"]
    ledger = (
        "  ledger:\n    - what: The head.\n      parameters: vocabulary * d_model\n      why: It is stored as well.\n"
    )
    target.write_text(text + ledger, encoding="utf-8")
    assert blanks(root, capsys) == (0, [])


def test_a_family_that_is_refused_writes_no_record(
    tree: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "gemma3n", "text_config": {"hidden_size": 2048}}', encoding="utf-8")
    target = tree() / "records" / "models" / "gemma-3n.yaml"
    assert main(["import", str(config), "--output", str(target)]) == 2
    said = capsys.readouterr().err
    assert "gemma3n is refused by name" in said and "AltUp" in said and "LAuReL" in said
    assert not target.exists()
