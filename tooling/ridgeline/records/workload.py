"""Workload classes: what a kind of work computes and moves, as formulas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ridgeline.counting.names import KernelName, Operation, Traffic
from ridgeline.records.common import (
    Day,
    Expression,
    FormulaText,
    Line,
    ProseLine,
    Record,
    RecordReference,
    SourceId,
    Strict,
    Symbol,
    ValueText,
)

HardwareField = Annotated[str, StringConstraints(pattern=r"^[a-z_0-9]+(?:\.[a-z_0-9]+)*$", max_length=80)]


#: What classes are parts of: the steps of a phase, and what stays in memory.
Whole = Literal["prefill", "decode", "training", "memory", "training-memory"]
#: The work of a step in the order in which it is done, of the links, of training, and what stays in memory.
Work = Literal[
    "embedding",
    "norms",
    "residuals",
    "attention-projections",
    "rotary",
    "cache-write",
    "indexer",
    "attention",
    "state",
    "feed-forward",
    "router",
    "experts",
    "shared-experts",
    "activation",
    "output-head",
    "sampling",
    "tensor-collective",
    "expert-exchange",
    "pipeline-transfer",
    "gradient-collective",
    "backward",
    "optimiser",
    "recomputation",
    "resident-weights",
    "resident-cache",
    "resident-state",
    "resident-reserve",
    "resident-gradients",
    "resident-optimiser",
    "resident-activations",
]
#: How the accelerators of a deployment share the work.
Degree = Literal["tensor", "expert", "pipeline", "data"]

#: What a part of a step adds to it: formula, and the formula of the time that it takes.
COSTS = {"flops": "compute_time", "bytes": "memory_time", "link_bytes": "link_time"}
#: What precedes the names of costs and times of the backward pass.
BACKWARD = "backward_"
#: Work of a training step that has no backward pass.
ONCE_A_STEP = frozenset({"gradient-collective", "backward", "optimiser", "recomputation"})
#: Memory, while a model serves and while it is trained → what is in it.
MEMORIES = {
    "memory": ("weights", "cache", "state", "reserve"),
    "training-memory": ("weights", "gradients", "optimiser", "activations", "reserve"),
}
#: What a part of memory adds to it, on one accelerator: formula, and the word that it covers.
RESIDENT: dict[str, str] = {f"resident_{kind}": f"resident-{kind}" for kinds in MEMORIES.values() for kind in kinds}


class AppliesTo(Strict):
    """The layers that a class counts in: those that have all of some quantities and none of others."""

    has: Annotated[list[HardwareField], Field(max_length=20)] = []
    """Quantities that such a layer has, with a value: `[n_kv]`."""
    lacks: Annotated[list[HardwareField], Field(max_length=20)] = []
    """Quantities that it has not: `[window, chunk]`."""

    @model_validator(mode="after")
    def _something(self) -> AppliesTo:
        if not self.has and not self.lacks:
            raise ValueError("say which quantities such a layer has, or which it lacks")
        both = sorted(set(self.has) & set(self.lacks))
        if both:
            raise ValueError(f"no layer both has and lacks {both[0]}")
        return self


class Measurement(Strict):
    """A published measurement, held against the bound that the formulas give it."""

    what: Line
    """What was measured: kernel, sizes, number format."""
    value: ValueText
    """Number and unit as the source prints them: `740 TFLOP/s`."""
    with_: Annotated[dict[Symbol, str | int], Field(alias="with", max_length=40)] = {}
    """Records under aliases, beside the subjects, and symbols: `{h100: accelerators/nvidia-h100-sxm, L: 16384 token}`."""
    source: SourceId
    """Id of the source record."""
    at: Line
    """Where in the source: page, table, column."""
    checked: Day
    """The day somebody last read it there."""
    bound: FormulaText
    """An expression in the class's scope that the value cannot pass: `h100.peak.fp16`."""
    holds: Literal["at-most", "at-least"] | None = None
    """Which side of the bound is possible; left out, a time or an energy is at least its bound, all else at most."""
    reason: ProseLine | None = None
    """Why the value passes its bound nevertheless: what the bound does not know of."""


class SymbolDefinition(Strict):
    """A symbol of the class."""

    unit: Line
    """Unit of the symbol, `1` for a pure number."""
    means: ProseLine
    """What it stands for."""
    default: ValueText | None = None
    """Value where nobody sets one: `2 byte`."""


class Solve(Strict):
    """An equation to solve for a symbol."""

    for_: Annotated[Symbol, Field(alias="for")]
    """The symbol to solve for."""
    where: FormulaText
    """The equation: `intensity = ridge`."""


class ClassFormula(Strict):
    """A named formula of the class."""

    is_: Annotated[FormulaText | None, Field(alias="is")] = None
    """The expression."""
    solve: Solve | None = None
    """Instead of an expression: the solution of an equation."""
    unit: Line | None = None
    """Unit of the result; checked against the expression."""
    per: Literal["layer"] | None = None
    """`layer`: evaluated for each group of layers; `total(f)` adds the groups up."""
    because: ProseLine | None = None
    """Why the formula is so."""
    same_as: FormulaText | None = None
    """Another expression for the same value, in fewer quantities; checked at random points."""

    @model_validator(mode="after")
    def _one(self) -> ClassFormula:
        if (self.is_ is None) == (self.solve is None):
            raise ValueError("a formula has either is: or solve:")
        return self


_COUNTED_ONLY = ("by", "of", "traffic", "operations", "leaves_out", "vanishes_with", "because", "where", "multiples")


class Property(Strict):
    """Something that must hold for the formulas at every point tried."""

    rises: Symbol | None = None
    """A formula that rises…"""
    falls: Symbol | None = None
    """A formula that falls…"""
    with_: Annotated[Symbol | None, Field(alias="with")] = None
    """…as this symbol rises."""
    tends: Symbol | None = None
    """A formula that comes as near to `to` as one likes, as the symbol in `with` grows without bound, or comes near to `toward`."""
    to: FormulaText | int | None = None
    """What it tends to: an expression without that symbol, or `infinity`."""
    toward: ValueText | int | None = None
    """The value that the symbol comes near to, from both sides; from above where it is `0`."""
    within: Symbol | None = None
    """A formula that stays within `range`."""
    range: Annotated[list[str | int], Field(min_length=2, max_length=2)] | None = None
    """Lowest and highest value."""
    counted: Symbol | None = None
    """A formula in flop or byte that is held, exactly and at small sizes, against what the kernel in `by` is counted to do."""
    by: KernelName | None = None
    """The reference implementation that is run and counted: `attention-causal-naive`."""
    of: Annotated[list[Symbol], Field(min_length=1, max_length=20)] | None = None
    """Of a formula in bytes: the tensors whose traffic it counts, `[K, V]`. All that the kernel moves where it is left out."""
    traffic: Traffic | None = None
    """Of a formula in bytes: `total`, every transfer (so where it is left out), or `compulsory`, the first read and the
    first write of each element, as if whatever is used again were still on the chip."""
    operations: Annotated[list[Operation], Field(min_length=1, max_length=10)] | None = None
    """Of a formula in flop: the operations that it counts, `[multiply-add]` where it is left out. A multiply-add is two."""
    leaves_out: FormulaText | None = None
    """Lower-order part of the count that the formula leaves out: the formula and this together are the count."""
    vanishes_with: Symbol | None = None
    """The symbol as which grows the part in `leaves_out` becomes nothing beside the formula."""
    because: ProseLine | None = None
    """Where the part in `leaves_out` comes from."""
    where: Annotated[dict[Line, str | int], Field(max_length=20)] | None = None
    """What names of the class are in the kernel's sizes, where these have other names: `{d_attention: n_q * d_head}`."""
    multiples: Annotated[dict[Symbol, Symbol], Field(max_length=2)] | None = None
    """Sizes of the kernel that are tried only at multiples of another one: `{L: tile}`, whole tiles."""

    @property
    def kind(self) -> Literal["rises", "falls", "within", "tends", "counted"]:
        """Which of them it is."""
        if self.tends is not None:
            return "tends"
        if self.rises is not None:
            return "rises"
        if self.falls is not None:
            return "falls"
        return "within" if self.within is not None else "counted"

    @property
    def formula(self) -> str:
        """The formula that it is about."""
        return self.rises or self.falls or self.within or self.tends or self.counted or ""

    @model_validator(mode="after")
    def _one(self) -> Property:
        given = [n for n in ("rises", "falls", "within", "tends", "counted") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError("say exactly one of rises, falls, within, tends and counted")
        if given[0] == "within" and self.range is None:
            raise ValueError("within needs range: [lowest, highest]")
        if given[0] in ("rises", "falls") and self.with_ is None:
            raise ValueError(f"{given[0]} needs with: the symbol")
        if given[0] == "tends" and (self.with_ is None or self.to is None):
            raise ValueError("tends needs with: the symbol, and to: what the formula tends to")
        if given[0] != "tends" and (self.to is not None or self.toward is not None):
            raise ValueError(f"{'toward' if self.to is None else 'to'} belongs to tends, not to {given[0]}")
        if given[0] == "counted":
            self._counted()
        else:
            stray = [n for n in _COUNTED_ONLY if getattr(self, n) is not None]
            if stray:
                raise ValueError(f"{stray[0]} belongs to counted, not to {given[0]}")
        return self

    def _counted(self) -> None:
        """What a counted formula needs, and what does not go with it."""
        if self.by is None:
            raise ValueError("counted needs by: the kernel that is counted")
        if self.with_ is not None or self.range is not None:
            raise ValueError(f"{'range' if self.with_ is None else 'with'} does not go with counted")
        if self.leaves_out is not None and (self.because is None or self.vanishes_with is None):
            raise ValueError("leaves_out needs because: where it comes from, and vanishes_with: a symbol")
        if self.leaves_out is None and self.vanishes_with is not None:
            raise ValueError("vanishes_with needs leaves_out: the part of the count that vanishes")
        if self.operations is not None and (self.of is not None or self.traffic is not None):
            raise ValueError("operations are of a formula in flop, of and traffic of one in byte: say one of the two")


class HardwareParameter(Strict):
    """A quantity of the hardware that moves this class's cost."""

    parameter: HardwareField
    """Field of the accelerators: `shared_memory.size`."""
    effect: ProseLine
    """What it does to this class."""
    basis: Literal["recorded", "derived", "measured", "unverified"]
    """How the effect is known."""
    source: SourceId | None = None
    """Where the effect can be read."""
    values_for: list[Line] = []
    """Ids of accelerators; their values are looked up, never typed."""


class Scaling(Strict):
    """How a formula grows with a symbol or quantity; checked against the formula."""

    symbol: Symbol
    """Symbol of the class or quantity of the model."""
    of: Symbol
    """Name of a formula of the class."""
    order: Annotated[int, Field(ge=-8, le=8)]
    """Exponent: doubling the symbol multiplies the formula by two to this power."""
    note: ProseLine | None = None
    """What follows from it."""


class Workaround(Strict):
    """What engineers do about it."""

    what: ProseLine
    """The technique."""
    moves: Line
    """Which formula or quantity it moves: `bytes`, `flops`, `peak`."""
    effect: ProseLine | None = None
    """How it moves it."""
    source: SourceId
    """Where it is described."""
    at: Line | None = None
    """Where in the source."""


class Workload(Record):
    """A workload class."""

    schema_: Annotated[Literal["class/1"], Field(alias="schema")]
    """Kind and version of the record."""
    phase: Literal["prefill", "decode", "training", "communication", "host", "any"]
    """When it happens."""
    part_of: Annotated[list[Whole], Field(max_length=4)] = []
    """The totals that this class is one of the disjoint parts of; a scenario adds them up. Empty for an alternative or an
    analysis."""
    covers: Annotated[list[Work], Field(max_length=20)] = []
    """Which work of those totals its formulas count; no two parts count the same work of a layer."""
    applies_to: AppliesTo | None = None
    """The layers that it counts in; left out, all of them. A formula `per: layer` is nothing in any other layer."""
    over: Degree = "tensor"
    """Which accelerators its symbol `devices` counts."""
    path: Literal["tensor", "vector"] = "tensor"
    """Which units do its operations: the matrix units, or the rest."""
    assumes: ProseLine | None = None
    """What its costs take for granted where it could be otherwise; a scenario says it beside them."""
    k: Literal[1000, 1024] | None = None
    """What `k` means in lengths of this record's prose."""
    symbols: dict[Symbol, SymbolDefinition] = {}
    """Symbols of the formulas."""
    formulas: dict[Symbol, ClassFormula] = {}
    """Formulas by name."""
    properties: list[Property] = []
    """What must hold for the formulas at every point."""
    hardware_parameters: list[HardwareParameter] = []
    """Quantities of the hardware that move the cost of this class."""
    scales_with: list[Scaling] = []
    """How the formulas grow with their symbols."""
    workarounds: list[Workaround] = []
    """What engineers do about the cost, and what each moves."""
    measured: Annotated[list[Measurement], Field(max_length=200)] = []
    """Published measurements, each held against its bound."""

    @model_validator(mode="after")
    def _names(self) -> Workload:
        both = sorted(set(self.symbols) & set(self.formulas))
        if both:
            raise ValueError(f"{both[0]} is both a symbol and a formula: rename one")
        if self.applies_to is not None:
            bare = [name for name, f in self.formulas.items() if f.per == "layer" and f.unit is None]
            if bare:
                raise ValueError(f"{bare[0]} needs unit: it is nothing in the layers that the class does not apply to")
        if self.part_of:
            self._part()
        elif self.covers:
            raise ValueError("covers needs part_of: the totals in which the work is counted")
        return self

    def _part(self) -> None:
        """What the part of a total must define."""
        said: tuple[tuple[str, list[str]], ...] = (("part_of", [*self.part_of]), ("covers", [*self.covers]))
        for field, entries in said:
            twice = [entry for entry in entries if entries.count(entry) > 1]
            if twice:
                raise ValueError(f"{field} names {twice[0]} twice")
        if not self.covers:
            raise ValueError("part_of needs covers: the work that the class counts")
        memory = next((whole for whole in self.part_of if whole in MEMORIES), None)
        if memory and len(self.part_of) > 1:
            raise ValueError("a part of memory is part of nothing else: its formulas are other ones")
        wanted = tuple(f"resident_{kind}" for kind in MEMORIES[memory]) if memory else tuple(COSTS)
        given = [name for name in wanted if name in self.formulas]
        if not given:
            raise ValueError(f"a part defines at least one of the formulas {', '.join(wanted)}")
        resident = {word for word in self.covers if word in RESIDENT.values()}
        if resident != ({RESIDENT[name] for name in given} if memory else set()) or (
            memory and len(self.covers) > len(resident)
        ):
            words = [RESIDENT[name] for name in given] if memory else ["the work of a step"]
            raise ValueError(f"this part covers {', '.join(words)}, and nothing else")
        for name in given:
            self._cost(name, None if memory else COSTS[name])
        if "training" in self.part_of and not ONCE_A_STEP.issuperset(self.covers):
            for name in given:
                if BACKWARD + name not in self.formulas:
                    raise ValueError(f"a part of training needs {BACKWARD}{name}: what its backward pass takes")
        for name, time in COSTS.items():
            if BACKWARD + name in self.formulas and name in self.formulas:
                self._cost(BACKWARD + name, BACKWARD + time)
                if self.formulas[BACKWARD + name].per != self.formulas[name].per:
                    raise ValueError(f"{BACKWARD}{name} and {name} are both per: layer, or neither is")

    def _cost(self, name: str, time: str | None) -> None:
        """One cost of a part, and the formula of its time."""
        formula = self.formulas[name]
        if formula.unit is None:
            raise ValueError(f"{name} needs unit: a part is added to others")
        if time is None:
            return
        if time not in self.formulas:
            raise ValueError(f"{name} needs the formula {time}: the time that it takes")
        if self.formulas[time].unit is None:
            raise ValueError(f"{time} needs unit: s")
        if self.formulas[time].per != formula.per:
            raise ValueError(f"{time} and {name} are both per: layer, or neither is")


__all__ = ["Expression", "RecordReference", "Workload"]
