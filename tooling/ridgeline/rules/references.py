"""Rules about records that name other records."""

from __future__ import annotations

from collections.abc import Iterator

from ridgeline.findings.finding import Finding, Level
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.tree import Name
from ridgeline.knowledge.names import Formula
from ridgeline.knowledge.resolve import Scope
from ridgeline.records.kinds import FOLDERS
from ridgeline.records.workload import Workload
from ridgeline.rules.rule import Context, Rule, near


class UnknownReference(Rule):
    """A field names a record that does not exist.

    A value whose source cannot be opened has no origin. Mend it by writing the id of a record that exists, or by adding
    the record (`ridgeline new source ID`).
    """

    id = "unknown-reference"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every reference of every record."""
        entries = context.knowledge.entries
        for entry in entries.values():
            if entry.record is None:
                continue
            for item in entry.items:
                if item.what != "reference":
                    continue
                folder = FOLDERS.get(item.kind, "")
                reference = f"{folder}/{item.value}" if folder else item.value
                if reference in entries:
                    continue
                known = context.survey.ids(folder) if folder else context.survey.references()
                kind = item.kind or "record"
                yield self.finding(
                    entry,
                    item.path,
                    f"there is no {kind} {item.value}",
                    found=str(item.value),
                    mend=near(str(item.value), known) or f"add it: ridgeline new {item.kind or 'KIND'} {item.value}",
                )


class SupersededSource(Rule):
    """A value rests on a source that a newer document replaces.

    The newer document may say something else. Read it, and cite it instead; keep the old value as a claim if it differs.
    """

    id = "superseded-source"
    level = Level.WARNING

    def check(self, context: Context) -> Iterator[Finding]:
        """Every reference to a source that names a successor."""
        for entry in context.knowledge.entries.values():
            if entry.record is None:
                continue
            for item in entry.items:
                if item.what != "reference" or item.kind != "source":
                    continue
                successor = context.survey.superseded(item.value)
                if successor:
                    yield self.finding(
                        entry,
                        item.path,
                        f"{item.value} is superseded by {successor}",
                        found=str(item.value),
                        expected=successor,
                        mend=f"read {successor} and cite it",
                    )


class AliasShadowed(Rule):
    """The alias of a subject is also a symbol, a formula or a number format.

    In an expression nobody could tell which is meant. Mend it by giving the subject another alias.
    """

    id = "alias-shadowed"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every subject of every record."""
        for entry in context.knowledge.entries.values():
            record = entry.record
            if record is None or not record.subjects:
                continue
            formats = (name.replace("-", "_") for name in context.survey.readable("format"))
            taken: dict[str, str] = dict.fromkeys(formats, "a number format")
            if isinstance(record, Workload):
                taken |= dict.fromkeys(record.formulas, "a formula") | dict.fromkeys(record.symbols, "a symbol")
            for alias in record.subjects:
                if alias in taken and record.subjects[alias] != f"formats/{alias}":
                    yield self.finding(
                        entry,
                        ("subjects", alias),
                        f"the alias {alias} is also {taken[alias]}",
                        found=alias,
                        mend="give the subject another alias",
                        key=True,
                    )


def unreadable(context: Context, reference: str, name: str) -> bool:
    """Whether a record has a value or a formula for a quantity that another rule finds unreadable."""
    space = context.resolver.namespace(reference)
    meaning = space.names.get(name)
    if isinstance(meaning, Formula):
        try:
            scope = context.resolver.scope_of(context.knowledge.entries[reference])
            context.resolver.name(Name(tuple(name.split("."))), scope)
        except FormulaError:
            return True
    # ``l2.per_unit`` stands at ``on_chip.l2.size``: a record with a fault in that part is not asked further.
    part = name.partition(".")[0]
    return meaning is None and any(part in field.split(".") for field, _ in space.problems)


class HardwareParameterUnknown(Rule):
    """A class asks for a hardware quantity that an accelerator it lists does not have.

    The values are looked up and never typed, so a missing one leaves a hole in the class's table. Mend it by recording
    the quantity in the accelerator, by correcting the name, or by taking the accelerator off the list.
    """

    id = "hardware-parameter-unknown"

    def check(self, context: Context) -> Iterator[Finding]:
        """Every accelerator of every hardware parameter of every class."""
        for entry in context.knowledge.of_kind("class"):
            assert isinstance(entry.record, Workload)
            for index, row in enumerate(entry.record.hardware_parameters):
                for position, name in enumerate(row.values_for):
                    path = ("hardware_parameters", index, "values_for", position)
                    reference = f"accelerators/{name}"
                    if reference not in context.knowledge.entries:
                        mend = (
                            near(name, context.survey.readable("accelerator"))
                            or f"add it: ridgeline new accelerator {name}"
                        )
                        yield self.finding(entry, path, f"there is no accelerator {name}", found=name, mend=mend)
                        continue
                    # A record that cannot be read, and a value that cannot be computed, are reported there.
                    known = context.knowledge.get(reference) is not None
                    if not known or unreadable(context, reference, row.parameter):
                        continue
                    scope = Scope(records=(("accelerator", reference),))
                    try:
                        context.resolver.name(Name(tuple(row.parameter.split("."))), scope)
                    except FormulaError as error:
                        hint = f"did you mean {error.candidates[0]}?" if error.candidates else ""
                        yield self.finding(
                            entry,
                            path,
                            f"{name}: {error.message}",
                            found=row.parameter,
                            mend=hint or f"record it in {reference}, or take {name} off the list",
                            level=Level.ERROR
                            if "no quantity" in error.message or "unknown name" in error.message
                            else Level.INFO,
                        )
