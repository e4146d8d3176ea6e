"""What a scenario is asked for, and how its accelerators share the work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ridgeline.records.workload import Degree

Phase = Literal["prefill", "decode"]
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
    ``context`` is, in decode, the tokens that each new token sees, in prefill the tokens of each prompt. ``compute`` is
    the format of the matrix units, that of the activations where it is not given; ``reserve`` (``4 GiB``) what the
    runtime keeps of each memory; ``link_rate`` (``50 GB/s``) replaces the rate of an accelerator's links to its peers.
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
    at a time.
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
        """The group that the symbol ``devices`` of a class counts."""
        at_once = self.replica_batch // self.micro_batches
        if over == "expert":
            wide = max(self.expert, self.tensor)
            return Share(wide, at_once * wide // self.tensor, self.data * self.tensor // wide * self.micro_batches)
        return Share(self.degree(over), at_once, self.data * self.micro_batches)


def deployment(setting: Setting) -> Deployment:
    """The deployment of a setting. Raises :class:`ScenarioError` where its numbers do not go together."""
    for what, value, most in (
        ("batch", setting.batch, _MOST["batch"]),
        ("context", setting.context, _MOST["context"]),
        *((name, getattr(setting, name), _MOST["accelerators"]) for name in ("count", "pipeline", "expert", "data")),
        ("tensor", 1 if setting.tensor is None else setting.tensor, _MOST["accelerators"]),
    ):
        if not 1 <= value <= most:
            raise ScenarioError(f"{what} {value:,}: at least 1 and at most {most:,}")
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
    replica = setting.batch // setting.data
    micro = min(setting.pipeline, replica)
    if replica % micro:
        raise ScenarioError(
            f"{_many(replica, 'sequence')} of a replica cannot be split evenly into {micro} micro-batches, one for each "
            f"stage of the pipeline: make batch a multiple of {setting.data * micro}"
        )
    return Deployment(tensor, setting.pipeline, setting.expert, setting.data, setting.batch, micro)


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
