"""The traps of YAML, one file each: refused by name, or read as what was written. Nothing is read as something else."""

from __future__ import annotations

import pytest

from ridgeline.text.document import read

#: A file → the rule that refuses it, and a word of its next step.
REFUSED: dict[str, tuple[str, str, str]] = {
    "no": ("a: no\n", "yaml-misread", "true or false"),
    "yes as a key": ("yes: 1\n", "yaml-misread", "true or false"),
    "on": ("a: on\n", "yaml-misread", "true or false"),
    "off in a list": ("a: [off]\n", "yaml-misread", "true or false"),
    "a capital True": ("a: True\n", "yaml-misread", "true or false"),
    "1e12": ("a: 1e12\n", "yaml-misread", "quote it"),
    "1.5E+3": ("a: 1.5E+3\n", "yaml-misread", "quote it"),
    "octal": ("a: 010\n", "yaml-misread", "drop the zero"),
    "octal with o": ("a: 0o17\n", "yaml-misread", "decimal"),
    "hexadecimal": ("a: 0x1F\n", "yaml-misread", "decimal"),
    "underscores": ("a: 1_000\n", "yaml-misread", "quote it"),
    "base 60": ("a: 12:30\n", "yaml-misread", "quote it"),
    "a bare point": ("a: .5\n", "yaml-misread", "both sides"),
    "a plus sign": ("a: +1\n", "yaml-misread", "plus sign"),
    "infinity": ("a: .inf\n", "yaml-misread", "null"),
    "not a number": ("a: .nan\n", "yaml-misread", "null"),
    "a capital Null": ("a: NULL\n", "yaml-misread", "null"),
    "a key twice": ("a: 1\na: 2\n", "yaml-duplicate-key", "keep one"),
    "a key twice in brackets": ("a: {b: 1, b: 2}\n", "yaml-duplicate-key", "keep one"),
    "an anchor": ("a: &x 1\n", "yaml-alias", "remove it"),
    "an alias": ("a: &x 1\nb: *x\n", "yaml-alias", "remove it"),
    "a merge key": ("a:\n  <<: {b: 1}\n", "yaml-alias", "write the values out"),
    "a tag": ("a: !!python/object:os.system x\n", "yaml-tag", "remove it"),
    "a tab": ("a:\n\tb: 1\n", "yaml-syntax", "spaces"),
    "a colon in a text": ("a: b: c\n", "yaml-syntax", "quote a text"),
    "an open quote": ("a: 'b\n", "yaml-syntax", "close the quote"),
    "an open bracket": ("a: [b\n", "yaml-syntax", ""),
    "a second document": ("a: 1\n---\na: 2\n", "yaml-documents", "one file"),
    "folded text": ("a: >\n  b\n  c\n", "yaml-folded", "block literal"),
    "a list as a key": ("? [a]\n: 1\n", "yaml-key", "plain word"),
    "a carriage return": ("a: 1\r\n", "carriage-return", "line feeds"),
    "a character that turns text round": ("a: b\u202ec\n", "control-character", "delete it"),
}
#: A file → what it says, to every reader of YAML 1.2 as to ours.
READ: dict[str, tuple[str, object]] = {
    # Some readers take it for a date: the schema then refuses it, and ours never does.
    "an unquoted date": ("a: 2026-11-30\n", {"a": "2026-11-30"}),
    "a month": ("a: 2026-11\n", {"a": "2026-11"}),
    "a quoted word": ("a: 'no'\n", {"a": "no"}),
    "a quoted number": ("a: '010'\n", {"a": "010"}),
    "a decimal": ("a: 3.350\n", {"a": "3.350"}),
    "an integer": ("a: 42\n", {"a": 42}),
    "a truth value": ("a: true\n", {"a": True}),
    "nothing": ("a: null\nb:\n", {"a": None, "b": None}),
    "a version": ("a: 12.4.1\n", {"a": "12.4.1"}),
    "one letter as a key": ("n: 1\ny: 2\n", {"n": 1, "y": 2}),
    "a block literal": ("a: |\n  b: c\n  # d\n", {"a": "b: c\n# d\n"}),
}


@pytest.mark.parametrize("trap", REFUSED)
def test_a_trap_is_refused_by_name(trap: str) -> None:
    text, rule, step = REFUSED[trap]
    finding = read("records/sources/x.yaml", text.encode()).findings[0]
    assert finding.rule == rule
    assert finding.mend
    assert step in finding.mend
    assert finding.place.path == "records/sources/x.yaml"
    assert finding.place.line >= 1


@pytest.mark.parametrize("what", READ)
def test_what_is_plain_is_read_as_it_stands(what: str) -> None:
    text, wanted = READ[what]
    document = read("x.yaml", text.encode())
    assert document.findings == []
    assert document.data == wanted
    assert all(type(document.data[k]) is type(wanted[k]) for k in document.data)  # type: ignore[index]
