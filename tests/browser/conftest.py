"""The site, built once for all workers and served on a loopback port, and Chromium to look at it.

Tests that open Chromium run in one worker, those that read the built files in another. Chromium is required: without it
they fail, so that nobody takes an unread page for a good one. Each page refuses, and the test then reports, any request
that leaves the site. ``RIDGELINE_SITE`` names a site that is already built, for work on these tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

HERE = Path(__file__).parent
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            names = getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group("browser" if "browser" in names else "site"))


#: Where the site of these tests says that it stands, and its records.
BASE_URL = "https://example.org/r/"
REPOSITORY_URL = "https://git.example.org/r"


@pytest.fixture(scope="session")
def site(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site: whichever worker comes first builds it."""
    given = os.environ.get("RIDGELINE_SITE")
    if given:
        return Path(given).resolve()
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    output = shared / "site"
    with FileLock(shared / "site.lock"):
        if not output.exists():
            built(repository, output)
    return output


def built(repository: Path, output: Path) -> None:
    """Build the site of the repository's records with the command, as a user would."""
    command = [sys.executable, "-c", "import sys; from ridgeline.cli import main; sys.exit(main())"]
    options = ["--base-url", BASE_URL, "--repository-url", REPOSITORY_URL, "--output", str(output)]
    ran = subprocess.run(
        [*command, "site", "build", *options],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    if ran.returncode:
        pytest.fail(f"`ridgeline site build` ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}", pytrace=False)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def site_url(site: Path) -> Iterator[str]:
    """Where the site is served, without a slash at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium")
    if executable is None:
        pytest.fail("Chromium is not installed; `make test` installs it on Debian as root.", pytrace=False)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield chromium
        chromium.close()


Visit = Callable[..., "Page"]


@pytest.fixture
def visit(browser: Browser, site_url: str) -> Iterator[Visit]:
    """Open a page of the site, as ``visit("/accelerators/nvidia-h100-sxm/", width=390, dark=True, javascript=False)``.

    At the end of the test, requests that left the site and errors in the browser's console fail it.
    """
    contexts = []
    outside: list[str] = []
    errors: list[str] = []

    def gate(route: Route) -> None:
        if route.request.url.startswith((f"{site_url}/", "data:", "blob:")):
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    def open_page(
        path: str = "/", *, width: int = 1280, height: int = 900, dark: bool = False, javascript: bool = True
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
        )
        contexts.append(context)
        context.route("**/*", gate)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        response = page.goto(site_url + path)
        assert response is not None and response.ok, f"{path}: {response and response.status}"
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not outside, f"requests that left the site: {sorted(set(outside))}"
    assert not errors, f"errors in the console: {errors}"
