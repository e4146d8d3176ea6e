"""Which numeral each figure entry speaks of, what it says the numeral is, and which entries are refused."""

from __future__ import annotations

import pytest

from ridgeline.figures.examine import Examination
from ridgeline.figures.passage import HOLE, Passage, skeleton
from ridgeline.numbers import read
from tests.data.small import examined


def rows(found: Examination) -> list[tuple[str, str, str]]:
    """Text, status and rule of each numeral."""
    return [(f.numeral.text, f.status.value, f.rule) for f in found.figures]


def rules(found: Examination) -> list[str]:
    return sorted(f.rule for f in found.findings)


def statuses(text: str, figures: str, **more: str) -> list[str]:
    found = examined(text, figures, **more)
    assert not found.findings, [f.message for f in found.findings]
    return [f.status.value for f in found.figures]


class TestWhatAnEntrySays:
    @pytest.mark.parametrize(
        ("text", "figures", "expected"),
        [
            ("It has 3.35 TB/s.", "- {say: has 3.35 TB/s, is: a.memory.bandwidth}", ["recorded"]),
            ("A ridge of 295.3 flop/byte.", "- {say: ridge of 295.3, is: a.ridge.bf16}", ["recomputed"]),
            ("It got 73%.", "- {say: got 73%, source: sheet, checked: 2026-11-30}", ["cited"]),
            ("It got 19 TB/s.", "- {say: got 19 TB/s, unverified: no page states it}", ["unverified"]),
            ("Say 100 tokens.", "- {say: Say 100 tokens, set_aside: an example}", ["set-aside"]),
            (
                "From 3.35 TB/s to 1008 GB/s.",
                "- {say: From 3.35 TB/s to 1008 GB/s, is: [a.memory.bandwidth, b.memory.bandwidth]}",
                ["recorded", "recorded"],
            ),
            (
                "It has 3.35 TB/s\n  and, with Beta,\n1008 GB/s.",
                "- {say: 'has 3.35 TB/s and, with Beta, 1008 GB/s', is: [a.memory.bandwidth, b.memory.bandwidth]}",
                ["recorded", "recorded"],
            ),
            ("It is 4.25 bits.", "- {say: is 4.25 bits, is: mxfp4.bits}", ["recomputed"]),
            ("With fp8 the rate doubles.", "- {say: the rate doubles, is: a.peak.fp8 / a.peak.bf16}", ["set-aside", "recomputed"]),
            ("A MiB is 1,048,576 bytes.", "- {say: 'is 1,048,576 bytes', is: 'as(1, MiB)'}", ["recomputed"]),
            ("The 7B model.", "- {say: The 7B model, is: m.parameters.total}", ["recomputed"]),
            ("It fell by 75%.", "- {say: fell by 75%, is: 'L_ridge(a, bf16, g=4) / L_ridge(a, bf16, g=1) - 1'}", ["recomputed"]),
            ("About 300 flop/byte.", "- {say: About 300, is: a.ridge.bf16}", ["recomputed"]),
            ("Over 295 flop/byte.", "- {say: Over 295, is: a.ridge.bf16}", ["recomputed"]),
            ("At most 296 flop/byte.", "- {say: At most 296, is: a.ridge.bf16}", ["recomputed"]),
            ("Up to 50% of it.", "- {say: Up to 50%, is: 'share(m, L=53248)'}", ["recomputed"]),
            ("Nearly 51% of it.", "- {say: Nearly 51%, is: 'share(m, L=53248)'}", ["recomputed"]),
            ("It is 4 times as much.", "- {say: is 4 times, is: m.g}", ["recomputed"]),
        ],
    )  # fmt: skip
    def test_status(self, text: str, figures: str, expected: list[str]) -> None:
        assert statuses(text, figures) == expected

    def test_a_range_is_bound_at_both_ends(self) -> None:
        found = examined("It is 4-8 heads.", "- {say: is 4-8 heads, is: [m.g, m.n_kv]}")
        assert [(f.numeral.text, f.grade) for f in found.figures] == [("4", "exact"), ("8", "exact")]

    def test_an_underscore_leaves_a_numeral_to_its_own_status(self) -> None:
        found = examined(
            "It has 3.35 TB/s and 1008 GB/s.", "- {say: has 3.35 TB/s and 1008 GB/s, is: [_, b.memory.bandwidth]}"
        )
        assert rows(found) == [("3.35", "uncovered", ""), ("1008", "recorded", "")]
        assert rules(found) == ["uncovered"]

    def test_records_and_symbols_of_an_entry(self) -> None:
        text = "It crosses at 147.7 tokens, with 8 bits at 73.8 tokens."
        figures = (
            "- {say: crosses at 147.7 tokens, is: L_ridge, with: {accelerator: a, format: bf16, g: 4}}\n"
            "- {say: with 8 bits at 73.8 tokens, is: [fp8.bits, 'L_ridge(a, bf16)'], with: {g: 4, s_kv: 1 byte}}\n"
        )
        assert statuses(text, figures) == ["recomputed"] * 3

    def test_a_symbol_takes_its_value_from_its_numeral(self) -> None:
        found = examined(
            "The share is 0.952% at 512 tokens and 13.3% at 8k.",
            "- {say: share is 0.952% at 512 tokens and 13.3% at 8k, each: ['share(m)', L], k: 1024}",
        )
        assert [(f.numeral.text, f.grade, f.expression) for f in found.figures] == [
            ("0.952", "exact", "share(m)"),
            ("512", "exact", "L"),
            ("13.3", "exact", "share(m)"),
            ("8k", "exact", "L"),
        ]
        assert found.figures[3].derivation is not None and found.figures[3].derivation.quantity.value == 8192
        assert not found.findings

    @pytest.mark.parametrize(("k", "share"), [("1024", "13.3"), ("1000", "13.1")])
    def test_k_of_the_entry_or_of_the_record(self, k: str, share: str) -> None:
        text = f"The share is {share}% at 8k."
        assert not examined(text, f"- {{say: is {share}% at 8k, each: ['share(m, L)', L], k: {k}}}").findings
        assert not examined(text, f"- {{say: is {share}% at 8k, each: ['share(m, L)', L]}}", head=f"k: {k}\n").findings

    def test_k_that_nobody_settles(self) -> None:
        found = examined("The share is 13.3% at 8k.", "- {say: is 13.3% at 8k, each: ['share(m, L)', L]}")
        assert rules(found) == ["figure-expression"]
        assert found.findings[0].message == "8k can be 8000 or 8192"
        assert found.findings[0].mend.startswith("say k: 1024 or k: 1000")
        assert [f.status.value for f in found.figures] == ["uncovered", "uncovered"]

    def test_as_an_output_either_reading_of_k_will_do(self) -> None:
        text = "It knows 32k tokens and is as wide as 4k tokens."
        figures = "- {say: 'knows 32k tokens and is as wide as 4k tokens', is: [m.vocabulary, m.d_model]}"
        assert statuses(text, figures) == ["recorded", "recorded"]
        assert rules(examined(text.replace("4k", "5k"), figures)) == ["figure-wrong"]

    def test_the_same_meaning_twice_is_no_fault(self) -> None:
        figures = "- {say: has 3.35 TB/s, is: a.memory.bandwidth}\n- {say: It has 3.35 TB/s, is: a.memory.bandwidth}"
        assert statuses("It has 3.35 TB/s.", figures) == ["recorded"]


class TestWhereTheWordsStand:
    def test_editing_a_number_does_not_orphan_its_entry(self) -> None:
        found = examined("It has 3.36 TB/s.", "- {say: has 3.35 TB/s, is: a.memory.bandwidth}")
        assert rules(found) == ["figure-wrong"] and found.findings[0].mend == "write 3.35"

    def test_editing_the_words_does_and_the_nearest_are_offered(self) -> None:
        found = examined("Alpha owns 3.35 TB/s.", "- {say: Alpha has 3.35 TB/s, is: a.memory.bandwidth}")
        assert rules(found) == ["figure-unmatched", "uncovered"]
        unmatched = next(f for f in found.findings if f.rule == "figure-unmatched")
        assert (
            unmatched.mend == "quote the words that stand nearest: “Alpha owns 3.35 TB/s.”"
            and unmatched.found == "Alpha has 3.35 TB/s"
        )
        assert unmatched.field == "figures.0.say"

    def test_the_nearest_words_keep_their_last_numeral(self) -> None:
        text = "In all, it is said to own a good 80 GB behind its 3.35 TB/s. Nothing else is known."
        figures = "- {say: it owns a good 80 GB and its 3.35 TB/s, is: [a.memory.capacity, a.memory.bandwidth]}"
        unmatched = next(f for f in examined(text, figures).findings if f.rule == "figure-unmatched")
        assert unmatched.mend.removeprefix("quote the words that stand nearest: “").removesuffix("”") in text
        assert "80 GB" in unmatched.mend and "3.35" in unmatched.mend

    def test_nothing_like_it(self) -> None:
        found = examined("Nothing here.", "- {say: Alpha has 3.35 TB/s, is: a.memory.bandwidth}")
        assert [f.mend for f in found.findings] == ["delete the entry, or quote the words as they stand"]

    @pytest.mark.parametrize(
        ("unit", "rule", "factor"),
        [("GB/s", "figure-scale", "10^-3"), ("TiB/s", "figure-scale", "1.024^4"), ("Tbit/s", "figure-scale", "8"),
         ("TB", "figure-wrong", ""), ("TFLOP/s", "figure-wrong", "")],
    )  # fmt: skip
    def test_another_unit_is_compared_not_orphaned(self, unit: str, rule: str, factor: str) -> None:
        found = examined(f"It has 3.35 {unit} here.", "- {say: has 3.35 TB/s here, is: a.memory.bandwidth}")
        assert rules(found) == [rule]
        assert factor in found.findings[0].because

    @pytest.mark.parametrize("says", ["source: sheet, checked: 2026-11-30", "unverified: no page", "set_aside: none"])
    def test_another_unit_orphans_what_only_words_vouch_for(self, says: str) -> None:
        found = examined("It has 3.35 GB/s here.", f"- {{say: has 3.35 TB/s here, {says}}}")
        assert rules(found) == ["figure-unmatched", "uncovered"]

    def test_words_that_stand_twice(self) -> None:
        found = examined("It has 3.35 TB/s. It has 3.35 TB/s.", "- {say: It has 3.35 TB/s, is: a.memory.bandwidth}")
        assert rules(found) == ["figure-ambiguous", "uncovered", "uncovered"]
        assert found.findings[0].message == "these words stand 2 times (text.notes)"
        assert found.findings[0].mend == "quote more of the sentence"

    def test_in_names_the_field(self) -> None:
        text = "It has 3.35 TB/s."
        more = "  other: |\n    It has 1008 GB/s.\n"
        for wanted, meaning, status in (("notes", "a.memory.bandwidth", 1), ("other", "b.memory.bandwidth", 1)):
            say = "It has 3.35 TB/s" if wanted == "notes" else "It has 1008 GB/s"
            found = examined(text + "\n", f"- {{say: {say}, in: text.{wanted}, is: {meaning}}}", more=more)
            assert sum(f.status.value == "recorded" for f in found.figures) == status
        loose = examined(
            "It has 3.35 TB/s.\n",
            "- {say: It has 3.35, is: a.memory.bandwidth}",
            more=more.replace("1008 GB/s", "1008"),
        )
        assert "figure-ambiguous" in rules(loose)
        assert "name the field in in:" in next(f.mend for f in loose.findings if f.rule == "figure-ambiguous")

    def test_a_field_that_does_not_exist(self) -> None:
        found = examined("It has 3.35 TB/s.", "- {say: has 3.35 TB/s, in: text.note, is: a.memory.bandwidth}")
        unmatched = next(f for f in found.findings if f.rule == "figure-unmatched")
        assert unmatched.message == "no prose field is called text.note" and "text.notes" in unmatched.mend
        assert unmatched.field == "figures.0.in"

    def test_words_begin_and_end_at_words(self) -> None:
        found = examined("Thereit has 3.35 TB/sec.", "- {say: it has 3.35 TB/s, is: a.memory.bandwidth}")
        assert "figure-unmatched" in rules(found)

    def test_words_that_read_otherwise_in_their_sentence(self) -> None:
        found = examined("At 2, 8 and 32 tokens.", "- {say: 'At 2, 8', set_aside: lengths that are tried}")
        assert [f.status.value for f in found.figures] == ["set-aside", "set-aside", "uncovered"]

    def test_a_numeral_that_its_sentence_sets_aside(self) -> None:
        found = examined("See the A100-80GB, made in 2024.", "- {say: made in 2024, set_aside: a year}")
        assert "uncovered" not in rules(found)
        assert all(f.status.value == "set-aside" for f in found.figures)

    def test_numerals_inside_names_and_code_are_set_aside(self) -> None:
        found = examined("BF16 on `x = 34`, see https://example.org/345, in Llama-2-7B.")
        assert {f.status.value for f in found.figures} == {"set-aside"} and not found.findings

    def test_a_say_without_a_numeral(self) -> None:
        found = examined("It has 3.35 TB/s.", "- {say: It has, is: a.memory.bandwidth}")
        assert "figure-without-numeral" in rules(found)


class TestRefused:
    """An entry that is refused is one finding, at its own place, and its numerals stay uncovered."""

    def one(self, figures: str, text: str = "It has 3.35 TB/s here.") -> str:
        found = examined(text, figures)
        assert len(found.findings) == 1, [f.message for f in found.findings]
        assert all(f.status.value == "uncovered" and f.rule == "entry-refused" for f in found.figures)
        finding = found.findings[0]
        assert finding.level.value == "error" and finding.field.startswith("figures.0")
        return f"{finding.rule}: {finding.message}; {finding.mend}"

    @pytest.mark.parametrize(
        "expression", ["148", "as(148, token)", "100 + 48", "-(0 - 148)", "max(148, 2)", "2^7 + 20"]
    )
    def test_a_typed_number(self, expression: str) -> None:
        assert "figure-literal" in self.one(f"- {{say: has 148 tokens, is: '{expression}'}}", "It has 148 tokens here.")

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("is: a.memory.bandwith", "did you mean memory.bandwidth"),
            ("is: a.memory.capacity", "is not known (nobody has verified a value)"),
            ("is: 'a.memory.bandwidth +'", "the formula ends"),
            ("is: a.memory.bandwidth + a.peak.bf16", "byte/s cannot be added to flop/s"),
            ("is: L_ridge, with: {accelerator: a, format: bf61, g: 4}", "bf61 is no format"),
            (
                "is: L_ridge, with: {accelerator: c, format: bf16, g: 4}",
                "c is no accelerator among the record's subjects",
            ),
            ("is: L_ridge, with: {accelerator: a, format: bf16, g: 4, s_kv: 3 s}", "s_kv is in byte, not in s"),
            ("is: L_ridge, with: {accelerator: a, format: bf16, g: 4, zzz: 3}", "zzz: nothing here reads it"),
            ("is: L_ridge, with: {accelerator: a, format: bf16, g: four}", "expected a number"),
            ("is: [a.memory.bandwidth, a.ridge.bf16]", "2 expressions for 1 numerals"),
            ("each: ['share(m)', L]", "a pattern of 2 does not fill 1 numerals"),
        ],
    )
    def test_an_expression(self, entry: str, message: str) -> None:
        assert message in self.one(f"- {{say: has 3.35 TB/s, {entry}}}")

    def test_a_count_names_the_numerals(self) -> None:
        found = examined("From 3.35 TB/s to 1008 GB/s.", "- {say: From 3.35 TB/s to 1008 GB/s, is: a.memory.bandwidth}")
        assert [f.because for f in found.findings] == ["the numerals in say: are 3.35, 1008"]

    def test_bound_twice(self) -> None:
        figures = "- {say: has 3.35 TB/s, is: a.memory.bandwidth}\n- {say: It has 3.35 TB/s, is: b.memory.bandwidth}"
        found = examined("It has 3.35 TB/s.", figures)
        assert rules(found) == ["figure-bound-twice"]
        assert found.findings[0].message == "3.35 is bound here and by entry 1 of figures:"

    def test_a_proposal_that_nobody_confirmed(self) -> None:
        found = examined("It has 3.35 TB/s.", "- {say: has 3.35 TB/s, is: a.memory.bandwidth, todo: look at it}")
        assert rules(found) == ["figure-todo"] and found.figures[0].status.value == "recorded"


class TestSkeleton:
    def passage(self, text: str) -> Passage:
        return Passage.of(("text", "notes"), text, frozenset())

    def test_white_space_folds(self) -> None:
        assert self.passage("a  3\n\n  b\t4").skeleton == f"a {HOLE} b {HOLE}"

    def test_a_unit_goes_with_its_numeral(self) -> None:
        text = "at 3.35 TB/s, 5% and 2k, 8k tokens"
        numerals = [n for n in read(text) if n.quantity]
        assert skeleton(text, numerals, units=True) == f"at {HOLE}, {HOLE} and {HOLE}, {HOLE}"

    def test_matches_may_overlap(self) -> None:
        assert self.passage("1 and 2 and 3 tokens").find(f"{HOLE} and {HOLE}") == [[0, 1], [1, 2]]

    def test_verbatim_words_do_not_start_inside_a_number(self) -> None:
        passage = self.passage("It has 3350 tokens and 50 tokens.")
        assert passage.verbatim("50 tokens") == [[1]]
        assert passage.verbatim("has  3350") == [[0]]
        assert passage.verbatim("(") == []
