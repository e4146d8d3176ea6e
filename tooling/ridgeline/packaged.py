"""The knowledge base as a package carries it: the records, their schemas and the database, in one folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from ridgeline.check import check
from ridgeline.findings import faces
from ridgeline.knowledge.base import RECORDS, paths
from ridgeline.records import schema
from ridgeline.store.load import load
from ridgeline.text.beside import contents

#: Below the package: what :func:`write` makes, and :func:`ridgeline.open` reads.
FOLDER = "data"
DATABASE = "ridgeline.sqlite"
SCHEMAS = "schema"


class NotPackaged(Exception):
    """Records with errors are not packaged; the message shows the first ones."""


def write(root: Path, folder: Path, about: Mapping[str, str] | None = None) -> None:
    """Write ``folder`` anew from the records below ``root``: ``records/`` and what stands beside them, ``schema/`` and
    the database.

    ``about`` is what the database says of itself beside its versions: licence, commit. Raises :class:`NotPackaged` where
    the check finds an error, or where SQL computes something else than the check.
    """
    report = check(root)
    errors = [f for f in report.findings if f.fails]
    if errors:
        raise NotPackaged(f"{len(errors)} errors in the records:\n{faces.text(errors[:5], lambda path, line: '')}")
    if folder.exists():
        shutil.rmtree(folder)
    for path in paths(root):
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    for name, content in contents(root).items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
    schema.write(folder / SCHEMAS)
    result = load(report, str(folder / DATABASE), dict(about or {}))
    if not result.agrees:
        raise NotPackaged(faces.text(result.cross_check.findings[:5], lambda path, line: ""))


__all__ = ["DATABASE", "FOLDER", "SCHEMAS", "NotPackaged", "write"]
