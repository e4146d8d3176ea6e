"""Every numeral of a record's prose gets one status and one grade, and what is wrong is said once."""

from __future__ import annotations

from typing import Any

import pytest

from ridgeline.check import Report
from ridgeline.figures.examine import Examination, examine, significant_digits
from ridgeline.findings.finding import Finding
from ridgeline.knowledge.resolve import Resolver
from ridgeline.numbers import read
from ridgeline.report import as_dict, figure_as_dict
from tests.data.small import examined, knowledge, text_of

CROSSINGS = '["L_ridge(a, bf16, g=1)", "L_ridge(a, bf16, g=4)", "L_ridge(a, bf16, g=1) / L_ridge(a, bf16, g=4)"]'
RIDGE = "[a.peak.bf16, a.memory.bandwidth, a.ridge.bf16]"


def grades(found: Examination) -> list[tuple[str, str, str]]:
    return [(f.numeral.text, f.status.value, f.grade) for f in found.figures]


def only(found: Examination) -> Finding:
    assert len(found.findings) == 1, [(f.rule, f.message) for f in found.findings]
    return found.findings[0]


class TestStatuses:
    def test_uncovered_is_an_error_at_its_numeral(self) -> None:
        found = examined("One line.\nThen 148 tokens stand here.")
        finding = only(found)
        assert (finding.rule, finding.level.value) == ("uncovered", "error")
        assert finding.message == "nothing says what 148 tokens is" and finding.found == "148"
        line = text_of("classes/work").count("\n") + 4
        assert (finding.place.path, finding.place.line, finding.place.column) == ("records/classes/work.yaml", line, 10)

    def test_every_numeral_has_one_status(self) -> None:
        found = examined("In 2024, FP8 on 3x3 tiles: 12 tokens, two matrices, 4/2 = 2, `8`, v1.2, section 5.")
        assert [(f.numeral.text, f.status.value, f.rule) for f in found.figures] == [
            ("2024", "set-aside", "year-word"),
            ("FP8", "set-aside", found.figures[1].rule),
            ("3x3", "set-aside", found.figures[2].rule),
            ("12", "uncovered", ""),
            ("two", "set-aside", "counting-word"),
            ("4", "equation", ""),
            ("2", "equation", ""),
            ("2", "equation", ""),
            ("8", "set-aside", "code"),
            ("v1.2", "set-aside", found.figures[9].rule),
            ("5", "set-aside", found.figures[10].rule),
        ]
        assert all(f.rule for f in found.figures if f.status.value == "set-aside")

    @pytest.mark.parametrize(
        ("word", "status"),
        [("two", "set-aside"), ("twelve", "set-aside"), ("half", "uncovered"), ("twice", "uncovered")],
    )
    def test_small_counting_words_stand_aside_and_fractions_do_not(self, word: str, status: str) -> None:
        found = examined(f"It needs {word} of the units.")
        assert [f.status.value for f in found.figures] in ([status], [])

    @pytest.mark.parametrize("text", ["1,5 tokens", "١٢ tokens", "1e999 tokens", f"{'9' * 60} tokens"])
    def test_what_cannot_be_read_is_an_error_whatever_an_entry_says(self, text: str) -> None:
        found = examined(f"It costs {text} here.", f"- {{say: 'costs {text} here', set_aside: an example}}")
        finding = only(found)
        assert (finding.rule, finding.level.value) == ("numeral-unreadable", "error") and finding.mend


class TestGrades:
    @pytest.mark.parametrize(
        ("text", "say", "meaning", "rule", "mend"),
        [
            ("296 flop/byte", "296", "a.ridge.bf16", "figure-wrong", "write 295"),
            ("295.4 flop/byte", "295.4", "a.ridge.bf16", "figure-wrong", "write 295.3"),
            ("2953 flop/byte", "2953", "a.ridge.bf16", "figure-wrong", "write 295"),
            ("295.3 byte/flop", "295.3 byte/flop", "a.ridge.bf16", "figure-wrong", "the value is 295.343 flop/byte"),
            ("-295.3 flop/byte", "-295.3", "a.ridge.bf16", "figure-decision", "its claim no longer holds"),
            ("over 296 flop/byte", "over 296", "a.ridge.bf16", "figure-decision", "its claim no longer holds"),
            ("under 295 flop/byte", "under 295", "a.ridge.bf16", "figure-decision", "its claim no longer holds"),
            ("at most 295 flop/byte", "at most 295", "a.ridge.bf16", "figure-decision", "its claim no longer holds"),
            ("nearly 295 flop/byte", "nearly 295", "a.ridge.bf16", "figure-decision", "its claim no longer holds"),
            ("about 350 flop/byte", "about 350", "a.ridge.bf16", "figure-wrong", "write 300"),
            ("3350 here", "3350 here", "a.memory.bandwidth", "figure-scale", "print the unit: 3350 GB/s"),
            ("3.35 TB of it", "3.35 TB of", "a.memory.bandwidth", "figure-wrong", "the value is 3.35 TB/s"),
            ("3.35 Tbit/s", "3.35 Tbit/s", "a.memory.bandwidth", "figure-scale", "write 26.80"),
            ("0.5% of it", "0.5%", "share(m, L=53248)", "figure-scale", "write 50.0"),
            ("the rate triples", "triples", "a.peak.fp8 / a.peak.bf16", "figure-wrong", "the value is"),
        ],
    )  # fmt: skip
    def test_a_wrong_number(self, text: str, say: str, meaning: str, rule: str, mend: str) -> None:
        finding = only(examined(f"It is {text} in all.", f"- {{say: '{say}', is: '{meaning}'}}"))
        assert (finding.rule, finding.level.value) == (rule, "error")
        assert mend in finding.mend
        assert finding.fixable == finding.mend.startswith("write ")

    def test_a_message_gives_found_expected_why_and_the_inputs(self) -> None:
        finding = only(examined("It is 297 flop/byte.", "- {say: is 297, is: a.ridge.bf16}"))
        assert finding.message == "297 flop/byte is wrong: a.ridge.bf16 = 295.343 flop/byte"
        assert (finding.found, finding.expected) == ("297 flop/byte", "295 flop/byte")
        assert finding.because == (
            "the true value is 295.343 flop/byte; from accelerators/alpha peak.bf16 = 989.4 TFLOP/s (sheet), "
            "accelerators/alpha memory.bandwidth = 3.35 TB/s (sheet)"
        )

    def test_many_inputs_are_counted(self) -> None:
        finding = only(examined("It has 7 parameters.", "- {say: has 7 parameters, is: m.parameters.total}"))
        assert finding.because.endswith(" and 7 more") and finding.because.count(" = ") == 6

    def test_a_bound_that_is_not_tight_is_a_note(self) -> None:
        finding = only(examined("Over 250 flop/byte.", "- {say: Over 250, is: a.ridge.bf16}"))
        assert finding.level.value == "info" and "not tight" in finding.message
        assert finding.mend.startswith("print the value itself where it matters: ")

    def test_an_exact_tie_is_reported(self) -> None:
        found = examined(
            "It is 12.5% or 12% of it.", "- {say: 'is 12.5% or 12%', is: ['1 / (2 * m.g)', '1 / (2 * m.g)']}"
        )
        finding = only(found)
        assert (finding.rule, finding.level.value) == ("figure-tie", "info")


class TestEquations:
    def test_operands_take_the_units_of_what_they_are_bound_to(self) -> None:
        bare = only(examined("So 989.4/3350 = 295.3 here."))
        assert bare.rule == "equation-scale" and "units?" in bare.because
        found = examined("So 989.4/3350 = 295.3 here.", f"- {{say: 989.4/3350 = 295.3, is: {RIDGE}}}")
        assert not found.findings
        assert [s for _, s, _ in grades(found)] == ["recorded", "recorded", "recomputed"]

    @pytest.mark.parametrize(
        ("equation", "wrong"),
        [("989.5/3350 = 295.3", "989.5"), ("989.4/3360 = 295.3", "3360"), ("989.4/3350 = 296.3", "296.3"),
         ("9894/3350 = 295.3", "9894"), ("989.4/3305 = 295.3", "3305")],
    )  # fmt: skip
    def test_a_wrong_operand_is_named_once(self, equation: str, wrong: str) -> None:
        found = examined(f"So {equation} flop/byte.", f"- {{say: 989.4/3350 = 295.3, is: {RIDGE}}}")
        assert only(found).found.split()[0] == wrong

    def test_integers_that_are_bound_are_rounded_values(self) -> None:
        found = examined("So 591/148 = 4.00 here.", f"- {{say: 591/148 = 4.00, is: {CROSSINGS}}}")
        assert not found.findings and [g for *_, g in grades(found)] == ["exact"] * 3
        wrong = examined("So 592/148 = 4.00 here.", f"- {{say: 591/148 = 4.00, is: {CROSSINGS}}}")
        assert only(wrong).mend == "write 591"

    def test_right_only_from_the_printed_inputs(self) -> None:
        for text in ("989/3.35 = 295.2", "989 TFLOP/s / 3.35 TB/s = 295.2"):
            found = examined(f"So {text} flop/byte.", f"- {{say: {text}, is: {RIDGE}}}")
            finding = only(found)
            assert (finding.rule, finding.level.value) == ("figure-double-rounding", "info")
            assert "right only from the printed, rounded inputs" in finding.message
            worse = examined(f"So {text[:-1]}1 flop/byte.", f"- {{say: {text}, is: {RIDGE}}}")
            assert only(worse).rule == "figure-wrong"

    def test_operands_that_no_entry_binds_are_covered_by_the_equation(self) -> None:
        found = examined("So 2 × 32 = 64 heads.")
        assert grades(found) == [("2", "equation", "exact"), ("32", "equation", "exact"), ("64", "equation", "exact")]
        assert only(examined("So 2 × 32 = 65 heads.")).rule == "equation-wrong"

    def test_an_unprinted_unit_inside_a_bound_equation(self) -> None:
        text = "Crosses at 2 × 295.3/4 = 148 tokens."
        figures = "- {say: 295.3/4 = 148 tokens, is: [a.ridge.bf16, _, 'L_ridge(a, bf16, g=4)']}"
        assert not examined(text, figures).findings
        assert only(examined(text.replace("148", "149"), figures)).found == "149 tokens"
        assert only(examined(text.replace("2 ×", "3 ×"), figures)).rule.startswith("equation-")

    def test_a_bound_operand_excuses_nothing_by_its_rounding(self) -> None:
        # 3 × 3.5 could be as little as 10.35 by its digits, but the records say what 3.5 is.
        text = "So 2 + 2/4 + 3 × 3.5 = 13.00 widths."
        figures = "- {say: 2/4 + 3 × 3.5 = 13.00, is: [_, m.g, _, m.d_ff / m.d_model, _]}"
        assert not [f for f in examined(text, figures).findings if f.level.value == "error"]
        finding = only(examined(text.replace("2/4", "2.1/4"), figures.replace("2/4", "2.1/4")))
        assert (finding.rule, finding.because) == ("equation-wrong", "the true value is 13.025")

    def test_a_symbol_that_stands_twice_is_held_against_itself(self) -> None:
        text = "So 512/4096 = 12.5% at 512 tokens."
        figures = "- {say: 512/4096 = 12.5% at 512 tokens, each: [L, m.d_model, L / m.d_model, L]}"
        assert not examined(text, figures).findings
        # Each half is true by itself; only together they say something false.
        finding = only(examined(text.replace("at 512", "at 513"), figures.replace("at 512", "at 513")))
        assert (finding.rule, finding.found) == ("figure-wrong", "513 tokens")

    def test_a_chain(self) -> None:
        text = "So 4 × 8192/2 = 16,384 = 16,384 tokens."
        assert not examined(text).findings
        assert only(examined(text.replace("= 16,384 tokens", "= 16,385 tokens"))).rule == "equation-wrong"


class TestRepeats:
    FIGURES = "- {say: A ridge of 295.3, is: a.ridge.bf16}\n- {say: costs 512 GB, source: sheet, checked: 2026-11-30}"

    def repeat(self, text: str, figures: str = FIGURES) -> tuple[str, str]:
        found = examined(f"A ridge of 295.3 flop/byte. It costs 512 GB. Again {text} and so on.", figures)
        return found.figures[2].status.value, found.figures[2].rule

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("295.3 flop/byte", ("recomputed", "repeat")),
            ("512 GB", ("cited", "repeat")),
            ("512 GiB", ("uncovered", "")),
            ("512 TB", ("uncovered", "")),
            ("512 tokens", ("uncovered", "")),
            ("512.0 GB", ("uncovered", "")),
            ("295.4 flop/byte", ("uncovered", "")),
        ],
    )
    def test_same_digits_and_unit(self, text: str, expected: tuple[str, str]) -> None:
        assert self.repeat(text) == expected

    @pytest.mark.parametrize(
        ("digits", "status"), [("73", "uncovered"), ("7.3", "uncovered"), ("0.073", "uncovered"), ("731", "cited")]
    )
    def test_three_significant_digits_or_it_is_no_repeat(self, digits: str, status: str) -> None:
        figures = f"- {{say: got {digits} ms, source: sheet, checked: 2026-11-30}}"
        found = examined(f"It got {digits} ms. Later, {digits} ms again.", figures)
        assert [f.status.value for f in found.figures] == ["cited", status]

    def test_what_nobody_verified_is_not_spread(self) -> None:
        figures = "- {say: costs 512 GB, unverified: no page}"
        found = examined("It costs 512 GB. Again 512 GB.", figures)
        assert [f.status.value for f in found.figures] == ["unverified", "uncovered"]

    def test_a_stale_number_is_named_at_each_place(self) -> None:
        text = "A ridge of 296.3 flop/byte.\nAgain 296.3 flop/byte."
        found = examined(text, "- {say: A ridge of 295.3, is: a.ridge.bf16}")
        assert [f.rule for f in found.findings] == ["figure-wrong", "figure-wrong"]
        assert found.findings[1].place.line == found.findings[0].place.line + 1

    @pytest.mark.parametrize(("text", "digits"), [("0.0730 s", 3), ("1,000 s", 4), ("12.50%", 4), ("0 s", 0)])
    def test_significant_digits(self, text: str, digits: int) -> None:
        assert significant_digits(read(text)[0]) == digits


class TestReport:
    def report(self) -> Report:
        text = text_of("classes/work") + "text:\n  notes: |\n    A ridge of 296.3 flop/byte, 12 tokens.\n"
        text += "figures:\n- {say: A ridge of 295.3, is: a.ridge.bf16}\n"
        base = knowledge({"classes/work": text})
        resolver = Resolver(base)
        found = examine(base.entries["classes/work"], resolver)
        return Report(base, resolver, found.findings, found.figures)

    def test_shape(self) -> None:
        report = self.report()
        whole: dict[str, Any] = as_dict(report, figures=True)
        assert set(whole) == {"schema", "summary", "findings", "conclusions", "figures"}
        assert whole["summary"]["numerals"] == 2
        assert whole["summary"]["by_status"]["recomputed"] == whole["summary"]["by_status"]["uncovered"] == 1
        assert whole["summary"]["findings"] == {"error": 2, "warning": 0, "info": 0}
        wanted = {
            "rule",
            "level",
            "path",
            "line",
            "column",
            "record",
            "field",
            "message",
            "found",
            "expected",
            "because",
        }
        assert all(wanted <= set(f) for f in whole["findings"])
        assert "figures" not in as_dict(report)

    def test_a_figure(self) -> None:
        report = self.report()
        found = figure_as_dict(report, report.figures[0])
        line = text_of("classes/work").count("\n") + 3
        assert (found["path"], found["line"], found["column"]) == ("records/classes/work.yaml", line, 16)
        assert (found["text"], found["status"], found["grade"]) == ("296.3", "recomputed", "wrong")
        assert (found["value"], found["unit"], found["interval"]) == ("296.3", "flop/byte", "[296.25, 296.35]")
        assert (found["expression"], found["computed"]) == ("a.ridge.bf16", "19788/67")
        assert [(i["name"], i["source"]) for i in found["inputs"]] == [
            ("accelerators/alpha peak.bf16", "sheet"),
            ("accelerators/alpha memory.bandwidth", "sheet"),
        ]

    def test_counts(self) -> None:
        report = self.report()
        assert not report.clean and report.by_level == {"error": 2, "warning": 0, "info": 0}
