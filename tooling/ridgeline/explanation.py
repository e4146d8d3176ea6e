"""A figure or quantity as a tree in text: what is printed, what it claims, the formula, the inputs, the sources."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.check import Report
from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.figure import FigureResult
from ridgeline.figures.printing import show
from ridgeline.findings.faces import waived_as_text
from ridgeline.formulas.parser import unparse
from ridgeline.formulas.tree import Call, Name, Node, substitute
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers.interval import exact_text
from ridgeline.records.walk import dotted

_MAX_LINES = 400


def explain_figure(report: Report, figure: FigureResult) -> str:
    """The tree of one numeral of prose."""
    numeral = figure.numeral
    place = report.knowledge.entries[figure.record].document.place(figure.path, at=numeral.at)
    lines = [
        f"{place.path}:{place.line}:{place.column}  “{numeral.text}{_unit(numeral.unit_text)}” in {dotted(figure.path)}"
    ]
    lines.append(f"  status    {figure.status.value}" + (f" ({figure.rule})" if figure.rule else ""))
    if numeral.interval is not None:
        unit = numeral.unit.text if numeral.unit is not None else "no unit printed"
        lines.append(
            f"  claims    {numeral.comparator.value} {exact_text(numeral.value or numeral.interval.low or Fraction(0))}"
            f"  {numeral.interval}  {unit}"
        )
    if figure.verdict is not None:
        lines.append(f"  grade     {figure.grade}: {figure.verdict.because}{_fails(figure)}")
    if figure.waived is not None:
        lines.append(f"  debt      {waived_as_text(figure.waived)}")
    if figure.reason:
        lines.append(f"  because   {figure.reason}")
    if figure.source:
        lines.append(
            f"  source    {figure.source}"
            + (f", {figure.at}" if figure.at else "")
            + (f" (checked {figure.checked})" if figure.checked else "")
        )
    if figure.equation:
        lines.append(f"  equation  {figure.equation}")
    if figure.derivation is not None:
        lines.append(f"  is        {figure.expression}")
        lines += [f"  {line}" for line in explain(figure.derivation)]
    return "\n".join(lines) + "\n"


def _fails(figure: FigureResult) -> str:
    if figure.verdict is None or figure.verdict.holds:
        return ""
    return "; does not hold (waived)" if figure.waived is not None else "; does not hold"


def explain_conclusion(report: Report, conclusion: Conclusion) -> str:
    """What words claim, whether it holds, and the trees of both sides."""
    document = report.knowledge.entries[conclusion.record].document
    place = document.place(conclusion.path, at=conclusion.at, length=conclusion.length)
    words = " ".join(conclusion.words.split())
    lines = [
        f"{place.path}:{place.line}:{place.column}  “{words}” in {dotted(conclusion.path)}",
        f"  claims    {conclusion.claim}",
        f"  {'holds' if conclusion.holds else 'is false':<8}  {conclusion.sides}",
    ]
    if conclusion.waived is not None:
        lines.append(f"  debt      {waived_as_text(conclusion.waived)}")
    for side in (conclusion.left, conclusion.right):
        lines += [f"  {line}" for line in explain(side)]
    return "\n".join(lines) + "\n"


def explain(derivation: Derivation) -> list[str]:
    """The tree of one value, a line each, each shared part once."""
    seen: dict[int, str] = {}
    lines = list(_lines(derivation, "", "", seen))
    if len(lines) > _MAX_LINES:
        lines = [*lines[:_MAX_LINES], f"… and {len(lines) - _MAX_LINES} more lines"]
    return lines


def _lines(derivation: Derivation, lead: str, branch: str, seen: dict[int, str]) -> Iterator[str]:
    value = show(derivation.quantity, derivation.unit)
    text = f"{lead}{branch}{derivation.label} = {value}"
    if derivation.given is not None and derivation.tree is None:
        given = derivation.given
        origin = f"{given.basis}: {given.record} {given.field} “{given.text}”"
        if given.source:
            origin += f", from {given.source}"
            origin += f", {given.at}" if given.at else ""
            origin += f", checked {given.checked}" if given.checked else ""
        elif given.reason:
            origin += f", {given.reason}"
        yield f"{text}   [{origin}]"
        return
    if id(derivation) in seen:
        yield f"{text}   (as above)"
        return
    seen[id(derivation)] = derivation.label
    if derivation.tree is not None:
        yield f"{text}   = {unparse(derivation.tree)}"
        substituted = _substituted(derivation)
        inner = lead + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        if derivation.steps and substituted:
            yield f"{inner}   = {substituted}"
        for index, (_, step) in enumerate(derivation.steps):
            last = index == len(derivation.steps) - 1
            yield from _lines(step, inner, "└─ " if last else "├─ ", seen)
        return
    yield text + (f"   [{derivation.means.strip()}]" if derivation.means else "   [set here]")
    # A solution that was found by trial has no formula of its own, only what its two sides are made of.
    inner = lead + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
    for index, (_, step) in enumerate(derivation.steps):
        last = index == len(derivation.steps) - 1
        yield from _lines(step, inner, "└─ " if last else "├─ ", seen)


def _substituted(derivation: Derivation) -> str:
    """The formula with the value of each name written in its place."""
    if derivation.tree is None:
        return ""
    shown: dict[Node, str] = {node: show(step.quantity, step.unit) for node, step in derivation.steps}
    marks: dict[str, str] = {}

    def mark(node: Name | Call) -> Node | None:
        value = shown.get(node)
        if value is None:
            return None
        name = f"value_{len(marks)}_"
        marks[name] = value if " " not in value else f"({value})"
        return Name((name,))

    text = unparse(substitute(derivation.tree, mark))
    for name in sorted(marks, key=len, reverse=True):
        text = text.replace(name, marks[name])
    return text


def _unit(text: str) -> str:
    return "" if not text else (text if text == "%" else f" {text}")


__all__ = ["explain", "explain_conclusion", "explain_figure"]
