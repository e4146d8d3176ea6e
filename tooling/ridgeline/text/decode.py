"""From the bytes of a file to its text, or to the finding that says why not."""

from __future__ import annotations

import re

from ridgeline.findings.finding import Finding, Level, Place

MAX_BYTES = 1_000_000
MAX_LINE = 20_000
#: Characters that nobody sees: controls, direction marks, zero-width and soft breaks, line separators that only some
#: readers honour, private use (the figures use one as a mark), and tag characters.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\uf8ff"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f\U000f0000-\U0010ffff]"
)


def decode(path: str, source: bytes | str) -> str | Finding:
    """The text of a file; a finding where it cannot be read safely. Takes time linear in its length."""
    if len(source) > MAX_BYTES:
        message = f"the file has {len(source):,} bytes; at most {MAX_BYTES:,} are read"
        return Finding(
            "file-too-large", Level.ERROR, Place(path), message, mend="split the record, or shorten its prose"
        )
    if isinstance(source, bytes):
        try:
            text = source.decode("utf-8")
        except UnicodeDecodeError as error:
            before = source[: error.start].decode("utf-8")
            return _refuse(path, before, "not-utf-8", f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    else:
        text = source
    if text.startswith("\ufeff"):
        mend = "save the file as UTF-8 without a byte order mark"
        return _refuse(path, "", "control-character", "U+FEFF is a byte order mark", mend)
    unseen = UNSEEN.search(text)
    end_of_line = text.find("\r")
    if end_of_line >= 0 and (unseen is None or unseen.group() == "\r" or end_of_line < unseen.start()):
        mend = "save it with line feeds alone (LF)"
        return _refuse(path, text[:end_of_line], "carriage-return", "the file has carriage returns", mend)
    if unseen is not None:
        message = f"U+{ord(unseen.group()):04X} is a character that nobody sees"
        return _refuse(path, text[: unseen.start()], "control-character", message, "delete it")
    return _long_line(path, text) or text


def _long_line(path: str, text: str) -> Finding | None:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > MAX_LINE:
            message = f"a line of {end - start:,} characters; at most {MAX_LINE:,} are read"
            return _refuse(path, text[:start], "line-too-long", message, "break the text into lines")
        start = end + 1
    return None


def _refuse(path: str, before: str, rule: str, message: str, mend: str) -> Finding:
    """The finding at the character that follows ``before``."""
    place = Place(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
    return Finding(rule, Level.ERROR, place, message, mend=mend)
