"""`fix` mends exactly what `check` calls fixable, keeps everything else, and has nothing left to do the second time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ridgeline.check import check
from ridgeline.mend import mend

H100 = "records/accelerators/nvidia-h100-sxm.yaml"
CLASS = "records/classes/prefill-attention.yaml"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (H100, "value: 3.35 TB/s", "value: 3.9 TB/s"),
        (H100, "value: 3.35 TB/s", "value: 3.36 TB/s"),
        ("records/models/llama-2-7b.yaml", "width: 11008", "width: 11264"),
        ("records/models/llama-2-70b.yaml", "kv_heads: 8", "kv_heads: 16"),
        (CLASS, "591 tokens on an H100", "592 tokens on an H100"),
        (CLASS, "49,408", "49,480"),
    ],
)
def test_fix_and_check_say_the_same(few: Path, path: str, old: str, new: str) -> None:
    file = few / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    before = {p: p.read_text(encoding="utf-8") for p in few.rglob("*.yaml")}
    first = check(few)
    flagged = {
        (f.place.path, f.place.line, f.place.column, f.found.split()[0].rstrip("%"))
        for f in first.findings
        if f.fixable
    }

    rehearsed = mend(few, dry_run=True)
    assert {p: p.read_text(encoding="utf-8") for p in few.rglob("*.yaml")} == before

    mending = mend(few)
    assert mending.mends == rehearsed.mends
    assert flagged <= {(m.path, m.line, m.column, m.old.rstrip("%")) for m in mending.mends}
    assert [f for f in mending.report.findings if f.fixable] == []
    assert [f for f in check(few).findings if f.fixable] == []
    # Only numerals changed: with every digit and separator gone, the files are what they were.
    for changed, source in before.items():
        after = changed.read_text(encoding="utf-8")
        assert re.sub(r"[0-9.,]+", "#", after) == re.sub(r"[0-9.,]+", "#", source)
    again = mend(few)
    assert again.mends == []


def test_a_claim_that_flips_is_left_to_a_person(few: Path, edit: Any) -> None:
    record = few / "records/formats/bf16.yaml"
    text = record.read_text(encoding="utf-8")
    assert "figures:" not in text
    record.write_text(
        text.rstrip("\n")
        + "\nsubjects: {h100: accelerators/nvidia-h100-sxm}\ntext:\n  note: |\n    The ridge is over 300 flop/byte, and memory"
        " reaches 3.5 TB/s.\nfigures:\n- say: over 300 flop/byte\n  is: h100.ridge.bf16\n- say: reaches 3.5 TB/s\n"
        "  is: h100.memory.bandwidth\n",
        encoding="utf-8",
    )
    mending = mend(few)
    assert [(m.old, m.new) for m in mending.mends] == [("3.5", "3.4")]
    assert "over 300 flop/byte" in record.read_text(encoding="utf-8")
    assert "figure-decision" in {f.rule for f in mending.report.findings}
