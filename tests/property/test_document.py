"""Every character of a text, however the file writes it, is found again at its own place in the file."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeline.text.document import Document, read

WORDS = st.sampled_from(
    ["12", "3.35", "989.5", "4,096", "1e6", "L", "ridge", "é", "𝕃", "·", "tokens,", "(7)", "it’s", "x²", "70B"]
)
LINE = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)
BLANKS = st.integers(0, 2)


@st.composite
def block(draw: st.DrawFn, margin: int) -> str:
    """A block literal, with or without an indentation indicator, with every chomping and ragged lines."""
    step = draw(st.integers(1, 4))
    explicit = draw(st.booleans())
    chomp = draw(st.sampled_from(["", "-", "+"]))
    comment = draw(st.sampled_from(["", "  # 5 is a comment"]))
    lines = []
    for number, line in enumerate(draw(st.lists(LINE, min_size=1, max_size=5))):
        for _ in range(draw(BLANKS)):
            # An empty line may be shorter than the indentation; longer only where an indicator fixes that.
            lines.append(" " * draw(st.integers(0, step + margin)))
        extra = draw(st.integers(0, 3)) if explicit or number else 0
        lines.append(" " * (margin + step + extra) + line + draw(st.sampled_from(["", " ", "  ", "\t"])))
    lines += [""] * draw(BLANKS)
    digit = str(step) if explicit else ""
    head = draw(st.sampled_from([digit + chomp, chomp + digit]))
    return f"|{head}{comment}\n" + "\n".join(lines) + "\n"


@st.composite
def flow(draw: st.DrawFn, margin: int) -> str:
    """A plain or quoted text over several lines, with empty lines and escapes."""
    quote = draw(st.sampled_from(["", "'", '"']))
    parts = [draw(LINE) if quote else "so " + draw(LINE)]
    inside = {
        "": ["word", "7.5"],
        "'": ["''", "it''s 31", '"', "\\", " # 8", ": 9"],
        '"': [r"\"", r"\t44", r"\n45", r"\\", r"\u00e946", r"\U0001d54347", r"\x4148", r"\ 49", "'", "#", r"\/50"],
    }[quote]
    for _ in range(draw(st.integers(0, 4))):
        joint = draw(st.sampled_from(["space", "break", "continued", "inside"]))
        if joint == "break":
            blank = "".join(" " * draw(st.integers(0, 3)) + "\n" for _ in range(draw(BLANKS)))
            parts.append(
                draw(st.sampled_from(["", " ", " \t"])) + "\n" + blank + " " * (margin + draw(st.integers(1, 4)))
            )
        elif joint == "continued" and quote == '"':
            empty = "\n" * draw(BLANKS)
            parts.append(draw(st.sampled_from(["", " "])) + "\\\n" + empty + " " * (margin + draw(st.integers(1, 3))))
        elif joint == "inside":
            parts.append(" " + draw(st.sampled_from(inside)))
        else:
            parts.append(" ")
        parts.append("or " + draw(LINE))
    return quote + "".join(parts) + quote + "\n"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A record's shape: a mapping, with a mapping and a sequence of texts inside."""
    source = draw(st.sampled_from(["", "# 1 comment\n", "---\n"]))
    for name in draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True)):
        source += f"{name}: " + draw(st.one_of(block(0), flow(0)))
    if draw(st.booleans()):
        source += "inner:\n" + "".join(
            f"  {name}: " + draw(st.one_of(block(2), flow(2)))
            for name in draw(st.lists(st.sampled_from(["x", "“y”", "'z 5'"]), min_size=1, max_size=3, unique=True))
        )
    if draw(st.booleans()):
        items = draw(st.lists(st.one_of(block(2), flow(2)), min_size=1, max_size=3))
        source += "list:\n" + "".join("  - " + item for item in items)
    return source


def texts(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, str):
        return [(path, value)]
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, child in children for found in texts(child, (*path, key))]


def held(document: Document, line: int, column: int, length: int) -> str:
    return document.source.split("\n")[line - 1][column - 1 : column - 1 + length]


@settings(max_examples=250)
@given(documents())
def test_the_source_at_a_numerals_place_is_the_numeral(source: str) -> None:
    document = read("records/classes/x.yaml", source)
    assert not document.findings
    assert document.data
    for path, text in texts(document.data):
        for match in re.finditer(r"[0-9][0-9.,e]*", text):
            place = document.place(path, at=match.start(), length=len(match.group()))
            assert held(document, place.line, place.column, place.length) == match.group()
            at = document.offset(path, match.start())
            assert source[at : at + len(match.group())] == match.group()


@settings(max_examples=120)
@given(documents())
def test_every_character_stands_where_it_is_said_to(source: str) -> None:
    document = read("records/classes/x.yaml", source)
    for path, text in texts(document.data):
        before = -1
        for index, character in enumerate(text):
            at = document.offset(path, index)
            assert at > before
            before = at
            if not character.isspace() and source[at] != "\\":
                assert source[at] == character


@given(st.text(max_size=300))
def test_reading_never_raises(source: str) -> None:
    document = read("records/classes/x.yaml", source)
    assert document.data is None or not any(f.rule == "yaml-syntax" for f in document.findings)


@given(st.binary(max_size=300))
def test_reading_bytes_never_raises(source: bytes) -> None:
    document = read("records/classes/x.yaml", source)
    for finding in document.findings:
        assert finding.place.line >= 1
        assert finding.place.column >= 1


@given(st.text(alphabet=" \n\t:-|>[]{}&*!'\"#?,%@`abc01", max_size=120))
def test_nearly_yaml_never_raises_and_every_finding_has_a_place_in_the_file(source: str) -> None:
    document = read("records/classes/x.yaml", source)
    lines = source.count("\n") + 1
    for finding in document.findings:
        assert 1 <= finding.place.line <= lines + 1
        assert finding.mend or finding.rule == "yaml-key"
    for path in document.spans:
        assert document.place(path).line <= lines + 1
        assert document.place(path, key=True, at=0).length >= 1
