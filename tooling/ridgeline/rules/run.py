"""All rules over all records."""

from __future__ import annotations

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Knowledge
from ridgeline.knowledge.resolve import Resolver
from ridgeline.rules import (
    accepted,
    columns,
    counted,
    formula,
    measured,
    parts,
    rates,
    references,
    routes,
    scopes,
    siblings,
    usual,
    values,
    workloads,
)
from ridgeline.rules.peers import PeerRule
from ridgeline.rules.rule import Context, Rule

#: Rules across accelerators, whose findings a record may accept.
_PEERS: tuple[PeerRule, ...] = (
    rates.FormatLadder(),
    rates.SparseFactor(),
    rates.MatrixNotFaster(),
    rates.RoutesFarApart(),
    siblings.Siblings(),
    siblings.CapacityUnit(),
    columns.AnothersFigure(),
    usual.RidgeUnusual(),
    usual.InterfaceUnusual(),
    usual.SweepUnusual(),
    scopes.ScopeDiffers(),
    scopes.LinkRate(),
)

RULES: tuple[Rule, ...] = (
    references.UnknownReference(),
    references.SupersededSource(),
    references.AliasShadowed(),
    references.HardwareParameterUnknown(),
    values.ValueUnreadable(),
    values.WrongDimension(),
    values.DerivedDisagrees(),
    routes.SecondRoute(),
    values.LedgerDoesNotAdd(),
    formula.FormulaUnreadable(),
    workloads.SameAs(),
    workloads.PropertyFails(),
    workloads.ScalingOrder(),
    counted.Counted(),
    measured.MeasuredAboveBound(),
    parts.AppliesToUnknown(),
    parts.PartsOverlap(),
    rates.LadderUnreadable(),
    *_PEERS,
    accepted.ExceptionUnneeded(tuple(rule.id for rule in _PEERS)),
)


def run(knowledge: Knowledge, resolver: Resolver) -> list[Finding]:
    """What every rule finds."""
    return run_in(Context(knowledge, resolver))


def run_in(context: Context) -> list[Finding]:
    """The same in a context, whose memory the caller may look at afterwards."""
    return [finding for rule in RULES for finding in rule.check(context)]
