"""What is usual among others, found without going through the others of each."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from ridgeline.rules.band import Band, Kind, band, fences, outside


def directly(values: list[tuple[Kind, str, str, Fraction]]) -> dict[tuple[Kind, str, str], Band]:
    """The same by leaving out one after the other."""
    found: dict[tuple[Kind, str, str], Band] = {}
    for kind, group, reference, value in values:
        members = [v for v in values if v[:2] == (kind, group)]
        limits = fences(kind, len(members))
        others = [v[3] for v in members if v[2] != reference]
        if len(others) >= limits.count:
            usual = band(others, least=limits.least, power=limits.power)
            if not usual.holds(value):
                found[kind, group, reference] = usual
    return found


@pytest.mark.parametrize("seed", range(40))
def test_leaving_one_out_is_what_it_says(seed: int) -> None:
    chance = random.Random(seed)
    kinds: tuple[Kind, ...] = ("ridge", "pin", "sweep")
    values = [
        (
            chance.choice(kinds),
            chance.choice("ab"),
            f"accelerators/{number}",
            Fraction(chance.choice((1, 2, 3, 100, 10**6, 10**400)) * chance.randint(1, 5), chance.randint(1, 4)),
        )
        for number in range(chance.randrange(40))
    ]
    if seed % 3 == 0:
        # A record may have several values in a group.
        values += [(k, g, r, v * 7) for k, g, r, v in values[:3]]
    assert dict(outside(values)) == directly(values)


def test_hardly_any_others_say_nothing() -> None:
    few: list[tuple[Kind, str, str, Fraction]] = [("ridge", "bf16", f"r{n}", Fraction(10**n)) for n in range(5)]
    assert list(outside(few)) == []
    assert list(outside([("pin", "hbm", "r", Fraction(1))])) == []
