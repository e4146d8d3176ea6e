"""A record's file in the one layout: the same data and comments, in the order of the type's fields."""

from __future__ import annotations

from collections import Counter

from ridgeline.findings.finding import Finding, Level
from ridgeline.records.kinds import versions
from ridgeline.records.order import ordered
from ridgeline.text.document import Document, read
from ridgeline.text.nodes import Node, tree
from ridgeline.text.printer import printed


class LayoutError(ValueError):
    """A file cannot be laid out: a fault of ours, and none of the file's."""


def formatted(document: Document) -> tuple[str, list[Finding]]:
    """The text of a file in the one layout. With findings, it cannot be laid out, and the text is the file's own.

    What a record is missing or has wrong does not matter here; a file that cannot be read is left as it is. Raises
    ``LayoutError`` where the new text would not read as the old one.
    """
    if document.findings or not isinstance(document.data, dict) or not document.data:
        found = list(document.findings)
        if not found:
            mend = "start it with schema:, id: and name: (see `ridgeline new`)"
            message = "the file is not a mapping of fields"
            found = [Finding("not-a-record", Level.ERROR, document.place(), message, mend=mend)]
        return document.source, found
    stated = document.data.get("schema")
    kind = versions().get(stated) if isinstance(stated, str) else None
    text = printed(document, lambda path, keys: ordered(kind, document.data, path, keys))
    again = read(document.path, text)
    if again.findings or again.data != document.data or _comments(again) != _comments(document):
        raise LayoutError("it cannot be laid out without a change of what it says")
    return text, []


def _comments(document: Document) -> Counter[str]:
    root, head = tree(document)
    nodes: list[Node] = list(root.all())
    return Counter(c.text for c in (*head, *(c for n in nodes for c in (*n.before, *n.beside, *n.after))))
