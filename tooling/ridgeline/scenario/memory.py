"""What stands in the memory of one accelerator, and whether it fits."""

from __future__ import annotations

from dataclasses import dataclass

from ridgeline.formulas.errors import FormulaError
from ridgeline.knowledge.derivation import Derivation
from ridgeline.records.workload import MEMORIES
from ridgeline.scenario.desk import Cost, Desk, plus
from ridgeline.scenario.setting import Share


@dataclass(frozen=True)
class Memory:
    """The memory of one accelerator: what is in it by kind, and what is left of its capacity.

    ``costs`` holds each formula of each class, ``resident_weights`` of ``classes/…``; ``kinds`` their sums by formula;
    ``sequences`` the most sequences of this length whose caches and states the whole deployment has room for. ``why`` says
    why a value is not known.
    """

    costs: list[tuple[str, str, Cost]]
    kinds: dict[str, Derivation]
    needed: Derivation | None
    capacity: Derivation | None
    free: Derivation | None
    sequences: Derivation | None
    why: str = ""

    @property
    def fits(self) -> bool | None:
        """Whether everything finds room; ``None`` where that cannot be told."""
        return None if self.free is None else self.free.quantity.middle >= 0


def memory(desk: Desk) -> Memory:
    """The memory of the setting: of serving, or of training."""
    costs = _resident(desk)
    kinds = _kinds(desk, costs)
    needed = desk.value(plus(kinds), kinds, "needed") if kinds else None
    missing = [f"{reference.partition('/')[2]} {name}: {cost.why}" for reference, name, cost in costs if cost.why]
    try:
        capacity = desk.value("memory.capacity")
    except FormulaError as error:
        return Memory(costs, kinds, needed, None, None, None, error.message)
    if needed is None or missing:
        why = "; ".join(missing) or "no class counts what stays in memory"
        return Memory(costs, kinds, needed, capacity, None, None, why)
    free = desk.value("memory.capacity - needed", {"needed": needed}, "free")
    return Memory(costs, kinds, needed, capacity, free, _sequences(desk, kinds))


def _resident(desk: Desk) -> list[tuple[str, str, Cost]]:
    """The parts of memory: class, formula and value."""
    deployment, training = desk.deployment, desk.setting.training
    # Caches are those of all sequences; what a backward pass needs is that of the micro-batches on their way.
    share = Share(deployment.tensor, deployment.at_once if training else deployment.replica_batch, 1)
    costs = []
    for entry, record in desk.classes:
        if _whole(desk) in record.part_of and desk.applies(entry):
            given = [name for name in _resident_formulas(desk) if name in record.formulas]
            costs += [(entry.reference, name, desk.cost(entry, ((1, name),), share)) for name in given]
    return costs


def _whole(desk: Desk) -> str:
    return "training-memory" if desk.setting.training else "memory"


def _resident_formulas(desk: Desk) -> tuple[str, ...]:
    return tuple(f"resident_{kind}" for kind in MEMORIES[_whole(desk)])


def _kinds(desk: Desk, costs: list[tuple[str, str, Cost]]) -> dict[str, Derivation]:
    """The known values by formula, those of several classes added up."""
    kinds = {}
    for name in _resident_formulas(desk):
        values = [cost.value for _, of, cost in costs if of == name and cost.value is not None]
        terms = {f"{name}.part_{index}": value for index, value in enumerate(values, 1)}
        if terms:
            kinds[name] = desk.value(plus(terms), terms, name)
    return kinds


def _sequences(desk: Desk, known: dict[str, Derivation]) -> Derivation | None:
    """How many sequences the caches and states of the whole deployment have room for beside weights and reserve."""
    growing = [name for name in ("resident_cache", "resident_state") if name in known]
    if not growing or not any(known[name].quantity.middle for name in growing):
        return None
    fixed = [name for name in known if name not in growing]
    numbers = {"replicas": desk.deployment.data, "sequences": desk.deployment.replica_batch}
    symbols = {
        **known,
        "growing": desk.value(plus(growing), known, "growing"),
        "fixed": desk.value(plus(fixed), known, "fixed") if fixed else desk.value("as(0, byte)"),
        **{name: desk.value(str(number), label=name) for name, number in numbers.items()},
    }
    text = "replicas * max(0, floor((memory.capacity - fixed) / (growing / sequences)))"
    return desk.value(text, symbols, "sequences")
