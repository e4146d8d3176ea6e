"""From libyaml's events to plain values, refusing whatever two readers could take for two different things."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml._yaml import CParser

from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.text.decode import UNSEEN
from ridgeline.text.scalar import Span

Path = tuple[str | int, ...]
Value = Any  # None | bool | int | str | list[Value] | dict[str, Value]

MAX_DEPTH = 24
MAX_NODES = 20_000

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,39})\Z")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+\Z")
#: Plain scalars that other YAML readers take for something else, and how to write what was meant.
_MISREAD: tuple[tuple[str, str], ...] = (
    (
        r"(?:y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF|True|TRUE|False|FALSE)\Z",
        "some YAML readers take it for a boolean: write true or false, or quote it",
    ),
    (r"(?:Null|NULL)\Z", "write null, or quote it"),
    (r"[-+]?0[0-9_]+\Z", "some readers take a leading zero for octal: drop the zero, or quote it"),
    (r"[-+]?0[xob][0-9a-fA-F_]+\Z", "write a decimal integer, or quote it"),
    (r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?\Z", "some readers drop the underscores: quote it"),
    (
        r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+\Z",
        "read as a number by some readers and as text by others: quote it, or write the digits out",
    ),
    (r"[-+]?(?:\.[0-9]+|[0-9]+\.)\Z", "write digits on both sides of the point, or quote it"),
    (r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z", "there is no such value in a record: write null"),
    (r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?\Z", "some readers take it for a base-60 number: quote it"),
    (r"\+[0-9]", "write the number without a plus sign, or quote it"),
)
#: Any of them; most scalars are none, and this says so in one step.
_SUSPECT = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _MISREAD))

_SYNTAX_MEND = "mend the YAML at this place; the rest of the file was not read"
#: Words of libyaml's message → the next step.
_SYNTAX_HELP = (
    ("mapping values are not allowed", "quote a text that holds a colon and a space, or mend the indentation"),
    ("cannot start any token", "quote the text"),
    ("unknown escape", "double the backslash, or quote the text with '"),
    ("expected ',' or", "close the bracket, or put a comma between the entries"),
    ("expected ':'", "write key: value; start a text of several lines with |"),
    ("expected key", "mend the indentation, or quote the whole text above"),
    ("expected '-'", "mend the indentation: a list and a mapping stand at the same column"),
    ("alphabetic or numeric", "quote a text that starts with * or &"),
    ("sequence entries are not allowed", "start the list on a line of its own"),
)


class _Stop(Exception):
    """Reading cannot go on; the finding is already recorded."""


class Builder:
    """Turns events into plain values with an explicit stack, so that no nesting can exhaust the interpreter's."""

    def __init__(self, path: str, source: str, positions: bool = False):
        self.path = path
        self.source = source
        self.findings: list[Finding] = []
        self.root: Value = None
        self.spans: dict[Path, tuple[Span | None, Span]] = {}
        self.broken = False
        self._positions = positions
        self._nodes = 0

    def _refuse(self, rule: str, mark: Any, message: str, mend: str = "", because: str = "", length: int = 1) -> None:
        place = Place(self.path, mark.line + 1, mark.column + 1, length)
        self.findings.append(Finding(rule, Level.ERROR, place, message, mend=mend, because=because))

    def run(self) -> None:
        try:
            self._drain(CParser(self.source))
        except yaml.YAMLError as error:
            self.broken = True
            self._syntax(error)
        except _Stop:
            self.broken = True

    def _syntax(self, error: Any) -> None:
        """The finding for what libyaml refuses, in words that say what to type."""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
        if mark is None:
            self.findings.append(Finding("yaml-syntax", Level.ERROR, Place(self.path), problem, mend=_SYNTAX_MEND))
            return
        if "exceeded maximum" in problem:
            self._refuse("yaml-too-deep", mark, f"nested deeper than {MAX_DEPTH} levels", "flatten the record")
            return
        character = self.source[mark.index : mark.index + 1]
        if "tab character" in problem or ("cannot start any token" in problem and character == "\t"):
            self._refuse("yaml-syntax", mark, "a tab stands where YAML wants spaces", "indent with spaces")
            return
        if "end of stream" in problem and context is not None:
            self._refuse("yaml-syntax", context, "the quoted text that starts here is never closed", "close the quote")
            return
        mend = next((mend for words, mend in _SYNTAX_HELP if words in problem), _SYNTAX_MEND)
        because = ""
        if context is not None and context.line != mark.line:
            because = f"it belongs to what starts at {context.line + 1}:{context.column + 1}"
        self._refuse("yaml-syntax", mark, problem.replace("any token", f"a text: {character}"), mend, because)

    def _drain(self, parser: Any) -> None:
        get, scalar = parser.get_event, self._scalar
        # Frames: [container, pending key or None, awaiting key?, key mark, start event, path]
        stack: list[list[Any]] = []
        documents = 0
        while True:
            event = get()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._count(event)
                if event.anchor is not None or event.tag is not None:
                    self._refuse_decoration(event)
                frame = stack[-1] if stack else None
                if frame is not None and frame[2]:
                    self._key(frame, event)
                    continue
                value = scalar(event)
                if frame is None:
                    self.root = value
                    if self._positions:
                        self.spans[()] = (None, self._span(event))
                    continue
                self._place(frame, value, event, event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._count(event)
                if event.anchor is not None or event.tag is not None:
                    self._refuse_decoration(event)
                if len(stack) >= MAX_DEPTH:
                    self._refuse(
                        "yaml-too-deep",
                        event.start_mark,
                        f"nested deeper than {MAX_DEPTH} levels",
                        "flatten the record",
                    )
                    raise _Stop
                mapping = kind is yaml.MappingStartEvent
                container: Value = {} if mapping else []
                path: Path = ()
                if not stack:
                    self.root = container
                else:
                    frame = stack[-1]
                    if frame[2]:
                        self._refuse(
                            "yaml-key", event.start_mark, "a key must be text, not a collection", "write a plain word"
                        )
                        raise _Stop
                    path = self._place(frame, container, event, None)
                stack.append([container, None, mapping, None, event, path, stack[-1][3] if stack else None])
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                frame = stack.pop()
                if self._positions:
                    start = frame[4].start_mark
                    span = Span(start.index, event.end_mark.index, start.line, start.column)
                    self.spans[frame[5]] = (frame[6], span)
                if stack and type(stack[-1][0]) is dict:
                    stack[-1][2] = True
            elif kind is yaml.AliasEvent:
                self._refuse(
                    "yaml-alias",
                    event.start_mark,
                    f"alias *{event.anchor} is not allowed in a record",
                    "write the value out: every value stands at one place with its own source",
                )
                raise _Stop
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._refuse(
                        "yaml-documents",
                        event.start_mark,
                        "a second document starts here",
                        "one file is one record: remove the line ---",
                    )
                    raise _Stop
            elif kind is yaml.StreamEndEvent:
                return

    def _count(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self._refuse(
                "yaml-too-many-nodes",
                event.start_mark,
                f"more than {MAX_NODES:,} values in one file",
                "split the record",
            )
            raise _Stop

    def _refuse_decoration(self, event: Any) -> None:
        if event.anchor is not None:
            self._refuse(
                "yaml-alias",
                event.start_mark,
                f"anchor &{event.anchor} is not allowed in a record",
                "remove it: every value stands at one place with its own source",
            )
        else:
            self._refuse("yaml-tag", event.start_mark, f"tag {event.tag} is not allowed in a record", "remove it")

    def _key(self, frame: list[Any], event: Any) -> None:
        key = event.value
        if event.style == '"':
            self._escapes(event)
        elif not event.style and len(key) != 1:
            self._misread(event)
        if key in frame[0]:
            self._refuse(
                "yaml-duplicate-key",
                event.start_mark,
                f"key {key!r} stands twice in this mapping",
                "keep one of the two",
                length=len(key),
            )
        elif key == "<<" and not event.style:
            self._refuse(
                "yaml-alias", event.start_mark, "merge keys (<<) are not allowed in a record", "write the values out"
            )
        frame[1] = key
        frame[2] = False
        frame[3] = self._span(event) if self._positions else None

    def _place(self, frame: list[Any], value: Value, event: Any, scalar: Any) -> Path:
        container = frame[0]
        if type(container) is dict:
            container[frame[1]] = value
            step: str | int = frame[1]
            # A nested container leaves the frame waiting for its end.
            frame[2] = scalar is not None
        else:
            container.append(value)
            step = len(container) - 1
        if not self._positions:
            return ()
        path: Path = (*frame[5], step)
        if scalar is not None:
            self.spans[path] = (frame[3] if type(container) is dict else None, self._span(event))
        return path

    def _escapes(self, event: Any) -> None:
        """Characters that no file may hold may not come in through an escape either."""
        bad = UNSEEN.search(event.value)
        if bad:
            self._refuse(
                "control-character",
                event.start_mark,
                f"an escape stands for U+{ord(bad.group()):04X}, a character that nobody sees",
                "delete the escape",
                length=max(1, event.end_mark.index - event.start_mark.index),
            )

    def _scalar(self, event: Any) -> Value:
        text: str = event.value
        style = event.style
        if style:
            if style == '"':
                self._escapes(event)
            if style == ">":
                self._refuse(
                    "yaml-folded", event.start_mark, "folded text (>) loses its line breaks", "use a block literal (|)"
                )
            return text
        first = text[:1]
        if first.isalpha() and len(text) > 5:
            return text
        if text in ("", "null", "~"):
            return None
        if text == "true":
            return True
        if text == "false":
            return False
        if first in "-0123456789":
            if _INTEGER.match(text):
                return int(text)
            if _DECIMAL.match(text):
                return text
        self._misread(event)
        return text

    def _misread(self, event: Any) -> None:
        text: str = event.value
        if not _SUSPECT.match(text):
            return
        for pattern, mend in _MISREAD:
            if re.match(pattern, text):
                because, _, step = mend.rpartition(": ") if "readers" in mend else ("", "", mend)
                self._refuse(
                    "yaml-misread",
                    event.start_mark,
                    f"{text[:40]} can be read as two different values",
                    step,
                    because,
                    length=len(text),
                )
                return

    def _span(self, event: Any) -> Span:
        start, end, style = event.start_mark, event.end_mark.index, event.style or ""
        indent = self._indent(event) if style in ("|", ">") else 0
        return Span(start.index, end, start.line, start.column, style, indent)

    def _indent(self, event: Any) -> int:
        """Columns that the lines of a block scalar lose: its first line with anything on it, before and after."""
        body = self.source[event.start_mark.index : event.end_mark.index].split("\n")[1:]
        for line, value in zip(body, event.value.split("\n"), strict=False):
            if line.strip(" "):
                spaces = len(line) - len(line.lstrip(" "))
                # Folded lines are joined, so only what stands before the first word can be compared.
                return spaces - (len(value) - len(value.lstrip(" ")))
        return 0
