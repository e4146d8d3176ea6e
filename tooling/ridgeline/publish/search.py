"""The search index: Pagefind over the pages that the site generator made.

The browser loads the index in pieces, and only when somebody searches. Pages that carry no ``data-pagefind-body``
(derivations, redirects) are out of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

#: The folder of the index, from the root of the site.
FOLDER = "search"
#: Seconds; ten thousand pages take about a minute.
PATIENCE = 600
#: What nobody searches for: navigation, legends, what is said to screen readers beside numbers, and what a page says twice.
_LEFT_OUT = (
    ".sr", ".crumbs", ".meta", ".legend", ".mark", ".badge", "[data-search-exclude]", "table.numerals", "math", "svg",
    ".table-tools",
)  # fmt: skip
#: Pagefind's own faces, which the site does not use.
_FACES = ("pagefind-ui.*", "pagefind-modular-ui.*", "pagefind-component-ui.*", "pagefind-highlight.js",
          "pagefind-worker.js", "wasm.unknown.pagefind")  # fmt: skip


class SearchError(Exception):
    """There is no search index; the message says what to do."""


def executable() -> Path:
    """The indexer's program. Raises :class:`SearchError` where it is not installed."""
    try:
        found = Path(import_module("pagefind_bin").get_executable())
    except (ImportError, OSError) as error:
        raise SearchError(
            f"the search index needs Pagefind, which is not installed ({error}): pip install 'ridgeline[site]'"
        ) from error
    return found


def index(site: Path, patience: float = PATIENCE) -> int:
    """Index the pages below a folder and put the index beside them; how many files it has.

    Raises :class:`SearchError` where Pagefind is missing, fails, finds no page, or takes longer than ``patience`` seconds.
    """
    program = executable()
    target = site / FOLDER
    command = [
        str(program), "--site", str(site), "--output-path", str(target), "--force-language", "en",
        "--exclude-selectors", ", ".join(_LEFT_OUT),
    ]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PAGEFIND_")}
    try:
        ran = subprocess.run(
            command,
            cwd=site.parent,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SearchError(f"Pagefind did not end within {patience:g} seconds: no site was built") from error
    except OSError as error:
        raise SearchError(f"Pagefind cannot be run ({error}): pip install --force-reinstall pagefind-bin") from error
    if ran.returncode or not (target / "pagefind-entry.json").is_file():
        said = f"{ran.stdout}\n{ran.stderr}".strip()[-4000:]
        raise SearchError(f"Pagefind ended with {ran.returncode}, so there is no search index. It said:\n{said}")
    for pattern in _FACES:
        for path in target.glob(pattern):
            path.unlink()
    # Files of the shell's own search, which is off.
    shutil.rmtree(site / "assets" / "javascripts" / "lunr", ignore_errors=True)
    shutil.rmtree(site / "assets" / "javascripts" / "workers", ignore_errors=True)
    return sum(1 for p in target.rglob("*") if p.is_file())
