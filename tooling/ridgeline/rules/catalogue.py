"""Every rule that a finding can name: what it means, why it exists, how to mend it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from ridgeline.findings.finding import Level
from ridgeline.rules.run import RULES


@dataclass(frozen=True, slots=True)
class Page:
    """One rule of the catalogue."""

    id: str
    level: Level
    title: str
    explanation: str


#: Rules of the reader, of the record types and of the figures: id → (level, what is wrong, why and how to mend).
_BUILT_IN: tuple[tuple[str, Level, str, str], ...] = (
    ("unreadable", Level.ERROR, "A file cannot be read.", "The system refused it; the message says why."),
    ("stray-file", Level.ERROR, "A file below records/ is read by no kind.",
     "It would be lost in silence. Move it to the folder of its kind and call it ID.yaml."),
    ("file-too-large", Level.ERROR, "A file is larger than any record.", "Split the record, or shorten its prose."),
    ("line-too-long", Level.ERROR, "A line is longer than anybody reads.", "Break the text into lines."),
    ("not-utf-8", Level.ERROR, "A file is not UTF-8.", "Save it as UTF-8."),
    ("carriage-return", Level.ERROR, "A file has carriage returns.", "Save it with line feeds alone."),
    ("control-character", Level.ERROR, "A file holds a character that nobody sees.",
     "Control, direction, zero-width and private characters hide what a text says. Delete it, or its escape."),
    ("yaml-syntax", Level.ERROR, "A file is not YAML.", "The message says what was expected at which place."),
    ("yaml-duplicate-key", Level.ERROR, "A key stands twice in one mapping.",
     "Most YAML readers keep the last and say nothing. Keep one."),
    ("yaml-alias", Level.ERROR, "A file uses an anchor, an alias or a merge key.",
     "Every value stands at one place with its own source: write it out."),
    ("yaml-tag", Level.ERROR, "A file uses a YAML tag.", "Remove it."),
    ("yaml-documents", Level.ERROR, "A file holds more than one document.", "One file is one record."),
    ("yaml-folded", Level.ERROR, "A text is folded (>).", "It loses its line breaks: use a block literal (|)."),
    ("yaml-misread", Level.ERROR, "A value can be read as two different ones.",
     "`no` is a boolean to some readers, `1e12` a text, `010` an octal number. Quote it, or write it plainly."),
    ("yaml-key", Level.ERROR, "A key is not a text.", "Write the key as a plain word."),
    ("yaml-too-deep", Level.ERROR, "A file is nested deeper than any record.", "Flatten it."),
    ("yaml-too-many-nodes", Level.ERROR, "A file holds more values than any record.", "Split it."),
    ("not-a-record", Level.ERROR, "A file is not a mapping of fields.", "Start it with schema:, id: and name:."),
    ("schema-line", Level.ERROR, "The schema line is missing, unknown, or of another folder.",
     "It names kind and version of the record: accelerator/1."),
    ("id-is-file-name", Level.ERROR, "A record's id is not its file's name.", "Rename one of the two."),
    ("fill-in", Level.ERROR, "A skeleton's blank is not filled in.",
     "Write the value. What is not known stays out of the record, or is null."),
    ("missing-field", Level.ERROR, "A required field is missing.", "Add it; the message says what it is for."),
    ("unknown-field", Level.ERROR, "A field is not known.", "A typo would otherwise be lost in silence."),
    ("unknown-word", Level.ERROR, "A value is not one of the words that the field allows.",
     "Write one of those that the message lists."),
    ("wrong-type", Level.ERROR, "A value has the wrong type.", "The message says which type is wanted."),
    ("bad-value", Level.ERROR, "A value has the wrong form.", "The message says which form is wanted."),
    ("inconsistent", Level.ERROR, "Fields that belong together do not fit.",
     "A recorded value without a source, a derived one without a formula, claims without a preferred one."),
    ("uncovered", Level.ERROR, "Nothing says what a numeral is.",
     "Every numeral of the prose has a status. Bind it with an entry in figures:, cite it, or write an equation that holds."),
    ("numeral-unreadable", Level.ERROR, "A numeral cannot be read as one number.",
     "A guess would be worse: write it plainly."),
    ("figure-unmatched", Level.ERROR, "The words of a figure entry stand nowhere in the prose.",
     "The sentence was edited. Quote it anew, or delete the entry."),
    ("figure-ambiguous", Level.ERROR, "The words of a figure entry stand more than once.",
     "Quote more of the sentence, or name the field in in:."),
    ("figure-count", Level.ERROR, "A figure entry has not one expression for each numeral.",
     "Give them in order; _ leaves a numeral to its own status."),
    ("figure-without-numeral", Level.ERROR, "The words of a figure entry hold no numeral.", "Quote the numerals too."),
    ("figure-expression", Level.ERROR, "The expression of a figure entry cannot be evaluated.",
     "A name that means nothing, units that do not fit, a symbol that is not set."),
    ("figure-literal", Level.ERROR, "A figure entry repeats the number instead of computing it.",
     "Name the quantity that it follows from."),
    ("figure-bound-twice", Level.ERROR, "Two figure entries say different things of one numeral.",
     "Let one of them skip it with _."),
    ("figure-todo", Level.ERROR, "A figure entry is a proposal.", "Check it, then delete its todo: line."),
    ("figure-wrong", Level.ERROR, "A numeral is not what its expression gives.",
     "An input changed, or the number never was right. The message says what it should be and from which inputs."),
    ("figure-scale", Level.ERROR, "A numeral is off by a factor with a name.",
     "GB for GiB, bits for bytes, sparse for dense, one direction for two, a metric prefix. Never forgiven."),
    ("figure-decision", Level.ERROR, "A numeral is wrong and the claim flips.",
     "A sign, a bound, the side of one. Not only the number, the sentence must change."),
    ("figure-rounding", Level.WARNING, "A numeral was truncated, not rounded.", "Round it to the nearest."),
    ("figure-double-rounding", Level.INFO, "A numeral follows from printed inputs only.",
     "Computed from the records it would round differently."),
    ("figure-overlap", Level.INFO, "The true interval only overlaps what is printed.", "Print fewer digits."),
    ("figure-uninformative", Level.INFO, "The true interval is too wide to tell.", "Nothing is claimed either way."),
    ("figure-exact", Level.INFO, "A bound holds, but is not tight.", "Print the value itself where it matters."),
    ("figure-tie", Level.INFO, "The truth lies half-way between two printable values.", "Either may be printed."),
    ("equation-wrong", Level.ERROR, "An equation in prose does not hold.", "Correct the number that is wrong."),
    ("equation-scale", Level.ERROR, "An equation in prose is off by a factor with a name.",
     "Print the units, or bind the operands so that their units are known."),
    ("equation-decision", Level.ERROR, "An equation in prose fails and the claim flips.", "Correct the sentence."),
    ("equation-rounding", Level.WARNING, "The result of an equation was truncated.", "Round it to the nearest."),
    ("equation-double-rounding", Level.INFO, "An equation holds for printed inputs only.", "Nothing, or print more digits."),
    ("equation-uninformative", Level.INFO, "The inputs of an equation are too coarse to check it.",
     "Print more digits, or bind the operands."),
    ("equation-overlap", Level.INFO, "An equation holds only where intervals touch.", "Print more digits."),
    ("equation-exact", Level.INFO, "A note on an equation that holds.", "Nothing to mend."),
    ("lint-times-higher", Level.WARNING, "“2x higher” can be read two ways.", "Write “2x as high as”, or the increase."),
    ("lint-times-smaller", Level.WARNING, "“2x smaller” can be read two ways.", "Write the fraction."),
    ("lint-percent-faster", Level.WARNING, "“150% faster” can be read two ways.", "Write the ratio."),
    ("lint-kb-or-kib", Level.WARNING, "KB can be 1000 or 1024 bytes.", "Write kB or KiB."),
    ("lint-unequal-decimals", Level.WARNING, "A value and its uncertainty are printed with different decimals.",
     "Print both to the same place."),
    ("lint-ambiguous-over", Level.WARNING, "“over” can divide or mean more than.", "Write it out."),
    ("claims-file", Level.ERROR, "A claims file is not one.",
     "It is a mapping with subjects: and figures:, as a record holds them. The message says what stands there instead."),
    ("sql-disagrees", Level.ERROR, "SQL computes another value than the exact evaluation.",
     "Two routes to one number differ: a fault of this tool. Report it."),
)  # fmt: skip


def catalogue() -> dict[str, Page]:
    """All rules by id."""
    pages = {r: Page(r, level, title, text) for r, level, title, text in _BUILT_IN}
    for rule in RULES:
        title, _, rest = inspect.cleandoc(rule.__doc__ or "").partition("\n\n")
        pages[rule.id] = Page(rule.id, rule.level, " ".join(title.split()), rest)
    return dict(sorted(pages.items()))
