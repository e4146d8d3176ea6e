"""Derivations that say the same under several names become one, so that a number has one page and all its uses on it.

The database keeps ``ridge.bf16`` of a record and ``h100.ridge.bf16`` in an expression apart, because their labels differ.
"""

from __future__ import annotations

from collections.abc import Mapping

from ridgeline.publish.content import Derivation


def representatives(derivations: Mapping[str, Derivation], named: frozenset[str]) -> dict[str, str]:
    """For each derivation the one that stands for it: a record's own quantity (``named``) before an expression."""
    keys: dict[str, object] = {}
    classes: dict[object, list[str]] = {}
    numbers: dict[object, int] = {}
    class_of: dict[str, int] = {}
    for start in derivations:
        stack = [start]
        while stack:
            current = stack[-1]
            if current in class_of:
                stack.pop()
                continue
            missing = [s.child for s in derivations[current].steps if s.child not in class_of]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            key = keys[current] = _key(derivations[current], class_of)
            class_of[current] = numbers.setdefault(key, len(numbers))
            classes.setdefault(key, []).append(current)

    def rank(identity: str) -> tuple[bool, int, str, str]:
        label = derivations[identity].label
        return identity not in named, len(label), label, identity

    best = {key: min(found, key=rank) for key, found in classes.items()}
    return {identity: best[keys[identity]] for identity in derivations}


def _key(d: Derivation, class_of: Mapping[str, int]) -> object:
    if d.formula is None and not d.steps:
        if d.given_record is not None:
            return "given", d.given_record, d.given_field
        return "set", d.label, d.exact, d.low, d.high, d.dimension
    steps = tuple((s.name, class_of[s.child]) for s in d.steps)
    # Without a formula (a root found by bisection) the label is all that says what the inputs were put into.
    return "formula", d.formula or d.label, steps, d.exact, d.low, d.high, d.dimension
