"""YAML read strictly: what two readers could take for two things is a finding, at once and at its place."""

from __future__ import annotations

import time

import pytest

from ridgeline.findings.finding import Place
from ridgeline.text.document import read

PATH = "records/sources/x.yaml"

#: What stands after `value: ` on line 2 → whether it is refused as a value that can be misread.
MISREAD = [
    *("yes", "no", "on", "off", "y", "n", "Yes", "NO", "On", "OFF", "Y", "N", "True", "FALSE"),
    *("Null", "NULL", "010", "0777", "-012", "0_7", "00", "0x1F", "0o17", "0b11", "-0x1"),
    *("1_000", "12_3.5", "1e12", "1E5", "1.5e-3", "-2e+8", "1.e3", ".5e2", ".5", "5.", "-.5", "+.5"),
    *(".inf", "-.Inf", ".NaN", "12:30", "1:20:30", "190:20:30.15", "+5", "+1.5"),
]
PLAIN = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
    "0": 0,
    "-7": -7,
    "1024": 1024,
    "3.350": "3.350",
    "-0.5": "-0.5",
    "3.35 TB/s": "3.35 TB/s",
    "2026-11-30": "2026-11-30",
    "12:30:61": "12:30:61",
    "nothing": "nothing",
    "onto": "onto",
    "1e12 flop": "1e12 flop",
    "0x1G": "0x1G",
    "'no'": "no",
    '"010"': "010",
    "'1e12'": "1e12",
    "9" * 40: int("9" * 40),
    "9" * 41: "9" * 41,
}


@pytest.mark.parametrize("text", MISREAD)
def test_a_value_that_can_be_misread(text: str) -> None:
    document = read(PATH, f"id: x\nvalue: {text}\n")
    (finding,) = document.findings
    assert (finding.rule, finding.place) == ("yaml-misread", Place(PATH, 2, 8, len(text)))
    assert finding.message == f"{text} can be read as two different values"
    assert "quote it" in finding.mend or "write" in finding.mend


@pytest.mark.parametrize("text", ["yes", "off", "True", "NULL", "010", "0x1F", "1e3", "12:30", "1_000"])
def test_a_key_that_can_be_misread(text: str) -> None:
    document = read(PATH, f"id: x\n{text}: 5\n")
    assert [(f.rule, f.place) for f in document.findings] == [("yaml-misread", Place(PATH, 2, 1, len(text)))]


@pytest.mark.parametrize("text", PLAIN, ids=repr)
def test_a_value_that_all_readers_agree_on(text: str) -> None:
    document = read(PATH, f"value: {text}\n")
    assert document.findings == []
    assert document.data == {"value": PLAIN[text]}
    assert type(document.data["value"]) is type(PLAIN[text])


def test_symbols_of_one_letter_are_keys() -> None:
    assert read(PATH, "n: 1\ny: 2\nN: 3\n").data == {"n": 1, "y": 2, "N": 3}


#: Name of the trap → the file, and the rule, line, column and length of each finding.
TRAPS: dict[str, tuple[bytes, list[tuple[str, int, int, int]]]] = {
    "duplicate key": (b"id: x\nname: a\nid: z\n", [("yaml-duplicate-key", 3, 1, 2)]),
    "duplicate key inside": (b"id: x\nat:\n  aa: 1\n  b: 2\n  aa: 3\n", [("yaml-duplicate-key", 5, 3, 2)]),
    "duplicate key in flow": (b"id: {a: 1, b: 2, 'a': 3}\n", [("yaml-duplicate-key", 1, 18, 1)]),
    "anchor": (b"a: &one 5\nb: 6\n", [("yaml-alias", 1, 4, 1)]),
    "anchor and alias": (b"a: &one 5\nb: *one\n", [("yaml-alias", 1, 4, 1), ("yaml-alias", 2, 4, 1)]),
    "merge key": (b"a: {x: 1}\nb:\n  <<: {y: 2}\n", [("yaml-alias", 3, 3, 1)]),
    "alias bomb": (
        b"a: &a [x, x, x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (c, c, b", ".join([b"*%c" % (c - 1)] * 9)) for c in b"bcdefghi"),
        [("yaml-alias", 1, 4, 1), ("yaml-alias", 2, 4, 1), ("yaml-alias", 2, 8, 1)],
    ),
    "tag": (b"a: !!python/object/apply:os.system [ls]\n", [("yaml-tag", 1, 4, 1)]),
    "tag on text": (b"id: x\nb: !!str 5\n", [("yaml-tag", 2, 4, 1)]),
    "tag on a key": (b"id: x\n!!binary b: 5\n", [("yaml-tag", 2, 1, 1)]),
    "tab indentation": (b"a:\n\tb: 1\n", [("yaml-syntax", 2, 1, 1)]),
    "tab indentation of a deeper line": (b"a:\n  b: 1\n\tc: 1\n", [("yaml-syntax", 3, 1, 1)]),
    "folded text": (b"a: 1\nb: >\n  x\n  y\n", [("yaml-folded", 2, 4, 1)]),
    "two documents": (b"a: 1\n---\nb: 2\n", [("yaml-documents", 2, 1, 1)]),
    "byte order mark": (b"\xef\xbb\xbfa: 1\n", [("control-character", 1, 1, 1)]),
    "CRLF": (b"a: 1\r\nb: 2\r\n", [("carriage-return", 1, 5, 1)]),
    "CR in the middle": (b"a: 1\nb: 2\rc\n", [("carriage-return", 2, 5, 1)]),
    "NUL": (b"a: 1\nb: x\0y\n", [("control-character", 2, 5, 1)]),
    "right-to-left override": ("a: 1\nb: é\u202e5\n".encode(), [("control-character", 2, 5, 1)]),
    "isolate": ("a: 12\u20663\n".encode(), [("control-character", 1, 6, 1)]),
    "zero-width space in a number": ("a: 12\u200b3\n".encode(), [("control-character", 1, 6, 1)]),
    "soft hyphen": ("a: 12\u00ad3\n".encode(), [("control-character", 1, 6, 1)]),
    "line separator": ("a: 12\u20283\n".encode(), [("control-character", 1, 6, 1)]),
    "next line": ("a: 12\u00853\n".encode(), [("control-character", 1, 6, 1)]),
    "private use": ("a: 12\ue0003\n".encode(), [("control-character", 1, 6, 1)]),
    "no character": ("a: 12\uffff3\n".encode(), [("control-character", 1, 6, 1)]),
    "escaped NUL": (b'a: "x\\0"\n', [("control-character", 1, 4, 5)]),
    "escaped override": (b'a: "x\\u202E5"\n', [("control-character", 1, 4, 10)]),
    "escaped private use": (b'a: "x\\uE0005"\n', [("control-character", 1, 4, 10)]),
    "escape in a key": (b'"x\\u200b": 1\n', [("control-character", 1, 1, 9)]),
    "not UTF-8": (b"a: 1\nb: caf\xe9\n", [("not-utf-8", 2, 7, 1)]),
    "cut in a character": ("a: é".encode()[:-1], [("not-utf-8", 1, 4, 1)]),
    "UTF-16": ("a: 1\n".encode("utf-16"), [("not-utf-8", 1, 1, 1)]),
    "surrogate": (b"a: \xed\xa0\x80\n", [("not-utf-8", 1, 4, 1)]),
    "deep flow nesting": (b"a: " + b"[" * 900 + b"]" * 900, [("yaml-too-deep", 1, 27, 1)]),
    # libyaml looks ahead and gives up by itself.
    "deepest flow nesting": (b"a: " + b"[" * 9_000, [("yaml-too-deep", 1, 1_003, 1)]),
    "deep block nesting": (
        b"\n".join(b" " * i + b"a:" for i in range(200)) + b" 1\n",
        [("yaml-too-deep", 25, 25, 1)],
    ),
    "list in list": (b"- " * 400 + b"x\n", [("yaml-too-deep", 1, 49, 1)]),
    "unclosed brackets": (b"a: [1, 2\nb: 3\n", [("yaml-syntax", 2, 2, 1)]),
    "unclosed quote": (b"a: 1\nb: 'x\nc: 3\n", [("yaml-syntax", 2, 4, 1)]),
    "bad escape": (b'a: "x\\q"\n', [("yaml-syntax", 1, 6, 1)]),
    "colon in a plain text": (b"a: 1\nb: x: y\n", [("yaml-syntax", 2, 5, 1)]),
    "wrong indentation": (b"a: 1\n  b: 2\n", [("yaml-syntax", 2, 4, 1)]),
    "unknown anchor": (b"a: *nowhere\n", [("yaml-alias", 1, 4, 1)]),
    "collection as key": (b"? [1, 2]\n: 3\n", [("yaml-key", 1, 3, 1)]),
    "directive": (b"%YAML 3.0\n---\na: 1\n", [("yaml-syntax", 1, 1, 1)]),
    "ten megabytes in a line": (b"a: " + b"9" * 10_000_000, [("file-too-large", 1, 1, 1)]),
    "a long line": (b"a: 1\nb: " + b"9" * 30_000 + b"\n", [("line-too-long", 2, 1, 1)]),
    "many values": (b"a:\n" + b"- 1\n" * 25_000, [("yaml-too-many-nodes", 19_999, 3, 1)]),
    "many long keys": (
        b"".join(b"k%05d: {a: 1}\n" % i for i in range(9_000)),
        [("yaml-too-many-nodes", 5_000, 13, 1)],
    ),
    "many question marks": (b"? " * 9_000, [("yaml-key", 1, 3, 1)]),
    "many braces": (b"{" * 900, [("yaml-key", 1, 2, 1)]),
    "many anchors": (
        b"".join(b"a%d: &b%d 1\n" % (i, i) for i in range(3)),
        [("yaml-alias", n, 5, 1) for n in (1, 2, 3)],
    ),
}


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_a_finding_at_its_place_at_once(name: str) -> None:
    source, expected = TRAPS[name]
    start = time.process_time()
    document = read(PATH, source)
    # Positions are read a second time: they must be as quick, and raise as little.
    document.place(("a",), at=3)
    taken = time.process_time() - start
    found = [(f.rule, f.place.line, f.place.column, f.place.length) for f in document.findings]
    assert found == expected
    assert all(f.place.path == PATH and f.mend for f in document.findings)
    assert taken < 3


@pytest.mark.parametrize(
    ("source", "message", "mend"),
    [
        ("a: [1, 2\nb: 3\n", "did not find expected ',' or ']'", "close the bracket"),
        ("a: 1\nb: 'x\nc: 3\n", "the quoted text that starts here is never closed", "close the quote"),
        ("a: half: b\n", "mapping values are not allowed in this context", "quote a text that holds a colon"),
        ("a: @x\n", "found character that cannot start a text: @", "quote the text"),
        ("a: 1\n\tb: 2\n", "a tab stands where YAML wants spaces", "indent with spaces"),
        ("a: 'x' y\n", "did not find expected key", "quote the whole text"),
    ],
)
def test_a_syntax_error_says_what_to_type(source: str, message: str, mend: str) -> None:
    (finding,) = read(PATH, source).findings
    assert finding.message == message
    assert finding.mend.startswith(mend) or mend in finding.mend


def test_a_file_that_stops_early_gives_no_data() -> None:
    assert read(PATH, b"a: 1\nb: [\n").data is None
    assert read(PATH, b"a: 1\n---\nb: 1\n").data is None


def test_a_file_with_a_fault_that_reading_survives_gives_all_its_faults() -> None:
    document = read(PATH, b"a: no\nb: >\n  x\na: 0x1\nc: +5\n")
    assert [(f.rule, f.place.line) for f in document.findings] == [
        ("yaml-misread", 1),
        ("yaml-folded", 2),
        ("yaml-duplicate-key", 4),
        ("yaml-misread", 4),
        ("yaml-misread", 5),
    ]


SOURCE = """\
# a comment
id: x
name: "A name" # and a comment
memory:
  capacity: {value: 80 GB, at: "page 3"}
peaks:
- rate: 989.4 TFLOP/s
- rate:
    value: 1979 TFLOP/s
text:
  notes: |2
      1 first

     22 second
"""


@pytest.mark.parametrize(
    ("path", "options", "expected"),
    [
        ((), {}, (2, 1, 5)),
        (("id",), {}, (2, 5, 1)),
        (("id",), {"key": True}, (2, 1, 2)),
        (("name",), {}, (3, 7, 8)),
        (("name",), {"at": 2, "length": 4}, (3, 10, 4)),
        (("memory",), {}, (5, 3, 38)),
        (("memory",), {"key": True}, (4, 1, 6)),
        (("memory", "capacity"), {}, (5, 13, 28)),
        (("memory", "capacity", "value"), {"at": 0, "length": 2}, (5, 21, 2)),
        # What is missing is shown at the key of the nearest thing that is there.
        (("memory", "bandwidth", "value"), {}, (4, 1, 6)),
        (("memory", "capacity", "source"), {"key": True}, (5, 3, 8)),
        (("peaks", 0, "rate"), {}, (7, 9, 13)),
        (("peaks", 1, "rate", "value"), {}, (9, 12, 12)),
        (("peaks", 1, "rate", "source"), {}, (8, 3, 4)),
        (("peaks", 7, "rate"), {}, (6, 1, 5)),
        (("nothing", "here"), {}, (2, 1, 1)),
        (("text", "notes"), {"at": 2, "length": 1}, (12, 7, 1)),
        (("text", "notes"), {"at": 12, "length": 2}, (14, 6, 2)),
        # A piece that runs over several lines is shown on its first.
        (("text", "notes"), {"at": 2, "length": 12}, (12, 7, 7)),
        (("text", "notes"), {"at": 9_999, "length": 3}, (14, 15, 1)),
    ],
)
def test_places(path: tuple[str | int, ...], options: dict[str, int], expected: tuple[int, int, int]) -> None:
    place = read(PATH, SOURCE).place(path, **options)
    assert (place.line, place.column, place.length) == expected


def test_columns_count_code_points() -> None:
    document = read(PATH, 'a: "𝕃 = é 5"\n')
    assert document.place(("a",), at=6, length=1) == Place(PATH, 1, 11, 1)
    assert document.source[document.offset(("a",), 6)] == "5"


def test_a_number_written_as_escapes_spans_the_escapes() -> None:
    document = read(PATH, r'a: "is \x312 or \u00332"' + "\n")
    assert document.data == {"a": "is 12 or 32"}
    assert document.place(("a",), at=3, length=2) == Place(PATH, 1, 8, 5)
    assert document.place(("a",), at=9, length=2) == Place(PATH, 1, 17, 7)
