"""What a finding says of a figure that does not hold: found, expected, why, and from which inputs."""

from __future__ import annotations

from ridgeline.figures.compare import Grade, Verdict
from ridgeline.figures.conclusion import Conclusion
from ridgeline.figures.figure import FigureResult
from ridgeline.figures.printing import show, show_beside
from ridgeline.findings.finding import Finding, Level
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.numbers import restyle
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import hard
from ridgeline.records.walk import dotted

#: How loudly a verdict is said.
LEVELS = {"error": Level.ERROR, "warning": Level.WARNING, "info": Level.INFO}
_MAX_INPUTS = 6


def mismatch(entry: Entry, result: FigureResult) -> Finding:
    """The finding for a bound numeral whose verdict is not clean."""
    verdict, derivation, numeral = result.verdict, result.derivation, result.numeral
    assert verdict is not None and derivation is not None
    printed = _with_unit(numeral.text, numeral)
    true = show_beside(derivation.quantity, numeral)
    new = mended(result)
    if verdict.holds or verdict.digits_stand:
        message = f"{printed}: {verdict.because}"
    elif verdict.grade is Grade.UNINFORMATIVE:
        message = f"{printed} can be neither confirmed nor refuted: {verdict.because}"
    else:
        message = f"{printed} is wrong: {result.expression} {'' if true.startswith('≈') else '= '}{true}"
    grade = verdict.grade.value if verdict.grade else "unknown"
    return Finding(
        f"figure-{grade}" if not verdict.tie else "figure-tie",
        LEVELS.get(verdict.level, Level.ERROR),
        entry.document.place(result.path, at=numeral.at, length=len(numeral.text)),
        message,
        record=entry.reference,
        field=dotted(result.path),
        found=printed,
        expected=_with_unit(new, numeral) if new else "" if verdict.digits_stand else true,
        because=inputs_of(derivation) if verdict.because in message else f"{verdict.because}; {inputs_of(derivation)}",
        mend=_harmless(verdict, true) if verdict.holds else _next_step(result, new, true),
        fixable=new is not None,
    )


def _with_unit(text: str, numeral: Numeral) -> str:
    """A number with the unit of a numeral, as it stands or would stand in the prose."""
    return f"{text}%" if numeral.unit_text == "%" else f"{text} {numeral.unit_text}".strip()


def false_conclusion(entry: Entry, conclusion: Conclusion) -> Finding:
    """The finding for words whose comparison does not hold."""
    because = "; ".join(text for d in (conclusion.left, conclusion.right) if (text := inputs_of(d)))
    return Finding(
        "figure-decision",
        Level.ERROR,
        entry.document.place(conclusion.path, at=conclusion.at, length=conclusion.length),
        f"the sentence claims {conclusion.claim}, but it is {conclusion.sides}",
        record=entry.reference,
        field=dotted(conclusion.path),
        found=conclusion.words,
        because=because,
        mend="edit the sentence: its claim does not hold",
    )


def mended(result: FigureResult) -> str | None:
    """What to write in place of a numeral that does not hold; ``None`` where the sentence itself must be edited.

    A claim that flips (a sign, a bound, the side of one) is never rewritten: the words around the number say the same.
    """
    verdict = result.verdict
    if verdict is None or result.derivation is None or verdict.holds or verdict.nearest is None:
        return None
    if verdict.grade is Grade.DECISION and not verdict.words_stand:
        return None
    if verdict.grade is Grade.UNINFORMATIVE or _unit_missing(result):
        return None
    return restyle(result.numeral, verdict.nearest)


def _unit_missing(result: FigureResult) -> bool:
    """Whether the digits are right and only the unit is not printed: no other digits are then the mend."""
    verdict, derivation = result.verdict, result.derivation
    return (
        result.numeral.unit is None
        and derivation is not None
        and bool(hard(derivation.quantity.dimension))
        and verdict is not None
        and verdict.grade is Grade.SCALE
    )


def _harmless(verdict: Verdict, true: str) -> str:
    """What could be done about a numeral that holds, and of which there is something to say."""
    if verdict.tie:
        return f"leave it, for either may be printed, or print one more digit: {true}"
    if verdict.grade is Grade.OVERLAP:
        return "print fewer digits"
    if verdict.grade is Grade.DOUBLE_ROUNDING:
        return f"leave it, for it follows from what is printed, or print what the records give: {true}"
    if verdict.because.startswith("holds, "):
        return f"print the value itself where it matters: {true}"
    return "print the unit that the records count in, or convert in the expression"


def _next_step(result: FigureResult, new: str | None, true: str) -> str:
    """What to do about a numeral that does not hold."""
    if new:
        return f"write {new}"
    if _unit_missing(result):
        return f"print the unit: {true}"
    if result.verdict is not None and result.verdict.grade is Grade.UNINFORMATIVE:
        return "print fewer digits, or let it follow from values that are known more closely"
    if result.verdict is not None and result.verdict.grade is Grade.DECISION:
        return "edit the sentence: its claim no longer holds"
    return f"edit the sentence: the value is {true}"


def inputs_of(derivation: Derivation) -> str:
    """``from peak.bf16 = 989.4 TFLOP/s (nvidia-h100-whitepaper), …`` for the leaves of a derivation."""
    parts = []
    for leaf in derivation.inputs():
        if leaf.given is not None:
            source = f" ({leaf.given.source})" if leaf.given.source else ""
            parts.append(f"{leaf.given.record} {leaf.given.name or leaf.given.field} = {leaf.given.text}{source}")
        else:
            parts.append(f"{leaf.label} = {show(leaf.quantity, leaf.unit)}")
    if not parts:
        return ""
    more = f" and {len(parts) - _MAX_INPUTS} more" if len(parts) > _MAX_INPUTS else ""
    return "from " + ", ".join(parts[:_MAX_INPUTS]) + more
