"""What a kernel of the closed list is: its sizes, the small values at which it is tried, the tensors that it moves."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ridgeline.counting.attention import Run
from ridgeline.counting.names import KernelName

_MULTIPLES = tuple(Fraction(n) for n in (1, 2, 3))
#: Orders of the small values of a size that are tried for one that no other size has.
_ORDERS = 20
_BYTES = tuple(Fraction(n) for n in ("1/2", "1", "2", "4", "17/32"))


@dataclass(frozen=True, slots=True)
class Size:
    """A size of a kernel.

    ``small`` are the values at which it is tried. ``optional`` sizes are one where the formula that is tried does not
    read them.
    """

    name: str
    means: str
    small: tuple[Fraction, ...]
    unit: Literal["1", "byte"] = "1"
    optional: bool = False


def count(name: str, means: str, least: int, most: int, *, optional: bool = False) -> Size:
    """A size that counts something, tried from ``least`` to ``most``."""
    return Size(name, means, tuple(Fraction(n) for n in range(least, most + 1)), optional=optional)


def element(name: str, means: str) -> Size:
    """A size in bytes of an element, fractions among them."""
    return Size(name, means, _BYTES, "byte")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A reference implementation: ``sizes`` by name, ``tensors`` that it moves, and the function that runs it."""

    name: KernelName
    title: str
    run: Run
    sizes: Mapping[str, Size]
    tensors: tuple[str, ...]

    def draw(
        self, number: int, seed: str, *, with_: frozenset[str] = frozenset(), multiples: Mapping[str, str] | None = None
    ) -> list[dict[str, Fraction]]:
        """So many small points, the same for the same seed.

        ``with_`` names optional sizes to vary. ``multiples`` says which size is tried at multiples of which other. Each
        size takes all of its small values before it takes one again, in an order of its own, so that few points tell
        formulas apart.
        """
        source = random.Random(f"{self.name} {seed}")
        left: dict[str, list[Fraction]] = {name: [] for name in self.sizes}

        def take(name: str, values: tuple[Fraction, ...]) -> Fraction:
            if not left[name]:
                for _ in range(_ORDERS):
                    left[name] = source.sample(values, len(values))
                    # Two sizes in the same order would have the same value at every point.
                    if left[name][:-1] not in [others for other, others in left.items() if other != name]:
                        break
            return left[name].pop()

        points = []
        for _ in range(number):
            point: dict[str, Fraction] = {}
            for name, size in self.sizes.items():
                skipped = size.optional and name not in with_
                values = _MULTIPLES if name in (multiples or {}) else size.small
                point[name] = Fraction(1) if skipped else take(name, values)
            for name, base in (multiples or {}).items():
                point[name] *= point[base]
            if "n_q" in point and "n_kv" in point:
                point["n_q"] *= point["n_kv"]
            points.append(point)
        return points


def kernel(name: KernelName, function: Run, sizes: tuple[Size, ...], tensors: tuple[str, ...], title: str) -> Kernel:
    """A kernel, its sizes by name."""
    return Kernel(name, title, function, {s.name: s for s in sizes}, tensors)
