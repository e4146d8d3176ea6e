"""The one file that goes from the unprivileged half to the privileged one, read as if an attacker had written it."""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from dataclasses import asdict, dataclass
from typing import Any

SCHEMA = "ridgeline-review/1"
#: Name of the artifact, and of the only file in it.
NAME = "review"
MEMBER = "review.json"

#: Bytes of the archive, and of the file in it.
MAX_ARCHIVE = 1_000_000
MAX_BYTES = 1_000_000
#: Characters of the comment: what ``ridgeline diff`` keeps under, and what GitHub takes with some to spare.
MAX_COMMENT = 60_000
MAX_SUGGESTIONS = 200
#: Lines of one suggestion, and characters of a line.
MAX_LINES = 20
MAX_LINE = 2_000
_MAX_NUMBER = 10**9

_SHA = re.compile(r"[0-9a-f]{40}")
_PATH = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}/){1,8}[a-z0-9][a-z0-9.-]{0,99}\.yaml")
#: What a numeral is written with. A mended line differs from the old one in these characters only.
_NUMERAL = re.compile(r"[0-9.,_{}\\\u00a0\u2009\u202f]")


class Refused(Exception):
    """The artifact is not what the unprivileged half writes; the message says in which point. Nothing of it is used."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Lines of a record as they are and as they should be; ``line`` is the number of the first, from 1."""

    path: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """What there is to say of one commit of one pull request. ``more`` counts suggestions beyond those listed."""

    pull_request: int
    head: str
    comment: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    more: int = 0


def text(review: Review) -> str:
    """The file's text."""
    return json.dumps({"schema": SCHEMA, **asdict(review)}, ensure_ascii=False, indent=1) + "\n"


def unpack(archive: bytes) -> bytes:
    """The file in the archive, which holds nothing else. It is read in memory: no name in the archive is ever used."""
    if len(archive) > MAX_ARCHIVE:
        raise Refused(f"the archive has more than {MAX_ARCHIVE:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as file:
            names = file.namelist()
            if names != [MEMBER]:
                raise Refused(f"the archive holds {len(names)} files, not one {MEMBER}")
            with file.open(MEMBER) as member:
                # The size that the archive states may be a lie; what comes out of it is counted.
                content = member.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Refused(f"the archive cannot be read: {type(error).__name__}") from None
    if len(content) > MAX_BYTES:
        raise Refused(f"{MEMBER} has more than {MAX_BYTES:,} bytes")
    return content


def read(content: bytes) -> Review:
    """The review in a file. Raises :class:`Refused` for anything else: unknown keys, other types, too much of something."""
    try:
        data = json.loads(content.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Refused(f"{MEMBER} is no JSON: {type(error).__name__}") from None
    except ValueError as error:
        raise Refused(str(error)) from None
    keys = {"schema", "pull_request", "head", "comment", "suggestions", "more"}
    _object(data, keys, MEMBER)
    if data["schema"] != SCHEMA:
        raise Refused(f"schema is not {SCHEMA}")
    head = _string(data["head"], 40, "head")
    if not _SHA.fullmatch(head):
        raise Refused("head is no commit")
    return Review(
        pull_request=_integer(data["pull_request"], 1, "pull_request"),
        head=head,
        comment=_string(data["comment"], MAX_COMMENT, "comment"),
        suggestions=tuple(_suggestion(s) for s in _list(data["suggestions"], MAX_SUGGESTIONS, "suggestions")),
        more=_integer(data["more"], 0, "more"),
    )


def acceptable(suggestion: Suggestion) -> bool:
    """Whether :func:`read` takes a suggestion: one that it would not is left out of the file."""
    try:
        _suggestion({**asdict(suggestion), "old": list(suggestion.old), "new": list(suggestion.new)})
    except Refused:
        return False
    return True


def _suggestion(data: Any) -> Suggestion:
    _object(data, {"path", "line", "old", "new"}, "a suggestion")
    path = _string(data["path"], 400, "path")
    if not _PATH.fullmatch(path) or ".." in path:
        raise Refused("a suggestion's path is none of a record")
    old, new = (_lines(data[key], key) for key in ("old", "new"))
    if len(old) != len(new) or old == new:
        raise Refused("a suggestion changes no line, or their number")
    if any(_NUMERAL.sub("", a) != _NUMERAL.sub("", b) for a, b in zip(old, new, strict=True)):
        raise Refused("a suggestion changes more than numerals")
    return Suggestion(path, _integer(data["line"], 1, "line"), old, new)


def _lines(value: Any, what: str) -> tuple[str, ...]:
    lines = tuple(_string(line, MAX_LINE, what) for line in _list(value, MAX_LINES, what))
    if not lines:
        raise Refused(f"{what} has no line")
    if not all(all(c.isprintable() or c in "\u00a0\u2009\u202f" for c in line) for line in lines):
        raise Refused(f"{what} has a character that cannot be seen")
    return lines


def _object(value: Any, keys: set[str], what: str) -> None:
    if not isinstance(value, dict) or set(value) != keys:
        raise Refused(f"{what} is not an object with the keys {', '.join(sorted(keys))}")


def _list(value: Any, most: int, what: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise Refused(f"{what} is no list of at most {most}")
    return value


def _string(value: Any, most: int, what: str) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise Refused(f"{what} is no text of at most {most:,} characters")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise Refused(f"{what} has half of a character")
    return value


def _integer(value: Any, least: int, what: str) -> int:
    if type(value) is not int or not least <= value <= _MAX_NUMBER:
        raise Refused(f"{what} is no number from {least} to {_MAX_NUMBER:,}")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError("a number is not finite")


__all__ = [
    "MAX_ARCHIVE",
    "MAX_COMMENT",
    "MEMBER",
    "NAME",
    "SCHEMA",
    "Refused",
    "Review",
    "Suggestion",
    "acceptable",
    "read",
    "text",
]
