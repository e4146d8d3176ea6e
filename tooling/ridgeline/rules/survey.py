"""What rules know of many records at once: which there are, what they share, and what is usual among them.

Of each record a few *facts* are taken, as plain data. They can be kept, so that a question about all records needs no
record that has not changed. Each question that is asked is noted (:mod:`ridgeline.knowledge.tracing`), as
``die:nvidia/gh100``: a verdict holds as long as its questions have the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ridgeline.knowledge.scope import MODEL_SYMBOLS
from ridgeline.knowledge.tracing import note, noting
from ridgeline.numbers.units import Unit, parse_unit
from ridgeline.records.kinds import FOLDERS, KIND_OF_FOLDER
from ridgeline.rules.band import Band, Kind, outside
from ridgeline.rules.facts import Facts, facts_of

if TYPE_CHECKING:
    from ridgeline.knowledge.base import Knowledge
    from ridgeline.rules.rule import Context

#: Model, and the names that are known in each of its groups of layers.
Shape = tuple[str, tuple[frozenset[str], ...]]


class _Taken(Mapping[str, Facts]):
    """The facts of the records of a context, each taken once, when it is asked for."""

    def __init__(self, context: Context):
        self._context = context
        with noting(context.resolver.knowledge, set()):
            self._entries = dict(context.knowledge.entries.items())
        self._held: dict[str, Facts] = {}

    def __getitem__(self, reference: str) -> Facts:
        if reference not in self._held:
            with noting(self._context.resolver.knowledge, set()):
                self._held[reference] = facts_of(self._context, self._entries[reference])
        return self._held[reference]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Survey:
    """Answers from the facts of all records, which are in the order of their references."""

    def __init__(self, knowledge: Knowledge, facts: Mapping[str, Facts]):
        self._knowledge = knowledge
        self._facts = facts

    @classmethod
    def taken(cls, context: Context) -> Survey:
        """The survey of the records of a context; the facts of each are taken when a question needs them."""
        return cls(context.resolver.knowledge, _Taken(context))

    def answer(self, question: str) -> Any:
        """The answer to a question as it is noted, as plain data."""
        what, _, of = question.partition(":")
        match what:
            case "ids":
                return self._ids(of)
            case "readable":
                return self._readable(of)
            case "superseded":
                return self._facts.get(of, {}).get("superseded", "")
            case "secondary":
                return self._facts.get(of, {}).get("secondary", False)
            case "architectures":
                return self._architectures
            case "bits":
                return self._bits
            case "die":
                return self._dies.get(of, [])
            case "most":
                return self._most.get(of)
            case "unusual":
                return self._unusual.get(of)
            case "claimed":
                return self._claimed.get(of, [])
            case "shapes":
                return self._shapes
            case "known":
                return self._known
        raise ValueError(f"no such question: {question}")

    def _ask(self, question: str) -> Any:
        note(self._knowledge, question)
        return self.answer(question)

    # Questions

    def ids(self, folder: str) -> list[str]:
        """The ids of all records of a folder."""
        found: list[str] = self._ask(f"ids:{folder}")
        return found

    def references(self) -> list[str]:
        """The references of all records, folder by folder."""
        return [f"{folder}/{i}" for folder in sorted(FOLDERS.values()) for i in self.ids(folder)]

    def readable(self, kind: str) -> list[str]:
        """The ids of the records of a kind that can be read."""
        found: list[str] = self._ask(f"readable:{kind}")
        return found

    def superseded(self, source: str) -> str:
        """The id of the source that replaces one, given by its own id; empty for none."""
        found: str = self._ask(f"superseded:sources/{source}")
        return found

    def secondary(self, source: str | None) -> bool:
        """Whether a source, given by its id, is a copy of somebody else's numbers."""
        return source is not None and bool(self._ask(f"secondary:sources/{source}"))

    def architecture(self, name: str) -> str | None:
        """The reference of the architecture that accelerators call by a name."""
        found: dict[str, str] = self._ask("architectures:")
        return found.get(name.casefold())

    def bits(self) -> dict[str, Fraction]:
        """Bits that an element takes in memory, by format; scales left out."""
        return {name: Fraction(bits) for name, bits in self._ask("bits:").items()}

    def die(self, die: str) -> list[str]:
        """The references of the accelerators on one die, given as :func:`ridgeline.rules.facts.die_of` writes it."""
        found: list[str] = self._ask(f"die:{die}")
        return found

    def most_links(self, interconnect: str) -> int | None:
        """The largest number of links of a kind that a part has, as far as records say."""
        found: int | None = self._ask(f"most:{interconnect}")
        return found

    def unusual(self, kind: Kind, group: str, reference: str) -> Band | None:
        """What is usual among the others of a group, where the value of one of them is not."""
        found: list[str] | None = self._ask(f"unusual:{kind}/{group}/{reference}")
        return None if found is None else Band(Fraction(found[0]), Fraction(found[1]))

    def claimed(self, total: str, work: str) -> list[str]:
        """The classes that cover a piece of work of a step, one mention each."""
        found: list[str] = self._ask(f"claimed:{total}/{work}")
        return found

    def shapes(self) -> list[Shape]:
        """The models, and what is known of their layers."""
        return [(model, tuple(map(frozenset, groups))) for model, groups in self._ask("shapes:")]

    def known(self) -> dict[str, Unit | None]:
        """What :meth:`ridgeline.knowledge.resolve.Resolver.known_quantities` finds."""
        found: dict[str, Unit | None] = {name: parse_unit("byte") for name in MODEL_SYMBOLS}
        for name, unit in self._known:
            found[name] = None if unit is None else Unit(Fraction(unit[0]), tuple((s, e) for s, e in unit[1]))
        return found

    def names(self) -> frozenset[str]:
        """What :attr:`ridgeline.knowledge.base.Knowledge.names` finds."""
        return frozenset(name for facts in self._facts.values() for name in facts.get("names", ()))

    # Answers

    def _kind(self, kind: str) -> Iterable[tuple[str, Facts]]:
        """The readable records of a kind."""
        return ((r, self._facts[r]) for r in self._by_folder.get(FOLDERS[kind], ()) if "names" in self._facts[r])

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {folder: [] for folder in KIND_OF_FOLDER}
        for reference in self._facts:
            found.setdefault(reference.partition("/")[0], []).append(reference)
        return found

    def _ids(self, folder: str) -> list[str]:
        return [reference.partition("/")[2] for reference in self._by_folder.get(folder, ())]

    def _readable(self, kind: str) -> list[str]:
        return [reference.partition("/")[2] for reference, _ in self._kind(kind)]

    @cached_property
    def _architectures(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for reference, facts in self._kind("architecture"):
            for name in facts["names"]:
                found.setdefault(name.casefold(), reference)
        return found

    @cached_property
    def _bits(self) -> dict[str, str]:
        return {r.partition("/")[2]: facts["bits"] for r, facts in self._kind("format") if "bits" in facts}

    @cached_property
    def _dies(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for reference, facts in self._kind("accelerator"):
            if "die" in facts:
                found.setdefault(facts["die"], []).append(reference)
        return found

    @cached_property
    def _most(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for _, facts in self._kind("accelerator"):
            for interconnect, count in facts.get("links", ()):
                found[interconnect] = max(count, found.get(interconnect, count))
        return found

    @cached_property
    def _unusual(self) -> dict[str, list[str]]:
        values = (
            (kind, group, reference, Fraction(value))
            for reference, facts in self._kind("accelerator")
            for kind, group, value in facts.get("compared", ())
        )
        return {"/".join(key): [str(band.low), str(band.high)] for key, band in outside(values)}

    @cached_property
    def _claimed(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for reference, facts in self._kind("class"):
            for claim in facts.get("claims", ()):
                found.setdefault(claim, []).append(reference)
        return found

    @cached_property
    def _shapes(self) -> list[list[Any]]:
        return [[r.partition("/")[2], facts["shape"]] for r, facts in self._kind("model")]

    @cached_property
    def _known(self) -> list[list[Any]]:
        found: dict[str, Any] = {}
        seen: set[int] = set()
        for facts in self._facts.values():
            units = facts.get("units", ())
            # Records of one shape share their list, and a list says nothing new the second time.
            if id(units) not in seen:
                seen.add(id(units))
                for name, unit in units:
                    if found.get(name) is None:
                        found[name] = unit
        return [[name, unit] for name, unit in found.items() if unit is not None or name not in MODEL_SYMBOLS]


__all__ = ["Survey"]
