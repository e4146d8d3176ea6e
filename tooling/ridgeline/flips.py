"""Conclusions that turn round between two reports: claims of sentences, orders, memory against compute, what fits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil

from ridgeline.check import Report
from ridgeline.figures.figure import FigureResult
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse
from ridgeline.formulas.tree import names
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.opening import opened
from ridgeline.knowledge.resolve import Resolver, Scope
from ridgeline.numbers.units import UnitError, hard, parse_unit
from ridgeline.records.workload import Workload

#: Where intensities are compared with a ridge point: sizes that classes leave open, by the usual names of symbols.
GRID: dict[str, tuple[int, ...]] = {
    "L": (128, 512, 2048, 8192, 32768, 131072),
    "T": (1, 512, 8192),
    "batch": (1, 8, 32, 128),
}
_MOST_POINTS = 96
#: How many accelerators are looked at together: a model fits on so many, or it does not.
GROUPS = (1, 2, 4, 8)
#: Weights are served in formats of at most so many bits.
_SERVED_BITS = 16
_BIT = parse_unit("bit")
_INTENSITY = hard(parse_unit("flop/byte").dimension)


@dataclass(frozen=True, slots=True)
class Flip:
    """A conclusion that turns round."""

    what: str
    before: str
    after: str


def flips(before: Report, after: Report, moved: Collection[tuple[str, str]]) -> list[Flip]:
    """All conclusions that turn round; ``moved`` are the record and the name of each value that changed."""
    return [
        *_claims(before, after),
        *_orders(before, after, moved),
        *_bounds(before, after, moved),
        *_fits(before, after, moved),
    ]


def figure_pairs(before: Report, after: Report) -> Iterator[tuple[FigureResult, FigureResult]]:
    """Numerals of prose whose computed value differs, before and after."""
    later = {(f.record, f.path, f.numeral.at): f for f in after.figures}
    for figure in before.figures:
        other = later.get((figure.record, figure.path, figure.numeral.at))
        if other is None or figure.derivation is None or other.derivation is None:
            continue
        if figure.derivation.quantity.value != other.derivation.quantity.value:
            yield figure, other


def _claims(before: Report, after: Report) -> Iterator[Flip]:
    """What sentences say, in words or with a number that is bound by a comparison."""
    later = {(c.record, c.path, c.at): c for c in after.conclusions}
    told = set()
    for was in before.conclusions:
        now = later.get((was.record, was.path, was.at))
        if now is not None and was.holds != now.holds:
            told.add((was.record, was.path, was.at))
            place = f"“{was.words}” in {was.record} {'.'.join(map(str, was.path))}"
            states = [f"{c.claim} {'holds' if c.holds else 'does not hold'} ({c.sides})" for c in (was, now)]
            yield Flip(place, *states)
    for figure, other in figure_pairs(before, after):
        if (figure.record, figure.path, figure.numeral.at) in told:
            continue
        if other.verdict is not None and other.grade == "decision" and figure.grade != "decision":
            yield Flip(
                f"“{figure.numeral.text}” in {figure.record} {'.'.join(map(str, figure.path))}",
                figure.verdict.because if figure.verdict else "",
                other.verdict.because,
            )


# Orders


def _orders(before: Report, after: Report, moved: Collection[tuple[str, str]]) -> Iterator[Flip]:
    """Pairs of accelerators that change places by a quantity that both have."""
    parts = sorted(e.reference for e in before.knowledge.of_kind("accelerator") if e.record is not None)
    for name in sorted({n for _, n in moved if n.startswith(("ridge.", "peak.", "memory."))}):
        if name.endswith((".route", ".clock", ".per_clock")) or _special(name):
            continue
        old = {p: v for p in parts if (v := _number(before, p, name)) is not None}
        new = {p: v for p in parts if (v := _number(after, p, name)) is not None}
        for a in sorted({p for p, n in moved if n == name} & set(old) & set(new)):
            for b in parts:
                if b == a or b not in old or b not in new:
                    continue
                was, now = _sign(old[a] - old[b]), _sign(new[a] - new[b])
                if was != now and 0 not in (was, now):
                    first, second = (a, b) if was > 0 else (b, a)
                    yield Flip(f"order by {name}", f"{first} above {second}", f"{second} above {first}")


def _special(name: str) -> bool:
    """Whether a ridge point is one of the sparse or of the vector path, which nobody means without saying so."""
    return name.startswith("ridge.") and name.endswith(("_sparse", "_vector"))


def _number(report: Report, reference: str, name: str) -> Fraction | None:
    try:
        return report.resolver.quantity(reference, tuple(name.split("."))).quantity.middle
    except FormulaError:
        return None


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


# Bound by memory or by compute


def _bounds(before: Report, after: Report, moved: Collection[tuple[str, str]]) -> Iterator[Flip]:
    """Where a class on an accelerator moves from one side of the ridge point to the other, at the points of the grid."""
    ridges = {(r, n.removeprefix("ridge.")) for r, n in moved if n.startswith("ridge.") and not _special(n)}
    models = {r for r, _ in moved if r.startswith("models/")}
    for entry in before.knowledge.of_kind("class"):
        if not isinstance(entry.record, Workload):
            continue
        subjects = sorted(entry.record.subjects.values())
        pairs = sorted(ridges) if ridges else _ridges(before.resolver, [s for s in subjects if _is(s, "accelerator")])
        geometries = sorted({s for s in subjects if _is(s, "model")} | models) if ridges else sorted(models)
        for formula in _intensities(entry.record):
            for model in geometries or ([""] if ridges else []):
                yield from _crossing(before, after, entry, formula, model, pairs)


def _is(reference: str, kind: str) -> bool:
    return reference.startswith(f"{kind}s/")


def _ridges(resolver: Resolver, accelerators: Sequence[str]) -> list[tuple[str, str]]:
    """The accelerators with each format that they have a ridge point for."""
    found = []
    for reference in accelerators:
        try:
            space = resolver.namespace(reference)
        except FormulaError:
            continue
        names_ = [n for n in space.names if n.startswith("ridge.") and not _special(n)]
        found += [(reference, n.removeprefix("ridge.")) for n in names_]
    return sorted(found)


def _intensities(workload: Workload) -> list[str]:
    """The formulas that say how many operations a byte serves."""
    found = []
    for name, formula in workload.formulas.items():
        try:
            if formula.unit is not None and formula.is_ and hard(parse_unit(formula.unit).dimension) == _INTENSITY:
                found.append(name)
        except UnitError:
            continue
    return found


def _crossing(
    before: Report, after: Report, entry: Entry, formula: str, model: str, pairs: Sequence[tuple[str, str]]
) -> Iterator[Flip]:
    """One formula of one class with one model: a flip for each accelerator and format, with the points where it flips."""
    assert isinstance(entry.record, Workload)
    try:
        points = _points(entry.record, formula)
    except FormulaError:
        # A formula that it is written with cannot be read: the check says so.
        return
    old = [_intensity(before.resolver, entry, formula, model, point) for point in points]
    if all(value is None for value in old):
        return
    new = old if not model else [_intensity(after.resolver, entry, formula, model, point) for point in points]
    points, old, new = _without_idle(points, old, new)
    for accelerator, number_format in pairs:
        was, now = (_number(r, accelerator, f"ridge.{number_format}") for r in (before, after))
        if was is None or now is None:
            continue
        turned: dict[tuple[str, str], list[str]] = {}
        for point, a, b in zip(points, old, new, strict=True):
            if a is None or b is None or (a >= was) == (b >= now):
                continue
            sides = (_side(a, was), _side(b, now))
            turned.setdefault(sides, []).append(_told(point))
        place = " on ".join(p for p in (model, accelerator) if p)
        for (first, second), where in turned.items():
            what = f"{entry.reference} {formula}, {place}, {number_format}"
            yield Flip(f"{what}, at {_listed(where)}" if any(where) else what, first, second)


def _points(workload: Workload, formula: str) -> list[dict[str, int]]:
    """The points of the grid at which a formula is tried: only what it reads and what has no value of its own."""
    read = {n.text for n in names(opened(parse(formula), workload))}
    free = [
        s
        for s in GRID
        if s in read and (s not in workload.symbols or workload.symbols[s].default is None or s == "batch")
    ]
    points = [dict(zip(free, values, strict=True)) for values in product(*(GRID[s] for s in free))]
    return points[:_MOST_POINTS]


_Points = list[dict[str, int]]
_Values = list[Fraction | None]


def _without_idle(points: _Points, old: _Values, new: _Values) -> tuple[_Points, _Values, _Values]:
    """The points without the symbols that move neither of the values, each remaining one once."""
    for symbol in list(points[0]):
        rest = [tuple(v for n, v in p.items() if n != symbol) for p in points]
        first = {key: (a, b) for key, a, b in reversed(list(zip(rest, old, new, strict=True)))}
        if all(first[key] == (a, b) for key, a, b in zip(rest, old, new, strict=True)):
            names_ = [n for n in points[0] if n != symbol]
            points = [dict(zip(names_, key, strict=True)) for key in first]
            old, new = [a for a, _ in first.values()], [b for _, b in first.values()]
    return points, old, new


def _intensity(resolver: Resolver, entry: Entry, formula: str, model: str, point: dict[str, int]) -> Fraction | None:
    """The value of a formula at a point; ``None`` where it needs more than the model and the point."""
    workload = entry.record
    assert isinstance(workload, Workload)
    scope = resolver.scope_of(entry).with_records({"model": model} if model else {})
    try:
        symbols = {
            name: resolver.symbol(name, f"{value} {workload.symbols[name].unit if name in workload.symbols else 'token'}", scope)
            for name, value in point.items()
        }  # fmt: skip
        return resolver.evaluate(formula, scope.with_symbols(symbols)).quantity.middle
    except FormulaError:
        return None


def _side(intensity: Fraction, ridge: Fraction) -> str:
    return "bound by compute" if intensity >= ridge else "bound by memory"


def _told(point: dict[str, int]) -> str:
    return " ".join(f"{name} = {value:,}" for name, value in point.items())


def _listed(points: Sequence[str], most: int = 4) -> str:
    return "; ".join(points[:most]) + (f" and {len(points) - most} more" if len(points) > most else "")


# Fits or does not


def _fits(before: Report, after: Report, moved: Collection[tuple[str, str]]) -> Iterator[Flip]:
    """Models whose weights begin or cease to fit on one accelerator, on two, four or eight."""
    parts = sorted({r for r, n in moved if n == "memory.capacity"})
    models = sorted({r for r, n in moved if _is(r, "model") and n == "weight_bytes"})
    every = [e.reference for kind in ("accelerator", "model") for e in before.knowledge.of_kind(kind) if e.record]
    pairs = [(m, p) for p in parts for m in every if _is(m, "model")]
    pairs += [(m, p) for m in models for p in every if _is(p, "accelerator") and p not in parts]
    formats = _served(before.resolver, before)
    for (model, part), number_format in product(pairs, formats):
        was, now = (_needed(r.resolver, model, part, number_format) for r in (before, after))
        if was is None or now is None:
            continue
        for group in GROUPS:
            if (was <= group) != (now <= group):
                where = part if group == 1 else f"{group} × {part}"
                what = f"weights of {model} in {number_format.partition('/')[2]} on {where}"
                yield Flip(what, *("fit" if needed <= group else f"do not fit, need {needed}" for needed in (was, now)))


def _served(resolver: Resolver, report: Report) -> list[str]:
    """The formats that weights are served in."""
    found = []
    for entry in report.knowledge.of_kind("format"):
        try:
            if resolver.quantity(entry.reference, ("bits",)).quantity.middle <= _BIT.factor * _SERVED_BITS:
                found.append(entry.reference)
        except FormulaError:
            continue
    return sorted(found)


def _needed(resolver: Resolver, model: str, part: str, number_format: str) -> int | None:
    """How many accelerators hold the weights of a model; ``None`` where the part does not compute in the format."""
    try:
        capacity = resolver.quantity(part, ("memory", "capacity")).quantity.low
        if f"peak.{number_format.partition('/')[2]}" not in resolver.namespace(part).names or capacity <= 0:
            return None
        scope = Scope(records=tuple(sorted({"model": model, "format": number_format}.items())))
        return ceil(resolver.evaluate("weight_bytes", scope).quantity.middle / capacity)
    except FormulaError:
        return None


__all__ = ["GRID", "GROUPS", "Flip", "figure_pairs", "flips"]
