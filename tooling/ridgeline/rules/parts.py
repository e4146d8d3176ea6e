"""Rules about classes that are parts of a step: nothing is counted twice, and every word in them means something."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.resolve import Scope
from ridgeline.knowledge.vocabulary import LAYER_UNITS
from ridgeline.records.workload import Workload
from ridgeline.rules.rule import Context, Rule, near


class AppliesToUnknown(Rule):
    """A class says which layers it applies to by a quantity that no layer has.

    A misspelt quantity would make the class apply to no layer, or to every one. Write one of the names that layers have
    in formulas: `n_kv`, `window`, `kv_rank`, `n_experts`.
    """

    id = "applies-to-unknown"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every name in `applies_to` of every class."""
        for entry in context.knowledge.of_kind("class"):
            assert isinstance(entry.record, Workload)
            wanted = entry.record.applies_to
            for key, named in (("has", wanted.has), ("lacks", wanted.lacks)) if wanted is not None else ():
                for index, name in enumerate(named):
                    if name not in LAYER_UNITS:
                        yield self.finding(
                            entry,
                            ("applies_to", key, index),
                            f"no layer has a quantity {name}",
                            found=name,
                            mend=near(name, sorted(LAYER_UNITS)) or "name a quantity of a layer",
                        )


class PartsOverlap(Rule):
    """Two classes count the same work of the same step.

    The classes with `part_of: [decode]` are added up to a step of decode, so each piece of work (`covers:`) may be counted
    by one class alone in each layer. They are held against the layers of every model. Mend it with `applies_to:`, by
    covering less, or by taking the class that is an alternative out of the step (no `part_of:`).
    """

    id = "parts-overlap"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every pair of parts that covers the same work, over the layers of all models."""
        claimed: dict[tuple[str, str], list[Entry]] = {}
        for entry in context.knowledge.of_kind("class"):
            assert isinstance(entry.record, Workload)
            for total in entry.record.part_of:
                for covered in entry.record.covers:
                    claimed.setdefault((total, covered), []).append(entry)
        for (whole, work), entries in claimed.items():
            for later, second in enumerate(entries):
                for first in entries[:later]:
                    where = self.meet(context, first, second)
                    if where is None:
                        continue
                    assert isinstance(second.record, Workload)
                    yield self.finding(
                        second,
                        ("covers", [*map(str, second.record.covers)].index(work)),
                        f"{work} of {whole} is counted by {first.id} as well" + (f", in {where}" if where else ""),
                        found=work,
                        mend="say in applies_to: which layers each counts, or let one of them cover less",
                    )

    def meet(self, context: Context, first: Entry, second: Entry) -> str | None:
        """Layers that two classes both apply to; empty where they do so whatever the layers, ``None`` for none."""
        assert isinstance(first.record, Workload) and isinstance(second.record, Workload)
        if first.record.applies_to is None and second.record.applies_to is None:
            return ""
        resolver = context.resolver
        for model in context.knowledge.of_kind("model"):
            for group in range(len(resolver.namespace(model.reference).layers)):
                scope = Scope(records=(("model", model.reference),), group=group)
                if resolver.applies(first.record, scope) and resolver.applies(second.record, scope):
                    return f"layers {group + 1} of {model.id}" if group else f"the first layers of {model.id}"
        return None
