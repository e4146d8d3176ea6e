"""How the site writes text, prose, formulas, drawings and addresses, without running the site generator."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from markupsafe import Markup

from ridgeline.check import check
from ridgeline.publish import roofline as drawing
from ridgeline.publish.address import Addresses
from ridgeline.publish.build import BuildError, build, record_page
from ridgeline.publish.content import Database, Figure, readable
from ridgeline.publish.database import DatabaseError, read
from ridgeline.publish.derived import grouped
from ridgeline.publish.markup import clean, formula, relative, safe, slug, web_address
from ridgeline.publish.page import Page, block_markdown
from ridgeline.publish.pen import Pen
from ridgeline.publish.prose import blocks, inline
from ridgeline.publish.views import signed_percent
from ridgeline.publish.written import included
from ridgeline.store.load import load

SMALL = Path(__file__).resolve().parent.parent / "data" / "small"
SOURCE = str(Path(__file__).resolve().parents[2] / "tooling")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("publish") / "ridgeline.db"
    load(check(SMALL), path)
    return path


@pytest.fixture(scope="module")
def database(path: Path) -> Database:
    return read(path)


@pytest.fixture(scope="module")
def pen(database: Database) -> Pen:
    return Pen(database, Addresses(database), "accelerators/alpha/")


def figure(text: str, numeral: str, status: str = "recomputed", holds: bool | None = True) -> Figure:
    at = text.index(numeral)
    return Figure(
        record="classes/work", field="text.notes", ordinal=0, at=at, length=len(numeral), text=numeral, status=status,
        grade="exact", holds=holds, expression=None, equation=None, derivation=None, computed=None, because=None,
        rule=None, reason=None, source=None, locator=None, checked=None,
    )  # fmt: skip


def mark(f: Figure) -> Markup:
    return Markup("<a>{}</a>").format(f.text)


# Text


def test_text_is_escaped_once_and_loses_control_characters() -> None:
    assert safe('<script>"&') == "&lt;script&gt;&#34;&amp;"
    assert safe(safe("<")) == "&lt;"
    assert clean("a\x02b\u202ec\r\nd\te") == "a\ufffdb\ufffdc\nd\te"


@pytest.mark.parametrize(
    "text",
    ["javascript:alert(1)", "data:text/html,x", "//host/x", "https://", "http://a b", "https://x\n.y", "ftp://x", "x"],
)
def test_no_other_address_than_a_web_address(text: str) -> None:
    assert web_address(text) is None


def test_web_addresses_stay_as_they_are() -> None:
    assert web_address("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"
    assert web_address(None) is None


@pytest.mark.parametrize(
    ("start", "target", "link"),
    [
        ("", "accelerators/x/", "accelerators/x/"),
        ("accelerators/x/", "", "../../"),
        ("accelerators/x/", "accelerators/y/", "../y/"),
        ("accelerators/x/", "f/a.b/#s-used", "../../f/a.b/#s-used"),
        ("accelerators/x/", "accelerators/x/#memory.bandwidth", "#memory.bandwidth"),
        ("accelerators/x/", "accelerators/", "../"),
        ("accelerators/", "accelerators/x/", "x/"),
        ("a/", "a/", "./"),
        ("", "assets/a b.css", "assets/a%20b.css"),
    ],
)
def test_relative_links(start: str, target: str, link: str) -> None:
    assert relative(start, target) == link


def test_slugs_hold_nothing_that_needs_quoting() -> None:
    assert slug("L_ridge(h100, bf16, g=4)") == "L_ridge-h100-bf16-g-4"
    assert slug("../../etc") == "etc"
    assert slug("<>") == "x"


# Formulas


def test_mathml_of_the_closed_list_passes() -> None:
    text = '<mrow><mi class="a">L</mi><mo form="prefix">−</mo><mn>1.5</mn></mrow>'
    assert formula(text) == text


def test_operators_between_words_keep_their_room() -> None:
    assert formula("<mtext>a</mtext><mo>+</mo><mtext>b</mtext>") == (
        '<mtext>a</mtext><mo form="infix">+</mo><mtext>b</mtext>'
    )


def test_long_whole_numbers_in_formulas_are_grouped() -> None:
    assert formula("<mn>68976648192</mn><mn>0.12345</mn><mn>1024</mn>") == (
        "<mn>68,976,648,192</mn><mn>0.12345</mn><mn>1024</mn>"
    )


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "<mi><img src=x></mi>", "<mi>", "</mi>", "<!-- x -->", "<annotation-xml>x"]
)
def test_any_other_markup_in_a_formula_is_shown_as_text(text: str) -> None:
    found = formula(text)
    assert found == f"<mtext>{safe(text)}</mtext>"


def test_foreign_attributes_of_a_formula_are_dropped() -> None:
    assert formula('<mi onclick="x" data-name="a&quot;b">L</mi>') == '<mi data-name="a&#34;b">L</mi>'


# Prose


def test_numerals_are_linked_where_they_stand() -> None:
    text = "It crosses at 591 tokens, not at 592."
    assert blocks(text, [figure(text, "591")], mark) == "<p>It crosses at <a>591</a> tokens, not at 592.</p>"


def test_paragraphs_lists_and_code() -> None:
    text = "One `g * L / 2` two.\n\nThree:\n- four 4\n  more\n- five\n\n1. six\n"
    assert blocks(text, [figure(text, "4")], mark) == "\n".join(
        [
            "<p>One <code>g * L / 2</code> two.</p>", "<p>Three:</p>", "<ul>", "<li>four <a>4</a>\n  more</li>",
            "<li>five</li>", "</ul>", "<ol>", "<li>six</li>", "</ol>",
        ]
    )  # fmt: skip


def test_a_numeral_in_code_is_linked_and_a_name_is_not() -> None:
    text = "`a = 16` and `b2`"
    assert inline(text, [figure(text, "16")], mark) == "<code>a = </code><a>16</a> and <code>b2</code>"
    assert inline(text, [figure(text, "16", "set-aside")], mark) == "<code>a = 16</code> and <code>b2</code>"


def test_nothing_in_prose_is_markup() -> None:
    text = "# No <b>heading</b> [x](javascript:1) {{ 1 }} ![i](j)\n\n```\ncode\n```"
    html = blocks(text, [], mark)
    assert "<b>" not in html and "<a" not in html and "<h1" not in html and "{{ 1 }}" in html


@pytest.mark.parametrize("text", ["", "\n\n\n", "- ", "`", "``", "-\n-\n", "a\n\n- b\n\n\n"])
def test_every_letter_of_a_text_is_kept(text: str) -> None:
    letters = re.sub(r"<[^>]+>", "", blocks(text, [], mark))
    assert [c for c in letters if c.isalpha()] == [c for c in text if c.isalpha()]


def test_a_wrong_number_says_so_in_words(pen: Pen) -> None:
    html = pen.figure(figure("at 591 tokens", "591", holds=False))
    assert "fig-failing" in html and ">does not hold<" in html
    waived = pen.figure(
        replace(figure("at 591 tokens", "591", holds=False), waived="waived until 2027-02-28 by acme: X.")
    )
    assert "fig-failing" in waived and ">does not hold (waived)<" in waived
    assert 'class="mark">unverified<' in pen.figure(figure("at 591 tokens", "591", "unverified", None))
    assert pen.figure(figure("at 591 tokens", "591", "set-aside", None)) == "591"


# Pages


def test_html_blocks_leave_markdown_nothing_to_read() -> None:
    html = '<div>\n\n```\nx\n~~~\n   \n</div>\n\n## Peaks {: #s-peaks }\n\n<div class="rl">\n\ny</div>'
    assert block_markdown(html) == (
        '<div>\n&#96;&#96;&#96;\nx\n&#126;&#126;&#126;\n</div>\n\n## Peaks {: #s-peaks }\n\n<div class="rl">\ny</div>'
    )


def test_front_matter_holds_any_title() -> None:
    import yaml

    page = Page("x/", 'a: "b"\n---\n<script>', "d", "body")
    _, head, body = page.markdown().split("---\n", 2)
    assert yaml.safe_load(head)["title"] == "a: &#34;b&#34;\n---\n&lt;script&gt;"
    assert body.strip() == "body"


def test_hand_written_pages_get_their_tables(pen: Pen) -> None:
    text = included("# A\n\n<!-- ridgeline: accelerator table -->\n", pen)
    assert "<!--" not in text and "Alpha One" in text and "<table" in text


def test_every_stated_value_stands_on_its_records_page(database: Database) -> None:
    addresses = Addresses(database)
    for record in database.records.values():
        page = record_page(Pen(database, addresses, f"{record.reference}/"), record)
        for q in database.of_record.get(record.reference, []):
            if q.text is not None and q.basis != "derived":
                assert str(safe(q.text)) in page.body, (record.reference, q.name)


def test_an_edit_link_needs_a_repository(database: Database) -> None:
    addresses = Addresses(database)
    record = database.records["accelerators/alpha"]
    plain = record_page(Pen(database, addresses, "accelerators/alpha/"), record)
    linked = record_page(Pen(database, addresses, "accelerators/alpha/", "https://git.example.org/r/"), record)
    assert "Edit this record" not in plain.body
    assert 'href="https://git.example.org/r/edit/main/records/accelerators/alpha.yaml"' in linked.body


# Numbers


def test_numbers_for_people() -> None:
    assert readable("68976648192 param") == "68,976,648,192 param"
    assert readable("≈ 1234.56789 token, 0.1234567") == "≈ 1234.56789 token, 0.1234567"
    assert grouped("-1234567/89") == "−1,234,567 / 89"
    assert grouped("1234.5678") == "1,234.5678"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0161, "+1.61 %"), (-0.0014, "−0.14 %"), (0.00003, "+0.003 %"), (1e-9, "under 0.001 %"), (0.5, "+50.0 %")],
)
def test_differences_of_two_routes(share: float, text: str) -> None:
    assert signed_percent(share) == text


# Addresses and derivations


def test_a_derivation_keeps_its_address_when_a_value_changes(path: Path, tmp_path: Path) -> None:
    root = tmp_path / "changed"
    import shutil

    shutil.copytree(SMALL, root)
    record = root / "records" / "accelerators" / "alpha.yaml"
    record.write_text(record.read_text().replace("value: 3.35 TB/s", "value: 3.9 TB/s"))
    load(check(root), tmp_path / "changed.db")
    before, after = read(path), read(tmp_path / "changed.db")
    assert set(Addresses(before).derivations().values()) == set(Addresses(after).derivations().values())
    ridge = "accelerators/alpha", "ridge.bf16", None
    assert before.by_name[ridge].exact != after.by_name[ridge].exact


def test_one_page_for_a_value_under_several_names(database: Database) -> None:
    addresses = Addresses(database).derivations()
    assert "f/accelerators.alpha.ridge.bf16/" in addresses.values()
    assert len(set(addresses.values())) == len(addresses)
    assert len({a.lower() for a in addresses.values()}) == len(addresses)
    for d in database.derivations.values():
        assert all(step.child in database.derivations for step in d.steps)
    assert all(q.derivation in database.derivations for q in database.quantities.values() if q.derivation)


def test_a_recorded_value_leads_to_where_it_is_stated(database: Database) -> None:
    addresses = Addresses(database)
    bandwidth = database.by_name["accelerators/alpha", "memory.bandwidth", None]
    assert addresses.quantity(bandwidth) == "accelerators/alpha/#memory.bandwidth"
    assert addresses.derivation(bandwidth.derivation) == "accelerators/alpha/#memory.bandwidth"
    ridge = database.by_name["accelerators/alpha", "ridge.bf16", None]
    assert addresses.quantity(ridge) == "f/accelerators.alpha.ridge.bf16/"
    leaves = {d.given_field for d in database.leaves(ridge.derivation or "")}
    assert leaves == {"peaks.0.rate", "memory.bandwidth.claims.0"}


# The drawing


def roof(label: str, rate: float) -> drawing.Roof:
    return drawing.Roof(label, rate, f"{rate:g} op/s", f"{rate / 1e12:g} op/byte")


def test_ridge_points_stand_where_the_lines_meet() -> None:
    html = drawing.roofline("X", 1e12, "1 TB/s", [roof("a", 1e14), roof("b", 1e13)], "r")
    points = [tuple(float(n) for n in p.split(",")) for p in re.findall(r'roof-0" points="[^ ]+ ([^ ]+) ', html)]
    dots = re.findall(r'<circle class="ridge roof-0" cx="([\d.]+)" cy="([\d.]+)"', html)
    assert points == [tuple(float(n) for n in dots[0])]
    decade = [float(n) for n in re.findall(r'<text class="tick" x="([\d.]+)" y="\d+" ', html)]
    assert float(dots[0][0]) == pytest.approx(decade[2], abs=0.2)  # an intensity of 100: axis from 1
    assert "ridge point of a: 100 op/byte" in html


@pytest.mark.parametrize("count", [1, 2, 8, 20])
def test_labels_never_overlap(count: int) -> None:
    html = drawing.roofline("X", 1e12, "1 TB/s", [roof(f"f{i}", 1e14 + i * 1e12) for i in range(count)], "r")
    heights = [float(y) for y in re.findall(r'<text class="label" x="\d+" y="([\d.]+)"', html)]
    assert len(heights) == count
    assert all(b - a >= 14.9 for a, b in pairwise(heights))
    assert all(0 < y < drawing.HEIGHT for y in heights)


def test_no_drawing_without_a_peak_or_a_bandwidth() -> None:
    assert drawing.roofline("X", 0.0, "", [roof("a", 1e14)], "r") == ""
    assert drawing.roofline("X", 1e12, "", [], "r") == ""
    assert drawing.roofline("X", 1e12, "", [replace(roof("a", 1e14), rate=float("inf"))], "r") == ""


def test_a_hostile_name_in_a_drawing_is_text() -> None:
    html = drawing.roofline("<script>", 1e12, "<b>", [replace(roof("<i>", 1e14), shown="<u>")], "r")
    assert not re.search(r"<(?:script|b|i|u)>", html)


# What cannot be built


def test_a_database_of_another_version_is_refused(path: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "other.db"
    shutil.copy(path, other)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("UPDATE metadata SET value = '0' WHERE key = 'schema_version'")
        connection.commit()
    with pytest.raises(DatabaseError, match="schema version 0"):
        read(other)
    with pytest.raises(DatabaseError, match="there is no database"):
        read(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(DatabaseError, match="cannot be read"):
        read(tmp_path / "text.db")


def test_addresses_that_are_none_are_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="repository URL"):
        build(path, tmp_path / "site", repository_url="javascript:alert(1)")
    with pytest.raises(BuildError, match="base URL"):
        build(path, tmp_path / "site", base_url="example.org")
    assert not (tmp_path / "site").exists()


def test_a_failed_build_leaves_the_old_site(path: Path, tmp_path: Path) -> None:
    output = tmp_path / "site"
    output.mkdir()
    (output / "index.html").write_text("old")
    broken = tmp_path / "broken"
    (broken / "assets").mkdir(parents=True)
    (broken / "pages").mkdir()
    (broken / "mkdocs.yml").write_text("site_name: x\ntheme: {name: there-is-no-such-theme}\n")
    from ridgeline.publish.shell import ShellError

    with pytest.raises(ShellError, match="there-is-no-such-theme"):
        build(path, output, site=broken)
    assert (output / "index.html").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_pages_are_written_from_the_database_alone() -> None:
    import subprocess
    import sys

    code = (
        "import sys, ridgeline.publish.build, ridgeline.publish.serve\n"
        "print(*sorted({m.split('.')[1] for m in sys.modules if m.startswith('ridgeline.')}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": SOURCE}
    )
    # Programs of derivations are written from the formulas in the database, by the language that they are in.
    assert ran.stdout.split() == ["export", "formulas", "numbers", "publish"]
