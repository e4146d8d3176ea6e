"""The outcome of a scenario: the parts of a step, the least time that it takes, and the rates that follow."""

from __future__ import annotations

from dataclasses import dataclass

from ridgeline.formulas.tree import Node
from ridgeline.knowledge.derivation import Derivation
from ridgeline.lookup import Lookup
from ridgeline.records.layers import ExpertFeedForward, GroupedAttention, LatentAttention
from ridgeline.records.model import Model
from ridgeline.scenario.desk import Desk, added, greatest, named, plus
from ridgeline.scenario.memory import Memory, memory
from ridgeline.scenario.parts import RESOURCES, Part, parts, symbol_values, uncounted
from ridgeline.scenario.setting import Deployment, ScenarioError, Setting, deployment


@dataclass(frozen=True)
class Step:
    """Two lower bounds on the time of a step, and what follows.

    ``resources`` holds the time that all parts together take of each resource. ``overlapped`` is the greatest of these:
    nothing can be faster, however well the parts overlap. ``in_turn`` adds up the longest time of each part: the least
    where a part begins when the one before it ends, and in training where a pipeline fills and empties. ``rate`` is tokens
    of one sequence, ``throughput`` of all of them, in a second: at most, by the first bound.

    In training ``needed`` are the operations of the matrix units that the two passes need, none of them a second time;
    ``utilisation`` is their part of what all accelerators could do in the time of the first bound: the most that the model
    FLOP utilisation (MFU) can be.
    """

    resources: dict[str, Derivation]
    overlapped: Derivation
    in_turn: Derivation
    rate: Derivation
    throughput: Derivation
    needed: Derivation | None = None
    utilisation: Derivation | None = None

    @property
    def bound_by(self) -> str:
        """The resource that sets the bound."""
        longest = max(time.quantity.middle for time in self.resources.values())
        return " = ".join(name for name, time in self.resources.items() if time.quantity.middle == longest)


@dataclass(frozen=True)
class Outcome:
    """Everything that a scenario gives. ``records`` names what each alias of its expressions stands for."""

    setting: Setting
    deployment: Deployment
    records: dict[str, str]
    parts: list[Part]
    step: Step | None
    memory: Memory
    uncounted: tuple[str, ...]
    gaps: tuple[str, ...]


def run(lookup: Lookup, setting: Setting) -> Outcome:
    """The outcome of a setting. Raises :class:`ScenarioError` where there can be none."""
    shared = deployment(setting)
    desk = Desk(lookup, setting, shared)
    _possible(desk)
    found = parts(desk)
    records = {"model": desk.model, "accelerator": desk.accelerator} | desk.formats
    return Outcome(
        setting, shared, records, found, _step(desk, found), memory(desk), uncounted(desk, found), _gaps(found)
    )


def _gaps(found: list[Part]) -> tuple[str, ...]:
    """What is not known and why, the parts that lack the same thing together."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for part in found:
        for name, cost in (part.costs | part.times).items():
            if cost.value is None:
                lacking.setdefault((name, cost.why), []).append(part.reference.partition("/")[2])
    return tuple(f"{name} of {', '.join(parts)}: {why}" for (name, why), parts in lacking.items())


def _possible(desk: Desk) -> None:
    """Whether the model can be shared as the setting says."""
    record, shared = desk.knowledge.entries[desk.model].record, desk.deployment
    assert isinstance(record, Model)
    layers = sum(group.count for group in record.layers)
    if shared.pipeline > layers:
        raise ScenarioError(f"{desk.model} has {layers} layers: they make no {shared.pipeline} stages of a pipeline")
    experts = [g.feed_forward.experts for g in record.layers if isinstance(g.feed_forward, ExpertFeedForward)]
    if shared.expert > 1 and not experts:
        raise ScenarioError(f"{desk.model} has no experts to spread over {shared.expert} accelerators")
    for number in experts:
        if shared.expert > number:
            raise ScenarioError(
                f"{desk.model} has {number} experts in a layer: they cannot be spread over {shared.expert}"
            )
    for group in record.layers:
        if isinstance(group.attention, GroupedAttention | LatentAttention):
            _divides(f"the {group.attention.query_heads} query heads", group.attention.query_heads, shared.tensor, desk)
        if isinstance(group.attention, GroupedAttention) and shared.tensor % group.attention.kv_heads:
            _divides(f"the {group.attention.kv_heads} KV heads", group.attention.kv_heads, shared.tensor, desk)


def _divides(what: str, number: int, among: int, desk: Desk) -> None:
    if number % among:
        raise ScenarioError(
            f"{what} of {desk.model} cannot be shared evenly among {among} accelerators: change --tensor"
        )


# The step


def _step(desk: Desk, found: list[Part]) -> Step | None:
    """The bounds on the step; ``None`` where no time of any part is known."""
    times = symbol_values(found)
    terms: dict[str, list[str]] = {}
    for part in found:
        for name in part.times:
            if f"{part.alias}.{name}" in times:
                resource = RESOURCES[name]
                if name == "compute_time" and part.path == "vector":
                    # Other units, which can work at the same time.
                    resource = "vector compute"
                terms.setdefault(resource, []).append(f"{part.alias}.{name}")
    if not terms:
        return None
    resources = {name: desk.value(plus(names), times, name) for name, names in terms.items()}
    symbols = {_symbol(name): time for name, time in resources.items()}
    overlapped = desk.value(greatest(map(named, symbols)), symbols, "overlapped")
    if not overlapped.quantity.middle:
        return None
    in_turn = _in_turn(desk, found, times)
    tokens = 1 if desk.setting.phase == "decode" else desk.setting.context
    rate = desk.value(f"as({tokens}, token) / step", {"step": overlapped}, "rate")
    throughput = desk.value(
        "sequences * rate",
        {"rate": rate, "sequences": desk.value(str(desk.deployment.batch), label="sequences")},
        "throughput",
    )
    return Step(resources, overlapped, in_turn, rate, throughput, *_use(desk, found, overlapped))


def _in_turn(desk: Desk, found: list[Part], times: dict[str, Derivation]) -> Derivation:
    """The longest time of each part, one after the other; in training with the time for which stages wait."""

    def longest(some: list[Part]) -> list[Node]:
        own = [[f"{part.alias}.{name}" for name in part.times if f"{part.alias}.{name}" in times] for part in some]
        return [greatest(map(named, names)) for names in own if names]

    if not (desk.setting.training and desk.deployment.idle):
        return desk.value(added(longest(found)), times, "in_turn")
    # What the replicas do together waits for no stage.
    symbols = dict(times)
    for name, some in (
        ("in_stages", [part for part in found if part.over != "data"]),
        ("by_replicas", [part for part in found if part.over == "data"]),
    ):
        nodes = longest(some)
        symbols[name] = desk.value(added(nodes), times, name) if nodes else desk.value("as(0, s)", label=name)
    shared = desk.deployment
    filled = shared.micro_batches + shared.pipeline - 1
    busy = max(shared.micro_batches, shared.pipeline)
    return desk.value(f"in_stages * {filled} / {busy} + by_replicas", symbols, "in_turn")


def _use(desk: Desk, found: list[Part], step: Derivation) -> tuple[Derivation | None, Derivation | None]:
    """The operations that a training step needs, and the most of their peak that the accelerators can come to."""
    terms = {
        f"{part.alias}.needed": part.needed.value
        for part in found
        if part.needed is not None and part.needed.value is not None
    }
    if not terms:
        return None, None
    needed = desk.value(plus(terms), terms, "needed")
    text = f"needed / ({desk.deployment.count} * peak * step)"
    return needed, desk.value(text, {"needed": needed, "step": step}, "utilisation")


def _symbol(resource: str) -> str:
    return resource.replace(" ", "_")
