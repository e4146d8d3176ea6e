"""The site generator around our pages: its configuration, its run, and its page skeleton for pages that it does not write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from ridgeline.publish.listings import LISTS

CONFIGURATION = "mkdocs.yml"
#: Pages in the navigation after the lists: title and file.
ALSO = (
    ("Compare", "compare/index.md"),
    ("Calculator", "calculator/index.md"),
    ("Roofline explorer", "explorer/index.md"),
    ("Mistakes that circulate", "mistakes/index.md"),
    ("What changed", "changes/index.md"),
    ("Open questions", "open-questions/index.md"),
    ("How numbers are graded", "method.md"),
    ("Rules of the check", "rules/index.md"),
    ("Data and API", "data.md"),
    ("SQL", "sql/index.md"),
)
#: Pages, besides those of records, that other pages lead to.
OUTSIDE = ("/compare/*/", "/mistakes/classes/", "/stale/")
_TITLE, _DESCRIPTION, _BODY, _NAME = (f"ridgeline{part}skeleton" for part in ("title", "description", "body", "page"))


class ShellError(Exception):
    """The site generator failed; the message is what it said."""


def configuration(
    template: Path, *, docs: Path, output: Path, base_url: str, repository: str | None, live: bool = False
) -> str:
    """The generator's configuration file: the template with this build's folders and addresses put in.

    ``live`` says that the browser code is there, so pages load it.
    """
    config: dict[str, Any] = yaml.safe_load(template.read_text(encoding="utf-8"))
    config["site_url"] = base_url
    config["docs_dir"] = str(docs.resolve())
    config["site_dir"] = str(output.resolve())
    config["theme"]["custom_dir"] = str((template.parent / "overrides").resolve())
    if repository:
        config["repo_url"] = repository
    config.setdefault("extra", {})["live"] = live
    config["nav"] = [
        {"Home": "index.md"},
        *({title: f"{folder}/index.md"} for folder, _, title, _ in LISTS),
        *({title: file} for title, file in ALSO),
    ]
    # Every page that is not a list stands outside the navigation, which would otherwise be repeated in full on each.
    config["not_in_nav"] = "\n".join([*(f"/{folder}/*/" for folder, *_ in LISTS), "/f/", *OUTSIDE, "/404.md"]) + "\n"
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def run(config: Path, day: str) -> None:
    """Run the generator. ``day`` stands for the time of the build wherever it writes one."""
    epoch = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    environment = {
        **os.environ, "SOURCE_DATE_EPOCH": str(epoch), "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore",
        "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true",
    }  # fmt: skip
    # Not --quiet: it drops warnings before --strict can count them.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    ran = subprocess.run(
        command, cwd=config.parent, env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    if ran.returncode:
        raise ShellError(f"mkdocs ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}".strip())


def skeleton_markdown(scripts: tuple[str, ...] = ()) -> str:
    """A page whose every variable part is a word of its own, to be replaced."""
    return (
        f"---\ntitle: {_TITLE}\ndescription: {_DESCRIPTION}\nhide: [toc]\nsearch: {{exclude: true}}\n"
        f"scripts: {json.dumps(scripts)}\n---\n\n"
        f'<div class="rl"><h1>{_BODY}</h1></div>\n'
    )


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The shell's own page around a body, for pages of the same depth as the one it was taken from."""

    text: str

    @classmethod
    def read(cls, page: Path) -> Skeleton:
        """Take it from the page that the generator made of :func:`skeleton_markdown`."""
        text = page.read_text(encoding="utf-8")
        body = f'<div class="rl"><h1>{_BODY}</h1></div>'
        if text.count(body) != 1 or _TITLE not in text:
            raise ShellError("the generator changed the skeleton page in a way that leaves no place for a body")
        return cls(text.replace(body, _BODY))

    def page(self, *, name: str, title: str, description: str, body: str) -> str:
        """A whole page. Title and description are escaped here, the body is HTML."""
        from html import escape

        head, tail = self.text.split(_BODY)
        values = ((_TITLE, escape(title)), (_DESCRIPTION, escape(description)), (_NAME, name))
        for word, value in values:
            head, tail = head.replace(word, value), tail.replace(word, value)
        return head + body + tail


SKELETON_NAME = _NAME
