"""What records of one kind have in common to be compared in: rows of the same field, and each record's cell in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ridgeline.publish.address import Addresses, page_of, quantity_anchor
from ridgeline.publish.content import Database, Quantity, Record, Row
from ridgeline.publish.markup import slug


@dataclass(frozen=True, slots=True)
class Field:
    """A row of a comparison: its key, the section that it stands in, and its name with every qualifier in it."""

    key: str
    section: str
    name: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What a record says in a row. ``value`` is the nearest double in base units, for ratios; ``target`` where it leads."""

    text: str
    value: float | None = None
    status: str = ""
    target: str = ""
    note: str = ""


@dataclass
class Comparison:
    """All records of a kind with their cells by the key of the row."""

    kind: str
    fields: list[Field] = field(default_factory=list)
    cells: dict[str, dict[str, Cell]] = field(default_factory=dict)

    def rows(self, records: Iterable[str]) -> list[tuple[Field, list[Cell | None]]]:
        """The rows in which any of some records has a cell; what a record lacks there is ``None``."""
        of = [self.cells[r] for r in records]
        return [(f, [c.get(f.key) for c in of]) for f in self.fields if any(f.key in c for c in of)]


#: Quantities of an accelerator that are no peak: key → section and name. ``{unit}`` is what the part calls its units.
_MEMORY = {
    "memory.capacity": "Capacity of the device memory",
    "memory.bandwidth": "Bandwidth of the device memory",
    "memory.bus_width": "Width of the memory bus",
    "memory.pin_rate": "Rate of one pin of the memory bus",
}
_ON_CHIP = {
    "register_file": "Registers", "scalar_register_file": "Scalar registers", "shared_memory": "Shared memory",
    "l0": "L0 cache", "l1": "L1 cache", "l2": "L2 cache", "last_level": "Last-level cache",
    "tensor_memory": "Tensor memory", "sram": "SRAM",
}  # fmt: skip
_SIZES = {
    "per_unit": "size of one",
    "count": "how many",
    "total": "all together",
    "bandwidth": "bandwidth of all together",
}
_LINKS = {
    "peer_link.per_direction": "Links to other devices, one direction",
    "peer_link.aggregate": "Links to other devices, both directions together",
    "host_link.per_direction": "Links to the host, one direction",
    "host_link.aggregate": "Links to the host, both directions together",
}
_WORKS = {
    "units.count": "Units (SMs, CUs, cores)",
    "units.clock": "Clock that the peaks assume",
    "power.limit": "Power limit",
}
_SCOPES = ("die", "package", "board", "node")


def comparison(database: Database, addresses: Addresses, kind: str) -> Comparison:
    """The comparison of all records of a kind: ``accelerator``, ``model`` or ``class``."""
    return _KINDS[kind](_Cells(database, addresses, Comparison(kind)))


class _Cells:
    """Fills a comparison in."""

    def __init__(self, database: Database, addresses: Addresses, made: Comparison):
        self.database = database
        self.addresses = addresses
        self.made = made
        self.made.cells = {r.reference: {} for r in database.of_kind(made.kind)}

    def records(self) -> list[Record]:
        return self.database.of_kind(self.made.kind)

    def words(self, key: str, section: str, name: str, of: Callable[[str], str | None]) -> None:
        """A row of words."""
        self.made.fields.append(Field(key, section, name))
        for record in self.records():
            text = of(record.reference)
            if text:
                self.made.cells[record.reference][key] = Cell(text, target=page_of(record.reference))

    def quantities(self, key: str, section: str, name: str, note: Callable[[str], str] = lambda _: "") -> None:
        """A row of a quantity, by its name in formulas."""
        self.made.fields.append(Field(key, section, name))
        for record in self.records():
            found = self.database.by_name.get((record.reference, key, None))
            if found is not None:
                self.put(record.reference, key, found, note(record.reference))

    def put(self, record: str, key: str, q: Quantity, note: str = "") -> None:
        if q.status == "unknown" or not q.shown:
            return
        self.made.cells[record][key] = Cell(q.shown, q.value, q.status, self.addresses.quantity(q), note)


# Accelerators


def _accelerators(cells: _Cells) -> Comparison:
    database = cells.database
    heads: dict[str, Row] = {r.reference: database.rows("accelerators", r.reference)[0] for r in cells.records()}
    facts = {r.reference: {f["field"]: f["text"] for f in database.rows("facts", r.reference)} for r in cells.records()}
    what = "What it is"
    for column, name in (("vendor", "Vendor"), ("architecture", "Architecture"), ("variant", "Variant")):
        cells.words(column, what, name, lambda r, c=column: heads[r][c])  # type: ignore[misc]
    cells.words("scope", what, "Numbers are of", lambda r: f"one {heads[r]['scope']}")
    for column, name in (("die", "Die"), ("released", "Released"), ("process", "Process")):
        cells.words(column, what, name, lambda r, c=column: facts[r].get(c))  # type: ignore[misc]
    cells.words("memory_kind", "Memory", "Kind of the device memory", lambda r: heads[r]["memory_kind"])
    for key, name in _MEMORY.items():
        cells.quantities(key, "Memory", name)
    peaks = _peaks(cells)
    for name, (label, notes) in peaks.items():
        cells.quantities(f"peak.{name}", "Peak rates", label, lambda r, n=notes: n.get(r, ""))  # type: ignore[misc]
    for name, (label, notes) in peaks.items():
        cells.quantities(
            f"ridge.{name}", "Ridge points", f"Ridge point, {label}", lambda r, n=notes: n.get(r, "")  # type: ignore[misc]
        )  # fmt: skip
    for name, label in _ON_CHIP.items():
        for tail, words in _SIZES.items():
            cells.quantities(f"{name}.{tail}", "Memories on the chip", f"{label}, {words}")
    for section, names in (("Links", _LINKS), ("Units and power", _WORKS)):
        for key, label in names.items():
            cells.quantities(key, section, label)
    return cells.made


def _peaks(cells: _Cells) -> dict[str, tuple[str, dict[str, str]]]:
    """The peaks of all records by their name in formulas: what each is, and by record what it adds."""
    rows = [row for r in cells.records() for row in cells.database.rows("peaks", r.reference)]
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for row in sorted(rows, key=_peak_order):
        name = str(row["name"])
        sparse = row["sparsity"] != "dense"
        into = f", accumulated in {row['accumulate']}" if "_accumulate_" in name else ""
        label = f"{row['format']}{into}, {'structured sparse' if sparse else 'dense'}, {row['path']} path"
        _, notes = found.setdefault(name, (label, {}))
        adds = [row["sparsity"]] if sparse else []
        if row["accumulate"] and not into:
            adds.append(f"into {row['accumulate']}")
        notes[row["record"]] = ", ".join(adds)
    return found


_WIDTHS = ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4", "int4")


def _peak_order(row: Row) -> tuple[object, ...]:
    name = str(row["format"])
    known = _WIDTHS.index(name) if name in _WIDTHS else len(_WIDTHS)
    return (row["path"] != "tensor", known, name, row["sparsity"] != "dense", row["name"], row["record"])


# Models

_OF_MODEL = {
    "parameters.total": ("Parameters", "All parameters, counted"),
    "parameters.active_with_embeddings": ("Parameters", "Active parameters, embedding and head counted"),
    "parameters.active_without_embeddings": ("Parameters", "Active parameters, layers and last norm alone"),
    "checkpoint.total": ("Parameters", "Elements of the published checkpoint"),
    "parameters.embedding": ("Parameters", "Embedding table"),
    "parameters.head": ("Parameters", "Output head"),
    "parameters.layers": ("Parameters", "All layers"),
    "linear_parameters": ("Parameters", "Weights that multiply every token"),
    "n_layers": ("Shape", "Layers"),
    "d_model": ("Shape", "Width of the model"),
    "vocabulary": ("Shape", "Vocabulary"),
    "context": ("Shape", "Longest position of the config"),
}
_OF_LAYERS = {
    "n_q": "Query heads of a layer",
    "n_kv": "KV heads of a layer",
    "d_head": "Head dimension",
    "window": "Window of the attention",
    "d_ff": "Width of the feed-forward part",
}
_COSTS_OF_MODEL = {
    "weight_bytes": "Weights at two bytes a parameter",
    "linear_flops_per_token": "Operations of the weight matrices, per token",
    "kv_bytes_per_token": "KV cache per token, all layers, two bytes an element",
    "kv_bytes_at_context": "KV cache of one sequence at the longest position",
    "state_bytes": "State per sequence, whatever its length",
    "L_star": "Prompt at which attention takes as many operations as the weights",
}


def _models(cells: _Cells) -> Comparison:
    database = cells.database
    heads = {r.reference: database.rows("models", r.reference)[0] for r in cells.records()}
    for column, name in (("organisation", "Organisation"), ("licence", "Licence")):
        cells.words(column, "What it is", name, lambda r, c=column: heads[r][c])  # type: ignore[misc]
    for section in ("Shape", "Parameters"):
        for key, (where, name) in _OF_MODEL.items():
            if where == section:
                cells.quantities(key, section, name)
        if section == "Shape":
            cells.words("attention", section, "Attention", lambda r: _kinds(database, r, "attention"))
            cells.words("feed_forward", section, "Feed-forward part", lambda r: _kinds(database, r, "feed_forward"))
            _layers(cells)
    for key, name in _COSTS_OF_MODEL.items():
        cells.quantities(key, "What it costs", name)
    return cells.made


def _kinds(database: Database, record: str, column: str) -> str:
    """``gqa in 40 layers, ssm in 8`` of 48: the kinds of a part, with their layers where they differ."""
    counts: dict[str, int] = {}
    for row in database.rows("layers", record):
        counts[row[column]] = counts.get(row[column], 0) + int(row["layers"] or 0)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{kind} in {count} layers" for kind, count in counts.items())


def _layers(cells: _Cells) -> None:
    """Rows of what layers have: the value where all that have it agree, else the values of the groups."""
    for key, name in _OF_LAYERS.items():
        cells.made.fields.append(Field(key, "Shape", name))
        for record in cells.records():
            groups = [
                q for q in cells.database.of_record.get(record.reference, []) if q.name == key and q.group is not None
            ]
            known = [q for q in groups if q.status != "unknown" and q.shown and q.value]
            shown = list(dict.fromkeys(q.shown for q in known))
            if len(shown) == 1:
                cells.put(record.reference, key, known[0])
            elif shown:
                target = f"{page_of(record.reference)}#{quantity_anchor(known[0])}"
                cells.made.cells[record.reference][key] = Cell(
                    " / ".join(shown), None, "", target, "by group of layers"
                )


# Classes

_OF_CLASS = {
    "flops": "Operations", "bytes": "Bytes of memory", "link_bytes": "Bytes on links", "intensity": "Arithmetic intensity",
    "compute_time": "Time of the operations", "memory_time": "Time of the bytes", "link_time": "Time on the links",
}  # fmt: skip


def _classes(cells: _Cells) -> Comparison:
    database = cells.database
    heads = {r.reference: database.rows("classes", r.reference)[0] for r in cells.records()}
    for column, name in (
        ("phase", "Phase"), ("part_of", "A part of"), ("covers", "Counts"), ("over", "Shared by accelerators"),
        ("path", "Units that work"),
    ):  # fmt: skip
        cells.words(column, "What it is", name, lambda r, c=column: heads[r][c])  # type: ignore[misc]
    for key, name in _OF_CLASS.items():
        cells.made.fields.append(Field(key, "Formulas", name))
        for record in cells.records():
            formula = next((f for f in database.rows("formulas", record.reference) if f["name"] == key), None)
            if formula is not None and formula["text"]:
                per = "for each layer" if formula["per"] else ""
                target = f"{page_of(record.reference)}#formula-{slug(key)}"
                cells.made.cells[record.reference][key] = Cell(formula["text"], None, "", target, per)
    return cells.made


_KINDS: Mapping[str, Callable[[_Cells], Comparison]] = {
    "accelerator": _accelerators,
    "model": _models,
    "class": _classes,
}


def verdict(cells: list[Cell | None]) -> str:
    """What a row says of its records in one word: ``same``, ``differs`` or ``not all known``.

    Numbers are equal where they are the same in base units, however their sources print them; words where they are the
    same words.
    """
    known = {cell.text if cell.value is None else cell.value for cell in cells if cell is not None}
    if len(known) > 1:
        return "differs"
    return "same" if all(cell is not None for cell in cells) else "not all known"


def ratio(cell: Cell | None, first: Cell | None) -> str:
    """A number as a multiple of the first record's, at three significant digits: ``× 1.43``.

    Nothing where there is none, and where both are the same; ``≈ × 1`` where only more digits would tell them apart.
    """
    if cell is None or first is None or cell.value is None or not first.value or cell.value == first.value:
        return ""
    share = float(f"{cell.value / first.value:.3g}")
    return "≈ × 1" if share == 1 else f"× {share:,.10g}"
