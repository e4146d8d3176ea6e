"""The whole site from a database: pages, the generator's run, the derivation pages, and the exchange with the old site."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ridgeline.publish import (
    calculator,
    compare,
    derived,
    downloads,
    explorer,
    feeds,
    listings,
    mistakes,
    questions,
    renamed,
    rulebook,
    search,
    shell,
    sqlpage,
    timeline,
    written,
)
from ridgeline.publish.address import DERIVATIONS, Addresses, page_of
from ridgeline.publish.content import Database, Record
from ridgeline.publish.database import read
from ridgeline.publish.downloads import Offered
from ridgeline.publish.markup import web_address
from ridgeline.publish.page import Page, body, render
from ridgeline.publish.pen import Pen
from ridgeline.publish.views import VIEWS

#: What writes pages of the database as a whole, such as a comparison of records.
WHOLE: tuple[Callable[[Callable[[str], Pen]], Iterable[Page]], ...] = (
    mistakes.pages,
    questions.pages,
    rulebook.pages,
    sqlpage.pages,
    timeline.pages,
)
#: Hand-written pages, styles and the generator's configuration.
SITE = Path(__file__).resolve().parents[3] / "site"
_NO_DAY = "2000-01-01"


class BuildError(Exception):
    """The site cannot be built; the message says what to do."""


@dataclass(frozen=True, slots=True)
class SiteResult:
    """What was built: the number of HTML pages and the folder."""

    pages: int
    path: Path


def build(
    database: Path,
    output: Path,
    *,
    base_url: str = "",
    repository_url: str | None = None,
    site: Path = SITE,
    code: Path | None = None,
    records: Path | None = None,
) -> SiteResult:
    """Write the site of a database to a folder, which is replaced whole or not at all.

    ``base_url`` is where the site will stand (``https://example.org/ridgeline/``; empty or ``/``: at the root of a host
    that is not known yet), ``repository_url`` where its records can be edited. ``code`` is the folder of the bundled
    browser code; without it the pages have everything but their live parts, and there is no search index.
    ``records`` is the root of the records that the database was made of: the calculator's programs come from them. Raises
    :class:`BuildError`, ``DatabaseError``, ``ExportError``, ``SearchError`` or ``ShellError``.
    """
    base_url = "" if base_url == "/" else base_url
    for name, url in (("base URL", base_url), ("repository URL", repository_url)):
        if url and web_address(url) is None:
            raise BuildError(f"the {name} {url!r} is no http or https address")
    if not (site / shell.CONFIGURATION).is_file():
        raise BuildError(f"there is no {site / shell.CONFIGURATION}: the site's own pages are part of the repository")
    if code is not None and not (code / "page.js").is_file():
        raise BuildError(f"there is no page.js in {code}: bundle the browser code with `make code`")
    content = read(database)
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as folder:
        work = Path(folder)
        made = work / "site"
        offered = downloads.write(database, work / "files")
        _build(content, work, made, site, base_url, repository_url, offered, code, records)
        downloads.place(work / "files", made)
        renamed.pages(offered.renamed, content, made, base_url)
        feeds.write(database, made, base_url)
        pages = sum(1 for _ in made.rglob("*.html"))
        _exchange(made, output, work / "old")
    return SiteResult(pages, output)


def _build(
    database: Database,
    work: Path,
    made: Path,
    site: Path,
    base_url: str,
    repository: str | None,
    offered: Offered,
    code: Path | None,
    records: Path | None,
) -> None:
    docs = work / "docs"
    shutil.copytree(site / "assets", docs / "assets")
    if code is not None:
        shutil.copytree(code, docs / "assets" / "code")
    addresses = Addresses(database)

    def pen(here: str) -> Pen:
        return Pen(database, addresses, here, repository, base_url)

    programs = None if records is None else calculator.programs(database, records)
    compare.files(pen, work / "files")
    if programs is not None:
        calculator.files(pen, work / "files", programs)
    pages = [
        *written.pages(site / "pages", pen, offered),
        *(page for made_of in WHOLE for page in made_of(pen)),
        *compare.pages(pen),
        *calculator.pages(pen, programs),
        *explorer.pages(pen, programs),
        *(listing(pen, *entry) for entry in listings.LISTS),
        *(record_page(pen(page_of(r.reference)), r) for r in database.records.values() if r.kind in VIEWS),
    ]
    for page in pages:
        _write(docs / page.file, page.markdown())
    _write(docs / DERIVATIONS / shell.SKELETON_NAME / "index.md", shell.skeleton_markdown(("figure",)))
    config = work / shell.CONFIGURATION
    template = site / shell.CONFIGURATION
    text = shell.configuration(
        template, docs=docs, output=made, base_url=base_url, repository=repository, live=code is not None
    )
    _write(config, text)
    shell.run(config, last_day(database))
    if code is not None:
        search.index(made)  # before there are thousands of derivation pages, which it would read to leave them out
    derivation_pages(pen, database, addresses, made)


def last_day(database: Database) -> str:
    """The last day of which the records speak: the site's date, since the clock must not change a page."""
    days = [q.checked for q in database.quantities.values()]
    days += [row["retrieved"] for row in database.sources.values()]
    return max((d for d in days if d), default=_NO_DAY)


def record_page(pen: Pen, record: Record) -> Page:
    """The page of a record."""
    template, view = VIEWS[record.kind]
    description = f"{record.name}: every number with its derivation and source."
    context = view(pen, record)
    names = (record.name, *context["names"], record.id)
    kind = next(title for _, kind, title, _ in listings.LISTS if kind == record.kind)
    return Page(page_of(record.reference), record.name, description, body(template, context), names=names, kind=kind)


def listing(pen: Callable[[str], Pen], folder: str, kind: str, title: str, description: str) -> Page:
    """The list of all records of a kind."""
    address = f"{folder}/"
    here = pen(address)
    context = {
        "pen": here, "title": title, "lead": Markup("<p>{}</p>").format(description), "table": listings.table(here, kind)
    }  # fmt: skip
    return Page(address, title, description, body("listing.html", context))


def derivation_pages(pen: Callable[[str], Pen], database: Database, addresses: Addresses, made: Path) -> None:
    """Write the pages of all derivations into the shell's own skeleton, and take the skeleton away."""
    taken = made / DERIVATIONS / shell.SKELETON_NAME
    skeleton = shell.Skeleton.read(taken / "index.html")
    shutil.rmtree(taken)
    for identity, address in addresses.derivations().items():
        here = pen(address)
        d = database.derivations[identity]
        title = derived.full_title(here, d)
        page = skeleton.page(
            name=address.removeprefix(f"{DERIVATIONS}/").rstrip("/"),
            title=title,
            description=f"{title}: {d.shown}, with its formula, inputs and sources.",
            body=str(render("derivation.html", derived.context(here, d))),
        )
        _write(made / address / "index.html", page)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _exchange(made: Path, output: Path, aside: Path) -> None:
    """Put a finished folder where another stands. A failure between the two renames puts the old one back."""
    if output.exists():
        os.rename(output, aside)
    try:
        os.rename(made, output)
    except OSError:
        if aside.exists():
            os.rename(aside, output)
        raise
