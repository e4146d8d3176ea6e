"""Rules about classes that are parts of a step: nothing is counted twice, and every word in them means something."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.findings.finding import Finding
from ridgeline.knowledge.base import Entry
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
        for second in context.knowledge.of_kind("class"):
            assert isinstance(second.record, Workload)
            for whole, work in dict.fromkeys((w, c) for w in second.record.part_of for c in second.record.covers):
                yield from self.of(context, second, whole, work)

    def of(self, context: Context, second: Entry, whole: str, work: str) -> Iterator[Finding]:
        """One piece of work that a class counts, against the classes before it that count it too."""
        assert isinstance(second.record, Workload)
        classes = context.survey.claimed(whole, work)
        for later in (at for at, reference in enumerate(classes) if reference == second.reference):
            for reference in classes[:later]:
                first = context.knowledge.get(reference)
                where = None if first is None else self.meet(context, first, second)
                if first is None or where is None:
                    continue
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
        for model, groups in context.survey.shapes():
            for group, names in enumerate(groups):
                if _applies(first.record, names) and _applies(second.record, names):
                    return f"layers {group + 1} of {model}" if group else f"the first layers of {model}"
        return None


def _applies(workload: Workload, names: frozenset[str]) -> bool:
    """Whether a class applies to layers of which these names are known."""
    wanted = workload.applies_to
    return wanted is None or (names.issuperset(wanted.has) and names.isdisjoint(wanted.lacks))
