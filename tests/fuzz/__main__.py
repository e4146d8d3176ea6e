"""Coverage-guided fuzzing of what reads strangers' text: ``python -m tests.fuzz TARGET [libFuzzer options]``.

Targets: ``document`` (YAML), ``numerals``, ``formulas``, ``figures`` (equations in prose). Each must answer with findings
or its own error, never with anything else. Not part of the test run; ``make fuzz`` gives each target a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

import atheris

with atheris.instrument_imports(include=["ridgeline"]):
    from ridgeline.figures import equations
    from ridgeline.formulas.errors import Budget, FormulaError
    from ridgeline.formulas.evaluate import evaluate
    from ridgeline.formulas.parser import parse, parse_quantity, unparse
    from ridgeline.formulas.quantity import Quantity
    from ridgeline.numbers import read
    from ridgeline.text.document import read as read_document


def document(data: bytes) -> None:
    """The strict reader: never raises, and every position it gives lies inside the file."""
    found = read_document("records/classes/x.yaml", data)
    lines = data.count(b"\n") + 2
    for finding in found.findings:
        assert 1 <= finding.place.line <= lines
    if found.data is not None:
        for key, value in found.spans.values():
            assert 0 <= value.start <= value.end <= len(found.source)
            assert key is None or key.start <= key.end


def numerals(data: bytes) -> None:
    """The numeral reader: never raises, and every digit lies inside one of its numerals."""
    text = data.decode("utf-8", "ignore")
    covered = [False] * len(text)
    end = 0
    for numeral in read(text):
        assert numeral.at >= end
        assert text[numeral.at : numeral.end] == numeral.text
        end = numeral.end
        covered[numeral.at : numeral.end] = [True] * len(numeral.text)
    assert all(c or not ("0" <= text[i] <= "9") for i, c in enumerate(covered))


def formulas(data: bytes) -> None:
    """The formula language: a value or a FormulaError, and printing a tree and reading it again gives the same tree."""
    text = data.decode("utf-8", "ignore")
    try:
        tree = parse(text)
    except FormulaError:
        tree = None
    if tree is not None:
        assert parse(unparse(tree)) == tree
        with suppress(FormulaError):
            evaluate(tree, lambda name: Quantity.of(len(name.text)), budget=Budget())
    with suppress(FormulaError):
        parse_quantity(text)


def figures(data: bytes) -> None:
    """Equations in prose: found and checked without raising."""
    text = data.decode("utf-8", "ignore")
    found = read(text)
    for equation in equations.find(text, found):
        equations.check(equation, found)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "document": document,
    "numerals": numerals,
    "formulas": formulas,
    "figures": figures,
}


def main() -> None:
    """Fuzz one target."""
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        raise SystemExit(f"usage: python -m tests.fuzz {{{','.join(TARGETS)}}} [libFuzzer options]")
    atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
