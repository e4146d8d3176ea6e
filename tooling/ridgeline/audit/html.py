"""HTML read as blocks: tags removed, entities decoded, tables kept, scripts and styles skipped."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

from ridgeline.audit.blocks import BlockKind, Builder, Document, Pieces

_SKIPPED = frozenset({"script", "style", "template", "svg", "noscript", "iframe", "object", "head"})
_BREAKING = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "aside",
        "nav",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "blockquote",
        "figure",
        "figcaption",
        "caption",
        "form",
        "fieldset",
        "hr",
        "table",
        "thead",
        "tbody",
        "tfoot",
        "tr",
        "body",
        "html",
        "details",
        "summary",
        "address",
    ]
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "title"})
_MAX_DEPTH = 12
_MAX_SPAN = 20
_MAX_TAG = 4_000
#: Stands for a ``<`` that opens nothing.
_HARMLESS = "\ufffd"


class _Grid:
    """A table that is still open."""

    def __init__(self) -> None:
        self.rows: list[list[Pieces]] = []
        self.headed = False
        self.cell: Pieces | None = None


class _Reader(HTMLParser):
    def __init__(self, document: Document) -> None:
        super().__init__(convert_charrefs=False)
        self.document = document
        self.builder = Builder(document)
        self.pieces = Pieces()
        self.kind = BlockKind.PARAGRAPH
        self.skipping: list[str] = []
        self.grids: list[_Grid] = []
        self.pre = self.code = 0

    @property
    def at(self) -> int:
        line, column = self.getpos()
        return self.document.line_starts[line - 1] + column

    @property
    def out(self) -> Pieces:
        cell = self.grids[-1].cell if self.grids else None
        return self.pieces if cell is None else cell

    def flush(self, following: BlockKind = BlockKind.PARAGRAPH) -> None:
        if self.grids and self.grids[-1].cell is not None:
            if self.out.length and self.out.last != "\n":
                self.out.add("\n", self.at, exact=False)
            return
        self.builder.block(self.kind, self.pieces)
        self.kind = following

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.skipping:
            if tag == self.skipping[-1] and len(self.skipping) < _MAX_DEPTH:
                self.skipping.append(tag)
            return
        if tag in _SKIPPED:
            self.skipping.append(tag)
        elif tag in _HEADINGS:
            self.flush(BlockKind.HEADING)
        elif tag == "li":
            self.flush(BlockKind.ITEM)
        elif tag == "pre":
            self.pre += 1
            self.flush(BlockKind.OUTPUT)
        elif tag == "table" and len(self.grids) < _MAX_DEPTH:
            self.flush()
            self.grids.append(_Grid())
        elif tag == "tr" and self.grids:
            self.grids[-1].cell = None
            self.grids[-1].rows.append([])
        elif tag in ("td", "th") and self.grids:
            self.cell(tag, dict(attrs))
        elif tag in _BREAKING:
            self.flush()
        elif tag == "br":
            self.out.add("\n", self.at, exact=False)
        elif tag == "sup" and self.out.last.isalnum():
            self.out.add("^", self.at, exact=False)
        elif tag == "sub" and self.out.last.isalpha():
            self.out.add("_", self.at, exact=False)
        elif tag == "code" and not self.pre:
            self.code += 1
            self.out.add("`", self.at, exact=False)

    def cell(self, tag: str, attributes: dict[str, str | None]) -> None:
        grid = self.grids[-1]
        if not grid.rows:
            grid.rows.append([])
        grid.headed = grid.headed or (tag == "th" and len(grid.rows) == 1)
        grid.cell = Pieces()
        grid.rows[-1].append(grid.cell)
        span = (attributes.get("colspan") or "1").strip()
        extra = min(int(span), _MAX_SPAN) - 1 if span.isascii() and span.isdigit() and len(span) < 4 else 0
        grid.rows[-1].extend(Pieces() for _ in range(extra))

    def handle_endtag(self, tag: str) -> None:
        if self.skipping:
            if tag == self.skipping[-1]:
                self.skipping.pop()
            return
        if tag in ("td", "th") and self.grids:
            self.grids[-1].cell = None
        elif tag == "table" and self.grids:
            grid = self.grids.pop()
            self.builder.table(grid.rows, headed=grid.headed)
        elif tag == "pre":
            self.pre = max(0, self.pre - 1)
            self.flush()
        elif tag in _HEADINGS or tag == "li" or tag in _BREAKING:
            self.flush()
        elif tag == "code" and self.code:
            self.code -= 1
            self.out.add("`", self.at, exact=False)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("br", "hr"):
            self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            self.out.add(data, self.at)

    def handle_entityref(self, name: str) -> None:
        self.decoded(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.decoded(f"&#{name};")

    def decoded(self, reference: str) -> None:
        if not self.skipping:
            self.out.add(unescape(reference), self.at, exact=False)


def blocks(document: Document) -> None:
    """Fill in the blocks and tables of an HTML document."""
    reader = _Reader(document)
    reader.feed(_closed(document.source))
    reader.close()
    while reader.grids:
        grid = reader.grids.pop()
        reader.builder.table(grid.rows, headed=grid.headed)
    reader.flush()


def _closed(source: str) -> str:
    """The source with each ``<`` that no tag or comment follows made harmless, at the same length.

    The parser looks for the end of each tag and comment anew; without this a page of unclosed ones takes quadratic time.
    """
    parts, done, at = [], 0, source.find("<")
    last_comment, closing = source.rfind("-->"), -1
    while at >= 0:
        if source.startswith("<!--", at):
            harmless = at > last_comment
            following = at + 1 if harmless else source.find("-->", at) + 3
        else:
            if closing <= at:
                closing = source.find(">", at)
                closing = len(source) + _MAX_TAG if closing < 0 else closing
            harmless = closing - at > _MAX_TAG or source[at + 1 : at + 2] in ("<", " ", "")
            following = at + 1 if harmless or source.find("<", at + 1, closing) >= 0 else closing
        if harmless:
            parts += [source[done:at], _HARMLESS]
            done = at + 1
        at = source.find("<", max(following, at + 1))
    return "".join([*parts, source[done:]])
