"""What differs between two revisions of the records, and what follows from it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ridgeline.check import check
from ridgeline.difference.change import Change
from ridgeline.difference.difference import Difference, difference
from ridgeline.difference.records import RecordChange
from ridgeline.difference.revisions import side
from tests.conftest import REPOSITORY, Cli
from tests.data.repository import SMALL, Repository

ONE = "accelerators/acme-one"
SCORES = "classes/scores"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """The good tree of the acceptance tests in a repository of its own."""
    return Repository.of(tmp_path / "repository")


def compared(repository: Repository, base: str = "start", head: str | None = None) -> Difference:
    return difference(*(side(name, lambda: repository.root) for name in (base, head)))


def of(found: Difference, reference: str) -> RecordChange:
    return next(record for record in found.records if record.reference == reference)


def told(record: RecordChange) -> list[tuple[str, str, str | None, str | None]]:
    return [(c.what, c.field, c.old, c.new) for c in record.changes]


def rules(found: Difference) -> list[str]:
    return [f.rule for f in found.rules]


# Values


def test_a_value_that_changes_is_told_with_unit_percent_and_all_that_it_moves(repository: Repository) -> None:
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s"))
    found = compared(repository)
    record = of(found, ONE)
    assert told(record) == [("value", "memory.bandwidth", "1000 GB/s", "1250 GB/s")]
    assert record.changes[0].name == "memory.bandwidth"
    assert record.changes[0].percent == 25
    assert record.changes[0].recorded
    derived = {(e.record, e.name): e for e in found.derived}
    assert set(derived) == {(ONE, "ridge.bf16")}
    ridge = derived[ONE, "ridge.bf16"]
    assert ridge.before is not None and ridge.after is not None
    assert (ridge.before.quantity.middle, ridge.after.quantity.middle) == (Fraction("204.8"), Fraction("163.84"))
    assert ridge.inputs == ((ONE, "memory.bandwidth"),)
    # A quarter more bandwidth, a fifth less ridge.
    assert ridge.sensitivity == Fraction(-4, 5)
    assert [(f.rule, f.found) for f in found.false] == [
        ("figure-wrong", "204.8 flop/byte"),
        ("figure-wrong", "1000 GB/s"),
        ("figure-wrong", "204.8 tokens"),
        ("figure-wrong", "512 tokens"),
    ]
    assert {f.rule for f in found.other} == {"second-route", "interface-unusual", "measured-above-bound"}
    assert found.gone == []
    assert found.pages == [ONE, SCORES]
    assert (found.edition.bump, found.clean, found.no_effect) == ("patch", False, False)


def test_what_is_false_is_what_the_check_says_newly(repository: Repository) -> None:
    repository.edit(SCORES, ("6 * 7 = 42", "6 * 7 = 43"))
    repository.commit()
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s"))
    before = {(f.rule, f.found) for f in compared(repository, "start", "HEAD").new}
    assert before == {("equation-wrong", "6 * 7 = 43")}
    found = compared(repository, "HEAD")
    all_now = {(f.place, f.rule, f.message) for f in check(repository.root).findings}
    newly = {key for key in all_now if key[1] != "equation-wrong"}
    assert {(f.place, f.rule, f.message) for f in found.new} == newly
    assert {f.rule for f in found.false} == {"figure-wrong"}


def test_two_changed_inputs_have_no_sensitivity_and_both_are_named(repository: Repository) -> None:
    repository.edit(
        ONE,
        ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s"),
        ("rate: {value: 204.8 TFLOP/s", "rate: {value: 256 TFLOP/s"),
    )
    found = compared(repository)
    # 256 over 1.25 is what 204.8 over 1 was: the ridge stays where it is.
    assert found.derived == []
    repository.edit(ONE, ("rate: {value: 256 TFLOP/s", "rate: {value: 300 TFLOP/s"))
    (ridge,) = compared(repository).derived
    assert ridge.sensitivity is None
    assert set(ridge.inputs) == {(ONE, "memory.bandwidth"), (ONE, "peaks.0.rate")}


def test_the_same_value_in_other_digits_is_no_change_of_value(repository: Repository) -> None:
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1 TB/s"))
    found = compared(repository)
    assert told(of(found, ONE)) == [("printed", "memory.bandwidth", "1000 GB/s", "1 TB/s")]
    assert (found.rules, found.new, found.effects, found.clean) == ([], [], [], True)


def test_a_source_that_changes_is_told(repository: Repository) -> None:
    repository.edit(
        ONE, ("300 W, source: acme-sheet, at: page 2, checked: 2026-11-30", "300 W, source: acme-sheet, at: page 4, checked: 2026-12-01")
    )  # fmt: skip
    assert told(of(compared(repository), ONE)) == [
        ("origin", "power.limit", "acme-sheet, page 2, checked 2026-11-30", "acme-sheet, page 4, checked 2026-12-01")
    ]


def test_a_source_that_is_superseded_reaches_the_pages_that_cite_it(repository: Repository) -> None:
    sheet = repository.path("sources/acme-sheet").read_text(encoding="utf-8")
    repository.write("sources/acme-sheet-2", sheet.replace("id: acme-sheet", "id: acme-sheet-2"))
    repository.edit(
        "sources/acme-sheet", ("retrieved: 2026-11-30", "retrieved: 2026-11-30\nsuperseded_by: acme-sheet-2")
    )
    found = compared(repository)
    assert told(of(found, "sources/acme-sheet")) == [("field", "superseded_by", None, "acme-sheet-2")]
    assert of(found, "sources/acme-sheet-2").how == "added"
    assert {f.rule for f in found.new} == {"superseded-source"}
    assert found.clean
    assert {ONE, SCORES, "models/tiny", "sources/acme-sheet"} <= set(found.pages)
    assert found.edition.bump == "minor"


def test_claims_that_change_places_are_told_as_such(tmp_path: Path) -> None:
    repository = Repository.of(tmp_path / "small", records=SMALL)
    repository.edit(
        "accelerators/alpha",
        (", preferred: true, why: The table is newer than the text.", ", why: The table is older than the text."),
        (
            "3.0 TB/s, source: sheet, checked: 2026-11-30",
            "3.0 TB/s, source: sheet, checked: 2026-11-30, at: page 2, preferred: true",
        ),
    )
    found = compared(repository)
    changes = {c.what: c for c in of(found, "accelerators/alpha").changes}
    assert (changes["value"].old, changes["value"].new) == ("3.35 TB/s", "3.0 TB/s")
    assert changes["preferred"].old == "3.35 TB/s (sheet, checked 2026-11-30)"
    assert changes["preferred"].new == "3.0 TB/s (sheet, page 2, checked 2026-11-30)"
    assert (changes["claims"].old, changes["claims"].new) == (
        "3.0 TB/s (sheet, checked 2026-11-30)",
        "3.0 TB/s (sheet, page 2, checked 2026-11-30)",
    )
    assert {"revision-not-raised", "history-missing"} == set(rules(found))


def test_a_claim_that_is_corrected_is_one_change_of_value(tmp_path: Path) -> None:
    repository = Repository.of(tmp_path / "small", records=SMALL)
    repository.edit("accelerators/alpha", ("{value: 3.35 TB/s", "{value: 3.36 TB/s"))
    (change,) = of(compared(repository), "accelerators/alpha").changes
    assert (change.what, change.old, change.new) == ("value", "3.35 TB/s", "3.36 TB/s")


def test_the_geometry_of_a_model_is_recorded(repository: Repository) -> None:
    repository.edit("models/tiny", ("kv_heads: 2", "kv_heads: 4"))
    found = compared(repository)
    (change,) = of(found, "models/tiny").changes
    assert (change.what, change.field, change.name, change.percent) == (
        "value",
        "layers.0.attention.kv_heads",
        "n_kv",
        100,
    )
    moved = {e.name: e for e in found.derived if e.record == "models/tiny"}
    assert {"g", "kv_bytes_per_token", "parameters.total"} <= set(moved)
    # 2 layers × 2 more heads for each of K and V × 2 wide × 8.
    total = moved["parameters.total"]
    assert total.after is not None and total.before is not None
    assert total.after.quantity.middle - total.before.quantity.middle == 2 * 2 * 2 * 2 * 8
    assert {"revision-not-raised", "history-missing"} == set(rules(found))
    assert "ledger" in {f.rule for f in found.new}


def test_a_conclusion_in_words_that_turns_round_is_named(repository: Repository) -> None:
    repository.edit("accelerators/acme-two", ("capacity: {value: 16 GB", "capacity: {value: 24 GB"))
    found = compared(repository)
    words = [f for f in found.flips if "The second part has no more memory" in f.what]
    assert [(f.before.split(" (")[0], f.after.split(" (")[0]) for f in words] == [
        (
            "two.memory.capacity <= one.memory.capacity holds",
            "two.memory.capacity <= one.memory.capacity does not hold",
        )
    ]
    assert [f.rule for f in found.false] == ["figure-decision"]


def test_a_conclusion_is_followed_through_an_edit_of_its_text(repository: Repository) -> None:
    repository.edit("accelerators/acme-two", ("capacity: {value: 16 GB", "capacity: {value: 24 GB"))
    repository.edit(SCORES, ("    A prompt of 512 tokens", "    First a word about lengths. A prompt of 512 tokens"))
    assert [f.what for f in compared(repository).flips if "no more memory" in f.what] == [
        "“The second part has no more memory” in classes/scores text.engineer"
    ]


# Sentences


def test_a_sentence_that_moves_with_its_value_is_rewritten_and_not_false(repository: Repository) -> None:
    repository.edit("models/tiny", ("head_dim: 2", "head_dim: 4"))
    repository.edit(
        "classes/cache-read",
        ("256 bytes for 16 tokens of one layer of Tiny", "by now 512 bytes for 16 tokens of one layer of Tiny"),
        ("- say: 256 bytes for 16 tokens", "- say: 512 bytes for 16 tokens"),
    )
    found = compared(repository)
    (one,) = found.rewritten
    assert (one.before.numeral.text, one.after.numeral.text, one.with_value) == ("256", "512", True)
    assert [f for f in found.false if f.record == "classes/cache-read"] == []
    assert told(of(found, "classes/cache-read"))[-1][:2] == ("figures", "figures.0.say")


def test_a_wrong_numeral_that_is_corrected_goes_away(repository: Repository) -> None:
    repository.edit(SCORES, ("cross it at 204.8 tokens.", "cross it at 240.8 tokens."), ("cross it at 204.8 tokens\n", "cross it at 240.8 tokens\n"))  # fmt: skip
    repository.commit()
    repository.edit(SCORES, ("cross it at 240.8 tokens.", "cross it at 204.8 tokens."), ("cross it at 240.8 tokens\n", "cross it at 204.8 tokens\n"))  # fmt: skip
    found = compared(repository, "HEAD")
    assert [(f.rule, f.found) for f in found.gone] == [("figure-wrong", "240.8 tokens")]
    assert [(r.before.numeral.text, r.after.numeral.text, r.with_value) for r in found.rewritten] == [
        ("240.8", "204.8", False)
    ]
    assert (found.new, found.rules, found.clean) == ([], [], True)


def test_a_finding_that_moves_to_another_line_is_neither_new_nor_gone(repository: Repository) -> None:
    repository.edit(SCORES, ("6 * 7 = 42", "6 * 7 = 43"))
    repository.commit()
    repository.edit(SCORES, ("  notes: |\n", "  notes: |\n    A line more.\n"))
    found = compared(repository, "HEAD")
    assert (found.new, found.gone) == ([], [])
    assert [c.field for c in of(found, SCORES).changes] == ["text.notes"]


def test_numerals_that_move_and_still_hold_are_counted(repository: Repository) -> None:
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1000.1 GB/s"))
    found = compared(repository)
    # 204.8 over 1.0001 is 204.78: each of them still rounds to what is printed.
    assert found.false == []
    assert found.still == len(found.moved) >= 3


# Formulas


def test_a_formula_of_a_class_that_changes_moves_its_sentences(repository: Repository) -> None:
    repository.edit(
        "classes/cache-read", ("is: 2 * n_kv * d_head * L * s_kv * batch", "is: 4 * n_kv * d_head * L * s_kv * batch")
    )
    found = compared(repository)
    assert told(of(found, "classes/cache-read")) == [
        ("formula", "formulas.bytes.is", "2 * n_kv * d_head * L * s_kv * batch", "4 * n_kv * d_head * L * s_kv * batch")
    ]
    assert [(f.rule, f.found) for f in found.false] == [("figure-scale", "256 bytes")]
    assert (found.rules, found.edition.bump) == ([], "patch")


def test_a_formula_that_changes_turns_the_bound_of_its_class_round(repository: Repository) -> None:
    repository.edit(
        SCORES, ("flops: {per: layer, unit: flop, is: 2 * n_q", "flops: {per: layer, unit: flop, is: 400 * n_q")
    )
    flips = {(f.what, f.before, f.after) for f in compared(repository).flips}
    what = "classes/scores intensity, models/tiny on accelerators/acme-one, bf16, at L = 128"
    # g·L/s_kv is 2 · 128 / 2 = 128 operations a byte, the ridge 204.8.
    assert (what, "bound by memory", "bound by compute") in flips


def test_a_number_that_is_written_as_another_formula_is_the_same(repository: Repository) -> None:
    repository.edit("models/tiny", ("parameters: 2 * 3 + 0 * d_model", "parameters: 6 + 0 * d_model"))
    found = compared(repository)
    assert [(c.what, c.recorded) for c in of(found, "models/tiny").changes] == [("formula", False)]
    assert (found.rules, found.clean) == ([], True)
    repository.edit("models/tiny", ("parameters: 6 + 0 * d_model", "parameters: 7 + 0 * d_model"))
    found = compared(repository)
    (change,) = of(found, "models/tiny").changes
    assert (change.what, change.recorded, change.percent) == ("value", True, Fraction(100, 6))
    assert set(rules(found)) == {"revision-not-raised", "history-missing"}


def test_a_fact_that_is_new_is_told_by_what_it_says(repository: Repository) -> None:
    repository.edit(
        ONE, ("scope: board\n", "scope: board\ndie: {value: A1, source: acme-sheet, at: page 2, checked: 2026-11-30}\n")
    )
    found = compared(repository)
    assert told(of(found, ONE)) == [("value", "die.value", None, "A1")]
    assert found.rules == []


# Records that come, go and change their names


def test_a_rename_is_followed(repository: Repository) -> None:
    repository.rename("models/tiny", "models/tiny-chat")
    repository.edit("classes/cache-read", ("{tiny: models/tiny}", "{tiny: models/tiny-chat}"))
    repository.edit(SCORES, ("tiny: models/tiny}", "tiny: models/tiny-chat}"))
    found = compared(repository)
    record = of(found, "models/tiny-chat")
    assert (record.how, record.was, record.changes) == ("renamed", "models/tiny", [])
    assert (found.rules, found.new, found.gone, found.effects, found.clean) == ([], [], [], [], True)
    assert found.edition.bump == "minor"
    assert {"models/tiny", "models/tiny-chat"} <= set(found.pages)


def test_a_rename_does_not_hide_a_changed_value(repository: Repository) -> None:
    repository.rename("accelerators/acme-two", "accelerators/acme-deux")
    repository.edit(SCORES, ("two: accelerators/acme-two", "two: accelerators/acme-deux"))
    repository.edit("accelerators/acme-deux", ("limit: {value: 300 W", "limit: {value: 350 W"))
    found = compared(repository)
    (change,) = of(found, "accelerators/acme-deux").changes
    assert (change.field, change.old, change.new) == ("power.limit", "300 W", "350 W")
    assert set(rules(found)) == {"revision-not-raised", "history-missing"}


def test_a_removal_is_told_and_needs_a_tombstone(repository: Repository) -> None:
    repository.path("models/small").unlink()
    found = compared(repository)
    assert of(found, "models/small").how == "removed"
    assert [(f.rule, f.place.path, f.place.line) for f in found.rules] == [
        ("id-removed", "records/models/small.yaml", 3)
    ]
    assert (found.edition.bump, found.clean) == ("major", False)


def test_a_record_that_moves_into_another_leaves_its_id_there(repository: Repository) -> None:
    repository.path("models/small").unlink()
    repository.edit("models/tiny", ("status: verified", "status: verified\nformerly: [small]"))
    found = compared(repository)
    merged = next(r for r in found.records if r.how == "merged")
    assert (merged.was, merged.reference) == ("models/small", "models/tiny")
    assert (found.rules, found.edition.bump) == ([], "minor")


def test_a_new_record_asks_for_nothing(repository: Repository) -> None:
    text = repository.path("models/small").read_text(encoding="utf-8")
    repository.write("models/third", text.replace("id: small", "id: third").replace("name: Small", "name: Third"))
    found = compared(repository)
    assert [(r.how, r.reference) for r in found.records] == [("added", "models/third")]
    assert (found.rules, found.clean, found.edition.bump) == ([], True, "minor")


def test_rows_that_change_places_are_no_change(repository: Repository) -> None:
    text = repository.path("accelerators/forge-a").read_text(encoding="utf-8")
    head, _, rest = text.partition("peaks:\n")
    body, _, tail = rest.partition("links:\n")
    rows = ["- format" + row for row in body.split("- format")[1:]]
    assert len(rows) == 5
    repository.write("accelerators/forge-a", f"{head}peaks:\n{''.join(reversed(rows))}links:\n{tail}")
    found = compared(repository)
    assert of(found, "accelerators/forge-a").changes == []
    assert (found.effects, found.rules) == ([], [])


def test_a_row_that_is_taken_out_leaves_the_rest_alone(repository: Repository) -> None:
    text = repository.path("accelerators/forge-a").read_text(encoding="utf-8")
    row = text[
        text.index("- format: bf16\n  accumulate: bf16") : text.index(
            "- format: fp32\n  accumulate: fp32\n  path: tensor"
        )
    ]
    repository.write("accelerators/forge-a", text.replace(row, ""))
    found = compared(repository)
    assert told(of(found, "accelerators/forge-a")) == [("value", "peaks.2.rate", "300 TFLOP/s", None)]
    assert (found.edition.bump, found.edition.reasons[0]) == (
        "major", "accelerators/forge-a peak.bf16_accumulate_bf16 is gone",
    )  # fmt: skip


# Nothing


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: Acme One\n", "name: Acme One # a comment\n"),
        ("name: Acme One\nrevision: 1\nstatus: verified\n", "status: verified\nrevision: 1\nname: Acme One\n"),
        ("  path: tensor\n  rate:", "  path: tensor\n  sparsity: dense\n  default: true\n  rate:"),
        ("{value: 16 GB, source: acme-sheet, at: page 2, checked: 2026-11-30}",
         "{checked: 2026-11-30, at: 'page 2',\n    source: acme-sheet, value: \"16 GB\"}"),
        ("power:\n", "history: []\npower:\n"),
    ],
    ids=["comment", "order of fields", "defaults written out", "layout of a mapping", "empty list"],
)  # fmt: skip
def test_comments_and_layout_have_no_effect(repository: Repository, old: str, new: str) -> None:
    repository.edit(ONE, (old, new))
    found = compared(repository)
    assert [r.how for r in found.records] == ["layout"]
    assert (found.no_effect, found.clean, found.edition.bump) == (True, True, "none")
    # Nothing had to be computed.
    assert (found.before.figures, found.after.figures) == ([], [])


def test_records_with_equal_bytes_are_read_once(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    from ridgeline.difference import reading

    seen: list[str] = []
    real = reading.add
    monkeypatch.setattr(
        reading, "add", lambda knowledge, path, content: (seen.append(path), real(knowledge, path, content))
    )
    repository.edit(ONE, ("name: Acme One\n", "name: Acme One # a comment\n"))
    compared(repository)
    files = sorted(p.relative_to(repository.root).as_posix() for p in repository.root.glob("records/*/*.yaml"))
    assert sorted(seen) == sorted([*files, f"records/{ONE}.yaml"])


# What cannot be read


@pytest.mark.parametrize("content", [b"\xff\xfe", b"id: [1, 2\n", b"schema: model/1\r\n", b"- 1\n"])
def test_a_file_that_could_not_be_read_before_is_mended(repository: Repository, content: bytes) -> None:
    good = repository.path("models/tiny").read_bytes()
    repository.path("models/tiny").write_bytes(content)
    repository.commit()
    repository.path("models/tiny").write_bytes(good)
    found = compared(repository, "HEAD")
    record = of(found, "models/tiny")
    assert (record.how, record.note, record.changes) == ("changed", "cannot be read before", [])
    assert found.gone and not found.new and not found.rules and found.clean
    assert found.edition.bump == "minor"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"id: [1, 2\n"])
def test_a_file_that_cannot_be_read_any_more_is_a_new_error(repository: Repository, content: bytes) -> None:
    repository.path("models/tiny").write_bytes(content)
    found = compared(repository)
    assert of(found, "models/tiny").note == "cannot be read any more"
    assert not found.clean and found.edition.bump == "major"
    assert "records/models/tiny.yaml" in {f.place.path for f in found.new}


def test_a_file_that_is_broken_on_both_sides_is_no_new_error(repository: Repository) -> None:
    repository.path("models/small").write_bytes(b"id: [1, 2\n")
    repository.commit()
    repository.path("models/small").write_bytes(b"# other\nid: [1, 2\n")
    found = compared(repository, "HEAD")
    assert of(found, "models/small").note == "cannot be read before or after"
    assert (found.new, found.gone, found.clean) == ([], [], True)


def test_a_stray_file_is_new_once(repository: Repository) -> None:
    (repository.root / "records" / "notes.txt").write_text("mine")
    assert [(f.rule, f.place.path) for f in compared(repository).new] == [("stray-file", "records/notes.txt")]
    repository.commit()
    assert compared(repository, "HEAD").no_effect
    assert [f.rule for f in compared(repository, "start", "HEAD").new] == ["stray-file"]


# Faces


def validator() -> jsonschema.Draft7Validator:
    schema = json.loads((REPOSITORY / "schema/output/diff.v1.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def test_the_json_fits_its_schema(repository: Repository, cli: Cli) -> None:
    arguments: tuple[Any, ...] = ("diff", "start", "--root", repository.root, "--format", "json", "--edition", "2.3.4")
    ran = cli(*arguments)
    assert (ran.code, ran.json["summary"]["no_effect"], ran.json["edition"]["to"]) == (0, True, "2.3.4")
    assert [e.message for e in validator().iter_errors(ran.json)] == []
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s"))
    repository.edit("accelerators/acme-two", ("capacity: {value: 16 GB", "capacity: {value: 24 GB"))
    repository.edit(SCORES, ("    The ridge of the Acme One is 204.8", "    The ridge of the Acme One is 163.8"))
    repository.path("models/small").unlink()
    repository.rename("models/tiny", "models/tiny-chat")
    repository.path("formats/fp32").write_bytes(b"\xff")
    ran = cli(*arguments)
    assert (ran.code, ran.json["edition"]["bump"], ran.json["edition"]["to"]) == (1, "major", "3.0.0")
    assert [e.message for e in validator().iter_errors(ran.json)] == []
    assert ran.json["base"] == {"name": "start", "kind": "git", "commit": ran.json["base"]["commit"]}
    assert len(ran.json["base"]["commit"]) == 40
    assert ran.json["head"] == {"name": "the working tree", "kind": "folder", "commit": None}
    how = {record["record"]: record["how"] for record in ran.json["records"]}
    assert how["models/tiny-chat"] == "renamed" and how["models/small"] == "removed"
    assert all(ran.json[part] for part in ("effects", "flips", "false", "rewritten", "rules", "pages"))


def test_a_change_knows_its_percent() -> None:
    from ridgeline.formulas.quantity import Quantity
    from ridgeline.numbers.units import parse_unit

    gigabyte, second = parse_unit("GB"), parse_unit("s")
    change = Change("value", "x", before=Quantity.of(2, gigabyte), after=Quantity.of(3, gigabyte))
    assert change.percent == 50
    assert Change("value", "x", before=Quantity.of(0, gigabyte), after=Quantity.of(3, gigabyte)).percent is None
    assert Change("value", "x", before=Quantity.of(2, gigabyte), after=Quantity.of(3, second)).percent is None


def test_the_text_names_what_changed(repository: Repository, cli: Cli) -> None:
    assert cli("diff", "start", "--root", repository.root).out.endswith("\nNo effect: no record differs.\n")
    repository.edit(ONE, ("name: Acme One\n", "name: Acme One # a comment\n"))
    ran = cli("diff", "start", "--root", repository.root)
    assert ran.out.endswith("\nNo effect: comments or layout only, in 1 record.\n  accelerators/acme-one\n")
    repository.edit(ONE, ("bandwidth: {value: 1000 GB/s", "bandwidth: {value: 1250 GB/s"))
    ran = cli("diff", "start", "--root", repository.root)
    assert (ran.code, ran.err) == (1, "")
    for line in (
        "  memory.bandwidth: 1000 GB/s → 1250 GB/s (+25 %)",
        "  accelerators/acme-one ridge.bf16: 204.8 flop/byte → 163.84 flop/byte (-20 %, sensitivity -0.8)",
        "  records/classes/scores.yaml:37:74: error[figure-wrong] 1000 GB/s is wrong: one.memory.bandwidth = 1250 GB/s",
        "  records/accelerators/acme-one.yaml:5:11: error[revision-not-raised] memory.bandwidth changed, the revision did not",
        "data edition: patch: accelerators/acme-one memory.bandwidth changed; accelerators/acme-one ridge.bf16 moved",
    ):
        assert line in ran.out.splitlines()


def test_annotations_name_places(repository: Repository, cli: Cli) -> None:
    repository.edit(ONE, ("limit: {value: 300 W", "limit: {value: 350 W"))
    lines = cli("diff", "start", "--root", repository.root, "--format", "github").out.splitlines()
    assert lines[0].startswith(
        "::error file=records/accelerators/acme-one.yaml,line=5,col=11,endColumn=12,title=revision-not-raised::"
    )
    assert [line.partition("title=")[2].partition("::")[0] for line in lines] == [
        "revision-not-raised",
        "history-missing",
    ]
