"""What the one layout of records looks like, and what `ridgeline format` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeline.records.kinds import FOLDERS
from ridgeline.records.layout import formatted
from ridgeline.records.scaffold import text as scaffold
from ridgeline.text.document import read
from tests.conftest import REPOSITORY, Cli

MODELINE = "# yaml-language-server: $schema=../../schema/source.v1.schema.json\n"


def laid_out(source: str, path: str = "records/sources/x.yaml") -> str:
    text, findings = formatted(read(path, source))
    assert findings == []
    return text


CASES: dict[str, tuple[str, str]] = {
    "keys in the order of the type, the head first": (
        "url: https://example.org\nname: X\nschema: source/1\nid: x\nrevision: 1\n",
        "schema: source/1\nid: x\nname: X\nrevision: 1\nurl: https://example.org\n",
    ),
    "prose last": (
        "schema: source/1\ntext:\n  notes: |\n    Words.\nkind: paper\nfigures: []\nsubjects: {}\n",
        "schema: source/1\nkind: paper\nsubjects: {}\ntext:\n  notes: |\n    Words.\nfigures: []\n",
    ),
    "unknown fields behind the known": ("pages: 3\nid: x\nschema: source/1\n", "schema: source/1\nid: x\npages: 3\n"),
    "no order without a kind": ("name: X\nid: x\n", "name: X\nid: x\n"),
    "names of the author's own stay in order": (
        "schema: class/1\nsymbols:\n  b: {means: x, unit: token}\n  a: {unit: byte, means: z}\n",
        "schema: class/1\nsymbols:\n  b: {unit: token, means: x}\n  a: {unit: byte, means: z}\n",
    ),
    "a formula begins with its unit": (
        "schema: class/1\nformulas:\n  f:\n    is: 2 * L\n    because: so\n    per: layer\n    unit: flop\n",
        "schema: class/1\nformulas:\n  f:\n    per: layer\n    unit: flop\n    is: 2 * L\n    because: so\n",
    ),
    "a quantity": (
        "schema: interconnect/2\nlatency: {checked: 2026-11-30, at: p. 3, source: s, value: 1 us}\n",
        "schema: interconnect/2\nlatency: {value: 1 us, source: s, at: p. 3, checked: 2026-11-30}\n",
    ),
    "two columns a level": (
        "a:\n     b:\n      - 1\n      -   c: 2\n          d: 3\n",
        "a:\n  b:\n    - 1\n    - c: 2\n      d: 3\n",
    ),
    "a list at the column of its key": ("a:\n- 1\n- 2\n", "a:\n  - 1\n  - 2\n"),
    "lists in lists": ("a:\n- - 1\n  - 2\n-\n  - 3\n", "a:\n  - - 1\n    - 2\n  - - 3\n"),
    "empty lines go": ("\n\na: 1\n\n\nb: 2\n\n", "a: 1\nb: 2\n"),
    "a last line break": ("a: 1", "a: 1\n"),
    "markers of documents go": ("---\na: 1\n...\n", "a: 1\n"),
    "quotes that nothing needs": ('a: "one"\nb: \'two, three\'\n"c": four\n', "a: one\nb: two, three\nc: four\n"),
    "quotes that a bracket needs": ("a: ['b, c', 'd']\n", 'a: ["b, c", d]\n'),
    "quotes that a colon needs": ("a: 'b: c'\n", 'a: "b: c"\n'),
    "quotes that a number needs": (
        "a: '1'\nb: '1.50'\nc: 1.50\nd: '1e3'\ne: 'no'\nf: ''\n",
        'a: "1"\nb: "1.50"\nc: "1.50"\nd: "1e3"\ne: "no"\nf: ""\n',
    ),
    "single ones spare a backslash": ('a: "say \\"b\\" #1"\n', "a: 'say \"b\" #1'\n"),
    "no quotes inside a word": ('a: "it\'s 5"\n', "a: it's 5\n"),
    "a key of one letter": ("n: 1\ny: 2\n'no': 3\n", 'n: 1\ny: 2\n"no": 3\n'),
    "nothing": ("a: ~\nb:\nc: null\n", "a: null\nb: null\nc: null\n"),
    "a text of several lines is a literal": ('a: "one\\ntwo\\n"\n', "a: |\n  one\n  two\n"),
    "without a line break at its end": ('a: "one\\ntwo"\n', "a: |-\n  one\n  two\n"),
    "with several": ('a: "one\\n\\n\\n"\nb: 1\n', "a: |+\n  one\n\n\nb: 1\n"),
    "lines of prose stay as they are": (
        "a: |\n      A line.\n\n        Deeper,    with gaps.\n      " + "x " * 80 + "\n",
        "a: |\n  A line.\n\n    Deeper,    with gaps.\n  " + "x " * 80 + "\n",
    ),
    "a first line that is indented": ("a: |2\n    one\n  two\n", "a: |2\n    one\n  two\n"),
    "brackets with a text of several lines open": ('a: {b: 1, c: "x\\ny"}\n', "a:\n  b: 1\n  c: |-\n    x\n    y\n"),
    "brackets over several lines close up": ("a: [1,\n    2]\n", "a: [1, 2]\n"),
    "brackets that are too long open": (
        "a: [" + ", ".join(["x" * 30] * 4) + "]\n",
        "a:\n" + f"  - {'x' * 30}\n" * 4,
    ),
    "what the author wrote on lines stays on lines": ("a:\n  b: 1\n", "a:\n  b: 1\n"),
    "a text on several lines keeps them": (
        "a: one two\n     three\nb: 'c: d\n  e'\n",
        'a: one two\n  three\nb: "c: d\n  e"\n',
    ),
    "a record in brackets": ("{schema: source/1, name: X, id: x}\n", "schema: source/1\nid: x\nname: X\n"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_layout(case: str) -> None:
    source, expected = CASES[case]
    assert laid_out(source) == expected
    assert laid_out(expected) == expected


COMMENTS: dict[str, tuple[str, str]] = {
    "the modeline stays at the top": (
        MODELINE + "# mine\nname: X\nschema: source/1\n",
        MODELINE + "# mine\nschema: source/1\nname: X\n",
    ),
    "above an entry that moves": (
        "schema: source/1\n# the title\nname: X\n# the id\nid: x\n",
        "schema: source/1\n# the id\nid: x\n# the title\nname: X\n",
    ),
    "beside an entry that moves": (
        "schema: source/1\nname: X  # the title\nid: x  # the id\n",
        "schema: source/1\nid: x  # the id\nname: X  # the title\n",
    ),
    "in the column that the author chose": (
        "schema: 'source/1'      # one\nid: x                   # two\n",
        "schema: source/1        # one\nid: x                   # two\n",
    ),
    "two columns at least": ("a: 1 # one\n", "a: 1  # one\n"),
    "deeper than what follows": (
        "a:\n  b: 1\n  # no c: nobody knows\nd: 2\n",
        "a:\n  b: 1\n  # no c: nobody knows\nd: 2\n",
    ),
    "of a deeper level at another indentation": (
        "a:\n    b: 1\n    # of a\nc: 2\n",
        "a:\n  b: 1\n  # of a\nc: 2\n",
    ),
    "at the end": ("a:\n  b: 1\n# the end\n", "a:\n  b: 1\n# the end\n"),
    "above an entry of a list": ("a:\n# first\n- 1\n# second\n- 2\n", "a:\n  # first\n  - 1\n  # second\n  - 2\n"),
    "behind a dash": ("a:\n-  # first\n  b: 1\n", "a:\n  # first\n  - b: 1\n"),
    "behind the key of a mapping": ("a:   # what\n  b: 1\n", "a:   # what\n  b: 1\n"),
    "behind the header of a literal": ("a: |   # what\n    one\nb: 1\n", "a: |   # what\n  one\nb: 1\n"),
    "no comment inside a literal": (
        "a: |\n    # one\n    two\n# three\nb: 1\n",
        "a: |\n  # one\n  two\n# three\nb: 1\n",
    ),
    "no comment inside quotes": ("a: 'b # c'\nd: e#f\n", 'a: "b # c"\nd: e#f\n'),
    "inside brackets": (
        "a: {b: 1,  # one\n    # above c\n    c: 2}\n",
        "a:\n  b: 1     # one\n  # above c\n  c: 2\n",
    ),
    "behind brackets": ("a: {b: 1}  # one\nc: [1, 2]  # two\n", "a: {b: 1}  # one\nc: [1, 2]  # two\n"),
    "between a key and its value": ("a:\n  # about a\n  'b'\nc: 1\n", "# about a\na: b\nc: 1\n"),
}


@pytest.mark.parametrize("case", COMMENTS)
def test_comments_stay_with_what_they_are_about(case: str) -> None:
    source, expected = COMMENTS[case]
    assert laid_out(source) == expected
    assert laid_out(expected) == expected


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("a: 1\na: 2\n", "yaml-duplicate-key"),
        ("a: [1\n", "yaml-syntax"),
        ("a: no\n", "yaml-misread"),
        ("a: >\n  x\n", "yaml-folded"),
        ("a: 1\r\n", "carriage-return"),
        ("- a\n", "not-a-record"),
        ("", "not-a-record"),
        ("just words\n", "not-a-record"),
    ],
)
def test_what_cannot_be_read_is_left_alone(source: str, rule: str) -> None:
    document = read("records/sources/x.yaml", source)
    text, findings = formatted(document)
    assert text == document.source
    assert [f.rule for f in findings] == [rule]


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_scaffold_is_in_the_layout(kind: str) -> None:
    source = scaffold(kind, "acme-next")
    assert laid_out(source, f"records/{FOLDERS[kind]}/acme-next.yaml") == source


# The verb.


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "records" / "sources"
    folder.mkdir(parents=True)
    (folder / "good.yaml").write_text("schema: source/1\nid: good\n")
    (folder / "odd.yaml").write_text('id: "odd"\nschema: source/1\n')
    return tmp_path


def test_check_lists_what_would_change_and_writes_nothing(root: Path, cli: Cli) -> None:
    before = {p: p.read_bytes() for p in root.rglob("*.yaml")}
    ran = cli("format", "--check", cwd=root)
    assert (ran.code, ran.out) == (1, "records/sources/odd.yaml: would be written anew\n")
    assert {p: p.read_bytes() for p in root.rglob("*.yaml")} == before


def test_format_writes_what_is_not_in_the_layout(root: Path, cli: Cli) -> None:
    good = root / "records/sources/good.yaml"
    stamp = good.stat().st_mtime_ns
    ran = cli("format", cwd=root)
    assert (ran.code, ran.out) == (0, "wrote records/sources/odd.yaml\n")
    assert (root / "records/sources/odd.yaml").read_text() == "schema: source/1\nid: odd\n"
    assert good.stat().st_mtime_ns == stamp
    again = cli("format", "--check", cwd=root)
    assert (again.code, again.out) == (0, "all records are in the one layout\n")


def test_format_of_some_files(root: Path, cli: Cli) -> None:
    assert cli("format", "records/sources/good.yaml", "--check", cwd=root).code == 0
    assert cli("format", "records/sources", "--check", cwd=root).code == 1
    ran = cli("format", "records/sources/none.yaml", cwd=root)
    assert ran.code == 2
    assert "holds no record" in ran.err


def test_a_file_that_cannot_be_read_hides_no_other(root: Path, cli: Cli) -> None:
    bad = root / "records/sources/bad.yaml"
    bad.write_text("id: bad\nid: worse\n")
    ran = cli("format", cwd=root)
    assert ran.code == 1
    assert ran.out.startswith("wrote records/sources/odd.yaml\nleft as they are:\n")
    assert "records/sources/bad.yaml:2:1: error[yaml-duplicate-key]" in ran.out
    assert bad.read_text() == "id: bad\nid: worse\n"
    (root / "records/sources/folder.yaml").mkdir()
    ran = cli("format", "--check", cwd=root)
    assert "records/sources/folder.yaml:1:1: error[unreadable]" in ran.out


def test_a_layout_that_would_say_something_else_is_not_written(
    root: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "records/sources/odd.yaml"
    before = path.read_bytes()
    for wrong in ("schema: source/1\nid: even\n", "schema: source/1\nid: odd  # and more\n", "id: odd\nid: odd\n"):
        monkeypatch.setattr("ridgeline.records.layout.printed", lambda document, order, wrong=wrong: wrong)
        ran = cli("format", "records/sources/odd.yaml", cwd=root)
        assert ran.code == 1
        assert ran.out == (
            "left as they are:\nrecords/sources/odd.yaml: it cannot be laid out without a change of what it says\n"
        )
        assert path.read_bytes() == before


def test_formatting_changes_nothing_that_a_check_finds(tmp_path: Path, cli: Cli) -> None:
    import shutil

    shutil.copytree(REPOSITORY / "tests/acceptance/records/good/records", tmp_path / "records")
    before = cli("check", "--format", "json", "--no-cache", cwd=tmp_path).json
    assert cli("format", cwd=tmp_path).code == 0
    assert cli("check", "--format", "json", "--no-cache", cwd=tmp_path).json == before
