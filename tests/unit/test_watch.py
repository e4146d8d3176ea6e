"""The site is made anew where what it follows from has changed, and the last good one stays where it cannot be."""

from __future__ import annotations

import argparse
from pathlib import Path
from urllib.request import urlopen

import pytest

from ridgeline.cli import UsageError, site_
from ridgeline.publish import serve
from ridgeline.publish.build import BuildError
from ridgeline.publish.watch import Watch, content_of
from tests.acceptance.conftest import build


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return build(tmp_path / "root")


def test_any_change_of_content_is_seen_and_no_other(root: Path) -> None:
    record = sorted(root.glob("records/models/*.yaml"))[0]
    paths = (root / "records", root / "waivers.yaml")
    seen = {content_of(paths)}

    def changed() -> bool:
        before = len(seen)
        seen.add(content_of(paths))
        return len(seen) > before

    assert not changed()
    content = record.read_bytes()
    record.write_bytes(content)
    assert not changed()
    record.write_bytes(content[:-1] + b" ")
    assert changed()
    record.rename(record.with_name("another.yaml"))
    assert changed()
    (root / "waivers.yaml").write_text("schema: waivers/1\n")
    assert changed()
    (root / "records" / "node_modules").mkdir()
    (root / "records" / "node_modules" / "x").write_text("x")
    assert not changed()


def test_a_step_builds_once_for_each_content(root: Path) -> None:
    outcomes = iter([(True, "one"), (False, "two"), (True, "three")])
    said: list[str] = []
    watch = Watch((root / "records",), lambda: next(outcomes), said.append)
    assert [watch.step(), watch.step()] == [True, None]
    record = sorted(root.glob("records/models/*.yaml"))[0]
    content = record.read_bytes()
    record.write_bytes(content + b"# broken\n")
    assert [watch.step(), watch.step()] == [False, None]
    record.write_bytes(content)
    assert [watch.step(), watch.step()] == [True, None]
    assert said == ["one", "two", "three"]


def test_what_changes_while_a_site_is_made_is_seen_at_the_next_step(root: Path) -> None:
    record = sorted(root.glob("records/models/*.yaml"))[0]
    built: list[bytes] = []

    def rebuild() -> tuple[bool, str]:
        built.append(record.read_bytes())
        if len(built) == 1:
            record.write_bytes(built[0] + b"# meanwhile\n")
        return True, ""

    watch = Watch((root / "records",), rebuild, lambda text: None)
    assert [watch.step(), watch.step(), watch.step()] == [True, True, None]
    assert built[1] == built[0] + b"# meanwhile\n"


def options(root: Path, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    site_.options(parser)
    parser.add_argument("--root", type=Path)
    return parser.parse_args(["serve", "--watch", "--root", str(root), *more])


def test_a_failing_check_keeps_the_last_good_site(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = root / "build/site"
    made: list[int] = []

    def built(*_: object) -> tuple[bool, str]:
        made.append(1)
        output.mkdir(parents=True, exist_ok=True)
        (output / "index.html").write_text(f"site {len(made)}")
        return True, "5 pages\n"

    monkeypatch.setattr(site_, "build_site", built)
    said: list[str] = []
    monkeypatch.setattr(site_, "_say", said.append)
    watch = site_.watching(options(root), root, output)
    path = root / "records/accelerators/acme-one.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("status:", "stutus:", 1), encoding="utf-8")
    assert watch.step() is False
    assert "unknown-field" in said[-1] and said[-1].endswith("Not built: mend the errors; there is no site yet\n")
    path.write_text(text, encoding="utf-8")
    assert watch.step() is True
    assert said[-1] == "5 pages\nBuilt: reload the page in the browser\n"
    path.write_text(text.replace("status:", "stutus:", 1), encoding="utf-8")
    assert watch.step() is False
    assert said[-1].endswith("Not built: mend the errors; the last good site stays\n")
    assert (output / "index.html").read_text() == "site 1"
    path.write_text(text + "# A comment.\n", encoding="utf-8")
    assert (watch.step(), watch.step()) == (True, None)
    assert (output / "index.html").read_text() == "site 2"


def test_a_build_that_fails_is_said_and_ends_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> tuple[bool, str]:
        raise BuildError("there is no page.js")

    monkeypatch.setattr(site_, "build_site", broken)
    monkeypatch.setattr(site_, "_say", lambda text: None)
    assert site_.rebuilt(options(root), root, root / "build/site") == (
        False,
        "Not built: there is no page.js; there is no site yet\n",
    )


def test_the_site_is_served_from_the_first_one_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Steps and pauses by turns: no site, a first one, another in its place; then an interruption."""
    folder = tmp_path / "site"
    seen: list[str] = []

    def page(text: str) -> None:
        folder.rename(tmp_path / f"old-{text}") if folder.exists() else None
        folder.mkdir()
        (folder / "index.html").write_text(text)

    turns = iter([lambda: None, lambda: page("one"), lambda: page("two"), lambda: None])

    def pause(seconds: float) -> None:
        assert seconds == serve.SECONDS
        address = capsys.readouterr().out.partition(" ")[0] or (seen[0] if seen else "")
        if address:
            seen[:1] = [address]
            with urlopen(address, timeout=10) as answer:
                seen.append(answer.read().decode())

    def step() -> None:
        turn = next(turns, None)
        if turn is None:
            raise KeyboardInterrupt
        turn()

    serve.watch(folder, 0, step, pause)
    assert seen[0].startswith("http://127.0.0.1:")
    assert seen[1:] == ["one", "two", "two"]
    with pytest.raises(OSError):
        urlopen(seen[0], timeout=2)


def test_watch_goes_with_serve_alone(root: Path) -> None:
    for given in (["build", "--watch"], ["serve", "--watch", "--database", "x.db"]):
        parser = argparse.ArgumentParser()
        site_.options(parser)
        parser.add_argument("--root", type=Path)
        with pytest.raises(UsageError, match="--watch goes with serve"):
            site_.run(parser.parse_args([*given, "--root", str(root)]))
