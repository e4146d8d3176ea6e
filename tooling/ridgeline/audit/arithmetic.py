"""Equations, chains, conversions and changes that the document itself writes out."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from ridgeline.audit.blocks import BlockKind
from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.reading import Reading
from ridgeline.audit.weigh import in_kibibytes, loosely, weigh
from ridgeline.figures.compare import Grade, Verdict, short
from ridgeline.figures.equation_tree import Node, Op, Ref
from ridgeline.figures.equations import Equation, check
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers import holds
from ridgeline.numbers.numeral import Numeral

_JUDGED = frozenset({Grade.WRONG, Grade.SCALE, Grade.DECISION})
BY = "equation"
_ORDERS = frozenset({"<", ">", "<=", ">="})
_ORDER = re.compile(r"[^<>\n]{0,12} ?(?:[<>≤≥]|<=|>=|\\leq?|\\geq?) ?")


def judge(reading: Reading) -> None:
    """Every relation of every equation in prose, lists, tables and output."""
    for block, passage in enumerate(reading.passages):
        if reading.blocks[block].kind is BlockKind.CODE:
            continue
        for equation in passage.equations:
            _equation(reading, block, equation)


def _equation(reading: Reading, block: int, equation: Equation) -> None:
    passage = reading.passages[block]
    text = " ".join(passage.text[equation.start : equation.end].split())
    bound = {i: q for i in equation.operands if (q := reading.bound.get((block, i))) is not None}
    verdicts = check(equation, passage.numerals, bound)
    for position, verdict in enumerate(verdicts):
        left, right = equation.sides[position].node, equation.sides[position + 1].node
        target = right if isinstance(right, Ref) else left if isinstance(left, Ref) else None
        if not isinstance(target, Ref):
            continue
        for index in equation.operands:
            if index != target.index:
                given = Judgment(Status.UNDECIDED, f"taken as given in {text}", by=BY)
                reading.ledger.put(block, index, given)
        gap = passage.text[equation.sides[position].end : equation.sides[position + 1].start]
        if equation.relations[position] in _ORDERS and not _ORDER.fullmatch(gap):
            continue  # a prompt, a quotation mark, an arrow
        word = _word(
            passage.numerals,
            target.index,
            verdict,
            text,
            _bare(passage.numerals, equation),
            _whole(passage.numerals, equation),
        )
        bare = not verdict.holds and verdict.nearest is not None and _bare(passage.numerals, equation)
        if bare and verdict.nearest is not None and _named_units(passage.text, equation):
            because = f"{text}, in TFLOP/s over GB/s as the text around it says"
            truth = Quantity(verdict.nearest * 1000)
            word = weigh(passage.numerals[target.index], truth, because, by=BY, stated=True)
        if word is not None and equation.relations[position] in _ORDERS:
            word = replace(word, computed="", shown="")  # which of the two is wrong, nobody can tell
        if word is not None:
            reading.ledger.put(block, target.index, word)


_TERA = re.compile(r"\bTFLOP(?:s|S|/s|_per_s)?\b|\bTFLOPS")
_GIGA = re.compile(r"\bGB(?:/s|_per_s|ps)")


def _named_units(text: str, equation: Equation) -> bool:
    """Whether the text before bare numbers says that they are TFLOP/s and GB/s, whose quotient is off by 10³."""
    around = text[max(0, equation.start - 1500) : equation.end]
    divided = isinstance(equation.sides[0].node, Op) and equation.sides[0].node.sign == "/"
    return divided and _TERA.search(around) is not None and _GIGA.search(around) is not None


def _whole(numerals: list[Numeral], equation: Equation) -> bool:
    """Whether whole numbers, all their digits printed, are multiplied or added: no unit can explain a difference."""
    operands = [numerals[i] for i in equation.operands]
    plain = all(n.unit is None and re.fullmatch(r"[0-9][0-9,_]*", n.text) and n.alternative is None for n in operands)
    signs = {op for side in equation.sides for op in _signs(side.node)}
    return plain and bool(signs) and signs <= {"*", "+", "-"}


def _signs(node: Node) -> set[str]:
    return {node.sign} | _signs(node.left) | _signs(node.right) if isinstance(node, Op) else set()


def _bare(numerals: list[Numeral], equation: Equation) -> bool:
    return all(numerals[i].unit is None or not numerals[i].unit.factors for i in equation.operands)  # type: ignore[union-attr]


def _word(numerals: list[Numeral], index: int, verdict: Verdict, text: str, bare: bool, whole: bool) -> Judgment | None:
    numeral = numerals[index]
    grade = verdict.grade.value if verdict.grade else ""
    if verdict.grade is None:
        return Judgment(Status.UNDECIDED, verdict.because, grade, by=BY)
    nearest = verdict.nearest
    computed = "" if nearest is None else short(nearest)
    shown = computed
    if nearest is not None and numeral.unit is not None:
        scale = numeral.unit.scale
        shown = f"{short(nearest / scale)} {numeral.unit_text}".strip()
    if verdict.grade is Grade.OVERLAP and nearest is not None and not _contains(numeral, nearest):
        why = f"{text}: only within the rounding of the inputs, which give {shown}"
        return Judgment(Status.UNDECIDED, why, grade, computed, shown, BY)
    if (
        not verdict.holds
        and nearest is not None
        and numeral.unit_text.startswith("KB")
        and holds(in_kibibytes(numeral), nearest)
    ):
        return Judgment(Status.RIGHT, f"{text}, with KB for KiB", grade, computed, shown, BY, stated=True)
    if verdict.holds:
        return Judgment(Status.RIGHT, f"{text}: {verdict.because}", grade, computed, shown, BY, stated=True)
    if verdict.grade not in _JUDGED or _doubtful(numeral, verdict, bare, whole):
        return Judgment(Status.UNDECIDED, f"{text}: {verdict.because}", grade, computed, shown, BY)
    return Judgment(Status.WRONG, f"{text}: {verdict.because}", grade, computed, shown, BY, stated=True)


def _contains(numeral: Numeral, value: Fraction) -> bool:
    return any(i is not None and i.contains(value) for i in (numeral.interval, numeral.alternative_interval))


def _doubtful(numeral: Numeral, verdict: Verdict, bare: bool, whole: bool) -> bool:
    """Failures that a reader would excuse: units left unsaid, dimensions that were never meant, a hedge."""
    if "dimensions differ" in verdict.because:
        return True
    unsaid = verdict.grade is Grade.SCALE and (bare or numeral.unit is None)
    if unsaid and not whole and verdict.factor.startswith(("10^", "1.024^", "100", "1/100")):
        return True
    if verdict.nearest is None:
        return True
    if (
        not whole
        and numeral.unit is None
        and numeral.value
        and not 1 < abs(verdict.nearest / numeral.value) * 500 < 250_000
    ):
        return True  # a unit that is left unsaid, or that is written in a way nobody reads
    factor = numeral.base_factor
    return loosely(numeral, Quantity(verdict.nearest * factor, () if numeral.unit is None else numeral.unit.dimension))


__all__ = ["BY", "judge"]
