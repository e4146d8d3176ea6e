"""Pages at the addresses of ids that records had before: they send the reader on, with and without a script."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from ridgeline.publish.address import page_of
from ridgeline.publish.content import Database
from ridgeline.publish.markup import relative, safe

_PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={link}">
<link rel="canonical" href="{canonical}">
<title>{name} has moved</title>
</head>
<body>
<main><h1>{name} has moved</h1>
<p>This record is now <a href="{link}">{reference}</a>.</p></main>
</body>
</html>
""")


def pages(renamed: Mapping[str, str], database: Database, site: Path, base_url: str) -> None:
    """Write a page for each old reference. A page that is there already stays."""
    for old, new in renamed.items():
        path = site / page_of(old) / "index.html"
        if path.exists():
            continue
        link = relative(page_of(old), page_of(new))
        canonical = f"{base_url.rstrip('/')}/{page_of(new)}" if base_url else link
        path.parent.mkdir(parents=True, exist_ok=True)
        text = _PAGE.format(link=link, canonical=canonical, name=safe(database.records[new].name), reference=new)
        path.write_text(str(text), encoding="utf-8", newline="\n")
