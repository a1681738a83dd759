"""A document's score depends only on the query and the document, not on other rows of the frame."""

import numpy as np
import pandas as pd
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity import Constraint

ASKED = {
    "sure": ("red car", [Constraint(">", 300.0, 300.0, "horsepower")]),
    "doubtful": ("red car", [Constraint("=", 20.0, 20.0, "minute", certainty=0.4)]),
    "both": ("car", [Constraint(">", 100.0, 100.0, "horsepower"), Constraint("<", 9.0, 9.0, "minute", certainty=0.6)]),
    "either": ("boat", [Constraint("=", value, value, "metre", certainty=0.7, alternative=1) for value in (5.0, 8.0)]),
    "none": ("red car", []),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ptq.QuantityIndex:
    random = np.random.default_rng(4)
    things, units = ["red car", "blue car", "boat", "train"], ["hp", "minutes", "metres", "dollars"]
    texts = [
        f"The {things[random.integers(4)]} has {random.integers(1, 600)} {units[random.integers(4)]}; "
        f"the {things[random.integers(4)]} needs {random.integers(1, 30)} {units[random.integers(4)]}."
        for _ in range(60)
    ]
    documents = [{"docno": f"d{number}", "text": text} for number, text in enumerate(texts)]
    return ptq.QuantityIndex(tmp_path_factory.mktemp("plan") / "i").index(documents)


@pytest.fixture(scope="module")
def results(index: ptq.QuantityIndex) -> pd.DataFrame:
    """All documents under each query, with the queries' doubts settled."""
    asked = pd.DataFrame([{"qid": qid, "query": text, "constraints": cs} for qid, (text, cs) in ASKED.items()])
    documents = pd.DataFrame({"docno": [*(f"d{n}" for n in range(len(index))), "unknown"]})
    run = asked.merge(documents, how="cross")
    run["score"] = np.random.default_rng(7).random(len(run))
    return index.settle()(run)


def scores(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    return dict(zip(zip(frame["qid"], frame["docno"], strict=True), frame["score"], strict=True))


@pytest.mark.parametrize("options", [{}, {"fit": False}, {"units": "strict"}, {"phi": "paper"}, {"phi": "released"}])
@pytest.mark.parametrize("settled", [True, False])
def test_split_shuffled_and_repeated_frames_score_alike(index, results, options, settled):
    scorer = index.scorer(**options)
    given = results if settled else results.drop(columns="support")
    whole = scores(scorer(given))
    assert len(set(whole.values())) > 10
    shuffled = given.sample(frac=1.0, random_state=3)
    assert scores(scorer(shuffled)) == whole
    parts = [scorer(shuffled.iloc[begin::7]) for begin in range(7)]
    assert scores(pd.concat(parts)) == whole
    again = scorer(pd.concat([given, given.sample(40, random_state=5)]))
    assert scores(again) == whole
    other_scores = given.assign(score=np.arange(len(given), dtype=float))
    assert scores(scorer(other_scores)) == whole


def test_doubt_is_settled_once_whatever_is_scored_later(index, results):
    support = results.groupby("qid")["support"].first()
    assert len(support["doubtful"]) == 1
    assert support["sure"] == support["none"] == ()
    first, *others = results["support"][results["qid"] == "both"]
    assert all(other == first for other in others)
    assert index.settle()(results)["support"].tolist() == results["support"].tolist()
    deep = results[results["qid"] == "doubtful"].nsmallest(3, "score")
    assert index.scorer()(deep)["score"].max() <= max(support["doubtful"])


def test_unsettled_constraints_count_in_full(index, results):
    plain = results.drop(columns="support")
    sure = plain.assign(constraints=[[_sure(c) for c in cs] for cs in plain["constraints"]])
    assert scores(index.scorer()(plain)) == scores(index.scorer()(sure))


def _sure(constraint: Constraint) -> Constraint:
    return Constraint(
        constraint.op, constraint.low, constraint.high, constraint.unit, alternative=constraint.alternative
    )


def test_between_ranker_and_scorer_the_step_is_what_the_one_call_does(bm25, qindex):
    parse = ptq.QuantityQueryParser()
    steps = parse >> bm25 >> qindex.settle() >> (ptq.Normalise("max") + 8.0 * qindex.scorer())
    queries = pd.DataFrame(
        {"qid": ["1", "2", "3"], "query": ["BMW above 530hp", "tell me of 5 cars in 20 minutes", "car"]}
    )
    key = ["qid", "docno"]
    one_call = ptq.quantity_aware(bm25, qindex, candidates="retriever")(queries).sort_values(key)["score"].tolist()
    assert steps(queries).sort_values(key)["score"].tolist() == pytest.approx(one_call)


@pytest.mark.parametrize("support", [[0.5, 0.5], "half", [1.0] * 3])
def test_support_of_another_length_is_refused(index, support):
    frame = pd.DataFrame({"qid": ["1"], "query": ["car"], "docno": ["d1"], "constraints": [ASKED["sure"][1]]})
    with pytest.raises(ValueError, match=r"query '1': column 'support' must hold a number for each of its 1"):
        index.scorer()(frame.assign(support=[support]))


def test_a_bare_bound_means_no_unit_that_the_query_also_asks_for() -> None:
    texts = ["3 bedroom house, £320,000", "3 bedroom house, £260,000"]
    frame = pd.DataFrame({"qid": "1", "query": "3 bedroom house under 300k", "docno": ["over", "under"], "text": texts})
    found = ptq.explain(ptq.QuantityScorer()(ptq.QuantityQueryParser()(frame)))
    met = found[[str(one) == "< 300,000" for one in found["constraint"]]].set_index("docno")["met"]
    assert met.to_dict() == {"over": False, "under": True}
