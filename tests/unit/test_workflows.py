"""What runs on GitHub: every workflow, form and hook is read, held against its schema, and against rules of our own.

The rules: actions are pinned by commit; every job says what it may do; nothing of an event stands in a script, where its
text would be run; what runs a stranger's code has no secret and may write nothing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import ridgeline
from ridgeline.records.source import Source
from tests.conftest import REPOSITORY
from tests.data.repository import GOOD, Repository, git

GITHUB = REPOSITORY / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))
_PIN = re.compile(r"[A-Za-z0-9-]+/[A-Za-z0-9._/-]+@[0-9a-f]{40}")


class Loader(yaml.SafeLoader):
    """YAML 1.2's booleans: ``on`` is a word, as GitHub reads it."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader)  # noqa: S506 a safe loader


def faults(data: Any, schema: str) -> list[str]:
    """What a published schema says against a file."""
    text = (REPOSITORY / "tests" / "data" / "schemas" / f"{schema}.json").read_text(encoding="utf-8")
    return [f"{e.json_path}: {e.message}"[:300] for e in jsonschema.Draft7Validator(json.loads(text)).iter_errors(data)]


def jobs() -> Iterator[Any]:
    for path in WORKFLOWS:
        for name, job in read(path)["jobs"].items():
            yield pytest.param(job, id=f"{path.stem} {name}")


def steps() -> Iterator[Any]:
    for path in [*WORKFLOWS, REPOSITORY / "action.yml"]:
        data = read(path)
        lists = [j["steps"] for j in data["jobs"].values()] if "jobs" in data else [data["runs"]["steps"]]
        for number, step in enumerate(step for found in lists for step in found):
            yield pytest.param(step, id=f"{path.stem} {number}")


# Workflows


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_a_workflow_is_what_github_reads(path: Path) -> None:
    assert faults(read(path), "github-workflows") == []


def test_the_schema_would_say_so() -> None:
    data = read(GITHUB / "workflows" / "check.yml")
    data["jobs"]["test"]["step"] = data["jobs"]["test"].pop("steps")
    assert faults(data, "github-workflows") != []


@pytest.mark.parametrize("job", list(jobs()))
def test_every_job_says_what_it_may_do_and_ends(job: dict[str, Any]) -> None:
    assert isinstance(job["permissions"], dict)
    assert job["permissions"]
    assert 0 < job["timeout-minutes"] <= 120


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_nothing_is_permitted_to_all_jobs_but_reading(path: Path) -> None:
    assert read(path)["permissions"] in ({}, {"contents": "read"})


@pytest.mark.parametrize("step", list(steps()))
def test_actions_are_pinned_and_scripts_hold_no_expression(step: dict[str, Any]) -> None:
    if "uses" in step:
        assert _PIN.fullmatch(step["uses"]), f"{step['uses']} can become something else tomorrow"
        assert step["uses"].startswith("actions/"), "only GitHub's own actions"
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false" or step["with"]["persist-credentials"] is False
    # What an expression is replaced by becomes part of the script: values go through env: instead.
    assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", [*WORKFLOWS, REPOSITORY / "action.yml"], ids=lambda p: p.stem)
def test_a_pin_says_its_version(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        if "uses: " in line:
            assert re.search(r"@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$", line), line


def test_one_action_has_one_pin() -> None:
    pins: dict[str, set[str]] = {}
    for path in [*WORKFLOWS, REPOSITORY / "action.yml"]:
        for name, pin in re.findall(r"uses: ([^@\s]+)@(.*)", path.read_text(encoding="utf-8")):
            pins.setdefault(name, set()).add(pin)
    assert {name: len(found) for name, found in pins.items() if len(found) > 1} == {}


def test_what_runs_a_strangers_code_has_no_secret_and_writes_nothing() -> None:
    path = GITHUB / "workflows" / "check.yml"
    data = read(path)
    assert set(data["on"]) == {"push", "pull_request"}
    for job in data["jobs"].values():
        assert job["permissions"] == {"contents": "read"}
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"secrets\.|github\.token|GITHUB_TOKEN|pull_request_target|id-token", text)


def test_no_workflow_needs_a_secret_but_its_own_token_and_none_runs_on_pull_request_target() -> None:
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert "secrets." not in text
        assert "pull_request_target" not in text


def test_what_may_write_on_a_pull_request_runs_the_default_branch_and_installs_nothing() -> None:
    data = read(GITHUB / "workflows" / "comment.yml")
    assert data["on"] == {
        "workflow_run": {"workflows": [read(GITHUB / "workflows" / "check.yml")["name"]], "types": ["completed"]}
    }
    (job,) = data["jobs"].values()
    assert job["permissions"] == {"actions": "read", "contents": "read", "pull-requests": "write"}
    checkout, post = job["steps"]
    assert checkout["with"]["ref"] == "${{ github.event.repository.default_branch }}"
    assert post["run"] == "python3 -m ridgeline.reviewing post"


def test_the_release_job_that_writes_runs_no_code_of_the_repository() -> None:
    build, publish = (read(GITHUB / "workflows" / "release.yml")["jobs"][name] for name in ("build", "publish"))
    assert build["permissions"] == {"contents": "read"}
    assert [step for step in publish["steps"] if "uses" in step] == []
    assert not re.search(r"ridgeline|python|make", publish["steps"][0]["run"])


RELEASE = GITHUB / "workflows" / "release.yml"
RAISED = "the edition is raised as is due since the last one, and the changelog tells of it"


@pytest.mark.slow
def test_a_tag_without_a_raised_edition_is_not_released(tmp_path: Path) -> None:
    text = script(RELEASE, "build", RAISED)
    repository = Repository.of(tmp_path)
    (tmp_path / "EDITION").write_text("0.1.0\n", encoding="ascii")
    (tmp_path / ".gitignore").write_text(".venv\n", encoding="utf-8")
    repository.commit()
    assert bash(text, tmp_path).returncode == 0  # the first edition has nothing before it
    git(tmp_path, "tag", "v0.1.0")
    shutil.copy(repository.path("accelerators/forge-a"), repository.path("accelerators/forge-y"))
    repository.edit("accelerators/forge-y", ("id: forge-a", "id: forge-y"))
    repository.commit()
    assert bash(text, tmp_path).returncode == 1
    assert bash(".venv/bin/ridgeline diff v0.1.0 --release", tmp_path).returncode == 0
    assert (tmp_path / "EDITION").read_text(encoding="ascii") == "0.2.0\n"
    repository.commit()
    ran = bash(text, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (notes,) = [
        line
        for line in script(RELEASE, "build", "wheel, source archive, database, checksums").splitlines()
        if "awk" in line
    ]
    (tmp_path / "build" / "release").mkdir(parents=True)
    assert bash(notes, tmp_path).returncode == 0
    said = (tmp_path / "build" / "release" / "CHANGES.md").read_text(encoding="utf-8")
    assert said == "\n### Added\n\n- `accelerators/forge-y`: Forge A\n"


def test_the_check_runs_what_developers_run() -> None:
    text = (GITHUB / "workflows" / "check.yml").read_text(encoding="utf-8")
    runs = [
        s["run"] for j in read(GITHUB / "workflows" / "check.yml")["jobs"].values() for s in j["steps"] if "run" in s
    ]
    assert ".ci/run" in runs
    assert "make build" in runs
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake (?:--no-print-directory )?([a-z]+)", "\n".join(runs)):
        assert re.search(rf"^{target}:", makefile, re.M), target
    assert "upload-artifact" in text


@pytest.mark.parametrize("step", [s for s in steps() if "run" in s.values[0]])
def test_scripts_are_valid_bash(step: dict[str, Any]) -> None:
    subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)


def script(path: Path, job: str, name: str) -> str:
    (found,) = [s["run"] for s in read(path)["jobs"][job]["steps"] if s.get("name") == name]
    return str(found)


def bash(text: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a step's script as GitHub does, with this Python and its ``ridgeline`` in ``.venv``."""
    if not (folder / ".venv").exists():
        (folder / ".venv" / "bin").mkdir(parents=True)
        for program, call in (("ridgeline", "-m ridgeline"), ("python", "")):
            made = folder / ".venv" / "bin" / program
            made.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {call} "$@"\n', encoding="utf-8")
            made.chmod(0o755)
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tooling"), **environment}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_step_that_writes_the_review_does(tmp_path: Path) -> None:
    from ridgeline.reviewing import artifact

    text = script(GITHUB / "workflows" / "check.yml", "records", "comment and suggestions")
    repository = Repository.of(tmp_path)
    (tmp_path / "build" / "review").mkdir(parents=True)
    environment = {"PULL_REQUEST": "7", "HEAD_SHA": "a" * 40, "SITE_URL": "https://example.org/site"}
    repository.commit()
    ran = bash(text, tmp_path, **environment)
    assert ran.returncode == 0, ran.stderr
    assert artifact.read((tmp_path / "build" / "review" / "review.json").read_bytes()).comment == ""
    repository.edit("accelerators/forge-a", ("value: 1.25 TB/s", "value: 1.5 TB/s"))
    repository.commit()
    ran = bash(text, tmp_path, **environment)
    assert ran.returncode == 0, ran.stderr
    review = artifact.read((tmp_path / "build" / "review" / "review.json").read_bytes())
    assert (review.pull_request, review.head) == (7, "a" * 40)
    assert "<code>1.5 TB/s</code>" in review.comment
    assert "https://example.org/site/accelerators/forge-a/" in review.comment


# Forms


@pytest.mark.parametrize("path", FORMS, ids=lambda p: p.stem)
def test_a_form_is_what_github_reads(path: Path) -> None:
    assert faults(read(path), "github-issue-forms") == []


def test_the_other_files_are_what_github_reads() -> None:
    assert faults(read(GITHUB / "ISSUE_TEMPLATE" / "config.yml"), "github-issue-config") == []
    assert faults(read(REPOSITORY / "action.yml"), "github-actions") == []


@pytest.mark.parametrize("path", FORMS, ids=lambda p: p.stem)
def test_a_form_asks_for_what_a_recorded_value_needs(path: Path) -> None:
    fields = {part["id"]: part for part in read(path)["body"] if "id" in part}
    required = {name for name, part in fields.items() if part.get("validations", {}).get("required")}
    assert {"checked"} <= required
    assert {"url", "config"} & required
    assert {"at", "total_at"} & required


def test_the_kinds_of_document_are_those_of_the_records() -> None:
    body = read(GITHUB / "ISSUE_TEMPLATE" / "3-wrong-value.yml")["body"]
    (kind,) = [part for part in body if part.get("id") == "kind"]
    assert kind["attributes"]["options"] == list(Source.model_fields["kind"].annotation.__args__)  # type: ignore[union-attr]


def test_the_scopes_are_those_of_the_records() -> None:
    from ridgeline.records.accelerator import Accelerator

    body = read(GITHUB / "ISSUE_TEMPLATE" / "1-accelerator.yml")["body"]
    (scope,) = [part for part in body if part.get("id") == "scope"]
    assert set(scope["attributes"]["options"]) <= set(Accelerator.model_fields["scope"].annotation.__args__)  # type: ignore[union-attr]


def owners(path: str) -> str:
    """Who owns a path: the last line that fits."""
    found = ""
    for line in (GITHUB / "CODEOWNERS").read_text(encoding="utf-8").splitlines():
        pattern, _, who = line.partition(" ")
        if line and not line.startswith("#"):
            fits = pattern == "*" or path == pattern.strip("/") or path.startswith(pattern.lstrip("/"))
            found = who.strip() if fits else found
    return found


def test_data_and_code_have_different_owners_and_every_path_exists() -> None:
    assert owners("records/models/gpt-2.yaml") == "@ridgeline/data"
    for path in ("schema/model.v1.schema.json", "tooling/ridgeline/cli/__init__.py", ".github/workflows/check.yml"):
        assert owners(path) == "@ridgeline/code"
    for line in (GITHUB / "CODEOWNERS").read_text(encoding="utf-8").splitlines():
        if line.startswith("/"):
            assert (REPOSITORY / line.split()[0].strip("/")).exists(), line


# One version, one citation


def test_the_citation_is_valid_and_says_the_version_that_everything_says() -> None:
    citation = read(REPOSITORY / "CITATION.cff")
    assert faults(citation, "citation-file-format") == []
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == ridgeline.__version__
    assert citation["license"][0] == project["license"]


# Elsewhere: hooks and the action, on somebody else's repository


HOOKS = read(REPOSITORY / ".pre-commit-hooks.yaml")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    shutil.copytree(GOOD / "records", tmp_path / "records")
    (tmp_path / "good.md").write_text("20 TFLOP/s over 2 TB/s = 10 flop/byte.\n", encoding="utf-8")
    (tmp_path / "bad.md").write_text("989.5 TFLOP/s over 3.35 TB/s = 259.4 flop/byte.\n", encoding="utf-8")
    return tmp_path


def hook(id_: str, folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    """Run a hook as pre-commit does: its entry, then the files, unless it wants none."""
    (found,) = [h for h in HOOKS if h["id"] == id_]
    words = shlex.split(found["entry"])
    assert words[0] in ("ridgeline", "python")
    program = [sys.executable, "-m", "ridgeline"] if words[0] == "ridgeline" else [sys.executable]
    given = files if found.get("pass_filenames", True) else ()
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tooling")}
    return subprocess.run(
        [*program, *words[1:], *given], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_hooks_have_what_pre_commit_asks_for() -> None:
    assert [h["id"] for h in HOOKS] == ["ridgeline-check", "ridgeline-format", "ridgeline-audit"]
    for one in HOOKS:
        assert {"id", "name", "description", "entry", "language"} <= set(one)
        assert one["language"] == "python"
        assert "files" in one or "types" in one
        re.compile(one.get("files", ""))


def test_the_check_hook_passes_good_records_and_fails_bad_ones(elsewhere: Path, edit: Any) -> None:
    assert hook("ridgeline-check", elsewhere, "records/accelerators/forge-a.yaml").returncode == 0
    edit(elsewhere / "records/accelerators/forge-a.yaml", "kind: HBM", "kid: HBM")
    ran = hook("ridgeline-check", elsewhere, "records/accelerators/forge-a.yaml")
    assert (ran.returncode, ran.stdout.count("did you mean kind")) == (1, 1)


def test_the_format_hook_names_the_files_that_would_change(elsewhere: Path) -> None:
    file = elsewhere / "records" / "formats" / "bf16.yaml"
    named = "records/formats/bf16.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("\nname: ", "\nname:    "), encoding="utf-8")
    ran = hook("ridgeline-format", elsewhere, named)
    assert (ran.returncode, ran.stdout) == (1, f"{named}: would be written anew\n")


def test_the_audit_hook_takes_several_documents(elsewhere: Path) -> None:
    ran = hook("ridgeline-audit", elsewhere, "good.md", "bad.md", "good.md")
    assert ran.returncode == 1
    assert ran.stdout.count("error[") == 1
    assert "bad.md:1:" in ran.stdout
    assert hook("ridgeline-audit", elsewhere, "good.md").returncode == 0


@pytest.mark.slow
def test_without_records_a_document_is_held_against_those_of_the_installation(elsewhere: Path) -> None:
    shutil.rmtree(elsewhere / "records")
    (elsewhere / "claim.md").write_text("An H100 SXM has 4.8 TB/s of memory bandwidth.\n", encoding="utf-8")
    ran = hook("ridgeline-audit", elsewhere, "claim.md")
    assert (ran.returncode, ran.stdout.count("error[")) == (1, 1), ran.stdout + ran.stderr


def act(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's last step with inputs, the others at their defaults."""
    action = read(REPOSITORY / "action.yml")
    (step,) = [s for s in action["runs"]["steps"] if s.get("name") == "check"]
    values = {name: value["default"] for name, value in action["inputs"].items()} | inputs
    environment = {"ACTION_PATH": str(REPOSITORY), "RUNNER_TEMP": str(folder.parent / "runner")}
    for name, value in step["env"].items():
        if (found := re.fullmatch(r"\$\{\{ inputs\.([a-z]+) \}\}", value)) is not None:
            environment[name] = values[found[1]]
    python = folder.parent / "runner" / "ridgeline" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return bash(step["run"], folder, **environment)


@pytest.mark.slow
def test_the_action_checks_all_records_or_what_paths_name(elsewhere: Path, edit: Any) -> None:
    assert act(elsewhere).returncode == 0
    edit(elsewhere / "records/accelerators/forge-a.yaml", "kind: HBM", "kid: HBM")
    ran = act(elsewhere)
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error file=records/accelerators/forge-a.yaml,line=")
    assert act(elsewhere, paths="records/models\n").returncode == 0
    ran = act(elsewhere, paths="records/models\n*.md\n", format="text")
    assert ran.returncode == 1
    assert "bad.md:1:" in ran.stdout
    assert "good.md (" in ran.stdout
    assert act(elsewhere.parent, root=elsewhere.name).returncode == 1


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"paths": "none.md"}, "none.md names no file"),
        ({"paths": "*.rst"}, "*.rst names no file"),
        ({"paths": "$(touch made)"}, "$(touch made) names no file"),
        ({"format": "xml"}, "invalid choice"),
        ({"root": "nowhere"}, "holds no records/"),
    ],
)
def test_the_action_refuses_what_it_cannot_do(elsewhere: Path, inputs: dict[str, str], said: str) -> None:
    ran = act(elsewhere, **inputs)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert not (elsewhere / "made").exists()


def test_the_action_installs_no_version_that_is_none(tmp_path: Path) -> None:
    action = read(REPOSITORY / "action.yml")
    (step,) = [s for s in action["runs"]["steps"] if s.get("name") == "install"]
    ran = bash(step["run"], tmp_path, INPUT_VERSION="1.0 --index-url x", RUNNER_TEMP=str(tmp_path), PYTHON="false")
    assert (ran.returncode, ran.stdout) == (2, "::error::version is not X.Y.Z\n")
