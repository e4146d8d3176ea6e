"""Every formula a second time, in SQL: the database computes each derivation from the recorded doubles by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from ridgeline.findings.finding import Finding, Level, Place
from ridgeline.store.derivations import Row

#: Largest relative difference between the exact value and the value in doubles.
TOLERANCE = 1e-9
#: Where a formula subtracts, nearly equal parts may cancel: what doubles can lose of the sum of their sizes.
CANCELLATION = 1e-13
_BATCH = 100
_BATCH_LENGTH = 200_000


@dataclass
class CrossCheck:
    """The outcome: ``checked = agreed + len(findings)``; ``not_expressible`` counts the rest by reason."""

    checked: int = 0
    agreed: int = 0
    not_expressible: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


def crosscheck(
    connection: Connection, derivations: Sequence[Row], places: Mapping[str, tuple[Place, str, str]]
) -> CrossCheck:
    """Compute every derivation that has a formula from the loaded ``quantities`` and compare.

    ``places`` says where a derivation is used: place, record and field, for findings.
    """
    outcome = CrossCheck()
    formulas = [row for row in derivations if row["formula"] is not None]
    # Equal formulas over equal inputs are computed once.
    values = _values(connection, [row["sql"] for row in formulas if row["sql"] is not None])
    refused: Counter[str] = Counter()
    for row in formulas:
        value = values.get(row["sql"]) if row["sql"] is not None else None
        reason = row["sql_reason"] if row["sql"] is None else value if isinstance(value, str) else None
        if reason is not None:
            refused[reason] += 1
            outcome.rows.append(_row(row, None, None, None, reason))
            continue
        assert not isinstance(value, str)
        outcome.checked += 1
        exact = row["value_float"]
        agrees = _agree(exact, value) or _cancels(connection, row["sql"], exact, value)
        difference = None if value is None or exact is None else abs(value - exact)
        outcome.rows.append(_row(row, value, difference, int(agrees), None))
        if agrees:
            outcome.agreed += 1
        else:
            outcome.findings.append(_finding(row, value, places))
    outcome.not_expressible = dict(sorted(refused.items()))
    return outcome


def _row(row: Row, value: float | None, difference: float | None, agrees: int | None, reason: str | None) -> Row:
    return {"derivation": row["id"], "value_float": value, "difference": difference, "agrees": agrees, "reason": reason}


def _agree(exact: float | None, value: float | None) -> bool:
    if exact is None or value is None:
        return False
    return math.isfinite(value) and abs(value - exact) <= TOLERANCE * abs(exact)


def _cancels(connection: Connection, text: str, exact: float | None, value: float | None) -> bool:
    """Whether a difference is no more than what doubles lose where the parts of a subtraction cancel.

    How large those parts are is the value of the same formula with every minus turned into a plus; the writer of SQL puts a
    minus nowhere else.
    """
    if exact is None or value is None or " - " not in text:
        return False
    sizes = text.replace(" - ", " + ").replace("(-", "(+")
    (size,) = _evaluate(connection, [sizes])
    return isinstance(size, float) and abs(value - exact) <= CANCELLATION * abs(size)


# Batches


def _values(connection: Connection, texts: Sequence[str]) -> dict[str, float | str | None]:
    """Each text with its value, or with the reason for which the database refuses it."""
    found: dict[str, float | str | None] = {}
    for batch in _batches(list(dict.fromkeys(texts))):
        found |= zip(batch, _evaluate(connection, batch), strict=True)
    return found


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for text in texts:
        if batch and (len(batch) == _BATCH or length + len(text) > _BATCH_LENGTH):
            yield batch
            batch, length = [], 0
        batch.append(text)
        length += len(text)
    if batch:
        yield batch


def _evaluate(connection: Connection, texts: list[str]) -> list[float | str | None]:
    """The values of a batch, one statement; where the database refuses it, its message for the ones at fault."""
    try:
        with _guard(connection):
            found = connection.exec_driver_sql("SELECT " + ",\n".join(f"({text})" for text in texts)).one()
    except DBAPIError as error:
        if len(texts) == 1:
            return [f"the database refuses it: {str(error.orig).splitlines()[0]}"]
        half = len(texts) // 2
        return _evaluate(connection, texts[:half]) + _evaluate(connection, texts[half:])
    return [None if value is None else float(value) for value in found]


def _guard(connection: Connection) -> AbstractContextManager[object]:
    """A savepoint where a refused statement would spoil the transaction; SQLite's goes on (and has no journal here)."""
    return nullcontext() if connection.dialect.name == "sqlite" else connection.begin_nested()


# Findings


def _finding(row: Row, value: float | None, places: Mapping[str, tuple[Place, str, str]]) -> Finding:
    place, record, name = places.get(row["id"], (Place(row["record"] or "records"), row["record"] or "", ""))
    shown = "no value" if value is None else repr(value)
    return Finding(
        "sql-disagrees", Level.ERROR, place, f"{row['label']} is {row['display']}, and computed in SQL {shown}",
        record=record, field=name, found=shown, expected=repr(row["value_float"]),
        because=f"{row['formula']} is computed twice: exactly, and by the database from the recorded values",
        mend="this is a fault of the program, or a value beyond the range of doubles: report it with this record",
    )  # fmt: skip
