"""All rules over all records."""

from __future__ import annotations

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Knowledge
from ridgeline.knowledge.resolve import Resolver
from ridgeline.rules import counted, formula, references, values, workloads
from ridgeline.rules.rule import Context, Rule

RULES: tuple[Rule, ...] = (
    references.UnknownReference(),
    references.SupersededSource(),
    references.AliasShadowed(),
    references.HardwareParameterUnknown(),
    values.ValueUnreadable(),
    values.WrongDimension(),
    values.DerivedDisagrees(),
    values.SecondRoute(),
    values.LedgerDoesNotAdd(),
    formula.FormulaUnreadable(),
    workloads.SameAs(),
    workloads.PropertyFails(),
    workloads.ScalingOrder(),
    counted.Counted(),
)


def run(knowledge: Knowledge, resolver: Resolver) -> list[Finding]:
    """What every rule finds."""
    context = Context(knowledge, resolver)
    return [finding for rule in RULES for finding in rule.check(context)]
