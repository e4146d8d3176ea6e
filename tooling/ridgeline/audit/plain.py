"""Markdown and plain text read as blocks: fences, tables, headings, lists, program output in aligned columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ridgeline.audit.blocks import BlockKind, Builder, Document, Pieces

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ ]*([\w+-]*)")
_OUTPUT = frozenset({"", "text", "txt", "console", "output", "plain", "plaintext", "none", "log", "tsv"})
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+\S")
_ITEM = re.compile(r"[ \t]{0,8}(?:[-*+•‣◦][ \t]+|[0-9]{1,3}[.)][ \t]+)")
_RULE = re.compile(r"[ ]{0,3}\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_GAP = re.compile(r"\t+|[ ]{2,}")
_TOKEN = re.compile(r"\S+")
_BARE = re.compile(r"[~≈-]?[0-9][0-9,._]*(?:e[+-]?[0-9]{1,3})?[%×x]?")
_DIGIT = re.compile(r"[0-9]")
#: What is left out of Markdown text: emphasis marks at the edge of a word, link targets, images.
_MARK = re.compile(
    r"!?\[(?P<words>[^\[\]\n]{0,300})\]\([^()\s]{0,500}(?:[ ]\"[^\"\n]{0,200}\")?\)"
    r"|(?<![\w*])(?P<open>\*{1,3}|_{1,3})(?=[^\s*_])|(?<=[^\s*_])(?P<close>\*{1,3}|_{1,3})(?![\w*])"
)
_CODE = re.compile(
    r"^\s*(?:def |class |for .*:\s*(?:#.*)?$|while .*:\s*$|if .*:\s*(?:#.*)?$|elif |else:|return\b|import |from \S+ import |print\(|with .*:\s*$"
    r"|assert |@\w|\#include|const |let |var |function |\}|\{|//|\$ )|[\w.\])]+\([^()]*\)\s*(?:#.*)?$"
    r"|^\s*[A-Za-z_][\w.]*(?:\[[^\]\n]{0,60}\])?(?:\s*,\s*[A-Za-z_][\w.]*){0,6}\s*[-+*/]?=\s*(?:[^.\n]|\.\S)*(?:\w[(\[]|@|\s#|\bnp\.|\btorch\.)"
    r"|^\s*#\s|^\s*pip install"
)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    at: int


def blocks(document: Document) -> None:
    """Fill in the blocks and tables of a Markdown or plain-text document."""
    reader = _Reader(document)
    paragraph: list[_Line] = []
    fence, language = "", ""
    for line in _lines(document.source):
        match = _FENCE.match(line.text) if document.form == "markdown" else None
        if fence:
            if match and match.group(1).startswith(fence) and not line.text.strip(" `~"):
                reader.fenced(paragraph, language)
                paragraph, fence = [], ""
            else:
                paragraph.append(line)
        elif match:
            reader.paragraph(paragraph)
            paragraph, fence, language = [], match.group(1), match.group(2).lower()
        elif not line.text.strip():
            reader.paragraph(paragraph)
            paragraph = []
        else:
            paragraph.append(line)
    if fence:
        reader.fenced(paragraph, language)
    else:
        reader.paragraph(paragraph)


def _lines(source: str) -> Iterator[_Line]:
    at = 0
    for text in source.split("\n"):
        yield _Line(text.rstrip("\r"), at)
        at += len(text) + 1


class _Reader:
    def __init__(self, document: Document) -> None:
        self.builder = Builder(document)
        self.markdown = document.form == "markdown"

    def fenced(self, lines: list[_Line], language: str) -> None:
        """The lines of a code fence: a program's output where no programming language is named."""
        if language not in _OUTPUT or (not language and code_like(lines)):
            self.plain(lines, BlockKind.CODE)
        else:
            self.aligned(lines, BlockKind.OUTPUT)

    def paragraph(self, lines: list[_Line]) -> None:
        """Lines without an empty one between them."""
        start = 0
        for end in range(len(lines) + 1):
            last = end == len(lines)
            if last or _HEADING.match(lines[end].text) or _ITEM.match(lines[end].text):
                self.run(lines[start:end])
                start = end
            if not last and self.markdown and _HEADING.match(lines[end].text):
                self.plain(lines[end : end + 1], BlockKind.HEADING)
                start = end + 1

    def run(self, lines: list[_Line]) -> None:
        """A paragraph or list item, or a table drawn with bars, or columns aligned by tabs or spaces."""
        if not lines:
            return
        bars = next((i for i in range(1, len(lines)) if _RULE.match(lines[i].text) and "|" in lines[i - 1].text), 0)
        if bars:
            self.run(lines[: bars - 1])
            end = bars + 1
            while end < len(lines) and "|" in lines[end].text:
                end += 1
            self.bars([lines[bars - 1], *lines[bars + 1 : end]])
            self.run(lines[end:])
        elif code_like(lines):
            self.plain(lines, BlockKind.CODE)
        elif _ITEM.match(lines[0].text):
            self.plain(lines, BlockKind.ITEM)
        else:
            self.aligned(lines, BlockKind.PARAGRAPH)

    def bars(self, lines: list[_Line]) -> None:
        rows = []
        for line in lines:
            row, at = [], line.at
            text = line.text
            first = len(text) - len(text.lstrip())
            begin = first + 1 if text[first : first + 1] == "|" else first
            for part in _cells(text, begin):
                row.append(self.pieces(text[part[0] : part[1]], at + part[0]))
            rows.append(row)
        self.builder.table(rows, headed=True)

    def aligned(self, lines: list[_Line], kind: BlockKind) -> None:
        """Stretches of lines with the same number of columns are tables; what stands around them is prose."""
        at = 0
        fields = [_fields(line.text) for line in lines]
        while at < len(lines):
            end = at + 1
            while end < len(lines) and len(fields[end]) == len(fields[at]):
                end += 1
            if len(fields[at]) >= 2 and end - at >= 3 and _numeric(lines[at:end], fields[at:end]):
                first = lines[at].text
                headed = not any(_number(first[a:b]) for a, b in fields[at][-2:])
                self.builder.table(
                    [
                        [self.pieces(line.text[a:b], line.at + a) for a, b in spans]
                        for line, spans in zip(lines[at:end], fields[at:end], strict=True)
                    ],
                    headed=headed,
                )
                at = end
                continue
            stop = at + 1
            while stop < len(lines) and not (
                len(fields[stop]) >= 2 and stop + 2 < len(lines)
                and len(fields[stop]) == len(fields[stop + 1]) == len(fields[stop + 2])
            ):  # fmt: skip
                stop += 1
            self.plain(lines[at:stop], kind)
            at = stop

    def plain(self, lines: list[_Line], kind: BlockKind) -> None:
        if not lines:
            return
        if kind is BlockKind.PARAGRAPH:
            runs = _programs(lines)
            if len(runs) > 1:
                for run, code in runs:
                    self.plain(run, BlockKind.CODE if code else BlockKind.OUTPUT)
                return
        pieces = Pieces()
        for index, line in enumerate(lines):
            text, at = line.text, line.at
            if kind is BlockKind.ITEM and index == 0:
                match = _ITEM.match(text)
                text, at = (text[match.end() :], at + match.end()) if match else (text, at)
            self.fill(pieces, text, at, literal=kind in (BlockKind.CODE, BlockKind.OUTPUT))
            if index < len(lines) - 1:
                pieces.add("\n", line.at + len(line.text))
        self.builder.block(kind, pieces)

    def pieces(self, text: str, at: int) -> Pieces:
        pieces = Pieces()
        self.fill(pieces, text, at)
        return pieces

    def fill(self, pieces: Pieces, text: str, at: int, *, literal: bool = False) -> None:
        """A line, without emphasis marks and link targets."""
        if not self.markdown or literal:
            pieces.add(text, at)
            return
        position = 0
        for match in _MARK.finditer(text):
            pieces.add(text[position : match.start()], at + position)
            if match["words"]:
                pieces.add(match["words"], at + match.start("words"))
            position = match.end()
        pieces.add(text[position:], at + position)


def _cells(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """The cells of a row drawn with bars, as offsets; an escaped bar does not divide."""
    start = begin
    for at in range(begin, len(text)):
        if text[at] == "|" and text[at - 1 : at] != "\\":
            yield start, at
            start = at + 1
    if text[start:].strip():
        yield start, len(text)


def _fields(text: str) -> list[tuple[int, int]]:
    """The columns of a line: runs of text between tabs or two spaces; a line of numbers alone, at every space."""
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    if len(tokens) > 1 and all(_BARE.match(text, a, b) and _BARE.match(text, a, b).end() == b for a, b in tokens):  # type: ignore[union-attr]
        return tokens
    spans, start = [], 0
    for gap in _GAP.finditer(text):
        if gap.start() > start:
            spans.append((start, gap.start()))
        start = gap.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


_NUMBER = re.compile(r"[~≈<>±$€₹]{0,2}\s?-?[0-9][0-9,._]*(?:e[+-]?[0-9]+)?\s?[A-Za-z%×/µ]{0,12}\.?$")


def _number(text: str) -> bool:
    return _NUMBER.match(text.strip()) is not None


def _numeric(lines: list[_Line], fields: list[list[tuple[int, int]]]) -> bool:
    """Whether most rows below the first hold a number in their own column."""
    rows = list(zip(lines, fields, strict=True))[1:]
    good = sum(any(_DIGIT.search(line.text[a:b]) for a, b in spans[1:] or spans) for line, spans in rows)
    return 2 * good >= len(rows)


def code_like(lines: list[_Line]) -> bool:
    """Whether most lines read like a program."""
    return 2 * sum(_CODE.search(line.text[:300]) is not None for line in lines) > len(lines)


def _programs(lines: list[_Line]) -> list[tuple[list[_Line], bool]]:
    """Lines split where a program of two lines or more begins or ends, and whether each part is one."""
    flags = [_CODE.search(line.text[:300]) is not None for line in lines]
    runs: list[tuple[list[_Line], bool]] = []
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or flags[at] != flags[start]:
            code = flags[start] and at - start > 1
            if runs and runs[-1][1] == code:
                runs[-1][0].extend(lines[start:at])
            else:
                runs.append((lines[start:at], code))
            start = at
    return runs
