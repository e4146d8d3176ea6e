"""What is said of a record that is none: the place, the field, what stands there, what should, and the next step."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeline.findings.finding import Finding
from ridgeline.records.validate import validate
from ridgeline.text.document import read
from tests.conftest import REPOSITORY

GOOD = REPOSITORY / "tests/acceptance/records/good/records"


def complaints(record: str, *edits: tuple[str, str]) -> list[Finding]:
    path = GOOD / f"{record}.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    document = read(f"records/{record}.yaml", text)
    _, findings = validate(document)
    return [*document.findings, *findings]


def only(record: str, *edits: tuple[str, str]) -> Finding:
    found = complaints(record, *edits)
    assert len(found) == 1, [f.message for f in found]
    return found[0]


@pytest.mark.parametrize("path", sorted(GOOD.rglob("*.yaml")), ids=lambda p: p.stem)
def test_a_good_record_is_taken(path: Path) -> None:
    document = read(path.relative_to(GOOD.parent).as_posix(), path.read_bytes())
    record, findings = validate(document)
    assert record is not None
    assert findings == []


#: Typo → the record, what stands there, and the suggestion.
TYPOS = [
    ("accelerators/acme-one", "vendor: Acme", "vender: Acme", "unknown-field", "did you mean vendor?"),
    ("accelerators/acme-one", "  bandwidth:", "  bandwith:", "unknown-field", "did you mean bandwidth?"),
    ("accelerators/acme-one", "per_clock:", "perclock:", "unknown-field", "did you mean per_clock?"),
    ("accelerators/acme-one", "  accumulate: fp32", "  acumulate: fp32", "unknown-field", "did you mean accumulate?"),
    ("accelerators/acme-one", "  aggregate:", "  aggregat:", "unknown-field", "did you mean aggregate?"),
    ("accelerators/acme-one", "    per: board", "    pr: board", "unknown-field", "did you mean per?"),
    ("accelerators/acme-one", "scope: board", "scope: bored", "unknown-word", "did you mean board?"),
    ("accelerators/acme-one", "path: tensor", "path: tensors", "unknown-word", "did you mean tensor?"),
    ("accelerators/acme-one", "  l2:", "  l22:", "unknown-word", "did you mean l2?"),
    (
        "accelerators/acme-one",
        "schema: accelerator/1",
        "schema: acelerator/1",
        "schema-line",
        "did you mean accelerator/1?",
    ),
    ("models/tiny", "query_heads: 4", "query_head: 4", "unknown-field", "did you mean query_heads?"),
    ("models/tiny", "gated: true", "gates: true", "unknown-field", "did you mean gated?"),
    ("models/tiny", "    why: They", "    wy: They", "unknown-field", "did you mean why?"),
    ("models/tiny", "kind: dense", "kind: dens", "unknown-word", "did you mean dense?"),
    ("models/tiny", "status: verified", "status: verifed", "unknown-word", "did you mean verified?"),
    ("sources/acme-sheet", "kind: datasheet", "kind: data sheet", "unknown-word", "did you mean datasheet?"),
    ("sources/acme-sheet", "retrieved:", "retreived:", "unknown-field", "did you mean retrieved?"),
    ("classes/scores", "phase: prefill", "phase: prefil", "unknown-word", "did you mean prefill?"),
    ("classes/scores", "  each: [", "  eech: [", "unknown-field", "did you mean each?"),
    ("classes/scores", "  parameter", "  parametr", "unknown-field", "did you mean parameter?"),
    ("classes/scores", "solve: {for: L", "solve: {fro: L", "unknown-field", "did you mean for?"),
]


@pytest.mark.parametrize(("record", "old", "new", "rule", "hint"), TYPOS, ids=lambda v: v if "did" in v else "")
def test_a_typo_has_its_nearest_word(record: str, old: str, new: str, rule: str, hint: str) -> None:
    if old == "  parameter":
        old, new = "- parameter: l2", "- parametr: l2"
    found = [f for f in complaints(record, (old, new)) if f.rule == rule]
    assert [f.mend for f in found] == [hint]
    wrong = new.split(":")[0].strip(" -") if rule == "unknown-field" and "solve" not in new else ""
    assert not wrong or found[0].found == wrong


def test_a_word_that_is_like_none_lists_all() -> None:
    finding = only("accelerators/acme-one", ("path: tensor", "path: zzzz"))
    assert finding.mend == "write one of tensor, vector"
    assert finding.expected == "tensor | vector"


def test_a_missing_field_says_where_and_what_for() -> None:
    finding = only("models/tiny", ("head_dim: 2", "bias: 0"))
    assert finding.rule == "missing-field"
    assert finding.message == "the field head_dim is missing in layers.0.attention"
    assert finding.mend == "add head_dim: Width of one head."
    assert (finding.field, finding.record) == ("layers.0.attention.head_dim", "models/tiny")
    assert (finding.place.line, finding.place.column, finding.place.length) == (16, 3, 9)


@pytest.mark.parametrize(
    ("record", "edit", "message", "mend"),
    [
        ("models/tiny", ("width: 8\n", "width: 8.0\n"), "width must be an integer, not the text '8.0'", "write the digits alone"),
        ("models/tiny", ("context: 64", "context: 64 token"), "context must be an integer, not the text '64 token'", "digits"),
        ("models/tiny", ("gated: true", "gated: 'true'"), "gated must be true or false, not the text 'true'", "true or false"),
        ("models/tiny", ("width: 8\n", "width:\n"), "width must be an integer, not null", "write the digits alone"),
        ("models/tiny", ("name: Tiny", "name: 7"), "name must be text, not 7", "quote it"),
        ("models/tiny", ("name: Tiny", "name: true"), "name must be text, not true", "quote it"),
        ("models/tiny", ("organisation: Acme", "organisation: [a]"), "organisation must be text, not a list", "write one text"),
        (
            "models/tiny",
            ("  total: {value: 2798 param, source: acme-sheet, at: page 9, checked: 2026-11-30}", "  total: 2798 param"),
            "total must be a mapping, not the text '2798 param'",
            "write {value: 3.35 TB/s, source: ID, at: PLACE, checked: YYYY-MM-DD}",
        ),
        ("models/tiny", ("vocabulary: 100", "vocabulary: 0"), "vocabulary: 0; it must be at least 1", "write at least 1"),
        ("models/tiny", ("name: Tiny", "name: ''"), "name is empty", "write it, or leave the field out"),
        ("models/tiny", ("name: Tiny", f"name: {'x' * 301}"), "name has 301 characters; it must be at most 300", "at most 300"),
        ("models/tiny", ("  ledger:\n", "  ledger: none\n  lodger:\n"), "ledger must be a list, not the text 'none'", "write ["),
        ("classes/scores", ("range: [0, 1]", "range: [0, 1, 2]"), "range has 3 entries; it must be at most 2", "at most 2"),
        ("classes/scores", ("[share, L]", "[share, 4]"), "entry 2 of each must be text, not 4", "quote it"),
        ("classes/scores", ("text:\n", "text:\n  a-b: x\n"), "the name a-b in text is not a name", "letters, digits"),
        ("classes/scores", ("subjects: {one:", "subjects: {9: models/tiny, one:"), "the name 9 in subjects is not a name", "not starting"),
        ("classes/scores", ("tiny: models/tiny", "tiny: tiny"), "tiny: tiny is not FOLDER/ID", "write the folder and the id"),
        ("sources/acme-sheet", ("retrieved: 2026-11-30", "retrieved: 30.11.2026"), "retrieved: 30.11.2026 is not YYYY-MM-DD", "YYYY"),
        ("sources/acme-sheet", ("url: https:", "url: ftp:"), "url: ftp://example.org/acme-one.pdf is not a web address", "https"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_form(record: str, edit: tuple[str, str], message: str, mend: str) -> None:
    found = [f for f in complaints(record, edit) if f.rule in ("wrong-type", "bad-value")]
    assert len(found) == 1
    assert found[0].message.startswith(message)
    assert mend in found[0].mend


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("  is: 5\n", "is must be text, not 5"),
        ("  is: [L, 5]\n", "entry 2 of is must be text, not 5"),
        ("  is: []\n", None),
        ("  is: {a: b}\n", "is must be text, not a mapping"),
        ("  is: ''\n", "is is empty"),
    ],
)
def test_of_a_union_one_branch_speaks(new: str, message: str | None) -> None:
    found = complaints("classes/scores", ("  is: L_ridge(one, bf16, g=2)\n", new))
    assert len(found) <= 1
    assert [f.message for f in found] == ([] if message is None else [message])


def test_all_that_is_wrong_is_said_in_the_order_of_the_file() -> None:
    found = complaints(
        "models/tiny",
        ("name: Tiny", "name: 7"),
        ("width: 8\n", "width: x\n"),
        ("kv_heads: 2", "kv_heads: 0"),
        ("    why: They are stored with the weights.\n", ""),
    )
    assert [f.rule for f in found] == ["wrong-type", "wrong-type", "bad-value", "missing-field"]
    assert [f.place.line for f in found] == sorted(f.place.line for f in found)


def test_a_value_that_can_be_misread_is_said_once() -> None:
    assert only("models/tiny", ("vocabulary: 100", "vocabulary: 0100")).rule == "yaml-misread"
    assert only("models/tiny", ("  norm_parameters: 16\n", "  norm_parameters: 16\n  <<: {}\n")).rule == "yaml-alias"


def test_a_record_of_nonsense_has_no_more_findings_than_anybody_reads() -> None:
    found = complaints("models/tiny", ("context: 64\n", "".join(f"field_{i}: {i}\n" for i in range(500))))
    assert len(found) == 50


def test_what_a_record_holds_cannot_stretch_a_message_over_lines() -> None:
    finding = only("models/tiny", ("width: 8\n", 'width: "8\\n\\n::error::x"\n'))
    assert "\n" not in finding.message + finding.found + finding.mend


@pytest.mark.parametrize("text", ["", "null\n", "- a\n", "words\n", "5\n", "[]\n"])
def test_a_file_that_is_no_mapping(text: str) -> None:
    document = read("records/models/x.yaml", text)
    record, findings = validate(document)
    assert record is None
    assert [(f.rule, f.place.line, f.place.column) for f in findings] == [("not-a-record", 1, 1)]


def test_a_file_that_could_not_be_read_is_not_complained_about_again() -> None:
    document = read("records/models/x.yaml", "a: [1\n")
    assert validate(document) == (None, [])


@pytest.mark.parametrize(
    ("line", "message", "mend"),
    [
        ("", "the field schema is missing", "write schema: model/1 at the top"),
        ("schema: model\n", "unknown schema 'model'", "did you mean model/1?"),
        ("schema: 1\n", "unknown schema 1", "known are accelerator/1"),
        ("schema: [model/1]\n", "unknown schema ['model/1']", "model/1"),
        (
            "schema: source/1\n",
            "a source record in the folder models/",
            "move the file to sources/, or write schema: model/1",
        ),
    ],
)
def test_the_schema_line(line: str, message: str, mend: str) -> None:
    document = read("records/models/x.yaml", line + "id: x\n")
    (finding,) = validate(document)[1]
    assert (finding.rule, finding.message) == ("schema-line", message)
    assert mend in finding.mend


def test_a_blank_hides_behind_nothing() -> None:
    found = complaints(
        "models/tiny",
        ("name: Tiny", "name: FILL-IN"),
        ("width: 8\n", "width: FILL-IN\n"),
        ("context: 64", "context: x"),
    )
    assert [(f.rule, f.field) for f in found] == [
        ("fill-in", "name"),
        ("fill-in", "width"),
        ("wrong-type", "context"),
    ]
