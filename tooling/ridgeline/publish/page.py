"""One page: its address, its title and its body, written as Markdown that holds HTML blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ridgeline.publish.markup import clean, safe

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES = Path(__file__).parent / "templates"
_HEADING = re.compile(r"^## [^\n]+ \{: #[\w.-]+ \}$", re.MULTILINE)
_BLANK = re.compile(r"\n[ \t]*(?=\n)")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the site. ``address`` is from the root and ends in a slash; ``body`` is Markdown.

    ``scripts`` names the modules of browser code (``site/code/pages/NAME.ts``) that the page loads besides ``page``,
    ``names`` what the page's subject is called (search gives them most weight), ``kind`` what kind of page it is.
    """

    address: str
    title: str
    description: str
    body: str
    written: str = ""
    scripts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kind: str = ""

    @property
    def file(self) -> str:
        """Where its Markdown stands below the folder that the site generator reads; a page that a person wrote keeps
        its place, so that its links to other files hold."""
        return self.written or f"{self.address}index.md"

    def markdown(self) -> str:
        """The file, front matter included. JSON strings are YAML, so no title can end its own line."""
        # The generator puts titles and descriptions into its templates unescaped.
        meta = {"title": str(safe(self.title)), "description": str(safe(self.description))}
        lines = [f"{key}: {json.dumps(value)}" for key, value in meta.items()]
        if self.names:
            lines.append(f"names: {json.dumps([clean(name) for name in self.names])}")
        if self.kind:
            lines.append(f"kind: {json.dumps(self.kind)}")
        if self.scripts:
            lines.append(f"scripts: {json.dumps(self.scripts)}")
        return "\n".join(["---", *lines, "---", "", self.body.strip(), ""])


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates: everything that a record says is escaped, and a name that nothing defines is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    def shown(value: Any) -> Any:
        return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )


@lru_cache(maxsize=64)
def template(name: str) -> Template:
    """A template by its file's name."""
    return environment().get_template(name)


def render(name: str, context: Mapping[str, Any]) -> Markup:
    """A template filled in."""
    return Markup(template(name).render(context))


def body(name: str, context: Mapping[str, Any]) -> str:
    """A template filled in, as the body of a Markdown page: headings of our own between blocks of HTML."""
    return block_markdown(render(name, context))


def block_markdown(html: str) -> str:
    """HTML blocks made inert for Markdown: no blank lines within, and no character that could open a fence or code."""
    parts: list[str] = []
    position = 0
    for heading in _HEADING.finditer(html):
        parts += [_inert(html[position : heading.start()]), heading.group()]
        position = heading.end()
    parts.append(_inert(html[position:]))
    return "\n\n".join(p for p in parts if p)


def _inert(html: str) -> str:
    return _BLANK.sub("", html).strip().replace("`", "&#96;").replace("~", "&#126;")
