"""The knowledge base for programs: typed records, single values with their inputs, and SQL.

>>> import ridgeline
>>> base = ridgeline.open()
>>> base.get("accelerators/nvidia-h100-sxm", "ridge.bf16").printed  # doctest: +SKIP
'295.3 flop/byte'
>>> step = base.scenario("llama-3.1-70b", "nvidia-h100-sxm", context=8192, batch=64, count=8).step  # doctest: +SKIP
>>> float(step.overlapped.quantity)  # seconds, at least  # doctest: +SKIP
0.0118...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ridgeline.figures.printing import show
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity
from ridgeline.formulas.quantity import Quantity
from ridgeline.knowledge.base import RECORDS
from ridgeline.knowledge.derivation import Derivation, Given
from ridgeline.lookup import Lookup, NotFound
from ridgeline.numbers.units import Dimension, describe
from ridgeline.packaged import DATABASE, FOLDER, SCHEMAS
from ridgeline.records.common import Quantity as Recorded
from ridgeline.records.common import Record
from ridgeline.records.walk import dotted
from ridgeline.scenario.setting import ScenarioError

if TYPE_CHECKING:
    from ridgeline.scenario.outcome import Outcome
    from ridgeline.scenario.setting import Phase, Recompute, Shard
    from ridgeline.scenario.sweep import Point
    from ridgeline.store.queries import Answer, Parameters


class NoKnowledge(Exception):
    """There is no knowledge base where one was looked for; the message says what to do."""


class Contested(Exception):
    """In strict mode: sources state different values for what was asked, or for something that it follows from.

    ``value`` is what would have been returned; ``value.contested`` names the claims.
    """

    def __init__(self, value: Value):
        self.value = value
        told = "; ".join(
            f"{c.record} {c.field}: {', '.join(c.claims)} (used: {c.used})" for c in value.contested[:4]
        )  # fmt: skip
        more = f"; and {len(value.contested) - 4} more" if len(value.contested) > 4 else ""
        super().__init__(f"{value.label} rests on contested values: {told}{more}")


@dataclass(frozen=True, slots=True)
class Input:
    """A recorded value that a result follows from. ``field`` is its dotted path in the record's file."""

    record: str
    field: str
    printed: str
    basis: str
    source: str
    at: str
    checked: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A quantity for which sources state different values: what each says, and which one is used."""

    record: str
    field: str
    claims: tuple[str, ...]
    used: str


@dataclass(frozen=True, slots=True)
class Value:
    """A value, exact: between ``low`` and ``high``, which are equal but for roots and logarithms.

    In base units, which ``unit`` names (``flop/byte``, ``byte/s``); ``printed`` is for people, in the unit of the record.
    """

    label: str
    low: Fraction
    high: Fraction
    unit: str
    printed: str
    inputs: tuple[Input, ...]
    contested: tuple[Disagreement, ...]

    @property
    def exact(self) -> Fraction:
        """The value where it is known exactly. Raises ``ValueError`` where only its ends are."""
        if self.low != self.high:
            raise ValueError(f"{self.label} lies between {float(self.low)} and {float(self.high)}: see low and high")
        return self.low

    def __float__(self) -> float:
        return float((self.low + self.high) / 2)

    def __str__(self) -> str:
        return self.printed


class Base:
    """A knowledge base, opened for reading. Records are read when they are first asked for.

    With ``strict``, :meth:`get` and :meth:`eval` raise :class:`Contested` where sources disagree about an input, instead
    of using the preferred claim.
    """

    def __init__(self, root: Path, *, strict: bool = False):
        self.root = root
        self.strict = strict
        self._lookup = Lookup(root)

    def records(self, kind: str | None = None) -> Iterator[Record]:
        """All records that can be read, or those of one kind (``accelerator``), as their pydantic types."""
        for entry in self._lookup.knowledge.entries.values():
            if entry.record is not None and kind in (None, entry.kind):
                yield entry.record

    def references(self) -> list[str]:
        """The reference of each record: ``accelerators/nvidia-h100-sxm``."""
        return list(self._lookup.knowledge.entries)

    def record(self, reference: str) -> Record:
        """One record, by reference, by an id that stands once, or by an id that it had before. Raises :class:`NotFound`."""
        found = self._lookup.knowledge.entries[self._lookup.reference(reference)].record
        assert found is not None  # reference() refuses what cannot be read
        return found

    def get(self, record: str, field: str, **symbols: str | int) -> Value:
        """A quantity by its name in formulas or its path in the file; ``symbols`` sets some: ``batch=8, format="fp8"``.

        Raises :class:`NotFound` for an unknown record, ``FormulaError`` for an unknown quantity or one that nobody has
        verified, and :class:`Contested` in strict mode.
        """
        return self._value(self._lookup.get(record, field, {name: str(text) for name, text in symbols.items()}))

    def eval(self, expression: str, *, workload: str | None = None, **subjects: str) -> Value:
        """An expression of the formula language, with the formulas of a class and records under aliases in scope.

        ``base.eval("L_ridge(h100, bf16, g=4)", workload="prefill-attention", h100="accelerators/nvidia-h100-sxm")``.
        """
        return self._value(self._lookup.evaluate(expression, workload, subjects, {}))

    def scenario(
        self,
        model: str,
        accelerator: str,
        *,
        context: int,
        phase: Phase = "decode",
        batch: int = 1,
        count: int = 1,
        tensor: int | None = None,
        pipeline: int = 1,
        expert: int = 1,
        data: int = 1,
        weights: str = "bf16",
        experts: str | None = None,
        activations: str = "bf16",
        cache: str = "bf16",
        compute: str | None = None,
        reserve: str | None = None,
        link_rate: str | None = None,
        micro_batch: int | None = None,
        recompute: Recompute = "nothing",
        shard: Shard | None = None,
        gradients: str | None = None,
    ) -> Outcome:
        """Bounds on a step of a model on accelerators: what each part takes, what binds it, and what stands in memory.

        ``context`` is in tokens, ``batch`` in sequences of the whole deployment, the degrees in accelerators, of which
        ``count`` are ``tensor`` × ``pipeline`` × ``data``; ``reserve`` (``"4 GiB"``) and ``link_rate`` (``"50 GB/s"``) are
        texts with their unit; formats and records are named by id. ``Setting`` says what each means. Values are exact,
        in seconds, tokens per second, bytes and operations:

        ``base.scenario("llama-3.1-70b", "nvidia-h100-sxm", context=8192, batch=64, count=8).step.overlapped.quantity.value``

        ``step`` is ``None`` where no time of any part is known. Raises :class:`ScenarioError` for what cannot be.
        """
        from ridgeline.scenario import Setting, run

        setting = Setting(
            model, accelerator, phase, context, batch, count, tensor, pipeline, expert, data, weights, experts, activations,
            cache, compute, reserve, link_rate, micro_batch, recompute, shard, gradients,
        )  # fmt: skip
        return run(self._lookup, setting)

    def sweep(self, **axes: str | int | Sequence[str | int | None] | None) -> Iterator[Point]:
        """A scenario for every combination of some values, one after the other; the last axis runs fastest.

        Axes are those of :meth:`scenario`, each a value or a sequence of values: ``base.sweep(model="llama-3.1-70b",
        accelerator=["nvidia-h100-sxm", "nvidia-h200-sxm"], context=range(1024, 9000, 1024), count=8)``. A point that
        cannot be says why in ``refused``, and has no ``outcome``. Raises :class:`ScenarioError` for an unknown axis, and
        for more points than one sweep may have.
        """
        from ridgeline.scenario.sweep import grid, sweep

        return sweep(self._lookup, grid({"phase": "decode"} | axes).settings)

    def query(self, question: str, parameters: Parameters = ()) -> Answer:
        """A named view or one ``SELECT`` on the database. Raises :class:`NoKnowledge` where it has not been loaded."""
        from ridgeline.store.queries import query

        return query(self.database, question, parameters)

    @property
    def database(self) -> Path:
        """The SQLite file: the package's own, or what ``ridgeline load`` made in a repository."""
        for path in (self.root / DATABASE, self.root / "build" / DATABASE):
            if path.is_file():
                return path
        raise NoKnowledge(f"there is no database below {self.root}: run ridgeline load first")

    @property
    def schemas(self) -> Path:
        """The folder of the JSON Schemas."""
        return self.root / SCHEMAS

    def _value(self, derivation: Derivation) -> Value:
        quantity = derivation.quantity
        given = [leaf.given for leaf in derivation.inputs() if leaf.given is not None]
        value = Value(
            label=derivation.label,
            low=quantity.low,
            high=quantity.high,
            unit=describe(quantity.dimension),
            printed=show(quantity, derivation.unit),
            inputs=tuple(Input(g.record, g.field, g.text, g.basis, g.source, g.at, g.checked) for g in given),
            contested=tuple(d for g in given if (d := self._disagreement(g)) is not None),
        )
        if self.strict and value.contested:
            raise Contested(value)
        return value

    def _disagreement(self, given: Given) -> Disagreement | None:
        """What sources say of an input, where they do not all say the same."""
        field, marked, _ = given.field.partition(".claims.")
        if not marked:
            return None
        entry = self._lookup.knowledge.entries[given.record]
        stated = next((i.value for i in entry.items if i.what == "quantity" and dotted(i.path) == field), None)
        if not isinstance(stated, Recorded) or stated.claims is None:
            return None
        # What a source says of a pair of boards contradicts nothing that is said of one.
        own = (None, getattr(entry.record, "scope", None))
        claims = [claim for claim in stated.claims if getattr(claim, "scope", None) in own]
        if _agree([claim.value for claim in claims]):
            return None
        return Disagreement(given.record, field, tuple(f"{c.value} ({c.source})" for c in claims), given.text)


def _agree(texts: Sequence[str]) -> bool:
    """Whether one value can be behind all that is printed: 3 TB/s, 3000 GB/s and 2996 GB/s differ by rounding alone."""
    read = [_read(text) for text in texts]
    printed = [r for r in read if r is not None]
    if len(printed) < len(read):
        # A text that cannot be read stands for itself.
        return len({" ".join(text.split()) for text in texts}) == 1
    same = len({dimension for dimension, _, _ in printed}) <= 1
    return same and max((low for _, low, _ in printed), default=0) <= min((high for _, _, high in printed), default=0)


def _read(text: str) -> tuple[Dimension, Fraction, Fraction] | None:
    """What a claim can mean as it is printed: half a step of the last digit on either side, in base units."""
    try:
        number, unit, printed = parse_quantity(text)
    except FormulaError:
        return None
    digits, _, exponent = printed.lower().partition("e")
    half = Fraction(10) ** (int(exponent or 0) - len(digits.partition(".")[2])) / 2
    middle, slack = Quantity.of(number, unit), Quantity.of(half, unit)
    return middle.dimension, middle.low - slack.high, middle.high + slack.high


def root() -> Path:
    """The knowledge base beside this program: the package's own, or the repository that an editable install points to."""
    package = Path(__file__).resolve().parent
    for folder in (package / FOLDER, package.parents[1]):
        if (folder / RECORDS).is_dir():
            return folder
    raise NoKnowledge("this installation carries no records: name a folder that holds records/")


def opened(folder: Path | str | None = None, *, strict: bool = False) -> Base:
    """The knowledge base of a folder that holds ``records/``, or the one that the program came with."""
    if folder is None:
        return Base(root(), strict=strict)
    given = Path(folder)
    if not (given / RECORDS).is_dir():
        if (given / DATABASE).is_file():
            raise NoKnowledge(
                f"{given} holds a database and no {RECORDS}/, from which values and scenarios are computed: put {RECORDS}/ beside "
                "it, or leave the folder out to use what this installation carries"
            )
        raise NoKnowledge(f"{given} holds no {RECORDS}/: name the folder above it")
    return Base(given, strict=strict)


__all__ = [
    "Base",
    "Contested",
    "Disagreement",
    "Input",
    "NoKnowledge",
    "NotFound",
    "ScenarioError",
    "Value",
    "opened",
    "root",
]
