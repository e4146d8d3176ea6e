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
    ("figure-decision", Level.ERROR, "What a sentence concludes from its numbers does not hold.",
     "A sign, a bound, the side of one or of a threshold (`above:`, `below:`), the order of two numbers, a comparison in "
     "words (`holds:`). Not only the number, the sentence must change."),
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
    ("equation-uninformative", Level.INFO, "The inputs of an equation are too coarse to check it.",
     "Print more digits, or bind the operands."),
    ("equation-overlap", Level.WARNING, "An equation holds only within the rounding of its inputs.",
     "As printed they give another result. Print it, or more digits of the inputs."),
    ("lint-times-higher", Level.WARNING, "“2x higher” can be read two ways.", "Write “2x as high as”, or the increase."),
    ("lint-times-smaller", Level.WARNING, "“2x smaller” can be read two ways.", "Write the fraction."),
    ("lint-percent-faster", Level.WARNING, "“150% faster” can be read two ways.", "Write the ratio."),
    ("lint-kb-or-kib", Level.WARNING, "KB can be 1000 or 1024 bytes.", "Write kB or KiB."),
    ("lint-unequal-decimals", Level.WARNING, "A value and its uncertainty are printed with different decimals.",
     "Print both to the same place."),
    ("lint-ambiguous-over", Level.WARNING, "“over” can divide or mean more than.", "Write it out."),
    ("claims-file", Level.ERROR, "A claims file is not one.",
     "It is a mapping with subjects: and figures:, as a record holds them. The message says what stands there instead."),
    ("revision-not-raised", Level.ERROR, "A recorded value changed, and the record's revision did not rise.",
     "Who holds that revision has another value. Raise it by one. Found by `ridgeline diff`, which compares two revisions."),
    ("revision-unneeded", Level.WARNING, "The revision of a record rose, and no value of it changed.",
     "Readers would look for a change that is not there. Leave it as it was. Found by `ridgeline diff`."),
    ("history-missing", Level.ERROR, "A recorded value changed, and the history does not say so.",
     "Add an entry with the new revision, the field, what it was, and why. Found by `ridgeline diff`."),
    ("history-was", Level.ERROR, "A history entry names another old value than the record had.",
     "Write the value that stood there. Found by `ridgeline diff`."),
    ("history-revision", Level.ERROR, "A new history entry names a revision that this change does not make.",
     "Write the revision that the record has now. Found by `ridgeline diff`."),
    ("history-rewritten", Level.ERROR, "A history entry was edited or dropped.",
     "It is what readers of an older revision were told: put it back, and add a new one. Found by `ridgeline diff`."),
    ("id-removed", Level.ERROR, "An id is gone, and nothing says where to.",
     "Somebody may have quoted it. Keep the record with `status: withdrawn`, or name the id in `formerly:` of the record "
     "that replaces it. Found by `ridgeline diff`."),
    ("id-reused", Level.ERROR, "An id that a record had before is given to another one.",
     "Whoever quotes it would be led to the wrong record. Choose an id that was never used. Found by `ridgeline diff`."),
    ("waiver-refused", Level.ERROR, "A waiver names no rule, or one whose findings are never waived.",
     "What hides everything else (a file that cannot be read, a record that is refused) and what keeps the rest in check is "
     "never waived, and an info fails nothing. Correct the rule's id, or delete the waiver and mend what the rule finds."),
    ("waiver-unused", Level.ERROR, "A waiver waives nothing.",
     "What it was for has been mended, or stands elsewhere now. Left over, it would hide the next fault: delete it, or "
     "correct its place."),
    ("waiver-expired", Level.ERROR, "A waiver has run out.",
     "A waiver is a debt with an end, and its finding fails again. Mend that and delete the waiver, or say anew, with a "
     "later day, why it may stand. The day is that of `SOURCE_DATE_EPOCH`, else the clock's, in UTC."),
    ("waiver-expiring", Level.INFO, "A waiver runs out within thirty days.",
     "From the day after on, the check fails. Mend what it waives before."),
    ("ceiling-exceeded", Level.ERROR, "There is more of something than its ceiling allows.",
     "What is unverified, second-hand, contested or waived may only become less. The message names the records that have "
     "most of it. Find a source, mend the sentence, or leave the value out."),
    ("ceiling-loose", Level.INFO, "A ceiling is higher than what there is.",
     "What has been won could be lost again without anybody noticing. `ridgeline check --lower-ceilings` lowers it."),
    ("ceiling-raised", Level.ERROR, "A ceiling was raised or taken away.",
     "The numbers in `ceilings.yaml` only fall. Found by `ridgeline diff`, which compares two revisions."),
    ("edition-not-raised", Level.ERROR, "The number of the edition fell, or rose by less than is due.",
     "It rises in its first part where an id is lost or a type narrowed, in its second where something is added, in its "
     "third where a value changed. Between releases it stays. Found by `ridgeline diff`; `ridgeline diff BASE --release` "
     "writes it, with the changelog."),
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
