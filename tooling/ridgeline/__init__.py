"""Ridgeline: accelerators, models and workload classes in which every printed number is recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ridgeline.library import Base

__version__ = "0.1.0"


def open(folder: Path | str | None = None, *, strict: bool = False) -> Base:
    """The knowledge base of a folder that holds ``records/``; without one, that which this installation carries.

    With ``strict``, a value about which sources disagree, or that follows from one, raises ``ridgeline.library.Contested``.
    """
    from ridgeline.library import opened

    return opened(folder, strict=strict)
