"""What every test may ask for.

The clock: code that writes a date takes it from ``SOURCE_DATE_EPOCH``, which is fixed here, so two runs write the same
bytes. A test that needs another day sets the variable with ``monkeypatch.setenv``; none reads the real clock.

The network: connections to anything but this machine are refused, so that a test that would need one fails everywhere.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent
FROZEN = 1_796_083_200  # 2026-12-01T00:00:00Z

settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xdist_group(name): tests that share what one worker starts")
    os.environ.update(SOURCE_DATE_EPOCH=str(FROZEN), TZ="UTC", COLUMNS="120", NO_COLOR="1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("postgres"))


@pytest.fixture(autouse=True, scope="session")
def offline() -> Iterator[None]:
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            raise OSError(f"tests use no network: {address}")
        real(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The SQLAlchemy URL of a PostgreSQL server, one for all tests: they run one after another, on one worker."""
    from tests.postgres import server

    with server() as url:
        yield url


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository; read only."""
    return REPOSITORY


@pytest.fixture(scope="session")
def records_root(repository: Path) -> Path:
    """The repository's own records; read only."""
    return repository / "records"


@pytest.fixture
def base(tmp_path: Path, records_root: Path) -> Path:
    """A root with a copy of the records, for tests that change them: edit ``base / "records" / …``."""
    root = tmp_path / "base"
    shutil.copytree(records_root, root / "records")
    return root


@pytest.fixture
def few(tmp_path: Path, records_root: Path) -> Path:
    """A root with prefill attention, a part, two models, a format and all that they name: for tests that check often."""
    from tests.data.subset import copied

    references = (
        "classes/prefill-attention", "accelerators/nvidia-h100-sxm", "models/llama-2-7b", "models/llama-2-70b",
        "formats/bf16",
    )  # fmt: skip
    return copied(records_root, tmp_path / "few", references)


Edit = Callable[[Path, str, str], None]


@pytest.fixture
def edit() -> Edit:
    """Replace a piece of a file's text that stands there exactly once, as ``edit(path, old, new)``."""

    def replace(path: Path, old: str, new: str) -> None:
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}, not once"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return replace


@dataclass(frozen=True)
class Ran:
    """How one run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Ran]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run the command in this process, as ``cli("get", "models/llama-2-70b", "parameters.total", cwd=base)``.

    ``cwd`` defaults to the repository; ``stdin`` is what the command reads there. An exception that leaves the
    command is a crash: its traceback stands in ``err`` and the code is 70, which no verb returns.
    """

    def run(*arguments: str | Path, cwd: Path = REPOSITORY, stdin: str = "") -> Ran:
        from ridgeline.cli import main

        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        with monkeypatch.context() as patch:
            patch.chdir(cwd)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
            with redirect_stdout(out), redirect_stderr(err):
                try:
                    code = main([str(argument) for argument in arguments])
                except SystemExit as end:
                    code = end.code if isinstance(end.code, int) else int(end.code is not None)
                except Exception:
                    traceback.print_exc()
                    code = 70
        return Ran(code, _text(out), _text(err))

    return run


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
