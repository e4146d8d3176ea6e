"""Every numeral of the case files: offset, kind, comparator, exact value, unit, interval, and how it is rewritten."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.numbers import read, restyle, to_json
from ridgeline.numbers.numeral import SET_ASIDE

DATA = Path(__file__).parent.parent / "data"
PLAIN_KEYS = ("kind", "value", "unit", "interval", "unit_text", "symbol", "grouping", "alt_value", "alt_interval",
              "uncertainty", "tight", "lint", "error", "vague", "rule")  # fmt: skip


def _cases(name: str) -> list[Any]:
    loaded = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["id"]) for case in loaded["cases"]]


def _differences(case: dict[str, Any]) -> list[str]:
    """What the reading of a sentence and its expectation disagree on, in words."""
    found = read(case["text"], case.get("names", ()), symbols=case.get("symbols", ()))
    by_place = {numeral.at: numeral for numeral in found}
    wrong: list[str] = []
    for expected in case["numerals"]:
        numeral = by_place.pop(expected["at"], None)
        if numeral is None or numeral.text != expected["numeral"]:
            wrong.append(f"{expected['numeral']!r} at {expected['at']}: read {numeral and numeral.text!r}")
            continue
        shape = to_json(numeral)
        for key in PLAIN_KEYS:
            if key in expected and shape.get(key) != expected[key]:
                wrong.append(f"{expected['numeral']!r} {key}: {shape.get(key)!r}, not {expected[key]!r}")
        if "cmp" in expected and shape["comparator"] != expected["cmp"]:
            wrong.append(f"{expected['numeral']!r} cmp: {shape['comparator']!r}, not {expected['cmp']!r}")
        for value, token in expected.get("restyle", ()):
            written = restyle(numeral, Fraction(value)) or "refuse"
            if written != token:
                wrong.append(f"{expected['numeral']!r} for {value}: {written!r}, not {token!r}")
    wrong += [f"not expected: {numeral.text!r} at {numeral.at} ({numeral.kind})" for numeral in by_place.values()]
    return wrong


@pytest.mark.parametrize("case", _cases("numerals.yaml"))
def test_shared_case(case: dict[str, Any]) -> None:
    wrong = _differences(case)
    assert not wrong, "\n".join(wrong)


def test_set_aside_kinds_carry_no_value() -> None:
    for numeral in read(
        "In 2024 the H100 (CUDA 12.4, Table 3) ran `x=3` at 3x3 on 2023-09-12, the 1st, at https://a.b/1."
    ):
        assert numeral.kind in SET_ASIDE
        assert numeral.value is None and numeral.interval is None and numeral.rule


_COLUMNS = ("numeral", "kind", "cmp", "value", "unit", "interval")


def _unfolded(case: dict[str, Any]) -> dict[str, Any]:
    """The compact rows of ``numerals-more.yaml`` in the shape of the shared cases."""
    numerals: list[dict[str, Any]] = []
    position = 0
    for row in case["n"]:
        further = row[6] if len(row) > 6 else {}
        numeral = dict(zip(_COLUMNS, row[:6], strict=False))
        # None is "no unit" there, and "not looked at" in the other columns.
        numeral = {
            key: value for key, value in numeral.items() if value is not None or (key == "unit" and len(row) > 5)
        }
        numeral["at"] = case["text"].index(numeral["numeral"], position)
        position = numeral["at"] + len(numeral["numeral"])
        numerals.append(numeral | further)
    return case | {"numerals": numerals}


@pytest.mark.parametrize("case", _cases("numerals-more.yaml"))
def test_further_case(case: dict[str, Any]) -> None:
    wrong = _differences(_unfolded(case))
    assert not wrong, "\n".join(wrong)
