"""A difference as the comment of a pull request, in GitHub's Markdown.

Records come from strangers, and so does everything quoted here. Each quoted text stands in a ``code`` element with
the punctuation that means anything as character references: no mention notifies anybody, no link, image or HTML of a record comes to life, no
pipe ends a cell. (A reference alone would not do: mentions are looked for after it is resolved, though never in code.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ridgeline.difference import wording
from ridgeline.difference.difference import Difference
from ridgeline.difference.records import RecordChange
from ridgeline.findings.finding import Finding

#: GitHub refuses comments of 65,536 characters.
LIMIT = 60_000
#: By this the next run finds the comment that it replaces.
MARK = "<!-- ridgeline-diff -->"

#: Rows of a table that stand open; longer ones are folded.
_OPEN = 12
#: Characters of a quoted text, in a comment and in the whole.
_CELL, _WHOLE_CELL = 160, 2_000
#: Rows of each table, tried one after another until the comment fits.
_ROWS = (100_000, 150, 60, 25, 10, 4, 1, 0)
#: What means something to Markdown, to HTML, or to what GitHub looks for in text: mentions, references, addresses, formulas.
_PUNCTUATION = re.compile(r"[!\"#$&*<>@\[\\\]^_`{|}~]|:(?![0-9 ]|$)|(?<=www)\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comment:
    """The comment; ``whole`` is there where it does not hold everything."""

    text: str
    whole: str | None = None


def comment(
    found: Difference, *, number: str | None = None, site: str | None = None, overflow: str | None = None
) -> Comment:
    """The comment, under :data:`LIMIT` characters. ``site`` is the address of the site, for links to its pages;
    ``overflow`` the file that holds the whole where it does not fit."""
    first = _Page(found, number, site, _ROWS[0], _CELL).render("")
    if len(first) < LIMIT:
        return Comment(first)
    whole = _Page(found, number, site, _ROWS[0], _WHOLE_CELL).render("")
    where = f"the whole stands in {code(overflow)}" if overflow else (
        "<code>ridgeline diff</code> with <code>--overflow FILE</code> writes the whole to a file"
    )  # fmt: skip
    note = f"> This difference does not fit into a comment: tables are cut, and {where}.\n"
    for rows in _ROWS[1:]:
        text = _Page(found, number, site, rows, _CELL).render(note)
        if len(text) < LIMIT:
            break
    return Comment(text, whole)


def code(text: str, most: int = _CELL) -> str:
    """A text of a stranger, quoted so that it stays text."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return f"<code>{_PUNCTUATION.sub(lambda m: f'&#{ord(m.group())};', line)}</code>" if line else ""


def finding_row(finding: Finding, most: int = _CELL) -> list[str]:
    """The cells of a finding in the tables of the comment: place, finding, what, expected, next step."""
    place = finding.place
    wanted = finding.expected if finding.expected != finding.found else ""
    return [
        code(f"{place.path}:{place.line}:{place.column}", most),
        f"{wording.level_of(finding)} {code(finding.rule, most)}",
        *(code(text, most) for text in (finding.message, wanted, finding.mend)),
    ]


class _Page:
    """One rendering: at most ``rows`` rows a table, ``cell`` characters a quoted text."""

    def __init__(self, found: Difference, number: str | None, site: str | None, rows: int, cell: int):
        self.found, self.number, self.site, self.rows, self.cell = found, number, site, rows, cell

    def render(self, note: str) -> str:
        found = self.found
        names = (self.code(wording.side_name(side)) for side in (found.base, found.head))
        parts = [MARK, f"### Ridgeline: {' → '.join(names)}\n"]
        if found.no_effect:
            return "\n".join([*parts, f"**{wording.nothing(found)}**\n", *self.layout()])
        rows = [[what, self.summary(what, much)] for what, much in wording.summary(found, self.number)]
        parts += [note] if note else []
        parts.append(self.verdict())
        parts.append(_table(["", ""], rows, len(rows)))
        parts += self.section(wording.rules(found).capitalize(), _FINDING, [self.finding(f) for f in found.rules])
        parts += self.section("Waivers", ["", "rule", "where", "reason", "owner", "from, to"], self.waivers())
        parts += self.section("Sentences that became false", _FINDING, [self.finding(f) for f in found.false])
        parts += self.section("Other new findings", _FINDING, [self.finding(f) for f in found.other])
        flips = [[self.code(t) for t in (f.what, f.before, f.after)] for f in found.flips]
        parts += self.section("Conclusions that flip", ["conclusion", "before", "after"], flips)
        parts += self.records()
        parts += self.section(
            "Derived values that move", ["record", "value", "old", "new", "change", ""], self.effects()
        )
        parts += self.section("Numerals rewritten", ["place", "old", "new", "value"], self.rewritten())
        parts += self.section("Findings that went away", _FINDING, [self.finding(f) for f in found.gone])
        parts += self.pages()
        return "\n".join([*parts, *self.layout()])

    def code(self, text: str) -> str:
        return code(text, self.cell)

    def summary(self, what: str, much: str) -> str:
        # Ids of records that cannot be read are whatever their file is called.
        return self.code(much) if what == "data edition" else much

    def verdict(self) -> str:
        found = self.found
        errors = sum(1 for f in found.new if f.fails)
        broken = sum(1 for f in found.rules if f.fails)
        told = [
            f"{wording.counted(broken, 'rule')} of {wording.rules(found)} broken" if broken else "",
            wording.counted(errors, "new error") if errors else "",
        ]
        said = ", ".join(t for t in told if t)
        return (
            f"**{said[0].upper()}{said[1:]}.**\n" if said else "**No new errors; revision and history are in order.**\n"
        )

    # Parts

    def section(self, title: str, head: Sequence[str], rows: list[list[str]]) -> list[str]:
        if not rows:
            return []
        return [_part(f"{title} ({len(rows):,})", _table(head, rows, self.rows), len(rows) > _OPEN)]

    def records(self) -> list[str]:
        parts = []
        told = self.found.changed
        for record in told[: self.rows]:
            title = f"{self.page(record.reference)} {self.code(record.name)} {self.code(wording.headline(record))}"
            rows = self.changes(record)
            if not rows:
                parts.append(f"- {title}\n")
                continue
            body = _table(["field", "old", "new", "change"], rows, self.rows)
            # A link in a summary would fold it: the name stands there alone.
            folded = title.replace(self.page(record.reference), self.code(record.reference))
            parts.append(_part(folded, body, True) if len(rows) > _OPEN else f"- {title}\n\n{body}")
        if len(told) > self.rows:
            parts.append(f"… and {len(told) - self.rows:,} more records.\n")
        return ["#### Records\n", *parts] if parts else []

    def changes(self, record: RecordChange) -> list[list[str]]:
        rows = []
        for change in record.changes[: self.rows + 1]:
            old, new = wording.sides(change)
            rows.append(
                [self.code(wording.called(change)), self.code(old), self.code(new), wording.as_percent(change.percent)]
            )
        return rows + [[]] * (len(record.changes) - len(rows))

    def effects(self) -> list[list[str]]:
        return [
            [
                self.code(e.record), self.code(e.name), self.code(wording.shown(e.before)),
                self.code(wording.shown(e.after)), wording.as_percent(e.percent), wording.rest_on(e),
            ]
            for e in self.found.derived
        ]  # fmt: skip

    def rewritten(self) -> list[list[str]]:
        rows = []
        for one in self.found.rewritten[: self.rows + 1]:
            place, printed, values = wording.place_of(self.found, one), wording.as_printed(one), wording.values_of(one)
            said = "" if values is None else f"{self.code(values[0])} → {self.code(values[1])}"
            where = self.code(f"{place.path}:{place.line}:{place.column}")
            rows.append(
                [where, self.code(printed[0]), self.code(printed[1]), said if one.with_value else "the value stays"]
            )
        return rows + [[]] * (len(self.found.rewritten) - len(rows))

    def waivers(self) -> list[list[str]]:
        """Waivers that came and went, with why and until when."""
        return [
            [
                change.how, self.code(change.waiver.rule), self.code(change.place), self.code(change.waiver.reason),
                self.code(change.waiver.owner), f"{change.waiver.since}, {change.waiver.expires}",
            ]
            for change in self.found.waivers
        ]  # fmt: skip

    def finding(self, finding: Finding) -> list[str]:
        return finding_row(finding, self.cell)

    def pages(self) -> list[str]:
        pages = self.found.pages
        if not pages:
            return []
        lines = [f"- {self.page(page)}" for page in pages[: self.rows]]
        lines += [f"- … and {len(pages) - self.rows:,} more"] if len(pages) > self.rows else []
        return [_part(f"Pages affected ({len(pages):,})", "\n".join(lines) + "\n", True)]

    def layout(self) -> list[str]:
        records = self.found.layout
        if not records:
            return []
        lines = [f"- {self.code(record.reference)}" for record in records[: self.rows]]
        lines += [f"- … and {len(records) - self.rows:,} more"] if len(records) > self.rows else []
        return [_part(f"Comments or layout only ({len(records):,})", "\n".join(lines) + "\n", True)]

    def page(self, reference: str) -> str:
        """A record, as a link to its page where the site is known and the page still stands there."""
        shown = self.code(reference)
        if self.site is None or reference not in self.found.after.knowledge.entries:
            return shown
        return f"[{shown}]({self.site.rstrip('/')}/{quote(reference)}/)"


_FINDING = ["place", "finding", "what", "expected", "next step"]


def _table(head: Sequence[str], rows: list[list[str]], most: int) -> str:
    """A table of at most so many rows, and how many are left out."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows[:most]]
    more = [f"\n… and {len(rows) - most:,} more."] if len(rows) > most else []
    return "\n".join([*(lines if most else []), *more]) + "\n"


def _part(title: str, body: str, folded: bool) -> str:
    if not folded:
        return f"#### {title}\n\n{body}"
    return f"<details><summary>{title}</summary>\n\n{body}\n</details>\n"


__all__ = ["LIMIT", "MARK", "Comment", "code", "comment", "finding_row"]
