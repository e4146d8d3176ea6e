"""All rules over all records."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Knowledge
from ridgeline.knowledge.resolve import Resolver
from ridgeline.records.kinds import KIND_OF_FOLDER
from ridgeline.rules.rule import Context, Rule

#: Each rule by module and class, with the kinds of record that it looks at (none: all). A module is imported where the
#: first record of such a kind is examined: most of a check of one changed record is imports.
_RULES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("references.UnknownReference", ()),
    ("references.SupersededSource", ()),
    ("references.AliasShadowed", ()),
    ("references.HardwareParameterUnknown", ("class",)),
    ("values.ValueUnreadable", ()),
    ("values.WrongDimension", ()),
    ("values.DerivedDisagrees", ()),
    ("routes.SecondRoute", ("accelerator", "interconnect", "format")),
    ("values.LedgerDoesNotAdd", ("model",)),
    ("formula.FormulaUnreadable", ("class",)),
    ("workloads.SameAs", ("class",)),
    ("workloads.PropertyFails", ("class",)),
    ("workloads.ScalingOrder", ("class",)),
    ("counted.Counted", ("class",)),
    ("measured.MeasuredAboveBound", ("class",)),
    ("parts.AppliesToUnknown", ("class",)),
    ("parts.PartsOverlap", ("class",)),
    ("rates.LadderUnreadable", ("architecture",)),
)
#: Rules across accelerators, whose findings a record may accept.
_PEERS = (
    "rates.FormatLadder",
    "rates.SparseFactor",
    "rates.MatrixNotFaster",
    "rates.RoutesFarApart",
    "siblings.Siblings",
    "siblings.CapacityUnit",
    "columns.AnothersFigure",
    "usual.RidgeUnusual",
    "usual.InterfaceUnusual",
    "usual.SweepUnusual",
    "scopes.ScopeDiffers",
    "scopes.LinkRate",
)
_ACCELERATOR = "accelerator"


def _made(name: str) -> Rule:
    module, _, made = name.partition(".")
    rule: Rule = getattr(import_module(f"ridgeline.rules.{module}"), made)()
    return rule


@lru_cache
def rules_for(kind: str) -> tuple[Rule, ...]:
    """The rules that look at records of a kind, in the order in which they run; all of them for the empty kind."""
    found = [_made(name) for name, kinds in _RULES if not kind or not kinds or kind in kinds]
    if kind in ("", _ACCELERATOR):
        from ridgeline.rules.accepted import ExceptionUnneeded

        peers = [_made(name) for name in _PEERS]
        # Behind all rules whose exceptions it is about.
        found += [*peers, ExceptionUnneeded(tuple(rule.id for rule in peers))]
    return tuple(found)


if TYPE_CHECKING:
    #: All rules.
    RULES: tuple[Rule, ...]


def __getattr__(name: str) -> tuple[Rule, ...]:
    if name == "RULES":
        return rules_for("")
    raise AttributeError(name)


def run(knowledge: Knowledge, resolver: Resolver) -> list[Finding]:
    """What every rule finds."""
    context = Context(knowledge, resolver)
    return [finding for reference in list(knowledge.entries) for finding in run_for(context, reference)]


def run_for(context: Context, reference: str) -> list[Finding]:
    """What every rule finds wrong with one record; each rule starts as if nothing had been evaluated before."""
    focused = context.focused(reference)
    found: list[Finding] = []
    for rule in rules_for(KIND_OF_FOLDER.get(reference.partition("/")[0], "")):
        with context.resolver.apart():
            found += rule.check(focused)
    return found
