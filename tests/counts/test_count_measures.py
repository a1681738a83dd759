"""EP, OMP and OMR, by hand and in pt.Experiment."""

import math

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_quantity.counts import EP, OMP, OMR, closeness, order_distance
from pyterrier_quantity.counts.count_measures import as_number


class TestFormulas:
    @pytest.mark.parametrize(
        ("first", "second", "expected"),
        [(10, 100, 1.0), (50, 100, math.log10(2)), (7, 7, 0.0), (0, 0, 0.0), (0, 5, math.inf), (5, 0, math.inf),
         (3, 3000, 3.0)],
    )  # fmt: skip
    def test_order_distance(self, first, second, expected):
        assert order_distance(first, second) == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize(
        ("predicted", "truth", "expected"),
        [(10, 100, 0.0), (50, 100, 1 - math.log10(2)), (100, 100, 1.0), (1, 5000, 0.0), (0, 3, 0.0), (0, 0, 1.0)],
    )
    def test_closeness(self, predicted, truth, expected):
        assert closeness(predicted, truth) == pytest.approx(expected, abs=1e-12)
        assert closeness(truth, predicted) == closeness(predicted, truth)

    @pytest.mark.parametrize(
        ("answer", "expected"), [("1,500", 1500.0), (" 12 ", 12.0), (7, 7.0), (7.0, 7.0), ("9380854.0", 9380854.0)]
    )
    def test_answers_as_numbers(self, answer, expected):
        assert as_number(answer) == expected


RUN = pd.DataFrame(
    {"qid": ["1", "2", "3", "4"], "query": ["a", "b", "c", "d"], "qanswer": [100, 50, None, "1,000"]}, dtype=object
)
GOLD = pd.DataFrame({"qid": ["1", "2", "3", "4"], "gold_answer": [100, 100, 5, 10]})
HALF = 1 - math.log10(2)


class TestMeasures:
    def values(self, run=RUN, gold=GOLD):
        names = {"qid": "query_id"}
        return ir_measures.calc_aggregate([EP, OMP, OMR], gold.rename(columns=names), run.rename(columns=names))

    def test_by_hand(self):
        found = self.values()
        assert found[EP] == pytest.approx(1 / 3, abs=1e-12)
        assert found[OMP] == pytest.approx((1 + HALF + 0) / 3, abs=1e-12)
        assert found[OMR] == pytest.approx((1 + HALF + 0 + 0) / 4, abs=1e-12)

    def test_a_question_that_the_run_does_not_hold_is_unanswered(self):
        assert self.values(RUN[RUN["qid"] != "3"]) == pytest.approx(self.values())

    def test_several_true_counts(self):
        rows = pd.DataFrame({"qid": ["1", "1"], "gold_answer": [3, 100]})
        listed = pd.DataFrame({"qid": ["1"], "gold_answer": [[3, 100]]})
        run = RUN[RUN["qid"] == "1"]
        assert self.values(run, rows)[EP] == self.values(run, listed)[EP] == 1.0

    def test_experiments_compare_two_systems(self):
        worse = RUN.assign(qanswer=[1, 1, 1, 1])
        table = pt.Experiment([RUN, worse], RUN[["qid", "query"]], GOLD, [OMR], names=["a", "b"], baseline=0)
        assert table["OMR"][0] > table["OMR"][1]
        assert 0.0 <= table["OMR p-value"][1] <= 1.0

    def test_missing_columns_are_named(self):
        with pytest.raises(ValueError, match="gold_answer"):
            self.values(gold=GOLD.rename(columns={"gold_answer": "answer"}))
        with pytest.raises(ValueError, match="qanswer"):
            self.values(run=RUN.drop(columns="qanswer"))

    def test_gold_without_a_number_is_named(self):
        with pytest.raises(ValueError, match=r"query '2'.*gold_answer"):
            self.values(gold=GOLD.assign(gold_answer=["1", "many", "2", "3"]))


@pytest.mark.parametrize("of_gold", [str, int])
@pytest.mark.parametrize("of_run", [str, int])
def test_qids_may_be_whole_numbers(of_gold, of_run):
    gold, run = GOLD.assign(qid=GOLD["qid"].map(of_gold)), RUN.assign(qid=RUN["qid"].map(of_run))
    plain, given = (
        [frame.rename(columns={"qid": "query_id"}) for frame in pair] for pair in ((GOLD, RUN), (gold, run))
    )
    assert ir_measures.calc_aggregate([EP, OMP, OMR], *given) == ir_measures.calc_aggregate([EP, OMP, OMR], *plain)
