"""The command line as somebody meets it: help, wrong usage, exit statuses, pipes, and what a start costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ridgeline.cli import VERBS
from ridgeline.records.beside import files
from ridgeline.records.kinds import FOLDERS, versions
from tests.acceptance.conftest import build
from tests.conftest import REPOSITORY, Cli

HEAVY = {
    "pydantic",
    "pydantic_core",
    "sqlalchemy",
    "jinja2",
    "numpy",
    "yaml",
    "mkdocs",
    "jsonschema",
    "difflib",
}


def python(code: str, *arguments: str, cwd: Path = REPOSITORY, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tooling"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def modules_after(*arguments: str) -> set[str]:
    """Top-level modules that a run of the command has imported."""
    code = (
        "import sys\nfrom ridgeline.cli import main\n"
        "status = main(sys.argv[1:])\nsys.stdout.flush()\n"
        "sys.stderr.write(' '.join(sorted({m.partition('.')[0] for m in sys.modules})))\nsys.exit(status)"
    )
    return set(python(code, *arguments).stderr.split())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree of records without findings."""
    return build(tmp_path / "root")


# Help


def test_the_top_help_names_every_verb(cli: Cli) -> None:
    ran = cli("--help")
    assert ran.code == 0
    for verb, what in VERBS.items():
        assert any(verb in line and what in line for line in ran.out.split("\n"))
    assert cli("-h").out == cli("help").out == ran.out
    assert all(len(line) <= 120 for line in ran.out.split("\n"))


def test_no_verb_is_wrong_usage(cli: Cli) -> None:
    ran = cli()
    assert ran.code == 2
    assert "usage:" in ran.out + ran.err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_of_itself(verb: str, cli: Cli) -> None:
    ran = cli(verb, "--help")
    assert (ran.code, ran.err) == (0, "")
    head, _, example = ran.out.partition("example:\n")
    assert f"usage: ridgeline {verb}" in head
    assert any(line.strip().startswith("ridgeline ") or f"| ridgeline {verb}" in line for line in example.split("\n"))
    assert f"ridgeline {verb}" in example


def test_the_version(cli: Cli) -> None:
    from ridgeline import __version__

    assert cli("--version").out == f"ridgeline {__version__}\n"


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("chek", "did you mean check?"), ("explian", "did you mean explain?"), ("frobnicate", "the verbs are check, ")],
)
def test_an_unknown_verb_suggests_one(typed: str, hint: str, cli: Cli) -> None:
    ran = cli(typed)
    assert (ran.code, ran.out) == (2, "")
    assert f"there is no verb {typed}" in ran.err
    assert hint in ran.err


def test_an_option_before_the_verb_says_where_it_belongs(cli: Cli) -> None:
    ran = cli("--root", ".", "check")
    assert ran.code == 2
    assert "options stand after the verb" in ran.err


# What a start imports


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), *((verb, "--help") for verb in VERBS)], ids=" ".join
)
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    found = modules_after(*arguments)
    assert "argparse" in found
    assert found & HEAVY == set()


def test_check_imports_no_database_and_no_templates() -> None:
    found = modules_after("check", "--format", "json", "--no-cache")
    assert "pydantic" in found
    assert found & {"sqlalchemy", "jinja2", "mkdocs", "numpy", "jsonschema"} == set()


def test_numerals_needs_no_records_and_no_record_types(tmp_path: Path) -> None:
    assert modules_after("numerals", "-") & {"pydantic", "yaml", "sqlalchemy"} == set()


# Pipes


@pytest.mark.parametrize(
    "arguments", ["check --format json --figures", "check --help", "--help", "rules", "numerals README.md"]
)
def test_a_reader_that_goes_away_is_no_error(arguments: str) -> None:
    """``ridgeline … | head -1``, and a reader that takes nothing at all."""
    for reader in ("head -1", "true"):
        command = f"set -o pipefail; {sys.executable} -m ridgeline {arguments} | {reader}"
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "tooling")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.stderr == ""
        assert ran.returncode in (0, 1)


def test_output_is_utf_8_whatever_the_locale() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "ridgeline", "numerals", "-", "--format", "json"],
        cwd=REPOSITORY,
        env={"PYTHONPATH": str(REPOSITORY / "tooling"), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        input="about 5 × 10¹² µs".encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr == b""
    assert "5 × 10¹²" in ran.stdout.decode("utf-8")


# check


def test_check_exits_by_its_findings(root: Path, cli: Cli) -> None:
    assert cli("check", cwd=root).code == 0
    path = root / "records/classes/scores.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("6 * 7 = 42", "it has 64 KB"), encoding="utf-8")
    path.write_text(
        path.read_text(encoding="utf-8").replace("figures:\n", "figures:\n- {say: it has 64 KB, unverified: x}\n"),
        encoding="utf-8",
    )
    warned = cli("check", cwd=root)
    assert "warning[lint-kb-or-kib]" in warned.out
    assert warned.code == 0
    path.write_text(text.replace("6 * 7 = 42", "6 * 7 = 43"), encoding="utf-8")
    assert cli("check", cwd=root).code == 1


def test_check_finds_its_root_from_below(root: Path, cli: Cli) -> None:
    assert cli("check", cwd=root / "records" / "models").code == 0
    assert "no records/ in this folder or above" in cli("check", cwd=root.parent).err
    assert cli("check", cwd=root.parent).code == 2
    wrong = cli("check", "--root", root / "records")
    assert wrong.code == 2
    assert "holds no records/" in wrong.err


def test_check_of_a_path_reports_on_it_alone(root: Path, cli: Cli) -> None:
    for name in ("models/tiny", "models/small", "sources/acme-sheet"):
        path = root / "records" / f"{name}.yaml"
        path.write_text(
            path.read_text(encoding="utf-8").replace("status: verified", "status: verifed"), encoding="utf-8"
        )
    every = cli("check", "--root", root, "--format", "json").json["findings"]
    assert len([f for f in every if f["rule"] == "unknown-word"]) == 3

    def paths(*wanted: str, cwd: Path = root) -> set[str]:
        ran = cli("check", *wanted, "--root", root, "--format", "json", cwd=cwd)
        assert ran.code == 1
        return {f["path"] for f in ran.json["findings"]}

    assert paths("records/models/tiny.yaml") == {"records/models/tiny.yaml"}
    assert paths("records/models") == {"records/models/tiny.yaml", "records/models/small.yaml"}
    assert paths("records/models/") == paths("records/models")
    assert paths(str(root / "records/models/tiny.yaml")) == {"records/models/tiny.yaml"}
    assert paths("tiny.yaml", cwd=root / "records/models") == {"records/models/tiny.yaml"}
    assert paths("records/models/tiny.yaml", "records/sources") == {
        "records/models/tiny.yaml",
        "records/sources/acme-sheet.yaml",
    }
    clean = cli("check", "records/formats", "--root", root)
    assert clean.code == 0
    # A folder's name that only starts like another's is not that folder.
    assert cli("check", "records/model", "--root", root).code == 2


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("records/models/tinny.yaml", "did you mean records/models/tiny.yaml?"),
        ("nothing/here.yaml", "holds no record"),
        ("../elsewhere.yaml", "is not below"),
        ("/etc/passwd", "is not below"),
    ],
)
def test_check_of_an_unknown_path_is_wrong_usage(typed: str, hint: str, root: Path, cli: Cli) -> None:
    ran = cli("check", typed, cwd=root)
    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err


def test_check_of_a_file_that_no_kind_reads(root: Path, cli: Cli) -> None:
    (root / "records" / "notes.txt").write_text("x", encoding="utf-8")
    ran = cli("check", "records/notes.txt", cwd=root)
    assert ran.code == 1
    assert "error[stray-file]" in ran.out


def test_an_unknown_format_is_wrong_usage(cli: Cli) -> None:
    ran = cli("check", "--format", "xml")
    assert ran.code == 2
    assert "sarif" in ran.err


# rules


def test_rules_lists_all_and_shows_one(cli: Cli) -> None:
    from ridgeline.rules.catalogue import catalogue

    listed = cli("rules")
    assert [line.split()[0] for line in listed.out.splitlines()] == sorted(catalogue())
    for rule in catalogue().values():
        shown = cli("rules", rule.id)
        assert shown.code == 0
        assert shown.out.startswith(f"{rule.id} ({rule.level.value})\n\n{rule.title}\n\n")
        assert len(shown.out.strip().split("\n\n")) >= 3
    wrong = cli("rules", "second-rout")
    assert wrong.code == 2
    assert "did you mean second-route?" in wrong.err


# numerals


def test_numerals_in_json(cli: Cli) -> None:
    ran = cli("numerals", "-", "--format", "json", stdin="It takes é about 3.35 TB/s, or 25-40% of H100 peak.")
    assert ran.code == 0
    keys = {"text", "at", "kind", "comparator", "value", "unit", "interval"}
    assert all(set(row) >= keys for row in ran.json)
    first = ran.json[0]
    assert first["text"] == "3.35"
    assert first["at"] == 17
    assert first["unit"] == "byte/s"
    assert first["value"] == "3350000000000"


def test_numerals_of_a_file_and_of_none(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "x.md"
    path.write_text("7 tokens", encoding="utf-8")
    assert cli("numerals", path).json == cli("numerals", "-", stdin="7 tokens").json
    for name, hint in ((tmp_path / "y.md", "No such file"), (tmp_path, "directory")):
        ran = cli("numerals", name)
        assert ran.code == 2
        assert hint in ran.err
    path.write_bytes(b"caf\xe9")
    assert "not UTF-8" in cli("numerals", path).err
    # Reading is no check: what cannot be read is told, and no failure.
    unread = cli("numerals", "-", stdin="1,5 and more")
    assert unread.code == 0
    assert unread.json[0]["error"] == "bad_grouping"
    assert cli("numerals", "-", stdin="").json == []


# new


@pytest.mark.parametrize("kind", FOLDERS)
def test_new_leaves_only_blanks_to_fill(kind: str, root: Path, cli: Cli) -> None:
    before = {p: p.read_bytes() for p in root.rglob("*.yaml")}
    shown = cli("new", kind, "acme-next", "--dry-run", cwd=root)
    assert shown.code == 0
    assert {p: p.read_bytes() for p in root.rglob("*.yaml")} == before
    ran = cli("new", kind, "acme-next", cwd=root)
    path = root / "records" / FOLDERS[kind] / "acme-next.yaml"
    assert ran.code == 0
    assert "wrote " in ran.out
    assert path.read_text(encoding="utf-8") == shown.out
    report = cli("check", "--format", "json", cwd=root)
    assert report.code == 1
    assert {f["rule"] for f in report.json["findings"]} == {"fill-in"}
    assert {f["path"] for f in report.json["findings"]} == {f"records/{FOLDERS[kind]}/acme-next.yaml"}
    # Each blank is found, and nothing of the text that stands around it.
    blanks = sum(line.partition("#")[0].count("FILL-IN") for line in shown.out.split("\n"))
    assert len(report.json["findings"]) == blanks
    again = cli("new", kind, "acme-next", cwd=root)
    assert again.code == 2
    assert "exists already" in again.err
    assert path.read_text(encoding="utf-8") == shown.out


@pytest.mark.parametrize("kind", FOLDERS)
def test_the_modeline_of_a_skeleton_leads_to_its_schema(kind: str, cli: Cli) -> None:
    first = cli("new", kind, "x", "--dry-run").out.split("\n", 1)[0]
    relative = first.removeprefix("# yaml-language-server: $schema=")
    assert (REPOSITORY / "records" / FOLDERS[kind] / relative).resolve().is_file()


@pytest.mark.parametrize(
    ("kind", "identifier", "hint"),
    [
        ("chipset", "x", "the kinds are accelerator, model"),
        ("modle", "x", "did you mean model?"),
        ("model", "Llama 2 7B", "such as llama-2-7b"),
        ("model", "../../etc/passwd", "is no id"),
        ("model", "a/b", "such as a-b"),
        ("model", "", "is no id"),
        ("model", "a" * 81, "at most 80"),
        ("model", "été", "is no id"),
    ],
)
def test_new_of_what_cannot_be(kind: str, identifier: str, hint: str, root: Path, cli: Cli) -> None:
    for more in ((), ("--dry-run",)):
        ran = cli("new", kind, identifier, *more, cwd=root)
        assert (ran.code, ran.out) == (2, "")
        assert hint in ran.err
    assert not any("passwd" in p.name for p in root.rglob("*"))


@pytest.mark.parametrize("identifier", ["010", "123", "no", "1e3", "true", "null", "0x1f"])
@pytest.mark.parametrize("kind", ["format", "source"])
def test_an_id_that_yaml_would_misread_is_quoted(kind: str, identifier: str, root: Path, cli: Cli) -> None:
    assert cli("new", kind, identifier, cwd=root).code == 0
    found = cli("check", "--format", "json", cwd=root).json["findings"]
    assert {f["rule"] for f in found} == {"fill-in"}


# schema


def test_schema_check(root: Path, cli: Cli) -> None:
    missing = cli("schema", "--check", cwd=root)
    assert missing.code == 1
    schemas = len(versions()) + len(files())
    assert missing.out.count("out of step") == schemas
    assert cli("schema", cwd=root).out.count("wrote ") == schemas
    assert cli("schema", "--check", cwd=root).code == 0
    assert cli("schema", cwd=root).out == "all schemas are in step\n"


# Values


def test_get_and_eval_refuse_with_a_hint(root: Path, cli: Cli) -> None:
    wrong = cli("get", "accelerators/acme-won", "ridge.bf16", cwd=root)
    assert wrong.code == 2
    assert "did you mean accelerators/acme-two or accelerators/acme-one?" in wrong.err
    field = cli("get", "acme-one", "ridge.bf61", cwd=root)
    assert field.code == 1
    assert "ridge.bf16" in field.err
    assert cli("eval", "1 +", cwd=root).code == 1
    assert "^" in cli("eval", "1 +", cwd=root).err
    assert cli("eval", "one.ridge.bf16", "--subject", "one", cwd=root).code == 2
    assert cli("get", "acme-one", "ridge.bf16", "--with", "x", cwd=root).code == 2


@pytest.mark.parametrize(
    "expression", ["9^9^9", "9^64^64", "(" * 400 + ")" * 400, "1/0", "1e9999999", "a" * 501, "total", "-" * 200]
)
def test_eval_of_hostile_text_ends_at_once(expression: str, root: Path, cli: Cli) -> None:
    ran = cli("eval", "--", expression, cwd=root)
    assert ran.code == 1, ran.err
    assert ran.out == ""
    assert ran.err.startswith("ridgeline: ")


def test_get_prints_what_programs_rely_on(root: Path, cli: Cli) -> None:
    found = cli("get", "accelerators/acme-one", "ridge.bf16", "--format", "json", cwd=root).json
    assert set(found) >= {"value", "decimal", "unit", "inputs"}
    assert found["value"] == "204.8"
    assert {i["name"] for i in found["inputs"]} == {
        "accelerators/acme-one peak.bf16",
        "accelerators/acme-one memory.bandwidth",
    }
    assert all(set(i) >= {"name", "value", "unit", "source"} for i in found["inputs"])


def test_a_folder_that_cannot_be_written_is_wrong_usage(root: Path, cli: Cli) -> None:
    (root / "schema").write_text("a file, not a folder", encoding="utf-8")
    ran = cli("schema", cwd=root)
    assert ran.code == 2
    assert ran.err.startswith("ridgeline schema: ")
