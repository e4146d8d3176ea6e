"""The names of a record: which there are, where each value stands in the file, and what cannot be read."""

from __future__ import annotations

from ridgeline.knowledge import vocabulary
from ridgeline.knowledge.names import Formula, Namespace, Stated, Unknown, namespace, slug
from tests.data.small import errors, knowledge, text_of


def space(reference: str, text: str | None = None) -> Namespace:
    base = knowledge({reference: text} if text else None)
    assert not errors(base)
    return namespace(base.entries[reference])


def stated(found: Namespace, name: str) -> Stated:
    meaning = found.names[name]
    assert isinstance(meaning, Stated)
    return meaning


def test_every_quantity_of_an_accelerator_has_its_name() -> None:
    found = space("accelerators/alpha")
    assert set(found.names) == {
        *("memory.capacity", "memory.bandwidth", "memory.bus_width", "memory.pin_rate", "memory.route"),
        *("units.count", "units.clock", "power.limit"),
        *("shared_memory.per_unit", "shared_memory.count", "shared_memory.total"),
        *("links.ring_4.count", "links.ring_4.per_direction", "links.ring_4.aggregate"),
        *("peer_link.per_direction", "peer_link.aggregate"),
        *("peak.bf16", "peak.bf16_sparse", "peak.fp16", "peak.fp16_accumulate_fp16", "peak.fp8", "peak.fp32_vector"),
        *("ridge.bf16", "ridge.bf16_sparse", "ridge.fp16", "ridge.fp16_accumulate_fp16", "ridge.fp8"),
        *("ridge.fp32_vector", "peak.fp32", "ridge.fp32", "peak.bf16.per_clock", "peak.bf16.route"),
    }


def test_a_value_says_where_it_stands() -> None:
    given = stated(space("accelerators/alpha"), "memory.bandwidth").given
    assert (given.record, given.field) == ("accelerators/alpha", "memory.bandwidth.claims.0")
    assert (given.text, given.source, given.checked) == ("3.35 TB/s", "sheet", "2026-11-30")
    unverified = stated(space("accelerators/alpha"), "peak.fp16_accumulate_fp16").given
    assert (unverified.basis, unverified.reason, unverified.source) == ("unverified", "Nobody prints it.", "")


def test_the_other_claim_counts_once_it_is_preferred() -> None:
    text = text_of(
        "accelerators/alpha",
        ("preferred: true, why: The table is newer than the text.}", "why: Older.}"),
        ("- {value: 3.0 TB/s, source: sheet, checked: 2026-11-30}", "- {value: 3.0 TB/s, source: sheet, checked: 2026-11-30, preferred: true}"),
    )  # fmt: skip
    given = stated(space("accelerators/alpha", text), "memory.bandwidth").given
    assert (given.field, given.text) == ("memory.bandwidth.claims.1", "3.0 TB/s")


def test_null_is_unknown_and_what_is_left_out_is_unknown() -> None:
    found = space("accelerators/beta")
    assert found.names["memory.bus_width"] == Unknown("memory.bus_width")
    assert space("accelerators/alpha").names["memory.capacity"] == Unknown("memory.capacity")
    assert "units.count" not in found.names and "links.ring_4.count" not in found.names


def test_a_derived_value_is_a_formula_with_its_origin() -> None:
    meaning = space("accelerators/alpha").names["memory.pin_rate"]
    assert isinstance(meaning, Formula) and meaning.stated is None
    assert meaning.origin is not None and meaning.origin.text == "2 * as(2619, Mbit/s)"
    text = text_of("interconnects/ring", ("from: 128/130}", 'from: 128/130, value: "0.985"}'))
    both = space("interconnects/ring", text).names["efficiency"]
    assert isinstance(both, Formula) and both.stated is not None and both.stated.given.text == "0.985"
    assert both.origin is None


def test_a_model_has_its_layer_groups() -> None:
    found = space("models/mixed")
    assert found.counts == (4, 20)
    windows = [group["window"] for group in found.layers]
    assert isinstance(windows[0], Unknown) and windows[0].why == "every token sees all tokens before it"
    assert isinstance(windows[1], Stated) and windows[1].given.field == "layers.1.attention.window"
    matrices = found.layers[0]["feed_forward_matrices"]
    assert isinstance(matrices, Stated) and (matrices.quantity.value, matrices.given.text) == (2, "2 (gated: false)")
    assert stated(found, "untied").given.text == "0 (tied_embeddings: true)"
    assert stated(space("models/even"), "untied").quantity.value == 1


def test_a_value_that_cannot_be_read_is_a_problem_and_no_name() -> None:
    text = text_of("accelerators/beta", ("value: 24 GB", "value: 24 GX"))
    found = space("accelerators/beta", text)
    assert [field for field, _ in found.problems] == ["memory.capacity"]
    assert "GX" in found.problems[0][1] and "memory.capacity" not in found.names
    text = text_of("accelerators/alpha", ("from: 2 * peak.bf16}", "from: 2 * * peak.bf16}"))
    assert [field for field, _ in space("accelerators/alpha", text).problems] == ["peaks.1.rate.from"]


def test_formats() -> None:
    assert set(space("formats/bf16").names) == {"element_bits", "bits"}
    assert set(space("formats/mxfp4").names) == {"element_bits", "bits", "scale.block", "scale.bits"}
    assert set(space("formats/tf32").names) == {"element_bits", "storage_bits", "bits"}


def test_links_lead_to_other_devices_or_to_the_host() -> None:
    def ways(*kinds: str) -> dict[str, str]:
        return {d.name: d.formula for d in vocabulary.links(tuple(slug(kind) for kind in kinds))}

    assert ways("NVLink 4", "PCIe 5.0 x16") == {
        "peer_link.per_direction": "links.nvlink_4.per_direction",
        "peer_link.aggregate": "links.nvlink_4.aggregate",
        "host_link.per_direction": "links.pcie_5_0_x16.per_direction",
        "host_link.aggregate": "links.pcie_5_0_x16.aggregate",
    }
    # The order in the record does not matter for the host, and a card with one link reaches everything over it.
    assert ways("PCIe", "ICI")["peer_link.per_direction"] == "links.ici.per_direction"
    assert ways("PCIe 4.0 x16")["peer_link.aggregate"] == "links.pcie_4_0_x16.aggregate"
    assert ways("NVLink-C2C")["host_link.per_direction"] == "links.nvlink_c2c.per_direction"
    assert set(ways("NVLink 2")) == {"peer_link.per_direction", "peer_link.aggregate"}
    assert ways() == {}


def test_links_are_called_by_kind() -> None:
    assert slug("NVLink 4") == "nvlink_4"
    assert slug("PCIe 5.0 x16") == "pcie_5_0_x16"
