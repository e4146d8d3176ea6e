"""Workload classes and the shared vocabulary as rows: symbols, formulas, properties, hardware, workarounds."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from ridgeline.check import Report
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_equation, parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Node, names
from ridgeline.formulas.writers.mathml import mathml_row
from ridgeline.formulas.writers.sql import Dialect, sql
from ridgeline.knowledge import vocabulary
from ridgeline.knowledge.base import Entry
from ridgeline.numbers.units import ONE, UnitError, hard, parse_unit
from ridgeline.records.workload import ClassFormula, SymbolDefinition, Workload
from ridgeline.rules.measured import at_least, measured_value, scope_of
from ridgeline.store.derivations import Row, value_columns
from ridgeline.store.heads import Tables, source_id
from ridgeline.store.values import Quantities

NAMES = ("classes", "symbols", "formulas", "formula_names", "properties", "scales_with", "workarounds",
         "measurements", "hardware_parameters", "hardware_values")  # fmt: skip

_VOCABULARY = {
    "accelerator": vocabulary.ACCELERATOR,
    "format": (*vocabulary.FORMAT_WITHOUT_SCALE, *vocabulary.FORMAT),
    "interconnect": vocabulary.INTERCONNECT,
    "model": vocabulary.MODEL,
}


@dataclass
class _Context:
    report: Report
    quantities: Quantities
    dialect: Dialect
    tables: Tables

    def source(self, id: str | None) -> str | None:
        return source_id(self.report, id)


def workloads(report: Report, quantities: Quantities, dialect: Dialect) -> Tables:
    """The rows of the class tables; ``formulas`` holds the vocabulary of the other kinds first."""
    context = _Context(report, quantities, dialect, {name: [] for name in NAMES})
    for kind, definitions in _VOCABULARY.items():
        for ordinal, d in enumerate(definitions):
            row = _formula_row(context, kind, None, ordinal, d.name, d.formula, d.means)
            row |= {"unit": d.unit, "per": "layer" if d.per_layer else None}
            _formula(context, row, parse(d.formula), None)
    for entry in sorted(report.knowledge.of_kind("class"), key=lambda e: e.reference):
        assert isinstance(entry.record, Workload)
        _class(context, entry, entry.record)
    return context.tables


def _class(context: _Context, entry: Entry, record: Workload) -> None:
    tables, reference = context.tables, entry.reference
    layers = record.applies_to
    tables["classes"].append(
        {
            "record": reference, "phase": record.phase, "k": record.k,
            "part_of": _listed(record.part_of), "covers": _listed(record.covers),
            "layers_have": _listed(layers.has if layers is not None else ()),
            "layers_lack": _listed(layers.lacks if layers is not None else ()),
            "over": record.over, "path": record.path, "assumes": record.assumes,
        }
    )  # fmt: skip
    for ordinal, (name, symbol) in enumerate(record.symbols.items()):
        tables["symbols"].append(
            {
                "record": reference, "name": name, "ordinal": ordinal, "unit": symbol.unit, "means": symbol.means,
                "default_text": symbol.default, **_default(symbol),
            }
        )  # fmt: skip
    for ordinal, (name, formula) in enumerate(record.formulas.items()):
        _class_formula(context, entry, record, ordinal, name, formula)
    _lists(context, reference, record)
    _measurements(context, entry, record)
    _hardware(context, reference, record)


def _listed(words: Iterable[str]) -> str | None:
    return ", ".join(words) or None


def _default(symbol: SymbolDefinition) -> Row:
    """The default in base units; a pure number counts the symbol's own unit."""
    nothing: Row = {"default_exact": None, "default_float": None}
    if symbol.default is None:
        return nothing
    try:
        number, unit, _ = parse_quantity(symbol.default)
        unit = unit if unit.factors else parse_unit(symbol.unit)
    except (FormulaError, UnitError):
        return nothing
    return value_columns(Quantity.of(number, unit or ONE), "default")


# Formulas


def _formula_row(
    context: _Context, kind: str, record: str | None, ordinal: int, name: str, text: str, means: str | None
) -> Row:
    return {
        "id": len(context.tables["formulas"]) + 1, "kind": kind, "record": record, "ordinal": ordinal, "name": name,
        "text": text, "solve_for": None, "unit": None, "per": None, "means": means, "same_as": None, "sql": None,
        "sql_reason": None, "mathml": None, "mathml_same_as": None, "line": None,
    }  # fmt: skip


def _class_formula(
    context: _Context, entry: Entry, record: Workload, ordinal: int, name: str, formula: ClassFormula
) -> None:
    text = formula.is_ if formula.is_ is not None else formula.solve.where if formula.solve is not None else ""
    row = _formula_row(context, "class", entry.reference, ordinal, name, text, formula.because)
    row |= {
        "solve_for": formula.solve.for_ if formula.solve is not None else None, "unit": formula.unit,
        "per": formula.per, "same_as": formula.same_as, "line": entry.document.place(("formulas", name), key=True).line,
    }  # fmt: skip
    if formula.same_as is not None:
        with suppress(FormulaError):  # the check reports it at this field
            row["mathml_same_as"] = mathml_row(parse(formula.same_as))
    if formula.solve is not None:
        row["sql_reason"] = f"an equation, solved for {formula.solve.for_}"
        try:
            left, right = parse_equation(text)
        except FormulaError as error:
            row["sql_reason"] = error.message
            context.tables["formulas"].append(row)
            return
        row["mathml"] = f"{mathml_row(left)}<mo>=</mo>{mathml_row(right)}"
        context.tables["formulas"].append(row)
        _names(context, row["id"], (left, right), record)
        return
    try:
        tree = parse(text)
    except FormulaError as error:
        row["sql_reason"] = error.message
        context.tables["formulas"].append(row)
        return
    _formula(context, row, tree, record)


def _formula(context: _Context, row: Row, tree: Node, record: Workload | None) -> None:
    try:
        row["sql"] = sql(tree, lambda name: name.text, context.dialect)
    except FormulaError as error:
        row["sql_reason"] = error.message
    row["mathml"] = mathml_row(tree)
    context.tables["formulas"].append(row)
    _names(context, row["id"], (tree,), record)


def _names(context: _Context, formula: int, trees: tuple[Node, ...], record: Workload | None) -> None:
    """Each name that a formula reads, once, with what it is in the class."""
    read = dict.fromkeys(name.text for tree in trees for name in names(tree))
    for name in read:
        role = "quantity"
        if record is not None and name in record.symbols:
            role = "symbol"
        elif record is not None and name in record.formulas:
            role = "formula"
        context.tables["formula_names"].append({"formula": formula, "name": name, "role": role})


# Lists of a class


def _lists(context: _Context, reference: str, record: Workload) -> None:
    tables = context.tables
    for ordinal, p in enumerate(record.properties):
        low, high = (str(p.range[0]), str(p.range[1])) if p.range is not None else (None, None)
        tables["properties"].append(
            {
                "record": reference, "ordinal": ordinal, "kind": p.kind, "formula": p.formula,
                "symbol": p.with_ or p.vanishes_with, "low": low, "high": high,
                "target": None if p.to is None else str(p.to), "toward": None if p.toward is None else str(p.toward),
                "kernel": p.by, "left_out": p.leaves_out,
                "because": p.because,
            }
        )  # fmt: skip
    for ordinal, s in enumerate(record.scales_with):
        tables["scales_with"].append(
            {
                "record": reference, "ordinal": ordinal, "symbol": s.symbol, "formula": s.of, "exponent": s.order,
                "note": s.note,
            }
        )  # fmt: skip
    for ordinal, w in enumerate(record.workarounds):
        tables["workarounds"].append(
            {
                "record": reference, "ordinal": ordinal, "what": w.what, "moves": w.moves, "effect": w.effect,
                "source": context.source(w.source), "locator": w.at,
            }
        )  # fmt: skip


def _measurements(context: _Context, entry: Entry, record: Workload) -> None:
    """Published measurements; what cannot be read or computed is NULL, and the check says why."""
    for ordinal, m in enumerate(record.measured):
        row: Row = {
            "record": entry.reference, "ordinal": ordinal, "what": m.what, "value_text": m.value, "side": m.holds,
            "bound": m.bound, "derivation": None, "share_of_bound": None, "reason": m.reason,
            "source": context.source(m.source), "locator": m.at, "checked": m.checked,
            "value_exact": None, "value_float": None,
        }  # fmt: skip
        with suppress(FormulaError):
            value = measured_value(m)
            row |= value_columns(value, "value")
            row["side"] = "at-least" if at_least(m, value) else "at-most"
            resolver = context.report.resolver
            bound = resolver.evaluate(m.bound, scope_of(resolver, entry, m))
            row["derivation"] = context.quantities.root(bound)
            if bound.quantity.middle and hard(bound.quantity.dimension) == hard(value.dimension):
                row["share_of_bound"] = float(value.middle / bound.quantity.middle)
        context.tables["measurements"].append(row)


def _hardware(context: _Context, reference: str, record: Workload) -> None:
    for ordinal, parameter in enumerate(record.hardware_parameters):
        context.tables["hardware_parameters"].append(
            {
                "record": reference, "ordinal": ordinal, "parameter": parameter.parameter, "effect": parameter.effect,
                "basis": parameter.basis, "source": context.source(parameter.source),
            }
        )  # fmt: skip
        for position, name in enumerate(parameter.values_for):
            accelerator = f"accelerators/{name}"
            quantity = context.quantities.id(accelerator, parameter.parameter)
            reason = None
            if context.report.knowledge.get(accelerator) is None:
                reason = f"there is no record {accelerator}"
            elif quantity is None:
                reason = f"{accelerator} has no quantity {parameter.parameter}"
            context.tables["hardware_values"].append(
                {
                    "record": reference, "ordinal": ordinal, "position": position, "accelerator": accelerator,
                    "quantity": quantity, "reason": reason,
                }
            )  # fmt: skip
