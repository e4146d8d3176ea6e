"""How a value is called into question: the repository's issue form, with what the page knows filled in."""

from __future__ import annotations

from urllib.parse import urlencode

from ridgeline.publish.markup import web_address

#: The form for a value that is wrong, as ``.github/ISSUE_TEMPLATE`` has it.
FORM = "3-wrong-value.yml"


def question(repository: str | None, field: str, value: str) -> str | None:
    """Where a value can be called into question, with the fields of the form filled in that are known.

    ``field`` is the record and the field, as ``ridgeline get`` names them. ``None`` where no repository is known.
    """
    if not repository:
        return None
    filled = {"template": FORM, "title": f"Wrong value: {field}"[:200], "record": field[:200], "stands": value[:300]}
    return web_address(f"{repository.rstrip('/')}/issues/new?{urlencode(filled)}")
