"""Rates of links, where the usual error is a factor of two: *NVLink 4 gives 900 GB/s in both directions together*.

A rate is right where it is one direction or both together of the link that is named, whichever the words say; without such
words either. It is wrong where the words say one and the number is the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ridgeline.audit.claim import Judgment, Status
from ridgeline.audit.lengths import clause_of
from ridgeline.audit.reading import Reading, Sentence, dimension
from ridgeline.audit.register import Mention, Register
from ridgeline.audit.weigh import weigh
from ridgeline.formulas.quantity import Quantity
from ridgeline.numbers.numeral import Numeral
from ridgeline.numbers.units import hard, parse_unit

_BY = "link"
_RATE = hard(parse_unit("byte/s").dimension)
#: Word in a text → how the name of such a link begins in formulas.
_KINDS = {
    "nvlink": re.compile(r"(?i)\bnv-?link|\bnvswitch"),
    "pcie": re.compile(r"(?i)\bpcie\b|\bpci[- ]express\b"),
    "infinity_fabric": re.compile(r"(?i)\binfinity fabric\b|\bxgmi\b"),
}
_ONE = re.compile(
    r"(?i)\b(?:per|each|one|a single|in each|every) (?:direction|way)\b|\bunidirectional\b|\bone-way\b|/direction\b"
)
_BOTH = re.compile(
    r"(?i)\bboth (?:directions|ways)\b|\bbi-?directional\w*\b|\baggregate\b|\btwo-way\b|\bin total\b|\btotal\b|\bfull[- ]duplex\b|\bcombined\b"
)
_MEASURED = re.compile(
    r"(?i)\b(?:measur\w*|achiev\w*|reach\w*|observ\w*|effective\w*|in practice|real-world|benchmark\w*|if|would|busbw|algbw|all-?reduce|"
    r"x[1248]\b|lanes?|per link|each link|a link|nodes?|rack|pair|two|four|eight)\b"
)


def judge(reading: Reading) -> None:
    """Every sentence that names a link."""
    if reading.resolver is None:
        return
    register = Register(reading.resolver)
    for sentence in reading.prose():
        text = reading.text(sentence)
        kind = [k for k, pattern in _KINDS.items() if pattern.search(text)]
        mentions = register.mentions(text)
        if len(kind) != 1 or not mentions:
            continue
        rates = list(_rates(register, kind[0], mentions))
        for index in sentence.numerals:
            numeral = reading.numeral(sentence.block, index)
            if dimension(numeral) == _RATE and numeral.value is not None:
                word = _word(reading, sentence, numeral, rates)
                if word is not None:
                    reading.ledger.put(sentence.block, index, word)


def _rates(register: Register, kind: str, mentions: list[Mention]) -> Iterator[tuple[str, Quantity, str]]:
    """``per_direction`` or ``aggregate``, the rate, and what it is of."""
    parts = [m for m in mentions if m.entry.kind == "accelerator"]
    links = [m for m in mentions if m.entry.kind == "interconnect"]
    if len({m.entry.reference for m in parts}) == 1:
        yield from _of_parts(register, [e.reference for e in parts[0].family or (parts[0].entry,)], f"links.{kind}")
    elif not parts and len({m.entry.reference for m in links}) == 1:
        reference = links[0].entry.reference
        names = register.values(links[0].entry).names
        for side in ("per_direction", "aggregate"):
            for quantity in names.get(side, []):
                yield side, quantity, reference
        raw = [lane.middle * n.middle for lane in names.get("lane_rate", [])[:1] for n in names.get("lanes", [])[:1]]
        for rate in raw:
            # What many print is the rate before encoding.
            yield "per_direction", Quantity(rate, _RATE), f"{reference}, encoding not counted"
            yield "aggregate", Quantity(2 * rate, _RATE), f"{reference}, encoding not counted"
        alias = reference.partition("/")[2].replace("-", "_").replace(".", "_")
        users = [e.reference for e in register.resolver.knowledge.of_kind("accelerator")]
        yield from _of_parts(register, users, f"links.{alias}.")


def _of_parts(register: Register, references: list[str], prefix: str) -> Iterator[tuple[str, Quantity, str]]:
    for reference in references:
        entry = register.resolver.knowledge.get(reference)
        if entry is None:
            continue
        for name, quantities in register.values(entry).names.items():
            side = name.rpartition(".")[2]
            if name.startswith(prefix) and side in ("per_direction", "aggregate"):
                for quantity in quantities:
                    yield side, quantity, f"{reference} {name}"


def _word(
    reading: Reading, sentence: Sentence, numeral: Numeral, rates: list[tuple[str, Quantity, str]]
) -> Judgment | None:
    passage = reading.passages[sentence.block]
    clause = clause_of(passage.text, sentence, numeral.at)
    one, both = _ONE.search(clause) is not None, _BOTH.search(clause) is not None
    said = "per_direction" if one and not both else "aggregate" if both and not one else ""
    found: dict[str, list[Judgment]] = {"per_direction": [], "aggregate": []}
    for side, quantity, of in rates:
        found[side].append(weigh(numeral, quantity, of, by=_BY))
    for side in (said,) if said else tuple(found):
        right = next((w for w in found[side] if w.status is Status.RIGHT), None)
        if right is not None:
            return right
    other = {"per_direction": "aggregate", "aggregate": "per_direction"}.get(said, "")
    if other and found[said] and any(w.status is Status.RIGHT for w in found[other]):
        words = {"per_direction": "one direction", "aggregate": "both directions together"}
        wrong = next((w for w in found[said] if w.status is Status.WRONG), None)
        if wrong is not None and _MEASURED.search(clause) is None:
            return replace(wrong, because=f"{wrong.because}; what is printed is {words[other]}")
    return None


__all__ = ["judge"]
