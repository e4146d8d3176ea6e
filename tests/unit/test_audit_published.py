"""Numbers of the kinds that were once published: the wrong ones are caught, the right ones pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.audit.audit import audit
from ridgeline.audit.claim import Claim, Status

CASES: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent.parent / "data" / "audit" / "published.yaml").read_text(encoding="utf-8")
)


def _marks(case: dict[str, Any]) -> list[Any]:
    return [pytest.mark.xfail(strict=True, reason=case["cannot"])] if "cannot" in case else []


def _claims(case: dict[str, Any], folder: Path) -> Path | None:
    if "is" not in case:
        return None
    symbols = {
        name: {"unit": "1", "means": "an input of the case", "default": value}
        for name, value in case["symbols"].items()
    }
    for entry in symbols.values():
        entry["unit"] = entry["default"].partition(" ")[2] or "1"
    path = folder / "claims.yaml"
    path.write_text(
        json.dumps({"symbols": symbols, "figures": [{"say": case["text"].rstrip("."), "is": case["is"]}]}),
        encoding="utf-8",
    )
    return path


def _claim(case: dict[str, Any], records_root: Path, folder: Path) -> Claim:
    found = audit("case.md", case["text"].encode(), records_root.parent, _claims(case, folder))
    assert not found.findings, found.findings
    (claim,) = [c for c in found.claims if c.numeral.text == case["number"]][-1:]
    others = [c for c in found.claims if c is not claim and c.status is Status.WRONG]
    assert not others, others
    return claim


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"], marks=_marks(c)) for c in CASES])
def test_case(case: dict[str, Any], records_root: Path, tmp_path: Path) -> None:
    claim = _claim(case, records_root, tmp_path)
    assert claim.status.value == case["verdict"], claim.judgment.because


def test_all_cases_are_there() -> None:
    assert len(CASES) == 87
    assert sum(c["verdict"] == "wrong" for c in CASES) == 65
