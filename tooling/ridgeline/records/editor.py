"""Files for Visual Studio Code: which schema goes with which folder, what to install, and a snippet for each kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ridgeline.records.beside import files as beside
from ridgeline.records.kinds import FOLDERS, kinds
from ridgeline.records.scaffold import text as scaffold
from ridgeline.text.splice import write as write_file

FOLDER = ".vscode"
_BLANK = "FILL-IN"
#: Stands for the id in a scaffold, where the snippet has the file's name.
_ID = "the-id-of-this-file"


def files() -> dict[str, str]:
    """File name → text, for a folder ``.vscode`` beside ``schema/`` and ``records/``."""
    contents = {
        "settings.json": settings(),
        "extensions.json": {"recommendations": ["redhat.vscode-yaml"]},
        "ridgeline.code-snippets": snippets(),
    }
    return {name: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for name, content in contents.items()}


def settings() -> dict[str, Any]:
    """A record without a modeline is held against the newest schema of its folder; a modeline goes first."""
    return {
        "yaml.schemas": {
            **{f"./schema/{k.schema_name}": f"records/{k.folder}/*.yaml" for k in kinds().values()},
            **{f"./schema/{k.schema_name}": name for name, k in beside().items()},
        },
        "yaml.validate": True,
        "yaml.hover": True,
        "yaml.completion": True,
        # `ridgeline format` knows the layout.
        "yaml.format.enable": False,
        "[yaml]": {"editor.insertSpaces": True, "editor.tabSize": 2, "editor.rulers": [120]},
        "files.eol": "\n",
        "files.insertFinalNewline": True,
    }


def snippets() -> dict[str, Any]:
    """The scaffold of each kind, its blanks as places to jump to; the id is the file's name."""
    return {
        f"Ridgeline {kind} record": {
            "scope": "yaml",
            "prefix": f"ridgeline-{kind}",
            "description": f"A new record of the kind {kind}, for a file in records/{folder}/",
            "body": _body(kind),
        }
        for kind, folder in FOLDERS.items()
    }


def _body(kind: str) -> list[str]:
    text = (
        scaffold(kind, _ID).rstrip("\n").replace("\\", "\\\\").replace("$", "\\$").replace(_ID, "${TM_FILENAME_BASE}")
    )
    count = 0

    def stop(_: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"${{{count}:{_BLANK}}}"

    return re.sub(_BLANK, stop, text).split("\n")


def write(folder: Path) -> list[Path]:
    """Write the files that differ, each beside and renamed; gives their paths."""
    changed = [folder / name for name in stale(folder)]
    wanted = files()
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, wanted[path.name])
    return changed


def stale(folder: Path) -> list[str]:
    """Names of files that are missing or out of step with the types."""
    return [
        name
        for name, text in files().items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]
