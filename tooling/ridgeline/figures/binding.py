"""Which numeral each figure entry speaks of, and what it says the numeral is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ridgeline.figures.conclusion import Conclusion, Side, Threshold, compared, same_dimension
from ridgeline.figures.figure import Status
from ridgeline.figures.passage import Passage
from ridgeline.figures.words import Trouble, Words
from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.evaluate import BUILTINS
from ridgeline.formulas.quantity import Quantity
from ridgeline.formulas.tree import Call, Name, Node, UnitLiteral, walk
from ridgeline.knowledge.base import Entry
from ridgeline.knowledge.derivation import Derivation
from ridgeline.knowledge.resolve import Resolver, Scope, Unread
from ridgeline.numbers.numeral import Numeral
from ridgeline.records.common import Figure
from ridgeline.records.walk import dotted
from ridgeline.records.workload import Workload

SKIP = "_"
_KINDS = frozenset({"model", "accelerator", "format", "interconnect", "class"})


@dataclass(frozen=True, slots=True)
class Bound:
    """What an entry says of one numeral."""

    entry: int
    status: Status
    derivation: Derivation | None = None
    expression: str = ""
    reason: str = ""
    source: str = ""
    at: str = ""
    checked: str = ""
    threshold: Threshold | None = None


Binding = dict[tuple[str | int, ...], dict[int, Bound]]


class Binder:
    """Matches the figure entries of one record with the numerals of its prose."""

    def __init__(self, entry: Entry, passages: list[Passage], resolver: Resolver):
        assert entry.record is not None
        self.entry = entry
        self.record = entry.record
        self.words = Words(passages, resolver.knowledge.names)
        self.resolver = resolver
        self.scope = resolver.scope_of(entry)
        self.findings: list[Finding] = []
        self.bound: Binding = {}
        #: What entries with ``holds:`` claim.
        self.conclusions: list[Conclusion] = []
        #: Numerals of entries that bind nothing: the finding about the entry speaks for them.
        self.refused: set[tuple[tuple[str | int, ...], int]] = set()

    def bind(self) -> Binding:
        """Path of each prose field → index of a numeral in it → what its entry says."""
        for index, figure in enumerate(self.record.figures):
            if figure.todo is not None:
                self.report(
                    index,
                    "todo",
                    "figure-todo",
                    f"this entry is a proposal: {figure.todo}",
                    mend="check it, then delete its todo: line",
                )
            if figure.holds is not None:
                self.conclude(index, figure, figure.holds)
                continue
            match = self.words.locate(figure)
            if isinstance(match, Trouble):
                self.trouble(index, match)
                continue
            passage, numerals = match.passage, match.numerals
            try:
                bindings = list(self.meanings(index, figure, passage, numerals))
            except _Refused:
                self.refused.update((passage.path, at) for at in numerals)
                continue
            for at, binding in bindings:
                self.keep(index, passage, at, binding)
        return self.bound

    def conclude(self, index: int, figure: Figure, claim: str) -> None:
        """Evaluate the comparison that words without a numeral of their own claim."""
        span = self.words.spot(figure)
        if isinstance(span, Trouble):
            self.trouble(index, span)
            return
        try:
            left, relation, right = compared(self.resolver, claim, self.with_scope(index, figure))
        except FormulaError as error:
            self.refuse(index, "holds", f"{claim}: {error.message}", error)
            return
        except _Refused:
            return
        text = span.passage.text[span.start : span.end]
        place = (self.entry.reference, span.passage.path, span.start, span.end - span.start)
        self.conclusions.append(Conclusion(*place, text, claim, left, relation, right))

    # What the entry says

    def meanings(
        self, index: int, figure: Figure, passage: Passage, numerals: list[int]
    ) -> Iterator[tuple[int, Bound]]:
        if figure.is_ is not None or figure.each is not None:
            scope = self.with_scope(index, figure)
            expressions = self.expressions(index, figure, passage, numerals)
            for start in range(0, len(numerals), len(expressions)):
                yield from self.chunk(
                    index, figure, passage, numerals[start : start + len(expressions)], expressions, scope
                )
            return
        if figure.source is not None:
            binding = Bound(index, Status.CITED, source=figure.source, at=figure.at or "", checked=figure.checked or "")
        elif figure.unverified is not None:
            binding = Bound(index, Status.UNVERIFIED, reason=figure.unverified)
        else:
            binding = Bound(index, Status.SET_ASIDE, reason=figure.set_aside or "")
        for at in numerals:
            yield at, binding

    def expressions(self, index: int, figure: Figure, passage: Passage, numerals: list[int]) -> list[str]:
        if figure.each is not None:
            if len(numerals) % len(figure.each):
                self.count_mismatch(
                    index,
                    "each",
                    passage,
                    numerals,
                    f"a pattern of {len(figure.each)} does not fill {len(numerals)} numerals",
                )
            return figure.each
        assert figure.is_ is not None
        stated = [figure.is_] if isinstance(figure.is_, str) else figure.is_
        if len(stated) != len(numerals):
            self.count_mismatch(
                index, "is", passage, numerals, f"{len(stated)} expressions for {len(numerals)} numerals"
            )
        return stated

    def count_mismatch(self, index: int, key: str, passage: Passage, numerals: list[int], message: str) -> None:
        texts = ", ".join(passage.numerals[i].text for i in numerals)
        self.report(
            index,
            key,
            "figure-count",
            message,
            because=f"the numerals in say: are {texts}",
            mend="give one expression for each numeral, in order; _ leaves one to its own status",
        )
        raise _Refused

    def with_scope(self, index: int, figure: Figure) -> Scope:
        """The record's scope with what the entry's ``with:`` puts into it."""
        given = {name: str(value) for name, value in (figure.with_ or {}).items()}
        records: dict[str, str] = {}
        named: set[str] = set()
        for name, value in given.items():
            try:
                reference = self.resolver.reference(value, self.scope)
            except FormulaError as error:
                raise self.refuse(index, ("with", name), error.message, error) from None
            if reference is not None:
                named.add(name)
                records[self.resolver.knowledge.entries[reference].kind] = reference
            elif name in _KINDS:
                message = f"{value} is no {name} among the record's subjects" + (
                    " or formats" if name == "format" else ""
                )
                near = FormulaError(message, candidates=self.resolver.near(value, self.scope))
                raise self.refuse(index, ("with", name), message, near)
        scope = self.scope.with_records(records)
        symbols: dict[str, Derivation] = {}
        for name, value in given.items():
            if name not in named:
                try:
                    if not self.resolver.settable(name, scope):
                        raise FormulaError("nothing here reads it", candidates=self.resolver.near(name, scope))
                    symbols[name] = self.resolver.symbol(name, value, scope)
                except FormulaError as error:
                    raise self.refuse(index, ("with", name), f"{name}: {error.message}", error) from None
        return scope.with_symbols(symbols)

    def chunk(
        self, index: int, figure: Figure, passage: Passage, numerals: list[int], expressions: list[str], scope: Scope
    ) -> Iterator[tuple[int, Bound]]:
        """One run of the pattern: symbols take their values first, then the expressions are evaluated with them."""
        inputs: dict[str, Derivation] = {}
        if figure.each is not None:
            for at, expression in zip(numerals, expressions, strict=True):
                symbol = self.input_symbol(expression, scope)
                # A symbol that stands twice takes its value once; the second numeral is held against it.
                if symbol is not None and symbol not in inputs:
                    inputs[symbol] = self.input(index, figure, passage.numerals[at], symbol, scope)
        inner = scope.with_symbols(inputs)
        limits = self.thresholds(index, figure, passage, numerals, inner)
        for position, (at, expression) in enumerate(zip(numerals, expressions, strict=True)):
            if expression == SKIP:
                continue
            if expression in inputs:
                yield at, Bound(index, Status.RECOMPUTED, inputs[expression], expression)
                continue
            try:
                derivation = self.resolver.evaluate(expression, inner)
            except FormulaError as error:
                key = "each" if figure.each is not None else "is"
                path = (key, position) if figure.each is not None or isinstance(figure.is_, list) else (key,)
                raise self.refuse(index, path, f"{expression}: {error.message}", error) from None
            status = Status.RECORDED if derivation.given is not None else Status.RECOMPUTED
            if _typed(self.resolver.parse(expression)):
                # A bare number proves nothing about the sentence; it only repeats it.
                self.refused.add((passage.path, at))
                self.report(
                    index,
                    "is" if figure.each is None else "each",
                    "figure-literal",
                    f"{expression} is typed, not computed",
                    mend="name the quantity it follows from, or use set_aside: with the reason",
                )
                continue
            threshold = limits.get(position)
            if threshold is not None:
                try:
                    same_dimension(derivation.quantity, threshold.derivation.quantity)
                except FormulaError as error:
                    raise self.refuse(index, threshold.side, f"{threshold.expression}: {error.message}") from None
            yield at, Bound(index, status, derivation, expression, threshold=threshold)

    def thresholds(
        self, index: int, figure: Figure, passage: Passage, numerals: list[int], scope: Scope
    ) -> dict[int, Threshold]:
        """Position in the pattern → the threshold that ``above:`` or ``below:`` gives for it."""
        found: dict[int, Threshold] = {}
        sides: tuple[tuple[Side, str | list[str] | None], ...] = (("above", figure.above), ("below", figure.below))
        for side, given in sides:
            if given is None:
                continue
            stated = [given] if isinstance(given, str) else given
            if len(stated) != len(numerals):
                message = f"{len(stated)} thresholds for {len(numerals)} numerals"
                self.count_mismatch(index, side, passage, numerals, message)
            for position, expression in enumerate(stated):
                if expression == SKIP:
                    continue
                path = (side, position) if isinstance(given, list) else (side,)
                if position in found:
                    raise self.refuse(index, path, "a value is above one threshold or below one: say which of the two")
                try:
                    found[position] = Threshold(side, expression, self.resolver.evaluate(expression, scope))
                except FormulaError as error:
                    raise self.refuse(index, path, f"{expression}: {error.message}", error) from None
        return found

    def input_symbol(self, expression: str, scope: Scope) -> str | None:
        """The symbol that an element of ``each`` reads from its numeral, where the element is a bare symbol."""
        if not expression.isidentifier() or expression == SKIP:
            return None
        record = self.record
        if isinstance(record, Workload) and (expression in record.symbols or self.resolver.settable(expression, scope)):
            return expression if expression not in record.formulas else None
        return None

    def input(self, index: int, figure: Figure, numeral: Numeral, symbol: str, scope: Scope) -> Derivation:
        """The value of a symbol as its numeral prints it."""
        value = numeral.value
        if value is None:
            raise self.refuse(index, ("each",), f"{numeral.text} has no value that {symbol} could take")
        if numeral.alternative is not None:
            k = figure.k or getattr(self.record, "k", None)
            if k is None:
                raise self.refuse(
                    index,
                    ("each",),
                    f"{numeral.text} can be {value} or {numeral.alternative}",
                    mend="say k: 1024 or k: 1000 in the entry or at the top of the record",
                )
            if k == 1024:
                value = numeral.alternative
        unit = numeral.unit
        try:
            declared = self.resolver.symbol(symbol, "1", scope)
        except FormulaError as error:
            raise self.refuse(index, ("each",), f"{symbol}: {error.message}", error) from None
        quantity = Quantity(value if unit is None else value * unit.base_factor, unit.dimension if unit else ())
        if not quantity.dimension and declared.quantity.dimension:
            quantity = Quantity(value * (declared.unit.factor if declared.unit else 1), declared.quantity.dimension)
        return Derivation(symbol, quantity, declared.unit, means=declared.means)

    # Findings

    def trouble(self, index: int, trouble: Trouble) -> None:
        self.report(index, trouble.key, trouble.rule, trouble.message, found=trouble.found, mend=trouble.mend)

    def keep(self, index: int, passage: Passage, at: int, binding: Bound) -> None:
        fields = self.bound.setdefault(passage.path, {})
        held = fields.get(at)
        if held is not None and (held.expression, held.status) != (binding.expression, binding.status):
            numeral = passage.numerals[at]
            self.report(
                index,
                "say",
                "figure-bound-twice",
                f"{numeral.text} is bound here and by entry {held.entry + 1} of figures:",
                found=numeral.text,
                mend="let one entry skip it with _",
            )
            return
        fields[at] = binding

    def refuse(
        self,
        index: int,
        path: str | tuple[str | int, ...],
        message: str,
        error: FormulaError | None = None,
        mend: str = "",
    ) -> _Refused:
        """Record why an entry binds nothing; gives the exception to raise."""
        if isinstance(error, Unread):
            return _Refused()
        if error is not None and error.candidates:
            mend = f"did you mean {' or '.join(error.candidates)}?"
        mend = mend or "correct the expression (`ridgeline eval` tries one), or the formula that it calls"
        self.report(index, path, "figure-expression", message, mend=mend)
        return _Refused()

    def report(
        self,
        index: int,
        key: str | tuple[str | int, ...],
        rule: str,
        message: str,
        *,
        found: str = "",
        because: str = "",
        mend: str = "",
    ) -> None:
        path = ("figures", index, *((key,) if isinstance(key, str) else key))
        self.findings.append(
            Finding(
                rule,
                Level.ERROR,
                self.entry.document.place(path),
                message,
                record=self.entry.reference,
                field=dotted(path),
                found=found,
                because=because,
                mend=mend,
            )
        )


def _typed(tree: Node) -> bool:
    """Whether an expression only repeats a number: it names nothing and converts no unit."""
    return not any(
        isinstance(part, Name)
        or (isinstance(part, Call) and (len(part.name) > 1 or part.name[0] not in BUILTINS))
        or (isinstance(part, UnitLiteral) and part.unit.factor != 1)
        for part in walk(tree)
    )


class _Refused(Exception):
    """An entry that binds nothing; its finding is already recorded."""


__all__ = ["Binder", "Binding", "Bound"]
