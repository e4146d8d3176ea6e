"""``ridgeline impact``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from ridgeline.cli import UsageError, root_of
from ridgeline.cli.values import add_format

if TYPE_CHECKING:
    from ridgeline.check import Report
    from ridgeline.impact import Impact

EXAMPLE = """example:
  ridgeline impact "accelerators/nvidia-h100-sxm.memory.bandwidth=3.9 TB/s\""""


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("change", help="RECORD.FIELD=VALUE; the record as FOLDER/ID")
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Run the verb. Exit status 0: nothing is wrong yet, whatever would become so."""
    from ridgeline.check import check
    from ridgeline.impact import ImpactError, impact

    target, equals, value = options.change.partition("=")
    if not equals or not value.strip():
        raise UsageError(f"{options.change}: write RECORD.FIELD=VALUE")
    root = root_of(options)
    report = check(root)
    reference, name = _split(report, target)
    try:
        found = impact(report, reference, name, value.strip())
    except ImpactError as error:
        raise UsageError(str(error)) from None
    if options.format == "json":
        sys.stdout.write(json.dumps(_as_dict(report, found), indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(_text(report, found))
    return 0


def _split(report: Report, target: str) -> tuple[str, str]:
    """The record and the field of ``folder/id.field``; ids may hold dots themselves, so the longest record wins."""
    parts = target.removeprefix("records/").split(".")
    for length in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:length])
        matches = [r for r in report.knowledge.entries if head in (r, r.partition("/")[2])]
        if len(matches) == 1:
            return matches[0], ".".join(parts[length:])
    from difflib import get_close_matches

    near = get_close_matches(parts[0], list(report.knowledge.entries), 1, 0.5)
    raise UsageError(f"{target} names no record" + (f"; did you mean {near[0]}?" if near else ""))


def _as_dict(report: Report, found: Impact) -> dict[str, Any]:
    from ridgeline.figures.printing import show
    from ridgeline.findings.faces import as_dict
    from ridgeline.report import exact, figure_as_dict

    return {
        "schema": "ridgeline-impact/1",
        "change": {"record": found.record, "field": found.field, "old": found.old, "new": found.new},
        "values": [
            {
                "record": m.record,
                "name": m.name,
                "old": exact(m.before.quantity),
                "new": exact(m.after.quantity),
                "old_printed": show(m.before.quantity, m.before.unit),
                "new_printed": show(m.after.quantity, m.after.unit),
                "sensitivity": None if m.sensitivity is None else float(m.sensitivity),
            }
            for m in found.values
        ],
        "figures": [
            {**figure_as_dict(report, old), "new_computed": exact(new.derivation.quantity), "new_grade": new.grade}
            for old, new in found.figures
            if new.derivation is not None
        ],
        "findings": [as_dict(f) for f in found.findings],
        "flips": [{"what": f.what, "before": f.before, "after": f.after} for f in found.flips],
        "pages": found.pages,
    }


def _text(report: Report, found: Impact) -> str:
    from ridgeline.figures.printing import show

    lines = [f"if {found.record} {found.field} were {found.new} instead of {found.old}:", ""]
    lines.append(f"values ({len(found.values)}):")
    for m in found.values:
        elasticity = "" if m.sensitivity is None else f"   sensitivity {float(m.sensitivity):+.3g}"
        lines.append(
            f"  {m.record} {m.name}: {show(m.before.quantity, m.before.unit)} → "
            f"{show(m.after.quantity, m.after.unit)}{elasticity}"
        )
    broken = [f for f in found.findings if f.level.value == "error"]
    lines += ["", f"sentences and values that would be false ({len(broken)}):"]
    for f in broken:
        lines.append(
            f"  {f.place.path}:{f.place.line}:{f.place.column} {f.message}"
            + (f" → {f.expected}" if f.expected else "")
            + (" (waived)" if f.waived is not None else "")
        )
    still = sum(1 for _, new in found.figures if new.verdict is None or new.verdict.holds)
    lines.append(f"  ({still} more numerals depend on it and would still hold)")
    lines += ["", f"conclusions that flip ({len(found.flips)}):"]
    lines += [f"  {f.what}: {f.before} → {f.after}" for f in found.flips]
    lines += ["", f"pages ({len(found.pages)}): {', '.join(found.pages)}"]
    return "\n".join(lines) + "\n"
