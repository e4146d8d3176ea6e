"""Regular expressions that are compiled when first used, so that importing the reader costs little."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands in for a pattern: a method is looked up once, then found on the instance like any attribute."""

    def __init__(self, source: str, flags: int):
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def lazy(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for use through its methods (``match``, ``search``, ``finditer``)."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


__all__ = ["lazy"]
