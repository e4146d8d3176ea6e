"""Pages that people write (``site/pages``), with parts from the database where a line asks for one.

``<!-- ridgeline: NAME -->`` alone on a line is replaced by the part of that name. ``<!-- scripts: NAME NAME -->`` names the
modules of browser code that the page loads.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from markupsafe import Markup

from ridgeline.publish import downloads, listings
from ridgeline.publish.downloads import Offered
from ridgeline.publish.page import Page, block_markdown
from ridgeline.publish.pen import STATUSES, Pen

_SCRIPTS = re.compile(r"^<!-- scripts:((?: [a-z-]+)+) -->\n", re.MULTILINE)

#: What a line of a hand-written page can ask for.
PARTS: dict[str, Callable[[Pen], Markup]] = {
    "counts": lambda pen: listings.status_counts(pen.database),
    "changes": listings.changes,
    "statuses": lambda pen: listings.status_table([s for s in STATUSES if s not in ("unknown", "set-aside")]),
    **{f"{kind} table": lambda pen, kind=kind: listings.table(pen, kind) for _, kind, _, _ in listings.LISTS},  # type: ignore[misc]
}


def pages(folder: Path, pen: Callable[[str], Pen], offered: Offered) -> list[Page]:
    """The pages below a folder, in the order of their names."""
    found = []
    for path in sorted(folder.glob("**/*.md")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        address = "" if name == "index" else f"{name.removesuffix('/index')}/"
        text = path.read_text(encoding="utf-8")
        scripts = tuple(s for line in _SCRIPTS.findall(text) for s in line.split())
        text = _SCRIPTS.sub("", text)
        head, _, rest = text.partition("\n")
        title = head.removeprefix("# ").strip()
        lead = next((line for line in rest.split("\n") if line and not line.startswith(("#", "<"))), title)
        found.append(Page(address, title, lead, included(text, pen(address), offered), f"{name}.md", scripts))
    return found


def included(text: str, pen: Pen, offered: Offered | None = None) -> str:
    """Markdown with its lines that ask for a part replaced."""
    parts = dict(PARTS)
    if offered is not None:
        parts["downloads"] = lambda pen: downloads.table(offered.downloads, pen.href)
    for name, part in parts.items():
        line = f"<!-- ridgeline: {name} -->"
        if line in text:
            text = text.replace(line, block_markdown(f'<div class="rl">\n{part(pen)}\n</div>'))
    return text
