"""A table as CSV after RFC 4180: UTF-8, a header, lines ended by CR LF.

NULL is an empty field and an empty text is ``""``, so that none becomes the other. A double has the fewest digits that
give it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

_QUOTED = re.compile(r'[",\r\n]')


def lines(header: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """The lines of a table, the header first."""
    yield ",".join(header) + "\r\n"
    for row in rows:
        yield ",".join(map(_cell, row)) + "\r\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if not value or _QUOTED.search(value) else value
    return repr(value)
