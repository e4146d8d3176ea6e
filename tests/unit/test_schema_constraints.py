"""Every constraint of every published schema, with an example that passes and one that fails for nothing else.

The constraints are listed from the schema file alone. For each, a record that holds is taken, one value of it is replaced by
one that breaks this constraint and no other, and a validator of schemas and our own reading are asked about both. They have
to agree, and no constraint may be left without such a pair.
"""

from __future__ import annotations

import copy
import json
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

import jsonschema
import pytest
from pydantic import BaseModel

from ridgeline.records import hints
from ridgeline.records.kinds import Kind, versions
from ridgeline.records.schema import schema as schema_of
from ridgeline.records.validate import validate
from ridgeline.text.document import Document
from tests.conftest import REPOSITORY

VERSIONS = versions()
#: Keywords that refuse something by themselves.
LEAVES = ("type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems",
          "minProperties", "maxProperties")  # fmt: skip
#: Keywords that refuse nothing: they lead on, or are read by editors.
SILENT = frozenset(
    [
        "$schema",
        "$id",
        "$ref",
        "title",
        "description",
        "default",
        "examples",
        "enumDescriptions",
        "markdownEnumDescriptions",
        "definitions",
        "properties",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "discriminator",
        "propertyNames",
    ]
)
Constraint = tuple[str, str]


def listed(body: dict[str, Any]) -> set[Constraint]:
    """Every constraint of a schema: where it stands, and its keyword; of ``required`` one for each field."""
    found: set[Constraint] = set()
    stack: list[tuple[str, Any]] = [("", body)]
    while stack:
        at, node = stack.pop()
        for word, value in node.items():
            if word in LEAVES:
                found.add((at, word))
            elif word == "required":
                found |= {(at, f"required {key}") for key in value}
            elif word == "additionalProperties":
                if value is False:
                    found.add((at, word))
                elif isinstance(value, dict):
                    stack.append((f"{at}/additionalProperties", value))
            elif word == "patternProperties":
                found |= {(at, f"patternProperties {pattern}") for pattern in value}
                stack += [(f"{at}/patternProperties/{pattern}", inner) for pattern, inner in value.items()]
            elif word in ("properties", "definitions"):
                stack += [(f"{at}/{word}/{key}", inner) for key, inner in value.items()]
            elif word in ("items", "propertyNames"):
                stack.append((f"{at}/{word}", value))
            elif word in ("anyOf", "oneOf", "allOf"):
                stack += [(f"{at}/{word}/{index}", inner) for index, inner in enumerate(value)]
            else:
                assert word in SILENT, f"a keyword that this test does not know: {word} at {at}"
    return found


# Records in which each field stands.

CLAIM = {"value": "3.35 TB/s", "source": "acme", "checked": "2026-11-30"}
ORIGIN = {"source": "acme", "checked": "2026-11-30"}
SAY = {"say": "at 591 tokens"}
COUNTED = {"counted": "flops", "by": "linear"}
LEFT_OUT = {**COUNTED, "leaves_out": "L", "vanishes_with": "L", "because": "It is of lower order."}
PART = {
    "part_of": ["prefill"],
    "covers": ["attention"],
    "formulas": {"flops": {"unit": "flop", "is": "2"}, "compute_time": {"unit": "s", "is": "flops / peak"}},
}
#: Type and field → the fields that have to stand beside it, where the fields a type demands are not enough; ``None`` takes
#: one away.
BESIDE: dict[tuple[str, str], dict[str, Any]] = {
    ("Quantity", "from"): {"value": None, "source": None, "at": None, "checked": None, "basis": "derived"},
    ("Quantity", "claims"): {"value": None, "claims": [{**CLAIM, "preferred": True, "why": "It is newer."}, CLAIM]},
    ("Figure", "each"): {"is": None},
    ("Figure", "holds"): {"is": None},
    ("Figure", "source"): {"is": None, **ORIGIN},
    ("Figure", "at"): {"is": None, **ORIGIN},
    ("Figure", "checked"): {"is": None, **ORIGIN},
    ("Figure", "unverified"): {"is": None},
    ("Figure", "set_aside"): {"is": None},
    ("ClassFormula", "solve"): {"is": None},
    ("Property", "falls"): {"rises": None},
    ("Property", "tends"): {"rises": None, "to": 1},
    ("Property", "to"): {"rises": None, "tends": "share"},
    ("Property", "toward"): {"rises": None, "tends": "share", "to": 1},
    ("Property", "within"): {"rises": None, "with": None, "range": [0, 1]},
    ("Property", "range"): {"rises": None, "with": None, "within": "share"},
    ("Property", "counted"): {"rises": None, "with": None, **COUNTED},
    ("Property", "by"): {"rises": None, "with": None, **COUNTED},
    ("Property", "of"): {"rises": None, "with": None, **COUNTED},
    ("Property", "traffic"): {"rises": None, "with": None, **COUNTED},
    ("Property", "operations"): {"rises": None, "with": None, **COUNTED},
    ("Property", "leaves_out"): {"rises": None, "with": None, **LEFT_OUT},
    ("Property", "vanishes_with"): {"rises": None, "with": None, **LEFT_OUT},
    ("Property", "because"): {"rises": None, "with": None, **LEFT_OUT},
    ("Property", "where"): {"rises": None, "with": None, **COUNTED},
    ("Property", "multiples"): {"rises": None, "with": None, **COUNTED},
    ("Workload", "part_of"): PART,
    ("Workload", "covers"): PART,
    ("Format", "super_scale"): {"scale": {"block": 32, "bits": 8}},
    ("LatentAttention", "indexer"): {"q_rank": 1536},
    ("Interconnect", "efficiency"): {"rates": "net"},
}


def holder(model: type[BaseModel], key: str | None = None) -> dict[str, Any]:
    """A mapping of a type that holds, with a field in it."""
    made = copy.deepcopy(hints.whole(model))
    if key is None:
        return made
    beside = next((BESIDE[t.__name__, key] for t in model.__mro__ if (t.__name__, key) in BESIDE), {})
    made[key] = copy.deepcopy(hints.example(model, key))
    for other, value in copy.deepcopy(beside).items():
        if value is None:
            made.pop(other, None)
        else:
            made[other] = value
    return made


def branches(annotation: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """The models that stand at a field, each with how: alone, in a list, under a name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield "alone", annotation
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from branches(get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType):
        for inner in get_args(annotation):
            yield from branches(inner)
    elif origin in (list, dict):
        for _, model in branches(get_args(annotation)[-1]):
            yield ("list" if origin is list else "name"), model


class Record:
    """Builds whole records of a kind around a mapping of one of the types that it is made of."""

    def __init__(self, kind: Kind):
        self.root: type[BaseModel] = kind.type
        self.kind = kind
        self.models = hints.models(kind.type)
        self._way: dict[str, tuple[type[BaseModel], str, str]] = {}
        queue = [self.root]
        for model in queue:
            for name, field in model.model_fields.items():
                for how, inner in branches(field.annotation):
                    if inner.__name__ not in self._way and inner is not self.root:
                        self._way[inner.__name__] = (model, str(field.alias or name), how)
                        queue.append(inner)

    def around(self, model: type[BaseModel], value: Any) -> Any:
        """The record that has a value in the place of a mapping of a type."""
        while model is not self.root:
            parent, key, how = self._way[model.__name__]
            whole = holder(parent, key)
            if how == "list":
                # Claims are for sources that disagree.
                whole[key] = [value, CLAIM] if key == "claims" else [value]
            else:
                whole[key] = value if how == "alone" else {next(iter(whole[key])): value}
            model, value = parent, whole
        return value


# Values that break one constraint.

OTHERS: list[Any] = [7, "seven", True, 8.5, ["seven"], {"seven": 7}, None]


class Breaker:
    """All values at a field that break one constraint of its schema, each with the constraint."""

    def __init__(self, body: dict[str, Any]):
        self.definitions = body.get("definitions", {})

    def holds(self, node: dict[str, Any], value: Any) -> bool:
        return bool(jsonschema.Draft7Validator({**node, "definitions": self.definitions}).is_valid(value))

    def sample(self, node: dict[str, Any], value: Any) -> Any:
        """A value that one branch of a union takes."""
        first = value[0] if isinstance(value, list) and value else "x"
        for candidate in (value, [value], [value, value], first, "x", 1, None, {"x": 1}, {"x": "y"}):
            if self.holds(node, candidate):
                return candidate
        raise AssertionError(f"no value for {node}")

    def breaks(
        self, at: str, node: dict[str, Any], value: Any, whole: dict[str, Any]
    ) -> Iterator[tuple[Constraint, Any]]:
        """``node`` is the schema of the value, ``whole`` that of the field: what breaks the one must suit no other branch."""
        for word in LEAVES:
            if word in node:
                for candidate in self.candidates(word, node, value):
                    if word == "type" and not self.foreign(whole, candidate):
                        continue
                    if not self.holds(whole, candidate) and self.alone(word, node, candidate):
                        yield (at, word), candidate
                        break
        for union in ("anyOf", "oneOf"):
            for index, branch in enumerate(node.get(union, [])):
                if "$ref" in branch:
                    # Its constraints are those of the definition.
                    continue
                yield from self.breaks(f"{at}/{union}/{index}", branch, self.sample(branch, value), whole)
        if "items" in node and value:
            for constraint, bad in self.breaks(f"{at}/items", node["items"], value[0], node["items"]):
                yield constraint, [bad, *value[1:]]
        if node.get("type") == "object" and "properties" not in node:
            yield from self.names(at, node, value)

    def foreign(self, whole: dict[str, Any], value: Any) -> bool:
        """Whether a value has the type of no branch."""
        branches = [b for union in ("anyOf", "oneOf") for b in whole.get(union, [])] or [whole]
        wanted = [b.get("type", "object") for b in branches]
        return not any(self.holds({"type": name}, value) for name in wanted)

    def names(self, at: str, node: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[Constraint, Any]]:
        """A mapping with names of the author's."""
        name, inner = next(iter(value.items()))
        for pattern, schema in node.get("patternProperties", {}).items():
            yield (at, f"patternProperties {pattern}"), {"not a name": inner}
            yield (at, "additionalProperties"), {"not a name": inner}
            for constraint, bad in self.breaks(f"{at}/patternProperties/{pattern}", schema, inner, schema):
                yield constraint, {name: bad}
        if isinstance(node.get("additionalProperties"), dict):
            schema = node["additionalProperties"]
            for constraint, bad in self.breaks(f"{at}/additionalProperties", schema, inner, schema):
                yield constraint, {name: bad}
        if "propertyNames" in node:
            schema = node["propertyNames"]
            for constraint, bad in self.breaks(f"{at}/propertyNames", schema, name, schema):
                if isinstance(bad, str):
                    yield constraint, {bad: inner}

    def candidates(self, word: str, node: dict[str, Any], value: Any) -> Iterator[Any]:
        limit = node[word]
        if word == "type":
            yield from OTHERS
        elif word in ("enum", "const"):
            yield from ("nothing-of-the-kind", 1023)
        elif word == "pattern":
            yield from ("!", f"{value}!", f"{value} x")
        elif word == "minLength":
            yield str(value)[: limit - 1]
        elif word == "maxLength":
            yield str(value) + "a" * (limit + 1 - len(str(value)))
            yield "a" * (limit + 1)
        elif word in ("minimum", "maximum"):
            yield limit + (1 if word == "maximum" else -1)
        elif word == "minItems":
            yield list(value)[: limit - 1]
        elif word == "maxItems":
            yield (list(value) * (limit + 1))[: limit + 1]
        elif word == "minProperties":
            yield dict(list(value.items())[: limit - 1])
        elif word == "maxProperties":
            yield {f"x{index}": next(iter(value.values())) for index in range(limit + 1)}

    def alone(self, word: str, node: dict[str, Any], value: Any) -> bool:
        """Whether a value breaks this constraint of a schema and no other."""
        errors = list(jsonschema.Draft7Validator({**node, "definitions": self.definitions}).iter_errors(value))
        # A type that is wrong makes a closed list wrong as well.
        words = {e.validator for e in errors} - ({"enum", "const"} if word == "type" else set())
        return words == {word}


def cases(kind: Kind) -> Iterator[tuple[Constraint, Any, Any]]:
    """Each constraint of a schema with a record that passes and one that fails."""
    body = schema_of(kind)
    record, breaker = Record(kind), Breaker(body)
    nodes = [("", record.root, body)]
    nodes += [(f"/definitions/{name}", record.models[name], node) for name, node in body["definitions"].items()]
    for at, model, node in nodes:
        good = record.around(model, holder(model))
        yield (at, "type"), good, record.around(model, 7)
        yield (at, "additionalProperties"), good, record.around(model, {**holder(model), "stray": 7})
        for key in node.get("required", []):
            less = {k: v for k, v in holder(model).items() if k != key}
            yield (at, f"required {key}"), good, record.around(model, less)
        for key, field in node["properties"].items():
            whole = holder(model, key)
            good = record.around(model, whole)
            value = whole[key]
            for constraint, bad in breaker.breaks(f"{at}/properties/{key}", field, value, field):
                yield constraint, good, record.around(model, {**whole, key: bad})


# What the two say.


def ours(kind: Kind, data: Any) -> bool:
    """Whether our own reading takes a record."""
    name = data["id"] if isinstance(data, dict) and isinstance(data.get("id"), str) else "x"
    record, findings = validate(Document(f"records/{kind.folder}/{name}.yaml", "", data))
    return record is not None and findings == []


def reasons(error: Any) -> list[Any]:
    """The complaints of a validator of schemas: of a union, those of the branch that fits best."""
    if not error.context:
        return [error]
    by_branch: dict[Any, list[Any]] = {}
    for inner in error.context:
        by_branch.setdefault(inner.schema_path[0], []).append(inner)

    def misfit(errors: list[Any]) -> tuple[bool, int]:
        # Another type, or another kind, is another branch.
        another = any(e.validator in ("type", "const") and len(e.relative_path) <= 1 for e in errors)
        return another, len(errors)

    best = min(by_branch.values(), key=misfit)
    return [reason for inner in best for reason in reasons(inner)]


@pytest.mark.parametrize("stated", VERSIONS)
def test_every_constraint_has_a_passing_and_an_isolated_failing_example(stated: str) -> None:
    kind = VERSIONS[stated]
    body = json.loads((REPOSITORY / "schema" / kind.schema_name).read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(body)
    covered: set[Constraint] = set()
    passed: set[str] = set()
    for constraint, good, bad in cases(kind):
        text = json.dumps(good, sort_keys=True)
        if text not in passed:
            passed.add(text)
            assert [e.message for e in validator.iter_errors(good)] == [], (constraint, good)
            assert ours(kind, good), (constraint, good)
        assert text != json.dumps(bad, sort_keys=True)
        errors = list(validator.iter_errors(bad))
        assert len({tuple(e.absolute_path) for e in errors}) == 1, (constraint, bad)
        found = {r.validator for e in errors for r in reasons(e)}
        wanted = constraint[1].split(" ")[0].replace("patternProperties", "additionalProperties")
        assert wanted in found, (constraint, found)
        assert found <= {wanted, *(("enum", "const") if wanted == "type" else ())}, (constraint, found)
        assert not ours(kind, bad), (constraint, bad)
        covered.add(constraint)
    assert covered == listed(body)


def test_the_list_of_constraints_is_long_enough_to_mean_something() -> None:
    counts = {stated: len(listed(schema_of(kind))) for stated, kind in VERSIONS.items()}
    assert min(counts.values()) > 140
    assert sum(counts.values()) > 2_500


def test_a_constraint_that_the_types_lack_would_be_noticed() -> None:
    kind = VERSIONS["source/1"]
    body = schema_of(kind)
    body["properties"]["publisher"]["maxLength"] = 5
    assert ("/properties/publisher", "maxLength") in listed(body)
    long = {**holder(kind.type), "publisher": "longer"}
    assert not jsonschema.Draft7Validator(body).is_valid(long)
    assert ours(kind, long)
