"""The files that stand beside ``records/``: which findings are waived, how much of what is amiss is allowed, the edition.

Imports nothing heavy: a kept report is asked for by what they hold.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from ridgeline.findings.finding import Finding, Level, Place

WAIVERS = "waivers.yaml"
CEILINGS = "ceilings.yaml"
#: The number of the data, which is that of the program beside it.
EDITION = "EDITION"
NAMES = (WAIVERS, CEILINGS, EDITION)
_NUMBER = re.compile(rb"((?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8})){2})\s{0,4}")


def contents(root: Path) -> dict[str, bytes | Finding]:
    """The bytes of each file that is there, or the finding that they cannot be had."""
    found: dict[str, bytes | Finding] = {}
    for name in NAMES:
        path = root / name
        if not os.path.lexists(path):
            continue
        try:
            found[name] = path.read_bytes() if path.is_file() else unreadable(name, "it is no file")
        except OSError as error:
            found[name] = unreadable(name, error.strerror or "no reason given")
    return found


def unreadable(name: str, reason: str) -> Finding:
    """The finding for a file that the system refuses to give."""
    mend = "give it back its permissions, or move it away"
    return Finding("unreadable", Level.ERROR, Place(name), f"cannot be read: {reason}", mend=mend)


def edition(beside: Mapping[str, bytes | Finding]) -> str:
    """The number in the file of the edition, such as ``1.4.0``; empty where there is none, or something else."""
    held = beside.get(EDITION)
    match = _NUMBER.fullmatch(held) if isinstance(held, bytes) else None
    return match[1].decode("ascii") if match else ""


def state(root: str) -> bytes:
    """All that a report owes to these files: their bytes, and the day where waivers may have run out."""
    parts = []
    for name, held in contents(Path(root)).items():
        parts.append(b"%s %d " % (name.encode(), -1 if isinstance(held, Finding) else len(held)))
        parts.append(held.message.encode() if isinstance(held, Finding) else held)
        if name == WAIVERS:
            parts.append(today().isoformat().encode())
    return b"\n".join(parts)


def today() -> date:
    """The day by which waivers run out: that of ``SOURCE_DATE_EPOCH``, else the clock's, in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(epoch) if epoch.isdecimal() else time.time(), UTC).date()
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(time.time(), UTC).date()


__all__ = ["CEILINGS", "EDITION", "NAMES", "WAIVERS", "contents", "edition", "state", "today", "unreadable"]
