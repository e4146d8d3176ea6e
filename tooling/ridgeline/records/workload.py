"""Workload classes: what a kind of work computes and moves, as formulas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from ridgeline.counting.names import KernelName, Operation, Traffic
from ridgeline.records.common import (
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
    def kind(self) -> Literal["rises", "falls", "within", "counted"]:
        """Which of the four it is."""
        if self.rises is not None:
            return "rises"
        if self.falls is not None:
            return "falls"
        return "within" if self.within is not None else "counted"

    @property
    def formula(self) -> str:
        """The formula that it is about."""
        return self.rises or self.falls or self.within or self.counted or ""

    @model_validator(mode="after")
    def _one(self) -> Property:
        given = [n for n in ("rises", "falls", "within", "counted") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError("say exactly one of rises, falls, within and counted")
        if given[0] == "within" and self.range is None:
            raise ValueError("within needs range: [lowest, highest]")
        if given[0] in ("rises", "falls") and self.with_ is None:
            raise ValueError(f"{given[0]} needs with: the symbol")
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

    @model_validator(mode="after")
    def _names(self) -> Workload:
        both = sorted(set(self.symbols) & set(self.formulas))
        if both:
            raise ValueError(f"{both[0]} is both a symbol and a formula: rename one")
        return self


__all__ = ["Expression", "RecordReference", "Workload"]
