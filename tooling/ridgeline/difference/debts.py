"""What a difference does to the files beside the records: waivers that come and go, ceilings that must not rise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ridgeline.difference.reading import Both
from ridgeline.findings.finding import Finding, Level
from ridgeline.records.beside import Waiver, read_ceilings, read_waivers
from ridgeline.rules.ceilings import stated
from ridgeline.text.beside import CEILINGS, WAIVERS

_Beside = Mapping[str, bytes | Finding]


@dataclass(frozen=True, slots=True)
class WaiverChange:
    """A waiver that only one side has. One whose words or days changed is removed and added."""

    how: Literal["added", "removed"]
    waiver: Waiver

    @property
    def place(self) -> str:
        """Record, field and what was found, as far as the waiver names them."""
        at, found = self.waiver.place, self.waiver.found
        return (f"{at.field} of {at.record}" if at.field else at.record) + (f" ({found})" if found else "")


def waiver_changes(both: Both) -> list[WaiverChange]:
    """The waivers that went, then those that came, each in the order of its file."""
    old, new = (_waivers(k.beside or {}) for k in (both.before, both.after))
    gone = [WaiverChange("removed", w) for w in old if w not in new]
    return gone + [WaiverChange("added", w) for w in new if w not in old]


def _waivers(beside: _Beside) -> list[Waiver]:
    read = read_waivers(beside.get(WAIVERS))[1]
    return [] if read is None else read.waivers


def raised(both: Both) -> list[Finding]:
    """Ceilings that are higher than in the base, or no longer there."""
    before, after = both.before.beside or {}, both.after.beside or {}
    _, old, _ = read_ceilings(before.get(CEILINGS))
    document, new, own = read_ceilings(after.get(CEILINGS))
    # What cannot be read now is a finding of the check.
    if old is None or (new is None and own):
        return []
    now = {} if new is None else stated(new)
    found = []
    for name, was in stated(old).items():
        number = now.get(name)
        if number is not None and number <= was:
            continue
        change = f"was taken away; it was {was:,}" if number is None else f"was raised from {was:,} to {number:,}"
        found.append(
            Finding(
                "ceiling-raised",
                Level.ERROR,
                document.place(("ceilings", name) if number is not None else ("ceilings",)),
                f"the ceiling of {name} {change}",
                field=f"ceilings.{name}",
                found="" if number is None else f"{number:,}",
                expected=f"at most {was:,}",
                because="ceilings only fall",
                mend=f"write {name}: {was}, and mend as many as were added",
            )
        )
    return found


def differ(both: Both) -> bool:
    """Whether the files beside the records are not the same."""
    return (both.before.beside or {}) != (both.after.beside or {})


__all__ = ["WaiverChange", "differ", "raised", "waiver_changes"]
