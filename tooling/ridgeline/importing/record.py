"""A draft as the text of a model record, with FILL-IN where a person must write."""

from __future__ import annotations

import json
import textwrap

from ridgeline.importing.draft import Draft, Layer, Part
from ridgeline.records.scaffold import ScaffoldError
from ridgeline.records.scaffold import text as scaffold
from ridgeline.records.validate import BLANK


def text(draft: Draft, identifier: str, *, source: str | None = None, total: int | None = None) -> str:
    """The record. Blanks stand for name, organisation, source, dates, and the total where it is not given."""
    first = scaffold("model", identifier).split("organisation:", 1)[0]
    lines = [first.rstrip(), f"organisation: {BLANK}"]
    lines.append(f"released: {{value: {BLANK}, source: {BLANK}, at: {BLANK}, checked: {BLANK}}}")
    lines += ["geometry:", f"  source: {source or BLANK}", "  at: config.json", f"  checked: {BLANK}"]
    lines += [f"vocabulary: {draft.vocabulary}", f"width: {draft.width}"]
    lines.append(f"context: {'null' if draft.context is None else draft.context}")
    lines.append(f"tied_embeddings: {'true' if draft.tied else 'false'}")
    if draft.head_bias:
        lines.append("head_bias: true")
    if draft.positions is not None:
        lines.append(f"positions: {draft.positions}")
    if draft.embedding_norm:
        lines.append(f"embedding_norm_parameters: {draft.embedding_norm}")
    lines.append(f"final_norm_parameters: {draft.final_norm}")
    lines.append("layers:")
    for which, indices, layer in draft.groups():
        lines += _group(which, len(indices), layer)
    if draft.extras:
        lines.append("extras:")
        for extra in draft.extras:
            lines += [f"  - name: {extra.name}", f"    parameters: {extra.parameters or BLANK}"]
            lines += [f"    in_checkpoint: {BLANK if extra.parameters is None else 'true'}", "    why: |"]
            lines += textwrap.wrap(extra.why, 110, initial_indent="      ", subsequent_indent="      ")
    value = f"{total} param" if total is not None else BLANK
    lines += [
        "checkpoint:",
        "  total:",
        f"    value: {value}",
        f"    source: {BLANK}",
        f"    at: {BLANK}",
        f"    checked: {BLANK}",
    ]
    return "\n".join(lines) + "\n"


def _group(which: str, count: int, layer: Layer) -> list[str]:
    lines = [f"  - count: {count}"]
    if which:
        lines.append(f"    which: {which}")
    lines.append(f"    attention: {_flow(layer.attention)}")
    lines.append(f"    feed_forward: {_flow(layer.feed_forward)}")
    lines.append(f"    norm_parameters: {layer.norms}")
    return lines


def _flow(part: Part) -> str:
    return "{" + ", ".join(f"{key}: {_value(value)}" for key, value in part.items()) + "}"


def _value(value: object) -> str:
    if isinstance(value, dict):
        return _flow(value)
    return value if isinstance(value, str) else json.dumps(value)


__all__ = ["ScaffoldError", "text"]
