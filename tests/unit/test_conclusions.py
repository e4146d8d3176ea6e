"""Sentences that conclude something from their numbers: a side, a comparison, an order; and what is said when it flips."""

from __future__ import annotations

import pytest

from ridgeline.figures.examine import Examination
from ridgeline.figures.messages import mended
from ridgeline.formulas.errors import FormulaError
from ridgeline.formulas.parser import parse, parse_comparison
from ridgeline.records.common import Figure
from tests.data.small import evaluate, examined

# a.ridge.bf16 is 295.343… flop/byte, L_ridge(a, bf16, g=1) is as many tokens with two bytes an element, times one.


def rules(found: Examination) -> list[str]:
    return [f.rule for f in found.findings]


class TestComparison:
    @pytest.mark.parametrize("relation", ["<", "<=", ">", ">="])
    def test_each_relation_is_read(self, relation: str) -> None:
        left, read, right = parse_comparison(f"a.b + 1 {relation} 2 * c")
        assert (left, read) == (parse("a.b + 1"), relation) and right is not None

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a.b", "expected an operator, or <, <=, > or >=, but the formula ends"),
            ("a < b < c", "expected an operator or the end, found <"),
            ("< 3", "found <"),
            ("a = b", "found ="),
            ("a <> b", "found >"),
        ],
    )
    def test_what_is_none_is_refused(self, text: str, message: str) -> None:
        with pytest.raises(FormulaError) as refusal:
            parse_comparison(text)
        assert message in refusal.value.message

    def test_an_expression_holds_no_comparison(self) -> None:
        with pytest.raises(FormulaError, match="comparisons are not part of the language"):
            parse("a < b")


class TestThreshold:
    def test_a_true_value_on_its_side_is_clean(self) -> None:
        found = examined(
            "At 400 flop/byte it is compute-bound.",
            "- {say: At 400 flop/byte, is: 'as(400, flop/byte) + 0 * a.ridge.bf16', above: a.ridge.bf16}",
        )
        assert rules(found) == [] and [c.holds for c in found.conclusions] == [True]
        assert found.conclusions[0].claim == "as(400, flop/byte) + 0 * a.ridge.bf16 > a.ridge.bf16"

    @pytest.mark.parametrize(("side", "value"), [("above", "295"), ("below", "296")])
    def test_a_right_number_on_the_other_side_is_a_decision(self, side: str, value: str) -> None:
        """The number is right and stays so; the threshold is on the other side of it."""
        found = examined(
            f"At {value} flop/byte it stands.",
            f"- {{say: At {value} flop/byte, is: 'as({value}, flop/byte) + 0 * a.ridge.bf16', {side}: a.ridge.bf16}}",
        )
        assert rules(found) == ["figure-decision"]
        finding = found.findings[0]
        assert f"the sentence puts it {side} a.ridge.bf16 = 295.343" in finding.message
        assert not finding.fixable and "its claim no longer holds" in finding.mend

    def test_a_wrong_number_on_the_other_side_is_a_decision_that_digits_mend(self) -> None:
        found = examined(
            "At 200 flop/byte it is compute-bound.",
            "- {say: At 200 flop/byte, is: 'as(400, flop/byte) + 0 * a.ridge.bf16', above: a.ridge.bf16}",
        )
        assert rules(found) == ["figure-decision"] and found.findings[0].fixable
        assert mended(found.figures[0]) == "400" and "printed is on the other side" in found.findings[0].because

    def test_a_wrong_number_on_the_right_side_is_only_wrong(self) -> None:
        found = examined(
            "At 300 flop/byte it is compute-bound.",
            "- {say: At 300 flop/byte, is: 'as(410, flop/byte) + 0 * a.ridge.bf16', above: a.ridge.bf16}",
        )
        assert rules(found) == ["figure-wrong"]

    def test_a_threshold_for_each_numeral(self) -> None:
        found = examined(
            "From 989.4 TFLOP/s follow 295.3 flop/byte.",
            "- {say: From 989.4 TFLOP/s follow 295.3 flop/byte, is: [a.peak.bf16, a.ridge.bf16],"
            " below: [_, 'as(295, flop/byte) + 0 * a.ridge.bf16']}",
        )
        assert rules(found) == ["figure-decision"] and found.findings[0].found == "295.3 flop/byte"

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("is: a.ridge.bf16, above: a.memory.bandwidth", "flop/byte cannot be compared with byte/s"),
            ("is: a.ridge.bf16, above: nosuch", "nosuch"),
            ("is: a.ridge.bf16, above: [a.ridge.bf16, a.ridge.bf16]", "2 thresholds for 1 numerals"),
            ("is: a.ridge.bf16, above: a.peak.bf16, below: a.ridge.bf16", "say which of the two"),
        ],
    )
    def test_a_threshold_that_cannot_be_one_is_refused_once(self, entry: str, message: str) -> None:
        found = examined("It is 295.3 flop/byte.", f"- {{say: It is 295.3 flop/byte, {entry}}}")
        assert len(found.findings) == 1 and message in found.findings[0].message

    def test_a_threshold_needs_a_computed_value(self) -> None:
        with pytest.raises(ValueError, match="above is about a value that is computed"):
            Figure.model_validate({"say": "at 3", "set_aside": "an example", "above": "a.ridge.bf16"})


class TestHolds:
    def test_words_without_a_numeral(self) -> None:
        found = examined(
            "Peak is the larger of the two.",
            "- {say: Peak is the larger, holds: 'a.ridge.bf16 > as(295, flop/byte)'}",
        )
        assert rules(found) == []
        assert [(c.words, c.holds) for c in found.conclusions] == [("Peak is the larger", True)]

    def test_a_false_comparison_stands_at_its_words(self) -> None:
        found = examined(
            "First words.\nThen it stays below the threshold.",
            "- {say: it stays below the threshold, holds: 'a.ridge.bf16 < as(295, flop/byte)'}",
        )
        assert rules(found) == ["figure-decision"]
        finding = found.findings[0]
        assert finding.found == "it stays below the threshold" and finding.place.column == 10
        assert "a.ridge.bf16 < as(295, flop/byte), but it is 295.343 flop/byte against 295 flop/byte" in finding.message
        assert "989.4" in finding.because

    @pytest.mark.parametrize(
        ("text", "entry", "rule", "message"),
        [
            ("No such words.", "holds: 'a.ridge.bf16 > 1'", "figure-unmatched", "stand nowhere"),
            ("It is so. It is so.", "holds: 'a.ridge.bf16 > 1'", "figure-ambiguous", "stand 2 times"),
            ("It is so.", "holds: a.ridge.bf16", "figure-expression", "expected an operator"),
            ("It is so.", "holds: 'a.ridge.bf16 > a.memory.bandwidth'", "figure-expression", "cannot be compared"),
            ("It is so.", "holds: 'a.ridge.bf16 > nosuch'", "figure-expression", "nosuch"),
        ],
    )
    def test_what_cannot_be_tried_is_said_once(self, text: str, entry: str, rule: str, message: str) -> None:
        found = examined(text, f"- {{say: It is so, {entry}}}")
        assert rules(found) == [rule] and message in found.findings[0].message


class TestOrder:
    def test_an_order_that_turned_round_is_a_decision(self) -> None:
        found = examined(
            "A has 989.4 TFLOP/s, more than the 900 TFLOP/s of B.",
            "- {say: 'A has 989.4 TFLOP/s, more than the 900 TFLOP/s of B', is: [a.peak.bf16, 2 * a.peak.bf16]}",
        )
        assert rules(found) == ["figure-decision"] and found.findings[0].found == "900 TFLOP/s"
        assert "the order is the other way round" in found.findings[0].because and not found.findings[0].fixable

    def test_without_words_that_compare_it_is_only_wrong(self) -> None:
        found = examined(
            "A has 989.4 TFLOP/s and B has 900 TFLOP/s.",
            "- {say: 'A has 989.4 TFLOP/s and B has 900 TFLOP/s', is: [a.peak.bf16, 2 * a.peak.bf16]}",
        )
        assert rules(found) == ["figure-scale"] or rules(found) == ["figure-wrong"]

    def test_an_order_that_stands_is_only_wrong(self) -> None:
        found = examined(
            "A has 989.4 TFLOP/s, less than the 1,900 TFLOP/s of B.",
            "- {say: 'A has 989.4 TFLOP/s, less than the 1,900 TFLOP/s of B', is: [a.peak.bf16, 2 * a.peak.bf16]}",
        )
        assert rules(found) == ["figure-wrong"]

    def test_from_one_to_the_other(self) -> None:
        found = examined(
            "It rose from 989.4 TFLOP/s to 1,500 TFLOP/s.",
            "- {say: 'from 989.4 TFLOP/s to 1,500 TFLOP/s', is: [a.peak.bf16, a.peak.bf16 / 2]}",
        )
        assert rules(found) == ["figure-decision"] and found.findings[0].found == "1,500 TFLOP/s"

    def test_an_order_in_different_prefixes(self) -> None:
        found = examined(
            "A has 900 TFLOP/s, less than the 1.9 PFLOP/s of B.",
            "- {say: 'A has 900 TFLOP/s, less than the 1.9 PFLOP/s of B', is: [a.peak.bf16, a.peak.bf16 / 2]}",
        )
        assert sorted(rules(found)) == ["figure-decision", "figure-decision"]


def test_the_small_record_is_what_these_tests_take_it_for() -> None:
    assert 295 < float(evaluate("a.ridge.bf16").quantity) < 296
