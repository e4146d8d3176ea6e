"""What the site offers to programs: the API is the export, its description is valid, old ids answer."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import jsonschema
import pytest

from ridgeline.check import check
from ridgeline.export.export import export
from ridgeline.publish import downloads, renamed
from ridgeline.publish.address import Addresses
from ridgeline.publish.database import read
from ridgeline.publish.downloads import Offered
from ridgeline.publish.pen import Pen
from ridgeline.publish.written import included, pages
from ridgeline.store.load import load

DATA = Path(__file__).resolve().parent.parent / "data"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small records, of which the first accelerator and a source were called something else before."""
    root = tmp_path_factory.mktemp("downloads")
    shutil.copytree(DATA / "small" / "records", root / "records")
    for reference, old in (("sources/sheet", "old-sheet"), ("accelerators/alpha", "first, was-alpha")):
        path = root / "records" / f"{reference}.yaml"
        text = path.read_text(encoding="utf-8")
        assert text.count("\nstatus: ") == 1
        path.write_text(text.replace("\nstatus: ", f"\nformerly: [{old}]\nstatus: "), encoding="utf-8")
    path = root / "ridgeline.sqlite"
    load(check(root), path)
    return path


@pytest.fixture(scope="module")
def made(database: Path) -> tuple[Path, Offered]:
    root = database.parent / "files"
    return root, downloads.write(database, root)


def test_the_api_is_the_export(database: Path, made: tuple[Path, Offered], tmp_path: Path) -> None:
    root, _ = made
    export(database, tmp_path / "json", "json")
    exported = {p.relative_to(tmp_path / "json"): p.read_bytes() for p in (tmp_path / "json").rglob("*.json")}
    served = {p.relative_to(root / "api/v1"): p.read_bytes() for p in (root / "api/v1").rglob("*.json")}
    assert exported.pop(Path("manifest.json"))
    assert {name: served[name] for name in exported} == exported
    more = {"openapi.json", "record.v1.schema.json", "sources/old-sheet.json", "accelerators/first.json",
            "accelerators/was-alpha.json"}  # fmt: skip
    assert {p.as_posix() for p in set(served) - set(exported)} == more


def test_every_recorded_and_derived_value_stands_in_the_api(database: Path, made: tuple[Path, Offered]) -> None:
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT record, name, layer_group, text, value_exact, value_float, dimension FROM quantities"
        expected = connection.execute(query).fetchall()
    files: dict[str, Any] = {}
    for record, name, group, text, exact, double, unit in expected:
        if record not in files:
            files[record] = json.loads((made[0] / "api/v1" / f"{record}.json").read_text(encoding="utf-8"))
        (q,) = [x for x in files[record]["quantities"] if (x["name"], x["layer_group"]) == (name, group)]
        assert (q.get("printed", {}).get("text"), q["value"], q["decimal"], q["unit"]) == (text, exact, double, unit)
    assert len(expected) > 50


def test_an_old_id_answers_with_the_record(made: tuple[Path, Offered]) -> None:
    root, offered = made
    expected = {
        "accelerators/first": "accelerators/alpha", "accelerators/was-alpha": "accelerators/alpha",
        "sources/old-sheet": "sources/sheet",
    }  # fmt: skip
    assert offered.renamed == expected
    for old, new in expected.items():
        assert (root / f"api/v1/{old}.json").read_bytes() == (root / f"api/v1/{new}.json").read_bytes()


def test_the_database_and_the_tables_can_be_had(database: Path, made: tuple[Path, Offered], tmp_path: Path) -> None:
    root, _ = made
    assert (root / "data/ridgeline.sqlite").read_bytes() == database.read_bytes()
    export(database, tmp_path / "csv", "csv")
    with zipfile.ZipFile(root / "data/ridgeline-csv.zip") as archive:
        assert archive.testzip() is None
        assert {f.date_time for f in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        names = archive.namelist()
        assert names == sorted(names)
        assert set(names) == {p.name for p in (tmp_path / "csv").glob("*.csv")}
        for name in names:
            assert archive.read(name) == (tmp_path / "csv" / name).read_bytes()


def test_two_times_the_same_bytes(database: Path, made: tuple[Path, Offered], tmp_path: Path) -> None:
    assert downloads.write(database, tmp_path / "again") == made[1]
    first, again = (
        {p.relative_to(r): p.read_bytes() for p in r.rglob("*") if p.is_file()} for r in (made[0], tmp_path / "again")
    )
    assert first == again


# The description


def validator(description: dict[str, Any], name: str) -> jsonschema.Draft202012Validator:
    schema = {"$ref": f"#/components/schemas/{name}", "components": description["components"]}
    return jsonschema.Draft202012Validator(schema)


def test_the_description_is_openapi(made: tuple[Path, Offered]) -> None:
    description = json.loads((made[0] / "api/v1/openapi.json").read_text(encoding="utf-8"))
    standard = json.loads((DATA / "schemas" / "openapi-3.1.json").read_text(encoding="utf-8"))
    check_standard = jsonschema.Draft202012Validator(standard)
    assert [e.message for e in check_standard.iter_errors(description)] == []
    assert list(check_standard.iter_errors({**description, "paths": {"no-slash": {}}})) != []
    for schema in description["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    references = set(_references(description))
    assert references == {f"#/components/schemas/{name}" for name in description["components"]["schemas"]}


def _references(value: Any) -> list[str]:
    if isinstance(value, list):
        return [r for part in value for r in _references(part)]
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [r for part in value.values() for r in _references(part)]
    return []


def test_every_file_of_the_api_is_as_described(made: tuple[Path, Offered]) -> None:
    api = made[0] / "api/v1"
    description = json.loads((api / "openapi.json").read_text(encoding="utf-8"))
    kinds, one = (p["schema"] for p in description["paths"]["/{folder}/{id}.json"]["get"]["parameters"])
    seen = set()
    for path in sorted(api.rglob("*.json")):
        name = path.relative_to(api).as_posix()
        folder, _, rest = name.removesuffix(".json").partition("/")
        if f"/{name}" in description["paths"]:
            at = f"/{name}"
        elif rest:
            at = "/{folder}/{id}.json"
            jsonschema.validate(rest, one)
            jsonschema.validate(folder, kinds)
        elif name in ("openapi.json", "record.v1.schema.json"):
            continue
        else:
            at = "/{folder}.json"
            jsonschema.validate(folder, kinds)
        seen.add(at)
        content = description["paths"][at]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        errors = validator(description, content["$ref"].rpartition("/")[2]).iter_errors(json.loads(path.read_bytes()))
        assert [e.message for e in errors] == [], name
    assert seen == set(description["paths"])


# Pages


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [str(v) for k, v in attrs if tag == "a" and k == "href"]


def test_the_page_names_each_file_with_its_size_and_checksum(database: Path, made: tuple[Path, Offered]) -> None:
    root, offered = made
    content = read(database)
    text = included("# Data\n\n<!-- ridgeline: downloads -->\n", Pen(content, Addresses(content), "data/"), offered)
    assert "<!--" not in text
    links = _Links()
    links.feed(text)
    targets = [urljoin("/data/", link).lstrip("/") for link in links.found]
    assert targets == [d.address for d in offered.downloads] and len(targets) == 6
    for d in offered.downloads:
        body = (root / d.address).read_bytes()
        assert d.size == len(body) and d.sha256 == hashlib.sha256(body).hexdigest()
        assert f"{d.size:,}" in text and d.sha256 in text


def test_the_hand_written_page_leads_to_files_that_are_there(
    database: Path, made: tuple[Path, Offered], repository: Path
) -> None:
    root, offered = made
    content = read(database)
    addresses = Addresses(content)
    found = pages(repository / "site" / "pages", lambda here: Pen(content, addresses, here), offered)
    (page,) = [p for p in found if p.address == "data/"]
    links = _Links()
    links.feed(page.body)
    for link in links.found:
        assert (root / urljoin("/data/", link).lstrip("/")).is_file(), link
    assert len(links.found) >= 9 and "<!--" not in page.body


def test_files_move_into_the_site_and_spoil_nothing(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "data").mkdir(parents=True)
    (site / "data" / "index.html").write_text("page")
    (tmp_path / "files" / "data").mkdir(parents=True)
    (tmp_path / "files" / "data" / "x.zip").write_bytes(io.BytesIO(b"x").getvalue())
    downloads.place(tmp_path / "files", site)
    assert {p.name for p in (site / "data").iterdir()} == {"index.html", "x.zip"}


@pytest.mark.parametrize(
    ("base", "canonical"),
    [("", "../sheet/"), ("https://example.org/r/", "https://example.org/r/sources/sheet/"),
     ("https://example.org/r", "https://example.org/r/sources/sheet/")],
)  # fmt: skip
def test_a_page_at_an_old_id_sends_on(database: Path, tmp_path: Path, base: str, canonical: str) -> None:
    content = read(database)
    kept = tmp_path / "accelerators" / "first" / "index.html"
    kept.parent.mkdir(parents=True)
    kept.write_text("a page")
    old = {"sources/old-sheet": "sources/sheet", "accelerators/first": "accelerators/alpha"}
    renamed.pages(old, content, tmp_path, base)
    assert kept.read_text() == "a page"
    text = (tmp_path / "sources" / "old-sheet" / "index.html").read_text(encoding="utf-8")
    assert '<meta http-equiv="refresh" content="0; url=../sheet/">' in text
    assert f'<link rel="canonical" href="{canonical}">' in text
    assert '<a href="../sheet/">sources/sheet</a>' in text
