"""What a class says that a formula tends to: proved with everything but one symbol set at random, or tried far out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.limits import Limit, Undecided, limit
from ridgeline.formulas.parser import parse, parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.solve import holds
from ridgeline.formulas.tree import Binary, Call, Name, Node, substitute
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.opening import hides, opened
from ridgeline.numbers.units import ONE, describe, hard
from ridgeline.records.workload import Property
from ridgeline.rules.trial import Trial

_POINTS = 6
INFINITE = "infinity"
#: The symbol is moved 2**16 times further out so many times; each time what is left must at least halve.
_MOVES, _STRIDE = 20, 16
#: How much of the value may be left at last, however it came there: values of roots are known to 90 bits.
_LEFT = Fraction(1, 2**64)
#: Names that follow from others at a point (``Trial.moved``): symbol → what then reads it.
_FOLLOWS: dict[str, dict[str, Node]] = {
    "g": {"n_q": parse("g * n_kv")},
    "n_q": {"g": parse("n_q / n_kv")},
    "n_kv": {"g": parse("n_q / n_kv")},
}


def tends(trial: Trial, claim: Property) -> str:
    """What is wrong with a claim that a formula tends to a value; nothing where it holds.

    Raises :class:`FormulaError` where formula or claim cannot be evaluated.
    """
    name, symbol = claim.formula, claim.with_ or ""
    target = None if str(claim.to) == INFINITE else _opened(str(claim.to), symbol, trial)
    tree = _opened(name, symbol, trial)
    if target is not None and holds(target, symbol):
        return f"cannot tend to {claim.to}, which itself reads {symbol}"
    if symbol not in trial.point() or not (holds(tree, symbol) or hides(trial.workload, tree)):
        return f"does not depend on {symbol}"
    for _ in range(_POINTS):
        problem = _at(trial, claim, tree, target, trial.point())
        if problem:
            return problem
    return ""


def _opened(text: str, symbol: str, trial: Trial) -> Node:
    """An expression with the class's formulas, and the names that follow from the symbol, written out."""
    follows = _FOLLOWS.get(symbol, {})
    # What is put in is searched again, and reads names that follow from it in turn: it is put in under a mark.
    marked = {Name((name,)): Name(("=", name)) for name in follows}
    unmarked = {mark: follows[name.text] for name, mark in marked.items()}

    def mark(part: Name | Call) -> Node | None:
        if isinstance(part, Name):
            return marked.get(part)
        if part.name == ("total",) and len(part.positional) == 1 and not part.keywords:
            return Binary("*", Name(("layer_count",)), part.positional[0])
        return None

    tree = substitute(opened(parse(text), trial.workload, alike=True), mark)
    return substitute(tree, lambda part: unmarked.get(part) if isinstance(part, Name) else None)


def _at(trial: Trial, claim: Property, tree: Node, target: Node | None, point: dict[str, Derivation]) -> str:
    """The claim at one point: all names but the symbol have the values of the point."""
    symbol = claim.with_ or ""
    value = None if target is None else trial.context.resolver.evaluate(target, trial.scope(point)).quantity
    if value is not None:
        _comparable(trial.value(claim.formula, point), value, claim)
    near = None if claim.toward is None else _near(claim, point[symbol])
    for below in (False,) if near is None or near == 0 else (False, True):
        try:
            if hides(trial.workload, tree):
                raise Undecided
            found = limit(tree, symbol, lambda n: trial.value(n.text, point), near=near, below=below)
            problem = _compared(found, value, claim)
        except Undecided:
            problem = _tried(trial, claim, value, point, near, below)
        if problem:
            others = ", ".join(
                f"{n} = {_short(d.quantity.middle)}" for n, d in sorted(point.items()) if n != symbol and holds(tree, n)
            )
            return problem + (f", at {others}" if others else "")
    return ""


def _near(claim: Property, current: Derivation) -> Fraction:
    number, unit, _ = parse_quantity(str(claim.toward))
    if unit is not None and unit.factors and hard(unit.dimension) != hard(current.quantity.dimension):
        raise FormulaError(f"{claim.with_} is in {describe(current.quantity.dimension)}, not in {unit.text}")
    return number * (unit if unit is not None and unit.factors else current.unit or ONE).factor


def _comparable(value: Quantity, target: Quantity, claim: Property) -> None:
    """Nothing is near what has another dimension, but zero is zero in any; operations may be counted as plain numbers."""
    one, other = ([p for p in hard(q.dimension) if p[0] != "flop"] for q in (value, target))
    if one != other and not (target.exact and not target.middle):
        raise FormulaError(f"it is in {describe(value.dimension)}, {claim.to} in {describe(target.dimension)}")


def _goes(claim: Property, below: bool = False) -> str:
    if claim.toward is None:
        return f"as {claim.with_} grows"
    return f"as {claim.with_} comes near {claim.toward}" + (" from below" if below else "")


def _compared(found: Limit, target: Quantity | None, claim: Property) -> str:
    if found.unbounded:
        if target is None and found.unbounded > 0:
            return ""
        return f"{'grows' if found.unbounded > 0 else 'falls'} without bound {_goes(claim)}, it does not tend to {claim.to}"
    if target is not None and found.agrees(target.value):
        return ""
    to = f"{claim.to}" if target is None or str(claim.to).isdigit() else f"{claim.to} = {_short(target.middle)}"
    return f"tends to {_short((found.low + found.high) / 2)} {_goes(claim)}, not to {to}"


def _places(near: Fraction | None, below: bool, trial: Trial) -> Iterator[Fraction]:
    """Further and further out, or nearer and nearer: odd counts, which no power of two divides."""
    for step in range(1, _MOVES + 1):
        far = Fraction(2 ** (_STRIDE * step) + 2 * trial.random.randint(1, 2**14) + 1)
        yield far if near is None else near - 1 / far if below else near + 1 / far


def _tried(
    trial: Trial,
    claim: Property,
    target: Quantity | None,
    point: dict[str, Derivation],
    near: Fraction | None,
    below: bool,
) -> str:
    """The formula's own values, each with its bounds, further and further out: what is left must halve at each step."""
    symbol, before = claim.with_ or "", None
    for place in _places(near, below, trial):
        found = trial.value(claim.formula, trial.moved(point, symbol, place))
        if target is None:
            left = found.low
            fails = left <= 0 or (before is not None and left < 2 * before)
        else:
            left = max(abs(found.low - target.low), abs(found.high - target.high))
            fails = before is not None and left > before / 2 and left > _LEFT * max(abs(target.high), abs(target.low))
        if fails:
            value = f"it is {_short(found.middle)} at {symbol} = {_short(place)}"
            return f"is not seen to tend to {claim.to} {_goes(claim, below)}: {value}"
        before = left
    return ""


def _short(value: Fraction) -> str:
    """Six digits, enough to tell values apart."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return f"2^{value.numerator.bit_length() - value.denominator.bit_length()}"
