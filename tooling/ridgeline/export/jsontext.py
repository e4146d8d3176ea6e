"""How exports and the site's API write JSON: UTF-8, keys in the order of the shape, one line for each entry of a list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def text(value: Mapping[str, Any]) -> str:
    """A document. Each key starts a line and so does each entry of a list or table below it: a changed value is a
    changed line, and the encoder's fast path does the rest."""
    return "{\n" + ",\n".join(f"{_ENCODE(key)}:{_lines(part)}" for key, part in value.items()) + "\n}\n"


def _lines(part: Any) -> str:
    if isinstance(part, list) and part:
        return "[\n" + ",\n".join(map(_ENCODE, part)) + "\n]"
    if isinstance(part, dict) and part:
        return "{\n" + ",\n".join(f"{_ENCODE(key)}:{_ENCODE(value)}" for key, value in part.items()) + "\n}"
    return _ENCODE(part)
