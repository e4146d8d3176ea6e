"""The end of a check: what the files beside the records make of its findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.figure import FigureResult
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Knowledge
from ridgeline.text.beside import CEILINGS, WAIVERS, contents


class Counted(Protocol):
    """What is kept of a record that was not examined again: how much of it has a ceiling."""

    @property
    def levels(self) -> Mapping[str, int]:
        """Count by the name of the ceiling."""


class Found(Protocol):
    """What a check of all records has found; a :class:`ridgeline.check.Report` is one."""

    knowledge: Knowledge
    findings: list[Finding]
    figures: list[FigureResult]
    conclusions: list[Conclusion]

    @property
    def unexamined(self) -> Mapping[str, Counted]:
        """Records of which the above holds no figures, since they were not examined again."""


def settle(found: Found) -> None:
    """Waive what ``waivers.yaml`` waives, count against ``ceilings.yaml``; their own findings are added.

    All findings of all records have to be there: a waiver that matches none is one itself.
    """
    knowledge = found.knowledge
    beside = contents(knowledge.root) if knowledge.beside is None else knowledge.beside
    if WAIVERS in beside:
        from ridgeline.rules import waivers

        waivers.apply(found, beside[WAIVERS])
    if CEILINGS in beside:
        from ridgeline.rules import ceilings

        found.findings += ceilings.findings(found, beside[CEILINGS])


__all__ = ["Found", "settle"]
