"""What several unit tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ridgeline.check import Report, check
from tests.acceptance.conftest import build

Broken = Callable[..., Report]


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    """The report on the good tree with some texts replaced, as ``broken((record, old, new), …)``."""

    def make(*edits: tuple[str, str, str]) -> Report:
        root = build(tmp_path / "root")
        for record, old, new in edits:
            path = root / "records" / f"{record}.yaml"
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
            path.write_text(text.replace(old, new), encoding="utf-8")
        return check(root)

    return make
