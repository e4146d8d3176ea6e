"""What the page of a model shows: points at lengths and formats, conventions, layer groups, a total that is contested."""

from __future__ import annotations

import re
import shutil
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from ridgeline.check import Report, check
from ridgeline.findings.finding import Level
from ridgeline.publish import listings
from ridgeline.publish.address import Addresses
from ridgeline.publish.build import record_page
from ridgeline.publish.content import Database
from ridgeline.publish.database import read
from ridgeline.publish.models import unexplained
from ridgeline.publish.pen import Pen
from ridgeline.records.model import Model
from ridgeline.store.load import load
from ridgeline.store.points import LENGTHS, lengths, points_of
from tests.data.small import ROOT, knowledge
from tests.unit.test_model_arithmetic import model

FORMATS = frozenset({"bf16", "fp8", "int4-g128", "mxfp4"})


def small(folder: Path, **records: dict[str, Any] | str) -> tuple[Report, Database]:
    """The small records with models of our own, loaded and read: name → record, or its text."""
    shutil.copytree(ROOT, folder / "root")
    for name, record in records.items():
        text = record if isinstance(record, str) else yaml.safe_dump(record, sort_keys=False)
        (folder / "root" / "records" / "models" / f"{name}.yaml").write_text(text, encoding="utf-8")
    report = check(folder / "root")
    load(report, folder / "ridgeline.db")
    return report, read(folder / "ridgeline.db")


def text_of(database: Database, name: str) -> str:
    """A model's page as text, a line for each row of a table."""
    reference = f"models/{name}"
    page = record_page(Pen(database, Addresses(database), f"{reference}/"), database.records[reference])
    body = re.sub(r'<span class="sr">.*?</span>', "", page.body)
    body = re.sub(r"</(tr|caption|p|li)>", "\n", re.sub(r"</t[hd]>", " | ", body))
    return unescape(re.sub(r"[ \t]+", " ", re.sub(r"<[^>]+>", "", body)))


def subject(**changes: Any) -> dict[str, Any]:
    """A model with four layers that see everything and twelve with a window."""
    dense = {"kind": "dense", "width": 512, "gated": True}
    attention = {"kind": "gqa", "query_heads": 8, "kv_heads": 2, "head_dim": 16}
    layers = [
        {"count": 4, "attention": attention, "feed_forward": dense, "norm_parameters": 256},
        {"count": 12, "attention": {**attention, "window": 1024}, "feed_forward": dense, "norm_parameters": 256},
    ]
    record: dict[str, Any] = yaml.safe_load(model({"d_model": 128, "vocab": 1000}, layers))
    return {**record, "context": 65536, **changes}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return small(tmp_path_factory.mktemp("pages"), subject=subject())[1]


def test_values_at_lengths_and_formats(database: Database) -> None:
    rows = database.rows("model_points", "models/subject")
    found = {(r["name"], r["tokens"], r["format"]): Fraction(r["value_exact"]) for r in rows}
    element, total = 2 * 2 * 16, 16 * (128 * (128 + 64 + 128) + 3 * 128 * 512 + 256) + 2 * 1000 * 128 + 128
    for form, size in (("bf16", Fraction(2)), ("fp8", Fraction(1)), ("mxfp4", Fraction(17, 32))):
        assert found["weight_bytes", None, form] == total * size
    assert found["kv_bytes_per_token", None, "bf16"] == 2 * found["kv_bytes_per_token", None, "fp8"] == 2 * 16 * element
    for tokens in (4096, 32768, 65536):
        elements = element * (4 * tokens + 12 * 1024)
        assert found["kv_bytes", tokens, "bf16"] == 2 * elements and found["kv_bytes", tokens, "fp8"] == elements
        assert found["kv_bytes_per_token_average", tokens, "bf16"] == Fraction(2 * elements, tokens)
        assert found["attention_flops_per_token", tokens, None] == 4 * 8 * 16 * (4 * tokens + 12 * 1024)
    assert {tokens for _, tokens, _ in found} == {None, 4096, 32768, 65536}
    assert not any(row["agrees"] == 0 for row in database.crosschecks.values())


def test_the_page_shows_them_and_no_name_without_a_value(database: Database) -> None:
    page = text_of(database, "subject")
    assert "\n4,096 | 3.670016 MB | 1.835008 MB | 896 byte/token | 14,680,064 flop | " in page
    assert "\n65,536 | 35.127296 MB | 17.563648 MB | 536 byte/token | 140,509,184 flop | " in page
    assert "\nfp8 | 8 bit | " in page and "| 1024 byte/token | " in page
    assert "kv_bytes(L=4096): attention_flops_per_token, kv_bytes, kv_bytes_per_token_average." in page
    values = page.partition("Recorded values")[2]
    assert "kv_bytes_at_context" in values
    assert not re.search(r"kv_bytes(_per_layer)?( group \d)? \||kv_tokens|attention_flops_per_token|set it", values)
    for name in ("without_embeddings", "without_input_embedding", "with_embeddings"):
        assert f"\nparameters.active_{name} | " in page
    assert "unknown" not in page and "no crossover" not in page and "Crossover" in page
    assert "\n2 | 12 | 237,824 param | 237,568 param | 128 byte/token | " in page


def test_a_model_without_attention_has_no_cache_to_show(tmp_path: Path) -> None:
    state = {"kind": "mamba1", "inner": 256, "state": 16, "conv": 4, "dt_rank": 8}
    layers = [{"count": 3, "attention": state, "feed_forward": {"kind": "none"}, "norm_parameters": 128}]
    _, database = small(tmp_path, subject=model({"d_model": 128, "vocab": 1000}, layers))
    names = {row["name"] for row in database.rows("model_points", "models/subject")}
    assert names == {"weight_bytes"}
    page = text_of(database, "subject")
    assert "KV cache per token" not in page and "State" in page and "Tokens" not in page


def test_a_model_whose_every_layer_has_a_window_has_no_crossover(tmp_path: Path) -> None:
    record = subject()
    record["layers"] = record["layers"][1:]
    _, database = small(tmp_path, subject=record)
    page = text_of(database, "subject")
    assert "There is no crossover" in page and "every layer that attends has a window or chunks." in page
    assert "unknown" not in page


def test_lengths_end_at_the_context() -> None:
    def of(context: int | None) -> list[int]:
        return lengths(Model.model_validate({**subject(), "context": context}))

    assert of(None) == list(LENGTHS)
    assert of(2048) == [2048] and of(4096) == [4096] and of(10**7) == [*LENGTHS, 10**7]


def test_only_formats_with_a_record_are_asked_for() -> None:
    record = Model.model_validate(subject())
    assert {point.format for point in points_of(record, FORMATS)} == {*FORMATS, None}
    assert {point.format for point in points_of(record, frozenset())} == {None}
    assert not any("fp8" in point.formula for point in points_of(record, frozenset({"bf16"})))


def test_every_point_of_every_model_has_a_value_in_the_database(database: Database) -> None:
    base = knowledge()
    for entry in base.of_kind("model"):
        assert isinstance(entry.record, Model)
        expected = len(list(points_of(entry.record, FORMATS)))
        assert len(database.rows("model_points", entry.reference)) == expected > 0


# Contested totals


def disputed(published: int, status: str) -> dict[str, Any]:
    """The subject with a published total, and a ledger that explains ten parameters of the difference."""
    ledger = [{"what": "Buffers.", "parameters": "10", "why": "They are stored."}]
    total = {"value": f"{published} param", "source": "sheet", "checked": "2026-11-30"}
    return subject(status=status, checkpoint={"total": total, "ledger": ledger})


COUNTED = 16 * 237824 + 2 * 1000 * 128 + 128


def test_a_total_that_nobody_explains_is_an_error_unless_it_is_contested(tmp_path: Path) -> None:
    for status, level in (("verified", Level.ERROR), ("contested", Level.WARNING)):
        root = tmp_path / status
        shutil.copytree(ROOT, root)
        text = yaml.safe_dump(disputed(COUNTED + 17, status), sort_keys=False)
        (root / "records" / "models" / "subject.yaml").write_text(text, encoding="utf-8")
        found = [f for f in check(root).findings if f.rule == "ledger"]
        assert [f.level for f in found] == [level] and "explain" in found[0].message


def test_a_contested_total_is_shown_as_contested(tmp_path: Path) -> None:
    _, database = small(tmp_path, subject=disputed(COUNTED + 17, "contested"))
    assert unexplained(database, database.records["models/subject"]) == "+7"
    page = text_of(database, "subject")
    assert "not explained | | +7 | contested nobody has said what these are | " in page
    assert "\npublished total contested | " in page
    rows = listings.table(Pen(database, Addresses(database), "models/"), "model")
    assert rows.count("badge-record-contested") == 1


def test_a_total_that_is_explained_is_not_called_contested(tmp_path: Path, database: Database) -> None:
    _, explained = small(tmp_path, subject=disputed(COUNTED + 10, "verified"))
    for base in (explained, database):
        assert unexplained(base, base.records["models/subject"]) == ""
        assert "contested" not in text_of(base, "subject") and "not explained" not in text_of(base, "subject")
