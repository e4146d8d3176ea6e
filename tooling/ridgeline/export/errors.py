"""What an export cannot do."""

from __future__ import annotations


class ExportError(Exception):
    """Nothing was written; the message says why and what to do."""
