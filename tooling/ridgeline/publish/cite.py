"""How a number of these pages is cited."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ridgeline.publish.content import Derivation
from ridgeline.publish.pen import Pen

_TEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
        "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Citation:
    """A number as plain text, as a BibTeX entry and as an item of CSL-JSON."""

    text: str
    bibtex: str
    csl: str


def citation(pen: Pen, title: str, d: Derivation, owner: str | None = None) -> Citation:
    """The citation of a derivation, with the revision of the record that it belongs to.

    It names nothing that changes with other records: a page changes where its own number or record does.
    """
    database = pen.database
    edition = database.metadata.get("edition", "")
    record = database.records.get(owner or d.record or "")
    version = f"{record.reference}, revision {record.revision}" if record is not None else ""
    day = max((q.checked for leaf in database.leaves(d.id) if (q := database.given(leaf)) and q.checked), default="")
    address = pen.addresses.derivation(d.id) or ""
    url = f"{pen.base_url.rstrip('/')}/{address}" if pen.base_url else ""
    whole = f"{title} = {d.shown}"
    issued = ", ".join(part for part in (f"edition {edition}" if edition else "unreleased", version) if part)
    parts = [f"Ridgeline: {whole}", f"Ridgeline, {issued}"]
    parts += [f"Inputs last checked {day}"] if day else []
    parts += [url] if url else []
    key = re.sub(r"[^a-z0-9]+", "-", address.lower()).strip("-") or "ridgeline"
    fields = {
        "title": f"{{{_tex(whole)}}}",
        "author": "{Ridgeline contributors}",
        "howpublished": f"Ridgeline, {_tex(issued)}",
        **({"note": f"Inputs last checked {day}"} if day else {}),
        **({"year": day[:4]} if day else {}),
        **({"url": url} if url else {}),
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    item = {
        "id": key,
        "type": "dataset",
        "title": whole,
        "author": [{"literal": "Ridgeline contributors"}],
        "container-title": "Ridgeline",
        **({"version": edition} if edition else {}),
        **({"note": version} if version else {}),
        **({"issued": {"date-parts": [[int(part) for part in day.split("-")]]}} if day else {}),
        **({"URL": url} if url else {}),
    }
    return Citation(
        ". ".join(parts) + ("" if url else "."),
        f"@misc{{{key},\n{lines}\n}}",
        json.dumps([item], ensure_ascii=False, indent=1),
    )


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
