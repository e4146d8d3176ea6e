"""Whether cited documents are still there: against servers of this machine that answer in every way that servers do."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ridgeline.links import issue
from ridgeline.links.report import MARK, Link, Report, links, markdown, summary, visited
from ridgeline.links.visit import State, Visit, Visitor
from tests.data.repository import GOOD

SHEET = "https://example.org/acme-one.pdf"
BOT = {"login": "github-actions[bot]", "type": "Bot"}


class Server(http.server.BaseHTTPRequestHandler):
    """``/404`` answers 404; ``/get-only`` knows no HEAD; ``/after-2`` works the second time; ``/to/…`` redirects."""

    seen: list[tuple[str, str]]

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        self.seen.append((self.command, self.path))
        name = self.path.removeprefix("/")
        if name.startswith("to/"):
            code, _, target = name.removeprefix("to/").partition("/")
            return self.say(int(code), Location=target if "://" in target else "/" + target)
        if name == "get-only":
            return self.say(405 if self.command == "HEAD" else 200)
        if name == "after-2":
            return self.say(200 if Counter(self.seen)["HEAD", "/after-2"] > 1 else 503, **{"Retry-After": "7"})
        if name == "broken":
            self.wfile.write(b"no HTTP\r\n\r\n")
            return None
        return self.say(int(name) if name.isdecimal() else 200)

    def say(self, code: int, **headers: str) -> None:
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, type[Server]]]:
    handler = type("Handler", (Server,), {"seen": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}", handler
        running.shutdown()
        thread.join()


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def __call__(self) -> float:
        return self.now


def visitor(clock: Clock, **settings: Any) -> Visitor:
    return Visitor(5, local=True, sleep=clock.sleep, clock=clock, **settings)


@pytest.mark.parametrize(
    ("path", "state", "why", "target", "asked"),
    [
        ("200", State.OK, "200", "", ["HEAD /200"]),
        ("get-only", State.OK, "200", "", ["HEAD /get-only", "GET /get-only"]),
        ("404", State.GONE, "404", "", ["HEAD /404", "GET /404"]),
        ("410", State.GONE, "410", "", ["HEAD /410"]),
        ("403", State.REFUSED, "403", "", ["HEAD /403", "GET /403"]),
        ("401", State.REFUSED, "401", "", ["HEAD /401"]),
        ("502", State.FAILING, "502", "", ["HEAD /502"] * 3),
        ("after-2", State.OK, "200", "", ["HEAD /after-2"] * 2),
        ("to/301/200", State.MOVED, "200", "/200", ["HEAD /to/301/200", "HEAD /200"]),
        ("to/308/to/301/200", State.MOVED, "200", "/200", ["HEAD /to/308/to/301/200", "HEAD /to/301/200", "HEAD /200"]),
        ("to/302/200", State.OK, "200", "", ["HEAD /to/302/200", "HEAD /200"]),
        ("to/301/404", State.GONE, "404", "", ["HEAD /to/301/404", "HEAD /404", "GET /404"]),
        ("to/301/file:///etc/passwd", State.FAILING, "no address of a web page", "", ["HEAD /to/301/file:///etc/passwd"] * 3),
    ],
)  # fmt: skip
def test_what_a_server_answers(
    server: tuple[str, type[Server]], path: str, state: State, why: str, target: str, asked: list[str]
) -> None:
    address, handler = server
    seen = visitor(Clock()).visit(f"{address}/{path}")
    assert (seen.state, seen.why, seen.target) == (state, why, address + target if target else "")
    assert [f"{method} {at}" for method, at in handler.seen] == asked


def test_redirects_in_a_circle_end(server: tuple[str, type[Server]]) -> None:
    address, handler = server
    loop = "to/302/" * 8 + "200"
    seen = visitor(Clock(), retries=0).visit(f"{address}/{loop}")
    assert (seen.state, seen.why) == (State.FAILING, "redirected more than five times")
    assert len(handler.seen) == 6


def test_an_answer_that_is_no_http_and_a_port_that_nobody_hears_are_failing(server: tuple[str, type[Server]]) -> None:
    address, _ = server
    assert visitor(Clock(), retries=0).visit(f"{address}/broken").state is State.FAILING
    assert visitor(Clock(), retries=0).visit("http://127.0.0.1:1/").state is State.FAILING


def test_one_host_is_not_hurried(server: tuple[str, type[Server]]) -> None:
    address, _ = server
    clock = Clock()
    one = visitor(clock, pause=2.0)
    for _ in range(3):
        one.visit(f"{address}/200")
    assert clock.slept == [2.0, 2.0]
    other = Clock()
    visitor(other, pause=2.0).visit(f"{address}/after-2")
    assert other.slept == [7.0]  # as the server asked for


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1/", "the host is no public one"),
        ("http://[::1]/", "the host is no public one"),
        ("http://169.254.169.254/latest/meta-data", "the host is no public one"),
        ("http://10.0.0.1/", "the host is no public one"),
        ("http://localhost/", "the host is no public one"),
        ("https://8.8.8.8:22/", "port 22 is none of the web's"),
        ("https://user@example.org/", "no address of a web page"),
        ("file:///etc/passwd", "no address of a web page"),
        ("http://[", "no address that can be read"),
    ],
)
def test_a_record_cannot_point_the_runner_at_its_own_network(address: str, why: str) -> None:
    seen = Visitor(1, sleep=Clock().sleep).visit(address)
    assert (seen.state, seen.why) == (State.SKIPPED, why)


def test_the_addresses_of_sources_stand_there_once_with_all_that_cite_them(tmp_path: Path) -> None:
    shutil.copytree(GOOD / "records", tmp_path / "records")
    sources = tmp_path / "records" / "sources"
    text = (sources / "acme-sheet.yaml").read_text(encoding="utf-8")
    assert text.count(SHEET) == 1
    for name, url in (("b", "https://b.example/1"), ("a", "https://a.example/2"), ("c", "https://b.example/1")):
        changed = text.replace("id: acme-sheet", f"id: {name}").replace(SHEET, url)
        (sources / f"{name}.yaml").write_text(changed, encoding="utf-8")
    assert links(tmp_path) == [
        Link("https://a.example/2", ("sources/a",)),
        Link("https://b.example/1", ("sources/b", "sources/c")),
        Link(SHEET, ("sources/acme-sheet",)),
    ]


def test_time_that_is_up_leaves_the_rest_for_another_day(server: tuple[str, type[Server]]) -> None:
    address, _ = server
    clock = Clock()
    report = visited([Link(f"{address}/{n}", ("sources/a",)) for n in (200, 404, 200)], visitor(clock), 3.0, clock)
    assert summary(report) == "3 addresses: 1 ok, 1 gone, 1 skipped"
    assert report.broken == 1


REPORT = Report(
    (
        (Link("https://a.example/|`x`", ("sources/a",)), Visit("https://a.example/|`x`", State.GONE, "404")),
        (
            Link("https://b.example", ("sources/b",)),
            Visit("https://b.example", State.MOVED, "200", "https://c.example"),
        ),
    )
)


def test_the_report_says_what_calls_for_somebody_first() -> None:
    assert markdown(REPORT) == (
        f"{MARK}\n2 addresses: 1 moved, 1 gone.\n\n"
        "### Gone (1)\n\nNext: find where the document stands now, or an archived copy, and change `url` "
        "(or set `superseded_by`).\n\n| cited by | address | answer |\n|---|---|---|\n"
        "| `sources/a` | `https://a.example/¦'x'` | `404` |\n\n"
        "<details><summary>Moved (1)</summary>\n\nNext: replace the address when the record is next edited.\n\n"
        "| cited by | address | answer |\n|---|---|---|\n"
        "| `sources/b` | `https://b.example` | `200` → `https://c.example` |\n\n</details>\n"
    )


class Issues:
    """The open issues of a repository; what is sent is kept."""

    def __init__(self, *issues: dict[str, Any]):
        self.issues = issues
        self.sent: list[tuple[str, str, dict[str, Any]]] = []

    def get(self, path: str) -> Any:
        raise AssertionError(path)

    def pages(self, path: str, most: int, key: str = "") -> Iterator[Any]:
        assert path == "/repos/example/ridgeline/issues?state=open&labels=links&creator=github-actions%5Bbot%5D"
        yield from self.issues

    def send(self, method: str, path: str, body: dict[str, Any]) -> Any:
        self.sent.append((method, path, body))

    def download(self, path: str, limit: int) -> bytes:
        raise AssertionError(path)


OURS = {"number": 5, "user": BOT, "body": f"{MARK}\nold"}
OTHERS = (
    {"number": 1, "user": {"login": "mallory", "type": "User"}, "body": f"{MARK}\nmine"},
    {"number": 2, "user": BOT, "body": "no mark"},
    {"number": 3, "user": BOT, "body": f"{MARK}\na pull request", "pull_request": {}},
    {"number": 4, "user": None, "body": None},
)


def test_one_issue_is_opened_updated_and_closed() -> None:
    whole = Report(REPORT.visits[1:])
    opened, updated, closed, silent = Issues(*OTHERS), Issues(*OTHERS, OURS), Issues(OURS), Issues(*OTHERS)
    assert issue.tell(REPORT, opened, "example/ridgeline") == "opened"
    assert opened.sent == [
        (
            "POST",
            "/repos/example/ridgeline/issues",
            {"title": issue.TITLE, "body": markdown(REPORT), "labels": ["links"]},
        )
    ]
    assert issue.tell(REPORT, updated, "example/ridgeline") == "updated"
    assert updated.sent == [("PATCH", "/repos/example/ridgeline/issues/5", {"body": markdown(REPORT)})]
    assert issue.tell(whole, closed, "example/ridgeline") == "closed"
    assert closed.sent[0][2]["state"] == "closed"
    assert issue.tell(whole, silent, "example/ridgeline") == "nothing to tell"
    assert silent.sent == []


def test_an_issue_never_outgrows_what_github_takes() -> None:
    link = Link("https://example.org/" + "x" * 400, ("sources/" + "a" * 60,))
    many = Report(tuple((link, Visit(link.address, state, "y" * 250)) for state in State for _ in range(300)))
    api = Issues()
    issue.tell(many, api, "example/ridgeline")
    assert 50_000 < len(api.sent[0][2]["body"]) < 65_536


def test_the_verb_is_green_whatever_pages_answer(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(GOOD / "records", tmp_path / "records")
    sheet = tmp_path / "records" / "sources" / "acme-sheet.yaml"
    text = sheet.read_text(encoding="utf-8")
    assert text.count(SHEET) == 1
    sheet.write_text(text.replace(SHEET, "http://127.0.0.1/x"), encoding="utf-8")
    ran = cli("links", "--root", tmp_path, "--report", tmp_path / "out" / "links.md")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "skipped: http://127.0.0.1/x (the host is no public one); sources/acme-sheet\n1 addresses: 1 skipped\n"
    )
    assert (tmp_path / "out" / "links.md").read_text(encoding="utf-8").startswith(MARK)
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    assert cli("links", "--root", tmp_path, "--issue", "example/ridgeline").code == 2


def test_no_other_part_of_the_tool_uses_the_network(repository: Path) -> None:
    package = repository / "tooling" / "ridgeline"
    using = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if any(
            f"import {name}" in path.read_text(encoding="utf-8") for name in ("socket", "urllib.request", "requests")
        )
    }
    assert using == {"links", "reviewing"}
