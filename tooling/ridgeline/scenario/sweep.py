"""A grid of scenarios: every combination of some values of a setting, each with what binds it and what it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from itertools import product
from math import prod

from ridgeline.knowledge.resolve import Resolver
from ridgeline.lookup import Lookup
from ridgeline.scenario.outcome import Outcome, run
from ridgeline.scenario.setting import ScenarioError, Setting

#: Points of one grid: minutes of work.
MOST = 10_000
#: What a resolver has worked out is kept for so many points, and then dropped: memory stays bounded.
_KEPT = 200

Value = str | int | None


@dataclass(frozen=True)
class Point:
    """One setting of a grid with its outcome, or with why there can be none."""

    setting: Setting
    outcome: Outcome | None
    refused: str = ""


@dataclass(frozen=True)
class Grid:
    """The axes of a sweep, each with its values, and all settings in the order in which the last axis runs fastest."""

    axes: dict[str, tuple[Value, ...]]
    settings: tuple[Setting, ...]

    @property
    def varying(self) -> tuple[str, ...]:
        """The axes with more than one value."""
        return tuple(name for name, values in self.axes.items() if len(values) > 1)


def grid(axes: Mapping[str, Value | Sequence[Value]]) -> Grid:
    """All combinations of the values of each field of :class:`Setting`; a single value is one of one.

    Raises :class:`ScenarioError` for an unknown or missing field, an axis without values, and more than ``MOST`` points.
    """
    known = [field.name for field in fields(Setting)]
    for name in axes:
        if name not in known:
            raise ScenarioError(f"a scenario has no {name}: it has {', '.join(known)}")
    for name in ("model", "accelerator", "phase", "context"):
        if name not in axes:
            raise ScenarioError(f"a sweep needs {name}")
    given = {name: _values(name, axes[name]) for name in known if name in axes}
    points = prod(len(values) for values in given.values())
    if points > MOST:
        sizes = " × ".join(f"{name} {len(values):,}" for name, values in given.items() if len(values) > 1)
        raise ScenarioError(f"{points:,} points ({sizes}): at most {MOST:,}; leave values out, or take larger steps")
    # Every field was checked above, and so was its name; their types are those of the axes.
    settings = (Setting(**dict(zip(given, point, strict=True))) for point in product(*given.values()))  # type: ignore[arg-type]
    return Grid(given, tuple(settings))


def _values(name: str, given: Value | Sequence[Value]) -> tuple[Value, ...]:
    values: tuple[Value, ...] = (given,) if given is None or isinstance(given, str | int) else tuple(given)
    if not values:
        raise ScenarioError(f"{name} has no value")
    return tuple(dict.fromkeys(values))


def sweep(lookup: Lookup, settings: Iterable[Setting]) -> Iterator[Point]:
    """The outcome of each setting, one after the other. A setting that cannot be is a point that says why."""
    kept = lookup
    for index, setting in enumerate(settings):
        if index % _KEPT == 0:
            kept = copy(lookup)
            kept.resolver = Resolver(lookup.knowledge)
        try:
            yield Point(setting, run(kept, setting))
        except ScenarioError as error:
            yield Point(setting, None, str(error))


# Ranges in short


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers as people write them: ``1,8,64``, ``1024..131072*2``, ``1..9+2``, ``1..4``, and these together.

    Thousands are not grouped by commas here, for those part the values; ``1_024`` may be written. Raises
    :class:`ScenarioError` for anything else, and for more than ``MOST`` numbers.
    """
    found: list[int] = []
    for part in text.split(","):
        first, dots, rest = part.strip().partition("..")
        if not dots:
            found.append(_whole(first))
            continue
        sign = next((s for s in "*+" if s in rest), "")
        last, _, step = rest.partition(sign) if sign else (rest, "", "1")
        found += _range(part.strip(), _whole(first), _whole(last), sign or "+", _whole(step))
        if len(found) > MOST:
            break
    if len(found) > MOST:
        raise ScenarioError(f"{text}: more than {MOST:,} numbers")
    return tuple(found)


def _range(text: str, first: int, last: int, sign: str, step: int) -> Iterator[int]:
    if last < first:
        raise ScenarioError(f"{text} runs backwards: write the smaller number first")
    if step < (2 if sign == "*" else 1) or (sign == "*" and not first):
        raise ScenarioError(f"{text} never ends: write {first}..{last}*2, or {first}..{last}+1")
    number = first
    for _ in range(MOST + 1):
        if number > last:
            return
        yield number
        number = number * step if sign == "*" else number + step


def _whole(text: str) -> int:
    plain = text.strip().replace("_", "")
    if not plain.isascii() or not plain.isdigit() or len(plain) > 18:
        raise ScenarioError(f"{text.strip() or 'nothing'} is not a whole number: write 1,8,64 or 1024..131072*2")
    return int(plain)
