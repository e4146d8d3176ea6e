"""The comment on a pull request: short enough, summary first, and deaf to whatever strangers write into records."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import html5lib
import pytest
from markdown_it import MarkdownIt

from ridgeline.difference.comment import LIMIT, MARK, code, comment
from ridgeline.difference.difference import MOST_RECORDS, Difference, difference
from ridgeline.difference.records import RecordChange
from ridgeline.difference.revisions import side
from tests.conftest import Cli
from tests.data.repository import Repository

ONE = "accelerators/acme-one"
#: GitHub's Markdown, as far as it matters here: CommonMark with tables, and HTML let through.
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
CODE = {"code", "pre"}
HOSTILE = (
    "@octocat and @org/team",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[click](https://evil.example/) ![i](https://evil.example/i.png) <https://evil.example/>",
    "https://evil.example/ www.evil.example mailto:a@evil.example",
    "| pipe \\| \\\\| end | **bold** `code` ``` ~~gone~~ _it_ *em*",
    "</code></summary></details><!-- <h1>big</h1>",
    "#1 GH-1 org/repo#1 :tada: [^1] $x$ [x]: y",
    "&lt;b&gt; &amp; &#64;octocat &#x40;octocat",
)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.of(tmp_path / "repository")


def compared(repository: Repository) -> Difference:
    return difference(*(side(name, lambda: repository.root) for name in ("start", None)))


def rendered(text: str) -> html5lib.treebuilders.base.Node:
    return html5lib.parseFragment(MARKDOWN.render(text), treebuilder="etree", namespaceHTMLElements=False)


def harmless(text: str, *, links: int = 0) -> list[str]:
    """Assert that a comment renders to its own elements alone, and return what stands in ``code``."""
    tree = rendered(text)
    elements = {e.tag for e in tree.iter() if isinstance(e.tag, str)}
    assert elements <= {"DOCUMENT_FRAGMENT", "h3", "h4", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td",
                        "strong", "code", "details", "summary", "blockquote", "a"}  # fmt: skip
    assert len(list(tree.iter("a"))) == links
    assert all(set(e.attrib) <= ({"href"} if e.tag == "a" else set()) for e in tree.iter() if isinstance(e.tag, str))
    quoted = []
    for element in tree.iter():
        if not isinstance(element.tag, str):
            assert element.text == " ridgeline-diff "
            continue
        if element.tag in CODE:
            assert list(element) == []
            quoted.append(element.text or "")
        for part in (element.text if element.tag not in CODE else "", element.tail):
            assert not re.search(r"[@<>#\[\]|`]|://|www\.", part or ""), part
    return quoted


@pytest.mark.parametrize("text", HOSTILE)
def test_a_quoted_text_is_read_back_as_it_was(text: str) -> None:
    row = MARKDOWN.render(f"| a | b |\n|---|---|\n| {code(text)} | {code(text)} |\n")
    cells = list(html5lib.parseFragment(row, treebuilder="etree", namespaceHTMLElements=False).iter("td"))
    assert ["".join(cell.itertext()) for cell in cells] == [text, text]
    assert all([child.tag for child in cell] == ["code"] for cell in cells)
    assert harmless(f"### {code(text)}\n") == [text]
    assert harmless(f"- {code(text)}\n") == [text]
    assert harmless(f"<details><summary>{code(text)}</summary>\n\nx\n\n</details>\n") == [text]


def test_a_quoted_text_stays_on_one_line_and_is_cut() -> None:
    assert code("a\n\n- b\r\n\x1b[31m\u202ered\u200b") == "<code>a - b &#91;31m red</code>"
    assert code("x" * 500) == f"<code>{'x' * 159}…</code>"
    assert code("") == "" == code("\n")


def test_strangers_cannot_speak_through_a_record(repository: Repository) -> None:
    hostile = " ".join(HOSTILE[:5])
    quoted = hostile.replace("\\", "\\\\").replace('"', '\\"')
    repository.edit(ONE, ("name: Acme One\n", f'name: "{quoted}"\nalso_called: ["@octocat", "<b>x</b>"]\n'))
    repository.edit(
        ONE,
        ("at: page 2, checked: 2026-11-30}\n  bandwidth", f'at: "{quoted[:200]}", checked: 2026-11-30}}\n  bandwidth'),
    )
    repository.edit(
        "classes/scores", ("In short,", "In short @octocat <img src=x> [a](b) https://evil.example/ says 77 that")
    )
    (repository.root / "records" / "models" / "@octocat [x](y) <b>.yaml").write_text("id: 1\n")
    (repository.root / "records" / "@octocat|<i>.txt").write_text("")
    found = compared(repository)
    text = comment(found).text
    quoted_texts = harmless(text)
    assert any("@octocat" in q for q in quoted_texts)
    assert any(q.startswith("@octocat and @org/team <script>") for q in quoted_texts)
    assert any("models/@octocat [x](y) <b>" in q for q in quoted_texts)
    assert "@octocat" not in text and "<img" not in text and "<script" not in text


def test_the_text_face_takes_no_control_of_a_terminal(repository: Repository, cli: Cli) -> None:
    (repository.root / "records" / "models" / "\x1b[31m\u202e.yaml").write_text("id: 1\n")
    out = cli("diff", "start", "--root", repository.root).out
    assert "\x1b" not in out and "\u202e" not in out
    assert "models/ [31m" in out


def test_the_summary_comes_first(repository: Repository, cli: Cli) -> None:
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s"))
    ran = cli("diff", "start", "--root", repository.root, "--format", "markdown", "--edition", "1.4.2")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0] == MARK
    assert lines[1].startswith("### Ridgeline: <code>start (")
    assert lines[3] == "**2 rules of revision and history broken, 6 new errors.**"
    rows = dict(re.findall(r"^\| ([a-z ]+) \| (.*) \|$", ran.out, re.M)[:11])
    assert rows["records"] == "1 changed"
    assert rows["sentences that became false"] == "4"
    assert rows["revision and history"] == "2 errors, 0 warnings"
    assert rows["data edition"].startswith(
        "<code>1.4.2 → 1.4.3, patch&#58;" if "&#58;" in rows["data edition"] else "<code>1.4.2 → 1.4.3, patch:"
    )
    titles = re.findall(r"^(?:#### |<details><summary>)(.*?)(?:</summary>)?$", ran.out, re.M)
    assert titles == [
        "Revision and history (2)", "Sentences that became false (4)", "Other new findings (3)", "Records",
        "Derived values that move (1)", "Pages affected (2)",
    ]  # fmt: skip
    harmless(ran.out)


def test_no_effect_is_said_plainly(repository: Repository, cli: Cli) -> None:
    ran = cli("diff", "start", "--root", repository.root, "--format", "markdown")
    assert ran.out.splitlines()[3:] == ["**No effect: no record differs.**"]
    repository.edit(ONE, ("name: Acme One\n", "name: Acme One # a comment\n"))
    ran = cli("diff", "start", "--root", repository.root, "--format", "markdown")
    assert "**No effect: comments or layout only, in 1 record.**" in ran.out
    assert "<details><summary>Comments or layout only (1)</summary>" in ran.out


def test_pages_are_linked_where_the_site_is_known(repository: Repository) -> None:
    repository.edit(ONE, ("limit: {value: 300 W", "limit: {value: 350 W"))
    repository.path("models/small").unlink()
    text = comment(compared(repository), site="https://example.org/ridgeline/").text
    links = [a.attrib["href"] for a in rendered(text).iter("a")]
    assert set(links) == {"https://example.org/ridgeline/accelerators/acme-one/"}
    assert all(urlsplit(link).netloc == "example.org" for link in links)
    harmless(text, links=len(links))


def many(repository: Repository, count: int) -> None:
    """So many new records, and as many that change."""
    text = repository.path("models/small").read_text(encoding="utf-8")
    for number in range(count):
        name = f"copy-{number:04}"
        body = text.replace("id: small", f"id: {name}").replace("name: Small", f"name: {'Copy ' * 20}{number}")
        repository.write(f"models/{name}", body)


@pytest.mark.slow
def test_what_does_not_fit_goes_to_a_file(repository: Repository, cli: Cli, tmp_path: Path) -> None:
    count = 150
    many(repository, count)
    repository.commit()
    for number in range(count):
        repository.edit(f"models/copy-{number:04}", ("width: 8\n", "width: 16\n"))
    target = tmp_path / "out" / "whole.md"
    ran = cli("diff", "HEAD", "--root", repository.root, "--format", "markdown", "--overflow", target)
    assert ran.code == 1
    assert 5_000 < len(ran.out) < LIMIT
    assert "does not fit into a comment" in ran.out and "<code>whole.md</code>" in ran.out
    assert ran.out.index("does not fit") < ran.out.index("| records |")
    whole = target.read_text(encoding="utf-8")
    assert len(whole) > LIMIT
    assert all(f"models/copy-{number:04}" in whole for number in range(count))
    assert f"| recorded values changed | {count:,} |" in ran.out
    assert f", with {MOST_RECORDS} of the {count} records that moved looked at |" in ran.out
    assert "does not fit" not in whole
    harmless(ran.out)


def test_without_a_file_the_comment_says_how_to_get_one(repository: Repository, cli: Cli) -> None:
    many(repository, 500)
    ran = cli("diff", "start", "--root", repository.root, "--format", "markdown")
    assert ran.code == 0 and len(ran.out) < LIMIT
    assert "<code>--overflow FILE</code>" in ran.out
    assert re.search(r"… and [0-9,]+ more records", ran.out)


@pytest.mark.parametrize("count", [3_000, 10_000])
def test_any_number_of_records_fits(repository: Repository, count: int) -> None:
    found = compared(repository)
    found.records = [RecordChange("added", f"models/{'|@' * 38}{number}", "") for number in range(count)]
    found.pages = [record.reference for record in found.records]
    said = comment(found)
    assert said.whole is not None and len(said.text) < LIMIT
    assert f"| records | {count:,} added |" in said.text
    harmless(said.text)


def test_what_fits_writes_no_file(repository: Repository, cli: Cli, tmp_path: Path) -> None:
    repository.edit(ONE, ("limit: {value: 300 W", "limit: {value: 350 W"))
    cli("diff", "start", "--root", repository.root, "--format", "markdown", "--overflow", tmp_path / "whole.md")
    assert not (tmp_path / "whole.md").exists()


def test_long_prose_and_long_cells_fit(repository: Repository) -> None:
    words = " ".join(f"w{number}|" for number in range(2_500))
    repository.edit("classes/scores", ("In short,", f"{words} In short,"))
    said = comment(compared(repository))
    assert said.whole is None and len(said.text) < LIMIT
    harmless(said.text)
