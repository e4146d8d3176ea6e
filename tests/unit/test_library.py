"""The knowledge base for programs: typed records, exact values, strict mode; and the wheel that carries it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tomllib
import zipfile
from fractions import Fraction
from pathlib import Path

import pytest

import ridgeline
from ridgeline.library import Contested, NoKnowledge, NotFound
from ridgeline.packaged import NotPackaged, write
from ridgeline.records.accelerator import Accelerator
from tests.conftest import REPOSITORY
from tests.data.repository import GOOD


def test_a_value_is_exact_and_names_its_inputs() -> None:
    value = ridgeline.open(GOOD).get("accelerators/forge-a", "ridge.bf16")
    assert value.exact == Fraction("204.8") / Fraction("1.25")
    assert (value.unit, float(value), str(value)) == ("flop/byte", 163.84, "163.84 flop/byte")
    assert [(i.field, i.printed, i.source, i.checked) for i in value.inputs] == [
        ("peaks.0.rate", "204.8 TFLOP/s", "acme-sheet", "2026-11-30"),
        ("memory.bandwidth", "1.25 TB/s", "acme-sheet", "2026-11-30"),
    ]
    assert value.contested == ()


def test_a_value_between_two_ends_has_no_exact_one() -> None:
    value = ridgeline.open(GOOD).eval("sqrt(2)")
    assert value.low < value.high
    assert value.low**2 < 2 < value.high**2
    with pytest.raises(ValueError, match="see low and high"):
        _ = value.exact


def test_records_are_typed_and_found_by_reference_or_id() -> None:
    base = ridgeline.open(GOOD)
    record = base.record("forge-a")
    assert isinstance(record, Accelerator)
    assert record is base.record("accelerators/forge-a")
    assert {type(r) for r in base.records("accelerator")} == {Accelerator}
    assert len(list(base.records())) == len(base.references())
    with pytest.raises(NotFound, match="did you mean accelerators/forge-a"):
        base.record("forge-aa")


def test_the_repository_s_own_records_are_found_without_a_folder() -> None:
    base = ridgeline.open()
    assert base.root == REPOSITORY
    assert base.get("accelerators/nvidia-h100-sxm", "ridge.bf16").unit == "flop/byte"
    assert base.schemas.joinpath("accelerator.v1.schema.json").is_file()
    with pytest.raises(NoKnowledge, match="name the folder above it"):
        ridgeline.open(REPOSITORY / "docs")


CLAIMS = """
    claims:
      - {{value: 1.25 TB/s, source: acme-sheet, at: page 6, checked: 2026-11-30, preferred: true, why: The sheet.}}
      - {{value: {value}, source: acme-sheet, at: page 9, checked: 2026-11-30{scope}}}"""


@pytest.mark.parametrize(
    ("value", "scope", "disputed"),
    [
        ("1.5 TB/s", "", True),
        ("1.5 TB/s", ", scope: pair", False),
        ("1250 GB/s", "", False),
        ("1250 GiB/s", "", True),
        ("1.2 TB/s", "", False),
        ("1254 GB/s", "", False),
        ("1255.6 GB/s", "", True),
        ("1.3 TB/s", "", False),
        ("1.31 TB/s", "", True),
        ("1.25e3 GB/s", "", False),
        ("1.25 W", "", True),
    ],
)
def test_strict_mode_raises_where_sources_disagree(
    tmp_path: Path, edit: object, value: str, scope: str, disputed: bool
) -> None:
    shutil.copytree(GOOD / "records", tmp_path / "records")
    path = tmp_path / "records" / "accelerators" / "forge-a.yaml"
    old = " {value: 1.25 TB/s, source: acme-sheet, at: page 6, checked: 2026-11-30}"
    assert callable(edit)
    edit(path, f"\n  bandwidth:{old}", "\n  bandwidth:" + CLAIMS.format(value=value, scope=scope))
    found = ridgeline.open(tmp_path).get("forge-a", "ridge.bf16")
    assert found.exact == Fraction("163.84")
    strict = ridgeline.open(tmp_path, strict=True)
    assert strict.get("forge-a", "peak.bf16").contested == ()
    if not disputed:
        assert strict.get("forge-a", "ridge.bf16").contested == ()
        return
    with pytest.raises(Contested, match=r"memory\.bandwidth: 1\.25 TB/s \(acme-sheet\), ") as error:
        strict.get("forge-a", "ridge.bf16")
    (one,) = error.value.value.contested
    assert one == found.contested[0]
    assert one.claims == ("1.25 TB/s (acme-sheet)", f"{value} (acme-sheet)")
    with pytest.raises(Contested):
        strict.eval("ridge(a, bf16)", workload="scores", a="accelerators/forge-a")


def test_records_with_errors_are_not_packaged(tmp_path: Path, edit: object) -> None:
    shutil.copytree(GOOD / "records", tmp_path / "records")
    assert callable(edit)
    edit(tmp_path / "records" / "accelerators" / "forge-a.yaml", "\nvendor: ", "\nvendr: ")
    with pytest.raises(NotPackaged, match="errors in the records"):
        write(tmp_path, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_the_same_records_are_packaged_as_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(GOOD, tmp_path / name)
    files = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(tmp_path / "b") for p in (tmp_path / "b").rglob("*") if p.is_file())
    assert [f for f in files if (tmp_path / "a" / f).read_bytes() != (tmp_path / "b" / f).read_bytes()] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the program with few records, built offline from a copy of what a source archive holds."""
    root = tmp_path_factory.mktemp("source")
    for name in (
        "EDITION",
        "pyproject.toml",
        "setup.py",
        "MANIFEST.in",
        "README.md",
        "LICENSE",
        "LICENSE-records",
        "NOTICE",
    ):
        shutil.copy(REPOSITORY / name, root)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(REPOSITORY / "tooling", root / "tooling", ignore=ignored)
    shutil.copytree(GOOD / "records", root / "records")
    # What an earlier build left behind must not be packed.
    (root / "build" / "lib" / "ridgeline").mkdir(parents=True)
    (root / "build" / "lib" / "ridgeline" / "gone.py").write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--wheel-dir", str(root / "dist"), str(root)], check=True, capture_output=True)
    (found,) = (root / "dist").glob("*.whl")
    return found


def test_the_wheel_works_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    target, elsewhere = tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True)
    program = """
import sys
sys.path = [p for p in sys.path if "tooling" not in p]
import ridgeline
base = ridgeline.open()
print(ridgeline.__file__)
print(base.get("accelerators/forge-a", "ridge.bf16"))
print(type(base.record("forge-a")).__name__, base.record("forge-a").name)
print(base.query("select count(*) as n from metadata where key = 'licence' and value = 'CC-BY-4.0'").rows)
print(sorted(p.name for p in base.schemas.iterdir())[0])
try:
    ridgeline.open(strict=True).get("accelerators/forge-a", "memory.capacity")
except ridgeline.library.Contested as error:
    print(error)
else:
    print("nothing contested")
"""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [
        str(target / "ridgeline" / "__init__.py"),
        "163.84 flop/byte",
        "Accelerator Forge A",
        "[{'n': 1}]",
        "accelerator.v1.schema.json",
        "nothing contested",
    ]


def test_the_wheel_holds_what_it_should_and_nothing_of_an_earlier_build(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        archive.extract("ridgeline/data/ridgeline.sqlite", tmp_path)
    modules = {
        p.relative_to(REPOSITORY / "tooling").as_posix() for p in (REPOSITORY / "tooling" / "ridgeline").rglob("*.py")
    }
    assert modules <= names
    assert "ridgeline/gone.py" not in names
    assert "ridgeline/py.typed" in names
    records = {f"ridgeline/data/{p.relative_to(GOOD).as_posix()}" for p in (GOOD / "records").rglob("*.yaml")}
    assert records == {name for name in names if name.startswith("ridgeline/data/records/")}
    connection = sqlite3.connect(tmp_path / "ridgeline/data/ridgeline.sqlite")
    assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_wheel_is_built_with_the_versions_that_it_runs_with() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {r for r in project["build-system"]["requires"] if not r.startswith("setuptools")}
    assert wanted <= set(project["project"]["dependencies"])


def test_opening_does_not_make_the_command_start_slower() -> None:
    program = "import sys, ridgeline; print(sorted(m for m in sys.modules if m.startswith('ridgeline')))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "['ridgeline']\n"
