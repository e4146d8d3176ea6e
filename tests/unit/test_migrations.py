"""Records of older schema versions: read as what they are, lifted in memory, rewritten by `ridgeline migrate`."""

from __future__ import annotations

import copy
import difflib
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ridgeline.knowledge.base import paths
from ridgeline.records import migrations
from ridgeline.records.beside import files
from ridgeline.records.interconnect import Interconnect
from ridgeline.records.kinds import FOLDERS, VERSIONS, kinds, versions
from ridgeline.records.layout import formatted
from ridgeline.records.migrations.steps import Add, Replace, applied, edits
from ridgeline.records.order import ordered
from ridgeline.records.validate import validate
from ridgeline.text.document import read
from ridgeline.text.splice import splice
from tests.conftest import REPOSITORY, Cli, Edit

HEAD = "schema: interconnect/1\nid: x\nname: X\nrevision: 1\nstatus: verified\nvendor: V\n"
ORIGIN = "source: s, checked: 2026-11-30"
LANES = f"lane_rate: {{value: 16 Gbit/s, {ORIGIN}}}\nlanes: {{value: 8 lane, {ORIGIN}}}\n"
ENCODED = f'efficiency: {{value: "0.9", {ORIGIN}}}\n'
RATE = f"per_direction: {{value: 16 GB/s, {ORIGIN}}}\n"

#: Case → a record of version 1, and what version 2 says that its rates are.
EXAMPLES: dict[str, tuple[str, str | None]] = {
    "lanes without an encoding": (HEAD + LANES + RATE, "bare"),
    "lanes with one": (HEAD + LANES + ENCODED + RATE, "net"),
    "an encoding alone": (HEAD + ENCODED + RATE, "net"),
    "no lanes": (HEAD + RATE, None),
    "a rate of lanes without their number": (HEAD + LANES.split("\n", maxsplit=1)[0] + "\n" + RATE, None),
    "no rates at all": (HEAD + LANES, "bare"),
    "empty fields": (HEAD + LANES + "efficiency: null\n" + RATE, "bare"),
    "comments and another order": (
        "# yaml-language-server: $schema=../../schema/interconnect.v1.schema.json\n# mine\n"
        + RATE
        + "# of the lanes\n"
        + LANES.replace("}\n", "}   # beside\n")
        + "# after them\n"
        + HEAD,
        "bare",
    ),
    "in brackets": (
        '{schema: interconnect/1, id: x, name: X, revision: 1, status: draft, vendor: V, efficiency: {basis: derived, from: "1"}}\n',
        "net",
    ),
    "quoted": (HEAD.replace("schema: interconnect/1", '"schema": "interconnect/1"') + LANES, "bare"),
    "no last line break": ((HEAD + LANES).rstrip("\n"), "bare"),
}


@pytest.mark.parametrize("case", EXAMPLES)
def test_a_record_of_version_1_is_read_and_lifted(case: str) -> None:
    source, rates = EXAMPLES[case]
    document = read("records/interconnects/x.yaml", source)
    before = copy.deepcopy(document.data)
    record, findings = validate(document)
    assert findings == []
    assert isinstance(record, Interconnect)
    assert (record.schema_, record.rates) == ("interconnect/2", rates)
    assert document.data == before


@pytest.mark.parametrize("case", EXAMPLES)
def test_the_text_and_the_data_are_migrated_alike(case: str) -> None:
    source, rates = EXAMPLES[case]
    document = read("records/interconnects/x.yaml", source)
    text = migrations.rewritten(document)
    new = read(document.path, text)
    assert new.findings == []
    assert new.data == migrations.lifted(document.data)
    assert new.data.get("rates") == rates
    # Only what the versions differ in is touched.
    lines = list(difflib.ndiff(source.splitlines(), text.splitlines()))
    gone = [line[2:] for line in lines if line.startswith("- ")]
    came = [line[2:] for line in lines if line.startswith("+ ")]
    assert all("interconnect" in line for line in gone)
    assert all("interconnect" in line or line == f"rates: {rates}" for line in came)
    assert re.findall("#.*", text) == [c.replace(".v1.", ".v2.") for c in re.findall("#.*", source)]
    # What is migrated is what was read before, and stays as it is.
    assert validate(new)[0] == validate(document)[0]
    assert migrations.rewritten(new) == text
    assert migrations.lifted(new.data) == new.data


@pytest.mark.parametrize("case", EXAMPLES)
def test_migration_and_layout_come_to_the_same_in_either_order(case: str) -> None:
    document = read("records/interconnects/x.yaml", EXAMPLES[case][0])
    migrated = read(document.path, migrations.rewritten(document))
    laid_out = read(document.path, formatted(document)[0])
    assert formatted(migrated)[0] == formatted(read(document.path, migrations.rewritten(laid_out)))[0]


@pytest.mark.parametrize(
    ("source", "rule", "found"),
    [
        (HEAD + LANES + "rates: bare\n", "unknown-field", "rates"),
        (HEAD + "lanes: 8\n", "wrong-type", "8"),
        (HEAD.replace("vendor: V\n", "") + RATE, "missing-field", ""),
    ],
)
def test_a_record_of_version_1_is_held_against_version_1(source: str, rule: str, found: str) -> None:
    record, findings = validate(read("records/interconnects/x.yaml", source))
    assert record is None
    assert [(f.rule, f.found) for f in findings] == [(rule, found)]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (LANES, "say in rates: what the printed one counts"),
        (ENCODED, "write rates: net"),
        (LANES + ENCODED + "rates: bare\n", "write rates: net"),
    ],
)
def test_version_2_says_what_the_rates_are(source: str, message: str) -> None:
    text = HEAD.replace("interconnect/1", "interconnect/2") + source
    record, (finding,) = validate(read("records/interconnects/x.yaml", text))
    assert record is None
    assert finding.rule == "inconsistent"
    assert message in f"{finding.message}. Next: {finding.mend}"


@pytest.mark.parametrize("version", ["3", "12", "003"])
def test_a_version_that_nobody_knows_yet_is_a_clear_finding(version: str) -> None:
    stated = f"interconnect/{version}"
    record, (finding,) = validate(read("records/interconnects/x.yaml", HEAD.replace("interconnect/1", stated)))
    assert record is None
    assert finding.rule == "schema-line"
    assert finding.message == f"{stated} is newer than what this tool reads of the kind interconnect"
    assert (finding.found, finding.expected) == (stated, "interconnect/2")
    assert (finding.place.line, finding.place.column, finding.place.length) == (1, 9, len(stated))


@pytest.mark.parametrize(
    "stated", ["interconnect/0", "interconnect/", "interconnect/x", "interconnect/2.0", "interconect/2"]
)
def test_a_version_that_never_was_is_another(stated: str) -> None:
    _, (finding,) = validate(read("records/interconnects/x.yaml", HEAD.replace("interconnect/1", stated)))
    assert finding.message.startswith("unknown schema")
    assert "did you mean interconnect/" in finding.mend or "interconnect/2" in finding.mend


def test_the_migrations_are_numbered_and_lead_to_the_newest_version() -> None:
    known = versions()
    assert {stated for stated in known if known[stated] != kinds()[known[stated].name]} == set(migrations.migrations())
    for stated, module in migrations.migrations().items():
        assert known[stated].version == module.TO - 1
        assert module.__name__.endswith(f".{module.KIND}_{module.TO}")
    for kind in FOLDERS:
        assert [k.version for k in known.values() if k.name == kind] == [*range(1, VERSIONS[kind] + 1)]


def test_the_schemas_of_all_versions_are_published() -> None:
    for stated, kind in versions().items():
        body = json.loads((REPOSITORY / "schema" / kind.schema_name).read_text(encoding="utf-8"))
        assert body["properties"]["schema"]["const"] == stated
    names = {p.name for p in (REPOSITORY / "schema").glob("*.json")}
    assert names == {kind.schema_name for kind in (*versions().values(), *files().values())}


@pytest.mark.parametrize("path", sorted(p.name for p in paths(REPOSITORY) if p.parent.name == "interconnects"))
def test_every_interconnect_can_be_migrated(path: str) -> None:
    document = read(f"records/interconnects/{path}", (REPOSITORY / "records/interconnects" / path).read_bytes())
    text = migrations.rewritten(document)
    new = read(document.path, text)
    schema = json.loads((REPOSITORY / "schema/interconnect.v2.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(new.data, schema)
    assert validate(new) == validate(document)


# The steps of migrations to come.


def changed(source: str, *steps: Any) -> str:
    document = read("x", source)
    wanted = applied(document.data, steps)
    text = splice(source, edits(document, steps, lambda path, keys: ordered(None, wanted, path, keys)))
    assert read("x", text).data == wanted
    return text


@pytest.mark.parametrize(
    ("source", "step", "expected"),
    [
        ("a: 1\nb: 2  # b\n", Replace(("a",), "no"), 'a: "no"\nb: 2  # b\n'),
        ("a: {b: 1, c: [2, 3]}\n", Replace(("a", "c", 1), "x, y"), 'a: {b: 1, c: [2, "x, y"]}\n'),
        ("a: |\n  one\n# b\nb: 1\n", Add((), "c", True), "a: |\n  one\n# b\nb: 1\nc: true\n"),
        ("a:\n  b: 1\n  # of a\nd: 2\n", Add(("a",), "c", None), "a:\n  b: 1\n  # of a\n  c: null\nd: 2\n"),
        (
            "a:\n  - b: 1\n    # x\n  # y\n  - c: 2\n",
            Add(("a", 0), "z", 3),
            "a:\n  - b: 1\n    # x\n    z: 3\n  # y\n  - c: 2\n",
        ),
        ("a: {}\nb: 1\n", Add(("a",), "c", "d, e"), 'a: {c: "d, e"}\nb: 1\n'),
        ("a: {b: 1}\n", Add(("a",), "c", 2), "a: {b: 1, c: 2}\n"),
        ("a: [{b: [1]}, 2]\n", Add(("a", 0), "c", 2), "a: [{b: [1], c: 2}, 2]\n"),
    ],
)
def test_the_steps(source: str, step: Any, expected: str) -> None:
    assert changed(source, step) == expected


def test_several_steps_at_once() -> None:
    assert changed("a: 1\nb: 2\n", Replace(("b",), 3), Add((), "c", 4), Replace(("a",), 0)) == "a: 0\nb: 3\nc: 4\n"


# The verb.


@pytest.fixture
def root(tmp_path: Path) -> Path:
    import shutil

    root = tmp_path / "root"
    shutil.copytree(REPOSITORY / "tests/acceptance/records/good/records", root / "records")
    path = root / "records/interconnects/acme-wire.yaml"
    text = path.read_text(encoding="utf-8").replace("interconnect/2", "interconnect/1").replace(".v2.", ".v1.")
    path.write_text(re.sub(r"rates: \w+\n", "", text), encoding="utf-8")
    return root


def test_a_check_of_version_1_finds_nothing(root: Path, cli: Cli) -> None:
    ran = cli("check", "--no-cache", cwd=root)
    assert ran.code == 0
    assert ran.out.endswith("findings: none\n")


def test_migrate(root: Path, cli: Cli) -> None:
    line = "records/interconnects/acme-wire.yaml: interconnect/1 → interconnect/2"
    path = root / "records/interconnects/acme-wire.yaml"
    before = path.read_bytes()
    ran = cli("migrate", "--check", cwd=root)
    assert (ran.code, ran.out) == (1, f"{line} to do\n")
    assert path.read_bytes() == before
    assert cli("get", "interconnects/acme-wire", "route", cwd=root).code == 0
    routes = cli("get", "interconnects/acme-wire", "route", cwd=root).out
    ran = cli("migrate", "records/interconnects", cwd=root)
    assert (ran.code, ran.out) == (0, f"{line}\n")
    assert "\nrates: net\n" in path.read_text(encoding="utf-8")
    assert cli("check", "--no-cache", cwd=root).out.endswith("findings: none\n")
    assert cli("get", "interconnects/acme-wire", "route", cwd=root).out == routes
    ran = cli("migrate", "--check", cwd=root)
    assert (ran.code, ran.out) == (0, "all records are of the newest version\n")


def test_a_record_that_is_wrong_in_its_own_version_is_left_alone(root: Path, cli: Cli, edit: Edit) -> None:
    path = root / "records/interconnects/acme-wire.yaml"
    edit(path, "vendor: Acme\n", "vender: Acme\n")
    before = path.read_bytes()
    ran = cli("migrate", cwd=root)
    assert ran.code == 1
    assert ran.out.startswith("left as they are:\n")
    assert "unknown-field" in ran.out
    assert path.read_bytes() == before


def test_a_text_that_would_not_read_as_the_record_is_left_alone(
    root: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "records/interconnects/acme-wire.yaml"
    before = path.read_bytes()
    monkeypatch.setattr(migrations, "edits", lambda document, steps, order: [])
    ran = cli("migrate", cwd=root)
    assert ran.code == 1
    assert ran.out.startswith("left as they are:\nrecords/interconnects/acme-wire.yaml: its text cannot be edited")
    assert path.read_bytes() == before


def test_a_record_of_the_future_is_left_alone(root: Path, cli: Cli, edit: Edit) -> None:
    path = root / "records/interconnects/acme-wire.yaml"
    edit(path, "schema: interconnect/1", "schema: interconnect/3")
    ran = cli("migrate", "--check", cwd=root)
    assert ran.code == 1
    assert "interconnect/3 is newer than what this tool reads" in ran.out


def test_both_versions_load_to_the_same_rows(root: Path, cli: Cli) -> None:
    query = ("query", "SELECT * FROM interconnects", "--format", "json")
    assert cli("load", cwd=root).code == 0
    first = cli(*query, cwd=root).json
    assert cli("migrate", cwd=root).code == 0
    assert cli("load", cwd=root).code == 0
    assert cli(*query, cwd=root).json == first
    assert "net" in first["rows"][0].values() if isinstance(first["rows"][0], dict) else "net" in first["rows"][0]
