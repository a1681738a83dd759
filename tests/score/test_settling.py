"""An uncertain constraint counts to the degree that the results support it. A certain constraint always counts."""

import numpy as np
import pandas as pd
import pytest

import pyterrier_quantity as ptq
from pyterrier_quantity import Constraint
from pyterrier_quantity.score import settling
from pyterrier_quantity.score.query import IndexQuery, QueryCondition
from pyterrier_quantity.score.settling import with_support

TEXTS = {
    "d0": "Wheat exports of Canada rose and the railways were busy.",
    "d1": "Wheat exports were discussed in the morning.",
    "d2": "The essay about a dog takes exactly 20 minutes.",
    "d3": "Canada sold barley for 90 dollars a tonne.",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ptq.QuantityIndex:
    path = tmp_path_factory.mktemp("belief") / "quantities"
    return ptq.QuantityIndex(path).index([{"docno": docno, "text": text} for docno, text in TEXTS.items()])


def ranked(
    index: ptq.QuantityIndex,
    query: str,
    constraints: list[Constraint],
    candidates: str = "retriever",
    trust: float | None = None,
) -> list[str]:
    """The order of a ranker that gives the texts in the order of their names, with quantities."""
    run = pd.DataFrame({"qid": "q", "docno": list(TEXTS), "score": [4.0, 3.0, 2.0, 1.0], "rank": range(4)})
    base = ptq.quantity_aware(_Fixed(run), index, candidates=candidates, trust=trust)
    frame = pd.DataFrame([{"qid": "q", "query": query, "constraints": constraints}])
    return list(base(frame)["docno"])


class _Fixed(ptq.QuantityQueryParser):
    def __init__(self, run: pd.DataFrame) -> None:
        super().__init__()
        self.run = run

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        return inp.merge(self.run, on="qid")


def support(index: ptq.QuantityIndex, results: pd.DataFrame) -> list[float]:
    """How far the constraints of the only query count."""
    found = index.settle()(results)["support"].tolist()
    assert all(one == found[0] for one in found)
    return found[0]


def minutes(certainty: float) -> list[Constraint]:
    return [Constraint("=", 20.0, 20.0, "minute", certainty=certainty)]


@pytest.mark.parametrize("candidates", ["retriever", "union"])
def test_what_no_result_bears_out_leaves_the_order(index: ptq.QuantityIndex, candidates: str) -> None:
    assert ranked(index, "wheat exports railways in 20 minutes", minutes(0.3), candidates)[0] == "d0"


@pytest.mark.parametrize("candidates", ["retriever", "union"])
@pytest.mark.parametrize(("trust", "near", "first"), [(0.9, 3, "d2"), (0.9, 2, "d0"), (0.0, 2, "d2")])
def test_what_lies_deep_in_a_trusted_ranking_bears_nothing_out(
    index: ptq.QuantityIndex, monkeypatch: pytest.MonkeyPatch, candidates: str, trust: float, near: int, first: str
) -> None:
    monkeypatch.setattr(settling, "NEAR", near)
    found = ranked(index, "essay about a dog in 20 minutes", minutes(0.95), candidates, trust)
    assert found[0] == first


@pytest.mark.parametrize("candidates", ["retriever", "union"])
def test_what_is_certain_counts_whatever_the_results_say(index: ptq.QuantityIndex, candidates: str) -> None:
    assert ranked(index, "wheat exports railways in 20 minutes", minutes(1.0), candidates)[0] == "d2"


def test_a_doubtful_number_beside_a_certain_condition_does_not_count(index: ptq.QuantityIndex) -> None:
    price = [Constraint("<", 100.0, 100.0, "dollar per metric ton")]
    assert ranked(index, "barley below 100 dollars a tonne, in 20 minutes", [*price, *minutes(0.3)])[0] == "d3"


def test_the_results_settle_it_gradually(index: ptq.QuantityIndex) -> None:
    certainties = [*np.linspace(0.01, 0.99, 99), 1.0]
    asked = [{"qid": str(n), "query": "essay barley", "constraints": minutes(c)} for n, c in enumerate(certainties)]
    frame = pd.DataFrame(asked).merge(pd.DataFrame({"docno": list(TEXTS), "score": 1.0}), how="cross")
    scored = (index.settle() >> index.scorer())(frame)
    score = scored.loc[scored["docno"] == "d2", "score"].tolist()
    assert score == sorted(score)
    assert score[0] == 0 < score[-1]
    assert len(set(score)) > 4


def test_what_results_state_in_another_unit_bears_out_less(index: ptq.QuantityIndex) -> None:
    frame = pd.DataFrame({"qid": "q", "docno": list(TEXTS), "query": "barley", "score": 1.0})
    belief = []
    for unit in ("dollar per metric ton", "dollar", "minute"):
        price = [Constraint(">", 80.0, 80.0, unit, certainty=0.6)]
        belief.append(support(index, frame.assign(constraints=[price] * 4))[0])
    assert belief[0] == 1 > belief[1] > belief[2] == 0


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_results_with_the_highest_scores_are_the_first_in_whatever_order_they_stand(
    index: ptq.QuantityIndex, shuffled: bool
) -> None:
    texts = [{"docno": f"n{n}", "text": f"Talk {n} of the fair takes {n + 5} minutes."} for n in range(30)]
    texts += [{"docno": f"w{n}", "text": f"Speaker {n} of the fair weighs {n + 60} kg."} for n in range(30)]
    talks = ptq.QuantityIndex(index.path.parent / f"scored{shuffled}").index(texts)
    asked = [Constraint("<", 20.0, 20.0, "minute", certainty=0.4)]
    frame = pd.DataFrame({"qid": "q", "query": "fair", "docno": [row["docno"] for row in texts]})
    belief = []
    for score in (range(60, 0, -1), range(60)):
        scored = frame.assign(score=[float(one) for one in score], constraints=[asked] * 60)
        scored = scored.sample(frac=1, random_state=3) if shuffled else scored
        belief.append(support(talks, scored)[0])
    assert belief[0] > belief[1]


def test_an_everyday_number_needs_more_than_a_measure() -> None:
    no_words, certain = (np.array([0.45]), np.array([0.0])), 0.8
    found = [
        with_support(
            IndexQuery([QueryCondition(Constraint("<", value, value, unit, certainty=certain))]), *no_words
        ).support[0]
        for value, unit in (
            (9.0, "kilogram"), (9.0, "euro per day"), (50_000.0, "-"), (9.0, "minute"), (9.0, "page"), (9.0, "-"),
        )
    ]  # fmt: skip
    assert min(found[:3]) > max(found[3:]) == 0


def test_a_trusted_ranker_does_not_speak_for_a_number_that_its_words_do_not_bear_out(
    index: ptq.QuantityIndex,
) -> None:
    run = pd.DataFrame({"qid": "q", "docno": ["d0", "d2", "d3"], "score": [3.0, 2.9, 1.0], "rank": range(3)})
    frame = pd.DataFrame([{"qid": "q", "query": "wheat barley Canada", "constraints": minutes(0.5)}])
    trusted = ptq.quantity_aware(_Fixed(run), index, trust=1.0)
    assert trusted(frame)["docno"].tolist() == ["d0", "d2", "d3"]
    asked = frame.assign(constraints=[minutes(1.0)])
    assert trusted(asked)["docno"].tolist() == ["d2", "d0", "d3"]


def test_beside_a_trusted_ranker_a_number_needs_more_evidence() -> None:
    sure = np.linspace(0.05, 0.95, 19)
    query = IndexQuery([QueryCondition(Constraint("<", 9.0, 9.0, "kilogram", certainty=one)) for one in sure])
    best, stated = np.full(19, 0.5), np.full(19, 0.1)
    plain, trusted = (np.array(with_support(query, best, stated, trusted=one).support) for one in (False, True))
    assert (trusted <= plain).all()
    assert trusted.sum() < plain.sum()
    certain = IndexQuery([QueryCondition(Constraint("<", 9.0, 9.0, "kilogram"))])
    assert with_support(certain, np.zeros(1), np.zeros(1), trusted=True).support == (1.0,)


def test_alternatives_are_believed_as_the_best_of_them(index: ptq.QuantityIndex) -> None:
    either = [Constraint("=", value, value, "minute", certainty=0.5, alternative=1) for value in (20.0, 7.0)]
    frame = pd.DataFrame([{"qid": "q", "query": "essay dog", "docno": "d2", "score": 1.0, "constraints": either}])
    belief = support(index, frame)
    assert belief[0] == belief[1] > 0.5
