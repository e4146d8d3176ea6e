"""The parts of a step: what each class that applies computes, moves and sends, and how long that takes at least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.records.layers import ExpertFeedForward, GroupedAttention, LatentAttention, LayerGroup
from ridgeline.records.model import Model
from ridgeline.records.workload import BACKWARD, COSTS, Degree, Work, Workload
from ridgeline.scenario.desk import Cost, Desk, Terms
from ridgeline.scenario.setting import Share

#: A time → what takes it.
RESOURCES = {"compute_time": "compute", "memory_time": "memory", "link_time": "link"}
_WORK: tuple[Work, ...] = Work.__args__  # type: ignore[attr-defined]
#: Work that every layer has of its own: from its norms to its feed-forward part.
_OF_LAYERS = frozenset(_WORK[_WORK.index("norms") : _WORK.index("output-head")])


@dataclass(frozen=True)
class Part:
    """One class as a part of the step.

    ``costs`` holds operations and bytes of the whole deployment, and the bytes that one accelerator sends; ``times`` how
    long the part takes each resource in a step, by the name of the formula; both of forward and backward pass in training.
    ``assumes`` says what the class takes for granted where it could be otherwise. ``needed`` are, in training, the
    operations of the matrix units without those that are done a second time.
    """

    reference: str
    name: str
    covers: tuple[Work, ...]
    over: Degree
    path: str
    share: Share
    costs: dict[str, Cost]
    times: dict[str, Cost]
    assumes: str = ""
    needed: Cost | None = None

    @property
    def bound_by(self) -> str:
        """The resource that takes longest: ``memory``; several where they take equally long."""
        known = {RESOURCES[n]: t.value.quantity.middle for n, t in self.times.items() if t.value is not None}
        longest = max(known.values(), default=Fraction(0))
        return " = ".join(name for name, time in known.items() if time == longest) if longest else ""

    @property
    def alias(self) -> str:
        """The class's name in expressions."""
        return self.reference.partition("/")[2].replace("-", "_").replace(".", "_")


def parts(desk: Desk) -> list[Part]:
    """All parts of the setting's phase that apply and cost anything, in the order of the work that they cover."""
    found = []
    for entry, record in desk.classes:
        if desk.setting.phase in record.part_of and _takes_part(desk, record) and desk.applies(entry):
            part = _part(desk, entry, record)
            if any(c.value is None or c.value.quantity.middle for c in (*part.costs.values(), *part.times.values())):
                found.append(part)
    return sorted(found, key=lambda part: (min(_WORK.index(work) for work in part.covers), part.reference))


def _takes_part(desk: Desk, record: Workload) -> bool:
    """A class of what travels between accelerators has nothing to do where there is one of them."""
    return "link_bytes" not in record.formulas or desk.deployment.active(record.over)


def _part(desk: Desk, entry: Entry, record: Workload) -> Part:
    share, repeats = desk.deployment.share(record.over), desk.deployment.repeats(record.over)
    costs, times = {}, {}
    for name, time in COSTS.items():
        if name in record.formulas:
            again = _again(desk, record) and name != "link_bytes"
            groups = repeats if name == "link_bytes" else share.groups
            costs[name] = desk.cost(entry, _passes(desk, record, name, again), share, groups)
            times[time] = desk.cost(entry, _passes(desk, record, time, again), share, repeats)
    needed = None
    if desk.setting.training and record.path == "tensor" and "flops" in costs:
        needed = desk.cost(entry, _passes(desk, record, "flops", False), share, share.groups)
    assumed = " ".join((record.assumes or "").split())
    return Part(
        entry.reference,
        record.name,
        tuple(record.covers),
        record.over,
        record.path,
        share,
        costs,
        times,
        assumed,
        needed,
    )


def _passes(desk: Desk, record: Workload, formula: str, again: bool) -> Terms:
    """How often a cost counts in a step: once, ``again`` where it is computed anew, and that of the backward pass."""
    forward = ((2 if again else 1, formula),)
    backward = BACKWARD + formula
    return (*forward, (1, backward)) if desk.setting.training and backward in record.formulas else forward


def _again(desk: Desk, record: Workload) -> bool:
    """Whether the backward pass does the work of a class anew: all of it is of layers, whose input alone was kept."""
    return desk.setting.recompute == "layers" and _OF_LAYERS.issuperset(record.covers)


# What nobody counts


def uncounted(desk: Desk, found: list[Part]) -> tuple[str, ...]:
    """Work that the model's step has and no part covers: ``attention in 36 of 48 layers``."""
    record = desk.knowledge.entries[desk.model].record
    assert isinstance(record, Model)
    missing: dict[Work, int] = {}
    for index, group in enumerate(record.layers):
        covered = _covered(desk, found, index)
        for work in _of_layer(group):
            if work not in covered and not (desk.setting.training and work == "cache-write"):
                missing[work] = missing.get(work, 0) + group.count
    layers = sum(group.count for group in record.layers)
    covered = _covered(desk, found, None)
    ends = ("embedding", "output-head", "optimiser" if desk.setting.training else "sampling")
    whole = [work for work in ends if work not in covered]
    traffic = [work for over, work in _TRAFFIC.items() if desk.deployment.active(over) and work not in covered]
    if not desk.setting.training:
        traffic = [work for work in traffic if work != "gradient-collective"]
    return (*(w if n == layers else f"{w} in {n} of {layers} layers" for w, n in missing.items()), *whole, *traffic)


def _covered(desk: Desk, found: list[Part], group: int | None) -> set[str]:
    """The work that parts cover, in one group of layers or in any."""
    covered: set[str] = set()
    for part in found:
        entry = desk.knowledge.entries[part.reference]
        assert isinstance(entry.record, Workload)
        if group is None or desk.resolver.applies(entry.record, replace(desk.scope(entry), group=group)):
            covered.update(part.covers)
    return covered


def _of_layer(group: LayerGroup) -> Iterator[Work]:
    """The work of a layer, by the kinds of its parts."""
    yield "norms"
    yield "residuals"
    if group.attention.kind != "none":
        yield "attention-projections"
    if isinstance(group.attention, GroupedAttention | LatentAttention):
        yield "cache-write"
        if isinstance(group.attention, LatentAttention) and group.attention.indexer is not None:
            yield "indexer"
        yield "attention"
    elif group.attention.kind != "none":
        yield "state"
    if isinstance(group.feed_forward, ExpertFeedForward):
        yield from ("router", "experts")
        if group.feed_forward.shared is not None:
            yield "shared-experts"
    elif group.feed_forward.kind != "none":
        yield "feed-forward"
    if group.feed_forward.kind != "none":
        yield "activation"


_TRAFFIC: dict[Degree, Work] = {
    "tensor": "tensor-collective",
    "expert": "expert-exchange",
    "pipeline": "pipeline-transfer",
    "data": "gradient-collective",
}


def symbol_values(found: list[Part]) -> dict[str, Derivation]:
    """The known times of all parts under dotted names, ``decode_attention.memory_time``, for expressions over parts."""
    return {
        f"{part.alias}.{name}": time.value
        for part in found
        for name, time in part.times.items()
        if time.value is not None
    }
