"""What a scenario is asked for, and how its accelerators share the work."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ridgeline.records.workload import Degree

Phase = Literal["prefill", "decode", "training"]
#: What training computes again in the backward pass: nothing, or all of each layer but its input.
Recompute = Literal["nothing", "layers"]
#: What the replicas of a model in training divide among them, each with all that stands before it.
Shard = Literal["nothing", "states", "gradients", "weights"]
PHASES: tuple[Phase, ...] = ("prefill", "decode", "training")
RECOMPUTE: tuple[Recompute, ...] = ("nothing", "layers")
SHARDS: tuple[Shard, ...] = ("nothing", "states", "gradients", "weights")
#: More than anyone has, and few enough that no product of them is long.
_MOST = {"batch": 10**9, "context": 10**12, "accelerators": 10**6}


class ScenarioError(Exception):
    """A scenario that cannot be: the message says why, and what can be instead."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A model, accelerators and how they share it, number formats, and the work of one step.

    Records are given as ids (``llama-3.1-70b``) or as ``folder/id``. ``count`` accelerators are ``tensor`` × ``pipeline``
    × ``data``; ``tensor`` is what is left over where it is not given. ``expert`` is over how many of the tensor × data
    accelerators of a stage the routed experts are spread. ``batch`` counts the sequences of the whole deployment;
    ``context`` is, in decode, the tokens that each new token sees, in prefill the tokens of each prompt, in training those
    of each sequence. ``compute`` is the format of the matrix units, that of the activations where it is not given;
    ``reserve`` (``4 GiB``) what the runtime keeps of each memory; ``link_rate`` (``50 GB/s``) replaces the rate of an
    accelerator's links to its peers.

    Of training alone: ``micro_batch`` sequences of a replica pass the stages at once (one, where it is not given);
    ``recompute`` says what of the forward pass the backward pass does again; ``shard`` what the replicas divide among them
    (``states`` of the optimiser, where it is not given); ``gradients`` is their number format (``bf16``).
    """

    model: str
    accelerator: str
    phase: Phase
    context: int
    batch: int = 1
    count: int = 1
    tensor: int | None = None
    pipeline: int = 1
    expert: int = 1
    data: int = 1
    weights: str = "bf16"
    experts: str | None = None
    activations: str = "bf16"
    cache: str = "bf16"
    compute: str | None = None
    reserve: str | None = None
    link_rate: str | None = None
    micro_batch: int | None = None
    recompute: Recompute = "nothing"
    shard: Shard | None = None
    gradients: str | None = None

    @property
    def training(self) -> bool:
        """Whether a step has a backward pass."""
        return self.phase == "training"

    def sharded(self, what: Shard) -> int:
        """Whether the replicas divide this among them: 1 or 0."""
        return int(SHARDS.index(self.shard or "states") >= SHARDS.index(what))


@dataclass(frozen=True, slots=True)
class Share:
    """One group of accelerators that works together: how many, on how many sequences at once, how often in a step."""

    devices: int
    batch: int
    groups: int


@dataclass(frozen=True, slots=True)
class Deployment:
    """The degrees of a setting, checked, and the groups that they make.

    A step takes every sequence one token (in prefill one prompt) further. The sequences of a replica pass the stages of
    a pipeline in as many micro-batches as there are stages, so that all stages are busy; a micro-batch is in one stage
    at a time. In training the micro-batches are as large as the setting says.
    """

    tensor: int
    pipeline: int
    expert: int
    data: int
    batch: int
    micro_batches: int

    @property
    def count(self) -> int:
        """All accelerators."""
        return self.tensor * self.pipeline * self.data

    @property
    def replica_batch(self) -> int:
        """Sequences of one replica."""
        return self.batch // self.data

    @property
    def at_once(self) -> int:
        """Sequences of a micro-batch."""
        return self.replica_batch // self.micro_batches

    @property
    def rounds(self) -> Fraction:
        """How often a stage is busy for as long as a micro-batch takes through all of them; once at least."""
        return Fraction(max(self.micro_batches, self.pipeline), self.pipeline)

    @property
    def idle(self) -> Fraction:
        """Share of the time of a step that ends with an empty pipeline in which a stage waits, as it fills and empties."""
        return Fraction(self.pipeline - 1, self.micro_batches + self.pipeline - 1)

    def degree(self, over: Degree) -> int:
        """One degree by name."""
        return {"tensor": self.tensor, "expert": self.expert, "pipeline": self.pipeline, "data": self.data}[over]

    def active(self, over: Degree) -> bool:
        """Whether anything travels between the accelerators of a degree.

        Experts that are spread within one tensor-parallel group need no exchange: each of its accelerators has all of the
        group's tokens.
        """
        return self.expert > self.tensor if over == "expert" else self.degree(over) > 1

    def share(self, over: Degree) -> Share:
        """The group that the symbol ``devices`` of a class counts.

        A stage hands all micro-batches on in a step, and replicas meet once in it.
        """
        if over == "expert":
            wide = max(self.expert, self.tensor)
            return Share(wide, self.at_once * wide // self.tensor, self.data * self.tensor // wide * self.micro_batches)
        if over == "pipeline":
            return Share(self.pipeline, self.replica_batch, self.data)
        if over == "data":
            return Share(self.data, self.batch, 1)
        return Share(self.tensor, self.at_once, self.data * self.micro_batches)

    def repeats(self, over: Degree) -> Fraction:
        """How often an accelerator does its share of the work of a group in a step."""
        return self.rounds if over in ("tensor", "expert") else Fraction(1)


def deployment(setting: Setting) -> Deployment:
    """The deployment of a setting. Raises :class:`ScenarioError` where its numbers do not go together."""
    for what, value, most in (
        ("batch", setting.batch, _MOST["batch"]),
        ("context", setting.context, _MOST["context"]),
        ("micro-batch", 1 if setting.micro_batch is None else setting.micro_batch, _MOST["batch"]),
        *((name, getattr(setting, name), _MOST["accelerators"]) for name in ("count", "pipeline", "expert", "data")),
        ("tensor", 1 if setting.tensor is None else setting.tensor, _MOST["accelerators"]),
    ):
        if not 1 <= value <= most:
            raise ScenarioError(f"{what} {value:,}: at least 1 and at most {most:,}")
    _phase(setting)
    tensor = _tensor(setting)
    if (tensor * setting.data) % setting.expert:
        raise ScenarioError(
            f"the experts cannot be spread over {setting.expert} of the {tensor * setting.data} accelerators of a stage "
            f"(tensor {tensor} × data {setting.data}): expert must divide their number"
        )
    if setting.expert % tensor and tensor % setting.expert:
        raise ScenarioError(f"expert {setting.expert} and tensor {tensor}: one must be a multiple of the other")
    if setting.batch % setting.data:
        raise ScenarioError(
            f"{_many(setting.batch, 'sequence')} cannot be split evenly among {setting.data} replicas: "
            f"make batch a multiple of {setting.data}"
        )
    micro = _micro_batches(setting, setting.batch // setting.data)
    return Deployment(tensor, setting.pipeline, setting.expert, setting.data, setting.batch, micro)


def _phase(setting: Setting) -> None:
    """Words that mean something, and what belongs to training said of nothing else."""
    for what, word, known in (
        ("phase", setting.phase, PHASES),
        ("recompute", setting.recompute, RECOMPUTE),
        ("shard", setting.shard or SHARDS[0], SHARDS),
    ):
        if word not in known:
            raise ScenarioError(f"{what} {word}: write {', '.join(known[:-1])} or {known[-1]}")
    given = {"micro-batch": setting.micro_batch, "shard": setting.shard, "gradients": setting.gradients}
    if setting.recompute != "nothing":
        given["recompute"] = setting.recompute
    stray = [name for name, value in given.items() if value is not None]
    if stray and not setting.training:
        raise ScenarioError(f"{stray[0]} belongs to training: leave it out of {setting.phase}")


def _micro_batches(setting: Setting, replica: int) -> int:
    """The parts that the sequences of a replica pass the pipeline in."""
    if setting.training:
        size = setting.micro_batch or 1
        if replica % size:
            raise ScenarioError(
                f"{_many(replica, 'sequence')} of a replica cannot be split into micro-batches of {size}: "
                f"make batch a multiple of {setting.data * size}"
            )
        return replica // size
    micro = min(setting.pipeline, replica)
    if replica % micro:
        raise ScenarioError(
            f"{_many(replica, 'sequence')} of a replica cannot be split evenly into {micro} micro-batches, one for each "
            f"stage of the pipeline: make batch a multiple of {setting.data * micro}"
        )
    return micro


def _tensor(setting: Setting) -> int:
    """The tensor degree that is given, or what pipeline and data leave over."""
    others = setting.pipeline * setting.data
    if setting.tensor is None:
        if setting.count % others:
            raise ScenarioError(
                f"{_many(setting.count, 'accelerator')} cannot be split evenly into pipeline {setting.pipeline} × data "
                f"{setting.data}: count must be a multiple of {others}"
            )
        return setting.count // others
    if setting.tensor * others != setting.count:
        raise ScenarioError(
            f"tensor {setting.tensor} × pipeline {setting.pipeline} × data {setting.data} are {setting.tensor * others} "
            f"accelerators, not {setting.count}: change one of them, or count"
        )
    return setting.tensor


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
