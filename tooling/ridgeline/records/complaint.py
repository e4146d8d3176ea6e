"""What the record types refuse, said so that the person who wrote the record can mend it."""

from __future__ import annotations

import re
import types
import typing
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ridgeline.findings.finding import Finding, Level
from ridgeline.records.common import DATE_PATTERN, ID_PATTERN, NAME_PATTERN, PART_DATE_PATTERN, Fact, Quantity
from ridgeline.records.kinds import Kind
from ridgeline.text.document import Document

Path = tuple[str | int, ...]

_MAX_PER_FILE = 50

#: Kind of pydantic's complaint → what the value must be.
_PLAIN = {
    "string_type": "text",
    "int_type": "an integer",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}
_WANTED = {
    "string_type": str,
    "int_type": int,
    "bool_type": bool,
    "list_type": list,
    "dict_type": dict,
    "model_type": dict,
}
_TYPE_HELP = {
    "int_type": "write the digits alone, without quotes, point or unit",
    "bool_type": "write true or false",
    "list_type": "write [one, two], or one line for each that starts with -",
    "dict_type": "write name: value on lines of its own",
    "model_type": "write name: value on lines of its own",
    "string_type": "write one text",
}
_QUANTITY_HELP = "write {value: 3.35 TB/s, source: ID, at: PLACE, checked: YYYY-MM-DD}"
#: In a complaint about fields that do not fit: the word that starts an advice, and the field that is wanted.
_ADVICE = re.compile(r": (correct|end|move|name|rename|say|set|state|write)\b")
_NEEDS = re.compile(r"\bneeds (?:the formula )?([a-z_]+): (.+)")
#: Pattern → the form in words, and the next step.
_PATTERN_HELP = {
    ID_PATTERN: ("an id", "write lower-case letters and digits, joined by hyphens"),
    NAME_PATTERN: ("a name", "write letters, digits and underscores, not starting with a digit"),
    DATE_PATTERN: ("YYYY-MM-DD", "write the day as YYYY-MM-DD"),
    PART_DATE_PATTERN: ("YYYY, YYYY-MM or YYYY-MM-DD", "write as much of the date as is known: YYYY-MM-DD"),
    r"^https?://[^\s<>\"']+$": ("a web address", "write a whole address that starts with https://"),
    r"^[a-z]+/[a-z0-9.-]+$": ("FOLDER/ID", "write the folder and the id of a record: models/llama-2-7b"),
    r"^[a-z_0-9]+(?:\.[a-z_0-9]+)*$": ("a dotted name", "write the name of a quantity: shared_memory.per_unit"),
}


def explain(document: Document, kind: Kind, error: ValidationError) -> list[Finding]:
    """One finding a place, in the order of the file; of the branches of a union only the one that fits best."""
    by_path: dict[Path, list[Any]] = {}
    for detail in error.errors(include_url=False, include_context=True):
        missing = detail["type"] == "missing"
        by_path.setdefault(_real_path(document.data, detail["loc"], missing), []).append(detail)
    findings = []
    for path, details in by_path.items():
        value = _value_at(document.data, path)
        best = min(details, key=lambda d: _misfit(d, value))
        # Another branch of the union fits the value itself, and has its complaint further in.
        if _misfit(best, value) == 2 and any(p[: len(path)] == path and p != path for p in by_path):
            continue
        findings.append(_Complaint(document, kind, path, best, value).finding())
    findings.sort(key=lambda f: (f.place.line, f.place.column))
    return findings[:_MAX_PER_FILE]


def _real_path(data: Any, loc: Path, missing: bool) -> Path:
    """The steps of pydantic's location that are keys of the data (it also names the branches of unions)."""
    path: list[str | int] = []
    for index, step in enumerate(loc):
        if step == "[key]":
            continue
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        elif missing and index == len(loc) - 1:
            pass
        else:
            continue
        path.append(step)
    return tuple(path)


def _value_at(data: Any, path: Path) -> Any:
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _misfit(detail: Any, value: Any) -> int:
    """How badly a branch of a union fits the value's own type: a list is not compared with a text's rules."""
    kind = detail["type"]
    if kind in _WANTED:
        return 0 if _WANTED[kind] is type(value) else 2
    return 0 if kind in ("missing", "extra_forbidden") else 1


def show(value: Any) -> str:
    """A value as the file writes it, cut short."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = " ".join(str(value).split())
    return (f"{text[:57]}…" if len(text) > 58 else text) or "nothing"


class _Complaint:
    """One complaint of pydantic's, with what is needed to say it well."""

    def __init__(self, document: Document, kind: Kind, path: Path, detail: Any, value: Any):
        self.document = document
        self.kind = kind
        self.path = path
        self.type: str = detail["type"]
        self.detail = detail
        self.context: dict[str, Any] = detail.get("ctx", {})
        self.is_key = "[key]" in detail["loc"]
        self.value = path[-1] if self.is_key and path else value
        self.name = _name(path[:-1]) if self.is_key else _name(path)

    def finding(self) -> Finding:
        if self.type == "missing":
            return self.missing()
        if self.type == "extra_forbidden":
            return self.unknown_field()
        if self.type == "literal_error":
            return self.unknown_word()
        if self.type in ("union_tag_invalid", "union_tag_not_found"):
            return self.unknown_kind()
        if self.type in _PLAIN:
            return self.wrong_type()
        if self.type == "value_error":
            message, mend = _advice(str(self.context["error"]))
            return self.say("inconsistent", message, found=show(self.value) if self.path else "", mend=mend)
        if self.type == "string_pattern_mismatch":
            pattern = str(self.context["pattern"])
            form, mend = _PATTERN_HELP.get(pattern, (pattern, ""))
            return self.say("bad-value", f"{self.subject()} is not {form}", expected=form, mend=mend)
        return self.out_of_bounds()

    def subject(self) -> str:
        shown = show(self.value)
        return f"the name {shown} in {self.name}" if self.is_key else f"{self.name}: {shown}"

    def missing(self) -> Finding:
        field = str(self.path[-1])
        owner = ".".join(map(str, self.path[:-1])) or "the record"
        from ridgeline.records.described import described

        described(self.kind.type)
        info = _field(model_at(self.kind, self.path[:-1], self.document.data), field)
        because = (info.description or "") if info is not None else ""
        return self.say(
            "missing-field", f"the field {field} is missing in {owner}", found="", mend=f"add {field}: {because}"
        )

    def unknown_field(self) -> Finding:
        model = model_at(self.kind, self.path[:-1], self.document.data)
        known = [str(f.alias or n) for n, f in model.model_fields.items()] if model else []
        field = str(self.path[-1])
        mend = did_you_mean(field, known) or f"known here are {', '.join(known)}"
        return self.say("unknown-field", f"unknown field {field}", found=field, mend=mend, key=True)

    def unknown_word(self) -> Finding:
        stated = str(self.context["expected"])
        allowed = [a.strip("' ") for a in stated.replace(" or ", ", ").split(", ")]
        mend = did_you_mean(str(self.value), allowed) or f"write one of {', '.join(allowed)}"
        message = f"{self.subject()} is not one of the words for it"
        return self.say("unknown-word", message, expected=" | ".join(allowed), mend=mend)

    def unknown_kind(self) -> Finding:
        """A mapping of one of several kinds that does not say, or not rightly, of which."""
        members = {kind: m for m in _members(_annotation_at(self.kind, self.path)) for kind in _tags(m)}
        self.path = (*self.path, "kind")
        if self.type == "union_tag_not_found":
            return self.missing_kind(members)
        self.value = self.context["tag"]
        mend = did_you_mean(str(self.value), members) or f"write one of {', '.join(members)}"
        message = f"kind: {show(self.value)} is not one of the words for it"
        return self.say("unknown-word", message, expected=" | ".join(members), mend=mend)

    def missing_kind(self, members: typing.Iterable[str]) -> Finding:
        owner = ".".join(map(str, self.path[:-1]))
        mend = f"add kind: one of {', '.join(members)}"
        return self.say("missing-field", f"the field kind is missing in {owner}", found="", mend=mend)

    def wrong_type(self) -> Finding:
        wanted = _PLAIN[self.type]
        shown = f"the text {self.value!r}" if isinstance(self.value, str) else show(self.value)
        mend = _TYPE_HELP[self.type]
        if self.type == "string_type" and isinstance(self.value, int | bool):
            mend = "quote it"
        elif self.type == "model_type":
            model = model_at(self.kind, self.path)
            if model is not None and issubclass(model, Quantity | Fact):
                mend = _QUANTITY_HELP
        return self.say("wrong-type", f"{self.name} must be {wanted}, not {shown}", expected=wanted, mend=mend)

    def out_of_bounds(self) -> Finding:
        """Too small, too large, too short, too long."""
        c, subject = self.context, self.subject()
        size = len(self.value) if isinstance(self.value, str | list | dict) else 0
        if self.type in ("greater_than_equal", "less_than_equal"):
            bound = f"at least {c['ge']:,}" if "ge" in c else f"at most {c['le']:,}"
        elif "min_length" in c or "max_length" in c:
            low = "min_length" in c and self.type in ("too_short", "string_too_short")
            number = c["min_length"] if low else c["max_length"]
            units = "entries" if self.type in ("too_short", "too_long") else "characters"
            if low and not size:
                return self.say("bad-value", f"{self.name} is empty", mend="write it, or leave the field out")
            bound = f"{'at least' if low else 'at most'} {number:,} {units}"
            subject = f"{self.name} has {size:,} {units}"
        else:
            message = str(self.detail["msg"])
            return self.say("bad-value", f"{subject}: {message[:1].lower()}{message[1:]}", mend="correct the value")
        return self.say("bad-value", f"{subject}; it must be {bound}", expected=bound, mend=f"write {bound}")

    def say(
        self,
        rule: str,
        message: str,
        *,
        found: str | None = None,
        expected: str = "",
        mend: str = "",
        key: bool = False,
    ) -> Finding:
        return finding(
            self.document,
            rule,
            self.path,
            message,
            found=show(self.value) if found is None else found,
            expected=expected,
            mend=mend,
            key=key or self.is_key,
        )


def finding(
    document: Document,
    rule: str,
    path: Path,
    message: str,
    *,
    mend: str = "",
    found: str = "",
    expected: str = "",
    key: bool = False,
) -> Finding:
    """An error at a field of a record."""
    folder, _, name = document.path.rpartition("/")
    return Finding(
        rule,
        Level.ERROR,
        document.place(path, key=key),
        message,
        mend=mend.strip(),
        found=found[:80],
        expected=expected,
        record=f"{folder.rpartition('/')[2]}/{name.removesuffix('.yaml')}",
        field=".".join(map(str, path)),
    )


def _advice(message: str) -> tuple[str, str]:
    """What does not fit, and the next step: the words that say what to do, else what is always true."""
    advice = _ADVICE.search(message)
    if advice is not None:
        return message[: advice.start()], message[advice.end() - len(advice[1]) :]
    wanted = _NEEDS.search(message)
    return message, f"add {wanted[1]}: {wanted[2]}" if wanted else "correct one of the fields: they go together"


def _name(path: Path) -> str:
    """``range``; for an entry of a list, ``entry 2 of range``."""
    if not path:
        return "the record"
    if isinstance(path[-1], int):
        return f"entry {path[-1] + 1} of {_name(path[:-1])}"
    return path[-1]


def _field(model: type[BaseModel] | None, key: str | int) -> Any:
    if model is None:
        return None
    return next((f for n, f in model.model_fields.items() if (f.alias or n) == key), None)


def model_at(kind: Kind, path: Path, data: Any = None) -> type[BaseModel] | None:
    """The model whose fields stand at a path of a record, if a model does; of several kinds, the one the data names."""
    annotation = _annotation_at(kind, path)
    value = _value_at(data, path)
    tag = value.get("kind") if isinstance(value, dict) else None
    return next((m for m in _members(annotation) if tag in _tags(m)), None) or _model(annotation)


def _annotation_at(kind: Kind, path: Path) -> Any:
    annotation: Any = kind.type
    for step in path:
        annotation = _step(annotation, step)
    return annotation


def _members(annotation: Any) -> list[type[BaseModel]]:
    """The models of a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (typing.Union, types.UnionType):
        return [m for a in get_args(annotation) for m in _members(a)]
    return []


def _tags(model: type[BaseModel]) -> tuple[str, ...]:
    """The words of a model's `kind`, where it is one of several that are told apart by it."""
    info = model.model_fields.get("kind")
    return get_args(info.annotation) if info is not None and get_origin(info.annotation) is Literal else ()


def _step(annotation: Any, step: str | int) -> Any:
    """The type of an entry of a list, a value of a mapping, or a field of a model."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _step(get_args(annotation)[0], step)
    if origin in (typing.Union, types.UnionType):
        return next((t for a in get_args(annotation) if (t := _step(a, step)) is not None), None)
    if origin in (list, dict):
        return get_args(annotation)[-1]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        info = _field(annotation, step)
        return None if info is None else info.annotation
    return None


def _model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is Annotated or get_origin(annotation) in (typing.Union, types.UnionType):
        return next((m for a in get_args(annotation) if (m := _model(a)) is not None), None)
    return None


def did_you_mean(word: str, known: typing.Iterable[str]) -> str:
    """``did you mean …?`` for the nearest known word, or nothing."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1, 0.6)
    return f"did you mean {near[0]}?" if near else ""
