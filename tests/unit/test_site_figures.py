"""What the page of a derivation computes with, and how its number is cited and called into question."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from ridgeline.check import check
from ridgeline.publish import asking, live
from ridgeline.publish.address import Addresses
from ridgeline.publish.cite import citation
from ridgeline.publish.content import Database
from ridgeline.publish.database import read
from ridgeline.publish.derived import full_title
from ridgeline.publish.pen import Pen
from ridgeline.store.load import load
from tests.acceptance.conftest import build

_MATH = {
    "min": min, "max": max, "ceil": lambda x: -(-x // 1), "floor": lambda x: x // 1, "abs": abs,
    "sqrt": lambda x: x**0.5, "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b, "^": lambda a, b: a**b, "neg": lambda a: -a,
}  # fmt: skip


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Database:
    folder = tmp_path_factory.mktemp("figures")
    load(check(build(folder / "root")), folder / "ridgeline.db")
    return read(folder / "ridgeline.db")


def pen(content: Database, **more: Any) -> Pen:
    return Pen(content, Addresses(content), "f/x/", **more)


def run(program: live.Program, inputs: list[float]) -> list[float]:
    values = [*inputs, *program.numbers]
    for operation, *parts in program.steps:
        arguments = [values[program.place(part)] for part in parts]
        values.append(_MATH[live.OPERATIONS[operation]](*arguments))
    return values


def test_every_program_comes_to_the_value_of_its_derivation(content: Database) -> None:
    seen = 0
    for d in content.derivations.values():
        program = live.program(content, d)
        if program is None or d.value is None:
            continue
        values = run(program, [content.derivations[i].value or 0.0 for i in program.inputs])
        assert values[program.place(program.results[d.id])] == pytest.approx(d.value, rel=1e-12), d.label
        seen += 1
    assert seen > 100


def test_only_what_rests_on_numbers_alone_has_no_program(content: Database) -> None:
    without = [d for d in content.derivations.values() if d.formula is not None and live.program(content, d) is None]
    assert [d.label for d in without if any(leaf.given_record for leaf in content.leaves(d.id))] == []


def test_a_program_is_cut_to_its_own_formula_where_it_would_be_long(
    content: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = max(content.derivations.values(), key=lambda d: len(content.leaves(d.id)) if d.formula else 0)
    whole = live.program(content, d)
    monkeypatch.setattr(live, "MOST_STEPS", 4)
    cut = live.program(content, d)
    assert whole is not None and len(whole.steps) > 4
    assert cut is None or len(cut.steps) <= 4


def test_the_data_block_ends_where_it_should(content: Database) -> None:
    ridge = next(d for d in content.derivations.values() if d.label.startswith("ridge"))
    object.__setattr__(ridge, "display", "1 </script><script>alert(1)</script>")
    found = live.payload(pen(content), ridge)
    assert found is not None
    inner = re.fullmatch(r'<script type="application/json" id="program">(.*)</script>', str(found.block))
    assert inner is not None and "<" not in inner[1]
    data = json.loads(inner[1])
    assert len(data["inputs"]) == found.fields
    assert len({i["name"] for i in data["inputs"]}) == found.fields
    assert all(
        abs(float(i["text"].replace(",", "")) * i["factor"] - i["value"]) <= 1e-12 * i["value"] for i in data["inputs"]
    )


def test_a_citation_says_what_it_is_of_in_three_forms(content: Database) -> None:
    d = next(d for d in content.derivations.values() if d.label.startswith("ridge"))
    here = pen(content, base_url="https://example.org/r/")
    title = full_title(here, d)
    cited = citation(here, title, d)
    (item,) = json.loads(cited.csl)
    address = f"https://example.org/r/{Addresses(content).derivation(d.id)}"
    assert item["URL"] == address and item["title"] == f"{title} = {d.shown}"
    assert cited.text.startswith(f"Ridgeline: {title} = {d.shown}") and cited.text.endswith(address)
    assert cited.bibtex.startswith("@misc{") and cited.bibtex.count("{") == cited.bibtex.count("}")
    assert citation(pen(content), title, d).text.endswith(".")
    assert r"a\_b \& 5\%" in citation(here, "a_b & 5%", d).bibtex


def test_a_question_fills_in_the_form_of_the_repository(repository: Path) -> None:
    link = asking.question("https://git.example.org/r", "accelerators/a memory.bandwidth", "3 TB/s & more")
    assert link is not None
    given = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    form = yaml.safe_load(
        (repository / ".github" / "ISSUE_TEMPLATE" / given.pop("template")).read_text(encoding="utf-8")
    )
    fields = {part["id"] for part in form["body"] if "id" in part}
    assert given.pop("title").startswith(form["title"])
    assert given == {"record": "accelerators/a memory.bandwidth", "stands": "3 TB/s & more"} and set(given) <= fields
    assert asking.question(None, "x", "y") is None
    assert asking.question("javascript:alert(1)//", "x", "y") is None


def test_the_page_and_the_browser_have_the_same_operations(repository: Path) -> None:
    source = (repository / "site" / "code" / "program.ts").read_text(encoding="utf-8")
    found = {int(n): kind for kind, n in re.findall(r"^(ONE|TWO)\[(\d+)\] =", source, re.MULTILINE)}
    two = {"+", "-", "*", "/", "^", "min", "max"}
    assert found == {n: "TWO" if name in two else "ONE" for n, name in enumerate(live.OPERATIONS)}
