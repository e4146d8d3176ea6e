"""The one type for something wrong or doubtful, with its place."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How loud a finding is; only errors fail a check."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Place:
    """A range of a file. Lines and columns count from 1, columns in code points; ``length`` is in code points."""

    path: str
    line: int = 1
    column: int = 1
    length: int = 1


@dataclass(frozen=True, slots=True)
class Waived:
    """Until when a finding is accepted, by whom and why; days as ``YYYY-MM-DD``, ``expires`` included."""

    reason: str
    owner: str
    since: str
    expires: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or doubtful at a place.

    ``rule`` is the id in the rule catalogue; ``message`` says what is wrong, ``because`` why that is known, ``mend`` the
    next step. ``found`` and ``expected`` are short printed values. ``field`` is the dotted path inside the record.
    ``waived`` is there where an entry of ``waivers.yaml`` accepts it for now.
    """

    rule: str
    level: Level
    place: Place
    message: str
    record: str = ""
    field: str = ""
    found: str = ""
    expected: str = ""
    because: str = ""
    mend: str = ""
    fixable: bool = False
    excerpt: str = dataclasses.field(default="", compare=False)
    waived: Waived | None = None

    @property
    def fails(self) -> bool:
        """Whether it fails a check: an error that nobody has waived."""
        return self.level is Level.ERROR and self.waived is None
