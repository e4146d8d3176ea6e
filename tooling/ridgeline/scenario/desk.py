"""Where a scenario computes: the records of a setting in scope, and expressions over them that anyone can repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse_quantity, unparse
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Binary, Call, Name, Node, constant
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Scope
from ridgeline.lookup import Lookup, NotFound
from ridgeline.numbers.units import hard, parse_unit
from ridgeline.records.workload import Workload
from ridgeline.scenario.setting import SHARDS, Deployment, ScenarioError, Setting, Share

#: What a format of the setting is called in expressions.
FORMATS = ("weights", "experts", "activations", "cache", "gradients")
_ELEMENTS = {
    "s_w": "weights",
    "s_expert": "experts",
    "s_act": "activations",
    "s_kv": "cache",
    "s_grad": "gradients",
}
#: Symbols of every model that a format of the setting sets; a class reads them through the model's quantities in bytes.
_STORED = {"weight_element": "weights", "cache_element": "cache"}
PEERS = "peer_link.per_direction"
#: Formulas of a class, each with how often it is added.
Terms = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """One value of a part: the expression that gives it in the class's scope, and the value or why there is none."""

    expression: str
    value: Derivation | None
    why: str = ""


class Desk:
    """The records of a setting, found and put in scope. Raises :class:`ScenarioError` for one that is not there."""

    def __init__(self, lookup: Lookup, setting: Setting, deployment: Deployment):
        self.resolver = lookup.resolver
        self.knowledge = lookup.knowledge
        self.setting = setting
        self.deployment = deployment
        find = _Finder(lookup)
        self.model = find("models", setting.model)
        self.accelerator = find("accelerators", setting.accelerator)
        self.formats = {
            "weights": find("formats", setting.weights),
            "experts": find("formats", setting.experts or setting.weights),
            "activations": find("formats", setting.activations),
            "cache": find("formats", setting.cache),
            "compute": find("formats", setting.compute or setting.activations),
        }
        if setting.training:
            self.formats["gradients"] = find("formats", setting.gradients or "bf16")
        self.plain = Scope(
            records=(("accelerator", self.accelerator), ("format", self.formats["compute"]), ("model", self.model)),
            aliases=tuple(sorted((name, self.formats[name]) for name in FORMATS if name in self.formats)),
        )
        if setting.link_rate is not None:
            self.plain = self.plain.with_symbols({PEERS: _rate(setting.link_rate)})
        self._rates()

    def _rates(self) -> None:
        """What every bound needs: a peak in the compute format, and the bandwidth of the memory."""
        try:
            self.value("peak")
        except FormulaError:
            name = self.formats["compute"].partition("/")[2]
            space = self.resolver.namespace(self.accelerator)
            known = [n.removeprefix("peak.") for n in space.names if n.startswith("peak.") and n.count(".") == 1]
            matrix = [n for n in known if "_sparse" not in n and "_accumulate" not in n and "_vector" not in n]
            raise ScenarioError(
                f"{self.accelerator} has no peak for {name}: it computes in {', '.join(sorted(matrix)) or 'nothing known'}; "
                "name one of them with --compute"
            ) from None
        try:
            self.value("memory.bandwidth")
        except FormulaError as error:
            raise ScenarioError(f"{self.accelerator}: {error.message}") from None

    def value(
        self, expression: str | Node, symbols: Mapping[str, Derivation] | None = None, label: str = ""
    ) -> Derivation:
        """An expression over the setting's records, no class in scope. Raises :class:`FormulaError`."""
        return self.resolver.evaluate(expression, self.plain.with_symbols(symbols or {}), label)

    # Classes

    @cached_property
    def classes(self) -> list[tuple[Entry, Workload]]:
        """The classes that are not withdrawn, by reference. No record of another kind is read for them."""
        found = []
        for reference in sorted(self.knowledge.entries):
            entry = self.knowledge.get(reference) if reference.startswith("classes/") else None
            if entry is not None and isinstance(entry.record, Workload) and entry.record.status != "withdrawn":
                found.append((entry, entry.record))
        return found

    def scope(self, entry: Entry) -> Scope:
        """A class with the setting's records."""
        assert entry.record is not None
        aliases = {**entry.record.subjects, **dict(self.plain.aliases)}
        records = dict(self.plain.records) | {"class": entry.reference}
        return replace(self.plain, records=tuple(sorted(records.items())), aliases=tuple(sorted(aliases.items())))

    def applies(self, entry: Entry) -> bool:
        """Whether a class applies to any layer of the model."""
        assert isinstance(entry.record, Workload)
        groups = range(len(self.resolver.namespace(self.model).layers))
        scope = self.scope(entry)
        return any(self.resolver.applies(entry.record, replace(scope, group=group)) for group in groups)

    def cost(self, entry: Entry, terms: Terms, share: Share, times: int | Fraction = 1) -> Cost:
        """Formulas of a class, each so many times, for one group of accelerators, over all layers that it counts in.

        ``times`` is how many such groups there are, or how often a group does it.
        """
        assert isinstance(entry.record, Workload)
        settings = self.symbols(entry.record, share)
        text = self._sum(entry.record, terms, settings, times)
        scope = self.scope(entry)
        try:
            value = self.resolver.evaluate(text, scope)
            read = {node.label for node in value.walk()} & set(_STORED)
            if read:
                # Bytes that the model names itself: they follow the formats too.
                settings |= {name: f"{_STORED[name]}.bits" for name in sorted(read)}
                text = self._sum(entry.record, terms, settings, times)
                value = self.resolver.evaluate(text, scope)
        except FormulaError as error:
            return Cost(text, None, error.message)
        return Cost(text, value)

    def _sum(self, record: Workload, terms: Terms, settings: Mapping[str, str], times: int | Fraction) -> str:
        given = ", ".join(f"{name}={text}" for name, text in settings.items())
        calls = []
        for number, formula in terms:
            text = f"{formula}({given})" if given else formula
            if record.formulas[formula].per == "layer":
                text = f"total({text})"
            calls.append(text if number == 1 else f"{number} * {text}")
        text = " + ".join(calls)
        if times == 1:
            return text
        factor = str(Fraction(times)).replace("/", " / ")
        return f"{factor} * {text}" if len(calls) == 1 else f"{factor} * ({text})"

    def symbols(self, record: Workload, share: Share) -> dict[str, str]:
        """What the scenario sets of the symbols that a class declares, as the formula language writes it."""
        setting, deployment = self.setting, self.deployment
        values = {
            "L": str(setting.context),
            "T": str(1 if setting.phase == "decode" else setting.context),
            "batch": str(share.batch),
            "devices": str(share.devices),
            "tensor": str(deployment.tensor),
            "expert": str(deployment.expert),
            "pipeline": str(deployment.pipeline),
            "data": str(deployment.data),
            **{symbol: f"{name}.bits" for symbol, name in _ELEMENTS.items() if name in self.formats},
        }
        if setting.training:
            values |= {
                "positions": str(setting.context),
                "microbatches": str(deployment.micro_batches),
                "in_flight": str(min(deployment.micro_batches, deployment.pipeline)),
                "recomputed": str(int(setting.recompute == "layers")),
                **{f"spread_{what}": str(setting.sharded(what)) for what in SHARDS[1:]},
            }
        reserve = record.symbols.get("reserve")
        if setting.reserve is not None:
            values["reserve"] = _written(setting.reserve)
        elif reserve is not None and reserve.default is None:
            values["reserve"] = "as(0, byte)"
        return {name: values[name] for name in record.symbols if name in values}


class _Finder:
    def __init__(self, lookup: Lookup):
        self.lookup = lookup

    def __call__(self, folder: str, text: str) -> str:
        try:
            return self.lookup.reference(text if "/" in text else f"{folder}/{text}")
        except NotFound as error:
            raise ScenarioError(str(error)) from None


def _written(text: str) -> str:
    """A number of bytes as the formula language writes it: ``as(4294967296, byte)``."""
    number = _read("reserve", text, "byte", "a number of bytes, such as 4 GiB")
    return f"as({unparse(constant(number.middle))}, byte)"


def _read(what: str, text: str, unit: str, example: str) -> Quantity:
    """A quantity of a setting, in a given dimension and not negative."""
    try:
        number, given, _ = parse_quantity(text)
    except FormulaError as error:
        raise ScenarioError(f"{what} {text}: {error.message}") from None
    quantity = Quantity.of(number, given)
    if hard(quantity.dimension) != hard(parse_unit(unit).dimension) or number < 0:
        raise ScenarioError(f"{what} {text}: write {example}")
    return quantity


def _rate(text: str) -> Derivation:
    """The rate that replaces that of an accelerator's links."""
    quantity = _read("link rate", text, "byte/s", "bytes a second in one direction, such as 50 GB/s")
    if not quantity.middle:
        raise ScenarioError(f"link rate {text}: nothing would ever arrive")
    return Derivation(PEERS, quantity, parse_unit("byte/s"), means="rate of an accelerator's links, in one direction")


def plus(names: Iterable[str]) -> Node:
    """The sum of some dotted names."""
    return added([named(name) for name in names])


def named(name: str) -> Node:
    """A dotted name as a tree."""
    return Name(tuple(name.split(".")))


def added(nodes: list[Node]) -> Node:
    """The sum of some trees, no deeper than it must be."""
    while len(nodes) > 1:
        pairs = zip(nodes[::2], nodes[1::2], strict=False)
        rest = nodes[-1:] if len(nodes) % 2 else []
        nodes = [*(Binary("+", left, right) for left, right in pairs), *rest]
    return nodes[0]


def greatest(nodes: Iterable[Node]) -> Node:
    """The greatest of some trees."""
    found = tuple(nodes)
    return found[0] if len(found) == 1 else Call(("max",), found)


__all__ = ["FORMATS", "Cost", "Desk", "Terms", "added", "greatest", "named", "plus"]
