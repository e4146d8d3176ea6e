"""What a pull request is told: the two halves, on recorded events, with everything that the first half says taken for hostile."""

from __future__ import annotations

import http.server
import io
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ridgeline.difference import comment
from ridgeline.reviewing import artifact, post
from ridgeline.reviewing.artifact import Refused, Review, Suggestion
from ridgeline.reviewing.github import ApiError, Rest
from ridgeline.reviewing.harmless import harmless
from ridgeline.reviewing.patch import hunks
from ridgeline.reviewing.suggestions import suggestions

EVENTS = Path(__file__).parents[1] / "data" / "events"
HEAD = "acb5820ced9479c074f688cc328bf03f341a511d"
REPOSITORY = "/repos/example/ridgeline"
BOT = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
OLD, NEW = "    Two of them move 2.5 TB/s, `as` printed.", "    Two of them move 2.7 TB/s, `as` printed."
INSIDE = Suggestion("records/accelerators/forge-a.yaml", 62, (OLD,), (NEW,))


def recorded(name: str) -> Any:
    return json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))


def packed(review: Review | dict[str, Any] | str, member: str = "review.json") -> bytes:
    text = (
        review
        if isinstance(review, str)
        else artifact.text(review)
        if isinstance(review, Review)
        else json.dumps(review)
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, text)
    return file.getvalue()


class Recorded:
    """GitHub as the recorded payloads have it; what is sent to it is kept."""

    def __init__(self, archive: bytes) -> None:
        self.archive = archive
        self.downloads = 0
        self.sent: list[tuple[str, str, dict[str, Any]]] = []
        self.answers: dict[str, Any] = {
            f"{REPOSITORY}/actions/runs/30433642/artifacts?name=review": recorded("artifacts"),
            f"{REPOSITORY}/pulls/42": recorded("pull-request"),
            f"{REPOSITORY}/pulls/42/files": recorded("files"),
            f"{REPOSITORY}/pulls/42/comments": [],
            f"{REPOSITORY}/issues/42/comments": recorded("issue-comments"),
        }

    def get(self, path: str) -> Any:
        if path not in self.answers:
            raise ApiError(f"GET {path}: 404 Not Found", 404)
        return self.answers[path]

    def pages(self, path: str, most: int, key: str = "") -> Iterator[Any]:
        answer = self.get(path)
        yield from answer[key] if key else answer

    def send(self, method: str, path: str, body: dict[str, Any]) -> Any:
        self.sent.append((method, path, body))
        return {"id": 1}

    def download(self, path: str, limit: int) -> bytes:
        assert path == f"{REPOSITORY}/actions/artifacts/13/zip"
        self.downloads += 1
        return self.archive


SAID = Review(42, HEAD, f"{comment.MARK}\n### Ridgeline\n\n**No new errors.**\n")


def posted(review: Review, change: Callable[[Recorded], None] | None = None) -> Recorded:
    api = Recorded(packed(review))
    if change is not None:
        change(api)
    post.post(recorded("workflow-run"), api)
    return api


# One comment


def test_the_mark_is_the_one_that_diff_writes() -> None:
    assert post.MARK == comment.MARK


def test_a_first_comment_is_created_beside_those_of_others_that_carry_the_mark() -> None:
    api = posted(SAID)
    ((method, path, body),) = api.sent
    assert (method, path) == ("POST", f"{REPOSITORY}/issues/42/comments")
    assert body["body"] == (
        "<!-- ridgeline-diff -->\n_Of commit acb5820ced, as its own "
        "[check](https://github.com/example/ridgeline/actions/runs/30433642) wrote it._\n\n"
        "### Ridgeline\n\n**No new errors.**\n"
    )


def test_a_second_run_updates_the_first_ones_comment_and_the_same_text_is_not_sent_again() -> None:
    first = posted(SAID).sent[0][2]["body"]

    def earlier(body: str) -> Callable[[Recorded], None]:
        def change(api: Recorded) -> None:
            api.answers[f"{REPOSITORY}/issues/42/comments"].append({"id": 2002, "body": body, "user": BOT})

        return change

    changed = posted(replace(SAID, comment="other"), earlier(first))
    ((method, path, body),) = changed.sent
    assert (method, path) == ("PATCH", f"{REPOSITORY}/issues/comments/2002")
    assert body["body"].endswith("\n\nother")
    assert posted(SAID, earlier(first)).sent == []
    gone = posted(replace(SAID, comment=""), earlier(first))
    assert gone.sent[0][2]["body"].endswith("This pull request changes no records any more.\n")


def test_nothing_is_posted_where_there_is_nothing_to_say() -> None:
    assert posted(replace(SAID, comment="")).sent == []


@pytest.mark.parametrize(
    ("key", "value"), [("event", "push"), ("event", "workflow_dispatch"), ("conclusion", "cancelled")]
)
def test_other_runs_are_left_alone(key: str, value: str) -> None:
    event = recorded("workflow-run")
    event["workflow_run"][key] = value
    api = Recorded(packed(SAID))
    post.post(event, api)
    assert api.sent == []
    assert api.downloads == 0


def test_a_run_without_an_artifact_is_left_alone() -> None:
    def expired(api: Recorded) -> None:
        for one in api.answers[f"{REPOSITORY}/actions/runs/30433642/artifacts?name=review"]["artifacts"]:
            one["expired"] = True

    assert posted(SAID, expired).sent == []


# The pull request that it is about


def refused(review: Review, change: Callable[[Recorded], None] | None = None) -> str:
    api = Recorded(packed(review))
    if change is not None:
        change(api)
    with pytest.raises(Refused) as error:
        post.post(recorded("workflow-run"), api)
    assert api.sent == []
    return str(error.value)


def pull(**changes: Any) -> Callable[[Recorded], None]:
    def change(api: Recorded) -> None:
        found = deepcopy(api.answers[f"{REPOSITORY}/pulls/42"])
        for path, value in changes.items():
            *outer, last = path.split("__")
            inner = found
            for part in outer:
                inner = inner[part]
            inner[last] = value
        api.answers[f"{REPOSITORY}/pulls/42"] = found

    return change


def test_an_artifact_of_another_pull_request_is_refused() -> None:
    def another(api: Recorded) -> None:
        pull(head__ref="release", head__repo={"full_name": "example/ridgeline"}, head__sha="0" * 40)(api)

    assert "another branch" in refused(SAID, another)
    assert "does not exist" in refused(replace(SAID, pull_request=43))
    assert "another commit" in refused(replace(SAID, head="0" * 40))
    assert "another branch" in refused(SAID, pull(head__repo=None))
    assert "another branch" in refused(SAID, pull(head__ref="other"))
    assert "another repository" in refused(SAID, pull(base__repo={"full_name": "contributor/ridgeline"}))


def test_a_pull_request_that_has_moved_on_or_is_closed_is_left_to_its_newest_run() -> None:
    assert posted(SAID, pull(head__sha="0" * 40)).sent == []
    assert posted(SAID, pull(state="closed")).sent == []


# The file


def test_an_archive_that_is_too_large_is_not_even_asked_for() -> None:
    def large(api: Recorded) -> None:
        for one in api.answers[f"{REPOSITORY}/actions/runs/30433642/artifacts?name=review"]["artifacts"]:
            one["size_in_bytes"] = artifact.MAX_ARCHIVE + 1

    api = Recorded(packed(SAID))
    large(api)
    with pytest.raises(Refused, match="more than 1,000,000 bytes"):
        post.post(recorded("workflow-run"), api)
    assert api.downloads == 0


def good() -> dict[str, Any]:
    return json.loads(artifact.text(replace(SAID, suggestions=(INSIDE,))))  # type: ignore[no-any-return]


def test_what_is_written_is_read_back() -> None:
    review = replace(SAID, suggestions=(INSIDE,), more=3)
    assert artifact.read(artifact.unpack(packed(review))) == review


@pytest.mark.parametrize(
    "archive",
    [
        b"",
        b"no archive",
        packed(SAID, "other.json"),
        packed(SAID, "../review.json"),
        packed(SAID)[:-30],
        packed(SAID) + b"x" * artifact.MAX_ARCHIVE,
        packed("[" + " " * (artifact.MAX_BYTES * 50) + "]"),  # a bomb: a few kilobytes that become fifty megabytes
    ],
    ids=["empty", "text", "other name", "path", "cut", "long", "bomb"],
)
def test_other_archives_are_refused(archive: bytes) -> None:
    with pytest.raises(Refused):
        artifact.unpack(archive)


def edited(path: str, value: Any) -> dict[str, Any]:
    data = good()
    inner: Any = data
    *outer, last = path.split(".")
    for part in outer:
        inner = inner[int(part)] if part.isdigit() else inner[part]
    inner[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "ridgeline-review/2"),
        ("pull_request", "42"),
        ("pull_request", True),
        ("pull_request", 42.0),
        ("pull_request", 0),
        ("pull_request", 10**12),
        ("head", "main"),
        ("head", HEAD.upper()),
        ("comment", "x" * 60_001),
        ("comment", None),
        ("comment", "\ud800"),
        ("more", -1),
        ("extra", 1),
        ("suggestions", {}),
        ("suggestions", [None]),
        ("suggestions.0.path", "../.github/workflows/check.yaml"),
        ("suggestions.0.path", "/etc/a.yaml"),
        ("suggestions.0.path", "records/a/../../b.yaml"),
        ("suggestions.0.path", "tooling/ridgeline/cli/__init__.py"),
        ("suggestions.0.line", 0),
        ("suggestions.0.new", []),
        ("suggestions.0.new", [NEW, NEW]),
        ("suggestions.0.new", [OLD]),
        ("suggestions.0.new", [NEW + " And more."]),
        ("suggestions.0.new", [NEW.replace("move", "m\u043eve")]),
        ("suggestions.0.new", [NEW + "\n"]),
        ("suggestions.0.new", [NEW + "\u202e"]),
        ("suggestions.0.new", [NEW.replace(".", "." * 3_000)]),
    ],
)
def test_other_files_are_refused(path: str, value: Any) -> None:
    artifact.read(json.dumps(good()).encode())
    with pytest.raises(Refused):
        artifact.read(json.dumps(edited(path, value)).encode())


@pytest.mark.parametrize("text", ["", "null", "[" * 100_000, '{"a": NaN}', "\xff", json.dumps(good())[:-1]])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        artifact.read(text.encode("latin-1"))


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(Refused, match="twice"):
        artifact.read(json.dumps(good()).replace('"more"', '"more": 1, "more"').encode())


# Hostile text


@pytest.mark.parametrize(
    ("given", "posted_as"),
    [
        ("@org/admins look", "@\u200borg/admins look"),
        ("&#64;admin &commat;admin &#x40;admin", "&#64;\u200badmin &commat;\u200badmin &#x40;\u200badmin"),
        ("fixes #12 and GH-12", "fixes #\u200b12 and GH-\u200b12"),
        ("[click](https://evil.example/a)", "[click]\u200b(https:\u200b//evil.example/a)"),
        ("[click](javascript:alert(1))", "[click]\u200b(javascript:alert(1))"),
        ("[click](//evil.example)", "[click]\u200b(//evil.example)"),
        ("![](https://evil.example/pixel.png)", "!\u200b[]\u200b(https:\u200b//evil.example/pixel.png)"),
        ("[x]: https://evil.example", "[x]\u200b: https:\u200b//evil.example"),
        ("see www.evil.example", "see www\u200b.evil.example"),
        ("ftp://evil.example", "ftp:\u200b//evil.example"),
        ("<https://evil.example>", "&lt;https:\u200b//evil.example>"),
        ('<img src="x"><script>', '&lt;img src="x">&lt;script>'),
        ("<details open>", "&lt;details open>"),
        ("<!-- ridgeline-diff -->", "&lt;!-- ridgeline-diff -->"),
        ("<details>never closed", "&lt;details>never closed"),
        ("</details><details>", "&lt;/details>&lt;details>"),
        ("a\u202eb\x1b[31m\x00", "ab[31m"),
    ],
)
def test_text_of_a_stranger_has_no_effect(given: str, posted_as: str) -> None:
    assert harmless(given) == posted_as


def test_what_diff_writes_stays_as_it_is() -> None:
    text = (
        "### Ridgeline: <code>main</code> → <code>HEAD</code>\n\n**No new errors.**\n\n| a | b |\n|---|---|\n"
        "| <code>x&#124;y</code> | 3 TB/s |\n\n> cut\n\n<details><summary>Pages (2)</summary>\n\n- a\n</details>\n"
    )
    assert harmless(text) == text


def test_links_to_our_own_pages_stay() -> None:
    ours = ("https://example.org/ridgeline/", "https://github.com/example/ridgeline")
    for text in ("[a](https://example.org/ridgeline/models/x/)", "https://github.com/example/ridgeline/issues/1"):
        assert harmless(text, ours) == text
    for text in (
        "[a](https://example.org/ridgelines)",
        "[a](https://example.org/ridgeline/../admin)",
        "[a](https://example.org.evil.example/ridgeline/)",
        "[a](https://example.org/ridgeline/x@y)",
        "https://github.com/example/ridgeline-evil",
    ):
        assert harmless(text, ours) != text


def test_a_comment_never_outgrows_what_github_takes() -> None:
    body = posted(replace(SAID, comment="@a\n" * 20_000)).sent[0][2]["body"]
    assert 60_000 < len(body) < 65_536
    assert body.endswith("… cut: the rest is in the artifacts of the check.\n")


# Suggestions


def test_the_patch_says_on_which_lines_a_comment_can_stand() -> None:
    first, second = hunks(recorded("files")[0]["patch"])
    assert (first.start, second.start) == (15, 60)
    assert second.lines == ("  notes: |", "    The bandwidth is 1.35 TB/s, or 164 flop/byte.", OLD)
    assert second.holds(62, [OLD])
    assert not second.holds(61, [OLD])
    assert not second.holds(62, [OLD, OLD])
    assert not first.holds(62, [OLD])
    assert hunks("no patch\n+a") == []


def test_a_suggestion_on_a_line_of_the_diff_is_posted_once() -> None:
    api = posted(replace(SAID, suggestions=(INSIDE,)))
    method, path, body = api.sent[0]
    assert (method, path) == ("POST", f"{REPOSITORY}/pulls/42/reviews")
    assert (body["commit_id"], body["event"]) == (HEAD, "COMMENT")
    (inline,) = body["comments"]
    assert (inline["path"], inline["line"], inline["side"]) == (INSIDE.path, 62, "RIGHT")
    assert inline["body"].endswith(f"\n```suggestion\n{NEW}\n```")
    assert "1 stale number can be mended" in api.sent[1][2]["body"]

    def said(again: Recorded) -> None:
        again.answers[f"{REPOSITORY}/pulls/42/comments"] = [{"id": 1, "body": inline["body"], "user": BOT}]

    assert [m for m, p, _ in posted(replace(SAID, suggestions=(INSIDE,)), said).sent if p.endswith("reviews")] == []

    def copied(again: Recorded) -> None:
        again.answers[f"{REPOSITORY}/pulls/42/comments"] = [
            {"id": 1, "body": inline["body"], "user": {"login": "mallory", "type": "User"}}
        ]

    assert len(posted(replace(SAID, suggestions=(INSIDE,)), copied).sent) == 2


@pytest.mark.parametrize(
    "outside",
    [
        replace(INSIDE, line=61),
        replace(INSIDE, line=400),
        replace(INSIDE, old=(OLD.replace("2.5", "2.4"),)),
        replace(INSIDE, path="records/classes/large.yaml"),
        replace(INSIDE, path="records/classes/untouched.yaml"),
        replace(INSIDE, path="records/sources/acme-sheet.yaml", line=1, old=("name: 1",), new=("name: 2",)),
        replace(INSIDE, line=61, old=("    The bandwidth is 1.35 TB/s, or 164 flop/byte.", OLD, ""), new=("    The bandwidth is 1.35 TB/s, or 152 flop/byte.", NEW, "")),
    ],
    ids=["other line", "no such line", "other text", "no patch", "untouched file", "removed file", "past the hunk"],
)  # fmt: skip
def test_suggestions_outside_of_the_diff_are_counted_and_not_posted(outside: Suggestion) -> None:
    api = posted(replace(SAID, suggestions=(outside,), more=4))
    ((_, path, body),) = api.sent
    assert path == f"{REPOSITORY}/issues/42/comments"
    assert "5 stale lines that cannot be suggested here: run `ridgeline fix`" in body["body"]


def test_suggestions_are_limited_in_number() -> None:
    lines = [f"value {n}" for n in range(40)]

    def long(api: Recorded) -> None:
        api.answers[f"{REPOSITORY}/pulls/42/files"][0]["patch"] = "@@ -1,0 +1,40 @@\n" + "\n".join(
            "+" + t for t in lines
        )

    many = tuple(Suggestion(INSIDE.path, n + 1, (line,), (line + "1",)) for n, line in enumerate(lines))
    api = posted(replace(SAID, suggestions=(*many, many[0])), long)
    assert len(api.sent[0][2]["comments"]) == post.MAX_INLINE == 20
    assert "21 more stale lines" in api.sent[1][2]["body"]


def test_a_suggestion_cannot_end_its_own_fence() -> None:
    old, new = "a ```` 1", "a ```` 2"

    def fenced(api: Recorded) -> None:
        api.answers[f"{REPOSITORY}/pulls/42/files"][0]["patch"] = f"@@ -1 +1,2 @@\n+{old}\n+{old}"

    several = Suggestion(INSIDE.path, 1, (old, old), (new, new))
    (inline,) = posted(replace(SAID, suggestions=(several,)), fenced).sent[0][2]["comments"]
    assert inline["body"].endswith(f"\n`````suggestion\n{new}\n{new}\n`````")
    assert (inline["start_line"], inline["start_side"], inline["line"]) == (1, "RIGHT", 2)


# The unprivileged half


def test_what_fix_would_write_is_suggested_line_by_line(few: Path, edit: Any, cli: Any) -> None:
    edit(few / "records/accelerators/nvidia-h100-sxm.yaml", "value: 3.35 TB/s", "value: 3.9 TB/s")
    before = {p: p.read_bytes() for p in (few / "records").rglob("*.yaml")}
    found = suggestions(few)
    assert found
    assert all(artifact.acceptable(one) for one in found)
    assert {p: p.read_bytes() for p in (few / "records").rglob("*.yaml")} == before
    for one in found:
        lines = (few / one.path).read_text(encoding="utf-8").split("\n")
        assert tuple(lines[one.line - 1 : one.line - 1 + len(one.old)]) == one.old
        lines[one.line - 1 : one.line - 1 + len(one.old)] = one.new
        (few / one.path).write_text("\n".join(lines), encoding="utf-8")
    written = {p: p.read_bytes() for p in (few / "records").rglob("*.yaml")}
    for path, content in before.items():
        path.write_bytes(content)
    assert cli("fix", "--root", few).code in (0, 1)
    assert {p: p.read_bytes() for p in (few / "records").rglob("*.yaml")} == written


def test_the_file_of_a_tree_is_one_that_the_other_half_reads(tmp_path: Path, repository: Path) -> None:
    said = tmp_path / "comment.md"
    said.write_text("A comment.\n", encoding="utf-8")
    root = repository / "tests" / "acceptance" / "records" / "good"
    command = [sys.executable, "-m", "ridgeline.reviewing", "write", "--root", str(root), "--pull-request", "42"]
    command += ["--head", HEAD, "--comment", str(said), "--output", str(tmp_path / "out" / "review.json")]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    assert artifact.read((tmp_path / "out" / "review.json").read_bytes()) == Review(42, HEAD, "A comment.\n")


# Over the network, with nothing but the standard library


class Server(http.server.BaseHTTPRequestHandler):
    """GitHub's API with one pull request, and beside it a store of archives that must not see the token."""

    seen: list[tuple[str, str, str | None]]
    archive: bytes

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def answer(self) -> None:
        path = self.path.partition("?")[0]
        self.seen.append((self.command, path, self.headers.get("Authorization")))
        names = {"artifacts": "artifacts", "42": "pull-request"}
        if path == "/store":
            return self.say(self.archive)
        if path.endswith("/zip"):
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/store")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        name = names.get(path.rpartition("/")[2])
        return self.say(json.dumps(recorded(name) if name else []).encode())

    def say(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, type[Server]]]:
    handler = type("Handler", (Server,), {"seen": [], "archive": packed(SAID)})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}", handler
        running.shutdown()
        thread.join()


def test_post_needs_the_standard_library_only_and_keeps_the_token_to_the_api(
    server: tuple[str, type[Server]], repository: Path
) -> None:
    address, handler = server
    environment = {
        "GITHUB_EVENT_PATH": str(EVENTS / "workflow-run.json"), "GITHUB_TOKEN": "token", "GITHUB_API_URL": address,
        "PYTHONPATH": str(repository / "tooling"),
    }  # fmt: skip
    # -S: no installed package can be imported.
    command = [sys.executable, "-S", "-m", "ridgeline.reviewing", "post"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd="/", check=False)
    assert ran.stdout == "pull request 42; comment: created; suggestions: 0\n", ran.stderr
    assert [(m, p) for m, p, _ in handler.seen] == [
        ("GET", f"{REPOSITORY}/actions/runs/30433642/artifacts"),
        ("GET", f"{REPOSITORY}/actions/artifacts/13/zip"),
        ("GET", "/store"),
        ("GET", f"{REPOSITORY}/pulls/42"),
        ("GET", f"{REPOSITORY}/issues/42/comments"),
        ("POST", f"{REPOSITORY}/issues/42/comments"),
    ]
    assert {a for _, p, a in handler.seen if p != "/store"} == {"Bearer token"}
    assert [a for _, p, a in handler.seen if p == "/store"] == [None]


def test_a_download_ends_at_its_limit_and_a_refusal_has_its_status(server: tuple[str, type[Server]]) -> None:
    address, handler = server
    handler.archive = b"x" * 1_001
    api = Rest("token", address)
    assert len(api.download("/a/zip", 1_001)) == 1_001
    with pytest.raises(ApiError, match="more than 1,000 bytes"):
        api.download("/a/zip", 1_000)
    with pytest.raises(ApiError) as error:
        api.send("PUT", "/a", {})
    assert error.value.status == 501
