"""The rules of revision and history: each with a change that breaks it, and one that keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ridgeline.difference.difference import Difference, difference
from ridgeline.difference.revisions import side
from ridgeline.findings.finding import Finding
from ridgeline.rules.catalogue import catalogue
from tests.conftest import Cli
from tests.data.repository import SMALL, Repository

ALPHA = "accelerators/alpha"
HEAD = "revision: 1\nstatus: verified\nvendor"
#: The limit of the power changes from 700 W to 750 W.
POWER = ("limit: {value: 700 W", "limit: {value: 750 W")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.of(tmp_path / "repository", records=SMALL)


def compared(repository: Repository, base: str = "start") -> Difference:
    return difference(*(side(name, lambda: repository.root) for name in (base, None)))


def broken(repository: Repository, base: str = "start") -> list[Finding]:
    found = compared(repository, base).rules
    known = catalogue()
    assert all(known[f.rule].level is f.level for f in found)
    assert all(f.message and f.mend and f.place.line and f.record for f in found)
    return found


def head(revision: int, *history: str) -> tuple[str, str]:
    """The edit that gives the record a revision and a history."""
    entries = "".join(f"- {{{entry}}}\n" for entry in history)
    return HEAD, f"revision: {revision}\nstatus: verified\n" + (f"history:\n{entries}" if entries else "") + "vendor"


def entry(
    change: str = "power.limit", was: str = "700 W", revision: int = 2, why: str = "The sheet was read anew."
) -> str:
    return f"revision: {revision}, date: 2026-11-30, change: {change}, was: {was}, why: {why}"


def test_a_changed_value_needs_a_revision_and_a_history(repository: Repository) -> None:
    repository.edit(ALPHA, POWER)
    revision, history = sorted(broken(repository), key=lambda f: f.rule, reverse=True)
    assert (revision.rule, revision.place.line, revision.place.column, revision.found, revision.expected) == (
        "revision-not-raised", 5, 11, "1", "2",
    )  # fmt: skip
    line = repository.path(ALPHA).read_text().split("\n")[history.place.line - 1]
    assert (history.rule, line[history.place.column - 1 :][:20]) == ("history-missing", "{value: 750 W, sourc")
    assert "{revision: 2, date: YYYY-MM-DD, change: power.limit, was: 700 W, why: …}" in history.mend


def test_a_change_that_says_what_it_was_is_in_order(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, head(2, entry()))
    found = compared(repository)
    assert (found.rules, found.clean) == ([], True)


@pytest.mark.parametrize("was", ["0.7 kW", "700  W", '"700 W"'])
def test_what_it_was_may_be_written_in_another_unit(repository: Repository, was: str) -> None:
    repository.edit(ALPHA, POWER, head(2, entry(was=was)))
    assert broken(repository) == []


@pytest.mark.parametrize("change", ["power.limit", "power.limit.value", "power"])
def test_the_field_may_be_named_in_several_ways(repository: Repository, change: str) -> None:
    repository.edit(ALPHA, POWER, head(2, entry(change)))
    assert broken(repository) == []


def test_a_peak_may_be_named_as_formulas_do_or_by_its_path(repository: Repository) -> None:
    for name in ("peak.fp8", "peaks.4.rate", "peaks"):
        repository.path(ALPHA).write_bytes((SMALL / f"records/{ALPHA}.yaml").read_bytes())
        repository.edit(ALPHA, ("1978.9 TFLOP/s", "1978 TFLOP/s"), head(2, entry(name, "1978.9 TFLOP/s")))
        assert broken(repository) == [], name


def test_the_wrong_old_value_is_found(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, head(2, entry(was="600 W")))
    (found,) = broken(repository)
    assert (found.rule, found.found, found.expected, found.field) == ("history-was", "600 W", "700 W", "history.0.was")
    assert found.place.line == 8


def test_an_entry_about_something_else_does_not_do(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, head(2, entry("units.count", "132 SM")))
    assert [f.rule for f in broken(repository)] == ["history-missing"]


def test_each_changed_value_needs_its_own_entry(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, ("{value: 132 SM", "{value: 144 SM"), head(2, entry()))
    (found,) = broken(repository)
    assert (found.rule, found.expected) == ("history-missing", "132 SM")


def test_a_value_that_is_taken_out_is_a_change(repository: Repository) -> None:
    repository.edit(ALPHA, ("power:\n  limit: {value: 700 W, source: sheet, checked: 2026-11-30}\n", ""))
    assert {f.rule for f in broken(repository)} == {"revision-not-raised", "history-missing"}
    assert compared(repository).edition.bump == "major"


def test_a_value_that_is_found_out_is_none(repository: Repository) -> None:
    repository.edit(ALPHA, ("capacity: null", "capacity: {value: 80 GB, source: sheet, checked: 2026-11-30}"))
    found = compared(repository)
    assert (found.rules, found.edition.bump) == ([], "minor")


def test_a_revision_that_rises_for_nothing_is_a_warning(repository: Repository) -> None:
    repository.edit(ALPHA, head(2))
    (found,) = broken(repository)
    assert (found.rule, found.level.value, found.place.line) == ("revision-unneeded", "warning", 5)
    assert compared(repository).clean


def test_a_revision_may_rise_for_a_source(repository: Repository) -> None:
    repository.edit(
        ALPHA,
        head(2),
        ("700 W, source: sheet, checked: 2026-11-30", "700 W, source: sheet, at: page 9, checked: 2026-11-30"),
    )
    assert broken(repository) == []


def test_a_revision_does_not_fall(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, head(2, entry()))
    repository.commit()
    repository.edit(ALPHA, ("revision: 2\nstatus", "revision: 1\nstatus"))
    (found,) = broken(repository, "HEAD")
    assert (found.rule, found.found, found.expected) == ("revision-not-raised", "1", "2")


def test_a_new_entry_names_the_revision_that_it_makes(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, head(2, entry(revision=1)))
    (found,) = broken(repository)
    assert (found.rule, found.field, found.expected) == ("history-revision", "history.0.revision", "2")


def test_two_steps_in_one_change_are_in_order(repository: Repository) -> None:
    repository.edit(
        ALPHA, POWER, head(3, entry(), entry("units.count", "132 SM", 3)), ("{value: 132 SM", "{value: 144 SM")
    )
    assert broken(repository) == []


@pytest.mark.parametrize(
    ("now", "found", "field"),
    [
        ([], "", "history"),
        ([entry(was="690 W")], "was", "history.0"),
        ([entry(why="Somebody said so.")], "why", "history.0"),
    ],
    ids=["dropped", "edited", "another reason"],
)
def test_history_is_not_rewritten(repository: Repository, now: list[str], found: str, field: str) -> None:
    repository.edit(ALPHA, POWER, head(2, entry()))
    repository.commit()
    text = repository.path(ALPHA).read_text()
    start, end = text.index("history:\n"), text.index("vendor:")
    repository.write(
        ALPHA, text[:start] + ("history:\n" + "".join(f"- {{{e}}}\n" for e in now) if now else "") + text[end:]
    )
    (one,) = broken(repository, "HEAD")
    assert (one.rule, one.found, one.field) == ("history-rewritten", found, field)


def test_an_entry_that_is_added_keeps_the_others(repository: Repository) -> None:
    repository.edit(ALPHA, POWER, head(2, entry()))
    repository.commit()
    repository.edit(
        ALPHA, ("revision: 2\nstatus", "revision: 3\nstatus"), ("\nvendor:", f"\n- {{{entry(was='750 W', revision=3)}}}\nvendor:"),
        ("value: 750 W", "value: 800 W"),
    )  # fmt: skip
    assert broken(repository, "HEAD") == []
    # Seen from the start, both steps are new, and the first of them says what it was.
    assert broken(repository, "start") == []


# Ids


def test_a_withdrawn_record_stays(repository: Repository) -> None:
    repository.edit("accelerators/beta", ("status: verified", "status: withdrawn"))
    assert broken(repository) == []
    repository.commit()
    repository.path("accelerators/beta").unlink()
    assert [f.rule for f in broken(repository, "HEAD")] == ["id-removed"]


def test_an_id_of_another_record_is_not_taken_again(repository: Repository) -> None:
    repository.rename("models/even", "models/level")
    repository.edit("classes/work", ("m: models/even", "m: models/level"))
    assert broken(repository) == []
    repository.commit()
    text = repository.path("models/mixed").read_text()
    repository.write("models/even", text.replace("id: mixed", "id: even").replace("name: Mixed", "name: Another"))
    found = broken(repository, "HEAD")
    assert [(f.rule, f.place.path) for f in found] == [("id-reused", "records/models/even.yaml")]


def test_a_record_may_have_its_own_old_id_back(repository: Repository) -> None:
    repository.rename("models/even", "models/level")
    repository.commit()
    text = repository.path("models/level").read_text()
    repository.path("models/level").unlink()
    repository.write("models/even", text.replace("id: level\nformerly: [even]", "id: even\nformerly: [level]"))
    assert broken(repository, "HEAD") == []


def test_the_id_of_a_living_record_is_no_former_one(repository: Repository) -> None:
    repository.edit("models/mixed", ("status: verified", "status: verified\nformerly: [even]"))
    (found,) = broken(repository)
    assert (found.rule, found.record, found.field, found.found) == ("id-reused", "models/mixed", "formerly.0", "even")


def test_a_former_id_is_not_forgotten(repository: Repository) -> None:
    repository.rename("models/even", "models/level")
    repository.commit()
    repository.edit("models/level", ("formerly: [even]\n", ""))
    (found,) = broken(repository, "HEAD")
    assert (found.rule, found.record, found.field) == ("id-removed", "models/level", "formerly")


def test_former_ids_move_on_with_their_record(repository: Repository) -> None:
    repository.rename("models/even", "models/level")
    repository.commit()
    repository.rename("models/level", "models/flat")
    text = repository.path("models/flat").read_text()
    repository.write("models/flat", text.replace("formerly: [level]\nformerly: [even]\n", "formerly: [level]\n"))
    (found,) = broken(repository, "HEAD")
    assert (found.rule, found.record, found.message) == (
        "id-removed", "models/flat", "models/flat does not say that it was models/even",
    )  # fmt: skip
    repository.edit("models/flat", ("formerly: [level]", "formerly: [level, even]"))
    assert broken(repository, "HEAD") == []
    # Seen from the start it is one rename.
    assert [(r.was, r.reference) for r in compared(repository).records if r.how == "renamed"] == [
        ("models/even", "models/flat")
    ]


def test_a_withdrawn_id_is_not_given_to_something_else(repository: Repository) -> None:
    repository.edit("models/even", ("status: verified", "status: withdrawn"))
    repository.commit()
    repository.edit("models/even", ("status: withdrawn", "status: verified"), ("name: Even", "name: Odd"))
    assert [f.rule for f in broken(repository, "HEAD")] == ["id-reused"]


def test_an_announced_device_that_is_for_sale_is_withdrawn_and_stays(repository: Repository) -> None:
    repository.write(
        "announced/gamma",
        "schema: announced/1\nid: gamma\nname: Gamma\nrevision: 1\nstatus: verified\nvendor: Somebody\n"
        "announced: {value: in May, source: sheet, checked: 2026-11-30}\n"
        "statements:\n- {what: memory, says: more, source: sheet, at: page 1, checked: 2026-11-30}\n",
    )
    repository.commit()
    text = repository.path("accelerators/beta").read_text()
    repository.write("accelerators/gamma", text.replace("id: beta\n", "id: gamma\n"))
    repository.edit("announced/gamma", ("status: verified", "status: withdrawn"))
    assert broken(repository, "HEAD") == []
    repository.path("announced/gamma").unlink()
    assert [f.rule for f in broken(repository, "HEAD")] == ["id-removed"]


def test_the_exit_status_follows_the_rules(repository: Repository, cli: Cli) -> None:
    repository.edit(ALPHA, POWER)
    assert cli("diff", "start", "--root", repository.root).code == 1
    repository.edit(ALPHA, head(2, entry()))
    assert cli("diff", "start", "--root", repository.root).code == 0
