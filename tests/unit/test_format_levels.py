"""Formats with scales, offsets and super-blocks, and links of interconnects: what follows and what is found wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ridgeline.check import check
from ridgeline.findings.finding import Finding
from ridgeline.formulas.parser import parse
from ridgeline.knowledge.base import Knowledge
from ridgeline.knowledge.names import namespace
from ridgeline.knowledge.resolve import Resolver
from tests.acceptance.conftest import build
from tests.data.small import errors, knowledge

FROM = "source: sheet, at: page 1, checked: 2026-11-30"


def a_format(*lines: str, element: str = "4 bit") -> str:
    """The text of a block format whose elements take ``element``, with further lines."""
    return "\n".join(
        (
            *("schema: format/1", "id: packed", "name: packed", "revision: 1", "status: verified"),
            *("family: block", "layouts:", "  uint4: {sign: 0, exponent: 0, mantissa: 4}"),
            f"element_bits: {{value: {element}, {FROM}}}",
            *lines,
            "",
        )
    )


def bits(*lines: str, element: str = "4 bit", name: str = "bits") -> Fraction:
    """What one element of such a format takes, in bits."""
    base = knowledge({"formats/packed": a_format(*lines, element=element)})
    assert not errors(base)
    resolver = Resolver(base)
    scope = resolver.scope_of(base.entries["formats/packed"])
    return resolver.evaluate(parse(name), scope).quantity.middle * 8  # quantities are kept in byte


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        # OCP Microscaling: thirty-two elements and a scale of eight bits.
        (("scale: {block: 32, bits: 8}",), Fraction(17, 4)),
        # A zero point of four bits beside each scale of sixteen.
        (("scale: {block: 128, bits: 16, offset_bits: 4}",), Fraction(4) + Fraction(20, 128)),
        # A super-block of eight blocks: 144 bytes for 256 elements.
        (
            ("scale: {block: 32, bits: 6, offset_bits: 6}", "super_scale: {block: 256, bits: 16, offset_bits: 16}"),
            Fraction(144 * 8, 256),
        ),
        # A super-block without offsets: 110 bytes for 256 elements of three bits.
        (("scale: {block: 16, bits: 6}", "super_scale: {block: 256, bits: 16}"), Fraction(4) + Fraction(7, 16)),
    ],
)
def test_the_bits_of_an_element_count_every_level(lines: tuple[str, ...], wanted: Fraction) -> None:
    assert bits(*lines) == wanted


def test_an_element_without_a_scale_takes_its_own_bits() -> None:
    assert bits(element="8 bit") == 8


def test_a_block_as_a_document_prints_it_is_the_second_route() -> None:
    stated = f"stated_bits: {{basis: derived, from: 'as(144, byte) / 256', {FROM}}}"
    lines = ("scale: {block: 32, bits: 6, offset_bits: 6}", "super_scale: {block: 256, bits: 16, offset_bits: 16}")
    assert bits(*lines, stated, name="stated_bits") == bits(*lines, stated) == Fraction(9, 2)


def test_a_level_says_its_parts_by_name() -> None:
    text = a_format("scale: {block: 32, bits: 6, offset_bits: 5}", "super_scale: {block: 256, bits: 16}")
    found = namespace(knowledge({"formats/packed": text}).entries["formats/packed"])
    assert {n for n in found.names if "scale" in n} == {
        *("scale.bits", "scale.block", "scale.offset_bits", "super_scale.bits", "super_scale.block")
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("super_scale: {block: 256, bits: 16}", "say scale: too"),
        ("scale: {block: 48, bits: 6}\nsuper_scale: {block: 256, bits: 16}", "must be a multiple"),
        ("scale: {block: 0, bits: 8}", "0"),
        ("scale: {block: 32, bits: 8, offset_bits: 0}", "0"),
    ],
)
def test_levels_that_cannot_be(line: str, words: str) -> None:
    base = knowledge({"formats/packed": a_format(line)})
    (found,) = errors(base)
    assert found.place.path == "records/formats/packed.yaml"
    assert words in f"{found.message}. Next: {found.mend}"


# What the check finds


def findings(root: Path, rule: str) -> list[Finding]:
    return [f for f in check(root).findings if f.rule == rule]


def put(root: Path, record: str, text: str) -> None:
    (root / "records" / f"{record}.yaml").write_text(
        text.replace("source: sheet", "source: acme-sheet"), encoding="utf-8"
    )


@pytest.mark.parametrize(("printed", "agrees"), [("4.25 bit", True), ("4.5 bit", False), ("4.26 bit", True)])
def test_bits_that_a_document_prints_are_held_against_the_levels(printed: str, agrees: bool, tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    put(root, "formats/packed", a_format("scale: {block: 32, bits: 8}", f"stated_bits: {{value: {printed}, {FROM}}}"))
    found = findings(root, "second-route")
    assert [(f.found, f.expected) for f in found] == ([] if agrees else [("4.5 bit", "4.25 bit")])


def wire(root: Path, *edits: tuple[str, str]) -> None:
    """Change the interconnect of the good tree."""
    path = root / "records/interconnects/acme-wire.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


EFFICIENCY = 'efficiency: {value: "1", source: acme-sheet, at: page 3, checked: 2026-11-30}\n'


@pytest.mark.parametrize(("rate", "agrees"), [("16 GB/s", True), ("15.9 GB/s", True), ("32 GB/s", False)])
def test_a_link_without_an_efficiency_has_its_raw_rate_as_the_second_route(
    rate: str, agrees: bool, tmp_path: Path
) -> None:
    root = build(tmp_path / "root")
    wire(root, (EFFICIENCY, ""), ("per_direction: {value: 16 GB/s", f"per_direction: {{value: {rate}"))
    found = findings(root, "second-route")
    assert [f.message.split(" = ")[0] for f in found] == ([] if agrees else ["per_direction"])


@pytest.mark.parametrize(("both", "agrees"), [("32 GB/s", True), ("256 Gbit/s", True), ("16 GB/s", False)])
def test_both_directions_of_an_interconnect_are_twice_the_one(both: str, agrees: bool, tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    wire(
        root,
        (
            EFFICIENCY,
            EFFICIENCY + f"aggregate: {{value: {both}, source: acme-sheet, at: page 3, checked: 2026-11-30}}\n",
        ),
    )
    found = findings(root, "second-route")
    assert [(f.found, f.expected) for f in found] == ([] if agrees else [("16 GB/s", "32 GB/s")])


@pytest.mark.parametrize(
    ("formula", "unit"),
    [
        ("as(5120, bit) * as(1.5, Gbit/s)", "byte^2/s"),
        ("as(5120, bit)", "byte"),
        ("5120", None),
    ],
)
def test_a_formula_whose_unit_the_field_cannot_have(formula: str, unit: str | None, tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    path = root / "records/accelerators/acme-two.yaml"
    text = path.read_text(encoding="utf-8")
    old = "bandwidth: {value: 1000 GB/s, source: acme-sheet, at: page 2, checked: 2026-11-30}"
    assert text.count(old) == 1
    path.write_text(text.replace(old, f"bandwidth: {{basis: derived, from: '{formula}'}}"), encoding="utf-8")
    (found,) = findings(root, "wrong-dimension")
    assert (found.place.path, found.expected) == ("records/accelerators/acme-two.yaml", "byte/s")
    assert unit is None or found.message.endswith(f"is in {unit}")


def test_a_formula_in_the_unit_of_its_field_is_no_finding(tmp_path: Path) -> None:
    root = build(tmp_path / "root")
    path = root / "records/accelerators/acme-two.yaml"
    text = path.read_text(encoding="utf-8")
    old = "bandwidth: {value: 1000 GB/s, source: acme-sheet, at: page 2, checked: 2026-11-30}"
    path.write_text(
        text.replace(old, "bandwidth: {basis: derived, from: '1024 * as(7.8125, Gbit/s)'}"), encoding="utf-8"
    )
    assert not findings(root, "wrong-dimension")


def test_every_format_of_the_records_with_stated_bits_agrees_exactly() -> None:
    """The records themselves: a block's size in its library is what its levels add up to, to the bit."""
    base: Knowledge = knowledge({}, root=Path(__file__).resolve().parents[2])
    resolver = Resolver(base)
    seen = 0
    for entry in base.of_kind("format"):
        if getattr(entry.record, "stated_bits", None) is None:
            continue
        scope = resolver.scope_of(entry)
        one, other = (resolver.evaluate(parse(name), scope).quantity.middle * 8 for name in ("bits", "stated_bits"))
        # A document may round to a hundredth of a bit.
        assert abs(one - other) <= Fraction(1, 100), entry.reference
        seen += 1
    assert seen >= 25
